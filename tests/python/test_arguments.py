# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Every argument of every function that the package has for its users, with values of all kinds: they are used, or refused by
`kaon.Error`. Arrays with a mask are refused."""
import inspect
import math
import warnings

import numpy as np
import pytest

import kaon

EXTENTS = (4, 4, 2, 4)
SITES = tuple(reversed(EXTENTS))
VALUES = (None, "x", "", "a\0b", "\ud800", b"x", True, -1, 0, 1, 3, 2**31, 2**64, 10**400, 10**5000, 0.5, -0.5, 1e300, math.inf,
          -math.inf, math.nan, 1j, (), [], [1, 2], (0.1, 0.2, 0.3, 0.4), [10**400] * 4, ["x"] * 4, [[1], 2], {}, {1: 2}, object(), len,
          np.float32(0.5), np.array(0.5), np.arange(4), np.ones((2, 2)), np.array([None]), np.ma.masked, slice(1),
          np.ma.masked_array([0.5], [True]))


class Calls:
    """For each function its name, itself, and arguments by name with which it works."""

    def __init__(self):
        self.lattice = lattice = kaon.Lattice(EXTENTS)
        self.links = u = kaon.GaugeField(lattice, start="weak", seed=1, width=0.2)
        far = kaon.GaugeField(kaon.Lattice((4, 4, 4, 4), reach=3), start="weak", seed=1, width=0.2)
        fat, long = far.hisq_links()
        self.psi, self.chi = np.ones(SITES + (4, 3), complex), np.ones(SITES + (3,), complex)
        wilson, naive, walls = kaon.Wilson(u, mass=0.5), kaon.Staggered(u, mass=0.5), kaon.DomainWall(u, mass=0.5, slices=2)
        clover, doublet = kaon.WilsonClover(u, mass=0.5), kaon.TwistedDoublet(u, mu=0.2, epsilon=0.1, mass=0.5)
        solve, point = kaon.Solver(wilson, tolerance=1e-4), kaon.PointSource()
        s, k = solve.propagator(point), kaon.Solver(naive, tolerance=1e-4).propagator(point)
        q = kaon.Solver(walls, tolerance=1e-4).propagator(point)
        vectors, p, term = kaon.Eigenvectors(naive, 1, tolerance=1e-6), kaon.Momenta(lattice), clover.clover()
        p.draw(1)
        action, field = kaon.Action(kaon.GaugeAction(beta=5.0)), kaon.SpinorField(lattice)
        changing = kaon.GaugeField(lattice, start="weak", seed=2)  # operators of others would be refused
        hmc = kaon.HMC(kaon.GaugeField(lattice, start="weak", seed=3), kaon.GaugeAction(beta=5.0), steps=1, length=0.01)
        eta = kaon.SpinorField(lattice, 12)
        physics = {"mass": 0.5, "kappa": None, "anisotropy": (1.0, 1.0), "boundary": (0, 0, 0, 1)}
        csw, twisted = {"csw": 1.0, "csw_temporal": 1.0}, {"mu": 0.1}
        order, directions = {"order": "lexicographic"}, {"directions_first": False}
        solving = {"tolerance": 1e-4, "max_iterations": 100, "links": 0, "progress": None, "method": "auto", "seed": 1,
                   "near_null_file": None, "eigenvectors": None}
        multi = {**solving, "inner": "single"}
        shifts = {name: multi[name] for name in multi if name not in ("method", "seed", "near_null_file")}
        quarks = {"boundary": (0, 0, 0, 0), "tolerance": 1e-6, "force_tolerance": 1e-6, "max_iterations": 100, "inner": "double"}
        self.array = array = u.to_numpy()
        reading = {"precision": "double", "extents": None, "grid": None, "comm": None, "reach": 1, "ignore_stated_plaquette": False}
        u.write("links"), s.write("quark"), vectors.save("vectors")
        flavors = lambda of: lambda **given: kaon.HMC(u, of(**given))
        self.table = [
            ("Lattice", kaon.Lattice, {"extents": EXTENTS, "grid": None, "comm": None, "ranks": None, "reach": 1}),
            ("Lattice.site_shape", lattice.site_shape, order),
            ("Lattice.sum", lattice.sum, {"values": [1.0]}),
            ("Lattice.gather", lattice.gather, {"local": self.psi}),
            ("GaugeField", kaon.GaugeField, {"lattice": lattice, "precision": "double", "start": "weak", "seed": 1, "width": 0.1}),
            ("GaugeField.read", kaon.GaugeField.read, {"path": "links", **reading}),
            ("GaugeField.from_array", kaon.GaugeField.from_array,
             {"lattice": lattice, "array": array, **order, **directions, "precision": None}),
            ("GaugeField.write", u.write, {"path": "copy", "format": "ildg", "bits": 64}),
            ("GaugeField.shape", u.shape, {**order, **directions}),
            ("GaugeField.set", changing.set, {"array": array, **order, **directions}),
            ("GaugeField.get", u.get, {"out": array.copy(), **order, **directions}),
            ("GaugeField.to_numpy", u.to_numpy, {**order, **directions, "gather": False}),
            ("GaugeField.start", changing.start, {"kind": "weak", "seed": 1, "width": 0.1}),
            ("GaugeField.heatbath", changing.heatbath,
             {"beta": 5.0, "overrelaxations": 1, "seed": 0, "update": None}),
            ("GaugeField.smeared", u.smeared, {"method": "stout", "steps": 1, "omitted": None, "rho": 0.1}),
            ("GaugeField.flow", u.flow, {"steps": 1, "step": 0.01, "action": "wilson", "anisotropy": 1.0}),
            ("GaugeField.gauge_fixed", u.gauge_fixed,
             {"condition": "landau", "tolerance": 1.0, "max_iterations": 2, "relaxation": 1.7}),
            ("GaugeField.asqtad_links", far.asqtad_links, {"u0": 0.9}),
            ("GaugeField.hisq_links", far.hisq_links, {"naik_epsilon": [0.0, 0.1]}),
            ("GaugeField.fold_phases", changing.fold_phases, {"antiperiodic": True, "steps": 1}),
            ("GaugeField.polyakov_loop", u.polyakov_loop, {"direction": 3}),
            ("GaugeField.advance", changing.advance, {"momenta": p, "dt": 0.1}),
            ("Momenta", kaon.Momenta, {"lattice": lattice}),
            ("Momenta.from_array", kaon.Momenta.from_array, {"lattice": lattice, "array": p.to_numpy(), **order, **directions}),
            ("Momenta.set", p.set, {"array": p.to_numpy(), **order, **directions}),
            ("Momenta.get", p.get, {"out": p.to_numpy(), **order, **directions}),
            ("Momenta.to_numpy", p.to_numpy, {**order, **directions, "gather": False}),
            ("Momenta.draw", kaon.Momenta(lattice).draw, {"seed": 0, "stream": 0}),
            ("Momenta.kick", kaon.Momenta(lattice).kick, {"matrices": u, "dt": 0.1}),
            ("SpinorField", kaon.SpinorField,
             {"lattice": lattice, "right_hand_sides": 1, "spins": 4, "precision": "double", "colors": 3, "slices": 1}),
            ("SpinorField.from_array", kaon.SpinorField.from_array,
             {"lattice": lattice, "array": self.psi, **order, "precision": None, "spins": None, "slices": 1}),
            ("SpinorField.shape", field.shape, order),
            ("SpinorField.set", field.set, {"array": self.psi, **order}),
            ("SpinorField.get", field.get, {"out": self.psi.copy(), **order}),
            ("SpinorField.to_numpy", field.to_numpy, order),
            ("SpinorField.smear", field.smear, {"links": u, "width": 1.0, "steps": 3}),
            ("Propagator", kaon.Propagator, {"lattice": lattice, "spins": 4, "precision": "double", "source_site": (0, 0, 0, 0)}),
            ("Propagator.read", kaon.Propagator.read,
             {"path": "quark", "lattice": lattice, "precision": "double", "source_site": (0, 0, 0, 0)}),
            ("Propagator.write", s.write, {"path": "quark2"}),
            ("Propagator.from_array", kaon.Propagator.from_array,
             {"lattice": lattice, "array": s.to_numpy(), **order, "precision": None, "spins": None, "source_site": (0, 0, 0, 0)}),
            ("Propagator.to_matrices", s.to_matrices, {**order, "gather": False}),
            ("Propagator.to_numpy", s.to_numpy, {**order, "gather": False}),
            ("Propagator.pion", s.pion, {"direction": 3}),
            ("Propagator.residual_mass", q.residual_mass, {"direction": 3}),
            ("Wilson", kaon.Wilson, {"links": u, **physics}),
            ("WilsonClover", kaon.WilsonClover, {"links": u, **physics, **csw}),
            ("ExponentialClover", kaon.ExponentialClover, {"links": u, **physics, **csw}),
            ("WilsonClover.from_site_term", kaon.WilsonClover.from_site_term,
             {"links": u, "term": term, "inverse": clover.clover(inverse=True), **order, "anisotropy": (1.0, 1.0),
              "boundary": (0, 0, 0, 1)}),
            ("WilsonClover.clover", clover.clover, {"inverse": False, **order}),
            ("TwistedMass", kaon.TwistedMass, {"links": u, **physics, **csw, **twisted}),
            ("TwistedDoublet", kaon.TwistedDoublet, {"links": u, **physics, **csw, **twisted, "epsilon": 0.1}),
            ("DomainWall", kaon.DomainWall,
             {"links": u, "mass": 0.5, "m5": 1.8, "slices": 2, "b": 1.5, "c": [0.5, 0.5], "anisotropy": (1.0, 1.0),
              "boundary": (0, 0, 0, 1), "lower_mass": None}),
            ("DomainWall.apply_b", walls.apply_b, {"psi": np.stack([self.psi] * 2), "inverse": False, "dagger": False}),
            ("Staggered", kaon.Staggered, {"links": u, "mass": 0.5, "boundary": (0, 0, 0, 1)}),
            ("Asqtad", kaon.Asqtad, {"links": far, "mass": 0.5, "u0": 0.9, "boundary": (0, 0, 0, 1)}),
            ("Hisq", kaon.Hisq, {"links": far, "mass": 0.5, "naik_epsilon": 0.0, "boundary": (0, 0, 0, 1)}),
            ("ImprovedStaggered", kaon.ImprovedStaggered, {"fat": fat, "long": long, "mass": 0.5, "boundary": (0, 0, 0, 1)}),
            ("Operator.__call__", wilson.__call__, {"psi": self.psi}),
            ("Operator.dagger", wilson.dagger, {"psi": self.psi}),
            ("Operator.normal", wilson.normal, {"psi": self.psi}),
            ("Operator.schur", wilson.schur, {"psi": self.psi, "form": "symmetric", "parity": "even", "kind": "plain"}),
            ("Operator.residual", wilson.residual, {"x": self.psi, "b": self.psi}),
            ("Operator.heavy_quark_residual", wilson.heavy_quark_residual, {"x": self.psi, "b": self.psi}),
            ("Solver", kaon.Solver,
             {"dirac": wilson, **solving, "precision": ("double", "single"), "keep_history": False, "reliable_delta": 0.1,
              "schwarz_steps": 10}),
            ("Solver.__call__", solve.__call__, {"b": self.psi, "guess": self.psi}),
            ("Solver.solve", solve.solve, {"b": self.psi, "guess": self.psi}),
            ("Solver.walls", kaon.Solver(walls, tolerance=1e-4).walls, {"eta": self.psi}),
            ("Solver.propagator", solve.propagator, {"source": point}),
            ("Solver.flavors", kaon.Solver(doublet, tolerance=1e-4).flavors, {"source": point, "flavor": 0}),
            ("Solver.update", solve.update, {"dirac": wilson}),
            ("Solver.save", solve.save, {"path": "near_null"}),
            ("Eigenvectors", kaon.Eigenvectors,
             {"dirac": naive, "count": 1, "even_sites": None, "tolerance": 1e-3, "basis": None, "max_restarts": 5,
              "filter": (4, 5.0, 20.0), "seed": 1}),
            ("Eigenvectors.load", kaon.Eigenvectors.load, {"dirac": naive, "path": "vectors", "even_sites": None}),
            ("Eigenvectors.save", vectors.save, {"path": "vectors2", "bits": 64}),
            ("Eigenvectors.__getitem__", vectors.__getitem__, {"number": 0}),
            ("MultiMassSolver", kaon.MultiMassSolver, {"dirac": naive, "masses": [0.5], **multi}),
            ("MultiMassSolver.propagators", kaon.MultiMassSolver(naive, [0.5], tolerance=1e-4).propagators, {"source": point}),
            ("MultiMassSolver.solve", kaon.MultiMassSolver(naive, [0.5], tolerance=1e-4).solve, {"b": self.chi}),
            ("MultiShiftSolver", kaon.MultiShiftSolver, {"dirac": wilson, "shifts": [0.5], **shifts, "schur": None, "parity": "even"}),
            ("MultiShiftSolver.solve", kaon.MultiShiftSolver(wilson, [0.5], tolerance=1e-4).solve, {"b": self.psi}),
            ("PointSource", lambda site: solve.propagator(kaon.PointSource(site)), {"site": (0, 0, 0, 0)}),
            ("PointSource.make", point.make, {"lattice": lattice, "spins": 4, "precision": "double"}),
            ("WallSource", lambda **given: solve.propagator(kaon.WallSource(**given)), {"t": 0, "seed": 0}),
            ("WallSource.make", kaon.WallSource().make, {"lattice": lattice, "spins": 4, "precision": "double"}),
            ("UniformWallSource", lambda **given: solve.propagator(kaon.UniformWallSource(**given)), {"t": 0, "sites": "all"}),
            ("UniformWallSource.make", kaon.UniformWallSource().make, {"lattice": lattice, "spins": 4, "precision": "double"}),
            ("GaussianSource", lambda **given: solve.propagator(kaon.GaussianSource(**given)),
             {"links": u, "site": (0, 0, 0, 0), "width": 1.0, "steps": 3}),
            ("GaussianSource.make", kaon.GaussianSource(u).make, {"lattice": lattice, "spins": 4, "precision": "double"}),
            ("HMC", kaon.HMC,
             {"links": u, "actions": [kaon.GaugeAction(beta=5.0)], "integrator": "omelyan", "steps": [2], "length": 1.0, "seed": 0,
              "accept_all": False}),
            ("HMC.trajectory", hmc.trajectory, {"number": 1}),
            ("HMC.reverse", hmc.reverse, {"number": 1}),
            ("GaugeAction", flavors(kaon.GaugeAction), {"action": "wilson", "beta": 5.0, "rectangle": None}),
            ("TwoFlavors", flavors(kaon.TwoFlavors),
             {"mass": 0.5, "kappa": None, "csw": 0.0, "mu": None, "hasenbusch": (0.2,), "method": "auto", **quarks}),
            ("DomainWallFlavors", flavors(kaon.DomainWallFlavors),
             {"mass": 0.5, "m5": 1.8, "slices": 2, "b": 1.0, "c": 0.0, "flavors": 2.0, "hasenbusch": (0.7,), "lowest": None,
              "highest": None, "exact": False, **quarks}),
            ("RationalFlavors", flavors(kaon.RationalFlavors),
             {"mass": 0.5, "kappa": None, "csw": 0.0, "flavors": 1.0, "lowest": 0.1, "highest": 50.0, "mu": None, "epsilon": None,
              **quarks}),
            ("StaggeredFlavors", flavors(kaon.StaggeredFlavors),
             {"mass": 0.5, "flavors": 4.0, "action": "naive", "heavier_mass": None, "u0": None, "naik_epsilon": 0.0, "highest": 90.0,
              **quarks}),
            ("Action", kaon.Action, {"actions": [kaon.GaugeAction(beta=5.0)]}),
            ("Action.draw", action.draw, {"links": u, "seed": 0, "stream": 0}),
            ("Action.value", action.value, {"links": u}),
            ("Action.kick", action.kick, {"momenta": kaon.Momenta(lattice), "links": u, "dt": 0.1}),
            ("Action.force", action.force, {"links": u}),
            ("meson", kaon.meson, {"quark": s, "antiquark": s, "source": kaon.g5, "sink": kaon.g5, "momenta": [(0, 0, 0)]}),
            ("baryon", kaon.baryon, {"up": s, "down": s, "projector": kaon.g5, "diquark": kaon.g5, "momenta": [(0, 0, 0)]}),
            ("staggered_meson", kaon.staggered_meson, {"propagator": k, "channel": "pseudoscalar"}),
            ("effective_mass", kaon.effective_mass, {"correlator": [1.0, 0.5], "oscillating": False}),
            ("binned", kaon.binned, {"samples": [[1.0, 2.0]] * 3, "size": 1}),
            ("jackknife", kaon.jackknife, {"samples": [[1.0, 2.0]] * 3, "function": None, "bin_size": 1}),
            ("plateau", kaon.plateau,
             {"samples": np.random.default_rng(1).normal(size=(5, 8)), "function": lambda mean: mean, "times": (1, 2), "bin_size": 1}),
            ("chain_mean", kaon.chain_mean, {"values": [1.0, 0.5, 0.7]}),
            ("folded", kaon.folded, {"correlator": [1.0, 0.5]}),
            ("set_log", lambda log: (kaon.set_log(log), kaon.set_log(None)), {"log": None}),
        ]


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:  # files are written into the folder
        patch.chdir(tmp_path_factory.mktemp("calls"))
        yield Calls()


def test_the_table_has_every_function(calls):
    """Functions that take arguments, and all of these."""
    listed = {name: set(arguments) for name, _, arguments in calls.table}
    without = {"predict", "plot", "run_info"}  # tested below and in test_plot.py
    errors = [name for name in kaon.__all__ if inspect.isclass(getattr(kaon, name, None)) and issubclass(getattr(kaon, name), BaseException)]
    results = {"ChainMean", "CloverObservables", "Estimate", "Plateau", "FixedGauge", "Plaquette", "Report", "Reversal", "SmearedLinks", "Trajectory"}
    for name in set(kaon.__all__) - without - results - set(errors):
        found = getattr(kaon, name)
        members = {name: found}
        if inspect.isclass(found):
            members |= {f"{name}.{key}": value for key, value in vars(found).items() if key == "__call__" or key[0] != "_"}
        for full, member in members.items():
            member = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
            if not callable(member) or full == "Operator" or full.endswith(".to_cupy"):
                continue
            wanted = {key for key, of in inspect.signature(member).parameters.items() if key not in ("self", "cls") and of.kind != of.VAR_KEYWORD}
            if wanted:
                assert wanted <= listed.get(full, set()), f"{full}: {wanted - listed.get(full, set())}"


def test_arguments_of_other_kinds(calls):
    wrong = []
    for name, call, arguments in calls.table:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name != "Solver.save":  # which needs a multigrid
                call(**arguments)
            for key in arguments:
                for value in VALUES:
                    try:
                        call(**{**arguments, key: value})
                    except kaon.Error:
                        pass
                    except Exception as error:
                        wrong.append(f"{name}({key}={str(type(value)) if isinstance(value, int) else value!r}): {error!r}"[:200])
    assert not wrong, "\n".join(wrong)


def is_array(value):
    """Types of numbers, also in a list or a tuple."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(is_array(entry) or isinstance(entry, (int, float)) for entry in value)
    return isinstance(value, np.ndarray)


def test_masks_are_refused(calls):
    """By every function that takes an array; also by those of pictures."""
    plot = None
    try:
        plot = kaon.plot
    except ImportError:
        pass
    pictures = [] if plot is None else [
        (name, getattr(plot, name), {key: [1.0, 0.5]}) for name, key in
        (("correlator", "values"), ("effective_mass", "values"), ("residuals", "history"), ("history", "values"))]
    seen, wrong = 0, []
    for name, call, arguments in [*calls.table, *pictures]:
        for key, value in arguments.items():
            if not is_array(value):
                continue
            array = np.ma.masked_array(np.asarray(value), mask=False)
            array[..., -1] = np.ma.masked
            for given in (array, [array], np.ma.masked_array(np.asarray(value), mask=False)):
                try:
                    call(**{**arguments, key: given})
                    wrong.append(f"{name}({key})")
                except kaon.InvalidArgument as error:
                    if "mask" not in str(error):
                        wrong.append(f"{name}({key}): {error}")
                seen += 1
    assert seen > 100 and not wrong, "\n".join(wrong)
