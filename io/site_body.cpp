// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/site_body.hpp"
#include "io/collective.hpp"
#include "io/host_threads.hpp"
#include "io/scidac.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/precision.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <type_traits>

namespace kaon::io {
namespace {

struct Count {
  double bad, all;
};

/// Numbers beyond `largest` or NaN, and all numbers, of all processes.
Count count_beyond(double largest, std::span<const std::complex<double>> values, const Communicator& communicator) {
  const auto counts_of_pieces =
      for_pieces_on_threads<std::ptrdiff_t>(values.size(), 1 << 16, [&](auto begin, auto end) {
        return std::count_if(&values[begin], values.data() + end, [&](std::complex<double> z) {
          return !(std::abs(z.real()) <= largest && std::abs(z.imag()) <= largest);
        });
      });
  const auto bad = std::accumulate(counts_of_pieces.begin(), counts_of_pieces.end(), std::ptrdiff_t{0});
  std::array<double, 2> counts{static_cast<double>(bad), static_cast<double>(values.size())};
  communicator.sum(counts);
  return {counts[0], counts[1]};
}

/// Consecutive sites of a part and of a file.
struct Piece {
  Run run{};             ///< in the file
  std::size_t site = 0;  ///< the first one in the part
};

/// Calls move(piece, bytes, checksum) for the pieces of a part on all threads; returns the sum of their checksums.
template <class Move>
Checksum for_each_piece(const Part& part, std::size_t site_bytes, ChecksumKind kind, const Move& move) {
  std::vector<Piece> pieces;
  std::size_t site = 0;
  for_each_run(part, items_at_once(site_bytes), [&](const Run& run) {
    pieces.push_back({run, site});
    site += run.count;
  });
  std::vector<Checksum> checksums(pieces.size(), Checksum{.kind = kind});
  for_each_on_threads<std::vector<std::byte>>(pieces.size(), [&](std::size_t k, std::vector<std::byte>& bytes) {
    bytes.resize(pieces[k].run.count * site_bytes);
    move(pieces[k], std::span(bytes), checksums[k]);
  });
  Checksum checksum{.kind = kind};
  for (const Checksum& of_piece : checksums) checksum.combine(of_piece);
  return checksum;
}

/// Calls code(Real{}) with the type of a number of so many bits.
template <class Code>
void with_real(int bits, const Code& code) {
  if (bits == 32) {
    code(float{});
  } else {
    code(double{});
  }
}

}  // namespace

Checksum write_own_sites(OutputFile& file, std::uint64_t offset, const Part& part,
                         std::span<const std::complex<double>> values, const SiteNumbers& numbers, ChecksumKind kind) {
  return for_each_piece(part, numbers.bytes(), kind, [&](const Piece& piece, auto bytes, Checksum& of_piece) {
    const Run& run = piece.run;
    with_real(numbers.bits, [&]<class Real>(Real) {
      std::byte* to = bytes.data();
      for (std::uint64_t k = 0; k < run.count; ++k) {
        const std::complex<double>* const from = &values[(piece.site + k) * numbers.stride];
        for (const std::size_t place : numbers.places) {
          store(to, static_cast<Real>(from[place].real()), numbers.order);
          store(to + sizeof(Real), static_cast<Real>(from[place].imag()), numbers.order);
          to += 2 * sizeof(Real);
        }
      }
    });
    of_piece.add(run.first, bytes, numbers.bytes(), numbers.order);
    file.write_own(offset + run.first * numbers.bytes(), bytes);
  });
}

Checksum write_sites(OutputFile& file, std::uint64_t offset, const Part& part,
                     std::span<const std::complex<double>> values, const SiteNumbers& numbers, ChecksumKind kind) {
  Checksum checksum{};
  together(part.communicator, [&] { checksum = write_own_sites(file, offset, part, values, numbers, kind); });
  return combine(part.communicator, checksum);
}

void decode_sites(std::span<std::complex<double>> values, std::span<const std::byte> bytes,
                  const SiteNumbers& numbers) {
  with_real(numbers.bits, [&]<class Real>(Real) {
    const std::byte* from = bytes.data();
    const std::size_t real = numbers.imaginary_first ? sizeof(Real) : 0;
    const std::size_t count = bytes.size() / numbers.bytes();
    for (std::size_t site = 0; site < count; ++site) {
      std::complex<double>* const to = &values[site * numbers.stride];
      for (const std::size_t place : numbers.places) {
        to[place] = {load<Real>(from + real, numbers.order), load<Real>(from + sizeof(Real) - real, numbers.order)};
        from += 2 * sizeof(Real);
      }
    }
  });
}

Checksum read_sites(std::span<std::complex<double>> values, const InputFile& file, std::uint64_t offset,
                    const Part& part, const SiteNumbers& numbers, ChecksumKind kind) {
  Checksum checksum{.kind = kind};
  together(file.communicator(), [&] {
    checksum = for_each_piece(part, numbers.bytes(), kind, [&](const Piece& piece, auto bytes, Checksum& of_piece) {
      const Run& run = piece.run;
      file.read_own(bytes, offset + run.first * numbers.bytes());
      of_piece.add(run.first, bytes, numbers.bytes(), numbers.order);
      decode_sites(values.subspan(piece.site * numbers.stride), bytes, numbers);
    });
  });
  return combine(file.communicator(), checksum);
}

Checksum write_scidac_body(OutputFile& file, LimeWriter& lime, std::string_view type, const Part& part,
                           std::span<const std::complex<double>> values, const SiteNumbers& numbers) {
  lime.begin(type, static_cast<std::uint64_t>(volume_of(part.extents)) * numbers.bytes());
  const Checksum checksum = write_sites(file, lime.reserve(), part, values, numbers);
  finish_scidac_body(lime, checksum);
  return checksum;
}

void finish_scidac_body(LimeWriter& lime, const Checksum& checksum) {
  lime.end();
  write_scidac_checksum(lime, checksum);
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
