// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/staggered/fat_links.hpp"
#include "hmc/pseudofermions.hpp"
#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/staggered_force.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/operators/staggered.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kaon {
namespace {

const char* name_of(StaggeredLinks links) {
  return links == StaggeredLinks::naive ? "naive" : links == StaggeredLinks::asqtad ? "asqtad" : "HISQ";
}

/// f(x) = prod_i (x + 4 m_i^2)^(-N_i/4)
std::vector<PowerFactor> factors_of(const StaggeredPseudofermion& pseudofermion) {
  std::vector<PowerFactor> factors;
  for (const auto& [mass, flavors] : pseudofermion.quarks) {
    require(std::isfinite(mass) && mass > 0.0 && std::isfinite(flavors), [&] {
      return fmt::format("{} staggered flavours of mass {}: masses above 0 are possible", flavors, mass);
    });
    factors.push_back({-0.25 * flavors, 4.0 * mass * mass});
  }
  return factors;
}

SpinorParameters field_parameters(Subset subset, int right_hand_sides) {
  return {.spins = 1, .subset = subset, .right_hand_sides = right_hand_sides};
}

constexpr auto normal_system = []<class T>(const Ref<EvenOddOperator<T>>& full) {
  return detail::system_of(full, {.method = KrylovMethod::cg});
};

}  // namespace

std::vector<StaggeredPseudofermion> split_pseudofermion(const StaggeredPseudofermion& whole) {
  constexpr double too_many = 4.0;
  double most = 0.0;
  for (const StaggeredFlavors& quark : whole.quarks) most = std::max(most, std::abs(quark.flavors));
  constexpr double possible = 1e6;
  require(most < possible, [&] {
    return fmt::format("{} staggered flavours of a determinant: fewer than {} are possible", most, possible);
  });
  const int count = static_cast<int>(most / too_many) + 1;
  StaggeredPseudofermion part = whole;
  for (StaggeredFlavors& quark : part.quarks) quark.flavors /= count;
  return std::vector<StaggeredPseudofermion>(static_cast<std::size_t>(count), part);
}

RationalStaggeredParameters staggered_parameters(const FermionParameters& quarks, const SolveOptions& solver) {
  const BoundaryAngles& angles = quarks.boundary;
  require(angles == antiperiodic_in_time || angles == periodic, [&] {
    return fmt::format(
        "the boundary ({}): staggered quarks of hybrid Monte Carlo are periodic in space, and periodic or "
        "antiperiodic in time",
        fmt::join(angles, ", "));
  });
  const bool is_asqtad = quarks.action == FermionAction::asqtad, is_hisq = quarks.action == FermionAction::hisq;
  return {.links = is_hisq     ? StaggeredLinks::hisq
                   : is_asqtad ? StaggeredLinks::asqtad
                               : StaggeredLinks::naive,
          .u0 = is_asqtad ? quarks.u0 : 1.0,
          .antiperiodic = angles == antiperiodic_in_time,
          .solver = solver};
}

RationalStaggeredAction::RationalStaggeredAction(std::vector<StaggeredPseudofermion> pseudofermions,
                                                 const RationalStaggeredParameters& parameters)
    : pseudofermions_(std::move(pseudofermions)), parameters_(parameters) {
  require(!pseudofermions_.empty(), "staggered quarks need at least one pseudofermion");
  detail::require_usable(parameters_.solver);
  for (const StaggeredPseudofermion& pseudofermion : pseudofermions_) {
    const double epsilon = pseudofermion.naik_epsilon;
    require(std::isfinite(epsilon) && (epsilon == 0.0 || parameters.links == StaggeredLinks::hisq),
            [&] { return fmt::format("{} quarks with a Naik epsilon of {}", name_of(parameters.links), epsilon); });
    if (pseudofermion.solver) detail::require_usable(*pseudofermion.solver);
    const std::vector<PowerFactor> factors = factors_of(pseudofermion);
    functions_.push_back(pseudofermion.functions
                             ? *pseudofermion.functions
                             : rational_functions(factors, {0.0, parameters.largest_eigenvalue}, parameters.errors));
    const auto known = std::find(naik_epsilons_.begin(), naik_epsilons_.end(), epsilon);
    group_.push_back(static_cast<std::size_t>(known - naik_epsilons_.begin()));
    if (known == naik_epsilons_.end()) naik_epsilons_.push_back(epsilon);
  }
}

std::string RationalStaggeredAction::name() const {
  std::string text = fmt::format("{} quarks", name_of(parameters_.links));
  const char* between = ": ";
  for (const StaggeredPseudofermion& pseudofermion : pseudofermions_) {
    for (const auto& [mass, flavors] : pseudofermion.quarks) {
      text += fmt::format("{}{} of mass {}", between, flavors, mass);
      between = ", ";
    }
    between = "; ";
  }
  return text;
}

void RationalStaggeredAction::begin(const GaugeField<double>& links) {
  detail::make_on(links_, links, [&](const GaugeField<double>& own) {
    massless_.clear();
    const BoundaryAngles boundary = parameters_.antiperiodic ? antiperiodic_in_time : periodic;
    std::vector<ImprovedLinks> improved;
    if (parameters_.links == StaggeredLinks::hisq) {
      improved = hisq_links(own, naik_epsilons_);
    } else if (parameters_.links == StaggeredLinks::asqtad) {
      improved.push_back(asqtad_links(own, parameters_.u0));
    } else {
      massless_.emplace_back(Staggered<double>(own, {.boundary = boundary}));
    }
    for (const ImprovedLinks& of : improved) {
      massless_.emplace_back(
          ImprovedStaggered<double>(of.fat, of.third, {.third_weight = of.third_weight, .boundary = boundary}));
    }
  });
}

const SolveOptions& RationalStaggeredAction::solver(std::size_t k) const {
  return pseudofermions_[k].solver ? *pseudofermions_[k].solver : parameters_.solver;
}

SpinorField<double> RationalStaggeredAction::apply(std::size_t k, const PartialFractions& r,
                                                   const SpinorField<double>& psi) {
  return detail::RationalSolves{massless_[group_[k]], solver(k), iterations_, normal_system}.apply(r, psi);
}

double RationalStaggeredAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  SpinorField<double> eta(links.lattice(), field_parameters(Subset::even, static_cast<int>(pseudofermions_.size())));
  set_gaussian(eta, key);
  return draw_from(links, eta);
}

double RationalStaggeredAction::draw_from(const GaugeField<double>& links, const SpinorField<double>& eta) {
  const SpinorParameters expected = field_parameters(Subset::even, static_cast<int>(pseudofermions_.size()));
  require(eta.lattice() == links.lattice() && eta.parameters() == expected, [&] {
    return fmt::format("{} staggered pseudofermions are as many right-hand sides on the even sites, without spin",
                       expected.right_hand_sides);
  });
  begin(links);
  SpinorField<double> phi(eta.lattice(), expected);
  double norm2 = 0.0;
  bool best = true;
  for (std::size_t k = 0; k < pseudofermions_.size(); ++k) {
    const SpinorField<double> eta_k = eta.right_hand_side(k);
    if (k == 0) require_range(eta_k);
    blas::copy(phi.right_hand_side(k), apply(k, functions_[k].draw, eta_k));
    norm2 += blas::norm2(eta_k)[0];
    best = best && !pseudofermions_[k].functions;
  }
  phi_.emplace(std::move(phi));
  return best ? norm2 : value(links);
}

void RationalStaggeredAction::require_range(const SpinorField<double>& start) const {
  for (const Quark<double>& dirac : massless_) {
    const auto normal = dirac->normal_system(Parity::even);
    const double largest = detail::spectrum_ends(*normal, start).largest;
    if (largest <= parameters_.largest_eigenvalue) continue;
    throw SolveError(
        fmt::format("-D^2 of {} quarks has an eigenvalue of at least {:.6g}, but {} is the largest one allowed by the "
                    "range of the rational functions: raise `largest_eigenvalue`",
                    name_of(parameters_.links), largest, parameters_.largest_eigenvalue));
  }
}

double RationalStaggeredAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  double sum = 0.0;
  for (std::size_t k = 0; k < pseudofermions_.size(); ++k) {
    sum += blas::norm2(apply(k, functions_[k].value, phi.right_hand_side(k)))[0];
  }
  return sum;
}

SpinorField<double> RationalStaggeredAction::force_vectors(std::size_t group) {
  const SpinorField<double>& phi = pseudofermions();
  std::size_t count = 0;
  for (std::size_t k = 0; k < group_.size(); ++k) count += group_[k] == group ? functions_[k].force.shifts.size() : 0;
  SpinorField<double> vectors(phi.lattice(), field_parameters(Subset::full, static_cast<int>(count)));
  std::size_t first = 0;
  for (std::size_t k = 0; k < group_.size(); ++k) {
    if (group_[k] != group) continue;
    const PartialFractions& r = functions_[k].force;
    std::vector<SpinorField<double>> x;
    for (std::size_t i = 0; i < r.shifts.size(); ++i) {
      x.push_back(vectors.right_hand_side(first++).parity(Parity::even));
    }
    const detail::RationalSolves solves{massless_[group], solver(k), iterations_, normal_system};
    solves.solve(x, r.shifts, phi.right_hand_side(k), solver(k).force_tolerance);
  }
  SpinorField<double> odd = vectors.parity(Parity::odd);
  massless_[group]->hop(odd, vectors.parity(Parity::even), {.scale = -1.0});  // K = -D
  return vectors;
}

void RationalStaggeredAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  begin_after_draw(links);
  std::vector<SpinorField<double>> vectors;
  std::vector<std::vector<double>> residues(naik_epsilons_.size());
  for (std::size_t k = 0; k < group_.size(); ++k) {
    const std::vector<double>& of = functions_[k].force.residues;
    residues[group_[k]].insert(residues[group_[k]].end(), of.begin(), of.end());
  }
  for (std::size_t group = 0; group < naik_epsilons_.size(); ++group) vectors.push_back(force_vectors(group));
  std::vector<StaggeredForceTerm> terms;
  for (std::size_t group = 0; group < vectors.size(); ++group) {
    terms.push_back({.vectors = vectors[group], .residues = residues[group], .naik_epsilon = naik_epsilons_[group]});
  }
  const StaggeredForceOptions options{.antiperiodic = parameters_.antiperiodic, .filter = parameters_.force_filter};
  switch (parameters_.links) {
    case StaggeredLinks::naive:
      return detail::add_multiple(matrices, 1.0, staggered_force(links, {}, terms[0], options));
    case StaggeredLinks::asqtad:
      return detail::add_multiple(matrices, 1.0,
                                  staggered_force(links, asqtad_coefficients(parameters_.u0), terms[0], options));
    case StaggeredLinks::hisq:
      return detail::add_multiple(matrices, 1.0, hisq_force(links, terms, options));
  }
}

}  // namespace kaon
