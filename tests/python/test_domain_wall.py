# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Domain wall quarks against numpy, in five dimensions and in four."""
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
Z = dict(mass=0.1, m5=1.6, b=(1.46 + 0.2j, 0.73 - 0.1j, 1.1, 0.9 + 0.3j), c=(0.46 - 0.3j, -0.27 + 0.1j, 0.2 + 0.05j, 0.0))


def make(links, slices=4, xi0=1.0, nu=1.0, **physics):
    return kaon.DomainWall(links, slices=slices, anisotropy=(xi0, nu), **physics)


def noise(random, lattice, *leading):
    shape = (*leading, *lattice.site_shape(), 4, 3)
    return random.normal(size=shape) + 1j * random.normal(size=shape)


@pytest.mark.parametrize("family", FAMILIES)
def test_operators_equal_the_formula(family, links, random):
    """M B = D, and both of B."""
    physics = FAMILIES[family]
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
    assert reference.norm(dirac.apply_b(of_b, inverse=True).to_numpy() - psi) < 1e-13 * reference.norm(psi)


@pytest.mark.parametrize("physics", [Z, {**Z, "b": 1.5}, {**Z, "c": 0.5}], ids=["b and c", "one b", "one c"])
def test_numbers_of_slices(physics, links, smooth, random):
    """z-Moebius: M B = D, its adjoint, and q of the source with c of each wall."""
    psi, chi = noise(random, links.lattice, 2, 4)
    dirac, numbers = make(links, **physics), {name: physics[name] for name in ("mass", "b", "c")}
    assert reference.norm(dirac.apply_b(psi).to_numpy() - reference.on_slices(psi, **numbers)) < 1e-13 * reference.norm(psi)
    expected = reference.domain_wall(links.to_numpy(), psi, **physics)
    assert reference.norm(dirac(dirac.apply_b(psi)).to_numpy() - expected) < 1e-14 * reference.norm(expected)
    size = reference.norm(psi) * reference.norm(chi)
    assert abs(np.vdot(chi, dirac(psi).to_numpy()) - np.vdot(dirac.dagger(chi).to_numpy(), psi)) < 1e-13 * size

    dirac = make(smooth, **physics)
    assert not dirac.has_axial_current
    source = kaon.PointSource((1, 2, 0, 3))
    solve = kaon.Solver(dirac, tolerance=1e-12)
    q = solve.propagator(source)
    assert q.axial_current is None and q.residual_mass().shape == (8,)
    c = np.broadcast_to(physics["c"], 4)
    for spin, wall in ((0, 0), (3, 3)):
        eta = np.zeros((4, *smooth.lattice.site_shape(), 4, 3), complex)
        eta[wall, 3, 0, 2, 1, spin, 1] = 1
        eta[wall] -= c[wall] * reference.wilson(smooth.to_numpy(), eta[wall], -physics["m5"])
        five = dirac.apply_b(solve(eta), inverse=True).to_numpy()
        missing = reference.domain_wall(smooth.to_numpy(), five, **physics) - eta
        assert reference.norm(missing) < 1.1e-12 * reference.norm(eta)
        expected = np.concatenate([five[3][..., :2, :], five[0][..., 2:, :]], -2)
        assert reference.norm(q.to_numpy()[..., spin, 1] - expected) < 1e-10 * reference.norm(expected)


def test_two_masses_are_the_shifted_operator_of_an_exact_one_flavour(links, random):
    """H(m, 1) - H(m, m) = -v_- v_-^T P_-, H = g5 R M, with v_- of docs/conventions.md."""
    mass, b, c, slices = 0.2, 1.5, 0.5, 4
    psi = noise(random, links.lattice, slices)
    plain, shifted = (make(links, mass=mass, b=b, c=c, lower_mass=lower) for lower in (None, 1.0))
    difference = shifted(psi).to_numpy()[::-1] - plain(psi).to_numpy()[::-1]
    difference[..., 2:, :] *= -1  # gamma5
    k = -c / b
    g = [m / (1 + m * k**slices) for m in (mass, 1.0)]
    v = np.sqrt((b + c) * (g[1] - g[0])) * k ** np.arange(slices) / b
    lower = psi * np.array([0, 0, 1, 1])[:, None]
    expected = -np.einsum("s,r,r...->s...", v, v, lower)
    assert reference.norm(expected) > 0.1
    assert reference.norm(difference - expected) < 1e-13 * reference.norm(psi)


@pytest.mark.parametrize("family", FAMILIES)
def test_adjoints_are_those_of_the_inner_product(family, links, random):
    dirac = make(links, slices=3, **FAMILIES[family])
    x, y = (noise(random, links.lattice, 3) for _ in range(2))
    size = reference.norm(x) * reference.norm(y)
    pairs = [(dirac, dirac.dagger)]
    for inverse in (False, True):
        pairs.append((lambda v, i=inverse: dirac.apply_b(v, i), lambda v, i=inverse: dirac.apply_b(v, i, dagger=True)))
    for apply, adjoint in pairs:
        assert abs(np.vdot(x, apply(y).to_numpy()) - np.vdot(adjoint(x).to_numpy(), y)) < 1e-13 * size
    expected = dirac.dagger(dirac(y)).to_numpy()
    assert reference.norm(dirac.normal(y).to_numpy() - expected) < 1e-14 * reference.norm(expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_solutions_in_five_dimensions_fulfil_the_formula(family, smooth, random):
    """D psi = eta of psi = B^-1 x, M x = eta."""
    physics = FAMILIES[family]
    dirac = make(smooth, **physics)
    eta = noise(random, smooth.lattice, 2, 4)
    solve = kaon.Solver(dirac, tolerance=1e-12)
    psi = dirac.apply_b(solve(eta), inverse=True).to_numpy()
    for k in range(2):
        missing = reference.domain_wall(smooth.to_numpy(), psi[k], **physics) - eta[k]
        assert reference.norm(missing) < 1.1e-12 * reference.norm(eta[k])
        assert solve.report[k].residual == pytest.approx(reference.norm(missing) / reference.norm(eta[k]), rel=1e-2)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("slices", [1, 4, 5])
def test_propagators_are_those_of_the_overlap_operator(family, slices, random):
    """q = (D_ov(m)^-1 - 1)/(1 - m) eta, with the sign function of L_s slices as a matrix of numpy."""
    physics = FAMILIES[family]
    links = kaon.GaugeField(kaon.Lattice((2, 2, 2, 4)), start="weak", seed=6, width=0.4)
    lattice, u = links.lattice, links.to_numpy()
    of_kernel = {name: value for name, value in physics.items() if name in ("xi0", "nu", "boundary")}
    columns = [reference.wilson(u, unit.reshape(*lattice.site_shape(), 4, 3), -physics.get("m5", 1.8), **of_kernel).ravel()
               for unit in np.eye(12 * 32, dtype=complex)]
    mass, eta = physics["mass"], noise(random, lattice, 2)
    dense = reference.overlap(np.array(columns).T, slices, mass, physics.get("b", 1.0), physics.get("c", 0.0))
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


def test_propagators_by_pauli_villars_fields(smooth, random):
    """D(m) psi = D(1) [P_+ eta at L_s - 1, P_- eta at 0] implies q = (P_- psi_0 + P_+ psi_{L_s-1} - eta)/(1 - m), too."""
    physics, u = dict(mass=0.1, m5=1.5, b=1.5, c=0.5), smooth.to_numpy()
    dirac, upper = make(smooth, slices=6, **physics), np.array([1, 1, 0, 0])[:, None]
    eta = noise(random, smooth.lattice)
    wall = np.zeros((6, *eta.shape), complex)
    wall[5], wall[0] = upper * eta, (1 - upper) * eta
    source = reference.domain_wall(u, wall, **{**physics, "mass": 1.0})
    solve = kaon.Solver(dirac, tolerance=1e-12)
    psi = dirac.apply_b(solve(source), inverse=True).to_numpy()
    expected = ((1 - upper) * psi[0] + upper * psi[5] - eta) / 0.9
    q, _ = solve.walls(eta)
    assert reference.norm(q.to_numpy() - expected) < 1e-9 * reference.norm(expected)


def test_midpoints_are_those_of_the_solution_in_five_dimensions(smooth, random):
    """eta_5 = (1 - c D_W) [P_+ eta at 0, P_- eta at L_s - 1], q and q_mp of psi, written out; by columns and as a propagator."""
    physics = dict(mass=0.1, m5=1.5, b=1.5, c=0.5)
    dirac = make(smooth, slices=6, **physics)
    solve = kaon.Solver(dirac, tolerance=1e-12)
    q = solve.propagator(kaon.PointSource((1, 2, 0, 3)))
    eta = np.zeros((6, *smooth.lattice.site_shape(), 4, 3), complex)
    for spin, color in ((0, 1), (3, 2)):
        eta[:] = 0
        wall = 0 if spin < 2 else 5
        eta[wall, 3, 0, 2, 1, spin, color] = 1
        eta[wall] -= 0.5 * reference.wilson(smooth.to_numpy(), eta[wall], -1.5)
        psi = dirac.apply_b(solve(eta), inverse=True).to_numpy()
        for upper, lower, found in ((5, 0, q), (2, 3, q.midpoint)):
            expected = np.concatenate([psi[upper][..., :2, :], psi[lower][..., 2:, :]], -2)
            column = found.to_numpy()[..., spin, color]
            assert reference.norm(column - expected) < 1e-10 * reference.norm(expected)
    norms = [np.roll(np.sum(np.abs(each.to_numpy()) ** 2, axis=(1, 2, 3, 4, 5, 6, 7)), -3) for each in (q.midpoint, q)]
    assert np.allclose(q.residual_mass(), norms[0] / norms[1], rtol=1e-12)
    masses = 2 * physics["mass"] * norms[1] + 2 * norms[0]
    assert np.allclose(np.diff(q.axial_current), masses[1:], rtol=1e-8)  # the Ward identity, away from the source
    assert q.midpoint.source_site == (1, 2, 0, 3) and len(solve.report) == 1 and q.time_boundary == dirac.boundary[3]


def test_groups_of_right_hand_sides_have_one_history_and_stop_together(smooth):
    """With 4 slices, 8 and 4 right-hand sides are solved together."""
    told = []
    dirac = make(smooth, mass=0.1)
    solve = kaon.Solver(dirac, progress=lambda iteration, r: told.append((iteration, len(r))), keep_history=True)
    solve.propagator(kaon.PointSource())
    iterations = [report.iterations for report in solve.report]
    assert [count for iteration, count in told if iteration == 1] == [8, 4]
    assert len(solve.history) == max(iterations) and len(solve.history[0]) == 12
    brief = kaon.Solver(dirac, progress=lambda iteration, r: iteration < 3)
    with pytest.raises(kaon.Stopped) as caught:
        brief.propagator(kaon.PointSource())
    assert [report.iterations for report in caught.value.reports] == 8 * [3] + 4 * [1]
    assert not any(report.converged for report in brief.report)


def test_single_precision(smooth):
    """Links in double and in single precision."""
    narrow = kaon.GaugeField.from_array(smooth.lattice, smooth.to_numpy().astype(np.complex64))
    exact = kaon.Solver(make(smooth, mass=0.1)).propagator(kaon.PointSource()).pion()
    for links, precision in ((narrow, None), (smooth, ("single", "half"))):
        q = kaon.Solver(make(links, mass=0.1), tolerance=3e-6, precision=precision).propagator(kaon.PointSource())
        assert np.abs(q.pion() / exact - 1).max() < 1e-4


def test_shifts_schur_complements_and_eigenvectors(smooth, random):
    dirac = make(smooth, mass=0.3, b=1.5, c=0.5)
    b = noise(random, smooth.lattice, 4)
    for shift, x in zip((0.1, 0.4), kaon.MultiShiftSolver(dirac, (0.1, 0.4), tolerance=1e-11)(b)):
        missing = dirac.normal(x).to_numpy() + shift * x.to_numpy() - b
        assert reference.norm(missing) < 1.1e-11 * reference.norm(b)
    x, y = dirac.schur(b, "asymmetric").to_numpy(), dirac.schur(b, "asymmetric", kind="dagger").to_numpy()
    even = np.where(np.indices(smooth.lattice.site_shape()).sum(0) % 2 == 0, 1, 0)[..., None, None]
    assert np.array_equal(x, x * even)
    assert abs(np.vdot(b * even, x) - np.vdot(y, b * even)) < 1e-13 * reference.norm(b) ** 2
    found = kaon.Eigenvectors(dirac, 2, tolerance=1e-8)
    assert len(found) == 2
    for value, v in zip(found.values, found):
        assert v.slices == 4
        assert reference.norm(dirac.normal(v).to_numpy() - value * v.to_numpy()) < 1e-5


def test_updates_take_another_mass(smooth):
    solve = kaon.Solver(make(smooth, mass=0.3))
    light = make(smooth, mass=0.1)
    solve.update(light)
    expected = kaon.Solver(light).propagator(kaon.PointSource()).to_numpy()
    assert np.array_equal(solve.propagator(kaon.PointSource()).to_numpy(), expected)
    refuses(kaon.InvalidArgument, "spins and slices", solve.update, make(smooth, slices=6, mass=0.1))


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
    for physics, text in ((dict(slices=0), "at least one slice, not 0"), (dict(m5=-1.8), "M5 = -1.8 .* not positive"),
                          (dict(b=0.0), "b of slice 0 is zero"), (dict(c=float("inf")), "must be numbers"),
                          (dict(c=float("nan")), "c = nan is not a number"), (dict(slices=4.5), "slices = 4.5"),
                          (dict(b=1.0, c=1.0, mass=-1.0), "no inverse"),
                          (dict(slices=4, b=(1, 2, 3)), "neither a real number nor 4 numbers"),
                          (dict(c=0.5j), "neither a real number nor 16 numbers"),
                          (dict(b=None), "b: numbers are needed, not None"), (dict(slices=None), "slices = None"),
                          (dict(slices=2, b=(1, 0)), "b of slice 1 is zero"),
                          (dict(lower_mass=float("nan")), "lower_mass = nan is not a number")):
        refuses(kaon.InvalidArgument, text, kaon.DomainWall, smooth, **{"mass": 0.1, **physics})
    refuses(kaon.InvalidArgument, r"shape .*\(4, 8, 2, 6, 4\)", dirac, four)
    refuses(kaon.InvalidArgument, "a field of 1 slices; this operator acts on 4", dirac, kaon.SpinorField(lattice))
    refuses(kaon.InvalidArgument, "a field of 3 slices", kaon.Wilson(smooth, mass=0.1), kaon.SpinorField(lattice, slices=3))
    refuses(kaon.InvalidArgument, "at least one slice, got 0", kaon.SpinorField, lattice, slices=0)
    solve, wilson = kaon.Solver(dirac), kaon.Solver(kaon.Wilson(smooth, mass=0.1))
    refuses(kaon.InvalidArgument, "shape", solve.walls, five[:, None])
    refuses(kaon.InvalidArgument, "walls join a field", solve.walls, kaon.SpinorField(lattice, slices=4))
    refuses(kaon.InvalidArgument, "are those of domain wall quarks", wilson.walls, four)
    refuses(kaon.Unsupported, "take auto, cgnr or cgne", kaon.Solver, dirac, method="bicgstab")
    refuses(kaon.InvalidArgument, "even number of slices", wilson.propagator(kaon.PointSource()).residual_mass)
    refuses(kaon.InvalidArgument, "fall from 1 to 0.1", kaon.Action, kaon.DomainWallFlavors(0.1, hasenbusch=(0.3, 0.5)))
    refuses(kaon.InvalidArgument, "not numbers", kaon.Action, kaon.DomainWallFlavors(0.1, hasenbusch=0.5))
    refuses(kaon.InvalidArgument, "is for two flavours, not 1", kaon.Action, kaon.DomainWallFlavors(0.1, flavors=1, hasenbusch=[0.5]))
    refuses(kaon.InvalidArgument, "lowest is for other numbers", kaon.Action, kaon.DomainWallFlavors(0.1, lowest=0.1))
    refuses(kaon.InvalidArgument, "exact is for one flavour", kaon.Action, kaon.DomainWallFlavors(0.1, exact=True))
