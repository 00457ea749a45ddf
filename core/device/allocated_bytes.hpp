// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <exception>

namespace kaon::detail {

/// Whether an exception says that memory is lacking. Kokkos has no type of its own for that: its text is known.
bool lacks_memory(const std::exception& error);

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
