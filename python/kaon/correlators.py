# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators of an ensemble: means, effective masses, fits and ratios, with errors."""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import pyerrors_files
from .contractions import effective_mass
from .errors import InvalidArgument
from .library import version
from .requirements import require_package
from .statistics import (Autocorrelated, Estimate, Function, Plateau, binned, estimate, folded, gamma_method, plateau,
                         time_range)
from .values import chosen, flag, integers, numbers, one_of, path_of, real, real_parts, shown

#: The sign of exp(-E (T - t)) in the form of a correlator.
FORMS = {"cosh": 1.0, "sinh": -1.0, "exp": 0.0}


class Fit(NamedTuple):
    """The fit of sum_k A_k [exp(-E_k t) + s exp(-E_k (T - t))] to the times from `first` to `last`, both included: energies
    E_k in units of 1/a in ascending order, amplitudes A_k, and their errors. s is 1 for "cosh", -1 for "sinh" and 0 for "exp".

    chi2 has `freedom` degrees of freedom. `p_value` is the probability of a larger chi2, for covariances that are estimated from
    as many bins as there are; it is nan if `correlated` was False. A fit is called with times and returns its curve."""

    energies: np.ndarray
    energy_errors: np.ndarray
    amplitudes: np.ndarray
    amplitude_errors: np.ndarray
    chi2: float
    freedom: int
    p_value: float
    first: int
    last: int
    form: str
    period: int

    def __call__(self, times: Any) -> np.ndarray:
        """The fitted C(t), also between lattice times."""
        return _terms(self.energies, np.asarray(numbers(times, "times").real, float), self.form, self.period) @ self.amplitudes


def _terms(energies: np.ndarray, times: np.ndarray, form: str, period: int) -> np.ndarray:
    """The functions of t whose sum with the amplitudes is C(t): [t, state]."""
    forward, backward = np.exp(-np.multiply.outer(times, energies)), np.exp(-np.multiply.outer(period - times, energies))
    return forward + FORMS[form] * backward


class _Model:
    """The least squares of a fit. The amplitudes are linear, so that they are solved for at each choice of energies; the
    parameters of the search are log E_0, log(E_1 - E_0)."""

    def __init__(self, times: np.ndarray, form: str, period: int, states: int, covariance: np.ndarray) -> None:
        from scipy.linalg import solve_triangular

        self.times, self.form, self.period, self.states = times, form, period, states
        try:
            root = solve_triangular(np.linalg.cholesky(covariance), np.eye(len(times)), lower=True)
        except np.linalg.LinAlgError:
            raise InvalidArgument("the covariances of these times are singular: fit fewer times, of a folded correlator those up to "
                                  "T/2, or pass correlated=False") from None
        self.whitened = lambda values: root @ values

    def solve(self, parameters: np.ndarray, data: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Energies, amplitudes and the whitened residuals of whitened data."""
        energies = np.cumsum(np.exp(np.clip(parameters, -30.0, 5.0)))
        terms = self.whitened(_terms(energies, self.times, self.form, self.period))
        sizes = np.linalg.norm(terms, axis=0)
        sizes[sizes == 0.0] = 1.0
        amplitudes = np.linalg.lstsq(terms / sizes, data, rcond=None)[0] / sizes
        return energies, amplitudes, terms @ amplitudes - data

    def first_parameters(self, data: np.ndarray) -> np.ndarray:
        """The best point of a grid."""
        grid = [[energy] for energy in np.log(np.geomspace(0.01, 3.0, 60))]
        if self.states == 2:
            grid = [[energy, gap] for (energy,) in grid for gap in np.log(np.geomspace(0.05, 3.0, 12))]
        return np.array(min(grid, key=lambda point: float(np.sum(self.solve(np.array(point), data)[2] ** 2))))

    def parameters(self, data: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The parameters of the least sum of squares."""
        from scipy.optimize import least_squares

        return least_squares(lambda point: self.solve(point, data)[2], start, method="lm", xtol=1e-12, ftol=1e-12, gtol=1e-12).x


class Correlator:
    """Samples C[configuration, t] of a correlator, real, and how errors are estimated: `errors` are the `method` and the options of
    `kaon.estimate`, which each call may change, such as `c.error(method="gamma")`. Configurations are in the order of their Markov
    chain; `chains` are the lengths of several independent chains, which follow each other. `form` says how C(t) behaves at T - t: "cosh", "sinh"
    or "exp", without that. `momentum_squared` is that of the hadron, in units of 1/a^2."""

    def __init__(self, samples: Any, form: str = "cosh", chains: Sequence[int] | None = None, label: str | None = None,
                 momentum_squared: float = 0.0, **errors: Any) -> None:
        self.samples = real_parts(samples, "samples of a correlator", (2,))
        chosen(FORMS, form, "form")
        self.form, self.label, self.momentum_squared = form, label, real(momentum_squared, "momentum_squared")
        self.chains = (len(self.samples),) if chains is None else integers(chains, "chains")
        self.errors = errors
        binned(self.samples, 1, self.chains)  # refuses chains of other lengths

    def __repr__(self) -> str:
        configurations, times = self.samples.shape
        return f"<kaon.Correlator {self.label or ''}: {configurations} configurations, T = {times}, {self.form}>"

    def _options(self, errors: dict[str, Any]) -> dict[str, Any]:
        return {"chains": self.chains, **self.errors, **errors}

    def estimate(self, function: Function | None = None, **errors: Any) -> Estimate:
        """f(mean) and its error; f is called with C[t]."""
        return estimate(self.samples, function, **self._options(errors))

    @property
    def mean(self) -> np.ndarray:
        """The mean over configurations, [t]."""
        return self.samples.mean(axis=0)

    def error(self, **errors: Any) -> np.ndarray:
        """The error of the mean, [t]."""
        return self.estimate(None, **errors).error

    def autocorrelation(self, function: Function | None = None) -> Autocorrelated:
        """f(mean) by the Gamma method, with tau_int in units of consecutive configurations."""
        return gamma_method(self.samples, function, self.chains)

    def _like(self, samples: np.ndarray) -> Correlator:
        return Correlator(samples, self.form, self.chains, self.label, self.momentum_squared, **self.errors)

    def folded(self) -> Correlator:
        """(C(t) + s C(T - t))/2, s = 1 for the form "cosh", and -1 for "sinh"."""
        if self.form == "exp":
            raise InvalidArgument("a correlator of the form exp has no backward times of the same state to be averaged with")
        if self.form == "cosh":
            return self._like(folded(self.samples))
        return self._like(self.samples - folded(self.samples))

    def reversed(self) -> Correlator:
        """C(T - t), with which the backward times of a baryon's other parity become forward ones."""
        return self._like(np.roll(self.samples[:, ::-1], 1, axis=1))

    def _other(self, other: Any) -> np.ndarray:
        if not isinstance(other, Correlator):
            raise InvalidArgument(f"a Correlator is needed, not a {type(other).__name__}")
        if other.samples.shape != self.samples.shape or other.chains != self.chains:
            raise InvalidArgument(f"{self!r} and {other!r} are not of the same configurations and times")
        return other.samples

    def __add__(self, other: Correlator) -> Correlator:
        return self._like(self.samples + self._other(other))

    def __sub__(self, other: Correlator) -> Correlator:
        return self._like(self.samples - self._other(other))

    def __mul__(self, factor: float) -> Correlator:
        return self._like(self.samples * real(factor, "a factor"))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Correlator:
        return self._like(self.samples / real(divisor, "a divisor"))

    def _mass_function(self, oscillating: bool) -> Function:
        if flag(oscillating, "oscillating") and self.form != "cosh":
            raise InvalidArgument(f"a correlator of the form {self.form} has no oscillating partner: oscillating is for cosh")
        if self.form == "exp":
            def exponential(mean: np.ndarray) -> np.ndarray:
                ratio = mean / np.append(mean[1:], np.nan)
                return np.log(np.where(ratio > 0.0, ratio, np.nan))

            return exponential
        if self.form == "sinh":  # C(t-1) - C(t+1) of a sinh is a cosh
            return lambda mean: effective_mass(np.roll(mean, 1) - np.roll(mean, -1))
        return lambda mean: effective_mass(mean, oscillating)

    def effective_mass(self, oscillating: bool = False, **errors: Any) -> Estimate:
        """The effective mass, or energy, between t and t + 1 in units of 1/a, [t]: for "cosh" as `kaon.effective_mass` with C(T) = C(0),
        for "sinh" that of C(t-1) - C(t+1) from t = 2 on, for "exp" log C(t)/C(t+1). nan where the form does not hold."""
        return self.estimate(self._mass_function(oscillating), **errors)

    def plateau(self, times: Sequence[int] | None = None, oscillating: bool = False, **errors: Any) -> Plateau:
        """The `kaon.plateau` of the effective mass over these times, or over those that it finds."""
        return plateau(self.samples, self._mass_function(oscillating), times, **self._options(errors))

    def ratio(self, other: Correlator, **errors: Any) -> Estimate:
        """C(t)/C'(t) of the means on the same configurations, with the correlations of the two."""
        pairs = np.stack([self.samples, self._other(other)], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return estimate(pairs, lambda mean: mean[0] / mean[1], **self._options(errors))

    def fit(self, t_min: int, t_max: int, states: int = 1, correlated: bool = True, **errors: Any) -> Fit:
        """Fits one or two states of the `form` to the times from t_min to t_max, both included (`Fit`).

        The covariances have the correlations of the bins and the errors of the method; with correlated=False the diagonal alone.
        They are the same for the fits from which the errors follow. With N bins, n = N - 1 and f degrees of freedom the errors of correlated
        fits are multiplied by [n (n - 1) / ((n - f) (n - f - 1))]^(1/2), because weights that are estimated from the data scatter with them
        (exact for linear fits of Gaussian numbers), and the p value is that of Hotelling's distribution of chi2. p values assume bins
        that are independent. Needs scipy."""
        require_package("scipy")
        from scipy import stats

        first, last = time_range((t_min, t_max), self.samples.shape[1])
        states, correlated = one_of(states, (1, 2), "states"), bool(flag(correlated, "correlated"))
        points, within = last - first + 1, slice(first, last + 1)
        freedom = points - 2 * states
        if freedom < 0:
            raise InvalidArgument(f"{points} times are too few for {2 * states} numbers: fit {2 * states} or more")
        options = self._options(errors)
        bins = binned(self.samples, options.get("bin_size", 1), self.chains)[:, within]
        count = len(bins)
        if correlated and count < points + 3:
            raise InvalidArgument(f"covariances of {points} times need {points + 3} bins or more, and there are {count}: fit fewer times, "
                                  "or pass correlated=False")
        error = estimate(self.samples, None, **options).error[within]
        if not np.all(error > 0.0):
            raise InvalidArgument(f"C(t) has no error, or one of zero, at t = {first + int(np.argmin(error > 0.0))}: a fit has no weights")
        covariance = (np.corrcoef(bins.T).reshape(points, points) if correlated else np.eye(points)) * np.multiply.outer(error, error)
        model = _Model(np.arange(first, last + 1), self.form, self.samples.shape[1], states, covariance)
        data = model.whitened(self.mean[within])
        start = model.parameters(data, model.first_parameters(data))

        def solution(mean: np.ndarray) -> np.ndarray:
            of_mean = model.whitened(mean[within])
            return np.concatenate(model.solve(model.parameters(of_mean, start), of_mean)[:2])

        value, spread = estimate(self.samples, solution, **options)
        chi2 = float(np.sum(model.solve(start, data)[2] ** 2))
        p_value, n = np.nan, count - 1
        if correlated:
            spread = spread * np.sqrt(n * (n - 1) / ((n - freedom) * (n - freedom - 1)))
        if correlated and freedom:
            p_value = float(stats.f.sf(chi2 * (count - freedom) / (freedom * n), freedom, count - freedom))
        return Fit(value[:states], spread[:states], value[states:], spread[states:], chi2, freedom, p_value, first, last, self.form,
                   self.samples.shape[1])

    def write_pyerrors(self, path: Any, ensemble: str = "kaon") -> None:
        """Writes the samples as a `Corr` of pyerrors, in its json.gz format: `pyerrors.input.json.load_json(path)` reads it. The
        chains are replicas of the `ensemble`, and pyerrors needs five configurations of each."""
        if not isinstance(ensemble, str) or "|" in ensemble:
            raise InvalidArgument(f"ensemble = {shown(ensemble)} is not a name without '|'")
        pyerrors_files.write(os.fsdecode(path_of(path)), self.samples, self.chains, ensemble, str(self.label or ""), f"kaon {version()}")

    @staticmethod
    def read_pyerrors(path: Any, form: str = "cosh", **errors: Any) -> Correlator:
        """The `Corr` of a json.gz file of pyerrors. Its samples are values plus deltas, whose means and linear errors are those
        of the file."""
        samples, chains = pyerrors_files.read(os.fsdecode(path_of(path)))
        return Correlator(samples, form, chains, **errors)
