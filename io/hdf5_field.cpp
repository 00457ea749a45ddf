// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/hdf5_field.hpp"
#include "io/child_process.hpp"
#include "io/collective.hpp"
#include "io/hdf5_library.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace kaon::io {

bool is_hdf5(const InputFile& file) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::array<std::byte, signature.size()> start{};
  if (file.size() < start.size()) return false;
  file.read(start, 0);
  return std::ranges::equal(start, signature, {}, [](std::byte byte) { return std::to_integer<unsigned char>(byte); });
}

std::string describe(std::span<const Hdf5Field> fields) {
  std::string text;
  for (const Hdf5Field& field : fields) {
    text += fmt::format("{}{} [{}]{}", text.empty() ? "" : ", ", field.path,
                        fmt::join(field.extents.rbegin(), field.extents.rend(), "]["),
                        field.inner.empty() ? "" : fmt::format("[{}]", fmt::join(field.inner, "][")));
  }
  return text.empty() ? "none" : text;
}

#ifdef KAON_HAS_HDF5
namespace {

using hdf5::extents_of;
using hdf5::Handle;

/// Adds the extents of arrays in a type, and returns the type of an element.
Handle element_type(Handle type, std::vector<hsize_t>& extents) {
  while (type.valid() && H5Tget_class(type) == H5T_ARRAY) {
    std::vector<hsize_t> of_array(static_cast<std::size_t>(std::max(H5Tget_array_ndims(type), 0)));
    H5Tget_array_dims2(type, of_array.data());
    extents.insert(extents.end(), of_array.begin(), of_array.end());
    type = Handle(H5Tget_super(type), H5Tclose);
  }
  return type;
}

std::string name_of_member(hid_t type, unsigned member) {
  char* const stored = H5Tget_member_name(type, member);
  if (stored == nullptr) return {};
  const std::string name = stored;
  H5free_memory(stored);
  return name;
}

/// The type of the real numbers of a complex one; none if the type is not complex.
std::optional<Handle> real_type(hid_t type) {
#if H5_VERSION_GE(2, 0, 0)
  if (H5Tget_class(type) == H5T_COMPLEX) return Handle(H5Tget_super(type), H5Tclose);
#endif
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return std::nullopt;
  const std::pair names{name_of_member(type, 0), name_of_member(type, 1)};
  if (names != std::pair<std::string, std::string>("r", "i") &&
      names != std::pair<std::string, std::string>("re", "im") &&
      names != std::pair<std::string, std::string>("real", "imag")) {
    return std::nullopt;
  }
  Handle real(H5Tget_member_type(type, 0), H5Tclose);
  const Handle imaginary(H5Tget_member_type(type, 1), H5Tclose);
  const std::size_t size = H5Tget_size(real);
  const bool dense = H5Tget_member_offset(type, 0) == 0 && H5Tget_member_offset(type, 1) == size &&
                     H5Tget_size(type) == 2 * size && H5Tequal(real, imaginary) > 0;
  return dense ? std::optional(std::move(real)) : std::nullopt;
}

std::string text_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose),
      space(H5Aget_space(attribute), H5Sclose);
  constexpr std::size_t longest = 1 << 20;
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    const Handle wanted(H5Tcopy(type), H5Tclose);
    char* stored = nullptr;
    if (H5Aread(attribute, wanted, static_cast<void*>(&stored)) < 0 || stored == nullptr) return {};
    std::string text(stored, std::min(std::char_traits<char>::length(stored), longest));
    H5Dvlen_reclaim(wanted, space, H5P_DEFAULT, static_cast<void*>(&stored));
    return text;
  }
  if (H5Tget_size(type) > longest) return {};
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

std::optional<Checksum> checksum_of(hid_t set) {
  const auto number = [&](const char* name) -> std::optional<std::uint32_t> {
    const std::string text = text_of(set, name);
    if (text.empty() || text.size() > 8 || text.find_first_not_of("0123456789abcdefABCDEF") != text.npos) return {};
    return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
  };
  const auto sum29 = number("sum29"), sum31 = number("sum31");
  if (!sum29 || !sum31) return std::nullopt;
  return Checksum{.kind = ChecksumKind::pyquda, .first = *sum29, .second = *sum31};
}

/// The data set as a field; none if it is not one.
std::optional<Hdf5Field> field_of(const InputFile& input, hid_t file, const std::string& path) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) return std::nullopt;
  const Handle space(H5Dget_space(set), H5Sclose), properties(H5Dget_create_plist(set), H5Pclose);
  std::vector<hsize_t> extents = extents_of(space);
  const Handle type = element_type(Handle(H5Dget_type(set), H5Tclose), extents);
  const auto real = real_type(type);
  constexpr std::size_t most_indices = 16;
  constexpr hsize_t largest = 1 << 30;
  if (!real || extents.size() < 4 || extents.size() > most_indices) return std::nullopt;
  if (std::ranges::any_of(extents, [](hsize_t extent) { return extent < 1 || extent > largest; })) return std::nullopt;
  Hdf5Field field{.path = path};
  struct Known {
    hid_t type;
    int bits;
    ByteOrder order;
  };
  const Known all[] = {{H5T_IEEE_F64LE, 64, ByteOrder::little},
                       {H5T_IEEE_F32LE, 32, ByteOrder::little},
                       {H5T_IEEE_F64BE, 64, ByteOrder::big},
                       {H5T_IEEE_F32BE, 32, ByteOrder::big}};
  bool known = false;
  for (const Known& number : all) {
    if (H5Tequal(*real, number.type) <= 0) continue;
    known = true;
    field.bits = number.bits;
    field.order = number.order;
  }
  if (!known) return std::nullopt;
  for (std::size_t mu = 0; mu < 4; ++mu) field.extents[mu] = static_cast<int>(extents[3 - mu]);
  field.inner.assign(extents.begin() + 4, extents.end());
  field.checksum = checksum_of(set);
  const std::string group = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  const Handle above(H5Oopen(file, group.c_str(), H5P_DEFAULT), H5Oclose);
  for (const auto& [object, name] :
       {std::pair<hid_t, const char*>(above, "Annotation"), std::pair<hid_t, const char*>(set, "file_xml"),
        std::pair<hid_t, const char*>(set, "record_xml")}) {
    if (const std::string text = text_of(object, name); !text.empty()) field.texts.emplace_back(name, text);
  }
  if (H5Pget_layout(properties) == H5D_CONTIGUOUS && H5Pget_nfilters(properties) == 0 &&
      H5Pget_external_count(properties) == 0) {
    const haddr_t offset = H5Dget_offset(set);
    if (offset != HADDR_UNDEF) field.offset = offset;
  }
  // Memory for a field is provided only if the file can hold it; deflate compresses to a thousandth at best.
  const double most = static_cast<double>(input.size() - std::min(field.offset.value_or(0), input.size()));
  double bytes = field.bits / 4.0;
  for (const hsize_t extent : extents) bytes *= static_cast<double>(extent);
  require(bytes <= (H5Pget_nfilters(properties) > 0 ? 1100.0 : 1.0) * most, [&] {
    return fmt::format("{} is truncated or damaged: its data set {} should have {:.0f} bytes, but the file has {}",
                       input.path().string(), path, bytes, input.size());
  });
  return field;
}

herr_t add_path(hid_t, const char* name, const H5O_info_t* info, void* paths) {
  auto& found = *static_cast<std::vector<std::string>*>(paths);
  constexpr std::size_t most = 1 << 16;
  if (info->type == H5O_TYPE_DATASET && found.size() < most) found.push_back(fmt::format("/{}", name));
  return 0;
}

std::vector<std::string> paths_of_sets(hid_t file) {
  std::vector<std::string> paths;
#if H5_VERSION_GE(1, 12, 0)
  const auto add = [](hid_t group, const char* name, const H5O_info2_t* info, void* all) {
    H5O_info_t known{};
    known.type = info->type;
    return add_path(group, name, &known, all);
  };
  H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, add, &paths, H5O_INFO_BASIC);
#else
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add_path, &paths, H5O_INFO_BASIC);
#endif
  return paths;
}

nlohmann::json to_json(const Hdf5Field& field) {
  nlohmann::json json{{"path", field.path},
                      {"extents", field.extents},
                      {"inner", field.inner},
                      {"bits", field.bits},
                      {"big", field.order == ByteOrder::big},
                      {"texts", field.texts}};
  if (field.offset) json["offset"] = *field.offset;
  if (field.checksum) json["sums"] = {field.checksum->first, field.checksum->second};
  return json;
}

Hdf5Field from_json(const nlohmann::json& json) {
  Hdf5Field field{.path = json.at("path"),
                  .extents = json.at("extents").get<Coordinates>(),
                  .inner = json.at("inner").get<std::vector<int>>(),
                  .bits = json.at("bits"),
                  .order = json.at("big") ? ByteOrder::big : ByteOrder::little};
  for (const auto& one : json.at("texts")) field.texts.emplace_back(one.at(0), one.at(1));
  if (json.contains("offset")) field.offset = json.at("offset").get<std::uint64_t>();
  if (json.contains("sums")) {
    field.checksum =
        Checksum{.kind = ChecksumKind::pyquda, .first = json.at("sums").at(0), .second = json.at("sums").at(1)};
  }
  return field;
}

}  // namespace

std::vector<Hdf5Field> hdf5_fields(const InputFile& file) {
  using nlohmann::json;
  constexpr double most_seconds = 2.0;
  const auto find = [&](const ChildProcess::Send& send) {
    json all = json::array();
    const Handle opened = hdf5::open_file(file);
    for (const std::string& path : paths_of_sets(opened)) {
      if (const auto field = field_of(file, opened, path)) all.push_back(to_json(*field));
    }
    const std::string text = all.dump(-1, ' ', false, json::error_handler_t::replace);
    send(std::as_bytes(std::span(text)));
  };
  std::string text;
  together(file.communicator(), [&] {
    if (file.communicator().rank() == 0)
      text = ChildProcess(file.path(), hdf5::library_name(), most_seconds, find).receive_all();
  });
  std::vector<Hdf5Field> fields;
  for (const json& one : json::parse(broadcast(file.communicator(), text))) fields.push_back(from_json(one));
  return fields;
}

#else

std::vector<Hdf5Field> hdf5_fields(const InputFile& file) { hdf5::refuse(file.path()); }

#endif

}  // namespace kaon::io
