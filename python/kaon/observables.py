# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Numbers that follow from several correlators: masses of the axial Ward identity, ratios of three- to two-point functions."""
from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InvalidArgument
from .values import integer, real, real_parts, shown


def _pair(first: Any, second: Any, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    made = real_parts(first, names[0], (1, 2)), real_parts(second, names[1], (1, 2))
    if made[0].shape != made[1].shape:
        raise InvalidArgument(f"{names[0]} and {names[1]} have the shapes {made[0].shape} and {made[1].shape}")
    return made


def pcac_mass(axial: Any, pseudoscalar: Any, c_a: float = 0.0) -> np.ndarray:
    """The quark mass of the axial Ward identity d_4 A_4 = 2 m P, in units of 1/a, unrenormalised:

        m(t) = [ (C_AP(t+1) - C_AP(t-1))/2 + c_A (C_P(t+1) - 2 C_P(t) + C_P(t-1)) ] / (2 C_P(t)),

    with C_AP of the channel g4g5:g5 and C_P of g5:g5, times along the last axis, periodic. c_A is the coefficient of the improved
    current A_4 + a c_A d_4 P (arXiv:hep-lat/9605038). m(t) has contact terms if the source is at t - 1, t or t + 1. For
    errors: `kaon.Correlators(axial, pseudoscalar).plateau(kaon.pcac_mass)`."""
    a, p = _pair(axial, pseudoscalar, ("axial", "pseudoscalar"))
    improved = real(c_a, "c_a") * (np.roll(p, -1, axis=-1) - 2 * p + np.roll(p, 1, axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return ((np.roll(a, -1, axis=-1) - np.roll(a, 1, axis=-1)) / 2 + improved) / (2 * p)


def three_point_ratio(three_point: Any, source: Any, sink: Any, separation: int) -> np.ndarray:
    """The ratio of a three-point function C3(tau) with a sink at the time T = `separation` to two-point functions of the momenta of source
    and sink, smeared alike at both ends:

        R(tau) = C3(tau)/C_sink(T) * [ C_source(T - tau) C_sink(tau) C_sink(T) / (C_sink(T - tau) C_source(tau) C_source(T)) ]^(1/2),

    tau = 0 .. T, in which amplitudes and exponentials cancel, so that its plateau is the matrix element divided by the square
    root of 4 E E' and by spinors (arXiv:hep-lat/0303019). For one momentum, `source` and `sink` alike, it is C3(tau)/C(T). It is nan where
    the root is of a negative number."""
    c3 = real_parts(three_point, "three_point")
    c, d = _pair(source, sink, ("source", "sink"))
    t = integer(separation, "separation", 31)
    if c.ndim != 1 or not 0 < t < min(len(c), len(c3)):
        raise InvalidArgument(f"separation = {shown(separation)} is not between 0 and the length of the correlators, {len(c3)} and {len(c)}")
    c3, c, d = c3[:t + 1], c[:t + 1], d[:t + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return c3 / d[t] * np.sqrt(c[::-1] * d * d[t] / (d[::-1] * c * c[t]))
