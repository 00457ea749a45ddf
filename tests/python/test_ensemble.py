# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators of ensembles from files of each layout, and fits of numbers with known energies."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import kaon
from refusals import refuses

TIMES = 16
EXTENTS = (4, 4, 4, TIMES)
MOMENTA = ((0, 0, 0), (1, 0, 0), (0, -1, 0))
CHANNELS = ("g5:g5", "g4g5:g5")


def form(energy, sign=1.0):
    t = np.arange(TIMES)
    return np.exp(-energy * t) + sign * np.exp(-energy * (TIMES - t))


def noisy(random, configurations, clean, noise=0.02):
    """Samples whose times fluctuate together, with correlations 0.9^|t - t'|."""
    root = np.linalg.cholesky(0.9 ** np.abs(np.subtract.outer(np.arange(TIMES), np.arange(TIMES))))
    return clean * (1 + noise * random.normal(size=(configurations, TIMES)) @ root.T)


def values(number, sources=2):
    """[source, sink, momentum, channel, t] of one configuration."""
    made = np.random.default_rng(number).normal(size=(sources, 1, len(MOMENTA), len(CHANNELS), TIMES))
    return made + 1j * made[::-1]


def tree(number, **changes):
    """A measurement as JSON."""
    data = values(number)
    group = {"quarks": ["l", "s"], "source": [[0, 0, 0, 4 * i] for i in range(len(data))], "sink": ["point"],
             "momentum": [list(n) for n in MOMENTA], "channel": list(CHANNELS), "t": list(range(TIMES)),
             "correlator": np.stack([data.real, data.imag], axis=-1).tolist()}
    return {"format": "kaon measurement", "format_version": 1, "configuration": f"q_{number}.lime", "extents": list(EXTENTS),
            "meson": {"l_s": {**group, **changes}}, "baryon": {"nucleon_l_l": {**group, "quarks": ["l", "l"], "channel": ["positive", "negative"]}}}


def write_hdf5(path, content, order=(0, 1, 2, 3, 4)):
    """Writes the tree as HDF5, in kaon's plain layout, with the axes in any order."""
    h5py = pytest.importorskip("h5py")
    names = ("source", "sink", "momentum", "channel", "t")
    with h5py.File(path, "w") as file:
        for key in ("format", "format_version", "configuration"):
            file.attrs[key] = content[key]
        file.attrs["extents"] = np.array(content["extents"], np.int32)
        for kind in ("meson", "baryon", "three_point"):
            for name, given in content.get(kind, {}).items():
                group = file.create_group(f"{kind}/{name}")
                for key in {"quarks", "hadron", "flavor", "projector", "sink_time", "sink_momentum"} & set(given):
                    group.attrs[key] = given[key]
                for axis in names:
                    entries = given[axis]
                    group[axis] = entries if isinstance(entries[0], str) else np.array(entries, np.int32)
                data = np.array(given["correlator"])
                group["correlator"] = np.transpose(data[..., 0] + 1j * data[..., 1], order)
                group["correlator"].attrs["dimensions"] = [names[axis] for axis in order]


def test_measurements_of_both_formats_have_what_was_written(tmp_path):
    """Configurations are in the order of their numbers, sources and momenta of one n^2 are averaged."""
    expected = np.array([values(number) for number in (8, 9, 10)])
    for number in (10, 8, 9):
        (tmp_path / f"{number}.json").write_text(json.dumps(tree(number)))
        write_hdf5(tmp_path / f"{number}.h5", tree(number), (4, 0, 2, 1, 3) if number == 9 else (0, 1, 2, 3, 4))
    for pattern in ("*.json", "*.h5"):
        e = kaon.Ensemble(str(tmp_path / pattern))
        assert e.configurations == ["q_8.lime", "q_9.lime", "q_10.lime"] and e.extents == EXTENTS
        assert e.hadrons == (("meson", ("l", "s")), ("baryon", ("nucleon", "l", "l")))
        assert e.channels("meson", "l", "s") == CHANNELS and e.momenta("meson", "l", "s") == MOMENTA
        c = e.meson("l", "s", "g5", fold=False)
        assert np.allclose(c.samples, expected.real[:, :, 0, 0, 0].mean(axis=1), rtol=1e-14) and c.form == "cosh"
        assert np.allclose(e.meson("l", "s").samples, kaon.folded(c.samples))
        axial = e.meson("l", "s", "g4g5:g5", momentum=1, source=1, part="imaginary", fold=False)
        assert np.allclose(axial.samples, expected.imag[:, 1, 0, 1:, 1].mean(axis=1)) and axial.form == "sinh"
        assert np.isclose(axial.momentum_squared, (np.pi / 2) ** 2)
        (one,) = {e.meson("l", "s", momentum=n).momentum_squared for n in ((1, 0, 0), (0, -1, 0))}
        assert one == axial.momentum_squared
        both = e.meson("l", "s", CHANNELS, fold=False)
        assert np.allclose(both.samples, expected.real[:, :, 0, 0].mean(axis=(1, 2)))
        assert e.baryon("nucleon", "l", "l", channel="negative").form == "exp"
    contents = [tree(number, correlator=values(number)) for number in (9, 8, 10)]  # as kaon.measure returns them
    assert np.array_equal(kaon.Ensemble(contents).meson("l", "s", fold=False).samples, c.samples)


def test_hadrons_files_are_sorted_by_trajectory(tmp_path):
    """Attributes are arrays of one string, as Hadrons writes them, and numbers {re, im}; two sources are averaged."""
    h5py = pytest.importorskip("h5py")
    random = np.random.default_rng(3)
    data = random.normal(size=(3, 2, TIMES)) + 1j
    for i, trajectory in enumerate((900, 1000, 1100)):
        for source in range(2):
            with h5py.File(tmp_path / f"pt{source}.{trajectory}.h5", "w") as file:
                file.attrs["quarks"] = ["l", "l"]
                for j, (sink, gamma) in enumerate((("Gamma5", "Gamma5"), ("GammaTGamma5", "Gamma5"), ("SigmaXY", "MinusIdentity"))):
                    group = file.create_group(f"meson/meson_{j}")
                    group.attrs["gamma_snk"], group.attrs["gamma_src"] = np.array([sink], "S20"), np.array([gamma], "S20")
                    corr = np.zeros(TIMES, [("re", "f8"), ("im", "f8")])
                    corr["re"], corr["im"] = data[i, source].real + j, data[i, source].imag
                    group["corr"] = corr
    e = kaon.Ensemble(tmp_path.glob("*.h5"))
    assert e.configurations == ["900", "1000", "1100"] and e.channels("meson", "l", "l") == ("g5:g5", "g4g5:g5", "g1g2:-1")
    assert np.allclose(e.meson("l", "l", fold=False).samples, data.real.mean(axis=1))
    assert np.allclose(e.meson("l", "l", "g4g5:g5", fold=False).samples, data.real.mean(axis=1) + 1)
    assert np.allclose(e.meson("l", "l", part="imaginary", fold=False).samples, 1.0)


def test_three_point_functions_are_known_by_their_sink(tmp_path):
    """Flavors and times of the sink have groups of their own; a difference is isovector. HDF5 has the same as JSON."""
    contents = []
    for number in (3, 4):
        content = tree(number)
        for flavor, factor in (("u", 2.0), ("d", 1.0)):
            data = factor * values(number)
            content.setdefault("three_point", {})[f"nucleon_l_s_{flavor}_positive_z_t5_p0_0_0"] = {
                **content["meson"]["l_s"], "channel": ["g4", "g3g5"], "hadron": "nucleon", "flavor": flavor, "projector": "positive_z",
                "sink_time": 5, "sink_momentum": [0, 0, 0], "correlator": np.stack([data.real, data.imag], axis=-1).tolist()}
        contents.append(content)
    for number, content in enumerate(contents):
        write_hdf5(tmp_path / f"{number}.h5", content)
    for e in (kaon.Ensemble(contents), kaon.Ensemble(str(tmp_path / "*.h5"))):
        named = {"sink_time": 5, "projector": "positive_z", "part": "imaginary"}
        u, d = (e.three_point("nucleon", "l", "s", current="g3g5", flavor=flavor, **named) for flavor in "ud")
        expected = np.array([values(number).imag[:, 0, 0, 1].mean(axis=0) for number in (3, 4)])
        assert np.allclose((u - d).samples, expected, rtol=1e-13) and np.allclose(u.samples, 2 * expected, rtol=1e-13) and u.form == "exp"
        refuses(kaon.InvalidArgument, "three_point nucleon l s u positive t5 p0_0_0 is not in these files", e.three_point, "nucleon", "l", "s",
                current="g4", sink_time=5)
        refuses(kaon.InvalidArgument, "has no channel g1; it has g4, g3g5", e.three_point, "nucleon", "l", "s", current="g1", **named)
    del contents[0]["three_point"]["nucleon_l_s_u_positive_z_t5_p0_0_0"]["flavor"]
    refuses(kaon.FileError, "has no flavor, which three-point functions have", kaon.Ensemble, contents)


def test_free_nucleon_has_the_charges_of_the_quark_model():
    """Three free quarks at rest are those of SU(6): g_A = 5/3, and charges 2 and 1 of u and d. A local current of a free Wilson quark
    has the normalisation 1/(1 + m), the conserved current has 1."""
    mass, sink = 0.6, 5
    U = kaon.GaugeField(kaon.Lattice((2, 2, 2, 48)), start="cold")
    hadron = {"kind": "nucleon", "quarks": ["l", "l"]}
    given = {"quark": {"l": {"action": "wilson", "mass": mass}}, "source": {"kind": "wall", "times": [3]}, "baryon": [hadron],
             "solver": {"tolerance": 1e-13},
             "three_point": [{**hadron, "sink_times": [sink], "projectors": ["positive", "positive_z"], "currents": ["g4", "conserved4", "g3g5"]}]}
    measured = kaon.measure(U, given)
    e = kaon.Ensemble([{**measured, "configuration": f"cfg_{i}"} for i in range(2)])
    two = e.baryon("nucleon", "l", "l").mean

    def ratio(current, flavor, projector, part):
        c = e.three_point("nucleon", "l", "l", current=current, sink_time=sink, flavor=flavor, projector=projector, part=part)
        return kaon.three_point_ratio(c.mean, two, two, sink)[1:sink]

    for flavor, charge in (("u", 2.0), ("d", 1.0)):
        assert np.allclose(ratio("g4", flavor, "positive", "real"), charge / (1 + mass), rtol=1e-6)
        assert np.allclose(ratio("conserved4", flavor, "positive", "real"), charge, rtol=1e-6)
    for flavor, charge in (("u", 4 / 3), ("d", -1 / 3)):
        assert np.allclose(ratio("g3g5", flavor, "positive_z", "imaginary"), charge / (1 + mass), rtol=1e-6)
        assert np.allclose(ratio("g3g5", flavor, "positive", "imaginary"), 0.0, atol=1e-9)


def test_estimates_of_all_mode_averaging_are_read(smooth, tmp_path):
    """Files and dictionaries have the sloppy and the exact estimate, their difference and the corrected one."""
    pytest.importorskip("h5py")
    given = {"quark": {"l": {"action": "wilson", "mass": 0.6}}, "source": {"random": 3}, "sloppy": {"iterations": 2, "exact": 2},
             "meson": [{"quarks": ["l", "l"], "gammas": ["g5", "g4g5:g5"]}], "output": {"folder": str(tmp_path)}}
    results = [kaon.measure(smooth, given, name=f"c{number}", write=True) for number in (1, 2)]
    names = ("correlator", "sloppy", "exact", "correction")
    for files in (results, str(tmp_path / "*.h5")):
        read = {name: kaon.Ensemble(files, estimate=name).meson("l", "l", "g4g5:g5", fold=False).samples for name in names}
        for name, samples in read.items():
            expected = [np.atleast_2d(one["meson"]["l_l"][name][..., 0, 0, 1, :]).real.mean(axis=0) for one in results]
            assert np.allclose(samples, expected, rtol=1e-14), name
        assert np.allclose(read["correlator"], read["sloppy"] + read["correction"], rtol=1e-12) and np.all(read["correction"] != 0)
    assert np.array_equal(kaon.Ensemble(results).meson("l", "l", "g4g5:g5", fold=False).samples, read["correlator"])
    refuses(kaon.InvalidArgument, "source = 2: .* has 2 sources", kaon.Ensemble(results, estimate="exact").meson, "l", source=2)
    refuses(kaon.InvalidArgument, "estimate = 'precise' is none of correlator, sloppy", kaon.Ensemble, results, estimate="precise")
    refuses(kaon.FileError, "l_s has no exact", kaon.Ensemble, [tree(1)], estimate="exact")
    group = results[0]["meson"]["l_l"]
    group["exact"] = np.concatenate([group["exact"]] * 2)
    refuses(kaon.FileError, r"l_l/exact has the shape \(4, 1, 1, 2, 8\)", kaon.Ensemble, results, estimate="exact")


def test_names_that_differ_in_more_than_a_number_are_of_other_chains():
    contents = [{**tree(number), "configuration": f"{name}_{number}.lime"} for name, number in (("b", 5), ("a", 11), ("b", 1), ("a", 2), ("a", 3))]
    e = kaon.Ensemble(contents)
    assert e.configurations == ["a_2.lime", "a_3.lime", "a_11.lime", "b_1.lime", "b_5.lime"]
    assert e.meson("l", "s").chains == (3, 2)
    assert kaon.Ensemble([{**tree(1), "configuration": name} for name in ("x", "a")]).meson("l", "s").chains == (2,)


def test_fits_scatter_by_their_errors(random):
    """160 correlated fits of 24 configurations: errors, and p values that are uniform, with 6 degrees of freedom."""
    pytest.importorskip("scipy")
    fits = [kaon.Correlator(noisy(random, 24, form(0.4))).folded().fit(1, 8) for _ in range(160)]
    pulls = np.array([(fit.energies[0] - 0.4) / fit.energy_errors[0] for fit in fits])
    p = np.array([fit.p_value for fit in fits])
    # Pulls of 17 degrees of freedom have the variance 17/15.
    assert abs(pulls.mean()) < 4 / np.sqrt(160) and abs((pulls**2).mean() - 17 / 15) < 4 * np.sqrt(2 / 160)
    assert abs(p.mean() - 0.5) < 4 / np.sqrt(12 * 160) and abs((p < 0.1).mean() - 0.1) < 4 * np.sqrt(0.09 / 160)
    assert fits[0].freedom == 6 and fits[0].first == 1 and fits[0].last == 8


@pytest.mark.parametrize("errors", [{}, {"method": "bootstrap", "resamples": 100}, {"method": "gamma"}, {"bin_size": 2}])
def test_two_states_are_found(errors, random):
    pytest.importorskip("scipy")
    c = kaon.Correlator(noisy(random, 200, form(0.4) + 0.7 * form(1.1), 0.001)).folded()
    fit = c.fit(0, 8, states=2, **errors)
    assert np.all(np.abs(fit.energies - [0.4, 1.1]) < 4 * fit.energy_errors) and np.all(fit.energy_errors < [1e-4, 1e-3])
    assert np.all(np.abs(fit.amplitudes - [1.0, 0.7]) < 4 * fit.amplitude_errors) and fit.p_value > 1e-3
    assert np.allclose(fit(np.arange(9.0)), c.mean[:9], rtol=1e-3)
    assert c.fit(0, 8, **errors).p_value < 1e-6  # one state alone


@pytest.mark.parametrize("name, sign", [("cosh", 1.0), ("sinh", -1.0), ("exp", 0.0)])
def test_forms_have_their_masses(name, sign, random):
    pytest.importorskip("scipy")
    c = kaon.Correlator(noisy(random, 60, form(0.5, sign), 1e-4), name)
    c = c if name == "exp" else c.folded()
    mass, error = c.effective_mass()
    assert np.all(np.abs(mass[2:7] - 0.5) < 5 * error[2:7]) and np.all(error[2:7] < 1e-3)
    fit = c.fit(1, 7, correlated=False)
    assert abs(fit.energies[0] - 0.5) < 4 * fit.energy_errors[0] and np.isnan(fit.p_value)
    assert abs(c.plateau((2, 5)).value - 0.5) < 5 * c.plateau((2, 5)).error


def test_arithmetic_and_ratios(random):
    """A ratio of correlators that fluctuate together has a smaller error than their quotients would."""
    common = noisy(random, 50, form(0.4))
    c, d = kaon.Correlator(common, label="c"), kaon.Correlator(2 * common * (1 + 1e-6 * random.normal(size=common.shape)))
    value, error = c.ratio(d)
    assert np.allclose(value, 0.5, rtol=1e-5) and np.all(error < 1e-6)
    assert np.allclose(((c + d) - 2 * c / 2).samples, d.samples) and np.allclose(c.reversed().samples[:, 1:], common[:, :0:-1])
    assert np.allclose(c.error(), common.std(axis=0, ddof=1) / np.sqrt(50))
    assert np.allclose(kaon.Correlator(common, method="gamma").error(), c.error(method="gamma"))
    assert c.autocorrelation(lambda mean: mean[0] / mean[1]).tau_int >= 0.5


def correlated_noise(random, configurations, *clean, noise=1e-3):
    """Correlators whose times fluctuate together, and one with the other by half."""
    common = noisy(random, configurations, np.ones(TIMES), noise) - 1
    return [c * (1 + 0.5 * common + noisy(random, configurations, np.ones(TIMES), noise) - 1) for c in clean]


def test_joint_fits_have_energies_of_all_correlators(random):
    """Energies 0.4 and 1.1 of a cosh and a sinh, and B sqrt(2/(m A)) of their amplitudes, each with its error."""
    pytest.importorskip("scipy")
    a, b = correlated_noise(random, 120, 2 * form(0.4) + form(1.1), -0.3 * form(0.4, -1) + 0.2 * form(1.1, -1))
    both = kaon.Correlators(kaon.Correlator(a).folded(), kaon.Correlator(b, "sinh").folded())

    def constant(energies, amplitudes):
        return [-amplitudes[1, 0] * np.sqrt(2 / (energies[0] * amplitudes[0, 0]))]

    fit = both.fit([(0, 8), (1, 7)], states=2, derived=constant)
    assert fit.freedom == 16 - 6 and fit.p_value > 1e-3 and [one.form for one in fit.fits] == ["cosh", "sinh"]
    assert np.all(np.abs(fit.energies - [0.4, 1.1]) < 4 * fit.energy_errors) and np.all(fit.energy_errors < [2e-3, 1e-2])
    assert np.all(np.abs(fit.amplitudes - [[2.0, 1.0], [-0.3, 0.2]]) < 4 * fit.amplitude_errors)
    expected = 0.3 * np.sqrt(2 / 0.8)
    assert fit.derived.value.shape == (1,) and abs(fit.derived.value[0] - expected) < 4 * fit.derived.error[0] < 0.02 * expected
    assert np.allclose(fit.fits[1](np.arange(1.0, 8.0)), both.parts[1].mean[1:8], rtol=1e-2)
    separate = both.parts[0].fit(0, 8, states=2)
    assert separate.energy_errors[0] > fit.energy_errors[0]
    alone = kaon.Correlators(both.parts[0]).fit((0, 8), states=2)
    assert np.array_equal(alone.energies, separate.energies) and alone.derived is None


def test_derived_numbers_scatter_by_their_errors(random):
    """The pulls of 60 joint fits of 30 configurations, with 12 degrees of freedom."""
    pytest.importorskip("scipy")

    def fitted():
        a, b = correlated_noise(random, 30, form(0.4), 0.5 * form(0.4, -1), noise=0.01)
        both = kaon.Correlators(kaon.Correlator(a).folded(), kaon.Correlator(b, "sinh").folded())
        return both.fit((1, 7), derived=lambda energies, amplitudes: amplitudes[1, 0] / np.sqrt(energies[0] * amplitudes[0, 0])).derived

    pulls = np.array([float((found.value - 0.5 / np.sqrt(0.4)) / found.error) for found in (fitted() for _ in range(60))])
    # Pulls of 18 degrees of freedom have the variance 18/16.
    assert abs(pulls.mean()) < 4 / np.sqrt(60) and abs((pulls**2).mean() - 18 / 16) < 4 * np.sqrt(3.1 / 60)


@pytest.mark.parametrize("name, sign, states", [("cosh", 1.0, 1), ("exp", 0.0, 1), ("cosh", 1.0, 2)])
def test_partners_of_staggered_quarks_are_fitted(name, sign, states, random):
    """C(t) with a contribution (-1)^t of the energy 0.7."""
    pytest.importorskip("scipy")
    alternating = (-1.0) ** np.arange(TIMES)
    clean = form(0.4, sign) + 0.3 * alternating * form(0.7, sign) + (0.5 * form(1.3, sign) if states == 2 else 0)
    c = kaon.Correlator(noisy(random, 200, clean, 1e-4), name)
    c = c if name == "exp" else c.folded()
    fit = c.fit(0, 8, states, oscillating=True)
    assert fit.oscillating and np.all(np.abs(fit.energies[[0, -1]] - [0.4, 0.7]) < 4 * fit.energy_errors[[0, -1]])
    assert np.all(np.abs(fit.amplitudes[[0, -1]] - [1.0, 0.3]) < 4 * fit.amplitude_errors[[0, -1]]) and fit.p_value > 1e-3
    assert np.allclose(fit(np.arange(9.0)), c.mean[:9], rtol=1e-3) and len(fit.energies) == states + 1
    assert c.fit(0, 8, states).p_value < 1e-6


def test_free_quarks_have_the_mass_of_their_action():
    """At rest a free Wilson quark is an exponential in time with exp(E) = 1 + m, so that C_AP of two quarks is that of C_P without the contact at
    the source, and the symmetric derivative has sinh(2 E)/2 for m. c_A adds (cosh(2 E) - 1) times itself."""
    mass, lattice = 0.4, kaon.Lattice((2, 2, 2, 48))
    U = kaon.GaugeField(lattice, start="cold")
    given = {"quark": {"l": {"action": "wilson", "mass": mass}}, "source": {"kind": "wall", "times": [0]},
             "meson": [{"quarks": ["l", "l"], "gammas": ["g5", "g4g5:g5"]}]}
    e = kaon.Ensemble([kaon.measure(U, given, name=f"cfg_{i}") for i in range(2)])
    axial, pseudoscalar = e.meson("l", "l", "g4g5:g5"), e.meson("l", "l", "g5")
    assert axial.form == "sinh" and np.allclose(axial.mean[2:8], -pseudoscalar.mean[2:8], rtol=1e-6)
    both = kaon.Correlators(axial, pseudoscalar)
    energy = 2 * np.log(1 + mass)
    value, error = both.estimate(kaon.pcac_mass)
    assert np.allclose(value[3:8], np.sinh(energy) / 2, rtol=1e-6) and np.allclose(error, 0, atol=1e-10)
    improved = both.plateau(lambda a, p: kaon.pcac_mass(a, p, c_a=-0.1), (3, 7))
    assert np.isclose(improved.value, np.sinh(energy) / 2 - 0.1 * (np.cosh(energy) - 1), rtol=1e-6)


def test_ratios_of_three_point_functions_are_matrix_elements():
    """Two states with one momentum each: the ratio is M/(4 E E')^(1/2) at all times between, for any amplitudes."""
    t, separation, e, f = np.arange(20.0), 12, 0.4, 0.7
    source, sink = 3.0**2 / (2 * e) * np.exp(-e * t), 0.5**2 / (2 * f) * np.exp(-f * t)
    tau = t[:separation + 1]
    three = 3.0 * 0.5 * 1.7 / (4 * e * f) * np.exp(-e * tau - f * (separation - tau))
    assert np.allclose(kaon.three_point_ratio(three, source, sink, separation), 1.7 / np.sqrt(4 * e * f), rtol=1e-13)
    three = np.append(2 * sink[separation] * np.ones(separation + 1), np.zeros(4))
    assert np.allclose(kaon.three_point_ratio(three, sink, sink, separation), 2.0, rtol=1e-13)
    refuses(kaon.InvalidArgument, "separation = 20", kaon.three_point_ratio, three, source, sink, 20)
    refuses(kaon.InvalidArgument, "source and sink have the shapes", kaon.three_point_ratio, three, source, sink[:5], 3)
    refuses(kaon.InvalidArgument, "axial and pseudoscalar have the shapes", kaon.pcac_mass, source, sink[:5])


def test_energies_of_moving_particles(tmp_path):
    """E^2 = m^2 + p^2 of numbers made so."""
    pytest.importorskip("scipy")
    random, contents = np.random.default_rng(8), []
    energies = [np.sqrt(0.09 + sum((2 * np.pi * c / 4) ** 2 for c in n)) for n in MOMENTA]
    for number in range(40):
        data = np.array([[[noisy(random, 1, form(energy), 1e-4)[0] for _ in CHANNELS] for energy in energies]])
        contents.append(tree(number, source=[[0, 0, 0, 0]], correlator=np.stack([data[None], 0 * data[None]], axis=-1)[0][None].tolist()))
    rows = kaon.Ensemble(contents).dispersion("l", "s", t_min=0, t_max=3, n_squared=(0, 1))
    for row in rows:
        assert abs(row.fit.energies[0] - np.sqrt(0.09 + row.momentum_squared)) < 5 * row.fit.energy_errors[0] < 1e-3
    assert rows[0].momentum_squared == 0.0 and np.isclose(rows[1].momentum_squared, np.pi**2 / 4)


def test_pion_of_free_quarks_has_its_energy():
    """A free Wilson quark at rest has the energy log(1 + m), and the pion of two has twice that."""
    U = kaon.GaugeField(kaon.Lattice((2, 2, 2, 32)), start="cold")
    pion = kaon.Solver(kaon.Wilson(U, mass=0.4), tolerance=1e-12).propagator(kaon.UniformWallSource(0)).pion()
    mass = kaon.Correlator([pion, 1.01 * pion]).folded().effective_mass().value
    assert np.allclose(mass[8:15], 2 * np.log(1.4), rtol=1e-6)
    given = {"quark": {"l": {"action": "wilson", "mass": 0.4}}, "source": {"kind": "wall", "times": [0]},
             "meson": [{"quarks": ["l", "l"], "gammas": ["g5", "gi"]}]}
    measured = kaon.Ensemble([kaon.measure(U, given, name=f"cfg_{i}") for i in range(2)])
    for channel in ("g5", ("g1", "g2", "g3")):
        assert np.allclose(measured.meson("l", "l", channel).effective_mass().value[8:15], 2 * np.log(1.4), rtol=1e-6)


def test_files_of_pyerrors(tmp_path, random):
    """Written samples are read back. If pyerrors is installed, its Gamma method finds the same means and errors."""
    c = kaon.Correlator(noisy(random, 60, form(0.4)), chains=(40, 20), label="pion")
    c.write_pyerrors(tmp_path / "pion.json.gz", "b6")
    again = kaon.Correlator.read_pyerrors(tmp_path / "pion.json.gz")
    assert np.allclose(again.samples, c.samples, rtol=1e-13) and again.chains == c.chains
    (tmp_path / "text.json.gz").write_text("{}")
    for name in ("text.json.gz", "absent.json.gz"):
        refuses(kaon.FileError, name, kaon.Correlator.read_pyerrors, tmp_path / name)
    refuses(kaon.InvalidArgument, "ensemble = ", c.write_pyerrors, tmp_path / "x", "a|b")
    pe = pytest.importorskip("pyerrors")
    read = pe.input.json.load_json(str(tmp_path / "pion.json.gz"), verbose=False)
    assert read.tag == "pion" and np.allclose([o[0].value for o in read.content], c.mean, rtol=1e-13)
    assert read.content[0][0].names == ["b6|r0", "b6|r1"]
    chain = noisy(random, 400, form(0.4))
    for i in range(1, 400):  # tau_int = 3, above the least of 1/2, at which pyerrors has another correction
        chain[i] = 0.7 * chain[i - 1] + 0.3 * chain[i]
    one = kaon.Correlator(chain)
    one.write_pyerrors(tmp_path / "one.json.gz")
    read = pe.input.json.load_json(str(tmp_path / "one.json.gz"), verbose=False)
    read.gamma_method(S=1.5)
    assert np.allclose([o[0].dvalue for o in read.content], one.error(method="gamma"), rtol=1e-10)
    pe.input.json.dump_to_json(read, str(tmp_path / "theirs"))
    theirs = kaon.Correlator.read_pyerrors(tmp_path / "theirs.json.gz")
    assert np.allclose(theirs.samples, chain, rtol=1e-12)


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib"), pytest.importorskip("scipy")
    random = np.random.default_rng(5)
    c = kaon.Correlator(noisy(random, 40, form(0.4))).folded()
    fit = c.fit(2, 8)
    axes = kaon.plot.effective_mass(c, fit=fit)
    box = axes.collections[-1].get_paths()[0].get_extents()
    assert np.allclose([box.x0, box.x1, box.y0 + box.y1], [2, 9, 2 * fit.energies[0]]) and "a m" in axes.get_ylabel()
    write_hdf5(tmp_path / "1.h5", tree(1)), write_hdf5(tmp_path / "2.h5", tree(2))
    text = kaon.plot.plot_files([tmp_path / "1.h5", tmp_path / "2.h5"], tmp_path / "picture.svg").read_text()
    assert "l and s, pseudoscalar: 2 configurations" in text and "nucleon l l, positive parity: 2" in text
    one = kaon.plot.plot_files([tmp_path / "1.h5"], tmp_path / "one.svg").read_text()
    assert "l and s, pseudoscalar: 1 configuration<" in one and "nucleon l l, positive parity: 1 configuration<" in one
    axes = kaon.plot.spectrum(kaon.Ensemble([tree(1)])).axes[1]
    assert len(axes.lines) == 2 and not axes.collections  # points without errors and plateaus
    (tmp_path / "1.json").write_text(json.dumps([tree(1), tree(2)]))
    assert "pseudoscalar: 2" in kaon.plot.plot_files([tmp_path / "1.json"], tmp_path / "json.svg").read_text()
    arguments = [sys.executable, "-m", "kaon", "plot", tmp_path / "1.json", "--output", tmp_path / "alone.svg"]
    subprocess.run(arguments, env={**os.environ, "KAON_LIBRARY": "/nowhere/libkaon.so"}, check=True)
    alone = (tmp_path / "alone.svg").read_text()
    assert alone == kaon.plot.plot_files([tmp_path / "1.json"], tmp_path / "with.svg").read_text()  # without libkaon, too


def test_wrong_files_are_refused_with_their_names(tmp_path):
    h5py = pytest.importorskip("h5py")

    def written(name, change):
        write_hdf5(tmp_path / name, tree(1))
        with h5py.File(tmp_path / name, "r+") as file:
            change(file)
        return tmp_path / name

    def real(file):
        del file["meson/l_s/correlator"]
        file["meson/l_s/correlator"] = np.zeros((2, 1, 3, 2, TIMES))

    def short(file):
        del file["meson/l_s/t"]
        file["meson/l_s/t"] = np.arange(3)

    def infinite(file):
        file["meson/l_s/correlator"][0, 0, 0, 0, 3] = np.nan

    for text, change in ((r"1.h5: meson/l_s has no t$", lambda f: f["meson/l_s"].pop("t")),
                         (r"1.h5: meson/l_s has no quarks", lambda f: f["meson/l_s"].attrs.pop("quarks")),
                         (r"1.h5 has the format 'x'", lambda f: f.attrs.update(format="x")),
                         (r"1.h5 has the format .*version 2", lambda f: f.attrs.update(format_version=2)),
                         (r"1.h5 does not say its configuration", lambda f: f.attrs.pop("configuration")),
                         (r"1.h5: meson/l_s/correlator has the shape \(2, 1, 3, 2, 16\)", short),
                         (r"1.h5: meson/l_s/correlator has the dimensions",
                          lambda f: f["meson/l_s/correlator"].attrs.update(dimensions=["a", "b"])),
                         (r"1.h5 is neither a measurement of kaon nor Hadrons", lambda f: f.attrs.pop("format"))):
        if "neither" in text:
            def change(f):
                f.attrs.pop("format"), f.pop("meson"), f.pop("baryon")
        refuses(kaon.FileError, text, kaon.Ensemble, written("1.h5", change))
    other = tmp_path / "2.h5"
    write_hdf5(other, tree(2))
    for text, change in ((r"1.h5: meson/l_s/correlator has elements of the type float64", real),
                         (r"1.h5: meson/l_s/correlator has numbers that are not finite", infinite),
                         (r"1.h5 has no meson l s", lambda f: f.pop("meson/l_s"))):
        refuses(kaon.FileError, text, kaon.Ensemble([written("1.h5", change), other]).meson, "l", "s")
    refuses(kaon.FileError, "both of the configuration q_2.lime", kaon.Ensemble, [other, written("1.h5", lambda f: f.attrs.update(configuration="q_2.lime"))])
    refuses(kaon.FileError, r"are of lattices of \(4, 4, 4, 16\)", kaon.Ensemble,
            [other, written("1.h5", lambda f: f.attrs.update(extents=[4, 4, 4, 8]))])
    (tmp_path / "damaged.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    refuses(kaon.FileError, "damaged.h5 cannot be read as HDF5", kaon.Ensemble, tmp_path / "damaged.h5")
    refuses(kaon.FileError, "no file matches", kaon.Ensemble, str(tmp_path / "*.nothing"))
    refuses(kaon.FileError, "absent.h5", kaon.Ensemble, tmp_path / "absent.h5")
    (tmp_path / "other.json").write_text("{}")
    refuses(kaon.FileError, "other.json has no correlators", kaon.Ensemble, tmp_path / "other.json")
    refuses(kaon.FileError, "no files", kaon.Ensemble, [])


def test_refusals(random):
    pytest.importorskip("scipy")
    e = kaon.Ensemble([tree(1), tree(2)])
    refuses(kaon.InvalidArgument, "meson l l is not in these files; they have meson l s, baryon nucleon l l", e.meson, "l")
    refuses(kaon.InvalidArgument, "no channel g1:g1; it has g5:g5, g4g5:g5", e.meson, "l", "s", "g1")
    refuses(kaon.InvalidArgument, r"momentum = 7 is not in these files; they have n\^2 of 0, 1", e.meson, "l", "s", momentum=7)
    refuses(kaon.InvalidArgument, "source = 2", e.meson, "l", "s", source=2)
    refuses(kaon.InvalidArgument, "sink = 'smeared' is none of point", e.meson, "l", "s", sink="smeared")
    refuses(kaon.InvalidArgument, "part = 'both'", e.meson, "l", "s", part="both")
    refuses(kaon.InvalidArgument, "form = 'tanh'", e.meson, "l", "s", form="tanh")
    refuses(kaon.InvalidArgument, "an error needs at least two configurations", kaon.Ensemble([tree(1)]).meson("l", "s").error)
    refuses(kaon.InvalidArgument, "an error needs at least two configurations", kaon.Ensemble([tree(1)]).meson("l", "s").fit, 1, 3)
    c = kaon.Correlator(noisy(random, 8, form(0.4))).folded()
    refuses(kaon.InvalidArgument, "covariances of 9 times need 12 bins or more, and there are 8", c.fit, 0, 8)
    refuses(kaon.InvalidArgument, "2 times are too few for 4 numbers: fit 4 or more, and 2 or more of each", c.fit, 1, 2, states=2)
    refuses(kaon.InvalidArgument, "states = 3", c.fit, 1, 8, states=3)
    refuses(kaon.InvalidArgument, r"times = \(8, 1\) are not a range from 0 to ", c.fit, 8, 1)
    refuses(kaon.InvalidArgument, "method = 'x'", c.error, method="x")
    refuses(kaon.InvalidArgument, "jackknife has no option seed", c.error, seed=1)
    refuses(kaon.InvalidArgument, "singular", kaon.Correlator(noisy(random, 40, form(0.4))).folded().fit, 5, 11)
    assert ": 1 configuration, T = 4, " in repr(kaon.Correlator(np.ones((1, 4)))) and ": 3 configurations, " in repr(kaon.Correlator(np.ones((3, 4))))
    refuses(kaon.InvalidArgument, "no backward times", kaon.Correlator(np.ones((3, 4)), "exp").folded)
    refuses(kaon.InvalidArgument, "not of the same configurations", c.ratio, kaon.Correlator(np.ones((3, 4))))
    refuses(kaon.InvalidArgument, "Correlator is needed", c.ratio, 3)
    refuses(kaon.InvalidArgument, "chains", kaon.Correlator, np.ones((3, 4)), chains=(1, 1))
    both = kaon.Correlators(c, c)
    refuses(kaon.InvalidArgument, r"times = \[\(1, 8\)\] are neither the first and the last time nor 2 such pairs", both.fit, [(1, 8)])
    refuses(kaon.InvalidArgument, "times = 3 are neither", both.fit, 3)
    refuses(kaon.InvalidArgument, "2 times are too few for 3 numbers: fit 3 or more, and 1 or more of each", both.fit, (3, 3))
    refuses(kaon.InvalidArgument, "derived = 3 cannot be called", both.fit, (1, 4), derived=3)
    refuses(kaon.InvalidArgument, "oscillating = 2", c.fit, 1, 8, oscillating=2)
    refuses(kaon.InvalidArgument, "3 cannot be called", both.estimate, 3)
    refuses(kaon.InvalidArgument, "Correlator is needed", kaon.Correlators, c.samples)
    refuses(kaon.InvalidArgument, "Correlator is needed", kaon.Correlators, c, 3)
    refuses(kaon.InvalidArgument, "one of zero", kaon.Correlator(np.ones((30, 8))).fit, 0, 3)
