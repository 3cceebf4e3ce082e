# SPDX-License-Identifier: Apache-2.0
"""Rows of caches that move from places to places, as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._fields import Option
from .._operator import Array, New, Operator
from .._tensor import Tensor
from .._types import FloatType, Numpy, NumpyLike, PlaceKind, Torch
from ._options import MoveRowsOptions
from ._shapes import beside, place_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MOVE_ROWS = Operator("move_rows")


@overload
def move_rows(src: NumpyLike, dst: Array | None = None, **options: Unpack[MoveRowsOptions]) -> Numpy: ...


@overload
def move_rows(src: Tensor, dst: Array | None = None, **options: Unpack[MoveRowsOptions]) -> Tensor: ...


@overload
def move_rows(src: Torch, dst: Array | None = None, **options: Unpack[MoveRowsOptions]) -> Torch: ...


@overload
def move_rows(src: Array, dst: Array | None = None, **options: Unpack[MoveRowsOptions]) -> Array: ...


@_MOVE_ROWS.function(MoveRowsOptions)
def move_rows(
    src: Array,
    dst: Array | None = None,
    *,
    src_indices: Array | None = None,
    dst_indices: Array | None = None,
    axis: int | None = None,
    positions: int = 0,
    input: Array | None = None,  # noqa: A002 - its name in C
    src_index_kind: PlaceKind = "by_shape",
    dtype: FloatType | None = None,
    **run: Any,
) -> Array:
    """Move rows of src to rows of dst: append, copy, gather, defragment, fork.

        for i in 0 .. N-1:
            the U positions from the place of src_indices[i] in src go to the place of dst_indices[i] in dst,
            as if all were read before any is written

    Args:
        src: float32, float16, bfloat16, int32, int64, float8_e8m0fnu or of a type of caches (docs/operators.md).
            With ``src_indices`` a cache [D0, .., A, .., L], A on ``axis``; without them [N, .., U, .., L], and entry i is row i.
        dst: the same with ``dst_indices``; of src's type, or of floats another, which are rounded once. It may be src, or share
            bytes with it. None, without ``dst_indices``: a new one, of zeros where nothing goes; with ``input`` a new one too.
        src_indices: None, or int32 or int64 as its kind says.
        dst_indices: the same. One of both is given.
        axis: that of the starts: any but the first, and of four bits or blocks not the last. None: the second-to-last.
        input: with ``dst_indices``: dst becomes a copy of it first; of dst's type and shape.
        positions: U, where both indices are given or dst is made; 0: 1.
        src_out_of_range: what is done with an entry whose place in src does not fit: "drop" moves nothing and counts it in
            ``report``, "clamp" takes the nearest place and counts it, "wrap" makes the axis a ring, or with "nd" each dimension.
        dst_out_of_range: the same of dst.
        src_index_kind: "by_shape": starts [N] or pairs [N, 2]; "slots" [N]: places of the whole cache, b * A + s, and -1 skips
            the entry; the other tensor may be [N, H, D] for pages [P, A, H, D]. "nd" [N, k]: an index for each of the first
            k dimensions, and the other tensor is [N, rest].
        dst_index_kind: the same of dst.
        unique: you promise that no place is written twice and that no row that is read is written, which saves looking, and the
            rows in between.
        dtype: of a dst that is made: float32, float16 or bfloat16, where src is one of them; None: src's. Of a dst
            that is given its own.
        report: a ``clquant.Report``, a buffer of 16 bytes, or a pair of a buffer and an offset in bytes.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        dst.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed.
    """
    made = dst is None and src_indices is not None and dst_indices is None

    def shape_of(tensors: dict[str, Tensor]) -> tuple[int, ...]:
        shape, indices = tensors["src"].element_shape, tensors["src_indices"].shape
        if src_index_kind == "nd":
            return (*indices[:1], *shape[indices[1] if len(indices) > 1 else 1 :])
        entries = [*shape]
        entries[place_of(axis, len(shape), -2)] = Option("positions").value(positions) or 1
        entries[:1] = indices[:1]
        return tuple(entries)

    if dst is None and input is not None:
        dst = New(None, lambda tensors: tensors["input"].element_shape, as_input="input")
    elif made:
        dst = New(dtype, shape_of, as_input="" if dtype is not None else "src", zeros=True)
    return _MOVE_ROWS.call(
        run,
        src,
        types=None if isinstance(dst, New) else beside(dst, "dst", dtype, None),
        src=src,
        src_indices=src_indices,
        dst_indices=dst_indices,
        dst=dst,
        input=input,
        axis=axis,
        positions=0 if made else positions,
        src_index_kind=src_index_kind,
    )
