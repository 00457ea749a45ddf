// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gpt_format.hpp"
#include "io/header_text.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

// gpt (lib/gpt/core/io/lime_io) states the grid, [4,4,4,6];double;full, the number n of objects at a site and their
// type with its checkerboard, ot_matrix_spin_color(4,3);none.

namespace kaon::io {
namespace {

/// The whole numbers between two brackets; nothing if there are others or none.
std::vector<int> numbers_between(std::string_view text, char open, char close) {
  const auto begin = std::min(text.find(open), text.size()), end = std::min(text.find(close, begin), text.size());
  if (end <= begin + 1) return {};
  std::string list(text.substr(begin + 1, end - begin - 1));
  std::replace(list.begin(), list.end(), ',', ' ');
  std::vector<int> numbers;
  for (const std::string_view word : words(list)) {
    const auto number = number_of<int>(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

GptFormat gpt_format(const Xml& xml) {
  const std::string grid = xml.first("grid"), type = xml.first("otype");
  const auto refuse = [&] {
    return fmt::format("{} is {}, which is not a grid of four extents with all sites, [8,8,8,16];double;full",
                       xml.place_of("grid"), excerpt(grid));
  };
  GptFormat out{.extents = {}, .info = {.datatype = type.substr(0, type.find(';'))}};
  const std::vector<int> extents = numbers_between(grid, '[', ']');
  require(extents.size() == out.extents.size() && (grid.ends_with(";double;full") || grid.ends_with(";single;full")),
          refuse);
  std::copy(extents.begin(), extents.end(), out.extents.begin());
  const bool is_single = grid.ends_with(";single;full");

  const std::string& name = out.info.datatype;
  const std::vector<int> sizes = numbers_between(name, '(', ')');
  constexpr int most = 1024;
  const bool is_known = (sizes.size() == 1 || sizes.size() == 2) &&
                        std::all_of(sizes.begin(), sizes.end(), [](int size) { return size > 0 && size <= most; });
  SciDacRecordInfo& info = out.info;
  info.precision = is_single ? 'F' : 'D';
  info.datacount = xml.integer("n");
  // gpt reverses eight bytes at once, in single precision too.
  info.imaginary_first = is_single;
  if (!is_known) return out;
  info.colors = sizes.back();
  info.spins = sizes.size() == 2 ? sizes.front() : 1;
  const int components = info.spins * info.colors, complex_bytes = is_single ? 8 : 16;
  const std::int64_t bytes =
      static_cast<std::int64_t>(complex_bytes) * components * (name.starts_with("ot_matrix") ? components : 1);
  info.typesize = bytes <= (1 << 30) ? static_cast<int>(bytes) : 0;
  return out;
}

}  // namespace kaon::io
