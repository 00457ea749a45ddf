// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "coarse_schur.hpp"

namespace kaon::reference {

bool is_bipartite(const Coordinates& extents) {
  return std::all_of(extents.begin(), extents.end(), [](int extent) { return extent == 1 || extent % 2 == 0; });
}

CoarseSchur::CoarseSchur(const CoarseOperator& op, int parity)
    : op_(op), parity_(parity), preconditioned_(op.extents(), op.components()) {
  for_each_site(op_.extents(), [&](const Coordinates& a) {
    inverse_site_terms_.push_back(inverse(op_.site_term(a)));
    preconditioned_.site_term(a) = identity_matrix(op_.components());
    for (int mu = 0; mu < directions; ++mu)
      for (const int step : {+1, -1})
        preconditioned_.hop(a, mu, step) = inverse_site_terms_.back() * op_.hop(a, mu, step);
  });
}

const Matrix& CoarseSchur::inverse_site_term(const Coordinates& site) const {
  return inverse_site_terms_[static_cast<std::size_t>(lexicographic_index(site, op_.extents()))];
}

bool CoarseSchur::contains(const Coordinates& site) const {
  return !is_bipartite(op_.extents()) || parity_of(site) == parity_;
}

Spinor CoarseSchur::own(const Spinor& psi) const {
  return is_bipartite(op_.extents()) ? restrict_to_parity(psi, parity_, op_.extents()) : psi;
}

Spinor CoarseSchur::apply(const Spinor& x) const {
  const Spinor x_p = own(x);
  if (!is_bipartite(op_.extents())) return add(x_p, -1.0, hop(x_p, true));
  return add(x_p, -1.0, hop(hop(x_p, false), true));
}

Spinor CoarseSchur::prepare(const Spinor& b) const {
  const Spinor solved = solve_site_term(b);
  const Spinor solved_p = own(solved);
  return add(solved_p, 1.0, hop(add(solved, -1.0, solved_p), true));
}

Spinor CoarseSchur::reconstruct(const Spinor& x, const Spinor& b) const {
  const Spinor x_p = own(x);
  if (!is_bipartite(op_.extents())) return x_p;
  const Spinor b_q = add(b, -1.0, own(b));
  return add(add(x_p, 1.0, solve_site_term(b_q)), 1.0, hop(x_p, false));
}

Spinor CoarseSchur::apply_site_term(const Spinor& x) const { return op_.apply_site_term(own(x)); }

Matrix CoarseSchur::dense_matrix() const {
  const std::size_t size = own_components(Spinor(op_.size())).size();
  return matrix_of([&](const std::vector<Complex>& x) { return own_components(apply(field_of(x))); }, size);
}

std::vector<Complex> CoarseSchur::own_components(const Spinor& x) const {
  std::vector<Complex> result;
  for_each_site(op_.extents(), [&](const Coordinates& a) {
    if (!contains(a)) return;
    for (std::size_t k = 0; k < op_.components(); ++k) result.push_back(x[op_.offset(a) + k]);
  });
  return result;
}

Spinor CoarseSchur::field_of(const std::vector<Complex>& own_components) const {
  Spinor result(op_.size());
  std::size_t next = 0;
  for_each_site(op_.extents(), [&](const Coordinates& a) {
    if (!contains(a)) return;
    for (std::size_t k = 0; k < op_.components(); ++k) result[op_.offset(a) + k] = own_components[next++];
  });
  return result;
}

Spinor CoarseSchur::solve_site_term(const Spinor& b) const {
  Spinor result(op_.size());
  for_each_site(op_.extents(), [&](const Coordinates& a) {
    add_product(inverse_site_term(a), &b[op_.offset(a)], &result[op_.offset(a)]);
  });
  return result;
}

Spinor CoarseSchur::hop(const Spinor& x, bool to_own_sites) const {
  Spinor result(op_.size());
  for_each_site(op_.extents(), [&](const Coordinates& a) {
    if (contains(a) != to_own_sites) return;
    for (int mu = 0; mu < directions; ++mu)
      for (const int step : {+1, -1}) {
        const Coordinates b = neighbor(a, mu, step, op_.extents());
        add_product(preconditioned_.hop(a, mu, step), &x[op_.offset(b)], &result[op_.offset(a)]);
      }
  });
  return result;
}

}  // namespace kaon::reference
