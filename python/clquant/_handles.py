# SPDX-License-Identifier: Apache-2.0
"""Handles: addresses of C's objects, each of which ends with the last reference to it; and what copies of objects are."""

from __future__ import annotations

import weakref
from typing import Any, ClassVar

import numpy as np

from . import _opencl as cl


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

    _as_parameter_: int | None = None  # what a function of C gets for this
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

    def __new__(cls, address: int | None, *needs: Any) -> Any:
        """Take over an object, and keep what it needs as long as it lives."""
        made = super().__new__(cls, address or 0)
        life = np.empty(0)
        release, forget = _End(life, cls._release), _End(life, _ends.discard)
        release._as_parameter_ = int(made)
        forget.needs = (release, *needs)
        _ends.add(forget)
        made._life = life
        return made


class Memory(Handle):
    """A cl_mem. Commands in flight keep what they use, as OpenCL has it."""

    _release = cl.release_buffer


class Queue(Handle):
    """A cl_command_queue."""

    _release = cl.release_queue


def retained_memory(mem: Any) -> Memory:
    """Return the handle of somebody's cl_mem, which lives on where its owner releases it."""
    address = cl.handle_of(mem, "mem")
    return address if isinstance(address, Memory) else Memory(cl.retain_buffer(address))


def retained_queue(queue: int) -> Queue:
    """Return the handle of somebody's queue, which lives on where its owner releases it."""
    return queue if isinstance(queue, Queue) else Queue(cl.retain_queue(queue))
