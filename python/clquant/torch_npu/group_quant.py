# SPDX-License-Identifier: Apache-2.0
"""npu_group_quant: a row of scales per group of rows, by torch_npu's name."""

from __future__ import annotations

import ctypes
from typing import TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register
from ._types import kind_of

Tensor: TypeAlias = torch.Tensor

_GROUP_QUANT = Documented(
    "npu_group_quant",
    Input("x"),
    Input("scale"),
    Input("group_index"),
    Input("offset"),
    ctypes.c_int,
    Output("y"),
)


def _make(
    verb: Verb,
    x: Tensor,
    scale: Tensor,
    group_index: Tensor,
    *,
    offset: Tensor | None = None,
    dst_dtype: torch.dtype | None = None,
) -> Tensor:
    kind = kind_of("dst_dtype", dst_dtype, "int8", "qint8", "quint4x2")
    y = kind.beside(x, "new_zeros")
    verb(_GROUP_QUANT, x, scale, group_index, offset, kind.number, y)
    return y


_operator = register(
    "npu_group_quant(Tensor x, Tensor scale, Tensor group_index, *, Tensor? offset=None, ScalarType? dst_dtype=None) -> Tensor",
    _make,
)


def npu_group_quant(
    x: Tensor,
    scale: Tensor,
    group_index: Tensor,
    *,
    offset: Tensor | None = None,
    dst_dtype: torch.dtype | None = None,
) -> Tensor:
    """Quantize each group of rows with its row of scales.

        y[r, :] = sat(rint(x[r, :] * scale[g(r), :] + offset))

    g(r) is the first group whose end row, ``group_index[g]``, is above r. The arithmetic is that of ``clquant.quantize``.

    Args:
        x: [S, H], float32, float16 or bfloat16.
        scale: [E, H], of these types; E at least 1.
        group_index: [E], int32 or int64: the end row of each group, non-decreasing, the last exactly S. One that breaks the
            rule never leads outside of a tensor: rows of no group are 0 in y.
        offset: None, or one number of scale's type.
        dst_dtype: torch.int8, which None means, or torch.qint8, the same; or torch.quint4x2.

    Returns:
        int8 of x's shape; of quint4x2 int32 words, as ``npu_quantize`` does.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    return _operator(x, scale, group_index, offset=offset, dst_dtype=dst_dtype)
