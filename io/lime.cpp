// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/lime.hpp"
#include "io/bytes.hpp"
#include "io/header_text.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace kaon::io {
namespace {

constexpr std::uint32_t lime_magic = 0x456789AB;
constexpr std::size_t lime_header_bytes = 144;
constexpr std::size_t type_offset = 16;
constexpr std::size_t type_bytes = 128;
constexpr std::uint16_t begin_flag = 0x8000;
constexpr std::uint16_t end_flag = 0x4000;
using LimeHeader = std::array<std::byte, lime_header_bytes>;

constexpr std::uint64_t padding(std::uint64_t length) { return (8 - length % 8) % 8; }

/// Are all bytes from `at` on zeros, blanks and ends of lines, which editors and transfers append?
bool is_padding(const InputFile& file, std::uint64_t at) {
  if (file.size() - at > longest_text) return false;
  const std::string rest = file.text(at, file.size() - at);
  return std::all_of(rest.begin(), rest.end(), is_blank);
}

}  // namespace

bool is_lime(const InputFile& file) {
  std::array<std::byte, 4> start{};
  if (file.size() < start.size()) return false;
  file.read(start, 0);
  return load<std::uint32_t>(start.data(), ByteOrder::big) == lime_magic;
}

std::vector<LimeRecord> lime_records(const InputFile& file) {
  std::vector<LimeRecord> records;
  const std::uint64_t size = file.size();
  std::uint64_t at = 0;
  while (at < size) {
    const auto after = [&] {
      return records.empty() ? std::string("at its start") : "after the record " + records.back().type;
    };
    LimeHeader header{};
    file.read(std::span(header).first(std::min<std::size_t>(size - at, 4)), at);
    if (load<std::uint32_t>(header.data(), ByteOrder::big) != lime_magic) {
      require(is_padding(file, at), [&] {
        return fmt::format("{} is too long or damaged: the {} bytes {} are no LIME record", file.path().string(),
                           size - at, after());
      });
      break;
    }
    require(size - at >= lime_header_bytes, [&] {
      return fmt::format("{} is truncated: a LIME record header of {} bytes starts at byte {}, but the file has {}",
                         file.path().string(), lime_header_bytes, at, size);
    });
    file.read(header, at);
    const char* name = reinterpret_cast<const char*>(header.data()) + type_offset;
    const auto flags = load<std::uint16_t>(header.data() + 6, ByteOrder::big);
    LimeRecord record{.type = std::string(name, std::find(name, name + type_bytes, '\0')),
                      .offset = at + lime_header_bytes,
                      .length = load<std::uint64_t>(header.data() + 8, ByteOrder::big),
                      .begins_message = (flags & begin_flag) != 0,
                      .ends_message = (flags & end_flag) != 0};
    require(record.length <= size - record.offset, [&] {
      return fmt::format(
          "{} is truncated: its LIME record {} should have {} bytes from byte {} on, but the file has {}",
          file.path().string(), record.type, record.length, record.offset, size);
    });
    // Some writers leave out the padding of the last record.
    at = std::min(record.offset + record.length + padding(record.length), size);
    records.push_back(std::move(record));
  }
  return records;
}

bool is_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' && c != '\r';
  });
}

std::string lime_text(const InputFile& file, const LimeRecord& record) {
  require(record.length <= longest_text, [&] {
    return fmt::format("{}: its LIME record {} has {} bytes, more than the {} that a text may have",
                       file.path().string(), record.type, record.length, longest_text);
  });
  std::string text = file.text(record.offset, record.length);
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

void LimeWriter::add(std::string_view type, std::string_view text, MessagePlace place) {
  require(is_text(text), [&] {
    return fmt::format("cannot write {}: its record {} would be a text with control characters", file_.path().string(),
                       type);
  });
  begin(type, text.size(), place);
  write(std::as_bytes(std::span(text)));
  end();
}

void LimeWriter::begin(std::string_view type, std::uint64_t length, MessagePlace place) {
  require(type.size() < type_bytes, "the type of a LIME record has at most 127 characters");
  LimeHeader header{};
  const int flags = (place.begins ? begin_flag : 0) | (place.ends ? end_flag : 0);
  store(header.data(), lime_magic, ByteOrder::big);
  store(header.data() + 4, std::uint16_t{1}, ByteOrder::big);
  store(header.data() + 6, static_cast<std::uint16_t>(flags), ByteOrder::big);
  store(header.data() + 8, length, ByteOrder::big);
  std::memcpy(header.data() + type_offset, type.data(), type.size());
  file_.write(header);
  announced_ = length;
  written_ = 0;
}

void LimeWriter::write(std::span<const std::byte> bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

std::uint64_t LimeWriter::reserve() {
  written_ = announced_;
  return file_.reserve(announced_);
}

void LimeWriter::end() {
  require(written_ == announced_, [&] {
    return fmt::format("{}: a LIME record announced with {} bytes got {}", file_.path().string(), announced_, written_);
  });
  const std::array<std::byte, 8> zeros{};
  file_.write(std::span(zeros).first(static_cast<std::size_t>(padding(announced_))));
}

}  // namespace kaon::io
