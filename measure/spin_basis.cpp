// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/fields/field_checks.hpp"
#include "core/lattice/single_sites.hpp"
#include "gamma_matrices.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/measure/spin_basis.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using Number = std::complex<double>;
using detail::Complex;

constexpr std::size_t spins = 4;

/// V of psi_DR = V psi_basis.
SpinMatrix to_degrand_rossi(SpinBasis basis) {
  const double h = std::sqrt(0.5);
  const Number i(0.0, h);
  switch (basis) {
    case SpinBasis::dirac_pauli:  // (1/sqrt 2) [[s_2, -s_2], [s_2, s_2]]
      return {{{0.0, -i, 0.0, i}, {i, 0.0, -i, 0.0}, {0.0, -i, 0.0, -i}, {i, 0.0, i, 0.0}}};
    case SpinBasis::milc:  // (1/sqrt 2) [[i s_2, s_2], [i s_2, -s_2]]
      return {{{0.0, h, 0.0, -i}, {-h, 0.0, i, 0.0}, {0.0, h, 0.0, i}, {-h, 0.0, -i, 0.0}}};
    case SpinBasis::chiral:  // g_y = [[0, -i s_2], [i s_2, 0]]
      return {{{0.0, 0.0, 0.0, -1.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0, 0.0}}};
    case SpinBasis::ukqcd:  // (1/sqrt 2) [[s_2, s_2], [s_2, -s_2]]
      return {{{0.0, -i, 0.0, -i}, {i, 0.0, i, 0.0}, {0.0, -i, 0.0, i}, {i, 0.0, -i, 0.0}}};
    case SpinBasis::degrand_rossi:
      break;
  }
  return {{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}};
}

/// V on the host and in kernels.
struct Rotation {
  Complex<double> v[4][4];

  explicit Rotation(const BasisChange& change) {
    const SpinMatrix matrix = basis_rotation(change);
    for (std::size_t row = 0; row < spins; ++row) {
      for (std::size_t column = 0; column < spins; ++column) {
        v[row][column] = {matrix[row][column].real(), matrix[row][column].imag()};
      }
    }
  }

  /// psi = V psi
  KOKKOS_INLINE_FUNCTION void rotate(Complex<double> (&psi)[4]) const {
    Complex<double> result[4];
    for (int row = 0; row < 4; ++row) {
      result[row] = {0.0, 0.0};
      for (int column = 0; column < 4; ++column) multiply_add(result[row], v[row][column], psi[column]);
    }
    for (int row = 0; row < 4; ++row) psi[row] = result[row];
  }
  /// S = V S V^dag, S[sink][source]
  KOKKOS_INLINE_FUNCTION void rotate(Complex<double> (&s)[4][4]) const {
    for (int source = 0; source < 4; ++source) {
      Complex<double> column[4] = {s[0][source], s[1][source], s[2][source], s[3][source]};
      rotate(column);
      for (int sink = 0; sink < 4; ++sink) s[sink][source] = column[sink];
    }
    for (int sink = 0; sink < 4; ++sink) {
      Complex<double> row[4];  // of S^*: (S V^dag)^* = S^* V^T
      for (int source = 0; source < 4; ++source) row[source] = conj(s[sink][source]);
      rotate(row);
      for (int source = 0; source < 4; ++source) s[sink][source] = conj(row[source]);
    }
  }
};

/// psi(x) = V psi(x).
template <class T>
struct SpinorKernel {
  detail::SiteSpinor<T> psi;
  Rotation rotation;
  int colors;
  int slices;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!psi.holds(x)) return;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int slice = 0; slice < slices; ++slice) {
        for (int color = 0; color < colors; ++color) {
          const int first = 4 * colors * slice + color;
          Complex<double> v[4];
          for (int spin = 0; spin < 4; ++spin) v[spin] = psi.load(x, first + colors * spin, rhs);
          rotation.rotate(v);
          for (int spin = 0; spin < 4; ++spin) psi.store(v[spin], x, first + colors * spin, rhs);
        }
      }
    }
  }
};

/// psi_s(x) = gamma_5 psi_s(x) or gamma_5 psi_{L_s-1-s}(x): the lower spins change their sign.
template <class T>
struct Gamma5Kernel {
  detail::SiteSpinor<T> psi;
  int colors;
  int slices;
  int right_hand_sides;
  bool reflected;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!psi.holds(x)) return;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int slice = 0; slice < slices; ++slice) {
        const int other = reflected ? slices - 1 - slice : slice;
        if (other < slice) continue;
        for (int component = 0; component < 4 * colors; ++component) {
          const double sign = component < 2 * colors ? 1.0 : -1.0;
          const int here = 4 * colors * slice + component, there = 4 * colors * other + component;
          const Complex<double> value = psi.load(x, here, rhs);
          psi.store(sign * psi.load(x, there, rhs), x, here, rhs);
          if (there != here) psi.store(sign * value, x, there, rhs);
        }
      }
    }
  }
};

/// S(x) = V S(x) V^dag.
template <class T>
struct PropagatorKernel {
  detail::SiteSpinor<T> propagator;
  Rotation rotation;
  int colors;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!propagator.holds(x)) return;
    for (int pair = 0; pair < colors * colors; ++pair) {
      const int sink_color = pair / colors, source_color = pair % colors;
      Complex<double> s[4][4];
      for (int place = 0; place < 16; ++place) {
        s[place / 4][place % 4] =
            propagator.load(x, colors * (place / 4) + sink_color, colors * (place % 4) + source_color);
      }
      rotation.rotate(s);
      for (int place = 0; place < 16; ++place) {
        propagator.store(s[place / 4][place % 4], x, colors * (place / 4) + sink_color,
                         colors * (place % 4) + source_color);
      }
    }
  }
};

template <class T>
void require_spins(const SpinorField<T>& field, const char* what) {
  require(field.spins() == 4, [&] { return fmt::format("{} needs a field of 4 spins, not {}", what, field.spins()); });
}

template <class T>
void multiply_gamma5(SpinorField<T>& psi, bool reflected) {
  require_spins(psi, "gamma5");
  const Gamma5Kernel<T> kernel{detail::site_access(psi), psi.colors(), psi.slices(), psi.right_hand_sides(), reflected};
  detail::for_each_single_site<T>("kaon::apply_gamma5", psi.lattice(), kernel);
}

template <class T>
void multiply(SpinorField<T>& field, double factor) {
  blas::scale(field, factor);
}

void require_kappa(double kappa) {
  require(std::isfinite(kappa) && kappa > 0.0, [&] { return fmt::format("kappa must be positive, got {}", kappa); });
}

}  // namespace

SpinMatrix basis_rotation(const BasisChange& change) {
  return detail::spin_product(detail::adjoint(to_degrand_rossi(change.to)), to_degrand_rossi(change.from));
}

template <class T>
void change_spinor_basis(SpinorField<T>& psi, const BasisChange& change) {
  require_spins(psi, "a change of spin basis");
  detail::for_each_single_site<T>(
      "kaon::change_spinor_basis", psi.lattice(),
      SpinorKernel<T>{detail::site_access(psi), Rotation(change), psi.colors(), psi.slices(), psi.right_hand_sides()});
}

template <class T>
void change_propagator_basis(SpinorField<T>& propagator, const BasisChange& change) {
  detail::require_one_slice(propagator, "a change of spin basis");
  require_spins(propagator, "a change of spin basis");
  require(propagator.right_hand_sides() == propagator.components(), [&] {
    return fmt::format("a propagator has {} right-hand sides, one a component, not {}", propagator.components(),
                       propagator.right_hand_sides());
  });
  detail::for_each_single_site<T>(
      "kaon::change_propagator_basis", propagator.lattice(),
      PropagatorKernel<T>{detail::site_access(propagator), Rotation(change), propagator.colors()});
}

template <class T>
void apply_gamma5(SpinorField<T>& psi) {
  multiply_gamma5(psi, false);
}

template <class T>
void apply_reflected_gamma5(SpinorField<T>& psi) {
  multiply_gamma5(psi, true);
}

template <class T>
void from_kappa_normalization(SpinorField<T>& propagator, double kappa) {
  require_kappa(kappa);
  multiply(propagator, 2.0 * kappa);
}

template <class T>
void to_kappa_normalization(SpinorField<T>& propagator, double kappa) {
  require_kappa(kappa);
  multiply(propagator, 0.5 / kappa);
}

template void change_spinor_basis(SpinorField<double>&, const BasisChange&);
template void change_spinor_basis(SpinorField<float>&, const BasisChange&);
template void change_propagator_basis(SpinorField<double>&, const BasisChange&);
template void change_propagator_basis(SpinorField<float>&, const BasisChange&);
template void apply_gamma5(SpinorField<double>&);
template void apply_gamma5(SpinorField<float>&);
template void apply_reflected_gamma5(SpinorField<double>&);
template void apply_reflected_gamma5(SpinorField<float>&);

template void from_kappa_normalization(SpinorField<double>&, double);
template void from_kappa_normalization(SpinorField<float>&, double);
template void to_kappa_normalization(SpinorField<double>&, double);
template void to_kappa_normalization(SpinorField<float>&, double);

}  // namespace kaon
