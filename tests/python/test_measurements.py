# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""kaon.measure: its sources, currents and estimates. test_hadrons.py compares the operators with numpy."""
import numpy as np
import pytest

import kaon
from refusals import refuses

INPUT = {"quark": {"l": {"action": "clover", "csw": 1.0, "mass": 0.4}, "s": {"action": "wilson", "mass": 0.6}},
         "source": {"sites": [[0, 0, 0, 0]]}, "solver": {"tolerance": 1e-11}, "meson": [{"quarks": ["l", "s"]}]}
SMALL = {"quark": {"s": {"action": "wilson", "mass": 0.6}}, "meson": [{"quarks": ["s", "s"], "gammas": ["g5", "g4g5:g5"]}]}


def test_wrong_inputs_are_refused(smooth):
    with pytest.raises(kaon.InvalidArgument, match="input: quark.l.cws: unknown key; did you mean csw"):
        kaon.measure(smooth, {**INPUT, "quark": {"l": {"action": "clover", "cws": 1.0}}})
    refuses(kaon.InvalidArgument, "is no dictionary", kaon.measure, smooth, {"quark": object()})
    refuses(kaon.NotConverged, "quark l, source 0", kaon.measure, smooth, {**INPUT, "solver": {"max_iterations": 1}})


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


def test_currents_in_quarks_and_through_sinks_agree(smooth):
    """< O(t_s) J(q, t) O > by the sequential source through the current and by that through the sink."""
    given = {
        **INPUT,
        "source": {"sites": [[1, 2, 1, 6]]},
        "current": {"axial": {"quark": "l", "gamma": "g3g5", "time": 2, "momentum": [0, 1, 1]}},
        "meson": [{"quarks": ["axial", "s"], "gammas": ["g4:g5"], "momenta": [[1, 0, 0]]}],
        "baryon": [{"kind": "lambda", "quarks": ["s", "axial", "l"], "channels": ["positive_x"]}],
        "three_point": [
            {
                "kind": "meson",
                "quarks": ["l", "s"],
                "gammas": ["g4:g5"],
                "sink_times": [3],
                "sink_momenta": [[1, 0, 0]],
                "currents": ["g3g5"],
                "momenta": [[0, 1, 1]],
            },
            {
                "kind": "lambda",
                "quarks": ["s", "l", "l"],
                "flavors": ["d"],
                "sink_times": [3],
                "projectors": ["positive_x"],
                "currents": ["g3g5"],
                "momenta": [[0, 1, 1]],
            },
        ],
    }
    result = kaon.measure(smooth, given)
    for two, three in (
        (result["meson"]["axial_s"], "meson_l_s_u_g4_t3_p1_0_0"),
        (result["baryon"]["lambda_s_axial_l"], "lambda_s_l_l_d_positive_x_t3_p0_0_0"),
    ):
        through_sink = result["three_point"][three]["correlator"][0, 0, 0, 0, 2]
        assert abs(two["correlator"][0, 0, 0, 0, 3] - through_sink) < 1e-7 * abs(through_sink)


def test_quarks_of_walls_have_their_momenta():
    """On unit links momentum is conserved, and quarks of opposite momenta have conjugate correlators."""
    unit = kaon.GaugeField(kaon.Lattice((4, 4, 4, 8)), start="cold")
    quark = INPUT["quark"]["l"]
    given = {
        "quark": {"zero": quark, "up": {**quark, "momentum": [0, 0, 1]}, "down": {**quark, "momentum": [0, 0, -1]}},
        "source": {"kind": "wall", "times": [3]},
        "meson": [
            {"quarks": [one, "zero"], "gammas": ["g5"], "momenta": [[0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, -1]]}
            for one in ("up", "down")
        ],
    }
    result = kaon.measure(unit, given)
    up, down = (result["meson"][name]["correlator"][0, 0, :, 0] for name in ("up_zero", "down_zero"))
    assert np.all(np.abs(up[0]) > 1e-6)
    assert np.max(np.abs(up[1:])) < 1e-8 * np.min(np.abs(up[0]))
    assert np.allclose(down[3], up[0], rtol=1e-8, atol=0)
    iterations = [len(solve["iterations"]) for solve in result["provenance"]["solves"]]
    assert iterations == [12, 12, 12]


def test_doublets_of_one_mass_are_twisted_quarks(smooth):
    twisted = {"mass": 0.8, "mu": 0.2}
    given = {
        "quark": {
            "h": {"action": "twisted-doublet", **twisted, "epsilon": 0.0},
            "u": {"action": "twisted-mass", **twisted},
            "d": {"action": "twisted-mass", "mass": 0.8, "mu": -0.2},
        },
        "source": {"sites": [[0, 0, 0, 0], [1, 2, 1, 6]], "together": 2},
        "meson": [
            {"quarks": pair, "gammas": ["g5", "g4:g1"]} for pair in (["u", "d"], ["h.0", "h.1"], ["h.0", "h.0"], ["u", "u"])
        ],
    }
    result = kaon.measure(smooth, given)
    mesons = {name: meson["correlator"] for name, meson in result["meson"].items()}
    assert np.max(np.abs(mesons["h.0_h.1"] - mesons["u_d"])) < 1e-8 * np.max(np.abs(mesons["u_d"]))
    assert np.max(np.abs(mesons["h.0_h.0"] - mesons["u_u"])) < 1e-8 * np.max(np.abs(mesons["u_u"]))
    sizes = {solve["quark"]: len(solve["residuals"]) for solve in result["provenance"]["solves"]}
    assert sizes == {"h.0, h.1": 24, "u": 12, "d": 12}
