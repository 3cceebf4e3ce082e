# SPDX-License-Identifier: Apache-2.0
"""pyopencl's arrays, and buffers and queues that are somebody else's: events, order, contexts."""

import threading

import numpy as np
import pytest
import reference

import clquant

pyopencl = pytest.importorskip("pyopencl")
pytest.importorskip("pyopencl.array")


@pytest.fixture
def queue():
    return pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))


def test_pyopencl(queue, numbers):
    to_device = pyopencl.array.to_device
    x, scales = numbers((4, 6, 8)), np.linspace(0.25, 2, 8).astype(np.float32)
    there, events = to_device(queue, x), []
    y = clquant.quantize(there, to_device(queue, scales), events=events)
    assert isinstance(y, pyopencl.array.Array)
    assert isinstance(events[0], pyopencl.Event)
    assert events[0] in y.events
    np.testing.assert_array_equal(y.get(), reference.quantize(x, scales))
    part = there[1:, ::2, 2:]
    made = clquant.quantize(part, to_device(queue, scales[2:]), queue=queue, wait_for=events)
    np.testing.assert_array_equal(made.get(), reference.quantize(x[1:, ::2, 2:], scales[2:]))
    mixed = clquant.dynamic_quantize(there, scales, symmetric=True)
    right = reference.dynamic(x * scales, symmetric=True)
    np.testing.assert_array_equal(mixed.y.get(), right[0])
    np.testing.assert_array_equal(mixed.scales.get(), right[1][..., 0])


def test_pyopencl_waits(queue, numbers):
    """A call waits for the events of its arrays, and for those that it is given, on a queue that keeps no order."""
    out_of_order = pyopencl.CommandQueue(
        queue.context, properties=pyopencl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    )
    x = numbers((64, 64))
    there = pyopencl.array.to_device(queue, np.zeros_like(x)).with_queue(out_of_order)
    gate = pyopencl.UserEvent(queue.context)
    copied = pyopencl.enqueue_copy(out_of_order, there.data, x, wait_for=[gate], is_blocking=False)
    unaware = pyopencl.array.Array(out_of_order, x.shape, x.dtype, data=there.data)
    there.add_event(copied)
    half = pyopencl.array.to_device(queue, np.float32([0.5]))
    complete = pyopencl.command_execution_status.COMPLETE
    try:
        y = clquant.quantize(there, half)
        again = clquant.quantize(unaware, half, wait_for=[copied])
        assert complete not in (made.events[-1].command_execution_status for made in (y, again))
    finally:
        gate.set_status(complete)
    np.testing.assert_array_equal(y.get(), reference.quantize(x, 0.5))
    np.testing.assert_array_equal(again.get(), reference.quantize(x, 0.5))


@pytest.mark.parametrize("meanwhile", [False, True])
@pytest.mark.parametrize("in_place", [False, True])
def test_an_awaited_event_that_fails(queue, in_place, meanwhile):
    """Nobody hangs behind it, nor reads bytes that were never there."""
    context = clquant.Context(context=queue.context, device=queue.device)
    if in_place and not context.in_place:
        pytest.skip(f"{context.device_name} does not work in the host's memory")
    context.__dict__["in_place"] = in_place
    x, indices = np.ones((2, 1, 8), np.float32), np.zeros(2, np.int64)
    cache = np.zeros((2, 4, 8), np.int8)
    for call in (
        lambda waits: clquant.quantize(x, 0.5, context=context, wait_for=waits),
        lambda waits: clquant.quantize_scatter(cache, indices, x, 0.5, axis=1, context=context, wait_for=waits),
        lambda waits: clquant.check_indices(
            clquant.quantize_scatter, cache, indices, x, 0.5, axis=1, context=context, wait_for=waits
        ),
    ):
        event = pyopencl.UserEvent(queue.context)
        failing = threading.Timer(0.02 if meanwhile else 0, event.set_status, [-5])
        failing.start()
        if not meanwhile:
            failing.join()
        with pytest.raises(clquant.DeviceError, match="EXEC_STATUS_ERROR"):
            call([event])
        failing.join()
        call([])


def test_a_report_in_a_buffer(queue, numbers):
    """At an offset of the caller's buffer."""
    cache, updates = np.zeros((2, 4, 6), np.int8), numbers((2, 1, 6))
    counts = np.full(12, 7, np.uint32)
    counts[4:8] = 0
    mem = pyopencl.Buffer(queue.context, pyopencl.mem_flags.READ_WRITE, counts.nbytes)
    pyopencl.enqueue_copy(queue, mem, counts)
    clquant.quantize_scatter(cache, np.array([1, 9]), updates, 0.5, axis=1, report=(mem, 16), queue=queue)
    pyopencl.enqueue_copy(queue, counts, mem)
    assert list(counts) == [7] * 4 + [1, 0, 2, 0] + [7] * 4


def test_pyopencl_without_queue(queue, numbers):
    there = pyopencl.array.to_device(queue, numbers((4, 8))).with_queue(None)
    with pytest.raises(ValueError, match="has no queue"):
        clquant.quantize(there, 0.5)
    y = clquant.quantize(there, 0.5, queue=queue)
    assert y.queue == queue
    assert clquant.quantize(there.with_queue(queue), 0.5, queue=queue.int_ptr).queue == queue


def test_buffers(queue, numbers):
    """A tensor of a cl_mem, with an offset and strides, on a context of one's own; what is made is a tensor too."""
    x = numbers((5, 12))
    mem = pyopencl.Buffer(queue.context, pyopencl.mem_flags.READ_WRITE, x.nbytes)
    pyopencl.enqueue_copy(queue, mem, x)
    own = clquant.Context(queue.device, context=queue.context)
    tensor = clquant.Tensor(mem, "float32", (2, 6), (24, 2), 4, context=own)
    events = []
    y = clquant.quantize(tensor, 0.5, queue=queue, events=events)
    assert isinstance(y, clquant.Tensor)
    events[0].wait()
    np.testing.assert_array_equal(y.numpy(), reference.quantize(x.reshape(-1)[1:49].reshape(2, 24)[:, :12:2], 0.5))
    with pytest.raises(TypeError, match=r"mem is .mem.: it must be an OpenCL object"):
        clquant.Tensor("mem", "float32", (2, 6), context=own)


def test_host_arrays_on_a_queue(queue, numbers):
    """Arrays of the host's memory take the context of a queue that is given."""
    x = numbers((4, 6))
    np.testing.assert_array_equal(clquant.quantize(x, 0.5, queue=queue), reference.quantize(x, 0.5))
    with pytest.raises(ValueError, match="queue is an address: give its context too"):
        clquant.quantize(x, 0.5, queue=queue.int_ptr)


@pytest.mark.parametrize("shape", [(0, 6), (4, 0), (0,)])
def test_empty_arrays(queue, shape):
    """They have no buffer, and are arrays all the same, also of a plan and as outputs."""
    x, out = (pyopencl.array.zeros(queue, shape, dtype) for dtype in (np.float32, np.int8))
    assert clquant.quantize(x, np.float32(1)).shape == shape
    assert clquant.quantize(x, 1.0, out=out) is out
    plan = clquant.plan(clquant.quantize, x, 1.0)
    assert plan().shape == plan(y=out).shape == shape
    assert clquant.dequantize(out, 1.0).get().shape == shape


@pytest.mark.parametrize("dtype", ["int4", "int8", "float8_e4m3fn"])
def test_a_kernel_of_ones_own_reads_what_was_quantized(queue, rng, dtype):
    """By the device header, which is one file that the package has."""
    y = clquant.quantize(rng.normal(size=(4, 64)).astype(np.float32), 0.5, dtype=dtype)
    source = """
#include "clquant/clquant.clh"
kernel void values(global const uchar *q, global float *y)
{
    const ulong i = get_global_id(0);

    y[i] = clq_undo_divide(clq_load_NAME(q, i), 0.5f, CLQ_NO_ZERO_POINT);
}
"""
    program = pyopencl.Program(queue.context, source.replace("NAME", dtype)).build(["-I", clquant.include_dir()])
    q = pyopencl.array.to_device(queue, np.asarray(y).view(np.uint8))
    made = pyopencl.array.empty(queue, (4, 64), np.float32)
    program.values(queue, (256,), None, q.data, made.data)
    np.testing.assert_array_equal(made.get(), clquant.dequantize(y, 0.5))
