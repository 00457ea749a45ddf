// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/site_body.hpp"

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

}  // namespace

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
