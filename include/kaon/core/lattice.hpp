// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>
#include <kaon/core/coordinates.hpp>
#include <kaon/core/execution.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace kaon {

namespace detail {
class Workspace;
}

/// Parity of a site: (x + y + z + t) mod 2 of its global coordinates. All sites of a lattice with one parity are even
/// (`Lattice::parities`).
enum class Parity { even = 0, odd = 1 };

constexpr Parity opposite(Parity parity) { return parity == Parity::even ? Parity::odd : Parity::even; }

/// The sites on which a field lives.
enum class Subset { even = 0, odd = 1, full = 2 };

constexpr Subset subset_of(Parity parity) { return parity == Parity::even ? Subset::even : Subset::odd; }
/// The parity of a field on one parity, and the first one of a full field.
constexpr Parity parity_of(Subset subset) { return subset == Subset::odd ? Parity::odd : Parity::even; }

/// Meaning of the lanes of a vector register (host only).
enum class Lanes {
  native,     ///< virtual nodes, as many as the register holds, where the extents allow it; else one
  single,     ///< one virtual node: the reference, correct on any extents
  components  ///< components of a site, on one virtual node: coarse lattices (`Lattice::coarsened`)
};

struct LatticeParameters {
  /// Global extents X, Y, Z, T: even, at least 2. With `Lanes::components` only local extents of partitioned directions
  /// must be even; others may be odd, or 1.
  Coordinates extents{};
  Coordinates process_grid{};  ///< processes in each direction; zeros: chosen by `choose_process_grid`
  /// Ranks of the processes of the grid, x fastest; empty: 0, 1, 2, ...
  std::vector<int> ranks{};
  /// Directions that are treated as partitioned although the grid has one process there, which then exchanges halos
  /// with itself: to test halos, and to measure what they cost.
  std::array<bool, 4> partition{};
  Lanes lanes = Lanes::native;
  /// The longest step of operators on the lattice: virtual nodes and local lattices are wider. 1 with
  /// `Lanes::components`.
  int reach = 1;
  Execution execution{};  ///< the instance (stream) on which all work on this lattice runs
};

/// The grid of `processes` processes that cuts a lattice into equal, even local lattices, wider than `reach`, with the
/// smallest surface in partitioned directions; among equals the one that leaves vector lanes their room, that
/// partitions the fewest directions, and then the latest, t before z before y before x. Throws `Error` if there is
/// none.
Coordinates choose_process_grid(const Coordinates& extents, int processes, int reach = 1);

/// The space-time lattice, shared by all fields on it. Immutable and cheap to copy.
///
/// On the host the local lattice is cut into W equal sub-lattices ("virtual nodes"), one to each lane of a vector
/// register, so that a hop is whole-vector arithmetic; `lane_grid` says how. W depends on the precision: 64-byte
/// registers hold 8 double or 16 float. A direction is cut in two only if both halves remain even and wider than
/// `reach()`. If W sub-lattices are impossible, and on a GPU, W = 1. Directions that are not partitioned are cut
/// first.
///
/// Each process holds the sites from `origin()` on, `local_extents()` of them in each direction. Both are even, so that
/// a site's parity is that of its local coordinates.
///
/// A lattice with `Lanes::components` is coarse: its sites are aggregates of another lattice (`coarsened`). It has one
/// virtual node, and lanes run over the components of its fields (`SpinorField`). Local extents are even in partitioned
/// directions and may be odd, or 1, in others.
class Lattice {
 public:
  /// Collective. Throws `Error` for other extents than those of `LatticeParameters`, a grid or ranks that do not match
  /// the communicator, local lattices that are not wider than `reach`, and parameters that processes do not share.
  Lattice(const Communicator& communicator, const LatticeParameters& parameters);
  /// A lattice of this process alone.
  explicit Lattice(const LatticeParameters& parameters);

  const Communicator& communicator() const { return state_->communicator; }
  const Execution& execution() const { return state_->parameters.execution; }
  const Coordinates& extents() const { return state_->parameters.extents; }
  const Coordinates& process_grid() const { return state_->parameters.process_grid; }
  int reach() const { return state_->parameters.reach; }
  const Coordinates& local_extents() const { return state_->local_extents; }
  /// Coordinates of this process in the grid.
  const Coordinates& process_coordinates() const { return state_->process_coordinates; }
  /// Global coordinates of the first local site.
  Coordinates origin() const;
  /// True if neighbours in direction mu = 0..3 across the edge of the local lattice are reached through a halo.
  bool is_partitioned(std::size_t mu) const { return process_grid()[mu] > 1 || state_->parameters.partition[mu]; }
  bool is_partitioned() const;
  /// Rank of the process with these coordinates in the grid, which wraps around.
  int rank_at(Coordinates process) const;
  /// Rank of the neighbour in direction mu, `step` = +1 or -1; this process itself where the grid has one process.
  int neighbor(std::size_t mu, int step) const;
  std::ptrdiff_t volume() const { return volume_of(extents()); }
  std::ptrdiff_t local_volume() const { return volume_of(local_extents()); }
  Lanes lanes() const { return state_->parameters.lanes; }
  /// True with `Lanes::components`.
  bool is_coarse() const { return lanes() == Lanes::components; }
  /// Number of parities among the sites of `subset`. All sites have 2, each with half of the local sites. On a coarse
  /// lattice they have 1, `Parity::even`, if an extent above 1 is odd, since some neighbours would have equal parities,
  /// or if the lattice is one site.
  int parities(Subset subset = Subset::full) const { return subset == Subset::full ? state_->parities : 1; }

  /// Virtual nodes in each direction for fields of T; their product is W, and 1 on coarse lattices.
  template <class T>
  const Coordinates& lane_grid() const {
    return sizeof(T) == 8 ? state_->lane_grid_8 : state_->lane_grid_4;
  }
  /// W, the number of virtual nodes for fields of T.
  template <class T>
  int lane_count() const {
    return static_cast<int>(volume_of(lane_grid<T>()));
  }

  /// The coarse lattice of aggregates: its sites a are the hypercubes of `block` sites x of this lattice,
  ///
  ///   a_mu = floor(x_mu / block_mu),    coarse extents = extents / block,
  ///
  /// and their parity is that of their own global coordinates a, if there are two (`parities`). It has the
  /// communicator, process grid and partitioned directions of this lattice, so that no aggregate lies on two processes,
  /// and `Lanes::components`. It can be coarsened again. Throws `Error` unless each block_mu divides the local extent,
  /// in partitioned directions to an even number; the message lists the extents that do.
  Lattice coarsened(const Coordinates& block) const;
  /// The part of this process as a lattice of its own: periodic, stored alike, with sums over its sites alone.
  Lattice isolated() const;
  /// True if fields on both are stored alike, so that `on` makes a field on one of a field on the other.
  bool same_layout(const Lattice& other) const;

  /// Frees the memory that solvers on this lattice have cached for their next call, and the buffers of halos, which are
  /// cached for each number of right-hand sides. Collective, and not while a solver runs.
  void release_memory() const;

  /// Scratch memory of kernels on this lattice, for kaon's own use.
  detail::Workspace& workspace() const { return *state_->workspace; }

  /// True for copies of one lattice and for equal ones on one communicator: their fields may meet in one operation.
  friend bool operator==(const Lattice& a, const Lattice& b);

 private:
  struct State {
    Communicator communicator;
    LatticeParameters parameters;
    Coordinates local_extents{};
    Coordinates process_coordinates{};
    Coordinates lane_grid_8{};
    Coordinates lane_grid_4{};
    int parities = 2;
    std::shared_ptr<detail::Workspace> workspace;
  };
  explicit Lattice(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace kaon
