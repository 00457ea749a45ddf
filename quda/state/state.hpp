// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/communicator.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/link_phases.hpp>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// State between the calls of a client: processes, lattices, links, clover terms and solvers.

namespace kaon::quda {

/// Numbers that are in a client's links and not in kaon's, whose operators know them.
struct LinkFactors {
  bool antiperiodic = false;      ///< in time
  double spatial = 1.0;           ///< on links in space
  bool staggered_phases = false;  ///< MILC's, with the sign at the edge in time
  /// Whose phases the client's are. Where they are others than MILC's, links keep the signs of both, which operators
  /// take as they are.
  PhaseConvention convention = PhaseConvention::milc;
  int steps = 1;  ///< of a link: 3 for long links
};

struct ResidentLinks {
  GaugeField<double> links;  ///< without the factors
  LinkFactors factors;
  LinkStorage sloppy = LinkStorage::full;  ///< in the iterations of solvers
  bool single = false;                     ///< a client keeps numbers of these links in single precision on the device
};

/// A = 1 - c sum sigma F, or a client's own. Its inverse is computed wherever it is needed.
struct ResidentClover {
  CloverField<double> term;
  std::optional<double> coefficient{};  ///< c; none: the term is a client's own
};

/// The last: links whose products U_mu(x) U_mu(x+mu) are QUDA's resident two-links.
enum class Links { wilson, fat, long_links, smeared, of_two_links };

class Operator;
class CachedSolver;

class State {
 public:
  /// The grid of processes, x to t, and the rank at each of its places, x fastest. None: for one process.
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
  /// Frees all fields and the communicator. A later `start` goes on; Kokkos stays until the program ends.
  void stop();
  /// Throws `Error` before `start` and after `stop`.
  void require_running() const;

  /// The lattice of local extents, made once. Throws `Error` for extents that kaon cannot have.
  const Lattice& lattice(const Coordinates& local_extents, int reach);

  /// Throws `Error` where there are none.
  ResidentLinks& links(Links kind);
  bool has_links(Links kind) const { return links_.contains(kind); }
  void set_links(Links kind, ResidentLinks links);
  void free_links(Links kind);
  GaugeField<double>& momenta();
  void set_momenta(GaugeField<double> momenta) { momenta_.emplace(std::move(momenta)); }
  void free_momenta() { momenta_.reset(); }
  /// The smeared links if there are any, else the gauge links.
  ResidentLinks& smeared_or_gauge_links();
  ResidentClover& clover();
  void set_clover(ResidentClover clover);
  void free_clover();

  /// Of the resident links and the clover term: it grows with each change.
  long version() const { return version_; }

  /// Operators and solvers that have been made for the resident fields, by all that they depend on: the last operator,
  /// and the last two solvers, since clients solve on both parities in turn and normal systems of twisted quarks need
  /// both signs of the twist. Fields that go drop all.
  std::shared_ptr<const Operator> operator_for(const std::string& key,
                                               const std::function<std::shared_ptr<const Operator>()>& make);
  std::shared_ptr<CachedSolver> solver_for(const std::string& key,
                                           const std::function<std::shared_ptr<CachedSolver>()>& make);

 private:
  void forget_operators();

  std::optional<Grid> grid_;
  ClientCommunicator client_communicator_;  // empty: none was given
  bool running_ = false;
  long version_ = 0;
  std::optional<Communicator> communicator_;
  std::map<std::pair<Coordinates, int>, Lattice> lattices_;
  std::map<Links, ResidentLinks> links_;
  std::optional<GaugeField<double>> momenta_;
  std::optional<ResidentClover> clover_;
  std::pair<std::string, std::shared_ptr<const Operator>> operator_;
  std::vector<std::pair<std::string, std::shared_ptr<CachedSolver>>> solvers_;  // the last used first
};

/// Throws `Error` for links with factors in space or staggered phases: `what` needs others.
void require_plain(const ResidentLinks& links, const char* what);

/// The state of this program.
State& state();

/// True before processes are known.
bool is_first_process();
/// Writes the message to standard error and ends all processes with exit code 1.
[[noreturn]] void end_processes(const std::string& message);

}  // namespace kaon::quda
