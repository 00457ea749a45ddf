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
