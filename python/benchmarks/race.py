# SPDX-License-Identifier: Apache-2.0
"""clquant beside another library: both do the same work in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

TURNS = 9


class Row(NamedTuple):
    """One kind of work: bytes a second, of clquant and of the other, and the median of the ratios of time."""

    name: str
    ours: float
    theirs: float
    ratio: float


def seconds(work: Callable[[], Any]) -> float:
    """Return how long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def race(name: str, moved: int, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Row:
    """Run both in turn, once before that counts; moved: bytes read once and written once."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(TURNS + 1)][1:]
    mine, other = (moved / statistics.median(column) for column in zip(*times, strict=True))
    return Row(name, mine, other, statistics.median(b / a for a, b in times))


def print_rows(head: str, other: str, rows: list[Row]) -> None:
    """Print the table: above 1 clquant is faster."""
    width = max(len(row.name) for row in rows)
    print(f"{head}\n{'':{width}} {'clquant':>8} {other:>8}  ratio")
    for row in rows:
        print(f"{row.name:{width}} {row.ours / 1e9:8.2f} {row.theirs / 1e9:8.2f} {row.ratio:6.2f}")
