# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Times of solves on many processes (docs/scaling.md)."""
from __future__ import annotations

import ctypes
import datetime
import json
from typing import Any, Mapping, Sequence

from . import declarations as h
from . import library
from .errors import InvalidArgument
from .gauge import GaugeField
from .lattice import four
from .library import check, options
from .operators import operator_options
from .values import chosen, integers, real, refuse_mask, shown

_ACTIONS = {"wilson": h.WILSON, "clover": h.WILSON_CLOVER, "exponential-clover": h.EXPONENTIAL_CLOVER, "staggered": h.STAGGERED,
            "asqtad": h.ASQTAD, "hisq": h.HISQ, "domain-wall": h.DOMAIN_WALL}


def _text(value: Any, name: str) -> bytes:
    """A word, or several of them."""
    try:
        text = (value if isinstance(value, str) else ",".join(value)).encode()
        if b"\0" not in text:
            return text
    except (TypeError, UnicodeError):
        pass
    raise InvalidArgument(f"{name} = {shown(value)} is neither a text without null characters nor several of them")


def predict(size: Sequence[int] | None = None, gauge: Any = None, action: str = "clover",
            processes: Sequence[int] | int = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512), solvers: str | Sequence[str] | None = None,
            network: str = "ndr", cut: str | None = None, precision: str = "half", iterations: Mapping[str, float] | None = None,
            shifts: int = 10, memory: float = 0.0, ls: int | None = None, **numbers: Any) -> dict[str, Any]:
    """Predicted times of solves on many processes, measured on this one, as `kaon predict --json` writes them: `kaon.plot.prediction`
    draws them.

    `size` is that of a lattice; or `gauge`, a `GaugeField` in double or its file, has the links on which iterations are counted, of
    quarks with a `mass` or `kappa`. `iterations` are those of solvers that are known, such as {"cg": 500}. `memory`: GB of a device.
    `ls` and `numbers` are parameters of the action, such as csw, and numbers of `Solver`, such as its tolerance. Rows are in `predictions`,
    what could not be predicted in `notes`; there is at least one row."""
    quarks, solver = ({name: value for name, value in numbers.items() if name in {field for field, _ in structure._fields_}}
                      for structure in (h.OperatorOptions, h.SolverOptions))
    if unknown := set(numbers) - set(quarks) - set(solver):
        raise InvalidArgument(f"neither quarks nor solvers have a parameter {', '.join(sorted(unknown))}")
    of_solver = options(h.SolverOptions, **solver)
    given = options(h.PredictOptions, solver=ctypes.pointer(of_solver), shifts=shifts,
                    network=_text(network, "network"), precision=_text(precision, "precision"), memory=1e9 * real(memory, "memory"))
    refuse_mask(size, "size")
    if size is not None:
        given.extents[:] = four(size, "size")
    if gauge is not None:
        reach = 3 if action in ("asqtad", "hisq") else 1
        gauge = gauge if isinstance(gauge, GaugeField) else GaugeField.read(gauge, reach=reach)
        given.links = gauge.handle()
    counts = integers(processes if isinstance(processes, (list, tuple)) else [processes], "processes")
    given.counts, given.processes = len(counts), (ctypes.c_int * len(counts))(*counts)
    words = None if solvers is None else _text(solvers, "solvers")
    if iterations is not None:
        names = (words or _text(iterations, "iterations")).decode().split(",")
        if not isinstance(iterations, Mapping) or not set(iterations) <= set(names):
            raise InvalidArgument(f"iterations = {shown(iterations)} are not those of solvers {', '.join(names)}")
        words = ",".join(names).encode()
        given.iterations = (ctypes.c_double * len(names))(*(real(iterations.get(name, 0.0), name) for name in names))
    given.solvers, given.cut = words, None if cut is None else _text(cut, "cut")
    physics = {"action": chosen(_ACTIONS, action, "action"), "slices": ls, **quarks}
    found = ctypes.c_char_p()
    check(library.start().kaon_predict(operator_options(physics), given, found))
    content: dict[str, Any] = json.loads(found.value or b"{}")
    named = ("commit", "compiler", "kokkos", "execution_space", "instruction_set", "message_passing", "device", "processes", "host_threads")
    info = library.run_info()
    content["provenance"] = {"command": "kaon.predict", "time": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
                             "kaon": library.version(), **{name: info[name] for name in named}}
    return content
