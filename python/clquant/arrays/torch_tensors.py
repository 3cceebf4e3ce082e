# SPDX-License-Identifier: Apache-2.0
"""torch's tensors in the host's memory."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from .._context import Context
from .._dtypes import DType, seen_as, type_name
from .._tensor import GatheredTensor, HostTensor, Tensor, reach
from ._adapter import HostAdapter

_HOLDERS = {"uint16": "int16"}  # torch 1 has no uint16


class TorchTensors(HostAdapter):
    """torch's tensors. torch is never imported here: where there is a tensor, it is."""

    _torch: Any
    _typed: Any
    _writes: Any

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type are torch's tensors."""
        torch = sys.modules.get("torch")
        if torch is None or not issubclass(kind, torch.Tensor):
            return False
        # Now, for at the end of the process nothing can be imported.
        from . import _torch_writes, _typed_torch

        self._torch, self._typed, self._writes = torch, _typed_torch, _torch_writes
        return True

    def may_write(self, array: Any) -> None:
        """Refuse a tensor whose memory has other values than it shows, and one of whose writing autograd would not know."""
        self._writes.refuse(array)

    def was_written(self, array: Any, event: Any) -> None:
        """Count a version, so that autograd refuses to go back through what the tensor was."""
        self._writes.tell(array)

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See a tensor of torch as one. It takes no part in autograd."""
        if array.device.type != "cpu":
            raise ValueError(f"a tensor of torch is on {array.device}: it must be on the CPU")
        if dtype is None and hasattr(array, "held_type"):
            dtype = array.held_type()
        if array.is_nested:
            raise ValueError("a tensor of torch is nested: it must be dense")
        if str(array.layout) != "torch.strided":
            raise ValueError(f"a tensor of torch has the layout {array.layout}: it must be dense, as x.to_dense() is")
        row = seen_as(type_name(array.dtype), dtype)
        shape, strides = tuple(array.shape), None if array.is_contiguous() else tuple(array.stride())
        address = _address_of(array, reach(shape, strides, row.element_bytes))
        tensor: HostTensor
        if array.is_neg():
            tensor = _Negated(array, row, context)
        else:
            tensor = HostTensor(address, row, shape, strides, context=context, array=array)
        tensor.watch(self._place_of(array))
        return tensor

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int, *, zeros: bool) -> Any:
        """Make a tensor; of the type that holds the bytes where torch does not have the elements'."""
        if dtype.spread:
            raise ValueError(f"dtype is {dtype.name}: only arrays of numpy hold one such element in a byte")
        # torch's own types of four bits have no operators: bytes or words hold them.
        torch = self._torch
        own = getattr(torch, dtype.name, None) if dtype.lanes == 1 else None
        make = torch.zeros if zeros else torch.empty
        if own is not None:
            return make(shape, dtype=own)
        made = make(shape, dtype=getattr(torch, _HOLDERS.get(dtype.storage, dtype.storage)))
        return self._typed.typed(made, dtype.name)

    def _place_of(self, array: Any) -> Callable[[], tuple[Any, ...]]:
        """Return how a tensor says at each call of a plan where it is: what can be found before is."""
        if hasattr(array, "held_type"):
            return functools.partial(self._typed.place_of, array)
        address, strides = array.data_ptr, array.stride
        return lambda: (address(), array.dtype, array.shape, strides())


class _Negated(GatheredTensor):
    """A tensor whose values are the negatives of those in its memory, as torch's views of conjugates have it."""

    __slots__ = ("_values",)

    def __init__(self, array: Any, dtype: DType, context: Context) -> None:
        self._values = array.detach().resolve_neg().contiguous()
        super().__init__(self._values.data_ptr(), dtype, tuple(array.shape), None, context=context, array=array)
        self.read_only = True

    def gather(self) -> None:
        """Negate what is there now."""
        self._values.copy_(self.array.detach())


def _address_of(array: Any, needed: int) -> int:
    """Return the address of the first element, of so many bytes."""
    try:
        storage = array.untyped_storage() if hasattr(array, "untyped_storage") else array.storage()
        there = max(int(storage.nbytes()) - array.storage_offset() * array.element_size(), 0)
        address = int(array.data_ptr())
    except RuntimeError:  # one of torch's own transformations
        there, address = needed, 0
    if there < needed:
        raise ValueError(f"a tensor of torch has a storage of {there} bytes from its first element on: it needs {needed}")
    if needed and not address:
        raise ValueError(f"a {type(array).__name__} of torch has no memory of its own: it must be a plain tensor with values")
    return address


ADAPTER = TorchTensors()
