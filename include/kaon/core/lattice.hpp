// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>
#include <kaon/core/coordinates.hpp>
#include <kaon/core/execution.hpp>

#include <cstddef>
#include <memory>

namespace kaon {

namespace detail {
class Workspace;
}

/// Parity of a site: (x + y + z + t) mod 2 of its global coordinates.
enum class Parity { even = 0, odd = 1 };

constexpr Parity opposite(Parity parity) { return parity == Parity::even ? Parity::odd : Parity::even; }

/// The sites on which a field lives.
enum class Subset { even = 0, odd = 1, full = 2 };

constexpr Subset subset_of(Parity parity) { return parity == Parity::even ? Subset::even : Subset::odd; }

/// How the sites of a process are spread over the lanes of a vector register (host only).
enum class Lanes {
  native,  ///< as many virtual nodes as the register holds, where the extents allow it; else one
  single   ///< one: the reference, correct on any extents
};

struct LatticeParameters {
  Coordinates extents{};                 ///< global extents X, Y, Z, T: even, at least 2
  Coordinates process_grid{1, 1, 1, 1};  ///< processes in each direction
  Lanes lanes = Lanes::native;
  Execution execution{};  ///< the instance (stream) on which all work on this lattice runs
};

/// The space-time lattice, shared by all fields on it. Immutable and cheap to copy.
///
/// On the host the local lattice is cut into W equal sub-lattices ("virtual nodes"), one to each lane of a vector
/// register, so that a hop is whole-vector arithmetic; `lane_grid` says how. W depends on the precision: 64-byte
/// registers hold 8 double or 16 float. A direction is cut in two only if both halves stay even. Where W sub-lattices
/// are not to be had, and on a GPU, W = 1.
class Lattice {
 public:
  /// Throws `Error` for odd, zero or negative extents and for a process grid that does not match the communicator.
  Lattice(const Communicator& communicator, const LatticeParameters& parameters);
  /// A lattice of this process alone.
  explicit Lattice(const LatticeParameters& parameters);

  const Communicator& communicator() const { return state_->communicator; }
  const Execution& execution() const { return state_->parameters.execution; }
  const Coordinates& extents() const { return state_->parameters.extents; }
  const Coordinates& process_grid() const { return state_->parameters.process_grid; }
  const Coordinates& local_extents() const { return state_->local_extents; }
  std::ptrdiff_t volume() const { return volume_of(extents()); }
  std::ptrdiff_t local_volume() const { return volume_of(local_extents()); }
  Lanes lanes() const { return state_->parameters.lanes; }

  /// Virtual nodes in each direction for fields of T; their product is W.
  template <class T>
  const Coordinates& lane_grid() const {
    return sizeof(T) == 8 ? state_->lane_grid_8 : state_->lane_grid_4;
  }
  /// W, the number of virtual nodes for fields of T.
  template <class T>
  int lane_count() const {
    return static_cast<int>(volume_of(lane_grid<T>()));
  }

  /// Frees the memory that solvers on this lattice have kept for their next call. Not while one runs.
  void release_memory() const;

  /// Scratch memory of kernels on this lattice, for kaon's own use.
  detail::Workspace& workspace() const { return *state_->workspace; }

  /// True for copies of one lattice and for equal ones: fields on them may meet in one operation.
  friend bool operator==(const Lattice& a, const Lattice& b);

 private:
  struct State {
    Communicator communicator;
    LatticeParameters parameters;
    Coordinates local_extents{};
    Coordinates lane_grid_8{};
    Coordinates lane_grid_4{};
    std::shared_ptr<detail::Workspace> workspace;
  };
  std::shared_ptr<const State> state_;
};

}  // namespace kaon
