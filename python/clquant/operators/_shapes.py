# SPDX-License-Identifier: Apache-2.0
"""Shapes of outputs that operators make themselves."""

from __future__ import annotations

import operator
from typing import Any

from .._values import whole


def place_of(axis: int | None, rank: int, default: int = -1) -> int:
    """Return which dimension an axis is."""
    given = default if axis is None else whole("axis", axis)
    place = given + rank if given < 0 else given
    if not 0 <= place < rank:
        raise ValueError(f"axis is {given}: it must be from {-rank} to {rank - 1}, for the tensor has rank {rank}")
    return place


def beside(out: Any, name: str, dtype: Any, default: Any, argument: str = "dtype") -> dict[str, tuple[str, Any]] | None:
    """Return what ``Operator.call`` is to compare: a type that is given beside an output, and is not the default."""
    return None if out is None or dtype is default or dtype == default else {name: (argument, dtype)}


def outputs(out: Any, *names: str) -> Any:
    """Return outputs that are given, or None. Raises where there are not as many as there are names."""
    if out is None:
        return None
    rule = f"it must be ({', '.join(names)})"
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"out is of {type(out).__name__}: {rule}")
    if len(out) != len(names):
        raise ValueError(f"out has {len(out)} arrays: {rule}")
    return out


def rule_block(rule: str, block: int) -> int:
    """Return how many indices share a scale that a rule finds, where that is not said."""
    return block if rule == "range" else block or {"nvfp4": 16}.get(rule, 32)


def with_blocks(shape: tuple[int, ...], place: int, block: int, before: int = 0) -> tuple[int, ...]:
    """Return a shape of which so many indices of one dimension have become one, and so many of the dimension in front of it."""
    made = (*shape[:place], -(-shape[place] // operator.index(block)), *shape[place + 1 :])
    return with_blocks(made, place - 1, before) if before > 0 and place > 0 else made


def without(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    """Return a shape less one dimension."""
    return (*shape[:place], *shape[place + 1 :])


def along(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    """Return the shape of one value for each index of a dimension, which says by itself which one that is."""
    after = len(shape) - 1 - place
    return (*(1,) * place, shape[place], *(1,) * after) if after else (shape[place],)
