# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Pictures by matplotlib, which is imported for this module alone. Each function draws into an Axes and returns it."""
from __future__ import annotations

import io
import math
import os
import pathlib
import tempfile
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from .requirements import require_package

require_package("matplotlib")
from matplotlib import pyplot, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .contractions import effective_mass as effective_mass_of
from .correlators import Correlator
from .ensemble import Ensemble
from .errors import FileError, InvalidArgument, LibraryError
from .fits import Fit
from .measurement_files import FORMAT, is_hdf5, read_json
from .statistics import chain_mean
from .values import real, real_parts, refuse_mask, shown

__all__ = ["comparison", "correlator", "effective_mass", "history", "plot_files", "prediction", "read_json", "residuals", "roofline",
           "scaling", "spectrum"]


def _axes(axes: Axes | None) -> Axes:
    if axes is None:
        return pyplot.figure(layout="constrained", figsize=(5.5, 3.8)).add_subplot()
    if not isinstance(axes, Axes):
        raise InvalidArgument(f"axes are a {type(axes).__name__}, not matplotlib's Axes")
    return axes


def _points(axes: Axes, x: np.ndarray, y: np.ndarray, error: np.ndarray | None, label: str | None, style: Mapping[str, Any]) -> None:
    style = {"marker": "o", "linestyle": "", **style}
    if error is None:
        axes.plot(x, y, **style, label=label)
    else:
        known = np.isfinite(y) & np.isfinite(error)
        axes.errorbar(x[known], y[known], error[known], **{"capsize": 2, "markersize": 4, **style}, label=label)


def _given(values: Any) -> Correlator | np.ndarray:
    """A correlator of several configurations, or the numbers of one."""
    if isinstance(values, Correlator):
        return values
    given = real_parts(values, "a correlator", (1, 2))
    return given if given.ndim == 1 else Correlator(given)


def correlator(values: Any, axes: Axes | None = None, label: str | None = None, **style: Any) -> Axes:
    """C(t) on a logarithmic axis; values that are not positive are left out. For several configurations, in rows or as a
    `kaon.Correlator`, it draws their mean with errors."""
    given = _given(values)
    c = given.mean if isinstance(given, Correlator) else given
    error = given.error() if isinstance(given, Correlator) and len(given.samples) > 1 else None
    axes = _axes(axes)
    axes.set_yscale("log")
    _points(axes, np.arange(c.size), np.where(c > 0, c, np.nan), error, label, style)
    return _name_times(axes, "C(t)")


def _name_times(axes: Axes, quantity: str) -> Axes:
    axes.set_xlabel("t / a")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel(quantity)
    return axes


def _effective_masses(masses: np.ndarray, axes: Axes | None, label: str | None, style: Mapping[str, Any],
                      error: np.ndarray | None = None) -> Axes:
    """Masses between t and t + 1; nan if there is none."""
    axes = _axes(axes)
    _points(axes, np.arange(masses.size) + 0.5, masses, error, label, style)
    return _name_times(axes, "effective mass, a m")


def effective_mass(values: Any, axes: Axes | None = None, label: str | None = None, times: Sequence[int] | None = None,
                   oscillating: bool = False, fit: Fit | None = None, **style: Any) -> Axes:
    """The effective mass of a correlator, between t and t + 1 in units of 1/a, by `kaon.effective_mass`. For several configurations, in rows
    or as a `kaon.Correlator`, it draws that of their mean, with errors, to T/2, and as a band the energy of a `fit`, or else the
    plateau of these `times`, or the one that is found, if any."""
    given = _given(values)
    if not isinstance(given, Correlator):
        return _effective_masses(effective_mass_of(given, oscillating), axes, label, style)
    half = given.samples.shape[1] // 2
    if len(given.samples) == 1:
        return _effective_masses(given._mass_function(oscillating)(given.mean)[:half], axes, label, style)
    m, error = given.effective_mass(oscillating)
    axes = _effective_masses(m[:half], axes, label, style, error[:half])
    if fit is not None:
        if not isinstance(fit, Fit):
            raise InvalidArgument(f"a fit is needed, not a {type(fit).__name__}")
        _band(axes, fit.energies[0], fit.energy_errors[0], fit.first, fit.last)
        return axes
    try:
        _band(axes, *given.plateau(times, oscillating))
    except InvalidArgument:  # there may be none
        if times is not None:
            raise
    return axes


def _band(axes: Axes, value: float, error: float, first: int, last: int) -> None:
    """A mass with its error from one time to another, in the colour of the last points."""
    color = axes.containers[-1].lines[0].get_color()  # type: ignore[attr-defined]
    axes.fill_between([first, last + 1], value - error, value + error, color=color, alpha=0.3, linewidth=0,
                      label=f"{_with_error(value, error)}, t = {first} to {last}")


#: Channels of a spectrum, and their names in pictures.
_SPECTRUM: dict[str, dict[str, tuple[str, ...]]] = {
    "meson": {"pseudoscalar": ("g5:g5",), "vector": ("g1:g1", "g2:g2", "g3:g3")}, "baryon": {"positive parity": ("positive",)}}


def spectrum(ensemble: Ensemble, figure: Figure | None = None) -> Figure:
    """Correlators of an ensemble at rest and their effective masses, with plateaus: pseudoscalar and vector mesons and baryons of
    positive parity, for each sink. Without libkaon those of mesons have no effective masses."""
    if not isinstance(ensemble, Ensemble):
        raise InvalidArgument(f"an Ensemble is needed, not a {type(ensemble).__name__}")
    figure = pyplot.figure(layout="constrained") if figure is None else figure
    left, right = figure.subplots(1, 2)
    has_masses = True
    for kind, names in ensemble.hadrons:
        known, sinks = ensemble.channels(kind, *names), ensemble.sinks(kind, *names)
        for title, channels in _SPECTRUM.get(kind, {}).items():
            if not set(channels) <= set(known):
                continue
            for sink in sinks:
                c = (ensemble.meson if kind == "meson" else ensemble.baryon)(*names, channel=channels, sink=sink)
                label = ", ".join([" and ".join(dict.fromkeys(names)) if kind == "meson" else " ".join(names),
                                   *([title] if len(known) > 1 else []), *([f"sink {sink}"] if len(sinks) > 1 else [])])
                label = f"{label}: {len(c.samples)} configuration{'s'[:len(c.samples) - 1]}".replace("$", r"\$")  # no formulas of TeX
                correlator(c, left, label)
                # The doublets of `kaon propagator` have flavours of two masses.
                try:
                    effective_mass(c, right, oscillating=len(known) == 1 and len(set(names)) > 1)
                except LibraryError:
                    has_masses = False
    if not left.has_data():
        raise InvalidArgument(f"{ensemble!r} has no channels of a spectrum")
    if not has_masses:
        right.text(0.5, 0.95, "effective masses of mesons need libkaon.so,\nwhich ./dev build makes", ha="center", va="top",
                   transform=right.transAxes)
    figure.set_size_inches(10, 4 + 0.2 * len(left.get_legend_handles_labels()[0]))
    for axes in (left, right):
        if axes.get_legend_handles_labels()[0]:  # on the right those of plateaus
            axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14))  # below the points
    return figure


def _with_error(value: float, error: float) -> str:
    """0.3581(24): two digits of the error, in units of the last digit of the value."""
    if not (math.isfinite(error) and error > 0.0):
        return f"{value:g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f}({round(error * 10**digits)})"


def residuals(history: Sequence[Any], axes: Axes | None = None, label: str | None = None,
              tolerance: float | None = None, **style: Any) -> Axes:
    """The largest residual of all right-hand sides by iteration: `Solver.history`."""
    if isinstance(history, Sequence) and len(history) == 0:
        raise InvalidArgument("a history of residuals is empty: a Solver with keep_history=True has one after a solve")
    refuse_mask(history, "a history of residuals")
    try:
        rows = [np.max(real_parts(np.atleast_1d(row), "a row of residuals")) for row in history]
    except TypeError:
        raise InvalidArgument(f"a history of residuals is a list of rows, not {shown(history)}") from None
    worst = real_parts(rows, "a history of residuals")
    axes = _axes(axes)
    axes.semilogy(np.arange(1, worst.size + 1), worst, label=label, **style)
    if tolerance is not None:
        axes.axhline(real(tolerance, "tolerance"), color="0.6", linewidth=1)
    axes.set_xlabel("iteration")
    axes.set_ylabel("|r| / |b|")
    return axes


def history(values: Any, axes: Axes | None = None, label: str | None = None, quantity: str = "plaquette",
            **style: Any) -> Axes:
    """A quantity by update, from update 1."""
    numbers = real_parts(values, "a history")
    axes = _axes(axes)
    axes.plot(np.arange(1, numbers.size + 1), numbers, **{"linewidth": 1, **style}, label=label)
    axes.set_xlabel("update")
    axes.set_ylabel(quantity)
    return axes


def _speed(row: Mapping[str, Any]) -> float:
    """How many times as fast as its peer kaon is, in a row of a comparison."""
    if "seconds" in row:
        kaon, peer = row["seconds"]
        return peer / kaon
    if "gflops" in row:
        kaon, peer = row["gflops"]
        return kaon / peer
    return row["ratio"]


def comparison(table: Any, axes: Axes | None = None) -> Axes:
    """Bars of kaon's speed divided by a peer's, in red where the peer is faster. The table has a `title` and `rows`, and a row
    has `what` and its numbers: those of kaon and of the peer in `seconds` or in `gflops`, or their `ratio`."""
    try:
        title, names = str(table["title"]), [str(row["what"]) for row in table["rows"]]
        speeds = real_parts([_speed(row) for row in table["rows"]], "a comparison")
    except (ArithmeticError, KeyError, TypeError, ValueError):
        raise InvalidArgument("a comparison has a title and rows, and a row has what and seconds, gflops or ratio") from None
    axes = _axes(axes)
    # Two colours of Okabe and Ito, which differ for the colour-blind, too.
    axes.barh(names, speeds, color=["#0072b2" if speed >= 1 else "#d55e00" for speed in speeds])
    for place, speed in enumerate(speeds):
        axes.annotate(f"{speed:.2f}", (0, place), (5, 0), textcoords="offset points", va="center", color="white")
    axes.axvline(1, color="0.2", linewidth=1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.invert_yaxis()
    axes.set_title(title)
    return axes


def _number(place: Mapping[str, Any], key: str, otherwise: float, what: str) -> float:
    try:
        number = float(place.get(key, otherwise))
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidArgument(f"{key} of {what} is no number")
    return number


def _of_context(benchmarks: Mapping[str, Any], key: str, otherwise: float) -> float:
    context = benchmarks.get("context", {})
    if not isinstance(context, Mapping):
        raise InvalidArgument("the context of these benchmarks is no object")
    return _number(context, key, otherwise, "the context")


def _runs(benchmarks: Any) -> list[tuple[dict[str, str], dict[str, float]]]:
    """Runs of kaon_perf with the parts of their names (what, precision, links, rhs, extents) and their numbers."""
    if not isinstance(benchmarks, Mapping) or not isinstance(benchmarks.get("benchmarks"), list):
        raise InvalidArgument("this is not the JSON of kaon_perf (--benchmark_out=FILE): it has no list of benchmarks")
    runs = []
    for run in benchmarks["benchmarks"]:
        if not isinstance(run, Mapping):
            raise InvalidArgument("one of the benchmarks is no object")
        parts = str(run.get("name", "")).removesuffix("/manual_time").split("/")
        if run.get("run_type") != "iteration" or len(parts) < 4 or "Gflop/s" not in run:
            continue
        tags = dict(p.split(":", 1) for p in parts if ":" in p)
        numbers = {key: _number(run, key, 0.0, "/".join(parts)) for key in ("Gflop/s", "GB/s")}
        runs.append(({"what": parts[0], "precision": parts[1], "links": tags.get("links", ""), "rhs": tags.get("rhs", ""),
                      "extents": parts[-1]}, numbers))
    return runs


def roofline(benchmarks: Any, axes: Axes | None = None) -> Axes:
    """Gflop/s over flops a byte of the benchmarks of kaon_perf, beneath the copy bandwidth of the same run."""
    runs = [(names, run) for names, run in _runs(benchmarks) if run["GB/s"] > 0 and run["Gflop/s"] > 0]
    if not runs:
        raise InvalidArgument("this file of kaon_perf has no run with Gflop/s and GB/s")
    axes = _axes(axes)
    for precision in dict.fromkeys(names["precision"] for names, _ in runs):
        points = [(run["Gflop/s"] / run["GB/s"], run["Gflop/s"]) for names, run in runs if names["precision"] == precision]
        axes.loglog(*zip(*points), "o", label=precision)
    copy = _of_context(benchmarks, "copy_GB/s", 0.0)
    if copy > 0:
        intensities = [run["Gflop/s"] / run["GB/s"] for _, run in runs]
        ends = np.array([min(intensities) / 1.5, max(intensities) * 1.5])
        axes.loglog(ends, copy * ends, color="0.6", label=f"copy, {copy:.0f} GB/s")
    axes.set_xlabel("flops per byte")
    axes.set_ylabel("Gflop/s")
    axes.legend()
    return axes


def scaling(benchmarks: Iterable[Any], what: str = "hop", axes: Axes | None = None) -> Axes:
    """Gflop/s of one benchmark over the number of processes, from a file of kaon_perf for each number; a line for each
    precision, links, right-hand sides and extents that all files have."""
    points: dict[tuple[str, ...], dict[int, float]] = {}
    for file in benchmarks:
        runs = _runs(file)
        processes = int(_of_context(file, "processes", 1))
        for names, run in runs:
            if names.pop("what") == what:
                line = points.setdefault(tuple(names.values()), {})
                line[processes] = max(line.get(processes, 0.0), run["Gflop/s"])
    if not points:
        raise InvalidArgument(f"no run of {shown(what)} is in these files of kaon_perf")
    axes = _axes(axes)
    for (precision, links, rhs, extents), line in points.items():
        numbers = sorted(line)
        label = " ".join(filter(None, [extents, precision, links and f"links {links}", rhs and f"rhs {rhs}"]))
        axes.loglog(numbers, [line[n] for n in numbers], "o-", label=label)
    axes.set_xlabel("processes")
    axes.set_ylabel(f"Gflop/s of {what}")
    axes.legend(fontsize="small")
    return axes


def prediction(content: Any, solver: str | None = None, axes: Axes | None = None) -> Axes:
    """Predicted times over the number of processes, of `kaon predict --json`: of solves, without those that do not converge, a line
    for each solver; of iterations where no solves of it are known. With `solver` the parts of one iteration of it, as bars."""
    try:
        everything = list(content["predictions"])
        rows = [row for row in everything if solver is None or row["solver"] == solver]
        solved = {str(row["solver"]) for row in rows if "solve_seconds" in row}
        if solver is None:
            rows = [row for row in rows if row["solver"] not in solved or "solve_seconds" in row]
        solvers = list(dict.fromkeys(str(row["solver"]) for row in rows))
        network = str(content["network"]["name"])
        notes = [str(note) for note in content.get("notes", [])]
        times = [row.get("solve_seconds", row["seconds"]["iteration"]) for row in rows]
        parts = {name: [1e6 * row["seconds"][name] for row in rows] for name in ("interior", "halo", "vectors", "sums")}
        counts = [row["processes"] for row in rows]
    except (AttributeError, KeyError, TypeError):
        raise InvalidArgument("predictions have a network and rows with solver, processes and seconds") from None
    if not rows:
        raise InvalidArgument("nothing was predicted" + (f" of {shown(solver)}" if everything else "") +
                              (f": {'; '.join(notes)}" if notes else ""))
    processes = real_parts(counts, "processes")
    seconds = real_parts(times, "predicted times")
    axes = _axes(axes)
    if solver is None:
        for name in solvers:
            mine = [row["solver"] == name for row in rows]
            axes.loglog(processes[mine], seconds[mine], "o-", label=name if name in solved or not solved else f"{name}, an iteration")
        axes.set_ylabel("s of a solve" if solved else "s of an iteration")
        axes.set_xlabel("processes")
    else:
        bottom, names = np.zeros(len(rows)), [f"{number:.0f}" for number in processes]
        for name, part in parts.items():
            height = real_parts(part, name)
            axes.bar(names, height, bottom=bottom, label=name)
            bottom += height
        axes.set_ylabel("us of an iteration")
        axes.set_xlabel("processes")
    axes.set_title(f"predicted, {solver or network}")
    axes.legend(fontsize="small")
    return axes


def plot_files(files: Sequence[Any], output: Any = None, show: bool = False) -> pathlib.Path | None:
    """Draws the content of the files: the `spectrum` of measurements in HDF5 or JSON, correlators, effective masses and residuals of
    `kaon propagator --correlator`, plaquettes of a checkpoint of `kaon generate`, benchmarks of kaon_perf, comparisons, or times of
    `kaon predict --json`. All are of one kind; a list of such contents counts as several files. For reports of
    several configurations with the same action, source and extents it draws their spectrum, too. Returns the picture's path, if any:
    `output`, or the name of the first file with the suffix .png. Raises `FileError` for files that cannot be drawn or written,
    `InvalidArgument` for files of several kinds and for a picture that would replace one of them."""
    if not files:
        raise InvalidArgument("there is no file to draw")
    path = pathlib.Path(output) if output is not None else pathlib.Path(f"{files[0]}.png")
    for file in files:
        if not show and path.exists() and pathlib.Path(file).exists() and path.samefile(file):
            raise InvalidArgument(f"the picture {path} would replace the file {file}: give another --output")
    contents, labels, kinds = [], [], set()
    for file in files:
        content = {"format": FORMAT, "file": str(file)} if is_hdf5(file) else read_json(file)
        for part in content if isinstance(content, list) and content else [content]:
            contents.append(part)
            labels.append(pathlib.Path(file).name.replace("$", r"\$"))  # no formulas of TeX
            kinds.add(_kind_of(part, file))
    if len(kinds) > 1:
        names = sorted(_KINDS[kind][0] for kind in kinds)
        raise InvalidArgument(f"the files are of several kinds ({', '.join(names)}): plot each kind by itself")
    (kind,) = kinds
    # A figure without pyplot's list of windows, unless one is wanted.
    figure = pyplot.figure(layout="constrained")
    try:
        try:
            _KINDS[kind][2](figure, contents, labels)
        except InvalidArgument as error:  # numbers of all files together
            raise FileError(f"{', '.join(map(str, files))} cannot be drawn: {error}") from None
        if show:
            pyplot.show()
            return None
        _save(figure, path)
        return path
    finally:
        pyplot.close(figure)


def _save(figure: Figure, path: pathlib.Path) -> None:
    """Writes a picture, under another name until it is complete; an SVG of the same content has the same bytes, and text as
    text."""
    picture = io.BytesIO()
    kind = path.suffix[1:].lower() or "png"
    try:
        with rc_context({"svg.hashsalt": "kaon", "svg.fonttype": "none"}):
            figure.savefig(picture, format=kind, dpi=120, metadata={"Date": None} if kind == "svg" else None)
    except ValueError as error:
        raise InvalidArgument(f"{path}: {error}") from None
    target = path.resolve()  # behind links
    if target.exists() and not target.is_file():
        raise FileError(f"{path} is no regular file")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".picture.") as folder:
            complete = pathlib.Path(folder) / "picture"
            complete.write_bytes(picture.getvalue())
            os.replace(complete, target)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _ensemble(contents: Sequence[Any]) -> Ensemble | None:
    """The reports as an ensemble, if each of its correlators is on several configurations of one lattice."""
    try:
        ensemble = Ensemble(contents)
        several = all(len(ensemble.meson(*quarks).samples) > 1 for _, quarks in ensemble.hadrons)
        return ensemble if several else None
    except (FileError, InvalidArgument):
        return None


def _draw_correlators(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    ensemble = _ensemble(contents)
    if ensemble is not None:
        spectrum(ensemble, figure)
        return
    solvers = [content.get("solver") or {} for content in contents]
    with_residuals = any(solver.get("residuals") for solver in solvers)
    figure.set_size_inches(11 if with_residuals else 9, 3.8)
    left, middle, *right = figure.subplots(1, 3 if with_residuals else 2)
    for content, solver, label in zip(contents, solvers, labels):
        correlator(content["pion_correlator"], left, label)
        _effective_masses(_masses_of(content), middle, label, {})
        if solver.get("residuals"):
            tolerance = _number(solver, "tolerance", 0.0, "the solver")
            residuals(solver["residuals"], right[0], label, tolerance if tolerance > 0 else None)
    if len(contents) > 1:
        left.legend(fontsize="small")


def _draw_measurements(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    spectrum(Ensemble([content.get("file", content) for content in contents]), figure)


def _draw_ensembles(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    series = {"plaquettes": "plaquette", "delta_energies": "dH"}
    drawn = {name: quantity for name, quantity in series.items() if any(name in content for content in contents)}
    figure.set_size_inches(5.5, 3.8 * len(drawn))
    for axes, (name, quantity) in zip(figure.subplots(len(drawn), squeeze=False)[:, 0], drawn.items()):
        for content, label in zip(contents, labels):
            if name in content:
                history(content[name], axes, _with_tau(label, content[name]), quantity)
        axes.legend(fontsize="small")


def _with_tau(label: str, values: Sequence[float]) -> str:
    """A label with the integrated autocorrelation time of a chain that is long enough for an estimate."""
    if len(values) < 2:
        return label
    mean = chain_mean(values)
    return label if not mean.error > 0 else f"{label}, tau_int = {_with_error(mean.tau_int, mean.tau_int_error)}"


def _draw_benchmarks(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    figure.set_size_inches(5.5, 3.8)
    if len(contents) > 1:
        scaling(contents, axes=figure.subplots())
    else:
        roofline(contents[0], figure.subplots())


def _draw_comparisons(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    tables = [table for content in contents for table in content["comparisons"]]
    figure.set_size_inches(5.5 * len(tables), 4)
    for axes, table in zip(figure.subplots(1, len(tables), squeeze=False)[0], tables):
        comparison(table, axes)


def _draw_predictions(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    panels = [(content, solver) for content in contents
              for solver in [None, *dict.fromkeys(row["solver"] for row in content["predictions"])]]
    figure.set_size_inches(4 * len(panels), 3.6)
    for axes, (content, solver) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels):
        prediction(content, solver, axes)


def _masses_of(content: Mapping[str, Any]) -> np.ndarray:
    """The effective masses of a file, which knows the form of its correlator."""
    masses = content.get("effective_mass")
    if not isinstance(masses, list) or len(masses) != len(content["pion_correlator"]):
        raise InvalidArgument("it has not as many entries of effective_mass as of pion_correlator")
    return real_parts([math.nan if mass is None else mass for mass in masses], "effective_mass")


def _check_correlator(content: Mapping[str, Any]) -> None:
    real_parts(content["pion_correlator"], "pion_correlator")
    solver = content.get("solver") or {}
    if not isinstance(solver, Mapping):
        raise InvalidArgument("solver is no object")
    if solver.get("residuals"):
        real_parts(solver["residuals"], "residuals")
        _number(solver, "tolerance", 0.0, "the solver")


def _check_comparisons(content: Mapping[str, Any]) -> None:
    if not content["comparisons"]:
        raise InvalidArgument("it has no comparison")
    for table in content["comparisons"]:
        comparison(table, Figure().add_subplot())


def _check_benchmarks(content: Mapping[str, Any]) -> None:
    _runs(content)
    for key, otherwise in (("copy_GB/s", 0.0), ("processes", 1)):
        _of_context(content, key, otherwise)


#: The list, or the format, in a file that names its kind: that kind, its check, and how it is drawn.
_KINDS = {"pion_correlator": ("correlator", _check_correlator, _draw_correlators),
          "plaquettes": ("ensemble", lambda content: real_parts(content["plaquettes"], "plaquettes"), _draw_ensembles),
          "benchmarks": ("benchmark", _check_benchmarks, _draw_benchmarks),
          "comparisons": ("comparison", _check_comparisons, _draw_comparisons),
          "format": ("measurement", lambda content: None, _draw_measurements),
          "predictions": ("prediction", lambda content: prediction(content, None, Figure().add_subplot()), _draw_predictions)}


def _kind_of(content: Any, file: Any) -> str:
    """The name of the list of a file's content. Raises `FileError` where it cannot be drawn."""
    try:
        for key, (_, check, _) in _KINDS.items():
            if isinstance(content, Mapping) and (isinstance(content.get(key), list) or FORMAT == content.get(key)):
                check(content)
                return key
        raise InvalidArgument("it has none of pion_correlator (kaon propagator --correlator), plaquettes (a checkpoint of kaon "
                              "generate), benchmarks (kaon_perf --benchmark_out), predictions (kaon predict --json) and comparisons")
    except InvalidArgument as error:
        raise FileError(f"{file} cannot be drawn: {error}") from None
