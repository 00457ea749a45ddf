# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Exceptions: one for each status of kaon.h. Their text is that of kaon's C++: of an
`InternalError` with the file and line that threw it, of others `kaon.library.last_error(places=True)` has these."""
from __future__ import annotations

from typing import Any, Sequence


class Error(Exception):
    """Anything that kaon refuses."""

    is_known_to_others = False  # of processes


class InvalidArgument(Error, ValueError):
    """An argument cannot be so."""


class Unsupported(Error, NotImplementedError):
    """This kaon cannot do it."""


class FileError(Error, OSError):
    """A file cannot be read or written, or is not what it should be."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""


class InternalError(Error, RuntimeError):
    """An error of kaon: please report it."""


class LibraryError(Error, ImportError):
    """libkaon.so was not found, or is not the one of this package."""


class Unfinished(Error):
    """A solve that ended early. `reports` has one report for each right-hand side, `solution` the best field; of several systems
    those of all, and a list of fields."""

    def __init__(self, message: str, reports: Sequence[Any] = (), solution: Any = None) -> None:
        super().__init__(message)
        self.reports = tuple(reports)
        self.solution = solution


class Stopped(Unfinished):
    """`progress` ended a solve, here by returning False, or on another process."""


class NotConverged(Unfinished):
    """A solver has done what it could. The `solution` of a gauge is its links, and of eigenvectors the best ones, without
    reports."""
