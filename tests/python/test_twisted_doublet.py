# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Doublets of twisted quarks of two masses against numpy."""
import numpy as np
import pytest

import kaon
import reference
from refusals import refuses

FAMILIES = {
    "twisted": dict(mass=0.1, mu=0.3, epsilon=0.2),
    "clover": dict(mass=0.05, mu=-0.2, epsilon=0.25, csw=1.3, csw_temporal=0.8, boundary=(0.1, 0.2, 0.3, 0.4)),
    "anisotropic": dict(mass=0.2, mu=0.1, epsilon=-0.15, xi0=2.4, nu=0.95),
}


def make(links, xi0=1.0, nu=1.0, **physics):
    return kaon.TwistedDoublet(links, anisotropy=(xi0, nu), **physics)


def noise(random, lattice, *leading):
    shape = (*leading, *lattice.site_shape(), 4, 3)
    return random.normal(size=shape) + 1j * random.normal(size=shape)


@pytest.mark.parametrize("family", FAMILIES)
def test_operators_equal_the_formula(family, links, random):
    psi = noise(random, links.lattice, 2, 2)
    dirac = make(links, **FAMILIES[family])
    found = dirac(psi).to_numpy()
    for k in range(2):
        expected = reference.twisted_doublet(links.to_numpy(), psi[k], **FAMILIES[family])
        assert reference.norm(found[k] - expected) < 1e-14 * reference.norm(expected)


def test_propagators_between_flavors_fulfil_the_formula(smooth):
    source = kaon.PointSource((1, 2, 0, 3))
    dirac = make(smooth, **{**FAMILIES["clover"], "mass": 0.5})  # heavier: solved sooner
    solve = kaon.Solver(dirac, tolerance=1e-12)
    eta = source.make(smooth.lattice, 4, "double").to_numpy()
    for flavor in (0, 1):
        to = solve.flavors(source, flavor)
        assert to[1].source_site == (1, 2, 0, 3) and to[0].time_boundary == dirac.boundary[3]
        psi = np.stack([kaon.SpinorField.to_numpy(each) for each in to], axis=1)
        missing = dirac(psi).to_numpy()
        missing[:, flavor] -= eta
        assert reference.norm(missing) < 1.1e-11


def test_refusals(links):
    dirac, source = make(links, mass=0.1, mu=0.2, epsilon=0.1), kaon.PointSource()
    solve = kaon.Solver(dirac)
    refuses(kaon.InvalidArgument, r"flavors\(source, flavor\)", solve.propagator, source)
    refuses(kaon.InvalidArgument, "flavours 0 and 1, not 2", solve.flavors, source, 2)
    wilson = kaon.Solver(kaon.Wilson(links, mass=0.1), method="bicgstab")
    refuses(kaon.InvalidArgument, "those of a TwistedDoublet, not of Wilson", wilson.flavors, source, 0)
    refuses(kaon.InvalidArgument, "acts on 2", dirac, kaon.SpinorField(links.lattice))
    refuses(kaon.Error, "twisted doublets: take auto, multigrid, cgnr, cgne or block-cg", kaon.Solver, dirac, method="bicgstab")
