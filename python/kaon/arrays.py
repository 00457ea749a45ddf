# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Arrays of numpy, of GPUs (`__cuda_array_interface__`) and of `__dlpack__`, as kaon.h sees them.

kaon's kernels read and write the memory where it lies: numpy's and DLPack's on hosts, any on GPUs."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from . import declarations as h
from .errors import InvalidArgument
from .library import Described, options
from .values import integers, refuse_mask, shown

ORDERS = {"lexicographic": h.LEXICOGRAPHIC, "even-odd": h.EVEN_ODD}
ELEMENTS = {"complex128": h.COMPLEX128, "complex64": h.COMPLEX64}
ELEMENT_OF = {"double": "complex128", "single": "complex64"}
PRECISION_OF = {element: precision for precision, element in ELEMENT_OF.items()}
_DLPACK_HOST, _DLPACK_GPU = (1, 3), (2, 13)  # CPU, pinned; CUDA, managed


@dataclass
class Memory:
    """An array's address, shape and type. `owner` owns its memory."""

    address: int
    shape: tuple[int, ...]
    element: str  # "complex128" or "complex64"
    place: int  # h.HOST or h.DEVICE
    owner: Any


def site_shape(local_extents: Sequence[int], order: str) -> tuple[int, ...]:
    """[t, z, y, x], or [parity, t, z, y, x/2] in even-odd order."""
    if not isinstance(order, str) or order not in ORDERS:
        raise InvalidArgument(f"order = {shown(order)} is none of {', '.join(ORDERS)}")
    x, y, z, t = local_extents
    return (t, z, y, x) if order == "lexicographic" else (2, t, z, y, x // 2)


def _require_dense(shape: Sequence[int], strides: Sequence[int] | None, item: int, what: str) -> None:
    """Refuses arrays that do not lie in C order without gaps; strides in bytes."""
    if 0 in shape:
        raise InvalidArgument(f"{what} has the shape {tuple(shape)}, which holds no number")
    expected, dense = item, []
    for extent in reversed(shape):
        dense.append(expected)
        expected *= extent
    if strides is None:
        return
    for extent, stride, wanted in zip(shape, strides, reversed(dense)):
        if extent != 1 and stride != wanted:
            raise InvalidArgument(f"{what} is not contiguous: pass a C-contiguous array (numpy.ascontiguousarray)")


class _DlDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class _DlType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DlDevice), ("dimensions", ctypes.c_int32), ("type", _DlType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


def _from_dlpack(array: Any, what: str) -> Memory:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        # On GPUs the array's library orders its work before the legacy default stream: number 1.
        on_gpu = hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] in _DLPACK_GPU
        capsule = array.__dlpack__(stream=1) if on_gpu else array.__dlpack__()
        address = get(capsule, b"dltensor")
    except Exception as error:  # any exception of the object
        raise InvalidArgument(f"{what} does not give its memory by __dlpack__: {error}") from None
    tensor = _DlTensor.from_address(address)
    if (tensor.type.code, tensor.type.lanes) != (5, 1) or tensor.type.bits not in (64, 128):
        raise InvalidArgument(f"{what} of DLPack's type code {tensor.type.code} with {tensor.type.bits} bits: complex64 "
                              "and complex128 are taken")
    item = tensor.type.bits // 8
    shape = tuple(tensor.shape[i] for i in range(tensor.dimensions))
    strides = [tensor.strides[i] * item for i in range(tensor.dimensions)] if tensor.strides else None
    _require_dense(shape, strides, item, what)
    if tensor.device.type not in _DLPACK_HOST + _DLPACK_GPU:
        raise InvalidArgument(f"{what} is on DLPack's device {tensor.device.type}: hosts and CUDA are known")
    place = h.HOST if tensor.device.type in _DLPACK_HOST else h.DEVICE
    # The capsule is not consumed: its destructor frees the tensor when `owner` goes.
    return Memory((tensor.data or 0) + tensor.byte_offset, shape, f"complex{8 * item}", place, (array, capsule))


def _wait_for_stream(stream: Any, what: str) -> None:
    """Waits for the work on a CUDA stream: a handle, 1 (legacy default) or 2 (default of the thread)."""
    if isinstance(stream, bool) or not isinstance(stream, int) or stream <= 0:
        raise InvalidArgument(f"{what} is on stream {shown(stream)}: the handle of a stream, 1 and 2 are known")
    try:
        wait = ctypes.CDLL("libcuda.so.1").cuStreamSynchronize
    except (OSError, AttributeError):
        raise InvalidArgument(f"{what} is on a CUDA stream, and there is no libcuda.so.1 to wait for it") from None
    wait.restype, wait.argtypes = ctypes.c_int, [ctypes.c_void_p]
    status = wait(stream)
    if status != 0:
        raise InvalidArgument(f"{what}: waiting for its CUDA stream failed with CUresult {status}")


def _from_cuda(array: Any, what: str, write: bool) -> Memory:
    try:
        interface = array.__cuda_array_interface__
        element, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        address, fixed = interface["data"]
        strides, stream, mask = (interface.get(name) for name in ("strides", "stream", "mask"))
    except Exception as error:  # any exception of the object
        raise InvalidArgument(f"{what} has a __cuda_array_interface__ that cannot be read: {error}") from None
    if element.name not in ELEMENTS or not element.isnative:
        raise InvalidArgument(f"{what} has elements {element}: complex64 and complex128 are taken")
    if mask is not None:
        raise InvalidArgument(f"{what} has a mask, which kaon would not see")
    if write and fixed:
        raise InvalidArgument(f"{what} may not be written")
    _require_dense(shape, strides, element.itemsize, what)
    if stream is not None:
        _wait_for_stream(stream, what)
    return Memory(address, shape, element.name, h.DEVICE, array)


def memory_of(array: Any, what: str, write: bool = False) -> Memory:
    """The memory of an array. Raises `InvalidArgument` unless it is complex and contiguous, and writable if asked."""
    refuse_mask(array, what)
    if isinstance(array, np.ndarray):
        if array.dtype.name not in ELEMENTS or not array.dtype.isnative:
            raise InvalidArgument(f"{what} has elements {array.dtype}: complex64 and complex128 are taken")
        _require_dense(array.shape, array.strides, array.itemsize, what)
        if write and not array.flags.writeable:
            raise InvalidArgument(f"{what} may not be written")
        return Memory(array.ctypes.data, array.shape, array.dtype.name, h.HOST, array)
    if hasattr(array, "__cuda_array_interface__"):
        return _from_cuda(array, what, write)
    if hasattr(array, "__dlpack__"):
        return _from_dlpack(array, what)
    raise InvalidArgument(f"{what} is a {type(array).__name__}: an array of numpy, or an object with "
                          "__cuda_array_interface__ or __dlpack__ is taken")


def require_shape(memory: Memory, shape: tuple[int, ...], what: str) -> None:
    if tuple(memory.shape) != tuple(shape):
        raise InvalidArgument(f"{what} has the shape {tuple(memory.shape)}; {tuple(shape)} is needed")


def description(memory: Memory, order: str, inside: int, offset: int = 0, parts: int = 0) -> h.Array:
    """The memory as a kaon_array, from `offset` bytes on; or as four parts of `parts` bytes, one a direction."""
    array = options(h.Array, element=ELEMENTS[memory.element], sites=ORDERS[order], inside=inside, memory=memory.place)
    if parts:
        for mu in range(4):
            array.parts[mu] = memory.address + mu * parts
    else:
        array.data = memory.address + offset
    return array


class _NotExported(InvalidArgument, BufferError):
    """The error that __dlpack__ has."""


class ArrayExport(Described):
    """The array of `to_numpy()`, for functions of numpy (`numpy.asarray(field)`, `numpy.linalg.norm(field)`) and by `__dlpack__`
    (`torch.from_dlpack(field)`). kaon's fields have an order of their own, so each call writes a new array in the memory of the
    host."""

    _HOST = (1, 0)

    def to_numpy(self) -> np.ndarray:
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise InvalidArgument("copy = False: kaon's fields have an order of their own, and are always copied")
        return np.asarray(self.to_numpy(), dtype)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        if stream is not None:
            raise _NotExported(f"stream = {shown(stream)}: memory of the host has none")
        if dl_device is not None and integers(dl_device, "dl_device") != self._HOST:
            raise _NotExported(f"the device {shown(dl_device)} is not the host, {self._HOST}: to_cupy() writes the memory of a GPU")
        if copy is False:
            raise _NotExported("copy = False: kaon's fields have an order of their own, and are always copied")
        return self.to_numpy().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._HOST


def cupy_empty(shape: tuple[int, ...], element: str) -> Any:
    """An array of cupy, which is imported here."""
    import cupy  # type: ignore[import-not-found]

    return cupy.empty(shape, dtype=element)
