// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/client.hpp"
#include "tests/reference/domain_wall.hpp"

// A client of quarks on slices, and comparisons with formulas of QUDA's matrices, classes with
// `Slices mat(const Slices&, bool dagger)` and `Slices matpc(const Slices&, bool symmetric, bool dagger)`.

namespace kaon::test {

using reference::Slices;

inline constexpr double rounding = 1e-13;

/// [parity][slice][site] of a client, where the parity is that of x + y + z + t or, for `QUDA_DOMAIN_WALL_DSLASH`, of
/// x + y + z + t + s.
inline std::size_t place_in_slices(const Coordinates& x, std::size_t s, const QudaInvertParam& param) {
  const auto half = static_cast<std::size_t>(volume_of(extents)) / 2, slices = static_cast<std::size_t>(param.Ls);
  auto parity = static_cast<std::size_t>(reference::parity_of(x));
  if (param.dslash_type == QUDA_DOMAIN_WALL_DSLASH) parity = (parity + s) % 2;
  return (parity * slices + s) * half + static_cast<std::size_t>(lexicographic_index(x, extents)) / 2;
}
inline std::vector<Complex> to_client(const Slices& psi, const QudaInvertParam& param) {
  std::vector<Complex> result(psi.size() * psi[0].size());
  for (std::size_t s = 0; s < psi.size(); ++s) {
    reference::for_each_site(extents, [&](const Coordinates& x) {
      const auto from = static_cast<std::size_t>(lexicographic_index(x, extents)) * 12;
      for (std::size_t c = 0; c < 12; ++c) result[12 * place_in_slices(x, s, param) + c] = psi[s][from + c];
    });
  }
  return result;
}
inline Slices from_client(const std::vector<Complex>& field, const QudaInvertParam& param) {
  const auto slices = static_cast<std::size_t>(param.Ls);
  Slices result(slices, reference::Spinor(field.size() / slices));
  for (std::size_t s = 0; s < slices; ++s) {
    reference::for_each_site(extents, [&](const Coordinates& x) {
      const auto to = static_cast<std::size_t>(lexicographic_index(x, extents)) * 12;
      for (std::size_t c = 0; c < 12; ++c) result[s][to + c] = field[12 * place_in_slices(x, s, param) + c];
    });
  }
  return result;
}

inline Slices random_slices(const QudaInvertParam& param, unsigned seed) {
  Slices result;
  for (int s = 0; s < param.Ls; ++s) result.push_back(random_field(12, seed + 100 * static_cast<unsigned>(s)));
  return result;
}
inline Slices on_parity(Slices psi, int parity) {
  for (reference::Spinor& slice : psi) slice = reference::restrict_to_parity(slice, parity, extents);
  return psi;
}
inline double difference(const Slices& a, const Slices& b) {
  return reference::relative_difference(reference::joined(a), reference::joined(b));
}
inline Slices sum(const Slices& a, double factor, const Slices& b) {
  Slices result;
  for (std::size_t s = 0; s < a.size(); ++s) result.push_back(reference::add(a[s], factor, b[s]));
  return result;
}
inline Slices times(double factor, const Slices& a) { return sum(a, factor - 1.0, a); }

inline bool is_symmetric(const QudaInvertParam& param) {
  return param.matpc_type == QUDA_MATPC_EVEN_EVEN || param.matpc_type == QUDA_MATPC_ODD_ODD;
}
inline bool is_on_one_parity(const QudaInvertParam& param) {
  return param.solution_type == QUDA_MATPC_SOLUTION || param.solution_type == QUDA_MATPCDAG_MATPC_SOLUTION;
}
inline bool is_normal(const QudaInvertParam& param) {
  return param.solution_type == QUDA_MATDAG_MAT_SOLUTION || param.solution_type == QUDA_MATPCDAG_MATPC_SOLUTION;
}
inline int parity_of(const QudaInvertParam& param) {
  return param.matpc_type == QUDA_MATPC_ODD_ODD || param.matpc_type == QUDA_MATPC_ODD_ODD_ASYMMETRIC ? 1 : 0;
}

inline constexpr QudaMatPCType forms[] = {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD, QUDA_MATPC_EVEN_EVEN_ASYMMETRIC,
                                          QUDA_MATPC_ODD_ODD_ASYMMETRIC};

/// Calls body with parameters of each solution type, form and `dagger` that a type of operator has.
template <class Body>
void for_each_matrix(QudaInvertParam param, const Body& body) {
  for (const QudaSolutionType solution :
       {QUDA_MAT_SOLUTION, QUDA_MATDAG_MAT_SOLUTION, QUDA_MATPC_SOLUTION, QUDA_MATPCDAG_MATPC_SOLUTION}) {
    param.solution_type = solution;
    if (is_on_one_parity(param) && param.dslash_type == QUDA_DOMAIN_WALL_DSLASH) continue;
    for (const QudaMatPCType form : forms) {
      param.matpc_type = form;
      if (!is_on_one_parity(param) && form != forms[0]) continue;
      for (const QudaDagType dagger : {QUDA_DAG_NO, QUDA_DAG_YES}) {
        param.dagger = dagger;
        SCOPED_TRACE(testing::Message() << "type " << param.dslash_type << ", solution " << solution << ", matpc "
                                        << form << ", dagger " << dagger);
        body(param);
      }
    }
  }
}

/// The numbers of a client's field that the parameters' matrix acts on.
inline Complex* subset(std::vector<Complex>& field, const QudaInvertParam& param) {
  return field.data() + (is_on_one_parity(param) && parity_of(param) == 1 ? field.size() / 2 : 0);
}
inline Slices restricted(const Slices& psi, const QudaInvertParam& param) {
  return is_on_one_parity(param) ? on_parity(psi, parity_of(param)) : psi;
}

inline Slices applied(const Slices& psi, QudaInvertParam param) {
  std::vector<Complex> in = to_client(psi, param), out(in.size());
  is_normal(param) ? MatDagMatQuda(subset(out, param), subset(in, param), &param)
                   : MatQuda(subset(out, param), subset(in, param), &param);
  return from_client(out, param);
}

inline Slices solved(const Slices& b, QudaInvertParam& param) {
  std::vector<Complex> in = to_client(b, param), out(in.size());
  invertQuda(subset(out, param), subset(in, param), &param);
  return from_client(out, param);
}

/// `dslashQuda` to both parities.
inline Slices hopped(const Slices& psi, QudaInvertParam param) {
  std::vector<Complex> in = to_client(psi, param), out(in.size());
  const auto half = static_cast<std::ptrdiff_t>(in.size() / 2);
  dslashQuda(out.data(), in.data() + half, &param, QUDA_EVEN_PARITY);
  dslashQuda(out.data() + half, in.data(), &param, QUDA_ODD_PARITY);
  return from_client(out, param);
}

/// The matrix of a solution type.
template <class Formulas>
Slices matrix(const Formulas& quda, const Slices& psi, const QudaInvertParam& param) {
  const bool dagger = param.dagger == QUDA_DAG_YES;
  const auto factor = [&](const Slices& in, bool adjoint) {
    return is_on_one_parity(param) ? quda.matpc(in, is_symmetric(param), adjoint) : quda.mat(in, adjoint);
  };
  const Slices once = factor(psi, dagger);
  return is_normal(param) ? factor(once, !dagger) : once;
}

template <class Formulas>
void expect_matrices(const Formulas& quda, const QudaInvertParam& given) {
  const Slices psi = random_slices(given, 2);
  for_each_matrix(given, [&](const QudaInvertParam& param) {
    EXPECT_LT(difference(applied(psi, param), matrix(quda, restricted(psi, param), param)), rounding);
  });
}

template <class Formulas>
void expect_solutions(const Formulas& quda, const QudaInvertParam& given) {
  const Slices b = random_slices(given, 3);
  for_each_matrix(given, [&](QudaInvertParam param) {
    const Slices wanted = restricted(b, param), x = solved(wanted, param);
    EXPECT_LE(param.true_res[0], param.tol);
    EXPECT_GT(param.iter, 0);
    EXPECT_GT(param.gflops, 0.0);
    const double residual = difference(matrix(quda, x, param), wanted);
    EXPECT_LT(residual, 1.01 * param.tol);
    EXPECT_NEAR(param.true_res[0] / residual, 1.0, 0.01);
  });
}

/// In mass normalizations a factor of the matrix multiplies sources of solves by one number, and divides products by
/// another.
template <class Formulas>
void expect_normalizations(const Formulas& quda, QudaInvertParam given, double of_sources, double of_products) {
  const Slices b = random_slices(given, 3);
  for (const bool symmetric : {false, true}) {
    given.mass_normalization = symmetric ? QUDA_MASS_NORMALIZATION : QUDA_ASYMMETRIC_MASS_NORMALIZATION;
    for_each_matrix(given, [&](QudaInvertParam param) {
      const int powers = (symmetric && is_on_one_parity(param) ? 2 : 1) * (is_normal(param) ? 2 : 1);
      const Slices source = restricted(b, param), x = solved(source, param);
      EXPECT_LT(difference(matrix(quda, x, param), times(std::pow(of_sources, powers), source)), 1.01 * param.tol);
      EXPECT_LT(difference(applied(source, param), times(std::pow(of_products, -powers), matrix(quda, source, param))),
                rounding);
    });
  }
}

/// Solves with the multigrid of an operator, which is built again if that is another one.
template <class Formulas>
void expect_solutions_by_multigrid(const Formulas& quda, QudaInvertParam given, QudaInvertParam of) {
  QudaMultigridParam multigrid = newQudaMultigridParam();
  multigrid.invert_param = &of;
  given.preconditioner = newMultigridQuda(&multigrid);
  EXPECT_GT(of.secs, 0.0);
  given.inv_type = QUDA_GCR_INVERTER;
  given.inv_type_precondition = QUDA_MG_INVERTER;
  expect_solutions(quda, given);
  destroyMultigridQuda(given.preconditioner);
}

template <class Formulas>
void expect_shifted_solutions(const Formulas& quda, const QudaInvertParam& given) {
  const Slices b = random_slices(given, 3);
  for_each_matrix(given, [&](QudaInvertParam param) {
    if (!is_normal(param)) return;
    const double offsets[] = {0.001, 0.04, 1.0};
    param.num_offset = 3;
    for (int i = 0; i < 3; ++i) {
      param.offset[i] = offsets[i];
      param.tol_offset[i] = param.tol;
    }
    const Slices wanted = restricted(b, param);
    std::vector<Complex> source = to_client(wanted, param);
    std::vector<std::vector<Complex>> x(3, std::vector<Complex>(source.size()));
    void* h_x[] = {subset(x[0], param), subset(x[1], param), subset(x[2], param)};
    invertMultiShiftQuda(h_x, subset(source, param), &param);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(param.true_res_offset[i], param.tol);
      const Slices solution = from_client(x[i], param);
      EXPECT_LT(difference(sum(matrix(quda, solution, param), offsets[i], solution), wanted), 1.01 * param.tol);
    }
  });
}

}  // namespace kaon::test
