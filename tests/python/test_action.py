# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Molecular dynamics by hand: momenta, values and forces of the action, steps of links."""
import numpy as np
import pytest

import kaon


def weak_links(reach=1):
    return kaon.GaugeField(kaon.Lattice((4, 4, 4, 4), reach=reach), start="weak", seed=5, width=0.3)


EXACT = {"tolerance": 1e-13, "force_tolerance": 1e-13, "inner": "double"}
TERMS = {
    "gauge": kaon.GaugeAction("iwasaki", beta=2.6),
    "clover": kaon.TwoFlavors(kappa=0.12, csw=1.1, hasenbusch=(0.4,), **EXACT),
    "twisted": kaon.TwoFlavors(mass=0.2, mu=0.3, csw=1.0, **EXACT),
    "twisted-ratio": kaon.TwoFlavors(mass=0.2, mu=0.05, csw=1.0, hasenbusch=(0.4,), **EXACT),
    "domain-wall": kaon.DomainWallFlavors(mass=0.2, slices=4, b=1.5, c=0.5, hasenbusch=(0.5,), **EXACT),
    "exact": kaon.DomainWallFlavors(mass=0.3, slices=4, b=1.5, c=0.5, flavors=1.0, exact=True, **EXACT),
    "rational": kaon.RationalFlavors(mass=0.3, csw=1.0, lowest=0.05, highest=60.0, **EXACT),
    "hisq": kaon.StaggeredFlavors(0.2, flavors=2.0, heavier_mass=0.6, naik_epsilon=-0.1, **EXACT),
}


@pytest.mark.parametrize("name", TERMS)
def test_the_force_is_the_derivative(name):
    U = weak_links(reach=3)
    S, P = kaon.Action(TERMS[name]), kaon.Momenta(U.lattice)
    drawn = S.draw(U, seed=3)
    assert S.value(U) == pytest.approx(drawn, rel=1e-8)
    P.draw(seed=9)
    slope = -np.vdot(P.to_numpy(), S.force(U).to_numpy()).real
    assert abs(slope) > 0.1

    def difference(step):
        ahead, behind = weak_links(reach=3), weak_links(reach=3)
        ahead.advance(P, step), behind.advance(P, -step)
        return (S.value(ahead) - S.value(behind)) / (2 * step)

    # Rational functions of the force have an error of their own, 1e-6.
    tolerance = 1e-5 if name in ("rational", "hisq") else 1e-7
    assert slope == pytest.approx((4 * difference(5e-4) - difference(1e-3)) / 3, rel=tolerance)


def leapfrog(U, S, P, steps, length):
    dt = length / steps
    S.kick(P, U, dt / 2)
    for step in range(steps):
        U.advance(P, dt)
        S.kick(P, U, dt if step < steps - 1 else dt / 2)


def run_by_hand(steps, seed=7, number=2):
    U = weak_links()
    S = kaon.Action([TERMS["clover"], TERMS["gauge"]])
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
    hmc = kaon.HMC(links, [TERMS["clover"], TERMS["gauge"]], "leapfrog", 5, length=0.5, seed=7, accept_all=True)
    assert change == pytest.approx(hmc.trajectory(2).delta_energy, abs=1e-8)
    U.reunitarize()
    assert np.abs(U.to_numpy() - links.to_numpy()).max() < 1e-11
    assert S.iterations > 0


def test_small_steps_keep_the_energy_and_links_come_back():
    changes = [run_by_hand(steps)[3] for steps in (8, 16)]
    assert changes[0] / changes[1] == pytest.approx(4.0, rel=0.1)
    U, P, S, _ = run_by_hand(8)
    P.set(-P.to_numpy())
    leapfrog(U, S, P, 8, 0.5)
    assert np.abs(U.to_numpy() - weak_links().to_numpy()).max() < 1e-9


# Wilson's action from the products of links of numpy: V = -(beta/3) sum of staples, with the sign of its force.
def test_a_force_of_ones_own():
    beta, U = 5.6, weak_links()
    u = U.to_numpy()
    axis = {0: 3, 1: 2, 2: 1, 3: 0}

    def at(field, mu, steps):
        return np.roll(field, -steps, axis=axis[mu])

    def adjoint(m):
        return m.conj().swapaxes(-1, -2)

    loops = np.zeros_like(u)
    for mu in range(4):
        for nu in range(4):
            if nu == mu:
                continue
            a, b = u[..., mu, :, :], u[..., nu, :, :]
            loops[..., mu, :, :] += a @ at(b, mu, 1) @ adjoint(at(a, nu, 1)) @ adjoint(b)
            down = at(b, nu, -1)
            loops[..., mu, :, :] += a @ adjoint(at(down, mu, 1)) @ adjoint(at(a, nu, -1)) @ down
    own = kaon.Momenta(U.lattice)
    own.kick(kaon.GaugeField.from_array(U.lattice, np.ascontiguousarray(-beta / 3 * loops)), 1.0)
    found = kaon.Action(kaon.GaugeAction(beta=beta)).force(U).to_numpy()
    assert np.abs(own.to_numpy() - found).max() < 1e-12 * np.abs(found).max()


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
        with pytest.raises(kaon.InvalidArgument) as caught:
            call()
        assert text in str(caught.value)
    S.draw(U)
    before = P.to_numpy()
    with pytest.raises(kaon.NotConverged):
        S.kick(P, U, 0.1)
    assert np.array_equal(P.to_numpy(), before)
    S.free()
    with pytest.raises(kaon.InvalidArgument, match="freed"):
        S.value(U)
