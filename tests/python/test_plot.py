# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Pictures: what is drawn is what was given."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kaon
from kaon.__main__ import main
from refusals import refuses

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def drawn(axes, line=0):
    return axes.lines[line].get_xdata(), axes.lines[line].get_ydata()


def program(name, *arguments):
    """Runs a program of kaon that was built."""
    path = os.environ.get(name)
    if not path or not os.path.exists(path):
        pytest.skip(f"{name} was not built")
    done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plot(*arguments):
    return subprocess.run([sys.executable, "-m", "kaon", "plot", *map(str, arguments)], capture_output=True, text=True,
                          timeout=600)


def test_correlator_and_effective_mass():
    values = np.cosh(0.3 * (np.arange(8) - 4.0))
    axes = kaon.plot.correlator(values, label="cosh")
    assert np.array_equal(drawn(axes)[1], values) and axes.get_yscale() == "log"
    assert kaon.plot.correlator(-values + 0j, axes) is axes and np.isnan(drawn(axes, 1)[1]).all()
    x, y = drawn(kaon.plot.effective_mass(values))
    assert x[0] == 0.5 and np.allclose(y, 0.3)
    mixed = values + (-1.0) ** np.arange(8) * values
    assert np.array_equal(drawn(kaon.plot.effective_mass(mixed, oscillating=True))[1], kaon.effective_mass(mixed, True), equal_nan=True)


def ensemble(count, **changes):
    """Reports of kaon propagator on `count` configurations, whose masses scatter around 0.4."""
    c = np.cosh(0.4 * (np.arange(16) - 8.0)) * (1 + 0.02 * np.random.default_rng(3).normal(size=(count, 16)))
    common = {"action": {"name": "clover", "kappa": 0.13}, "source": {"kind": "point", "site": [0, 0, 0, 0]}, **changes}
    return [{"gauge": {"file": f"cfg_{i}", "extents": [8, 8, 8, 16]}, "pion_correlator": row.tolist(),
             "effective_mass": [0.4] * 16, **common} for i, row in enumerate(c)]


def test_means_of_configurations_have_errors_and_a_plateau():
    rows = np.array([report["pion_correlator"] for report in ensemble(20)])
    (points,) = kaon.plot.correlator(rows).containers
    assert np.allclose(points.lines[0].get_ydata(), rows.mean(axis=0))
    ends = np.array([end[:, 1] for end in points.lines[2][0].get_segments()])
    assert np.allclose(np.diff(ends)[:, 0] / 2, rows.std(axis=0, ddof=1) / np.sqrt(20))
    axes = kaon.plot.effective_mass(rows, times=(2, 5))
    (points,), (band,) = axes.containers, axes.collections[1:]
    expected, plateau = kaon.jackknife(rows, kaon.effective_mass), kaon.plateau(rows, kaon.effective_mass, (2, 5))
    assert points.lines[0].get_xdata().tolist() == [t + 0.5 for t in range(8)]
    assert np.allclose(points.lines[0].get_ydata(), expected.value[:8])
    box = band.get_paths()[0].get_extents()
    assert np.allclose([box.x0, box.x1, box.y0, box.y1], [2, 6, plateau.value - plateau.error, plateau.value + plateau.error])
    assert band.get_label().endswith(", t = 2 to 5") and band.get_label().startswith(f"{plateau.value:.4f}"[:5])


def test_files_of_several_configurations_are_averaged(tmp_path):
    """Apart by action; over the sources of a configuration first. Files of one configuration are drawn one by one."""
    def drawn_text(reports):
        files = []
        for number, report in enumerate(reports):
            files.append(tmp_path / f"{number}.json")
            files[-1].write_text(json.dumps(report))
        return kaon.plot.plot_files(files, tmp_path / "picture.svg").read_text()

    heavy = ensemble(3, action={"name": "clover", "kappa": 0.12})
    text = drawn_text([*ensemble(5), *heavy])
    assert "clover, kappa 0.13: 5 configurations" in text and "clover, kappa 0.12: 3 configurations" in text and ", t = " in text
    later = ensemble(5, source={"kind": "point", "site": [0, 0, 0, 8]})
    assert drawn_text([*ensemble(5), *later]).count(": 5 configurations") == 1
    assert drawn_text([ensemble(5)]) == drawn_text(ensemble(5))  # a list in one file
    damaged = ensemble(4, action={"name": "$a$^$"}, actions=5)
    damaged[1]["pion_correlator"].pop(), damaged[1]["effective_mass"].pop()
    damaged[0]["pion_correlator"] = [-c for c in damaged[0]["pion_correlator"]]
    assert "configurations" not in drawn_text(damaged)
    hopeless = ensemble(2, action=3)
    hopeless[0]["pion_correlator"] = [-2 * c for c in hopeless[0]["pion_correlator"]]  # no effective mass
    assert "?: 2 configurations" in drawn_text(hopeless)
    one = [ensemble(1)[0], ensemble(1)[0]]
    assert "configurations" not in drawn_text(one) and "1.json" in drawn_text(one)


def test_histories():
    x, y = drawn(kaon.plot.residuals([np.array([0.1, 0.3]), np.array([0.2, 0.01])], tolerance=1e-3))
    assert x.tolist() == [1, 2] and y.tolist() == [0.3, 0.2]
    x, y = drawn(kaon.plot.history([0.5, 0.6, 0.55]))
    assert x.tolist() == [1, 2, 3] and y.tolist() == [0.5, 0.6, 0.55]


def test_comparison():
    rows = [{"what": "a", "ratio": 1.5}, {"what": "b", "seconds": [2.0, 1.0]}, {"what": "c", "gflops": [30, 20]}]
    axes = kaon.plot.comparison({"title": "kaon and others", "rows": rows})
    assert [bar.get_width() for bar in axes.patches] == [1.5, 0.5, 1.5]
    first, second, third = (bar.get_facecolor() for bar in axes.patches)
    assert first == third != second  # where the peer is faster
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert axes.get_title() == "kaon and others"
    for table in ({}, {"title": "x", "rows": []}, {"title": "x", "rows": [{"what": "a"}]},
                  {"title": "x", "rows": [{"what": "a", "seconds": [0, 1]}]}, {"title": "x", "rows": [{"ratio": 1}]}):
        with pytest.raises(kaon.InvalidArgument):
            kaon.plot.comparison(table)


def test_predictions(tmp_path):
    parts = {"interior": 1e-5, "halo": 2e-6, "vectors": 3e-6, "sums": 5e-6, "iteration": 2e-5}
    rows = [{"solver": solver, "processes": 2**k, "seconds": parts, **({"solve_seconds": 1.0 / 2**k} if solver == "cg" else {})}
            for solver in ("cg", "gcr-dd") for k in range(3)]
    content = {"network": {"name": "ndr"}, "predictions": rows}
    axes = kaon.plot.prediction(content)
    assert [drawn(axes, line)[0].tolist() for line in range(2)] == [[1, 2, 4]] * 2
    assert drawn(axes)[1].tolist() == [1.0, 0.5, 0.25] and "solve" in axes.get_ylabel()
    assert [line.get_label() for line in axes.lines] == ["cg", "gcr-dd, an iteration"]
    unsolved = {"solver": "cg", "processes": 8, "seconds": parts}
    axes = kaon.plot.prediction({**content, "predictions": [*rows, unsolved]})
    assert drawn(axes)[0].tolist() == [1, 2, 4]  # a solve that does not converge has no time
    bars = kaon.plot.prediction(content, "cg").patches
    assert len(bars) == 12 and np.isclose(bars[0].get_height(), 10.0) and np.isclose(bars[-1].get_y(), 15.0)
    (tmp_path / "predicted.json").write_text(json.dumps(content))
    assert kaon.plot.plot_files([tmp_path / "predicted.json"]).stat().st_size > 10000
    refuses(kaon.InvalidArgument, "nothing was predicted of 'bicgstab'", kaon.plot.prediction, content, "bicgstab")
    (tmp_path / "none.json").write_text(json.dumps({**content, "predictions": [], "notes": ["3 processes cannot"]}))
    refuses(kaon.FileError, "none.json cannot be drawn: nothing was predicted: 3 processes cannot", kaon.plot.plot_files, [tmp_path / "none.json"])
    for bad in ({}, {"network": {"name": "x"}, "predictions": 3}, {"network": {"name": "x"}, "predictions": [{"solver": "cg"}]}):
        with pytest.raises(kaon.InvalidArgument):
            kaon.plot.prediction(bad)


def test_predictions_of_the_library(links):
    given = {"size": (4, 4, 4, 8), "action": "staggered", "processes": [1, 2, 3], "solvers": "cg", "precision": "single"}
    content = kaon.predict(**given, network="0,1000", iterations={"cg": 100})
    assert content["extents"] == [4, 4, 4, 8] and content["action"] == "staggered"
    assert content["provenance"]["kaon"] == kaon.version() and content["provenance"]["processes"] == 1
    assert [row["processes"] for row in content["predictions"]] == [1, 2] and "3 processes" in content["notes"][0]
    assert drawn(kaon.plot.prediction(content))[1][0] == content["predictions"][0]["solve_seconds"] > 0
    counted = kaon.predict(gauge=links, mass=1.0, processes=1, solvers=["bicgstab"], tolerance=1e-4)
    assert counted["predictions"][0]["iterations"] > 0
    for wrong, text in (({"mass": 0.1}, "counted on links"), ({"size": None}, "extents or links"), ({"size": 4j}, "four integers"),
                        ({"no_option": 1}, "no_option"), ({"size": np.ma.masked_array([4, 4, 4, 8])}, "mask"),
                        ({"processes": 3}, "nothing can be predicted: 3 processes cannot"), ({"solvers": "lu"}, "'lu' is none of"),
                        ({"solvers": "bicgstab"}, "are not predicted for these quarks"), ({"network": "a\0b"}, "null characters"),
                        ({"iterations": {"bicgstab": 3}}, "not those of solvers cg"), ({"cut": "u"}, "letter beside x, y, z, t"),
                        ({"shifts": 0}, "shifts = 0"), ({"precision": "quarter"}, "'quarter' is none of half")):
        refuses(kaon.InvalidArgument, text, kaon.predict, **{**given, **wrong})
    with pytest.raises(kaon.FileError):
        kaon.predict(gauge="/nowhere/links", mass=0.1)


def test_residuals_of_a_report_are_drawn(tmp_path):
    for residuals in ([0.1, 1e-2, 1e-4], []):
        report = {"pion_correlator": [1.0, 0.5, 0.3, 0.5], "effective_mass": [0.7, None, 0.4, 0.7], "solver": {"tolerance": 1e-3, "residuals": residuals}}
        (tmp_path / "pion.json").write_text(json.dumps(report))
        text = kaon.plot.plot_files([tmp_path / "pion.json"], tmp_path / "pion.svg").read_text()
        assert "effective mass" in text and ("|r| / |b|" in text) == bool(residuals)


def test_masses_of_files_are_those_of_the_file(tmp_path, monkeypatch):
    """Correlators of pairs have another form than the cosh."""
    report = {"pion_correlator": [1.0, 0.5, 0.3, 0.5], "effective_mass": [None, 3.25, 0.4, None]}
    seen = []
    monkeypatch.setattr(kaon.plot, "draw_effective_masses", lambda masses, *_: seen.append(masses))
    (tmp_path / "pion.json").write_text(json.dumps(report))
    kaon.plot.plot_files([tmp_path / "pion.json"])
    assert np.array_equal(seen[0], [np.nan, 3.25, 0.4, np.nan], equal_nan=True)


def test_pictures_of_the_same_content_are_the_same(tmp_path):
    (tmp_path / "run.json").write_text('{"plaquettes": [0.5, 0.6]}')
    first, second = (kaon.plot.plot_files([tmp_path / "run.json"], tmp_path / name).read_bytes() for name in ("1.svg", "2.svg"))
    assert first == second and b"<dc:date>" not in first


@pytest.mark.parametrize("name", ["pion", "beside_peers"])
def test_files_of_committed_pictures_are_drawn(name, tmp_path):
    assert main(["plot", str(SOURCE / "docs" / "pictures" / f"{name}.json"), "--output", str(tmp_path / "picture.svg")]) == 0
    assert (tmp_path / "picture.svg").stat().st_size > 10000


def test_plot_in_a_terminal(tmp_path):
    """It needs no package: the interpreter sees none."""
    def shown(file):
        return subprocess.run([sys.executable, "-I", "-S", SOURCE / "tools" / "terminal-plot", file], capture_output=True,
                              text=True)

    (tmp_path / "pion.json").write_text(json.dumps(json.loads((SOURCE / "docs" / "pictures" / "pion.json").read_text())[0]))
    done = shown(tmp_path / "pion.json")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["t", "pion", "C(t),"] and "effective mass: " in lines[0]
    assert [int(line.split()[0]) for line in lines[1:]] == list(range(24))
    places = [line.index("*") for line in lines[1:]]
    assert places[0] == max(places) and 6 < places.index(min(places)) < 18
    assert max(map(len, lines)) <= 80
    done = shown(SOURCE / "docs" / "pictures" / "beside_peers.json")
    assert done.returncode == 1 and "cannot be plotted" in done.stderr and "Traceback" not in done.stderr


def test_benchmarks(tmp_path):
    output = tmp_path / "perf.json"
    program("KAON_PERF", "--kaon_extents=4,4,4,4", "--benchmark_filter=^hop/double", "--benchmark_min_time=0.001",
            "--kaon_copy_mib=1", f"--benchmark_out={output}", "--benchmark_out_format=json")
    contents = json.loads(output.read_text())
    runs = [r for r in contents["benchmarks"] if r["name"].startswith("hop/double")]
    x, y = drawn(kaon.plot.roofline(contents))
    assert sorted(y) == sorted(r["Gflop/s"] for r in runs)
    assert np.allclose(sorted(x), sorted(r["Gflop/s"] / r["GB/s"] for r in runs))
    other = json.loads(json.dumps(contents))
    other["context"]["processes"] = "2"
    axes = kaon.plot.scaling([contents, other])
    assert axes.lines and all(list(line.get_xdata()) == [1, 2] for line in axes.lines)
    refuses(kaon.InvalidArgument, "no run of 'nonsense'", kaon.plot.scaling, [contents], "nonsense")
    assert main(["plot", str(output)]) == 0 and (tmp_path / "perf.json.png").exists()


def test_ensembles_have_autocorrelation_times():
    noise = np.random.default_rng(1).normal(size=400)
    chain = np.convolve(noise, 0.8 ** np.arange(40))[:400]
    figure = kaon.plot.Figure()
    kaon.plot._draw_ensembles(figure, [{"plaquettes": list(chain), "delta_energies": list(noise)}, {"plaquettes": [0.5, 0.6]}],
                              ["hmc", "generate"])
    labels = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]
    assert [axes.get_ylabel() for axes in figure.axes] == ["plaquette", "dH"]
    found = kaon.chain_mean(chain)
    assert labels[0][0] == f"hmc, tau_int = {kaon.plot.with_error(found.tau_int, found.tau_int_error)}"
    assert labels[0][1] == "generate"
    assert len(labels[1]) == 1 and labels[1][0].startswith("hmc, tau_int = 0.")


def test_command_plots_the_files_of_kaon_propagator_and_generate(tmp_path, capsys):
    made = program("KAON_PROGRAM", "generate", "--size", "4,4,4,8", "--beta", "6", "--sweeps", "3", "--output",
                   tmp_path / "run")
    checkpoint = tmp_path / "run.checkpoint.json"
    assert f"python3 -m kaon plot {checkpoint}" in made
    done = plot(checkpoint)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.checkpoint.json.png").read_bytes().startswith(b"\x89PNG")
    made = program("KAON_PROGRAM", "propagator", "--gauge", tmp_path / "run_000003.lime", "--mass", "0.5",
                   "--correlator", tmp_path / "pion.json")
    assert f"python3 -m kaon plot {tmp_path / 'pion.json'}" in made
    pion, picture = str(tmp_path / "pion.json"), tmp_path / "pion.svg"
    assert main(["plot", pion, "--output", str(picture)]) == 0 and "<svg" in picture.read_text()
    assert main(["plot", pion, str(checkpoint)]) == 2 and "several kinds" in capsys.readouterr().err


@pytest.mark.parametrize("content, more, code, text", [
    (None, [], 3, "given.json"), ("{}", [], 3, "given.json cannot be drawn: it has none of pion_correlator"), ("{", [], 3, "given.json"),
    ('{"plaquettes": [0.5, 0.6]}', ["--output", "picture.nonsense"], 2, "nonsense")])
def test_command_refuses_other_files(content, more, code, text, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        pathlib.Path("given.json").write_text(content)
    assert main(["plot", "given.json", *more]) == code and text in capsys.readouterr().err


def test_pictures_replace_neither_inputs_nor_each_other(tmp_path):
    content = '{"plaquettes": [0.5, 0.6]}'
    for name in ("run_m0.05", "run_m0.02", "run_m0.05.png"):
        (tmp_path / name).write_text(content)
    (tmp_path / "link.svg").symlink_to("run_m0.02")
    assert kaon.plot.plot_files([tmp_path / "run_m0.02"]) == tmp_path / "run_m0.02.png"
    for files, output in ((["run_m0.05", "run_m0.05.png"], None), (["run_m0.05.png"], tmp_path / "run_m0.05.png"),
                          (["run_m0.02"], tmp_path / "link.svg")):
        with pytest.raises(kaon.InvalidArgument, match="would replace the file .*: give another --output"):
            kaon.plot.plot_files([tmp_path / name for name in files], output)
    for output in (tmp_path, "/dev/null"):
        refuses(kaon.FileError, "no regular file", kaon.plot.plot_files, [tmp_path / "run_m0.05"], output)
    for name in ("run_m0.05", "run_m0.02", "run_m0.05.png"):
        assert (tmp_path / name).read_text() == content
    assert len(list(tmp_path.iterdir())) == 5


RUN = '"name": "hop/double/links:18/8x8x8x8", "run_type": "iteration"'


@pytest.mark.parametrize("content", [
    "[" * 100000 + "]" * 100000, "1" * 5000, '"\xff', '{"plaquettes": [1.0, 1%s]}' % ("0" * 400), '{"plaquettes": [{}]}',
    '{"pion_correlator": [1.0, 1%s, 0.5], "effective_mass": [1, 1, 1]}' % ("0" * 400), '{"pion_correlator": [1.0]}',
    '{"pion_correlator": [1.0], "effective_mass": [1, 2]}', '{"pion_correlator": [1.0], "effective_mass": ["x"]}',
    '{"pion_correlator": [1.0], "effective_mass": [1], "solver": [1]}',
    '{"pion_correlator": [1.0], "effective_mass": [1], "solver": {"residuals": [[1], 2]}}',
    '{"pion_correlator": [1.0], "effective_mass": [1], "solver": {"residuals": [0.1], "tolerance": "x"}}', '{"benchmarks": [1, 2]}',
    '{"benchmarks": []}', '{"benchmarks": [{%s, "Gflop/s": "fast", "GB/s": 1}]}' % RUN,
    '{"benchmarks": [{%s, "Gflop/s": null, "GB/s": 1}]}' % RUN,
    '{"context": "x", "benchmarks": [{%s, "Gflop/s": 3.0, "GB/s": 1}]}' % RUN,
    '{"context": {"copy_GB/s": "x"}, "benchmarks": [{%s, "Gflop/s": 3.0, "GB/s": 1}]}' % RUN,
    '{"context": {"processes": "x"}, "benchmarks": [{%s, "Gflop/s": 3.0, "GB/s": 1}]}' % RUN,
    '{"comparisons": []}', '{"comparisons": [1]}',
    '{"comparisons": [{"title": "x", "rows": [{"what": "a", "seconds": [1, 1%s]}]}]}' % ("0" * 400)])
def test_damaged_files_are_refused(content, tmp_path):
    (tmp_path / "x.json").write_bytes(content.encode("latin-1"))
    refuses(kaon.FileError, r"x\.json (is not JSON|cannot be drawn)", kaon.plot.plot_files, [tmp_path / "x.json"])
    assert len(list(tmp_path.iterdir())) == 1


def test_binary_files_are_refused_by_the_files_that_are_read(tmp_path):
    (tmp_path / "cfg.lime").write_bytes(bytes(range(256)))
    refuses(kaon.FileError, "cfg.lime is not JSON, nor HDF5: give files of kaon measure, or JSON of kaon prop", kaon.plot.plot_files, [tmp_path / "cfg.lime"])


def test_refusals():
    for call in (kaon.plot.correlator, kaon.plot.effective_mass, kaon.plot.residuals, kaon.plot.history):
        with pytest.raises(kaon.InvalidArgument):
            call([])
    refuses(kaon.InvalidArgument, "Axes", kaon.plot.correlator, [1.0, 0.5], axes=3)
    refuses(kaon.InvalidArgument, "numbers", kaon.plot.correlator, ["one"])
    refuses(kaon.InvalidArgument, "kaon_perf", kaon.plot.roofline, {})
