# SPDX-License-Identifier: Apache-2.0
"""Plans: calls that are checked once and made many times."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any

from ._call import Call, submit
from ._handles import Handle, OfThisProcess, retained_queue
from ._keywords import only_its_keywords, unknown
from ._library import COUNT, POINTER, SIZE, STATUS, check, function
from ._operator import Array, ask
from ._structs import Binding, PlanCall
from .arrays import may_write

_enqueue = function("clq_plan_enqueue", STATUS, POINTER, POINTER, SIZE, POINTER, COUNT, POINTER, POINTER)
_enqueue_all = function("clq_plan_enqueue_all", STATUS, POINTER, SIZE, POINTER, COUNT, POINTER, POINTER)


class _Handle(Handle):
    """A clq_plan."""

    _release = function("clq_plan_destroy", None, POINTER)


class Plan(OfThisProcess):
    """A prepared call: ``plan()`` does what the operator's call would, with the arrays that it was made of.

    It is made by ``clquant.plan``. A plan is used by one thread at a time. It keeps its arrays, and reads at each call what
    is in them then, wherever they have their memory by then.
    """

    __slots__ = ("__weakref__", "_call", "_handle", "_queue", "_result")

    def __init__(self, call: Call) -> None:
        plan, context = call.operator.plan, call.context.handle
        self._handle: int = _Handle(lambda cell: check(plan(context, call.address, ctypes.addressof(cell))), context)
        call.queue = retained_queue(call.queue)
        call.keep()
        for tensor in call.tensors.values():
            tensor.keep()
        self._call = call
        self._queue = call.queue
        self._result = call.result()

    def __call__(
        self,
        *,
        wait_for: Sequence[Any] | None = None,
        events: MutableSequence[Any] | None = None,
        **arrays: Array,
    ) -> Any:
        """Make the call, and return its outputs.

        Arrays take the place of those of the same name, for this and later calls: type, shape and strides must be the same.
        So do a report and a workspace. The names are those of the C descriptor. ``wait_for`` and ``events`` are those of the
        operators.

        Raises ValueError where an array does not fit, TypeError where the call has none of that name. Then nothing is
        enqueued, and the plan is as it was.
        """
        if arrays or wait_for or events is not None or not self._call.asynchronous:
            return self._run(wait_for or (), events, arrays)
        status = _enqueue(self._handle, self._queue, 0, None, 0, None, None)
        if status:
            check(status)
        return self._result

    def __deepcopy__(self, memo: Any) -> Plan:
        raise TypeError("a clquant.Plan is for its own arrays: it is not copied with others, make another by clquant.plan")

    def _run(self, waits: Sequence[Any], events: MutableSequence[Any] | None, arrays: dict[str, Array]) -> Any:
        call = self._now(arrays)
        bindings = self._bindings(call)
        first = ctypes.addressof(bindings) if len(bindings) else None

        def enqueue(count: int, handles: Any, event: int | None) -> int:
            status: int = _enqueue(self._handle, self._queue, len(bindings), first, count, handles, event)
            if status == 0:
                self._take(call)
            return status

        submit([call], waits, events, enqueue)
        return self._result

    def _take(self, call: Call) -> None:
        """Be the plan of a call that was made."""
        if call is not self._call:
            self._call = call
            self._result = call.result()

    def _bindings(self, call: Call) -> Any:
        """Return what the call binds in the place of what the plan has."""
        before = self._call
        struct = call.operator.struct
        changed = [
            Binding(getattr(struct, name).offset, tensor.mem, tensor.offset_bytes)
            for name, tensor in call.tensors.items()
            if tensor is not before.tensors[name]
        ]
        changed += [
            Binding(getattr(struct, name).offset, *call.operator.buffers[name](given))
            for name, given in call.buffers.items()
            if given is not before.buffers[name]
        ]
        return (Binding * len(changed))(*changed)

    def _now(self, arrays: dict[str, Array]) -> Call:
        """Return the call with other arrays, and with all others where their memory is now."""
        for name in self._call.outputs.keys() - arrays.keys():
            may_write(name, self._call.tensors[name])
        moved = {name: tensor for name, tensor in self._call.tensors.items() if tensor.has_changed and name not in arrays}
        if not arrays and not moved:
            return self._call
        call = self._bound({**moved, **arrays})
        call.outputs |= {name: self._call.outputs[name] for name in moved if name in call.outputs}
        return call

    def _bound(self, arrays: dict[str, Array]) -> Call:
        """Return the call with other arrays."""
        call = copy.copy(self._call)
        call.tensors, call.outputs, call.buffers = dict(call.tensors), dict(call.outputs), dict(call.buffers)
        for name, array in arrays.items():
            if call.buffers.get(name) is not None:
                call.buffers[name] = array
                continue
            if name not in call.tensors:
                known = [*call.tensors, *(name for name, given in call.buffers.items() if given is not None)]
                raise unknown("the plan", name, [*known, "wait_for", "events"])
            tensor = call.operator.see(name, array, call.context)
            if tensor.layout != call.tensors[name].layout:
                raise ValueError(f"{name} is {tensor!r}: it must be like the plan's {call.tensors[name]!r}")
            tensor.keep()
            call.tensors[name] = tensor
            if name in call.outputs:
                call.outputs[name] = array
        call.settle()
        call.keep()
        return call


def _now(number: int, plan: Plan) -> Call:
    try:
        return plan._now({})
    except ValueError as error:
        raise ValueError(f"plans[{number}]: {error}") from None


def plan(function: Callable[..., Any], /, *args: Any, **options: Any) -> Plan:
    """Check a call and build its kernels, and return it to be made many times. Nothing is enqueued.

        step = clquant.plan(clquant.quantize, x, scales, out=y)
        step()                  # y = quantized x
        step(x=another_x)       # of the same type, shape and strides

    The first argument is an operator, the others are those of its call. An output that is not given is made once, and each
    call writes it again.

    Raises what the operator's call would.
    """
    made: Plan = ask(function, args, options, Plan)
    return made


@only_its_keywords()
def enqueue_all(
    plans: Sequence[Plan], *, wait_for: Sequence[Any] | None = None, events: MutableSequence[Any] | None = None
) -> None:
    """Make the calls of many plans by one, such as those of all layers of a step, whose caches are arrays of their own.

    The calls are not ordered among each other: none may touch what another one writes. Each plan stands there once, and all
    are of one context and queue. There is one event, which is complete when all of them are.

    Raises ValueError, whose sentence says which plan is wrong; nothing is enqueued then.
    """
    if not isinstance(plans, Sequence):
        raise TypeError(f"plans is {plans!r}: it must be a list of plans")
    if not plans:
        raise ValueError("plans is empty: there must be one")
    for i, each in enumerate(plans):
        if not isinstance(each, Plan):
            raise TypeError(f"plans[{i}] is {each!r}: it must be a clquant.Plan")
    if len(set(plans)) != len(plans):
        again = next(i for i, each in enumerate(plans) if each in plans[:i])
        raise ValueError(f"plans[{again}] is plans[{plans.index(plans[again])}]: each must stand there once")
    queue = plans[0]._queue
    for i, each in enumerate(plans):
        if each._queue != queue:
            raise ValueError(f"plans[{i}] is for another queue than plans[0]: all must be for one")
    made = [_now(i, each) for i, each in enumerate(plans)]
    bindings = [each._bindings(call) for each, call in zip(plans, made, strict=True)]
    calls = (PlanCall * len(plans))(
        *(
            PlanCall(each._handle, len(bound), ctypes.addressof(bound) if len(bound) else None)
            for each, bound in zip(plans, bindings, strict=True)
        )
    )

    def enqueue(count: int, handles: Any, event: int | None) -> int:
        status: int = _enqueue_all(queue, len(plans), ctypes.addressof(calls), count, handles, event)
        if status == 0:
            for each, call in zip(plans, made, strict=True):
                each._take(call)
        return status

    submit(made, wait_for or (), events, enqueue)
