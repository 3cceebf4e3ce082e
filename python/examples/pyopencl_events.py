# SPDX-License-Identifier: Apache-2.0
"""Kernels of one's own before and behind clquant, in pyopencl: ordered by events alone, on a queue that keeps no order."""

import sys

try:
    import pyopencl as cl
    import pyopencl.array
except ImportError:
    print("skipped: pyopencl is not installed (Debian: python3-pyopencl)")
    sys.exit(77)

import numpy as np

import clquant

BATCH, TOKENS, DIM = 4, 64, 128

KERNELS = """
kernel void make_keys(global float *keys, float step)
{
    size_t i = get_global_id(0);
    keys[i] = sin(0.01f * i + step);
}

kernel void sum_rows(global const char *cache, global const int *places, global int *sums)
{
    size_t batch = get_global_id(0);
    global const char *row = cache + (batch * %(TOKENS)d + places[batch]) * %(DIM)d;
    sums[batch] = 0;
    for (int i = 0; i < %(DIM)d; i++)
        sums[batch] += row[i];
}
"""


def main():
    """Make keys, quantize them into a cache and sum what was written: three kernels, enqueued before the first one may begin."""
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    program = cl.Program(context, KERNELS % {"TOKENS": TOKENS, "DIM": DIM}).build()
    keys = cl.array.zeros(queue, (BATCH, 1, DIM), np.float32)
    cache = cl.array.zeros(queue, (BATCH, TOKENS, DIM), np.int8)
    places = cl.array.to_device(queue, np.array([3, 0, 63, 17], np.int32))
    scales = cl.array.to_device(queue, np.float32([1 / 127]))
    sums = cl.array.zeros(queue, BATCH, np.int32)
    queue.finish()

    gate = cl.UserEvent(context)
    made = program.make_keys(queue, (BATCH * DIM,), None, keys.data, np.float32(0.5), wait_for=[gate])
    written = []
    clquant.quantize_scatter(cache, places, keys, scales, axis=1, wait_for=[made], events=written)
    summed = program.sum_rows(queue, (BATCH,), None, cache.data, places.data, sums.data, wait_for=written)
    gate.set_status(cl.command_execution_status.COMPLETE)
    summed.wait()

    rows = cache.get()[np.arange(BATCH), places.get()]
    expected = np.rint(keys.get()[:, 0] / np.float32(1 / 127)).astype(np.int8)
    print(f"on {queue.device.name}: sums {sums.get().tolist()}")
    return 0 if (rows == expected).all() and (sums.get() == rows.sum(1)).all() else 1


sys.exit(main())
