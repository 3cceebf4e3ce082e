# SPDX-License-Identifier: Apache-2.0
"""pyopencl's arrays: on the device, in the queue that comes with them."""

from __future__ import annotations

import sys
from typing import Any

from .._context import Context, context_of_queue
from .._dtypes import DType, name_in_numpy, seen_as
from .._handles import new_memory
from .._tensor import Tensor
from ._adapter import in_elements


class PyopenclArrays:
    """pyopencl's arrays. pyopencl is never imported here: where there is an array, it is."""

    _pyopencl: Any
    _typed: Any

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type are pyopencl's arrays."""
        module = sys.modules.get("pyopencl.array")
        if module is None or not issubclass(kind, module.Array):
            return False
        # Now, for at the end of the process nothing can be imported.
        import pyopencl

        from . import _typed_pyopencl

        self._pyopencl, self._typed = pyopencl, _typed_pyopencl
        return True

    def context_of(self, array: Any, queue: Any) -> Context:
        """Return the library's context over the array's, for the device of its queue or of the one that is given."""
        with_device = queue if hasattr(queue, "device") else array.queue
        if with_device is None:
            raise ValueError("an array of pyopencl has no queue: give one, queue=…, or use array.with_queue(…)")
        return context_of_queue(with_device)

    def queue_of(self, array: Any) -> int | None:
        """Return the array's queue, if it has one."""
        return None if array.queue is None else int(array.queue.int_ptr)

    def may_write(self, array: Any) -> None:
        """Raise nothing."""

    def was_written(self, array: Any, event: Any) -> None:
        """Add the event to those that the next use of the array waits for."""
        array.add_event(event)

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See an array as a tensor."""
        if dtype is None and hasattr(array, "held_type"):
            dtype = array.held_type()
        row = seen_as(name_in_numpy(array.dtype), dtype)
        strides = None
        if not array.flags.c_contiguous:
            strides = in_elements(array.strides, array.dtype.itemsize, array.dtype.name)
        # An array without elements has no buffer.
        mem = new_memory(context.int_ptr, 0) if array.base_data is None else array.base_data
        tensor = Tensor.of_array(array, mem, row, strides, array.offset, context)
        tensor.watch(lambda: ((array.base_data, array.offset), array.dtype, array.shape, array.strides))
        return tensor

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int, *, zeros: bool) -> Any:
        """Make an array in the other's context, with its allocator."""
        arrays = self._pyopencl.array
        own = self._pyopencl.CommandQueue.from_int_ptr(queue, retain=True)
        make = arrays.zeros if zeros else arrays.Array
        made = make(own, shape, dtype.numpy, allocator=like.allocator)
        if dtype.is_told:
            return made
        return self._typed.typed(made, dtype.name)


ADAPTER = PyopenclArrays()
