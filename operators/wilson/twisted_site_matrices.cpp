// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/site_matrix_kernel.hpp"

namespace kaon::detail {

template void apply_site_matrix(SpinorField<double>&, const SpinorField<double>&, const TwistMatrix&);
template void apply_site_matrix(SpinorField<float>&, const SpinorField<float>&, const TwistMatrix&);
template void apply_site_matrix(SpinorField<half>&, const SpinorField<half>&, const TwistMatrix&);
template void apply_site_matrix(SpinorField<double>&, const SpinorField<double>&, const TwistedCloverMatrix<double>&);
template void apply_site_matrix(SpinorField<float>&, const SpinorField<float>&, const TwistedCloverMatrix<float>&);
template void apply_site_matrix(SpinorField<half>&, const SpinorField<half>&, const TwistedCloverMatrix<half>&);
template void apply_site_matrix(SpinorField<double>&, const SpinorField<double>&, const TwistedCloverInverse<double>&);
template void apply_site_matrix(SpinorField<float>&, const SpinorField<float>&, const TwistedCloverInverse<float>&);
template void apply_site_matrix(SpinorField<half>&, const SpinorField<half>&, const TwistedCloverInverse<half>&);

}  // namespace kaon::detail
