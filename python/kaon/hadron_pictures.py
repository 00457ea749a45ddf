# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Pictures of correlators, solves and ensembles. Each function draws into an Axes and returns it."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from .axes import Axes, Figure, MaxNLocator, axes_or_new, draw_points, pyplot, with_error
from .correlators import Correlator
from .effective_masses import effective_mass as effective_mass_of
from .ensemble import Ensemble
from .errors import InvalidArgument
from .fits import Fit
from .values import real, real_parts, refuse_mask, require_kind, shown


def _given(values: Any) -> Correlator | np.ndarray:
    """A correlator of several configurations, or the numbers of one."""
    if isinstance(values, Correlator):
        return values
    given = real_parts(values, "a correlator", (1, 2))
    return given if given.ndim == 1 else Correlator(given)


def correlator(values: Any, axes: Axes | None = None, label: str | None = None, **style: Any) -> Axes:
    """C(t) on a logarithmic axis; values that are not positive are left out. For several configurations, in rows or as a
    `kaon.Correlator`, it draws their mean with errors."""
    given = _given(values)
    c = given.mean if isinstance(given, Correlator) else given
    error = given.error() if isinstance(given, Correlator) and len(given.samples) > 1 else None
    axes = axes_or_new(axes)
    axes.set_yscale("log")
    draw_points(axes, np.arange(c.size), np.where(c > 0, c, np.nan), error, label, style)
    return _name_times(axes, "C(t)")


def _name_times(axes: Axes, quantity: str) -> Axes:
    axes.set_xlabel("t / a")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel(quantity)
    return axes


def draw_effective_masses(masses: np.ndarray, axes: Axes | None, label: str | None, style: Mapping[str, Any],
                      error: np.ndarray | None = None) -> Axes:
    """Masses between t and t + 1; nan if there is none."""
    axes = axes_or_new(axes)
    draw_points(axes, np.arange(masses.size) + 0.5, masses, error, label, style)
    return _name_times(axes, "effective mass, a m")


def effective_mass(values: Any, axes: Axes | None = None, label: str | None = None, times: Sequence[int] | None = None,
                   oscillating: bool = False, fit: Fit | None = None, **style: Any) -> Axes:
    """The effective mass of a correlator, between t and t + 1 in units of 1/a, by `kaon.effective_mass`. For several configurations, in rows
    or as a `kaon.Correlator`, it draws that of their mean, with errors, to T/2, and as a band the energy of a `fit`, or else the
    plateau of these `times`, or the one that is found, if any."""
    given = _given(values)
    if not isinstance(given, Correlator):
        return draw_effective_masses(effective_mass_of(given, oscillating), axes, label, style)
    half = given.samples.shape[1] // 2
    if len(given.samples) == 1:
        return draw_effective_masses(given._mass_function(oscillating)(given.mean)[:half], axes, label, style)
    m, error = given.effective_mass(oscillating)
    axes = draw_effective_masses(m[:half], axes, label, style, error[:half])
    if fit is not None:
        require_kind(fit, Fit, "a fit is needed")
        _band(axes, fit.energies[0], fit.energy_errors[0], fit.first, fit.last)
        return axes
    try:
        _band(axes, *given.plateau(times, oscillating))
    except InvalidArgument:  # there may be none
        if times is not None:
            raise
    return axes


def _band(axes: Axes, value: float, error: float, first: int, last: int) -> None:
    """A mass with its error from one time to another, in the colour of the last points."""
    color = axes.containers[-1].lines[0].get_color()  # type: ignore[attr-defined]
    axes.fill_between([first, last + 1], value - error, value + error, color=color, alpha=0.3, linewidth=0,
                      label=f"{with_error(value, error)}, t = {first} to {last}")


#: Channels of a spectrum, and their names in pictures.
_SPECTRUM: dict[str, dict[str, tuple[str, ...]]] = {
    "meson": {"pseudoscalar": ("g5:g5",), "vector": ("g1:g1", "g2:g2", "g3:g3")}, "baryon": {"positive parity": ("positive",)}}


def spectrum(ensemble: Ensemble, figure: Figure | None = None) -> Figure:
    """Correlators of an ensemble at rest and their effective masses, with plateaus: pseudoscalar and vector mesons and baryons of
    positive parity, for each sink."""
    require_kind(ensemble, Ensemble, "an Ensemble is needed")
    figure = pyplot.figure(layout="constrained") if figure is None else figure
    left, right = figure.subplots(1, 2)
    for kind, names in ensemble.hadrons:
        known, sinks = ensemble.channels(kind, *names), ensemble.sinks(kind, *names)
        for title, channels in _SPECTRUM.get(kind, {}).items():
            if not set(channels) <= set(known):
                continue
            for sink in sinks:
                c = (ensemble.meson if kind == "meson" else ensemble.baryon)(*names, channel=channels, sink=sink)
                label = ", ".join([" and ".join(dict.fromkeys(names)) if kind == "meson" else " ".join(names),
                                   *([title] if len(known) > 1 else []), *([f"sink {sink}"] if len(sinks) > 1 else [])])
                label = f"{label}: {len(c.samples)} configuration{'s'[:len(c.samples) - 1]}".replace("$", r"\$")  # no formulas of TeX
                correlator(c, left, label)
                # The doublets of `kaon propagator` have flavours of two masses.
                effective_mass(c, right, oscillating=len(known) == 1 and len(set(names)) > 1)
    if not left.has_data():
        raise InvalidArgument(f"{ensemble!r} has no channels of a spectrum")
    figure.set_size_inches(10, 4 + 0.2 * len(left.get_legend_handles_labels()[0]))
    for axes in (left, right):
        if axes.get_legend_handles_labels()[0]:  # on the right those of plateaus
            axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14))  # below the points
    return figure


def residuals(history: Sequence[Any], axes: Axes | None = None, label: str | None = None,
              tolerance: float | None = None, **style: Any) -> Axes:
    """The largest residual of all right-hand sides by iteration: `Solver.history`."""
    if isinstance(history, Sequence) and len(history) == 0:
        raise InvalidArgument("a history of residuals is empty: a Solver with keep_history=True has one after a solve")
    refuse_mask(history, "a history of residuals")
    try:
        rows = [np.max(real_parts(np.atleast_1d(row), "a row of residuals")) for row in history]
    except TypeError:
        raise InvalidArgument(f"a history of residuals is a list of rows, not {shown(history)}") from None
    worst = real_parts(rows, "a history of residuals")
    axes = axes_or_new(axes)
    axes.semilogy(np.arange(1, worst.size + 1), worst, label=label, **style)
    if tolerance is not None:
        axes.axhline(real(tolerance, "tolerance"), color="0.6", linewidth=1)
    axes.set_xlabel("iteration")
    axes.set_ylabel("|r| / |b|")
    return axes


def history(values: Any, axes: Axes | None = None, label: str | None = None, quantity: str = "plaquette",
            **style: Any) -> Axes:
    """A quantity by update, from update 1."""
    numbers = real_parts(values, "a history")
    axes = axes_or_new(axes)
    axes.plot(np.arange(1, numbers.size + 1), numbers, **{"linewidth": 1, **style}, label=label)
    axes.set_xlabel("update")
    axes.set_ylabel(quantity)
    return axes
