# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Readers of files of correlators: measurements of kaon in HDF5 and JSON, Hadrons' layout, reports of `kaon propagator`."""
from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from .errors import FileError, InvalidArgument
from .requirements import require_package
from .values import path_of, shown

FORMAT, VERSION = "kaon measurement", 1
_AXES = ("source", "sink", "momentum", "channel", "t")
#: The data sets of a measurement by all-mode averaging; others have the first one alone.
ESTIMATES = ("correlator", "sloppy", "exact", "correction")
_HADRONS_AXES = {"X": "1", "Y": "2", "Z": "3", "T": "4"}


class Group(NamedTuple):
    """The correlators of one hadron on one configuration, in one file. `read(sink, momentum, channel)` with indices of these lists
    returns C[source, t]."""

    file: str
    configuration: str
    extents: tuple[int, ...] | None
    kind: str
    quarks: tuple[str, ...]
    sinks: tuple[str, ...]
    momenta: tuple[tuple[int, ...], ...]
    channels: tuple[str, ...]
    complete: bool  # each file of the ensemble has such a group
    read: Callable[[int, int, int], np.ndarray]


def is_hdf5(path: Any) -> bool:
    """Returns whether a file has the signature of HDF5."""
    try:
        with open(path, "rb") as file:
            return file.read(8) == b"\x89HDF\r\n\x1a\n"
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def read_json(path: Any) -> Any:
    """A file of JSON. Raises `FileError`."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise FileError(f"{path} is not JSON, nor HDF5: give files of kaon measure, or JSON of kaon propagator --correlator, checkpoints of "
                        "kaon generate and kaon hmc, kaon predict --json or kaon_perf --benchmark_out") from None
    except ValueError as error:
        raise FileError(f"{path} is not JSON ({error})") from None
    except RecursionError:
        raise FileError(f"{path} is not JSON of kaon (brackets within brackets)") from None


def read_groups(path: Any, estimate: str) -> list[Group]:
    """The correlators of a file, which are one of `ESTIMATES`."""
    if is_hdf5(path):
        return _of_hdf5(str(path), estimate)
    content = read_json(path)
    groups = [group for part in (content if isinstance(content, list) else [content]) for group in groups_of_json(part, str(path), estimate)]
    if not groups:
        raise FileError(f"{path} has no correlators: it is neither a measurement nor a report of kaon propagator")
    return groups


def groups_of_json(content: Any, file: str, estimate: str) -> list[Group]:
    """The correlators of one measurement or of one report of `kaon propagator`."""
    if not isinstance(content, Mapping):
        raise FileError(f"{file} is no object of JSON")
    if content.get("format") == FORMAT:
        return list(_of_measurement(file, content, content, estimate, lambda data: data[..., 0] + 1j * data[..., 1]))
    if "pion_correlator" not in content:
        return []
    _require_plain(file, estimate)
    return _of_report(file, content)


def _require_plain(file: str, estimate: str) -> None:
    if estimate != "correlator":
        raise FileError(f"{file} has no {estimate}: kaon's own measurements with the table [sloppy] have it")


def _complex(data: np.ndarray, where: str) -> np.ndarray:
    """Complex numbers from any compound of two reals: members are compared by name."""
    if data.dtype.kind == "c":
        return data
    for names in (("r", "i"), ("re", "im")):
        if data.dtype.names is not None and set(data.dtype.names) == set(names):
            return data[names[0]] + 1j * data[names[1]]
    raise FileError(f"{where} has elements of the type {data.dtype}, which are not complex numbers {{r, i}} or {{re, im}}")


def _of_hdf5(path: str, estimate: str) -> list[Group]:
    require_package("h5py")
    import h5py

    try:
        with h5py.File(path, "r") as file:
            if "format" in file.attrs:
                return list(_of_measurement(path, file.attrs, file, estimate, None))
            _require_plain(path, estimate)
            return list(_of_hadrons(path, file))
    except FileError:
        raise
    except (OSError, RuntimeError) as error:
        raise FileError(f"{path} cannot be read as HDF5: {error}") from None


def _texts(values: Any, where: str) -> tuple[str, ...]:
    """Strings of an attribute or a data set."""
    try:
        return tuple(v.decode() if isinstance(v, bytes) else str(v) for v in np.ravel(np.asarray(values, dtype=object)))
    except UnicodeDecodeError:
        raise FileError(f"{where} has characters that are not UTF-8") from None


def _integers(values: Any, width: int, where: str) -> tuple[tuple[int, ...], ...]:
    made = np.asarray(values)
    if made.dtype.kind not in "iu" or made.ndim != 2 or made.shape[1] != width:
        raise FileError(f"{where} has the shape {made.shape} and type {made.dtype}, not {width} integers a row")
    return tuple(tuple(map(int, row)) for row in made)


def _reader(path: str, name: str, order: Sequence[str]) -> Callable[[int, int, int], np.ndarray]:
    """Reads C[source, t] of one data set, which has its axes in this order; without sources there is one row."""
    def read(sink: int, momentum: int, channel: int) -> np.ndarray:
        import h5py

        places: dict[str, Any] = {"sink": sink, "momentum": momentum, "channel": channel}
        try:
            with h5py.File(path, "r") as file:
                values = _complex(file[name][tuple(places.get(axis, slice(None)) for axis in order)], f"{path}: {name}")
        except FileError:
            raise
        except (OSError, KeyError, RuntimeError) as error:
            raise FileError(f"{path}: {name} cannot be read: {error}") from None
        times_first = "source" in order and order.index("t") < order.index("source")
        return _finite(values.T if times_first else np.atleast_2d(values), f"{path}: {name}")

    return read


def _finite(values: np.ndarray, where: str) -> np.ndarray:
    if not np.all(np.isfinite(values)):
        raise FileError(f"{where} has numbers that are not finite")
    return values


def _data_set(path: str, name: str, values: Any, axes: Sequence[str], to_complex: Callable[[np.ndarray], np.ndarray] | None
              ) -> tuple[Sequence[str], tuple[int, ...], Callable[[int, int, int], np.ndarray]]:
    """The order of the axes of a data set, its shape, and what reads C[source, t] of it."""
    where = f"{path}: {name}"
    if to_complex is None:
        order = _texts(values.attrs.get("dimensions", axes), where)
        return order, tuple(values.shape), _reader(path, name, order)
    try:
        made = np.asarray(values)  # complex in what `kaon.measure` returns
        data = made if made.dtype.kind == "c" else to_complex(np.asarray(made, float))
    except (IndexError, ValueError):
        raise FileError(f"{where} is not an array of pairs of numbers") from None
    return axes, data.shape, lambda sink, momentum, channel: _finite(np.atleast_2d(data[..., sink, momentum, channel, :]), where)


def _of_measurement(path: str, attributes: Any, root: Any, estimate: str,
                    to_complex: Callable[[np.ndarray], np.ndarray] | None) -> Iterator[Group]:
    """The groups of kaon's own layout, in HDF5 or, with the function that makes complex numbers, in JSON."""
    if str(attributes["format"]) != FORMAT or int(attributes.get("format_version", 0)) != VERSION:
        raise FileError(f"{path} has the format {attributes['format']!r}, version {attributes.get('format_version')}: this kaon reads "
                        f"{FORMAT!r}, version {VERSION}")
    if "configuration" not in attributes:
        raise FileError(f"{path} does not say its configuration")
    extents = attributes.get("extents")
    extents = None if extents is None else tuple(int(n) for n in extents)
    axes = _AXES[1:] if estimate == "correction" else _AXES
    for kind in ("meson", "baryon", "three_point"):
        for name, group in dict(root.get(kind, {})).items():
            where = f"{path}: {kind}/{name}"
            of_group = group if to_complex else group.attrs
            missing = [key for key in (*_AXES, estimate) if key not in group] + ([] if "quarks" in of_group else ["quarks"])
            if missing:
                raise FileError(f"{where} has no {', '.join(missing)}")
            order, shape, read = _data_set(path, f"{kind}/{name}/{estimate}", group[estimate], axes, to_complex)
            if sorted(order) != sorted(axes):
                raise FileError(f"{where}/{estimate} has the dimensions {', '.join(order)}; {', '.join(axes)} are needed")
            counts = tuple(len(group[axis]) for axis in order)
            fewer = "source" if estimate == "exact" else None  # exact solves are from the first sources alone
            if len(shape) != len(counts) or any(n != count and not (axis == fewer and 0 < n < count)
                                                for n, count, axis in zip(shape, counts, order)):
                raise FileError(f"{where}/{estimate} has the shape {tuple(shape)}, and {', '.join(order)} have {counts} entries")
            quarks = _texts(of_group["quarks"], where)
            if kind == "baryon":  # the operator is in the group's name alone
                quarks = (name.removesuffix("_" + "_".join(quarks)), *quarks)
            elif kind == "three_point":
                quarks = three_point_names(*_sequential(of_group, where), quarks)
            sinks, momenta, named = (group[axis] if to_complex else group[axis][()] for axis in ("sink", "momentum", "channel"))
            yield Group(path, str(attributes["configuration"]), extents, kind, quarks, _texts(sinks, f"{where}/sink"),
                        _integers(momenta, 3, f"{where}/momentum"), _texts(named, f"{where}/channel"), True, read)


def three_point_names(hadron: str, flavor: str, sink_gamma: str, sink_time: int, sink_momentum: Sequence[int], quarks: Sequence[str]) -> tuple[str, ...]:
    """The names by which a three-point function is known, besides its kind: hadron, quarks, flavor, projector or gamma matrix of the
    sink, time and momentum of the sink."""
    return (hadron, *quarks, flavor, sink_gamma, f"t{sink_time}", "p" + "_".join(map(str, sink_momentum)))


def _sequential(attributes: Any, where: str) -> tuple[str, str, str, int, list[int]]:
    """The attributes that define the sequential source of a three-point function."""
    gamma = "projector" if "projector" in attributes else "gamma"
    missing = [key for key in ("hadron", "flavor", gamma, "sink_time", "sink_momentum") if key not in attributes]
    if missing:
        raise FileError(f"{where} has no {', '.join(missing)}, which three-point functions have")
    hadron, flavor, sink = (_texts(attributes[key], where)[0] for key in ("hadron", "flavor", gamma))
    try:
        return hadron, flavor, sink, int(attributes["sink_time"]), [int(n) for n in attributes["sink_momentum"]]
    except (TypeError, ValueError):
        raise FileError(f"{where} has a sink_time or a sink_momentum that are not integers") from None


def _gamma_word(word: str) -> str:
    """kaon's word for a gamma matrix of Hadrons: g4g5 for GammaTGamma5, g1g2 for SigmaXY."""
    sign = "-" if word.startswith("Minus") else ""
    name = word.removeprefix("Minus")
    if name == "Identity":
        return sign + "1"
    if re.fullmatch("Sigma[XYZT]{2}", name):
        return sign + "".join("g" + _HADRONS_AXES[axis] for axis in name[5:])
    factors = re.fullmatch("(Gamma[XYZT])?(Gamma5)?", name)
    if not name or factors is None:
        return sign + word
    return sign + "".join("g5" if factor == "Gamma5" else "g" + _HADRONS_AXES[factor[5]] for factor in factors.groups() if factor)


def _of_hadrons(path: str, root: Any) -> Iterator[Group]:
    """The groups of Hadrons' mesons, and of baryons that kaon writes in this layout. Files that do not name configuration and quarks have the
    trajectory behind the last dot but one of their names, and what is before it for the quarks."""
    stem = pathlib.Path(path).name
    stem = stem[:stem.rfind(".")] if "." in stem else stem
    named = re.fullmatch(r"(.*?)[._]?(\d+)", stem)
    quarks = _texts(root.attrs["quarks"], path) if "quarks" in root.attrs else (named[1] if named else stem,) * 2
    configuration = _texts(root.attrs["configuration"], path)[0] if "configuration" in root.attrs else named[2] if named else stem
    extents = tuple(map(int, np.ravel(root.attrs["extents"]))) if "extents" in root.attrs else None
    momentum = tuple(map(int, np.ravel(root.attrs["momentum"]))) if "momentum" in root.attrs else (0, 0, 0)
    sink = _texts(root.attrs["sink"], path)[0] if "sink" in root.attrs else "point"
    found = False
    for kind, words in (("meson", ("gamma_snk", "gamma_src")), ("baryon", ("projector",))):
        channels, names = [], []
        for name, entry in dict(root.get(kind, {})).items():
            where = f"{path}: {kind}/{name}"
            if not set(words) <= set(entry.attrs) or "corr" not in entry:
                raise FileError(f"{where} has no {', '.join(words)} and corr, as Hadrons' {kind}s have")
            if entry["corr"].ndim != 1:
                raise FileError(f"{where}/corr has the shape {entry['corr'].shape}, not one of times")
            names.append(f"{kind}/{name}/corr")
            channels.append(":".join(_gamma_word(_texts(entry.attrs[key], where)[0]) for key in words))
        if not names:
            continue
        found = True
        operator = re.match(f"baryon_(.+?)_{re.escape('_'.join(quarks))}(_|$)", stem)
        who = quarks if kind == "meson" else (operator[1] if operator else stem, *quarks)
        yield Group(path, configuration, extents, kind, who, (sink,), (momentum,), tuple(channels), False,
                    lambda _sink, _momentum, channel, names=tuple(names): _read_corr(path, names[channel]))
    if not found:
        raise FileError(f"{path} is neither a measurement of kaon nor Hadrons' mesons: it has no format and no group meson")


def _read_corr(path: str, name: str) -> np.ndarray:
    import h5py

    with h5py.File(path, "r") as file:
        return _finite(_complex(file[name][()], f"{path}: {name}")[None], f"{path}: {name}")


def _of_report(file: str, report: Mapping[str, Any]) -> list[Group]:
    """The pion of a report of `kaon propagator`, with the action as the name of a quark."""
    gauge, source = report.get("gauge"), report.get("source")
    if not isinstance(gauge, Mapping) or not isinstance(source, Mapping):
        raise FileError(f"{file} does not say its gauge and source")
    actions = report.get("actions")
    actions = actions if isinstance(actions, list) and len(actions) == 2 else [report.get("action")] * 2
    kind = ", ".join(f"{key} {value}" for key, value in source.items() if key not in ("site", "seed") and value != "point")
    quarks = tuple(", ".join(filter(None, (_name_of(action), kind))) for action in actions)
    try:
        values = np.array(report["pion_correlator"], complex)
        extents = tuple(int(n) for n in gauge["extents"]) if "extents" in gauge else None
    except (TypeError, ValueError, OverflowError):
        raise FileError(f"{file}: pion_correlator and the extents of gauge are not numbers") from None
    return [Group(file, json.dumps(gauge), extents, "meson", quarks, ("point",), ((0, 0, 0),), ("g5:g5",), False,
                  lambda *_: _finite(values[None], f"{file}: pion_correlator"))]


def _name_of(action: Any) -> str:
    """clover, kappa 0.1345"""
    if not isinstance(action, Mapping):
        return "?"
    numbers = [name for name in ("kappa" if "kappa" in action else "mass", "mu", "epsilon") if action.get(name)]
    return ", ".join([str(action.get("name", "?")), *(f"{name} {action[name]}" for name in numbers)])


def chain_and_number(configuration: str) -> tuple[str, int]:
    """The name of a configuration without its last number, which names its Markov chain, and that number."""
    try:
        name = json.loads(configuration).get("file", configuration)
    except (AttributeError, ValueError):
        name = configuration
    found = re.search(r"(\d+)(?=\D*$)", str(name))
    return (str(name)[:found.start()] + str(name)[found.end():], int(found[1])) if found else (str(name), 0)


def paths(files: Any) -> list[Any]:
    """The files of a pattern, a path, or a sequence of both."""
    import glob

    try:
        given = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
    except TypeError:
        raise InvalidArgument(f"files = {shown(files)} are neither a pattern nor paths") from None
    found: list[Any] = []
    for one in given:
        if isinstance(one, Mapping):
            found.append(one)
            continue
        one = os.fsdecode(path_of(one))
        if not os.path.exists(one) and glob.has_magic(one):
            matching = sorted(glob.glob(one))
            if not matching:
                raise FileError(f"no file matches {one}")
            found += matching
        else:
            found.append(one)
    return found
