# SPDX-License-Identifier: Apache-2.0
"""Numbers that are given: Python's, numpy's, and whatever is a whole number by itself; else a sentence with their name."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def is_truth(given: Any) -> bool:
    """Say whether this is True or False, Python's or numpy's."""
    return isinstance(given, (bool, np.bool_))


def whole(name: str, given: Any, rule: str = "a whole number") -> int:
    """Return a whole number as Python's. Raises TypeError for what is none, such as 4.0, None and True."""
    if given.__class__ is int:
        return int(given)
    try:
        if is_truth(given):
            raise TypeError
        return operator.index(given)
    except TypeError:
        raise TypeError(f"{name} is {given!r}: it must be {rule}") from None


def sizes_of(name: str, given: Any) -> tuple[int, ...]:
    """Return a shape or strides as a tuple of whole numbers; one number is a tuple of one."""
    rule = "a tuple of whole numbers"
    if not hasattr(given, "__iter__"):
        return (whole(name, given, rule),)
    try:
        return tuple(whole(name, size, rule) for size in given)
    except TypeError:
        raise TypeError(f"{name} is {given!r}: it must be {rule}") from None


def shape_of(name: str, given: Any) -> tuple[int, ...]:
    """Return a shape of something that is to be made."""
    made = sizes_of(name, given)
    if any(size < 0 for size in made):
        raise ValueError(f"{name} is {given!r}: no size may be negative")
    return made
