# SPDX-License-Identifier: Apache-2.0
"""Calls: what one holds, and what stands around its way into the queue."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any

from . import _opencl as cl
from ._context import Context
from ._event import event_of
from ._handles import Memory, retained_memory
from ._library import check
from ._quantized import Quantized, remembered
from ._tensor import HostTensor, Tensor, host_memory
from .arrays import adapter_of

if TYPE_CHECKING:
    from ._operator import Operator


class Call:
    """One call with its arguments: the descriptor, and what it points to."""

    operator: Operator
    context: Context
    queue: int
    desc: ctypes.Structure
    address: int
    tensors: dict[str, Tensor]
    buffers: dict[str, Any]  # what is no tensor, as it was given: a report, a workspace
    how: dict[str, Any]  # what the result says of how it was made
    outputs: dict[str, Any]  # what is returned: arrays and tensors
    made: set[str]  # the names of those outputs that were not given
    hosts: list[HostTensor]  # tensors in the host's memory: with one, the call waits
    arrays: list[Any]  # arrays that keep events of their own
    waits: Sequence[Any]
    events: MutableSequence[Any] | None
    asynchronous: bool  # nobody asks when it is done
    kept: list[Memory]  # of a plan, what is no tensor: somebody may release it meanwhile

    def __copy__(self) -> Call:
        made = Call()
        made.__dict__.update(self.__dict__)
        return made

    def settle(self) -> None:
        """Find out what the tensors mean for the call, once all of them are there."""
        self.hosts, self.arrays = [], []
        for tensor in self.tensors.values():
            if isinstance(tensor, HostTensor):
                self.hosts.append(tensor)
            elif hasattr(tensor.array, "events"):
                self.arrays.append(tensor.array)
        self.asynchronous = not self.hosts and not self.arrays
        if len(self.hosts) > 1:
            _share(self)

    def keep(self) -> None:
        """Keep the buffers that are no tensors beyond the caller's own use of them."""
        values = [self.operator.buffers[name](given) for name, given in self.buffers.items() if given is not None]
        self.kept = [retained_memory(mem) for mem, _ in values]

    def result(self) -> Any:
        """Return what the operator's function returns."""
        operator = self.operator
        arrays = [self.outputs.get(name) for name in operator.outputs]
        made = arrays[0] if operator.result is None else operator.result(*arrays, **self.how)
        if isinstance(made, Quantized):
            remembered(made, self.made)
        return made


def begin(calls: Sequence[Call], waits: Sequence[Any]) -> tuple[int, Any]:
    """Make the wait list of calls, and give the device what it does not share with the host.

    Calls of the host's memory are waited for at once, so that theirs is waited for here: a driver may wait for ever behind
    an event that has failed.
    """
    events = [event for call in calls for array in call.arrays for event in array.events]
    listed = _list_of(waits)
    count, handles = cl.handles_of([*listed, *events], "wait_for") if events or listed else (0, None)
    hosts = [(tensor, call.queue) for call in calls for tensor in call.hosts]
    if count and hosts:
        cl.wait_for_events(count, handles)
        count, handles = 0, None
    for tensor, queue in hosts:
        tensor.load(queue)
    return count, handles


def _list_of(waits: Any) -> list[Any]:
    if not isinstance(waits, Iterable) or isinstance(waits, (str, bytes)):
        raise TypeError(f"wait_for is {waits!r}: it must be a list of events")
    return list(waits)


def submit(
    calls: Sequence[Call],
    waits: Sequence[Any],
    events: MutableSequence[Any] | None,
    enqueue: Callable[[int, Any, int | None], int],
) -> None:
    """Enqueue calls, by a function of the wait list and the event's address, and see to all that stands around them."""
    if events is not None and not hasattr(events, "append"):
        raise TypeError(f"events is {events!r}: it must be a list, to which the call's event is appended")
    if events is None and not waits and all(call.asynchronous for call in calls):
        check(enqueue(0, None, None))
        return
    count, handles = begin(calls, waits)
    wanted = events is not None or not all(call.asynchronous for call in calls)
    try:
        if wanted:
            of_pyopencl = any(call.arrays for call in calls)
            done = event_of(lambda cell: check(enqueue(count, handles, ctypes.addressof(cell))), of_pyopencl)
            _end(calls, done, events)
        else:
            check(enqueue(count, handles, None))
    except BaseException:
        if any(call.hosts for call in calls):  # what runs all the same, a part or all, writes into the caller's memory
            cl.finish(calls[0].queue)
        raise


def _end(calls: Sequence[Call], done: Any, events: MutableSequence[Any] | None) -> None:
    """Hand the event on, and wait for it where the host's memory takes part."""
    outputs = [call.tensors[name] for call in calls for name in call.outputs]
    for tensor in outputs:
        if tensor.array is not None:
            adapter_of(type(tensor.array)).was_written(tensor.array, done)
    if events is not None:
        events.append(done)
    if any(call.hosts for call in calls):
        cl.wait_for_event(ctypes.c_void_p(done.int_ptr))
        for tensor in outputs:
            if isinstance(tensor, HostTensor):
                tensor.store(calls[0].queue)


def _share(call: Call) -> None:
    """Put host tensors whose bytes overlap into one buffer, so that the library sees that they do.

    Views that were made for another context stay in their buffers, which the library refuses.
    """
    groups: list[list[HostTensor]] = []
    hosts = [tensor for tensor in call.hosts if tensor.context.int_ptr == call.context.int_ptr]
    end = 0
    for tensor in sorted(hosts, key=lambda tensor: tensor.first):
        if groups and tensor.first < end:
            groups[-1].append(tensor)
        else:
            groups.append([tensor])
        end = max(end, tensor.end)
    if len(groups) == len(hosts):
        return
    for group in groups:
        if len(group) > 1:
            memory = host_memory(call.context, group[0].first, max(tensor.end for tensor in group))
            for name, seen in call.tensors.items():
                if isinstance(seen, HostTensor) and any(seen is member for member in group):
                    call.tensors[name] = seen.over(memory)
    call.hosts = [tensor for tensor in call.tensors.values() if isinstance(tensor, HostTensor)]


def enqueue(call: Call) -> Any:
    """Enqueue a call, and return its outputs."""
    run, context, queue, address = call.operator.run, call.context.handle, call.queue, call.address
    waits, events = call.waits, call.events
    submit([call], waits, events, lambda count, handles, event: run(context, queue, address, count, handles, event))
    return call.result()
