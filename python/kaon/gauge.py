# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Links and their momenta."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Sequence, overload

import numpy as np

from . import declarations as h
from . import library
from .arrays import ELEMENT_OF, PRECISION_OF, ArrayExport, cupy_empty, description, memory_of, require_shape
from .errors import InvalidArgument, NotConverged
from .lattice import Lattice, lattice_options, require_lattice
from .library import Handle, check, create, options
from .values import chosen, flag, integer, path_of, real, reals, seed_of, stream_of

# The coefficients of methods of smearing
_COEFFICIENTS = {"stout": ("rho", "epsilon", "anisotropy"), "ape": ("alpha", "anisotropy"), "hyp": ("alpha_1", "alpha_2", "alpha_3")}


class Plaquette(NamedTuple):
    """(1/3) Re Tr of the plaquettes: 1 for unit links."""

    average: float
    spatial: float
    temporal: float


class FixedGauge(NamedTuple):
    """Links in a gauge, F and theta of docs/conventions.md, the iterations that it took, and in Coulomb gauge the theta
    of the worst time slice."""

    links: GaugeField
    functional: float
    theta: float
    iterations: int
    largest_theta: float


class CloverObservables(NamedTuple):
    """Energy density of the clover-leaf field strength, its spatial and temporal part, and the topological charge."""

    energy: float
    spatial_energy: float
    temporal_energy: float
    charge: float


class SmearedLinks(NamedTuple):
    """Links of an improved staggered operator: fat ones, and long ones, from x to x + 3 mu, with their weight."""

    fat: GaugeField
    long: GaugeField


class _Matrices(ArrayExport):
    """A field of matrices of links, read and written as arrays."""

    precision = "double"
    lattice: Lattice
    _functions, _name = "kaon_momenta_", "momenta"

    def shape(self, order: str = "lexicographic", directions_first: bool = False) -> tuple[int, ...]:
        """The shape of the array of this process: sites + [mu, row, column], or [mu] + sites + [row, column]."""
        sites = self.lattice.site_shape(order)
        return (4, *sites, 3, 3) if flag(directions_first, "directions_first") else (*sites, 4, 3, 3)

    def _copy(self, word: str, array: Any, order: str, directions_first: bool) -> None:
        """Copies by the function "set" or "get" of C."""
        memory = memory_of(array, self._name, word == "get")
        require_shape(memory, self.shape(order, directions_first), self._name)
        parts = int(np.prod(memory.shape[1:])) * np.dtype(memory.element).itemsize if directions_first else 0
        described = description(memory, order, h.ROW_COLUMN, parts=parts)
        check(getattr(library.start(), self._functions + word)(self.handle(), described))

    def get(self, out: Any, order: str = "lexicographic", directions_first: bool = False) -> None:
        """Writes the matrices into an array: numpy, `__cuda_array_interface__` or `__dlpack__`, complex128 or complex64."""
        self._copy("get", out, order, directions_first)

    def to_numpy(self, order: str = "lexicographic", directions_first: bool = False, gather: bool = False) -> np.ndarray:
        """The matrices of this process, [t, z, y, x, mu, row, column] by default; `gather` (lexicographic,
        directions last): those of all, on every process, collectively."""
        if flag(gather, "gather") and (order != "lexicographic" or directions_first):
            raise InvalidArgument("gather=True gives arrays in lexicographic order, directions inside")
        out = np.empty(self.shape(order, directions_first), ELEMENT_OF[self.precision])
        self.get(out, order, directions_first)
        return self.lattice.gather(out) if gather else out

    def to_cupy(self, order: str = "lexicographic", directions_first: bool = False) -> Any:
        """Like `to_numpy`, written by the GPU into its memory."""
        out = cupy_empty(self.shape(order, directions_first), ELEMENT_OF[self.precision])
        self.get(out, order, directions_first)
        return out


class Momenta(_Matrices):
    """Momenta P_mu(x) of links, dU/dt = P U: traceless anti-Hermitian matrices, in double, zero at first. Forces dP/dt are
    such fields, too. Arrays have the shapes of those of links."""

    def __init__(self, lattice: Lattice) -> None:
        require_lattice(lattice)
        self.handle, self.lattice = create("momenta", "momenta_create", lattice.handle()), lattice

    @classmethod
    def from_array(cls, lattice: Lattice, array: Any, order: str = "lexicographic",
                   directions_first: bool = False) -> Momenta:
        """Momenta of an array, as `set`. Collective."""
        made = cls(lattice)
        made.set(array, order, directions_first)
        return made

    def set(self, array: Any, order: str = "lexicographic", directions_first: bool = False) -> None:
        """Takes matrices of an array, as links. Raises `InvalidArgument` if they are further than 1e-5 of their largest
        number from being traceless and anti-Hermitian: pass 1j times Hermitian momenta. Collective."""
        self._copy("set", array, order, directions_first)

    def _description(self) -> str:
        return str(self.lattice)

    def draw(self, seed: int = 0, stream: int = 0) -> None:
        """Gaussian momenta, of the distribution exp(-sum |P|^2/2). Each seed and stream draws others; those of trajectory k of
        an `HMC` whose actions have n terms have the stream n k. Collective."""
        check(library.start().kaon_momenta_draw(self.handle(), seed_of(seed), stream_of(stream)))

    def energy(self) -> float:
        """sum (|P|^2/2 - 4) over sites and directions. Collective."""
        value = (ctypes.c_double * 1)()
        check(library.start().kaon_momenta_energy(self.handle(), value))
        return value[0]

    def kick(self, matrices: GaugeField, dt: float) -> None:
        """P <- P + dt TA(V) for a force of one's own, TA(V) = (V - V^dag)/2 - (1/6) tr(V - V^dag): with
        dS/dt = sum Re Tr(P V) this conserves sum |P|^2/2 + S. V is a `GaugeField` in double of any matrices. Collective."""
        matrices = require_links(matrices, "matrices")
        check(library.start().kaon_momenta_kick(self.handle(), matrices.handle(), real(dt, "dt")))


class GaugeField(_Matrices):
    """Links U_mu(x), which join x to x + mu. Periodic; boundary phases are the operator's.

    `start`: `None` (zero, which operators refuse), "cold", "hot", or "weak": near the unit, by noise of `width`."""

    _functions, _name = "kaon_gauge_", "links"

    def __init__(self, lattice: Lattice, precision: str = "double", start: str | None = None, seed: int = 0,
                 width: float = 0.1) -> None:
        require_lattice(lattice)
        self.handle = create("gauge", "gauge_create", lattice.handle(), chosen(h.PRECISIONS, precision, "precision"))
        self.lattice, self.precision = lattice, precision
        self._updates = 0
        if start is not None:
            self.start(start, seed, width)

    @classmethod
    def read(cls, path: Any, precision: str = "double", extents: Sequence[int] | None = None,
             grid: Sequence[int] | None = None, comm: Any = None, reach: int = 1,
             ignore_stated_plaquette: bool = False) -> GaugeField:
        """Reads and verifies a file of any format of docs/formats.md. `extents` for files without; `grid`, `comm` and
        `reach` as for `Lattice`. `ignore_stated_plaquette` accepts links whose checksum is right in spite of another
        plaquette or link trace in the file; a warning reports it. Collective."""
        given, kept = lattice_options(extents, grid, comm, None, reach)
        lattice = Handle("lattice")
        reading = options(h.ReadOptions, ignore_stated_plaquette=flag(ignore_stated_plaquette, "ignore_stated_plaquette"))
        gauge = create("gauge", "gauge_read", path_of(path), given, reading, chosen(h.PRECISIONS, precision, "precision"), lattice.pointer)
        return cls._of(gauge, Lattice._of(lattice, reach, comm), precision)

    @classmethod
    def _of(cls, handle: Handle, lattice: Lattice, precision: str) -> GaugeField:
        """Takes a handle."""
        made = cls.__new__(cls)
        made.handle, made.lattice, made.precision = handle, lattice, precision
        made._updates = 0
        return made

    @classmethod
    def from_array(cls, lattice: Lattice, array: Any, order: str = "lexicographic", directions_first: bool = False,
                   precision: str | None = None) -> GaugeField:
        """Links of an array, as `set`; in its precision unless one is given."""
        given = memory_of(array, "links")
        made = cls(lattice, PRECISION_OF[given.element] if precision is None else precision)
        made.set(array, order, directions_first)
        return made

    def _on(self, lattice: Lattice) -> GaugeField:
        """These links, or a copy on a lattice that differs in its reach alone."""
        return GaugeField.from_array(lattice, self.to_numpy()) if self.lattice._differs_in_reach(lattice) else self

    def write(self, path: Any, format: str = "ildg", bits: int = 64) -> None:
        """Writes a file: "ildg", "nersc", "scidac", "grid" (Grid's SciDAC), or HDF5 as "pyquda" or "qdpxx", with reals of 64 or 32
        bits. Collective."""
        given = options(h.FileOptions, format=chosen(h.FILE_FORMATS, format, "format"), bits=bits)
        check(library.start().kaon_gauge_write(self.handle(), path_of(path), given))

    def set(self, array: Any, order: str = "lexicographic", directions_first: bool = False) -> None:
        """Takes the links of an array: numpy, `__cuda_array_interface__` or `__dlpack__`, complex128 or complex64.
        Operators made before share the links: make them again."""
        self._copy("set", array, order, directions_first)

    def _description(self) -> str:
        return f"{self.lattice}, {self.precision}"

    def start(self, kind: str, seed: int = 0, width: float = 0.1) -> None:
        """Sets all links: "cold", "hot" or "weak". Collective."""
        check(library.start().kaon_gauge_start(self.handle(), chosen(h.START_KINDS, kind, "start"), seed_of(seed),
                                               real(width, "width")))

    def heatbath(self, beta: float, overrelaxations: int = 4, seed: int = 0, update: int | None = None) -> None:
        """A heatbath sweep of Wilson's gauge action, and some of overrelaxation. Collective.

        The numbers of an update depend on seed and `update`; unless given it counts the calls: 1, 2, ..."""
        number = integer(self._updates + 1 if update is None else update, "update", 32)
        given = options(h.HeatbathOptions, beta=beta, overrelaxations=overrelaxations, seed=seed_of(seed), update=number)
        check(library.start().kaon_gauge_heatbath(self.handle(), given))
        self._updates = number

    def plaquette(self) -> Plaquette:
        """Average, spatial and temporal plaquette. Collective."""
        values = (ctypes.c_double * 3)()
        check(library.start().kaon_gauge_plaquette(self.handle(), values))
        return Plaquette(*values)

    def clover_observables(self) -> CloverObservables:
        """Energy density and topological charge by clover leaves. Collective."""
        energy, charge = (ctypes.c_double * 3)(), (ctypes.c_double * 1)()
        check(library.start().kaon_gauge_energy(self.handle(), energy, charge))
        return CloverObservables(*energy, *charge)

    def _in_double(self, function: str, given: ctypes.Structure) -> GaugeField:
        """The links that a function of kaon.h makes of these."""
        return GaugeField._of(create("gauge", function, self.handle(), given), self.lattice, "double")

    def smeared(self, method: str, steps: int = 1, omitted: int | None = None, **coefficients: float) -> GaugeField:
        """Smeared links, of links in double. Collective.

        "stout" has the coefficient `rho` (0.1 unless given), and `epsilon` (1) if it is over-improved; "ape" has `alpha` (0.5);
        "hyp" has `alpha_1` (0.75), `alpha_2` (0.6) and `alpha_3` (0.3). "stout" and "ape" have an `anisotropy` (1): a_s/a_t, whose square
        staples in time have as a weight. `omitted`: a direction that is left out, 3 for smearing in space."""
        number = chosen(h.SMEARINGS, method, "method")
        for name in coefficients:
            if name not in _COEFFICIENTS[method]:
                raise InvalidArgument(f"{method} smearing has no coefficient {name}: it has {', '.join(_COEFFICIENTS[method])}")
        given = options(h.SmearOptions, method=number, steps=steps, omitted=-1 if omitted is None else omitted, **coefficients)
        return self._in_double("gauge_smear", given)

    def flow(self, steps: int = 1, step: float = 0.01, action: str = "wilson", anisotropy: float = 1.0) -> GaugeField:
        """Links after so many steps of the gradient flow of the action, "wilson" or "symanzik", of links in double; `step`
        is that of the flow time, in units of a_s^2 where the `anisotropy` a_s/a_t is not 1. Collective."""
        given = options(h.FlowOptions, action=chosen(h.FLOWS, action, "action"), steps=steps, step=step, anisotropy=anisotropy)
        return self._in_double("gauge_flow", given)

    def gauge_fixed(self, condition: str = "landau", tolerance: float = 1e-14, max_iterations: int = 10000,
                    relaxation: float = 1.7) -> FixedGauge:
        """Links in "landau" or "coulomb" gauge, of links in double, by overrelaxation until theta, in Coulomb
        gauge of each time slice, is at most the tolerance (docs/conventions.md). Raises `NotConverged`, with the links of the last iteration as `solution`.
        Collective."""
        given = options(h.GaugeFixOptions, condition=chosen(h.GAUGE_CONDITIONS, condition, "condition"), tolerance=tolerance,
                        max_iterations=max_iterations, relaxation=relaxation)
        handle, found = Handle("gauge"), h.GaugeFixReport()
        status = check(library.start().kaon_gauge_fix(self.handle(), given, handle.pointer, found), h.NOT_CONVERGED)
        fixed = FixedGauge(GaugeField._of(handle, self.lattice, "double"), found.functional, found.theta, found.iterations,
                           found.largest_theta)
        if status == h.NOT_CONVERGED:
            raise NotConverged(library.last_error(), (), fixed.links)
        return fixed

    def _smeared(self, **physics: Any) -> SmearedLinks:
        given = options(h.LinkSmearOptions, **physics)
        fat = Handle("gauge")
        long_ones = create("gauge", "gauge_smear_links", self.handle(), given, fat.pointer)
        return SmearedLinks(*(GaugeField._of(handle, self.lattice, "double") for handle in (fat, long_ones)))

    def asqtad_links(self, u0: float) -> SmearedLinks:
        """Fat and long links of the asqtad action with the tadpole factor u0, of links in double. Collective."""
        return self._smeared(action=h.ASQTAD, u0=u0)

    @overload
    def hisq_links(self, naik_epsilon: float = 0.0) -> SmearedLinks: ...

    @overload
    def hisq_links(self, naik_epsilon: Sequence[float]) -> list[SmearedLinks]: ...

    def hisq_links(self, naik_epsilon: float | Sequence[float] = 0.0) -> SmearedLinks | list[SmearedLinks]:
        """Fat and long links of HISQ for quarks with this Naik epsilon, of links in double; of several Naik epsilons a list, at
        the cost of one. Collective."""
        if not isinstance(naik_epsilon, (list, tuple, np.ndarray)):
            return self._smeared(action=h.HISQ, naik_epsilon=naik_epsilon)
        epsilons = reals(naik_epsilon, "naik_epsilon")
        room = max(1, len(epsilons))
        pointers = (ctypes.c_void_p * room)(), (ctypes.c_void_p * room)()
        handles = [[Handle("gauge") for _ in epsilons] for _ in pointers]  # before there is anything to free
        check(library.start().kaon_gauge_smear_hisq_links(self.handle(), len(epsilons),
                                                          (ctypes.c_double * room)(*epsilons), *pointers))
        for made, found in zip(handles, pointers):
            for handle, pointer in zip(made, found):
                handle.pointer.value = pointer
        return [SmearedLinks(*(GaugeField._of(handle, self.lattice, "double") for handle in pair)) for pair in zip(*handles)]

    def fold_phases(self, antiperiodic: bool = True, steps: int = 1) -> None:
        """Multiplies links of so many steps, 1, or 3 for long ones, by MILC's phases and its sign in time, in place: links of
        MILC and QUDA hold these, kaon's do not, and the call changes one into the other, both ways.
        Collective."""
        check(library.start().kaon_gauge_fold_phases(self.handle(), flag(antiperiodic, "antiperiodic"), steps))

    def polyakov_loop(self, direction: int = 3) -> complex:
        """(1/3) Tr of the product of links around the lattice in a direction, averaged over the other sites. Collective."""
        values = (ctypes.c_double * 2)()
        check(library.start().kaon_gauge_polyakov_loop(self.handle(), direction, values))
        return complex(*values)

    def advance(self, momenta: Momenta, dt: float) -> None:
        """U <- exp(dt P) U, of links in double, |dt P| at most 1e6. Operators made before share the links: make them again.
        Collective."""
        check(library.start().kaon_gauge_advance(self.handle(), require_momenta(momenta).handle(), real(dt, "dt")))

    def reunitarize(self) -> None:
        """Brings links that left SU(3) by rounding, by 1e-5 at most, back to it. Collective."""
        check(library.start().kaon_gauge_reunitarize(self.handle()))


def require_links(given: Any, name: str = "links") -> GaugeField:
    if not isinstance(given, GaugeField):
        raise InvalidArgument(f"{name} are a {type(given).__name__}, not a GaugeField")
    return given


def require_momenta(given: Any) -> Momenta:
    if not isinstance(given, Momenta):
        raise InvalidArgument(f"momenta are a {type(given).__name__}, not Momenta")
    return given
