# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""kaon.measure against contractions by numpy."""
import numpy as np
import pytest

import kaon

SITES = [(0, 0, 0, 0), (1, 3, 1, 5)]
INPUT = {"quark": {"l": {"action": "clover", "csw": 1.0, "mass": 0.4}, "s": {"action": "wilson", "mass": 0.6}},
         "source": {"sites": SITES}, "solver": {"tolerance": 1e-11},
         "meson": [{"quarks": ["l", "s"], "gammas": ["g5", "g1", "g4g5:g5", "g5:g4g5"], "momenta": [[0, 0, 0], [1, 0, 0], [0, -1, 1]]}],
         "baryon": [{"kind": "nucleon", "quarks": ["l", "s"]}]}


SMALL = {"quark": {"s": {"action": "wilson", "mass": 0.6}}, "meson": [{"quarks": ["s", "s"], "gammas": ["g5", "g4g5:g5"]}]}


def test_hadrons_are_those_of_numpy(smooth, tmp_path):
    given = {**INPUT, "output": {"folder": str(tmp_path), "format": "json"}}
    result = kaon.measure(smooth, given, name="q", write=True)
    assert (tmp_path / "q.json").exists()
    mesons, nucleon = result["meson"]["l_s"], result["baryon"]["nucleon_l_s"]
    assert mesons["correlator"].shape == (2, 1, 3, 4, 8)
    gammas = {"g5": kaon.g5, "g1": kaon.gx, "g4g5": kaon.gt @ kaon.g5}
    operators = kaon.WilsonClover(smooth, mass=0.4, csw=1.0), kaon.Wilson(smooth, mass=0.6)
    for number, site in enumerate(SITES):
        light, strange = (kaon.Solver(dirac, tolerance=1e-11).propagator(kaon.PointSource(site)) for dirac in operators)
        for channel, words in enumerate(mesons["channel"]):
            sink, source = (gammas[word] for word in words.split(":"))
            expected = kaon.meson(light, strange, source=source, sink=sink, momenta=mesons["momentum"].tolist())
            assert np.abs(mesons["correlator"][number, 0, :, channel] - expected).max() < 1e-9 * np.abs(expected).max()
        expected = kaon.baryon(light, strange)[0]
        assert np.abs(nucleon["correlator"][number, 0, 0, 0] - expected).max() < 1e-9 * np.abs(expected).max()


def test_wrong_inputs_are_refused(smooth):
    with pytest.raises(kaon.InvalidArgument, match="input: quark.l.cws: unknown key; did you mean csw"):
        kaon.measure(smooth, {**INPUT, "quark": {"l": {"action": "clover", "cws": 1.0}}})
    with pytest.raises(kaon.InvalidArgument, match="is no dictionary"):
        kaon.measure(smooth, {"quark": object()})
    with pytest.raises(kaon.NotConverged, match="quark l, source 0"):
        kaon.measure(smooth, {**INPUT, "solver": {"max_iterations": 1}})


def test_equal_accuracies_need_no_correction(smooth):
    """Sloppy solves to the tolerance of the exact ones have the digits of these, in any batches."""
    sources = {"random": 4, "seed": 3, "together": 2}
    given = {**SMALL, "source": sources, "solver": {"tolerance": 1e-9, "method": "bicgstab"}}
    plain = kaon.measure(smooth, given)["meson"]["s_s"]
    both = kaon.measure(smooth, {**given, "sloppy": {"tolerance": 1e-9, "exact": 2}})["meson"]["s_s"]
    assert np.array_equal(both["exact"], both["sloppy"][:2])
    assert not both["correction"].any()
    assert np.array_equal(both["correlator"], plain["correlator"])
    alone = kaon.measure(smooth, {**given, "source": {**sources, "together": 1}})["meson"]["s_s"]
    assert np.abs(alone["correlator"] - plain["correlator"]).max() < 1e-7 * np.abs(plain["correlator"]).max()


@pytest.mark.parametrize("sloppy", [{"tolerance": 0.1}, {"iterations": 2}])
def test_the_mean_over_the_exact_source_has_no_bias(smooth, sloppy):
    """Each source in turn is the exact one: the mean of the estimates is that of exact solves from all sources, for any sloppy
    solves. It is so for sources that are drawn at random, too."""
    sites = [(0, 0, 0, 0), (1, 3, 1, 5), (2, 1, 0, 2)]
    given = {**SMALL, "solver": {"tolerance": 1e-11, "method": "bicgstab"}}

    def measured(first, **more):
        return kaon.measure(smooth, {**given, "source": {"sites": sites[first:] + sites[:first]}, **more})["meson"]["s_s"]

    exact = measured(0)["correlator"]
    scale = np.abs(exact).max(axis=(0, -1), keepdims=True)[0]
    estimates = [measured(first, sloppy=sloppy) for first in range(len(sites))]
    bias = np.mean([one["correlator"].mean(axis=0) for one in estimates], axis=0) - exact.mean(axis=0)
    assert np.abs(bias / scale).max() < 1e-9
    assert np.abs((estimates[0]["sloppy"].mean(axis=0) - exact.mean(axis=0)) / scale).max() > 1e-3
    for one in estimates:
        assert np.abs(one["exact"] - one["sloppy"][:1] - one["correction"]).max() == 0.0
    every = measured(0, sloppy={**sloppy, "exact": len(sites)})
    assert np.abs((every["correlator"].mean(axis=0) - exact.mean(axis=0)) / scale).max() < 1e-13
