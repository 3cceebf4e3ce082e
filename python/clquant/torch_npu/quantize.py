# SPDX-License-Identifier: Apache-2.0
"""npu_quantize: static quantization by torch_npu's name."""

from __future__ import annotations

import ctypes
from typing import TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register
from ._types import kind_of

Tensor: TypeAlias = torch.Tensor

_QUANTIZE = Documented(
    "npu_quantize",
    Input("input"),
    Input("scales"),
    Input("zero_points"),
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_bool,
    Output("output"),
)


def _make(
    verb: Verb,
    input: Tensor,  # noqa: A002 - the documents' name
    scales: Tensor,
    zero_points: Tensor | None,
    dtype: torch.dtype,
    axis: int = 1,
    div_mode: bool = True,
) -> Tensor:
    kind = kind_of(
        "dtype", dtype, "int8", "qint8", "uint8", "quint8", "int32", "qint32", "quint4x2", "float8_e5m2", "float8_e4m3fn"
    )
    output = kind.beside(input)
    verb(_QUANTIZE, input, scales, zero_points, kind.number, axis, div_mode, output)
    return output


_operator = register(
    "npu_quantize(Tensor input, Tensor scales, Tensor? zero_points, ScalarType dtype, int axis=1, bool div_mode=True) -> Tensor",
    _make,
)


def npu_quantize(
    input: Tensor,  # noqa: A002
    scales: Tensor,
    zero_points: Tensor | None,
    dtype: torch.dtype,
    axis: int = 1,
    div_mode: bool = True,
) -> Tensor:
    """Quantize with scales that are given.

        div_mode  output = sat(rint(input / scales + zero_points))
        else      output = sat(rint(input * scales + zero_points))

    The arithmetic is that of ``clquant.quantize``.

    Args:
        input: float32, float16 or bfloat16.
        scales: of the same types, one element or one per index of the axis. With div_mode 1-D; else 1-D, or of input's rank
            with every other dimension 1.
        zero_points: None, or with div_mode 1-D with as many elements as scales, also int8, uint8, int32; else of scales' shape
            and type.
        dtype: with div_mode torch.int8, torch.uint8 or torch.int32; else torch.int8 or torch.quint4x2; with both
            torch.float8_e5m2 and torch.float8_e4m3fn. torch.qint8, torch.quint8 and torch.qint32 are the whole ones too.
        axis: with div_mode any axis of input, not looked at with one scale. Else -2 is the second-to-last and anything from
            -1 up the last, so that the default 1 is the last too.
        div_mode: divide, or multiply.

    Returns:
        int8, uint8, int32 or float8 of input's shape. Of quint4x2 int32 words of eight elements, the first in the lowest four
        bits, with an eighth of the last dimension.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    return _operator(input, scales, zero_points, dtype, axis, div_mode)
