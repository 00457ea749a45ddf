// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/state/state.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::quda {

/// An operator N of QUDA's on the resident links, by one of kaon's, M:
///
///   N = A - kappa D = 2 kappa M,  M = A/(2 kappa) - D/2      (Wilson, clover, twisted)
///   N = 2m - D = M^dag,           M = 2m + D                 (staggered)
///   N = s D = s M B, s = 1/(b (4 + m5) + 1), D and M = D B^-1 of `DomainWall` (domain wall; s = 2 kappa_b of QUDA)
///   N = Lambda M B, Lambda = diag(1/(b_s (4 + m5) + 1))  (domain wall with b and c by slice)
class Operator {
 public:
  /// Throws `Error` where links or a clover term are missing or do not suit the operator.
  Operator(const OperatorDescription& description, State& state);

  const OperatorDescription& description() const { return description_; }
  /// M
  const Quark<double>& dirac() const { return dirac_; }
  /// The domain wall operator whose B is that of N; null for others.
  const DomainWall<double>* walls() const { return walls_ ? &**walls_ : nullptr; }
  /// Storage of links in iterations.
  LinkStorage iteration_links() const { return iteration_links_; }
  SpinorField<double> make_field(Subset subset, int right_hand_sides) const;

  /// out = N in, or the Schur complement, or their adjoints and normal operators.
  void apply(SpinorField<double>& out, const SpinorField<double>& in, const MatrixDescription& matrix) const;
  /// QUDA's Dslash: A^-1 D, or A^-dag D^dag, from one parity to the other; D without a clover term or twist, and on
  /// each slice of domain wall ones.
  void hop(SpinorField<double>& out, const SpinorField<double>& in, bool dagger) const;
  /// D^dag A^-dag, Dslash of a twisted mass in the symmetric form.
  void hop_behind_term(SpinorField<double>& out, const SpinorField<double>& in) const;
  /// out = A in, or A^-1 in, on one parity.
  void site_term(SpinorField<double>& out, const SpinorField<double>& in, bool inverse, bool dagger) const;

  /// 2 kappa, s, or 1: N over M, M B or Lambda M B
  double scale() const { return description_.conventions().scale(description_); }
  /// Whether N or its adjoint (`dagger`) is a multiple of M^dag.
  bool is_adjoint(bool dagger) const { return description_.conventions().adjoint != dagger; }
  /// psi = gamma5 psi, (-1)^(x+y+z+t) psi, or psi_s = gamma5 psi_{Ls-1-s}, which is gamma5 tau1 of doublets: the matrix
  /// G of M^dag = G M G, except for the sign of the twist of one flavour.
  void conjugate(SpinorField<double>& psi) const { description_.conventions().conjugate(psi); }

 private:
  void apply_factor(SpinorField<double>& out, const SpinorField<double>& in, const MatrixDescription& matrix,
                    bool dagger) const;

  OperatorDescription description_;
  Quark<double> dirac_;
  std::optional<Ref<DomainWall<double>>> walls_;
  LinkStorage iteration_links_;
};

/// The `count` objects that were used last, by their keys.
template <class T, std::size_t count>
class Recent {
 public:
  /// The object of a key. If there is none, it is made by `make()` and replaces the object that has not been used for
  /// the longest time.
  template <class Make>
  std::shared_ptr<T> get(const std::string& key, const Make& make) {
    const auto found = std::ranges::find(objects_, key, [](const auto& object) { return object.first; });
    if (found != objects_.end()) {
      std::rotate(objects_.begin(), found, found + 1);
    } else {
      if (objects_.size() == count) objects_.pop_back();
      objects_.insert(objects_.begin(), {key, make()});
    }
    return objects_.front().second;
  }

 private:
  std::vector<std::pair<std::string, std::shared_ptr<T>>> objects_;  // the last used first
};

/// psi = factor psi
void multiply(SpinorField<double>& psi, double factor);

/// The operator of the description on the state's links, cached until these or the description change.
std::shared_ptr<const Operator> operator_of(const OperatorDescription& description);

}  // namespace kaon::quda
