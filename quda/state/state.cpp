// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/state/state.hpp"
#include "quda/client/call.hpp"
#include "quda/client/communicator.hpp"
#include "quda/client/qmp.hpp"
#include "quda/solve/multigrid.hpp"
#include "quda/solve/operator.hpp"
#include "quda/solve/solver.hpp"
#include "quda/state/chronology.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace kaon::quda {
namespace {

/// Solvers that wait for their next use: each holds its operator's links in lower precisions.
constexpr std::size_t kept_solvers = 2;

/// The program's session, which outlives all fields.
struct Program {
  std::optional<Session> session;
  State state;
};

/// Never destroyed: `end_session` frees what it holds.
Program& program() {
  static Program& instance = *new Program;
  return instance;
}

/// When the program ends, before what Kokkos and the driver of a device do then: it is registered after they are.
void end_session() {
  program().state.stop();
  program().session.reset();
}

/// Whether operators are made of such links.
bool is_in_operators(Links kind) { return kind != Links::smeared && kind != Links::of_two_links; }

const char* name_of(Links kind) {
  switch (kind) {
    case Links::wilson:
      return "gauge links (type QUDA_WILSON_LINKS)";
    case Links::fat:
      return "fat links (type QUDA_ASQTAD_FAT_LINKS)";
    case Links::long_links:
      return "long links (type QUDA_ASQTAD_LONG_LINKS)";
    case Links::smeared:
      return "smeared links (type QUDA_SMEARED_LINKS)";
    case Links::of_two_links:
      return "two-links";
  }
  return "";
}

}  // namespace

void require_plain(const ResidentLinks& links, const char* what) {
  require(links.factors.spatial == 1.0 && !links.factors.staggered_phases, [&] {
    return fmt::format("{} needs links without factors in space and without staggered phases: load such links", what);
  });
}

State& state() { return program().state; }

bool is_first_process() { return !program().session || program().session->communicator().rank() == 0; }

void end_processes(const std::string& message) {
  if (program().session) {
    const int code = program().session->fail(message);
    std::fflush(nullptr);
    std::_Exit(code);
  }
  fmt::print(stderr, "{}\n", message);
  std::fflush(nullptr);
  std::_Exit(1);
}

void State::set_communicator(const void* mpi_communicator) {
  client_communicator_ = mpi_communicator == nullptr ? nullptr : communicator_of(mpi_communicator);
}

void State::set_grid(Grid grid) {
  require(!running_, "the grid of processes must be given before initQuda");
  grid_ = std::move(grid);
}

void State::start(int device) {
  if (running_) return;
  std::optional<Session>& session = program().session;
  if (!session) {
    std::string name = "libquda", choice = fmt::format("--kokkos-device-id={}", device);
    char* arguments[] = {name.data(), choice.data(), nullptr};
    int count = device < 0 || !on_device ? 1 : 2;
    session.emplace(count, arguments);
    take_messages();
    std::atexit(end_session);
  }
  communicator_ = (client_communicator_ ? client_communicator_ : communicator_of(qmp::mpi_communicator()))(*session);
  require(grid_ || communicator_->size() == 1, [&] {
    return fmt::format(
        "there are {} processes, whose grid is not known: call initCommsGridQuda first (Chroma: run it with -geom, and "
        "link it with this library, for QMP's grid to be found)",
        communicator_->size());
  });
  if (!grid_) grid_ = Grid{};
  require(volume_of(grid_->extents) == communicator_->size(), [&] {
    return fmt::format(
        "the grid of processes {}x{}x{}x{} of initCommsGridQuda does not have the {} processes there are",
        grid_->extents[0], grid_->extents[1], grid_->extents[2], grid_->extents[3], communicator_->size());
  });
  running_ = true;
}

void State::stop() {
  free_multigrids();
  forget_solutions(-1);
  keep_solutions({});
  forget_operators();
  clover_.reset();
  momenta_.reset();
  links_.clear();
  lattices_.clear();
  communicator_.reset();
  grid_.reset();
  running_ = false;
}

void State::require_running() const { require(running_, "the library has not been started: call initQuda first"); }

const Lattice& State::lattice(const Coordinates& local_extents, int reach) {
  require_running();
  const auto key = std::pair(local_extents, reach);
  if (const auto found = lattices_.find(key); found != lattices_.end()) return found->second;
  LatticeParameters parameters{.process_grid = grid_->extents, .ranks = grid_->ranks, .reach = reach};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    require(local_extents[mu] >= 2 && local_extents[mu] % 2 == 0, [&] {
      return fmt::format("the local extents {} {} {} {} are not supported: kaon needs even ones", local_extents[0],
                         local_extents[1], local_extents[2], local_extents[3]);
    });
    require(local_extents[mu] <= std::numeric_limits<int>::max() / grid_->extents[mu], [&] {
      return fmt::format("{} sites on each of {} processes in direction {} are more than 2^31", local_extents[mu],
                         grid_->extents[mu], mu);
    });
    parameters.extents[mu] = local_extents[mu] * grid_->extents[mu];
  }
  return lattices_.emplace(key, Lattice(*communicator_, parameters)).first->second;
}

ResidentLinks& State::links(Links kind) {
  require_running();
  const auto found = links_.find(kind);
  require(found != links_.end(),
          [&] { return fmt::format("there are no {}: load them with loadGaugeQuda", name_of(kind)); });
  return found->second;
}

ResidentLinks& State::smeared_or_gauge_links() {
  return links(has_links(Links::smeared) ? Links::smeared : Links::wilson);
}

void State::set_links(Links kind, ResidentLinks links) {
  if (is_in_operators(kind)) forget_operators();
  links_.insert_or_assign(kind, std::move(links));
}

void State::free_links(Links kind) {
  if (is_in_operators(kind)) forget_operators();
  links_.erase(kind);
}

GaugeField<double>& State::momenta() {
  require_running();
  require(momenta_.has_value(), "there are no resident momenta: load them with momResidentQuda");
  return *momenta_;
}

ResidentClover& State::clover() {
  require_running();
  require(clover_.has_value(), "there is no clover term: load it with loadCloverQuda");
  return *clover_;
}

void State::set_clover(ResidentClover clover) {
  forget_operators();
  clover_.emplace(std::move(clover));
}

void State::free_clover() {
  forget_operators();
  clover_.reset();
}

std::shared_ptr<const Operator> State::operator_for(const std::string& key,
                                                    const std::function<std::shared_ptr<const Operator>()>& make) {
  if (operator_.first != key || operator_.second == nullptr) {
    operator_ = {key, nullptr};
    operator_.second = make();
  }
  return operator_.second;
}

std::shared_ptr<CachedSolver> State::solver_for(const std::string& key,
                                                const std::function<std::shared_ptr<CachedSolver>()>& make) {
  const auto found =
      std::find_if(solvers_.begin(), solvers_.end(), [&](const auto& kept) { return kept.first == key; });
  if (found != solvers_.end()) {
    std::rotate(solvers_.begin(), found, found + 1);
    return solvers_.front().second;
  }
  if (solvers_.size() == kept_solvers) solvers_.pop_back();
  solvers_.insert(solvers_.begin(), {key, make()});
  return solvers_.front().second;
}

void State::forget_operators() {
  ++version_;
  operator_ = {};
  solvers_.clear();
}

}  // namespace kaon::quda
