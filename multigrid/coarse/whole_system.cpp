// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/whole_system.hpp"

#include <kaon/operators/schur.hpp>

#include <utility>

namespace kaon::detail {
namespace {

/// The system of a lattice of one parity.
class WholeSystem final : public EvenOddSystem<float>, public Counted {
 public:
  explicit WholeSystem(Ref<EvenOddOperator<float>> full) : full_(std::move(full)) {}

  const EvenOddOperator<float>& full() const override { return *full_; }
  Parity parity() const override { return Parity::even; }
  void prepare(SpinorField<float>& source, const SpinorField<float>& b) const override {
    full_->apply_site_term(source, b.parity(Parity::even), SiteTerm::inverse, false);
  }
  void reconstruct(SpinorField<float>&, const SpinorField<float>&) const override {}  // no site is left
  void full_residual(SpinorField<float>& out, const SpinorField<float>& residual) const override {
    full_->apply_site_term(out, residual, SiteTerm::diagonal, false);
  }

  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override {
    this->require_domain(out, in);
    full_->hop(out, in, {.term = SiteTerm::inverse, .scale = -1.0, .x = &in});
  }
  blas::PendingReductions apply_and_reduce(SpinorField<float>& y, const SpinorField<float>& x,
                                           const blas::Reductions<float>& reductions) const override {
    this->require_domain(y, x);
    blas::PendingReductions reduced;
    full_->hop(y, x,
               {.term = SiteTerm::inverse, .scale = -1.0, .x = &x, .reductions = reductions, .reduced = &reduced});
    return reduced;
  }
  const Lattice& lattice() const override { return full_->lattice(); }
  SpinorParameters domain() const override { return full_->domain().on(Subset::even); }
  double flops() const override { return hop_flops_of(*full_, SiteTerm::inverse, true); }
  double bytes() const override { return hop_bytes_of(*full_, SiteTerm::inverse, true); }

 private:
  Ref<EvenOddOperator<float>> full_;
};

}  // namespace

std::unique_ptr<EvenOddSystem<float>> make_system(const Ref<EvenOddOperator<float>>& full) {
  if (full->lattice().parities() == 1) return std::make_unique<WholeSystem>(full);
  return std::make_unique<Schur<float>>(full);
}

}  // namespace kaon::detail
