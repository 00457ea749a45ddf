// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "wilson.hpp"

namespace kaon::reference {

/// Even-odd forms of M = [[A_pp, -D_pq/2], [-D_qp/2, A_qq]], p one parity, q the other, A the full site-diagonal term.
/// Fields of parity p are full fields that vanish on q; what they hold on q is ignored.

/// A_pp - (D_pq/2) A_qq^-1 (D_qp/2).
Spinor schur_asymmetric(const WilsonOperator& op, const Spinor& psi, int parity);
Spinor schur_asymmetric_dagger(const WilsonOperator& op, const Spinor& psi, int parity);

/// 1 - A_pp^-1 (D_pq/2) A_qq^-1 (D_qp/2).
Spinor schur_symmetric(const WilsonOperator& op, const Spinor& psi, int parity);
Spinor schur_symmetric_dagger(const WilsonOperator& op, const Spinor& psi, int parity);

/// Right-hand side of the asymmetric system: b_p + (D_pq/2) A_qq^-1 b_q.
Spinor schur_asymmetric_source(const WilsonOperator& op, const Spinor& b, int parity);

/// Right-hand side of the symmetric system: A_pp^-1 times the asymmetric one.
Spinor schur_symmetric_source(const WilsonOperator& op, const Spinor& b, int parity);

/// The full solution of M x = b from its part x_p: x_q = A_qq^-1 (b_q + (D_qp/2) x_p). It is equal for both forms.
Spinor schur_reconstruct(const WilsonOperator& op, const Spinor& x, const Spinor& b, int parity);

}  // namespace kaon::reference
