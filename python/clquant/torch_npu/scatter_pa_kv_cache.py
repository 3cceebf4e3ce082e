# SPDX-License-Identifier: Apache-2.0
"""npu_scatter_pa_kv_cache: keys and values into pages, by torch_npu's name."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register
from ._types import carried

Tensor: TypeAlias = torch.Tensor

_COMPRESSED = ("compress_lens", "compress_seq_offsets", "seq_lens")

_SCATTER = Documented(
    "npu_scatter_pa_kv_cache",
    Input("key"),
    Input("value"),
    Output("key_cache"),
    Output("value_cache"),
    Input("slot_mapping"),
    *(Input(name) for name in _COMPRESSED),
    ctypes.c_char_p,
)


def _write(
    verb: Verb,
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    cache_mode: str | None = "PA_NZ",
    **compressed: Any,
) -> None:
    tensors = carried(key, value, key_cache, value_cache)
    others = (compressed.get(name) for name in _COMPRESSED)
    verb(_SCATTER, *tensors, slot_mapping, *others, None if cache_mode is None else cache_mode.encode())


_operator: Any = register(
    "npu_scatter_pa_kv_cache(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor slot_mapping, *, "
    "Tensor? compress_lens=None, Tensor? compress_seq_offsets=None, Tensor? seq_lens=None, str? cache_mode='PA_NZ') -> ()",
    _write,
)


def npu_scatter_pa_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    compress_lens: Tensor | None = None,
    compress_seq_offsets: Tensor | None = None,
    seq_lens: Tensor | None = None,
    cache_mode: str | None = "PA_NZ",
) -> None:
    """Write keys and values into the pages of a cache, at the slots that slot_mapping says.

        of each i, with s = slot_mapping[i]:  key_cache at slot s = key[i], value_cache at slot s = value[i]

    A slot below 0 or past the cache leaves its entry out; of several entries of one slot the last one stays.

    Args:
        key: [N, heads, size], of any type of up to eight bytes.
        value: the same, of a size of its own.
        key_cache: with cache_mode "Norm" [blocks, block_size, heads, size]; with "PA_NZ"
            [blocks, heads * size / last, block_size, last].
        value_cache: the same of value.
        slot_mapping: [N], int32 or int64.
        compress_lens: None: the compressed form of the cache is refused.
        compress_seq_offsets: None.
        seq_lens: None.
        cache_mode: "Norm", or "PA_NZ", which None means too.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule. Neither cache is written.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    compressed = {"compress_lens": compress_lens, "compress_seq_offsets": compress_seq_offsets, "seq_lens": seq_lens}
    _operator(key, value, key_cache, value_cache, slot_mapping, **compressed, cache_mode=cache_mode)
