// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solve/normal_matrix.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace kaon::quda {
namespace {

/// G B, Lambda G B, or B^-1 G B, of an operator G on slices.
template <class T>
class Mixed final : public LinearOperator<T>, public Adjointable<T>, public Counted {
 public:
  Mixed(Ref<LinearOperator<T>> plain, Ref<DomainWall<T>> walls, bool similar,
        std::optional<detail::SliceMatrix<T>> rows)
      : plain_(std::move(plain)), walls_(std::move(walls)), similar_(similar), rows_(std::move(rows)) {}

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override {
    SpinorField<T>& mixed = this->keep_fields(mixed_, 1, in.right_hand_sides())[0];
    walls_->apply_b(mixed, in);
    plain_->apply(out, mixed);
    if (similar_) walls_->apply_b_inverse(out, out);
    if (rows_) rows_->apply(out, out, false);
  }
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override {
    if (similar_ || rows_) {
      SpinorField<T>& mixed = this->keep_fields(mixed_, 1, in.right_hand_sides())[0];
      similar_ ? walls_->apply_b_inverse(mixed, in, true) : rows_->apply(mixed, in, true);
      adjointable(*plain_).apply_dagger(out, mixed);
    } else {
      adjointable(*plain_).apply_dagger(out, in);
    }
    walls_->apply_b(out, out, true);
  }
  const Lattice& lattice() const override { return plain_->lattice(); }
  SpinorParameters domain() const override { return plain_->domain(); }
  double flops() const override { return flops_of(*plain_) + times_b() * walls_->site_term_flops(); }
  double bytes() const override { return bytes_of(*plain_) + times_b() * walls_->site_term_bytes(); }

 private:
  /// How often B or its inverse acts on the sites of one parity, at the cost of a site term.
  double times_b() const { return (similar_ ? 2.0 : 1.0) * (domain().subset == Subset::full ? 2.0 : 1.0); }

  Ref<LinearOperator<T>> plain_;
  Ref<DomainWall<T>> walls_;
  bool similar_;
  std::optional<detail::SliceMatrix<T>> rows_;  // not of B^-1 G B
  mutable detail::KeptFields<T> mixed_;
};

}  // namespace

template <class T>
std::optional<Ref<DomainWall<T>>> walls_with_mass(const Ref<EvenOddOperator<T>>& full, double mass) {
  const auto* walls = dynamic_cast<const DomainWall<T>*>(&*full);
  if (walls == nullptr) return {};
  DomainWallParameters parameters = walls->parameters();
  if (parameters.mass == mass && parameters.lower_mass.value_or(mass) == mass) return Ref<DomainWall<T>>(full, *walls);
  parameters.mass = mass;
  parameters.lower_mass.reset();
  return Ref<DomainWall<T>>(DomainWall<T>(walls->links(), parameters));
}

template <class T>
detail::SliceMatrix<T> row_factors(const OperatorDescription& of, bool inverse) {
  const auto count = static_cast<std::size_t>(of.quark.slices);
  detail::SliceNumbers numbers{.u = std::vector<std::complex<double>>(count, 1.0), .k = {}, .p = {}, .q = {}};
  numbers.k.resize(count);
  numbers.q.resize(count);
  for (const std::complex<double>& b : of.quark.b_of_slices) {
    const std::complex<double> number = b * (4.0 - of.quark.m5) + 1.0;
    numbers.p.push_back(inverse ? number : 1.0 / number);
  }
  return {"Lambda", numbers, {of.b_mass, of.b_mass}};
}

template <class T>
Ref<LinearOperator<T>> factor_matrix(const Ref<EvenOddOperator<T>>& full, const MatrixDescription& matrix) {
  Ref<LinearOperator<T>> factor = full;
  if (matrix.one_parity) factor = Schur<T>(full, {.form = matrix.form, .parity = matrix.parity});
  auto walls = walls_with_mass(full, matrix.of.b_mass);
  if (!walls) return factor;
  const bool similar = matrix.one_parity && matrix.form == SchurForm::symmetric;
  std::optional<detail::SliceMatrix<T>> rows;
  if (matrix.of.has_coefficients_by_slice() && !similar) rows.emplace(row_factors<T>(matrix.of, false));
  return Mixed<T>(factor, std::move(*walls), similar, std::move(rows));
}

template <class T>
Ref<LinearOperator<T>> normal_matrix(const Ref<EvenOddOperator<T>>& full, const MatrixDescription& matrix) {
  const Conventions& conventions = matrix.of.conventions();
  if (conventions.hermitian_on_one_parity && matrix.one_parity) {
    const auto with_full = [full](EvenOddSystem<T>* system) { std::default_delete<EvenOddSystem<T>>()(system); };
    return std::shared_ptr<EvenOddSystem<T>>(full->normal_system(matrix.parity).release(), with_full);
  }
  const NormalForm form = matrix.dagger != conventions.adjoint ? NormalForm::error : NormalForm::residual;
  return NormalOperator<T>(factor_matrix(full, matrix), form);
}

double scale_of(const MatrixDescription& matrix, const Operator& of) {
  return matrix.one_parity && matrix.form == SchurForm::symmetric ? 1.0 : of.scale();
}

template std::optional<Ref<DomainWall<double>>> walls_with_mass(const Ref<EvenOddOperator<double>>&, double);
template detail::SliceMatrix<double> row_factors(const OperatorDescription&, bool);
template Ref<LinearOperator<double>> factor_matrix(const Ref<EvenOddOperator<double>>&, const MatrixDescription&);
template Ref<LinearOperator<double>> normal_matrix(const Ref<EvenOddOperator<double>>&, const MatrixDescription&);
template Ref<LinearOperator<float>> normal_matrix(const Ref<EvenOddOperator<float>>&, const MatrixDescription&);
template Ref<LinearOperator<half>> normal_matrix(const Ref<EvenOddOperator<half>>&, const MatrixDescription&);

}  // namespace kaon::quda
