#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call costs in Python beside the library's own function, in microseconds; without arguments all of it.

A small step of a decode loop, int8, is enqueued behind a user event, so that the device does nothing meanwhile: a block of
calls, and beside it a block of the library's bare function with arguments that are ready. Blocks take turns. A row has the
median of both and of their difference, which is Python's part, and what that may be: so many times the library's part, for a
machine that is slow, or busy, is so for both.
"""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import clquant
from clquant import _library, _opencl, _plan
from clquant._structs import Binding

_create_user_event = _library.function("clCreateUserEvent", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_set_status = _library.function("clSetUserEventStatus", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)

CALLS = 8  # in a block: pyopencl's arrays wait for an event themselves once they have thirteen


class Row(NamedTuple):
    """One kind of call, in microseconds."""

    name: str
    total: float
    library: float
    python: float
    limit: float


class Case(NamedTuple):
    """A kind of call: what Python does, what the library does, and what stands between them and the next block."""

    name: str
    times: float  # Python's part may be so many times the library's
    call: Callable[..., Any]
    bare: Callable[[], Any]
    clear: Callable[[], Any] = lambda: None


def _block(context: clquant.Context, queue: int, call: Callable[[], Any], first: Callable[[int], Any]) -> float:
    """Return the time of a call among those behind a user event."""
    gate = clquant.Event(_create_user_event(context.int_ptr, None))
    first(gate.int_ptr)
    start = time.perf_counter_ns()
    for _ in range(CALLS):
        call()
    end = time.perf_counter_ns()
    _set_status(gate.int_ptr, 0)
    _opencl.finish(queue)
    return (end - start) / CALLS / 1000


def _row(case: Case, context: clquant.Context, queue: int, blocks: int) -> Row:
    def first(gate: int) -> None:
        case.call(wait_for=[gate])

    pairs = []
    for _ in range(blocks):
        total = _block(context, queue, case.call, first)
        case.clear()
        pairs.append((total, _block(context, queue, case.bare, first)))
        case.clear()
    total, library = (statistics.median(values) for values in zip(*pairs, strict=True))
    return Row(case.name, total, library, statistics.median(a - b for a, b in pairs), case.times * library)


def _arrays() -> list[np.ndarray[Any, Any]]:
    updates = np.ones((8, 1, 8, 128), np.float16)
    return [np.zeros((8, 64, 8, 128), np.int8), np.arange(8), updates, np.ones(128, np.float32)]


def _bare(call: Any, with_event: bool) -> Callable[[], None]:
    run, handle, queue, address = call.operator.run, call.context.handle, call.queue, call.address
    event = ctypes.c_void_p()
    pointer = ctypes.addressof(event) if with_event else None

    def bare() -> None:
        run(handle, queue, address, 0, None, pointer)
        if with_event:
            _opencl.release_event(event)

    return bare


def rows(blocks: int = 300) -> list[Row]:
    """Measure every kind of call."""
    context, step = clquant.default_context(), clquant.quantize_scatter
    tensors = [clquant.to_device(array) for array in _arrays()]
    others = [clquant.to_device(_arrays()[2]) for _ in range(2)]
    call = step(*tensors, axis=1, verb=lambda call: call)
    plan = clquant.plan(step, *tensors, axis=1)
    bound = clquant.plan(step, *tensors, axis=1)
    turn = 0

    def bind(**options: Any) -> None:
        nonlocal turn
        turn ^= 1
        bound(updates=others[turn], **options)

    field = call.operator.struct.updates.offset
    bindings = [(Binding * 1)(Binding(field, other.mem, 0)) for other in others]

    def bind_bare() -> None:
        nonlocal turn
        turn ^= 1
        _plan._enqueue(bound._handle, context.queue, 1, ctypes.addressof(bindings[turn]), 0, None, None)

    cases = [
        Case("a plan", 0.5, plan, lambda: _plan._enqueue(plan._handle, context.queue, 0, None, 0, None, None)),
        Case("a plan, another tensor each time", 6.5, bind, bind_bare),
        Case("a call of tensors", 6, lambda **options: step(*tensors, axis=1, **options), _bare(call, False)),
    ]
    found = [_row(case, context, context.queue, blocks) for case in cases]
    return found + _of_pyopencl(blocks)


def _of_pyopencl(blocks: int) -> list[Row]:
    try:
        import pyopencl
        from pyopencl.array import to_device
    except ImportError:
        return []
    step = clquant.quantize_scatter
    queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    arrays = [to_device(queue, array) for array in _arrays()]
    call = step(*arrays, axis=1, verb=lambda call: call)
    case = Case(
        "a call of pyopencl's arrays",
        21,
        lambda **options: step(*arrays, axis=1, **options),
        _bare(call, True),
        arrays[0].events.clear,
    )
    return [_row(case, call.context, call.queue, blocks)]


def main() -> None:
    """Print the table."""
    print(f"{'microseconds':34} {'in all':>8} {'library':>8} {'Python':>8} {'at most':>8}")
    for row in rows():
        print(f"{row.name:34} {row.total:8.2f} {row.library:8.2f} {row.python:8.2f} {row.limit:8.1f}")


if __name__ == "__main__":
    main()
