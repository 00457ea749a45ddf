// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"
#include "capi/solver_options.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

using namespace kaon::capi;

namespace {

kaon::EigenvectorParameters parameters_of(const kaon_eigenvector_options& given) {
  kaon::EigenvectorParameters parameters{
      .count = given.count, .tolerance = given.tolerance, .max_restarts = given.max_restarts, .seed = given.seed};
  if (given.basis != 0) parameters.basis = given.basis;
  if (given.filter_degree != 0) {
    parameters.filter = kaon::ChebyshevFilter{.degree = given.filter_degree, .lower = given.filter_lower};
    if (!std::isnan(given.filter_upper)) parameters.filter->upper = given.filter_upper;
  }
  return parameters;
}

/// Calls body(A) with the Hermitian operator A of `dirac`, and returns its result.
template <class T, class Body>
auto with_matrix(const kaon::EvenOddOperator<T>& dirac, bool even_sites, const Body& body) {
  if (!even_sites) return body(kaon::NormalOperator<T>(dirac));
  if (const auto normal = dirac.normal_system(kaon::Parity::even)) return body(*normal);
  return body(kaon::NormalOperator<T>(kaon::Schur<T>(dirac)));
}

/// 4 m^2 of staggered operators.
template <class T>
std::optional<double> milc_shift_of(const kaon::EvenOddOperator<T>& dirac) {
  const auto* staggered = dynamic_cast<const kaon::StaggeredLike<T>*>(&dirac);
  if (staggered == nullptr) return std::nullopt;
  return 4.0 * staggered->mass() * staggered->mass();
}

/// Whether `even_sites` of a caller means even sites.
bool means_even_sites(const kaon_operator& dirac, int even_sites) {
  kaon::require(even_sites >= -1 && even_sites <= 1,
                [&] { return fmt::format("even_sites = {} is none of -1, 0 and 1", even_sites); });
  return even_sites < 0 ? kind_of(dirac) == kaon::OperatorKind::staggered : even_sites == 1;
}

/// Calls body(eigenvectors) with them in their precision.
template <class Body>
void with_eigenvectors(const kaon_eigenvectors* eigenvectors, const Body& body) {
  std::visit([&](const auto& found) { body(*found); }, eigenvectors->found);
}

template <class T>
bool on_even_sites(const kaon::Eigenvectors<T>& found) {
  return found.vectors.front().subset() == kaon::Subset::even;
}

}  // namespace

extern "C" {

void kaon_eigenvector_options_init(kaon_eigenvector_options* options) {
  if (options == nullptr) return;
  const kaon::EigenvectorParameters defaults;
  constexpr double unset = std::numeric_limits<double>::quiet_NaN();
  *options = {sizeof(kaon_eigenvector_options),
              defaults.count,
              -1,
              0,
              defaults.tolerance,
              defaults.max_restarts,
              0,
              unset,
              unset,
              defaults.seed};
}

kaon_status kaon_eigenvectors_find(const kaon_operator* dirac, const kaon_eigenvector_options* options,
                                   kaon_eigenvectors** eigenvectors) {
  const Arguments arguments{{"dirac", dirac}, {"options", options, or_defaults}, {"eigenvectors", eigenvectors}};
  return collective(__func__, arguments, [&](Call& call) {
    const kaon_operator& of = current(dirac);
    const kaon_eigenvector_options& given = options_or_defaults(options);
    const bool even_sites = means_even_sites(of, given.even_sites);
    const auto find = [&]<class T>(const kaon_operator::In<T>& in) {
      const auto found = std::make_shared<const kaon::Eigenvectors<T>>(with_matrix(
          *in.dirac, even_sites, [&](const auto& a) { return kaon::find_eigenvectors<T>(a, parameters_of(given)); }));
      *eigenvectors = new kaon_eigenvectors{of.place, found, milc_shift_of(*in.dirac)};
      call.failure = KAON_NOT_CONVERGED;
      kaon::require(found->converged && found->complete, [&] {
        return fmt::format(
            "some of {} eigenvectors {} the tolerance {:.1e} after {} restarts: give a filter, a larger basis or more "
            "restarts",
            given.count, found->converged ? "may be missing, though those found reach" : "miss", given.tolerance,
            given.max_restarts);
      });
    };
    std::visit(find, of.in);
  });
}

kaon_status kaon_eigenvectors_get(const kaon_eigenvectors* eigenvectors, kaon_eigenvectors_info* info, double* values,
                                  double* residuals) {
  return call(__func__, {{"eigenvectors", eigenvectors}}, [&] {
    with_eigenvectors(eigenvectors, [&](const auto& found) {
      if (info != nullptr) {
        *info = {static_cast<int>(found.vectors.size()),
                 found.converged ? 1 : 0,
                 found.restarts,
                 on_even_sites(found) ? 1 : 0,
                 static_cast<double>(found.applications),
                 {}};
      }
      if (values != nullptr) std::copy(found.values.begin(), found.values.end(), values);
      if (residuals != nullptr) std::copy(found.residuals.begin(), found.residuals.end(), residuals);
    });
  });
}

kaon_status kaon_eigenvectors_copy(const kaon_eigenvectors* eigenvectors, int number, kaon_spinor* spinor,
                                   int right_hand_side) {
  return call(__func__, {{"eigenvectors", eigenvectors}, {"spinor", spinor}}, [&] {
    with_eigenvectors(eigenvectors, [&]<class T>(const kaon::Eigenvectors<T>& found) {
      auto& field = in_precision<T>(spinor->field, "spinor");
      const int count = static_cast<int>(found.vectors.size());
      kaon::require(number >= 0 && number < count,
                    [&] { return fmt::format("eigenvector {} of {}: they begin with 0", number, count); });
      kaon::require(right_hand_side >= 0 && right_hand_side < field.right_hand_sides(), [&] {
        return fmt::format("right-hand side {} of a field with {}", right_hand_side, field.right_hand_sides());
      });
      const kaon::SpinorField<T>& vector = found.vectors[static_cast<std::size_t>(number)];
      kaon::SpinorField<T> out = field.range(right_hand_side, 1);
      kaon::require(
          out.lattice() == vector.lattice() && out.spins() == vector.spins() && out.colors() == vector.colors() &&
              out.slices() == vector.slices(),
          [&] {
            return fmt::format(
                "the field has {} spins, {} colours and {} slices, the eigenvectors {}, {} and {}, or it is on another "
                "lattice",
                out.spins(), out.colors(), out.slices(), vector.spins(), vector.colors(), vector.slices());
          });
      if (on_even_sites(found)) {
        kaon::blas::copy(out.parity(kaon::Parity::even), vector);
        kaon::blas::set_zero(out.parity(kaon::Parity::odd));
      } else {
        kaon::blas::copy(out, vector);
      }
    });
  });
}

kaon_status kaon_eigenvectors_save(const kaon_eigenvectors* eigenvectors, const char* path, int bits, int format) {
  const Arguments arguments{{"eigenvectors", eigenvectors}, {"path", path}, {"bits", bits}, {"format", format}};
  return collective(__func__, arguments, [&](Call& call) {
    kaon::require(bits == 64 || bits == 32, [&] { return fmt::format("bits = {} is neither 64 nor 32", bits); });
    kaon::require(format >= KAON_VECTORS_SCIDAC && format <= KAON_VECTORS_MILC_PACKED,
                  [&] { return fmt::format("format = {} is none of KAON_VECTORS_SCIDAC and others", format); });
    call.failure = KAON_FILE;
    with_eigenvectors(eigenvectors, [&]<class T>(const kaon::Eigenvectors<T>& found) {
      kaon::write_eigenvectors<T>(path, found,
                                  {.bits = bits,
                                   .quda = format == KAON_VECTORS_QUDA,
                                   .milc_packed = format == KAON_VECTORS_MILC_PACKED,
                                   .milc_shift = eigenvectors->milc_shift});
    });
  });
}

kaon_status kaon_eigenvectors_load(const kaon_operator* dirac, const char* path, int even_sites,
                                   kaon_eigenvectors** eigenvectors) {
  const Arguments arguments{
      {"dirac", dirac}, {"path", path}, {"even_sites", even_sites}, {"eigenvectors", eigenvectors}};
  return collective(__func__, arguments, [&](Call& call) {
    const kaon_operator& of = current(dirac);
    const bool even = means_even_sites(of, even_sites);
    call.failure = KAON_FILE;
    std::visit(
        [&]<class T>(const kaon_operator::In<T>& in) {
          const auto found = std::make_shared<const kaon::Eigenvectors<T>>(
              with_matrix(*in.dirac, even, [&](const auto& a) { return kaon::read_eigenvectors<T>(path, a); }));
          *eigenvectors = new kaon_eigenvectors{of.place, found, milc_shift_of(*in.dirac)};
        },
        of.in);
  });
}

void kaon_eigenvectors_destroy(kaon_eigenvectors** eigenvectors) { destroy(eigenvectors); }
}
