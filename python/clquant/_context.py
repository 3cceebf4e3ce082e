# SPDX-License-Identifier: Apache-2.0
"""Contexts: a device, the kernels that were built for it, and a queue; and the list of devices."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _opencl as cl
from ._handles import Handle, Queue, Shared, new_memory
from ._keywords import near, only_its_keywords
from ._library import POINTER, SIZE, STATUS, begin_use, check, function
from ._structs import ContextDesc
from ._types import Arithmetic, Form
from ._values import whole

_create = function("clq_context_create", STATUS, POINTER, POINTER)
_context_cl = function("clq_context_cl", POINTER, POINTER)
_context_device = function("clq_context_device", POINTER, POINTER)
_queue_create = function("clq_queue_create", STATUS, POINTER, ctypes.c_uint64, POINTER)
_build = function("clq_context_build", STATUS, POINTER, SIZE, POINTER)
_count = function("clq_context_count", None, POINTER, POINTER, POINTER)
_build_log = function("clq_context_build_log", None, POINTER, POINTER, SIZE)
_cache_dir = function("clq_context_cache_dir", ctypes.c_char_p, POINTER)
_device_find = function("clq_device_find", STATUS, ctypes.c_char_p, ctypes.c_int, POINTER, POINTER)
_LOG = ctypes.CFUNCTYPE(None, POINTER, ctypes.c_char_p)

_CACHE_OFF, _NO_ENVIRONMENT = 1 << 0, 1 << 1
_FORMS = {"auto": 0, "item": 1, "group": 2}
_ARITHMETIC = {"auto": 0, "exact": 1}


@dataclass(frozen=True)
class Device:
    """A device of this machine, as ``clquant devices`` lists it. ``int_ptr`` is its cl_device_id."""

    number: int
    kind: str  # "CPU", "GPU", "accelerator" or "custom"
    name: str
    platform: str
    version: str
    driver: str
    int_ptr: int


def _kind_of(device: int) -> str:
    kind = cl.device_number(device, cl.DEVICE_TYPE)
    for bit, name in ((cl.TYPE_GPU, "GPU"), (cl.TYPE_ACCELERATOR, "accelerator"), (cl.TYPE_CPU, "CPU")):
        if kind & bit:
            return name
    return "custom"


def devices() -> list[Device]:
    """List the OpenCL devices over all platforms. A number or a part of a name chooses one: ``Context("GPU")``.

    Raises DeviceError where a driver does not say what it has.
    """
    found = [(platform, device) for platform in cl.platforms() for device in cl.devices_of(platform)]
    return [
        Device(
            number,
            _kind_of(device),
            cl.device_text(device, cl.DEVICE_NAME),
            cl.platform_text(platform, cl.PLATFORM_NAME),
            cl.device_text(device, cl.DEVICE_VERSION),
            cl.device_text(device, cl.DRIVER_VERSION),
            device,
        )
        for number, (platform, device) in enumerate(found)
    ]


# What others call the scales of blocks, and of ranges.
_ELSEWHERE = {"mx": "mx_floor", "mxfp4": "mx_floor", "mxfp8": "mx_floor", "ocp": "mx_floor", "max": "absmax", "amax": "absmax"}


def choice(name: str, given: str, choices: dict[str, int]) -> int:
    """Return the number of an option's word, and refuse any other word."""
    try:
        return choices[given]
    except (KeyError, TypeError):
        words = ", ".join(repr(word) for word in choices)
        raise ValueError(f"{name} is {given!r}: it must be one of {words}{near(given, choices, _ELSEWHERE)}") from None


class _Handle(Handle):
    """A clq_context."""

    _release = function("clq_context_destroy", None, POINTER)


class Context(Shared):
    """Where operators run: a device, the kernels that were built for it, and an in-order queue.

    ``device`` None or "" is the default (the variable CLQ_DEVICE, else the first GPU or accelerator, else a CPU). A text is
    "CPU", "GPU", "accelerator" or a part of a name, a number is that of ``devices()``. With ``context``, a cl_context of
    yours (an address, or a ``pyopencl.Context``), it is one of that context's devices, None its only one.

    ``cache_dir``, ``cache_limit_bytes``: where built kernels are kept, and how many bytes of them; ``cache`` False keeps
    none. ``environment`` False reads no variable. ``build_options`` are added to every build. ``form`` ("item", "group") and
    ``arithmetic`` ("exact") choose other kernels with the same bytes. ``log`` is called with a line for each build.

    A context may be used by many threads. Without one, operators share ``default_context()``. Raises DeviceError where no
    device fits.
    """

    @only_its_keywords()
    def __init__(
        self,
        device: Any = None,
        *,
        context: Any = None,
        cache_dir: str | None = None,
        cache_limit_bytes: int = 0,
        cache: bool = True,
        environment: bool = True,
        build_options: str | None = None,
        form: Form = "auto",
        arithmetic: Arithmetic = "auto",
        log: Callable[[str], None] | None = None,
    ) -> None:
        cache_limit_bytes = whole("cache_limit_bytes", cache_limit_bytes)
        if cache_limit_bytes < 0:
            raise ValueError(f"cache_limit_bytes is {cache_limit_bytes}: it must not be negative")
        for name, given in (("cache_dir", cache_dir), ("build_options", build_options)):
            if not isinstance(given, (str, type(None))):
                raise TypeError(f"{name} is {given!r}: it must be a text")
        if log is not None and not callable(log):
            raise TypeError(f"log is {log!r}: it must be a function of a line")
        text: str | None = None
        chosen: int | None = None
        if context is not None:
            chosen = None if device is None else cl.handle_of(device, "device")
        elif device is not None:
            text = str(device.number if isinstance(device, Device) else device)
        called = _LOG(lambda _, line: log(line.decode(errors="replace"))) if log is not None else None
        desc = ContextDesc(
            context=None if context is None else cl.handle_of(context, "context"),
            device=chosen,
            device_text=None if text is None else text.encode(),
            cache_dir=None if cache_dir is None else cache_dir.encode(),
            cache_limit_bytes=cache_limit_bytes,
            build_options=None if build_options is None else build_options.encode(),
            log=None if called is None else ctypes.cast(called, ctypes.c_void_p),
            flags=(0 if cache else _CACHE_OFF) | (0 if environment else _NO_ENVIRONMENT),
            form=choice("form", form, _FORMS),
            arithmetic=choice("arithmetic", arithmetic, _ARITHMETIC),
        )
        begin_use()
        self.handle: int = _Handle(lambda cell: check(_create(ctypes.addressof(desc), ctypes.addressof(cell))), called)
        self.queue: int = Queue(lambda cell: check(_queue_create(self.handle, 0, ctypes.addressof(cell))))
        self.int_ptr = int(_context_cl(self.handle))
        self.device = int(_context_device(self.handle))
        # No more than a page: what lies before an array on its page can be read.
        self.alignment_bytes = min(max(cl.device_number(self.device, cl.DEVICE_MEM_BASE_ADDR_ALIGN) // 8, 1), 4096)

    @functools.cached_property
    def in_place(self) -> bool:
        """Whether the device works in the host's memory: a CPU that was seen to do so. Else arrays are copied."""
        return _kind_of(self.device) == "CPU" and _shares_memory(self)

    @property
    def device_name(self) -> str:
        """What the device calls itself."""
        return cl.device_text(self.device, cl.DEVICE_NAME)

    @property
    def cache_dir(self) -> str:
        """The folder of built kernels; "" where none are kept."""
        text: bytes = _cache_dir(self.handle)
        return text.decode()

    @property
    def build_log(self) -> str:
        """The driver's log of the last build that failed; "" if none did."""
        text = ctypes.create_string_buffer(1 << 16)
        _build_log(self.handle, ctypes.addressof(text), len(text))
        return text.value.decode(errors="replace")

    def counts(self) -> tuple[int, int]:
        """Return how many kernels are ready, and how many of them came from the cache."""
        built, cached = ctypes.c_size_t(), ctypes.c_size_t()
        _count(self.handle, ctypes.addressof(built), ctypes.addressof(cached))
        return built.value, cached.value

    def build(self, variants: Sequence[str]) -> None:
        """Build kernels ahead of time, by names as ``clquant cache list`` has them. ``clquant.build`` finds the names itself.

        Raises ValueError for a text that is no variant, DeviceError where a build fails.
        """
        texts = (ctypes.c_char_p * len(variants))(*(text.encode() for text in variants))
        check(_build(self.handle, len(variants), ctypes.addressof(texts)))

    def finish(self) -> None:
        """Wait for all that the context's own queue has."""
        cl.finish(self.queue)

    def __repr__(self) -> str:
        return f"<clquant.Context on {self.device_name}>"


def _shares_memory(context: Context) -> bool:
    """See whether kernels' memory is the host's, both ways, for an address that is aligned as a buffer's begin is."""
    size = context.alignment_bytes
    room = ctypes.create_string_buffer(4 * size)
    start = ctypes.addressof(room)
    start += size - start % size
    source = new_memory(context.int_ptr, size, start)
    target = new_memory(context.int_ptr, size, start + size)
    ctypes.memset(start, 0x5A, size)
    cl.copy_buffer(context.queue, source, target, size)
    cl.finish(context.queue)
    return ctypes.string_at(start + size, size) == b"\x5a" * size


_default: Context | None = None
_lock = threading.Lock()


def default_context() -> Context:
    """Return the context of calls that name none: made by the first of them, on the default device."""
    global _default  # noqa: PLW0603
    if _default is None:
        with _lock:
            if _default is None:
                _default = Context()
    return _default


def given_context(context: Any) -> Context | None:
    """Return a context that is given, or None. Raises TypeError for what is neither."""
    if context is None or isinstance(context, Context):
        return context
    raise TypeError(f"context is {context!r}: it must be a clquant.Context")


@functools.lru_cache(maxsize=16)
def context_of(context: int, device: int) -> Context:
    """Return the library's context over another's cl_context, the same one each time. The last 16 are kept."""
    return Context(device, context=context)


def context_of_queue(queue: Any) -> Context:
    """Return the library's context over that of a queue of pyopencl."""
    try:
        return context_of(queue.context.int_ptr, queue.device.int_ptr)
    except AttributeError:
        raise ValueError("queue is an address: give its context too, context=clquant.Context(device, context=…)") from None
