# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Times of solves on many processes: `kaon predict` of the program (docs/scaling.md), called from Python."""
from __future__ import annotations

import json
import numbers
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Mapping

from . import declarations as h
from .errors import Error, FileError, InvalidArgument, LibraryError
from .values import refuse_mask, shown

_USAGE, _FILE = 2, 3  # codes of the program


def program_path() -> str:
    """The program `kaon`: KAON_PROGRAM if that is set; else in the installation or the build around the package, and on the
    PATH. Raises `LibraryError`."""
    named = os.environ.get("KAON_PROGRAM")
    if named:
        return named
    for parent in pathlib.Path(__file__).resolve().parents[1:7]:
        for path in (parent / "bin" / "kaon", parent / "apps" / "kaon", parent / "build" / "host" / "apps" / "kaon"):
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    found = shutil.which("kaon")
    if found is None:
        raise LibraryError("the program kaon was not found, which measures for predictions: set KAON_PROGRAM to its path")
    return found


def _text(value: Any) -> str:
    """Raises `TypeError` for what is neither a number nor a text."""
    if isinstance(value, (str, numbers.Real)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, Mapping):
        return ",".join(f"{_text(key)}={_text(number)}" for key, number in value.items())
    if isinstance(value, (bytes, bytearray)):
        raise TypeError
    return ",".join(map(_text, value))


def _word(name: str, value: Any) -> str:
    """An option of the program with its value."""
    refuse_mask(value, name)
    try:
        word = f"--{name.replace('_', '-')}={_text(value)}"
        if b"\0" not in os.fsencode(word):
            return word
    except (RecursionError, TypeError, ValueError):  # texts that cannot be encoded, numbers of too many digits
        pass
    raise InvalidArgument(f"{name} = {shown(value)}: a number, a text without null characters, or several of them are needed")


def predict(**options: Any) -> dict[str, Any]:
    """Predicted times of solves: the content of `kaon predict --json`, which `kaon.plot.prediction` draws. The program measures
    in a process of its own, on the same device.

    Options are those of `kaon predict --help` with _ for -, such as `size=(24, 24, 24, 128)` or `gauge="cfg.lime"`,
    `action="hisq"`, `processes=(1, 8, 64)`, `solvers=("cg", "multi-shift")`, `iterations={"cg": 500}`, `network="ndr"`.
    Rows are in `predictions`, what could not be predicted in `notes`; there is at least one row. Raises `InvalidArgument` and `FileError` with the text of
    the program, `Error` for its other failures, and `LibraryError` for a program that is missing or of another version."""
    if "json" in options:
        raise InvalidArgument("json is what predict returns: write it to a file by json.dump")
    program = program_path()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "predicted.json"
        words = [_word(name, value) for name, value in options.items() if value is not None]
        try:
            # Run the program as one process, even under mpirun.
            done = subprocess.run([program, "predict", *words, f"--json={file}"], capture_output=True, text=True, check=False,
                                  errors="replace", env={**os.environ, "KAON_MPI": "off"})
        except OSError as error:
            raise LibraryError(f"{program} cannot be run: {error.strerror or error}") from None
        if done.returncode != 0:
            kind = {_USAGE: InvalidArgument, _FILE: FileError}.get(done.returncode, Error)
            raise kind(done.stderr.strip() or f"{program} ended with code {done.returncode}")
        try:
            content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            provenance = content["provenance"]
            found = provenance["kaon"]
        except (OSError, ValueError, KeyError, TypeError):
            raise LibraryError(f"{program} wrote no prediction: set KAON_PROGRAM to the program kaon") from None
    provenance["command"] = provenance["command"].removesuffix(f" --json={file}")  # a file that is gone
    if found != h.VERSION:
        raise LibraryError(f"{program} is of kaon {found}, this Python package of {h.VERSION}: set KAON_PROGRAM to its own")
    return content
