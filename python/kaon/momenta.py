# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Momenta of links, for molecular dynamics of one's own."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import declarations as h
from .arrays import ArrayExport, cupy_empty
from .errors import InvalidArgument
from .gauge import GaugeField, links_description, links_shape
from .lattice import Lattice, require_lattice
from .library import Handle, check, integer, real, seed_of, start


def stream_of(stream: Any) -> int:
    """A stream of random numbers. Raises `InvalidArgument` unless it is an integer from 0 to 2^32 - 1."""
    return integer(stream, "stream", 32)


class Momenta(ArrayExport):
    """Momenta P_mu(x) of links, dU/dt = P U: traceless anti-Hermitian matrices, in double, zero at first. Forces dP/dt are
    such fields, too. Arrays have the shapes of those of links."""

    def __init__(self, lattice: Lattice) -> None:
        require_lattice(lattice)
        handle = Handle("kaon_momenta_destroy")
        check(start().kaon_momenta_create(lattice.handle(), handle.reference))
        self.handle, self.lattice = handle, lattice

    @classmethod
    def from_array(cls, lattice: Lattice, array: Any, order: str = "lexicographic",
                   directions_first: bool = False) -> Momenta:
        """Momenta of an array, as `set`. Collective."""
        made = cls(lattice)
        made.set(array, order, directions_first)
        return made

    def set(self, array: Any, order: str = "lexicographic", directions_first: bool = False) -> None:
        """Takes matrices of an array, as links. Raises `InvalidArgument` where they are further than 1e-5 of their largest
        number from being traceless and anti-Hermitian: of Hermitian momenta give 1j times these. Collective."""
        described, memory = links_description(self.lattice, array, "momenta", order, directions_first, False)
        check(start().kaon_momenta_set(self.handle(), ctypes.byref(described)))

    def get(self, out: Any, order: str = "lexicographic", directions_first: bool = False) -> None:
        """Writes the matrices into an array."""
        described, memory = links_description(self.lattice, out, "momenta", order, directions_first, True)
        check(start().kaon_momenta_get(self.handle(), ctypes.byref(described)))

    def to_numpy(self, order: str = "lexicographic", directions_first: bool = False, gather: bool = False) -> np.ndarray:
        """The matrices of this process, [t, z, y, x, mu, row, column] unless told otherwise; `gather` as of `GaugeField`."""
        if gather and (order != "lexicographic" or directions_first):
            raise InvalidArgument("gather=True gives arrays in lexicographic order, directions inside")
        out = np.empty(links_shape(self.lattice, order, directions_first), complex)
        self.get(out, order, directions_first)
        return self.lattice.gather(out) if gather else out

    def to_cupy(self, order: str = "lexicographic", directions_first: bool = False) -> Any:
        """As `to_numpy`, written by the GPU into its memory."""
        out = cupy_empty(links_shape(self.lattice, order, directions_first), "complex128")
        self.get(out, order, directions_first)
        return out

    def draw(self, seed: int = 0, stream: int = 0) -> None:
        """Gaussian momenta, of the distribution exp(-sum |P|^2/2). Each seed and stream gives others; those of trajectory k of
        an `HMC` whose actions have n terms have the stream n k."""
        check(start().kaon_momenta_draw(self.handle(), seed_of(seed), stream_of(stream)))

    def energy(self) -> float:
        """sum (|P|^2/2 - 4) over sites and directions. Collective."""
        value = (ctypes.c_double * 1)()
        check(start().kaon_momenta_energy(self.handle(), value))
        return value[0]

    def kick(self, matrices: GaugeField, dt: float) -> None:
        """P <- P + dt TA(V) for a force of one's own, TA(V) = (V - V^dag)/2 - (1/6) tr(V - V^dag): with
        dS/dt = sum Re Tr(P V) this keeps sum |P|^2/2 + S. V is a `GaugeField` in double of any matrices."""
        if not isinstance(matrices, GaugeField):
            raise InvalidArgument(f"matrices are a {type(matrices).__name__}, not a GaugeField")
        check(start().kaon_momenta_kick(self.handle(), matrices.handle(), real(dt, "dt")))

    def free(self) -> None:
        """Frees it now."""
        self.handle.free()
