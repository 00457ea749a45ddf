// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/reference/schur.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <type_traits>
#include <vector>

// Properties of each operator of the Wilson family. A `Case` has its own `make_operator`, `reference_parameters` and
// `describe`, which argument-dependent lookup finds.

namespace kaon::test {

inline constexpr SchurParameters schur_forms[] = {{SchurForm::symmetric, Parity::even},
                                                  {SchurForm::symmetric, Parity::odd},
                                                  {SchurForm::asymmetric, Parity::even},
                                                  {SchurForm::asymmetric, Parity::odd}};

/// M and M^dag are those of the slow reference.
template <class T, class Case>
void expect_reference(const std::vector<Case>& cases) {
  for (const Lattice& lattice : test_lattices()) {
    for (const Case& fermion : cases) {
      SCOPED_TRACE(describe(lattice, fermion));
      const GaugeField<T> links = random_links<T>(lattice);
      const auto dirac = make_operator<T>(links, fermion);
      const SpinorField<T> in = gaussian<T>(lattice, 2);
      SpinorField<T> out = dirac->make_field(2), adjoint = dirac->make_field(2);
      dirac->apply(out, in);
      adjointable(*dirac).apply_dagger(adjoint, in);

      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(fermion));
      for (int rhs = 0; rhs < 2; ++rhs) {
        EXPECT_LT(reference::relative_difference(out.to_host(rhs), slow.apply(in.to_host(rhs))), tolerance<T>);
        EXPECT_LT(reference::relative_difference(adjoint.to_host(rhs), slow.apply_dagger(in.to_host(rhs))),
                  tolerance<T>);
      }
    }
  }
}

/// All forms of a hop and the site term are those of the slow reference.
template <class T, class Case>
void expect_reference_hops(const std::vector<Case>& cases) {
  for (const Lattice& lattice : test_lattices()) {
    for (const Case& fermion : cases) {
      SCOPED_TRACE(describe(lattice, fermion));
      const GaugeField<T> links = random_links<T>(lattice);
      const auto dirac = make_operator<T>(links, fermion);
      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(fermion));
      const SpinorField<T> psi = gaussian<T>(lattice, 1);
      const reference::Spinor values = psi.to_host(), zero = reference::zero_spinor(lattice.extents());
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const int p = static_cast<int>(parity);
        const SpinorField<T> in = psi.parity(opposite(parity)), x = psi.parity(parity);
        const reference::Spinor x_values = reference::restrict_to_parity(values, p, lattice.extents());
        SpinorField<T> out(lattice, {.subset = subset_of(parity)});
        for (const bool dagger : {false, true}) {
          const reference::Spinor hop = reference::add(
              zero, 0.5, dagger ? slow.hop_dagger_to_parity(values, p) : slow.hop_to_parity(values, p));  // K = D/2
          const auto site = [&](const reference::Spinor& in) {
            return dagger ? slow.apply_diagonal_dagger(in) : slow.apply_diagonal(in);
          };
          const auto inverse = [&](const reference::Spinor& in) {
            return dagger ? slow.solve_diagonal_dagger(in) : slow.solve_diagonal(in);
          };
          const auto expect_out = [&](const reference::Spinor& expected) {
            EXPECT_LT(reference::relative_difference(out.to_host(), expected), tolerance<T>);
          };
          const auto expect = [&](const HopForm<T>& form, const reference::Spinor& expected) {
            dirac->hop(out, in, form);
            expect_out(expected);
          };
          const reference::Spinor site_x = site(x_values), inverse_hop = inverse(hop);
          expect({.scale = 0.7, .dagger = dagger}, reference::add(zero, 0.7, hop));
          expect({.scale = 0.7, .x = &x, .x_scale = -1.2, .dagger = dagger},
                 reference::add(reference::add(zero, -1.2, x_values), 0.7, hop));
          expect({.term = SiteTerm::diagonal, .scale = -1.0, .x = &x, .dagger = dagger},
                 reference::add(site_x, -1.0, hop));
          expect({.term = SiteTerm::inverse, .dagger = dagger}, inverse_hop);
          expect({.term = SiteTerm::inverse, .scale = -0.3, .x = &x, .x_scale = 2.0, .dagger = dagger},
                 reference::add(reference::add(zero, 2.0, x_values), -0.3, inverse_hop));
          dirac->apply_site_term(out, x, SiteTerm::diagonal, dagger);
          expect_out(site_x);
          dirac->apply_site_term(out, x, SiteTerm::inverse, dagger);
          expect_out(inverse(x_values));
        }
      }
    }
  }
}

/// |K| of K = D/2: eight terms, each of norm w; three quarters have the weight of space.
template <class Case>
double hop_norm(const Case& fermion) {
  return 2.0 + 6.0 * reference_parameters(fermion).hop_weight(0);
}

inline const std::vector<LinkStorage> wilson_storages =
    built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});

/// M and its Schur complements in the precision and storage of T are those in double, except for the rounding.
template <class T, class Case>
void expect_precision_of_storage(const std::vector<Case>& cases) {
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  for (const Case& fermion : cases) {
    const auto exact = make_operator<double>(random_links<double>(lattice), fermion);
    const SpinorField<double> psi = gaussian<double>(lattice, 1);
    const double size = hop_norm(fermion);
    for (const LinkStorage storage : wilson_storages) {
      SCOPED_TRACE(describe(lattice, fermion) + ", " + std::to_string(reals(storage)) + " reals");
      const auto stored = converted<T>(*exact, fermion, storage);
      // The error of a hop and its site term, whose blocks of 36 numbers are each wrong by eps times the largest.
      const double step =
          4.0 * size * (object_error<T>(24) + link_error<T>(storage) + arithmetic_error<T>() + 6.0 * rounding<T>());
      const auto compare = [&](const LinearOperator<double>& slow, const LinearOperator<T>& fast,
                               const SpinorField<double>& in, double steps) {
        SpinorField<double> expected = slow.make_field(1);
        SpinorField<T> found = fast.make_field(1);
        for (const bool dagger : {false, true}) {
          dagger ? adjointable(slow).apply_dagger(expected, in) : slow.apply(expected, in);
          dagger ? adjointable(fast).apply_dagger(found, in_precision<T>(in)) : fast.apply(found, in_precision<T>(in));
          const double error = distance(found, expected) / norm(in);
          EXPECT_LE(error, steps * step);
          EXPECT_TRUE((std::is_same_v<T, double>) || error > 1e-9) << "nothing was rounded";
        }
      };
      compare(*exact, *stored, psi, 2.0);
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<double> slow(*exact, {.form = form});
        const Schur<T> fast(*stored, {.form = form});
        const SpinorField<double> in = psi.parity(Parity::even);
        compare(slow, fast, in, 2.0 * size);
        compare(NormalOperator<double>(slow), NormalOperator<T>(fast), in, 4.0 * size * size);
      }
    }
  }
}

/// M on native lanes and with several right-hand sides is M on one lane with one.
template <class T, class Case>
void expect_the_same_in_lanes_and_batches(const std::vector<Case>& cases) {
  for (const Case& fermion : cases) {
    for (const LinkStorage storage : wilson_storages) {
      std::vector<std::vector<std::complex<double>>> results;
      for (const Lanes lanes : {Lanes::native, Lanes::single}) {
        const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
        const auto stored =
            converted<T>(*make_operator<double>(random_links<double>(lattice), fermion), fermion, storage);
        const SpinorField<T> in = in_precision<T>(gaussian<double>(lattice, 5));
        SpinorField<T> batched = stored->make_field(5), single = stored->make_field(1);
        stored->apply(batched, in);
        stored->apply(single, in.range(3, 1));
        expect_as_alone<T>(batched.to_host(3), single.to_host());
        results.push_back(single.to_host());
      }
      EXPECT_LE(reference::relative_difference(results[0], results[1]), 10.0 * rounding<T>());
    }
  }
}

/// g5 M g5 = M'^dag, M' of `turned` cases.
template <class T, class Case, class Turned = std::identity>
void expect_gamma5_hermiticity(const std::vector<Case>& cases, const Turned& turned = {}) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const Case& fermion : cases) {
    SCOPED_TRACE(describe(lattice, fermion));
    const GaugeField<T> links = random_links<T>(lattice);
    const SpinorField<T> in = gaussian<T>(lattice, 1);
    SpinorField<T> adjoint(lattice), flipped(lattice), out(lattice);
    adjointable(*make_operator<T>(links, turned(fermion))).apply_dagger(adjoint, in);
    const reference::SpinMatrix g5 = reference::gamma5();
    flipped.from_host(reference::multiply(g5, in.to_host()));
    make_operator<T>(links, fermion)->apply(out, flipped);
    EXPECT_LT(reference::relative_difference(reference::multiply(g5, out.to_host()), adjoint.to_host()), tolerance<T>);
  }
}

/// g M[U] psi = M[U^g] g psi.
template <class T, class Case>
void expect_gauge_covariance(const std::vector<Case>& cases) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  for (const Case& fermion : cases) {
    SCOPED_TRACE(describe(lattice, fermion));
    const GaugeTransformation g(lattice, RandomKey{.seed = 17});
    GaugeField<T> links = random_links<T>(lattice);
    SpinorField<T> psi = gaussian<T>(lattice, 1);
    SpinorField<T> first(lattice), second(lattice);
    make_operator<T>(links, fermion)->apply(first, psi);
    transform(first, g);  // g M[U] psi
    transform(links, g);
    transform(psi, g);
    make_operator<T>(links, fermion)->apply(second, psi);  // M[U^g] g psi
    EXPECT_LT(reference::relative_difference(first.to_host(), second.to_host()), tolerance<T>);
  }
}

/// In the free theory a plane wave in momentum p only mixes spins: M exp(ipx) v = exp(ipx) M(p) v.
template <class T, class Case>
void expect_free_plane_waves(const std::vector<Case>& cases) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  for (const Case& fermion : cases) {
    SCOPED_TRACE(describe(lattice, fermion));
    const GaugeField<T> links = unit_links<T>(lattice);
    const auto dirac = make_operator<T>(links, fermion);
    const reference::WilsonParameters parameters = reference_parameters(fermion);
    const auto p = reference::momentum({1, 2, 1, 3}, lattice.extents(), parameters);
    reference::SiteVector v{};
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] = {1.0 - 0.2 * static_cast<double>(k), 0.3 * static_cast<double>(k)};
    SpinorField<T> in(lattice), out(lattice);
    in.from_host(reference::plane_wave(p, v, lattice.extents()));
    dirac->apply(out, in);
    const reference::SiteVector mv = reference::multiply(reference::free_operator(p, parameters), v);
    EXPECT_LT(reference::relative_difference(out.to_host(), reference::plane_wave(p, mv, lattice.extents())),
              tolerance<T>);
  }
}

/// Right-hand sides of a group as each one alone.
template <class T, class Case>
void expect_the_same_alone(const std::vector<Case>& cases) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const Case& fermion : cases) {
    const auto dirac = make_operator<T>(random_links<T>(lattice), fermion);
    const SpinorField<T> in = gaussian<T>(lattice, 5);
    SpinorField<T> out(lattice, {.right_hand_sides = 5}), alone(lattice);
    for (const bool dagger : {false, true}) {
      dagger ? adjointable(*dirac).apply_dagger(out, in) : dirac->apply(out, in);
      for (int rhs = 0; rhs < 5; ++rhs) {
        dagger ? adjointable(*dirac).apply_dagger(alone, in.range(rhs, 1)) : dirac->apply(alone, in.range(rhs, 1));
        expect_as_alone<T>(out.to_host(rhs), alone.to_host());
      }
    }
  }
}

/// Schur complements, their adjoints and sources are those of the slow reference.
template <class T, class Case>
void expect_reference_schur(const std::vector<Case>& cases) {
  for (const Lattice& lattice : test_lattices()) {
    for (const Case& fermion : cases) {
      const GaugeField<T> links = random_links<T>(lattice);
      const auto dirac = make_operator<T>(links, fermion);
      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(fermion));
      const SpinorField<T> psi = gaussian<T>(lattice, 1);
      for (const SchurParameters& form : schur_forms) {
        SCOPED_TRACE(describe(lattice, fermion));
        const Schur<T> schur(*dirac, form);
        const int p = static_cast<int>(form.parity);
        const bool symmetric = form.form == SchurForm::symmetric;
        const SpinorField<T> in = psi.parity(form.parity);
        const reference::Spinor values = reference::restrict_to_parity(psi.to_host(), p, lattice.extents());
        SpinorField<T> out = schur.make_field(1);
        schur.apply(out, in);
        EXPECT_LT(
            reference::relative_difference(out.to_host(), symmetric ? reference::schur_symmetric(slow, values, p)
                                                                    : reference::schur_asymmetric(slow, values, p)),
            tolerance<T>);
        schur.apply_dagger(out, in);
        EXPECT_LT(reference::relative_difference(out.to_host(),
                                                 symmetric ? reference::schur_symmetric_dagger(slow, values, p)
                                                           : reference::schur_asymmetric_dagger(slow, values, p)),
                  tolerance<T>);
        schur.prepare(out, psi);
        EXPECT_LT(reference::relative_difference(
                      out.to_host(), symmetric ? reference::schur_symmetric_source(slow, psi.to_host(), p)
                                               : reference::schur_asymmetric_source(slow, psi.to_host(), p)),
                  tolerance<T>);
      }
    }
  }
}

// Operators on several slices.

template <class T>
double bound_of_slices() {
  return std::is_same_v<T, half> ? 30.0 * rounding<half>() : tolerance<detail::Arithmetic<T>>;
}

template <class T>
SpinorField<T> noise_for(const EvenOddOperator<T>& dirac, int right_hand_sides, Subset subset = Subset::full) {
  SpinorField<double> wide(dirac.lattice(), dirac.domain().on(subset).with_right_hand_sides(right_hand_sides));
  set_gaussian(wide, {.seed = 12});
  return in_precision<T>(wide);
}

/// A^-1 is the inverse of A, in place and not, and all forms of a hop are made up of K, A and A^-1.
template <class T>
void expect_hops_of_k_and_site_term(const EvenOddOperator<T>& dirac) {
  const SpinorField<T> in = noise_for(dirac, 2, Subset::odd);
  const SpinorField<T> x = noise_for(dirac, 2, Subset::even);
  const Lattice& lattice = dirac.lattice();
  SpinorField<T> hop(lattice, x.parameters()), out(lattice, x.parameters()), site(lattice, x.parameters());
  const auto combined = [](double a, const SpinorField<T>& left, double c, const SpinorField<T>& right, int rhs) {
    return reference::add(reference::add(reference::Spinor(left.to_host(rhs).size()), a, left.to_host(rhs)), c,
                          right.to_host(rhs));
  };
  const auto expect = [&](const auto& expected) {
    for (int rhs = 0; rhs < 2; ++rhs) {
      EXPECT_LT(reference::relative_difference(out.to_host(rhs), expected(rhs)), bound_of_slices<T>());
    }
  };
  for (const bool dagger : {false, true}) {
    dirac.hop(hop, in, {.dagger = dagger});
    dirac.apply_site_term(site, x, SiteTerm::diagonal, dagger);
    dirac.apply_site_term(out, site, SiteTerm::inverse, dagger);
    expect([&](int rhs) { return x.to_host(rhs); });
    dirac.hop(out, in, {.term = SiteTerm::diagonal, .scale = -0.7, .x = &x, .dagger = dagger});
    expect([&](int rhs) { return combined(1.0, site, -0.7, hop, rhs); });
    blas::copy(out, x);
    dirac.hop(out, in, {.term = SiteTerm::diagonal, .scale = -0.7, .x = &out, .dagger = dagger});
    expect([&](int rhs) { return combined(1.0, site, -0.7, hop, rhs); });
    blas::copy(site, hop);
    dirac.apply_site_term(site, site, SiteTerm::inverse, dagger);
    dirac.hop(out, in, {.term = SiteTerm::inverse, .scale = 0.4, .dagger = dagger});
    expect([&](int rhs) { return combined(0.0, x, 0.4, site, rhs); });
    blas::PendingReductions reduced;
    dirac.hop(
        out, in,
        {.term = SiteTerm::inverse, .scale = 0.4, .x = &x, .x_scale = -1.2, .dagger = dagger, .reduced = &reduced});
    expect([&](int rhs) { return combined(-1.2, x, 0.4, site, rhs); });
    for (std::size_t rhs = 0; rhs < 2; ++rhs) {
      EXPECT_NEAR(reduced.wait().y_norm2[rhs] / blas::norm2(out)[rhs], 1.0, bound_of_slices<T>());
    }
    blas::copy(out, x);
    dirac.hop(out, in, {.term = SiteTerm::inverse, .scale = 0.4, .x = &out, .x_scale = -1.2, .dagger = dagger});
    expect([&](int rhs) { return combined(-1.2, x, 0.4, site, rhs); });
  }
}

/// If x solves M x = b on all sites, its parity p solves the Schur system, whose adjoint is adjoint, and reconstruction
/// returns the other parity.
template <class T>
void expect_solution_in_schur(const EvenOddOperator<T>& dirac) {
  const SpinorField<T> x = noise_for(dirac, 2);
  SpinorField<T> b = dirac.make_field(2);
  dirac.apply(b, x);
  for (const SchurParameters& form : schur_forms) {
    const Schur<T> schur(dirac, form);
    SpinorField<T> source = schur.make_field(2), out = schur.make_field(2), rebuilt = dirac.make_field(2);
    schur.prepare(source, b);
    schur.apply(out, x.parity(form.parity));
    SpinorField<T> rebuilt_half = rebuilt.parity(form.parity);
    blas::copy(rebuilt_half, x.parity(form.parity));
    schur.reconstruct(rebuilt, b);
    SpinorField<T> adjoint = schur.make_field(2);
    schur.apply_dagger(adjoint, source);
    const blas::Complexes left = blas::inner_product(source, out), right = blas::inner_product(adjoint, rebuilt_half);
    for (int rhs = 0; rhs < 2; ++rhs) {
      const auto k = static_cast<std::size_t>(rhs);
      EXPECT_LT(reference::relative_difference(out.to_host(rhs), source.to_host(rhs)), tolerance<T>);
      EXPECT_LT(reference::relative_difference(rebuilt.to_host(rhs), x.to_host(rhs)), tolerance<T>);
      EXPECT_LT(std::abs(left[k] - right[k]), tolerance<T> * std::abs(left[k]));
    }
  }
}
template <class T, class Case>
void expect_solution_in_schur(const std::vector<Case>& cases) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const Case& fermion : cases) {
    SCOPED_TRACE(describe(lattice, fermion));
    expect_solution_in_schur<T>(*make_operator<T>(random_links<T>(lattice), fermion));
  }
}

template <template <class> class Dirac>
void expect_the_same_of_compressed_links(const Dirac<double>& dirac) {
  const SpinorField<double> in = noise_for(dirac, 3);
  SpinorField<double> out = dirac.make_field(3), compressed = dirac.make_field(3);
  dirac.apply(out, in);
  for (const LinkStorage storage : built({LinkStorage::two_rows, LinkStorage::minimal})) {
    Dirac<double>(dirac, storage).apply(compressed, in);
    EXPECT_LT(reference::relative_difference(compressed.to_host(2), out.to_host(2)), 1e-12);
  }
}

}  // namespace kaon::test
