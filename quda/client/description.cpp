// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/description.hpp"

#include "quda/client/parameters.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon::quda {

ArrayView GaugeDescription::view(void* pointer) const {
  require(pointer != nullptr, "the pointer to links is NULL");
  ArrayView view{.element = element,
                 .sites = SiteOrder::even_odd,
                 .inside = transposed ? InsideOrder::column_row : InsideOrder::row_column,
                 .site_bytes = site_bytes,
                 .planes = planes};
  if (one_array_per_direction) {
    for (std::size_t mu = 0; mu < 4; ++mu) view.parts[mu] = static_cast<void**>(pointer)[mu];
  } else {
    view.data = static_cast<char*>(pointer) + offset_bytes;
  }
  return view;
}

ConstArrayView SpinorDescription::in(const void* pointer) const {
  return {.data = pointer, .element = element, .sites = sites, .inside = inside, .planes = planes};
}

ArrayView SpinorDescription::out(void* pointer) const {
  return {.data = pointer, .element = element, .sites = sites, .inside = inside, .planes = planes};
}

std::string OperatorDescription::key() const {
  std::string key = fmt::format("{} {:a} {:a} {:a} {:a} {:a}", static_cast<int>(quark.action), kappa, rho[0], rho[1],
                                b_mass, quark.lower_mass.value_or(quark.mass));
  for (const FermionParameter& parameter : family_parameters) {
    if (parameter.name != "kappa") key += fmt::format(" {:a}", parameter.get(quark));  // a mass below -4 has none
  }
  for (const auto* numbers : {&quark.b_of_slices, &quark.c_of_slices}) {
    for (const std::complex<double>& z : *numbers) key += fmt::format(" {:a} {:a}", z.real(), z.imag());
  }
  return key;
}

double MatrixDescription::factor_of(double kappa) const {
  if (normalization == Normalization::kappa) return 1.0;
  // One factor for each A that the matrix holds: the symmetric normalisation counts both parities.
  const int powers = (normalization == Normalization::mass && one_parity ? 2 : 1) * (normal ? 2 : 1);
  return std::pow(2.0 * kappa, powers);
}

double MatrixDescription::result_factor() const {
  return normalization == Normalization::kappa ? 1.0 : factor_of(needed(of.kappa_of_client, "kappa"));
}

}  // namespace kaon::quda
