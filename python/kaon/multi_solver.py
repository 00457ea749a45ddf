# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Solvers of several systems that differ by a number, in one Krylov space."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Sequence

import numpy as np

from . import declarations as h
from .eigenvectors import Eigenvectors
from .library import Described, check, create, options, start
from .operators import Operator, require_operator, schur_options
from .solver import Receiver, Report, report_of, set_eigenvectors, unfinished
from .sources import Source, require_source
from .spinor import Propagator, SpinorField
from .values import chosen, path_of, reals, seed_of

_INNER = {**h.INNER_PRECISIONS, "double": h.INNER_OUTER}


class _MultiSolver(Described):
    """`report` has the reports of the last solve: for each system those of its right-hand sides."""

    def __init__(self, dirac: Operator, systems: int, values: Sequence[float], tolerance: float, inner: str,
                 max_iterations: int, links: int, progress: Callable[[int, np.ndarray], Any] | None,
                 eigenvectors: Eigenvectors | None, schur: h.SchurOptions | None = None, **others: Any) -> None:
        require_operator(dirac)
        numbers = tuple(reals(values, "masses" if systems == h.MASSES else "shifts"))
        given = options(h.SolverOptions, tolerance=tolerance, max_iterations=max_iterations,
                        links=links, inner=chosen(_INNER, inner, "inner precision"), **others)
        set_eigenvectors(given, eigenvectors)
        self._receiver = Receiver(progress)
        given.on_iteration = self._receiver.callback
        self.report: tuple[tuple[Report, ...], ...] = ()
        function, of = ("multi_solver_create", systems) if schur is None else ("multi_solver_create_schur", schur)
        self.handle = create("multi_solver", function, dirac.handle(), of, len(numbers),
                             (ctypes.c_double * max(1, len(numbers)))(*numbers), given)
        self.operator, self.values = dirac, numbers
        self._tolerance = tolerance

    def _description(self) -> str:
        numbers = ", ".join(f"{value:g}" for value in self.values)
        return f"({numbers}), tolerance {self._tolerance:g}, of {self.operator}"

    def _solve_into(self, x: list[SpinorField], source: SpinorField) -> None:
        sides = source.right_hand_sides
        reports = (h.Report * (sides * len(x)))()
        fields = (ctypes.c_void_p * len(x))(*(field.handle() for field in x))
        with self._receiver.raising():
            status = start().kaon_multi_solver_solve(self.handle(), fields, source.handle(), reports)
            check(status, h.NOT_CONVERGED, h.STOPPED)
            self.report = tuple(tuple(report_of(reports[i * sides + k]) for k in range(sides)) for i in range(len(x)))
        if status != h.OK:
            raise unfinished(status, sum(self.report, ()), x)

    def solve(self, b: Any) -> list[SpinorField]:
        """The solutions of all systems, for all right-hand sides of a field or array. Raises `NotConverged` and `Stopped`, with
        reports and solutions, and others as `Solver.solve`. Collective."""
        source = self.operator._field(b)
        x = [self.operator._new(source.right_hand_sides) for _ in self.values]
        self._solve_into(x, source)
        return x

    __call__ = solve


class MultiMassSolver(_MultiSolver):
    """(2 m_i + D)^-1 for several masses m_i of a staggered operator, to a relative residual of `tolerance` each, by multi-shift
    conjugate gradients: at the cost of the lightest. The operator's own mass does not count. Collective.

    The common iterations are in single precision, and those that refine each solution in `inner`: "half", "single", or all in
    "double". `method`: "cg"; "multigrid", for the lightest masses, with its setup here, `seed` and `near_null_file` as for
    `Solver`; or "auto", once that pays. `eigenvectors`: those on even sites, of any mass, which deflate all masses by "cg"."""

    def __init__(self, dirac: Operator, masses: Sequence[float], tolerance: float = 1e-10, inner: str = "half",
                 max_iterations: int = 10000, links: int = 0,
                 progress: Callable[[int, np.ndarray], Any] | None = None, method: str = "auto", seed: int = 1,
                 near_null_file: Any = None, eigenvectors: Eigenvectors | None = None) -> None:
        others = {} if near_null_file is None else {"near_null_file": path_of(near_null_file)}
        super().__init__(dirac, h.MASSES, masses, tolerance, inner, max_iterations, links, progress, eigenvectors,
                         method=chosen(h.METHODS, method, "method"), seed=seed_of(seed), **others)

    @property
    def masses(self) -> tuple[float, ...]:
        return self.values

    def propagators(self, source: Source) -> list[Propagator]:
        """The propagators of all masses from a source: one solve for all colours. Collective."""
        require_source(source)
        dirac = self.operator
        made = [Propagator(dirac.lattice, dirac.spins, dirac.precision, source.site) for _ in self.values]
        for propagator in made:
            propagator.time_boundary = dirac.boundary[3]
        self._solve_into(list(made), source.make(dirac.lattice, dirac.spins, dirac.precision))
        return made


class MultiShiftSolver(_MultiSolver):
    """(M^dag M + sigma_i)^-1 for several shifts sigma_i >= 0, to a relative residual of `tolerance` each; `inner` as for
    `MultiMassSolver`. `eigenvectors`: of the same systems, which deflate all shifts: on all sites, or with `schur` on even
    ones. Collective.

    With `schur`, "symmetric" or "asymmetric", it is (S^dag S + sigma_i)^-1 with the Schur complement S of an operator that is not
    staggered (`Operator.schur`), on the sites of `parity`, "even" or "odd": what the source holds on others is not read, and
    solutions are zero there."""

    def __init__(self, dirac: Operator, shifts: Sequence[float], tolerance: float = 1e-10, inner: str = "half",
                 max_iterations: int = 10000, links: int = 0,
                 progress: Callable[[int, np.ndarray], Any] | None = None, schur: str | None = None,
                 parity: str = "even", eigenvectors: Eigenvectors | None = None) -> None:
        super().__init__(dirac, h.SHIFTS, shifts, tolerance, inner, max_iterations, links, progress, eigenvectors,
                         None if schur is None else schur_options(schur, parity))

    @property
    def shifts(self) -> tuple[float, ...]:
        return self.values
