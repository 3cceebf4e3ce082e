# SPDX-License-Identifier: Apache-2.0
"""The second scale of NVFP4, which is found from all of a tensor before its blocks are."""

from __future__ import annotations

import numpy as np

from ._context import Context
from ._dtypes import BY_NAME
from ._keywords import only_its_keywords
from ._operator import Array
from ._tensor import Tensor
from .arrays import adapter_of, to_device, view, with_floats

_LARGEST = np.float32(448 * 6)  # of the scales of blocks, and of their elements
_LEAST = np.float32(2**-126)  # one over less than a quarter of it is infinite


@only_its_keywords()
def nvfp4_scale(x: Array, *, context: Context | None = None) -> Array:
    """Return ``global_scale`` for x: its largest magnitude / (448 * 6), so that the scale of the largest block is 448.

        g = clquant.nvfp4_scale(x)
        q = clquant.dynamic_quantize(x, dtype="float4_e2m1fn", scale_rule="nvfp4", global_scale=g)

    Infinities and NaN take no part. It is at least 2^-126, and 1 of zeros. The result has one float32, and is of the library
    that x is of. With arrays on a device the call waits and copies them.

    Raises ValueError where x is not of float32, float16 or bfloat16, TypeError where it is no array.
    """
    seen = x.current() if isinstance(x, Tensor) else view(with_floats(x), context=context)
    name = seen.dtype.name
    if name not in ("float32", "float16", "bfloat16"):
        raise ValueError(f"x.dtype is {name}: it must be float32, float16 or bfloat16")
    beside = seen.array
    own = None if beside is None else adapter_of(type(beside)).queue_of(beside)
    held = seen.numpy(queue=own)
    if name == "bfloat16":  # by its bits, for numpy may have no such type
        held = (held.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    largest = np.abs(held).astype(np.float32).max(initial=0, where=np.isfinite(held))
    scale = np.maximum(largest / _LARGEST, _LEAST) if largest else np.float32(1)
    if beside is None:
        return to_device(np.array([scale], np.float32), context=seen.context)
    made = adapter_of(type(beside)).new(beside, (1,), BY_NAME["float32"], own or seen.context.queue, zeros=True)
    made[:1] = float(scale)
    return made
