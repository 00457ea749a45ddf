# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Run by mpirun on two processes: all collective functions of kaon.h refuse arguments that differ, on both.

Each function is called with arguments that work, and then with one argument, or one member of its options, changed on the
second process, and with NULL on both for each pointer that it needs. A function without an entry fails the test."""
import ctypes
import os
import pathlib
import re

import numpy as np

import kaon
from kaon import declarations as h
from kaon.library import create, last_error

HEADER = pathlib.Path(os.environ.get("KAON_HEADER") or pathlib.Path(__file__).parents[2] / "include/kaon/kaon.h")
library = kaon.start()
failures, handles = [], []


def collective_functions():
    """The names of the parameters of each function that kaon.h calls collective."""
    found, is_collective = {}, False
    text = HEADER.read_text()
    for part in re.finditer(r"/\*(.*?)\*/|KAON_API kaon_status (\w+)\(([^)]*)\);|\n\n", text, flags=re.DOTALL):
        comment, name, parameters = part.groups()
        if comment is not None:
            is_collective = "Collective" in comment
        elif name is None:
            is_collective = False
        elif is_collective:
            found[name] = [re.sub(r"\[\d\]", "", p).split()[-1].lstrip("*") for p in parameters.split(",")]
    return found


def made(structure, **values):
    options = structure()
    getattr(library, f"{structure.c_name}_init")(options)
    for name, value in values.items():
        setattr(options, name, value)
    return options


def new(function, *arguments):
    handles.append(create(re.sub("kaon_|_create.*|_find", "", function), function.removeprefix("kaon_"), *arguments))
    return handles[-1].pointer


def spinor(**shape):
    return new("kaon_spinor_create", lattice, ctypes.byref(made(h.SpinorOptions, **shape)))


def links(precision=h.DOUBLE, on=None, start=h.WEAK):
    field = new("kaon_gauge_create", on or lattice, precision)
    library.kaon_gauge_start(field, start, 1, 0.3)
    return field


def operator(**physics):
    return new("kaon_operator_create", gauge, ctypes.byref(made(h.OperatorOptions, **{"mass": 0.3, **physics})))


def numbers(count=64):
    return (ctypes.c_double * count)()


class Results:
    """Room for results, again for each call."""

    def __init__(self, kind=ctypes.c_void_p, count=1):
        self.make = kind * count


@h.Progress
def on_iteration(*_):
    return 1


extents = (ctypes.c_int * 4)(4, 4, 4, 8)
grid = (ctypes.c_int * 4)(1, 1, 1, 2)
ranks = (ctypes.c_int * 2)(0, 1)
lattice_options = made(h.LatticeOptions, extents=extents, grid=grid, ranks=ranks)
lattice = new("kaon_lattice_create", ctypes.byref(lattice_options))
far = new("kaon_lattice_create", ctypes.byref(made(h.LatticeOptions, extents=extents, grid=grid, reach=3)))
info = made(h.LatticeInfo)
library.kaon_lattice_get(lattice, ctypes.byref(info))
assert info.processes == 2
second = info.rank == 1
gauge, single, unset = links(), links(h.SINGLE), new("kaon_gauge_create", lattice, h.DOUBLE)
far_gauge = links(on=far)
wilson, heavier, staggered = operator(), operator(mass=0.4), operator(action=h.STAGGERED)
wall = operator(action=h.DOMAIN_WALL, slices=2)
doublet = operator(action=h.TWISTED_DOUBLET, mu=0.1, epsilon=0.1)
one, two, narrow = spinor(), spinor(right_hand_sides=2), spinor(precision=h.SINGLE)
b, set_already = spinor(), spinor()
source = made(h.SourceOptions, kind=h.POINT_SOURCE, seed=3)
library.kaon_spinor_source(b, ctypes.byref(source))
library.kaon_spinor_source(set_already, ctypes.byref(source))
flavors, five = spinor(slices=2), spinor(slices=2)
propagator, colors = spinor(right_hand_sides=12), spinor(spins=1, right_hand_sides=3)
thin = spinor(spins=1)
eigenvectors = new("kaon_eigenvectors_find", staggered, ctypes.byref(made(h.EigenvectorOptions, count=2)))
solver_options = made(h.SolverOptions, method=h.CGNR, tolerance=1e-6)
shift_options = made(h.SolverOptions, tolerance=1e-6)
solver = new("kaon_solver_create", wilson, ctypes.byref(solver_options))
other_solver = new("kaon_solver_create", wilson, ctypes.byref(made(h.SolverOptions, tolerance=1e-7)))
wall_solver = new("kaon_solver_create", wall, ctypes.byref(made(h.SolverOptions, tolerance=1e-4)))
shifts = (ctypes.c_double * 2)(0.1, 0.2)
multi = new("kaon_multi_solver_create", wilson, h.SHIFTS, 2, shifts, ctypes.byref(made(h.SolverOptions, tolerance=1e-6)))
multi_one = new("kaon_multi_solver_create", wilson, h.SHIFTS, 1, shifts, None)
gauge_action = made(h.GaugeActionOptions, beta=5.0)
two_x = (ctypes.c_void_p * 2)(spinor(), spinor())
momenta = new("kaon_momenta_create", lattice)


def hmc(steps=1, beta=5.0, **options):
    """An HMC of the gauge action, and if there are options of quarks too."""
    handle = new("kaon_hmc_create", None)
    library.kaon_hmc_add_scale(handle, steps, h.LEAPFROG)
    library.kaon_hmc_add_gauge_action(handle, ctypes.byref(made(h.GaugeActionOptions, beta=beta)))
    if options:
        status = library.kaon_hmc_add_quarks(handle, ctypes.byref(made(h.OperatorOptions, mass=0.3)),
                                             ctypes.byref(made(h.QuarkTermOptions, **options)))
        assert status == h.OK, last_error()
    return handle


def term(**options):
    return new("kaon_action_term_create_gauge", ctypes.byref(made(h.GaugeActionOptions, **{"beta": 5.0, **options})))


def quarks(levels=1, last_rho=0.1):
    options = made(h.QuarkTermOptions, stout_levels=levels, stout_rho=(0.1, 0.1, 0.1, last_rho))
    return new("kaon_action_term_create_quarks", ctypes.byref(made(h.OperatorOptions, mass=0.3)), ctypes.byref(options))


array = made(h.Array)
of_links = np.zeros((4, 4, 4, 4, 4, 3, 3), complex)
array.data = of_links.ctypes.data
clover = made(h.Array, inside=h.FULL_CLOVER)
of_sites = np.ascontiguousarray(np.broadcast_to(np.eye(6, dtype=complex), (4, 4, 4, 4, 2, 6, 6)))
clover.data = of_sites.ctypes.data

measurement = (b'{"quark": {"l": {"action": "wilson", "mass": %s}}, "source": {"sites": [[0, 1, 2, 3]]},'
               b' "meson": [{"quarks": ["l", "l"]}]}')

OPTIONAL = None  # results that one process may want alone
HANDLES = {  # others of the same type
    "gauge": [single, unset], "dirac": [heavier], "solver": [other_solver], "spinor": [two, narrow, five]}
# name: (arguments, other handles in the place of an argument)
CALLS = {
    "kaon_lattice_create": ([lattice_options, Results()], {}),
    "kaon_lattice_sum": ([lattice, 3, Results(ctypes.c_double, 8)], {"lattice": [far]}),
    "kaon_lattice_compare": ([lattice, b"call", b"arguments"], {"lattice": [far], "call": [b"other"], "arguments": [b"other"]}),
    "kaon_gauge_read": ([b"missing", lattice_options, made(h.ReadOptions), h.DOUBLE, OPTIONAL, Results()], {}),
    "kaon_gauge_write": ([gauge, b"/nowhere/links", made(h.FileOptions)], {"gauge": [single, unset]}),
    "kaon_gauge_start": ([links(), h.WEAK, 3, 0.3], {"gauge": [single]}),
    "kaon_gauge_heatbath": ([links(), made(h.HeatbathOptions, beta=5.5, overrelaxations=1)], {"gauge": [single]}),
    "kaon_gauge_plaquette": ([gauge, Results(ctypes.c_double, 3)], {"gauge": [single]}),
    "kaon_gauge_polyakov_loop": ([gauge, 1, Results(ctypes.c_double, 2)], {}),
    "kaon_gauge_energy": ([gauge, Results(ctypes.c_double, 3), Results(ctypes.c_double)], {}),
    "kaon_gauge_smear": ([gauge, made(h.SmearOptions), Results()], {"gauge": [single]}),
    "kaon_gauge_flow": ([gauge, made(h.FlowOptions), Results()], {}),
    "kaon_gauge_fix": ([gauge, made(h.GaugeFixOptions, tolerance=0.1), Results(), OPTIONAL], {}),
    "kaon_spinor_source": ([one, source], {"spinor": [two, narrow, five]}),
    "kaon_spinor_smear": ([one, gauge, made(h.QuarkSmearOptions, width=1.0, steps=2)], {"gauge": [single]}),
    "kaon_spinor_norm2": ([one, Results(ctypes.c_double, 4)], {"spinor": [two, narrow, five]}),
    "kaon_operator_create": ([gauge, made(h.OperatorOptions, mass=0.2), Results()], {"gauge": [single, unset]}),
    "kaon_operator_create_clover": ([gauge, clover, clover, made(h.OperatorOptions), Results()], {}),
    "kaon_operator_create_improved": ([far_gauge, far_gauge, made(h.OperatorOptions, action=h.HISQ, mass=0.2), Results()], {}),
    "kaon_operator_apply": ([wilson, h.M, one, b], {"dirac": [heavier], "out": [two, narrow], "in": [two, narrow]}),
    "kaon_operator_residual": ([wilson, one, b, OPTIONAL, Results(ctypes.c_double, 4)], {"dirac": [heavier]}),
    "kaon_operator_apply_b": ([wall, 0, 0, five, flavors], {}),
    "kaon_operator_apply_schur": ([wilson, made(h.SchurOptions), h.M, one, b], {"dirac": [heavier], "in": [two]}),
    "kaon_gauge_smear_links": ([far_gauge, made(h.LinkSmearOptions), Results(), Results()], {}),
    "kaon_gauge_smear_hisq_links": ([far_gauge, 1, numbers(1), Results(), Results()], {}),
    "kaon_gauge_fold_phases": ([links(), 1, 1], {}),
    "kaon_eigenvectors_find": ([staggered, made(h.EigenvectorOptions), Results()], {"dirac": [wilson]}),
    "kaon_eigenvectors_save": ([eigenvectors, b"/nowhere/vectors", 64, 0], {}),
    "kaon_eigenvectors_load": ([staggered, b"missing", 1, Results()], {"dirac": [wilson]}),
    "kaon_solver_create": ([wilson, solver_options, Results()], {"dirac": [heavier]}),
    "kaon_solver_solve": ([solver, one, b, OPTIONAL], {"solver": [other_solver], "x": [two, narrow], "b": [two]}),
    "kaon_solver_propagate": ([wall_solver, b, b"propagator,midpoint", Results(ctypes.c_void_p, 2), 8, Results(ctypes.c_double, 8),
                               OPTIONAL], {"eta": [two], "names": [b"midpoint,propagator"]}),
    "kaon_solver_update": ([solver, heavier], {"solver": [other_solver], "dirac": [wilson]}),
    "kaon_solver_save": ([solver, b"/nowhere/vectors"], {}),
    "kaon_multi_solver_create": ([wilson, h.SHIFTS, 2, shifts, shift_options, Results()], {"dirac": [heavier]}),
    "kaon_multi_solver_create_schur": ([wilson, made(h.SchurOptions), 2, shifts, shift_options, Results()], {}),
    "kaon_multi_solver_solve": ([multi, two_x, b, OPTIONAL], {"solver": [multi_one], "b": [two]}),
    "kaon_hmc_trajectory": ([hmc(), gauge, 1, OPTIONAL], {
        "hmc": [hmc(steps=2), hmc(beta=5.1), hmc(tolerance=1e-9), hmc(flavors=1.0, lowest=1e-5)], "gauge": [single]}),
    "kaon_hmc_reverse": ([hmc(), gauge, 1, Results(ctypes.c_double), Results(ctypes.c_double)], {}),
    "kaon_momenta_set": ([momenta, array], {}),
    "kaon_momenta_draw": ([momenta, 1, 2], {}),
    "kaon_momenta_energy": ([momenta, Results(ctypes.c_double)], {}),
    "kaon_momenta_kick": ([momenta, gauge, 0.1], {"matrices": [single]}),
    "kaon_gauge_advance": ([links(), momenta, 0.1], {}),
    "kaon_gauge_reunitarize": ([links()], {"gauge": [single]}),
    "kaon_action_term_draw": ([quarks(), gauge, 1, 2, Results(ctypes.c_double)], {"term": [quarks(levels=2), quarks(last_rho=0.2)]}),
    "kaon_action_term_value": ([term(), gauge, Results(ctypes.c_double)], {"term": [term(beta=5.1), term(one_loop_u0=0.9)]}),
    "kaon_action_term_kick": ([term(), momenta, gauge, 0.1], {"gauge": [single]}),
    "kaon_propagator_write": ([propagator, propagator, b"/nowhere/propagator", made(h.PropagatorOptions)], {"propagator": [colors]}),
    "kaon_propagator_read": ([b"missing", lattice, h.DOUBLE, made(h.PropagatorOptions), Results()], {"lattice": [far]}),
    "kaon_pion_correlator": ([propagator, made(h.CorrelatorOptions), 8, Results(ctypes.c_double, 8)], {"propagator": [colors]}),
    "kaon_measure": ([gauge, measurement % b"1.0", b"q", 0, Results(ctypes.c_char_p)],
                     {"links": [single, unset], "input": [measurement % b"1.1"], "name": [b"other"]}),
    "kaon_residual_mass": ([propagator, propagator, made(h.CorrelatorOptions), 8, Results(ctypes.c_double, 8)], {}),
}
HAVE_DEFAULTS = ("eigenvectors_find gauge_fix gauge_flow gauge_read gauge_smear gauge_smear_links gauge_write multi_solver_create "
                 "multi_solver_create_schur operator_apply_schur operator_create_clover pion_correlator propagator_read "
                 "propagator_write residual_mass solver_create").split()
MAY_BE_NULL = {*((f"kaon_{name}", "options") for name in HAVE_DEFAULTS), ("kaon_gauge_read", "reading"),
               ("kaon_lattice_compare", "lattice"), ("kaon_multi_solver_create_schur", "schur"),
               ("kaon_operator_create_clover", "inverse"), ("kaon_operator_residual", "heavy_quark"),
               ("kaon_propagator_write", "sources"), ("kaon_solver_propagate", "axial_current"), ("kaon_solver_propagate", "names")}
functions = collective_functions()
assert len(functions) > 50, len(functions)
LIVES_ALONE = {"kaon_start", "kaon_fail"}  # before there are processes, and where one is lost
NOT_COMPARED = {  # members that say which processes compare, and those of one process
    ("LatticeOptions", "use_communicator"), ("LatticeOptions", "communicator"), ("SolverOptions", "on_iteration_context")}


def changed(value):
    """Another value of the same type."""
    if isinstance(value, (int, float)):
        return 0.5 if value != value else value + 1
    if isinstance(value, ctypes.Array):
        return [type(value)(*(changed(v) if i == k else v for i, v in enumerate(value))) for k in range(len(value))]
    raise TypeError(value)


def others_of(value, alternatives):
    """Descriptions and values that differ from a valid argument."""
    for number, other in enumerate(alternatives):
        yield f"other {number}", other
    if value is OPTIONAL:
        return
    if isinstance(value, Results):
        yield "NULL", None
    elif isinstance(value, ctypes.Structure) and not isinstance(value, h.Array):
        for name, kind in value._fields_:
            if name == "size" or (type(value).__name__, name) in NOT_COMPARED:
                continue
            member = getattr(value, name)
            if name == "ranks":
                values = [None, (ctypes.c_int * 2)(1, 0)]
            elif name in ("b_of_slices", "c_of_slices"):
                values = [numbers()]
            elif name in ("near_null_file", "chroma_header", "info"):
                values = [b"text"]
            elif name == "on_iteration":
                values = [on_iteration]
            elif name == "eigenvectors":
                values = [eigenvectors]
            else:
                values = changed(member) if isinstance(member, ctypes.Array) else [changed(member)]
            for number, of in enumerate(values):
                copy = type(value).from_buffer_copy(value)
                setattr(copy, name, of)
                yield f"{name} {number}", copy
        copy = type(value).from_buffer_copy(value)
        copy.size += 8
        yield "size", copy
    elif isinstance(value, ctypes.Array):
        yield from ((f"element {k}", other) for k, other in enumerate(changed(value)) if value._type_ is ctypes.c_double)
        yield "NULL", None
    elif isinstance(value, (ctypes.c_void_p, bytes, ctypes.Structure)):
        yield "NULL", None
    else:
        yield "number", changed(value)


def call(name, values):
    """Status and text of a call, which makes handles only where it succeeds."""
    given, made_by_call = [], {}
    for parameter, value in zip(functions[name], values):
        if isinstance(value, Results):
            value = value.make()
            if value._type_ is ctypes.c_void_p:
                if len(value) == 1:
                    value[0] = 8  # which a call that fails replaces by NULL
                made_by_call[parameter] = value
        given.append(ctypes.byref(value) if isinstance(value, ctypes.Structure) else value)
        of = h.FUNCTIONS[name][1][len(given) - 1]
        if isinstance(value, ctypes.Array) and not isinstance(value, of) and of is not ctypes.c_void_p:
            given[-1] = ctypes.cast(value, of)
    status, text = getattr(library, name)(*given), last_error()
    for parameter, handle in made_by_call.items():
        expect(f"{name} makes {parameter} where it succeeds", bool(handle[0]) == (status == h.OK), text)
        kind = {"dirac": "operator", "propagator": "spinor", "propagators": "spinor", "lattice": "lattice", "eigenvectors": "eigenvectors",
                "solver": "multi_solver" if "multi" in name else "solver"}.get(parameter, "gauge")
        for place in range(len(handle)):
            getattr(library, f"kaon_{kind}_destroy")(ctypes.byref(ctypes.c_void_p.from_buffer(handle, place * ctypes.sizeof(ctypes.c_void_p))))
    return status, text


def expect(what, holds, got):
    if not holds:
        failures.append(f"process {int(second)}: {what}: {got}")
        print(failures[-1], flush=True)


assert set(functions) - LIVES_ALONE == set(CALLS), set(functions) ^ set(CALLS)
cases = 0
for name, (arguments, alternatives) in CALLS.items():
    assert set(alternatives) <= set(functions[name]), name
    status, text = call(name, arguments)
    expect(f"{name} with the same arguments", status in (h.OK, h.FILE) or name == "kaon_solver_save" and "differ" not in text,
           (status, text))
    for index, parameter in enumerate(functions[name]):
        for what, other in others_of(arguments[index], alternatives.get(parameter, [])):
            cases += 1
            differing = [*arguments[:index], other if second else arguments[index], *arguments[index + 1:]]
            status, text = call(name, differing)
            expect(f"{name}, {parameter}: {what}", status == h.INVALID and "processes " in text, (status, text))
        is_pointer = isinstance(arguments[index], (Results, bytes, ctypes.c_void_p, ctypes.Structure, ctypes.Array))
        if is_pointer and (name, parameter) not in MAY_BE_NULL:
            status, text = call(name, [*arguments[:index], None, *arguments[index + 1:]])
            expect(f"{name} without {parameter}", status == h.INVALID and f"{parameter} is NULL" in text, (status, text))
# A guess on one process alone, numbers that are none, and other calls.
status, text = call("kaon_solver_solve", [solver, spinor() if second else set_already, b, None])
expect("a guess of one process", status == h.INVALID and "x_was_set" in text, (status, text))
status, text = call("kaon_gauge_advance", [*CALLS["kaon_gauge_advance"][0][:2], 0.0 if second else float("nan")])
expect("0 and NaN, which stands for a number that was not given", status == h.INVALID and "processes " in text, (status, text))
status, text = call(*(("kaon_gauge_plaquette", [gauge, numbers()]) if second else
                      ("kaon_gauge_energy", [gauge, numbers(), numbers()])))
expect("other calls", status == h.INVALID and "made different calls: kaon_gauge_energy" in text, (status, text))


# Python refuses wrong arguments of one process on all.
U = kaon.GaugeField(kaon.Lattice((4, 4, 4, 8), grid=(1, 1, 1, 2)), start="weak", seed=1)
D = kaon.Wilson(U, mass=0.3)
S = kaon.Solver(D)
psi, freed = kaon.SpinorField(U.lattice), kaon.SpinorField(U.lattice)
freed.free()
quark = kaon.Propagator(U.lattice)
PYTHON = {
    "another word": lambda: kaon.Solver(D, method="none" if second else "auto"),
    "another type": lambda: kaon.Solver(psi if second else D),
    "a freed object": lambda: D(freed if second else psi),
    "a freed field": lambda: (freed if second else psi).norm2(),
    "a guess": lambda: S.solve(psi, psi if second else None),
    "a site": lambda: S.propagator(kaon.PointSource((0, 0, 0, 5 * second))),
    "a source": lambda: S.propagator("none" if second else kaon.PointSource()),
    "a form": lambda: D.schur(psi, form=("symmetric", "asymmetric")[second]),
    "an action": lambda: kaon.Action([kaon.GaugeAction(beta=5.0 + second)]).value(U),
    "a seed": lambda: kaon.Momenta(U.lattice).draw(int(second)),
    "momenta": lambda: kaon.meson(quark, quark, momenta=[(0, 0, int(second))]),
    "gamma matrices": lambda: kaon.meson(quark, quark, sink=(kaon.g5, kaon.gx)[second]),
    "a range": lambda: kaon.HMC(U, [kaon.RationalFlavors(mass=0.2, lowest=(1e-4, 1e-5)[second])]).trajectory(0),
}
for name, function in PYTHON.items():
    try:
        function()
        expect(name, False, "taken")
    except kaon.InvalidArgument as error:
        expect(name, True, error)
assert U.lattice.sum([1.0])[0] == 2.0
assert not failures
print(f"process {int(second)}: {cases} arguments that differ are refused")
