# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Sources of propagators: the identity in spin and colour, at a site, smeared, or as noise on a time slice."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Sequence

from . import declarations as h
from .gauge import GaugeField
from .lattice import Lattice, four
from .library import check, options, start
from .spinor import SpinorField
from .values import chosen, integer, require_kind, seed_of


class Source:
    """A source of propagators, whose `site` is the origin of correlators."""

    seed = 0

    @property
    def site(self) -> Sequence[int]:
        raise NotImplementedError

    def make(self, lattice: Lattice, spins: int, precision: str) -> SpinorField:
        """The field of right-hand sides 3 s + c."""
        made = SpinorField(lattice, 3 * integer(spins, "spins", 28), spins, precision)
        check(start().kaon_spinor_source(made.handle(), self._options()))
        return made

    def _kind(self) -> int:
        return h.POINT_SOURCES

    def _options(self) -> Any:
        given = options(h.SourceOptions, kind=self._kind(), seed=seed_of(self.seed))
        given.site[:] = four(self.site, "site")
        return given


@dataclass(frozen=True)
class PointSource(Source):
    """1 at a site (x, y, z, t), in each spin and colour."""

    site: Sequence[int] = (0, 0, 0, 0)


@dataclass(frozen=True)
class _SliceSource(Source):
    t: int = 0

    @property
    def site(self) -> tuple[int, int, int, int]:
        return (0, 0, 0, self.t)


@dataclass(frozen=True)
class WallSource(_SliceSource):
    """Z2 noise (+-1 +- i)/sqrt(2) on the time slice t, the same in each spin and colour. Correlators are then sums over the sources
    of the slice, up to noise: divided by their number X Y Z they are those of one point source."""

    seed: int = 0

    def _kind(self) -> int:
        return h.Z2_WALL_SOURCE


_WALLS = {"all": h.WALL_SOURCES, "even": h.EVEN_WALL_SOURCES, "corners": h.CORNER_WALL_SOURCES}


@dataclass(frozen=True)
class UniformWallSource(_SliceSource):
    """1 in each spin and colour on the `sites` of the time slice t: "all", "even" (x + y + z + t even) or "corners" (x, y and z
    even, one site of each hypercube). It projects quarks on zero momentum, on links in Coulomb or Landau gauge
    (`GaugeField.gauge_fixed`). Correlators are those of this source as it is, without a division."""

    sites: str = "all"

    def _kind(self) -> int:
        return chosen(_WALLS, self.sites, "sites of a wall")


@dataclass(frozen=True)
class GaussianSource(Source):
    """A point source, smeared with links: `steps` times psi <- psi + w^2/(4N) (H - 6) psi."""

    links: GaugeField
    site: Sequence[int] = (0, 0, 0, 0)
    width: float = field(default=2.0)
    steps: int = field(default=20)

    def make(self, lattice: Lattice, spins: int, precision: str) -> SpinorField:
        source = super().make(lattice, spins, precision)
        source.smear(self.links, self.width, self.steps)
        return source


def require_source(source: object) -> None:
    require_kind(source, Source, "a source is a PointSource, WallSource, UniformWallSource or GaussianSource")
