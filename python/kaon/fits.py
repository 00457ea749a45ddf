# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Fits of sums of exponentials to one or several correlators, by scipy."""
from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

from .errors import InvalidArgument
from .requirements import require_package
from .statistics import Estimate, binned, estimate
from .values import numbers

#: The sign of exp(-E (T - t)) in the form of a correlator.
FORMS = {"cosh": 1.0, "sinh": -1.0, "exp": 0.0}


@dataclass(frozen=True, eq=False)
class _FitNumbers:
    """The numbers of all fits."""

    energies: np.ndarray
    energy_errors: np.ndarray
    amplitudes: np.ndarray
    amplitude_errors: np.ndarray
    chi2: float
    freedom: int
    p_value: float


@dataclass(frozen=True, eq=False)
class Fit(_FitNumbers):
    """The fit of sum_k A_k [exp(-E_k t) + s exp(-E_k (T - t))] to the times from `first` to `last`, both included: energies
    E_k in units of 1/a in ascending order, amplitudes A_k, and their errors. s is 1 for "cosh", -1 for "sinh" and 0 for "exp". If
    `oscillating`, the last state is the parity partner of staggered quarks, and its term has the factor (-1)^t.

    chi2 has `freedom` degrees of freedom. `p_value` is the probability of a larger chi2, for covariances that are estimated from
    as many bins as there are; it is nan if `correlated` was False. A fit is called with times and returns its curve."""

    first: int
    last: int
    form: str
    period: int
    oscillating: bool = False

    def __call__(self, times: Any) -> np.ndarray:
        """The fitted C(t), also between lattice times, with cos(pi t) for (-1)^t."""
        return _terms(self.energies, np.asarray(numbers(times, "times").real, float), self.form, self.period, self.oscillating) @ self.amplitudes


@dataclass(frozen=True, eq=False)
class JointFit(_FitNumbers):
    """A fit of several correlators with the same energies: energies [state], amplitudes [correlator, state] and the other numbers of
    `Fit`. `derived` has the numbers of the function `derived`, if there was one. `fits` has a `Fit` for each correlator,
    with the chi2 of all, for its curve and for pictures."""

    derived: Estimate | None
    fits: tuple[Fit, ...]


def _terms(energies: np.ndarray, times: np.ndarray, form: str, period: int, oscillating: bool) -> np.ndarray:
    """The functions of t whose sum with the amplitudes is C(t): [t, state]."""
    forward, backward = np.exp(-np.multiply.outer(times, energies)), np.exp(-np.multiply.outer(period - times, energies))
    terms = forward + FORMS[form] * backward
    if oscillating:
        terms[..., -1] *= np.cos(np.pi * times)
    return terms


class _Model:
    """The least squares of a fit. The amplitudes are linear, so that they are solved for at each choice of energies; the
    parameters of the search are log E_0, log(E_1 - E_0), and the logarithm of the partner's energy."""

    def __init__(self, ranges: Sequence[tuple[int, int]], forms: Sequence[str], period: int, states: int, oscillating: bool,
                 covariance: np.ndarray) -> None:
        from scipy.linalg import solve_triangular

        self.times, self.forms, self.period = [np.arange(first, last + 1) for first, last in ranges], forms, period
        self.states, self.oscillating = states, oscillating
        points = sum(map(len, self.times))
        try:
            root = solve_triangular(np.linalg.cholesky(covariance), np.eye(points), lower=True)
        except np.linalg.LinAlgError:
            raise InvalidArgument("the covariances of these times are singular: fit fewer times, of a folded correlator those up to "
                                  "T/2, or pass correlated=False") from None
        self.whitened = lambda values: root @ values

    def solve(self, parameters: np.ndarray, data: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Energies, amplitudes [correlator, state] and the whitened residuals of whitened data."""
        steps = np.exp(np.clip(parameters, -30.0, 5.0))
        energies = np.append(np.cumsum(steps[:self.states]), steps[self.states:])
        blocks = [_terms(energies, times, form, self.period, self.oscillating) for times, form in zip(self.times, self.forms)]
        terms, row = np.zeros((sum(map(len, blocks)), len(blocks) * len(energies))), 0
        for column, block in enumerate(blocks):
            terms[row:row + len(block), column * len(energies):(column + 1) * len(energies)] = block
            row += len(block)
        terms = self.whitened(terms)
        sizes = np.linalg.norm(terms, axis=0)
        sizes[sizes == 0.0] = 1.0
        amplitudes = np.linalg.lstsq(terms / sizes, data, rcond=None)[0] / sizes
        return energies, amplitudes.reshape(len(blocks), -1), terms @ amplitudes - data

    def first_parameters(self, data: np.ndarray) -> np.ndarray:
        """The best point of a grid."""
        axes = [np.log(np.geomspace(0.01, 3.0, 60))]
        if self.states == 2:
            axes.append(np.log(np.geomspace(0.05, 3.0, 12)))
        if self.oscillating:
            axes.append(np.log(np.geomspace(0.05, 3.0, 16)))
        return np.array(min(itertools.product(*axes), key=lambda point: float(np.sum(self.solve(np.array(point), data)[2] ** 2))))

    def parameters(self, data: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The parameters of the least sum of squares."""
        from scipy.optimize import least_squares

        return least_squares(lambda point: self.solve(point, data)[2], start, method="lm", xtol=1e-12, ftol=1e-12, gtol=1e-12).x


def fit_jointly(samples: np.ndarray, forms: Sequence[str], ranges: Sequence[tuple[int, int]], states: int, oscillating: bool,
                correlated: bool, derived: Callable[..., Any] | None, options: dict[str, Any]) -> JointFit:
    """The fit of samples[configuration, correlator, t]; `options` are those of `estimate`. `Correlators.fit` describes it."""
    require_package("scipy")
    from scipy import stats

    where = [(k, t) for k, (first, last) in enumerate(ranges) for t in range(first, last + 1)]
    points, count_of_states = len(where), states + oscillating
    needed = count_of_states * (1 + len(ranges))
    freedom = points - needed
    if freedom < 0 or min(last - first + 1 for first, last in ranges) < count_of_states:
        raise InvalidArgument(f"{points} times are too few for {needed} numbers: fit {needed} or more, and {count_of_states} or more of each "
                              "correlator")

    def within(mean: np.ndarray) -> np.ndarray:
        return np.array([mean[k, t] for k, t in where])

    bins = np.array([within(one) for one in binned(samples, options.get("bin_size", 1), options["chains"])])
    count = len(bins)
    if correlated and count < points + 3:
        raise InvalidArgument(f"covariances of {points} times need {points + 3} bins or more, and there are {count}: fit fewer times, "
                              "or pass correlated=False")
    error = within(estimate(samples, None, **options).error)
    if not np.all(error > 0.0):
        raise InvalidArgument(f"C(t) has no error, or one of zero, at t = {where[int(np.argmin(error > 0.0))][1]}: a fit has no weights")
    covariance = (np.corrcoef(bins.T).reshape(points, points) if correlated else np.eye(points)) * np.multiply.outer(error, error)
    model = _Model(ranges, forms, samples.shape[2], states, oscillating, covariance)
    data = model.whitened(within(samples.mean(axis=0)))
    start = model.parameters(data, model.first_parameters(data))

    def solution(mean: np.ndarray) -> np.ndarray:
        of_mean = model.whitened(within(mean))
        energies, amplitudes, _ = model.solve(model.parameters(of_mean, start), of_mean)
        further = [] if derived is None else np.ravel(np.asarray(derived(energies, amplitudes), float))
        return np.concatenate([energies, amplitudes.ravel(), further])

    value, spread = estimate(samples, solution, **options)
    chi2 = float(np.sum(model.solve(start, data)[2] ** 2))
    p_value, n = np.nan, count - 1
    if correlated:
        spread = spread * np.sqrt(n * (n - 1) / ((n - freedom) * (n - freedom - 1)))
    if correlated and freedom:
        p_value = float(stats.f.sf(chi2 * (count - freedom) / (freedom * n), freedom, count - freedom))
    (energies, amplitudes, found), (energy_errors, amplitude_errors, found_errors) = (
        np.split(numbers, [count_of_states, needed]) for numbers in (value, spread))
    amplitudes, amplitude_errors = amplitudes.reshape(len(ranges), -1), amplitude_errors.reshape(len(ranges), -1)
    fits = tuple(Fit(energies, energy_errors, amplitudes[k], amplitude_errors[k], chi2, freedom, p_value, first, last, forms[k],
                     samples.shape[2], oscillating) for k, (first, last) in enumerate(ranges))
    shape = () if derived is None else np.shape(derived(energies, amplitudes))
    return JointFit(energies, energy_errors, amplitudes, amplitude_errors, chi2, freedom, p_value,
                    None if derived is None else Estimate(found.reshape(shape), found_errors.reshape(shape)), fits)
