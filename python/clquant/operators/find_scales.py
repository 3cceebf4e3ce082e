# SPDX-License-Identifier: Apache-2.0
"""Static scales: those with which the values of a tensor fill the range of a type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, overload

from .._dtypes import dtype_of
from .._operator import Array, New, Operator
from .._tensor import Tensor
from .._types import FoundType, Method, Numpy, NumpyLike, Torch
from .._values import shape_of as checked_shape
from ._options import FindScalesOptions
from ._shapes import along, outputs, place_of, with_blocks

if TYPE_CHECKING:
    from typing_extensions import TypeVar, Unpack


if TYPE_CHECKING:
    A = TypeVar("A", default=Any)

    class Scales(NamedTuple, Generic[A]):
        """What ``quantize`` takes behind x."""

        scales: A
        zero_points: A | None

else:

    class Scales(NamedTuple):
        """What ``quantize`` takes behind x."""

        scales: Array
        zero_points: Array | None  # None: all are 0


_FIND_SCALES = Operator("find_scales", floats=("x",), result=Scales)


@overload
def find_scales(
    x: NumpyLike,
    **options: Unpack[FindScalesOptions],
) -> Scales[Numpy]: ...


@overload
def find_scales(
    x: Tensor,
    **options: Unpack[FindScalesOptions],
) -> Scales[Tensor]: ...


@overload
def find_scales(
    x: Torch,
    **options: Unpack[FindScalesOptions],
) -> Scales[Torch]: ...


@overload
def find_scales(
    x: Array,
    **options: Unpack[FindScalesOptions],
) -> Scales[Array]: ...


@_FIND_SCALES.function(FindScalesOptions)
def find_scales(
    x: Array,
    *,
    dtype: FoundType = "int8",
    axis: int | None = None,
    shape: tuple[int, ...] | None = None,
    method: Method = "absmax",
    block: int = 0,
    block_before: int = 0,
    out: Scales | tuple[Array, Array | None] | None = None,
    **run: Any,
) -> Scales:
    """Find the scales, and zero points, with which x fills the range of a type.

        mx, mn = the largest and the least finite value of x, at least 0 and at most 0

                  to divide by                      to multiply with                  zero point
        absmax    max(max(mx, -mn) / steps, 2^-100) min(steps / max(mx, -mn), 2^100)  0, or the middle
        minmax    max(half / steps, 2^-100)         min(steps / half, 2^100)          lowest + rint(-mn / scale)

    absmax: steps lead from the zero point to the end of the type, which is 0 but of unsigned types, 128 of uint8. minmax, of
    whole numbers alone: half = (mx - mn) / 2, steps = (highest - lowest) / 2, 127.5 of int8.
    ``quantize(x, *find_scales(x))`` keeps every finite value within half a step.

    Args:
        x: float32, float16 or bfloat16, of rank 0 to 8.
        dtype: what x is to be quantized to: a type of caches, as in ``quantize``.
        axis: a scale for each index of it; None: one for all of x, or with ``block`` the last axis.
        shape: of scales, where it is neither of these: of x's rank, every size 1 or x's, as in ``quantize``.
        method: "absmax" or "minmax".
        mode: "divide" or "multiply": what ``quantize`` will do with the scales.
        block: indices of ``axis`` that share a scale; 0: no blocks.
        block_before: with ``block``, indices of the dimension in front of ``axis`` that share it too; 0: each has its own.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        out: (scales, zero_points), to be written: float32, and int8, uint8, int32 or float32 or None; None makes them, of
            the library that x is of.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        (scales, zero_points), ready for ``quantize`` and ``dequantize`` without an axis, for their shape says it: of x [N, M]
        [M] for the last axis, [N, 1] for the first. zero_points is None where all are 0: absmax of all but unsigned types.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed.
    """
    of = dtype_of(dtype)

    def shape_of(tensors: dict[str, Tensor]) -> tuple[int, ...]:
        whole = tensors["x"].shape
        if shape is not None:
            return checked_shape("shape", shape)
        if block > 0:
            return with_blocks(whole, place_of(axis, len(whole)), block, block_before)
        return () if axis is None else along(whole, place_of(axis, len(whole)))

    kept = method != "absmax" or of.is_unsigned
    scales, zero_points = outputs(out, "scales", "zero_points") or (
        New("float32", shape_of),
        New("uint8" if of.is_unsigned else "int8", shape_of) if kept else None,
    )
    made: Scales = _FIND_SCALES.call(
        run,
        x,
        x=x,
        scales=scales,
        zero_points=zero_points,
        dtype=of.element,
        axis=axis,
        method=method,
        block=block,
        block_before=block_before,
    )
    return made
