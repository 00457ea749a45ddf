// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil_list.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <typeindex>
#include <typeinfo>
#include <vector>

namespace kaon::perf {

/// The lattice as improved staggered operators need it.
inline Lattice with_reach_3(const Lattice& lattice) {
  LatticeParameters parameters{.extents = lattice.extents(),
                               .process_grid = lattice.process_grid(),
                               .lanes = lattice.lanes(),
                               .reach = 3,
                               .execution = lattice.execution()};
  for (std::size_t mu = 0; mu < 4; ++mu) parameters.partition[mu] = lattice.is_partitioned(mu);
  return Lattice(lattice.communicator(), parameters);
}

/// The operators of the benchmark that runs: made on first use, cached until a benchmark on another lattice.
class Problem {
 public:
  /// On links from `gauge` if it is given; else on a rough gauge field, well-conditioned, so that a solver may
  /// iterate as long as it likes.
  Problem(const GaugeField<double>* gauge, double kappa)
      : gauge_(gauge), quenched_quark_{.mass = mass_from_kappa(kappa), .csw = 1.769} {}

  /// The links that were given.
  const GaugeField<double>& gauge() const { return *gauge_; }
  /// `Operator<T>` with this storage of links and precision of halos, made from the one in double.
  template <template <class> class Operator, class T>
  const Operator<T>& on(const Lattice& lattice, LinkStorage storage, HaloPrecision halo = HaloPrecision::field) {
    if (!lattice_ || !(*lattice_ == lattice)) {
      kept_.clear();
      lattice_ = lattice;
    }
    using Exact = Operator<double>;
    const bool from_file = gauge_ != nullptr && gauge_->lattice() == lattice;
    Kept& exact = kept_[typeid(const Exact*)];
    if (!exact.made) {
      const GaugeField<double> links = from_file ? gauge_->share() : rough_links(lattice);
      if constexpr (std::is_same_v<Exact, ImprovedStaggered<double>>) {
        exact.made = std::make_shared<Exact>(links, links, ImprovedStaggeredParameters{.mass = staggered_mass});
      } else {
        exact.made =
            std::make_shared<Exact>(links, parameters<Exact>(from_file ? quenched_quark_ : well_conditioned_quark));
      }
    }
    Kept& kept = kept_[typeid(Operator<T>)];
    if (!kept.made || kept.storage != storage || kept.halo != halo) {
      kept.made.reset();
      kept = {storage, halo,
              std::make_shared<Operator<T>>(*static_cast<const Exact*>(exact.made.get()), storage, halo)};
    }
    return *static_cast<const Operator<T>*>(kept.made.get());
  }

 private:
  static constexpr WilsonCloverParameters well_conditioned_quark{.mass = 0.1, .csw = 1.0};
  static constexpr double twisted_mass = 0.1, staggered_mass = 0.1;

  template <class Exact>
  static auto parameters(const WilsonCloverParameters& quark) {
    if constexpr (std::is_same_v<Exact, Wilson<double>>) return WilsonParameters{.mass = quark.mass};
    if constexpr (std::is_same_v<Exact, WilsonClover<double>>) return quark;
    if constexpr (std::is_same_v<Exact, TwistedMass<double>>) {
      return TwistedMassParameters{.mass = quark.mass, .mu = twisted_mass};
    }
    if constexpr (std::is_same_v<Exact, TwistedClover<double>>) {
      return TwistedCloverParameters{.mass = quark.mass, .mu = twisted_mass, .csw = quark.csw};
    }
    if constexpr (std::is_same_v<Exact, Staggered<double>>) return StaggeredParameters{.mass = staggered_mass};
  }
  static GaugeField<double> rough_links(const Lattice& lattice) {
    GaugeField<double> links(lattice);
    set_weak(links, 0.2, {.seed = 1});
    return links;
  }

  struct Kept {
    LinkStorage storage = LinkStorage::full;
    HaloPrecision halo = HaloPrecision::field;
    std::shared_ptr<const void> made;
  };
  const GaugeField<double>* gauge_;
  WilsonCloverParameters quenched_quark_;  // on `gauge`, with the non-perturbative c_sw of quenched beta = 6.0
  std::optional<Lattice> lattice_;
  std::map<std::type_index, Kept> kept_;
};

/// The storages among these for which this build has operators (KAON_LINK_STORAGES).
inline std::vector<LinkStorage> built(std::initializer_list<LinkStorage> storages) {
  std::vector<LinkStorage> found;
  std::ranges::copy_if(storages, std::back_inserter(found),
                       [](LinkStorage storage) { return detail::compiled_stencils().has_storage(storage); });
  return found;
}

/// Normal numbers.
template <class T>
void fill(SpinorField<T>& field, std::uint32_t stream) {
  set_gaussian(field, {.seed = 2, .stream = stream});
}

}  // namespace kaon::perf
