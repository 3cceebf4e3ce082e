# SPDX-License-Identifier: Apache-2.0
"""Events: what a call on a device is done by."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from . import _opencl as cl
from ._handles import Handle, Shared


class _Handle(Handle):
    """A cl_event."""

    _release = cl.release_event


class Event(Shared):
    """An event of OpenCL: the end of a call. ``int_ptr`` is its cl_event, which is released with the last use of it.

    Other calls wait for it by ``wait_for``. ``pyopencl.Event.from_int_ptr(event.int_ptr)`` makes one of pyopencl.
    """

    __slots__ = ("int_ptr",)

    def __init__(self, int_ptr: int) -> None:
        self.int_ptr = int_ptr if isinstance(int_ptr, Handle) else _Handle(lambda cell: setattr(cell, "value", int_ptr))

    def wait(self) -> None:
        """Wait until the call is done. Raises DeviceError where it, or what it waited for, failed."""
        cl.wait_for_event(ctypes.c_void_p(self.int_ptr))


def event_of(fill: Callable[[ctypes.c_void_p], Any], of_pyopencl: bool) -> Any:
    """Make an event of what is put into a cell: pyopencl's where its arrays take part."""
    handle = _Handle(fill)
    if of_pyopencl:
        import pyopencl

        return pyopencl.Event.from_int_ptr(int(handle))
    return Event(handle)
