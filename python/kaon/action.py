# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The action by itself: its value and its force, for molecular dynamics of one's own."""
from __future__ import annotations

import ctypes
from typing import Any

from .errors import InvalidArgument
from .gauge import GaugeField, Momenta, require_links, require_momenta
from .hmc import terms_of
from .library import Described, check, create, start
from .values import real, seed_of, stream_of


class Action(Described):
    """S, the sum of one or several of `GaugeAction`, `TwoFlavors`, `DomainWallFlavors`, `RationalFlavors` and `StaggeredFlavors`, whose
    pseudofermions it holds; on links in double.

        S, P = kaon.Action([kaon.TwoFlavors(mass=0.1), kaon.GaugeAction(beta=5.6)]), kaon.Momenta(U.lattice)
        P.draw(seed)
        H = P.energy() + S.draw(U, seed)
        for _ in range(steps):                     # leapfrog
            S.kick(P, U, dt / 2), U.advance(P, dt), S.kick(P, U, dt / 2)
        dH = P.energy() + S.value(U) - H

    Operators that a kick makes serve the next one on the same links."""

    def __init__(self, actions: Any) -> None:
        actions = actions if isinstance(actions, (list, tuple)) else [actions]
        terms = [term for action in actions for term in terms_of(action)]
        self._handles = [create("action_term", f"action_term_create_{kind}", *given) for kind, given in terms]
        if not self._handles:
            raise InvalidArgument("an action has at least one term")
        self.handle = self._handles[0]
        self._names = ", ".join(map(str, actions))

    def _description(self) -> str:
        return self._names

    @property
    def terms(self) -> int:
        """How many terms there are: quarks have one for each ratio of determinants."""
        return len(self._handles)

    @property
    def iterations(self) -> int:
        """Results of all solves so far."""
        value, total = (ctypes.c_double * 1)(), 0
        for handle in self._handles:
            check(start().kaon_action_term_iterations(handle(), value))
            total += int(value[0])
        return total

    def draw(self, links: GaugeField, seed: int = 0, stream: int = 0) -> float:
        """Draws the pseudofermions from exp(-S) on these links, and computes S there. The terms take the random numbers of
        `stream`, `stream` + 1, ...; those of trajectory k of an `HMC` whose actions have n terms start with n k. Raises
        `NotConverged` where a solve fails. Collective."""
        first, value, total = stream_of(stream), (ctypes.c_double * 1)(), 0.0
        stream_of(first + len(self._handles) - 1)
        for number, handle in enumerate(self._handles):
            check(start().kaon_action_term_draw(handle(), require_links(links).handle(), seed_of(seed), first + number, value))
            total += value[0]
        return total

    def value(self, links: GaugeField) -> float:
        """S on these links, of the pseudofermions that were drawn last. Collective."""
        value, total = (ctypes.c_double * 1)(), 0.0
        for handle in self._handles:
            check(start().kaon_action_term_value(handle(), require_links(links).handle(), value))
            total += value[0]
        return total

    def kick(self, momenta: Momenta, links: GaugeField, dt: float) -> None:
        """P <- P + dt F, F the force. Collective."""
        require_momenta(momenta)
        for handle in self._handles:
            check(start().kaon_action_term_kick(handle(), momenta.handle(), require_links(links).handle(), real(dt, "dt")))

    def force(self, links: GaugeField) -> Momenta:
        """F = dP/dt on these links, which conserves sum |P|^2/2 + S: dS/dt = -sum Re Tr(P^dag F) for dU/dt = P U. Collective."""
        force = Momenta(require_links(links).lattice)
        self.kick(force, links, 1.0)
        return force

    def free(self) -> None:
        """Frees it now."""
        for handle in self._handles:
            handle.free()
