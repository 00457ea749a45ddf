# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Eigenvectors of Dirac operators."""
from __future__ import annotations

import ctypes
import math
import operator
from typing import Any, Iterator, Sequence

import numpy as np

from . import declarations as h
from .errors import InvalidArgument, NotConverged
from .library import Described, Handle, check, create, last_error, options, start
from .operators import Operator, require_operator
from .spinor import SpinorField
from .values import chosen, flag, integer, one_of, path_of, real, seed_of, shown


class _WrongType(InvalidArgument, TypeError):
    """Handled like the index of a list."""


class _OutOfRange(InvalidArgument, IndexError):
    """It ends loops over indices."""


def _sites(even_sites: Any) -> int:
    """`even_sites` of kaon.h."""
    return -1 if even_sites is None else flag(even_sites, "even_sites")


class Eigenvectors(Described):
    """Orthonormal eigenvectors of the `count` smallest eigenvalues of A, by Lanczos' method with thick restarts: A = M^dag M
    on all sites, or, with `even_sites`, which staggered operators have unless it is False, the even-odd operator on even sites:
    4 m^2 - D_eo D_oe of staggered operators, S^dag S with the symmetric Schur complement S of others. Collective.

    `tolerance`: on |A v - lambda v| over the largest eigenvalue. `basis`: fields in memory, more than count + 1. `filter`, unless
    it shall be chosen: (degree, lower) or (degree, lower, upper) of a Chebyshev polynomial that is small on eigenvalues from
    `lower`, a little above those that are wanted, to `upper`, above the largest. Raises `NotConverged` with the best
    eigenvectors as its `solution`.

    `values` and `residuals`, |A v - lambda v|, are arrays; an index returns an eigenvector as a `SpinorField`, zero on odd
    sites if it is one on even sites."""

    def __init__(self, dirac: Operator, count: int = 1, even_sites: bool | None = None, tolerance: float = 1e-10,
                 basis: int | None = None, max_restarts: int = 200, filter: Sequence[float] | None = None,
                 seed: int = 1) -> None:
        require_operator(dirac)
        given = options(h.EigenvectorOptions, count=count, even_sites=_sites(even_sites), tolerance=tolerance, max_restarts=max_restarts,
                        seed=seed_of(seed))
        if basis is not None:
            given.basis = integer(basis, "basis", 31)
            if given.basis == 0:
                raise InvalidArgument("a basis of 0 vectors: more than count + 1 are needed")
        if filter is not None:
            if (not isinstance(filter, (tuple, list)) or len(filter) not in (2, 3)
                    or not isinstance(filter[0], (int, np.integer)) or not 1 <= filter[0] < 2**31):
                raise InvalidArgument(f"filter = {shown(filter)} is not a degree from 1 on, the lower and perhaps the upper end "
                                      "of a range")
            given.filter_degree = int(filter[0])
            given.filter_lower, given.filter_upper = [
                real(end, f"filter = {shown(filter)}: an end of its range") for end in filter[1:]] + [math.nan] * (3 - len(filter))
        handle = Handle("eigenvectors")
        status = check(start().kaon_eigenvectors_find(dirac.handle(), given, handle.pointer), h.NOT_CONVERGED)
        message = last_error() if status == h.NOT_CONVERGED else ""
        self._take(handle, dirac)
        if status == h.NOT_CONVERGED:
            raise NotConverged(message, (), self)

    def _take(self, handle: Handle, dirac: Operator) -> None:
        info = h.EigenvectorsInfo()
        check(start().kaon_eigenvectors_get(handle(), info, None, None))
        found, left = (ctypes.c_double * info.count)(), (ctypes.c_double * info.count)()
        check(start().kaon_eigenvectors_get(handle(), None, found, left))
        self.handle, self.operator = handle, dirac
        self.values, self.residuals = np.array(found), np.array(left)
        self.converged, self.even_sites = bool(info.converged), bool(info.even_sites)
        self.restarts, self.applications = info.restarts, int(info.applications)

    @classmethod
    def load(cls, dirac: Operator, path: Any, even_sites: bool | None = None) -> Eigenvectors:
        """Eigenvectors of an operator from a file of `save`, of the program `kaon eigenvalues` or of QUDA. `values` and
        `residuals` are those of this operator: of a staggered one, vectors of any mass will do. Raises `FileError` where the
        file is damaged, or if they are no eigenvectors of this operator. Collective."""
        require_operator(dirac)
        made = cls.__new__(cls)
        made._take(create("eigenvectors", "eigenvectors_load", dirac.handle(), path_of(path), _sites(even_sites)), dirac)
        return made

    def save(self, path: Any, bits: int = 64, format: str = "scidac") -> None:
        """Writes them with eigenvalues and residuals, in numbers of 64 or 32 bits, for `load`: those of staggered
        operators also as "quda" (its `vec_infile`) or "milc-packed". MILC reads "scidac" of these, too. Collective."""
        check(start().kaon_eigenvectors_save(self.handle(), path_of(path), one_of(bits, (32, 64), "bits"),
                                             chosen(h.VECTOR_FORMATS, format, "format")))

    def _description(self) -> str:
        values = f", values {self.values[0]:g} to {self.values[-1]:g}" if len(self) else ""
        sites = ", even sites" if self.even_sites else ""
        return f"{len(self)} vectors{values}{sites}{'' if self.converged else ', not converged'}, of {self.operator}"

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, number: int) -> SpinorField:
        """Eigenvector `number`, from 0 on, or from the end if it is negative."""
        try:
            index = operator.index(number)
        except TypeError:
            raise _WrongType(f"an eigenvector has an integer as its number, not {shown(number)}") from None
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise _OutOfRange(f"eigenvector {shown(number)} of {len(self)}")
        field = self.operator._new(1)
        check(start().kaon_eigenvectors_copy(self.handle(), at, field.handle(), 0))
        return field

    def __iter__(self) -> Iterator[SpinorField]:
        return (self[number] for number in range(len(self)))
