# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Axes of matplotlib for pictures, what is drawn into them, and files of pictures."""
from __future__ import annotations

import io
import math
import os
import pathlib
import tempfile
from typing import Any, Mapping

import numpy as np

from .requirements import require_package

require_package("matplotlib")
from matplotlib import pyplot, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .errors import FileError, InvalidArgument


def axes_or_new(axes: Axes | None) -> Axes:
    if axes is None:
        return pyplot.figure(layout="constrained", figsize=(5.5, 3.8)).add_subplot()
    if not isinstance(axes, Axes):
        raise InvalidArgument(f"axes are a {type(axes).__name__}, not matplotlib's Axes")
    return axes


def draw_points(axes: Axes, x: np.ndarray, y: np.ndarray, error: np.ndarray | None, label: str | None, style: Mapping[str, Any]) -> None:
    style = {"marker": "o", "linestyle": "", **style}
    if error is None:
        axes.plot(x, y, **style, label=label)
    else:
        known = np.isfinite(y) & np.isfinite(error)
        axes.errorbar(x[known], y[known], error[known], **{"capsize": 2, "markersize": 4, **style}, label=label)


def number_of(place: Mapping[str, Any], key: str, otherwise: float, what: str) -> float:
    try:
        number = float(place.get(key, otherwise))
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidArgument(f"{key} of {what} is no number")
    return number


def with_error(value: float, error: float) -> str:
    """0.3581(24): two digits of the error, in units of the last digit of the value."""
    if not (math.isfinite(error) and error > 0.0):
        return f"{value:g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f}({round(error * 10**digits)})"


def save_picture(figure: Figure, path: pathlib.Path) -> None:
    """Writes a picture, under another name until it is complete; an SVG of the same content has the same bytes, and text as
    text."""
    picture = io.BytesIO()
    kind = path.suffix[1:].lower() or "png"
    try:
        with rc_context({"svg.hashsalt": "kaon", "svg.fonttype": "none"}):
            figure.savefig(picture, format=kind, dpi=120, metadata={"Date": None} if kind == "svg" else None)
    except ValueError as error:
        raise InvalidArgument(f"{path}: {error}") from None
    target = path.resolve()  # behind links
    if target.exists() and not target.is_file():
        raise FileError(f"{path} is no regular file")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".picture.") as folder:
            complete = pathlib.Path(folder) / "picture"
            complete.write_bytes(picture.getvalue())
            os.replace(complete, target)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
