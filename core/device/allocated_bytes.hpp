// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace kaon::detail {

/// Counts the bytes that Kokkos allocates and frees while this object exists, as Kokkos reports them to tools. A tool
/// of the user continues to receive them. One object may exist at a time.
class AllocatedBytes {
 public:
  /// `now` is negative where memory is freed that was allocated before.
  struct Count {
    std::int64_t now = 0, peak = 0;
  };

  AllocatedBytes();
  ~AllocatedBytes();
  AllocatedBytes(const AllocatedBytes&) = delete;
  AllocatedBytes& operator=(const AllocatedBytes&) = delete;

  /// The memory of fields: of the device, or of a host without a device.
  Count fields() const;
  /// Other memory: of the host beside a device.
  Count others() const;
};

}  // namespace kaon::detail
