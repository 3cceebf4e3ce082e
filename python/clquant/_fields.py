# SPDX-License-Identifier: Apache-2.0
"""The kinds of fields that a descriptor has: how each lies in the struct, and how an argument becomes its value."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ._context import choice
from ._dtypes import dtype_of
from ._opencl import handle_of
from ._sentences import learn
from ._structs import DLDataType, OptionRow
from ._values import is_truth, whole

_AXIS_FIRST = -(2**31)

Members = list[tuple[str, Any]]


@dataclass(frozen=True)
class Input:
    """A tensor that is read. ``optional``: None is no tensor. ``floats``: numbers for it are floats, whole ones too."""

    name: str
    optional: bool = False
    floats: bool = False
    unset = None

    def members(self) -> Members:
        """Return the members of the struct."""
        return [(self.name, ctypes.c_void_p)]


@dataclass(frozen=True)
class Output(Input):
    """A tensor that is written."""


@dataclass(frozen=True)
class Buffer:
    """A buffer that is no tensor, such as a report, with its offset: an object, or a pair of it and bytes."""

    name: str
    unset = None

    def members(self) -> Members:
        """Return the members of the struct."""
        return [(self.name, ctypes.c_void_p), (f"{self.name}_offset_bytes", ctypes.c_uint64)]

    def values(self, given: Any) -> tuple[Any, ...]:
        """Return the members' values."""
        if given is None:
            return (None, 0)
        if isinstance(given, tuple) and len(given) != 2:
            raise ValueError(f"{self.name} is {given!r}: it must be a buffer, or a pair of one and an offset in bytes")
        buffer, offset = given if isinstance(given, tuple) else (given, 0)
        offset = whole(f"the offset of {self.name}", offset)
        if offset < 0:
            raise ValueError(f"{self.name} has an offset of {offset} bytes: it must not be negative")
        if offset >= 2**64:
            raise ValueError(f"{self.name} has an offset of {offset} bytes: it must fit into 64 bits")
        return (handle_of(buffer, self.name), offset)


@dataclass(frozen=True)
class Option:
    """A number. In the struct zero means default."""

    name: str
    kind: Any = ctypes.c_uint32
    unset: Any = 0

    def members(self) -> Members:
        """Return the members of the struct."""
        return [(self.name, self.kind)]

    def value(self, given: Any) -> Any:
        """Return the member's value."""
        rule = "a whole number from 0 to 2^32-1"
        number = whole(self.name, given, rule)
        if 0 <= number < 2**32:
            return number
        raise ValueError(f"{self.name} is {given!r}: it must be {rule}")


@dataclass(frozen=True)
class Flag(Option):
    """True or False."""

    unset: Any = False

    def value(self, given: Any) -> Any:
        """Return the member's value."""
        if is_truth(given):
            return bool(given)
        raise ValueError(f"{self.name} is {given!r}: it must be True or False")


@dataclass(frozen=True)
class Real(Option):
    """A float."""

    kind: Any = ctypes.c_float
    unset: Any = 0.0

    def value(self, given: Any) -> Any:
        """Return the member's value."""
        try:
            if hasattr(given, "__float__"):  # a text has none
                return float(given)
        except (TypeError, ValueError):
            pass
        raise TypeError(f"{self.name} is {given!r}: it must be a number")


class Choice:
    """One of several words, whose numbers are their places."""

    def __init__(self, name: str, *words: str) -> None:
        self.name = name
        self.words = words
        self.unset = words[0]
        self._numbers = {word: number for number, word in enumerate(words)}

    def members(self) -> Members:
        """Return the members of the struct."""
        return [(self.name, ctypes.c_uint32)]

    def value(self, given: Any) -> Any:
        """Return the member's value."""
        return choice(self.name, given, self._numbers)


@dataclass(frozen=True)
class Axis(Option):
    """An axis as Python counts it: 0 is the first. In the struct 0 means default, and so does None here."""

    kind: Any = ctypes.c_int32
    unset: Any = None

    def value(self, given: Any) -> Any:
        """Return the member's value."""
        if given is None:
            return 0
        axis = whole(self.name, given, "a whole number, or None")
        if not -(2**31) < axis < 2**31:
            raise ValueError(f"{self.name} is {axis}: it must fit into 32 bits")
        return axis or _AXIS_FIRST


@dataclass(frozen=True)
class ElementType(Option):
    """A type of elements."""

    kind: Any = DLDataType

    def value(self, given: Any) -> Any:
        """Return the member's value."""
        return dtype_of(given).struct


@dataclass(frozen=True)
class Reserved:
    """Zeros, for what comes."""

    name: str
    size_bytes: int

    def members(self) -> Members:
        """Return the members of the struct."""
        words = ctypes.c_uint64 * (self.size_bytes // 8)
        return [(self.name, words if self.size_bytes % 8 == 0 else ctypes.c_uint32)]


# By the kinds of clquant/options.h.
_KINDS = {4: Flag, 5: Option, 6: Option, 8: Real, 9: Axis, 10: ElementType}


def field_of(row: OptionRow, floats: Collection[str]) -> Any:
    """Return the field of a row. ``floats``: inputs for which whole numbers are floats."""
    name = row.name.decode()
    if row.kind in (1, 2):
        return (Input if row.kind == 1 else Output)(name, bool(row.optional), name in floats)
    if row.kind == 3:
        return Buffer(name)
    if row.kind == 7:
        words = {word.name.decode(): word.word.decode() for word in itertools.takewhile(lambda word: word.word, row.words)}
        learn(name, words)
        return Choice(name, *words.values())
    if row.kind == 4:
        learn(name, {})
    return Reserved(name, row.size_bytes) if row.kind == 11 else _KINDS[row.kind](name)
