# SPDX-License-Identifier: Apache-2.0
"""npu_anti_quant: back to floats, by torch_npu's name."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register
from ._types import float_of, kind_of

Tensor: TypeAlias = torch.Tensor

_ANTI_QUANT = Documented("npu_anti_quant", Input("x"), Input("scale"), Input("offset"), ctypes.c_int, Output("output"))


def _make(
    verb: Verb,
    x: Tensor,
    scale: Tensor,
    *,
    offset: Tensor | None = None,
    dst_dtype: torch.dtype | None = None,
    src_dtype: torch.dtype | None = None,
) -> Tensor:
    known = ("int8", "qint8", "quint4x2", "float8_e5m2", "float8_e4m3fn")
    number = 0 if src_dtype is None else kind_of("src_dtype", src_dtype, *known).number
    shape = list(x.shape)
    if x.dtype == torch.int32 and shape:
        shape[-1] *= 8
    output = x.new_empty(shape, dtype=float_of("dst_dtype", dst_dtype))
    verb(_ANTI_QUANT, x, scale, offset, number, output)
    return output


_operator: Any = register(
    "npu_anti_quant(Tensor x, Tensor scale, *, Tensor? offset=None, ScalarType? dst_dtype=None, ScalarType? src_dtype=None) "
    "-> Tensor",
    _make,
)


def npu_anti_quant(
    x: Tensor,
    scale: Tensor,
    *,
    offset: Tensor | None = None,
    dst_dtype: torch.dtype | None = None,
    src_dtype: torch.dtype | None = None,
) -> Tensor:
    """Turn quantized values back into floats.

        output = (x + offset) * scale

    Each operation is one of float32; then the result is rounded to dst_dtype.

    Args:
        x: int8; int32, each of whose words holds eight elements of four bits; float8_e5m2 or float8_e4m3fn.
        scale: 1-D, one element or one per index of the last dimension: float32, float16 or bfloat16.
        offset: None, or of scale's type and shape.
        dst_dtype: torch.float16, which None means, torch.bfloat16 or torch.float32.
        src_dtype: None, or what x is: torch.int8, torch.quint4x2, torch.float8_e5m2 or torch.float8_e4m3fn.

    Returns:
        A tensor of x's shape, of words with eight times the last dimension.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    made: Tensor = _operator(x, scale, offset=offset, dst_dtype=dst_dtype, src_dtype=src_dtype)
    return made
