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
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace kaon::detail {
namespace {

/// The product for K right-hand sides in the layout of this build's fields.
template <class T, int K>
using Product = std::conditional_t<on_device, WordProduct<T, K>, RowPackProduct<T, K>>;

/// Columns of a matrix that are computed at once: a block of `DenseMatrix`, or more on devices, to save launches.
inline constexpr int inverse_columns_at_once = on_device ? 64 : DenseMatrix::block_columns;

/// Right-hand sides of one pass, whose sums fit into registers.
inline constexpr int most_at_once = on_device || native_lanes<double> == 8 ? 8 : 4;

/// Position of the real part of a complex number in a right-hand side's storage; the imaginary part lies `lanes`
/// further.
KOKKOS_INLINE_FUNCTION std::size_t position(int number, int lanes) {
  return static_cast<std::size_t>(2 * (number / lanes * lanes) + number % lanes);
}

/// Sets complex number first + r of right-hand side r to `value`, if this process has that number.
template <class T>
struct SetNumbers {
  T* field;
  std::size_t stride;
  int first, numbers, lanes;
  T value;

  KOKKOS_FUNCTION void operator()(const int r) const {
    const int number = first + r;
    if (number < 0 || number >= numbers) return;
    field[static_cast<std::size_t>(r) * stride + position(number, lanes)] = value;
  }
};

/// Complex numbers of a field of this operator on all processes.
template <class T>
std::ptrdiff_t dimension_of(const LinearOperator<T>& matrix) {
  const Lattice& lattice = matrix.lattice();
  const SpinorParameters domain = matrix.domain();
  return lattice.volume() / lattice.parities() * lattice.parities(domain.subset) * domain.components();
}

template <class T>
int required_dimension(const LinearOperator<T>& matrix) {
  const Lattice& lattice = matrix.lattice();
  require(lattice.is_coarse(), [&] {
    return fmt::format("lattice {} is not a coarse one: an exact inverse is made on coarse lattices only",
                       to_string(lattice.extents()));
  });
  const std::ptrdiff_t dimension = dimension_of(matrix);
  require(dimension <= ExactInverse<T>::largest_dimension, [&] {
    return fmt::format(
        "fields with {} complex numbers are too large for an exact inverse, which takes up to {}: coarsen lattice {} "
        "once more, or use a solver",
        dimension, ExactInverse<T>::largest_dimension, to_string(lattice.extents()));
  });
  return static_cast<int>(dimension);
}

template <class Dense>
Dense make_dense([[maybe_unused]] const Lattice& lattice, int dimension) {
  if constexpr (std::is_same_v<Dense, DenseMatrix>) {
    return DenseMatrix(dimension);
  } else {
    return DenseElimination(lattice, dimension);
  }
}

bool invert(DenseMatrix& dense, const Communicator& communicator) { return dense.invert(communicator); }
[[maybe_unused]] bool invert(DenseElimination& dense, const Communicator&) { return dense.invert(); }

/// Right-hand sides that are columns first, first + 1, ... of a matrix.
template <class T>
struct GivenColumns {
  const T* numbers;
  std::size_t stride;
  int first, count, lanes;
};

template <class T>
void put_columns(const Execution&, DenseMatrix& dense, const GivenColumns<T>& given) {
  constexpr int at_once = DenseMatrix::block_columns;
  double* to = dense.block(given.first / at_once);
  for (int row = 0; row < dense.dimension(); ++row, to += DenseMatrix::row_doubles) {
    const std::size_t re = position(row, given.lanes), im = re + static_cast<std::size_t>(given.lanes);
    for (int k = 0; k < given.count; ++k) {
      const T* from = given.numbers + static_cast<std::size_t>(k) * given.stride;
      to[k] = static_cast<double>(from[re]);
      to[at_once + k] = static_cast<double>(from[im]);
    }
  }
}

template <class T>
struct PutColumns {
  ColumnsOfMatrix matrix;
  GivenColumns<T> given;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const int k = item / matrix.dimension, row = item - k * matrix.dimension;
    const T* from = given.numbers + static_cast<std::size_t>(k) * given.stride + position(row, given.lanes);
    matrix.set(row, given.first + k, {static_cast<double>(from[0]), static_cast<double>(from[given.lanes])});
  }
};

template <class T>
[[maybe_unused]] void put_columns(const Execution& execution, DenseElimination& dense, const GivenColumns<T>& given) {
  Kokkos::parallel_for("kaon::exact_inverse_columns",
                       Kokkos::RangePolicy<Execution>(execution, 0, given.count * dense.dimension()),
                       PutColumns<T>{dense.columns(), given});
}

/// The rows of an inverse that a process stores.
struct KeptRows {
  int first, rows, dimension;
};

/// Stores rows in the order of the product P. Returns false if a number does not fit T.
template <class P, class T>
bool keep_rows(const Execution& execution, const Kokkos::View<T*, Memory>& matrix, const DenseMatrix& inverse,
               const KeptRows& kept) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  execution.fence("kaon::ExactInverse");
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), matrix);
  std::atomic<bool> finite = true;
  Kokkos::parallel_for("kaon::exact_inverse_keep", Kokkos::RangePolicy<Host>(0, kept.rows), [&](const int row) {
    bool row_is_finite = true;
    for (int column = 0; column < kept.dimension; ++column) {
      const std::complex<double> element = inverse.inverse(kept.first + row, column);
      const T re = static_cast<T>(element.real()), im = static_cast<T>(element.imag());
      row_is_finite = row_is_finite && std::isfinite(re) && std::isfinite(im);
      host.data()[P::offset(kept.dimension, row, column, 0)] = re;
      host.data()[P::offset(kept.dimension, row, column, 1)] = im;
    }
    if (!row_is_finite) finite = false;
  });
  Host().fence("kaon::exact_inverse_keep");
  Kokkos::deep_copy(matrix, host);
  return finite;
}

/// Counts numbers that do not fit T.
template <class P, class T>
struct KeepRow {
  T* matrix;
  DenseElimination::Inverse inverse;
  KeptRows kept;

  KOKKOS_FUNCTION void operator()(const int item, int& too_large) const {
    const int column = item / kept.rows, row = item - column * kept.rows;
    const Complex<double> element = inverse.get(kept.first + row, column);
    const T re = static_cast<T>(element.re), im = static_cast<T>(element.im);
    if (!(Kokkos::isfinite(re) && Kokkos::isfinite(im))) ++too_large;
    matrix[P::offset(kept.dimension, row, column, 0)] = re;
    matrix[P::offset(kept.dimension, row, column, 1)] = im;
  }
};

template <class P, class T>
[[maybe_unused]] bool keep_rows(const Execution& execution, const Kokkos::View<T*, Memory>& matrix,
                                const DenseElimination& inverse, const KeptRows& kept) {
  int too_large = 0;
  Kokkos::parallel_reduce("kaon::exact_inverse_keep",
                          Kokkos::RangePolicy<Execution>(execution, 0, kept.rows * kept.dimension),
                          KeepRow<P, T>{matrix.data(), inverse.inverse(), kept}, too_large);
  return too_large == 0;
}

/// Right-hand sides [first, first + K), as far as there are any.
template <class T, int K>
void launch_product(const Execution& execution, ProductOperands<T> operands, int first) {
  operands.out += static_cast<std::size_t>(first) * operands.out_stride;
  operands.in += static_cast<std::size_t>(first) * operands.in_stride;
  operands.right_hand_sides = std::min(K, operands.right_hand_sides - first);
  const Product<T, K> kernel{operands};
  launch_teams(kernel.label, execution, kernel.teams(operands.rows), kernel.team_size, kernel);
}

}  // namespace

template <class T>
bool ExactInverse<T>::fits(const LinearOperator<T>& matrix, int most) {
  return matrix.lattice().is_coarse() && dimension_of(matrix) <= std::min(most, largest_dimension);
}

template <class T>
ExactInverse<T>::ExactInverse(const LinearOperator<T>& matrix)
    : lattice_(matrix.lattice()),
      domain_(matrix.domain()),
      dimension_(required_dimension(matrix)),
      rows_(dimension_ / lattice_.communicator().size()),
      first_row_(rows_ * lattice_.communicator().rank()),
      lanes_(component_lanes<T>(domain_.components())),
      error_(std::numeric_limits<double>::infinity()) {
  Dense dense = make_dense<Dense>(lattice_, dimension_);
  take_columns(dense, matrix);
  const bool inverted = invert(dense, lattice_.communicator()) && keep(dense);
  if (lattice_.communicator().any(!inverted)) {
    matrix_ = {};
    return;
  }
  error_ = measured_error(matrix);
}

template <class T>
SpinorParameters ExactInverse<T>::shape_of(int right_hand_sides) const {
  SpinorParameters shape = domain_;
  shape.right_hand_sides = right_hand_sides;
  return shape;
}

template <class T>
void ExactInverse<T>::take_columns(Dense& dense, const LinearOperator<T>& matrix) const {
  const Execution& execution = lattice_.execution();
  Temporaries<T> fields(lattice_, shape_of(inverse_columns_at_once), 2);
  SpinorField<T>&unit = fields[0], &column = fields[1];
  std::optional<GatheredField<T>> gathered;
  const bool stays_here = on_device && rows_ == dimension_;
  if (!stays_here) gathered.emplace(lattice_, static_cast<std::size_t>(2 * rows_), inverse_columns_at_once);
  for (int first = 0; first < dimension_; first += inverse_columns_at_once) {
    const int count = std::min(inverse_columns_at_once, dimension_ - first);
    const auto set = [&](T value) {
      Kokkos::parallel_for(
          "kaon::exact_inverse_units", Kokkos::RangePolicy<Execution>(execution, 0, count),
          SetNumbers<T>{unit.data(), unit.right_hand_side_stride(), first - first_row_, rows_, lanes_, value});
    };
    set(T(1));
    SpinorField<T> columns = column.range(0, count);
    matrix.apply(columns, std::as_const(unit).range(0, count));
    set(T(0));
    if (stays_here) {
      put_columns<T>(execution, dense, {column.data(), column.right_hand_side_stride(), first, count, lanes_});
    } else {
      gathered->gather(column);
      const T* const numbers = on_device ? gathered->data() : gathered->on_host();
      put_columns<T>(execution, dense, {numbers, gathered->stride(), first, count, lanes_});
    }
  }
}

template <class T>
bool ExactInverse<T>::keep(const Dense& inverse) {
  using P = Product<T, 1>;
  matrix_ = allocate_on<T>(lattice_, "kaon::ExactInverse", P::matrix_size(rows_, dimension_));
  Kokkos::deep_copy(lattice_.execution(), matrix_, T{});
  return keep_rows<P>(lattice_.execution(), matrix_, inverse, {first_row_, rows_, dimension_});
}

template <class T>
double ExactInverse<T>::measured_error(const LinearOperator<T>& matrix) const {
  Temporaries<T> fields(lattice_, shape_of(1), 3);
  SpinorField<T>&s = fields[0], &z = fields[1], &r = fields[2];
  set_gaussian(s, {.seed = 1});
  apply(z, s);
  matrix.apply(r, z);
  const double difference2 = blas::xmy_norm2(r, s)[0];
  const double error = std::sqrt(difference2 / blas::norm2(s)[0]);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

template <class T>
void ExactInverse<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  require(!is_singular(), [&] {
    return fmt::format("the operator on {} complex numbers is singular: it has no inverse (see is_singular())",
                       dimension_);
  });
  ProductOperands<T> operands{.matrix = matrix_.data(),
                              .out = out.data(),
                              .in = in.data(),
                              .out_stride = out.right_hand_side_stride(),
                              .in_stride = in.right_hand_side_stride(),
                              .rows = rows_,
                              .columns = dimension_,
                              .right_hand_sides = in.right_hand_sides(),
                              .lanes = lanes_};
  if (rows_ < dimension_) {
    GatheredField<T>& all = gathered(in.right_hand_sides());
    all.gather(in);
    operands.in = all.data();
    operands.in_stride = all.stride();
  }
  const Execution& execution = lattice_.execution();
  for (int first = 0; first < in.right_hand_sides(); first += most_at_once) {
    const int count = in.right_hand_sides() - first;
    if (count == 1) {
      launch_product<T, 1>(execution, operands, first);
    } else if (count == 2) {
      launch_product<T, 2>(execution, operands, first);
    } else if (count <= 4) {
      launch_product<T, 4>(execution, operands, first);
    } else {
      launch_product<T, most_at_once>(execution, operands, first);
    }
  }
}

template <class T>
GatheredField<T>& ExactInverse<T>::gathered(int right_hand_sides) const {
  if (!gathered_ || gathered_->right_hand_sides() != right_hand_sides) {
    gathered_ = std::make_unique<GatheredField<T>>(lattice_, static_cast<std::size_t>(2 * rows_), right_hand_sides);
  }
  return *gathered_;
}

template <class T>
double ExactInverse<T>::flops() const {
  return 8.0 * dimension_ * dimension_;
}

template <class T>
double ExactInverse<T>::bytes() const {
  // Each process reads all of the input.
  const int processes = lattice_.communicator().size();
  return (static_cast<double>(dimension_) + processes + 1.0) * dimension_ * 2.0 * sizeof(T);
}

template class ExactInverse<double>;
template class ExactInverse<float>;

}  // namespace kaon::detail
