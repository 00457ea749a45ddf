# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Fixtures: small lattices and random links."""
import numpy as np
import pytest

import kaon


@pytest.fixture
def random():
    """Random numbers, the same in every run."""
    return np.random.default_rng(2)


@pytest.fixture(scope="session")
def lattice():
    return kaon.Lattice((4, 6, 2, 8))


@pytest.fixture
def psi(lattice):
    """An array of the shape of a spinor field."""
    return np.ones(lattice.site_shape() + (4, 3), complex)


@pytest.fixture(scope="session")
def links(lattice):
    """Random links."""
    return kaon.GaugeField(lattice, start="hot", seed=11)


@pytest.fixture(scope="session")
def smooth(lattice):
    """Links near the unit, on which solvers are quick."""
    return kaon.GaugeField(lattice, start="weak", seed=12, width=0.2)
