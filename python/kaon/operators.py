# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Dirac operators, with the signs of docs/conventions.md."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Sequence

import numpy as np

from . import declarations as h
from .arrays import ELEMENT_OF, description, memory_of, require_shape
from .errors import InvalidArgument
from .gauge import GaugeField, require_links
from .library import Described, check, create, options, start
from .spinor import SpinorField
from .values import chosen, flag, integer, numbers, reals, require_kind, shown

ANTIPERIODIC = (0.0, 0.0, 0.0, math.pi)


def operator_options(physics: dict[str, Any]) -> h.OperatorOptions:
    """Options of kaon.h; what is None has its default."""
    given = options(h.OperatorOptions,
                    **{name: value for name, value in physics.items() if name != "boundary" and value is not None})
    for name, value in physics.items():
        if isinstance(value, (float, np.floating)) and math.isnan(value):  # to kaon.h it is an option that is not set
            raise InvalidArgument(f"{name} = nan is not a number")
    boundary = physics.get("boundary", ANTIPERIODIC)
    angles = reals(boundary, "boundary, four angles,")
    if len(angles) != 4:
        raise InvalidArgument(f"boundary = {shown(boundary)} is not four angles")
    given.boundary[:] = angles
    if all(abs(angle) == 1.0 for angle in angles):
        raise InvalidArgument(f"boundary = {shown(boundary)} are angles, not signs: 0 is periodic, pi antiperiodic")
    if any(2 * math.pi < abs(angle) < math.inf for angle in angles):
        raise InvalidArgument(f"boundary = {shown(boundary)} are not angles in radians, at most 2 pi")
    return given


_KINDS = {"plain": h.M, "dagger": h.M_DAGGER, "normal": h.M_DAGGER_M}


def schur_options(form: str, parity: str) -> h.SchurOptions:
    """Options of a Schur complement for kaon.h."""
    return options(h.SchurOptions, form=chosen(h.SCHUR_FORMS, form, "form"), parity=chosen(h.PARITIES, parity, "parity"))


class Operator(Described):
    """M, in the precision of its links. Made by its subclasses. Collective."""

    spins = 4
    slices = 1
    reach = 1  # sites that its hops go
    propagators: tuple[str, ...] = ("propagator",)  # names of kaon_solver_propagate
    has_axial_current = False

    def __init__(self, links: GaugeField, **physics: Any) -> None:
        self._create(require_links(links), "operator_create", physics)

    def _create(self, links: GaugeField, function: str, physics: dict[str, Any], *arrays: Any) -> None:
        given = operator_options(physics)
        links = links._on(links.lattice._with_reach(self.reach))
        self.handle = create("operator", function, links.handle(), *arrays, given)
        self.links, self.lattice, self.precision = links, links.lattice, links.precision
        self.boundary = tuple(given.boundary)
        self._physics = physics

    def _description(self) -> str:
        usual = {"boundary": ANTIPERIODIC, "xi0": 1.0, "nu": 1.0}
        numbers = []
        for name, value in self._physics.items():
            if name.endswith("_of_slices"):
                numbers.append(f"{name.removesuffix('_of_slices')} of {self._physics['slices']} slices")
            elif name != "action" and value is not None and value != usual.get(name):
                numbers.append(f"{name}={value}")
        return ", ".join([*numbers, str(self.lattice), self.precision])

    def _field(self, given: Any, order: str = "lexicographic") -> SpinorField:
        """The argument of an operator: a field, or one made of an array."""
        if not isinstance(given, SpinorField):
            given = SpinorField.from_array(self.lattice, given, order, self.precision, self.spins, self.slices)
        if given.spins != self.spins:
            raise InvalidArgument(f"a field of {given.spins} spins; this operator acts on {self.spins}")
        if given.slices != self.slices:
            raise InvalidArgument(f"a field of {given.slices} slices; this operator acts on {self.slices}")
        return given._on(self.lattice)

    def _new(self, right_hand_sides: int) -> SpinorField:
        return SpinorField(self.lattice, right_hand_sides, self.spins, self.precision, slices=self.slices)

    def _apply(self, form: int, psi: Any) -> SpinorField:
        given = self._field(psi)
        out = self._new(given.right_hand_sides)
        check(start().kaon_operator_apply(self.handle(), form, out.handle(), given.handle()))
        return out

    def __call__(self, psi: Any) -> SpinorField:
        """M psi, for all right-hand sides of a field or array. Collective."""
        return self._apply(h.M, psi)

    def dagger(self, psi: Any) -> SpinorField:
        """M^dag psi. Collective."""
        return self._apply(h.M_DAGGER, psi)

    def normal(self, psi: Any) -> SpinorField:
        """M^dag M psi. Collective."""
        return self._apply(h.M_DAGGER_M, psi)

    def schur(self, psi: Any, form: str = "symmetric", parity: str = "even", kind: str = "plain") -> SpinorField:
        """S psi with a Schur complement of M = A - K, S = 1 - A_p^-1 K_pq A_q^-1 K_qp ("symmetric") or A_p - K_pq A_q^-1 K_qp
        ("asymmetric"), on the sites of the parity p, "even" or "odd"; zero on those of q, where psi is not read. `kind`:
        "plain", "dagger" (S^dag psi) or "normal" (S^dag S psi). Collective."""
        given = self._field(psi)
        out = self._new(given.right_hand_sides)
        check(start().kaon_operator_apply_schur(self.handle(), schur_options(form, parity),
                                                chosen(_KINDS, kind, "kind"), out.handle(), given.handle()))
        return out

    def _residual(self, x: Any, b: Any, which: int) -> np.ndarray:
        x, b = self._field(x), self._field(b)
        if x.right_hand_sides != b.right_hand_sides:
            raise InvalidArgument(f"x has {x.right_hand_sides} right-hand sides, b {b.right_hand_sides}")
        values = np.zeros(x.right_hand_sides)
        pointers: list[Any] = [None, None]
        pointers[which] = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        check(start().kaon_operator_residual(self.handle(), x.handle(), b.handle(), *pointers))
        return values

    def residual(self, x: Any, b: Any) -> np.ndarray:
        """|b - M x| / |b| of each right-hand side. Collective."""
        return self._residual(x, b, 0)

    def heavy_quark_residual(self, x: Any, b: Any) -> np.ndarray:
        """sqrt(mean over sites of |b - M x|^2 / |x|^2) of each right-hand side. Collective."""
        return self._residual(x, b, 1)


def require_operator(given: Any) -> Operator:
    return require_kind(given, Operator, "an operator is needed")


def _anisotropic(anisotropy: Sequence[float]) -> dict[str, float]:
    pair = reals(anisotropy, "anisotropy, a pair (xi0, nu),")
    if len(pair) != 2:
        raise InvalidArgument(f"anisotropy = {shown(anisotropy)} is not a pair (xi0, nu)")
    return {"xi0": pair[0], "nu": pair[1]}


class Wilson(Operator):
    """M = m + 4 - D/2. Pass `mass` or `kappa`; `anisotropy` is (xi0, nu), `boundary` four angles."""

    def __init__(self, links: GaugeField, mass: float | None = None, kappa: float | None = None,
                 anisotropy: Sequence[float] = (1.0, 1.0), boundary: Sequence[float] = ANTIPERIODIC) -> None:
        super().__init__(links, action=h.WILSON, mass=mass, kappa=kappa, boundary=boundary, **_anisotropic(anisotropy))


class _Clover(Operator):
    def clover(self, inverse: bool = False, order: str = "lexicographic") -> np.ndarray:
        """The whole site term A, mass included, or its inverse: sites + [chirality, row, column], of this process."""
        out = np.empty((*self.lattice.site_shape(order), 2, 6, 6), ELEMENT_OF[self.precision])
        described = description(memory_of(out, "term"), order, h.FULL_CLOVER)
        check(start().kaon_operator_get_clover(self.handle(), flag(inverse, "inverse"), described))
        return out


class _WithCsw(_Clover):
    _action = h.WILSON_CLOVER

    def __init__(self, links: GaugeField, mass: float | None = None, kappa: float | None = None, csw: float = 1.0,
                 csw_temporal: float | None = None, anisotropy: Sequence[float] = (1.0, 1.0),
                 boundary: Sequence[float] = ANTIPERIODIC) -> None:
        super().__init__(links, action=self._action, mass=mass, kappa=kappa, csw=csw, csw_temporal=csw_temporal,
                         boundary=boundary, **_anisotropic(anisotropy))


class WilsonClover(_WithCsw):
    """M = m + 4 - D/2 + A with the coefficient `csw`; `csw_temporal` that of planes with t, csw unless given."""

    @classmethod
    def from_site_term(cls, links: GaugeField, term: Any, inverse: Any = None, order: str = "lexicographic",
                       anisotropy: Sequence[float] = (1.0, 1.0),
                       boundary: Sequence[float] = ANTIPERIODIC) -> WilsonClover:
        """With a whole site term, mass included, of another code: sites + [chirality, row, column]."""
        sites = require_links(links).lattice.site_shape(order)
        described, kept = [], []
        for name, given in (("term", term), ("inverse", inverse)):
            if given is None and name == "inverse":
                described.append(None)
                continue
            memory = memory_of(given, name)
            require_shape(memory, (*sites, 2, 6, 6), name)
            kept.append(memory)
            described.append(description(memory, order, h.FULL_CLOVER))
        made = cls.__new__(cls)
        made._create(links, "operator_create_clover", {"boundary": boundary, **_anisotropic(anisotropy)}, *described)
        return made


class ExponentialClover(_WithCsw):
    """M = d exp(A/d) - D/2 with d = m + 4 and A of `WilsonClover` (arXiv:1911.04533); its parameters are those of `WilsonClover`."""

    _action = h.EXPONENTIAL_CLOVER


class TwistedMass(_Clover):
    """M = M_W + i mu g5 for one flavour, with a clover term where `csw` is given; `csw_temporal` as for `WilsonClover`."""

    def __init__(self, links: GaugeField, mu: float, mass: float | None = None, kappa: float | None = None,
                 csw: float | None = None, csw_temporal: float | None = None, anisotropy: Sequence[float] = (1.0, 1.0),
                 boundary: Sequence[float] = ANTIPERIODIC) -> None:
        super().__init__(links, action=h.TWISTED_MASS if csw is None else h.TWISTED_CLOVER, mass=mass, kappa=kappa, mu=mu,
                         csw=csw, csw_temporal=csw_temporal, boundary=boundary, **_anisotropic(anisotropy))


class TwistedDoublet(Operator):
    """M = M_W + i mu g5 tau3 - epsilon tau1 of two twisted flavours with different masses, with a clover term where `csw` is given.

    Fields have two slices, the flavours: an axis before the sites in arrays. `Solver.flavors` makes propagators."""

    slices = 2
    propagators = ("0", "1_to_0", "0_to_1", "1")

    def __init__(self, links: GaugeField, mu: float, epsilon: float, mass: float | None = None, kappa: float | None = None,
                 csw: float | None = None, csw_temporal: float | None = None, anisotropy: Sequence[float] = (1.0, 1.0),
                 boundary: Sequence[float] = ANTIPERIODIC) -> None:
        super().__init__(links, action=h.TWISTED_DOUBLET if csw is None else h.TWISTED_CLOVER_DOUBLET, mass=mass, kappa=kappa,
                         mu=mu, epsilon=epsilon, csw=csw, csw_temporal=csw_temporal, boundary=boundary,
                         **_anisotropic(anisotropy))


class DomainWall(Operator):
    """M = D B^-1 of domain wall quarks on fields of L_s = `slices` slices: D = D_W B + 1 - S, B = b + c S of docs/conventions.md,
    with the height `m5` = M5. b = 1, c = 0: Shamir; b - c = 1: Moebius; b = c = 1: Borici; L_s complex numbers for b, for c or for
    both: z-Moebius. mass 1: Pauli-Villars. `lower_mass` is the mass of the lower chirality alone, as for exact one flavours.

    D psi is M B psi (`apply_b`). Arrays have an axis of slices before the sites. Propagators are in four dimensions:
    `Solver.propagator`, and `Solver.walls` from any sources."""

    def __init__(self, links: GaugeField, mass: float, m5: float = 1.8, slices: int = 16, b: Any = 1.0, c: Any = 0.0,
                 anisotropy: Sequence[float] = (1.0, 1.0), boundary: Sequence[float] = ANTIPERIODIC,
                 lower_mass: float | None = None) -> None:
        slices = integer(slices, "slices", 31)
        of_slices = {}
        for name, given in (("b", b), ("c", c)):
            made = numbers(given, name)
            if made.ndim == 0 and not np.iscomplexobj(made):
                of_slices[name] = float(made)
                continue
            if made.shape != (slices,):
                raise InvalidArgument(f"{name} = {shown(given)} is neither a real number nor {slices} numbers, one for each slice")
            kept = np.ascontiguousarray(made, np.complex128)
            of_slices[f"{name}_of_slices"] = kept.ctypes.data_as(ctypes.POINTER(ctypes.c_double))  # retains the array
        super().__init__(links, action=h.DOMAIN_WALL, mass=mass, m5=m5, slices=slices, lower_mass=lower_mass, boundary=boundary,
                         **of_slices, **_anisotropic(anisotropy))
        self.slices = slices
        self.has_axial_current = set(of_slices) == {"b", "c"} and of_slices["b"] + of_slices["c"] != 0.0
        self.propagators = ("propagator", "midpoint") if slices % 2 == 0 else ("propagator",)

    def apply_b(self, psi: Any, inverse: bool = False, dagger: bool = False) -> SpinorField:
        """B psi or B^-1 psi, with `dagger` of the adjoint. If M x = eta, B^-1 x is the solution of D psi = eta.
        Collective."""
        given = self._field(psi)
        out = self._new(given.right_hand_sides)
        check(start().kaon_operator_apply_b(self.handle(), flag(inverse, "inverse"), flag(dagger, "dagger"), out.handle(), given.handle()))
        return out


class Staggered(Operator):
    """M = 2m + D, the naive staggered operator, on fields of 1 spin."""

    spins = 1

    def __init__(self, links: GaugeField, mass: float, boundary: Sequence[float] = ANTIPERIODIC) -> None:
        super().__init__(links, action=h.STAGGERED, mass=mass, boundary=boundary)


class Asqtad(Operator):
    """M = 2m + D with fat and long links of the asqtad action (hep-lat/9903032), made of `links` with the tadpole
    factor u0. The links are in double. On a lattice with a smaller `reach` than 3 they are copied to one with that reach."""

    spins, reach = 1, 3

    def __init__(self, links: GaugeField, mass: float, u0: float, boundary: Sequence[float] = ANTIPERIODIC) -> None:
        super().__init__(links, action=h.ASQTAD, mass=mass, u0=u0, boundary=boundary)


class Hisq(Operator):
    """M = 2m + D with the links of HISQ (hep-lat/0610092) for quarks with the given Naik epsilon, of links as for `Asqtad`."""

    spins, reach = 1, 3

    def __init__(self, links: GaugeField, mass: float, naik_epsilon: float = 0.0,
                 boundary: Sequence[float] = ANTIPERIODIC) -> None:
        super().__init__(links, action=h.HISQ, mass=mass, naik_epsilon=naik_epsilon, boundary=boundary)


class ImprovedStaggered(Operator):
    """M = 2m + D with fat and long links that are given, as for `GaugeField.hisq_links` or of another code: in double, without
    phases (`GaugeField.fold_phases`); copied as for `Asqtad`."""

    spins, reach = 1, 3

    def __init__(self, fat: GaugeField, long: GaugeField, mass: float, boundary: Sequence[float] = ANTIPERIODIC) -> None:
        require_links(fat)
        long = require_links(long)._on(long.lattice._with_reach(self.reach))
        self._create(fat, "operator_create_improved", {"mass": mass, "boundary": boundary}, long.handle())
