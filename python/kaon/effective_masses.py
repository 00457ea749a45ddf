# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Effective masses of correlators, by numpy and without the library."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from .errors import InvalidArgument
from .values import flag, real_parts

#: A determinant that is smaller than this part of its terms is rounding.
_ROUNDING = 16.0 * np.finfo(float).eps


def effective_mass(correlator: Sequence[float], oscillating: bool = False) -> np.ndarray:
    """m(t) >= 0 between t and t + 1 with C(t)/C(t+1) = cosh(m (t - T/2)) / cosh(m (t + 1 - T/2)), C(T) = C(0); nan where this form
    does not hold. C is the real part of a complex correlator, of one momentum. With `oscillating` the form has a partner,
    C(t) = A cosh(m (t - T/2)) + (-1)^t B cosh(m' (t - T/2)), as for staggered quarks, which C(t-2) to C(t+3) remove. `kaon_effective_mass`
    of C and `effective_mass` of C++ return the same."""
    c = real_parts(correlator, "a correlator, such as meson(S, S)[0],")
    if c.size < 2:
        raise InvalidArgument(f"an effective mass needs at least two values of C, got {c.size}")
    with np.errstate(all="ignore"):  # numbers that are not finite have no mass
        if flag(oscillating, "oscillating"):
            return _beside_partner(c)
        ratio, distance = _fall(c, np.roll(c, -1))
        return _mass_of_ratio(ratio, distance)


def log_mass(correlator: np.ndarray) -> np.ndarray:
    """log C(t)/C(t+1), nan where this is no number and at the last time."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = correlator / np.append(correlator[1:], np.nan)
        return np.log(np.where(ratio > 0.0, ratio, np.nan))


def _fall(values: np.ndarray, following: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ratio of values at t and t + 1, the one that is further from T/2 divided by the other, and the distance of the former from T/2.
    The ratio is nan if one is not positive, if they rise towards T/2, or if they are at the same distance."""
    here = 0.5 * values.size - np.arange(values.size)
    is_nearer = here > 0.5
    ratio, distance = np.where(is_nearer, values / following, following / values), np.where(is_nearer, here, 1.0 - here)
    holds = (values > 0.0) & (following > 0.0) & (distance >= 1.0) & (ratio >= 1.0) & np.isfinite(ratio)
    return np.where(holds, ratio, np.nan), distance


def _mass_of_ratio(ratio: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The m >= 0 with cosh(m k)/cosh(m (k - 1)) = ratio, for k >= 1, by bisection. The left side, which is
    cosh(m) + tanh(m (k - 1)) sinh(m), grows with m and lies between cosh(m) and exp(m)."""
    low, high = np.log(ratio), np.arccosh(ratio)
    while True:
        middle = 0.5 * (low + high)
        open_ = (middle > low) & (middle < high)
        if not open_.any():
            return middle
        below = np.cosh(middle) + np.tanh(middle * (k - 1.0)) * np.sinh(middle) < ratio
        low, high = np.where(open_ & below, middle, low), np.where(open_ & ~below, middle, high)


def _beside_partner(c: np.ndarray) -> np.ndarray:
    """With (E C)(t) = C(t+1) + C(t-1), a = 2 cosh m and b = 2 cosh m': E^2 C = (a - b) E C + a b C at t and t + 1."""
    following = np.roll(c, -1)
    ec = following + np.roll(c, 1)
    e2c = np.roll(c, -2) + 2.0 * c + np.roll(c, 2)
    ec_next, e2c_next = np.roll(ec, -1), np.roll(e2c, -1)
    first, second = ec * following, ec_next * c
    determinant = first - second
    # Without a partner E C is a multiple of C, and the difference rounding.
    known = ~(np.abs(determinant) <= _ROUNDING * (np.abs(first) + np.abs(second)))
    difference = (e2c * following - e2c_next * c) / determinant
    product = (ec * e2c_next - ec_next * e2c) / determinant
    # The roots of z^2 = difference z + product are a and -b.
    a = 0.5 * (difference + np.sqrt(difference * difference + 4.0 * product))
    b = a - difference
    known &= np.isfinite(a) & np.isfinite(b) & (a >= 2.0) & (b >= 2.0)
    # A large partner leaves the rounding of b, for which both values are raised.
    without_partner = [e + b * values + 1e-7 * (np.abs(e) + np.abs(b * values)) for e, values in ((ec, c), (ec_next, following))]
    known &= np.isfinite(_fall(*without_partner)[0])
    times = np.arange(c.size)
    known &= (times >= 2) & (times + 3 <= c.size)  # without crossing the source
    return np.where(known, np.arccosh(0.5 * np.where(known, a, 2.0)), np.nan)
