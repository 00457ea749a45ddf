# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Hybrid Monte Carlo through Python. Its numbers are compared with other codes' in C++."""
import math

import numpy as np
import pytest

import kaon
from refusals import refuses


def weak_links(seed=5):
    return kaon.GaugeField(kaon.Lattice((4, 4, 4, 8)), start="weak", seed=seed, width=0.3)


QUARKS = kaon.TwoFlavors(kappa=0.12, csw=1.1, hasenbusch=(0.4,))


def make(links, **more):
    options = {"steps": (3, 2), "length": 0.5, "seed": 7, **more}
    return kaon.HMC(links, [QUARKS, kaon.GaugeAction("symanzik", beta=4.0)], **options)


def test_a_trajectory_is_the_same_again():
    first, second = weak_links(), weak_links()
    one, other = make(first), make(second)
    reports = [one.trajectory() for _ in range(2)]
    assert one.next_trajectory == 3
    assert [other.trajectory(number)[:4] for number in (1, 2)] == [report[:4] for report in reports]
    assert np.array_equal(first.to_numpy(), second.to_numpy())
    assert reports[1].plaquette == pytest.approx(first.plaquette().average, abs=1e-14)
    assert all(report.iterations > 0 and report.seconds > 0 for report in reports)
    assert make(weak_links(), seed=8).trajectory().delta_energy != reports[0].delta_energy


def test_links_come_back():
    links = weak_links()
    before = links.to_numpy()
    back = make(links).reverse()
    assert back.links < 1e-7 and abs(back.delta_energy) < 1e-4
    assert np.array_equal(links.to_numpy(), before)


def test_one_number_of_steps_is_one_time_scale():
    actions = [kaon.TwoFlavors(mass=0.2), kaon.GaugeAction(beta=5.6)]
    one = kaon.HMC(weak_links(), actions, steps=4, length=0.5).trajectory()
    nested = kaon.HMC(weak_links(), [actions], steps=[4], length=0.5).trajectory()
    assert one[:4] == nested[:4]


def test_each_time_scale_can_have_an_integrator():
    of_one = make(weak_links(), integrator="badab").trajectory()
    assert make(weak_links(), integrator=["badab", "badab"]).trajectory()[:4] == of_one[:4]
    other = make(weak_links(), integrator=["badab", "omelyan"])
    assert other.trajectory().delta_energy != of_one.delta_energy
    assert "badab, omelyan" in repr(other) and abs(of_one.delta_energy) < 0.1


def test_forecasts_save_iterations():
    runs = [make(weak_links(), steps=(6, 2), forecast=forecast).trajectory() for forecast in (0, 4)]
    assert runs[1].iterations < 0.95 * runs[0].iterations
    assert runs[1].delta_energy == pytest.approx(runs[0].delta_energy, abs=1e-4) and runs[1] != runs[0]


def test_one_loop_action():
    # Without tadpoles it is the action at tree level with 3/5 of the beta.
    changes = [kaon.HMC(weak_links(), action, steps=4, length=0.5).trajectory().delta_energy
               for action in (kaon.GaugeAction("one-loop", 5.0, u0=1.0, flavors=3), kaon.GaugeAction("symanzik", 3.0))]
    assert changes[0] == pytest.approx(changes[1], abs=1e-8)
    with_tadpoles = kaon.HMC(weak_links(), kaon.GaugeAction("one-loop", 5.0, u0=0.9, flavors=3), steps=(8,), length=0.5)
    assert abs(with_tadpoles.trajectory().delta_energy) < 2.0


@pytest.mark.parametrize("quarks", [
    kaon.TwoFlavors(mass=0.2, mu=0.3, csw=1.0),
    kaon.TwoFlavors(mass=0.2, mu=0.05, csw=1.0, hasenbusch=(0.8, 0.3)),
    kaon.DomainWallFlavors(mass=0.1, m5=1.6, slices=4, b=1.5, c=0.5, hasenbusch=(0.4,)),
    kaon.DomainWallFlavors(mass=0.3, slices=4, b=1.5, c=0.5, flavors=1.0, lowest=0.01, highest=100.0),
    kaon.RationalFlavors(mass=0.3, csw=1.0, lowest=0.05, highest=60.0),
    kaon.RationalFlavors(mass=0.2, csw=1.0, mu=0.3, epsilon=0.2, lowest=0.02, highest=80.0),
    kaon.DomainWallFlavors(mass=0.3, slices=4, b=1.5, c=0.5, flavors=1.0, exact=True),
    kaon.StaggeredFlavors(0.3, action="naive"),
    kaon.TwoFlavors(mass=0.1, csw=1.0, hasenbusch=(0.4,), stout=(0.125, 2)),
    kaon.DomainWallFlavors(mass=0.1, m5=1.6, slices=4, b=1.5, c=0.5, stout=(0.12, 0.12, 0.12, 0.0, 1)),
    kaon.RationalFlavors(mass=0.3, csw=1.0, lowest=0.05, highest=60.0, stout=(0.1, 1)),
    kaon.StaggeredFlavors(0.3, action="naive", stout=(0.1, 2)),
    kaon.StaggeredFlavors(0.2, flavors=2.0, action="asqtad", u0=0.9),
    kaon.StaggeredFlavors(0.2, flavors=1.0, heavier_mass=0.6, naik_epsilon=-0.1),
], ids=["twisted", "twisted-ratios", "domain-wall", "domain-wall-flavor", "rational", "doublet", "exact", "naive", "clover-stout",
        "domain-wall-stout", "rational-stout", "naive-stout", "asqtad", "hisq"])
def test_every_kind_of_quarks_keeps_the_energy(quarks):
    changes = []
    for steps in (4, 8):
        reach = 3 if isinstance(quarks, kaon.StaggeredFlavors) else 1  # with 3 this lattice has one lane
        links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 4), reach=reach), start="weak", seed=5, width=0.3)
        actions = [quarks, kaon.GaugeAction(beta=5.0)]
        changes.append(kaon.HMC(links, actions, "leapfrog", steps, length=0.4, seed=3).trajectory().delta_energy)
    assert changes[0] / changes[1] == pytest.approx(4.0, rel=0.25)


def test_refusals(lattice):
    links = weak_links()
    gauge = kaon.GaugeAction(beta=5.6)
    for arguments, text in (((links, [gauge], "euler"), "integrator = 'euler' is none of leapfrog, omelyan, fourth-order"),
                            ((links, [gauge], ["badab", "omelyan"]), "2 integrators for 1 time scales"),
                            ((lattice, [gauge]), "not a GaugeField"),
                            ((links, [gauge, gauge], "omelyan", (1, 2, 3)), "3 numbers of steps for 2 time scales"),
                            ((links, [gauge], "omelyan", [2.5]), "steps = 2.5"),
                            ((links, ["wilson"]), "not a str"),
                            ((links, [kaon.GaugeAction("clover", 5.6)]), "action = 'clover' is none of wilson"),
                            ((links, [kaon.GaugeAction()]), "beta is not given"),
                            ((links, [kaon.GaugeAction("one-loop", 5.6)]), "needs u0"),
                            ((links, [kaon.GaugeAction("wilson", 5.6, u0=0.9)]), "other gauge actions have none"),
                            ((links, [gauge], "omelyan", [3], 1.0, 0, False, -1), "forecast = -1"),
                            ((links, [kaon.RationalFlavors(mass=0.1, flavors=2.0)]), "take TwoFlavors"),
                            ((links, [kaon.RationalFlavors(mass=0.1, epsilon=0.1)]), "has both mu and epsilon"),
                            ((links, [kaon.StaggeredFlavors(0.1, action="wilson")]), "none of naive, asqtad, hisq"),
                            ((links, [kaon.TwoFlavors(mass=0.1, hasenbusch="no")]), "numbers are needed"),
                            ((links, [kaon.TwoFlavors(mass=0.1, stout=0.1)]), "not numbers"),
                            ((links, [kaon.TwoFlavors(mass=0.1, stout=(0.1, 1.5))]), "rho and the number of levels"),
                            ((links, [kaon.TwoFlavors(mass=0.1, stout=(0.1, 0.1, 1))]), "rho and the number of levels"),
                            ((links, [kaon.TwoFlavors(mass=0.1, stout=(-0.1, 1))]), "numbers from 0 on"),
                            ((links, [kaon.TwoFlavors(mass=0.1, method="gcr-dd")]), "none of auto")):
        refuses(kaon.InvalidArgument, text, kaon.HMC, *arguments)
    refuses(kaon.InvalidArgument, "no term", kaon.HMC(links, []).trajectory)
    hmc = kaon.HMC(links, [kaon.TwoFlavors(kappa=0.12, max_iterations=2), gauge])
    before = links.to_numpy()
    refuses(kaon.NotConverged, "trajectory 3: ", hmc.trajectory, 3)
    assert hmc.next_trajectory == 1 and np.array_equal(links.to_numpy(), before)
    refuses(kaon.InvalidArgument, "not an integer", hmc.trajectory, -1)
    refuses(kaon.InvalidArgument, "double", kaon.HMC(kaon.GaugeField(lattice, "single", "cold"), [gauge]).trajectory)
