# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Results of other codes, on their gauge fields."""
import numpy as np

import kaon


def test_wilson_pion_of_l4t8(data):
    """A point source at the origin, Wilson, kappa = 0.150 and 0.167: sum |S|^2 by t, by an independent code."""
    links = kaon.GaugeField.read(data("ildg/L4T8conf"))
    assert abs(links.plaquette().average - 0.635005572229) < 1e-12
    expected = {
        0.150: [1.34803716, 0.12579953, 0.01934984, 0.00376117, 0.00145365, 0.00387659, 0.02044779, 0.12780942],
        0.167: [1.63641765, 0.20779996, 0.03102078, 0.00530284, 0.00187391, 0.00616119, 0.03491983, 0.21584283],
    }
    for kappa, values in expected.items():
        s = kaon.Solver(kaon.Wilson(links, kappa=kappa)).propagator(kaon.PointSource())
        assert np.abs(s.pion() - values).max() < 6e-9
        assert np.abs(kaon.meson(s, s)[0].real - values).max() < 6e-9


def test_smeared_anisotropic_propagators_of_the_weak_field(data):
    """A smeared source at the origin, xi0 = 2.464, nu = 0.95: sum |source|^2 and sum |S|^2 by t, by Chroma."""
    links = kaon.GaugeField.read(data("weak_field/weak_field.lime"))
    source = kaon.GaussianSource(links, width=2.0, steps=5)
    norms = source.make(links.lattice, 4, "double").norm2()
    assert abs(norms.sum() - 6.633998) < 2e-6
    cases = [
        (kaon.Wilson(links, kappa=0.135, anisotropy=(2.464, 0.95)), 0.135, [
            0.749881670, 0.127559085, 0.048818168, 0.026170709, 0.020531342, 0.026186983, 0.048858947, 0.127618666]),
        (kaon.WilsonClover(links, kappa=0.115, csw=0.91, csw_temporal=1.07, anisotropy=(2.464, 0.95)), 0.115, [
            0.588734367, 0.044005466, 0.015493428, 0.009136583, 0.007579043, 0.009137186, 0.015501454, 0.044009996]),
    ]
    for dirac, kappa, values in cases:
        pion = kaon.Solver(dirac).propagator(source).pion()
        assert np.abs(pion - values).max() < 2e-6


def test_domain_wall_of_the_weak_field(data):
    """A smeared source at the origin, Shamir, L_s = 4, xi0 = 2.464, nu = 1.2: sum |q|^2 and sum |q_mp|^2 by t, by Chroma, whose
    solves end at 1e-8 of the normal equations."""
    links = kaon.GaugeField.read(data("weak_field/weak_field.lime"))
    dirac = kaon.DomainWall(links, mass=0.4, m5=1.2, slices=4, anisotropy=(2.464, 1.2))
    q = kaon.Solver(dirac).propagator(kaon.GaussianSource(links, width=2.0, steps=5))
    walls = [0.046334869623285, 0.0639292924323685, 0.0177903308441096, 0.00806536155861327,
             0.0059721249985301, 0.0080644891177445, 0.0177967872036496, 0.0639287163416963]
    middle = [0.04292382, 0.004030217, 0.0003961284, 4.971103e-05, 7.077304e-06, 4.974484e-05, 0.0003968574, 0.004034408]
    assert np.abs(q.pion() / walls - 1).max() < 2e-6
    assert np.abs(q.midpoint.pion() / middle - 1).max() < 4e-6


def test_free_domain_wall():
    """sum |q|^2 on unit links, periodic, of a point source, by CPS."""
    links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 8)), start="cold")
    dirac = kaon.DomainWall(links, mass=0.05, m5=1.0, slices=16, boundary=(0.0, 0.0, 0.0, 0.0))
    q = kaon.Solver(dirac, tolerance=1e-12).propagator(kaon.PointSource())
    assert abs(q.norm2().sum() - 9.736817290497456) < 1e-9


def test_pion_in_z_of_twisted_mass(data):
    """All directions periodic; (2 kappa)^2 / 64 sum |S_kappa|^2 of 1 - kappa D - 2 i kappa mu g5, in z, by cl2qcd."""
    links = kaon.GaugeField.read(data("ildg/conf.00200"))
    periodic = (0.0, 0.0, 0.0, 0.0)
    wilson = kaon.Wilson(links, kappa=0.15, boundary=periodic)
    twisted = kaon.TwistedMass(links, kappa=0.15, mu=-4.0, boundary=periodic)
    expected = {
        wilson: [2.23946028664745e-02, 2.05485346957700e-03, 6.96566865496375e-04, 2.17148162775779e-03],
        twisted: [6.40008946516344e-03, 1.17492646085198e-04, 2.50278817534017e-06, 1.18464343697740e-04],
    }
    for dirac, values in expected.items():
        s = kaon.Solver(dirac, tolerance=1e-13).propagator(kaon.PointSource())
        assert np.abs(s.pion(direction=2) / 64 / np.array(values) - 1).max() < 1e-9
