# SPDX-License-Identifier: Apache-2.0
"""The library's documented calls, ``clquant/npu.h``, on torch's tensors: run, or checked without their memory."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from .._call import Call, submit
from .._context import default_context
from .._dtypes import seen_as, type_name
from .._fields import Input, Output
from .._library import COUNT, POINTER, STATUS, check, function
from .._structs import DLTensor
from .._tensor import sizes
from ..arrays.torch_tensors import ADAPTER

_OPENCL = 4  # kDLOpenCL


class Documented:
    """A call and its check. ``arguments`` stand in C's order: the fields of tensors, and the C types of all others."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self._name = name
        self._fields = tuple(argument if isinstance(argument, Input) else None for argument in arguments)
        self._kinds = tuple(POINTER if isinstance(argument, Input) else argument for argument in arguments)
        self._run = function(f"clq_{name}", STATUS, POINTER, POINTER, *self._kinds, COUNT, POINTER, POINTER)

    @functools.cached_property
    def _check(self) -> Callable[..., int]:
        return function(f"clq_{self._name}_check", STATUS, *self._kinds)

    def run(self, *values: Any) -> None:
        """Make the call on the default context, and wait for it. Raises ValueError where the library refuses it."""
        call = Call()
        call.context = default_context()
        call.queue = call.context.queue
        call.tensors = self._seen(values, lambda tensor: ADAPTER.view(tensor, call.context))
        call.outputs = {field.name: tensor for field, tensor in self._tensors(values) if isinstance(field, Output)}
        call.settle()
        arguments = (call.context.handle, call.queue, *self._given(values, call.tensors))
        submit((call,), (), None, lambda count, waits, event: self._run(*arguments, count, waits, event))

    def check(self, *values: Any) -> None:
        """Refuse what ``run`` would, by types and shapes alone. Where a size is not known yet, nothing is refused."""
        tensors = [tensor for _, tensor in self._tensors(values)]
        if all(isinstance(size, int) for tensor in tensors for size in (*tensor.shape, *tensor.stride())):
            views = self._seen(values, _Shaped)
            check(self._check(*self._given(values, views)))

    def _tensors(self, values: tuple[Any, ...]) -> list[tuple[Input, Any]]:
        pairs = zip(self._fields, values, strict=True)
        return [(field, value) for field, value in pairs if field is not None and value is not None]

    def _seen(self, values: tuple[Any, ...], see: Callable[[Any], Any]) -> dict[str, Any]:
        """See each tensor as the library does, by its name."""
        views = {}
        for field, tensor in self._tensors(values):
            try:
                views[field.name] = see(tensor)
            except ValueError as error:
                raise ValueError(f"{field.name}: {error}") from None
        return views

    def _given(self, values: tuple[Any, ...], views: dict[str, Any]) -> list[Any]:
        """Return C's arguments: of tensors the addresses of their views."""
        addresses = {name: view.address for name, view in views.items()}
        pairs = zip(self._fields, values, strict=True)
        return [value if field is None else addresses.get(field.name) for field, value in pairs]


class _Shaped:
    """A tensor of torch without its memory."""

    def __init__(self, tensor: Any) -> None:
        row = seen_as(type_name(tensor.dtype), None)
        strides = None if tensor.is_contiguous() else tuple(tensor.stride())
        shape, shape_address = sizes(tuple(tensor.shape))
        steps, strides_address = (None, None) if strides is None else sizes(strides)
        self._kept = (shape, steps)
        self._struct = DLTensor(None, _OPENCL, 0, tensor.dim(), row.struct, shape_address, strides_address, 0)
        self.address = ctypes.addressof(self._struct)
