# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Solvers of M x = b."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

from . import declarations as h
from .eigenvectors import Eigenvectors
from .errors import InvalidArgument, NotConverged, Stopped, Unfinished
from .lattice import four
from .library import Described, Handle, check, create, last_error, options, raising_from_callbacks, start
from .operators import Operator, require_operator
from .sources import Source, require_source
from .spinor import Propagator, SpinorField
from .values import chosen, flag, integer, path_of, require_kind, seed_of, shown


@dataclass(frozen=True)
class Report:
    """How a right-hand side was solved: `residual` is |b - M x| / |b|, `error` an estimate of |x - M^-1 b| / |x| from above, or None
    where x is zero; with `error_at_least` the solve was too short for that, and the error may be larger. Seconds and flops are
    of the whole solve, without the tuning of kernels that it started with."""

    converged: bool
    iterations: int
    fallbacks: int
    residual: float
    seconds: float
    flops: float
    error: float | None
    error_at_least: bool

    @property
    def gflops(self) -> float:
        """Gflop/s of the whole solve."""
        return 1e-9 * self.flops / self.seconds if self.seconds > 0 else 0.0


def report_of(given: h.Report) -> Report:
    return Report(bool(given.converged), given.iterations, given.fallbacks, given.residual, given.seconds, given.flops,
                  given.error or None, bool(given.error_at_least))


def unfinished(status: int, reports: Sequence[Report], solution: Any) -> Unfinished:
    """The exception of a solve that ended early."""
    return (Stopped if status == h.STOPPED else NotConverged)(last_error(), reports, solution)


def set_eigenvectors(given: h.SolverOptions, eigenvectors: Eigenvectors | None) -> None:
    """Sets those of the options."""
    if eigenvectors is not None:
        given.eigenvectors = require_kind(eigenvectors, Eigenvectors, "eigenvectors are needed").handle()


class Receiver:
    """kaon's call after each iteration: it calls `progress`, stores residuals in `history`, and allows Python to handle signals.
    A solve ends where `progress` returns False or leaves by an exception, and at a signal whose handler raises one."""

    def __init__(self, progress: Callable[[int, np.ndarray], Any] | None, history: list[np.ndarray] | None = None) -> None:
        if progress is not None and not callable(progress):
            raise InvalidArgument(f"progress is a {type(progress).__name__}, which cannot be called")
        left: list[BaseException] = []
        self.right_hand_sides = 0  # of the solve; groups with fewer, whose iterations start at 1, share rows of the history

        def receive(iteration: int, count: int, residuals: Any, _context: object) -> int:
            if left:  # an exception before this line, such as KeyboardInterrupt, ctypes has met
                return 0
            try:
                goes_on: Any = True
                if progress is not None or history is not None:
                    values = np.ctypeslib.as_array(residuals, shape=(count,)).copy()
                    row = history[iteration - 1] if history is not None and 0 < iteration <= len(history) else None
                    if history is not None and row is not None and row.size + count <= self.right_hand_sides:
                        history[iteration - 1] = np.append(row, values)
                    elif history is not None:
                        history.append(values)
                    if progress is not None:
                        goes_on = progress(iteration, values)
                return 0 if isinstance(goes_on, (bool, np.bool_)) and not goes_on else 1
            except BaseException as error:  # must not go through C
                left.append(error)
                return 0

        self._left = left
        self.callback = h.Progress(receive)

    def raising(self) -> Any:
        """For the call of a solve, after which the exception that ended it is raised."""
        return raising_from_callbacks(self._left)


class Solver(Described):
    """M^-1 of an operator, to a relative residual of `tolerance`. Multigrid does its setup here. Collective.

    `method`: "auto" ("cgnr" of doublets and of one or two right-hand sides of domain wall quarks, "block-cg" of more; conjugate gradients
    of staggered operators, else BiCGstab, and multigrid, with its memory and its setup, once that pays), "cg" of staggered operators,
    "multigrid" of all; Wilson-like ones also have "bicgstab", "gcr-dd", "cgnr" and "cgne", domain wall quarks and doublets the last two;
    "block-cg", all right-hand sides in one Krylov space, of all. `links`: the reals in which a link of the iterations is stored, 18, 14,
    12, 10 or 8; 0: chosen. `reliable_delta`: the fall of the residual between its computations in the outer precision. `schwarz_steps`: of
    "gcr-dd" on its blocks. `precision`: of the solution and of the iterations, such as ("double", "half"); the first at most the
    operator's. `near_null_file`: multigrid's vectors of `save`, to start with. `eigenvectors`: those on even sites of a staggered operator
    in double, of any mass, to deflate its conjugate gradients. `progress`: called on every process with the iteration and the residuals of
    all right-hand sides; the solve ends where it returns False or raises an exception. `report` has one `Report` for each right-hand side
    of the last solve, `history` the residuals of all its iterations where `keep_history` is set, at which `progress` is called."""

    def __init__(self, dirac: Operator, tolerance: float = 1e-10, method: str = "auto",
                 precision: Sequence[str] | None = None, max_iterations: int = 10000, links: int = 0, seed: int = 1,
                 near_null_file: Any = None, eigenvectors: Eigenvectors | None = None,
                 progress: Callable[[int, np.ndarray], Any] | None = None, keep_history: bool = False,
                 reliable_delta: float = 0.1, schwarz_steps: int = 10) -> None:
        require_operator(dirac)
        given = options(h.SolverOptions, method=chosen(h.METHODS, method, "method"), tolerance=tolerance, max_iterations=max_iterations,
                        links=links, seed=seed_of(seed), reliable_delta=reliable_delta, schwarz_steps=schwarz_steps)
        if precision is not None:
            if not isinstance(precision, (tuple, list)) or len(precision) != 2:
                raise InvalidArgument(f'precision = {shown(precision)} is not a pair such as ("double", "half")')
            outer, inner = precision
            given.outer = chosen(h.PRECISIONS, outer, "outer precision")
            given.inner = h.INNER_OUTER if inner == outer else chosen(h.INNER_PRECISIONS, inner, "inner precision")
        if near_null_file is not None:
            given.near_null_file = path_of(near_null_file)
        set_eigenvectors(given, eigenvectors)
        self.report: tuple[Report, ...] = ()
        self.history: list[np.ndarray] = []
        self._receiver = Receiver(progress, self.history if flag(keep_history, "keep_history") else None)
        given.on_iteration = self._receiver.callback
        self.handle, self.operator = create("solver", "solver_create", dirac.handle(), given), dirac
        self._method = f"{method}, tolerance {tolerance:g}"

    def _description(self) -> str:
        return f"{self._method}, of {self.operator}"

    def solve(self, b: Any, guess: Any = None) -> SpinorField:
        """x with M x = b, for all right-hand sides of a field or array; from 0, or from `guess`, which remains as it is.
        Raises `NotConverged`, or `Stopped` where `progress` returned False, with reports and the best solution so far; and
        what `progress` raised, or KeyboardInterrupt, within an iteration. Collective."""
        source = self.operator._field(b)
        x = self.operator._new(source.right_hand_sides)
        self._solve_into(x, source, guess)
        return x

    def _solve_into(self, x: SpinorField, source: SpinorField, guess: Any = None) -> None:
        if guess is not None:
            first = self.operator._field(guess)
            if first.right_hand_sides != x.right_hand_sides:
                raise InvalidArgument(f"guess has {first.right_hand_sides} right-hand sides, b {x.right_hand_sides}")
            x.set(SpinorField.to_numpy(first))
        self._run(x.right_hand_sides, lambda: x,
                  lambda reports: start().kaon_solver_solve(self.handle(), x.handle(), source.handle(), reports))

    def _run(self, right_hand_sides: int, solution: Callable[[], Any], call: Callable[[Any], int]) -> None:
        """Solves by call(reports)."""
        reports = (h.Report * right_hand_sides)()
        self._receiver.right_hand_sides = right_hand_sides
        self.history.clear()
        with self._receiver.raising():
            status = call(reports)
            check(status, h.NOT_CONVERGED, h.STOPPED)
            self.report = tuple(report_of(r) for r in reports)
        if status != h.OK:
            raise unfinished(status, self.report, solution())

    __call__ = solve

    def walls(self, eta: Any) -> tuple[SpinorField, SpinorField | None]:
        """q = (D_ov(m)^-1 - 1)/(1 - m) eta of domain wall quarks and q_mp, None with an odd number of slices, for all right-hand
        sides of a field or array in four dimensions, which are solved in groups: `progress` is called for one group after another.
        Raises as `solve`. Collective."""
        dirac = self.operator
        if not hasattr(dirac, "apply_b"):
            raise InvalidArgument("propagators from wall to wall are those of domain wall quarks: the solver has other ones")
        source = eta if isinstance(eta, SpinorField) else SpinorField.from_array(
            dirac.lattice, eta, precision=dirac.precision, spins=dirac.spins)
        q, *midpoint = self._propagate(lambda handle: SpinorField._of(handle, dirac.lattice, dirac.precision), source,
                                       dirac.propagators)
        return q, midpoint[0] if midpoint else None

    def _propagate(self, make: Callable[[Handle], Any], eta: SpinorField, names: Sequence[str],
                   current: np.ndarray | None = None) -> list[Any]:
        """The propagators of these names, made of their handles. The axial current goes into `current`."""
        pointers = (ctypes.c_void_p * len(names))()
        found: list[Any] = []

        def call(reports: Any) -> int:
            status: int = start().kaon_solver_propagate(
                self.handle(), eta.handle(), ",".join(names).encode(), pointers, 0 if current is None else len(current),
                None if current is None else current.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), reports)
            for pointer in filter(None, pointers):
                handle = Handle("spinor")
                handle.pointer.value = pointer
                found.append(make(handle))
            return status

        self._run(eta.right_hand_sides, lambda: found[0], call)
        return found

    def _propagators(self, source: Source, names: Sequence[str], current: np.ndarray | None = None) -> list[Propagator]:
        dirac = self.operator

        def make(handle: Handle) -> Propagator:
            made: Propagator = Propagator._of(handle, dirac.lattice, dirac.precision)
            made.source_site, made.time_boundary = four(source.site, "source_site"), dirac.boundary[3]
            return made

        return self._propagate(make, source.make(dirac.lattice, dirac.spins, dirac.precision), names, current)

    def propagator(self, source: Source) -> Propagator:
        """The propagator from a source: one solve for all spins and colours, of domain wall quarks in four dimensions, with the
        one to the midpoint as its `midpoint`. Collective."""
        require_source(source)
        dirac = self.operator
        if "propagator" not in dirac.propagators:
            raise InvalidArgument("a doublet has propagators between flavours: flavors(source, flavor)")
        current = np.zeros(dirac.lattice.extents[3]) if dirac.has_axial_current else None
        made, *midpoint = self._propagators(source, dirac.propagators, current)
        made.midpoint = midpoint[0] if midpoint else None
        made.axial_current = None if current is None else np.roll(current, -made.source_site[3])
        return made

    def flavors(self, source: Source, flavor: int) -> tuple[Propagator, Propagator]:
        """The propagators of a `TwistedDoublet` from a source in one flavour, 0 or 1, to the flavours 0 and 1. Collective."""
        require_source(source)
        if "0_to_1" not in self.operator.propagators:
            raise InvalidArgument("propagators between flavours are those of a TwistedDoublet, not of "
                                  f"{type(self.operator).__name__}")
        if integer(flavor, "flavor", 31) not in (0, 1):
            raise InvalidArgument(f"a doublet has flavours 0 and 1, not {flavor}")
        first, second = self._propagators(source, ("0", "0_to_1") if flavor == 0 else ("1_to_0", "1"))
        return first, second

    def update(self, dirac: Operator) -> None:
        """Makes it the solver of another operator on the same lattice: of another mass, or of links that have changed a
        little. Multigrid is built again from the near-null vectors that it has. If it fails, the solver is unchanged.
        Collective."""
        require_operator(dirac)
        check(start().kaon_solver_update(self.handle(), dirac.handle()))
        self.operator = dirac

    def save(self, path: Any) -> None:
        """Writes the near-null vectors of a multigrid, for `near_null_file`. Collective."""
        check(start().kaon_solver_save(self.handle(), path_of(path)))
