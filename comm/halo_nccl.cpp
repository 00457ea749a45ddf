// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"
#include "comm/processes.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <nccl.h>

#include <exception>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

void check(ncclResult_t status, const char* what) {
  require(status == ncclSuccess, [&] {
    return fmt::format("{} failed: {}; NCCL_DEBUG=WARN tells more, KAON_TRANSPORT chooses another transport", what,
                       ncclGetErrorString(status));
  });
}

/// Collective form of the above: all processes throw together.
void check_together(const Communicator& all, ncclResult_t status, const char* what) {
  const bool failed = all.any(status != ncclSuccess);
  check(status, what);
  require(!failed, [&] { return fmt::format("{} failed on another process", what); });
}

/// The processes of a kaon communicator, of the same ranks, as NCCL knows them.
class NcclCommunicator {
 public:
  /// Making one takes long, so that all lattices of the same processes share it, for as long as one has halos.
  /// Collective.
  static std::shared_ptr<NcclCommunicator> of(const Communicator& all) {
    static std::map<int, std::weak_ptr<NcclCommunicator>> made;
    std::weak_ptr<NcclCommunicator>& kept = made[all.group()];
    std::shared_ptr<NcclCommunicator> found = kept.lock();
    if (!found) kept = found = std::make_shared<NcclCommunicator>(all);
    return found;
  }

  explicit NcclCommunicator(const Communicator& all) {
    ncclUniqueId id{};
    const ncclResult_t status = all.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
    check_together(all, status, "ncclGetUniqueId");
    all.broadcast(&id, sizeof(id));
    check_together(all, ncclCommInitRank(&communicator_, all.size(), id, all.rank()), "ncclCommInitRank");
  }
  ~NcclCommunicator() {
    // NCCL waits here for the others of the node, which do not come where an exception of this process alone passes by.
    if (std::uncaught_exceptions() > 0) {
      (void)ncclCommAbort(communicator_);
    } else {
      (void)ncclCommDestroy(communicator_);
    }
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  ncclComm_t get() const { return communicator_; }

 private:
  ncclComm_t communicator_ = nullptr;
};

/// Messages of NCCL: kernels on the instance that packs, which wait there for the neighbours'. The host does not
/// participate.
class NcclBackend final : public BufferedBackend {
 public:
  NcclBackend(const Lattice& lattice, const FaceBuffers& buffers)
      : BufferedBackend(lattice, buffers), communicator_(NcclCommunicator::of(lattice.communicator())) {
    for (int face = 0; face < faces; ++face) {
      if (buffers.bytes(face) == 0) continue;
      const std::size_t offset = buffers.offset(face);
      messages_.push_back({outgoing_.data() + offset, incoming_.data() + offset, buffers.bytes(face),
                           sends_to(lattice, face), receives_from(lattice, face)});
    }
  }
  ~NcclBackend() override { side_.execution().fence("kaon::NcclBackend"); }

  /// NCCL has no tags: the k-th message from A to B is what the k-th receive of B from A gets. Both go through the
  /// faces in ascending order, and a face joins A to B or not, whichever of them is asked: B lies behind A in direction
  /// mu if and only if A lies ahead of B. So the k-th face that A sends to B is the k-th face through which B sees A,
  /// also where A is on both sides of B (two processes in a direction), in several directions, or B itself (one
  /// process).
  void start() override {
    const cudaStream_t stream = side_.execution().cuda_stream();
    check(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t status = ncclSuccess;
    const auto call = [&](auto function, auto* data, std::size_t bytes, int peer) {
      if (status == ncclSuccess) status = function(data, bytes, ncclInt8, peer, communicator_->get(), stream);
    };
    for (const FaceMessage& message : messages_) {
      call(ncclSend, message.outgoing, message.bytes, message.to);
      call(ncclRecv, message.incoming, message.bytes, message.from);
    }
    // A group that has started must end, even after an error.
    const ncclResult_t ended = ncclGroupEnd();
    check(status, "sending halos by NCCL");
    check(ended, "ncclGroupEnd");
  }
  void finish() override { side_.lead(); }

 private:
  struct FaceMessage {
    const std::byte* outgoing;
    std::byte* incoming;
    std::size_t bytes;
    int to, from;
  };

  std::shared_ptr<NcclCommunicator> communicator_;
  std::vector<FaceMessage> messages_;
};

/// The place of this process' GPU on its bus, by which NCCL distinguishes GPUs; false if CUDA does not report it.
bool find_bus_address(std::uint64_t& address) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  for (const cudaDeviceAttr part : {cudaDevAttrPciDomainId, cudaDevAttrPciBusId, cudaDevAttrPciDeviceId}) {
    int number = 0;
    if (cudaDeviceGetAttribute(&number, part, device) != cudaSuccess) return false;
    address = address << 16 | static_cast<std::uint32_t>(number);
  }
  return true;
}

}  // namespace

bool nccl_is_usable(const Lattice& lattice) {
  const Communicator& all = lattice.communicator();
  const auto size = static_cast<std::size_t>(all.size()), rank = static_cast<std::size_t>(all.rank());
  std::vector<std::uint64_t> addresses(2 * size);
  addresses[2 * rank] = node_number();
  const bool failed = !find_bus_address(addresses[2 * rank + 1]);
  all.exclusive_or(addresses);  // gathers them: elsewhere they are zero
  std::set<std::pair<std::uint64_t, std::uint64_t>> gpus;
  for (std::size_t k = 0; k < size; ++k) gpus.emplace(addresses[2 * k], addresses[2 * k + 1]);
  return !all.any(failed || gpus.size() < size);
}

std::unique_ptr<HaloExchange::Backend> make_nccl_backend(const Lattice& lattice, const FaceBuffers& buffers) {
  require(nccl_is_usable(lattice), "NCCL needs a GPU of its own for each process: use another transport");
  return std::make_unique<NcclBackend>(lattice, buffers);
}

}  // namespace kaon::detail
