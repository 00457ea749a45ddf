# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Pictures by matplotlib, which is imported for this module alone. Each function but `plot_files` draws into an Axes and returns it."""
from __future__ import annotations

import math
import pathlib
from typing import Any, Mapping, Sequence

import numpy as np

from .axes import Figure, number_of, pyplot, save_picture, with_error
from .ensemble import Ensemble
from .errors import FileError, InvalidArgument
from .hadron_pictures import correlator, draw_effective_masses, effective_mass, history, residuals, spectrum
from .measurement_files import FORMAT, is_hdf5, read_json
from .speed_pictures import comparison, of_context, prediction, roofline, runs_of, scaling
from .statistics import chain_mean
from .values import real_parts

__all__ = ["comparison", "correlator", "effective_mass", "history", "plot_files", "prediction", "read_json", "residuals", "roofline",
           "scaling", "spectrum"]


def plot_files(files: Sequence[Any], output: Any = None, show: bool = False) -> pathlib.Path | None:
    """Draws the content of the files: the `spectrum` of measurements in HDF5 or JSON, correlators, effective masses and residuals of
    `kaon propagator --correlator`, plaquettes of a checkpoint of `kaon generate`, benchmarks of kaon_perf, comparisons, or times of
    `kaon predict --json`. All are of one kind; a list of such contents counts as several files. For reports of
    several configurations with the same action, source and extents it draws their spectrum, too. Returns the picture's path, if any:
    `output`, or the name of the first file with the suffix .png. Raises `FileError` for files that cannot be drawn or written,
    `InvalidArgument` for files of several kinds and for a picture that would replace one of them."""
    if not files:
        raise InvalidArgument("there is no file to draw")
    path = pathlib.Path(output) if output is not None else pathlib.Path(f"{files[0]}.png")
    for file in files:
        if not show and path.exists() and pathlib.Path(file).exists() and path.samefile(file):
            raise InvalidArgument(f"the picture {path} would replace the file {file}: give another --output")
    contents, labels, kinds = [], [], set()
    for file in files:
        content = {"format": FORMAT, "file": str(file)} if is_hdf5(file) else read_json(file)
        for part in content if isinstance(content, list) and content else [content]:
            contents.append(part)
            labels.append(pathlib.Path(file).name.replace("$", r"\$"))  # no formulas of TeX
            kinds.add(_kind_of(part, file))
    if len(kinds) > 1:
        names = sorted(_KINDS[kind][0] for kind in kinds)
        raise InvalidArgument(f"the files are of several kinds ({', '.join(names)}): plot each kind by itself")
    (kind,) = kinds
    # A figure without pyplot's list of windows, unless one is wanted.
    figure = pyplot.figure(layout="constrained")
    try:
        try:
            _KINDS[kind][2](figure, contents, labels)
        except InvalidArgument as error:  # numbers of all files together
            raise FileError(f"{', '.join(map(str, files))} cannot be drawn: {error}") from None
        if show:
            pyplot.show()
            return None
        save_picture(figure, path)
        return path
    finally:
        pyplot.close(figure)


def _ensemble(contents: Sequence[Any]) -> Ensemble | None:
    """The reports as an ensemble, if each of its correlators is on several configurations of one lattice."""
    try:
        ensemble = Ensemble(contents)
        several = all(len(ensemble.meson(*quarks).samples) > 1 for _, quarks in ensemble.hadrons)
        return ensemble if several else None
    except (FileError, InvalidArgument):
        return None


def _draw_correlators(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    ensemble = _ensemble(contents)
    if ensemble is not None:
        spectrum(ensemble, figure)
        return
    solvers = [content.get("solver") or {} for content in contents]
    with_residuals = any(solver.get("residuals") for solver in solvers)
    figure.set_size_inches(11 if with_residuals else 9, 3.8)
    left, middle, *right = figure.subplots(1, 3 if with_residuals else 2)
    for content, solver, label in zip(contents, solvers, labels):
        correlator(content["pion_correlator"], left, label)
        draw_effective_masses(_masses_of(content), middle, label, {})
        if solver.get("residuals"):
            tolerance = number_of(solver, "tolerance", 0.0, "the solver")
            residuals(solver["residuals"], right[0], label, tolerance if tolerance > 0 else None)
    if len(contents) > 1:
        left.legend(fontsize="small")


def _draw_measurements(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    spectrum(Ensemble([content.get("file", content) for content in contents]), figure)


def _draw_ensembles(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    series = {"plaquettes": "plaquette", "delta_energies": "dH"}
    drawn = {name: quantity for name, quantity in series.items() if any(name in content for content in contents)}
    figure.set_size_inches(5.5, 3.8 * len(drawn))
    for axes, (name, quantity) in zip(figure.subplots(len(drawn), squeeze=False)[:, 0], drawn.items()):
        for content, label in zip(contents, labels):
            if name in content:
                history(content[name], axes, _with_tau(label, content[name]), quantity)
        axes.legend(fontsize="small")


def _with_tau(label: str, values: Sequence[float]) -> str:
    """A label with the integrated autocorrelation time of a chain that is long enough for an estimate."""
    if len(values) < 2:
        return label
    mean = chain_mean(values)
    return label if not mean.error > 0 else f"{label}, tau_int = {with_error(mean.tau_int, mean.tau_int_error)}"


def _draw_benchmarks(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    figure.set_size_inches(5.5, 3.8)
    if len(contents) > 1:
        scaling(contents, axes=figure.subplots())
    else:
        roofline(contents[0], figure.subplots())


def _draw_comparisons(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    tables = [table for content in contents for table in content["comparisons"]]
    figure.set_size_inches(5.5 * len(tables), 4)
    for axes, table in zip(figure.subplots(1, len(tables), squeeze=False)[0], tables):
        comparison(table, axes)


def _draw_predictions(figure: Figure, contents: Sequence[Any], labels: Sequence[str]) -> None:
    panels = [(content, solver) for content in contents
              for solver in [None, *dict.fromkeys(row["solver"] for row in content["predictions"])]]
    figure.set_size_inches(4 * len(panels), 3.6)
    for axes, (content, solver) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels):
        prediction(content, solver, axes)


def _masses_of(content: Mapping[str, Any]) -> np.ndarray:
    """The effective masses of a file, which knows the form of its correlator."""
    masses = content.get("effective_mass")
    if not isinstance(masses, list) or len(masses) != len(content["pion_correlator"]):
        raise InvalidArgument("it has not as many entries of effective_mass as of pion_correlator")
    return real_parts([math.nan if mass is None else mass for mass in masses], "effective_mass")


def _check_correlator(content: Mapping[str, Any]) -> None:
    real_parts(content["pion_correlator"], "pion_correlator")
    solver = content.get("solver") or {}
    if not isinstance(solver, Mapping):
        raise InvalidArgument("solver is no object")
    if solver.get("residuals"):
        real_parts(solver["residuals"], "residuals")
        number_of(solver, "tolerance", 0.0, "the solver")


def _check_comparisons(content: Mapping[str, Any]) -> None:
    if not content["comparisons"]:
        raise InvalidArgument("it has no comparison")
    for table in content["comparisons"]:
        comparison(table, Figure().add_subplot())


def _check_benchmarks(content: Mapping[str, Any]) -> None:
    runs_of(content)
    for key, otherwise in (("copy_GB/s", 0.0), ("processes", 1)):
        of_context(content, key, otherwise)


#: The list, or the format, in a file that names its kind: that kind, its check, and how it is drawn.
_KINDS = {"pion_correlator": ("correlator", _check_correlator, _draw_correlators),
          "plaquettes": ("ensemble", lambda content: real_parts(content["plaquettes"], "plaquettes"), _draw_ensembles),
          "benchmarks": ("benchmark", _check_benchmarks, _draw_benchmarks),
          "comparisons": ("comparison", _check_comparisons, _draw_comparisons),
          "format": ("measurement", lambda content: None, _draw_measurements),
          "predictions": ("prediction", lambda content: prediction(content, None, Figure().add_subplot()), _draw_predictions)}


def _kind_of(content: Any, file: Any) -> str:
    """The name of the list of a file's content. Raises `FileError` where it cannot be drawn."""
    try:
        for key, (_, check, _) in _KINDS.items():
            if isinstance(content, Mapping) and (isinstance(content.get(key), list) or FORMAT == content.get(key)):
                check(content)
                return key
        raise InvalidArgument("it has none of pion_correlator (kaon propagator --correlator), plaquettes (a checkpoint of kaon "
                              "generate), benchmarks (kaon_perf --benchmark_out), predictions (kaon predict --json) and comparisons")
    except InvalidArgument as error:
        raise FileError(f"{file} cannot be drawn: {error}") from None
