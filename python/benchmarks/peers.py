#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast clquant is beside PyTorch and oneDNN, on the CPU.

The argument is the MiB of input, 256 where left out. A row has the rates, bytes read once and written once, and the median
of the ratios of time: above 1 clquant is faster. PyTorch's rows are what its users write for the same work: its own
functions where it has them, and else round, clamp and index_put_. oneDNN's are a reorder, which only multiplies. What is
not installed is left out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # or their threads spin on while clquant's run

import numpy as np
from onednn_library import Array, Reorder
from race import Row, print_rows, race

import clquant

COLUMNS, HEADS, DIM = 8192, 8, 128
SETS = 16  # of places, so that calls differ in them


def _floats(*shape: int) -> Array:
    return np.random.default_rng(1).uniform(-8, 8, shape).astype(np.float32)


def _quantized(x: Array, scales: Array, mode: Any) -> tuple[int, Callable[[], Any]]:
    y = np.zeros(x.shape, np.int8)
    return x.nbytes + y.nbytes, clquant.plan(clquant.quantize, x, scales, mode=mode, out=y)


def of_onednn(size: int) -> Iterator[Row]:
    """Quantize by one scale, and by one for each column."""
    x = _floats(size * 32, COLUMNS)
    for name, scales in (("per tensor", _floats(1) ** 2), ("per column", _floats(COLUMNS) ** 2)):
        moved, ours = _quantized(x, scales, "multiply")
        yield race(f"onednn: float32 to int8, {name}", moved, ours, Reorder(x, scales, np.zeros(x.shape, np.int8)))


def of_torch(size: int, torch: Any) -> Iterator[Row]:
    """Quantize by PyTorch's own functions."""
    x = _floats(size * 32, COLUMNS)
    there, zeros = torch.from_numpy(x), torch.zeros(COLUMNS, dtype=torch.int64)
    scales = np.linspace(0.03, 0.09, COLUMNS, dtype=np.float32)
    wide = torch.from_numpy(scales).double()
    moved, ours = _quantized(x, scales[:1], "divide")
    one = float(wide[0])
    yield race("torch: quantize_per_tensor", moved, ours, lambda: torch.quantize_per_tensor(there, one, 0, torch.qint8))
    moved, ours = _quantized(x, scales, "divide")
    yield race("torch: quantize_per_channel", moved, ours, lambda: torch.quantize_per_channel(there, wide, zeros, 1, torch.qint8))
    rows = x.reshape(-1, 1024)
    q, found, offsets = clquant.dynamic_quantize(rows, dtype="int4")
    plan = clquant.plan(clquant.dynamic_quantize, rows, out=(q, found, offsets))
    theirs = torch.from_numpy(rows)
    pack = torch.ops.quantized.embedding_bag_4bit_prepack
    moved = x.nbytes + q.nbytes + found.nbytes + offsets.nbytes
    yield race("torch: embedding_bag_4bit_prepack, rows of 1024", moved, plan, lambda: pack(theirs))


def _decode(torch: Any, batch: int) -> Iterator[tuple[str, int, Callable[[], Any], Callable[[], Any]]]:
    """Yield a step of decoding: the static and the dynamic cache, and rows as they are."""
    shape, updates = (batch, 4096, HEADS, DIM), _floats(batch, 1, HEADS, DIM).astype(np.float16)
    rng = np.random.default_rng(2)
    places = [rng.integers(0, shape[1], batch) for _ in range(SETS)]
    scales, x, each = np.linspace(0.03, 0.09, DIM, dtype=np.float32), torch.from_numpy(updates[:, 0]), torch.arange(batch)
    index = [(each, torch.from_numpy(at)) for at in places]
    cache, theirs, turn = np.zeros(shape, np.int8), torch.zeros(shape, dtype=torch.int8), count()

    def static() -> None:
        q = torch.clamp(torch.round(x.float() / torch.from_numpy(scales)), -128, 127).to(torch.int8)
        theirs.index_put_(index[next(turn) % SETS], q)

    plan = clquant.plan(clquant.quantize_scatter, cache, places[0], updates, scales, axis=1)
    yield "static to int8", updates.size * 3, lambda: plan(indices=places[next(turn) % SETS]), static

    ours = [np.zeros(shape, np.int8), np.zeros(shape[:3], np.float32), np.zeros(shape[:3], np.float32)]
    three = [torch.zeros_like(torch.from_numpy(array)) for array in ours]

    def dynamic() -> None:
        at = index[next(turn) % SETS]
        high, low = x.float().amax(-1, keepdim=True), x.float().amin(-1, keepdim=True)
        scale = torch.clamp((high - low) / 255, min=1e-12)
        offset = 127 - high / scale
        three[0].index_put_(at, torch.clamp(torch.round(x.float() / scale + offset), -128, 127).to(torch.int8))
        three[1].index_put_(at, scale.squeeze(-1))
        three[2].index_put_(at, -offset.squeeze(-1))

    found = clquant.plan(clquant.dynamic_quantize_scatter, *ours, places[0], updates, axis=1)
    yield "dynamic to int8", updates.size * 3, lambda: found(indices=places[next(turn) % SETS]), dynamic

    kept, wide = np.zeros(shape, np.float16), torch.zeros(shape, dtype=torch.float16)
    append = clquant.plan(clquant.move_rows, updates, kept, dst_indices=places[0], axis=1)

    def keep() -> None:
        wide.index_put_(index[next(turn) % SETS], x)

    yield "rows as they are", updates.size * 4, lambda: append(dst_indices=places[next(turn) % SETS]), keep


def of_decoding(torch: Any) -> Iterator[Row]:
    """Append to a cache, each call waited for."""
    for batch in (8, 64):
        for name, moved, ours, theirs in _decode(torch, batch):
            yield race(f"torch: index_put_, batch {batch}, {name}", moved, ours, theirs)


def rows(size: int) -> list[Row]:
    """Measure all that is there."""
    found = []
    try:
        found += of_onednn(size)
    except OSError as error:
        print(f"oneDNN is left out: {error}")
    try:
        import torch
    except ImportError:
        print("PyTorch is left out: it is not installed")
        return found
    return [*found, *of_torch(size, torch), *of_decoding(torch)]


def main() -> None:
    """Print the table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    found = rows(size)
    if not found:
        sys.exit("peers.py: neither PyTorch nor oneDNN 2 is installed")
    print_rows(f"{size} MiB of input, GB/s:", "they", found)


if __name__ == "__main__":
    main()
