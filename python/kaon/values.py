# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Conversions of arguments. Each returns a value for C or numpy, or raises `InvalidArgument`."""
from __future__ import annotations

import operator
import os
from typing import Any, Iterator, TypeVar

import numpy as np

from .errors import InvalidArgument

Value = TypeVar("Value")


def shown(value: Any) -> str:
    """The value in a message: at most 100 characters, also of objects and integers that have no text."""
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)  # numpy 2 writes np.int64(5)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= 100 else text[:97] + "..."


def require_kind(given: Any, kind: type[Value], needed: str) -> Value:
    """The object, which must be of this class."""
    if not isinstance(given, kind):
        raise InvalidArgument(f"{needed}, not a {type(given).__name__}")
    return given


def refuse_mask(values: Any, what: str) -> None:
    """Refuses arrays of numpy with a mask, also within lists: kaon and numpy's conversions would see the masked values."""
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidArgument(f"{what} has a mask, which kaon would not see: pass array.filled(...) or array.data")
    if isinstance(values, (list, tuple)):
        for value in values:
            refuse_mask(value, what)


def numbers(values: Any, what: str) -> np.ndarray:
    """Numbers, real or complex, as an array."""
    refuse_mask(values, what)
    try:
        made = np.asarray(list(values) if isinstance(values, Iterator) else values)
    except Exception:  # any exception of the object
        made = np.array(None)
    if made.dtype.kind not in "biufc":
        raise InvalidArgument(f"{what}: numbers are needed, not {shown(values)}")
    return made


def real_parts(values: Any, what: str, dimensions: tuple[int, ...] = (1,)) -> np.ndarray:
    """One or more real numbers in a row, in double, or of two `dimensions` in several; of complex numbers their real parts."""
    made = numbers(values, what)
    if made.ndim not in dimensions or made.size == 0:
        raise InvalidArgument(f"{what} has the shape {made.shape}; one or more numbers in a row are needed"
                              + (", or a row for each configuration" if 2 in dimensions else ""))
    return np.ascontiguousarray(made.real, float)


def reals(values: Any, what: str) -> list[float]:
    """Real numbers of a sequence, which may be empty."""
    made = numbers(values, what)
    if made.ndim != 1 or made.dtype.kind == "c":
        raise InvalidArgument(f"{what} = {shown(values)} are not numbers in a row")
    return [float(value) for value in made]


def real(value: Any, name: str) -> float:
    """A number."""
    refuse_mask(value, name)
    try:
        if not isinstance(value, (str, bytes, bytearray)):
            return float(value)
    except Exception:
        pass
    raise InvalidArgument(f"{name} = {shown(value)} is not a number")


def integers(values: Any, what: str) -> tuple[int, ...]:
    """Integers of a sequence, of Python or numpy."""
    refuse_mask(values, what)
    try:
        return tuple(operator.index(value) for value in values)
    except TypeError:
        raise InvalidArgument(f"{what} = {shown(values)} are not integers") from None


def integer(value: Any, name: str, bits: int) -> int:
    """An integer from 0 to 2^bits - 1, of Python or numpy."""
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 2**bits:
        raise InvalidArgument(f"{name} = {shown(value)} is not an integer from 0 to 2^{bits} - 1")
    return number


def flag(value: Any, name: str) -> int:
    """1 of True and 0 of False, or these numbers."""
    if not isinstance(value, (bool, np.bool_)) and not (isinstance(value, (int, np.integer)) and value in (0, 1)):
        raise InvalidArgument(f"{name} = {shown(value)} is neither True nor False")
    return int(value)


def one_of(value: Any, choices: tuple[Any, ...], name: str) -> Any:
    """A number or None, out of several."""
    for choice in choices:
        if value is choice or (isinstance(value, (int, np.integer)) and not isinstance(choice, bool) and value == choice):
            return choice
    words = ", ".join(map(str, choices[:-1]))
    raise InvalidArgument(f"{name} = {shown(value)} is none of {words} and {choices[-1]}")


def chosen(table: dict[str, Value], value: Any, what: str) -> Value:
    """The entry of a table for a word."""
    if not isinstance(value, str) or value not in table:
        raise InvalidArgument(f"{what} = {shown(value)} is none of {', '.join(table)}")
    return table[value]


def path_of(path: Any) -> bytes:
    """A path for C."""
    try:
        name = os.fsencode(path)
    except TypeError:
        raise InvalidArgument(f"a path is a string or a pathlib.Path, not a {type(path).__name__}") from None
    except UnicodeError:
        raise InvalidArgument(f"the path {shown(path)} has characters that no file name has here") from None
    if not name or b"\0" in name:
        raise InvalidArgument(f"the path {shown(path)} " + ("holds a null character" if name else "is empty"))
    return name


def text_of(text: Any, name: str) -> bytes:
    """A text for C."""
    if not isinstance(text, str) or "\0" in text:
        raise InvalidArgument(f"{name} = {shown(text)} is no text")
    try:
        return text.encode()
    except UnicodeError:
        raise InvalidArgument(f"{name} = {shown(text)} has characters that no text has") from None


def seed_of(seed: Any) -> int:
    """A seed: an integer from 0 to 2^64 - 1."""
    return integer(seed, "seed", 64)


def stream_of(stream: Any) -> int:
    """A stream of random numbers: an integer from 0 to 2^32 - 1."""
    return integer(stream, "stream", 32)
