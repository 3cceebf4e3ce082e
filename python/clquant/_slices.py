# SPDX-License-Identifier: Apache-2.0
"""Slices of tensors: the shape, the strides and the first element of what an index names."""

from __future__ import annotations

import math
from typing import Any

from ._values import whole


def dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of rows that follow one another."""
    return tuple(math.prod(shape[place + 1 :]) for place in range(len(shape)))


def sliced(shape: tuple[int, ...], strides: tuple[int, ...], index: Any) -> tuple[tuple[int, ...], tuple[int, ...], int, bool]:
    """Return shape and strides of what an index names, the place of its first element, and whether it has the last axis.

    An index is a whole number, a slice or ``...``, or a tuple of these. Raises IndexError where there is no such element,
    TypeError for any other index, ValueError for a slice that goes backwards.
    """
    given = index if isinstance(index, tuple) else (index,)
    rest = next((place for place, each in enumerate(given) if each is Ellipsis), len(given))
    before, after = given[:rest], given[rest + 1 :]
    left = len(shape) - len(before) - len(after)
    if left < 0:
        raise IndexError(f"the index {index!r} has more than the {len(shape)} dimensions of the tensor")
    sizes, steps, start = [], [], 0
    each: Any = None
    for each, size, stride in zip((*before, *(slice(None),) * left, *after), shape, strides, strict=True):
        if isinstance(each, slice):
            first, end, step = each.indices(size)
            if step < 0:
                raise ValueError(f"the index {index!r} goes backwards: its step must be above 0")
            sizes.append(len(range(first, end, step)))
            steps.append(stride * step)
        else:
            first = whole("an index", each, "a whole number, a slice or ...")
            if not -size <= first < size:
                raise IndexError(f"the index {first} is out of range: the dimension has {size}")
            first %= size
        start += first * stride
    return tuple(sizes), tuple(steps), 0 if 0 in sizes else start, not shape or isinstance(each, slice)
