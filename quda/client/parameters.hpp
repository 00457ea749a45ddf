// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/call.hpp"
#include "quda/client/interface.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cfloat>
#include <cmath>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

// The structures of the user's quda.h: the members that kaon reads, fills or ignores, each with its name and its value
// in a fresh structure, which clients rely on. Headers of other versions may lack some.

namespace kaon::quda {

/// The value of a member that a client must set.
struct Unset {
  template <class T>
  operator T() const {
    if constexpr (std::is_floating_point_v<T>) {
      return DBL_MIN;
    } else {
      return static_cast<T>(QUDA_INVALID_ENUM);
    }
  }
};
inline constexpr Unset unset;
/// The value of other members, in their own type.
struct Zero {
  template <class T>
  operator T() const {
    return T{};
  }
};
inline constexpr Zero zero;

template <class Member>
bool is_unset(const Member& member) {
  return member == static_cast<Member>(Unset{});
}

template <class Structure, class Of>
concept Is = std::same_as<std::remove_const_t<Structure>, Of>;

// field("name", structure.name, default, ignored) if there is such a member.
#define KAON_MEMBER(name, value, ignored) \
  if constexpr (requires { structure.name; }) field(#name, structure.name, value, ignored);
#define KAON_FIELD(name, value) KAON_MEMBER(name, value, false)
// Members that control how QUDA finds a solution, which kaon finds in its own way: docs/quda.md lists them.
#define KAON_IGNORED(name, value) KAON_MEMBER(name, value, true)

// clang-format off

template <Is<QudaGaugeParam> Structure, class Field>
void for_each_field(Structure& structure, const Field& field) {
  KAON_FIELD(struct_size, sizeof(QudaGaugeParam)) KAON_FIELD(location, QUDA_CPU_FIELD_LOCATION) KAON_FIELD(X, unset)
  KAON_FIELD(anisotropy, unset) KAON_FIELD(tadpole_coeff, unset) KAON_FIELD(scale, 1.0) KAON_FIELD(type, unset)
  KAON_FIELD(gauge_order, unset) KAON_FIELD(t_boundary, unset) KAON_FIELD(cpu_prec, unset)
  KAON_FIELD(cuda_prec, unset) KAON_FIELD(reconstruct, unset) KAON_FIELD(cuda_prec_sloppy, unset)
  KAON_FIELD(reconstruct_sloppy, unset) KAON_FIELD(cuda_prec_refinement_sloppy, unset)
  KAON_FIELD(reconstruct_refinement_sloppy, unset) KAON_FIELD(cuda_prec_precondition, unset)
  KAON_FIELD(reconstruct_precondition, unset) KAON_FIELD(cuda_prec_eigensolver, unset)
  KAON_FIELD(reconstruct_eigensolver, unset) KAON_FIELD(gauge_fix, unset) KAON_FIELD(ga_pad, unset)
  KAON_FIELD(staggered_phase_type, QUDA_STAGGERED_PHASE_NO) KAON_FIELD(staggered_phase_applied, 0)
  KAON_FIELD(return_result_gauge, 1) KAON_FIELD(return_result_mom, 1) KAON_FIELD(use_resident_gauge, 0)
  KAON_FIELD(make_resident_gauge, 0) KAON_FIELD(overwrite_gauge, 0) KAON_FIELD(overwrite_mom, 0)
  KAON_FIELD(gauge_offset, 0) KAON_FIELD(mom_offset, 0) KAON_FIELD(site_size, 0)
}

template <Is<QudaInvertParam> Structure, class Field>
void for_each_field(Structure& structure, const Field& field) {
  KAON_FIELD(struct_size, sizeof(QudaInvertParam)) KAON_FIELD(input_location, QUDA_CPU_FIELD_LOCATION)
  KAON_FIELD(output_location, QUDA_CPU_FIELD_LOCATION) KAON_FIELD(dslash_type, unset) KAON_FIELD(inv_type, unset)
  KAON_FIELD(mass, unset) KAON_FIELD(kappa, unset) KAON_FIELD(m5, unset) KAON_FIELD(Ls, unset)
  KAON_FIELD(eofa_shift, unset) KAON_FIELD(eofa_pm, unset) KAON_FIELD(mq1, unset) KAON_FIELD(mq2, unset)
  KAON_FIELD(mq3, unset) KAON_FIELD(mu, unset) KAON_FIELD(epsilon, unset) KAON_FIELD(tm_rho, 0.0)
  KAON_FIELD(evmax, unset) KAON_FIELD(twist_flavor, unset) KAON_FIELD(laplace3D, unset) KAON_FIELD(covdev_mu, unset)
  KAON_FIELD(tol, unset) KAON_FIELD(tol_restart, 5e-5) KAON_FIELD(tol_hq, unset)
  KAON_FIELD(residual_type, QUDA_L2_RELATIVE_RESIDUAL) KAON_FIELD(maxiter, unset) KAON_FIELD(reliable_delta, unset)
  KAON_FIELD(reliable_delta_refinement, unset) KAON_FIELD(max_hq_res_increase, 1)
  KAON_FIELD(max_hq_res_restart_total, 10) KAON_FIELD(heavy_quark_check, 10) KAON_FIELD(num_offset, 0)
  KAON_FIELD(num_src, 1) KAON_FIELD(compute_true_res, 1) KAON_FIELD(compute_action, 0) KAON_FIELD(solution_type, unset)
  KAON_FIELD(solve_type, unset) KAON_FIELD(matpc_type, unset) KAON_FIELD(dagger, unset)
  KAON_FIELD(mass_normalization, unset) KAON_FIELD(solver_normalization, QUDA_DEFAULT_NORMALIZATION)
  KAON_FIELD(preserve_source, unset) KAON_FIELD(cpu_prec, unset) KAON_FIELD(cuda_prec, unset)
  KAON_FIELD(cuda_prec_sloppy, unset) KAON_FIELD(cuda_prec_refinement_sloppy, unset)
  KAON_FIELD(cuda_prec_precondition, unset) KAON_FIELD(cuda_prec_eigensolver, unset) KAON_FIELD(dirac_order, unset)
  KAON_FIELD(gamma_basis, unset) KAON_FIELD(clover_location, QUDA_CPU_FIELD_LOCATION) KAON_FIELD(clover_cpu_prec, unset)
  KAON_FIELD(clover_cuda_prec, unset) KAON_FIELD(clover_cuda_prec_sloppy, unset)
  KAON_FIELD(clover_cuda_prec_refinement_sloppy, unset) KAON_FIELD(clover_cuda_prec_precondition, unset)
  KAON_FIELD(clover_cuda_prec_eigensolver, unset) KAON_FIELD(clover_order, unset) KAON_FIELD(clover_csw, 0.0)
  KAON_FIELD(clover_coeff, 0.0) KAON_FIELD(clover_rho, 0.0) KAON_FIELD(compute_clover_trlog, 1)
  KAON_FIELD(compute_clover, 0) KAON_FIELD(compute_clover_inverse, 0) KAON_FIELD(return_clover, 0)
  KAON_FIELD(return_clover_inverse, 0) KAON_FIELD(use_init_guess, QUDA_USE_INIT_GUESS_NO) KAON_FIELD(omega, 1.0)
  KAON_FIELD(verbosity, unset) KAON_FIELD(iter, 0) KAON_FIELD(gflops, 0.0) KAON_FIELD(secs, 0.0)
  KAON_FIELD(inv_type_precondition, unset) KAON_FIELD(ca_lambda_max_precondition, -1.0)
  KAON_FIELD(make_resident_solution, 0) KAON_FIELD(use_resident_solution, 0) KAON_FIELD(chrono_use_resident, 0)
  KAON_IGNORED(split_grid, 1) KAON_IGNORED(num_src_per_sub_partition, 1) KAON_IGNORED(Nsteps, unset)
  KAON_IGNORED(gcrNkrylov, unset) KAON_IGNORED(tol_precondition, unset) KAON_IGNORED(maxiter_precondition, unset)
  KAON_IGNORED(verbosity_precondition, unset) KAON_IGNORED(schwarz_type, unset)
  KAON_IGNORED(accelerator_type_precondition, zero) KAON_IGNORED(precondition_cycle, 1) KAON_IGNORED(pipeline, zero)
  KAON_IGNORED(ca_basis, zero) KAON_IGNORED(ca_lambda_min, zero) KAON_IGNORED(ca_lambda_max, -1.0)
  KAON_IGNORED(use_alternative_reliable, zero) KAON_IGNORED(use_sloppy_partial_accumulator, zero)
  KAON_IGNORED(solution_accumulator_pipeline, 1) KAON_IGNORED(max_res_increase, 1)
  KAON_IGNORED(max_res_increase_total, 10) KAON_IGNORED(chrono_precision, unset) KAON_IGNORED(deflation_op, zero)
}

template <Is<QudaMultigridParam> Structure, class Field>
void for_each_field(Structure& structure, const Field& field) {
  KAON_FIELD(struct_size, sizeof(QudaMultigridParam)) KAON_FIELD(smoother_solve_type, unset)
  KAON_FIELD(compute_null_vector, QUDA_COMPUTE_NULL_VECTOR_YES) KAON_FIELD(generate_all_levels, QUDA_BOOLEAN_TRUE)
  KAON_IGNORED(n_level, unset) KAON_IGNORED(geo_block_size, zero) KAON_IGNORED(spin_block_size, zero)
  KAON_IGNORED(n_vec, zero) KAON_IGNORED(n_block_ortho, 1) KAON_IGNORED(precision_null, zero)
  KAON_IGNORED(setup_inv_type, zero) KAON_IGNORED(num_setup_iter, zero) KAON_IGNORED(setup_tol, zero)
  KAON_IGNORED(setup_maxiter, zero) KAON_IGNORED(setup_maxiter_refresh, zero) KAON_IGNORED(coarse_solver, zero)
  KAON_IGNORED(coarse_solver_tol, zero) KAON_IGNORED(coarse_solver_maxiter, zero) KAON_IGNORED(smoother, zero)
  KAON_IGNORED(smoother_tol, zero) KAON_IGNORED(nu_pre, zero) KAON_IGNORED(nu_post, zero) KAON_IGNORED(omega, 0.85)
  KAON_IGNORED(smoother_schwarz_type, zero) KAON_IGNORED(cycle_type, unset) KAON_IGNORED(mu_factor, 1.0)
  KAON_IGNORED(use_eig_solver, zero) KAON_IGNORED(vec_load, zero) KAON_IGNORED(vec_store, zero)
  KAON_IGNORED(thin_update_only, QUDA_BOOLEAN_FALSE)
}

template <Is<QudaEigParam> Structure, class Field>
void for_each_field(Structure& structure, const Field& field) {
  KAON_FIELD(struct_size, sizeof(QudaEigParam)) KAON_FIELD(eig_type, QUDA_EIG_TR_LANCZOS)
  KAON_FIELD(use_poly_acc, QUDA_BOOLEAN_FALSE) KAON_FIELD(poly_deg, 0) KAON_FIELD(a_min, 0.0) KAON_FIELD(a_max, 0.0)
  KAON_FIELD(preserve_evals, QUDA_BOOLEAN_TRUE) KAON_FIELD(use_smeared_gauge, false)
  KAON_FIELD(use_dagger, QUDA_BOOLEAN_FALSE) KAON_FIELD(use_norm_op, QUDA_BOOLEAN_FALSE)
  KAON_FIELD(use_pc, QUDA_BOOLEAN_FALSE) KAON_FIELD(compute_svd, QUDA_BOOLEAN_FALSE)
  KAON_FIELD(compute_gamma5, QUDA_BOOLEAN_FALSE) KAON_FIELD(require_convergence, QUDA_BOOLEAN_TRUE)
  KAON_FIELD(spectrum, QUDA_SPECTRUM_LR_EIG) KAON_FIELD(n_ev, 0) KAON_FIELD(n_kr, 0) KAON_FIELD(n_conv, 0)
  KAON_FIELD(n_ev_deflate, -1) KAON_FIELD(tol, 0.0) KAON_FIELD(max_restarts, 0) KAON_FIELD(block_size, unset)
  KAON_FIELD(compute_evals_batch_size, 4) KAON_FIELD(max_ortho_attempts, 10)
  KAON_FIELD(arpack_check, QUDA_BOOLEAN_FALSE) KAON_FIELD(location, QUDA_CUDA_FIELD_LOCATION)
  KAON_FIELD(save_prec, QUDA_DOUBLE_PRECISION)
}

template <Is<QudaGaugeObservableParam> Structure, class Field>
void for_each_field(Structure& structure, const Field& field) {
  KAON_FIELD(struct_size, sizeof(QudaGaugeObservableParam)) KAON_FIELD(su_project, QUDA_BOOLEAN_FALSE)
  KAON_FIELD(compute_plaquette, QUDA_BOOLEAN_FALSE) KAON_FIELD(compute_rectangle, QUDA_BOOLEAN_FALSE)
  KAON_FIELD(compute_polyakov_loop, QUDA_BOOLEAN_FALSE) KAON_FIELD(compute_gauge_loop_trace, QUDA_BOOLEAN_FALSE)
  KAON_FIELD(compute_qcharge, QUDA_BOOLEAN_FALSE) KAON_FIELD(compute_qcharge_density, QUDA_BOOLEAN_FALSE)
  KAON_FIELD(remove_staggered_phase, QUDA_BOOLEAN_FALSE)
}

template <Is<QudaGaugeSmearParam> Structure, class Field>
void for_each_field(Structure& structure, const Field& field) {
  KAON_FIELD(struct_size, sizeof(QudaGaugeSmearParam)) KAON_FIELD(smear_type, unset) KAON_FIELD(n_steps, 0)
  KAON_FIELD(meas_interval, 0) KAON_FIELD(restart, QUDA_BOOLEAN_FALSE) KAON_FIELD(epsilon, 0.0)
  KAON_FIELD(alpha, 0.0) KAON_FIELD(rho, 0.0) KAON_FIELD(alpha1, 0.0) KAON_FIELD(alpha2, 0.0) KAON_FIELD(alpha3, 0.0)
  KAON_FIELD(t0, 0.0) KAON_FIELD(dir_ignore, -1) KAON_FIELD(smear_anisotropy, 1.0) KAON_FIELD(rk_order, 3)
}

template <Is<QudaBLASParam> Structure, class Field>
void for_each_field(Structure& structure, const Field& field) {
  KAON_FIELD(struct_size, sizeof(QudaBLASParam))
}

// clang-format on
#undef KAON_FIELD
#undef KAON_IGNORED
#undef KAON_MEMBER

template <class Member, class Value>
void set(Member& member, const Value& value) {
  if constexpr (std::is_array_v<Member>) {
    for (auto& element : member) set(element, value);
  } else {
    member = static_cast<Member>(value);
  }
}

/// A fresh structure. Members that are in no list above are zero.
template <class Structure>
Structure fresh() {
  Structure structure;
  std::memset(static_cast<void*>(&structure), 0, sizeof(Structure));
  for_each_field(structure, [](const char*, auto& member, const auto& value, bool) { set(member, value); });
  return structure;
}

template <class Member>
bool same(const Member& a, const Member& b) {
  return std::memcmp(&a, &b, sizeof(Member)) == 0;
}

template <class Value>
std::string as_text(const Value& value) {
  if constexpr (std::is_array_v<Value>) {
    // Lists end where all is as in the last element.
    constexpr std::size_t size = std::extent_v<Value>;
    std::size_t shown = size;
    while (shown > 1 && same(value[shown - 1], value[shown - 2])) --shown;
    std::string text = "{";
    for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + as_text(value[i]);
    return text + (shown < size ? ", ...}" : "}");
  } else if constexpr (std::is_enum_v<Value>) {
    return is_unset(value) ? "unset" : fmt::format("{}", static_cast<long>(value));
  } else if constexpr (std::is_floating_point_v<Value>) {
    return is_unset(value) ? "unset" : fmt::format("{:.15g}", value);
  } else if constexpr (std::is_pointer_v<Value>) {
    return fmt::format("{}", fmt::ptr(value));
  } else {
    return value == static_cast<Value>(QUDA_INVALID_ENUM) ? "unset" : fmt::format("{}", value);
  }
}

/// Calls body(name, member, ignored) for the members with another value than in a fresh structure.
template <class Structure, class Body>
void for_each_change(const Structure& structure, const Body& body) {
  static const Structure defaults = fresh<Structure>();
  for_each_field(structure, [&]<class Member>(const char* name, const Member& member, const auto&, bool ignored) {
    const auto offset = reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&structure);
    const auto& before = *reinterpret_cast<const Member*>(reinterpret_cast<const char*>(&defaults) + offset);
    if (!same(member, before)) body(name, member, ignored);
  });
}

/// "name = value" for all members that have another value than in a fresh structure.
template <class Structure>
std::string differences_from_defaults(const Structure& structure) {
  std::string text;
  for_each_change(structure, [&](const char* name, const auto& member, bool) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, as_text(member));
  });
  return text;
}

/// Reports once which members without effect a client has set.
template <class Structure>
void say_ignored(const char* type, const Structure& given) {
  std::string names;
  for_each_change(given, [&](const char* name, const auto&, bool ignored) {
    if (ignored) names += (names.empty() ? "" : ", ") + std::string(name);
  });
  if (!names.empty()) say_once(fmt::format("kaon: these members of {} have no effect: {}", type, names));
}

/// Throws `Error` unless caller and library have been compiled with the same structure.
template <class Structure>
void require_same_size(const Structure& structure, const char* name) {
  if constexpr (requires { structure.struct_size; }) {
    const bool fits = structure.struct_size == sizeof(Structure) || structure.struct_size == 0 ||
                      structure.struct_size == static_cast<std::size_t>(QUDA_INVALID_ENUM);  // not set, for QUDA
    require(fits, [&] {
      return fmt::format("{} has {} bytes for the caller and {} here: both must be compiled with the same quda.h", name,
                         structure.struct_size, sizeof(Structure));
    });
  }
}

/// Throws `Error`, naming the member, for NaN and infinity.
inline double finite(double number, const char* name) {
  require(std::isfinite(number), [&] { return fmt::format("{} = {}: give a finite number", name, number); });
  return number;
}

/// Throws `Error`, naming the member, unless the client has set it, a real one to a finite number.
template <class Member>
const Member& needed(const Member& member, const char* name) {
  require(!is_unset(member), [&] { return fmt::format("parameter {} is not set", name); });
  if constexpr (std::is_floating_point_v<Member>) finite(member, name);
  return member;
}

/// Throws `Error`: a value of a member that kaon cannot serve. `supported` lists those it can.
[[noreturn]] void refuse(const char* name, long value, const char* supported);

/// Whether a structure's own verbosity, which replaces that of `setVerbosityQuda` during a call, is silence.
template <class Structure>
std::optional<bool> wants_silence(const Structure& structure) {
  if constexpr (requires { structure.invert_param; }) {
    if (structure.invert_param != nullptr) return wants_silence(*structure.invert_param);
  } else if constexpr (requires { structure.verbosity; }) {
    if (!is_unset(structure.verbosity)) return structure.verbosity == QUDA_SILENT;
  }
  return {};
}

/// Runs the body of a function with a structure of parameters, whose members a trace shows.
template <class Parameters, class Body>
auto call(const char* function, Parameters* parameters, Body&& body) {
  return call(function, [&] {
    require(parameters != nullptr, "the parameters are NULL");
    if (traces()) trace(function, differences_from_defaults(*parameters));
    const ScopedSilence said(wants_silence(*parameters));
    return body(*parameters);
  });
}

}  // namespace kaon::quda
