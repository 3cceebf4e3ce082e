# SPDX-License-Identifier: Apache-2.0
"""Static quantization into a cache, at the places that indices say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._operator import Array, New, Operator
from .._tensor import Tensor
from .._types import Numpy, NumpyLike, Torch
from ._options import QuantizeScatterOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

_QUANTIZE_SCATTER = Operator("quantize_scatter", floats=("updates", "scales"))


@overload
def quantize_scatter(
    cache: NumpyLike,
    indices: Array,
    updates: Array,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeScatterOptions],
) -> Numpy: ...


@overload
def quantize_scatter(
    cache: Tensor,
    indices: Array,
    updates: Array,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeScatterOptions],
) -> Tensor: ...


@overload
def quantize_scatter(
    cache: Torch,
    indices: Array,
    updates: Array,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeScatterOptions],
) -> Torch: ...


@overload
def quantize_scatter(
    cache: Array,
    indices: Array,
    updates: Array,
    scales: Array,
    zero_points: Array | None = None,
    **options: Unpack[QuantizeScatterOptions],
) -> Array: ...


@_QUANTIZE_SCATTER.function(QuantizeScatterOptions)
def quantize_scatter(
    cache: Array | None,
    indices: Array,
    updates: Array,
    scales: Array,
    zero_points: Array | None = None,
    *,
    input: Array | None = None,  # noqa: A002 - its name in C, and in the documents
    **run: Any,
) -> Array:
    """Quantize updates and write entry i where ``indices[i]`` says, in cache.

        for i in 0 .. N-1:
            b, s = indices[i] if indices is [N, 2] else (i, indices[i]), or of slots (indices[i] / A, indices[i] mod A)
            cache[b, .., s : s+U on axis, ..] = sat(rint(updates[i] / scale + zero_point))    (or updates[i] * scale)

    The arithmetic is that of ``quantize``. Where entries overlap the last one wins, on every device and run.

    Args:
        cache: [D0, .., A, .., L], of rank 2 to 8, A on ``axis``, of a type of caches (docs/operators.md); of four
            bits as ``clquant.view(bytes, "int4")``. Only what indices name is written. None with ``input``: a new one.
        indices: [N] or [N, 2], int32 or int64.
        updates: [N, .., U, .., L], float32, float16 or bfloat16; U at most A, the other dimensions are cache's.
        scales: one element, or one per index of the last axis; or by shape or by blocks of the last axis, as in
            ``quantize``, with size 1 on the first dimension and on ``axis``.
        zero_points: None, or as scales, independently; also int8, uint8, int32.
        input: cache becomes a copy of it first; of cache's type and shape.
        axis: that of the starts: any but the first, and of four bits not the last. None: the second-to-last, but for [N]
            where U is all of it: every start but 0 would be out of range.
        mode: "divide" or "multiply".
        out_of_range: "drop" leaves an entry out that does not fit and counts it in ``report``, "clamp" moves it to the
            nearest place and counts it, "wrap" makes the axis a ring. Never a write outside of cache.
        unique: you promise that no two entries overlap, which saves looking.
        index_kind: "by_shape", or "slots": each index is a place of the whole cache, b * A + s, and -1 skips its entry. A slot
            is one position, which updates may leave out: [N, H, D] for pages [P, A, H, D] with axis=1.
        block: elements of the last axis that share a scale; 0: no blocks.
        report: a ``clquant.Report``, a buffer of 16 bytes, or a pair of a buffer and an offset in bytes.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        cache.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed.
    """
    made = New(None, lambda tensors: tensors["input"].element_shape, as_input="input")
    return _QUANTIZE_SCATTER.call(
        run,
        input,
        input=input,
        cache=made if cache is None and input is not None else cache,
        indices=indices,
        updates=updates,
        scales=scales,
        zero_points=zero_points,
    )
