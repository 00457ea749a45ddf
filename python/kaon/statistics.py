# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Averages over configurations and their statistical errors, by numpy: bins, jackknife, bootstrap, Gamma method, plateaus."""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from .errors import InvalidArgument
from .values import chosen, integer, integers, numbers, seed_of, shown

Function = Callable[[np.ndarray], Any]
#: Fewer numbers of a chain have no estimate of their correlation.
_FEWEST = 10
#: An exponential autocorrelation time divided by tau_int: S of Wolff.
_TAU_RATIO = 1.5


class Estimate(NamedTuple):
    """A number or an array, and its statistical error."""

    value: np.ndarray
    error: np.ndarray


class Autocorrelated(NamedTuple):
    """A number or an array, its error by the Gamma method, nan if there is no estimate, and its integrated autocorrelation time in
    steps of the chain, 0.5 for independent numbers, with its error."""

    value: np.ndarray
    error: np.ndarray
    tau_int: np.ndarray
    tau_int_error: np.ndarray


class Plateau(NamedTuple):
    """The average of the times from `first` to `last`, both included, and its statistical error."""

    value: float
    error: float
    first: int
    last: int


class ChainMean(NamedTuple):
    """Mean of a Markov chain, its error, nan if there is no estimate, and the integrated autocorrelation time in steps of the
    chain, 0.5 for independent numbers, with its error."""

    mean: float
    error: float
    tau_int: float
    tau_int_error: float


def chain_mean(values: Any) -> ChainMean:
    """The mean of consecutive numbers of a Markov chain in equilibrium, such as plaquettes, with its error by `gamma_method`. Fewer
    than 10 numbers have no error."""
    samples = _samples(values)
    if samples.ndim != 1 or np.iscomplexobj(samples):
        raise InvalidArgument(f"a chain is real numbers in a row, not of the shape {samples.shape} and type {samples.dtype}")
    return ChainMean(*map(float, gamma_method(samples)))


def _samples(samples: Any) -> np.ndarray:
    made = numbers(samples, "an array of samples")
    made = made if np.iscomplexobj(made) else np.asarray(made, float)
    if made.ndim == 0 or made.shape[0] < 2:
        raise InvalidArgument(f"samples have the shape {made.shape}: an error needs at least two configurations, along the first axis")
    return made


def _chains(samples: np.ndarray, chains: Sequence[int] | None) -> list[np.ndarray]:
    """The samples of each chain."""
    if chains is None:
        return [samples]
    lengths = integers(chains, "chains")
    if min(lengths, default=0) < 1 or sum(lengths) != samples.shape[0]:
        raise InvalidArgument(f"chains = {shown(chains)} are not the lengths of chains of {samples.shape[0]} samples together")
    return np.split(samples, np.cumsum(lengths)[:-1])


def binned(samples: Any, size: int, chains: Sequence[int] | None = None) -> np.ndarray:
    """The averages of `size` consecutive samples each, for numbers that are correlated along a Markov chain. The first samples
    are left out where their number is not a multiple of `size`. `chains` are the lengths of independent chains, which follow each
    other; no bin contains samples of two."""
    made = _samples(samples)
    parts = _chains(made, chains)
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 1 <= size <= made.shape[0] // 2:
        raise InvalidArgument(f"a bin of {shown(size)} samples: it has from 1 to {made.shape[0] // 2} of them, half of all")
    bins = [part[len(part) % size:].reshape(-1, size, *made.shape[1:]).mean(axis=1) for part in parts]
    return _samples(np.concatenate(bins))


def _values(function: Function | None, means: np.ndarray) -> np.ndarray:
    return means if function is None else np.array([function(mean) for mean in means])


def _at_the_mean(samples: np.ndarray, function: Function | None) -> np.ndarray:
    if function is not None and not callable(function):
        raise InvalidArgument(f"a function is called with a mean; {shown(function)} cannot be called")
    mean = samples.mean(axis=0)
    return mean if function is None else np.asarray(function(mean))


def _without_one(samples: np.ndarray, function: Function | None) -> np.ndarray:
    """f of the means without one sample each."""
    mean = samples.mean(axis=0)
    return _values(function, mean + (mean - samples) / (samples.shape[0] - 1))


def jackknife(samples: Any, function: Function | None = None, bin_size: int = 1, chains: Sequence[int] | None = None) -> Estimate:
    """f(mean of the samples) and its jackknife error: samples[i] is a number or an array of configuration i, and f, the identity
    unless given, may return an array. With f_i that of the mean without bin i of N,

        error^2 = (N - 1)/N sum_i |f_i - mean of all f_i|^2,

    nan where an f_i is nan. Example: `kaon.jackknife(correlators, kaon.effective_mass)`."""
    bins = binned(samples, bin_size, chains)
    value, without = _at_the_mean(bins, function), _without_one(bins, function)
    count = bins.shape[0]
    return Estimate(value, np.sqrt((count - 1) / count * np.sum(np.abs(without - without.mean(axis=0)) ** 2, axis=0)))


def bootstrap(samples: Any, function: Function | None = None, bin_size: int = 1, chains: Sequence[int] | None = None,
              resamples: int = 1000, seed: int = 1) -> Estimate:
    """f(mean of the samples) and its bootstrap error: the standard deviation of f over the means of `resamples` sets of bins, each as
    many as there are, drawn with replacement by numpy's default generator of this seed. nan where an f is nan. With N bins the error
    of a mean is (1 - 1/N)^(1/2) times that of the jackknife, up to 1/(2 resamples)^(1/2) of itself."""
    bins, count = binned(samples, bin_size, chains), integer(resamples, "resamples", 20)
    if count < 2:
        raise InvalidArgument(f"resamples = {count}: a standard deviation needs at least two")
    value, number = _at_the_mean(bins, function), bins.shape[0]
    drawn = np.random.default_rng(seed_of(seed)).multinomial(number, np.full(number, 1.0 / number), count) / number
    found = _values(function, np.tensordot(drawn, bins, axes=1))
    return Estimate(value, np.sqrt(np.sum(np.abs(found - found.mean(axis=0)) ** 2, axis=0) / (count - 1)))


def _autocorrelations(changes: np.ndarray, chains: Sequence[int] | None) -> np.ndarray:
    """Gamma[t] from t = 0 to half the longest chain, over the pairs of each chain."""
    parts = _chains(changes, chains)
    longest = max(map(len, parts))
    sums, pairs = np.zeros((longest // 2 + 1, *changes.shape[1:])), np.zeros(longest // 2 + 1)
    for part in parts:
        size = 2 ** (2 * longest - 1).bit_length()  # with zeros behind, so that no pair goes round
        reach = min(len(part), len(pairs))
        sums[:reach] += np.fft.irfft(np.abs(np.fft.rfft(part, size, axis=0)) ** 2, size, axis=0)[:reach]
        pairs[:reach] += len(part) - np.arange(reach)
    return sums / pairs.reshape(-1, *(1,) * (changes.ndim - 1))


def gamma_method(samples: Any, function: Function | None = None, chains: Sequence[int] | None = None) -> Autocorrelated:
    """f(mean of the samples) of consecutive configurations of a Markov chain in equilibrium, with its error by the Gamma method
    (U. Wolff, arXiv:hep-lat/0306017, section 3, with S = 1.5). f, the identity unless given, is real. With N samples and
    p_i = f - (N - 1) (f_i - mean of all f_i), f_i that of the mean without sample i, which for the identity is the sample itself:

        Gamma(t) = mean over i of (p_i - f) (p_{i+t} - f),   C(W) = Gamma(0) + 2 sum_{t=1}^W Gamma(t),
        tau_int = C(W) / (2 Gamma(0)),   error^2 = C(W) / N,   error of tau_int = 2 tau_int sqrt((W + 1/2 - tau_int) / N).

    The window W is the first where exp(-W/tau) < tau / sqrt(W N), tau = S / log((2 tau_int + 1) / (2 tau_int - 1)). C(W)/N is added to
    each Gamma(t) because the mean comes from the same numbers. tau_int is at least 1/2. The error is nan for fewer than 10 samples, where
    no window up to half the longest chain is found, and where an f_i is nan. `chains` are the lengths of independent chains,
    which follow each other: pairs are of one chain, deviations from the mean of all. kaon's C++ has the same for one chain of numbers."""
    made = _samples(samples)
    value, count = _at_the_mean(made, function), made.shape[0]
    without = _without_one(made, function)
    if np.iscomplexobj(without):
        raise InvalidArgument("the Gamma method is for real numbers: pass the real parts, or a function with real values")
    changes = -(count - 1) * (without - without.mean(axis=0))
    gamma = _autocorrelations(changes, chains)
    if len(gamma) < 2:
        raise InvalidArgument("chains of one sample each have no autocorrelation: pass them as one chain")
    windows = np.arange(1, len(gamma)).reshape(-1, *(1,) * (gamma.ndim - 1))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        sums = gamma[0] + 2 * np.cumsum(gamma[1:], axis=0)
        tau_ints = sums / (2 * gamma[0])
        tau = _TAU_RATIO / np.log((2 * tau_ints + 1) / (2 * tau_ints - 1))
        wide = (tau_ints <= 0.5) | (np.exp(-windows / tau) < tau / np.sqrt(windows * count))
        found = np.argmax(wide, axis=0)
        window, total = found + 1.0, np.take_along_axis(sums, found[None], axis=0)[0]
        bias = np.maximum(total, gamma[0]) / count
        corrected = np.maximum(total + (2 * window + 1) * bias, gamma[0] + bias)
        tau_int = corrected / (2 * (gamma[0] + bias))
        error = np.where(wide.any(axis=0) & (count >= _FEWEST), np.sqrt(corrected / count), np.nan)
        tau_int_error = 2 * tau_int * np.sqrt(np.maximum(window + 0.5 - tau_int, 0) / count)
    same = np.ptp(without, axis=0) == 0.0  # changes are rounding then
    unknown = np.isnan(error) | same
    return Autocorrelated(value, np.where(same & (count >= _FEWEST), 0.0, error), np.where(unknown, 0.5, tau_int),
                          np.where(unknown, 0.0, tau_int_error))


def estimate(samples: Any, function: Function | None = None, method: str = "jackknife", **options: Any) -> Estimate:
    """f(mean of the samples) and its error by a `method`, "jackknife", "bootstrap" or "gamma", with the options of that function."""
    methods: dict[str, Callable[..., Any]] = {"jackknife": jackknife, "bootstrap": bootstrap, "gamma": gamma_method}
    call = chosen(methods, method, "method")
    known = call.__code__.co_varnames[2:call.__code__.co_argcount]
    for name in options:
        if name not in known:
            raise InvalidArgument(f"the method {method} has no option {name}; it has {', '.join(known)}")
    return Estimate(*call(samples, function, **options)[:2])


def folded(correlator: Any) -> np.ndarray:
    """(C(t) + C(T - t))/2, times along the last axis: what C(t) is on the average where C is even in time, as that of pions."""
    c = numbers(correlator, "a correlator")
    if c.ndim == 0:
        raise InvalidArgument(f"a correlator has times, and is not {shown(correlator)}")
    return (c + np.roll(c[..., ::-1], 1, axis=-1)) / 2


def _average(values: np.ndarray, weights: np.ndarray) -> Any:
    return np.sum(values * weights, axis=-1) / weights.sum()


def _longest_plateau(value: np.ndarray, weights: np.ndarray, known: np.ndarray) -> tuple[int, int]:
    times = np.flatnonzero(known[:value.size // 2])
    if times.size == 0:
        raise InvalidArgument("there is no time before T/2 with an error: a plateau needs more configurations")
    gaps = np.flatnonzero(~known[times[0]:value.size // 2])
    last = times[0] + gaps[0] - 1 if gaps.size else value.size // 2 - 1
    for first in range(times[0], last):
        of, weight = value[first:last + 1], weights[first:last + 1]
        freedom = last - first
        if np.sum((of - _average(of, weight)) ** 2 * weight) <= freedom + np.sqrt(2 * freedom):
            return first, int(last)
    return int(last), int(last)


def plateau(samples: Any, function: Function, times: Sequence[int] | None = None, **errors: Any) -> Plateau:
    """The average over times of f(mean of the samples)[t], such as an effective mass, with the weights 1/error(t)^2, and its
    error. `times` are the first and the last one, `errors` the method and options of `estimate`, such as `bin_size=5`.

    Unless they are given, the last one is that of the consecutive times before T/2 at which f has an error, and the first one the
    earliest from which chi^2 = sum (f(t) - average)^2 / error(t)^2 is at most n + sqrt(2 n), n the number of times less one. This
    chi^2 neglects the correlations between times, so look at the picture (`kaon.plot.effective_mass`)."""
    if not callable(function):
        raise InvalidArgument(f"a function is called with a mean; {shown(function)} cannot be called")
    value, error = estimate(samples, function, **errors)
    if value.ndim != 1 or np.iscomplexobj(value):
        raise InvalidArgument(f"a plateau is one of real numbers f[t]; this f has the shape {value.shape}")
    known = np.isfinite(value) & np.isfinite(error)
    # Errors of zero, of samples that are all the same, assign one weight to all times.
    weights = 1.0 / np.where(known & (error > 0.0), error, 1.0) ** 2 if np.all(error[known] > 0.0) else np.ones(value.size)
    if times is None:
        first, last = _longest_plateau(value, weights, known)
    else:
        first, last = time_range(times, value.size)
        if not known[first:last + 1].all():
            raise InvalidArgument(f"times = {shown(times)} are not a range in which f has errors")
    within = slice(first, last + 1)
    found = estimate(samples, lambda mean: _average(np.asarray(function(mean))[within], weights[within]), **errors)
    return Plateau(float(found.value), float(found.error), first, last)


def time_range(times: Any, count: int) -> tuple[int, int]:
    """The first and the last time, out of 0 to count - 1."""
    ends = integers(times, "times")
    if len(ends) != 2:
        raise InvalidArgument(f"times = {shown(times)} are not the first and the last time")
    if not 0 <= ends[0] <= ends[1] < count:
        raise InvalidArgument(f"times = {shown(ends)} are not a range from 0 to {count - 1}")
    return ends
