# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""First tries of Python's users: a mistake gets a sentence, and calls that have only one meaning work."""
import copy
import ctypes
import inspect
import math
import pickle

import numpy as np
import pytest

import kaon
from kaon import declarations as h
from kaon import library
from refusals import refuses


def test_fields_are_arrays_to_numpy(lattice, links, random):
    psi = random.normal(size=lattice.site_shape() + (4, 3)) + 1j
    field, momenta = kaon.SpinorField.from_array(lattice, psi), kaon.Momenta(lattice)
    momenta.draw(seed=3)
    assert np.array_equal(np.asarray(field), psi) and np.array_equal(np.asarray(links), links.to_numpy())
    assert np.asarray(field, np.complex64).dtype == np.complex64
    assert np.isclose(np.linalg.norm(field), math.sqrt(field.norm2()[0]), rtol=1e-14)
    assert np.array_equal(np.conj(momenta), momenta.to_numpy().conj())
    assert np.array_equal(psi + field, 2 * psi)
    refuses(ValueError, "always copied", field.__array__, copy=False)


def test_signs_are_no_boundary_angles(links):
    for signs in ((1, 1, 1, -1), (1, 1, 1, 1), (-1.0, -1.0, -1.0, -1.0)):
        refuses(kaon.InvalidArgument, "are angles, not signs: 0 is periodic, pi antiperiodic", kaon.Wilson, links, mass=0.1,
                boundary=signs)
    kaon.Wilson(links, mass=0.1, boundary=(1.0, 1.0, 1.0, 0.5))
    refuses(kaon.InvalidArgument, "not angles in radians, at most 2 pi", kaon.Wilson, links, mass=0.1, boundary=(0, 0, 0, 180))


def test_lattices_are_not_extents(psi, links):
    for make in (kaon.SpinorField.from_array, kaon.Propagator.from_array, kaon.Momenta.from_array):
        refuses(kaon.InvalidArgument, r"lattice is a tuple: kaon.Lattice\(extents\) makes one", make, (4, 6, 2, 8), psi)
    refuses(kaon.InvalidArgument, "lattice is a tuple", kaon.GaugeField.from_array, (4, 6, 2, 8), links.to_numpy())
    refuses(kaon.InvalidArgument, "lattice is a tuple", kaon.GaugeField, (4, 6, 2, 8))
    refuses(kaon.InvalidArgument, "lattice is a list", kaon.Propagator.read, "file", [4, 6, 2, 8])


def test_sums_take_numbers(lattice, psi):
    refuses(kaon.InvalidArgument, "values of a sum: numbers are needed, not 'one'", lattice.sum, "one")
    refuses(kaon.InvalidArgument, "numbers are needed", lattice.sum, [None])
    refuses(kaon.InvalidArgument, "does not begin with the sites of this process", lattice.gather, psi.T)
    refuses(kaon.InvalidArgument, "does not begin with the sites", lattice.gather, 3.0)
    assert np.array_equal(lattice.sum([1, True]), [1.0, 1.0])


def test_words_and_pairs_of_other_types(lattice, links):
    dirac = kaon.Wilson(links, mass=0.3)
    for method in (["cg"], None, 1):
        refuses(kaon.InvalidArgument, "method = ", kaon.Solver, dirac, method=method)
        refuses(kaon.InvalidArgument, "method = .* is none of stout, ape, hyp", links.smeared, method)
    refuses(kaon.InvalidArgument, "order = .* is none of lexicographic, even-odd", links.to_numpy, ["even-odd"])
    refuses(kaon.InvalidArgument, "action = .* is none of wilson", kaon.Action, kaon.GaugeAction(["wilson"], beta=6.0))
    for precision in (64, {"double", "half"}):
        refuses(kaon.InvalidArgument, "precision = .* is not a pair", kaon.Solver, dirac, precision=precision)
    refuses(kaon.InvalidArgument, "outer precision", kaon.Solver, dirac, precision=(["double"], "half"))


def test_effective_masses_take_real_parts():
    values = np.cosh(0.3 * (np.arange(8) - 4.0))
    assert np.allclose(kaon.effective_mass(values + 0.5j), 0.3)
    assert np.allclose(kaon.effective_mass(np.ones(6)), 0.0, atol=1e-15)  # cosh(0)
    refuses(kaon.InvalidArgument, r"meson\(S, S\)\[0\], has the shape \(1, 8\)", kaon.effective_mass, values[None])
    refuses(kaon.InvalidArgument, "numbers are needed", kaon.effective_mass, "one")


def test_one_action_needs_no_list():
    made = [kaon.GaugeField(kaon.Lattice((4, 4, 4, 4)), start="weak", seed=1) for _ in range(2)]
    action = kaon.GaugeAction(beta=5.6)
    alone, listed = (kaon.HMC(links, actions, seed=5).trajectory() for links, actions in zip(made, (action, [action])))
    assert alone.delta_energy == listed.delta_energy
    refuses(kaon.InvalidArgument, "an action is a GaugeAction or quarks, not a str", kaon.HMC, made[0], "wilson")


def test_eigenvectors_are_numbered_by_integers(smooth):
    found = kaon.Eigenvectors(kaon.Staggered(smooth, mass=0.3), 1, tolerance=1e-6)
    for number in ("a", 0.0, slice(1)):
        refuses(TypeError, "has an integer as its number", found.__getitem__, number)


def test_objects_are_neither_pickled_nor_copied(lattice, links):
    for call in (pickle.dumps, copy.deepcopy):
        refuses(kaon.Unsupported, r"\(gauge\) are neither pickled nor copied: .* to_numpy", call, links)
    refuses(kaon.Unsupported, r"\(lattice\)", pickle.dumps, lattice)


def test_freed_objects_are_named():
    lattice = kaon.Lattice((4, 4, 4, 4))
    dirac = kaon.Wilson(kaon.GaugeField(lattice, start="cold"), mass=0.3)
    lattice.free()
    refuses(kaon.InvalidArgument, r"this object \(lattice\) has been freed: make it anew", dirac,
            np.ones((4, 4, 4, 4, 4, 3), complex))


def test_defaults_are_those_of_kaon_h():
    """Defaults of parameters of Python that have the name of a field of kaon.h."""
    for call, structure in ((kaon.Solver, h.SolverOptions),
                            (kaon.MultiMassSolver, h.SolverOptions),
                            (kaon.MultiShiftSolver, h.SolverOptions),
                            (kaon.Eigenvectors, h.EigenvectorOptions),
                            (kaon.WilsonClover, h.OperatorOptions),
                            (kaon.Hisq, h.OperatorOptions),
                            (kaon.DomainWall, h.OperatorOptions),
                            (kaon.DomainWallFlavors, h.OperatorOptions),
                            (kaon.HMC, h.HmcOptions),
                            (kaon.TwoFlavors, h.QuarkTermOptions),
                            (kaon.SpinorField, h.SpinorOptions),
                            (kaon.GaugeField.flow, h.FlowOptions),
                            (kaon.GaugeField.gauge_fixed, h.GaugeFixOptions),
                            (kaon.GaugeField.heatbath, h.HeatbathOptions),
                            (kaon.GaugeField.read, h.ReadOptions),
                            (kaon.GaugeField.write, h.FileOptions)):
        defaults, compared = library.options(structure), 0
        for name, parameter in inspect.signature(call).parameters.items():
            default = parameter.default
            if name in dict(structure._fields_) and isinstance(default, (int, float)):
                of_c = getattr(defaults, name)
                assert (1.0 if name == "csw" and math.isnan(of_c) else of_c) == default, (call, name)
                compared += 1
        assert compared > 0, call


def test_classes_have_the_parameters_of_their_families(lattice):
    classes = {h.WILSON: kaon.Wilson, h.WILSON_CLOVER: kaon.WilsonClover, h.TWISTED_MASS: kaon.TwistedMass,
               h.TWISTED_CLOVER: kaon.TwistedMass, h.STAGGERED: kaon.Staggered, h.ASQTAD: kaon.Asqtad, h.HISQ: kaon.Hisq,
               h.DOMAIN_WALL: kaon.DomainWall, h.TWISTED_DOUBLET: kaon.TwistedDoublet,
               h.TWISTED_CLOVER_DOUBLET: kaon.TwistedDoublet, h.EXPONENTIAL_CLOVER: kaon.ExponentialClover}
    links = kaon.GaugeField(lattice, start="cold")
    names = [name for name, _ in h.OperatorOptions._fields_ if name not in ("size", "action", "boundary", "b_of_slices", "c_of_slices")]
    assert "mass" in names and len(names) > 8

    def create(**given):
        made = library.options(h.OperatorOptions, **given)
        library.create("operator", "operator_create", links.handle(), made)

    refuses(kaon.InvalidArgument, rf"none of 0 to {len(classes) - 1}\b", create, action=-1)
    def is_read(action, name):
        try:
            create(action=action, **{name: 7})
        except kaon.Error as error:  # of other options, too
            return f"{name} is set, but" not in str(error)
        return True

    for cls in set(classes.values()):
        parameters = set(inspect.signature(cls).parameters)
        ours = (parameters | ({"xi0", "nu"} if "anisotropy" in parameters else set())) & set(names)
        assert ours == {name for name in names for action in classes if classes[action] is cls and is_read(action, name)}, cls


def test_solvers_have_the_options_of_the_library(links):
    given = {name for name, _ in h.SolverOptions._fields_} - {"size", "outer", "inner", "on_iteration", "on_iteration_context"}
    assert given <= set(inspect.signature(kaon.Solver).parameters)
    wrong = library.options(h.SolverOptions, method=-1)
    dirac = kaon.Wilson(links, mass=0.3)
    refuses(kaon.InvalidArgument, rf"none of 0 to {len(h.METHODS) - 1}\b", lambda: library.create("solver", "solver_create", dirac.handle(), wrong))
    refuses(kaon.InvalidArgument, "schwarz_steps is set, but the method is not KAON_GCR_DD", kaon.Solver, dirac, schwarz_steps=3)


def test_operators_of_links_that_have_changed_are_refused(lattice, psi):
    links = kaon.GaugeField(lattice, start="weak", seed=4)
    dirac = kaon.WilsonClover(links, mass=0.3)
    solve = kaon.Solver(dirac)
    assert not kaon.HMC(links, kaon.GaugeAction(beta=6.0), steps=2).trajectory().accepted
    assert dirac.residual(solve(psi), psi)[0] < 1e-9  # links as they were
    links.heatbath(6.0)
    for call, given in ((dirac, psi), (solve, psi), (solve.propagator, kaon.PointSource())):
        refuses(kaon.InvalidArgument, "the links have changed since this operator was made", call, given)
    now = kaon.WilsonClover(links, mass=0.3)
    solve.update(now)
    assert now.residual(solve(psi), psi)[0] < 1e-9


def test_operators_with_links_of_their_own_outlive_changes():
    links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 4), reach=3), start="weak", seed=4)
    chi = np.ones((4, 4, 4, 4, 3), complex)
    for dirac in (kaon.Hisq(links, mass=0.3), kaon.Asqtad(links, mass=0.3, u0=0.9)):
        before = dirac(chi).to_numpy()
        links.start("weak", seed=5)
        assert np.array_equal(dirac(chi).to_numpy(), before)
    fat, long = links.hisq_links()
    given = kaon.ImprovedStaggered(fat, long, mass=0.3)
    fat.start("cold")
    refuses(kaon.InvalidArgument, "the links have changed since this operator was made", lambda: given(chi))


def test_paths_are_not_empty():
    refuses(kaon.InvalidArgument, "is empty", kaon.GaugeField.read, "")


def test_a_failure_has_its_place_once_beside_its_text(lattice, links):
    action = kaon.Action(kaon.RationalFlavors(kappa=0.1, lowest=1, highest=2))
    with pytest.raises(kaon.NotConverged, match="widen the range") as refused:
        action.draw(links)
    assert ".cpp:" not in str(refused.value) and "kaon_" not in str(refused.value)
    whole = library.last_error(places=True)
    assert whole.startswith("kaon_action_term_draw: ") and whole.count(".cpp:") == 1 and "guard.hpp" not in whole


def test_walls_are_sums_over_points():
    """On unit links, where all point sources have one correlator, and walls of noise agree with it on the average."""
    lattice = kaon.Lattice((4, 4, 4, 8))
    solve = kaon.Solver(kaon.Wilson(kaon.GaugeField(lattice, start="cold"), mass=1.0), tolerance=1e-8)
    point = solve.propagator(kaon.PointSource((0, 0, 0, 2))).pion()
    walls = np.array([solve.propagator(kaon.WallSource(t=2, seed=seed)).pion() for seed in range(16)]) / 4**3
    error = walls.std(axis=0, ddof=1) / 4
    assert (error < 0.2 * point).all() and (abs(walls.mean(axis=0) - point) < 5 * error).all()


def test_walls_have_known_sites(lattice):
    refuses(kaon.InvalidArgument, "sites of a wall = 'odd' is none of all, even, corners",
            kaon.UniformWallSource(sites="odd").make, lattice, 4, "double")


def test_a_history_that_was_not_kept():
    plot = pytest.importorskip("kaon.plot")
    refuses(kaon.InvalidArgument, "keep_history=True", plot.residuals, [])
    refuses(kaon.InvalidArgument, "no file to draw", plot.plot_files, [])


