#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Compares the estimated errors of solutions, `error` of reports, with true ones: docs/precision.md, "The error of the answer".

Solves M x = b with Gaussian and point sources on rough and smooth fields, for all families, methods, precisions and several
tolerances, from zero and from good and bad first guesses. The true error comes from a solution whose residual is 1e-14 or
less. Prints the distribution of (true error) / (estimate) by family and method: a number above 1 is an error that was not
covered. Exits with 1 if there is one.

    PYTHONPATH=build/host/python OMP_NUM_THREADS=1 KAON_TUNE=off nice python3 perf/solution_errors.py
"""
from __future__ import annotations

import argparse
import itertools
import sys
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np

import kaon

STAGGERED = ("staggered", "asqtad", "HISQ")
SOURCES = 3  # Gaussian ones; as many point sources follow
MOST_ITERATIONS = 1000
PRECISIONS = ("double", "single", "half")
WILSON_LIKE = ("auto", "bicgstab", "gcr-dd", "cgnr", "cgne")


@dataclass(frozen=True)
class Field:
    name: str
    links: Any
    kappas: tuple[float, ...]  # of Wilson quarks, from heavy to light


def make_field(extents: tuple[int, ...], name: str, seed: int) -> Field:
    lattice = kaon.Lattice(extents, reach=3)
    if name in ("cold", "weak", "hot"):
        links = kaon.GaugeField(lattice, start=name, seed=seed)
        kappas = {"cold": (0.11, 0.122), "weak": (0.11, 0.124), "hot": (0.15, 0.2)}[name]
    else:
        beta = float(name)
        links = kaon.GaugeField(lattice, start="hot", seed=seed)
        for sweep in range(30):
            links.heatbath(beta, seed=seed, update=1 + sweep)
        kappas = (0.14, 0.158, 0.164) if beta < 5.8 else (0.135, 0.15)
    return Field(name, links, kappas)


def operators(field: Field) -> Iterator[tuple[str, Any]]:
    """Families and operators of each: a heavy and a light quark at least."""
    U = field.links
    for kappa in field.kappas:
        yield "Wilson", kaon.Wilson(U, kappa=kappa)
        yield "clover", kaon.WilsonClover(U, kappa=kappa - 0.006, csw=1.5)
    for mu, kappa in itertools.product((0.01, 0.1), field.kappas[-1:]):
        yield "twisted mass", kaon.TwistedMass(U, mu=mu, kappa=kappa)
        yield "twisted clover", kaon.TwistedMass(U, mu=mu, kappa=kappa - 0.006, csw=1.5)
        yield "doublet", kaon.TwistedDoublet(U, mu=mu, epsilon=0.7 * mu, kappa=kappa)
        yield "clover doublet", kaon.TwistedDoublet(U, mu=mu, epsilon=0.7 * mu, kappa=kappa - 0.006, csw=1.5)
    yield "domain wall", kaon.DomainWall(U, mass=0.02, slices=4)
    yield "Moebius", kaon.DomainWall(U, mass=0.02, slices=4, b=1.5, c=0.5)
    for mass in (0.003, 0.01, 0.023, 0.1):
        yield "staggered", kaon.Staggered(U, mass=mass)
    for mass in (0.01, 0.05):
        yield "asqtad", kaon.Asqtad(U, mass=mass, u0=0.87)
        yield "HISQ", kaon.Hisq(U, mass=mass)


def methods_of(family: str, extents: tuple[int, ...]) -> tuple[str, ...]:
    multigrid = ("multigrid",) if min(extents) >= 8 else ()
    if family in STAGGERED:
        return ("auto", "cg") + multigrid
    if family in ("doublet", "clover doublet", "domain wall", "Moebius"):
        return ("auto", "cgne")
    return WILSON_LIKE + multigrid


def sources(dirac: Any, seed: int) -> np.ndarray:
    """[right-hand side]..."""
    field = dirac._new(2 * SOURCES)
    rng = np.random.default_rng(seed)
    b = rng.normal(size=field.shape()) + 1j * rng.normal(size=field.shape())
    b[SOURCES:] = 0.0
    flat = b.reshape(2 * SOURCES, -1)
    for k in range(SOURCES, 2 * SOURCES):
        flat[k, rng.integers(flat.shape[1])] = 1.0
    return b


def norms(values: np.ndarray) -> np.ndarray:
    return np.linalg.norm(values.reshape(len(values), -1), axis=1)


def as_field(dirac: Any, values: np.ndarray) -> Any:
    field = dirac._new(len(values))
    field.set(values)
    return field


def exact_solution(dirac: Any, family: str, b: np.ndarray) -> np.ndarray | None:
    """Refined until the residual is rounding; None where it remains above 1e-13."""
    solver = kaon.Solver(dirac, tolerance=1e-9, method="cg" if family in STAGGERED else "cgne",
                         precision=("double", "double"), max_iterations=40000)
    x = np.zeros_like(b)
    for _ in range(3):
        r = b - dirac(as_field(dirac, x)).to_numpy()
        try:
            x = x + solver.solve(as_field(dirac, r)).to_numpy()
        except kaon.NotConverged:
            return None
    r = b - dirac(as_field(dirac, x)).to_numpy()
    return x if (norms(r) < 1e-13 * norms(b)).all() else None


@dataclass(frozen=True)
class Row:
    field: str
    extents: str
    family: str
    method: str
    precision: str
    tolerance: float
    guess: str
    source: str
    at_least: bool
    ratio: float
    true: float
    residual: float
    x_per_b: float


class Study:
    def __init__(self, seed: int) -> None:
        self.rows: list[Row] = []
        self.failed = 0
        self.seed = seed

    def take(self, tags: tuple[Any, ...], reports: Any, x: np.ndarray, exact: np.ndarray, b: np.ndarray) -> None:
        true, x_norm, b_norm = norms(x - exact), norms(x), norms(b)
        for k, report in enumerate(reports):
            if not report.converged or not report.error:
                self.failed += 1
                continue
            error = true[k] / x_norm[k]
            self.rows.append(Row(*tags, "point" if k >= SOURCES else "Gaussian", report.error_at_least, error / report.error,
                                 error, report.residual, x_norm[k] / b_norm[k]))

    def solve(self, dirac: Any, where: tuple[Any, ...], method: str, precision: str, tolerances: Any, b: np.ndarray,
              exact: np.ndarray, guesses: Any = (("zero", None),), eigenvectors: Any = None) -> None:
        for tolerance in tolerances:
            name = "deflated" if eigenvectors else method
            try:
                solver = kaon.Solver(dirac, tolerance=tolerance, method=method, precision=("double", precision),
                                     max_iterations=MOST_ITERATIONS, eigenvectors=eigenvectors)
            except kaon.Error:
                self.failed += 1
                continue
            for guess_name, guess in guesses:
                try:
                    x = solver.solve(as_field(dirac, b), guess=None if guess is None else as_field(dirac, guess))
                except kaon.NotConverged:
                    self.failed += len(b)
                    continue
                self.take((*where, name, precision, tolerance, guess_name), solver.report, x.to_numpy(), exact, b)

    def several(self, dirac: Any, where: tuple[Any, ...], mass: float, b: np.ndarray) -> None:
        """Several masses of staggered quarks, and several shifts of any."""
        masses = (mass, 3.0 * mass, 10.0 * mass)
        exact = [exact_solution(type(dirac)(dirac.links, mass=m), "staggered", b) for m in masses]
        for precision, tolerance in itertools.product(PRECISIONS, (1e-5, 1e-8)):
            solver = kaon.MultiMassSolver(dirac, masses, tolerance=tolerance, inner=precision)
            for x, reports, y in zip(solver.solve(as_field(dirac, b)), solver.report, exact):
                if y is not None:
                    self.take((*where, "masses", precision, tolerance, "zero"), reports, x.to_numpy(), y, b)

    def shifts(self, dirac: Any, where: tuple[Any, ...], b: np.ndarray) -> None:
        sigmas = (0.001, 0.01, 0.1)
        try:
            exact = kaon.MultiShiftSolver(dirac, sigmas, tolerance=1e-12, inner="double").solve(as_field(dirac, b))
        except kaon.NotConverged:
            return
        for precision, tolerance in itertools.product(PRECISIONS, (1e-4, 1e-7)):
            solver = kaon.MultiShiftSolver(dirac, sigmas, tolerance=tolerance, inner=precision)
            for x, reports, y in zip(solver.solve(as_field(dirac, b)), solver.report, exact):
                self.take((*where, "shifts", precision, tolerance, "zero"), reports, x.to_numpy(), y.to_numpy(), b)

    def field(self, extents: tuple[int, ...], name: str, families: Any, tolerances: Any) -> None:
        field = make_field(extents, name, self.seed)
        size = "x".join(map(str, extents))
        for number, (family, dirac) in enumerate(operators(field)):
            if families and family not in families:
                continue
            b = sources(dirac, self.seed + number)
            exact = exact_solution(dirac, family, b)
            if exact is None:
                print(f"no exact solution: {family} on {size} {name}", file=sys.stderr)
                continue
            where = (name, size, family)
            for method, precision in itertools.product(methods_of(family, extents), PRECISIONS):
                self.solve(dirac, where, method, precision, tolerances, b, exact)
            rng = np.random.default_rng(self.seed + 100 + number)
            noise = rng.normal(size=b.shape) + 1j * rng.normal(size=b.shape)
            noise *= (norms(exact) / norms(noise)).reshape(-1, *(1,) * (b.ndim - 1))
            guesses = [("1e6 x", 1e6 * exact), ("-x", -exact), ("x + 1e-3 noise", exact + 1e-3 * noise), ("noise", noise)]
            for method in methods_of(family, extents):
                self.solve(dirac, where, method, "single", tolerances[-2:], b, exact, guesses)
            if family == "staggered":
                low = kaon.Eigenvectors(dirac, 8, even_sites=True, tolerance=1e-8)
                for precision in PRECISIONS:
                    self.solve(dirac, where, "cg", precision, tolerances, b, exact, eigenvectors=low)
                self.several(dirac, where, (0.003, 0.01, 0.023, 0.1)[number % 4], b)
            if family in ("Wilson", "staggered"):
                self.shifts(dirac, where, b)


def table(rows: list[Row], key: Any) -> None:
    print(f"{'':36} {'count':>6} {'at least':>9} {'0.01':>7} {'0.5':>7} {'0.99':>7} {'max':>7} {'above 1':>8}")
    for name in sorted({key(row) for row in rows}):
        group = [row for row in rows if key(row) == name]
        ratios = np.array([row.ratio for row in group if not row.at_least])
        text = f"{name:36} {len(group):6d} {len(group) - len(ratios):9d}"
        if len(ratios):
            text += "".join(f" {value:7.2g}" for value in np.quantile(ratios, (0.01, 0.5, 0.99)))
            text += f" {ratios.max():7.2g} {(ratios > 1.0).sum():8d}"
        print(text)


def report(rows: list[Row]) -> int:
    print(f"(true error) / (estimate) of {len(rows)} solutions")
    table(rows, lambda row: row.family)
    table(rows, lambda row: row.method)
    table(rows, lambda row: f"double-{row.precision}")
    table(rows, lambda row: f"{row.extents} {row.field}")
    return 0 if all(row.ratio <= 1.0 for row in rows if not row.at_least) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", action="append", help="4,4,4,8, say; the default is 4,4,4,4 and 4,4,4,8")
    parser.add_argument("--fields", default="hot,5.7,6.0,weak,cold")
    parser.add_argument("--families", default="", help="by commas; the default is all")
    parser.add_argument("--tolerances", default="1e-1,1e-2,1e-3,1e-4,1e-6,1e-9")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    kaon.set_log(lambda *_: None)
    study = Study(given.seed)
    families = [name for name in given.families.split(",") if name]
    for size, name in itertools.product(given.size or ["4,4,4,4", "4,4,4,8"], given.fields.split(",")):
        study.field(tuple(map(int, size.split(","))), name, families, [float(t) for t in given.tolerances.split(",")])
        print(f"{size} {name}: {len(study.rows)} solutions so far", file=sys.stderr, flush=True)
    print(f"{study.failed} did not converge", file=sys.stderr)
    return report(study.rows)


if __name__ == "__main__":
    sys.exit(main())
