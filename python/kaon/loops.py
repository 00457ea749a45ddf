# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Wilson loops and what follows from them: Creutz ratios, the static potential."""
from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InvalidArgument
from .gauge import GaugeField, require_links
from .library import compare
from .values import chosen, integer, numbers, shown

#: Pairs of directions of loops: the first has the length r, the second t.
_PLANES = {"temporal": tuple((mu, 3) for mu in range(3)), "all": tuple((mu, nu) for mu in range(4) for nu in range(4) if mu != nu)}


def _shifted(field: np.ndarray, mu: int, steps: int) -> np.ndarray:
    """field(x + steps mu)."""
    return np.roll(field, -steps, axis=3 - mu)


def _lines(links: np.ndarray, mu: int, longest: int) -> list[np.ndarray]:
    """Products of 1 to `longest` links in the direction mu."""
    lines = [links[..., mu, :, :]]
    while len(lines) < longest:
        lines.append(lines[-1] @ _shifted(lines[0], mu, len(lines)))
    return lines


def wilson_loops(links: GaugeField, r: int = 1, t: int = 1, planes: str = "temporal") -> np.ndarray:
    """Planar Wilson loops of 1 to `r` by 1 to `t` links, W[i - 1, j - 1] = (1/3) Re Tr of the product of the links around an i x j
    rectangle, averaged over sites and over pairs of directions:

        W(i, j) = mean of (1/3) Re Tr[ L_i,mu(x) L_j,nu(x + i mu) L_i,mu(x + j nu)^dag L_j,nu(x)^dag ],   L_k,mu(x) = U_mu(x) ... U_mu(x + (k-1) mu).

    "temporal" loops have mu in space and nu in time, and "all" are those of the 12 pairs of different directions: W(1, 1) is then the
    plaquette, and W(2, 1) the rectangle of improved gauge actions. For the static potential at distances r, links in space alone
    are smeared first: `links.smeared("ape", steps=20, omitted=3)`. By numpy, with the links of all processes on each one. Collective."""
    given = require_links(links)
    pairs = chosen(_PLANES, planes, "planes")
    lengths = integer(r, "r", 31), integer(t, "t", 31)
    reach = [min(given.lattice.extents[pair[side]] for pair in pairs) for side in (0, 1)]
    for name, length, longest in zip(("r", "t"), lengths, reach):
        if not 1 <= length <= longest:
            raise InvalidArgument(f"{name} = {length} is not from 1 to {longest}, the shortest extent of the lattice in its directions")
    compare(given.lattice, "Wilson loops", lengths, planes)
    field = given.to_numpy(gather=True)
    sides = {mu: _lines(field, mu, max(lengths)) for mu in sorted({mu for pair in pairs for mu in pair})}
    loops = np.zeros(lengths)
    for mu, nu in pairs:
        for i, along in enumerate(sides[mu][:lengths[0]], 1):
            for j, across in enumerate(sides[nu][:lengths[1]], 1):
                first, second = along @ _shifted(across, mu, i), across @ _shifted(along, nu, j)
                loops[i - 1, j - 1] += np.vdot(second, first).real
    return loops / (3 * len(pairs) * np.prod(given.lattice.extents))


def _require_loops(loops: Any) -> np.ndarray:
    made = numbers(loops, "loops")
    if made.ndim != 2 or made.size == 0 or np.iscomplexobj(made):
        raise InvalidArgument(f"loops = {shown(loops)} are not real numbers W[r - 1, t - 1]")
    return np.asarray(made, float)


def creutz_ratios(loops: Any) -> np.ndarray:
    """Creutz ratios of the loops W[r - 1, t - 1] of `wilson_loops`, or of their mean, in an array of the same shape:

        chi(r, t) = -log[ W(r, t) W(r-1, t-1) / (W(r, t-1) W(r-1, t)) ],   W(0, t) = W(r, 0) = 1,

    in which the divergences of perimeter and corners cancel (M. Creutz, Phys. Rev. Lett. 45 (1980) 313). At large r and t it is the
    string tension in units of 1/a^2. It is nan where the logarithm is of a negative number. For errors: `kaon.gamma_method(samples,
    kaon.creutz_ratios)`."""
    w = np.pad(_require_loops(loops), ((1, 0), (1, 0)), constant_values=1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.log(w[1:, 1:] * w[:-1, :-1] / (w[1:, :-1] * w[:-1, 1:]))


def static_potential(loops: Any) -> np.ndarray:
    """The potential of two static quarks between t and t + 1, V[r - 1, t - 1] = log W(r, t)/W(r, t+1) in units of 1/a, of the loops
    W[r - 1, t - 1] of `wilson_loops` with temporal planes, or of their mean. It falls towards the potential as t grows. It is nan
    where the logarithm is of a negative number. For errors: `kaon.gamma_method(samples, kaon.static_potential)`."""
    w = _require_loops(loops)
    if w.shape[1] < 2:
        raise InvalidArgument(f"loops of the shape {w.shape} have one time, and a potential needs two")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(w[:, :-1] / w[:, 1:])
