# SPDX-License-Identifier: Apache-2.0
"""The element types: a row for each, with DLPack's numbers and the numpy type that holds it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._structs import DLDataType


@dataclass(frozen=True)
class DType:
    """A type of elements, as clquant/tensor.h has it."""

    name: str
    code: int
    bits: int
    lanes: int
    storage: str  # the numpy type of the same size that every numpy has
    own: str = ""  # its own name in ml_dtypes
    spread: bool = False  # numpy holds an element a byte, and the library gets them packed

    @property
    def element(self) -> str:
        """The name of the type of the elements, whatever holds them."""
        return self.name.removesuffix("_words").removesuffix("_elements")

    @functools.cached_property
    def element_bytes(self) -> int:
        """Bytes of what shapes and strides count."""
        return self.bits * self.lanes // 8

    @functools.cached_property
    def struct(self) -> DLDataType:
        """DLPack's description."""
        return DLDataType(self.code, self.bits, self.lanes)

    @functools.cached_property
    def numpy(self) -> np.dtype[Any]:
        """The numpy type of new arrays: ml_dtypes' where that is installed, else one that holds the bytes."""
        return np.dtype(getattr(_ml_dtypes(), self.own, self.storage) if self.own else self.storage)

    @functools.cached_property
    def is_told(self) -> bool:
        """Whether numpy's type of new arrays says what the elements are."""
        return self.spread or name_in_numpy(self.numpy) == self.name

    def stored_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of what holds so many elements: bytes and words of four bits shorten the last dimension."""
        if self.lanes == 1 or self.spread:
            return shape
        if not shape or shape[-1] % self.lanes:
            raise ValueError(f"the shape {shape} does not fit {self.name}: {self.lanes} must divide the last dimension")
        return (*shape[:-1], shape[-1] // self.lanes)

    def element_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape in elements of what has this shape in memory."""
        return shape if self.lanes == 1 or not shape else (*shape[:-1], shape[-1] * self.lanes)


@functools.cache
def _ml_dtypes() -> Any:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes


_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL, _E4M3FN, _E5M2 = 0, 1, 2, 4, 5, 6, 10, 12

_ROWS = (
    DType("float32", _FLOAT, 32, 1, "float32"),
    DType("float16", _FLOAT, 16, 1, "float16"),
    DType("bfloat16", _BFLOAT, 16, 1, "uint16", "bfloat16"),
    DType("int8", _INT, 8, 1, "int8"),
    DType("uint8", _UINT, 8, 1, "uint8"),
    DType("int32", _INT, 32, 1, "int32"),
    DType("int64", _INT, 64, 1, "int64"),
    DType("float8_e4m3fn", _E4M3FN, 8, 1, "uint8", "float8_e4m3fn"),
    DType("float8_e5m2", _E5M2, 8, 1, "uint8", "float8_e5m2"),
    DType("int4", _INT, 4, 2, "uint8"),
    DType("int4_words", _INT, 4, 8, "int32"),
    DType("int4_elements", _INT, 4, 2, "int8", "int4", spread=True),
    DType("uint4", _UINT, 4, 2, "uint8"),
    DType("uint4_words", _UINT, 4, 8, "int32"),
    DType("uint4_elements", _UINT, 4, 2, "uint8", "uint4", spread=True),
)
BY_NAME = {row.name: row for row in _ROWS}
_BY_CODE = {(row.code, row.bits, row.lanes): row for row in _ROWS if not row.spread}
# ml_dtypes' own types of four bits have an element a byte; the names alone mean packed ones.
_OF_ARRAYS = {"int4": "int4_elements", "uint4": "uint4_elements"}

# Types that no argument takes: the library's sentence says which ones it takes.
_OTHERS = {
    row.name: row
    for row in (
        *(DType(f"int{bits}", _INT, bits, 1, f"int{bits}") for bits in (16,)),
        *(DType(f"uint{bits}", _UINT, bits, 1, f"uint{bits}") for bits in (16, 32, 64)),
        *(DType(f"complex{bits}", _COMPLEX, bits, 1, f"complex{bits}") for bits in (64, 128)),
        DType("float64", _FLOAT, 64, 1, "float64"),
        DType("bool", _BOOL, 8, 1, "bool"),
    )
}
_OTHERS_BY_CODE = {(row.code, row.bits, row.lanes): row.name for row in _OTHERS.values()}

# What holds the bytes of another type, so that a view may say what they are.
_CONTAINERS = {
    "bfloat16": {"uint16", "int16", "float16"},
    "float8_e4m3fn": {"uint8", "int8"},
    "float8_e5m2": {"uint8", "int8"},
    "int4": {"uint8", "int8"},
    "uint4": {"uint8", "int8"},
    "int4_words": {"int32", "uint32"},
    "uint4_words": {"int32", "uint32"},
}
# "int4" of words is "int4_words".
_OF_WORDS = {"int4": "int4_words", "uint4": "uint4_words"}


def dtype_of(given: Any, argument: str = "dtype") -> DType:
    """Find the row of a name, or of a type of numpy, ml_dtypes or torch."""
    row = BY_NAME.get(given) if isinstance(given, str) else None
    return row if row is not None else _look_up(given, argument)


def type_name(given: Any) -> str:
    """Return the name of a type of numpy, ml_dtypes or torch: "float16"."""
    text = str(given)
    if text.startswith("torch."):
        return text.removeprefix("torch.")
    try:
        return np.dtype(given).name
    except TypeError:
        return text


def _look_up(given: Any, argument: str) -> DType:
    if isinstance(given, DType):
        return given
    if given is None:  # numpy's float64
        raise TypeError(f"{argument} is None: it must be a type of elements")
    name = type_name(given)
    row = BY_NAME.get(name if isinstance(given, str) else _OF_ARRAYS.get(name, name))
    if row is None:
        names = [row.name for row in _ROWS if not row.spread]
        raise ValueError(f"{argument} is {name}: it must be one of {', '.join(names)}")
    return row


@functools.cache
def name_in_numpy(of: np.dtype[Any]) -> str:
    """Return what the rows call the type of an array, or, where they have no such type, what numpy does."""
    return _OF_ARRAYS.get(of.name, of.name) if of.isnative else str(of)


def name_in_dlpack(of: DLDataType) -> str:
    """Return what the rows call a type of DLPack, or what numpy calls such integers."""
    numbers = (of.code, of.bits, of.lanes)
    row = _BY_CODE.get(numbers)
    if row is not None:
        return row.name
    return _OTHERS_BY_CODE.get(numbers, f"DLPack's type {numbers}")


def moved_sentence(name: str) -> str:
    """Say that axes of an array were moved, so that elements which share a byte are not those of its last axis."""
    return f"axes of an array of {name} were moved: its last axis must be the one whose elements share a byte or word"


def seen_as(held: str, wanted: Any) -> DType:
    """Return the row of an array's elements, by their name, or of what they are to be seen as."""
    row = BY_NAME.get(held)
    if wanted is None:
        row = row or _OTHERS.get(held)
        if row is None:
            raise ValueError(f"an array has elements of {held}: they must be numbers in the order of this machine's bytes")
        return row
    other = dtype_of(wanted)
    if row is not None and row.spread and row.element == other.element:
        return row
    for name in (other.name, _OF_WORDS.get(other.name)):
        if name is not None and (held == name or held in _CONTAINERS.get(name, ())):
            return BY_NAME[name]
    holders = " or ".join(sorted(_CONTAINERS.get(other.name, {other.name})))
    raise ValueError(f"an array of {held} does not hold {other.name}: it must be of {holders}")
