# SPDX-License-Identifier: Apache-2.0
"""numpy's arrays, and the numbers and lists that numpy makes arrays of."""

from __future__ import annotations

import ctypes
import math
import reprlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .._context import Context
from .._dtypes import BY_NAME, DType, name_in_numpy, seen_as
from .._opencl import address_of
from .._tensor import GatheredTensor, HostTensor, Tensor
from .._typed_numpy import TypedArray, typed
from ._adapter import HostAdapter, in_elements

_NUMBERS = (int, float, list, tuple)
_NO_NUMBERS = "OSUMmc"  # numpy's kinds of objects, texts, times and complex numbers


class NumpyArrays(HostAdapter):
    """numpy's arrays."""

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type are arrays or numbers."""
        return issubclass(kind, (np.ndarray, np.generic, *_NUMBERS))

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See an array as a tensor. Numbers become float32, int32 or int64."""
        held = array if isinstance(array, np.ndarray) else _array_of(array)
        if dtype is None and isinstance(held, TypedArray):
            dtype = held.held_type()
        if isinstance(held, np.ma.MaskedArray):
            raise ValueError("an array is masked, and its mask would be lost: give x.filled(…), or x.data")
        row = seen_as(name_in_numpy(held.dtype), dtype)
        if row.spread:
            tensor: HostTensor = SpreadTensor(held, row, context=context)
            tensor.watch(lambda: (0, held.dtype, held.shape, held.strides))
        else:
            strides = None
            if not held.flags.c_contiguous:
                strides = in_elements(held.strides, held.itemsize, held.dtype.name)
            address = _address_of(held)
            tensor = HostTensor(address.value or 0, row, held.shape, strides, context=context, array=held)
            tensor.watch(lambda: (address.value, held.dtype, held.shape, held.strides))
        tensor.read_only = held is not array or not held.flags.writeable
        return tensor

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int, *, zeros: bool) -> Any:
        """Make an array."""
        return new_array(shape, dtype, zeros=zeros)


class _Asked:
    """The address of an array's memory, by numpy's own attribute, which takes a microsecond."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    @property
    def value(self) -> int:
        return address_of(self._array)


def _in_header(array: np.ndarray[Any, Any]) -> Any:
    """Return the address of an array's memory, as it is whenever it is read."""
    return ctypes.c_void_p.from_address(id(array) + object.__basicsize__)


# The first member of numpy's C struct of an array, behind what every object of CPython begins with, is the address.
_SAMPLE = np.zeros(1)
_CAN_READ_IT = sys.implementation.name == "cpython" and _in_header(_SAMPLE).value == address_of(_SAMPLE)
_address_of: Callable[[np.ndarray[Any, Any]], Any] = _in_header if _CAN_READ_IT else _Asked


# A cache line. Of large arrays PoCL's kernels write whole lines past the caches where they begin on one: numpy's own begin 16
# bytes behind a page, and took 1.7 times as long.
_LINE = 64


def new_array(shape: tuple[int, ...], dtype: DType, *, zeros: bool) -> np.ndarray[Any, Any]:
    """Make an array that begins on a cache line, of zeros, or whose elements are not set."""
    room = (np.zeros if zeros else np.empty)(math.prod(shape) * dtype.numpy.itemsize + _LINE, np.uint8)
    array: np.ndarray[Any, Any] = np.ndarray(shape, dtype.numpy, room, -address_of(room) % _LINE)
    return array if dtype.is_told else typed(array, dtype.name)


class SpreadTensor(GatheredTensor):
    """An array of a type of ml_dtypes' of less than a byte, an element a byte: packed before a call, and unpacked behind it."""

    __slots__ = ("_packed", "_row")

    def __init__(self, array: np.ndarray[Any, Any], dtype: DType, *, context: Context) -> None:
        self._row = row = BY_NAME[dtype.element]
        self._packed = np.empty(row.stored_shape(array.shape), np.uint8)
        super().__init__(address_of(self._packed), row, self._packed.shape, None, context=context, array=array)

    def gather(self) -> None:
        """Pack the elements."""
        codes = self.array.view(np.uint8) & (1 << self._row.bits) - 1
        self._packed[...] = 0
        for n in range(self._row.lanes):
            self._packed |= codes[..., n :: self._row.lanes] << n * self._row.bits

    def store(self, queue: int) -> None:
        """Fetch the elements and unpack them."""
        super().store(queue)
        whole = self.array.view(np.int8 if self._row.is_signed else np.uint8)
        packed = self._packed.view(whole.dtype)
        for n in range(self._row.lanes):
            whole[..., n :: self._row.lanes] = packed << 8 - (n + 1) * self._row.bits >> 8 - self._row.bits


def with_floats(given: Any) -> Any:
    """Return numbers as an array of floats, whole ones too, and whatever else as it is."""
    if not isinstance(given, (np.generic, *_NUMBERS)):
        return given
    array = _array_of(given)
    if isinstance(given, np.generic) and array.itemsize < 8 and array.dtype.kind not in "iub":
        return given
    try:
        return array.astype(np.float32, copy=False)
    except OverflowError:
        raise ValueError("a number is too large for float32") from None


def _array_of(given: Any) -> np.ndarray[Any, Any]:
    """Return numbers as an array: float32, int32 or int64. Raises TypeError for what is no number, such as None and texts."""
    array = np.asarray(given)
    if array.dtype.kind in _NO_NUMBERS:
        wrong = [each for each in array.flat if isinstance(each, np.generic) or not hasattr(each, "__float__")]
        if wrong:
            raise TypeError(f"{reprlib.repr(given)} holds {reprlib.repr(wrong[0])}: it must hold numbers alone")
    if isinstance(given, np.generic):
        return array
    if array.dtype.kind == "f":
        return array.astype(np.float32)
    if array.dtype.kind == "i" and (array.size == 0 or (array.min() >= -(2**31) and array.max() < 2**31)):
        return array.astype(np.int32)
    return array


ADAPTER = NumpyArrays()
