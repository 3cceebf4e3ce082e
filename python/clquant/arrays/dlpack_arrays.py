# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library that has ``__dlpack__``, in the host's memory."""

from __future__ import annotations

import copy
import ctypes
from typing import Any

from .._context import Context
from .._dtypes import DType, name_in_dlpack, seen_as
from .._structs import DLTensor, Managed
from .._tensor import HostTensor, Tensor, is_dense, reach
from ._adapter import HostAdapter
from .numpy_arrays import new_array

_CPU, _CUDA_HOST = 1, 3
_NAME, _VERSIONED = b"dltensor", b"dltensor_versioned"
_READ_ONLY, _COPIED = 1 << 0, 1 << 1
_MOST_DIMENSIONS = 8  # the library's
_ADDRESSES = 1 << 63  # of the host's memory, whatever a capsule's offset makes of one
# Libraries whose arrays nobody writes, whatever their capsules say.
_IMMUTABLE = ("jax", "jaxlib", "pyarrow", "tensorflow")

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = ctypes.c_int
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]


class DLPackArrays(HostAdapter):
    """Whatever has ``__dlpack__``."""

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type can be asked."""
        return hasattr(kind, "__dlpack__")

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See an array as a tensor. Its capsule is kept and never consumed, so that its end frees what it holds."""
        owner = array.array if isinstance(array, _Kept) else array
        capsule, theirs, flags = _ask(owner)
        shape, strides = _layout_of(theirs, f"an array of {type(owner).__name__}")
        row = seen_as(name_in_dlpack(theirs.dtype), dtype)
        address = (theirs.data or 0) + theirs.byte_offset
        needed = reach(shape, strides, row.element_bytes)
        if needed and not (theirs.data and address + needed < _ADDRESSES):
            raise ValueError(
                f"an array of {type(owner).__name__} has {needed} bytes from the address {address:#x} on: "
                "they must lie in the host's memory"
            )
        tensor = HostTensor(address, row, shape, strides, context=context, array=_Kept(owner, capsule))
        tensor.read_only = bool(flags & (_READ_ONLY | _COPIED)) or type(owner).__module__.partition(".")[0] in _IMMUTABLE
        return tensor

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int, *, zeros: bool) -> Any:
        """Make an array of numpy: there is no way to ask another library for one."""
        return new_array(shape, dtype, zeros=zeros)


class _Kept:
    """An array and its capsule."""

    __slots__ = ("array", "capsule")

    def __init__(self, array: Any, capsule: Any) -> None:
        self.array, self.capsule = array, capsule

    def __dlpack__(self) -> Any:
        return self.array.__dlpack__()

    def __deepcopy__(self, memo: Any) -> Any:
        return copy.deepcopy(self.array, memo)


def _ask(array: Any) -> tuple[Any, DLTensor, int]:
    """Ask an array for its capsule, and return it with what it says: of version 1, or, where there is none, of before it."""
    try:
        try:
            capsule = array.__dlpack__(max_version=(1, 0))
        except TypeError:
            capsule = array.__dlpack__()
    except BufferError as error:
        raise ValueError(f"an array of {type(array).__name__} does not give its memory: {error}") from None
    if not _is_valid(capsule, _VERSIONED):
        if not _is_valid(capsule, _NAME):
            raise ValueError(f"an array of {type(array).__name__} gives {capsule!r}: it must be a capsule that nobody has used")
        return capsule, DLTensor.from_address(_pointer(capsule, _NAME)), 0
    managed = Managed.from_address(_pointer(capsule, _VERSIONED))
    if managed.major != 1:
        raise ValueError(f"an array of {type(array).__name__} has version {managed.major} of DLPack: it must be 1, or none")
    return capsule, managed.tensor, managed.flags


def _layout_of(theirs: DLTensor, whose: str) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return shape and strides, None for dense rows. Raises ValueError for a view that cannot be read."""
    ndim = theirs.ndim
    if theirs.device_type not in (_CPU, _CUDA_HOST):
        raise ValueError(f"{whose} is on a device of DLPack's type {theirs.device_type}: it must be in the host's memory")
    if not 0 <= ndim <= _MOST_DIMENSIONS:
        raise ValueError(f"{whose} has {ndim} dimensions: there must be from 0 to {_MOST_DIMENSIONS}")
    if ndim and not theirs.shape:
        raise ValueError(f"{whose} has {ndim} dimensions: its capsule must say their sizes")
    shape = _numbers(theirs.shape, ndim)
    if any(size < 0 for size in shape):
        raise ValueError(f"{whose} has the shape {shape}: no size may be negative")
    strides = _numbers(theirs.strides, ndim) if theirs.strides else None
    return shape, None if strides is None or is_dense(shape, strides) else strides


def _numbers(address: int, count: int) -> tuple[int, ...]:
    return tuple((ctypes.c_int64 * count).from_address(address)) if count else ()


ADAPTER = DLPackArrays()
