// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/exact_inverse.hpp"

#include "core/fields/element_order.hpp"
#include "core/fields/recycled_memory.hpp"
#include "multigrid/dense/dense_product.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>
#include <kaon/core/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace kaon::detail {
namespace {

/// The product for K right-hand sides in the layout of this build's fields.
template <int K>
using Product = std::conditional_t<on_device, WordProduct<K>, RowPackProduct<K>>;

/// Columns of a matrix that are computed at once: a block of `DenseMatrix`, or more on devices, to save launches.
inline constexpr int inverse_columns_at_once = on_device ? 64 : DenseMatrix::block_columns;

/// Right-hand sides of one pass, whose sums fit into registers.
inline constexpr int most_at_once = on_device || native_lanes<double> == 8 ? 8 : 4;

/// Position of the real part of a complex number in a right-hand side's storage; the imaginary part lies `lanes`
/// further.
KOKKOS_INLINE_FUNCTION std::size_t position(int number, int lanes) {
  return static_cast<std::size_t>(2 * (number / lanes * lanes) + number % lanes);
}

/// Sets complex number first + r of right-hand side r to `value`, for `count` right-hand sides, if this process has
/// that number.
void set_units(SpinorField<float>& field, int first, int numbers, int count, float value) {
  float* const data = field.data();
  const std::size_t stride = field.right_hand_side_stride();
  const int lanes = component_lanes<float>(field.components());
  Kokkos::parallel_for(
      "kaon::exact_inverse_units", Kokkos::RangePolicy<Execution>(field.lattice().execution(), 0, count),
      KOKKOS_LAMBDA(const int r) {
        const int number = first + r;
        if (number < 0 || number >= numbers) return;
        data[static_cast<std::size_t>(r) * stride + position(number, lanes)] = value;
      });
}

/// Complex numbers of a field of this operator on all processes.
std::ptrdiff_t dimension_of(const LinearOperator<float>& matrix) {
  const Lattice& lattice = matrix.lattice();
  const SpinorParameters domain = matrix.domain();
  return lattice.volume() / lattice.parities() * lattice.parities(domain.subset) * domain.components();
}

int required_dimension(const LinearOperator<float>& matrix) {
  const Lattice& lattice = matrix.lattice();
  require(lattice.is_coarse(), [&] {
    return fmt::format("lattice {} is not a coarse one: an exact inverse is made on coarse lattices only",
                       to_string(lattice.extents()));
  });
  const std::ptrdiff_t dimension = dimension_of(matrix);
  require(dimension <= ExactInverse::largest_dimension, [&] {
    return fmt::format(
        "fields with {} complex numbers are too large for an exact inverse, which takes up to {}: coarsen lattice {} "
        "once more, or use a solver",
        dimension, ExactInverse::largest_dimension, to_string(lattice.extents()));
  });
  return static_cast<int>(dimension);
}

/// Right-hand sides that are columns first, first + 1, ... of a matrix.
struct GivenColumns {
  const float* numbers;
  std::size_t stride;
  int first, count, lanes;
};

template <class Columns>
void put_columns(const Execution& execution, const Columns& matrix, const GivenColumns& given) {
  const int dimension = matrix.dimension;
  Kokkos::parallel_for(
      "kaon::exact_inverse_columns", Kokkos::RangePolicy<Execution>(execution, 0, given.count * dimension),
      KOKKOS_LAMBDA(const int item) {
        const int k = item / dimension, row = item - k * dimension;
        const float* from = given.numbers + static_cast<std::size_t>(k) * given.stride + position(row, given.lanes);
        matrix.set(row, given.first + k, {static_cast<double>(from[0]), static_cast<double>(from[given.lanes])});
      });
}

/// The rows of an inverse that a process stores.
struct KeptRows {
  int first, rows, dimension;
};

/// Stores rows in the order of the product P. Returns false if a number does not fit single precision.
template <class P, class Inverse>
bool keep_rows(const Execution& execution, float* matrix, const Inverse& inverse, const KeptRows& kept) {
  int too_large = 0;
  Kokkos::parallel_reduce(
      "kaon::exact_inverse_keep", Kokkos::RangePolicy<Execution>(execution, 0, kept.rows * kept.dimension),
      KOKKOS_LAMBDA(const int item, int& sum) {
        const int column = item / kept.rows, row = item - column * kept.rows;
        const Complex<double> element = inverse.get(kept.first + row, column);
        const auto re = static_cast<float>(element.re), im = static_cast<float>(element.im);
        if (!(Kokkos::isfinite(re) && Kokkos::isfinite(im))) ++sum;
        matrix[P::offset(kept.dimension, row, column, 0)] = re;
        matrix[P::offset(kept.dimension, row, column, 1)] = im;
      },
      too_large);
  return too_large == 0;
}

/// Right-hand sides [first, first + K), as far as there are any.
template <int K>
void launch_product(const Execution& execution, ProductOperands operands, int first) {
  operands.out += static_cast<std::size_t>(first) * operands.out_stride;
  operands.in += static_cast<std::size_t>(first) * operands.in_stride;
  operands.right_hand_sides = std::min(K, operands.right_hand_sides - first);
  const Product<K> kernel{operands};
  launch_teams(kernel.label, execution, kernel.teams(operands.rows), kernel.team_size, kernel);
}

}  // namespace

bool ExactInverse::fits(const LinearOperator<float>& matrix, int most) {
  return matrix.lattice().is_coarse() && dimension_of(matrix) <= std::min(most, largest_dimension);
}

ExactInverse::ExactInverse(const LinearOperator<float>& matrix)
    : lattice_(matrix.lattice()),
      domain_(matrix.domain()),
      dimension_(required_dimension(matrix)),
      rows_(dimension_ / lattice_.communicator().size()),
      first_row_(rows_ * lattice_.communicator().rank()),
      lanes_(component_lanes<float>(domain_.components())),
      error_(std::numeric_limits<double>::infinity()) {
  Dense dense(lattice_, dimension_);
  take_columns(dense, matrix);
  const bool inverted = dense.invert(lattice_.communicator()) && keep(dense);
  if (lattice_.communicator().any(!inverted)) {
    matrix_ = {};
    return;
  }
  error_ = measured_error(matrix);
}

SpinorParameters ExactInverse::shape_of(int right_hand_sides) const {
  return domain_.with_right_hand_sides(right_hand_sides);
}

void ExactInverse::take_columns(Dense& dense, const LinearOperator<float>& matrix) const {
  const Execution& execution = lattice_.execution();
  Temporaries<float> fields(lattice_, shape_of(inverse_columns_at_once), 2);
  SpinorField<float>&unit = fields[0], &column = fields[1];
  std::optional<GatheredField> gathered;
  if (rows_ < dimension_) gathered.emplace(lattice_, static_cast<std::size_t>(2 * rows_), inverse_columns_at_once);
  for (int first = 0; first < dimension_; first += inverse_columns_at_once) {
    const int count = std::min(inverse_columns_at_once, dimension_ - first);
    set_units(unit, first - first_row_, rows_, count, 1.0F);
    SpinorField<float> columns = column.range(0, count);
    matrix.apply(columns, std::as_const(unit).range(0, count));
    set_units(unit, first - first_row_, rows_, count, 0.0F);
    GivenColumns given{column.data(), column.right_hand_side_stride(), first, count, lanes_};
    if (gathered) {
      gathered->gather(column);
      given.numbers = gathered->data();
      given.stride = gathered->stride();
    }
    put_columns(execution, dense.columns(), given);
  }
}

bool ExactInverse::keep(const Dense& inverse) {
  using P = Product<1>;
  matrix_ = allocate_on<float>(lattice_, "kaon::ExactInverse", P::matrix_size(rows_, dimension_));
  Kokkos::deep_copy(lattice_.execution(), matrix_, 0.0F);
  return keep_rows<P>(lattice_.execution(), matrix_.data(), inverse.inverse(), {first_row_, rows_, dimension_});
}

double ExactInverse::measured_error(const LinearOperator<float>& matrix) const {
  Temporaries<float> fields(lattice_, shape_of(1), 3);
  SpinorField<float>&s = fields[0], &z = fields[1], &r = fields[2];
  set_gaussian(s, {.seed = 1});
  apply(z, s);
  matrix.apply(r, z);
  const double difference2 = blas::xmy_norm2(r, s)[0];
  const double error = std::sqrt(difference2 / blas::norm2(s)[0]);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

void ExactInverse::apply(SpinorField<float>& out, const SpinorField<float>& in) const {
  this->require_domain(out, in);
  require(!is_singular(), [&] {
    return fmt::format("the operator on {} complex numbers is singular: it has no inverse (see is_singular())",
                       dimension_);
  });
  ProductOperands operands{.matrix = matrix_.data(),
                           .out = out.data(),
                           .in = in.data(),
                           .out_stride = out.right_hand_side_stride(),
                           .in_stride = in.right_hand_side_stride(),
                           .rows = rows_,
                           .columns = dimension_,
                           .right_hand_sides = in.right_hand_sides(),
                           .lanes = lanes_};
  if (rows_ < dimension_) {
    GatheredField& all = gathered(in.right_hand_sides());
    all.gather(in);
    operands.in = all.data();
    operands.in_stride = all.stride();
  }
  const Execution& execution = lattice_.execution();
  for (int first = 0; first < in.right_hand_sides(); first += most_at_once) {
    const int count = in.right_hand_sides() - first;
    if (count == 1) {
      launch_product<1>(execution, operands, first);
    } else if (count == 2) {
      launch_product<2>(execution, operands, first);
    } else if (count <= 4) {
      launch_product<4>(execution, operands, first);
    } else {
      launch_product<most_at_once>(execution, operands, first);
    }
  }
}

GatheredField& ExactInverse::gathered(int right_hand_sides) const {
  if (!gathered_ || gathered_->right_hand_sides() != right_hand_sides) {
    gathered_ = std::make_unique<GatheredField>(lattice_, static_cast<std::size_t>(2 * rows_), right_hand_sides);
  }
  return *gathered_;
}

double ExactInverse::flops() const { return 8.0 * dimension_ * dimension_; }

double ExactInverse::bytes() const {
  // Each process reads all of the input.
  const int processes = lattice_.communicator().size();
  return (static_cast<double>(dimension_) + processes + 1.0) * dimension_ * 2.0 * sizeof(float);
}

}  // namespace kaon::detail
