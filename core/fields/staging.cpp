// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/staging.hpp"

#include <kaon/core/error.hpp>

#if defined(KOKKOS_ENABLE_CUDA)

#include "core/device/allocate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace kaon::detail {
namespace {

constexpr std::size_t usual_bytes = std::size_t{8} << 20;

void check(cudaError_t status) {
  require(status == cudaSuccess, [&] {
    return fmt::format("copying an array between host and device failed: {}", cudaGetErrorString(status));
  });
}

/// Pinned memory of the host, and as much of the device.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes)
      : host_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::staging_host"), bytes),
        device_(allocate<char>("kaon::staging_device", bytes)) {
    check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming));
  }
  ~Buffer() { cudaEventDestroy(copied_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t bytes() const { return host_.size(); }
  char* host() const { return host_.data(); }
  char* device() const { return device_.data(); }

  /// Starts a copy of the first bytes; `wait` waits for its end.
  void start(CopyWay way, std::size_t count, const Execution& execution) {
    if (way == CopyWay::in) {
      check(cudaMemcpyAsync(device(), host(), count, cudaMemcpyHostToDevice, execution.cuda_stream()));
    } else {
      check(cudaMemcpyAsync(host(), device(), count, cudaMemcpyDeviceToHost, execution.cuda_stream()));
    }
    check(cudaEventRecord(copied_, execution.cuda_stream()));
  }
  void wait() const { check(cudaEventSynchronize(copied_)); }

 private:
  Kokkos::View<char*, Kokkos::SharedHostPinnedSpace> host_;
  Kokkos::View<char*, Memory> device_;
  cudaEvent_t copied_ = nullptr;
};

using Buffers = std::array<std::unique_ptr<Buffer>, 2>;

/// The buffers that no thread uses now, until Kokkos ends.
struct SpareBuffers {
  std::mutex mutex;
  Buffers buffers;
};

SpareBuffers& spare_buffers() {
  static SpareBuffers* const spare = [] {
    auto* const made = new SpareBuffers;
    Kokkos::push_finalize_hook([made] { made->buffers = {}; });
    return made;
  }();
  return *spare;
}

/// Two buffers for one thread.
class Lease {
 public:
  explicit Lease(std::size_t bytes) {
    {
      SpareBuffers& spare = spare_buffers();
      const std::lock_guard lock(spare.mutex);
      buffers_ = std::move(spare.buffers);
    }
    for (std::unique_ptr<Buffer>& buffer : buffers_) {
      if (!buffer || buffer->bytes() < bytes) buffer = std::make_unique<Buffer>(bytes);
    }
  }
  ~Lease() {
    SpareBuffers& spare = spare_buffers();
    const std::lock_guard lock(spare.mutex);
    spare.buffers = std::move(buffers_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Buffer& operator[](int piece) const { return *buffers_[static_cast<std::size_t>(piece % 2)]; }

 private:
  Buffers buffers_;
};

/// Copies sites by all threads of the host.
void copy_sites(char* to, std::ptrdiff_t to_step, const char* from, std::ptrdiff_t from_step, std::ptrdiff_t size,
                int count) {
  constexpr std::ptrdiff_t bytes_at_once = 1 << 18;
  const int at_once = static_cast<int>(std::clamp<std::ptrdiff_t>(bytes_at_once / size, 1, count));
#pragma omp parallel for
  for (int begin = 0; begin < count; begin += at_once) {
    const int end = std::min(begin + at_once, count);
    if (to_step == size && from_step == size) {
      std::memcpy(to + begin * size, from + begin * size, static_cast<std::size_t>((end - begin) * size));
      continue;
    }
    for (int site = begin; site < end; ++site) {
      std::memcpy(to + site * to_step, from + site * from_step, static_cast<std::size_t>(size));
    }
  }
}

}  // namespace

void for_staged_pieces(const Lattice& lattice, const HostArray& array, CopyWay way, const PieceWork& work) {
  const Execution execution = lattice.execution();
  const auto parts = static_cast<std::ptrdiff_t>(array.parts.size());
  const std::ptrdiff_t size = array.site_size, of_all_parts = parts * size;
  const Lease buffers(std::max(usual_bytes, static_cast<std::size_t>(of_all_parts)));
  const auto at_once = static_cast<int>(
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(usual_bytes) / of_all_parts, 1, array.sites));
  const int pieces = (array.sites + at_once - 1) / at_once;
  const auto count_of = [&](int piece) { return std::min(at_once, array.sites - piece * at_once); };
  const auto start = [&](int piece) {
    buffers[piece].start(way, static_cast<std::size_t>(count_of(piece) * of_all_parts), execution);
  };
  // The sites of a part lie together in a buffer.
  const auto between_memories = [&](int piece) {
    const int count = count_of(piece);
    for (std::ptrdiff_t part = 0; part < parts; ++part) {
      char* const given = array.parts[static_cast<std::size_t>(part)] + piece * at_once * array.site_bytes;
      char* const staged = buffers[piece].host() + part * count * size;
      if (way == CopyWay::in) {
        copy_sites(staged, size, given, array.site_bytes, size, count);
      } else {
        copy_sites(given, array.site_bytes, staged, size, size, count);
      }
    }
  };
  const auto run = [&](int piece) {
    ArrayNumbers numbers{{}, size, array.wide};
    for (std::ptrdiff_t part = 0; part < parts; ++part) {
      numbers.parts[part] = buffers[piece].device() + part * count_of(piece) * size;
    }
    work(numbers, piece * at_once, count_of(piece));
  };
  if (way == CopyWay::in) {
    for (int piece = 0; piece < pieces; ++piece) {
      buffers[piece].wait();
      between_memories(piece);
      start(piece);
      run(piece);
    }
  } else {
    for (int piece = 0; piece <= pieces; ++piece) {
      if (piece < pieces) {
        run(piece);
        start(piece);
      }
      if (piece == 0) continue;
      buffers[piece - 1].wait();
      between_memories(piece - 1);
    }
  }
  execution.fence("kaon::copy_array");
}

}  // namespace kaon::detail

#else

namespace kaon::detail {

void for_staged_pieces(const Lattice&, const HostArray&, CopyWay, const PieceWork&) {
  throw Error("kernels of this build reach all memory of the host");
}

}  // namespace kaon::detail

#endif
