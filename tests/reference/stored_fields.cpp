// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "stored_fields.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

static_assert(std::endian::native == std::endian::little);

namespace kaon::reference {
namespace {

std::vector<char> read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect(bool condition, const std::filesystem::path& path, const char* what) {
  if (!condition) throw std::runtime_error(path.string() + ": " + what);
}

template <class T>
T little_endian(const std::vector<char>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
T big_endian(const std::vector<char>& bytes, std::size_t offset) {
  std::array<char, sizeof(T)> reversed;
  for (std::size_t k = 0; k < sizeof(T); ++k) reversed[k] = bytes[offset + sizeof(T) - 1 - k];
  return std::bit_cast<T>(reversed);
}

std::size_t number_of_links(const Coordinates& extents) {
  return static_cast<std::size_t>(directions * volume_of(extents));
}

}  // namespace

std::vector<Complex> read_scidac_single(const std::filesystem::path& path, std::size_t numbers) {
  constexpr std::size_t header_size = 144;
  const std::vector<char> bytes = read_all(path);
  std::size_t offset = 0;
  while (offset + header_size <= bytes.size()) {
    expect(big_endian<std::uint32_t>(bytes, offset) == 0x456789ABu, path, "not a LIME file");
    const auto length = static_cast<std::size_t>(big_endian<std::uint64_t>(bytes, offset + 8));
    const std::string type(bytes.data() + offset + 16);
    offset += header_size;
    if (type == "scidac-binary-data") {
      std::vector<Complex> values(numbers);
      expect(length == 8 * numbers && offset + length <= bytes.size(), path, "unexpected size");
      for (std::size_t k = 0; k < numbers; ++k)
        values[k] = {big_endian<float>(bytes, offset + 8 * k), big_endian<float>(bytes, offset + 8 * k + 4)};
      return values;
    }
    offset += (length + 7) / 8 * 8;
  }
  throw std::runtime_error(path.string() + ": no scidac-binary-data");
}

Links read_milc(const std::filesystem::path& path, const Coordinates& extents) {
  constexpr std::size_t header_size = 96;
  const std::vector<char> bytes = read_all(path);
  Links links(9 * number_of_links(extents));
  expect(bytes.size() == header_size + 8 * links.size(), path, "unexpected size");
  expect(little_endian<std::int32_t>(bytes, 0) == 20103, path, "not a little-endian MILC v5 file");
  for (std::size_t mu = 0; mu < directions; ++mu)
    expect(little_endian<std::int32_t>(bytes, 4 + 4 * mu) == extents[mu], path, "unexpected extents");
  for (std::size_t k = 0; k < links.size(); ++k)
    links[k] = {little_endian<float>(bytes, header_size + 8 * k), little_endian<float>(bytes, header_size + 8 * k + 4)};
  return links;
}

Propagator read_unrotated_milc_propagator(const std::filesystem::path& path, const Coordinates& extents) {
  constexpr std::size_t header_size = 36;
  const std::vector<char> bytes = read_all(path);
  Propagator propagator(site_components, zero_spinor(extents));
  expect(bytes.size() == header_size + 8 * site_components * propagator[0].size(), path, "unexpected size");
  std::size_t position = header_size;
  for_each_site(extents, [&](const Coordinates& x) {
    for (Spinor& column : propagator)
      for (std::size_t k = 0; k < site_components; ++k) {
        column[spinor_offset(x, extents) + k] = {little_endian<float>(bytes, position),
                                                 little_endian<float>(bytes, position + 4)};
        position += 8;
      }
  });
  return propagator;
}

}  // namespace kaon::reference
