// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::detail {

/// Throws `Error` if kernels on the device do not receive the host's arguments. nvcc from CUDA 12.9 on and the host's
/// compiler lay out the views of Kokkos before 4.7.2 differently: kernels then read garbage after them, without
/// an error. Only a kernel can detect it. Kokkos must have been started; nothing to do on hosts.
void require_kernel_arguments();

}  // namespace kaon::detail
