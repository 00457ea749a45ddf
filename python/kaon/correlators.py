# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators of an ensemble: means, effective masses, fits and ratios, with errors."""
from __future__ import annotations

import os
from typing import Any, Callable, Sequence

import numpy as np

from . import pyerrors_files
from .effective_masses import effective_mass, log_mass
from .errors import InvalidArgument
from .fits import FORMS, Fit, JointFit, fit_jointly
from .library import version
from .statistics import Autocorrelated, Estimate, Function, Plateau, binned, estimate, folded, gamma_method, plateau, time_range
from .values import chosen, flag, integers, one_of, path_of, real, real_parts, refuse_mask, require_kind, shown

class Correlator:
    """Samples C[configuration, t] of a correlator, real, and how errors are estimated: `errors` are the `method` and the options of
    `kaon.estimate`, which each call may change, such as `c.error(method="gamma")`. Configurations are in the order of their Markov
    chain; `chains` are the lengths of several independent chains, which follow each other. `form` says how C(t) behaves at T - t: "cosh", "sinh"
    or "exp", without that. `momentum_squared` is that of the hadron, in units of 1/a^2. A correlator of one configuration has a mean and
    pictures, and no errors."""

    def __init__(self, samples: Any, form: str = "cosh", chains: Sequence[int] | None = None, label: str | None = None,
                 momentum_squared: float = 0.0, **errors: Any) -> None:
        self.samples = real_parts(samples, "samples of a correlator", (2,))
        chosen(FORMS, form, "form")
        self.form, self.label, self.momentum_squared = form, label, real(momentum_squared, "momentum_squared")
        self.chains = (len(self.samples),) if chains is None else integers(chains, "chains")
        self.errors = errors
        if len(self.samples) > 1 or self.chains != (1,):
            binned(self.samples, 1, self.chains)  # refuses chains of other lengths

    def __repr__(self) -> str:
        configurations, times = self.samples.shape
        return f"<kaon.Correlator {self.label or ''}: {configurations} configuration{'s'[:configurations - 1]}, T = {times}, {self.form}>"

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
        require_kind(other, Correlator, "a Correlator is needed")
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
            return log_mass
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
        with np.errstate(divide="ignore", invalid="ignore"):
            return Correlators(self, other).estimate(np.divide, **errors)

    def fit(self, t_min: int, t_max: int, states: int = 1, correlated: bool = True, oscillating: bool = False, **errors: Any) -> Fit:
        """Fits one or two states of the `form`, and with `oscillating` a partner, to the times from t_min to t_max, both included (`Fit`,
        `Correlators.fit`). Needs scipy."""
        return Correlators(self).fit((t_min, t_max), states, correlated, oscillating, **errors).fits[0]

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


class Correlators:
    """Several correlators of the same configurations, for numbers that depend on all of them, such as ratios and joint fits. The errors
    are those of the first one, unless a call changes them."""

    def __init__(self, first: Correlator, *others: Correlator) -> None:
        require_kind(first, Correlator, "a Correlator is needed")
        #: The correlators.
        self.parts = (first, *others)
        #: Samples C[configuration, correlator, t].
        self.samples = np.stack([first.samples, *(first._other(other) for other in others)], axis=1)

    def __repr__(self) -> str:
        return f"<kaon.Correlators of {', '.join(map(repr, self.parts))}>"

    def _on_means(self, function: Callable[..., Any]) -> Function:
        if not callable(function):
            raise InvalidArgument(f"a function is called with the means of the correlators; {shown(function)} cannot be called")
        return lambda means: function(*means)

    def estimate(self, function: Callable[..., Any], **errors: Any) -> Estimate:
        """f(C, C', ...) of the means, each an array [t], and its error."""
        return estimate(self.samples, self._on_means(function), **self.parts[0]._options(errors))

    def plateau(self, function: Callable[..., Any], times: Sequence[int] | None = None, **errors: Any) -> Plateau:
        """The `kaon.plateau` of f(C, C', ...)[t] over these times, or over those that it finds."""
        return plateau(self.samples, self._on_means(function), times, **self.parts[0]._options(errors))

    def fit(self, times: Any, states: int = 1, correlated: bool = True, oscillating: bool = False,
            derived: Callable[[np.ndarray, np.ndarray], Any] | None = None, **errors: Any) -> JointFit:
        """Fits the same energies, one or two, with amplitudes for each correlator, each in its own form, to `times`: the first and the last
        one, both included, for all, or such a pair for each correlator. With `oscillating` each has a parity partner of staggered quarks
        with the factor (-1)^t, too.

        `derived` is called with energies [state] and amplitudes [correlator, state] and returns numbers, whose errors follow from the same
        fits, such as a decay constant.

        The covariances have the correlations of the bins and the errors of the method; with correlated=False the diagonal alone.
        They are the same for the fits from which the errors follow. With N bins, n = N - 1 and f degrees of freedom the errors of correlated
        fits are multiplied by [n (n - 1) / ((n - f) (n - f - 1))]^(1/2), because weights that are estimated from the data scatter with them
        (exact for linear fits of Gaussian numbers), and the p value is that of Hotelling's distribution of chi2. p values assume bins
        that are independent. Needs scipy."""
        refuse_mask(times, "times")
        pairs = np.asarray(times, dtype=object) if isinstance(times, (list, tuple, np.ndarray)) else np.array(None)
        if pairs.shape not in ((2,), (len(self.parts), 2)):
            raise InvalidArgument(f"times = {shown(times)} are neither the first and the last time nor {len(self.parts)} such pairs")
        ranges = [time_range(pair, self.samples.shape[2]) for pair in (pairs if pairs.ndim == 2 else [pairs] * len(self.parts))]
        if derived is not None and not callable(derived):
            raise InvalidArgument(f"derived = {shown(derived)} cannot be called with energies and amplitudes")
        return fit_jointly(self.samples, [part.form for part in self.parts], ranges, one_of(states, (1, 2), "states"),
                           bool(flag(oscillating, "oscillating")), bool(flag(correlated, "correlated")), derived,
                           self.parts[0]._options(errors))
