// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/slice_numbers.hpp"

#include "apps/cli/command.hpp"

#include <fmt/format.h>

#include <complex>
#include <exception>
#include <vector>

namespace kaon::apps {
namespace {

using Numbers = std::vector<std::complex<double>>;

/// "1.5", or "1.46+0.2i,0.73-0.1i".
Numbers parse_complex_numbers(const std::string& option, const std::string& text) {
  Numbers numbers;
  for (const std::string& word : split(text)) {
    const auto part = [&](const std::string& digits) {
      try {
        return parse_numbers(option, digits).at(0);
      } catch (const std::exception&) {
        throw usage_error(fmt::format("{}: '{}' is no finite number, such as 1.5, 1.46+0.2i or -1i", option, word));
      }
    };
    if (!word.ends_with('i')) {
      numbers.emplace_back(part(word));
      continue;
    }
    std::size_t sign = word.find_last_of("+-");
    while (sign != std::string::npos && sign > 0 && (word[sign - 1] == 'e' || word[sign - 1] == 'E')) {
      sign = word.find_last_of("+-", sign - 1);
    }
    const std::size_t real = sign == std::string::npos ? 0 : sign;
    numbers.emplace_back(real > 0 ? part(word.substr(0, real)) : 0.0, part(word.substr(real, word.size() - real - 1)));
  }
  if (numbers.empty() || text.ends_with(',')) throw usage_error(fmt::format("{}: '{}' lacks a number", option, text));
  return numbers;
}

/// One real number for all slices, or a complex number for each.
void set_numbers(const std::string& option, const std::string& text, int slices, double& one, Numbers& of_slices) {
  const Numbers numbers = parse_complex_numbers(option, text);
  for (const std::complex<double>& number : numbers) require_range(option, std::abs(number));
  if (numbers.size() == 1 && numbers[0].imag() == 0.0) {
    one = numbers[0].real();
    return;
  }
  if (numbers.size() != static_cast<std::size_t>(slices)) {
    throw usage_error(
        fmt::format("{}: '{}' is neither a real number nor one number for each of {} slices: "
                    "1.1-0.2i,0.9+0.1i,...",
                    option, text, slices));
  }
  of_slices = numbers;
}

}  // namespace

void set_slice_numbers(const QuarkOptions& quark, FermionParameters& parameters) {
  set_numbers("--b", quark.b, parameters.slices, parameters.b, parameters.b_of_slices);
  for (const std::complex<double>& b :
       parameters.b_of_slices.empty() ? Numbers{parameters.b} : parameters.b_of_slices) {
    if (b != 0.0) require_range("--b", 1.0 / std::abs(b), {}, fmt::format("1/{} = ", std::abs(b)));
  }
  set_numbers("--c", quark.c, parameters.slices, parameters.c, parameters.c_of_slices);
}

}  // namespace kaon::apps
