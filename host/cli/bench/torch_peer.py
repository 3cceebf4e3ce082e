# SPDX-License-Identifier: Apache-2.0
# The other end of torch.c: an operator's work as users of PyTorch write it, on random data of its own.
#
# A line names a work and its sizes and is answered with "ready", or "none" where this PyTorch cannot do it; then
# each line "run" does it and is answered with the seconds that it took.
import sys
import time

# Of python3 -c the current directory is the first: whose torch.py lies there is not to be run.
if sys.path[0] == "":
    del sys.path[0]

import torch

SETS = 16  # of places, so that calls differ in them
TYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "int8": torch.int8}


def values(src, *shape):
    return torch.empty(*shape).uniform_(-8, 8).to(TYPES[src])


def quantize_per_tensor(src, dst, rows, columns):
    x = values(src, rows, columns)
    return lambda call: torch.quantize_per_tensor(x, 0.0625, 0, getattr(torch, dst))


def quantize_per_channel(src, dst, rows, columns):
    x = values(src, rows, columns)
    scales = torch.empty(columns).uniform_(0.03, 0.09).double()
    zero_points = torch.zeros(columns, dtype=torch.int64)
    return lambda call: torch.quantize_per_channel(x, scales, zero_points, 1, getattr(torch, dst))


def places(batches, length, entries, pairs):
    """Sets of (batch, start): no two of a set are the same, or the batches in order."""
    for _ in range(SETS):
        if pairs:
            place = torch.randperm(batches * length)[:entries]
            yield torch.div(place, length, rounding_mode="floor"), place % length
        else:
            yield torch.arange(entries), torch.randint(0, length, (entries,))


def scatter(src, batches, length, heads, columns, entries, pairs):
    updates = values(src, entries, heads, columns)
    scales = torch.empty(columns).uniform_(0.03, 0.09)
    cache = torch.full((batches, length, heads, columns), 1, dtype=torch.int8)
    sets = list(places(batches, length, entries, pairs))

    def run(call):
        q = torch.clamp(torch.round(updates.float() / scales), -128, 127).to(torch.int8)
        cache.index_put_(sets[call % SETS], q)

    return run


def append(src, batches, length, heads, columns, entries, pairs):
    updates = torch.randint(-100, 100, (entries, heads, columns)).to(TYPES[src])
    cache = torch.ones(batches, length, heads, columns, dtype=TYPES[src])
    sets = list(places(batches, length, entries, pairs))
    return lambda call: cache.index_put_(sets[call % SETS], updates)


def embedding_bag_4bit_prepack(src, rows, columns):
    x = values(src, rows, columns)
    return lambda call: torch.ops.quantized.embedding_bag_4bit_prepack(x)


def dynamic_scatter(src, bits, batches, length, heads, columns, entries, pairs):
    updates = values(src, entries, heads, columns)
    cache = torch.full((batches, length, heads, columns * bits // 8), 1, dtype=torch.uint8)
    cache_scale = torch.full((batches, length, heads), 1.0)
    cache_offset = torch.full((batches, length, heads), 1.0)
    sets = list(places(batches, length, entries, pairs))
    most = 2 ** (bits - 1) - 1

    def run(call):
        x = updates.float()
        high, low = x.amax(-1, keepdim=True), x.amin(-1, keepdim=True)
        scale = torch.clamp((high - low) / (2 * most + 1), min=1e-12)
        offset = most - high / scale
        q = torch.clamp(torch.round(x * (1 / scale) + offset), -most - 1, most).to(torch.int8)
        q = q.view(torch.uint8)
        if bits == 4:
            q = (q[..., 0::2] & 15) | (q[..., 1::2] << 4)
        index = sets[call % SETS]
        cache.index_put_(index, q)
        cache_scale.index_put_(index, scale.squeeze(-1))
        cache_offset.index_put_(index, -offset.squeeze(-1))

    return run


WORKS = (quantize_per_tensor, quantize_per_channel, scatter, append, embedding_bag_4bit_prepack, dynamic_scatter)


def prepare(calls, name, *arguments):
    work = {function.__name__: function for function in WORKS}[name]
    run = work(*(int(a) if a.isdigit() else a for a in arguments))
    run(0)
    return int(calls), run


def main():
    calls, run, first = 0, None, 0
    print("ready", flush=True)
    for line in sys.stdin:
        if line == "run\n":
            start = time.perf_counter()
            for call in range(first, first + calls):
                run(call)
            print(time.perf_counter() - start, flush=True)
            first += calls
            continue
        run = None  # what it holds goes before the next is made
        try:
            calls, run = prepare(*line.split())
            print("ready", flush=True)
        except Exception:
            print("none", flush=True)


main()
