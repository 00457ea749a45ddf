// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/slices.hpp"

#include <cmath>

// A client of QUDA's domain wall quarks, and QUDA's formulas for them on fields of the slow reference.

namespace kaon::test {

/// b_s or c_s of a client's array.
inline Complex& of_slice(QudaInvertParam& param, bool c, int s) {
  static_assert(sizeof(param.b_5[0]) == sizeof(Complex));
  return reinterpret_cast<Complex*>(c ? param.c_5 : param.b_5)[s];
}

/// Moebius with b = 1.5 and c = 0.5, a term of the exact one-flavour action for `QUDA_MOBIUS_DWF_EOFA_DSLASH`, or, for
/// the other types, Shamir.
inline QudaInvertParam domain_wall_param(QudaDslashType type, int slices) {
  QudaInvertParam param = invert_param(type);
  param.inv_type = QUDA_CG_INVERTER;
  param.solve_type = QUDA_NORMOP_PC_SOLVE;
  param.kappa = newQudaInvertParam().kappa;  // as clients leave it
  param.mass = 0.2;
  param.m5 = -1.4;
  param.Ls = slices;
  if (type == QUDA_MOBIUS_DWF_DSLASH || type == QUDA_MOBIUS_DWF_EOFA_DSLASH) {
    for (int s = 0; s < slices; ++s) {
      param.b_5[s] = 1.5;
      param.c_5[s] = 0.5;
    }
  }
  param.eofa_shift = -0.7;
  param.eofa_pm = 1;
  param.mq1 = param.mass;
  param.mq2 = 0.1;
  param.mq3 = 0.9;
  return param;
}

/// z-Moebius: complex b and c that differ between slices.
inline QudaInvertParam z_moebius_param(int slices) {
  QudaInvertParam param = domain_wall_param(QUDA_MOBIUS_DWF_DSLASH, slices);
  for (int s = 0; s < slices; ++s) {
    of_slice(param, false, s) = {1.5 - 0.2 * s, 0.1 * s - 0.2};
    of_slice(param, true, s) = {0.5 - 0.2 * s, 0.15 - 0.1 * s};
  }
  return param;
}

/// QUDA's matrices in kappa normalisation, written out as in lib/dirac_mobius.cpp and lib/dirac_domain_wall_4d.cpp of
/// 9521952, with D4 the hopping term on each slice and D5 the one between slices, S here: N = M5 - kappa_b D4 B.
/// kappa_b and kappa_c are those of the row of each slice.
class QudaDomainWall {
 public:
  QudaDomainWall(const reference::Links& links, QudaInvertParam param, bool antiperiodic = true)
      : wilson_(links, extents, {.boundary_phases = {1.0, 1.0, 1.0, antiperiodic ? -1.0 : 1.0}}),
        mass_(param.mass),
        slices_(static_cast<std::size_t>(param.Ls)) {
    const bool eofa = param.dslash_type == QUDA_MOBIUS_DWF_EOFA_DSLASH;
    const bool moebius = param.dslash_type == QUDA_MOBIUS_DWF_DSLASH || eofa;
    for (int s = 0; s < param.Ls; ++s) {
      b_.push_back(moebius ? of_slice(param, false, s) : 1.0);
      c_.push_back(moebius ? of_slice(param, true, s) : 0.0);
      kappa_.push_back(0.5 / (b_.back() * (4.0 + param.m5) + 1.0));
      ratio_.push_back(kappa_.back() / (0.5 / (c_.back() * (4.0 + param.m5) - 1.0)));
    }
    kappa_b = kappa_[0].real();
    if (!eofa) return;
    upper_ = param.eofa_pm != 0;
    const double alpha = b_[0].real() + c_[0].real(), count = static_cast<double>(slices_);
    const auto sum = [&](double mass) { return std::pow(alpha + 1.0, count) + mass * std::pow(alpha - 1.0, count); };
    const double norm =
        alpha * (param.mq3 - param.mq2) * std::pow(alpha + 1.0, 2.0 * count) / (sum(param.mq2) * sum(param.mq3));
    const double factor = (upper_ ? 2.0 : -2.0) * param.eofa_shift * norm * sum(param.mq1) * 2.0 * kappa_b;
    column_.resize(slices_);
    for (std::size_t s = 0; s < slices_; ++s) {
      const auto power = static_cast<double>(s);
      column_[upper_ ? s : slices_ - 1 - s] =
          factor * std::pow(1.0 - alpha, power) / std::pow(alpha + 1.0, count + power + 1.0);
    }
  }

  /// Upper components come from the slice before, lower ones from the slice behind; with `dagger` the other way round.
  Slices shift(const Slices& psi, bool dagger) const {
    Slices out(slices_, reference::Spinor(psi[0].size()));
    for (std::size_t s = 0; s < slices_; ++s) {
      for (std::size_t k = 0; k < psi[0].size(); ++k) {
        const bool from_before = (k % 12 < 6) != dagger;
        const std::size_t from = (s + (from_before ? slices_ - 1 : 1)) % slices_;
        const bool over_the_edge = from_before ? s == 0 : s + 1 == slices_;
        out[s][k] = (over_the_edge ? -mass_ : 1.0) * psi[from][k];
      }
    }
    return out;
  }
  Slices d4(const Slices& psi, bool dagger) const {
    Slices out;
    for (const reference::Spinor& slice : psi) out.push_back(dagger ? wilson_.hop_dagger(slice) : wilson_.hop(slice));
    return out;
  }
  Slices pre(const Slices& psi, bool dagger) const {
    return sum(by_row(b_, psi, dagger), 1.0, shift_by_row(c_, psi, dagger));
  }
  Slices m5(const Slices& psi, bool dagger) const {
    return add_rank_one(sum(psi, 1.0, shift_by_row(ratio_, psi, dagger)), psi, 1.0, column_, row(), dagger);
  }
  /// By the formula of Sherman and Morrison: (M + u v^T)^-1 = M^-1 - M^-1 u v^T M^-1 / (1 + v^T M^-1 u)
  Slices m5_inverse(const Slices& psi, bool dagger) const {
    const Slices plain = plain_inverse(psi, dagger);
    if (column_.empty()) return plain;
    const auto at_a_site = [&](const std::vector<double>& numbers) {
      Slices result;
      for (const double number : numbers) result.emplace_back(12, number);
      return result;
    };
    std::vector<double> solved;  // M^-1 u of one component
    double product = 0.0;
    const std::vector<double> u = dagger ? row() : column_, v = dagger ? column_ : row();
    for (const reference::Spinor& slice : plain_inverse(at_a_site(u), dagger)) {
      solved.push_back(slice[upper_ ? 0 : 6].real());
      product += v[solved.size() - 1] * solved.back();
    }
    return add_rank_one(plain, plain, -1.0 / (1.0 + product), solved, v, false);
  }
  Slices hop(const Slices& psi, bool dagger) const {
    return dagger ? pre(d4(psi, true), true) : d4(pre(psi, false), false);
  }
  /// kappa_b D4 B
  Slices kappa_hop(const Slices& psi, bool dagger) const {
    return dagger ? hop(by_row(kappa_, psi, true), true) : by_row(kappa_, hop(psi, false), false);
  }
  Slices mat(const Slices& psi, bool dagger) const { return sum(m5(psi, dagger), -1.0, kappa_hop(psi, dagger)); }
  /// On the fields of one parity.
  Slices matpc(const Slices& psi, bool symmetric, bool dagger) const {
    if (!symmetric) {
      return sum(m5(psi, dagger), -1.0, kappa_hop(m5_inverse(kappa_hop(psi, dagger), dagger), dagger));
    }
    if (dagger) return sum(psi, -1.0, kappa_hop(m5_inverse(kappa_hop(m5_inverse(psi, true), true), true), true));
    return sum(psi, -1.0, m5_inverse(kappa_hop(m5_inverse(kappa_hop(psi, false), false), false), false));
  }
  /// The source on a parity whose solution is that of N x = b there.
  Slices prepared(const Slices& b, const QudaInvertParam& param) const {
    const int p = test::parity_of(param);
    const Slices source = sum(on_parity(b, p), 1.0, kappa_hop(m5_inverse(on_parity(b, 1 - p), false), false));
    return is_symmetric(param) ? m5_inverse(source, false) : source;
  }

  double kappa_b = 0.0;  ///< if it is real and equal on all slices

 private:
  /// f psi, f a number of each slice, or with its conjugate.
  static Slices by_row(const std::vector<Complex>& f, Slices psi, bool dagger) {
    for (std::size_t s = 0; s < psi.size(); ++s) {
      for (Complex& z : psi[s]) z *= dagger ? std::conj(f[s]) : f[s];
    }
    return psi;
  }
  /// f S psi, or S^dag f^* psi
  Slices shift_by_row(const std::vector<Complex>& f, const Slices& psi, bool dagger) const {
    return dagger ? shift(by_row(f, psi, true), true) : by_row(f, shift(psi, false), false);
  }
  /// sum_j (k S)^j / (1 + m prod k), k = -kappa_b/kappa_c: the inverse of 1 - k S, whose power Ls is -m prod k
  Slices plain_inverse(const Slices& psi, bool dagger) const {
    Slices power = psi, out = psi;
    Complex product = 1.0;
    for (std::size_t j = 1; j < slices_; ++j) {
      power = times(-1.0, shift_by_row(ratio_, power, dagger));
      out = sum(out, 1.0, power);
    }
    for (const Complex& ratio : ratio_) product *= -ratio;
    return by_row(std::vector<Complex>(slices_, 1.0 / (1.0 + mass_ * product)), out, dagger);
  }
  /// The slice that the term of the exact one-flavour action takes: 1 on it, and 0 on others.
  std::vector<double> row() const {
    std::vector<double> one(slices_);
    one[upper_ ? slices_ - 1 : 0] = 1.0;
    return one;
  }
  /// out + factor u v^T psi on one chirality, or with v u^T. Without u it is `out`.
  Slices add_rank_one(Slices out, const Slices& psi, double factor, const std::vector<double>& u,
                      const std::vector<double>& v, bool dagger) const {
    for (std::size_t to = 0; !u.empty() && to < slices_; ++to) {
      for (std::size_t from = 0; from < slices_; ++from) {
        const double number = factor * (dagger ? v[to] * u[from] : u[to] * v[from]);
        for (std::size_t k = 0; k < psi[0].size(); ++k) {
          if ((k % 12 < 6) == upper_) out[to][k] += number * psi[from][k];
        }
      }
    }
    return out;
  }

  reference::WilsonOperator wilson_;
  double mass_;
  std::vector<Complex> b_, c_, kappa_, ratio_;  // kappa_b, and kappa_b/kappa_c
  bool upper_ = true;                           // of the term of the exact one-flavour action
  std::vector<double> column_;                  // of that term
  std::size_t slices_;
};

}  // namespace kaon::test
