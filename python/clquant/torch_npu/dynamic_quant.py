# SPDX-License-Identifier: Apache-2.0
"""npu_dynamic_quant and npu_dynamic_quant_asymmetric: quantization with scales that are found, by torch_npu's names."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register
from ._types import kind_of

Tensor: TypeAlias = torch.Tensor

_INPUTS = (Input("x"), Input("smooth_scales"), Input("group_index"), ctypes.c_int, ctypes.c_char_p)

_DYNAMIC_QUANT = Documented("npu_dynamic_quant", *_INPUTS, ctypes.c_float, Output("y"), Output("scale"))
_ASYMMETRIC = Documented("npu_dynamic_quant_asymmetric", *_INPUTS, Output("y"), Output("scale"), Output("offset"))

_ARGUMENTS = (
    "Tensor x, *, Tensor? smooth_scales=None, Tensor? group_index=None, ScalarType? dst_type=None, str quant_mode='pertoken'"
)


def _scale_shape(x: Tensor, quant_mode: str) -> Any:
    """Return the shape of scale; for a mode that is wrong, which the library refuses, any."""
    if quant_mode == "pertensor":
        return (1,)
    return x.shape[:-1] if quant_mode == "pertoken" else (*x.shape[:-2], *x.shape[-1:])


def _x_of(x: Tensor, group_index: Tensor | None) -> Tensor:
    """With groups x is seen as rows, which the library does without copying, and so for dense tensors alone."""
    return x if group_index is None else x.contiguous()


def _begin(
    types: tuple[str, ...],
    x: Tensor,
    *,
    smooth_scales: Tensor | None = None,
    group_index: Tensor | None = None,
    dst_type: torch.dtype | None = None,
    quant_mode: str = "pertoken",
) -> tuple[tuple[Any, ...], Tensor, Tensor]:
    """Return C's inputs, from the schema's, of which torch leaves out those that are the defaults; and y and scale."""
    kind = kind_of("dst_type", dst_type, *types)
    y = kind.beside(x, "new_zeros")
    scale = x.new_zeros(_scale_shape(x, quant_mode), dtype=torch.float32)
    return (_x_of(x, group_index), smooth_scales, group_index, kind.number, quant_mode.encode()), y, scale


def _make(verb: Verb, x: Tensor, *, dst_type_max: float = 0.0, **named: Any) -> tuple[Tensor, Tensor]:
    inputs, y, scale = _begin(("int8", "qint8", "quint4x2", "float8_e5m2", "float8_e4m3fn"), x, **named)
    verb(_DYNAMIC_QUANT, *inputs, dst_type_max, y, scale)
    return y, scale


def _make_asymmetric(verb: Verb, x: Tensor, **named: Any) -> tuple[Tensor, Tensor, Tensor]:
    inputs, y, scale = _begin(("int8", "qint8", "quint4x2"), x, **named)
    offset = torch.zeros_like(scale)
    verb(_ASYMMETRIC, *inputs, y, scale, offset)
    return y, scale, offset


_operator = register(f"npu_dynamic_quant({_ARGUMENTS}, float dst_type_max=0.0) -> (Tensor, Tensor)", _make)
_operator_asymmetric = register(f"npu_dynamic_quant_asymmetric({_ARGUMENTS}) -> (Tensor, Tensor, Tensor)", _make_asymmetric)


def npu_dynamic_quant(
    x: Tensor,
    *,
    smooth_scales: Tensor | None = None,
    group_index: Tensor | None = None,
    dst_type: torch.dtype | None = None,
    quant_mode: str = "pertoken",
    dst_type_max: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Quantize symmetrically, with a scale that is found for each row, each channel or all of x.

        scale = max(amax / top, 1e-12)    y = sat(rint(x * (1 / scale)))

    amax is the largest of abs(x), NaN apart. The arithmetic is that of ``clquant.dynamic_quantize``.

    Args:
        x: float32, float16 or bfloat16, of rank 1 to 8.
        smooth_scales: None, or one per index of the last dimension, "perchannel" of the second-to-last, of these types, which
            x is multiplied by first. With group_index [E, H], a row for each group.
        group_index: None, or [E], int32 or int64: the end row of each group of x, seen as [S, H]. quant_mode is "pertoken"
            then. Rows of no group are 0 in y and scale.
        dst_type: torch.int8, which None means, torch.quint4x2, torch.float8_e5m2 or torch.float8_e4m3fn.
        quant_mode: "pertoken", "perchannel" (a scale per index of all dimensions but the second-to-last) or "pertensor".
        dst_type_max: above 0 it takes the place of top, the largest value of dst_type; y saturates at the type's range.

    Returns:
        y, int8 or float8 of x's shape, of quint4x2 int32 words as ``npu_quantize`` does; and scale, float32: x's shape without
        its last dimension, without its second-to-last, or one element.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    options = {"smooth_scales": smooth_scales, "group_index": group_index, "dst_type": dst_type, "quant_mode": quant_mode}
    made: tuple[Tensor, Tensor] = _operator(x, **options, dst_type_max=dst_type_max)
    return made


def npu_dynamic_quant_asymmetric(
    x: Tensor,
    *,
    smooth_scales: Tensor | None = None,
    group_index: Tensor | None = None,
    dst_type: torch.dtype | None = None,
    quant_mode: str = "pertoken",
) -> tuple[Tensor, Tensor, Tensor]:
    """Quantize asymmetrically, with a scale and an offset that are found.

        scale = max((mx - mn) / (highest - lowest), 1e-12)    offset = highest - mx / scale
        y = sat(rint(x * (1 / scale) + offset))

    This offset is what is added to x / scale: ``clquant.dynamic_quantize``'s with its sign flipped. So
    x = (y - offset) * scale: ``clquant.dequantize(y, scale, offset)``, where scale and offset have y's rank.

    Args:
        x: this and all others but dst_type as in ``npu_dynamic_quant``.
        smooth_scales: None, or what x is multiplied by first.
        group_index: None, or the end row of each group.
        dst_type: torch.int8, which None means, or torch.quint4x2.
        quant_mode: "pertoken", "perchannel" or "pertensor".

    Returns:
        y and scale as ``npu_dynamic_quant`` does, and offset, float32, of scale's shape.
    """
    options = {"smooth_scales": smooth_scales, "group_index": group_index, "dst_type": dst_type, "quant_mode": quant_mode}
    made: tuple[Tensor, Tensor, Tensor] = _operator_asymmetric(x, **options)
    return made
