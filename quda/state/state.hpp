// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/client/process.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>

#include <map>
#include <memory>
#include <optional>
#include <typeindex>
#include <utility>
#include <vector>

// State between the calls of a client: processes, lattices, links, momenta and clover terms. Other rooms store their
// objects here, which state/ does not know.

namespace kaon::quda {

struct ResidentLinks {
  GaugeField<double> links;  ///< without the factors
  LinkFactors factors;
  LinkStorage sloppy = LinkStorage::full;  ///< in the iterations of solvers
  bool single = false;                     ///< the client stores these links in single precision on the device
};

/// A = 1 - c sum sigma F, or a client's own. Its inverse is computed wherever it is needed.
struct ResidentClover {
  CloverField<double> term;
  std::optional<double> coefficient{};  ///< c; none: the term is a client's own
};

class State {
 public:
  /// The grid of processes, x to t, and the rank at each of its places, x fastest. Without ranks there is
  /// one process.
  struct Grid {
    Coordinates extents{1, 1, 1, 1};
    std::vector<int> ranks;
  };

  /// Copies the handle that an `MPI_Comm*` leads to; null: all processes.
  void set_communicator(const void* mpi_communicator);
  void set_grid(Grid grid);
  bool has_grid() const { return grid_.has_value(); }
  /// Joins MPI and Kokkos, or starts them. A negative device is that of the rank on its node.
  void start(int device);
  bool is_running() const { return running_; }
  /// Frees all fields and the communicator. `start` may follow; Kokkos runs until the program ends.
  void stop();
  /// Throws `Error` before `start` and after `stop`.
  void require_running() const;

  /// The lattice of local extents, made once. Throws `Error` for extents that kaon cannot have.
  const Lattice& lattice(const Coordinates& local_extents, int reach);

  /// Throws `Error` if there are none.
  ResidentLinks& links(LinkKind kind);
  bool has_links(LinkKind kind) const { return links_.contains(kind); }
  void set_links(LinkKind kind, ResidentLinks links);
  void free_links(LinkKind kind);
  GaugeField<double>& momenta();
  void set_momenta(GaugeField<double> momenta) { momenta_.emplace(std::move(momenta)); }
  void free_momenta() { momenta_.reset(); }
  /// The smeared links if there are any, else the gauge links.
  ResidentLinks& smeared_or_gauge_links();
  ResidentClover& resident_clover();
  void set_clover(ResidentClover clover);
  void free_clover();

  /// Counts the changes of the links of operators and of the clover term.
  long version() const { return version_; }

  /// An object of another room, made at its first use, that lives until `stop`.
  template <class T>
  T& held() {
    return slot<T>(held_);
  }
  /// An object of another room that depends on the links of operators or on the clover term: it lives until these
  /// change.
  template <class T>
  T& derived() {
    return slot<T>(derived_);
  }

 private:
  using Slots = std::map<std::type_index, std::shared_ptr<void>>;

  template <class T>
  static T& slot(Slots& slots) {
    std::shared_ptr<void>& object = slots[typeid(T)];
    if (!object) object = std::make_shared<T>();
    return *static_cast<T*>(object.get());
  }
  void forget_derived();

  std::optional<Grid> grid_;
  ClientCommunicator client_communicator_;  // empty: none was given
  bool running_ = false;
  long version_ = 0;
  std::optional<Communicator> communicator_;
  std::map<std::pair<Coordinates, int>, Lattice> lattices_;
  std::map<LinkKind, ResidentLinks> links_;
  std::optional<GaugeField<double>> momenta_;
  std::optional<ResidentClover> clover_;
  Slots held_;
  Slots derived_;
};

/// Throws `Error` for links with factors in space or staggered phases: `what` needs others.
void require_plain(const ResidentLinks& links, const char* what);

/// The state of this program.
State& state();

}  // namespace kaon::quda
