# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Averages over configurations and their statistical errors: bins, jackknife, plateaus."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import declarations as h
from .errors import InvalidArgument
from .library import check, library
from .values import integers, numbers, shown

Function = Callable[[np.ndarray], Any]


class Estimate(NamedTuple):
    """A number or an array, and its statistical error."""

    value: np.ndarray
    error: np.ndarray


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
    """The mean of consecutive numbers of a Markov chain in equilibrium, such as plaquettes, with its error by the Gamma method
    (U. Wolff, arXiv:hep-lat/0306017). Fewer than 10 numbers have no error. The numbers of one process count."""
    numbers = _samples(values)
    if numbers.ndim != 1 or np.iscomplexobj(numbers):
        raise InvalidArgument(f"a chain is real numbers in a row, not of the shape {numbers.shape} and type {numbers.dtype}")
    numbers, report = np.ascontiguousarray(numbers), h.ChainReport()
    check(library().kaon_chain_mean(numbers.size, numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), ctypes.byref(report)))
    return ChainMean(report.mean, report.error, report.tau_int, report.tau_int_error)


def _samples(samples: Any) -> np.ndarray:
    made = numbers(samples, "an array of samples")
    made = made if np.iscomplexobj(made) else np.asarray(made, float)
    if made.ndim == 0 or made.shape[0] < 2:
        raise InvalidArgument(f"samples have the shape {made.shape}: an error needs at least two configurations, along the first axis")
    return made


def binned(samples: Any, size: int) -> np.ndarray:
    """The averages of `size` consecutive samples each, for numbers that are correlated along a Markov chain. The first samples
    are left out where their number is not a multiple of `size`."""
    made = _samples(samples)
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 1 <= size <= made.shape[0] // 2:
        raise InvalidArgument(f"a bin of {shown(size)} samples: it has from 1 to {made.shape[0] // 2} of them, half of all")
    bins = made.shape[0] // size
    return made[made.shape[0] - bins * size:].reshape(bins, size, *made.shape[1:]).mean(axis=1)


def _replicas(samples: np.ndarray, function: Function | None) -> tuple[np.ndarray, np.ndarray]:
    """f of the mean, and f of the means without one sample each."""
    if function is not None and not callable(function):
        raise InvalidArgument(f"a function is called with a mean; {shown(function)} cannot be called")
    mean, count = samples.mean(axis=0), samples.shape[0]
    without = mean + (mean - samples) / (count - 1)
    if function is None:
        return mean, without
    return np.asarray(function(mean)), np.array([function(replica) for replica in without])


def _error(replicas: np.ndarray) -> np.ndarray:
    count = replicas.shape[0]
    return np.sqrt((count - 1) / count * np.sum(np.abs(replicas - replicas.mean(axis=0)) ** 2, axis=0))


def jackknife(samples: Any, function: Function | None = None, bin_size: int = 1) -> Estimate:
    """f(mean of the samples) and its jackknife error: samples[i] is a number or an array of configuration i, and f, the identity
    unless given, may return an array. With f_i that of the mean without bin i of N,

        error^2 = (N - 1)/N sum_i |f_i - mean of all f_i|^2,

    nan where an f_i is nan. Example: `kaon.jackknife(correlators, kaon.effective_mass)`."""
    value, replicas = _replicas(binned(samples, bin_size), function)
    return Estimate(value, _error(replicas))


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


def plateau(samples: Any, function: Function, times: Sequence[int] | None = None, bin_size: int = 1) -> Plateau:
    """The average over times of f(mean of the samples)[t], such as an effective mass, with the weights 1/error(t)^2, and its
    jackknife error. `times` are the first and the last one.

    Unless they are given, the last one is that of the consecutive times before T/2 at which f has an error, and the first one the
    earliest from which chi^2 = sum (f(t) - average)^2 / error(t)^2 is at most n + sqrt(2 n), n the number of times less one. This
    chi^2 neglects the correlations between times, so look at the picture (`kaon.plot.effective_mass`)."""
    value, replicas = _replicas(binned(samples, bin_size), function)
    if value.ndim != 1 or np.iscomplexobj(value):
        raise InvalidArgument(f"a plateau is one of real numbers f[t]; this f has the shape {value.shape}")
    error = _error(replicas)
    known = np.isfinite(value) & np.isfinite(error)
    # Errors of zero, of samples that are all the same, assign one weight to all times.
    weights = 1.0 / np.where(known & (error > 0.0), error, 1.0) ** 2 if np.all(error[known] > 0.0) else np.ones(value.size)
    if times is None:
        first, last = _longest_plateau(value, weights, known)
    else:
        ends = integers(times, "times")
        if len(ends) != 2:
            raise InvalidArgument(f"times = {shown(times)} are not the first and the last time")
        first, last = ends
        if not 0 <= first <= last < value.size or not known[first:last + 1].all():
            raise InvalidArgument(f"times = {shown(times)} are not a range from 0 to {value.size - 1} in which f has errors")
    within = slice(first, last + 1)
    found = _error(_average(replicas[:, within], weights[within]))
    return Plateau(float(_average(value[within], weights[within])), float(found), first, last)
