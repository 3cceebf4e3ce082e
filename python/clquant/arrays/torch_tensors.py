# SPDX-License-Identifier: Apache-2.0
"""torch's tensors in the host's memory."""

from __future__ import annotations

import sys
from typing import Any

from .._context import Context
from .._dtypes import DType, seen_as, type_name
from .._tensor import HostTensor, Tensor, reach
from ._adapter import HostAdapter

_HOLDERS = {"uint16": "int16"}  # torch 1 has no uint16


class TorchTensors(HostAdapter):
    """torch's tensors. torch is never imported here: where there is a tensor, it is."""

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type are torch's tensors."""
        torch = sys.modules.get("torch")
        return torch is not None and issubclass(kind, torch.Tensor)

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See a tensor of torch as one. It takes no part in autograd."""
        if array.device.type != "cpu":
            raise ValueError(f"a tensor of torch is on {array.device}: it must be on the CPU")
        if dtype is None and hasattr(array, "held_type"):
            dtype = array.held_type()
        row = seen_as(type_name(array.dtype), dtype)
        shape, strides = tuple(array.shape), None if array.is_contiguous() else tuple(array.stride())
        needed = reach(shape, strides, row.element_bytes)
        there = max(_storage_bytes(array) - array.storage_offset() * row.element_bytes, 0)
        if there < needed:
            raise ValueError(f"a tensor of torch has a storage of {there} bytes from its first element on: it needs {needed}")
        tensor = HostTensor(array.data_ptr(), row, shape, strides, context=context, array=array)
        address, steps = array.data_ptr, array.stride  # found once, for they are asked at each call of a plan
        tensor.watch(lambda: (address(), array.dtype, array.shape, steps()))
        return tensor

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int, *, zeros: bool) -> Any:
        """Make a tensor; of the type that holds the bytes where torch does not have the elements'."""
        import torch

        if dtype.spread:
            raise ValueError(f"dtype is {dtype.name}: only arrays of numpy hold four bits in a byte")
        # torch's own types of four bits have no operators: bytes or words hold them.
        own = getattr(torch, dtype.name, None) if dtype.lanes == 1 else None
        make = torch.zeros if zeros else torch.empty
        if own is not None:
            return make(shape, dtype=own)
        made = make(shape, dtype=getattr(torch, _HOLDERS.get(dtype.storage, dtype.storage)))
        from ._typed_torch import typed

        return typed(made, dtype.name)


def _storage_bytes(array: Any) -> int:
    storage = array.untyped_storage() if hasattr(array, "untyped_storage") else array.storage()
    return int(storage.nbytes())


ADAPTER = TorchTensors()
