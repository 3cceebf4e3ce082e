# SPDX-License-Identifier: Apache-2.0
"""numpy's arrays, and the numbers and lists that numpy makes arrays of."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._context import Context
from .._dtypes import BY_NAME, DType, reinterpreted, row_of_numpy
from .._tensor import HostTensor, Tensor
from ._adapter import HostAdapter, in_elements

_NUMBERS = (int, float, list, tuple)


class NumpyArrays(HostAdapter):
    """numpy's arrays."""

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type are arrays or numbers."""
        return issubclass(kind, (np.ndarray, np.generic, *_NUMBERS))

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See an array as a tensor. Numbers become float32, int32 or int64."""
        held = array if isinstance(array, np.ndarray) else _array_of(array)
        row = row_of_numpy(held.dtype)
        if dtype is not None:
            row = reinterpreted(held.dtype.name, dtype)
        elif row is None:
            raise ValueError(
                f"an array has elements of {held.dtype}: clquant has {', '.join(BY_NAME)}, of this machine's byte order"
            )
        strides = None
        if not held.flags.c_contiguous:
            strides = in_elements(held.strides, held.itemsize, held.dtype.name)
        return HostTensor(held.ctypes.data, row, held.shape, strides, context=context, array=held)

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int) -> Any:
        """Make an array."""
        return np.empty(shape, dtype.numpy)


def _array_of(numbers: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(numbers)
    if isinstance(numbers, np.generic):
        return array
    if array.dtype.kind == "f":
        return array.astype(np.float32)
    if array.dtype.kind == "i" and (array.size == 0 or np.abs(array).max() < 2**31):
        return array.astype(np.int32)
    return array


ADAPTER = NumpyArrays()
