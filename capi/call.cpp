// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/call.hpp"

#include "capi/handles.hpp"

#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

namespace kaon::capi {
namespace {

constexpr std::uint64_t seed_of_hashes = 0x9e3779b97f4a7c15;

std::uint64_t combine(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0xbf58476d1ce4e5b9;
  return hash ^ (hash >> 31);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = seed_of_hashes;
  for (const char letter : text) hash = combine(hash, static_cast<unsigned char>(letter));
  return hash;
}

/// Throws `Error` where a running call uses the object `name`, or its links.
void require_free(const Use& use, bool to_change, const char* name, bool links = false) {
  require(to_change ? !use.any() : use.writers == 0, [&] {
    return fmt::format("{}{} {} in use by {}, which has called this function: {} {} when that call has returned",
                       links ? "the links of " : "", name, links ? "are" : "is", use.by, to_change ? "change" : "use",
                       links ? "them" : "it");
  });
}

void mark(Use& use, bool to_change, const char* by) {
  if (!use.any()) use.by = by;
  ++(to_change ? use.writers : use.readers);
}

void unmark(Use& use, bool to_change) { --(to_change ? use.writers : use.readers); }

/// The first line that differs between two texts.
std::pair<std::string_view, std::string_view> first_difference(std::string_view first, std::string_view other) {
  const auto next = [](std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
  };
  while (!first.empty() && !other.empty()) {
    const std::string_view line = next(first), other_line = next(other);
    if (line != other_line) return {line, other_line};
  }
  return {first.empty() ? "no more" : next(first), other.empty() ? "no more" : next(other)};
}

}  // namespace

void Text::append(const std::string& more) {
  lines += more;
  hash = hash_of(lines);
}

Argument::Argument(const char* name, const Lattice& lattice) : Argument(name, static_cast<const void*>(&lattice)) {
  parts_ = [](const Argument& of) -> std::vector<Argument> {
    const Lattice& on = *static_cast<const Lattice*>(of.given_);
    return {{"extents", on.extents().data(), 4}, {"grid", on.process_grid().data(), 4}, {"reach", on.reach()}};
  };
}

std::uint64_t Argument::hash() const {
  const auto hash_of_number = [](auto number) {
    if constexpr (std::is_same_v<decltype(number), double>) {
      return std::bit_cast<std::uint64_t>(std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number);
    } else {
      return static_cast<std::uint64_t>(number);
    }
  };
  std::uint64_t hash = combine(seed_of_hashes, value_.index());
  std::visit(
      [&]<class Value>(const Value& value) {
        if constexpr (std::is_same_v<Value, const Text*>) {
          hash = combine(hash, value->hash);
        } else if constexpr (std::is_same_v<Value, std::string_view>) {
          hash = combine(hash, hash_of(value));
        } else if constexpr (std::is_arithmetic_v<Value>) {
          hash = combine(hash, hash_of_number(value));
        } else {
          for (const auto number : value) hash = combine(hash, hash_of_number(number));
        }
      },
      value_);
  for (const Argument& part : parts()) hash = combine(hash, part.hash());
  return hash;
}

void Argument::write(std::string& lines, const std::string& name) const {
  std::visit(
      [&]<class Value>(const Value& value) {
        if constexpr (std::is_same_v<Value, const Text*>) {
          for (std::string_view rest = value->lines; !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
            lines += name + std::string(rest.substr(0, end));
            rest.remove_prefix(end);
          }
        } else if constexpr (std::is_same_v<Value, bool>) {
          lines += fmt::format("{} = {}\n", name, value ? "not NULL" : "NULL");
        } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string_view>) {
          lines += fmt::format("{} = {}\n", name, value);
        } else {
          lines += fmt::format("{} = {}\n", name, fmt::join(value, " "));
        }
      },
      value_);
  const std::vector<Argument> all = parts();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_element = all[i].name_ == name_;
    all[i].write(lines, is_element ? fmt::format("{}[{}]", name, i) : fmt::format("{}.{}", name, all[i].name_));
  }
}

void Call::collect(const Argument& argument) {
  if (argument.object_ != nullptr) {
    objects_.push_back(argument);
    return;
  }
  for (const Argument& part : argument.parts()) collect(part);
}

Call::Call(const char* function, Arguments arguments, kaon_status& failure)
    : failure(failure), function_(function), arguments_(arguments), session_(running_session()) {
  for (const Argument& argument : arguments_) collect(argument);
  for (const Argument& given : objects_) {
    require_free(given.object_->use, given.changes_, given.name_);
    if (given.links_) require_free(*given.links_, given.changes_links_, given.name_, true);
  }
  for (const Argument& given : objects_) {
    mark(given.object_->use, given.changes_, function);
    if (given.links_) mark(*given.links_, given.changes_links_, function);
  }
}

Call::~Call() {
  try {
    for (const Argument& argument : arguments_) {
      if (Text* const made_by = argument.made_by_ != nullptr ? argument.made_by_(argument) : nullptr) {
        made_by->append(lines());
      }
    }
  } catch (...) {
    // There is no memory for a description. The next comparison finds that this process has none.
  }
  for (const Argument& given : objects_) {
    if (given.links_) unmark(*given.links_, given.changes_links_);
    const Object& object = *given.object_;
    object.changed = object.changed || given.changes_;
    unmark(object.use, given.changes_);
    if (object.destroy_after_use != nullptr && !object.use.any()) object.destroy_after_use(&object);
  }
}

std::string Call::lines(const Object* but_for) const {
  std::string lines = fmt::format("call = {}\n", function_);
  for (const Argument& argument : arguments_) {
    if (but_for == nullptr || argument.object_ != but_for) argument.write(lines, argument.name_);
  }
  return lines;
}

void Call::require_given() const {
  for (const Argument& argument : arguments_) {
    const bool* const is_given = std::get_if<bool>(&argument.value_);
    require(is_given == nullptr || *is_given || argument.may_be_null_,
            [&] { return fmt::format("{} is NULL", argument.name_); });
  }
}

Communicator Call::processes() const {
  bool has_null = false;
  for (const Argument& argument : arguments_) {
    if (argument.object_ != nullptr && argument.object_->place.processes.size() > 1) {
      return argument.object_->place.processes;
    }
    has_null = has_null || (argument.is_object_ && argument.object_ == nullptr);
  }
  // The others have an object where this process has NULL: they compare over the processes of the run, usually.
  return has_null ? processes_of_all_lattices() : Communicator();
}

void Call::compare(const Communicator& processes) const {
  if (processes.size() == 1) return;
  std::uint64_t hash = hash_of(function_);
  for (const Argument& argument : arguments_) hash = combine(hash, argument.hash());
  const auto high = static_cast<double>(hash >> 32), low = static_cast<double>(hash & 0xffffffff);
  std::array<double, 4> largest{high, -high, low, -low};
  processes.maximum(largest);
  if (largest[0] == -largest[1] && largest[2] == -largest[3]) return;
  const auto differing = kaon::detail::find_disagreement(processes, lines());
  if (!differing) throw Error("processes were given different arguments; give all the same");
  auto [first, other] = first_difference(differing->first, differing->other);
  const std::string_view name = first.substr(0, first.find(" = ") + 3);
  const bool same_call = name != "call = ";
  if (other.starts_with(name)) other.remove_prefix(name.size());
  if (!same_call) first.remove_prefix(name.size());
  throw Error(fmt::format("processes {}: {} (process 0) and {} (process {}); {} all the same",
                          same_call ? "were given different arguments" : "made different calls", first, other,
                          differing->process, same_call ? "give" : "make"));
}

}  // namespace kaon::capi
