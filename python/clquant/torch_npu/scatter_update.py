# SPDX-License-Identifier: Apache-2.0
"""npu_scatter_nd_update, scatter_update and both in place: rows into a tensor as they are, by torch_npu's names."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import torch

from .._fields import Input, Output
from ._documented import Documented
from ._library import Verb, register, register_in_place
from ._types import carried

Tensor: TypeAlias = torch.Tensor

_ROWS = (Input("indices"), Input("updates"))

_ND = Documented("npu_scatter_nd_update", Input("input"), *_ROWS, Output("output"))
_ND_ = Documented("npu_scatter_nd_update_", Output("input"), *_ROWS)
_UPDATE = Documented("scatter_update", Input("data"), *_ROWS, ctypes.c_int, Output("output"))
_UPDATE_ = Documented("scatter_update_", Output("data"), *_ROWS, ctypes.c_int)


def _make_with(call: Documented, verb: Verb, target: Tensor, indices: Tensor, updates: Tensor, *axis: int) -> Tensor:
    output = target.new_empty(target.shape)
    seen, rows, made = carried(target, updates, output)
    verb(call, seen, indices, rows, *axis, made)
    return output


def _write_with(
    call: Documented, check: Documented, verb: Verb, target: Tensor, indices: Tensor, updates: Tensor, *axis: int
) -> None:
    seen, rows = carried(target, updates)
    if verb is Documented.check:  # the check of both calls is one: no output means in place
        check.check(seen, indices, rows, *axis, None)
    else:
        verb(call, seen, indices, rows, *axis)


def _make_nd(verb: Verb, input: Tensor, indices: Tensor, updates: Tensor) -> Tensor:  # noqa: A002 - the documents' name
    return _make_with(_ND, verb, input, indices, updates)


def _make(verb: Verb, data: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    return _make_with(_UPDATE, verb, data, indices, updates, axis)


def _write_nd(verb: Verb, input: Tensor, indices: Tensor, updates: Tensor) -> None:  # noqa: A002
    _write_with(_ND_, _ND, verb, input, indices, updates)


def _write(verb: Verb, data: Tensor, indices: Tensor, updates: Tensor, axis: int) -> None:
    _write_with(_UPDATE_, _UPDATE, verb, data, indices, updates, axis)


_operator_nd: Any = register("npu_scatter_nd_update(Tensor input, Tensor indices, Tensor updates) -> Tensor", _make_nd)
_operator_nd_: Any = register_in_place("npu_scatter_nd_update_", "input", "Tensor indices, Tensor updates", _write_nd)
_operator: Any = register("scatter_update(Tensor data, Tensor indices, Tensor updates, int axis) -> Tensor", _make)
_operator_: Any = register_in_place("scatter_update_", "data", "Tensor indices, Tensor updates, int axis", _write)


def npu_scatter_nd_update(input: Tensor, indices: Tensor, updates: Tensor) -> Tensor:  # noqa: A002
    """Write rows of updates into a copy of input, at the places that indices say.

        output = input, and then for each row i of indices, of k numbers
        output[i0, .., ik-1, ..] = updates[i]

    A row whose index is out of range, below 0 too, is left out; where several are the same the last one wins.

    Args:
        input: of any type of up to eight bytes.
        indices: [.., k], int32 or int64: an index for each of input's first k dimensions.
        updates: of input's type, or of floats another, which are rounded once; its dimensions are those of indices but the
            last, and then those of input from number k on.

    Returns:
        A tensor like input.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    made: Tensor = _operator_nd(input, indices, updates)
    return made


def npu_scatter_nd_update_(input: Tensor, indices: Tensor, updates: Tensor) -> Tensor:  # noqa: A002
    """Write rows of updates into input: ``npu_scatter_nd_update`` in place. Nothing else of input is touched.

    Returns:
        input.
    """
    written: Tensor = _operator_nd_(input, indices, updates)
    return written


def scatter_update(data: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """Write updates into a copy of data, at the places that indices say: ``npu_quant_scatter`` without arithmetic.

        output = data, and then for each i, with b, s = indices[i] or (i, indices[i])
        output[b, .., s : s+U on axis, ..] = updates[i]

    An entry that is out of range is left out; where entries overlap the last one wins.

    Args:
        data: of rank 2 to 8, of any type of up to eight bytes.
        indices: [N] or [N, 2], int32 or int64.
        updates: of data's type, or of floats another, which are rounded once; of data's rank: its first dimension is N, U at
            most data's size on axis, and the others are data's.
        axis: that of the starts: any but the first.

    Returns:
        A tensor like data.

    Raises:
        ValueError: an argument breaks a rule; the sentence names it, its value and the rule.
        clquant.DeviceError: the device, the driver or a build failed.
    """
    made: Tensor = _operator(data, indices, updates, axis)
    return made


def scatter_update_(data: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """Write updates into data: ``scatter_update`` in place. Nothing else of data is touched.

    Returns:
        data.
    """
    written: Tensor = _operator_(data, indices, updates, axis)
    return written
