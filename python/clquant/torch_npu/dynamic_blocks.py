# SPDX-License-Identifier: Apache-2.0
"""npu_dynamic_mx_quant and npu_dynamic_block_quant: blocks with scales that are found, by torch_npu's names."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register
from ._types import FLOAT4_E2M1FN_X2, kind_of_number

Tensor: TypeAlias = torch.Tensor

_MX_QUANT = Documented(
    "npu_dynamic_mx_quant",
    *(Input("input"), ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_int64, ctypes.c_int),
    *(ctypes.c_float, ctypes.c_float, Output("y"), Output("mxscale")),
)

_BLOCK_QUANT = Documented(
    "npu_dynamic_block_quant",
    *(Input("x"), ctypes.c_float, ctypes.c_char_p, ctypes.c_int, ctypes.c_int64, ctypes.c_int64, Output("y"), Output("scale")),
)


def _pairs_shape(x: Tensor, axis: int, block_size: int) -> Any:
    """Return the shape of mxscale; for an axis or a block that is wrong, which the library refuses, any."""
    if block_size < 1 or not -x.dim() <= axis < x.dim():
        return (1,)
    shape = [*x.shape, 2]
    at = axis % x.dim()
    shape[at] = -(-shape[at] // (2 * block_size))
    return shape


def _make_mx(
    verb: Verb,
    input: Tensor,  # noqa: A002
    *,
    axis: int = -1,
    round_mode: str = "rint",
    dst_type: int = FLOAT4_E2M1FN_X2,
    block_size: int = 32,
    scale_alg: int | None = 0,
    dst_type_max: float = 0.0,
    max_low_bound: float = 0.0,
) -> tuple[Tensor, Tensor]:
    kind = kind_of_number("dst_type", dst_type, "float8_e5m2", "float8_e4m3fn", "float4_e2m1fn_x2")
    y = kind.beside(input)
    mxscale = input.new_empty(_pairs_shape(input, axis, block_size), dtype=torch.uint8)
    options = (axis, round_mode.encode(), kind.number, block_size, scale_alg or 0, dst_type_max, max_low_bound)
    verb(_MX_QUANT, input, *options, y, mxscale)
    return y, mxscale


_mx_quant = register(
    f"npu_dynamic_mx_quant(Tensor input, *, int axis=-1, str round_mode='rint', int dst_type={FLOAT4_E2M1FN_X2}, "
    "int block_size=32, int? scale_alg=0, float dst_type_max=0.0, float max_low_bound=0.0) -> (Tensor, Tensor)",
    _make_mx,
)


def npu_dynamic_mx_quant(
    input: Tensor,  # noqa: A002
    *,
    axis: int = -1,
    round_mode: str = "rint",
    dst_type: int | torch.dtype = FLOAT4_E2M1FN_X2,
    block_size: int = 32,
    scale_alg: int | None = 0,
    dst_type_max: float = 0.0,
    max_low_bound: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Quantize blocks to MX: a scale that is a power of two for each block_size indices of axis.

    The arithmetic is that of ``clquant.dynamic_quantize`` with the scale_rule "mx_floor" or "mx_rceil".

    Args:
        input: float32, float16 or bfloat16, of rank 1 to 7.
        axis: any axis of input.
        round_mode: "rint".
        dst_type: torch.float8_e5m2, torch.float8_e4m3fn or torch_npu.float4_e2m1fn_x2, which is the number 296.
        block_size: from 1 on; of float4 along the last axis even.
        scale_alg: 0, which None means: "mx_floor", the rule of OCP; 1: "mx_rceil".
        dst_type_max: 0.
        max_low_bound: 0.

    Returns:
        y, float8 of input's shape, or of float4 uint8 with half the last dimension, the first element in the low four bits;
        and mxscale, uint8 with the bits of float8_e8m0fnu: input's shape with a pair for each two blocks on axis, and a
        dimension of 2 behind the last one. An odd number of blocks is filled with a 0.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    options = {"axis": axis, "round_mode": round_mode, "dst_type": dst_type, "block_size": block_size}
    made: tuple[Tensor, Tensor] = _mx_quant(
        input, **options, scale_alg=scale_alg, dst_type_max=dst_type_max, max_low_bound=max_low_bound
    )
    return made


def _make_block(
    verb: Verb,
    x: Tensor,
    *,
    min_scale: float = 0.0,
    round_mode: str = "rint",
    dst_type: int = 1,
    row_block_size: int = 1,
    col_block_size: int = 128,
) -> tuple[Tensor, Tensor]:
    kind = kind_of_number("dst_type", dst_type, "int8", "float8_e5m2", "float8_e4m3fn")
    y = kind.beside(x)
    shape = list(x.shape)
    for d, size in ((-1, col_block_size), (-2, row_block_size)):
        if len(shape) >= -d and size > 0:  # what is wrong with others the library says
            shape[d] = -(-shape[d] // size)
    scale = x.new_empty(shape, dtype=torch.float32)
    verb(_BLOCK_QUANT, x, min_scale, round_mode.encode(), kind.number, row_block_size, col_block_size, y, scale)
    return y, scale


_block_quant = register(
    "npu_dynamic_block_quant(Tensor x, *, float min_scale=0.0, str round_mode='rint', int dst_type=1, int row_block_size=1, "
    "int col_block_size=128) -> (Tensor, Tensor)",
    _make_block,
)


def npu_dynamic_block_quant(
    x: Tensor,
    *,
    min_scale: float = 0.0,
    round_mode: str = "rint",
    dst_type: int | torch.dtype = 1,
    row_block_size: int = 1,
    col_block_size: int = 128,
) -> tuple[Tensor, Tensor]:
    """Quantize blocks of rows and columns, each with a scale that is found.

        scale = amax / top, at most 1 / min_scale    y = sat(rint(x / scale))

    amax is the largest finite abs(x) of a block; 0 / 0 is 0. ``clquant.dynamic_quantize`` multiplies by 1 / scale, which is at
    least 1e-12, and counts infinities.

    Args:
        x: float32, float16 or bfloat16, of rank 1 to 8.
        min_scale: 0 for no bound, or a finite number above 0.
        round_mode: "rint".
        dst_type: torch.int8, which is the number 1; torch.float8_e5m2 or torch.float8_e4m3fn.
        row_block_size: how many indices of the second-to-last dimension share a scale.
        col_block_size: the same of the last dimension.

    Returns:
        y, of x's shape; and scale, float32: x's shape with as many as there are blocks on its last two dimensions.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    options = {"dst_type": dst_type, "row_block_size": row_block_size, "col_block_size": col_block_size}
    made: tuple[Tensor, Tensor] = _block_quant(x, min_scale=min_scale, round_mode=round_mode, **options)
    return made
