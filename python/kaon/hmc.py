# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Hybrid Monte Carlo: terms of the action, and trajectories."""
from __future__ import annotations

import ctypes
import math
from dataclasses import MISSING, dataclass, fields
from typing import Any, NamedTuple, Sequence

from . import declarations as h
from .errors import InvalidArgument
from .gauge import GaugeField, require_links
from .library import Described, check, create, options, start
from .operators import ANTIPERIODIC, operator_options
from .values import chosen, flag, integer, real, reals, refuse_mask, require_kind, seed_of, shown

_METHODS = {word: h.METHODS[word] for word in ("auto", "cgnr", "bicgstab", "multigrid")}
_STAGGERED = {"naive": h.STAGGERED, "asqtad": h.ASQTAD, "hisq": h.HISQ}
_INNER = {"half": h.INNER_HALF, "single": h.INNER_SINGLE, "double": h.INNER_OUTER}
# c_1, of rectangles
_RECTANGLES = {"wilson": 0.0, "symanzik": -1.0 / 12.0, "iwasaki": -0.331, "dbw2": -1.4088, "one-loop": 0.0}
# "gauge" or "quarks", and the options of kaon.h: a term of the action
Term = tuple[str, tuple[ctypes.Structure, ...]]


class _Terms:
    """An action, whose `repr` has the fields that were set."""

    def __repr__(self) -> str:
        given = sorted(fields(self), key=lambda field: field.kw_only)  # type: ignore[arg-type]
        values = [(field, getattr(self, field.name)) for field in given]
        text = ", ".join(f"{field.name}={value!r}" for field, value in values if field.default is MISSING or repr(value) != repr(field.default))
        return f"{type(self).__name__}({text})"

    def _terms(self) -> list[Term]:
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class GaugeAction(_Terms):
    """beta [c_0 sum (1 - plaquette) + c_1 sum (1 - rectangle)], c_0 = 1 - 8 c_1: "wilson", "symanzik", "iwasaki" or "dbw2",
    or any c_1 as `rectangle`. "one-loop" is Symanzik's action at one loop, with parallelograms, for a tadpole factor `u0` and a
    number of dynamical `flavors`; its beta is MILC's, 10/g^2 / u0^4."""

    action: str = "wilson"
    beta: float | None = None
    rectangle: float | None = None
    u0: float | None = None
    flavors: float = 0.0

    def _terms(self) -> list[Term]:
        if (self.action == "one-loop") != (self.u0 is not None):
            raise InvalidArgument('"one-loop" needs u0, and other gauge actions have none')
        named = chosen(_RECTANGLES, self.action, "action") if self.rectangle is None else self.rectangle
        if self.beta is None:
            raise InvalidArgument("beta is not given, which a gauge action needs")
        given = options(h.GaugeActionOptions, beta=self.beta, rectangle=named,
                        one_loop_u0=math.nan if self.u0 is None else self.u0, one_loop_flavors=self.flavors)
        return [("gauge", (given,))]


def _smearing(stout: Any) -> dict[str, Any]:
    """The options of stout smearing: none, (rho, levels), or (rho_x, rho_y, rho_z, rho_t, levels)."""
    numbers = reals(stout, "stout")
    if not numbers:
        return {}
    *rho, levels = numbers
    if len(rho) not in (1, 4) or not levels.is_integer() or levels < 1:
        raise InvalidArgument(f"stout = {shown(stout)}: rho and the number of levels, (0.125, 1), or rho in x, y, z and t and that number")
    return {"stout_levels": int(levels), "stout_rho": tuple(rho if len(rho) == 4 else 4 * rho)}


@dataclass(frozen=True, repr=False, kw_only=True)
class _Quarks(_Terms):
    """Quarks, with keywords for their boundary, solves and links."""

    boundary: Sequence[float] = ANTIPERIODIC
    tolerance: float = 1e-10
    force_tolerance: float = 1e-8
    max_iterations: int = 10000
    inner: str = "half"
    stout: Sequence[float] = ()

    def _quark_term(self, physics: dict[str, Any], **term: Any) -> Term:
        quarks = operator_options({**physics, "boundary": self.boundary})
        given = options(h.QuarkTermOptions, tolerance=self.tolerance,
                        force_tolerance=self.force_tolerance, max_iterations=self.max_iterations,
                        inner=chosen(_INNER, self.inner, "inner precision"), **_smearing(self.stout),
                        **{name: value for name, value in term.items() if value is not None})
        return "quarks", (quarks, given)


@dataclass(frozen=True, repr=False)
class TwoFlavors(_Quarks):
    """Two flavours of Wilson (`csw` = 0) or clover quarks of one `mass` or `kappa`, even-odd, with the determinant of the clover
    term; with a twisted mass `mu` a doublet of mu and -mu. Numbers of `hasenbusch`, falling, split the determinant into ratios
    det(N^dag N + mu^2) / det(N^dag N + mu'^2); of twisted quarks they are twisted masses above |mu|, of ratios
    |det M(mu)|^2 / |det M(mu')|^2.

    The links of all quarks, here and below, are stout smeared with `stout` = (rho, levels), or (rho_x, rho_y, rho_z, rho_t, levels)
    for links of each direction (hep-lat/0311018, docs/conventions.md). Links of one direction with 0 remain as they are and do not
    enter."""

    mass: float | None = None
    kappa: float | None = None
    csw: float = 0.0
    mu: float | None = None
    hasenbusch: Sequence[float] = ()
    method: str = "auto"

    def _terms(self) -> list[Term]:
        above = reals(self.hasenbusch, "hasenbusch")
        csw, twisted_mass = real(self.csw, "csw"), None if self.mu is None else real(self.mu, "mu")
        plain, clover = (h.WILSON, h.WILSON_CLOVER) if self.mu is None else (h.TWISTED_MASS, h.TWISTED_CLOVER)
        physics = {"action": clover if csw != 0.0 else plain, "mass": self.mass, "kappa": self.kappa,
                   "mu": twisted_mass, "csw": csw}
        # From the smallest mu on, as kaon's C++ has them. The mu of twisted quarks is their own.
        return [self._quark_term(physics if self.mu is None else {**physics, "mu": mu}, mu=mu if self.mu is None else 0.0,
                        numerator_mu=numerator_mu, method=chosen(_METHODS, self.method, "method"))
                for mu, numerator_mu in zip([twisted_mass or 0.0, *reversed(above)], [*reversed(above), math.nan])]


@dataclass(frozen=True, repr=False)
class DomainWallFlavors(_Quarks):
    """Two flavours of domain wall quarks over Pauli-Villars fields, |det M(m)|^2 / |det M(1)|^2, with the parameters of
    `DomainWall`. Masses of `hasenbusch`, falling between 1 and m, split it into ratios of neighbours. Other `flavors`, from 0 to 2,
    are by rational functions for eigenvalues of N^dag N from `lowest` to `highest`, 1e-6 to 50 unless given. With `exact` one
    flavour has the action of two matrices H without a rational function, whose eigenvalues are 1/2 to 4/m^2 unless given."""

    mass: float
    m5: float = 1.8
    slices: int = 16
    b: float = 1.0
    c: float = 0.0
    flavors: float = 2.0
    hasenbusch: Sequence[float] = ()
    lowest: float | None = None
    highest: float | None = None
    exact: bool = False

    def _terms(self) -> list[Term]:
        masses = [real(self.mass, "mass"), *reversed(reals(self.hasenbusch, "hasenbusch")), 1.0]
        if any(light >= heavy for light, heavy in zip(masses, masses[1:])):
            raise InvalidArgument(f"hasenbusch = {shown(self.hasenbusch)} are not masses that fall from 1 to {masses[0]}")
        physics = {"action": h.DOMAIN_WALL, "m5": self.m5, "slices": self.slices, "b": self.b, "c": self.c}
        flavors = real(self.flavors, "flavors")
        if flavors != 2.0 and len(masses) > 2:
            raise InvalidArgument(f"hasenbusch = {shown(self.hasenbusch)} is for two flavours, not {flavors}")
        # Rational functions have their Pauli-Villars fields themselves.
        return [self._quark_term({**physics, "mass": light}, heavier_mass=heavy if flavors == 2.0 else None, flavors=flavors,
                        lowest=self.lowest, highest=self.highest, exact=flag(self.exact, "exact"))
                for light, heavy in zip(masses, masses[1:])]


@dataclass(frozen=True, repr=False)
class RationalFlavors(_Quarks):
    """A number of flavours, 1 unless set, of Wilson (`csw` = 0) or clover quarks by rational functions, for eigenvalues of
    N^dag N from `lowest` to `highest`: a trajectory that finds others ends with an error that names them. With `epsilon` it is
    `flavors` doublets of twisted quarks of two masses, with `mu` and `epsilon` of `TwistedDoublet`."""

    mass: float | None = None
    kappa: float | None = None
    csw: float = 0.0
    flavors: float = 1.0
    lowest: float = 1e-6
    highest: float = 50.0
    mu: float | None = None
    epsilon: float | None = None

    def _terms(self) -> list[Term]:
        if (self.mu is None) != (self.epsilon is None):
            raise InvalidArgument("a doublet of two masses has both mu and epsilon; TwoFlavors is that of one mass")
        csw, flavors = real(self.csw, "csw"), real(self.flavors, "flavors")
        if flavors == 2.0 and self.epsilon is None:
            raise InvalidArgument("flavors = 2 needs no rational function: take TwoFlavors")
        plain, clover = ((h.WILSON, h.WILSON_CLOVER) if self.epsilon is None else
                         (h.TWISTED_DOUBLET, h.TWISTED_CLOVER_DOUBLET))
        physics = {"action": clover if csw != 0.0 else plain, "mass": self.mass, "kappa": self.kappa, "mu": self.mu,
                   "epsilon": self.epsilon, "csw": csw}
        return [self._quark_term(physics, flavors=flavors, lowest=self.lowest, highest=self.highest)]


@dataclass(frozen=True, repr=False)
class StaggeredFlavors(_Quarks):
    """Staggered quarks, det(2m + D)^(flavors/4) of "naive", "asqtad" (with `u0`) or "hisq" ones, by rational functions; divided by
    the determinant of a `heavier_mass` if there is one. asqtad and HISQ need a lattice of reach 3."""

    mass: float
    flavors: float = 4.0
    action: str = "hisq"
    heavier_mass: float | None = None
    u0: float | None = None
    naik_epsilon: float = 0.0
    highest: float = 90.0

    def _terms(self) -> list[Term]:
        physics = {"action": chosen(_STAGGERED, self.action, "action"), "mass": self.mass, "u0": self.u0,
                   "naik_epsilon": self.naik_epsilon}
        return [self._quark_term(physics, flavors=self.flavors, heavier_mass=self.heavier_mass, highest=self.highest)]


def terms_of(action: Any) -> list[Term]:
    """The terms of an action. Raises `InvalidArgument` for other objects."""
    return require_kind(action, _Terms, "an action is a GaugeAction or quarks")._terms()


class Trajectory(NamedTuple):
    """Result of a trajectory: the change of the energy, whether its links were accepted, the plaquette of the links that are
    there now, iterations of all solves, and seconds."""

    delta_energy: float
    accepted: bool
    plaquette: float
    iterations: int
    seconds: float


class Reversal(NamedTuple):
    """By how much the energy and any number of the links miss their start, after a trajectory there and back."""

    delta_energy: float
    links: float


class HMC(Described):
    """Hybrid Monte Carlo of links, which are changed in place: exp(-S) with S the sum of `actions`.

    `steps` is the number of steps of a trajectory of this `length`. Several numbers are nested time scales, as many as there
    are actions: those that cost most first, the gauge action last; an entry of `actions` may be a list of actions then.
    `integrator` is one of "leapfrog", "omelyan", "fourth-order", "badab", "abadaba", "badabadab", "babadabab" and "adada"
    (docs/conventions.md), or a list with one of them for each time scale. Trajectories are counted from `next_trajectory` on,
    and their random numbers depend on `seed`, this number and the actions alone. With `forecast` > 0 solves for forces start
    from the best combination of that number of earlier solutions of the trajectory (hep-lat/9509012), which costs reversibility
    of the order of `force_tolerance`."""

    def __init__(self, links: GaugeField, actions: Any, integrator: str | Sequence[str] = "omelyan",
                 steps: int | Sequence[int] = 10, length: float = 1.0, seed: int = 0, accept_all: bool = False,
                 forecast: int = 0) -> None:
        require_links(links)
        if not isinstance(actions, (list, tuple)):
            actions = [actions]
        refuse_mask(steps, "steps")
        try:
            numbers = list(steps)  # type: ignore[arg-type]
            scales = [list(a) if isinstance(a, (list, tuple)) else [a] for a in actions]
        except TypeError:  # one number
            scales, numbers = [list(actions)], [steps]
        if len(numbers) != len(scales):
            raise InvalidArgument(f"{len(numbers)} numbers of steps for {len(scales)} time scales")
        given = options(h.HmcOptions, length=length, seed=seed_of(seed),
                        accept_all=flag(accept_all, "accept_all"), forecast=integer(forecast, "forecast", 31))
        handle = create("hmc", "hmc_create", given)
        words = list(integrator) if isinstance(integrator, (list, tuple)) else [integrator] * len(scales)
        if len(words) != len(scales):
            raise InvalidArgument(f"{len(words)} integrators for {len(scales)} time scales")
        for terms, count, word in zip(scales, numbers, words):
            number = chosen(h.INTEGRATORS, word, "integrator")
            check(start().kaon_hmc_add_scale(handle(), integer(count, "steps", 31), number))
            for term in terms:
                for kind, given in terms_of(term):
                    add = getattr(start(), "kaon_hmc_add_gauge_action" if kind == "gauge" else "kaon_hmc_add_quarks")
                    check(add(handle(), *given))
        self.handle, self.links, self.next_trajectory = handle, links, 1
        self._terms = "; ".join(f"{count} steps of {', '.join(map(str, terms))}" for count, terms in zip(numbers, scales))
        self._integrator = f"{', '.join(words if len(set(words)) > 1 else words[:1])}, length {length:g}"

    def _description(self) -> str:
        return f"{self._terms}; {self._integrator}, next trajectory {self.next_trajectory}, {self.links.lattice}"

    def _number(self, number: int | None) -> int:
        return integer(self.next_trajectory if number is None else number, "number", 32)

    def trajectory(self, number: int | None = None) -> Trajectory:
        """A trajectory: the next one, or that of a number. Raises `NotConverged` where a solve fails or the energy is no longer
        finite; the links remain as they are then. Collective."""
        number = self._number(number)
        report = h.TrajectoryReport()
        check(start().kaon_hmc_trajectory(self.handle(), self.links.handle(), number, report))
        self.next_trajectory = number + 1
        return Trajectory(report.delta_energy, bool(report.accepted), report.plaquette, int(report.iterations),
                          report.seconds)

    def reverse(self, number: int | None = None) -> Reversal:
        """A trajectory there and back, which leaves the links as they are. Collective."""
        values = (ctypes.c_double * 1)(), (ctypes.c_double * 1)()
        check(start().kaon_hmc_reverse(self.handle(), self.links.handle(), self._number(number), *values))
        return Reversal(values[0][0], values[1][0])
