// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/ignored.hpp"
#include "quda/client/call.hpp"
#include "quda/client/parameters.hpp"

#include <fmt/format.h>

#include <string>

// Parameters that say how QUDA shall find a solution. kaon finds it in its own way: docs/quda.md lists them, and a test
// compares that list with this one.

namespace kaon::quda {
namespace {

// Adds the name of a member to `names` if a client has set it: it differs from a fresh structure's.
#define KAON_IGNORED(name)                                                                         \
  if constexpr (requires { given.name; }) {                                                        \
    if (!same(given.name, before.name)) names += (names.empty() ? "" : ", ") + std::string(#name); \
  }

template <class Structure>
std::string ignored_of(const Structure& given) requires std::same_as<Structure, QudaInvertParam> {
  static const Structure before = fresh<Structure>();
  std::string names;
  // clang-format off
  KAON_IGNORED(split_grid) KAON_IGNORED(num_src_per_sub_partition) KAON_IGNORED(Nsteps) KAON_IGNORED(gcrNkrylov)
  KAON_IGNORED(tol_precondition) KAON_IGNORED(maxiter_precondition) KAON_IGNORED(verbosity_precondition)
  KAON_IGNORED(schwarz_type) KAON_IGNORED(accelerator_type_precondition) KAON_IGNORED(precondition_cycle)
  KAON_IGNORED(pipeline) KAON_IGNORED(ca_basis) KAON_IGNORED(ca_lambda_min) KAON_IGNORED(ca_lambda_max)
  KAON_IGNORED(use_alternative_reliable) KAON_IGNORED(use_sloppy_partial_accumulator)
  KAON_IGNORED(solution_accumulator_pipeline) KAON_IGNORED(max_res_increase) KAON_IGNORED(max_res_increase_total)
  KAON_IGNORED(chrono_precision) KAON_IGNORED(deflation_op)
      // clang-format on
      return names;
}

template <class Structure>
std::string ignored_of(const Structure& given) requires std::same_as<Structure, QudaMultigridParam> {
  static const Structure before = fresh<Structure>();
  std::string names;
  // clang-format off
  KAON_IGNORED(n_level) KAON_IGNORED(geo_block_size) KAON_IGNORED(spin_block_size) KAON_IGNORED(n_vec)
  KAON_IGNORED(n_block_ortho) KAON_IGNORED(precision_null) KAON_IGNORED(setup_inv_type) KAON_IGNORED(num_setup_iter)
  KAON_IGNORED(setup_tol) KAON_IGNORED(setup_maxiter) KAON_IGNORED(setup_maxiter_refresh) KAON_IGNORED(coarse_solver)
  KAON_IGNORED(coarse_solver_tol) KAON_IGNORED(coarse_solver_maxiter) KAON_IGNORED(smoother)
  KAON_IGNORED(smoother_tol) KAON_IGNORED(nu_pre) KAON_IGNORED(nu_post) KAON_IGNORED(omega)
  KAON_IGNORED(smoother_schwarz_type) KAON_IGNORED(cycle_type) KAON_IGNORED(mu_factor) KAON_IGNORED(use_eig_solver)
  KAON_IGNORED(vec_load) KAON_IGNORED(vec_store) KAON_IGNORED(thin_update_only)
      // clang-format on
      return names;
}
#undef KAON_IGNORED

template <class Structure>
void name_set(const char* structure, const Structure& given) {
  const std::string names = ignored_of(given);
  if (!names.empty()) say_once(fmt::format("kaon: these members of {} have no effect: {}", structure, names));
}

}  // namespace

void say_ignored(const QudaInvertParam& given) { name_set("QudaInvertParam", given); }
void say_ignored(const QudaMultigridParam& given) { name_set("QudaMultigridParam", given); }

}  // namespace kaon::quda
