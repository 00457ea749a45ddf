# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Averages over configurations and their errors, from samples of known distribution."""
import numpy as np
import pytest

import kaon
from refusals import refuses


def test_error_of_a_mean_is_the_standard_error(random):
    samples = random.normal(size=(50, 3)) + 1j * random.normal(size=(50, 3))
    found = kaon.jackknife(samples)
    assert np.allclose(found.value, samples.mean(axis=0)) and found.error.shape == (3,)
    assert np.allclose(found.error, samples.std(axis=0, ddof=1) / np.sqrt(50), rtol=1e-12)


def test_error_of_a_function_is_that_of_linear_propagation(random):
    """The error of a ratio of two means that are correlated, from 4000 samples."""
    x = random.normal(size=(4000, 2)) @ np.array([[0.1, 0.08], [0.0, 0.05]]) + [2.0, 4.0]
    found = kaon.jackknife(x, lambda mean: mean[0] / mean[1])
    gradient = np.array([1 / 4.0, -2.0 / 16.0])
    expected = np.sqrt(gradient @ np.cov(x.T) @ gradient / 4000)
    assert np.isclose(found.value, 0.5, atol=5 * expected) and np.isclose(found.error, expected, rtol=0.02)


def test_bins_of_a_correlated_chain_have_its_error(random):
    """x' = a x + sqrt(1 - a^2) noise: the error is sqrt((1 + a)/(1 - a)) times that of independent numbers."""
    a, noise, values = 0.8, random.normal(size=40000), []
    x = 0.0
    for number in noise:
        x = a * x + np.sqrt(1 - a * a) * number
        values.append(x)
    expected = np.sqrt((1 + a) / (1 - a) / 40000)
    assert np.isclose(kaon.jackknife(values, bin_size=100).error, expected, rtol=0.1)
    found = kaon.chain_mean(values)
    assert np.isclose(found.mean, np.mean(values), rtol=1e-12) and np.isclose(found.error, expected, rtol=0.1)
    assert abs(found.tau_int - 4.5) < 4 * found.tau_int_error < 2
    assert np.isnan(kaon.chain_mean(values[:9]).error)
    assert kaon.jackknife(values).error < 0.4 * expected
    assert np.allclose(kaon.binned(np.arange(11.0), 3), [3.0, 6.0, 9.0])  # 2 3 4, 5 6 7, 8 9 10


def autoregressive(random, a, count):
    """x' = a x + sqrt(1 - a^2) noise: of variance 1, with tau_int = (1 + a) / (2 (1 - a))."""
    x, values = random.normal(), np.empty(count)
    for i, number in enumerate(random.normal(size=count)):
        values[i] = x
        x = a * x + np.sqrt(1 - a * a) * number
    return values


@pytest.mark.parametrize("a", [0.0, 0.5, 0.8, 0.9])
def test_autocorrelation_times_are_those_of_the_chain(a, random):
    tau_int = (1 + a) / (2 * (1 - a))
    found = kaon.gamma_method(autoregressive(random, a, 20000))
    assert abs(found.tau_int - tau_int) < max(4 * found.tau_int_error, 0.02) and found.tau_int_error < 0.1 * tau_int + 0.02
    assert np.isclose(found.error, np.sqrt(2 * tau_int / 20000), rtol=0.1)


def test_gamma_method_is_that_of_kaons_programs(random):
    """C++ computes the same digits for one chain of numbers, also of alternating signs and of equal ones."""
    import ctypes

    from kaon import declarations, library

    for values in (autoregressive(random, 0.8, 500), autoregressive(random, -0.5, 101), np.full(50, 0.55), random.normal(size=10)):
        report = declarations.ChainReport()
        library.check(library.library().kaon_chain_mean(values.size, values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
                                                        ctypes.byref(report)))
        found = kaon.chain_mean(values)
        assert np.allclose(found, [report.mean, report.error, report.tau_int, report.tau_int_error], rtol=1e-10, atol=1e-14)


def test_short_chains_scatter_by_their_errors(random):
    """300 times two chains of 250 and 150 numbers; pairs of one chain alone are correlated."""
    chains = [np.concatenate([autoregressive(random, 0.8, 250), autoregressive(random, 0.8, 150)]) for _ in range(300)]
    found = [kaon.gamma_method(values, chains=(250, 150)) for values in chains]
    ratio = np.mean([f.error**2 for f in found]) / np.mean([f.value**2 for f in found])
    assert abs(ratio - 1) < 4 * np.sqrt(2 / 300)
    steps = np.concatenate([np.full(50, 1.0), np.full(50, -1.0)]) + 1e-3 * random.normal(size=100)
    assert kaon.gamma_method(steps).tau_int > 5  # a chain that has not moved but once


def test_errors_of_functions_agree_between_methods(random):
    """A ratio of two means of 2000 independent pairs: by the jackknife, the bootstrap and the Gamma method."""
    x = random.normal(size=(2000, 2)) @ np.array([[0.1, 0.08], [0.0, 0.05]]) + [2.0, 4.0]
    gradient = np.array([1 / 4.0, -2.0 / 16.0])
    expected = np.sqrt(gradient @ np.cov(x.T) @ gradient / 2000)
    for method, tolerance in (("jackknife", 0.02), ("bootstrap", 4 / np.sqrt(2 * 1000)), ("gamma", 0.1)):
        assert np.isclose(kaon.estimate(x, lambda mean: mean[0] / mean[1], method).error, expected, rtol=tolerance)
    same = [kaon.bootstrap(x, seed=seed).error for seed in (4, 4, 5)]
    assert np.array_equal(same[0], same[1]) and not np.array_equal(same[0], same[2])


def test_bins_do_not_reach_from_chain_to_chain():
    assert np.allclose(kaon.binned(np.arange(9.0), 2, chains=(5, 4)), [1.5, 3.5, 5.5, 7.5])  # 1 2, 3 4, 5 6, 7 8


def cosh(mass, times=16):
    return np.cosh(mass * (np.arange(times) - times / 2))


def test_plateaus_scatter_by_their_errors(random):
    """100 plateaus of 30 correlators exp(-m t) each, with noise."""
    noise = 1 + 0.02 * random.normal(size=(100, 30, 1)) + 0.005 * random.normal(size=(100, 30, 16))
    found = [kaon.plateau(np.exp(-0.4 * np.arange(16)) * of_one, lambda c: np.log(c[:-1] / c[1:]), times=(2, 6)) for of_one in noise]
    values, errors = np.array([f.value for f in found]), np.array([f.error for f in found])
    assert abs(values.mean() - 0.4) < 4 * values.std() / 10
    assert 0.8 < np.sqrt((errors**2).mean()) / values.std() < 1.25
    assert all(f.first == 2 and f.last == 6 for f in found)


def test_plateau_begins_where_excited_states_are_gone(random):
    c = cosh(0.4) / cosh(0.4)[0] + 0.5 * cosh(1.4) / cosh(1.4)[0]
    masses = 0.4 + 0.02 * random.normal(size=40)  # neighbouring times fluctuate together, as those of hadrons do
    found = kaon.plateau(c * [cosh(mass) / cosh(0.4) for mass in masses] * (1 + 0.001 * random.normal(size=(40, 16))),
                         kaon.effective_mass)
    assert found.last == 7 and 3 <= found.first <= 6 and abs(found.value - 0.4) < 4 * found.error
    assert np.isclose(found.error, 0.02 / np.sqrt(40), rtol=0.5)
    same = kaon.plateau(np.tile(cosh(0.4), (3, 1)), kaon.effective_mass)  # without any noise
    assert np.isclose(same.value, 0.4) and same.error < 1e-12
    noisy = np.tile(c, (5, 1))
    noisy[:, 5:] = random.normal(size=(5, 11))  # has no effective masses from t = 4 on
    assert kaon.plateau(noisy, kaon.effective_mass).last <= 4


def test_folding_averages_both_directions():
    assert np.allclose(kaon.folded([8.0, 4.0, 2.0, 6.0]), [8.0, 5.0, 2.0, 5.0])
    assert np.allclose(kaon.folded(cosh(0.3)), cosh(0.3))


def test_refusals():
    for few in ([1.0], 3.0, [], ["a", "b"], np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])):
        refuses(kaon.InvalidArgument, "samples", kaon.jackknife, few)
        refuses(kaon.InvalidArgument, "samples", kaon.chain_mean, few)
    refuses(kaon.InvalidArgument, "a chain is", kaon.chain_mean, np.ones((3, 2)))
    for size in (0, 3, 1.5, True):
        refuses(kaon.InvalidArgument, "a bin of", kaon.binned, np.ones(5), size)
    for chains in ((2, 2), (5, 0), "x", (1.5, 3.5)):
        refuses(kaon.InvalidArgument, "chains", kaon.gamma_method, np.ones(5), None, chains)
    refuses(kaon.InvalidArgument, "one sample each", kaon.gamma_method, np.arange(12.0), None, (1,) * 12)
    refuses(kaon.InvalidArgument, "real numbers", kaon.gamma_method, np.ones(12) * 1j)
    refuses(kaon.InvalidArgument, "resamples", kaon.bootstrap, np.ones(5), resamples=1)
    refuses(kaon.InvalidArgument, "seed", kaon.bootstrap, np.ones(5), seed=-1)
    refuses(kaon.InvalidArgument, "cannot be called", kaon.gamma_method, np.ones(12), 3)
    samples = np.tile(cosh(0.4), (4, 1))
    refuses(kaon.InvalidArgument, "shape", kaon.plateau, samples, np.mean)
    for times in ((3, 2), (0, 16), (3,), (1.5, 3), "x"):
        refuses(kaon.InvalidArgument, "times = ", kaon.plateau, samples, kaon.effective_mass, times)
    refuses(kaon.InvalidArgument, "more configurations", kaon.plateau, -samples, kaon.effective_mass)
