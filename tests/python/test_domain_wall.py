# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Domain wall quarks against numpy, in five dimensions and in four."""
import functools

import numpy as np
import pytest

import kaon
import reference
from refusals import refuses

FAMILIES = {
    "shamir": dict(mass=0.1, m5=1.7),
    "moebius": dict(mass=0.05, m5=1.4, b=1.5, c=0.5, boundary=(0.1, 0.2, 0.3, 0.4)),
    "borici": dict(mass=0.3, b=1.0, c=1.0),
    "anisotropic": dict(mass=0.2, m5=1.2, b=1.2, c=0.2, xi0=2.4, nu=0.95),
}
B, C = (1.46 + 0.2j, 0.73 - 0.1j, 1.1, 0.9 + 0.3j), (0.46 - 0.3j, -0.27 + 0.1j, 0.2 + 0.05j, 0.0)
OF_SLICES = {"b and c": dict(mass=0.1, m5=1.6, b=B, c=C), "one b": dict(mass=0.1, b=1.5, c=C), "one c": dict(mass=0.1, b=B, c=0.5)}


def make(links, slices=4, xi0=1.0, nu=1.0, **physics):
    return kaon.DomainWall(links, slices=slices, anisotropy=(xi0, nu), **physics)


def noise(random, lattice, *leading):
    shape = (*leading, *lattice.site_shape(), 4, 3)
    return random.normal(size=shape) + 1j * random.normal(size=shape)


@pytest.mark.parametrize("family", {**FAMILIES, **OF_SLICES})
def test_operators_equal_the_formula(family, links, random):
    """M B = D, and both of B."""
    physics = {**FAMILIES, **OF_SLICES}[family]
    psi = noise(random, links.lattice, 2, 4)
    dirac = make(links, **physics)
    b, c = physics.get("b", 1.0), physics.get("c", 0.0)
    of_b = dirac.apply_b(psi)
    assert of_b.slices == 4 and of_b.to_numpy().shape == psi.shape
    found = dirac(of_b).to_numpy()
    for k in range(2):
        assert reference.norm(of_b.to_numpy()[k] - reference.on_slices(psi[k], physics["mass"], b, c)) < 1e-13 * reference.norm(psi)
        expected = reference.domain_wall(links.to_numpy(), psi[k], **physics)
        assert reference.norm(found[k] - expected) < 1e-14 * reference.norm(expected)
    for dagger in (False, True):
        there = dirac.apply_b(psi, dagger=dagger)
        assert reference.norm(dirac.apply_b(there, inverse=True, dagger=dagger).to_numpy() - psi) < 1e-13 * reference.norm(psi)
    pairs = np.vdot(psi[0], of_b.to_numpy()[1]), np.vdot(dirac.apply_b(psi, dagger=True).to_numpy()[0], psi[1])
    assert abs(pairs[0] - pairs[1]) < 1e-13 * reference.norm(psi) ** 2
    assert dirac.has_axial_current == (family in FAMILIES)
    lowered = make(links, **{**physics, "lower_mass": 0.7})
    change = lowered(lowered.apply_b(psi[0])).to_numpy() - found[0]
    assert np.abs(change[1:3]).max() < 1e-12 and np.abs(change[3][..., 2:, :]).max() > 0.1  # at the walls alone


@functools.cache
def links_and_kernel(family):
    """Links, and the matrix of the Wilson operator of a family on them, column by column."""
    links = kaon.GaugeField(kaon.Lattice((2, 2, 2, 4)), start="weak", seed=6, width=0.4)
    of_kernel = {name: value for name, value in FAMILIES[family].items() if name in ("xi0", "nu", "boundary")}
    columns = [reference.wilson(links.to_numpy(), unit.reshape(*links.lattice.site_shape(), 4, 3), -FAMILIES[family].get("m5", 1.8), **of_kernel)
               for unit in np.eye(12 * 32, dtype=complex)]
    return links, np.array(columns).reshape(12 * 32, -1).T


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("slices", [1, 4, 5])
def test_propagators_are_those_of_the_overlap_operator(family, slices, random):
    """q = (D_ov(m)^-1 - 1)/(1 - m) eta, with the sign function of L_s slices as a matrix of numpy."""
    physics, (links, kernel) = FAMILIES[family], links_and_kernel(family)
    mass, eta = physics["mass"], noise(random, links.lattice, 2)
    dense = reference.overlap(kernel, slices, mass, physics.get("b", 1.0), physics.get("c", 0.0))
    solve = kaon.Solver(make(links, slices=slices, **physics), tolerance=1e-12)
    q, midpoint = solve.walls(eta)
    assert (midpoint is None) == (slices % 2 == 1) and all(report.converged for report in solve.report)
    for k in range(2):
        expected = (np.linalg.solve(dense, eta[k].ravel()) - eta[k].ravel()) / (1 - mass)
        assert reference.norm(q.to_numpy()[k].ravel() - expected) < 1e-10 * reference.norm(expected)


@pytest.mark.parametrize("slices", [2, 3])
def test_determinants(slices):
    """det D(m) / det D(1) = det D_ov(m), and det M = det A'_o det N_e of the asymmetric Schur complement N."""
    links = kaon.GaugeField(kaon.Lattice((2, 2, 2, 2)), start="weak", seed=6, width=0.4)
    lattice, mass, b, c = links.lattice, 0.2, 1.5, 0.5

    def dense(apply, count):
        size = count * 12 * 16
        return apply(np.eye(size, dtype=complex).reshape(size, count, *lattice.site_shape(), 4, 3)).reshape(size, size).T

    def logarithm(matrix):
        return np.linalg.slogdet(matrix)[1]

    def operator(m):
        return make(links, slices=slices, mass=m, b=b, c=c)

    whole = {m: dense(lambda psi: operator(m)(operator(m).apply_b(psi)).to_numpy(), slices) for m in (mass, 1.0)}
    kernel = dense(lambda psi: np.array([reference.wilson(links.to_numpy(), each[0], -1.8) for each in psi])[:, None], 1)
    expected = logarithm(reference.overlap(kernel, slices, mass, b, c))
    assert abs(logarithm(whole[mass]) - logarithm(whole[1.0]) - expected) < 1e-9

    dirac = operator(mass)
    odd = np.flatnonzero(np.broadcast_to(np.indices(lattice.site_shape()).sum(0)[..., None, None] % 2,
                                         (slices, *lattice.site_shape(), 4, 3)))
    even = np.setdiff1d(np.arange(len(whole[mass])), odd)
    m = dense(lambda psi: dirac(psi).to_numpy(), slices)
    schur = dense(lambda psi: dirac.schur(psi, "asymmetric").to_numpy(), slices)
    found = logarithm(m[np.ix_(odd, odd)]) + logarithm(schur[np.ix_(even, even)])
    assert abs(found - logarithm(m)) < 1e-9


def test_propagators_have_midpoints_and_currents(smooth):
    q = kaon.Solver(make(smooth, slices=6, mass=0.3, m5=1.5, b=1.5, c=0.5), tolerance=1e-12).propagator(kaon.PointSource((1, 2, 0, 3)))
    norms = [np.roll(np.sum(np.abs(each.to_numpy()) ** 2, axis=(1, 2, 3, 4, 5, 6, 7)), -3) for each in (q.midpoint, q)]
    assert np.allclose(q.residual_mass(), norms[0] / norms[1], rtol=1e-12)
    assert np.allclose(np.diff(q.axial_current), (0.6 * norms[1] + 2 * norms[0])[1:], rtol=1e-8)  # the Ward identity
    assert q.midpoint.source_site == (1, 2, 0, 3) and q.time_boundary == np.pi
    q = kaon.Solver(make(smooth, **OF_SLICES["one b"]), precision=("single", "half"), tolerance=3e-6).propagator(kaon.PointSource())
    assert q.axial_current is None and q.residual_mass().shape == (8,)


def test_multigrid_solves_for_walls(random, tmp_path):
    """Solutions are those of CGNR in fewer iterations, and those of another mass after an update."""
    links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 8)), start="weak", seed=12, width=0.5)
    heavy, light = (make(links, mass=mass, b=1.5, c=0.5) for mass in (0.2, 0.1))
    b = noise(random, links.lattice, 2, 4)
    solve = kaon.Solver(heavy, method="multigrid", tolerance=1e-9)
    for dirac in (heavy, light):
        expected = kaon.Solver(dirac, method="cgnr", tolerance=1e-10)
        x = expected(b).to_numpy()
        solve.update(dirac)
        assert reference.norm(solve(b).to_numpy() - x) < 1e-7 * reference.norm(x)
        assert 0 < solve.report[0].iterations < expected.report[0].iterations / 2
    refuses(kaon.FileError, "one slice, not of 4", solve.save, tmp_path / "vectors")


def test_groups_of_right_hand_sides_have_one_history_and_stop_together(smooth):
    """With 4 slices 8 right-hand sides are solved together at most by CGNR, so that there are two groups."""
    told = []
    dirac = make(smooth, mass=0.5)
    solve = kaon.Solver(dirac, method="cgnr", progress=lambda iteration, r: told.append((iteration, len(r))), keep_history=True)
    solve.propagator(kaon.PointSource())
    iterations = [report.iterations for report in solve.report]
    assert [count for iteration, count in told if iteration == 1] == [6, 6]
    assert len(solve.history) == max(iterations) and len(solve.history[0]) == 12
    brief = kaon.Solver(dirac, method="cgnr", progress=lambda iteration, r: iteration < 3)
    with pytest.raises(kaon.Stopped) as caught:
        brief.propagator(kaon.PointSource())
    assert [report.iterations for report in caught.value.reports] == 6 * [3] + 6 * [1]
    assert not any(report.converged for report in brief.report)


def test_fields_with_slices(lattice, random):
    psi = noise(random, lattice, 2, 3)
    field = kaon.SpinorField.from_array(lattice, psi, slices=3)
    assert (field.right_hand_sides, field.slices) == (2, 3) and np.array_equal(field.to_numpy(), psi)
    assert np.allclose(field.norm2(), np.sum(np.abs(psi) ** 2, axis=tuple(range(1, 8))), rtol=1e-13)
    ordered = np.array([[reference.even_odd(each) for each in of_side] for of_side in psi])
    assert np.array_equal(field.to_numpy("even-odd"), ordered)
    one = kaon.SpinorField(lattice, slices=3)
    one.set(psi[1])
    assert one.shape() == psi.shape[1:] and np.array_equal(one.to_numpy(), psi[1])


def test_refusals(smooth, lattice, random):
    dirac = make(smooth, mass=0.1)
    five, four = noise(random, lattice, 4), noise(random, lattice)
    for physics, text in ((dict(c=float("nan")), "c = nan is not a number"), (dict(slices=4.5), "slices = 4.5"),
                          (dict(slices=4, b=(1, 2, 3)), "neither a real number nor 4 numbers"),
                          (dict(c=0.5j), "neither a real number nor 16 numbers"),
                          (dict(b=None), "b: numbers are needed, not None"), (dict(slices=None), "slices = None"),
                          (dict(lower_mass=float("nan")), "lower_mass = nan is not a number")):
        refuses(kaon.InvalidArgument, text, kaon.DomainWall, smooth, **{"mass": 0.1, **physics})
    refuses(kaon.InvalidArgument, r"shape .*\(4, 8, 2, 6, 4\)", dirac, four)
    refuses(kaon.InvalidArgument, "a field of 1 slices; this operator acts on 4", dirac, kaon.SpinorField(lattice))
    refuses(kaon.InvalidArgument, "a field of 3 slices", kaon.Wilson(smooth, mass=0.1), kaon.SpinorField(lattice, slices=3))
    solve, wilson = kaon.Solver(dirac), kaon.Solver(kaon.Wilson(smooth, mass=0.1))
    refuses(kaon.InvalidArgument, "shape", solve.walls, five[:, None])
    refuses(kaon.InvalidArgument, "walls join a field", solve.walls, kaon.SpinorField(lattice, slices=4))
    refuses(kaon.InvalidArgument, "are those of domain wall quarks", wilson.walls, four)
    refuses(kaon.InvalidArgument, "even number of slices", wilson.propagator(kaon.PointSource()).residual_mass)
    refuses(kaon.InvalidArgument, "fall from 1 to 0.1", kaon.Action, kaon.DomainWallFlavors(0.1, hasenbusch=(0.3, 0.5)))
    refuses(kaon.InvalidArgument, "not numbers", kaon.Action, kaon.DomainWallFlavors(0.1, hasenbusch=0.5))
    refuses(kaon.InvalidArgument, "is for two flavours, not 1", kaon.Action, kaon.DomainWallFlavors(0.1, flavors=1, hasenbusch=[0.5]))
