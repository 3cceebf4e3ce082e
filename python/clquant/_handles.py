# SPDX-License-Identifier: Apache-2.0
"""Handles: addresses of C's objects, each of which ends with the last reference to it; and what copies of objects are."""

from __future__ import annotations

import collections
import ctypes
import functools
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from . import _opencl as cl
from ._export import sweep
from ._library import STATUS

_Made = TypeVar("_Made", bound="Handle")


class OfThisProcess:
    """What has no meaning in another process, and so is not pickled."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a clquant.{type(self).__name__} belongs to this process and its device: it cannot be pickled")

    def __copy__(self) -> Any:
        return self


class Shared(OfThisProcess):
    """What copies of other objects share, as they share functions and classes."""

    __slots__ = ()

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class _End(weakref.ref["np.ndarray[Any, Any]"]):
    """What is done when the last reference to a handle goes: a function of C is called, and gets this.

    Nothing of Python runs then, where an exception that a handler of signals raises would be lost.
    """

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    _as_parameter_: ctypes.c_void_p  # what a function of C gets for this
    needs: tuple[Any, ...] = ()  # what is kept until then


# At the end of the process nothing is released: threads that the end cuts off may be at work with it.
_ends: set[_End] = set()


class Handle(Shared, int):
    """An address of one of C's objects, which is released with the last reference to this number.

    Whoever hands the address to C holds the number meanwhile. In a cycle of objects it lives until all finalizers have run,
    for these may use what it stands for. So the end is not its own finalizer, which would run among them, but that of an
    array of numpy, which the collector of cycles does not know.
    """

    _release: ClassVar[Any]  # a function of C
    _life: np.ndarray[Any, Any]

    def __new__(cls: type[_Made], fill: Callable[[ctypes.c_void_p], Any], *needs: Any) -> _Made:
        """Take over the object whose address ``fill`` has C put into a cell, and keep what it needs as long as it lives.

        The cell's end is known before: between any two steps of Python an exception of a handler of signals may come.
        """
        cell, life = ctypes.c_void_p(), np.empty(0)
        release, forget = _End(life, cls._release), _End(life, _ends.discard)
        release._as_parameter_ = cell
        forget.needs = (release, *needs)
        _ends.add(forget)
        fill(cell)
        made = super().__new__(cls, cell.value or 0)
        made._life = life
        return made


def _one_by_one(steps: Any) -> None:
    """Take all steps of an iterator, without one of Python between them."""
    collections.deque(steps, maxlen=0)


class Memory(Handle):
    """A cl_mem. Commands in flight keep what they use, as OpenCL has it."""

    _release = cl.release_buffer


class Queue(Handle):
    """A cl_command_queue."""

    _release = cl.release_queue


def new_memory(context: int, size_bytes: int, host: int | None = None) -> Memory:
    """Make a read-write buffer of at least one byte; over the host's memory where an address is given."""
    return Memory(lambda cell: _create(cell, context, cl.flags_of(host), max(size_bytes, 1), host))


def new_zeros(context: int, size_bytes: int) -> Memory:
    """Make a read-write buffer of zeros, of at least one byte, which waits for no queue."""
    zeros = np.zeros(max(size_bytes, 1), np.uint8)
    return Memory(lambda cell: _create(cell, context, cl.READ_WRITE | cl.COPY_HOST_PTR, zeros.size, cl.address_of(zeros)))


def _create(cell: ctypes.c_void_p, context: int, flags: int, size_bytes: int, host: int | None) -> None:
    sweep()
    status = STATUS()
    made = map(cl.create_buffer, (context,), (flags,), (size_bytes,), (host,), (ctypes.addressof(status),))
    _one_by_one(map(functools.partial(setattr, cell, "value"), made))
    cl.check("clCreateBuffer", status.value)


def _retain(cell: ctypes.c_void_p, retain: Any, name: str, address: int) -> None:
    """Take part in keeping an object, which is known to be there."""
    statuses: list[int] = []
    steps = (functools.partial(retain, address), functools.partial(setattr, cell, "value", address))
    _one_by_one(map(statuses.append, map(functools.partial.__call__, steps)))
    if statuses[0]:
        cell.value = None
    cl.check(name, statuses[0])


def retained_memory(mem: Any) -> Memory:
    """Return the handle of somebody's cl_mem, which lives on where its owner releases it."""
    address = cl.handle_of(mem, "mem")
    if isinstance(address, Memory):
        return address
    return Memory(lambda cell: _retain(cell, cl.retain_buffer, "clRetainMemObject", address))


def retained_queue(queue: int) -> Queue:
    """Return the handle of somebody's queue, which lives on where its owner releases it."""
    if isinstance(queue, Queue):
        return queue
    return Queue(lambda cell: _retain(cell, cl.retain_queue, "clRetainCommandQueue", queue))
