// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/solve/normal_matrix.hpp"
#include "quda/solve/operator.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/io/spinors.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/covariant_sum.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

namespace kaon::quda {
namespace {

/// A number times Q, or times gamma5 N or (-1)^(x+y+z+t) N (`gamma5`).
class HermitianMatrix final : public LinearOperator<double>, public Counted {
 public:
  HermitianMatrix(std::shared_ptr<const Operator> of, const EigenDescription& wanted)
      : of_(std::move(of)),
        matrix_(wanted.matrix),
        normal_(wanted.gamma5 ? Ref<LinearOperator<double>>(of_->dirac().exact())
                              : normal_matrix(of_->dirac().exact(), matrix_)),
        gamma5_(wanted.gamma5),
        number_(gamma5_ ? (wanted.lowest ? -1.0 : 1.0) : std::pow(scale_of(matrix_, *of_), 2)) {}

  void apply(SpinorField<double>& out, const SpinorField<double>& in) const override {
    gamma5_ ? of_->apply(out, in, matrix_) : normal_->apply(out, in);
    if (gamma5_) of_->conjugate(out);
    multiply(out, number_);
  }
  const Lattice& lattice() const override { return normal_->lattice(); }
  SpinorParameters domain() const override { return normal_->domain().on(matrix_.subset()); }
  double flops() const override { return flops_of(*normal_); }
  double bytes() const override { return bytes_of(*normal_); }

 private:
  std::shared_ptr<const Operator> of_;
  MatrixDescription matrix_;
  Ref<LinearOperator<double>> normal_;  // M itself with `gamma5`
  bool gamma5_;
  double number_;
};

/// A Hermitian matrix of QUDA's on the resident fields, and what it is a normal operator of.
class EigenMatrix {
 public:
  explicit EigenMatrix(const EigenDescription& wanted) : wanted_(wanted) {
    state().require_running();
    if (wanted.laplace) {
      const CovariantDescription& of = *wanted.laplace;
      laplace_ = std::make_shared<CovariantLaplace<double>>(
          with_factors(state().links(wanted.smeared ? LinkKind::smeared : LinkKind::wilson)),
          LaplaceParameters{of.kappa, of.dimensions, of.spins});
      matrix_ = laplace_;
      if (wanted.normal) matrix_ = std::make_shared<NormalOperator<double>>(Ref<LinearOperator<double>>(laplace_));
      return;
    }
    operator_ = operator_of(wanted.matrix.of);
    matrix_ = std::make_shared<HermitianMatrix>(operator_, wanted);
  }

  const LinearOperator<double>& operator*() const { return *matrix_; }
  /// The client's eigenvalues over those of this matrix.
  double sign() const { return wanted_.lowest ? -1.0 : 1.0; }

  void apply_factor(SpinorField<double>& out, const SpinorField<double>& in) const {
    if (laplace_) return laplace_->apply(out, in);
    MatrixDescription factor = wanted_.matrix;
    factor.normal = false;
    operator_->apply(out, in, factor);
  }

 private:
  EigenDescription wanted_;
  std::shared_ptr<const Operator> operator_;
  std::shared_ptr<const LinearOperator<double>> laplace_, matrix_;
};

/// Right singular vectors v become values |N v| and left vectors N v/|N v|.
std::vector<SpinorField<double>> left_vectors(Eigenvectors<double>& found, const EigenMatrix& matrix) {
  std::vector<SpinorField<double>> left;
  for (std::size_t i = 0; i < found.vectors.size(); ++i) {
    SpinorField<double>& u = left.emplace_back((*matrix).make_field(1));
    matrix.apply_factor(u, found.vectors[i]);
    found.values[i] = std::sqrt(blas::norm2(u)[0]);
    require(found.values[i] > 0.0, [&] { return fmt::format("singular value {} is 0: it has no left vector", i); });
    multiply(u, 1.0 / found.values[i]);
  }
  return left;
}

/// A vector with slices in files of QUDA: its numbers on all sites, [parity][slice][site], are read as fields without
/// slices, so that the halves 2 j and 2 j + 1 of a parity and a slice are the even and odd sites of field j.
class SlicesOfFile {
 public:
  SlicesOfFile(const SpinorField<double>& of, const SpinorDescription& client)
      : order_{.slices_alternate = client.slices_alternate},
        half_(static_cast<std::size_t>(of.lattice().local_volume() * of.components())),
        first_(of.subset() == Subset::odd ? half_ * static_cast<std::size_t>(of.slices()) : 0),
        held_(half_ * static_cast<std::size_t>(of.slices() * of.parities())),
        reals_(2 * half_ * static_cast<std::size_t>(of.slices())) {}

  std::vector<SpinorField<double>> split(const SpinorField<double>& v) {
    write_spinor(&reals_[first_], v, 0, order_);
    std::vector<SpinorField<double>> fields;
    for (std::size_t at = 0; at < reals_.size(); at += 2 * half_) {
      fields.emplace_back(v.lattice(), SpinorParameters{.spins = v.spins(), .colors = v.colors()});
      read_spinor(fields.back(), 0, &reals_[at], order_);
    }
    return fields;
  }
  /// Throws `Error` where the fields have other numbers than zero on sites that `v` does not hold.
  void join(SpinorField<double>& v, std::span<const SpinorField<double>> fields) {
    for (std::size_t j = 0; j < fields.size(); ++j) write_spinor(&reals_[2 * j * half_], fields[j], 0, order_);
    for (std::size_t k = 0; k < reals_.size(); ++k) {
      require(reals_[k] == 0.0 || (k >= first_ && k < first_ + held_),
              "vec_infile holds fields on other sites than those of matpc_type");
    }
    read_spinor(v, 0, &reals_[first_], order_);
  }

 private:
  SpinorDescription order_;
  std::size_t half_, first_, held_;  // numbers of half a field, and of the vector from the first one on
  std::vector<double> reals_;
};

/// The vectors of a file, with <v, A v> and |A v - lambda v|.
Eigenvectors<double> read(const EigenDescription& wanted, const LinearOperator<double>& matrix) {
  SpinorField<double> image = matrix.make_field(1);
  const auto slices = static_cast<std::size_t>(image.slices());
  io::SpinorFields<double> file =
      io::read_spinor_fields<double>(matrix.lattice(), wanted.vectors_from, slices > 1 ? Subset::full : image.subset());
  require(file.fields.size() == slices * static_cast<std::size_t>(wanted.search.count), [&] {
    return fmt::format("vec_infile {} holds {} vectors, but n_conv = {}{}", wanted.vectors_from, file.fields.size(),
                       wanted.search.count, slices > 1 ? fmt::format(" of {} slices each", slices) : "");
  });
  require(file.fields.front().spins() == image.spins() && file.fields.front().colors() == image.colors(), [&] {
    return fmt::format("vec_infile {} holds vectors of {} spins and {} colours, but the operator acts on {} and {}",
                       wanted.vectors_from, file.fields.front().spins(), file.fields.front().colors(), image.spins(),
                       image.colors());
  });
  const bool rotated = file.quda && image.spins() == 4;
  if (slices > 1) {
    SlicesOfFile joined(image, wanted.spinors);
    std::vector<SpinorField<double>> vectors;
    for (std::size_t i = 0; i < file.fields.size(); i += slices) {
      joined.join(vectors.emplace_back(matrix.make_field(1)), std::span(file.fields).subspan(i, slices));
    }
    file.fields = std::move(vectors);
  }
  Eigenvectors<double> found;
  double worst = 0.0;
  for (SpinorField<double>& v : file.fields) {
    if (rotated) change_spinor_basis(v, {.from = SpinBasis::ukqcd});
    matrix.apply(image, v);
    const double norm2 = blas::norm2(v)[0];
    require(norm2 > 0.0, [&] { return fmt::format("vec_infile {} holds a vector of zeros", wanted.vectors_from); });
    const double value = blas::inner_product(v, image)[0].real() / norm2;
    blas::axpy(image, v, -value);
    found.values.push_back(value);
    found.residuals.push_back(std::sqrt(blas::norm2(image)[0] / norm2));
    worst = std::max(worst, found.residuals.back() / std::max(std::abs(value), 1e-300));
  }
  constexpr double doubtful = 0.1;
  if (worst > doubtful) {
    say(
        fmt::format("kaon: WARNING: the vectors of {} are no eigenvectors of this operator: |A v - lambda v| is up to "
                    "{:.3g} |lambda|",
                    wanted.vectors_from, worst));
  }
  found.vectors = std::move(file.fields);
  found.converged = true;
  found.applications = static_cast<long>(found.vectors.size());
  return found;
}

/// In QUDA's basis.
void write(const EigenDescription& wanted, const Eigenvectors<double>& found) {
  const SpinorField<double>& first = found.vectors.front();
  const bool other_basis = first.spins() == 4, sliced = first.slices() > 1;
  SlicesOfFile slices(first, wanted.spinors);
  std::vector<SpinorField<double>> fields;
  for (const SpinorField<double>& v : found.vectors) {
    if (sliced) {
      std::ranges::move(slices.split(v), std::back_inserter(fields));
    } else if (other_basis) {
      blas::copy(fields.emplace_back(v.lattice(), v.parameters()), v);
    }
  }
  if (other_basis) {
    for (SpinorField<double>& field : fields) change_spinor_basis(field, {.to = SpinBasis::ukqcd});
  }
  io::write_spinor_fields<double>(wanted.vectors_to, fields.empty() ? found.vectors : fields, {},
                                  {.bits = wanted.bits, .quda = true});
}

void find(void* const* vectors, double* values, QudaEigParam& given) {
  const Kokkos::Timer timer;
  const EigenDescription wanted = describe_eigenvectors(given);
  const auto count = static_cast<std::size_t>(wanted.search.count);
  const EigenMatrix matrix(wanted);
  // The search may take hours: arrays that cannot be written to are refused before it.
  require(values != nullptr, "the pointer to eigenvalues is NULL");
  if (vectors != nullptr) {
    const SpinorField<double> zero = (*matrix).make_field(1);
    for (std::size_t i = 0; i < (wanted.singular ? 2 : 1) * count; ++i)
      write_spinor(vectors[i], zero, 0, wanted.spinors);
  }
  const bool from_file = !wanted.vectors_from.empty();
  Eigenvectors<double> found = from_file ? read(wanted, *matrix) : find_eigenvectors<double>(*matrix, wanted.search);
  if (!from_file && !(found.converged && found.complete)) {
    const std::string text = fmt::format(
        "{} eigenvectors are not found to tol = {} in {} restarts{}: the largest residual is {:.3e}; take "
        "a larger n_kr or max_restarts",
        count, wanted.search.tolerance, found.restarts,
        found.converged ? ", or one that belongs among them is missing" : "",
        *std::ranges::max_element(found.residuals));
    require(!wanted.must_converge, [&] { return text; });
    say("kaon: WARNING: " + text);
  }
  if (!from_file && !wanted.vectors_to.empty()) write(wanted, found);  // QUDA writes none that it has read
  std::vector<SpinorField<double>> left;
  if (wanted.singular) left = left_vectors(found, matrix);
  for (std::size_t i = 0; i < count; ++i) {
    values[2 * i] = matrix.sign() * found.values[i];
    values[2 * i + 1] = 0.0;
    if (vectors == nullptr) continue;
    write_spinor(vectors[i], found.vectors[i], 0, wanted.spinors);
    if (wanted.singular) write_spinor(vectors[count + i], left[i], 0, wanted.spinors);
  }
  // QUDA leaves these results in the structure of the operator.
  QudaInvertParam& of = *given.invert_param;
  const bool one_parity = given.use_pc == QUDA_BOOLEAN_TRUE;
  of.solution_type = one_parity ? QUDA_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
  of.solve_type = wanted.normal ? (one_parity ? QUDA_NORMOP_PC_SOLVE : QUDA_NORMOP_SOLVE)
                                : (one_parity ? QUDA_DIRECT_PC_SOLVE : QUDA_DIRECT_SOLVE);
  of.iter = 0;
  of.secs = std::max(timer.seconds(), 1e-9);
  of.gflops = static_cast<double>(found.applications) * flops_of(*matrix) * 1e-9;
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void eigensolveQuda(void** h_evecs, double _Complex* h_evals, QudaEigParam* param) {
  call(__func__, param, [&](QudaEigParam& given) { find(h_evecs, reinterpret_cast<double*>(h_evals), given); });
}
}
