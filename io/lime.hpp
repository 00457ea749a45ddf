// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/input_file.hpp"
#include "io/output_file.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::io {

/// One record of a LIME file. Layout: a header of 144 bytes, big endian (u32 magic 0x456789AB, u16 version 1, u16
/// flags, u64 length, type in 128 bytes), then the payload, padded with zeros to a multiple of 8 bytes.
struct LimeRecord {
  std::string type;          ///< such as "ildg-binary-data"
  std::uint64_t offset = 0;  ///< of the payload, in bytes from the start of the file
  std::uint64_t length = 0;  ///< of the payload, without padding
  bool begins_message = false;
  bool ends_message = false;
};

/// Does the file start as a LIME file?
bool is_lime(const InputFile& file);

/// All records of the file, by their headers; throws for a truncated file, and for other bytes after the last record
/// than zeros, blanks and ends of lines.
std::vector<LimeRecord> lime_records(const InputFile& file);

/// Whether a text has only printable characters, blanks, tabs and ends of lines: readers take other records for
/// binary ones.
bool is_text(std::string_view text);

/// Texts of records are far shorter: longer records are no text.
constexpr std::uint64_t longest_text = 1 << 20;

/// The payload of a record as text, up to the first zero byte (many writers put one at the end). Throws for one that is
/// longer than `longest_text`.
std::string lime_text(const InputFile& file, const LimeRecord& record);

/// Which end of a message a record is: a message is a group of records.
struct MessagePlace {
  bool begins = false;
  bool ends = false;
};

/// Writes LIME records to a file: `add`, or `begin`, as many `write` as needed or one `reserve`, and `end`. All
/// processes of the file make the same calls.
class LimeWriter {
 public:
  explicit LimeWriter(OutputFile& file) : file_(file) {}

  /// Writes a whole record of text, without a final zero byte: strict parsers of XML refuse it. Throws for control
  /// characters (`is_text`).
  void add(std::string_view type, std::string_view text, MessagePlace place = {});

  /// Starts a record whose payload will have `length` bytes.
  void begin(std::string_view type, std::uint64_t length, MessagePlace place = {});
  void write(std::span<const std::byte> bytes);
  /// Leaves the whole payload to `OutputFile::write_own`; returns where in the file it starts.
  std::uint64_t reserve();

  /// Pads the record; throws unless exactly the announced bytes were written.
  void end();

 private:
  OutputFile& file_;
  std::uint64_t announced_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace kaon::io
