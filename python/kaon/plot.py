# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Pictures by matplotlib, which is imported for this module alone. Each function draws into an Axes and returns it."""
from __future__ import annotations

import json
import pathlib
from typing import Any, Iterable, Mapping, Sequence

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes

from .contractions import effective_mass as effective_mass_of
from .errors import FileError, InvalidArgument


def _axes(axes: Axes | None) -> Axes:
    if axes is None:
        return pyplot.figure(layout="constrained", figsize=(5.5, 3.8)).add_subplot()
    if not isinstance(axes, Axes):
        raise InvalidArgument(f"axes are a {type(axes).__name__}, not matplotlib's Axes")
    return axes


def _numbers(values: Any, what: str) -> np.ndarray:
    try:
        made = np.asarray(values)
        made = np.asarray(made.real if np.iscomplexobj(made) else made, float)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{what}: numbers are needed") from None
    if made.ndim != 1 or made.size == 0:
        raise InvalidArgument(f"{what} has the shape {made.shape}; one or more numbers in a row are needed")
    return made


def correlator(values: Any, axes: Axes | None = None, label: str | None = None, **style: Any) -> Axes:
    """C(t) on a logarithmic axis; values that are not positive are left out."""
    c = _numbers(values, "a correlator")
    axes = _axes(axes)
    axes.semilogy(np.arange(c.size), np.where(c > 0, c, np.nan), **{"marker": "o", "linestyle": "", **style}, label=label)
    axes.set_xlabel("t")
    axes.set_ylabel("C(t)")
    return axes


def effective_mass(values: Any, axes: Axes | None = None, label: str | None = None, **style: Any) -> Axes:
    """The effective mass of a correlator, between t and t + 1, from the cosh form."""
    m = effective_mass_of(_numbers(values, "a correlator"))
    axes = _axes(axes)
    axes.plot(np.arange(m.size) + 0.5, m, **{"marker": "o", "linestyle": "", **style}, label=label)
    axes.set_xlabel("t")
    axes.set_ylabel("effective mass")
    return axes


def residuals(history: Sequence[Any], axes: Axes | None = None, label: str | None = None,
              tolerance: float | None = None, **style: Any) -> Axes:
    """The largest residual of all right-hand sides by iteration: `Solver.history`."""
    if len(history) == 0:
        raise InvalidArgument("a history of residuals is empty: a Solver with keep_history=True has one after a solve")
    worst = _numbers([np.max(r) for r in history], "a history of residuals")
    axes = _axes(axes)
    axes.semilogy(np.arange(1, worst.size + 1), worst, label=label, **style)
    if tolerance is not None:
        axes.axhline(tolerance, color="0.6", linewidth=1)
    axes.set_xlabel("iteration")
    axes.set_ylabel("|r| / |b|")
    return axes


def history(values: Any, axes: Axes | None = None, label: str | None = None, quantity: str = "plaquette",
            **style: Any) -> Axes:
    """A quantity by update, from update 1."""
    numbers = _numbers(values, "a history")
    axes = _axes(axes)
    axes.plot(np.arange(1, numbers.size + 1), numbers, **{"linewidth": 1, **style}, label=label)
    axes.set_xlabel("update")
    axes.set_ylabel(quantity)
    return axes


def _runs(benchmarks: Any) -> list[tuple[dict[str, str], Mapping[str, Any]]]:
    """Runs of kaon_perf with the parts of their names: what, precision, links, rhs, extents."""
    if not isinstance(benchmarks, Mapping) or not isinstance(benchmarks.get("benchmarks"), list):
        raise InvalidArgument("this is not the JSON of kaon_perf (--benchmark_out=FILE): it has no list of benchmarks")
    runs = []
    for run in benchmarks["benchmarks"]:
        parts = str(run.get("name", "")).removesuffix("/manual_time").split("/")
        if run.get("run_type") != "iteration" or len(parts) < 4 or "Gflop/s" not in run:
            continue
        tags = dict(p.split(":", 1) for p in parts if ":" in p)
        runs.append(({"what": parts[0], "precision": parts[1], "links": tags.get("links", ""), "rhs": tags.get("rhs", ""),
                      "extents": parts[-1]}, run))
    return runs


def roofline(benchmarks: Any, axes: Axes | None = None) -> Axes:
    """Gflop/s over flops a byte of the benchmarks of kaon_perf, beneath the copy bandwidth of the same run."""
    runs = [(names, run) for names, run in _runs(benchmarks) if run.get("GB/s", 0) > 0 and run["Gflop/s"] > 0]
    if not runs:
        raise InvalidArgument("this file of kaon_perf has no run with Gflop/s and GB/s")
    axes = _axes(axes)
    for precision in dict.fromkeys(names["precision"] for names, _ in runs):
        points = [(run["Gflop/s"] / run["GB/s"], run["Gflop/s"]) for names, run in runs if names["precision"] == precision]
        axes.loglog(*zip(*points), "o", label=precision)
    copy = benchmarks.get("context", {}).get("copy_GB/s")
    if copy is not None:
        intensities = [run["Gflop/s"] / run["GB/s"] for _, run in runs]
        ends = np.array([min(intensities) / 1.5, max(intensities) * 1.5])
        axes.loglog(ends, float(copy) * ends, color="0.6", label=f"copy, {float(copy):.0f} GB/s")
    axes.set_xlabel("flops per byte")
    axes.set_ylabel("Gflop/s")
    axes.legend()
    return axes


def scaling(benchmarks: Iterable[Any], what: str = "hop", axes: Axes | None = None) -> Axes:
    """Gflop/s of one benchmark over the number of processes, from a file of kaon_perf for each number; a line for each
    precision, links, right-hand sides and extents that all files have."""
    points: dict[tuple[str, ...], dict[int, float]] = {}
    for file in benchmarks:
        processes = int(file.get("context", {}).get("processes", 1)) if isinstance(file, Mapping) else 1
        for names, run in _runs(file):
            if names.pop("what") == what:
                line = points.setdefault(tuple(names.values()), {})
                line[processes] = max(line.get(processes, 0.0), run["Gflop/s"])
    if not points:
        raise InvalidArgument(f"no run of {what!r} is in these files of kaon_perf")
    axes = _axes(axes)
    for (precision, links, rhs, extents), line in points.items():
        numbers = sorted(line)
        label = " ".join(filter(None, [extents, precision, links and f"links {links}", rhs and f"rhs {rhs}"]))
        axes.loglog(numbers, [line[n] for n in numbers], "o-", label=label)
    axes.set_xlabel("processes")
    axes.set_ylabel(f"Gflop/s of {what}")
    axes.legend(fontsize="small")
    return axes


def read_json(path: Any) -> Any:
    """A file of JSON. Raises `FileError`."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # also of characters that are none
        raise FileError(f"{path} is not JSON ({error})") from None


def plot_files(files: Sequence[Any], output: Any = None, show: bool = False) -> pathlib.Path | None:
    """Draws what the files hold: correlators and effective masses of `kaon propagator --correlator`, plaquettes of a
    checkpoint of `kaon generate`, or benchmarks of kaon_perf. All of one kind. Returns the picture's path, if any."""
    if not files:
        raise InvalidArgument("there is no file to draw")
    contents = [read_json(file) for file in files]
    labels = [pathlib.Path(file).name for file in files]
    kinds = {_kind(content, file) for content, file in zip(contents, files)}
    if len(kinds) > 1:
        raise InvalidArgument(f"the files are of several kinds ({', '.join(sorted(kinds))}): plot each kind by itself")
    (kind,) = kinds
    # A figure without pyplot's list of windows, unless one is wanted.
    figure = pyplot.figure(layout="constrained", figsize=(9, 3.8) if kind == "correlator" else (5.5, 3.8))
    try:
        if kind == "correlator":
            left, right = figure.subplots(1, 2)
            for content, label in zip(contents, labels):
                correlator(content["pion_correlator"], left, label)
                effective_mass(content["pion_correlator"], right, label)
            left.legend(fontsize="small")
        elif kind == "ensemble":
            axes = figure.subplots()
            for content, label in zip(contents, labels):
                history(content["plaquettes"], axes, label)
            axes.legend(fontsize="small")
        elif len(contents) > 1:
            scaling(contents, axes=figure.subplots())
        else:
            roofline(contents[0], figure.subplots())
        if show:
            pyplot.show()
            return None
        path = pathlib.Path(output) if output is not None else pathlib.Path(files[0]).with_suffix(".png")
        try:
            figure.savefig(path, dpi=120)
        except ValueError as error:
            raise InvalidArgument(f"{path}: {error}") from None
        except OSError as error:
            raise FileError(f"{path}: {error}") from None
        return path
    finally:
        pyplot.close(figure)


def _kind(content: Any, file: Any) -> str:
    if isinstance(content, Mapping):
        for key, kind in (("pion_correlator", "correlator"), ("plaquettes", "ensemble"), ("benchmarks", "benchmark")):
            if isinstance(content.get(key), list):
                return kind
    raise InvalidArgument(f"{file} has none of pion_correlator (kaon propagator --correlator), plaquettes (a checkpoint of "
                          "kaon generate) and benchmarks (kaon_perf --benchmark_out)")
