# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Correlators in the json.gz format, version 1.1, of pyerrors (https://github.com/fjosw/pyerrors, input/json.py)."""
from __future__ import annotations

import gzip
import json
from typing import Any, Sequence

import numpy as np

from .errors import FileError


def write(path: str, samples: np.ndarray, chains: Sequence[int], ensemble: str, label: str, program: str) -> None:
    """Writes samples C[configuration, t] as a `Corr`, one replica for each chain."""
    value, replicas, first = samples.mean(axis=0), [], 0
    for number, length in enumerate(chains):
        rows = samples[first:first + length] - value
        replicas.append({"name": f"{ensemble}|r{number}", "deltas": [[i + 1, *row] for i, row in enumerate(rows.tolist())]})
        first += length
    corr = {"type": "Corr", "layout": f"{value.size}, 1", "tag": {"tag": [label]}, "value": value.tolist(),
            "data": [{"id": ensemble, "replica": replicas}]}
    content = {"program": program, "version": "1.1", "who": "", "date": "", "host": "", "description": label, "obsdata": [corr]}
    try:
        with gzip.open(path, "wt", encoding="utf-8") as file:
            json.dump(content, file)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def read(path: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """Samples C[configuration, t] and the lengths of the chains, of a file with one `Corr`, `List` or `Array` in a row."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            content: Any = json.load(file)
        (observable,) = content["obsdata"]
        if observable["type"] not in ("Corr", "List", "Array") or "cdata" in observable:
            raise FileError(f"{path} has a {observable['type']}, and possibly errors from elsewhere; a Corr, List or Array of samples is read")
        value = np.array(observable["value"], float)
        (ensemble,) = observable["data"]
        rows = [np.array(replica["deltas"], float)[:, 1:] for replica in ensemble["replica"]]
        samples = value + np.concatenate(rows)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except (EOFError, IndexError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path} is not a file of pyerrors with one correlator of one ensemble ({error!r})") from None
    return samples, tuple(map(len, rows))
