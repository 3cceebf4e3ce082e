# SPDX-License-Identifier: Apache-2.0
"""The words that arguments take, so that editors and type checkers know them."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from ._dtypes import DType


class TorchType(Protocol):
    """A type of torch, such as torch.float16, seen without torch."""

    @property
    def is_floating_point(self) -> bool:
        """As torch has it."""

    @property
    def is_complex(self) -> bool:
        """As torch has it."""


# numpy.int8, ml_dtypes.bfloat16, torch.float16, and the dtype of a Tensor.
_Object: TypeAlias = type[np.generic] | np.dtype[Any] | TorchType | DType

FloatName: TypeAlias = Literal["float32", "float16", "bfloat16"]
PackedName: TypeAlias = Literal[
    "int4",
    "uint4",
    "int4_words",
    "uint4_words",
    "int4_elements",
    "uint4_elements",
    "float4_e2m1fn",
    "float4_e2m1fn_words",
    "float4_e2m1fn_elements",
]
BlockName: TypeAlias = Literal["q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"]
Float8Name: TypeAlias = Literal["float8_e4m3fn", "float8_e5m2"]
ElementName: TypeAlias = Literal[
    FloatName, PackedName, Float8Name, BlockName, "float8_e8m0fnu", "int8", "uint8", "int32", "int64"
]
StaticName: TypeAlias = Literal[PackedName, Float8Name, "int8", "uint8", "int32"]
FoundName: TypeAlias = Literal[PackedName, Float8Name, "int8", "uint8"]
DynamicName: TypeAlias = Literal[FoundName, BlockName]
GroupName: TypeAlias = Literal[PackedName, Float8Name, "int8"]

ElementTypeLike: TypeAlias = ElementName | _Object
FloatType: TypeAlias = FloatName | _Object
StaticType: TypeAlias = StaticName | _Object
FoundType: TypeAlias = FoundName | _Object
DynamicType: TypeAlias = DynamicName | _Object
GroupType: TypeAlias = GroupName | _Object

ModelFormat: TypeAlias = Literal["compressed-tensors", "plain"]
ModelType: TypeAlias = Literal["int4", "uint4", "int8", "uint8", Float8Name, "float4_e2m1fn"]

Mode: TypeAlias = Literal["divide", "multiply"]
BackMode: TypeAlias = Literal["divide", "multiply", "dynamic"]
ScaleRule: TypeAlias = Literal["range", "mx_floor", "mx_even", "mx_ceil", "mx_rceil", "nvfp4"]
Method: TypeAlias = Literal["absmax", "minmax"]
OutOfRange: TypeAlias = Literal["drop", "clamp", "wrap"]
IndexKind: TypeAlias = Literal["by_shape", "slots"]
PlaceKind: TypeAlias = Literal[IndexKind, "nd"]
Form: TypeAlias = Literal["auto", "item", "group"]
Arithmetic: TypeAlias = Literal["auto", "exact"]

# Arrays in, and what comes out: numpy's of numpy's, numbers and lists; torch's of torch's. Of others no type is common.
Numpy: TypeAlias = np.ndarray[Any, Any]
NumpyLike: TypeAlias = Numpy | np.generic | float | list[Any] | tuple[float, ...]


class TorchLike(Protocol):
    """A tensor of torch, seen without torch."""

    def data_ptr(self) -> int:
        """As torch has it."""


Torch = TypeVar("Torch", bound=TorchLike)
