# SPDX-License-Identifier: Apache-2.0
"""Static quantization: the scale is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._operator import Array, New, Operator
from .._tensor import Tensor
from .._types import Numpy, NumpyLike, StaticType, Torch
from ._options import QuantizeOptions
from ._shapes import beside

if TYPE_CHECKING:
    from typing_extensions import Unpack

_QUANTIZE = Operator("quantize", floats=("x", "scales"))


@overload
def quantize(
    x: NumpyLike,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeOptions],
) -> Numpy: ...


@overload
def quantize(
    x: Tensor,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeOptions],
) -> Tensor: ...


@overload
def quantize(
    x: Torch,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeOptions],
) -> Torch: ...


@overload
def quantize(
    x: Array,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeOptions],
) -> Array: ...


@_QUANTIZE.function(QuantizeOptions)
def quantize(
    x: Array,
    scales: Array,
    zero_points: Array | None = None,
    *,
    dtype: StaticType = "int8",
    out: Array | None = None,
    **run: Any,
) -> Array:
    """Quantize x with scales that are given.

        divide      y = sat(rint(x / scale + zero_point))       no zero point: no addition
        multiply    y = sat(rint(x * scale + zero_point))

    Every operation is one of binary32, rounded to nearest-even; rint rounds ties to even; sat clamps to the range of the
    type, and NaN gives 0. For floats the sum is rounded to the type instead, and NaN gives 0x7f, or 0 where there is none. The
    bytes are the same on every device.

    Args:
        x: float32, float16 or bfloat16, of rank 0 to 8.
        scales: of the same types, float8_e4m3fn or float8_e8m0fnu. One element; by axis: one per index of ``axis``, 1-D or of x's
            rank with all other sizes 1; by shape: of x's rank, where every size is 1 or x's; by blocks: the same with
            ceil(size / block) along ``axis``, and ceil(size / block_before) along the dimension in front of it.
        zero_points: None, or as scales, independently; also int8, uint8, int32.
        dtype: of y: a type of y in the table of types (docs/operators.md), as "int8" or "float8_e4m3fn". Those of four bits are
            bytes of two elements, the low four bits first, so that the last dimension is halved; "int4_words" is words of
            eight.
            With ``out`` it is left out, or out's.
        axis: of scales and zero points; None: the last. Not looked at where both have one element.
        mode: "divide" or "multiply".
        block: indices of ``axis`` that share a scale; 0: no blocks.
        block_before: with ``block``, indices of the dimension in front of ``axis`` that share it too: 128 and 128 are the blocks
            of float8 checkpoints; 0: each has its own.
        round_first: round before the zero point is added, and again after: the order of ONNX and PyTorch.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        out: y, to be written; None makes one, of the library that x is of.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        y.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed.
    """
    return _QUANTIZE.call(
        run,
        x,
        types=beside(out, "y", dtype, "int8"),
        x=x,
        scales=scales,
        zero_points=zero_points,
        y=New(dtype, lambda tensors: tensors["x"].shape) if out is None else out,
    )
