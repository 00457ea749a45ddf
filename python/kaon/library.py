# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""libkaon.so: found and loaded at the first call, never at import; and the session, which starts with it."""
from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import inspect
import numbers
import operator
import os
import pathlib
import re
import sys
import threading
import weakref
from typing import Any, Callable, Iterator, Sequence, TypeVar

from . import declarations as h
from . import errors
from .values import refuse_mask, shown

_STATUS = {
    h.INVALID: errors.InvalidArgument,
    h.UNSUPPORTED: errors.Unsupported,
    h.FILE: errors.FileError,
    h.NOT_CONVERGED: errors.NotConverged,
    h.MEMORY: errors.OutOfMemory,
    h.INTERNAL: errors.InternalError,
    h.STOPPED: errors.Stopped,
}
_NAME = "libkaon.so"
_library: ctypes.CDLL | None = None
_started = False
_stopped = False
_failed = False
_goes_on = False
_forked = False
_lock = threading.RLock()  # kaon is called by one thread at a time
_calls = 0  # calls that run: more than one if kaon calls a function that calls kaon
_left: "list[tuple[Any, ctypes.c_void_p]]" = []  # handles to be freed when no call is running
_log = h.Log()  # must live on: kaon calls it
_logs_in_use: "list[Any]" = []  # logs that another one has replaced while kaon may have called them
_handles: "weakref.WeakSet[Handle]" = weakref.WeakSet()


def _candidates() -> list[str]:
    """The places where the library may be: KAON_LIBRARY alone if it is set; else beside the package, in the folders of an
    installation or of a build around it, and where the system's linker looks."""
    named = os.environ.get("KAON_LIBRARY")
    if named:
        path = pathlib.Path(named)
        return [str(path / _NAME) if path.is_dir() else named]
    here = pathlib.Path(__file__).resolve().parent
    found = [here / _NAME]
    for parent in here.parents[:6]:
        found += [parent / _NAME, parent / "capi" / _NAME]
        found += sorted(parent.glob("lib*/" + _NAME)) + sorted(parent.glob("lib/*/" + _NAME))
        found += [parent / "build" / "host" / "capi" / _NAME]
    return [str(path) for path in found if path.exists()] + [_NAME + ".0", _NAME]


def waiting_handles() -> int:
    """Number of handles whose objects are gone, and which the next call frees."""
    return len(_left)


class _Int(ctypes.c_int):
    """An int of C. ctypes alone takes 2^32 for 0."""

    @classmethod
    def from_param(cls, value: Any) -> Any:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"{shown(value)} is not an integer") from None
        if not -2**31 <= number < 2**31:
            raise ValueError(f"{shown(number)} is not an integer of C")
        return ctypes.c_int(number)


def _spoken_argument(text: str, arguments: Sequence[Any]) -> str:
    """The text of an ArgumentError, "argument 2: TypeError: ...", without the number and the type."""
    number, _, reason = re.sub(r"\A(argument (\d+)): (<class '\w+'>|\w+): ", r"\2\n", text).partition("\n")
    if number.isdigit() and reason == "wrong type":
        return f"{shown(arguments[int(number) - 1])} has the wrong type"
    return reason or text


class _Function:
    """A function of C. Threads that call kaon at the same time wait for each other."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        global _calls
        with _lock:
            while _left and _calls == 0:
                destroy, pointer = _left.pop()
                destroy(pointer)
            if _calls == 0:
                _logs_in_use.clear()
            _calls += 1
            try:
                return self._function(*arguments)
            except ctypes.ArgumentError as error:
                raise errors.InvalidArgument(_spoken_argument(str(error), arguments)) from None
            finally:
                _calls -= 1


def library() -> ctypes.CDLL:
    """The library, loaded. Raises `LibraryError`."""
    global _library
    if _library is not None:
        return _library
    reasons = []
    for path in _candidates():
        try:
            loaded = ctypes.CDLL(path)
        except OSError as error:
            reasons.append(f"  {path}: {error}")
            continue
        try:
            for name, (result, arguments) in h.FUNCTIONS.items():
                function = getattr(loaded, name)
                function.restype = result
                function.argtypes = [_Int if of is ctypes.c_int else of for of in arguments]
                setattr(loaded, name, _Function(function))
        except AttributeError as error:
            raise errors.LibraryError(f"{path} is not the library of this Python package: {error}") from None
        found = loaded.kaon_version().decode()
        if found != h.VERSION:
            raise errors.LibraryError(f"{path} is of kaon {found}, this Python package of {h.VERSION}: set KAON_LIBRARY to "
                                      "the library that belongs to it")
        loaded.path = path  # type: ignore[attr-defined]
        _library = loaded
        return loaded
    raise errors.LibraryError(f"{_NAME} was not found; set KAON_LIBRARY to its path. Tried:\n" + "\n".join(reasons))


def library_path() -> str:
    """The path that the library was loaded from."""
    return str(getattr(library(), "path"))


def version() -> str:
    """The version of the library."""
    return library().kaon_version().decode()


def last_error(places: bool = False) -> str:
    """The text of the last error; with `places` it names the function of C and the lines of C++ that refused."""
    text = library().kaon_last_error().decode(errors="replace")
    return text if places else re.sub(r"\Akaon_\w+: | \[\w+\.[ch]pp:\d+\]", "", text)


def check(status: int, *results: int) -> int:
    """The status. Raises its exception unless it is OK or one of these results."""
    if status != h.OK and status not in results:
        error = _STATUS.get(status, errors.Error)(last_error(places=status == h.INTERNAL))
        error.is_known_to_others = True
        raise error
    return status


def compare(lattice: Any, call: str, *arguments: Any) -> None:
    """Raises `InvalidArgument` on all processes of a lattice unless they make the same call with the same arguments, which
    need a `repr` of their own. Collective."""
    check(library().kaon_lattice_compare(lattice.handle.pointer, call.encode(), repr(arguments).encode()))


def refusing_together(made: Any) -> Any:
    """The function, or the class, whose collective functions refuse wrong arguments on all processes, even where one process
    alone has them: the others would wait for it at their next call forever. Docstrings say what is collective."""
    if inspect.isfunction(made) and "Collective" in (made.__doc__ or ""):
        return _refusing_together(made)
    bases = [base for base in getattr(made, "__mro__", ()) if base.__module__.startswith("kaon.")]
    makes_together = any("Collective" in (base.__doc__ or "") for base in bases)
    for base in bases:
        for name, member in list(vars(base).items()):
            inner = member.__func__ if isinstance(member, classmethod) else member
            if not inspect.isfunction(inner) or hasattr(inner, "__wrapped__"):
                continue
            if "Collective" in (inner.__doc__ or "") or name == "__init__" and makes_together:
                wrapped = _refusing_together(inner)
                setattr(base, name, classmethod(wrapped) if isinstance(member, classmethod) else wrapped)
    return made


def _refusing_together(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except errors.InvalidArgument as error:
            # Functions that kaon calls are within a call of all processes.
            if not error.is_known_to_others and _started and _calls == 0 and not _forked:
                error.is_known_to_others = True
                library().kaon_lattice_compare(_lattice_of(*given, *named.values()), str(error).encode(), b"")
            raise

    return call


def _lattice_of(*objects: Any) -> Any:
    """The pointer of the first lattice of these objects, or None."""
    for found in objects:
        owners = (found, *(getattr(found, name, None) for name in ("operator", "links")))
        for lattice in (getattr(owner, "lattice", owner) for owner in owners):
            handle = getattr(lattice, "handle", None)
            if isinstance(handle, Handle) and handle.is_of("lattice"):
                return handle.pointer
    return None


@contextlib.contextmanager
def raising_from_callbacks(met: list[BaseException]) -> Iterator[None]:
    """For a call of C that calls functions of Python: their exceptions, such as KeyboardInterrupt, are stored in `met`, and the
    first of it raised after the call. ctypes would show and drop it."""
    met.clear()
    with _lock:  # hooks of threads are set and taken back one within the other
        before, thread = sys.unraisablehook, threading.get_ident()

        def keep(unraisable: Any) -> None:
            from_c = "ctypes callback" in (unraisable.err_msg or "") and threading.get_ident() == thread
            if from_c and unraisable.exc_value is not None:
                met.append(unraisable.exc_value)
            else:
                before(unraisable)

        sys.unraisablehook = keep
        try:
            yield
        finally:
            sys.unraisablehook = before
    if met:
        try:
            if isinstance(met[0], errors.Error):  # on this process, perhaps alone; the solve has ended on all
                met[0].is_known_to_others = True
            raise met[0]
        finally:
            met.clear()


def start() -> ctypes.CDLL:
    """Starts MPI, if a launcher has started this program, and Kokkos, unless kaon runs already; joins MPI where mpi4py
    has started it. Objects of kaon call it themselves. Collective over all processes."""
    global _started
    if _stopped:
        raise errors.Unsupported("kaon has been stopped and cannot be started again in this program")
    if _forked:
        raise errors.Unsupported("this process was forked from one in which kaon runs, and has none of its threads: make "
                                 'processes before kaon starts, or by multiprocessing.get_context("spawn")')
    loaded = library()
    if not _started:
        check(loaded.kaon_start(None))
        _started = True
        sys.excepthook = _noting(sys.excepthook)
        atexit.register(stop)
    return loaded


def _noting(hook: Callable[..., Any]) -> Callable[..., Any]:
    """The hook, which notes that an exception ends this process: `stop` informs the other ones, which may wait for it."""

    def note(*exception: Any) -> None:
        global _failed
        # At a prompt, exceptions end no program.
        _failed = _failed or not (_goes_on or sys.flags.interactive or hasattr(sys, "ps1"))
        hook(*exception)

    return note


def show_exception() -> None:
    """Shows the exception that is being handled, as Python does, where it must not go through C. The program continues."""
    global _goes_on
    _goes_on = True
    try:
        sys.excepthook(*sys.exc_info())
    finally:
        _goes_on = False


def _leave() -> None:
    """In a process that has been forked: kaon remains with the one it was forked from."""
    global _forked, _lock
    _forked, _lock = _forked or _started, threading.RLock()


os.register_at_fork(after_in_child=_leave)


def stop() -> None:
    """Frees every object of kaon and stops what `start` started. Called when Python ends; calling it earlier is right,
    for example before an MPI of one's own is finalised. An exception that ends one process of several ends them all."""
    global _started, _stopped
    if not _started or _forked:
        return
    if _calls > 0 and _lock.acquire(blocking=False):  # by this thread
        _lock.release()
        raise errors.InvalidArgument("kaon cannot be stopped by a function that it calls")
    if _failed and run_info()["processes"] > 1:
        library().kaon_fail(b"error: an exception of Python ended the program", 1)
    for handle in list(_handles):
        handle.free()
    set_log(None)
    _started, _stopped = False, True
    check(library().kaon_stop())


def set_log(log: Callable[[str, str], None] | None) -> None:
    """The receiver of notices and warnings: `log(kind, text)`, kind "notice" or "warning"; by default standard error."""
    global _log
    if log is not None and not callable(log):
        raise errors.InvalidArgument(f"a log is called with kind and text; {type(log).__name__} cannot be called")
    kinds = ("notice", "warning")

    def receive(kind: int, text: bytes, _context: object) -> None:
        try:
            assert log is not None
            log(kinds[kind], text.decode(errors="replace"))
        except Exception:  # must not go through C
            show_exception()

    callback = h.Log() if log is None else h.Log(receive)
    check(library().kaon_set_log(callback, None))
    _logs_in_use.append(_log)
    _log = callback


Options = TypeVar("Options", bound=ctypes.Structure)


def options(structure: type[Options], **values: Any) -> Options:
    """A structure with kaon's defaults, and these values."""
    made = structure()
    getattr(library(), f"{structure.c_name}_init")(made)  # type: ignore[attr-defined]
    for name, value in values.items():
        refuse_mask(value, name)
        try:
            setattr(made, name, value)
        except OverflowError:
            raise errors.InvalidArgument(f"{name} = {shown(value)} is out of range") from None
        except Exception:  # TypeError, and any exception of the object
            raise errors.InvalidArgument(f"{name} = {shown(value)} has the wrong type") from None
        if isinstance(value, numbers.Integral) and getattr(made, name) != value:  # ctypes drops the bits that have no place
            raise errors.InvalidArgument(f"{name} = {shown(value)} is out of range")
    return made


def run_info() -> dict[str, Any]:
    """How kaon was built and what it runs on, by the names of kaon.h. It has been started."""
    info = options(h.RunInfo)
    check(library().kaon_run_get(info))
    values = {name: getattr(info, name) for name, _ in info._fields_ if name != "size"}
    return {name: value.decode(errors="replace") if isinstance(value, bytes) else value for name, value in values.items()}


class Described:
    """An object whose `repr` is one line: its class, its `_description`, and whether it has been freed."""

    handle: Handle

    def _description(self) -> str:
        raise NotImplementedError

    def free(self) -> None:
        """Frees it now. Objects that were made of it remain usable."""
        self.handle.free()

    def __repr__(self) -> str:
        name = f"kaon.{type(self).__name__}"
        if "handle" not in vars(self):
            return f"<{name}, not made>"
        return f"<{name}: {self._description()}{'' if self.handle.pointer else ', freed'}>"


class Handle:
    """A handle of kaon.h of a kind such as "gauge", NULL at first. Freed by garbage collection, `free`, or `stop`."""

    def __init__(self, kind: str) -> None:
        self._destroy = getattr(start(), f"kaon_{kind}_destroy")
        self._kind = kind.replace("_", " ")
        self.pointer = ctypes.c_void_p()
        _handles.add(self)

    def __call__(self) -> ctypes.c_void_p:
        """The pointer. Raises `InvalidArgument` if it has been freed."""
        if not self.pointer:
            raise errors.InvalidArgument(f"this object ({self._kind}) has been freed: make it anew")
        return self.pointer

    def is_of(self, kind: str) -> bool:
        return self._kind == kind

    def __reduce__(self) -> Any:
        raise errors.Unsupported(f"objects of kaon ({self._kind}) are neither pickled nor copied: write a file, or pass the arrays "
                                 "of to_numpy()")

    def free(self) -> None:
        if not self.pointer or _forked:
            return
        with _lock:
            if _calls > 0:  # this is a function that kaon calls: the call may need the object
                self._leave()
            else:
                self._destroy(self.pointer)

    def _leave(self) -> None:
        _left.append((self._destroy, ctypes.c_void_p(self.pointer.value)))
        self.pointer.value = None

    def __del__(self) -> None:
        if not getattr(self, "pointer", None) or _stopped or _forked:
            return
        # Objects may go in any thread, which must not wait here for one that is in kaon.
        if _lock.acquire(blocking=False):
            try:
                self.free()
            finally:
                _lock.release()
        else:
            self._leave()


def create(kind: str, function: str, *arguments: Any) -> Handle:
    """The handle of this kind that a function of kaon.h, "gauge_smear" for example, makes of these arguments."""
    handle = Handle(kind)
    check(getattr(start(), f"kaon_{function}")(*arguments, handle.pointer))
    return handle
