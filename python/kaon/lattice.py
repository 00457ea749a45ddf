# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Lattices."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Sequence

import numpy as np

from . import declarations as h
from .arrays import site_shape
from .errors import InvalidArgument
from .library import Described, Handle, check, create, options, start
from .values import integers, numbers, refuse_mask, shown


def four(values: Any, what: str) -> tuple[int, int, int, int]:
    """Four integers, of x, y, z and t."""
    try:
        x, y, z, t = made = integers(values, what)
        if all(-2**31 <= n < 2**31 for n in made):
            return x, y, z, t
    except ValueError:
        refuse_mask(values, what)
    raise InvalidArgument(f"{what} = {shown(values)} is not four integers below 2^31")


def lattice_options(extents: Sequence[int] | None, grid: Sequence[int] | None, comm: Any,
                    ranks: Sequence[int] | None, reach: int) -> tuple[h.LatticeOptions, Any]:
    """kaon_lattice_options, and what must remain alive while it is used."""
    made = options(h.LatticeOptions, reach=reach)
    kept = None
    if extents is not None:
        made.extents[:] = four(extents, "extents")
    if grid is not None:
        made.grid[:] = four(grid, "grid")
    if ranks is not None:
        places = integers(ranks, "ranks")
        if grid is None or len(places) != math.prod(made.grid):
            raise InvalidArgument(f"{len(places)} ranks: they need a grid, and one for each of its places")
        kept = (ctypes.c_int * len(places))(*(rank if 0 <= rank < 2**31 else -1 for rank in places))
        made.ranks = kept
    if comm is not None:
        try:
            made.communicator = comm if isinstance(comm, int) else comm.py2f()
        except Exception:  # any exception of the object
            raise InvalidArgument(f"comm is a {type(comm).__name__}: a communicator of mpi4py, or Fortran's handle of "
                                  "one, is taken") from None
        made.use_communicator = 1
    return made, kept


class Lattice(Described):
    """Extents (x, y, z, t), spread over processes. Collective.

    `grid`: processes in each direction, chosen unless given. `comm`: a communicator of mpi4py (or the integer of
    `comm.py2f()`), by default all processes of the run. `ranks`: of the process at each place of the grid, x fastest.
    `reach`: sites that hops go; 3 for HMC with asqtad and HISQ quarks."""

    def __init__(self, extents: Sequence[int], grid: Sequence[int] | None = None, comm: Any = None,
                 ranks: Sequence[int] | None = None, reach: int = 1) -> None:
        given, kept = lattice_options(four(extents, "extents"), grid, comm, ranks, reach)
        self._take(create("lattice", "lattice_create", given), reach, comm, ranks)

    def _take(self, handle: Handle, reach: int, comm: Any, ranks: Sequence[int] | None) -> None:
        self.handle, self.reach, self._processes = handle, reach, {"comm": comm, "ranks": ranks}
        self._sites = object()  # the same of lattices that differ in their reach alone
        self._wider: dict[int, Lattice] = {}
        info = options(h.LatticeInfo)
        check(start().kaon_lattice_get(handle(), info))
        self.extents: tuple[int, ...] = tuple(info.extents)
        self.local_extents: tuple[int, ...] = tuple(info.local_extents)
        self.origin: tuple[int, ...] = tuple(info.origin)
        self.grid: tuple[int, ...] = tuple(info.grid)
        self.partitioned: tuple[bool, ...] = tuple(bool(p) for p in info.partitioned)
        self.rank: int = info.rank
        self.processes: int = info.processes

    @classmethod
    def _of(cls, handle: Handle, reach: int = 1, comm: Any = None) -> Lattice:
        made = cls.__new__(cls)
        made._take(handle, reach, comm, None)
        return made

    def _with_reach(self, reach: int) -> Lattice:
        """This lattice or, where its reach is smaller, another one with the same sites on each process: each call returns the same
        object. Collective."""
        if self.reach >= reach:
            return self
        if reach not in self._wider:
            made = Lattice(self.extents, grid=self.grid, reach=reach, **self._processes)
            made._sites, self._wider[reach] = self._sites, made
        return self._wider[reach]

    def _differs_in_reach(self, other: Lattice) -> bool:
        """Whether one of two lattices was made of the other by `_with_reach`."""
        return self is not other and self._sites is other._sites

    def __str__(self) -> str:
        return "x".join(map(str, self.extents))

    def _description(self) -> str:
        reach = f", reach {self.reach}" if self.reach != 1 else ""
        grid = f", on {self.processes} processes ({'x'.join(map(str, self.grid))})" if self.processes > 1 else ""
        return f"{self}{grid}{reach}"

    def site_shape(self, order: str = "lexicographic") -> tuple[int, ...]:
        """The first axes of an array of this process: [t, z, y, x] or, "even-odd", [parity, t, z, y, x/2]."""
        return site_shape(self.local_extents, order)

    def coordinates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Global x, y, z and t of the sites of this process, each of an axis of its own of [t, z, y, x]."""
        t, z, y, x = np.ogrid[tuple(slice(self.origin[mu], self.origin[mu] + self.local_extents[mu])
                                    for mu in (3, 2, 1, 0))]
        return x, y, z, t

    def sum(self, values: Any) -> np.ndarray:
        """Sums over all processes of the lattice, real or complex. Collective."""
        given = numbers(values, "values of a sum")
        total = np.array(given, dtype=np.complex128 if np.iscomplexobj(given) else np.float64, order="C")
        reals = total.reshape(-1).view(np.float64)
        check(start().kaon_lattice_sum(self.handle(), reals.size, reals.ctypes.data_as(ctypes.POINTER(ctypes.c_double))))
        return total

    def gather(self, local: np.ndarray) -> np.ndarray:
        """The array of the whole lattice, on every process, of arrays [t, z, y, x, ...] of each. Collective."""
        given = numbers(local, "an array of this process")
        if given.shape[:4] != self.site_shape():
            raise InvalidArgument(f"an array of the shape {given.shape} does not begin with the sites of this process, "
                                  f"{self.site_shape()}")
        whole = np.zeros(tuple(reversed(self.extents)) + given.shape[4:], dtype=np.complex128)
        whole[tuple(slice(self.origin[mu], self.origin[mu] + self.local_extents[mu]) for mu in (3, 2, 1, 0))] = given
        return self.sum(whole)


def require_lattice(lattice: object) -> None:
    if not isinstance(lattice, Lattice):
        raise InvalidArgument(f"lattice is a {type(lattice).__name__}: kaon.Lattice(extents) makes one")
