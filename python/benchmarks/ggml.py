#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast block types are beside ggml's compiled reference, one thread each.

The argument is the MiB of float32, 1024 where left out. Both do the same rows in turn, to and from float32, and have to
make the same bytes. A row has the rates, bytes read once and written once, and the median of the ratios of time: above 1
clquant is faster. Needs the package pywhispercpp, which has ggml's library.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

os.environ |= {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1"}  # before the driver is opened

import numpy as np
from ggml_library import BLOCK_BYTES, BLOCK_VALUES, Array, Ggml

import clquant

WIDTH = 1024
TURNS = 9


class Row(NamedTuple):
    """One way of a type: bytes a second, of clquant and of ggml, and the ratio."""

    name: str
    ours: float
    theirs: float
    ratio: float


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _row(name: str, moved: int, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Row:
    times = [(_seconds(ours), _seconds(theirs)) for _ in range(TURNS)]
    mine, other = (moved / statistics.median(column) for column in zip(*times, strict=True))
    return Row(name, mine, other, statistics.median(b / a for a, b in times))


def _same(name: str, ours: Array, theirs: Array) -> None:
    """Make sure of it, before and without being timed."""
    differ = np.count_nonzero(ours.view(np.uint8) != theirs.view(np.uint8))
    if differ:
        raise SystemExit(f"{name}: {differ} bytes differ from ggml's")


def rows(x: Array, ggml: Ggml) -> list[Row]:
    """Measure each type both ways."""
    found = []
    for name, size in BLOCK_BYTES.items():
        held = np.zeros((len(x), WIDTH // BLOCK_VALUES * size), np.uint8)
        q, back, wide = np.zeros_like(held), np.zeros_like(x), np.zeros_like(x)
        there = clquant.view(held, name)
        quantize = clquant.plan(clquant.dynamic_quantize, x, out=(there, None, None))
        dequantize = clquant.plan(clquant.dequantize, there, out=back)
        quantize()
        ggml.quantize(x, name, q)
        _same(f"to {name}", held, q)
        dequantize()
        ggml.dequantize(q, name, wide)
        _same(f"from {name}", back, wide)
        moved = x.nbytes + held.nbytes
        found.append(_row(f"to {name}", moved, quantize, partial(ggml.quantize, x, name, q)))
        found.append(_row(f"from {name}", moved, dequantize, partial(ggml.dequantize, q, name, wide)))
    return found


def main() -> None:
    """Print the table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    x = np.random.default_rng(1).standard_normal((size * 256, WIDTH), np.float32)
    print(f"{size} MiB of float32, GB/s, one thread:")
    print(f"{'':12} {'clquant':>8} {'ggml':>8}  ratio")
    for row in rows(x, Ggml()):
        print(f"{row.name:12} {row.ours / 1e9:8.2f} {row.theirs / 1e9:8.2f} {row.ratio:6.2f}")


if __name__ == "__main__":
    main()
