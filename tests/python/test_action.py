# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Molecular dynamics by hand: momenta, values and forces of the action, steps of links."""
import re

import numpy as np
import pytest

import kaon
from refusals import refuses


def weak_links():
    return kaon.GaugeField(kaon.Lattice((4, 4, 4, 4)), start="weak", seed=5, width=0.3)


EXACT = {"tolerance": 1e-13, "force_tolerance": 1e-13, "inner": "double"}
GAUGE = kaon.GaugeAction("iwasaki", beta=2.6)
CLOVER = kaon.TwoFlavors(kappa=0.12, csw=1.1, hasenbusch=(0.4,), **EXACT)


def leapfrog(U, S, P, steps, length):
    dt = length / steps
    S.kick(P, U, dt / 2)
    for step in range(steps):
        U.advance(P, dt)
        S.kick(P, U, dt if step < steps - 1 else dt / 2)


def run_by_hand(steps, seed=7, number=2):
    U = weak_links()
    S = kaon.Action([CLOVER, GAUGE])
    P = kaon.Momenta(U.lattice)
    assert S.terms == 3
    U.reunitarize()
    P.draw(seed, S.terms * number)
    before = P.energy() + S.draw(U, seed, S.terms * number)
    leapfrog(U, S, P, steps, 0.5)
    after = P.energy() + S.value(U)
    return U, P, S, after - before


def test_a_leapfrog_is_a_trajectory_of_hmc():
    U, P, S, change = run_by_hand(5)
    links = weak_links()
    hmc = kaon.HMC(links, [CLOVER, GAUGE], "leapfrog", 5, length=0.5, seed=7, accept_all=True)
    assert change == pytest.approx(hmc.trajectory(2).delta_energy, abs=1e-8)
    U.reunitarize()
    assert np.abs(U.to_numpy() - links.to_numpy()).max() < 1e-11
    assert S.iterations > 0


def test_kicks_of_any_matrices_and_forces():
    """P + dt TA(V), and a kick of zero momenta by the action as its force."""
    U, P = weak_links(), kaon.Momenta(kaon.Lattice((4, 4, 4, 4)))
    P.kick(U, -0.3)
    v = U.to_numpy()
    v = v - v.conj().swapaxes(-1, -2)
    expected = -0.3 * (v / 2 - np.trace(v, axis1=-2, axis2=-1)[..., None, None] / 6 * np.eye(3))
    assert np.abs(P.to_numpy() - expected).max() < 1e-15
    S = kaon.Action(GAUGE)
    before, force = P.to_numpy(), S.force(U).to_numpy()
    S.kick(P, U, 0.1)
    assert np.abs(P.to_numpy() - before - 0.1 * force).max() < 1e-15 < np.abs(force).max()


def test_momenta_and_arrays():
    P = kaon.Momenta(kaon.Lattice((4, 4, 4, 4)))
    assert not P.to_numpy().any()
    assert P.energy() == -4 * 4 * 256
    P.draw(seed=3)
    p = P.to_numpy()
    assert P.energy() == pytest.approx((np.abs(p) ** 2).sum() / 2 - 4 * 4 * 256, abs=1e-9)
    assert abs(P.energy()) < 4 * 256
    assert np.abs(p + p.conj().swapaxes(-1, -2)).max() < 1e-15
    first = P.to_numpy("even-odd", directions_first=True)
    again = kaon.Momenta.from_array(P.lattice, first, "even-odd", directions_first=True)
    assert np.abs(again.to_numpy() - p).max() < 1e-15
    assert np.array_equal(np.from_dlpack(P), p)
    assert np.array_equal(P.to_numpy(gather=True), p)
    P.free()


def test_refusals(lattice):
    U = weak_links()
    S, P = kaon.Action(kaon.TwoFlavors(mass=0.1, max_iterations=2)), kaon.Momenta(U.lattice)
    P.draw()
    h = -1j * P.to_numpy()
    refused = (
        (lambda: P.set(h), "give P = i H of Hermitian momenta H"),
        (lambda: P.set(h[0]), "momenta has the shape"),
        (lambda: P.draw(seed=-1), "seed = -1"),
        (lambda: P.draw(stream=2**32), "stream = 4294967296"),
        (lambda: P.kick(P, 1.0), "not a GaugeField"),
        (lambda: P.kick(U, "much"), "dt = 'much' is not a number"),
        (lambda: P.to_numpy("even-odd", gather=True), "gather=True"),
        (lambda: kaon.Momenta((4, 4, 4, 4)), "lattice is a tuple"),
        (lambda: kaon.Momenta(lattice).kick(U, 1.0), "one lattice"),
        (lambda: U.advance(U, 0.1), "not Momenta"),
        (lambda: U.advance(P, float("nan")), "the step nan"),
        (lambda: U.advance(P, 1e200), "advanced by 1e+200"),
        (lambda: kaon.GaugeField(U.lattice, "single", "cold").advance(P, 0.1), "single precision"),
        (lambda: kaon.GaugeField(U.lattice).reunitarize(), "away from SU(3)"),
        (lambda: kaon.Action([]), "at least one term"),
        (lambda: kaon.Action("wilson"), "not a str"),
        (lambda: S.value(U), "draw them first"),
        (lambda: S.value(P), "not a GaugeField"),
        (lambda: S.kick(U, U, 0.1), "not Momenta"),
        (lambda: S.draw(U, stream=-1), "stream = -1"),
        (lambda: S.draw(kaon.GaugeField(U.lattice, "single", "cold")), "single precision"),
    )
    for call, text in refused:
        refuses(kaon.InvalidArgument, re.escape(text), call)
    S.draw(U)
    before = P.to_numpy()
    refuses(kaon.NotConverged, "", S.kick, P, U, 0.1)
    assert np.array_equal(P.to_numpy(), before)
    S.free()
    refuses(kaon.InvalidArgument, "freed", S.value, U)
