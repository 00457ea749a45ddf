// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/wilson.hpp>

#include <memory>

namespace kaon::perf {

/// Operators on a rough gauge field, well-conditioned, so that a solver may iterate as long as it likes.
template <class T>
class Operators {
 public:
  explicit Operators(const Lattice& lattice)
      : links_(make_links(lattice)), wilson(links_, {.mass = 0.1}), clover(links_, {.mass = 0.1, .csw = 1.0}) {}

 private:
  static GaugeField<T> make_links(const Lattice& lattice) {
    GaugeField<T> links(lattice);
    set_weak(links, 0.2, {.seed = 1});
    return links;
  }
  GaugeField<T> links_;

 public:
  const Wilson<T> wilson;
  const WilsonClover<T> clover;
};

/// The operators of the benchmark that runs: made when first asked for, kept until another lattice is asked for.
class Problem {
 public:
  template <class T>
  const Operators<T>& on(const Lattice& lattice) {
    const auto is_other = [&](const auto& made) { return made && !(made->wilson.lattice() == lattice); };
    if (is_other(in_double_)) in_double_.reset();
    if (is_other(in_single_)) in_single_.reset();
    auto& made = slot(static_cast<T*>(nullptr));
    if (!made) made = std::make_unique<Operators<T>>(lattice);
    return *made;
  }

 private:
  std::unique_ptr<Operators<double>>& slot(double*) { return in_double_; }
  std::unique_ptr<Operators<float>>& slot(float*) { return in_single_; }

  std::unique_ptr<Operators<double>> in_double_;
  std::unique_ptr<Operators<float>> in_single_;
};

}  // namespace kaon::perf
