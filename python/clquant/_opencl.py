# SPDX-License-Identifier: Apache-2.0
"""The few OpenCL functions that are called from here: buffers of host memory, waiting, and names of devices."""

from __future__ import annotations

import ctypes
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._errors import DeviceError
from ._library import COUNT, POINTER, SIZE, STATUS, begin_use, function, status_name

READ_WRITE = 1 << 0
USE_HOST_PTR = 1 << 3
COPY_HOST_PTR = 1 << 5

DEVICE_TYPE_ALL = 0xFFFFFFFF
TYPE_CPU, TYPE_GPU, TYPE_ACCELERATOR = 1 << 1, 1 << 2, 1 << 3

PLATFORM_NAME = 0x0902
DEVICE_TYPE = 0x1000
DEVICE_NAME = 0x102B
DEVICE_VERSION = 0x102F
DRIVER_VERSION = 0x102D
DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019

_ADDRESSES = 1 << 8 * ctypes.sizeof(ctypes.c_void_p)

_NO_DEVICE = -1
_NO_PLATFORM = -1001

_WAITS = (COUNT, POINTER, POINTER)  # num_events_in_wait_list, event_wait_list, event

create_buffer = function("clCreateBuffer", POINTER, POINTER, ctypes.c_uint64, SIZE, POINTER, POINTER)
retain_buffer = function("clRetainMemObject", STATUS, POINTER)
retain_queue = function("clRetainCommandQueue", STATUS, POINTER)
_copy = function("clEnqueueCopyBuffer", STATUS, POINTER, POINTER, POINTER, SIZE, SIZE, SIZE, *_WAITS)
_read = function("clEnqueueReadBuffer", STATUS, POINTER, POINTER, COUNT, SIZE, SIZE, POINTER, *_WAITS)
_write = function("clEnqueueWriteBuffer", STATUS, POINTER, POINTER, COUNT, SIZE, SIZE, POINTER, *_WAITS)
_wait_for_events = function("clWaitForEvents", STATUS, COUNT, POINTER)
_finish = function("clFinish", STATUS, POINTER)
_platforms = function("clGetPlatformIDs", STATUS, COUNT, POINTER, POINTER)
_devices = function("clGetDeviceIDs", STATUS, POINTER, ctypes.c_uint64, COUNT, POINTER, POINTER)
_platform_info = function("clGetPlatformInfo", STATUS, POINTER, COUNT, SIZE, POINTER, POINTER)
_device_info = function("clGetDeviceInfo", STATUS, POINTER, COUNT, SIZE, POINTER, POINTER)

release_event = function("clReleaseEvent", STATUS, POINTER)
release_buffer = function("clReleaseMemObject", STATUS, POINTER)
release_queue = function("clReleaseCommandQueue", STATUS, POINTER)


def check(name: str, status: int) -> None:
    if status != 0:
        named = status_name(status)
        raise DeviceError(f"{name} failed with {named} ({status})", status, named)


def handle_of(thing: Any, name: str = "a handle") -> int:
    """Return the address of an OpenCL object: an int, or what has ``int_ptr``, as pyopencl's objects do.

    Raises TypeError for anything else, and ValueError for a number that is no address, with the argument's ``name``.
    """
    address = thing if isinstance(thing, int) and not isinstance(thing, bool) else getattr(thing, "int_ptr", None)
    if not isinstance(address, int):
        raise TypeError(f"{name} is {reprlib.repr(thing)}: it must be an OpenCL object: an address, or what has int_ptr")
    if not 0 < address < _ADDRESSES:
        raise ValueError(f"{name} is {address}: it must be the address of an OpenCL object")
    return address


def handles_of(things: Iterable[Any], name: str) -> tuple[int, Any]:
    """Return how many handles there are, and an array of them for a wait list; ``name`` is that of the argument."""
    handles = [handle_of(thing, f"{name}[{place}]") for place, thing in enumerate(things)]
    return len(handles), (POINTER * len(handles))(*handles) if handles else None


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Return where an array has its memory. ``array.ctypes`` imports, which fails at the end of the process."""
    return int(array.__array_interface__["data"][0])


def flags_of(host: int | None) -> int:
    """Return the flags of a read-write buffer; over the host's memory where an address is given."""
    return READ_WRITE if host is None else READ_WRITE | USE_HOST_PTR


def copy_buffer(queue: int, source: int, target: int, size_bytes: int, *, start: int = 0) -> None:
    """Enqueue a copy of a buffer's bytes, from one on, to the begin of another."""
    check("clEnqueueCopyBuffer", _copy(queue, source, target, start, 0, size_bytes, 0, None, None))


def read_buffer(queue: int, mem: int, offset_bytes: int, size_bytes: int, host: int) -> None:
    """Read bytes of a buffer into the host's memory and wait for them."""
    _transfer("clEnqueueReadBuffer", _read, queue, mem, offset_bytes, size_bytes, host)


def write_buffer(queue: int, mem: int, offset_bytes: int, size_bytes: int, host: int) -> None:
    """Write the host's bytes into a buffer and wait until they are there."""
    _transfer("clEnqueueWriteBuffer", _write, queue, mem, offset_bytes, size_bytes, host)


def _transfer(
    name: str, function: Callable[..., int], queue: int, mem: int, offset_bytes: int, size_bytes: int, host: int
) -> None:
    # It blocks, and its event is waited for too: drivers say that a transfer succeeded although what it waited for failed.
    event = ctypes.c_void_p()
    check(name, function(queue, mem, 1, offset_bytes, size_bytes, host, 0, None, ctypes.addressof(event)))
    try:
        wait_for_event(event)
    finally:
        release_event(event)


def finish(queue: int) -> None:
    """Wait for all that a queue has."""
    check("clFinish", _finish(queue))


def wait_for_event(event: ctypes.c_void_p) -> None:
    """Wait for one event, whose handle the argument holds."""
    wait_for_events(1, ctypes.addressof(event))


def wait_for_events(count: int, handles: Any) -> None:
    """Wait for the events of a wait list."""
    check("clWaitForEvents", _wait_for_events(count, handles))


def _list(name: str, get: Callable[..., int], empty: int) -> list[int]:
    count = COUNT()
    status = get(0, None, ctypes.addressof(count))
    if status == empty or (status == 0 and count.value == 0):
        return []
    check(name, status)
    found = (POINTER * count.value)()
    check(name, get(count.value, ctypes.addressof(found), None))
    return [int(handle) for handle in found if handle is not None]


def platforms() -> list[int]:
    """List the platforms in the loader's order."""
    begin_use()
    return _list("clGetPlatformIDs", _platforms, _NO_PLATFORM)


def devices_of(platform: int) -> list[int]:
    """List the devices of a platform."""
    return _list("clGetDeviceIDs", lambda *rest: int(_devices(platform, DEVICE_TYPE_ALL, *rest)), _NO_DEVICE)


def _text(name: str, get: Callable[..., int], of: int, what: int) -> str:
    size = SIZE()
    check(name, get(of, what, 0, None, ctypes.addressof(size)))
    text = ctypes.create_string_buffer(size.value + 1)
    check(name, get(of, what, size.value, ctypes.addressof(text), None))
    return text.value.decode(errors="replace")


def platform_text(platform: int, what: int) -> str:
    """Return a text that a platform says of itself."""
    return _text("clGetPlatformInfo", _platform_info, platform, what)


def device_text(device: int, what: int) -> str:
    """Return a text that a device says of itself."""
    return _text("clGetDeviceInfo", _device_info, device, what)


def device_number(device: int, what: int) -> int:
    """Return a number of up to 64 bits that a device says of itself."""
    value = ctypes.c_uint64(0)
    check("clGetDeviceInfo", _device_info(device, what, ctypes.sizeof(value), ctypes.addressof(value), None))
    return value.value
