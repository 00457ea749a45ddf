// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "operators/checks.hpp"
#include "operators/domain_wall/sliced_hop.hpp"
#include "operators/wilson/separate_site_term.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/domain_wall.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using Numbers = std::vector<std::complex<double>>;

/// The parameters of each slice, and d = 1 + 3 nu/xi_0 - M5.
struct Slices {
  Numbers b, c;
  double d = 0.0;

  explicit Slices(const DomainWallParameters& parameters) : b(parameters.b_of_slices), c(parameters.c_of_slices) {
    const auto count = static_cast<std::size_t>(parameters.slices);
    if (b.empty()) b.assign(count, parameters.b);
    if (c.empty()) c.assign(count, parameters.c);
    d = detail::hop_sum(parameters.anisotropy) - parameters.m5;
  }
  std::size_t count() const { return b.size(); }

  /// A matrix whose numbers u, k, p and q on each slice are those of `of(b_s, c_s)`.
  template <class Of>
  detail::SliceNumbers numbers(const Of& of) const {
    detail::SliceNumbers numbers;
    for (std::size_t s = 0; s < count(); ++s) {
      const std::array<std::complex<double>, 4> row = of(b[s], c[s]);
      numbers.u.push_back(row[0]);
      numbers.k.push_back(row[1]);
      numbers.p.push_back(row[2]);
      numbers.q.push_back(row[3]);
    }
    return numbers;
  }
};

/// Above that the numbers of its matrices alone would take seconds and memory before any field is refused.
constexpr int most_slices = 1 << 16;

}  // namespace

void check_parameters(const DomainWallParameters& p) {
  detail::require_parameter(p.slices >= 1, "slices", [&] {
    return fmt::format("a domain wall operator has at least one slice, not {}", p.slices);
  });
  detail::require_parameter(p.slices <= most_slices, "slices", [&] {
    constexpr double bytes = 12 * sizeof(std::complex<double>);  // of a site on a slice
    return fmt::format("a domain wall operator of {} slices: {} are possible, and one field takes {:.3g} kB a site",
                       p.slices, most_slices, 1e-3 * bytes * p.slices);
  });
  const std::size_t of_b = p.b_of_slices.size(), of_c = p.c_of_slices.size();
  for (const auto& [name, count] : {std::pair("b", of_b), std::pair("c", of_c)}) {
    detail::require_parameter(count == 0 || count == static_cast<std::size_t>(p.slices), name, [&] {
      return fmt::format("{} numbers b and {} numbers c were given for {} slices: give one for every slice, or none",
                         of_b, of_c, p.slices);
    });
  }
  bool finite = std::isfinite(p.mass) && std::isfinite(p.lower_mass.value_or(0.0)) && std::isfinite(p.m5) &&
                std::isfinite(p.b) && std::isfinite(p.c);
  for (const Numbers* numbers : {&p.b_of_slices, &p.c_of_slices}) {
    for (const std::complex<double>& z : *numbers)
      finite = finite && std::isfinite(z.real()) && std::isfinite(z.imag());
  }
  detail::require_parameter(finite, "mass", [&] {
    return fmt::format("mass {}, M5 {}, b {} and c {} of a domain wall operator must be numbers", p.mass, p.m5, p.b,
                       p.c);
  });
  detail::require_parameter(p.m5 > 0.0, "m5", [&] {
    return fmt::format(
        "M5 = {} of a domain wall operator is not positive: no quark is bound to its walls (QUDA's m5 has the other "
        "sign)",
        p.m5);
  });
  const Slices slices(p);
  for (std::size_t s = 0; s < slices.count(); ++s) {
    detail::require_parameter(slices.b[s] != 0.0, "b",
                              [&] { return fmt::format("b of slice {} is zero: B = b + c S has no inverse", s); });
    detail::require_parameter(slices.b[s] * slices.d != -1.0, "m5", [&] {
      return fmt::format("b (4 - M5) + 1 of slice {} is zero: the even-odd forms divide by it", s);
    });
  }
}

template <class T>
DomainWall<T>::DomainWall(const GaugeField<T>& links, const DomainWallParameters& parameters, HaloPrecision halo)
    : WilsonLike<T>(links, parameters.anisotropy, parameters.boundary, halo), parameters_(parameters) {
  check_parameters(parameters);
  const Slices slices(parameters);
  const double d = slices.d;
  using Complex = std::complex<double>;
  using Row = std::array<Complex, 4>;  // u, k, p, q
  const detail::SliceMasses masses{parameters.mass, parameters.lower_mass.value_or(parameters.mass)};
  const auto make = [&masses](const char* name, const detail::SliceNumbers& numbers) {
    return std::make_shared<const detail::SliceMatrix<T>>(name, numbers, masses);
  };
  b_ = make("B", slices.numbers([](Complex b, Complex c) { return Row{1.0, 0.0, b, c}; }));
  b_inverse_ = make("B", slices.numbers([](Complex b, Complex c) { return Row{1.0 / b, -c / b, 1.0, 0.0}; }));
  // A = (b d + 1) + (c d - 1) S, A' = A B^-1
  site_term_ = make("B", slices.numbers([d](Complex b, Complex c) {
    return Row{1.0 / b, -c / b, b * d + 1.0, c * d - 1.0};
  }));
  site_term_inverse_ = make("A", slices.numbers([d](Complex b, Complex c) {
    return Row{1.0 / (b * d + 1.0), (1.0 - c * d) / (1.0 + b * d), b, c};
  }));
}

template <class T>
void DomainWall<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  require(out.slices() == parameters_.slices, [&] {
    return fmt::format("a domain wall operator of {} slices was given a field of {}", parameters_.slices, out.slices());
  });
  const detail::SliceMatrix<T>& matrix = form.term == SiteTerm::inverse ? *site_term_inverse_ : *site_term_;
  const auto apply = [&](SpinorField<T>& to, const SpinorField<T>& from, const SpinorField<T>* x, double x_scale) {
    matrix.apply(to, from, form.dagger, 1.0, x, x_scale);
  };
  const auto hop_then_matrix = [&](SpinorField<T>& to, const HopForm<T>& of_hop) {
    detail::hop_with_separate_term(this->hopping(), to, in, of_hop, apply);
  };
  if constexpr (on_device) {
    detail::hop_through_slices<T>(this->hopping(), out, in, form, matrix, hop_then_matrix);
  } else {
    hop_then_matrix(out, form);
  }
}

template <class T>
void DomainWall<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const {
  detail::require_site_term_fields(this->lattice(), out, in, term, this->domain());
  (term == SiteTerm::inverse ? site_term_inverse_ : site_term_)->apply(out, in, dagger);
}

template <class T>
void DomainWall<T>::apply_b(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const {
  b_->apply(out, in, dagger);
}

template <class T>
void DomainWall<T>::apply_b_inverse(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const {
  b_inverse_->apply(out, in, dagger);
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> DomainWall<T>::on_blocks(const Coordinates& block) const {
  return std::make_unique<DomainWall>(detail::cut_links(this->links(), block), parameters_);
}

template <class T>
typename WilsonLike<T>::SiteCost DomainWall<T>::site_cost(SiteTerm) const {
  return {.flops = site_term_->flops()};
}

template class DomainWall<double>;
template class DomainWall<float>;
template class DomainWall<half>;

}  // namespace kaon
