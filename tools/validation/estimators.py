# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""How the numbers of tools/validate come out of the files of runs. All errors are by the Gamma method of the package kaon, except for
those of fits and of critical couplings, which are by the jackknife."""
import math
from typing import NamedTuple

import numpy as np


#: Estimators that need the numbers of chains alone, without measurements of configurations.
OF_CHAINS = ("plaquette", "plaquette_difference", "exp_dh", "acceptance", "power_of_steps", "beta_c")


class Measured(NamedTuple):
    """A value, its statistical error, the integrated autocorrelation time in units of samples with its error, and the number of samples
    with the updates between them."""

    value: float
    error: float
    tau_int: float | None
    tau_int_error: float | None
    samples: int
    apart: int


def by_gamma(samples, chains, function=None, apart=1):
    import kaon
    found = kaon.gamma_method(np.asarray(samples, float), function, chains)
    return Measured(float(found.value), float(found.error), float(found.tau_int), float(found.tau_int_error), len(samples), apart)


def plaquette(run, row):
    return by_gamma(*run.series("plaquettes"))


def exp_dh(run, row):
    dh, chains = run.series("delta_energies")
    return by_gamma(np.exp(-np.array(dh)), chains)


def acceptance(run, row):
    """Accepted trajectories less erfc(<dH>^(1/2)/2)."""
    dh, chains = run.series("delta_energies")
    accepted, _ = run.series("accepted")
    return by_gamma(np.column_stack([accepted, dh]), chains, lambda mean: mean[0] - math.erfc(math.sqrt(max(mean[1], 0.0)) / 2))


def independent(first, second, value, slopes):
    """A function of two independent numbers, with its derivatives."""
    error = math.hypot(slopes[0] * first.error, slopes[1] * second.error)
    return Measured(value, error, None, None, first.samples + second.samples, first.apart)


def plaquette_difference(first, second, row):
    a, b = plaquette(first, row), plaquette(second, row)
    return independent(a, b, a.value - b.value, (1, 1))


def power_of_steps(first, second, row):
    """log of the ratio of <dH^2> over log of the ratio of steps. To leading order <dH> is <dH^2>/2, which has the larger error."""
    a, b = (by_gamma(np.array(run.series("delta_energies")[0]) ** 2, run.series("delta_energies")[1]) for run in (first, second))
    steps = [float(run.options.split()[run.options.split().index("--steps") + 1]) for run in (first, second)]
    scale = math.log(steps[1] / steps[0])
    return independent(a, b, math.log(a.value / b.value) / scale, (1 / a.value / scale, 1 / b.value / scale))


def rectangle(run, row):
    contents, chains = run.files("loops")
    return by_gamma([content["loops"][1][0] for content in contents], chains, apart=run.every)


def correlator(run, quark):
    """The correlators of a pion by configuration, folded, and the lengths of the chains."""
    import kaon
    contents, chains = run.files("hadrons")
    samples = kaon.Ensemble(contents).meson(quark, quark, "g5").samples
    if len(samples) != sum(chains):
        raise ValueError(f"{run.name}: {len(samples)} correlators of {sum(chains)} configurations")
    return samples, chains


def correlator_ratio(run, row):
    samples, chains = correlator(run, row.get("quark", "l"))
    return by_gamma(samples, chains, lambda mean: mean[row["time"]] / mean[0], run.every)


def mass(run, row):
    """The lower energy of a correlated fit of the row's number of cosh forms, or of one, to the row's times."""
    import kaon
    samples, chains = correlator(run, row["quark"])
    fit = kaon.Correlator(samples, chains=chains).fit(*row["times"], states=row.get("states", 1))
    return Measured(float(fit.energies[0]), float(fit.energy_errors[0]), None, None, len(samples), run.every)


def flow(run, of):
    """Flow times, the numbers `of` by configuration and time, and the lengths of the chains."""
    contents, chains = run.files("flow")
    return np.array([entry["t"] for entry in contents[0]["flow"]]), np.array([[entry[of] for entry in content["flow"]] for content in contents]), chains


def crossing(x, y, level):
    """The first x where y, linear between points, rises to the level; nan if it does not."""
    above = np.flatnonzero(y >= level)
    if above.size == 0 or above[0] == 0:
        return math.nan
    k = above[0]
    return x[k - 1] + (level - y[k - 1]) / (y[k] - y[k - 1]) * (x[k] - x[k - 1])


def t0_of(t, energy):
    return crossing(t, t * t * energy, 0.3)


def w0_of(t, energy):
    return math.sqrt(crossing(t, t * np.gradient(t * t * energy, t), 0.3))


def t0(run, row):
    t, energy, chains = flow(run, "energy")
    return by_gamma(energy, chains, lambda mean: t0_of(t, mean), run.every)


def root_t0(run, row):
    t, energy, chains = flow(run, "energy")
    return by_gamma(energy, chains, lambda mean: math.sqrt(t0_of(t, mean)), run.every)


def w0_over_root_t0(run, row):
    t, energy, chains = flow(run, "energy")
    return by_gamma(energy, chains, lambda mean: w0_of(t, mean) / math.sqrt(t0_of(t, mean)), run.every)


def susceptibility(run, row):
    """<Q^2>/V r0^4, Q at the last flow time."""
    _, charge, chains = flow(run, "charge")
    return by_gamma(charge[:, -1] ** 2 / np.prod(run.size()) * row["r0"] ** 4, chains, apart=run.every)


def coulomb(extent=96):
    """The potential of a lattice Coulomb field on an axis, r = 0 .. extent/2, up to a constant."""
    k = 4 * np.sin(np.pi * np.arange(extent) / extent) ** 2
    inverse = k[:, None, None] + k[None, :, None] + k[None, None, :]
    inverse[0, 0, 0] = np.inf
    return np.fft.ifft((1 / inverse).sum(axis=(1, 2))).real[:extent // 2] / extent**2


def sommer_radius(potential):
    """r0 of V(r), r = 1, 2, ...: r^2 F(r) = 1.65, between points on a line in r^2, with the force at the distances that are improved at tree level,
    4 pi r_I^2 = 1/[G(r-1) - G(r)] (R. Sommer, hep-lat/9310022)."""
    g = coulomb()[1:len(potential) + 1]
    squared = 1 / (4 * math.pi * (g[:-1] - g[1:]))
    return math.sqrt(crossing(squared, squared * np.diff(potential), 1.65))


def r0(run, row):
    import kaon
    contents, chains = run.files("loops")
    loops = np.array([content["loops"] for content in contents])
    return by_gamma(loops, chains, lambda mean: sommer_radius(kaon.static_potential(mean)[:, row["time"] - 1]), run.every)


def beta_c(run, row):
    """The beta where the susceptibility of |L| is largest, reweighted from that of the run, by a parabola through the largest point and its
    neighbours. Bins are of a 40th of all samples."""
    import kaon
    polyakov, chains = map(np.array, run.series("polyakov"))
    action = 6 * np.prod(run.size()) * np.array(run.series("plaquettes")[0])
    shifts = np.linspace(-0.01, 0.01, 81)
    weights = np.exp(shifts * (action - action.mean())[:, None])
    moments = np.stack([weights, weights * polyakov[:, None], weights * polyakov[:, None] ** 2], axis=1)

    def peak(mean):
        chi = mean[2] / mean[0] - (mean[1] / mean[0]) ** 2
        k = int(np.argmax(chi))
        if not 0 < k < len(shifts) - 1:
            return math.nan
        curve = chi[k - 1] - 2 * chi[k] + chi[k + 1]
        return shifts[k] + (chi[k - 1] - chi[k + 1]) / (2 * curve) * (shifts[1] - shifts[0])

    words = run.options.split()
    found = kaon.jackknife(moments, peak, bin_size=len(polyakov) // 40, chains=chains)
    return Measured(float(words[words.index("--beta") + 1]) + float(found.value), float(found.error), None, None, len(polyakov), 1)


def residual_mass(run, row):
    """The mean over the row's times, and T less these, of sum |q_mp|^2 / sum |q|^2, averaged over configurations first."""
    contents, chains = run.files("propagator")
    pion = np.array([content["pion_correlator"] for content in contents])
    middle = pion * np.array([content["residual_mass"] for content in contents])
    first, last = row["times"]
    times = [*range(first, last + 1), *range(pion.shape[1] - last, pion.shape[1] - first + 1)]
    return by_gamma(np.stack([middle, pion], axis=1)[:, :, times], chains, lambda mean: float(np.mean(mean[0] / mean[1])), run.every)
