# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Spinor fields and propagators."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Sequence

import numpy as np

from . import declarations as h
from .arrays import ELEMENT_OF, PRECISION_OF, ArrayExport, cupy_empty, description, memory_of, require_shape
from .errors import InvalidArgument
from .gauge import GaugeField, require_links
from .lattice import Lattice, four, require_lattice
from .library import Handle, check, create, options, start
from .values import chosen, flag, integer, numbers, one_of, path_of, shown, text_of


def _file_options(format: int = h.PROPAGATOR_SCIDAC, bits: int = 0, milc_projectors: Any = False, chroma_header: Any = "",
                  info: Any = "") -> Any:
    return options(h.PropagatorOptions, format=format, bits=bits, milc_projectors=flag(milc_projectors, "milc_projectors"),
                   chroma_header=text_of(chroma_header, "chroma_header"), info=text_of(info, "info"))


class SpinorField(ArrayExport):
    """One or more fields ("right-hand sides") of spins and colours, in the DeGrand-Rossi basis; all zero at first.

    Staggered fields have `spins=1`, those of domain wall quarks in five dimensions several `slices`."""

    def __init__(self, lattice: Lattice, right_hand_sides: int = 1, spins: int = 4, precision: str = "double",
                 colors: int = 3, slices: int = 1) -> None:
        require_lattice(lattice)
        shape = options(h.SpinorOptions, precision=chosen(h.PRECISIONS, precision, "precision"),
                        spins=spins, colors=colors, right_hand_sides=right_hand_sides, slices=slices)
        self.handle, self.lattice, self.precision = create("spinor", "spinor_create", lattice.handle(), shape), lattice, precision
        self.right_hand_sides, self.spins, self.colors, self.slices = right_hand_sides, spins, colors, slices

    @classmethod
    def from_array(cls, lattice: Lattice, array: Any, order: str = "lexicographic", precision: str | None = None,
                   spins: int | None = None, slices: int = 1) -> SpinorField:
        """A field of an array of the shape of `shape`, without or with the axis of right-hand sides in front; 4 spins
        with, 1 spin without an axis of spins; several `slices` have an axis before the sites. In the array's precision
        unless one is given.

        Shapes of small lattices may be read in two ways: 4 spins count, unless `spins` says otherwise."""
        require_lattice(lattice)
        memory, slices = memory_of(array, "spinor"), integer(slices, "slices", 31)
        if precision is None:
            precision = PRECISION_OF[memory.element]
        sites = (*(() if slices == 1 else (slices,)), *lattice.site_shape(order))
        after = {(4, 3): 4, (3,): 1}
        spins = one_of(spins, (None, 1, 4), "spins of an array")
        after = {tail: number for tail, number in after.items() if spins in (None, number)}
        for lead in (0, 1):
            tail = memory.shape[lead + len(sites):]
            if memory.shape[lead:lead + len(sites)] == sites and tail in after:
                made = cls(lattice, memory.shape[0] if lead else 1, after[tail], precision, slices=slices)
                made.set(array, order)
                return made
        tails = " or ".join(str(tail) for tail in after)
        raise InvalidArgument(f"spinor has the shape {memory.shape}; {sites} + {tails} is needed, of spins (none of staggered "
                              "fermions) and colours, and right-hand sides in front where there are several")

    @classmethod
    def _of(cls, handle: Handle, lattice: Lattice, precision: str) -> Any:
        """The object of a handle that a call has made."""
        made = cls.__new__(cls)
        made.handle, made.lattice, made.precision = handle, lattice, precision
        found = options(h.SpinorOptions)
        check(start().kaon_spinor_get_options(handle(), found))
        made.right_hand_sides, made.spins, made.colors = found.right_hand_sides, found.spins, found.colors
        made.slices = found.slices
        return made

    def _on(self, lattice: Lattice) -> SpinorField:
        """This field, or a copy on a lattice that differs in its reach alone."""
        if not self.lattice._differs_in_reach(lattice):
            return self
        made = SpinorField(lattice, self.right_hand_sides, self.spins, self.precision, self.colors, self.slices)
        made.set(SpinorField.to_numpy(self))
        return made

    def shape(self, order: str = "lexicographic") -> tuple[int, ...]:
        """The shape of the array of this process: [right-hand side] if there are several, [slice] likewise, sites, [spin]
        unless there is one, [colour]."""
        inner = (self.colors,) if self.spins == 1 else (self.spins, self.colors)
        outer = tuple(number for number in (self.right_hand_sides, self.slices) if number != 1)
        return (*outer, *self.lattice.site_shape(order), *inner)

    def _copy(self, function: str, array: Any, order: str, write: bool) -> None:
        memory = memory_of(array, "spinor", write)
        shape = self.shape(order)
        require_shape(memory, shape, "spinor")
        bytes_each = int(np.prod(shape)) // self.right_hand_sides * np.dtype(memory.element).itemsize
        for k in range(self.right_hand_sides):
            described = description(memory, order, h.SPIN_COLOR, k * bytes_each)
            check(getattr(start(), function)(self.handle(), k, described))

    def set(self, array: Any, order: str = "lexicographic") -> None:
        """Takes the values of an array: numpy, `__cuda_array_interface__` or `__dlpack__`, complex128 or complex64."""
        self._copy("kaon_spinor_set", array, order, False)

    def get(self, out: Any, order: str = "lexicographic") -> None:
        """Writes the values into an array, as `set`."""
        self._copy("kaon_spinor_get", out, order, True)

    def _description(self) -> str:
        def count(number: int, noun: str) -> str:
            return f", {number} {noun}{'' if number == 1 else 's'}"

        return (f"{self.lattice}, {self.precision}" + count(self.right_hand_sides, "right-hand side")
                + (count(self.slices, "slice") if self.slices != 1 else "") + count(self.spins, "spin")
                + (count(self.colors, "color") if self.colors != 3 else ""))

    def to_numpy(self, order: str = "lexicographic") -> np.ndarray:
        """The values of this process."""
        out = np.empty(self.shape(order), ELEMENT_OF[self.precision])
        self.get(out, order)
        return out

    def to_cupy(self, order: str = "lexicographic") -> Any:
        """Like `to_numpy`, written by the GPU into its memory."""
        out = cupy_empty(self.shape(order), ELEMENT_OF[self.precision])
        self.get(out, order)
        return out

    def norm2(self) -> np.ndarray:
        """|psi|^2 of each right-hand side. Collective."""
        values = np.zeros(self.right_hand_sides)
        check(start().kaon_spinor_norm2(self.handle(), values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))))
        return values

    def smear(self, links: GaugeField, width: float, steps: int) -> None:
        """Gaussian smearing, in place: `steps` times psi <- psi + w^2/(4N) (H - 6) psi. Collective."""
        require_links(links)
        given = options(h.QuarkSmearOptions, width=width, steps=steps)
        links = links._on(self.lattice)  # C needs it until the call is over
        check(start().kaon_spinor_smear(self.handle(), links.handle(), given))


class Propagator(SpinorField):
    """M^-1 of the source in each spin and colour: 12 right-hand sides, or 3 of staggered fermions; of files with other
    numbers of colours spins times colours.

    `source_site` is the origin of correlators. `time_boundary` is the angle of the operator's boundary in time, pi
    (antiperiodic) unless the solver sets it. `midpoint`: of domain wall quarks with an even number of slices, q_mp. `axial_current`:
    of domain wall quarks, A_4 of the conserved axial current and the source between the distances t and t + 1 in time, by which
    A_4(t) - A_4(t - 1) = sum (2 m |q|^2 + 2 |q_mp|^2) at all t > 0."""

    midpoint: Propagator | None = None
    axial_current: np.ndarray | None = None

    def __init__(self, lattice: Lattice, spins: int = 4, precision: str = "double",
                 source_site: Sequence[int] = (0, 0, 0, 0)) -> None:
        super().__init__(lattice, 3 * integer(spins, "spins", 28), spins, precision)
        self.source_site = four(source_site, "source_site")
        self.time_boundary = math.pi

    @classmethod
    def read(cls, path: Any, lattice: Lattice, precision: str = "double",
             source_site: Sequence[int] = (0, 0, 0, 0), milc_projectors: bool = False) -> Propagator:
        """Reads a propagator file of docs/formats.md, of tmLQCD by the common name of its twelve files. The site of its source
        and the boundary in time are not taken from the file: pass `source_site`, and set `time_boundary` unless it is pi.
        `milc_projectors`: the file holds gamma5 S gamma5, as MILC's of Wilson quarks. Collective."""
        require_lattice(lattice)
        handle = create("spinor", "propagator_read", path_of(path), lattice.handle(), chosen(h.PRECISIONS, precision, "precision"),
                        _file_options(milc_projectors=milc_projectors))
        made = cls._of(handle, lattice, precision)
        made.source_site, made.time_boundary = four(source_site, "source_site"), math.pi
        return made

    def _description(self) -> str:
        return f"{super()._description()}, source at {self.source_site}"

    def write(self, path: Any, format: str = "scidac", bits: int = 0, sources: SpinorField | None = None,
              milc_projectors: bool = False, chroma_header: str = "", info: str = "") -> None:
        """Writes a propagator file: "scidac", "grid" (4 spins, as Grid and Hadrons read it), "milc" (1 spin, MILC's format before
        2018), HDF5 as "pyquda" or "qdpxx", or, with the `sources` of its columns, USQCD's "usqcd" (pairs) and "usqcd-scalar-source" (f(x) on the diagonal).
        `bits`: 64, 32, or 0: those of the field. `milc_projectors` writes gamma5 S gamma5, as MILC has for Wilson quarks.
        `chroma_header`: a text of `chroma_header`, which Chroma's spectrum needs of a "scidac" file. `info`: a text that the file has beside
        the numbers, such as action, mass and source; MILC's format has none. Collective."""
        if sources is not None and not isinstance(sources, SpinorField):
            raise InvalidArgument(f"sources is {shown(sources)}, not a SpinorField")
        given = _file_options(chosen(h.PROPAGATOR_FORMATS, format, "format"), one_of(bits, (0, 32, 64), "bits"), milc_projectors,
                              chroma_header, info)
        check(start().kaon_propagator_write(self.handle(), None if sources is None else sources.handle(), path_of(path),
                                            given))

    def to_matrices(self, order: str = "lexicographic", gather: bool = False) -> np.ndarray:
        """S(x) as matrices: sites + [sink spin, sink colour, source spin, source colour], without spins of staggered
        fermions. `gather` (lexicographic): of all processes, on every one, collectively."""
        matrices = self._matrices(super().to_numpy(order))
        if not flag(gather, "gather"):
            return matrices
        if order != "lexicographic":
            raise InvalidArgument("gather=True gives arrays in lexicographic order")
        return self.lattice.gather(matrices)

    def _inner(self) -> tuple[int, ...]:
        return (self.colors,) if self.spins == 1 else (self.spins, self.colors)

    def _matrices(self, columns: Any) -> Any:
        """An array of numpy or cupy with the column in front, with it behind."""
        behind = columns.transpose(*range(1, columns.ndim), 0)
        return behind.copy(order="C").reshape(*behind.shape[:-1], *self._inner())

    def to_numpy(self, order: str = "lexicographic", gather: bool = False) -> np.ndarray:
        """Like `to_matrices`."""
        return self.to_matrices(order, gather)

    def to_cupy(self, order: str = "lexicographic") -> Any:
        """Like `to_matrices`, in the memory of the GPU."""
        return self._matrices(super().to_cupy(order))

    @classmethod
    def from_array(cls, lattice: Lattice, array: Any, order: str = "lexicographic", precision: str | None = None,
                   spins: int | None = None, source_site: Sequence[int] = (0, 0, 0, 0)) -> Propagator:
        """A propagator of matrices as from `to_matrices`, in numpy's memory: sites + [sink spin, sink colour, source
        spin, source colour], without spins of staggered fermions. In the array's precision unless one is given."""
        require_lattice(lattice)
        matrices, sites = numbers(array, "propagator"), lattice.site_shape(order)
        given = 1 if matrices.shape[len(sites):] == (3, 3) else 4
        one_of(spins, (None, given), "spins of these matrices")
        inner = (3,) if given == 1 else (4, 3)
        if matrices.shape != (*sites, *inner, *inner):
            raise InvalidArgument(f"propagator has the shape {matrices.shape}; {sites} + (4, 3, 4, 3), or + (3, 3) of "
                                  "staggered fermions, is needed")
        columns = np.ascontiguousarray(np.moveaxis(matrices.reshape(*sites, *inner, -1), -1, 0))
        made = cls(lattice, given, PRECISION_OF.get(columns.dtype.name, "double") if precision is None else precision, source_site)
        SpinorField.set(made, columns, order)
        return made

    def pion(self, direction: int = 3) -> np.ndarray:
        """C(d) = sum of |S|^2 at distance d from the source along a direction: `meson` with g5, by kaon's own sum.
        Collective."""
        return self._along(direction, "kaon_pion_correlator", self.handle())

    def residual_mass(self, direction: int = 3) -> np.ndarray:
        """m_res(d) = sum |q_mp|^2 / sum |q|^2 at distance d from the source along a direction, of domain wall quarks with an
        even number of slices. Collective."""
        if self.midpoint is None:
            raise InvalidArgument("a residual mass is that of a propagator that a Solver has made of domain wall quarks with an "
                                  "even number of slices")
        return self._along(direction, "kaon_residual_mass", self.midpoint.handle(), self.handle())

    def _along(self, direction: int, function: str, *handles: Any) -> np.ndarray:
        one_of(direction, (0, 1, 2, 3), "direction")
        given = options(h.CorrelatorOptions, direction=direction)
        given.source_site[:] = self.source_site
        values = np.zeros(self.lattice.extents[direction])
        check(getattr(start(), function)(*handles, given, values.size,
                                         values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))))
        return values
