# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Wilson loops, Creutz ratios and the static potential."""
import math

import numpy as np
import pytest

import kaon
from refusals import refuses


def loop_at(links, site, mu, nu, i, j):
    """(1/3) Re Tr of the links around a rectangle at a site (x, y, z, t), multiplied one by one."""
    extents = links.shape[3::-1]
    here, product = list(site), np.eye(3)
    for direction, steps in ((mu, i), (nu, j), (mu, -i), (nu, -j)):
        for _ in range(abs(steps)):
            if steps < 0:
                here[direction] = (here[direction] - 1) % extents[direction]
            link = links[(*reversed(here), direction)]
            product = product @ (link if steps > 0 else link.conj().T)
            if steps > 0:
                here[direction] = (here[direction] + 1) % extents[direction]
    assert here == list(site)
    return np.trace(product).real / 3


@pytest.mark.parametrize("planes, i, j", [("temporal", 1, 1), ("temporal", 2, 3), ("all", 2, 1)])
def test_loops_are_products_around_rectangles(links, lattice, planes, i, j):
    u = links.to_numpy()
    pairs = [(mu, nu) for mu in range(4) for nu in ((3,) if planes == "temporal" else range(4)) if mu != nu]
    sites = list(np.ndindex(*lattice.extents))
    expected = np.mean([loop_at(u, site, mu, nu, i, j) for mu, nu in pairs for site in sites])
    assert kaon.wilson_loops(links, 2, 3 if planes == "temporal" else 2, planes)[i - 1, j - 1] == pytest.approx(expected, abs=1e-14)


def test_unit_links_have_no_potential(lattice):
    loops = kaon.wilson_loops(kaon.GaugeField(lattice, start="cold"), 2, 8)
    assert loops.shape == (2, 8) and np.allclose(loops, 1.0, rtol=0, atol=1e-15)
    assert np.allclose(kaon.static_potential(loops), 0.0, atol=1e-14) and np.allclose(kaon.creutz_ratios(loops), 0.0, atol=1e-14)


def test_an_area_and_perimeter_law():
    """W = exp(-sigma r t - mu (r + t) + c): creutz_ratios are sigma beyond the first row and column, and V = sigma r + mu."""
    r, t = np.arange(1, 5)[:, None], np.arange(1, 7)
    loops = np.exp(-0.15 * r * t - 0.4 * (r + t) + 0.3)
    assert np.allclose(kaon.creutz_ratios(loops)[1:, 1:], 0.15)
    assert kaon.creutz_ratios(loops)[0, 0] == pytest.approx(-math.log(loops[0, 0]))
    assert np.allclose(kaon.static_potential(loops), 0.15 * r + 0.4)
    assert np.isnan(kaon.static_potential([[0.5, -0.1]])[0, 0])


@pytest.mark.parametrize("given, text", [({"r": 5}, "r = 5 is not from 1 to 2"), ({"t": 9}, "t = 9 is not from 1 to 8"), ({"r": 0}, "r = 0"),
                                         ({"planes": "spatial"}, "none of temporal, all"), ({"t": 3, "planes": "all"}, "from 1 to 2")])
def test_loops_that_are_refused(links, given, text):
    refuses(kaon.InvalidArgument, text, kaon.wilson_loops, links, **given)


def test_loops_without_times_are_refused():
    refuses(kaon.InvalidArgument, "needs two", kaon.static_potential, [[0.5], [0.2]])
    refuses(kaon.InvalidArgument, "not real numbers", kaon.creutz_ratios, [0.5, 0.2])
