# SPDX-License-Identifier: Apache-2.0
"""Static quantization with one row of scales per group of rows, as mixture-of-experts activations have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._operator import Array, New, Operator
from .._tensor import Tensor
from .._types import GroupType, Numpy, NumpyLike, Torch
from ._options import GroupQuantizeOptions
from ._shapes import beside

if TYPE_CHECKING:
    from typing_extensions import Unpack

_GROUP_QUANTIZE = Operator("group_quantize", floats=("x", "scales", "zero_points"))


@overload
def group_quantize(
    x: NumpyLike,
    scales: Array,
    group_index: Array,
    zero_points: Array | None = None,
    **options: Unpack[GroupQuantizeOptions],
) -> Numpy: ...


@overload
def group_quantize(
    x: Tensor,
    scales: Array,
    group_index: Array,
    zero_points: Array | None = None,
    **options: Unpack[GroupQuantizeOptions],
) -> Tensor: ...


@overload
def group_quantize(
    x: Torch,
    scales: Array,
    group_index: Array,
    zero_points: Array | None = None,
    **options: Unpack[GroupQuantizeOptions],
) -> Torch: ...


@overload
def group_quantize(
    x: Array,
    scales: Array,
    group_index: Array,
    zero_points: Array | None = None,
    **options: Unpack[GroupQuantizeOptions],
) -> Array: ...


@_GROUP_QUANTIZE.function(GroupQuantizeOptions)
def group_quantize(
    x: Array,
    scales: Array,
    group_index: Array,
    zero_points: Array | None = None,
    *,
    dtype: GroupType = "int8",
    out: Array | None = None,
    **run: Any,
) -> Array:
    """Quantize each group of rows of x with a row of scales.

        y[r, :] = sat(rint(x[r, :] * scales[g(r), :] + zero_point))       no zero point: no addition

    g(r) is the first group whose end row, ``group_index[g]``, is above r. The arithmetic is that of ``quantize``.

    Args:
        x: [S, H], float32, float16 or bfloat16.
        scales: [E, H], of these types; E at least 1.
        group_index: [E], int32 or int64: the end row of each group, non-decreasing, the last exactly S. One that breaks the
            rule never leads outside of an array: rows of no group keep their bytes in y, and are counted in ``report``. In a
            y that is made they are 0.
        zero_points: None or one element, of the types of x.
        dtype: of y: a type of groups, as in ``quantize``.
        report: a ``clquant.Report``, a buffer of 16 bytes, or a pair of a buffer and an offset in bytes.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        out: y, to be written; None makes one, of the library that x is of.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        y.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed.
    """
    return _GROUP_QUANTIZE.call(
        run,
        x,
        types=beside(out, "y", dtype, "int8"),
        x=x,
        scales=scales,
        group_index=group_index,
        zero_points=zero_points,
        y=New(dtype, lambda tensors: tensors["x"].shape, zeros=True) if out is None else out,
    )
