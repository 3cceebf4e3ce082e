# SPDX-License-Identifier: Apache-2.0
"""Dynamic quantization of updates, written with scales and offsets into three caches."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, overload

from .._operator import Array, Operator
from .._quantized import Quantized
from .._tensor import Tensor
from .._types import Numpy, NumpyLike, ScaleRule, Torch
from ._options import DynamicQuantizeScatterOptions
from ._shapes import rule_block

if TYPE_CHECKING:
    from typing_extensions import Unpack

_DYNAMIC_QUANTIZE_SCATTER = Operator(
    "dynamic_quantize_scatter",
    floats=("updates", "smooth_scales"),
    result=functools.partial(Quantized, axis=-1, block_before=0, block_all=False),
    how={"block": "block", "rotate": "rotate", "place_axis": "axis", "global_scale": "global_scale"},
)


@overload
def dynamic_quantize_scatter(
    cache: NumpyLike,
    cache_scales: Array | None,
    cache_offsets: Array | None,
    indices: Array,
    updates: Array,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeScatterOptions],
) -> Quantized[Numpy]: ...


@overload
def dynamic_quantize_scatter(
    cache: Tensor,
    cache_scales: Array | None,
    cache_offsets: Array | None,
    indices: Array,
    updates: Array,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeScatterOptions],
) -> Quantized[Tensor]: ...


@overload
def dynamic_quantize_scatter(
    cache: Torch,
    cache_scales: Array | None,
    cache_offsets: Array | None,
    indices: Array,
    updates: Array,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeScatterOptions],
) -> Quantized[Torch]: ...


@overload
def dynamic_quantize_scatter(
    cache: Array,
    cache_scales: Array | None,
    cache_offsets: Array | None,
    indices: Array,
    updates: Array,
    smooth_scales: Array | None = None,
    **options: Unpack[DynamicQuantizeScatterOptions],
) -> Quantized[Array]: ...


@_DYNAMIC_QUANTIZE_SCATTER.function(DynamicQuantizeScatterOptions)
def dynamic_quantize_scatter(
    cache: Array,
    cache_scales: Array | None,
    cache_offsets: Array | None,
    indices: Array,
    updates: Array,
    smooth_scales: Array | None = None,
    *,
    symmetric: bool | None = None,
    block: int = 0,
    scale_rule: ScaleRule = "range",
    **run: Any,
) -> Quantized[Array]:
    """Quantize each row of updates with its own scale, and write entry i where ``indices[i]`` says, in three caches.

        for i in 0 .. N-1:
            b, s = indices[i] if indices is [N, 2] else (i, indices[i]), or of slots (indices[i] / A, indices[i] mod A)
            cache[b, .., s : s+U on axis, .., :], cache_scales[b, .., s : s+U, ..], cache_offsets[b, .., s : s+U, ..]
                = dynamic_quantize(updates[i])

    Args:
        cache: [D0, .., A, .., H], of rank 3 to 8, A on ``axis``, of a type of caches (docs/operators.md); of four
            bits as ``clquant.view(bytes, "int4")``, and of blocks that carry their scales ``clquant.view(bytes, "q8_0")``.
        cache_scales: None of such blocks; else cache's shape less the last dimension, or with ``block`` [D0, .., A, ..,
            ceil(H / block)]: float32, float16 or bfloat16, or what scale_rule asks for.
        cache_offsets: as cache_scales; None where symmetric, and of blocks.
        indices: [N] or [N, 2], int32 or int64.
        updates: [N, .., U, .., H], float32, float16 or bfloat16; U at most A, the other dimensions are cache's.
        smooth_scales: None, or H factors that multiply updates first.
        axis: that of the starts, neither the first nor the last; None: the second-to-last, as in ``quantize_scatter``.
        symmetric: the largest magnitude sets the scale; None: where cache_offsets is None.
        out_of_range: "drop", "clamp" or "wrap", as in ``quantize_scatter``.
        unique: you promise that no two entries overlap, which saves looking.
        index_kind: "by_shape" or "slots", as in ``quantize_scatter``; of slots updates may be [N, H, D] there too.
        block: as in ``dynamic_quantize``, along the last dimension.
        scale_rule: as in ``dynamic_quantize``.
        report: a ``clquant.Report``, a buffer of 16 bytes, or a pair of a buffer and an offset in bytes.
        workspace: a ``clquant.Workspace``, a buffer, or a pair of a buffer and an offset in bytes; None makes one where needed.
        **run: context, queue, wait_for and events: see ``clquant.Run``.

    Returns:
        (cache, cache_scales, cache_offsets), which ``dequantize`` takes whole.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Nothing is written.
        DeviceError: the device, the driver or a build failed.
    """
    made: Quantized[Array] = _DYNAMIC_QUANTIZE_SCATTER.call(
        run,
        cache,
        cache=cache,
        cache_scales=cache_scales,
        cache_offsets=cache_offsets,
        indices=indices,
        updates=updates,
        smooth_scales=smooth_scales,
        symmetric=cache_offsets is None and cache_scales is not None if symmetric is None else symmetric,
        block=rule_block(scale_rule, block),
        scale_rule=scale_rule,
    )
    return made
