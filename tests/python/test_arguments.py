# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Every argument of every function that the package has for its users, with values of all kinds: they are used, or refused by
`kaon.Error`. Arrays with a mask are refused."""
import functools
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
        solving = {"tolerance": 1e-4, "max_iterations": 100}
        quarks = {"boundary": (0, 0, 0, 0), "tolerance": 1e-6, "force_tolerance": 1e-6, "max_iterations": 100, "inner": "double"}
        site_term = {"links": u, "term": term, "inverse": clover.clover(inverse=True)}
        array, samples = u.to_numpy(), np.random.default_rng(1).normal(size=(5, 8))
        correlator = kaon.Correlator(1 + 0.01 * samples + np.exp(-0.3 * np.arange(8)))
        fit = correlator.fit(0, 3, correlated=False)
        report = {"pion_correlator": [1.0, 0.5, 0.3, 0.5], "gauge": {"file": "q_1"}, "source": {"kind": "point"}}
        ensemble = kaon.Ensemble([report, {**report, "gauge": {"file": "q_2"}, "pion_correlator": [1.1, 0.5, 0.32, 0.6]}])
        nucleon = {"quarks": ["l"], "source": [[0, 0, 0, 0]], "sink": ["point"], "momentum": [[0, 0, 0]], "channel": ["positive"],
                   "t": [0, 1], "correlator": [[[[[[1.0, 0.0], [0.5, 0.0]]]]]]}
        with_current = {**nucleon, "channel": ["g4"], "hadron": "nucleon", "flavor": "u", "projector": "positive", "sink_time": 1,
                        "sink_momentum": [0, 0, 0]}
        measured = {"format": "kaon measurement", "format_version": 1, "baryon": {"nucleon_l": nucleon},
                    "three_point": {"nucleon_l_u_positive_t1_p0_0_0": with_current}}
        correlators = kaon.Correlators(correlator, correlator)
        nucleons = kaon.Ensemble([{**measured, "configuration": f"q_{i}"} for i in range(2)])
        correlator.write_pyerrors("corr.json.gz")
        u.write("links"), s.write("quark"), vectors.save("vectors")
        flavors = lambda of: lambda **given: kaon.HMC(u, of(**given))
        from_source = lambda of: lambda **given: solve.propagator(of(**given))
        made = {"lattice": lattice, "spins": 4, "precision": "double"}
        self.table = [(name, call, self.filled(name, given)) for name, call, given in (
            ("Lattice", kaon.Lattice, {"extents": EXTENTS}),
            ("Lattice.site_shape", lattice.site_shape, {}),
            ("Lattice.sum", lattice.sum, {"values": [1.0]}),
            ("Lattice.gather", lattice.gather, {"local": self.psi}),
            ("GaugeField", kaon.GaugeField, {"lattice": lattice, "start": "weak"}),
            ("GaugeField.read", kaon.GaugeField.read, {"path": "links"}),
            ("GaugeField.from_array", kaon.GaugeField.from_array, {"lattice": lattice, "array": array}),
            ("GaugeField.write", u.write, {"path": "copy"}),
            ("GaugeField.shape", u.shape, {}),
            ("GaugeField.set", changing.set, {"array": array}),
            ("GaugeField.get", u.get, {"out": array.copy()}),
            ("GaugeField.to_numpy", u.to_numpy, {}),
            ("GaugeField.start", changing.start, {"kind": "weak"}),
            ("GaugeField.heatbath", changing.heatbath, {"beta": 5.0, "overrelaxations": 1}),
            ("GaugeField.smeared", u.smeared, {"method": "stout", "rho": 0.1}),
            ("GaugeField.flow", u.flow, {}),
            ("GaugeField.gauge_fixed", u.gauge_fixed, {"tolerance": 1.0, "max_iterations": 2}),
            ("GaugeField.asqtad_links", far.asqtad_links, {"u0": 0.9}),
            ("GaugeField.hisq_links", far.hisq_links, {"naik_epsilon": [0.0, 0.1]}),
            ("GaugeField.fold_phases", changing.fold_phases, {}),
            ("GaugeField.polyakov_loop", u.polyakov_loop, {}),
            ("GaugeField.advance", changing.advance, {"momenta": p, "dt": 0.1}),
            ("Momenta", kaon.Momenta, {"lattice": lattice}),
            ("Momenta.from_array", kaon.Momenta.from_array, {"lattice": lattice, "array": p.to_numpy()}),
            ("Momenta.set", p.set, {"array": p.to_numpy()}),
            ("Momenta.get", p.get, {"out": p.to_numpy()}),
            ("Momenta.to_numpy", p.to_numpy, {}),
            ("Momenta.draw", kaon.Momenta(lattice).draw, {}),
            ("Momenta.kick", kaon.Momenta(lattice).kick, {"matrices": u, "dt": 0.1}),
            ("SpinorField", kaon.SpinorField, {"lattice": lattice}),
            ("SpinorField.from_array", kaon.SpinorField.from_array, {"lattice": lattice, "array": self.psi}),
            ("SpinorField.shape", field.shape, {}),
            ("SpinorField.set", field.set, {"array": self.psi}),
            ("SpinorField.get", field.get, {"out": self.psi.copy()}),
            ("SpinorField.to_numpy", field.to_numpy, {}),
            ("SpinorField.smear", field.smear, {"links": u, "width": 1.0, "steps": 3}),
            ("Propagator", kaon.Propagator, {"lattice": lattice}),
            ("Propagator.read", kaon.Propagator.read, {"path": "quark", "lattice": lattice}),
            ("Propagator.write", s.write, {"path": "quark2"}),
            ("Propagator.from_array", kaon.Propagator.from_array, {"lattice": lattice, "array": s.to_numpy()}),
            ("Propagator.to_matrices", s.to_matrices, {}),
            ("Propagator.to_numpy", s.to_numpy, {}),
            ("Propagator.pion", s.pion, {}),
            ("Propagator.residual_mass", q.residual_mass, {}),
            ("Wilson", kaon.Wilson, {"links": u, "mass": 0.5}),
            ("WilsonClover", kaon.WilsonClover, {"links": u, "mass": 0.5}),
            ("ExponentialClover", kaon.ExponentialClover, {"links": u, "mass": 0.5}),
            ("WilsonClover.from_site_term", kaon.WilsonClover.from_site_term, site_term),
            ("WilsonClover.clover", clover.clover, {}),
            ("TwistedMass", kaon.TwistedMass, {"links": u, "mass": 0.5, "csw": 1.0, "mu": 0.1}),
            ("TwistedDoublet", kaon.TwistedDoublet, {"links": u, "mass": 0.5, "csw": 1.0, "mu": 0.1, "epsilon": 0.1}),
            ("DomainWall", kaon.DomainWall, {"links": u, "mass": 0.5, "slices": 2, "b": 1.5, "c": [0.5, 0.5]}),
            ("DomainWall.apply_b", walls.apply_b, {"psi": np.stack([self.psi] * 2)}),
            ("Staggered", kaon.Staggered, {"links": u, "mass": 0.5}),
            ("Asqtad", kaon.Asqtad, {"links": far, "mass": 0.5, "u0": 0.9}),
            ("Hisq", kaon.Hisq, {"links": far, "mass": 0.5}),
            ("ImprovedStaggered", kaon.ImprovedStaggered, {"fat": fat, "long": long, "mass": 0.5}),
            ("Operator.__call__", wilson.__call__, {"psi": self.psi}),
            ("Operator.dagger", wilson.dagger, {"psi": self.psi}),
            ("Operator.normal", wilson.normal, {"psi": self.psi}),
            ("Operator.schur", wilson.schur, {"psi": self.psi}),
            ("Operator.residual", wilson.residual, {"x": self.psi, "b": self.psi}),
            ("Operator.heavy_quark_residual", wilson.heavy_quark_residual, {"x": self.psi, "b": self.psi}),
            ("Solver", kaon.Solver, {"dirac": wilson, **solving, "precision": ("double", "single")}),
            ("Solver.__call__", solve.__call__, {"b": self.psi, "guess": self.psi}),
            ("Solver.solve", solve.solve, {"b": self.psi, "guess": self.psi}),
            ("Solver.walls", kaon.Solver(walls, tolerance=1e-4).walls, {"eta": self.psi}),
            ("Solver.propagator", solve.propagator, {"source": point}),
            ("Solver.flavors", kaon.Solver(doublet, tolerance=1e-4).flavors, {"source": point, "flavor": 0}),
            ("Solver.update", solve.update, {"dirac": wilson}),
            ("Solver.save", solve.save, {"path": "near_null"}),
            ("Eigenvectors", kaon.Eigenvectors,
             {"dirac": naive, "tolerance": 1e-3, "max_restarts": 5, "filter": (4, 5.0, 20.0)}),
            ("Eigenvectors.load", kaon.Eigenvectors.load, {"dirac": naive, "path": "vectors"}),
            ("Eigenvectors.save", vectors.save, {"path": "vectors2"}),
            ("Eigenvectors.__getitem__", vectors.__getitem__, {"number": 0}),
            ("MultiMassSolver", kaon.MultiMassSolver, {"dirac": naive, "masses": [0.5], **solving}),
            ("MultiMassSolver.propagators", kaon.MultiMassSolver(naive, [0.5], tolerance=1e-4).propagators, {"source": point}),
            ("MultiMassSolver.solve", kaon.MultiMassSolver(naive, [0.5], tolerance=1e-4).solve, {"b": self.chi}),
            ("MultiShiftSolver", kaon.MultiShiftSolver, {"dirac": wilson, "shifts": [0.5], **solving}),
            ("MultiShiftSolver.solve", kaon.MultiShiftSolver(wilson, [0.5], tolerance=1e-4).solve, {"b": self.psi}),
            ("PointSource", from_source(kaon.PointSource), {}),
            ("PointSource.make", point.make, made),
            ("WallSource", from_source(kaon.WallSource), {}),
            ("WallSource.make", kaon.WallSource().make, made),
            ("UniformWallSource", from_source(kaon.UniformWallSource), {}),
            ("UniformWallSource.make", kaon.UniformWallSource().make, made),
            ("GaussianSource", from_source(kaon.GaussianSource), {"links": u, "width": 1.0, "steps": 3}),
            ("GaussianSource.make", kaon.GaussianSource(u).make, made),
            ("chroma_header", kaon.chroma_header, {"dirac": wilson, "source": kaon.GaussianSource(u)}),
            ("HMC", kaon.HMC, {"links": u, "actions": [kaon.GaugeAction(beta=5.0)], "steps": [2]}),
            ("HMC.trajectory", hmc.trajectory, {"number": 1}),
            ("HMC.reverse", hmc.reverse, {"number": 1}),
            ("GaugeAction", flavors(kaon.GaugeAction), {"beta": 5.0}),
            ("TwoFlavors", flavors(kaon.TwoFlavors), {"mass": 0.5, "hasenbusch": (0.2,), **quarks}),
            ("DomainWallFlavors", flavors(kaon.DomainWallFlavors), {"mass": 0.5, "slices": 2, "hasenbusch": (0.7,), **quarks}),
            ("RationalFlavors", flavors(kaon.RationalFlavors), {"mass": 0.5, "lowest": 0.1, **quarks}),
            ("StaggeredFlavors", flavors(kaon.StaggeredFlavors), {"mass": 0.5, "action": "naive", **quarks}),
            ("Action", kaon.Action, {"actions": [kaon.GaugeAction(beta=5.0)]}),
            ("Action.draw", action.draw, {"links": u}),
            ("Action.value", action.value, {"links": u}),
            ("Action.kick", action.kick, {"momenta": kaon.Momenta(lattice), "links": u, "dt": 0.1}),
            ("Action.force", action.force, {"links": u}),
            ("meson", kaon.meson, {"quark": s, "antiquark": s, "source": kaon.g5, "sink": kaon.g5}),
            ("baryon", kaon.baryon, {"up": s, "down": s, "projector": kaon.g5, "diquark": kaon.g5}),
            ("staggered_meson", kaon.staggered_meson, {"propagator": k}),
            ("effective_mass", kaon.effective_mass, {"correlator": [1.0, 0.5]}),
            ("binned", kaon.binned, {"samples": [[1.0, 2.0]] * 3, "size": 1}),
            ("jackknife", kaon.jackknife, {"samples": [[1.0, 2.0]] * 3}),
            ("plateau", kaon.plateau, {"samples": samples, "function": lambda mean: mean, "times": (1, 2)}),
            ("chain_mean", kaon.chain_mean, {"values": [1.0, 0.5, 0.7]}),
            ("bootstrap", kaon.bootstrap, {"samples": samples, "resamples": 3}),
            ("gamma_method", kaon.gamma_method, {"samples": samples}),
            ("estimate", kaon.estimate, {"samples": samples}),
            ("Fit.__call__", fit, {"times": [1.0]}),
            ("Correlator", kaon.Correlator, {"samples": samples}),
            ("Correlator.estimate", correlator.estimate, {"function": lambda mean: mean}),
            ("Correlator.error", correlator.error, {"method": "gamma"}),
            ("Correlator.autocorrelation", correlator.autocorrelation, {}),
            ("Correlator.effective_mass", correlator.effective_mass, {"method": "jackknife"}),
            ("Correlator.plateau", correlator.plateau, {"times": (1, 2)}),
            ("Correlator.ratio", correlator.ratio, {"other": correlator}),
            ("Correlator.fit", correlator.fit, {"t_min": 0, "t_max": 3, "correlated": False}),
            ("Correlator.write_pyerrors", correlator.write_pyerrors, {"path": "corr.json.gz"}),
            ("Correlator.read_pyerrors", kaon.Correlator.read_pyerrors, {"path": "corr.json.gz"}),
            ("Ensemble", kaon.Ensemble, {"files": [report]}),
            ("Ensemble.channels", lambda kind: ensemble.channels(kind, "?", "?"), {"kind": "meson"}),
            ("Ensemble.momenta", lambda kind: ensemble.momenta(kind, "?", "?"), {"kind": "meson"}),
            ("Ensemble.sinks", lambda kind: ensemble.sinks(kind, "?", "?"), {"kind": "meson"}),
            ("Ensemble.meson", ensemble.meson, {"quark": "?"}),
            ("Ensemble.baryon", lambda **given: nucleons.baryon("nucleon", "l", **given), {}),
            ("Ensemble.dispersion", lambda **given: ensemble.dispersion("?", **given),
             {"t_min": 0, "t_max": 2, "n_squared": (0,), "correlated": False}),
            ("Ensemble.three_point", lambda hadron, **given: nucleons.three_point(hadron, "l", **given),
             {"hadron": "nucleon", "current": "g4", "sink_time": 1}),
            ("Correlators", kaon.Correlators, {"first": correlator}),
            ("Correlators.estimate", lambda function: correlators.estimate(function), {"function": lambda first, second: first[1] / second[1]}),
            ("Correlators.plateau", correlators.plateau, {"function": lambda first, second: first / second, "times": (1, 2)}),
            ("Correlators.fit", kaon.Correlators(correlator).fit, {"times": (0, 3), "correlated": False}),
            ("pcac_mass", kaon.pcac_mass, {"axial": [1.0, 0.5, 0.2], "pseudoscalar": [1.0, 0.6, 0.4]}),
            ("three_point_ratio", kaon.three_point_ratio,
             {"three_point": [0.5, 0.5], "source": [1.0, 0.5], "sink": [1.0, 0.5], "separation": 1}),
            ("wilson_loops", kaon.wilson_loops, {"links": u}),
            ("creutz_ratios", kaon.creutz_ratios, {"loops": [[0.6, 0.4], [0.4, 0.2]]}),
            ("static_potential", kaon.static_potential, {"loops": [[0.6, 0.4]]}),
            ("folded", kaon.folded, {"correlator": [1.0, 0.5]}),
            ("set_log", lambda log: (kaon.set_log(log), kaon.set_log(None)), {"log": None}),
        )]

    @staticmethod
    def filled(name, given):
        """The arguments that are given, and the defaults of all others. A parameter without either one fails."""
        parameters = inspect.signature(functools.reduce(getattr, name.split("."), kaon)).parameters.values()
        of_call = [of for of in parameters if of.name != "self" and of.kind not in (of.VAR_KEYWORD, of.VAR_POSITIONAL)]
        assert all(of.name in given or of.default is not of.empty for of in of_call), name
        return {**{of.name: of.default for of in of_call if of.name not in given}, **given}


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:  # files are written into the folder
        patch.chdir(tmp_path_factory.mktemp("calls"))
        yield Calls()


def test_the_table_has_every_function(calls):
    """Functions without arguments need no entry."""
    listed = {name for name, _, _ in calls.table}
    without = {"predict", "measure", "plot", "run_info", "Operator", "Source",  # tested below and in test_plot.py
               "SmearedLinks", "ChainMean", "CloverObservables", "Estimate", "Plateau", "Autocorrelated", "Fit", "Energy", "JointFit", "FixedGauge", "Plaquette", "Report", "Reversal",
               "Trajectory"}
    for name in set(kaon.__all__) - without:
        found = getattr(kaon, name)
        if inspect.isclass(found) and issubclass(found, BaseException):
            continue
        members = {name: found}
        if inspect.isclass(found):
            members |= {f"{name}.{key}": getattr(found, key) for key in vars(found) if key == "__call__" or key[0] != "_"}
        for full, member in members.items():
            if callable(member) and not full.endswith(".to_cupy") and set(inspect.signature(member).parameters) - {"self"}:
                assert full in listed, full


def test_arguments_of_other_kinds(calls):
    wrong = []
    for name, call, arguments in calls.table:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name != "Solver.save":  # which needs a multigrid
                call(**arguments)
            for key in arguments:
                for value in VALUES:
                    if callable(value) and key in ("function", "derived"):  # functions of users raise their own errors
                        continue
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
