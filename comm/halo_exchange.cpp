// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_exchange.hpp"

#include "comm/halo_backend.hpp"
#include "comm/network.hpp"
#include "core/lattice/workspace.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <typeinfo>
#include <utility>

namespace kaon {

std::string to_string(Transport transport) {
  switch (transport) {
    case Transport::host:
      return "host";
    case Transport::staged:
      return "staged";
    case Transport::device:
      return "device";
    case Transport::peer:
      return "peer";
    case Transport::nccl:
      return "nccl";
  }
  return "unknown";
}

namespace {

/// Found once for each lattice: asking makes neighbours open each other's memory.
struct UsableTransports {
  explicit UsableTransports(const Lattice& lattice) {
    if (detail::peers_are_reachable(lattice)) transports.push_back(Transport::peer);
    if (detail::nccl_is_usable(lattice)) transports.push_back(Transport::nccl);
    const Communicator& all = lattice.communicator();
    if (!all.any(!all.sends_device_memory())) transports.push_back(Transport::device);
    transports.push_back(Transport::staged);
  }
  std::vector<Transport> transports;
};

}  // namespace

std::vector<Transport> usable_transports(const Lattice& lattice) {
  if constexpr (!on_device) return {Transport::host};
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(UsableTransports), 0);
  if (!kept) kept = std::make_shared<UsableTransports>(lattice);
  return static_cast<const UsableTransports*>(kept.get())->transports;
}

Transport choose_transport(const Lattice& lattice) {
  const std::vector<Transport> usable = usable_transports(lattice);
  const std::string asked = detail::transport_setting(lattice.communicator()).transport;
  if (asked.empty()) return usable.front();
  const auto found =
      std::find_if(usable.begin(), usable.end(), [&](Transport transport) { return to_string(transport) == asked; });
  require(found != usable.end(), [&] {
    std::vector<std::string> names;
    for (const Transport transport : usable) names.push_back(to_string(transport));
    return fmt::format("KAON_TRANSPORT={} does not work here: use one of {}, or leave it unset", asked,
                       fmt::join(names, ", "));
  });
  return *found;
}

namespace detail {

FaceBuffers::FaceBuffers(const std::array<std::size_t, faces>& bytes) : bytes_(bytes) {
  constexpr std::size_t alignment = 256;
  for (std::size_t face = 0; face < faces; ++face) {
    offset_[face] = size_;
    size_ += (bytes[face] + alignment - 1) / alignment * alignment;
  }
}

int sends_to(const Lattice& lattice, int face) {
  return lattice.neighbor(static_cast<std::size_t>(face / 2), face % 2 == 0 ? -1 : +1);
}

int receives_from(const Lattice& lattice, int face) {
  return lattice.neighbor(static_cast<std::size_t>(face / 2), face % 2 == 0 ? +1 : -1);
}

std::unique_ptr<Exchange> exchange_faces(const Lattice& lattice, const FaceBuffers& buffers, std::byte* outgoing,
                                         std::byte* incoming) {
  std::vector<Message> sends, receives;
  for (int face = 0; face < faces; ++face) {
    if (buffers.bytes(face) == 0) continue;
    sends.push_back({outgoing + buffers.offset(face), buffers.bytes(face), sends_to(lattice, face), face});
    receives.push_back({incoming + buffers.offset(face), buffers.bytes(face), receives_from(lattice, face), face});
  }
  return lattice.communicator().make_exchange(sends, receives);
}

namespace {

/// Messages from and to the memory that the kernels use.
class DirectBackend final : public BufferedBackend {
 public:
  DirectBackend(const Lattice& lattice, const FaceBuffers& buffers)
      : BufferedBackend(lattice, buffers),
        exchange_(exchange_faces(lattice, buffers, outgoing_.data(), incoming_.data())) {}

  void start() override {
    // On a device other work must be launched first, which the host does not wait for.
    if (!on_device) send();
  }
  void finish() override {
    if (on_device) send();
    exchange_->finish();
    side_.lead();
  }

 private:
  void send() {
    side_.wait();
    exchange_->start();
  }

  std::unique_ptr<Exchange> exchange_;
};

/// Halos that an emulated network carries, where no host participates: the instance that packs waits until they are
/// there. (Where a host does, its `Exchange` waits.)
class EmulatedBackend final : public HaloExchange::Backend {
 public:
  EmulatedBackend(std::unique_ptr<Backend> inner, double seconds) : inner_(std::move(inner)), seconds_(seconds) {}

  const Execution& packing() override { return *(packing_ = &inner_->packing()); }
  void* outgoing(int face) const override { return inner_->outgoing(face); }
  void start() override {
    inner_->start();
    stall(*packing_, seconds_);
  }
  void finish() override { inner_->finish(); }
  const void* incoming(int face) const override { return inner_->incoming(face); }
  HaloFlags flags() const override { return inner_->flags(); }

 private:
  std::unique_ptr<Backend> inner_;
  double seconds_;
  const Execution* packing_ = nullptr;
};

/// A thread waits for each face.
struct WaitForHalos {
  static constexpr int max_team_size = 32;
  static constexpr unsigned min_teams = 1;
  HaloFlags flags;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for (int face = team.team_rank(); face < faces; face += team.team_size()) flags.wait(face);
  }
};

void require_finished(bool started) {
  require(!started, "an exchange of halos was left unfinished by an exception: make a new lattice");
}

}  // namespace

HaloExchange::HaloExchange(const Lattice& lattice, const std::array<std::size_t, faces>& bytes, Transport transport)
    : transport_(transport) {
  const FaceBuffers buffers(bytes);
  switch (transport) {
    case Transport::host:
    case Transport::device:
      backend_ = std::make_unique<DirectBackend>(lattice, buffers);
      break;
    case Transport::staged:
      backend_ = make_staged_backend(lattice, buffers);
      break;
    case Transport::peer:
      backend_ = make_peer_backend(lattice, buffers);
      break;
    case Transport::nccl:
      backend_ = make_nccl_backend(lattice, buffers);
      break;
  }
  if (transport != Transport::nccl) return;  // with `peer` the kernels that raise flags wait
  if (const auto network = network_of(lattice.communicator())) {
    const double sent = std::accumulate(bytes.begin(), bytes.end(), 0.0);
    backend_ = std::make_unique<EmulatedBackend>(std::move(backend_), network->message_seconds(sent));
  }
}

HaloExchange::~HaloExchange() = default;
const Execution& HaloExchange::packing() {
  require_finished(started_);
  return backend_->packing();
}
bool HaloExchange::works_within_kernels() const { return backend_->works_within_kernels(); }
HaloSignals HaloExchange::next_generation() {
  require_finished(started_);
  return backend_->next_generation();
}
HaloFlags HaloExchange::flags() const { return backend_->flags(); }
void* HaloExchange::outgoing(int face) const { return backend_->outgoing(face); }
const void* HaloExchange::incoming(int face) const { return backend_->incoming(face); }
void HaloExchange::start() {
  started_ = true;
  backend_->start();
}
void HaloExchange::finish() {
  backend_->finish();
  started_ = false;
}

void wait_for_halos(const HaloExchange& exchange, const Execution& execution) {
  const HaloFlags flags = exchange.flags();
  const bool none =
      std::all_of(std::begin(flags.flag), std::end(flags.flag), [](auto* flag) { return flag == nullptr; });
  if (!none) launch_teams("kaon::wait_for_halos", execution, 1, WaitForHalos::max_team_size, WaitForHalos{flags});
}

}  // namespace detail
}  // namespace kaon
