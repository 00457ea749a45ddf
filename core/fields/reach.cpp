// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/reach.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {

bool kernels_reach([[maybe_unused]] const void* pointer, ArrayMemory memory) {
#if defined(KOKKOS_ENABLE_CUDA)
  cudaPointerAttributes attributes{};
  const bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
  if (!known) cudaGetLastError();  // a pointer that the driver does not know is no error
  const bool managed = known && attributes.type == cudaMemoryTypeManaged;
  const bool of_device = known && attributes.type == cudaMemoryTypeDevice;
  require(memory != ArrayMemory::device || of_device || managed,
          "an array is said to lie on the device, but its address is the host's: describe it as memory of the host");
  require(memory != ArrayMemory::host || !of_device,
          "an array is said to lie on the host, but its address is a device's: describe it as memory of the device");
  if (of_device) {
    int current = 0;
    cudaGetDevice(&current);
    require(attributes.device == current, [&] {
      return fmt::format("an array lies on device {}, but this process works on device {}: copy it there",
                         attributes.device, current);
    });
  }
  return of_device || managed;
#else
  require(memory != ArrayMemory::device,
          "an array is said to lie on a device, but this kaon was built for hosts: pass host memory");
  return true;
#endif
}

}  // namespace kaon::detail
