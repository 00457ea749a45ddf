# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators of mesons and baryons by one input (docs/measure.md)."""
from __future__ import annotations

import ctypes
import json
from typing import Any, Mapping

import numpy as np

from . import library
from .errors import InvalidArgument
from .gauge import GaugeField
from .library import check
from .measurement_files import ESTIMATES
from .values import shown, text_of


def measure(gauge: GaugeField, input: Mapping[str, Any], name: str = "field", write: bool = False) -> dict[str, Any]:
    """The correlators of an input on one configuration, whose links are in double.

    `input` is a dictionary with the keys of docs/measure.md: {"quark": {"l": {...}}, "source": {...}, "meson": [{...}]}. Unknown keys and
    values out of range raise `InvalidArgument`. Random sources are drawn from `name`; `write` writes the file NAME of output.folder, too.

    Returns the content of a file in JSON, in which ["meson"]["l_l"]["correlator"] is a complex array of the shape [source, sink, momentum,
    channel, t], and the coordinates are arrays. With a table "sloppy" there are also the arrays "sloppy", "exact" and "correction". Raises
    `NotConverged` for a solve that does not converge."""
    if not isinstance(gauge, GaugeField):
        raise InvalidArgument(f"gauge = {shown(gauge)} is no GaugeField")
    configuration = text_of(name, "name")
    if not configuration:
        raise InvalidArgument("name is empty")
    try:
        text = json.dumps(dict(input)).encode()
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"input = {shown(input)} is no dictionary of texts, numbers and lists: {error}") from None
    found = ctypes.c_char_p()
    check(library.start().kaon_measure(gauge.handle(), text, configuration, int(bool(write)), found))
    content: dict[str, Any] = json.loads(found.value or b"{}")
    for hadron in [hadron for kind in ("meson", "baryon", "three_point") for hadron in content.get(kind, {}).values()]:
        for estimate in set(ESTIMATES) & set(hadron):
            pairs = np.asarray(hadron[estimate], float)
            hadron[estimate] = pairs[..., 0] + 1j * pairs[..., 1]
        for axis in ("source", "momentum", "t"):
            hadron[axis] = np.asarray(hadron[axis])
    return content
