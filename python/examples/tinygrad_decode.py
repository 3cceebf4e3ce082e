# SPDX-License-Identifier: Apache-2.0
"""A decode loop in tinygrad's OpenCL backend, with an int8 and an int4 cache of clquant beside tinygrad's float one.

Both work on the same context, queue and buffers: nothing is copied, and the queue's order is all the waiting there is.
"""

import ctypes
import math
import os
import sys

os.environ["DEV"] = "CL"
try:
    from tinygrad import Device, Tensor, dtypes
except ImportError:
    print("skipped: tinygrad is not installed (pip install tinygrad)")
    sys.exit(77)

import clquant

BATCH, HEADS, TOKENS, DIM = 2, 4, 32, 64
STEPS = 12
PROMPTS = (0, 5)  # how many tokens each sequence has before

tinygrad = Device["CL"]


def address(pointer):
    """Return what a pointer of tinygrad's bindings points to."""
    return ctypes.cast(pointer, ctypes.c_void_p).value


QUEUE = address(tinygrad.queue)
CONTEXT = clquant.Context(address(tinygrad.cl_dev), context=address(tinygrad.context))


def new(shape, dtype):
    """Make a tensor of tinygrad's with memory of its own, all zeros."""
    return Tensor.zeros(*shape, dtype=dtype).contiguous().realize()


class Buffer:
    """The cl_mem of a tensor of tinygrad's, which frees it when nobody holds the tensor."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.int_ptr = address(tensor.uop.base.buffer.ensure_allocated()._buf)


def seen(tensor, dtype=None):
    """See a tensor of tinygrad's as clquant does, once its elements are there and side by side."""
    names = {dtypes.float: "float32", dtypes.int: "int32", dtypes.char: "int8", dtypes.uchar: "uint8"}
    buffer = Buffer(tensor.contiguous().realize())
    return clquant.Tensor(buffer, dtype or names[tensor.dtype], tensor.shape, context=CONTEXT)


class Cache:
    """Keys or values, [batch, head, token, dim], with a scale, and in four bits an offset, for each token and head."""

    def __init__(self, dtype):
        self.symmetric = dtype == "int8"
        shape = (BATCH, HEADS, TOKENS, DIM)
        held = new(shape, dtypes.char) if self.symmetric else new((*shape[:-1], DIM // 2), dtypes.uchar)
        scales, offsets, self.floats = new(shape[:-1], dtypes.float), new(shape[:-1], dtypes.float), new(shape, dtypes.float)
        self.tensors = (seen(held, dtype), seen(scales), None if self.symmetric else seen(offsets))

    def write(self, places, updates):
        """Quantize the new rows, and write them where places say."""
        clquant.dynamic_quantize_scatter(*self.tensors, places, updates, symmetric=self.symmetric, queue=QUEUE)

    def read(self):
        """Bring all of it back to a tensor of tinygrad's."""
        held, scales, offsets = self.tensors
        clquant.dequantize(held, scales, offsets=offsets, mode="dynamic", out=seen(self.floats), queue=QUEUE)
        return self.floats


def attention(query, keys, values, known):
    """Attend to the tokens that are known."""
    scores = (query @ keys.transpose(2, 3)) / math.sqrt(DIM)
    return (known.where(scores, -math.inf).softmax() @ values).numpy()


def main():
    """Run the loop, and compare what attention gives with each cache."""
    Tensor.manual_seed(20)
    dtype_names = ("int8", "int4")
    floats = [new((BATCH, HEADS, TOKENS, DIM), dtypes.float) for _ in range(2)]
    caches = {name: [Cache(name), Cache(name)] for name in dtype_names}
    slots = Tensor.arange(TOKENS).reshape(1, 1, TOKENS, 1)
    worst = dict.fromkeys(dtype_names, 0.0)
    for step in range(STEPS):
        query, *rows = (Tensor.randn(BATCH, HEADS, 1, DIM).realize() for _ in range(3))
        places = Tensor([prompt + step for prompt in PROMPTS], dtype=dtypes.int).realize()
        here = places.reshape(BATCH, 1, 1, 1)
        for cache, row in zip(floats, rows, strict=True):
            cache.assign((slots == here).where(row, cache)).realize()
        known = ((slots <= here) & (slots >= Tensor(PROMPTS).reshape(BATCH, 1, 1, 1))).transpose(2, 3)
        right = attention(query, *floats, known)
        for name, pair in caches.items():
            for cache, row in zip(pair, rows, strict=True):
                cache.write(seen(places), seen(row))
            made = attention(query, *(cache.read() for cache in pair), known)
            worst[name] = max(worst[name], float(abs(made - right).max()))
    for name, error in worst.items():
        print(f"{name}: {STEPS} steps, the largest error of attention's output is {error:.4f}")
    return 0 if 0 < worst["int8"] < 0.05 < worst["int4"] < 0.5 else 1


sys.exit(main())
