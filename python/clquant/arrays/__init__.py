# SPDX-License-Identifier: Apache-2.0
"""The libraries whose arrays operators take: a module for each, found by the array's type."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from .. import _opencl as cl
from .._context import Context, default_context, given_context
from .._dtypes import DType, dtype_of
from .._handles import new_memory, new_zeros
from .._keywords import only_its_keywords
from .._tensor import HostTensor, Tensor
from .._types import ElementTypeLike
from .._values import shape_of
from . import dlpack_arrays, numpy_arrays, pyopencl_arrays, torch_tensors
from ._adapter import Adapter
from .numpy_arrays import with_floats

_ADAPTERS: tuple[Adapter, ...] = (
    numpy_arrays.ADAPTER,
    pyopencl_arrays.ADAPTER,
    torch_tensors.ADAPTER,
    dlpack_arrays.ADAPTER,
)


def _find(kind: type) -> Adapter:
    """Find who knows arrays of a type. Raises TypeError where nobody does."""
    for adapter in _ADAPTERS:
        if adapter.knows(kind):
            return adapter
    raise TypeError(
        f"{kind.__module__}.{kind.__qualname__} is no array: it must be one of numpy, pyopencl or torch, "
        "have __dlpack__, or be a clquant.Tensor or a number"
    )


adapter_of: Callable[[type], Adapter] = functools.lru_cache(maxsize=64)(_find)


def may_write(name: str, array: Any) -> None:
    """Raise ValueError where the library of an array, or of a tensor's, would not know that a call writes it."""
    owner = array.array if isinstance(array, Tensor) else array
    if owner is not None:
        try:
            adapter_of(type(owner)).may_write(owner)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None


@only_its_keywords()
def view(array: Any, dtype: ElementTypeLike | None = None, *, context: Context | None = None) -> Tensor:
    """Make a tensor of an array: to use it in many calls, or to say what its bytes hold.

    ``dtype`` says what the elements are where the array's own type does not: "int4" for bytes of two or words of eight,
    "float8_e4m3fn" for bytes, "bfloat16" for 16 bits. ``context`` is the default one, or that of an array on a device.

    The array is kept as long as the tensor is. Its memory is the tensor's: what is written there later, calls read.

        q = clquant.quantize(x, 0.1, dtype="int4")
        x = clquant.dequantize(clquant.view(q, "int4"), 0.1)

    Raises ValueError where the array does not hold such elements, TypeError where it is no array.
    """
    if isinstance(array, Tensor):
        if array.array is None:
            raise ValueError("array is a clquant.Tensor of a buffer: it already says what the bytes are")
        array, dtype = array.array, array.dtype if dtype is None else dtype
    adapter = adapter_of(type(array))
    where = given_context(context) or adapter.context_of(array, None) or default_context()
    seen = adapter.view(array, where, dtype)
    dtype_of(seen.dtype.name)  # a type that no argument takes is refused
    seen.keep()
    return seen


Tensor.view_of = view


@only_its_keywords()
def empty(shape: tuple[int, ...], dtype: ElementTypeLike, *, context: Context | None = None) -> Tensor:
    """Make a tensor in a new buffer on the device, whose elements are not set.

    The shape of "int4" counts bytes of two elements, that of "int4_words" words of eight, and those of blocks, such as
    "q8_0", bytes: 34 for 32 elements.
    """
    return new_tensor(shape_of("shape", shape), dtype_of(dtype), given_context(context) or default_context(), zeros=False)


@only_its_keywords()
def zeros(shape: tuple[int, ...], dtype: ElementTypeLike, *, context: Context | None = None) -> Tensor:
    """Make a tensor in a new buffer on the device whose bytes are 0; its shape counts as that of ``empty``."""
    return new_tensor(shape_of("shape", shape), dtype_of(dtype), given_context(context) or default_context(), zeros=True)


def new_tensor(shape: tuple[int, ...], dtype: DType, context: Context, *, zeros: bool) -> Tensor:
    """Make a tensor in a new buffer, of zeros, or whose elements are not set."""
    size = math.prod(shape) * dtype.element_bytes
    make = new_zeros if zeros else new_memory
    return Tensor(make(context.int_ptr, size), dtype, shape, context=context)


@only_its_keywords()
def to_device(array: Any, dtype: ElementTypeLike | None = None, *, context: Context | None = None) -> Tensor:
    """Copy an array into a new buffer on the device, as a tensor: for caches that stay there.

    It takes all that operators take: arrays, numbers and tensors. ``dtype`` as in ``view``. ``tensor.numpy()`` copies back.
    """
    seen = array.current() if isinstance(array, Tensor) and dtype is None else view(array, dtype, context=context)
    made = empty(seen.shape, seen.dtype, context=context or seen.context)
    queue = made.context.queue
    if type(seen) is HostTensor and seen.strides is None:
        size, source = seen.end - seen.first, seen.first
    else:
        held = seen.numpy(queue=None if seen.array is None else adapter_of(type(seen.array)).queue_of(seen.array))
        size, source = held.nbytes, cl.address_of(held)
    if size:
        cl.write_buffer(queue, made.mem, 0, size, source)
    return made


__all__ = ["Adapter", "adapter_of", "empty", "may_write", "new_tensor", "to_device", "view", "with_floats", "zeros"]
