# SPDX-License-Identifier: Apache-2.0
"""The types that the documented calls write: torch's names, the numbers of ``enum clq_npu_dtype``, and what holds them."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from .._dtypes import BY_NAME, type_name


class Kind(NamedTuple):
    """A type that is written."""

    number: int
    holder: str  # torch's type of the tensor that is made
    held: int = 1  # elements in each of its

    def beside(self, x: Any, fill: str = "new_empty") -> Any:
        """Make a tensor for the elements of x, by x's method ``fill``."""
        shape = list(x.shape)
        if shape:
            shape[-1] //= self.held  # where that does not divide it, the library says so
        if not hasattr(torch, self.holder):
            raise ValueError(f"torch {torch.__version__} has no {self.holder}: it must be one that has")
        return getattr(x, fill)(shape, dtype=getattr(torch, self.holder))


_INT8 = Kind(1, "int8")
_UINT8 = Kind(2, "uint8")
_INT32 = Kind(3, "int32")

_KINDS = {
    "int8": _INT8,
    "qint8": _INT8,
    "uint8": _UINT8,
    "quint8": _UINT8,
    "int32": _INT32,
    "qint32": _INT32,
    "quint4x2": Kind(4, "int32", held=8),
    "float8_e5m2": Kind(5, "float8_e5m2"),
    "float8_e4m3fn": Kind(6, "float8_e4m3fn"),
    "float4_e2m1fn_x2": Kind(7, "uint8", held=2),
}

# Where a call takes a type as a number, that is torch's own, which torch makes of its types, or torch_npu's, from 256 on.
FLOAT8_E5M2 = 291
FLOAT8_E4M3FN = 292
FLOAT4_E2M1FN_X2 = 296
_NUMBERS = {
    1: "int8",
    23: "float8_e5m2",
    FLOAT8_E5M2: "float8_e5m2",
    24: "float8_e4m3fn",
    FLOAT8_E4M3FN: "float8_e4m3fn",
    45: "float4_e2m1fn_x2",
    FLOAT4_E2M1FN_X2: "float4_e2m1fn_x2",
}


def kind_of_number(name: str, given: int, *known: str) -> Kind:
    """Return the kind of a type that is given as a number, one of those that a call knows."""
    word = _NUMBERS.get(given)
    if word not in known:
        numbers = ", ".join(f"{number} ({other})" for number, other in _NUMBERS.items() if other in known)
        raise ValueError(f"{name} is {given}: it must be one of {numbers}")
    return _KINDS[word]


def kind_of(name: str, given: Any, *known: str) -> Kind:
    """Return the kind of a type of torch, one of those that a call knows; None is the first of them."""
    return _KINDS[_word(name, given, known)]


def float_of(name: str, given: Any) -> torch.dtype:
    """Return the type of torch of floats that a call writes; None is float16."""
    found: torch.dtype = getattr(torch, _word(name, given, ("float16", "bfloat16", "float32")))
    return found


def _word(name: str, given: Any, known: tuple[str, ...]) -> str:
    word = known[0] if given is None else type_name(given)
    if word not in known:
        words = ", ".join(f"torch.{other}" for other in known)
        raise ValueError(f"{name} is {given}: it must be one of {words}")
    return word


# Of each size in bytes a type of the library, for those that it has not where bytes move as they are.
_CARRIERS = {1: "uint8", 2: "float16", 4: "int32", 8: "int64"}


def carried(first: Any, *others: Any) -> tuple[Any, ...]:
    """See tensors of one type of torch that the library has not, such as bool, as another of its size; others as they are."""
    tensors = (first, *others)
    carrier = _CARRIERS.get(first.element_size())
    if type_name(first.dtype) in BY_NAME or carrier is None or any(other.dtype != first.dtype for other in others):
        return tensors
    return tuple(tensor.view(getattr(torch, carrier)) for tensor in tensors)
