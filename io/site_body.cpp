// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/site_body.hpp"
#include "io/collective.hpp"
#include "io/scidac.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/precision.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

namespace kaon::io {
namespace {

struct Count {
  double bad, all;
};

/// Numbers beyond `largest` or NaN, and all numbers, of all processes.
Count count_beyond(double largest, std::span<const std::complex<double>> values, const Communicator& communicator) {
  const auto bad = std::count_if(values.begin(), values.end(), [&](std::complex<double> z) {
    return !(std::abs(z.real()) <= largest && std::abs(z.imag()) <= largest);
  });
  std::array<double, 2> counts{static_cast<double>(bad), static_cast<double>(values.size())};
  communicator.sum(counts);
  return {counts[0], counts[1]};
}

/// Calls move(run, bytes of its sites, number of its first site) for the runs of a part, in order.
template <class Move>
void for_each_piece(const Part& part, std::size_t site_bytes, const Move& move) {
  std::size_t site = 0;
  std::vector<std::byte> piece;
  for_each_run(part, items_at_once(site_bytes), [&](const Run& run) {
    piece.resize(run.count * site_bytes);
    move(run, piece, site);
    site += run.count;
  });
}

}  // namespace

Checksum write_sites(OutputFile& file, std::uint64_t offset, const Part& part,
                     std::span<const std::complex<double>> values, const SiteNumbers& numbers, ChecksumKind kind) {
  Checksum checksum{.kind = kind};
  const auto real_bytes = static_cast<std::size_t>(numbers.bits / 8);
  together(part.communicator, [&] {
    for_each_piece(part, numbers.bytes(), [&](const Run& run, std::span<std::byte> piece, std::size_t site) {
      std::byte* to = piece.data();
      for (std::uint64_t k = 0; k < run.count; ++k) {
        const std::complex<double>* const from = &values[(site + k) * numbers.stride];
        for (const std::size_t place : numbers.places) {
          store_real(to, from[place].real(), numbers.bits, numbers.order);
          store_real(to + real_bytes, from[place].imag(), numbers.bits, numbers.order);
          to += 2 * real_bytes;
        }
      }
      checksum.add(run.first, piece, numbers.bytes(), numbers.order);
      file.write_own(offset + run.first * numbers.bytes(), piece);
    });
  });
  return combine(part.communicator, checksum);
}

Checksum read_sites(std::span<std::complex<double>> values, const InputFile& file, std::uint64_t offset,
                    const Part& part, const SiteNumbers& numbers, ChecksumKind kind) {
  Checksum checksum{.kind = kind};
  const auto real_bytes = static_cast<std::size_t>(numbers.bits / 8);
  together(file.communicator(), [&] {
    for_each_piece(part, numbers.bytes(), [&](const Run& run, std::span<std::byte> piece, std::size_t site) {
      file.read_own(piece, offset + run.first * numbers.bytes());
      checksum.add(run.first, piece, numbers.bytes(), numbers.order);
      const std::byte* from = piece.data();
      for (std::uint64_t k = 0; k < run.count; ++k) {
        std::complex<double>* const to = &values[(site + k) * numbers.stride];
        for (const std::size_t place : numbers.places) {
          to[place] = {load_real(from, numbers.bits, numbers.order),
                       load_real(from + real_bytes, numbers.bits, numbers.order)};
          from += 2 * real_bytes;
        }
      }
    });
  });
  return combine(file.communicator(), checksum);
}

Checksum write_scidac_body(OutputFile& file, LimeWriter& lime, std::string_view type, const Part& part,
                           std::span<const std::complex<double>> values, const SiteNumbers& numbers) {
  lime.begin(type, static_cast<std::uint64_t>(volume_of(part.extents)) * numbers.bytes());
  const Checksum checksum = write_sites(file, lime.reserve(), part, values, numbers);
  lime.end();
  write_scidac_checksum(lime, checksum);
  return checksum;
}

void require_storable(const std::filesystem::path& path, const Communicator& communicator,
                      std::span<const std::complex<double>> values, int bits) {
  const double largest = bits == 32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const auto [bad, all] = count_beyond(largest, values, communicator);
  require(bad == 0, [&, bad = bad, all = all] {
    return fmt::format("refusing to write {}: {:.0f} of its {:.0f} numbers are NaN, infinite or too large for {} bits",
                       path.string(), bad, all, bits);
  });
}

template <class T>
void require_representable(const std::filesystem::path& path, const Communicator& communicator,
                           std::span<const std::complex<double>> values) {
  if (std::is_same_v<T, double>) return;
  const auto [bad, all] = count_beyond(std::numeric_limits<float>::max(), values, communicator);
  require(bad == 0, [&, bad = bad, all = all] {
    return fmt::format("{}: {:.0f} of its {:.0f} numbers are too large for single precision: read it in double",
                       path.string(), bad, all);
  });
}
template void require_representable<double>(const std::filesystem::path&, const Communicator&,
                                            std::span<const std::complex<double>>);
template void require_representable<float>(const std::filesystem::path&, const Communicator&,
                                           std::span<const std::complex<double>>);
template void require_representable<half>(const std::filesystem::path&, const Communicator&,
                                          std::span<const std::complex<double>>);

void require_undamaged(const InputFile& file, std::span<const std::complex<double>> values, const Checksum& checksum,
                       const std::optional<Checksum>& stated) {
  require(!stated || *stated == checksum, [&] {
    return fmt::format(
        "{} is refused: wrong checksum: the file states {}, its body gives {} (damaged: get the file "
        "again)",
        file.path().string(), to_string(*stated), to_string(checksum));
  });
  const auto [bad, all] = count_beyond(std::numeric_limits<double>::max(), values, file.communicator());
  require(bad == 0, [&, bad = bad, all = all] {
    return fmt::format("{} is refused: {:.0f} of its {:.0f} numbers are NaN or infinite", file.path().string(), bad,
                       all);
  });
}

}  // namespace kaon::io
