#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast large arrays of numpy are, beside the library's bare function on buffers of its own.

The argument is the MiB of float16, 256 where left out. All do the same work in turn. A row has the rates, bytes
read once and written once, and the medians of the ratios of time.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import clquant

TURNS = 21


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    x = np.random.default_rng(1).normal(0, 20, (size * 512, 1024)).astype(np.float16)
    scales = np.linspace(0.25, 2, 1024).astype(np.float32)
    print(f"{size} MiB, GB/s:{'':20} {'a plan':>8} {'a call':>8} {'library':>8}  plan and call to the library")
    for dtype in ("int8", "int4"):
        made = clquant.quantize(x, scales, dtype=dtype)
        plan = clquant.plan(clquant.quantize, x, scales, out=clquant.view(made, dtype))
        there = clquant.to_device(x), clquant.to_device(scales), clquant.to_device(made, dtype)
        call: Any = clquant.quantize(*there[:2], out=there[2], verb=lambda call: call)

        def bare(call: Any = call) -> None:
            call.operator.run(call.context.handle, call.queue, ctypes.addressof(call.desc), 0, None, None)
            call.context.finish()

        def again(made: Any = made, dtype: str = dtype) -> None:
            clquant.quantize(x, scales, out=clquant.view(made, dtype))

        bare()
        times = [(_seconds(plan), _seconds(again), _seconds(bare)) for _ in range(TURNS)]
        moved = (x.nbytes + made.nbytes) / 1e9
        rates = [moved / statistics.median(column) for column in zip(*times, strict=True)]
        ratios = [statistics.median(row[2] / row[i] for row in times) for i in (0, 1)]
        print(f"quantize float16 to {dtype:16} {rates[0]:8.1f} {rates[1]:8.1f} {rates[2]:8.1f}  {ratios[0]:.2f} {ratios[1]:.2f}")


if __name__ == "__main__":
    main()
