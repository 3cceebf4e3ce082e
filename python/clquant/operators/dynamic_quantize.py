# SPDX-License-Identifier: Apache-2.0
"""Dynamic quantization: the scale of each row, or of each block of it, is found from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._dtypes import carries_scales, dtype_of
from .._operator import Array, New, Operator
from .._quantized import Quantized
from .._tensor import Tensor
from .._types import DynamicType, FloatType, Numpy, NumpyLike, ScaleRule, Torch
from ._options import DynamicQuantizeOptions
from ._shapes import beside, outputs, place_of, rule_block, with_blocks, without

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _result(*arrays: Array, axis: int | None, **how: Any) -> Quantized[Array]:
    return Quantized(*arrays, axis=-1 if axis is None else axis, **how)


_DYNAMIC_QUANTIZE = Operator(
    "dynamic_quantize",
    floats=("x", "smooth_scales"),
    result=_result,
    how={name: name for name in ("axis", "block", "block_before", "block_all", "rotate", "global_scale")},
)


@overload
def dynamic_quantize(
    x: NumpyLike,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeOptions],
) -> Quantized[Numpy]: ...


@overload
def dynamic_quantize(
    x: Tensor,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeOptions],
) -> Quantized[Tensor]: ...


@overload
def dynamic_quantize(
    x: Torch,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeOptions],
) -> Quantized[Torch]: ...


@overload
def dynamic_quantize(
    x: Array,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeOptions],
) -> Quantized[Array]: ...


@_DYNAMIC_QUANTIZE.function(DynamicQuantizeOptions)
def dynamic_quantize(
    x: Array,
    smooth_scales: Array | None = None,
    *,
    dtype: DynamicType = "int8",
    scale_dtype: FloatType = "float32",
    scale_rule: ScaleRule = "range",
    symmetric: bool = False,
    axis: int | None = None,
    block: int = 0,
    block_before: int = 0,
    block_all: bool = False,
    group_index: Array | None = None,
    out: Quantized[Array] | tuple[Array, Array, Array | None] | None = None,
    **run: Any,
) -> Quantized[Array]:
    """Quantize x with scales that are found from it: for each row, or what else shares one.

        mx, mn = max, min of the values that share a scale and are not NaN

                 asymmetric                               symmetric
        int8     scale = max((mx - mn) / 255, 1e-12)      scale = max(amax / 127, 1e-12)
                 off   = 127 - mx / scale                 off   = none
        y = sat(rint(x * (1 / scale) + off))              offsets = -off
        back:   x = (y + offset) * scale                  ``dequantize`` of all that is returned

    Other types have top - lowest, top and top, their ends, in the place of 255, 127 and 127; unsigned ones are asymmetric,
    and floats symmetric. Every operation is one of binary32. The bytes are the same on every device.

    Args:
        x: [.., H], float32, float16 or bfloat16, of rank 1 to 8.
        smooth_scales: None, or H factors of these types that multiply x first; with ``group_index`` [E, H].
        dtype: of y: a type of caches, as in ``quantize``; or of ggml's blocks, "q8_0" and so on, which carry their scales: y is
            uint8, its last dimension H / 32 times the bytes of a block, scales and offsets are None, and symmetric,
            scale_dtype and other blocks than of 32 are refused.
        scale_dtype: of scales and offsets: float32, float16 or bfloat16.
        scale_rule: "range" as above; or of MX, "mx_floor", "mx_even", "mx_ceil" or "mx_rceil": dtype is a float, scales are
            float8_e8m0fnu, of blocks of 32 where block is 0; or "nvfp4": dtype is "float4_e2m1fn", scales are float8_e4m3fn, of
            blocks of 16. Symmetric and scale_dtype are then not looked at.
        global_scale: None, or of "nvfp4" one float32, by which all scales of blocks are divided.
        symmetric: the largest magnitude sets the scale, and there are no offsets.
        axis: what shares a scale are the indices of this dimension; None: of the last.
        block: what shares a scale are so many of them; 0: all.
        block_before: with ``block``, so many indices of the dimension in front of ``axis`` share it too; 0: each has its own.
        block_all: all of x has one scale.
        rotate: R, a power of two to 1024 that divides H: each R neighbours of a row are turned by a Walsh-Hadamard matrix
            first, of ggml's blocks at least 32; 0: none.
        type_max: symmetric: what the largest magnitude becomes; 0: the largest value of y's type.
        group_index: None, or [E], int32 or int64: x is [S, H], and row r is multiplied by the smooth scales of its group. Rows
            of no group keep their bytes in all outputs; in those that are made they are 0.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        out: (y, scales, offsets), to be written; None makes them, of the library that x is of.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        (y, scales, offsets), which ``dequantize`` takes whole. scales and offsets have x's shape less ``axis``; with ``block``
        x's shape with ceil(size / block) on ``axis``, and with ``block_before`` so in front of it; with ``block_all`` shape ().
        offsets is None where symmetric.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed, or would end the loops that such rows take.
    """
    if scale_rule != "range":
        symmetric, block = True, rule_block(scale_rule, block)
        scale_dtype = "float8_e4m3fn" if scale_rule == "nvfp4" else "float8_e8m0fnu"  # type: ignore[assignment]

    def scales_shape(tensors: dict[str, Tensor]) -> tuple[int, ...]:
        shape = tensors["x"].shape
        if block_all:
            return ()
        place = place_of(axis, len(shape))
        return with_blocks(shape, place, block, block_before) if block > 0 else without(shape, place)

    out = outputs(out, "y", "scales", "offsets")
    types = beside(out, "y", dtype, "int8") or {}
    if out is not None and out[1] is not None and scale_rule == "range":
        types |= beside(out, "scales", scale_dtype, "float32", "scale_dtype") or {}
    of_scales = dtype_of(scale_dtype, "scale_dtype") if out is None else dtype_of("float32")
    blocks = dtype_of(dtype).is_block if out is None else carries_scales(out[0])
    if blocks and of_scales != dtype_of("float32"):
        raise ValueError(f"scale_dtype is {of_scales.name}: it must be left out where dtype is {dtype_of(dtype).name}")
    y, scales, offsets = out or (
        New(dtype, lambda tensors: tensors["x"].shape, zeros=group_index is not None),
        None if blocks else New(of_scales, scales_shape, zeros=True),
        None if blocks or symmetric else New(of_scales, scales_shape, zeros=True),
    )
    made: Quantized[Array] = _DYNAMIC_QUANTIZE.call(
        run,
        x,
        types=types,
        x=x,
        smooth_scales=smooth_scales,
        y=y,
        scales=scales,
        offsets=offsets,
        symmetric=symmetric,
        axis=axis,
        block=block,
        block_before=block_before,
        block_all=block_all,
        group_index=group_index,
        scale_rule=scale_rule,
    )
    return made
