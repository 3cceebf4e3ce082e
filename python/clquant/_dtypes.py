# SPDX-License-Identifier: Apache-2.0
"""The element types: a row for each that the library has, with DLPack's numbers and the numpy type that holds it."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._keywords import near
from ._library import function
from ._structs import DLDataType


@dataclass(frozen=True)
class DType:
    """A type of elements, as clquant/tensor.h has it."""

    name: str
    code: int
    bits: int
    lanes: int
    spread: bool = False  # numpy holds an element a byte, and the library gets them packed

    @property
    def element(self) -> str:
        """The name of the type of the elements, whatever holds them."""
        return self.name.removesuffix("_words").removesuffix("_elements")

    @property
    def is_signed(self) -> bool:
        """Whether the elements are whole numbers, and some are below zero."""
        return self.code == _INT

    @property
    def is_unsigned(self) -> bool:
        """Whether the elements are whole numbers, and none is below zero."""
        return self.code == _UINT

    @property
    def is_block(self) -> bool:
        """Whether an element is a block that carries its scale. Arrays hold its bytes, and count them."""
        return self.code >= _BLOCKS

    @property
    def is_in_numpy(self) -> bool:
        """Whether numpy has the type itself."""
        return self.bits >= 8 and self.code in (_INT, _UINT, _FLOAT, _COMPLEX, _BOOL)

    @functools.cached_property
    def storage(self) -> str:
        """The numpy type of the same size that every numpy has."""
        if self.is_in_numpy:
            return self.name
        if self.spread and self.is_signed:
            return "int8"
        return "int32" if self.element_bytes == 4 else f"uint{8 * self.element_bytes}"

    @functools.cached_property
    def element_bytes(self) -> int:
        """Bytes of what shapes and strides count."""
        return 1 if self.is_block else self.bits * self.lanes // 8

    @functools.cached_property
    def struct(self) -> DLDataType:
        """DLPack's description."""
        return DLDataType(self.code, self.bits, self.lanes)

    @functools.cached_property
    def numpy(self) -> np.dtype[Any]:
        """The numpy type of new arrays: ml_dtypes' where that is installed, else one that holds the bytes."""
        if self.is_in_numpy or (self.lanes > 1 and not self.spread):
            return np.dtype(self.storage)
        return np.dtype(getattr(_ml_dtypes(), self.element, self.storage))

    @functools.cached_property
    def is_told(self) -> bool:
        """Whether numpy's type of new arrays says what the elements are."""
        return self.spread or name_in_numpy(self.numpy) == self.name

    def stored_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of what holds so many elements: bytes and words that elements share shorten the last dimension."""
        if self.lanes == 1 or self.spread:
            return shape
        held = _BLOCK_VALUES if self.is_block else self.lanes
        if not shape or shape[-1] % held:
            raise ValueError(f"the shape {shape} does not fit {self.name}: {held} must divide the last dimension")
        return (*shape[:-1], shape[-1] // held * (self.lanes if self.is_block else 1))

    def element_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape in elements of what has this shape in memory."""
        if self.lanes == 1 or not shape:
            return shape
        if self.is_block:
            return (*shape[:-1], shape[-1] // self.lanes * _BLOCK_VALUES)
        return (*shape[:-1], shape[-1] * self.lanes)

    def layout(self, shape: tuple[int, ...], strides: tuple[int, ...] | None) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        """Return shape and strides as the library counts them: of blocks' bytes by blocks."""
        if not self.is_block or not shape:
            return shape, strides
        size = self.lanes
        if shape[-1] % size:
            raise ValueError(f"the shape {shape} does not fit {self.name}: the last dimension must be a multiple of {size} bytes")
        blocks = (*shape[:-1], shape[-1] // size)
        if strides is None:
            return blocks, None
        along = shape[-1] <= 1 or strides[-1] == 1
        steps = [stride for stride, length in zip(strides[:-1], shape[:-1], strict=True) if length != 1]
        if not along or any(stride % size for stride in steps):
            raise ValueError(
                f"the strides {strides} do not fit {self.name}: the last must be 1 and the others multiples of {size} bytes"
            )
        return blocks, (*(stride // size for stride in strides[:-1]), 1)


@functools.cache
def _ml_dtypes() -> Any:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes


_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL, _BLOCKS = 0, 1, 2, 4, 5, 6, 0x80
_BLOCK_VALUES = 32
_MOST_BLOCK_BYTES = 64
_name_in_c = function("clq_dtype_name", ctypes.c_char_p, DLDataType)


def _rows() -> Iterator[DType]:
    """Make the rows of all types that the library has a name for, floats first."""
    for code in (_FLOAT, _BFLOAT, *(code for code in range(_BLOCKS) if code not in (_FLOAT, _BFLOAT))):
        for bits in (64, 32, 16, 8, 4, 2):
            found = _name_in_c(DLDataType(code, bits, 1))
            if found is not None:
                name = found.decode()
                yield DType(name, code, bits, max(8 // bits, 1))
                if bits < 8:
                    yield DType(f"{name}_words", code, bits, 32 // bits)
                    yield DType(f"{name}_elements", code, bits, 8 // bits, spread=True)


def _blocks() -> Iterator[DType]:
    """Make the rows of the types of blocks, whose codes follow one another, with the bytes of a block as lanes."""
    for code in range(_BLOCKS, 256):
        rows = ((lanes, _name_in_c(DLDataType(code, 8, lanes))) for lanes in range(_MOST_BLOCK_BYTES))
        found = next(((lanes, name) for lanes, name in rows if name is not None), None)
        if found is None:
            return
        yield DType(found[1].decode(), code, 8, found[0])


BY_NAME = {row.name: row for row in (*_rows(), *_blocks())}
_BY_CODE = {(row.code, row.bits, row.lanes): row for row in BY_NAME.values() if not row.spread}
# ml_dtypes' own types of less than a byte have an element a byte; the names alone mean packed ones.
_OF_ARRAYS = {row.element: row.name for row in BY_NAME.values() if row.spread}

# Types that no argument takes: the library's sentence says which ones it takes.
_OTHERS = {
    row.name: row
    for row in (
        DType("int16", _INT, 16, 1),
        *(DType(f"uint{bits}", _UINT, bits, 1) for bits in (16, 32, 64)),
        *(DType(f"complex{bits}", _COMPLEX, bits, 1) for bits in (64, 128)),
        DType("float64", _FLOAT, 64, 1),
        DType("bool", _BOOL, 8, 1),
    )
}
_OTHERS_BY_CODE = {(row.code, row.bits, row.lanes): row.name for row in _OTHERS.values()}


# What others call types, and of those that are not here the nearest one.
_ELSEWHERE = {
    other: name
    for name, others in {
        "float32": "float f32 fp32",
        "float16": "half f16 fp16",
        "bfloat16": "bf16",
        "int8": "i8 s8 qint8 char",
        "uint8": "u8 quint8 byte",
        "int32": "i32 qint32",
        "int4": "i4 s4",
        "uint4": "u4 quint4x2",
        "float8_e4m3fn": "fp8 float8 e4m3 e4m3fn fp8_e4m3 fp8_e4m3fn float8_e4m3 f8_e4m3",
        "float8_e5m2": "e5m2 fp8_e5m2 f8_e5m2",
        "float8_e8m0fnu": "e8m0 fp8_e8m0 float8_e8m0",
        "float4_e2m1fn": "fp4 float4 e2m1 fp4_e2m1 float4_e2m1 float4_e2m1fn_x2",
        "float4_e2m1fn with scale_rule='mx_floor'": "mxfp4",
        "float4_e2m1fn with scale_rule='nvfp4'": "nvfp4",
        "float8_e4m3fn with scale_rule='mx_floor'": "mxfp8",
        "iq4_nl": "nf4 iq4 iq4_xs",
        "q4_0": "q2_k q3_k q4",
        "q4_1": "q4_k q4_k_s q4_k_m",
        "q5_1": "q5 q5_k q5_k_s q5_k_m",
        "q8_0": "q6_k q8 q8_k q8_1",
    }.items()
    for other in others.split()
}


def _holders(of: DType) -> set[str]:
    """Return the types of numpy that hold the bytes of another type, so that a view may say what they are."""
    size = 8 * of.element_bytes
    if of.is_in_numpy:
        return {of.name}
    if of.spread:
        return {of.name, f"void{size}"}
    return {of.name, f"uint{size}", f"int{size}", f"void{size}", *(["float16"] if size == 16 else [])}


def dtype_of(given: Any, argument: str = "dtype") -> DType:
    """Find the row of a name, or of a type of numpy, ml_dtypes or torch."""
    row = BY_NAME.get(given) if isinstance(given, str) else None
    return row if row is not None else _look_up(given, argument)


def carries_scales(array: Any) -> bool:
    """Say whether an array or a tensor is known to hold blocks that carry their scales."""
    kind = getattr(array, "dtype", None)
    name = getattr(array, "element_type", None) or (
        name_in_numpy(kind) if isinstance(kind, np.dtype) else getattr(kind, "name", "")
    )
    return name in BY_NAME and BY_NAME[name].is_block


def type_name(given: Any) -> str:
    """Return the name of a type of numpy, ml_dtypes or torch: "float16"."""
    text = str(given)
    if text.startswith("torch."):
        return text.removeprefix("torch.")
    try:
        return str(np.dtype(given).name)
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
        names = [row.name for row in _BY_CODE.values()]
        raise ValueError(f"{argument} is {name}: it must be one of {', '.join(names)}{near(name, names, _ELSEWHERE)}")
    return row


@functools.cache
def name_in_numpy(of: np.dtype[Any]) -> str:
    """Return what the rows call the type of an array, or, where they have no such type, what numpy does."""
    if of.names is not None and len(of.names) == 1:
        row = BY_NAME.get(of.names[0])
        if row is not None and of == in_files(row.name):
            return row.name
    return _OF_ARRAYS.get(of.name, of.name) if of.isnative else str(of)


def in_files(name: str) -> np.dtype[Any]:
    """Return the type that numpy's files keep the elements of a type as: a record of one member, which says what it is."""
    return np.dtype([(name, BY_NAME[name].storage)])


# Asked once for each, for numpy imports something to say a name, which fails at the end of the process.
for _row in (*BY_NAME.values(), *_OTHERS.values()):
    name_in_numpy(np.dtype(_row.storage))


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
        if row is None and held.startswith("void"):
            raise ValueError(
                f"an array has elements of {held}, as types that numpy does not have come from its files: "
                f"say what they are, clquant.view(…, {'bfloat16' if held == 'void16' else 'float8_e4m3fn'!r})"
            )
        if row is None:
            raise ValueError(f"an array has elements of {held}: they must be numbers in the order of this machine's bytes")
        return row
    if isinstance(wanted, DType) and wanted is _OTHERS.get(held):  # made like another: the library says what it takes
        return wanted
    other = dtype_of(wanted)
    if row is not None and row.spread and row.element == other.element:
        return row
    for name in (other.name, f"{other.name}_words"):  # "int4" of words is "int4_words"
        if name in BY_NAME and held in _holders(BY_NAME[name]):
            return BY_NAME[name]
    holders = " or ".join(sorted(_holders(other) - {other.name}) or [other.name])
    raise ValueError(f"an array of {held} does not hold {other.name}: it must be of {holders}")
