// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/doublet_kernel.hpp"
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
template void apply_doublet_matrix(SpinorField<double>&, const SpinorField<double>&, const DoubletMatrix<double>&,
                                   const SpinorField<double>*, double);
template void apply_doublet_matrix(SpinorField<float>&, const SpinorField<float>&, const DoubletMatrix<float>&,
                                   const SpinorField<float>*, double);
template void apply_doublet_matrix(SpinorField<half>&, const SpinorField<half>&, const DoubletMatrix<half>&,
                                   const SpinorField<half>*, double);

}  // namespace kaon::detail
