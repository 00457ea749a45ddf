// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/site_matrix_kernel.hpp"

namespace kaon::detail {

template void apply_site_matrix(SpinorField<double>&, const SpinorField<double>&, const CloverMatrix<double>&);
template void apply_site_matrix(SpinorField<float>&, const SpinorField<float>&, const CloverMatrix<float>&);
template void apply_site_matrix(SpinorField<half>&, const SpinorField<half>&, const CloverMatrix<half>&);

}  // namespace kaon::detail
