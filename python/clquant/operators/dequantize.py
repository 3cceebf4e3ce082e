# SPDX-License-Identifier: Apache-2.0
"""The way back: quantized tensors and caches to floats, dense or gathered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._dtypes import carries_scales
from .._operator import Array, New, Operator
from .._quantized import Quantized, known, opened
from .._tensor import Tensor
from .._types import BackMode, FloatType, Numpy, NumpyLike, Torch
from .._values import whole
from ._options import DequantizeOptions
from ._shapes import beside, place_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

_DEQUANTIZE = Operator("dequantize", floats=("scales", "offsets"))


@overload
def dequantize(
    q: NumpyLike | Quantized[Numpy],
    scales: Array | None = None,
    zero_points: Array | None = None,
    **options: Unpack[DequantizeOptions],
) -> Numpy: ...


@overload
def dequantize(
    q: Tensor | Quantized[Tensor],
    scales: Array | None = None,
    zero_points: Array | None = None,
    **options: Unpack[DequantizeOptions],
) -> Tensor: ...


@overload
def dequantize(
    q: Torch | Quantized[Torch],
    scales: Array | None = None,
    zero_points: Array | None = None,
    **options: Unpack[DequantizeOptions],
) -> Torch: ...


@overload
def dequantize(
    q: Array | Quantized[Array],
    scales: Array | None = None,
    zero_points: Array | None = None,
    **options: Unpack[DequantizeOptions],
) -> Array: ...


@_DEQUANTIZE.function(DequantizeOptions)
def dequantize(
    q: Array | Quantized[Array],
    scales: Array | None = None,
    zero_points: Array | None = None,
    *,
    offsets: Array | None = None,
    global_scale: Array | None = None,
    indices: Array | None = None,
    group_index: Array | None = None,
    length: int = 1,
    dtype: FloatType = "float32",
    axis: int | None = None,
    mode: BackMode | None = None,
    block: int | None = None,
    block_before: int | None = None,
    block_all: bool | None = None,
    rotate: int | None = None,
    out: Array | None = None,
    **run: Any,
) -> Array:
    """Make floats of a quantized tensor, or gather them from a cache.

        divide      y = (q - zero_point) * scale      undoes quantize
        multiply    y = (q - zero_point) / scale      undoes quantize(mode="multiply") and group_quantize
        dynamic     y = (q + offset) * scale          undoes dynamic_quantize; no offsets: q * scale
                    y = (q * scale) * global_scale    of NVFP4

    Every operation is one of binary32, rounded to nearest-even, and the result once more to y's type. With ``indices`` it
    gathers first, U elements on ``axis`` for each entry:

        b, s = indices[i] if indices is [N, 2] else (i, indices[i]), or of slots (indices[i] / A, indices[i] mod A)
        y[i] = dequantized q[b, .., s : s+U on axis, ..]

    Args:
        q: of a type of y, as in ``quantize``; of four bits as it was made here, or as ``clquant.view(bytes, "int4")``, and so
            of blocks, ``clquant.view(bytes, "q8_0")``, which carry their scales. Or a
            ``Quantized``: then scales, offsets, global_scale, mode, axis, block, block_before, block_all and rotate are as it
            was made, and what is given must be the same. So they are where q, scales and offsets are the arrays of one.
        scales: as in ``quantize``, with indices as in ``quantize_scatter``; with ``group_index`` [E, H]; in dynamic mode as
            ``dynamic_quantize`` returns them.
        zero_points: of divide and multiply: None, or as scales, independently. The offsets of a ``Quantized`` are offsets here
            too.
        offsets: of dynamic: as scales, or None where quantization was symmetric.
        global_scale: of dynamic, None, or that of NVFP4, one float32.
        indices: None: all of q. [N] or [N, 2], int32 or int64.
        group_index: None, or [E], int32 or int64, in multiply mode: as in ``group_quantize``.
        length: U, of a y that is made; not looked at without indices or with ``out``.
        dtype: of y: float32, float16 or bfloat16. With ``out`` it is left out, or out's.
        axis: without indices that of scales, None: the last; with indices that of the starts, None: the second-to-last,
            as in ``quantize_scatter``.
        mode: "divide", "multiply" or "dynamic"; None: dynamic with offsets and of blocks, multiply with group_index, else divide.
        block: as in ``quantize`` and ``dynamic_quantize``; with indices of the last axis.
        block_before: as there; without indices alone.
        block_all: dynamic: all of q has one scale.
        rotate: R of rows that were turned, in dynamic mode. None for it, block, block_before and block_all: as q says, else
            none.
        report: a ``clquant.Report``, a buffer of 16 bytes, or a pair of a buffer and an offset in bytes.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        out: y, to be written; None makes one, of the library that q is of.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        y, of q's shape; with indices [N, .., U, ..].

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed.
    """
    given: dict[str, Any] = {
        "q": q,
        "scales": scales,
        "offsets": offsets,
        "global_scale": global_scale,
        "axis": axis,
        "mode": mode,
        "indices": indices,
        "block": block,
        "block_before": block_before,
        "block_all": block_all,
        "rotate": rotate,
    }
    if isinstance(q, Quantized):
        given = opened(q, given)
    else:
        result = known(q, zero_points, given)
        if result is not None:
            given, zero_points = opened(result, {**given, "scales": None, "offsets": None}), None

    def shape_of(tensors: dict[str, Tensor]) -> tuple[int, ...]:
        shape = tensors["q"].element_shape
        if indices is None:
            return shape
        size = whole("length", length)
        if size < 0:
            raise ValueError(f"length is {size}: it must not be negative")
        made = [*shape]
        made[place_of(given["axis"], len(shape), -2)] = size
        made[:1] = tensors["indices"].shape[:1]
        return tuple(made)

    if given["mode"] is None:
        dynamic = offsets is not None or carries_scales(given["q"])
        given["mode"] = "dynamic" if dynamic else "multiply" if group_index is not None else "divide"
    for name, unset in (("block", 0), ("block_before", 0), ("block_all", False), ("rotate", 0)):
        if given[name] is None:
            given[name] = unset
    return _DEQUANTIZE.call(
        run,
        given["q"],
        types=beside(out, "y", dtype, "float32"),
        zero_points=zero_points,
        group_index=group_index,
        y=New(dtype, shape_of, zeros=indices is not None or group_index is not None) if out is None else out,
        **given,
    )
