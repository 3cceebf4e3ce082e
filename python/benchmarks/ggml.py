#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast block types are beside ggml's compiled reference, one thread each.

The argument is the MiB of float32, 1024 where left out. Both do the same rows in turn, to and from float32, and have to
make the same bytes. A row has the rates, bytes read once and written once, and the median of the ratios of time: above 1
clquant is faster. Needs the package pywhispercpp, which has ggml's library.
"""

from __future__ import annotations

import os
import sys
from functools import partial

os.environ |= {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1"}  # before the driver is opened

import numpy as np
from ggml_library import BLOCK_BYTES, BLOCK_VALUES, Array, Ggml
from race import Row, print_rows, race

import clquant

WIDTH = 1024


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
        found.append(race(f"to {name}", moved, quantize, partial(ggml.quantize, x, name, q)))
        found.append(race(f"from {name}", moved, dequantize, partial(ggml.dequantize, q, name, wide)))
    return found


def main() -> None:
    """Print the table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    x = np.random.default_rng(1).standard_normal((size * 256, WIDTH), np.float32)
    print_rows(f"{size} MiB of float32, GB/s, one thread:", "ggml", rows(x, Ggml()))


if __name__ == "__main__":
    main()
