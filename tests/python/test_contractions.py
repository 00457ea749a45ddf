# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators: against loops over indices, symmetries, and kaon's own pion."""
import ctypes
import itertools

import numpy as np
import pytest

import kaon
import reference
from kaon import declarations, gamma
from kaon.contractions import STAGGERED_CHANNELS
from kaon.library import check, library

SITE = (1, 0, 1, 3)


@pytest.fixture(scope="module")
def tiny():
    return kaon.GaugeField(kaon.Lattice((4, 2, 2, 4)), start="hot", seed=21)


@pytest.fixture(scope="module")
def up(tiny):
    return kaon.Solver(kaon.Wilson(tiny, mass=0.4), tolerance=1e-12).propagator(kaon.PointSource(SITE))


@pytest.fixture(scope="module")
def down(tiny):
    return kaon.Solver(kaon.Wilson(tiny, mass=0.7), tolerance=1e-12).propagator(kaon.PointSource(SITE))


def test_gamma_matrices():
    ours = [kaon.gx, kaon.gy, kaon.gz, kaon.gt]
    for mu in range(4):
        assert np.array_equal(ours[mu], reference.GAMMA[mu])
        c = gamma.charge_conjugation
        assert np.allclose(c @ ours[mu] @ np.linalg.inv(c), -ours[mu].T, atol=0)
        for nu in range(4):
            assert np.array_equal(ours[mu] @ ours[nu] + ours[nu] @ ours[mu], 2 * np.eye(4) * (mu == nu))
    assert np.array_equal(kaon.g5, reference.GAMMA5)
    with pytest.raises(ValueError):
        kaon.g5[0, 0] = 2


def project(density, momentum):
    """The sum over space in loops, from the source on."""
    nt, nz, ny, nx = density.shape
    sums = np.zeros(nt, complex)
    for t, z, y, x in itertools.product(range(nt), range(nz), range(ny), range(nx)):
        phase = sum(momentum[i] * ((x, y, z)[i] - SITE[i]) / (nx, ny, nz)[i] for i in range(3))
        sums[(t - SITE[3]) % nt] += np.exp(-2j * np.pi * phase) * density[t, z, y, x]
    return sums


def test_meson_equals_loops(up, down):
    s, other = up.to_numpy(), down.to_numpy()
    source, sink = kaon.gx @ kaon.g5 + 0.3j * kaon.gy, kaon.gz @ kaon.gt + 0.2 * kaon.g5
    bar = kaon.gt @ source.conj().T @ kaon.gt
    density = np.zeros(s.shape[:4], complex)
    for site in np.ndindex(density.shape):
        a = s[site].reshape(12, 12)
        b = kaon_adjoint(other[site].reshape(12, 12))
        density[site] = -np.trace(np.kron(sink, np.eye(3)) @ a @ np.kron(bar, np.eye(3)) @ b)
    momenta = [(0, 0, 0), (1, 0, 1)]
    found = kaon.meson(up, down, source, sink, momenta)
    for p, momentum in enumerate(momenta):
        assert np.abs(found[p] - project(density, momentum)).max() < 1e-14


def kaon_adjoint(s):
    """g5 S^dag g5 with spin before colour."""
    g = np.kron(reference.GAMMA5, np.eye(3))
    return g @ s.conj().T @ g


def test_pseudoscalar_meson_is_the_pion(up):
    assert np.abs(kaon.meson(up, up)[0] - up.pion()).max() < 1e-15


def test_baryon_equals_loops(up, down):
    """From < N Nbar >, all indices written out at every site."""
    u_all, d_all = up.to_numpy(), down.to_numpy()
    c5 = gamma.charge_conjugation @ kaon.g5
    bar = kaon.gt @ c5.conj() @ kaon.gt.T
    projector = (np.eye(4) + kaon.gt) / 2
    signs = {p: np.linalg.det(np.eye(3)[list(p)]) for p in itertools.permutations(range(3))}
    diquarks = [(i, j) for i, j in itertools.product(range(4), repeat=2) if c5[i, j] != 0]
    bars = [(i, j) for i, j in itertools.product(range(4), repeat=2) if bar[i, j] != 0]
    density = np.zeros(u_all.shape[:4], complex)
    for site in np.ndindex(density.shape):
        u, d = u_all[site], d_all[site]
        for ((a, b, c), e), ((v, w, z), f) in itertools.product(signs.items(), repeat=2):
            for (i, j), (k, l) in itertools.product(diquarks, bars):
                factor = e * f * c5[i, j] * bar[k, l] * d[j, b, l, w]
                for s, r in itertools.product(range(4), repeat=2):
                    density[site] += projector[r, s] * factor * (u[i, a, k, v] * u[s, c, r, z]
                                                                 - u[i, a, r, z] * u[s, c, k, v])
    momenta = [(0, 0, 0), (1, 1, 0)]
    found = kaon.baryon(up, down, momenta=momenta)
    for p, momentum in enumerate(momenta):
        expected = project(density, momentum)
        expected[len(expected) - SITE[3]:] *= -1  # three quarks went over the antiperiodic boundary
        assert np.abs(found[p] - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("angle", [np.pi, 0.0, 0.7])
def test_baryons_do_not_depend_on_the_time_of_the_source(angle):
    """Nor do they where quarks cross the boundary, which multiplies each by a phase."""
    links = kaon.GaugeField(kaon.Lattice((2, 2, 2, 8)), start="weak", seed=4, width=0.3)
    correlators = []
    for t in (0, 5):
        moved = kaon.GaugeField.from_array(links.lattice, np.ascontiguousarray(np.roll(links.to_numpy(), t, axis=0)))
        dirac = kaon.Wilson(moved, mass=0.3, boundary=(0, 0, 0, angle))
        s = kaon.Solver(dirac, tolerance=1e-13).propagator(kaon.PointSource((0, 0, 0, t)))
        correlators.append(kaon.baryon(s, s)[0])
    assert np.abs(correlators[0] - correlators[1]).max() < 1e-10
    assert np.abs(correlators[0][4:]).max() > 1e-8


def test_staggered_mesons_equal_loops(tiny):
    s = kaon.Solver(kaon.Staggered(tiny, mass=0.3), tolerance=1e-12).propagator(kaon.PointSource(SITE))
    density = np.sum(np.abs(s.to_numpy()) ** 2, axis=(-1, -2))
    expected = {name: np.zeros(4) for name in STAGGERED_CHANNELS}
    for t, z, y, x in itertools.product(range(4), range(2), range(2), range(4)):
        n, when = (x - SITE[0], y - SITE[1], z - SITE[2]), (t - SITE[3]) % 4
        signs = [(-1) ** k for k in n]
        here = density[t, z, y, x]
        expected["pseudoscalar"][when] += here
        expected["scalar"][when] += signs[0] * signs[1] * signs[2] * here
        expected["vector"][when] += sum(signs) / 3 * here
        expected["axial-vector"][when] += (signs[1] * signs[2] + signs[0] * signs[2] + signs[0] * signs[1]) / 3 * here
    for name, values in expected.items():
        assert np.abs(kaon.staggered_meson(s, name) - values).max() < 1e-14
    assert np.abs(kaon.staggered_meson(s) - s.pion()).max() < 1e-14


def test_effective_mass_finds_the_mass_of_a_cosh():
    t = np.arange(16)
    masses = kaon.effective_mass(3 * np.cosh(0.37 * (t - 8)))
    assert np.abs(masses - 0.37).max() < 1e-10
    assert np.isnan(kaon.effective_mass([1.0, 2.0, 1.0, -1.0])[0])
    assert np.isnan(kaon.effective_mass([np.nan, 1.0, 0.5, 1.0])[0])
    partner = (-1.0) ** t * np.cosh(0.9 * (t - 8))
    with_partner = kaon.effective_mass(3 * np.cosh(0.37 * (t - 8)) + partner, oscillating=True)
    assert np.abs(with_partner[2:14] - 0.37).max() < 1e-8 and np.isnan(with_partner[[0, 1, 14, 15]]).all()
    two_states = np.cosh(0.37 * (t - 8)) + np.cosh(0.9 * (t - 8))
    assert np.isnan(kaon.effective_mass(two_states, oscillating=True)).all()


def test_effective_masses_are_those_of_the_library():
    random = np.random.default_rng(7)
    pointer = ctypes.POINTER(ctypes.c_double)
    for length in (2, 3, 5, 8, 16, 33):
        t = np.arange(length) - length / 2
        for noise in (0.0, 0.01, 0.3, 3.0):
            for partner in (0.0, 1e-2, 0.4, 50.0):
                c = np.cosh(0.4 * t) + 0.3 * np.cosh(0.9 * t) * (noise > 0.1) + partner * (-1.0) ** np.arange(length) * np.cosh(0.7 * t)
                c = c * (1 + noise * random.normal(size=length))
                for form in (declarations.COSH, declarations.OSCILLATING_COSH):
                    masses = np.empty(length)
                    check(library().kaon_effective_mass(form, length, c.ctypes.data_as(pointer), masses.ctypes.data_as(pointer)))
                    found = kaon.effective_mass(c, oscillating=form == declarations.OSCILLATING_COSH)
                    assert np.array_equal(np.isnan(found), np.isnan(masses)) and np.allclose(found, masses, rtol=1e-8, atol=0, equal_nan=True)
