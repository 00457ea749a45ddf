// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/wilson.hpp>

#include <memory>
#include <optional>

namespace kaon::perf {

/// Wilson's operator and the clover operator.
template <class T>
struct Operators {
  Operators(const GaugeField<double>& links, const WilsonCloverParameters& parameters) requires std::same_as<T, double>
      : wilson(links, {.mass = parameters.mass}), clover(links, parameters) {}
  /// Those of another precision, storage of links or precision of halos.
  Operators(const Operators<double>& exact, LinkStorage storage, HaloPrecision halo)
      : wilson(exact.wilson, storage, halo), clover(exact.clover, storage, halo) {}

  Wilson<T> wilson;
  WilsonClover<T> clover;
};

/// The operators of the benchmark that runs: made when first asked for, kept until others are asked for.
class Problem {
 public:
  /// On links from `gauge` where it is given; else on a rough gauge field, well-conditioned, so that a solver may
  /// iterate as long as it likes.
  explicit Problem(const GaugeField<double>* gauge) : gauge_(gauge) {}

  template <class T>
  const Operators<T>& on(const Lattice& lattice, LinkStorage storage, HaloPrecision halo = HaloPrecision::field) {
    if (!lattice_ || !(*lattice_ == lattice)) {
      double_.reset();
      single_.reset();
      half_.reset();
      exact_ = gauge_ != nullptr && gauge_->lattice() == lattice
                   ? std::make_unique<Operators<double>>(*gauge_, quenched_quark)
                   : std::make_unique<Operators<double>>(rough_links(lattice), well_conditioned_quark);
      lattice_ = lattice;
    }
    auto& made = slot(static_cast<T*>(nullptr));
    if (!made || made->clover.links().storage() != storage || made->clover.halo() != halo) {
      made.reset();
      made = std::make_unique<Operators<T>>(*exact_, storage, halo);
    }
    return *made;
  }

  /// Quenched beta = 6.0 with the non-perturbative c_sw, kappa = 0.1345.
  static inline const WilsonCloverParameters quenched_quark{.mass = mass_from_kappa(0.1345), .csw = 1.769};

 private:
  static constexpr WilsonCloverParameters well_conditioned_quark{.mass = 0.1, .csw = 1.0};
  static GaugeField<double> rough_links(const Lattice& lattice) {
    GaugeField<double> links(lattice);
    set_weak(links, 0.2, {.seed = 1});
    return links;
  }
  std::unique_ptr<Operators<double>>& slot(double*) { return double_; }
  std::unique_ptr<Operators<float>>& slot(float*) { return single_; }
  std::unique_ptr<Operators<half>>& slot(half*) { return half_; }

  const GaugeField<double>* gauge_;
  std::optional<Lattice> lattice_;
  std::unique_ptr<Operators<double>> exact_, double_;
  std::unique_ptr<Operators<float>> single_;
  std::unique_ptr<Operators<half>> half_;
};

/// Normal numbers.
template <class T>
void fill(SpinorField<T>& field, std::uint32_t stream) {
  set_gaussian(field, {.seed = 2, .stream = stream});
}

}  // namespace kaon::perf
