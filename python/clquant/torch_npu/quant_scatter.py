# SPDX-License-Identifier: Apache-2.0
"""npu_quant_scatter and npu_quant_scatter_: quantization into a cache, by torch_npu's names."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register, register_in_place
from ._types import kind_of

Tensor: TypeAlias = torch.Tensor

_CHOICES = (ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
_UPDATES = (Input("indices"), Input("updates"), Input("quant_scales"), Input("quant_zero_points"))

_SCATTER = Documented("npu_quant_scatter", Input("input"), *_UPDATES, *_CHOICES, Output("output"))
_SCATTER_ = Documented("npu_quant_scatter_", Output("self"), *_UPDATES, *_CHOICES)

_ARGUMENTS = (
    "Tensor indices, Tensor updates, Tensor quant_scales, Tensor? quant_zero_points=None, int axis=-2, int quant_axis=-1, "
    "str reduce='update', ScalarType? dst_type=None, str? round_mode='rint'"
)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _given(
    target: Tensor,
    indices: Tensor,
    updates: Tensor,
    quant_scales: Tensor,
    quant_zero_points: Tensor | None = None,
    axis: int = -2,
    quant_axis: int = -1,
    reduce: str = "update",
    dst_type: torch.dtype | None = None,
    round_mode: str | None = "rint",
) -> tuple[Any, ...]:
    """Return C's arguments of a call, from the schema's: torch leaves out those that are the defaults."""
    kind = kind_of("dst_type", dst_type, "int8", "qint8", "float8_e5m2", "float8_e4m3fn")
    tensors = (target, indices, updates, quant_scales, quant_zero_points)
    return (*tensors, axis, quant_axis, _bytes(reduce), kind.number, _bytes(round_mode))


def _make(verb: Verb, input: Tensor, *rest: Any, **named: Any) -> Tensor:  # noqa: A002 - the documents' name
    given = _given(input, *rest, **named)
    output = input.new_empty(input.shape)
    verb(_SCATTER, *given, output)
    return output


_operator = register(f"npu_quant_scatter(Tensor input, {_ARGUMENTS}) -> Tensor", _make)


def _write(verb: Verb, self: Tensor, *rest: Any, **named: Any) -> None:
    given = _given(self, *rest, **named)
    if verb is Documented.check:  # the check of both calls is one: no output means in place
        _SCATTER.check(*given, None)
    else:
        verb(_SCATTER_, *given)


_operator_ = register_in_place("npu_quant_scatter_", "self", _ARGUMENTS, _write)


def npu_quant_scatter(
    input: Tensor,  # noqa: A002
    indices: Tensor,
    updates: Tensor,
    quant_scales: Tensor,
    quant_zero_points: Tensor | None = None,
    axis: int = -2,
    quant_axis: int = -1,
    reduce: str = "update",
    dst_type: torch.dtype | None = None,
    round_mode: str | None = "rint",
) -> Tensor:
    """Quantize updates and write them into a copy of input, at the places that indices say.

        output = input, and then for each i, with b, s = indices[i] or (i, indices[i])
        output[b, .., s : s+U on axis, .., :] = sat(rint(updates[i] / quant_scales + quant_zero_points))

    The arithmetic is that of ``clquant.quantize``. An entry that is out of range is left out; where entries overlap the last
    one wins.

    Args:
        input: of dst_type, of rank 3 to 8.
        indices: [N] or [N, 2], int32 or int64.
        updates: float32, float16 or bfloat16, of input's rank; its first dimension is N, at most input's, U at most input's size
            on axis, and the others are input's.
        quant_scales: one per index of the last dimension, of any shape: float32, float16 or bfloat16.
        quant_zero_points: None, or as many; also int8, uint8, int32.
        axis: that of the starts, neither the first nor the last.
        quant_axis: the last one.
        reduce: "update".
        dst_type: torch.int8, which None means; torch.float8_e5m2 or torch.float8_e4m3fn, for which the sum is rounded to the
            type.
        round_mode: "rint", or None.

    Returns:
        A tensor like input.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    choices = (axis, quant_axis, reduce, dst_type, round_mode)
    return _operator(input, indices, updates, quant_scales, quant_zero_points, *choices)


def npu_quant_scatter_(
    self: Tensor,
    indices: Tensor,
    updates: Tensor,
    quant_scales: Tensor,
    quant_zero_points: Tensor | None = None,
    axis: int = -2,
    quant_axis: int = -1,
    reduce: str = "update",
    dst_type: torch.dtype | None = None,
    round_mode: str | None = "rint",
) -> Tensor:
    """Quantize updates and write them into self, at the places that indices say: ``npu_quant_scatter`` in place.

    Nothing else of self is touched, and nothing at all by a call that is refused.

    Returns:
        self.
    """
    choices = (axis, quant_axis, reduce, dst_type, round_mode)
    return _operator_(self, indices, updates, quant_scales, quant_zero_points, *choices)
