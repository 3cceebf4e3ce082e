# SPDX-License-Identifier: Apache-2.0
"""Tensors as the library takes them: a view of a cl_mem, with what keeps its memory."""

from __future__ import annotations

import array
import copy
import ctypes
import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _opencl as cl
from ._dtypes import DType, dtype_of, moved_sentence
from ._export import capsule_of
from ._handles import Memory, OfThisProcess, new_memory, retained_memory
from ._keywords import only_its_keywords
from ._slices import dense_strides, sliced
from ._structs import DLTensor
from ._typed_numpy import typed
from ._types import ElementTypeLike
from ._values import sizes_of, whole

if TYPE_CHECKING:
    from ._context import Context

_HOST, _OPENCL = 1, 4  # kDLCPU, kDLOpenCL


@functools.lru_cache(maxsize=4096)
def sizes(values: tuple[int, ...]) -> tuple[Any, int]:
    """Return an array of 64-bit numbers, which nobody changes, and its address. Raises OverflowError for larger ones."""
    numbers = array.array("q", values or (0,))
    return numbers, numbers.buffer_info()[0]


def is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Say whether strides, in elements, are those of rows that follow one another."""
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return 0 in shape
        step *= size
    return True


def reach(shape: tuple[int, ...], strides: tuple[int, ...] | None, element_bytes: int) -> int:
    """Return the bytes from the first element's begin to the last one's end. The library refuses strides below 0."""
    if 0 in shape:
        return 0
    if strides is None:
        return math.prod(shape) * element_bytes
    return (sum((size - 1) * max(stride, 0) for size, stride in zip(shape, strides, strict=True)) + 1) * element_bytes


def outline(name: str, shape: tuple[int, ...], dtype: DType) -> DLTensor:
    """Return the view of a dense tensor that is to be made, without its memory: what a check of a call asks of it."""
    if max(shape, default=0) >= 1 << 63:
        raise ValueError(f"{name} would have the shape {shape}: every size must fit into 63 bits")
    counted, _ = dtype.layout(shape, None)
    kept, address = sizes(counted)
    made = DLTensor(None, _OPENCL, 0, len(shape), dtype.struct, address, None, 0)
    made.kept = kept
    return made


class Tensor(OfThisProcess):
    """A view of an OpenCL buffer: element type, shape, strides in elements, and the offset of the first one in bytes.

    ``mem`` is a cl_mem: its address as an int, or an object with ``int_ptr``, such as a ``pyopencl.Buffer``. It is kept
    as long as the view. ``strides`` None: dense, row-major. Shapes and strides of "int4" count bytes of two elements,
    those of "int4_words" words of eight, and those of blocks, such as "q8_0", bytes. ``array`` is what the view was made
    of, if anything.

    Every operator takes tensors beside arrays. To make one costs some microseconds, to use it again nothing.
    """

    __slots__ = (
        "__weakref__",
        "_ask",
        "_kept",
        "_struct",
        "_was",
        "address",
        "array",
        "context",
        "dtype",
        "layout",
        "mem",
        "offset_bytes",
        "read_only",
        "shape",
        "strides",
    )
    view_of: ClassVar[Callable[..., Tensor]]  # arrays.view: who has the libraries of arrays sets it

    @only_its_keywords()
    def __init__(
        self,
        mem: Any,
        dtype: ElementTypeLike | DType,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        offset_bytes: int = 0,
        *,
        context: Context,
        array: Any = None,
    ) -> None:
        row = dtype if isinstance(dtype, DType) else dtype_of(dtype)
        if row.spread:
            raise ValueError(f"dtype is {row.name}: only arrays of numpy hold one such element in a byte")
        if not isinstance(shape, tuple):
            shape = sizes_of("shape", shape)
        if not isinstance(strides, (tuple, type(None))):
            strides = sizes_of("strides", strides)
        offset_bytes = whole("offset_bytes", offset_bytes)
        if strides is not None and len(strides) != len(shape):
            raise ValueError(f"strides are {strides}: there must be {len(shape)}, as many as shape {shape} has")
        if offset_bytes < 0:
            raise ValueError(f"offset_bytes is {offset_bytes}: it must not be negative")
        self._see(retained_memory(mem), mem, row, shape, strides, offset_bytes, context, array)

    @classmethod
    def of_array(
        cls, array: Any, buffer: Any, dtype: DType, strides: tuple[int, ...] | None, offset_bytes: int, context: Context
    ) -> Tensor:
        """Make a tensor of an array, whose shape and strides are right by themselves, for one call: else it is to ``keep``."""
        made = cls.__new__(cls)
        made._see(cl.handle_of(buffer), buffer, dtype, array.shape, strides, offset_bytes, context, array)
        return made

    def _see(
        self,
        mem: int,
        owner: Any,
        row: DType,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        offset_bytes: int,
        context: Context,
        array: Any,
    ) -> None:
        if offset_bytes % row.element_bytes:
            raise ValueError(f"offset_bytes is {offset_bytes}: it must be a multiple of the {row.element_bytes} of {row.name}")
        counted, steps = row.layout(shape, strides)
        shape_kept, shape_address = sizes(counted)
        strides_kept, strides_address = (None, None) if steps is None else sizes(steps)
        self.context = context
        self.dtype = row
        self.shape = shape
        self.strides = strides
        self.offset_bytes = offset_bytes
        self.mem: int = mem
        self.array = array
        self.read_only = False
        self.layout = (row.name, shape, strides)
        self._ask: Callable[[], tuple[Any, ...]] | None = None
        self._was: tuple[Any, ...] = ()
        self._kept = (owner, shape_kept, strides_kept)
        self._struct = DLTensor(mem, _OPENCL, 0, len(shape), row.struct, shape_address, strides_address, offset_bytes)
        self.address = ctypes.addressof(self._struct)

    def keep(self) -> None:
        """Take part in keeping the buffer, which its owner may release while this tensor is used."""
        self.mem = retained_memory(self.mem)

    def watch(self, ask: Callable[[], tuple[Any, ...]]) -> None:
        """Know from now on how an array says where its memory is, and then its type, shape and strides."""
        self._ask, self._was = ask, ask()

    @property
    def has_changed(self) -> bool:
        """Whether its array has moved its memory, or is another, since it was seen."""
        return self._ask is not None and self._ask() != self._was

    def current(self) -> Tensor:
        """Return this tensor, or, where its array has moved its memory, one of where that is now.

        Raises ValueError where the array has become another.
        """
        if self._ask is None:
            return self
        now = self._ask()
        if now == self._was:
            return self
        if now[1:] != self._was[1:]:
            was, has = (f"{kind} {tuple(shape)} with strides {strides}" for _, kind, shape, strides in (self._was, now))
            raise ValueError(f"an array was {was} when it was seen, and is {has} now: these must stay as they are")
        return Tensor.view_of(self.array, self.dtype, context=self.context)

    @property
    def element_type(self) -> str:
        """The name of the type of the elements, as typed arrays have it."""
        return self.dtype.name

    @property
    def element_shape(self) -> tuple[int, ...]:
        """The shape in elements, where four bits are not counted by bytes or words."""
        return self.dtype.element_shape(self.shape)

    @only_its_keywords()
    def numpy(self, *, queue: Any = None) -> np.ndarray[Any, Any]:
        """Wait for the calls of a queue, by default the context's, and return a copy of the elements."""
        handle = self.context.queue if queue is None else cl.handle_of(queue, "queue")
        if self.strides is not None and min(self.strides, default=0) < 0:
            raise ValueError(f"an array has strides of {self.strides} elements: none may be negative, as none of a copy is")
        dtype = self.dtype.numpy
        held = np.empty(reach(self.shape, self.strides, dtype.itemsize), np.uint8)
        cl.finish(handle)
        if held.size:
            self.current().fetch(handle, held)
        steps = None if self.strides is None else tuple(stride * dtype.itemsize for stride in self.strides)
        made: np.ndarray[Any, Any] = np.ndarray(self.shape, dtype, held, 0, steps).copy()
        if self.dtype.is_told:
            return made
        return typed(made, self.dtype.name)

    def __getitem__(self, index: Any) -> Tensor:
        """Return a view of a part, by whole numbers, slices and ``...``; shapes count as that of the tensor does."""
        if self.array is not None:
            return Tensor.view_of(self.array[index], self.dtype, context=self.context)
        shape, strides, start, has_last = sliced(self.shape, self.strides or dense_strides(self.shape), index)
        if self.dtype.lanes > 1 and not has_last:
            raise ValueError(moved_sentence(self.dtype.name))
        start = self.offset_bytes + start * self.dtype.element_bytes
        return Tensor(self.mem, self.dtype, shape, strides, start, context=self.context)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a clquant.Tensor of rank 0 has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        raise TypeError("a clquant.Tensor is neither true nor false: compare what tensor.numpy() returns, or len(tensor)")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return a copy of the elements, as ``numpy()`` does."""
        if copy is False:
            raise ValueError("a clquant.Tensor is memory of a device: numpy must be given a copy of it")
        held = self.numpy()
        return held if dtype is None else held.astype(dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's type and number of the device: that of OpenCL, or the host for a view of its memory."""
        return (_HOST if isinstance(self, HostTensor) else _OPENCL, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        """Return DLPack's capsule of the tensor: a cl_mem and an offset, or the host's memory; on the host a copy is one.

        Calls of a queue are not waited for, but for a copy.
        """
        if dl_device not in (None, self.__dlpack_device__(), (_HOST, 0)):
            raise BufferError(f"a clquant.Tensor is on DLPack's device {self.__dlpack_device__()}, not on {dl_device}")
        if copy or dl_device == (_HOST, 0) != self.__dlpack_device__():
            if copy is False:
                raise BufferError("a clquant.Tensor is memory of a device: on the host it is a copy")
            return Tensor.view_of(self.numpy(), self.dtype, context=self.context).__dlpack__()
        if self.read_only:
            raise BufferError("a read-only array has no DLPack capsule that says so: give a copy of it")
        now = self.current()
        return capsule_of(now._exported(), now)

    def _exported(self) -> DLTensor:
        """Return the view of this tensor that others get."""
        now = self._struct
        return DLTensor(self.mem, _OPENCL, 0, now.ndim, now.dtype, now.shape, now.strides, self.offset_bytes)

    def fetch(self, queue: int, held: np.ndarray[Any, Any]) -> None:
        """Copy the bytes from the first element's begin on."""
        cl.read_buffer(queue, self.mem, self.offset_bytes, held.size, cl.address_of(held))

    def __deepcopy__(self, memo: Any) -> Tensor:
        """Make a tensor with memory of its own, behind the calls of the context's queue; of a view, one of its array's copy."""
        if self.array is not None:
            return Tensor.view_of(copy.deepcopy(self.array, memo), self.dtype, context=self.context)
        size = reach(self.shape, self.strides, self.dtype.element_bytes)
        made = new_memory(self.context.int_ptr, size)
        if size:
            cl.copy_buffer(self.context.queue, self.mem, made, size, start=self.offset_bytes)
        return Tensor(made, self.dtype, self.shape, self.strides, context=self.context)

    def __repr__(self) -> str:
        strides = "" if self.strides is None else f", strides {self.strides}"
        return f"<clquant.Tensor {self.dtype.name} {self.shape}{strides}, byte {self.offset_bytes} of {self.mem:#x}>"


class HostTensor(Tensor):
    """A view of the host's memory. On a device that works in place nothing is copied; others get the bytes for a call.

    ``first`` is the address of its first byte, ``end`` that of the one behind its last, ``begin`` that of the buffer.
    """

    __slots__ = ("begin", "end", "first", "in_place")

    def __init__(
        self,
        address: int,
        dtype: DType,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        *,
        context: Context,
        array: Any,
        memory: tuple[Memory, int] | None = None,
    ) -> None:
        self.first, self.end = address, address + reach(shape, strides, dtype.element_bytes)
        if address % dtype.element_bytes and self.end > address:
            raise ValueError(
                f"an array begins at the address {address:#x}: that must be a multiple of the {dtype.element_bytes} bytes "
                "of an element, as that of a copy is"
            )
        self.in_place = context.in_place
        shared, self.begin = memory or host_memory(context, self.first, self.end)
        self._see(shared, shared, dtype, shape, strides, address - self.begin, context, array)

    def _exported(self) -> DLTensor:
        now = self._struct
        return DLTensor(self.first, _HOST, 0, now.ndim, now.dtype, now.shape, now.strides, 0)

    def over(self, memory: tuple[Memory, int]) -> HostTensor:
        """Return the same view in another buffer, given with the address that it begins at."""
        made = HostTensor(
            self.first,
            self.dtype,
            self.shape,
            self.strides,
            context=self.context,
            array=self.array,
            memory=memory,
        )
        made._ask, made._was = self._ask, self._was
        return made

    def fetch(self, queue: int, held: np.ndarray[Any, Any]) -> None:
        """Copy the host's bytes: the device may have others, or none yet."""
        ctypes.memmove(cl.address_of(held), self.first, held.size)

    def load(self, queue: int) -> None:
        """Give the device the bytes."""
        if not self.in_place and self.end > self.first:
            start, size = self.first - self.begin, self.end - self.first
            cl.write_buffer(queue, self.mem, start, size, self.first)

    def store(self, queue: int) -> None:
        """Fetch the bytes."""
        if not self.in_place and self.end > self.first:
            cl.read_buffer(queue, self.mem, self.first - self.begin, self.end - self.first, self.first)


class GatheredTensor(HostTensor):
    """A view of bytes of its own, which are made of an array's before each call."""

    __slots__ = ()

    def gather(self) -> None:
        """Make the bytes of the array's elements."""
        raise NotImplementedError

    def _exported(self) -> DLTensor:
        self.gather()
        return super()._exported()

    def load(self, queue: int) -> None:
        """Make the bytes and give them to the device."""
        self.gather()
        super().load(queue)

    def fetch(self, queue: int, held: np.ndarray[Any, Any]) -> None:
        """Make the bytes and copy them."""
        self.gather()
        super().fetch(queue, held)

    def over(self, memory: tuple[Memory, int]) -> HostTensor:
        """Return this tensor: nothing else is in its bytes."""
        return self


def host_memory(context: Context, first: int, end: int) -> tuple[Memory, int]:
    """Make the buffer of a range of the host's memory, and return it with the address that it begins at."""
    if not context.in_place or end == first:
        return new_memory(context.int_ptr, end - first), first
    # Rounded down, for drivers may take a buffer's begin for aligned: what lies before is on the same page, and no
    # kernel looks at it.
    start = first - first % context.alignment_bytes
    return new_memory(context.int_ptr, end - start, start), start
