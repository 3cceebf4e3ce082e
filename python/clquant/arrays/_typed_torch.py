# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch whose bytes are elements of a type that torch does not have. Imported where there is torch."""

from __future__ import annotations

import copy
from typing import Any

import torch

from .._dtypes import BY_NAME, moved_sentence

_Disable: Any = getattr(torch._C, "DisableTorchFunctionSubclass", None) or torch._C.DisableTorchFunction

# Methods and functions of these names give the elements that they got, or some of them, a byte at a time.
_KEEP = frozenset(
    "__getitem__ alias cat chunk clone concat concatenate contiguous cpu detach detach_ expand expand_as "  # noqa: SIM905
    "flatten index_select narrow repeat reshape reshape_as select share_memory_ split split_with_sizes squeeze stack "
    "tensor_split to unbind unflatten unsqueeze view view_as".split()
)
_MOVE = frozenset(("movedim", "moveaxis", "permute", "swapaxes", "swapdims", "t", "transpose"))
_KEPT_DATA = torch.Tensor.data.__get__
_MOVED = tuple(getattr(torch.Tensor, name).__get__ for name in ("T", "mT", "H", "mH") if hasattr(torch.Tensor, name))


class TypedTensor(torch.Tensor):  # type: ignore[misc] # torch's types are not looked at here
    """Bytes or words that know what they hold: ``element_type`` is "int4", "uint4_words" and so on.

    Slices, copies and joined tensors keep it. Results of arithmetic are plain tensors, and so is
    ``tensor.as_subclass(torch.Tensor)``.
    """

    element_type: str
    _moved: bool

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do what torch does with plain tensors, and say of the results what they hold where that is known."""
        with _Disable():
            made = func(*args, **(kwargs or {}))
            name = getattr(func, "__name__", "")
            moves = name in _MOVE or func in _MOVED
            kinds = _kinds(args) if moves or name in _KEEP or func == _KEPT_DATA else set()
            kind = kinds.pop() if len(kinds) == 1 else None
            if kind is None:
                return made
            dtype, label, moved = kind
            if moves and BY_NAME[label].lanes > 1:
                moved = moved or _last(made) != _last(args[0])
            return _labelled(made, dtype, label, moved)

    def held_type(self) -> str:
        """Return the type of the elements. Raises ValueError where these are not side by side any more."""
        if self._moved:
            raise ValueError(moved_sentence(self.element_type))
        return self.element_type

    def __deepcopy__(self, memo: Any) -> Any:
        return _labelled(copy.deepcopy(_plain(self), memo), self.dtype, self.element_type, self._moved)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _labelled, (_plain(self), self.dtype, self.element_type, self._moved)


def typed(tensor: Any, name: str) -> Any:
    """See a tensor as one of elements of this type."""
    return _labelled(tensor, tensor.dtype, name, False)


def place_of(tensor: Any) -> tuple[Any, ...]:
    """Return the address, type, shape and strides, and do not think about what each of them holds."""
    with _Disable():
        return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()


def _plain(tensor: Any) -> Any:
    with _Disable():
        return tensor.as_subclass(torch.Tensor)


def _last(tensor: Any) -> tuple[Any, Any]:
    return tensor.shape[-1:], tensor.stride()[-1:]


def _kinds(args: Any) -> set[Any]:
    """Return what the tensors among arguments are, those of a list too: of several kinds nobody knows the result's."""
    tensors = args[0] if args and isinstance(args[0], (list, tuple)) else args[:1]
    return {(each.dtype, each.element_type, each._moved) if isinstance(each, TypedTensor) else None for each in tensors}


def _labelled(made: Any, dtype: Any, name: str, moved: bool) -> Any:
    if isinstance(made, (list, tuple)):
        return type(made)(_labelled(each, dtype, name, moved) for each in made)
    if not isinstance(made, torch.Tensor) or made.dtype != dtype:
        return made
    with _Disable():
        label = made if isinstance(made, TypedTensor) else made.as_subclass(TypedTensor)
    label.element_type = name
    label._moved = moved
    return label
