// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/spinors/packed_vectors.hpp"
#include "io/bytes.hpp"
#include "io/collective.hpp"
#include "io/host_threads.hpp"

#include <vector>

namespace kaon::io {
namespace {

constexpr std::size_t colors_of_site = 3;

/// Calls visit(number within the slice, even site) for the sites of a packed time slice.
template <class Visit>
void for_each_packed_site(const Coordinates& extents, int slice, const Visit& visit) {
  std::size_t number = 0;
  for (int z = 0; z < extents[2]; ++z) {
    for (int y = 0; y < extents[1]; ++y) {
      for (int x = 0; x < extents[0]; ++x, ++number) {
        const bool in_place = (x + y + z + slice) % 2 == 0;
        visit(number,
              in_place ? Coordinates{x, y, z, slice} : Coordinates{(x + 1) % extents[0], y, z, slice + extents[3] / 2});
      }
    }
  }
}

std::size_t slice_sites(const Coordinates& extents) {
  return static_cast<std::size_t>(volume_of(extents) / extents[3]);
}

bool is_in_slices(const Part& part, int slice) {
  return slice >= part.origin[3] && slice < part.origin[3] + part.local_extents[3];
}

}  // namespace

bool can_be_packed(const Coordinates& extents) { return extents[0] % 2 == 0 && extents[3] % 4 == 0; }

Checksum read_packed(std::span<std::complex<double>> values, const InputFile& file, std::uint64_t offset,
                     const Part& part, int bits) {
  const auto slices = static_cast<std::size_t>(part.extents[3] / 2), sites = slice_sites(part.extents);
  const auto real = static_cast<std::size_t>(bits / 8), site_bytes = 2 * colors_of_site * real;
  const auto processes = static_cast<std::size_t>(file.communicator().size()),
             rank = static_cast<std::size_t>(file.communicator().rank());
  Checksum checksum{.kind = ChecksumKind::scidac};
  together(file.communicator(), [&] {
    std::vector<Checksum> checksums(slices, checksum);
    for_each_on_threads<std::vector<std::byte>>(slices, [&](std::size_t k, std::vector<std::byte>& bytes) {
      const int slice = static_cast<int>(k);
      const bool is_summed = k % processes == rank;  // by one process
      if (!is_summed && !is_in_slices(part, slice) && !is_in_slices(part, slice + part.extents[3] / 2)) return;
      bytes.resize(sites * site_bytes);
      file.read_own(bytes, offset + k * sites * site_bytes);
      if (is_summed) checksums[k].add(k * sites, bytes, site_bytes, ByteOrder::big);
      for_each_packed_site(part.extents, slice, [&](std::size_t number, const Coordinates& site) {
        if (!part.holds(site)) return;
        const std::byte* from = bytes.data() + number * site_bytes;
        std::complex<double>* const to = &values[colors_of_site * static_cast<std::size_t>(part.local_index(site))];
        for (std::size_t color = 0; color < colors_of_site; ++color, from += 2 * real) {
          to[color] = {load_real(from, bits, ByteOrder::big), load_real(from + real, bits, ByteOrder::big)};
        }
      });
    });
    for (const Checksum& of_slice : checksums) checksum.combine(of_slice);
  });
  return combine(file.communicator(), checksum);
}

Checksum write_packed(OutputFile& file, std::uint64_t offset, const Part& part,
                      std::span<const std::complex<double>> values, int bits) {
  const auto slices = static_cast<std::size_t>(part.extents[3] / 2), sites = slice_sites(part.extents);
  const auto real = static_cast<std::size_t>(bits / 8), site_bytes = 2 * colors_of_site * real;
  const auto processes = static_cast<std::size_t>(part.communicator.size()),
             rank = static_cast<std::size_t>(part.communicator.rank());
  Checksum checksum{.kind = ChecksumKind::scidac};
  std::vector<double> numbers;
  std::vector<std::byte> bytes(sites * site_bytes);
  for (std::size_t k = 0; k < slices; ++k) {
    // Both halves of the lattice have sites of the slice: their sum collects them.
    numbers.assign(2 * colors_of_site * sites, 0.0);
    for_each_packed_site(part.extents, static_cast<int>(k), [&](std::size_t number, const Coordinates& site) {
      if (!part.holds(site)) return;
      const std::complex<double>* const from =
          &values[colors_of_site * static_cast<std::size_t>(part.local_index(site))];
      for (std::size_t color = 0; color < colors_of_site; ++color) {
        numbers[2 * (colors_of_site * number + color)] = from[color].real();
        numbers[2 * (colors_of_site * number + color) + 1] = from[color].imag();
      }
    });
    part.communicator.sum(numbers);
    together(part.communicator, [&] {
      if (k % processes != rank) return;
      for (std::size_t n = 0; n < numbers.size(); ++n) {
        store_real(bytes.data() + n * real, numbers[n], bits, ByteOrder::big);
      }
      checksum.add(k * sites, bytes, site_bytes, ByteOrder::big);
      file.write_own(offset + k * sites * site_bytes, bytes);
    });
  }
  return combine(part.communicator, checksum);
}

}  // namespace kaon::io
