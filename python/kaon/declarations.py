# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""kaon.h for ctypes: its numbers, structures and functions, in the order of the header. Loads nothing."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint32, c_uint64, c_void_p

VERSION = "0.1.0"  # of kaon.h: structures grow with it

OK, INVALID, UNSUPPORTED, FILE, NOT_CONVERGED, MEMORY, INTERNAL, STOPPED = range(8)
NOTICE, WARNING = range(2)
COMPLEX128, COMPLEX64 = range(2)
LEXICOGRAPHIC, EVEN_ODD, ODD_EVEN = range(3)
STANDARD_ORDER, SPIN_COLOR, COLOR_SPIN, ROW_COLUMN, COLUMN_ROW, FULL_CLOVER, PACKED_CLOVER = range(7)
ANYWHERE, HOST, DEVICE = range(3)
DOUBLE, SINGLE = range(2)
ILDG, NERSC, SCIDAC = range(3)
COLD, HOT, WEAK = range(3)
STOUT, APE, HYP = range(3)
WILSON_FLOW, SYMANZIK_FLOW = range(2)
LANDAU, COULOMB = range(2)
(POINT_SOURCES, POINT_SOURCE, Z2_WALL_SOURCE, GAUSSIAN_NOISE, WALL_SOURCES, EVEN_WALL_SOURCES,
 CORNER_WALL_SOURCES) = range(7)
(WILSON, WILSON_CLOVER, TWISTED_MASS, TWISTED_CLOVER, STAGGERED, ASQTAD, HISQ, DOMAIN_WALL, TWISTED_DOUBLET,
 TWISTED_CLOVER_DOUBLET) = range(10)
M, M_DAGGER, M_DAGGER_M = range(3)
EVEN, ODD = range(2)
SYMMETRIC, ASYMMETRIC = range(2)
AUTO, CG, BICGSTAB, GCR_DD, MULTIGRID, CGNR, CGNE = range(7)
MASSES, SHIFTS = range(2)
LEAPFROG, OMELYAN, FOURTH_ORDER = range(3)
INNER_HALF, INNER_SINGLE, INNER_OUTER = range(3)
COSH, OSCILLATING_COSH = range(2)

Log = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)
Progress = ctypes.CFUNCTYPE(c_int, c_int, c_int, POINTER(c_double), c_void_p)


class StartOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("argc", POINTER(c_int)), ("argv", POINTER(POINTER(c_char_p)))]


class RunInfo(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("commit", c_char_p), ("compiler", c_char_p), ("kokkos", c_char_p),
                ("message_passing", c_char_p), ("instruction_set", c_char_p), ("execution_space", c_char_p),
                ("device", c_char_p), ("double_lanes", c_int), ("single_lanes", c_int), ("host_threads", c_int),
                ("processes", c_int)]


class LatticeOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("extents", c_int * 4), ("grid", c_int * 4), ("ranks", POINTER(c_int)),
                ("use_communicator", c_int), ("communicator", c_int), ("reach", c_int)]


class LatticeInfo(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("extents", c_int * 4), ("local_extents", c_int * 4), ("origin", c_int * 4),
                ("grid", c_int * 4), ("partitioned", c_int * 4), ("rank", c_int), ("processes", c_int)]


class Array(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("data", c_void_p), ("parts", c_void_p * 4), ("element", c_int), ("sites", c_int),
                ("inside", c_int), ("memory", c_int), ("site_bytes", c_ssize_t)]


class ReadOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("ignore_stated_plaquette", c_int)]


class FileOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("format", c_int), ("bits", c_int)]


class HeatbathOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("beta", c_double), ("overrelaxations", c_int), ("seed", c_uint64),
                ("update", c_uint32)]


class SmearOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("method", c_int), ("steps", c_int), ("omitted", c_int), ("rho", c_double),
                ("epsilon", c_double), ("alpha", c_double), ("alpha_1", c_double), ("alpha_2", c_double),
                ("alpha_3", c_double), ("anisotropy", c_double)]


class FlowOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("action", c_int), ("steps", c_int), ("step", c_double),
                ("anisotropy", c_double)]


class GaugeFixOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("condition", c_int), ("max_iterations", c_int), ("tolerance", c_double),
                ("relaxation", c_double)]


class GaugeFixReport(ctypes.Structure):
    _fields_ = [("converged", c_int), ("iterations", c_int), ("functional", c_double), ("theta", c_double),
                ("largest_theta", c_double), ("unused", c_double * 3)]


class SpinorOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("precision", c_int), ("spins", c_int), ("colors", c_int),
                ("right_hand_sides", c_int), ("slices", c_int)]


class SourceOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("site", c_int * 4), ("spin", c_int), ("color", c_int),
                ("seed", c_uint64)]


class QuarkSmearOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("width", c_double), ("steps", c_int)]


class OperatorOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("action", c_int), ("mass", c_double), ("kappa", c_double), ("mu", c_double),
                ("csw", c_double), ("csw_temporal", c_double), ("xi0", c_double), ("nu", c_double),
                ("boundary", c_double * 4), ("u0", c_double), ("naik_epsilon", c_double), ("m5", c_double), ("slices", c_int),
                ("b", c_double), ("c", c_double), ("epsilon", c_double), ("b_of_slices", POINTER(c_double)),
                ("c_of_slices", POINTER(c_double)), ("lower_mass", c_double)]


class EigenvectorOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("count", c_int), ("even_sites", c_int), ("basis", c_int), ("tolerance", c_double),
                ("max_restarts", c_int), ("filter_degree", c_int), ("filter_lower", c_double),
                ("filter_upper", c_double), ("seed", c_uint64)]


class EigenvectorsInfo(ctypes.Structure):
    _fields_ = [("count", c_int), ("converged", c_int), ("restarts", c_int), ("even_sites", c_int),
                ("applications", c_double), ("unused", c_double * 4)]


class SchurOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("form", c_int), ("parity", c_int)]


class LinkSmearOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("action", c_int), ("u0", c_double), ("naik_epsilon", c_double)]


class SolverOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("method", c_int), ("outer", c_int), ("inner", c_int), ("tolerance", c_double),
                ("max_iterations", c_int), ("links", c_int), ("seed", c_uint64), ("near_null_file", c_char_p),
                ("on_iteration", Progress), ("on_iteration_context", c_void_p), ("eigenvectors", c_void_p),
                ("reliable_delta", c_double), ("schwarz_steps", c_int)]


class Report(ctypes.Structure):
    _fields_ = [("converged", c_int), ("iterations", c_int), ("fallbacks", c_int), ("residual", c_double),
                ("seconds", c_double), ("flops", c_double), ("error", c_double), ("error_at_least", c_int),
                ("unused", c_double * 2)]


class HmcOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("length", c_double), ("seed", c_uint64), ("accept_all", c_int)]


class GaugeActionOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("beta", c_double), ("rectangle", c_double)]


class QuarkTermOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("flavors", c_double), ("mu", c_double), ("numerator_mu", c_double),
                ("heavier_mass", c_double), ("lowest", c_double), ("highest", c_double), ("tolerance", c_double),
                ("force_tolerance", c_double), ("max_iterations", c_int), ("method", c_int), ("inner", c_int),
                ("exact", c_int)]


class TrajectoryReport(ctypes.Structure):
    _fields_ = [("delta_energy", c_double), ("accepted", c_int), ("plaquette", c_double), ("iterations", c_double),
                ("seconds", c_double), ("unused", c_double * 4)]


class ChainReport(ctypes.Structure):
    _fields_ = [("mean", c_double), ("error", c_double), ("tau_int", c_double), ("tau_int_error", c_double),
                ("window", c_int), ("unused", c_double * 3)]


class CorrelatorOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("source_site", c_int * 4), ("direction", c_int)]


# Handles are pointers to nothing that Python could look into.
_handle, _new_handle = c_void_p, POINTER(c_void_p)
_numbers = POINTER(c_double)


def _options(structure: type[ctypes.Structure]) -> tuple[object, list[object]]:
    return None, [POINTER(structure)]


# name: (result, arguments)
FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "kaon_version": (c_char_p, []),
    "kaon_last_error": (c_char_p, []),
    "kaon_status_name": (c_char_p, [c_int]),
    "kaon_start_options_init": _options(StartOptions),
    "kaon_start": (c_int, [POINTER(StartOptions)]),
    "kaon_stop": (c_int, []),
    "kaon_fail": (c_int, [c_char_p, c_int]),
    "kaon_set_log": (c_int, [Log, c_void_p]),
    "kaon_run_info_init": _options(RunInfo),
    "kaon_run_get": (c_int, [POINTER(RunInfo)]),
    "kaon_lattice_options_init": _options(LatticeOptions),
    "kaon_lattice_info_init": _options(LatticeInfo),
    "kaon_lattice_create": (c_int, [POINTER(LatticeOptions), _new_handle]),
    "kaon_lattice_get": (c_int, [_handle, POINTER(LatticeInfo)]),
    "kaon_lattice_sum": (c_int, [_handle, c_size_t, _numbers]),
    "kaon_lattice_compare": (c_int, [_handle, c_char_p, c_char_p]),
    "kaon_lattice_destroy": (None, [_new_handle]),
    "kaon_array_init": _options(Array),
    "kaon_gauge_create": (c_int, [_handle, c_int, _new_handle]),
    "kaon_read_options_init": _options(ReadOptions),
    "kaon_gauge_read": (c_int, [c_char_p, POINTER(LatticeOptions), POINTER(ReadOptions), c_int, _new_handle,
                                _new_handle]),
    "kaon_file_options_init": _options(FileOptions),
    "kaon_gauge_write": (c_int, [_handle, c_char_p, POINTER(FileOptions)]),
    "kaon_gauge_set": (c_int, [_handle, POINTER(Array)]),
    "kaon_gauge_get": (c_int, [_handle, POINTER(Array)]),
    "kaon_gauge_start": (c_int, [_handle, c_int, c_uint64, c_double]),
    "kaon_heatbath_options_init": _options(HeatbathOptions),
    "kaon_gauge_heatbath": (c_int, [_handle, POINTER(HeatbathOptions)]),
    "kaon_gauge_plaquette": (c_int, [_handle, _numbers]),
    "kaon_gauge_polyakov_loop": (c_int, [_handle, c_int, _numbers]),
    "kaon_gauge_energy": (c_int, [_handle, _numbers, _numbers]),
    "kaon_smear_options_init": _options(SmearOptions),
    "kaon_gauge_smear": (c_int, [_handle, POINTER(SmearOptions), _new_handle]),
    "kaon_flow_options_init": _options(FlowOptions),
    "kaon_gauge_flow": (c_int, [_handle, POINTER(FlowOptions), _new_handle]),
    "kaon_gauge_fix_options_init": _options(GaugeFixOptions),
    "kaon_gauge_fix": (c_int, [_handle, POINTER(GaugeFixOptions), _new_handle, POINTER(GaugeFixReport)]),
    "kaon_gauge_destroy": (None, [_new_handle]),
    "kaon_spinor_options_init": _options(SpinorOptions),
    "kaon_spinor_create": (c_int, [_handle, POINTER(SpinorOptions), _new_handle]),
    "kaon_spinor_get_options": (c_int, [_handle, POINTER(SpinorOptions)]),
    "kaon_spinor_set": (c_int, [_handle, c_int, POINTER(Array)]),
    "kaon_spinor_get": (c_int, [_handle, c_int, POINTER(Array)]),
    "kaon_source_options_init": _options(SourceOptions),
    "kaon_spinor_source": (c_int, [_handle, POINTER(SourceOptions)]),
    "kaon_quark_smear_options_init": _options(QuarkSmearOptions),
    "kaon_spinor_smear": (c_int, [_handle, _handle, POINTER(QuarkSmearOptions)]),
    "kaon_spinor_norm2": (c_int, [_handle, _numbers]),
    "kaon_spinor_set_flavor": (c_int, [_handle, _handle, c_int]),
    "kaon_spinor_take_flavor": (c_int, [_handle, _handle, c_int]),
    "kaon_spinor_destroy": (None, [_new_handle]),
    "kaon_operator_options_init": _options(OperatorOptions),
    "kaon_operator_create": (c_int, [_handle, POINTER(OperatorOptions), _new_handle]),
    "kaon_operator_create_clover":
        (c_int, [_handle, POINTER(Array), POINTER(Array), POINTER(OperatorOptions), _new_handle]),
    "kaon_operator_create_improved": (c_int, [_handle, _handle, POINTER(OperatorOptions), _new_handle]),
    "kaon_operator_get_clover": (c_int, [_handle, c_int, POINTER(Array)]),
    "kaon_operator_apply": (c_int, [_handle, c_int, _handle, _handle]),
    "kaon_operator_residual": (c_int, [_handle, _handle, _handle, _numbers, _numbers]),
    "kaon_operator_apply_b": (c_int, [_handle, c_int, c_int, _handle, _handle]),
    "kaon_operator_destroy": (None, [_new_handle]),
    "kaon_schur_options_init": _options(SchurOptions),
    "kaon_operator_apply_schur": (c_int, [_handle, POINTER(SchurOptions), c_int, _handle, _handle]),
    "kaon_link_smear_options_init": _options(LinkSmearOptions),
    "kaon_gauge_smear_links": (c_int, [_handle, POINTER(LinkSmearOptions), _new_handle, _new_handle]),
    "kaon_gauge_smear_hisq_links": (c_int, [_handle, c_int, _numbers, _new_handle, _new_handle]),
    "kaon_gauge_fold_phases": (c_int, [_handle, c_int, c_int]),
    "kaon_eigenvector_options_init": _options(EigenvectorOptions),
    "kaon_eigenvectors_find": (c_int, [_handle, POINTER(EigenvectorOptions), _new_handle]),
    "kaon_eigenvectors_get": (c_int, [_handle, POINTER(EigenvectorsInfo), _numbers, _numbers]),
    "kaon_eigenvectors_copy": (c_int, [_handle, c_int, _handle, c_int]),
    "kaon_eigenvectors_save": (c_int, [_handle, c_char_p, c_int]),
    "kaon_eigenvectors_load": (c_int, [_handle, c_char_p, c_int, _new_handle]),
    "kaon_eigenvectors_destroy": (None, [_new_handle]),
    "kaon_solver_options_init": _options(SolverOptions),
    "kaon_solver_create": (c_int, [_handle, POINTER(SolverOptions), _new_handle]),
    "kaon_solver_solve": (c_int, [_handle, _handle, _handle, POINTER(Report)]),
    "kaon_solver_solve_walls": (c_int, [_handle, _handle, _handle, _handle, c_int, _numbers, POINTER(Report)]),
    "kaon_solver_update": (c_int, [_handle, _handle]),
    "kaon_solver_save": (c_int, [_handle, c_char_p]),
    "kaon_solver_destroy": (None, [_new_handle]),
    "kaon_multi_solver_create":
        (c_int, [_handle, c_int, c_int, _numbers, POINTER(SolverOptions), _new_handle]),
    "kaon_multi_solver_create_schur":
        (c_int, [_handle, POINTER(SchurOptions), c_int, _numbers, POINTER(SolverOptions), _new_handle]),
    "kaon_multi_solver_solve": (c_int, [_handle, _new_handle, _handle, POINTER(Report)]),
    "kaon_multi_solver_destroy": (None, [_new_handle]),
    "kaon_hmc_options_init": _options(HmcOptions),
    "kaon_hmc_create": (c_int, [POINTER(HmcOptions), _new_handle]),
    "kaon_hmc_add_scale": (c_int, [_handle, c_int, c_int]),
    "kaon_gauge_action_options_init": _options(GaugeActionOptions),
    "kaon_hmc_add_gauge_action": (c_int, [_handle, POINTER(GaugeActionOptions)]),
    "kaon_quark_term_options_init": _options(QuarkTermOptions),
    "kaon_hmc_add_quarks": (c_int, [_handle, POINTER(OperatorOptions), POINTER(QuarkTermOptions)]),
    "kaon_hmc_trajectory": (c_int, [_handle, _handle, c_uint32, POINTER(TrajectoryReport)]),
    "kaon_hmc_reverse": (c_int, [_handle, _handle, c_uint32, _numbers, _numbers]),
    "kaon_hmc_destroy": (None, [_new_handle]),
    "kaon_chain_mean": (c_int, [c_size_t, _numbers, POINTER(ChainReport)]),
    "kaon_momenta_create": (c_int, [_handle, _new_handle]),
    "kaon_momenta_set": (c_int, [_handle, POINTER(Array)]),
    "kaon_momenta_get": (c_int, [_handle, POINTER(Array)]),
    "kaon_momenta_draw": (c_int, [_handle, c_uint64, c_uint32]),
    "kaon_momenta_energy": (c_int, [_handle, _numbers]),
    "kaon_momenta_kick": (c_int, [_handle, _handle, c_double]),
    "kaon_momenta_destroy": (None, [_new_handle]),
    "kaon_gauge_advance": (c_int, [_handle, _handle, c_double]),
    "kaon_gauge_reunitarize": (c_int, [_handle]),
    "kaon_action_term_create_gauge": (c_int, [POINTER(GaugeActionOptions), _new_handle]),
    "kaon_action_term_create_quarks":
        (c_int, [POINTER(OperatorOptions), POINTER(QuarkTermOptions), _new_handle]),
    "kaon_action_term_draw": (c_int, [_handle, _handle, c_uint64, c_uint32, _numbers]),
    "kaon_action_term_value": (c_int, [_handle, _handle, _numbers]),
    "kaon_action_term_kick": (c_int, [_handle, _handle, _handle, c_double]),
    "kaon_action_term_iterations": (c_int, [_handle, _numbers]),
    "kaon_action_term_destroy": (None, [_new_handle]),
    "kaon_propagator_write": (c_int, [_handle, c_char_p]),
    "kaon_propagator_read": (c_int, [c_char_p, _handle, c_int, _new_handle]),
    "kaon_correlator_options_init": _options(CorrelatorOptions),
    "kaon_pion_correlator": (c_int, [_handle, POINTER(CorrelatorOptions), c_int, _numbers]),
    "kaon_residual_mass": (c_int, [_handle, _handle, POINTER(CorrelatorOptions), c_int, _numbers]),
    "kaon_effective_mass": (c_int, [c_int, c_int, _numbers, _numbers]),
}
