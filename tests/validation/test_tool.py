# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""tools/validate: its table, how it continues, and how numbers come out of files."""
import json
import math
import os
import pathlib
import sys
import time

import numpy as np
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tools"))

from validation import estimators, report, runs  # noqa: E402

MEASURED = {"device": "host", "program": "generate", "options": "--size 4,4,4,4 --beta 5.7 --start hot --thermalization 2", "updates": 6, "every": 2,
            "seeds": [1, 2], "seconds": 1, "batch": 2, "flow": "--step 0.05 --steps 4 --every 2", "loops": {"r": 2, "t": 1, "planes": "all"},
            "propagator": "--kappa 0.1 --tolerance 1e-6",
            "hadrons": {"quark": {"l": {"action": "wilson", "kappa": 0.1}}, "source": {"sites": [[0, 0, 0, 0]]}, "meson": [{"quarks": ["l", "l"]}], "solver": {"tolerance": 1e-6}}}
PLAN = json.loads((SOURCE / "tools" / "validation" / "rows.json").read_text(encoding="utf-8"))


def test_the_table_is_complete():
    used = {run for row in PLAN["rows"].values() for run in row.get("runs", [])}
    assert used == set(PLAN["runs"])
    assert {row["kind"] for row in PLAN["rows"].values()} == set(PLAN["kinds"]) and len(PLAN["kinds"]) >= 8
    for name, row in PLAN["rows"].items():
        assert row["known"] in ("exact", "read", "quoted", "run", "remembered") and row["source"] and row["quantity"], name
        assert math.isfinite(report.parsed(row["published"])[0]) and row["s_sys"] >= 0.0 and bool(row["s_sys"]) == bool(row["reason"]), name
        assert "recorded" in row or callable(getattr(estimators, row["by"])), name
    for name, run in PLAN["runs"].items():
        assert run["device"] in ("host", "gpu") and len(set(run["seeds"])) == len(run["seeds"]) and run["seconds"] > 0, name
        assert run["device"] == "host" or len(run["seeds"]) % 4 == 0, f"{name}: four GPUs share the chains evenly"
        if any(key in run for key in ("flow", "hadrons", "loops", "propagator")):
            assert run["updates"] % run["every"] == 0, name


def one_plaquette(beta):
    """The mean of (1/3) Re Tr U of a matrix with the weight exp(beta/3 Re Tr U), by the angles of its eigenvalues."""
    x, y = np.meshgrid(*[2 * np.pi * np.arange(64) / 64] * 2)
    e = [np.exp(1j * angle) for angle in (x, y, -x - y)]
    trace = sum(e).real / 3
    weight = np.abs((e[0] - e[1]) * (e[1] - e[2]) * (e[2] - e[0])) ** 2 * np.exp(beta * trace)
    return (weight * trace).sum() / weight.sum()


@pytest.mark.parametrize("name, beta", [("plaquette_strong_1.0", 1.0), ("plaquette_strong_1.5", 1.5), ("plaquette_strong_2.0", 2.0)])
def test_numbers_at_strong_coupling_are_those_of_the_expansion(name, beta):
    row, u = PLAN["rows"][name], one_plaquette(beta)
    slope = (one_plaquette(beta + 1e-4) - one_plaquette(beta - 1e-4)) / 2e-4
    assert abs(report.parsed(row["published"])[0] - (u + 72 * u**5 * slope)) < row["s_sys"]


@pytest.mark.parametrize("name, beta", [("plaquette_weak_20", 20), ("plaquette_weak_60", 60)])
def test_numbers_at_weak_coupling_are_those_of_the_series(name, beta):
    series = 1 - sum(c / beta**k for k, c in enumerate((2, 1.2208, 2.9621, 9.417, 34.39), 1))
    assert report.parsed(PLAN["rows"][name]["published"])[0] == pytest.approx(series, abs=6e-7)


@pytest.mark.parametrize("text, value, error", [("0.593678(24)", 0.593678, 24e-6), ("5.7e-4(3)", 5.7e-4, 3e-5), ("0.5492", 0.5492, 5e-5), ("12(3)", 12, 3)])
def test_published_numbers_are_parsed(text, value, error):
    assert report.parsed(text) == pytest.approx((value, error))


@pytest.mark.parametrize("value, error, text", [(0.593678, 2.4e-5, "0.593678(24)"), (0.5, 0.0996, "0.50(10)"), (1.234, 0.0952, "1.234(95)"),
                                                (123.4, 25.0, "123(25)"), (5.7e-4, 3.1e-5, "0.000570(31)")])
def test_numbers_are_shown_with_two_digits_of_their_error(value, error, text):
    assert report.shown(value, error) == text


def test_verdicts():
    row = {"published": "0.500(2)", "known": "read", "s_sys": 0.0}
    assert report.verdict(row, 0.503, 0.002) == "agrees" and report.verdict(row, 0.51, 0.002) == "differs"
    assert report.verdict(row, 0.503, 0.02) == "agrees, error too large"
    assert report.verdict({**row, "known": "remembered"}, 0.503, 0.002) == "agrees with memory"
    assert report.verdict({**row, "s_sys": 0.01}, 0.51, 0.002) == "agrees"
    assert report.deviation(row, 0.503, 0.001) == pytest.approx(0.003 / math.hypot(0.001, 0.002))


def test_results_of_another_plan_do_not_count(tmp_path):
    row = {"quantity": "q", "published": "0.500(2)", "known": "read", "source": "s", "s_sys": 0.0, "reason": "", "by": "plaquette"}
    base = [report.entry("a", row, [runs.Run("r", {**MEASURED, "updates": updates}, runs.Machine("kaon", tmp_path))]) for updates in (6, 6, 8)]
    before = {**base[0], "kaon": "0.501(1)", "value": 0.501, "error": 0.001, "z": "+9.9", "verdict": "?"}
    found = report.earlier(base[1], {**row, "published": "0.502(2)"}, before)
    assert found["kaon"] == "0.501(1)" and found["z"] == "-0.4" and found["verdict"] == "agrees" and "published" not in found
    assert report.earlier(base[2], row, before) == {} and report.earlier(base[1], row, {}) == {} and report.earlier(base[1], row, base[0]) == {}


def test_the_summary_counts_an_ensemble_once():
    rows = [{"row": name, "kaon": "1", "z": z, "known": "read"} for name, z in (("a", "+2.0"), ("b", "-1.0"), ("c", "+3.0"))]
    rows.append({"row": "d", "kaon": report.NOT_RUN, "z": "", "known": "read"})
    plan = {"a": {"kind": "k", "runs": ["x"]}, "b": {"kind": "k", "runs": ["x"]}, "c": {"kind": "l", "runs": ["y"]}, "d": {"kind": "m", "runs": ["z"]}}
    found = {row["all rows"]: row["value"] for row in report.summary(rows, plan)}
    assert found["rows"] == 4 and found["rows with a result, those of spectrum.md included"] == 3 and found["beyond 2.5"] == 1 and found["ensembles"] == 2
    assert found["sum of z^2, one row of each ensemble"] == "13.0"


def test_scales_of_a_flow():
    t = np.arange(0.0, 6.0, 0.04)
    energy = 0.1 / np.maximum(t, 1e-9)  # t^2 E = 0.1 t
    assert estimators.t0_of(t, energy) == pytest.approx(3.0) and estimators.w0_of(t, energy) == pytest.approx(math.sqrt(3.0))
    assert math.isnan(estimators.t0_of(t[:20], energy[:20]))


def test_the_radius_of_a_potential_of_coulomb_and_string():
    """With the lattice Coulomb field the force at improved distances is sigma + (pi/12)/r^2."""
    sigma = 0.05
    r = np.arange(1, 9)
    potential = sigma * r - np.pi / 12 * 4 * np.pi * estimators.coulomb()[1:9]
    squared = 1 / (4 * np.pi * -np.diff(estimators.coulomb()[1:9]))
    assert np.sqrt(squared)[:5] == pytest.approx([1.358, 2.277, 3.312, 4.359, 5.393], abs=0.003)  # hep-lat/0108008
    assert estimators.sommer_radius(potential) == pytest.approx(math.sqrt((1.65 - np.pi / 12) / sigma))


class FakeRun:
    """Numbers of a chain in place of files."""

    options, every = "polyakov --beta 5.69", 1

    def __init__(self, **numbers):
        self.numbers = numbers

    def size(self):
        return [4, 4, 4, 4]

    def series(self, key):
        return self.numbers[key], [len(self.numbers[key])]


def test_the_peak_of_a_susceptibility():
    """Two states whose weights are equal at a known beta: a part p of the samples is in the one with the larger action."""
    random = np.random.default_rng(1)
    p, difference = 0.45, 40.0
    upper = random.random(4000) < p
    volume = 6 * 4**4
    run = FakeRun(polyakov=np.where(upper, 0.3, 0.1), plaquettes=0.5 + upper * difference / volume)
    found = estimators.beta_c(run, {})
    expected = 5.69 + math.log((1 - p) / p) / difference
    assert abs(found.value - expected) < 4 * found.error and 0.0 < found.error < 0.002


def test_identities_of_energies():
    random = np.random.default_rng(2)
    dh = random.normal(0.1, math.sqrt(0.2), 20000)  # <exp(-dH)> = 1
    accepted = random.random(20000) < np.minimum(1.0, np.exp(-dh))
    run = FakeRun(delta_energies=dh, accepted=accepted.astype(float))
    for found, expected in ((estimators.exp_dh(run, {}), 1.0), (estimators.acceptance(run, {}), 0.0)):
        assert abs(found.value - expected) < 4 * found.error and found.error < 0.01


@pytest.fixture
def program():
    if "KAON_PROGRAM" not in os.environ:
        pytest.skip("the program kaon is not built")
    return os.environ["KAON_PROGRAM"]


def test_a_run_continues_where_it_stopped(program, tmp_path):
    whole = runs.Run("r", MEASURED, runs.Machine(program, tmp_path / "whole"))
    whole.work()
    assert whole.complete() and not list(whole.folder.glob("*[0-9].lime")), "configurations are removed when they are measured"
    assert len(whole.series("plaquettes")[0]) == 12 and whole.series("plaquettes")[1] == [6, 6]
    parts = runs.Run("r", MEASURED, runs.Machine(program, tmp_path / "parts"))
    parts.folder.mkdir(parents=True)
    parts.advance(1, 4)
    assert parts.updates_of(1) == 4 and not parts.complete()
    parts.machine.end = time.monotonic() + 1  # which is too short for any work
    with pytest.raises(runs.Unfinished):
        parts.work()
    parts.machine.end = None
    parts.work()
    assert parts.series("plaquettes") == whole.series("plaquettes")
    for kind in ("flow", "loops"):
        contents, chains = parts.files(kind)
        assert chains == [3, 3]
        assert [content.get("flow", content.get("loops")) for content in contents] == [c.get("flow", c.get("loops")) for c in whole.files(kind)[0]]
    samples, chains = estimators.correlator(parts, "l")
    assert samples.shape == (6, 4) and np.array_equal(samples, estimators.correlator(whole, "l")[0])
    rectangle = estimators.rectangle(parts, {})
    assert rectangle.samples == 6 and 0.0 < rectangle.value < estimators.plaquette(parts, {}).value
    assert all(cost["command"].startswith("kaon") for cost in parts.costs())


def test_chains_of_the_package_continue(program, tmp_path):
    specification = {"device": "host", "program": "python", "options": "polyakov --beta 5.5", "extents": [4, 4, 4, 2], "thermalization": 1, "updates": 4,
                     "seeds": [3], "seconds": 1}
    found = []
    for parts in ((4,), (2, 4)):
        run = runs.Run("r", specification, runs.Machine(program, tmp_path / str(len(parts))))
        run.folder.mkdir(parents=True)
        for last in parts:
            run.advance(3, last)
        assert run.complete() and run.updates_of(3) == 4
        found.append((run.series("polyakov"), run.series("plaquettes")))
    assert found[0] == found[1]


def test_a_refused_chain_is_a_failure_with_its_reason(program, tmp_path):
    run = runs.Run("r", {"device": "host", "program": "python", "options": "polyakov --beta -1", "extents": [2, 2, 2, 2], "thermalization": 0, "updates": 1,
                         "seeds": [1], "seconds": 1}, runs.Machine(program, tmp_path))
    with pytest.raises(runs.Failed, match="beta"):
        run.work()
    generate = runs.Run("s", {**MEASURED, "options": "--size 4,4,4,4 --beta 5.7 --strat hot"}, runs.Machine(program, tmp_path))
    with pytest.raises(runs.Failed, match="strat"):
        generate.work()
