// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/state/state.hpp"
#include "quda/client/call.hpp"
#include "quda/client/process.hpp"
#include "quda/client/qmp.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

namespace kaon::quda {
namespace {

/// Frees everything when the program ends. It is registered after the functions by which Kokkos and the driver of a
/// device end, so that it runs before them.
void end_session() {
  state().stop();
  session().reset();
}

/// Whether operators are made of such links.
bool is_in_operators(LinkKind kind) { return kind != LinkKind::smeared && kind != LinkKind::two_links; }

/// The names of links, in the order of `LinkKind`.
constexpr const char* link_names[] = {"gauge links (type QUDA_WILSON_LINKS)", "fat links (type QUDA_ASQTAD_FAT_LINKS)",
                                      "long links (type QUDA_ASQTAD_LONG_LINKS)",
                                      "smeared links (type QUDA_SMEARED_LINKS)", "two-links"};

}  // namespace

void require_plain(const ResidentLinks& links, const char* what) {
  require(links.factors.spatial == 1.0 && !links.factors.staggered_phases, [&] {
    return fmt::format("{} needs links without factors in space and without staggered phases: load such links", what);
  });
}

State& state() {
  static State& instance = *new State;  // never destroyed: `end_session` frees its fields
  return instance;
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
  if (!session()) {
    std::string name = "libquda", choice = fmt::format("--kokkos-device-id={}", device);
    char* arguments[] = {name.data(), choice.data(), nullptr};
    int count = device < 0 || !on_device ? 1 : 2;
    session().emplace(count, arguments);
    take_messages();
    std::atexit(end_session);
  }
  communicator_ = (client_communicator_ ? client_communicator_ : communicator_of(qmp::mpi_communicator()))(*session());
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
  held_.clear();
  forget_derived();
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

ResidentLinks& State::links(LinkKind kind) {
  require_running();
  const auto found = links_.find(kind);
  require(found != links_.end(), [&] {
    return fmt::format("there are no {}: load them with loadGaugeQuda", link_names[static_cast<int>(kind)]);
  });
  return found->second;
}

ResidentLinks& State::smeared_or_gauge_links() {
  return links(has_links(LinkKind::smeared) ? LinkKind::smeared : LinkKind::wilson);
}

void State::set_links(LinkKind kind, ResidentLinks links) {
  if (is_in_operators(kind)) forget_derived();
  links_.insert_or_assign(kind, std::move(links));
}

void State::free_links(LinkKind kind) {
  if (is_in_operators(kind)) forget_derived();
  links_.erase(kind);
}

GaugeField<double>& State::momenta() {
  require_running();
  require(momenta_.has_value(), "there are no resident momenta: load them with momResidentQuda");
  return *momenta_;
}

ResidentClover& State::resident_clover() {
  require_running();
  require(clover_.has_value(), "there is no clover term: load it with loadCloverQuda");
  return *clover_;
}

void State::set_clover(ResidentClover clover) {
  forget_derived();
  clover_.emplace(std::move(clover));
}

void State::free_clover() {
  forget_derived();
  clover_.reset();
}

void State::forget_derived() {
  ++version_;
  derived_.clear();
}

}  // namespace kaon::quda
