// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "core/lattice/agreement.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kaon::io {
namespace {

/// The message of an error without the place in the source, which the new one adds.
std::string without_place(const std::string& message) {
  return message.ends_with(']') ? message.substr(0, message.rfind(" [")) : message;
}

}  // namespace

void throw_together(const Communicator& communicator, const std::optional<std::string>& problem) {
  const int size = communicator.size();
  const std::optional<int> process = communicator.first(problem.has_value());
  if (!process) return;
  const double failed = communicator.sum(problem ? 1.0 : 0.0);
  std::string message = without_place(broadcast(communicator, problem.value_or(""), *process));
  if (failed == size && size > 1) {
    message += fmt::format(" (on all {} processes)", size);
  } else if (failed > 1) {
    message += fmt::format(" (on {} of {} processes, this is process {})", failed, size, *process);
  } else if (size > 1) {
    message += fmt::format(" (on process {} of {})", *process, size);
  }
  throw Error(message);
}

std::string broadcast(const Communicator& communicator, const std::string& text, int root) {
  return kaon::detail::broadcast_text(communicator, text, root);
}

Checksum combine(const Communicator& communicator, const Checksum& part) {
  Checksum whole = part;
  if (part.kind == ChecksumKind::nersc) {
    const double sum = communicator.sum(part.first);  // exact for up to 2^21 processes
    whole.first = static_cast<std::uint32_t>(std::fmod(sum, 4294967296.0));
  } else {
    std::array<std::uint64_t, 2> bits{part.first, part.second};
    communicator.exclusive_or(bits);
    whole.first = static_cast<std::uint32_t>(bits[0]);
    whole.second = static_cast<std::uint32_t>(bits[1]);
  }
  return whole;
}

void ExactSum::add(std::uint64_t high, std::uint64_t low) {
  low_ += low;
  high_ += high + (low_ < low ? 1 : 0);
}

void ExactSum::add(double term) {
  if (!(std::abs(term) <= 0x1p20)) {
    too_large_ = true;
  } else if (std::abs(term) < 8) {
    const auto whole = static_cast<std::int64_t>(term * 0x1p60);
    add(whole < 0 ? ~std::uint64_t{0} : 0, static_cast<std::uint64_t>(whole));
  } else {  // a multiple of 2^-49, so that the following is exact
    const double high = std::floor(term / 16);
    add(static_cast<std::uint64_t>(static_cast<std::int64_t>(high)),
        static_cast<std::uint64_t>((term - 16 * high) * 0x1p60));
  }
}

void ExactSum::add(const ExactSum& other) {
  add(other.high_, other.low_);
  too_large_ = too_large_ || other.too_large_;
}

double ExactSum::total(const Communicator& communicator) const {
  // Digits to the base 2^32: their sums are exact for up to 2^21 processes.
  constexpr std::uint64_t base = std::uint64_t{1} << 32;
  std::array<double, 5> digits{static_cast<double>(low_ % base), static_cast<double>(low_ / base),
                               static_cast<double>(high_ % base), static_cast<double>(high_ / base),
                               too_large_ ? 1.0 : 0.0};
  communicator.sum(digits);
  if (digits[4] > 0) return std::numeric_limits<double>::quiet_NaN();
  std::uint64_t whole[4];
  for (std::size_t k = 0; k < 4; ++k) whole[k] = static_cast<std::uint64_t>(digits[k]);
  ExactSum sum;
  sum.add(0, whole[0]);
  sum.add(whole[1] >> 32, whole[1] << 32);
  sum.add(whole[2], 0);
  sum.add(whole[3] << 32, 0);
  return static_cast<double>(static_cast<std::int64_t>(sum.high_)) * 16 + static_cast<double>(sum.low_) * 0x1p-60;
}

}  // namespace kaon::io
