# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators of an ensemble of gauge fields, from the files of measurements."""
from __future__ import annotations

import math
import re
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from .correlators import Correlator
from .errors import FileError, InvalidArgument
from .fits import Fit
from .measurement_files import ESTIMATES, Group, chain_and_number, groups_of_json, paths, read_groups, three_point_names
from .values import chosen, flag, integer, integers, shown

Channels = str | Sequence[str]


class Energy(NamedTuple):
    """The energy of a hadron with a momentum: n^2 of p = 2 pi n/L, p^2 in units of 1/a^2, and the fit."""

    n_squared: int
    momentum_squared: float
    fit: Fit


class Ensemble:
    """The correlators of files: those of `kaon measure` in HDF5 or JSON, Hadrons' mesons, and reports of `kaon propagator
    --correlator`. `files` is a pattern, a path, or a sequence of them and of what `kaon.measure` returns. HDF5 needs h5py.

        e = kaon.Ensemble("out/*.h5")
        c = e.meson("l", "l", "g5")
        c.mean, c.error(), c.effective_mass(), c.fit(6, 14)

    Configurations are sorted by the last number in their names, as consecutive ones of a Markov chain. Names that differ in more are
    of independent chains, unless each of these has one configuration. `errors` are the method and the options of `kaon.estimate` for all
    correlators, such as `method="gamma"` or `bin_size=5`. Each call of `meson` and `baryon` reads its values.

    `estimate` chooses among the numbers of all-mode averaging ([sloppy] of docs/measure.md): "correlator", which has no bias, its
    parts "sloppy", from all sources, and "correction", their mean difference to exact solves, and "exact", from few sources."""

    def __init__(self, files: Any, estimate: str = "correlator", **errors: Any) -> None:
        self._errors = errors
        estimate = chosen(dict(zip(ESTIMATES, ESTIMATES)), estimate, "estimate")
        given = [files] if isinstance(files, Mapping) else paths(files)
        groups: list[Group] = []
        for number, one in enumerate(given):
            groups += groups_of_json(one, f"content {number}", estimate) if isinstance(one, Mapping) else read_groups(one, estimate)
        if not groups:
            raise FileError("an ensemble of no files has no correlators")
        self._groups: dict[tuple[str, tuple[str, ...]], list[Group]] = {}
        seen: dict[tuple[str, str, tuple[str, ...]], str] = {}
        for group in groups:
            self._groups.setdefault((group.kind, group.quarks), []).append(group)
            if group.complete:
                other = seen.setdefault((group.configuration, group.kind, group.quarks), group.file)
                if other != group.file:
                    raise FileError(f"{other} and {group.file} are both of the configuration {group.configuration}")
        self.extents = groups[0].extents
        for group in groups:
            if group.extents != self.extents:
                raise FileError(f"{groups[0].file} and {group.file} are of lattices of {self.extents} and {group.extents}")
        #: The names of the configurations, chain by chain.
        self.configurations, _ = _sorted({group.configuration for group in groups})
        self._complete = {group.configuration: group.file for group in groups if group.complete}

    def __repr__(self) -> str:
        count = len(self.configurations)
        return f"<kaon.Ensemble of {count} configuration{'s'[:count - 1]}, extents {self.extents}: {self._listed_hadrons()}>"

    @property
    def hadrons(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The measured hadrons: "meson" and the two quarks, "baryon", its operator and its quarks, or "three_point", its hadron and quarks,
        the flavor of the current, the projector or gamma matrix, the time and the momentum of its sink."""
        return tuple(self._groups)

    def channels(self, kind: str, *quarks: str) -> tuple[str, ...]:
        """The channels of one of `hadrons`."""
        return tuple(dict.fromkeys(channel for group in self._of(kind, quarks) for channel in group.channels))

    def momenta(self, kind: str, *quarks: str) -> tuple[tuple[int, ...], ...]:
        """The momenta of one of `hadrons`, in units of 2 pi/L."""
        return tuple(dict.fromkeys(momentum for group in self._of(kind, quarks) for momentum in group.momenta))

    def sinks(self, kind: str, *quarks: str) -> tuple[str, ...]:
        """The smearings of the sink of one of `hadrons`."""
        return tuple(dict.fromkeys(sink for group in self._of(kind, quarks) for sink in group.sinks))

    def meson(self, quark: str, antiquark: str | None = None, channel: Channels = "g5", momentum: int | Sequence[int] = 0,
              sink: str | None = None, source: int | None = None, part: str = "real", form: str | None = None,
              fold: bool = True) -> Correlator:
        """A meson's correlator, averaged over the sources of each configuration, or of the source with one number.

        `channel` has the gamma matrices of sink and source, "g4g5:g5", or one for both; the average over several is that of a
        sequence, ("g1", "g2", "g3"). `momentum` is n^2, for the average over all momenta 2 pi n/L of this n^2, or (n_x, n_y, n_z).
        `sink` is the smearing of the sink, if there are several. `form` is "cosh", or "sinh" where the channel has g4 and g5 an odd
        number of times; `fold` averages forward and backward times accordingly. The antiquark is the quark unless given."""
        named = [one if ":" in one else f"{one}:{one}" for one in _listed(channel)]
        odd = {sum(word in "45" for word in re.findall(r"g(\d)", one)) % 2 for one in named}
        found = self._correlator("meson", (quark, quark if antiquark is None else antiquark), named, momentum, sink, source, part,
                                 ("sinh" if odd == {1} else "cosh") if form is None else form)
        return found.folded() if flag(fold, "fold") and found.form != "exp" else found

    def baryon(self, *names: str, channel: Channels = "positive", momentum: int | Sequence[int] = 0, sink: str | None = None,
               source: int | None = None, part: str = "real") -> Correlator:
        """A baryon's correlator of the form "exp", such as `baryon("nucleon", "l", "l", "l")` with the names that `hadrons` has;
        the arguments as for `meson`. The channel "negative" has the backward times of the positive parity."""
        return self._correlator("baryon", names, _listed(channel), momentum, sink, source, part, "exp")

    def three_point(self, hadron: str, *quarks: str, current: Channels, sink_time: int, flavor: str = "u", projector: str = "positive",
                    sink_momentum: Sequence[int] = (0, 0, 0), momentum: int | Sequence[int] = 0, sink: str | None = None,
                    source: int | None = None, part: str = "real") -> Correlator:
        """The three-point function of a current at the distance t from the source, with the hadron's sink at `sink_time`, such as
        `three_point("nucleon", "l", "l", current="g4", sink_time=10, flavor="d")`; times beyond the sink are those of another state.
        `projector` is that of a baryon's sink, or the gamma matrix of a meson's, and `momentum` that of the current; the other arguments
        as for `meson`. Differences of two flavors are isovector: `e.three_point(..., flavor="u") - e.three_point(..., flavor="d")`."""
        names = three_point_names(hadron, flavor, projector, integer(sink_time, "sink_time", 31), integers(sink_momentum, "sink_momentum"), quarks)
        return self._correlator("three_point", names, _listed(current), momentum, sink, source, part, "exp")

    def dispersion(self, *quarks: str, t_min: int, t_max: int, n_squared: Sequence[int] = (0, 1, 2), channel: Channels = "g5",
                   states: int = 1, correlated: bool = True, **options: Any) -> list[Energy]:
        """Fitted energies of a meson for several n^2 of its momentum, for a comparison with E^2 = m^2 + p^2."""
        found = []
        for n2 in integers(n_squared, "n_squared"):
            c = self.meson(*quarks, channel=channel, momentum=n2, **options)
            found.append(Energy(n2, c.momentum_squared, c.fit(t_min, t_max, states, correlated)))
        return found

    def _of(self, kind: str, quarks: Sequence[str]) -> list[Group]:
        names = (kind, *quarks)
        if not all(isinstance(name, str) for name in names) or (kind, names[1:]) not in self._groups:
            asked = " ".join(name if isinstance(name, str) else shown(name) for name in names)
            raise InvalidArgument(f"{asked} is not in these files; they have {self._listed_hadrons()}")
        return self._groups[kind, names[1:]]

    def _listed_hadrons(self) -> str:
        return ", ".join(" ".join([kind, *quarks]) for kind, quarks in self.hadrons)

    def _correlator(self, kind: str, quarks: Sequence[str], channels: Sequence[str], momentum: Any, sink: str | None,
                    source: int | None, part: str, form: str) -> Correlator:
        take = chosen({"real": np.real, "imaginary": np.imag}, part, "part")
        groups = self._of(kind, quarks)
        momenta = self._momenta_of(kind, quarks, momentum)
        sinks = self.sinks(kind, *quarks)
        if sink is None and len(sinks) > 1:
            raise InvalidArgument(f"there are the sinks {', '.join(sinks)}: name one")
        sink = sinks[0] if sink is None else sink
        if not isinstance(sink, str) or sink not in sinks:
            raise InvalidArgument(f"sink = {shown(sink)} is none of {', '.join(sinks)}")
        source = None if source is None else integer(source, "source", 31)
        samples: dict[str, dict[tuple[str, tuple[int, ...]], list[np.ndarray]]] = {}
        for group in groups:
            for one in channels:
                for n in momenta:
                    try:
                        places = group.sinks.index(sink), group.momenta.index(n), group.channels.index(one)
                    except ValueError:
                        continue
                    rows = take(group.read(*places))
                    if source is not None:
                        if source >= len(rows):
                            raise InvalidArgument(f"source = {shown(source)}: {group.file} has {len(rows)} sources")
                        rows = rows[source:source + 1]
                    samples.setdefault(group.configuration, {}).setdefault((one, n), []).extend(rows)
        self._check(samples, kind, quarks, channels, momenta, sink)
        names, chains = _sorted(samples)
        averages = [np.mean([np.mean(rows, axis=0) for rows in samples[name].values()], axis=0) for name in names]
        label = " ".join([*dict.fromkeys(quarks), ", ".join(channels)])
        n2 = sum(n * n for n in momenta[0])
        return Correlator(averages, form, chains, label, self._momentum_squared(momenta) if n2 else 0.0, **self._errors)

    def _check(self, samples: Mapping[str, Any], kind: str, quarks: Sequence[str], channels: Sequence[str],
               momenta: Sequence[tuple[int, ...]], sink: str) -> None:
        """Refuses correlators that some configurations have and others do not, and such of different lengths."""
        what = " ".join((kind, *quarks))
        for one in channels:
            if not any(one in group.channels for group in self._of(kind, quarks)):
                known = self.channels(kind, *quarks)
                raise InvalidArgument(f"{what} has no channel {one}; it has {', '.join(known[:20])}" + (", ..." if known[20:] else ""))
        if not samples:
            raise InvalidArgument(f"{what} has no sink {sink} with these momenta and channels together")
        for configuration, file in self._complete.items():
            if configuration not in samples:
                raise FileError(f"{file} has no {what}, {', '.join(channels)}, which other files have")
        for configuration, found in samples.items():
            if len(found) != len(channels) * len(momenta):
                files = [group.file for group in self._of(kind, quarks) if group.configuration == configuration]
                raise FileError(f"{files[0]} has {len(found)} of the {len(channels) * len(momenta)} channels and momenta of {what} "
                                "that are averaged")
        lengths = {len(row) for found in samples.values() for rows in found.values() for row in rows}
        if len(lengths) > 1:
            raise FileError(f"the correlators of {what} have {' and '.join(map(str, sorted(lengths)))} times")

    def _momenta_of(self, kind: str, quarks: Sequence[str], momentum: Any) -> list[tuple[int, ...]]:
        known = self.momenta(kind, *quarks)
        if isinstance(momentum, (int, np.integer)) and not isinstance(momentum, bool):
            found = [n for n in known if sum(c * c for c in n) == momentum]
        else:
            found = [n for n in known if n == integers(momentum, "momentum")]
        if not found:
            squares = sorted({sum(c * c for c in n) for n in known})
            raise InvalidArgument(f"momentum = {shown(momentum)} is not in these files; they have n^2 of {', '.join(map(str, squares))}")
        return found

    def _momentum_squared(self, momenta: Sequence[tuple[int, ...]]) -> float:
        """p^2 in units of 1/a^2, averaged over the momenta; nan for files without the extents of the lattice."""
        if self.extents is None:
            return math.nan
        return float(np.mean([sum((2 * math.pi * c / length) ** 2 for c, length in zip(n, self.extents)) for n in momenta]))


def _listed(channel: Channels) -> list[str]:
    try:
        made = [channel] if isinstance(channel, str) else list(channel)
    except TypeError:
        made = []
    if not made or not all(isinstance(one, str) for one in made):
        raise InvalidArgument(f"channel = {shown(channel)} is not a word or several")
    return made


def _sorted(names: Any) -> tuple[list[str], tuple[int, ...]]:
    """The names of configurations chain by chain, and the lengths of the chains."""
    chains: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        chain, number = chain_and_number(name)
        chains.setdefault(chain, []).append((number, name))
    order = [name for chain in sorted(chains) for _, name in sorted(chains[chain])]
    lengths = tuple(len(chains[chain]) for chain in sorted(chains))
    return order, lengths if max(lengths) > 1 else (len(order),)
