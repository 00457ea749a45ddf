#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Compares the default method of solves with each explicit one: docs/decisions.md 25.

Times whole jobs, the setup of a solver and its solve from point sources, for each field, mass and number of right-hand sides:
explicit methods and "auto" in turns, the best of --repeat. Iterations start in 16 bits, or are all "in double". "auto" runs once
without a record of earlier solves and then with that record. Kernels are tuned before. Prints a line for each case and writes rows for
docs/measurements.

    KAON_TUNE_CACHE=choice.json PYTHONPATH=build/host/python python3 perf/solver_choice.py 16^3x32=FILE --output rows.json

A field with an action in front is for that one alone: clover:16^3x32=FILE.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import resource
import sys
import time
from typing import Any

import numpy as np

import kaon

CSW = 1.769
QUARKS = {"clover": "0.1340,0.1345,0.1349", "hisq": "0.05,0.01,0.001"}
METHODS = {"clover": ("bicgstab", "multigrid"), "hisq": ("cg", "cg in double", "multigrid")}
HISTORY = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)


def point_sources(dirac: Any, count: int) -> Any:
    """`count` columns: those of a point source, then those of a source four time slices later, and so on."""
    b = kaon.SpinorField(dirac.lattice, count, dirac.spins)
    values = b.to_numpy().reshape(count, *dirac.lattice.extents[::-1], -1)
    components = 3 * dirac.spins
    for column in range(count):
        t = 4 * (column // components) % dirac.lattice.extents[3]
        values[column, t, 0, 0, 0, column % components] = 1.0
    b.set(values.reshape(b.to_numpy().shape))
    return b


def user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def job(dirac: Any, b: Any, method: str, **options: Any) -> dict[str, Any]:
    """Seconds of a setup and a solve."""
    if method.endswith(" in double"):
        options["precision"] = ("double", "double")
    began, user = time.perf_counter(), user_seconds()
    solver = kaon.Solver(dirac, method=method.split()[0], **options)
    made = time.perf_counter()
    try:
        solver.solve(b)
        converged = True
    except kaon.NotConverged:
        converged = False
    end = time.perf_counter()
    print(f"# {method}: {end - began:.3f} s", file=sys.stderr, flush=True)
    return {"seconds": round(end - began, 4), "setup": round(made - began, 4), "user": round(user_seconds() - user, 3),
            "iterations": max(r.iterations for r in solver.report), "fallbacks": sum(r.fallbacks for r in solver.report),
            "converged": converged, "history": solver.history}


def logarithms(history: list[Any]) -> dict[int, float]:
    """log10 of the largest residual at some iterations."""
    return {n: round(float(np.log10(max(history[n - 1]))), 2) for n in HISTORY if n <= len(history)}


def faster(old: dict[str, Any] | None, new: dict[str, Any], clock: str) -> dict[str, Any]:
    return new if old is None or new[clock] < old[clock] else old


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fields", nargs="+", metavar="[ACTION:]NAME=FILE")
    parser.add_argument("--actions", default="clover,hisq")
    parser.add_argument("--kappas", dest="clover", default=QUARKS["clover"], help="of clover quarks")
    parser.add_argument("--masses", dest="hisq", default=QUARKS["hisq"], help="of HISQ quarks")
    parser.add_argument("--columns", default="1,12")
    parser.add_argument("--clock", choices=("seconds", "user"), default="seconds",
                        help="user: CPU seconds of one thread, for hosts that others use")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="start no further case after that time")
    parser.add_argument("--history", action="store_true", help="add residuals of one more solve with one column")
    parser.add_argument("--machine", default="")
    parser.add_argument("--output", type=pathlib.Path)
    given = parser.parse_args()
    start, rows = time.perf_counter(), []
    for action in given.actions.split(","):
        for text in given.fields:
            name, file = text.split("=", 1)
            wanted, _, name = name.rpartition(":")
            if wanted not in ("", action) or time.perf_counter() - start > given.seconds:
                continue
            links = kaon.GaugeField.read(file, reach=3 if action == "hisq" else 1)
            quarks = [float(quark) for quark in getattr(given, action).split(",")]
            operators = []
            for quark in quarks:
                if action == "clover":
                    operators.append(kaon.WilsonClover(links, kappa=quark, csw=CSW))
                else:
                    operators.append(kaon.Hisq(links, mass=quark))
            for columns in map(int, given.columns.split(",")):
                b = point_sources(operators[0], columns)
                for method in METHODS[action]:
                    job(operators[0], b, method, tolerance=0.03)  # tunes its kernels
                for quark, dirac in zip(quarks, operators):
                    if time.perf_counter() - start > given.seconds:
                        continue
                    times: dict[str, Any] = {}
                    for turn in range(given.repeat):
                        for method in METHODS[action]:
                            times[method] = faster(times.get(method), job(dirac, b, method), given.clock)
                        if turn == 0:
                            times["auto, first"] = job(dirac, b, "auto")
                        times["auto"] = faster(times.get("auto"), job(dirac, b, "auto"), given.clock)
                    row: dict[str, Any] = {"action": action, "lattice": name, "quark": quark, "columns": columns}
                    if given.machine:
                        row["machine"] = given.machine
                    for each, of in times.items():
                        row[each] = of[given.clock] if of["converged"] else None
                    best = min((row[method] for method in METHODS[action] if row[method]), default=None)
                    for ratio, each in (("first / best", "auto, first"), ("auto / best", "auto")):
                        row[ratio] = round(row[each] / best, 2) if best and row[each] else None
                    row["details"] = {each: {k: v for k, v in of.items() if k not in ("converged", "history")}
                                      for each, of in times.items()}
                    if given.history and columns == 1:
                        row["history"] = logarithms(job(dirac, b, METHODS[action][0], keep_history=True)["history"])
                    rows.append(row)
                    print(json.dumps({k: v for k, v in row.items() if k not in ("details", "history")}), flush=True)
                    if given.output:
                        text_of_rows = ",\n".join(json.dumps(each) for each in rows)
                        given.output.write_text(f"[\n{text_of_rows}\n]\n", encoding="utf-8")
    if not rows:
        sys.exit("no case was measured")


main()
