# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Pictures of benchmarks, comparisons and predictions. Each function draws into an Axes and returns it."""
from __future__ import annotations

from typing import Any, Iterable, Mapping

import numpy as np

from .axes import Axes, axes_or_new, number_of
from .errors import InvalidArgument
from .values import real_parts, shown


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
    axes = axes_or_new(axes)
    # Two colours of Okabe and Ito, which differ for the colour-blind, too.
    axes.barh(names, speeds, color=["#0072b2" if speed >= 1 else "#d55e00" for speed in speeds])
    for place, speed in enumerate(speeds):
        axes.annotate(f"{speed:.2f}", (0, place), (5, 0), textcoords="offset points", va="center", color="white")
    axes.axvline(1, color="0.2", linewidth=1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.invert_yaxis()
    axes.set_title(title)
    return axes


def of_context(benchmarks: Mapping[str, Any], key: str, otherwise: float) -> float:
    context = benchmarks.get("context", {})
    if not isinstance(context, Mapping):
        raise InvalidArgument("the context of these benchmarks is no object")
    return number_of(context, key, otherwise, "the context")


def runs_of(benchmarks: Any) -> list[tuple[dict[str, str], dict[str, float]]]:
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
        numbers = {key: number_of(run, key, 0.0, "/".join(parts)) for key in ("Gflop/s", "GB/s")}
        runs.append(({"what": parts[0], "precision": parts[1], "links": tags.get("links", ""), "rhs": tags.get("rhs", ""),
                      "extents": parts[-1]}, numbers))
    return runs


def roofline(benchmarks: Any, axes: Axes | None = None) -> Axes:
    """Gflop/s over flops a byte of the benchmarks of kaon_perf, beneath the copy bandwidth of the same run."""
    runs = [(names, run) for names, run in runs_of(benchmarks) if run["GB/s"] > 0 and run["Gflop/s"] > 0]
    if not runs:
        raise InvalidArgument("this file of kaon_perf has no run with Gflop/s and GB/s")
    axes = axes_or_new(axes)
    for precision in dict.fromkeys(names["precision"] for names, _ in runs):
        points = [(run["Gflop/s"] / run["GB/s"], run["Gflop/s"]) for names, run in runs if names["precision"] == precision]
        axes.loglog(*zip(*points), "o", label=precision)
    copy = of_context(benchmarks, "copy_GB/s", 0.0)
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
        runs = runs_of(file)
        processes = int(of_context(file, "processes", 1))
        for names, run in runs:
            if names.pop("what") == what:
                line = points.setdefault(tuple(names.values()), {})
                line[processes] = max(line.get(processes, 0.0), run["Gflop/s"])
    if not points:
        raise InvalidArgument(f"no run of {shown(what)} is in these files of kaon_perf")
    axes = axes_or_new(axes)
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
    axes = axes_or_new(axes)
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
