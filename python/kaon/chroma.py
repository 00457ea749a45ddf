# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""The header by which Chroma computes spectra of propagators."""
from __future__ import annotations

import ctypes

from . import declarations as h
from .library import check, options, start
from .operators import Operator, operator_options, require_operator
from .sources import GaussianSource, Source, require_source
from .values import text_of


def chroma_header(dirac: Operator, source: Source, tolerance: float = 1e-10, gauge: str = "") -> str:
    """A text for `Propagator.write`: action, mass and boundary of the operator, the source, the tolerance of the solve, and a name of
    the links. Operators of 4 spins have one (docs/formats.md)."""
    require_operator(dirac)
    require_source(source)
    smearing = None
    if isinstance(source, GaussianSource):
        smearing = options(h.QuarkSmearOptions, width=source.width, steps=source.steps)
    found = ctypes.c_char_p()
    check(start().kaon_chroma_header(operator_options(dirac._physics), source._options(), smearing,
                                     tolerance, text_of(gauge, "gauge"), found))
    return (found.value or b"").decode()
