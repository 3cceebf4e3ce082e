# SPDX-License-Identifier: Apache-2.0
"""Arrays of numpy whose bytes are elements of a type that numpy does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ._dtypes import BY_NAME, in_files, moved_sentence

_Plain = np.ndarray[Any, Any]
_FILES = (np.save, np.savez, np.savez_compressed)


class TypedArray(np.ndarray[Any, Any]):
    """Bytes or words that know what they hold: ``element_type`` is "int4", "float8_e4m3fn" and so on.

    Slices, copies and joined arrays keep it, and files of ``numpy.save`` and ``numpy.savez``, as the name of a record's only
    member. Results of arithmetic are plain arrays, for these are no elements any more, and so is ``numpy.asarray(array)``.
    """

    element_type: str | None
    _moved: bool

    def __array_finalize__(self, of: Any) -> None:
        keeps = isinstance(of, TypedArray) and of.dtype == self.dtype
        self.element_type = of.element_type if keeps else None
        self._moved = keeps and of._moved

    def held_type(self) -> str | None:
        """Return the type of the elements; None: numpy's own. Raises ValueError where these are not side by side any more."""
        if self._moved and self.element_type is not None:
            raise ValueError(moved_sentence(self.element_type))
        return self.element_type

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.get("out")
        if out is not None:
            options["out"] = tuple(_plain(each) for each in out)
        made = getattr(ufunc, method)(*(_plain(each) for each in inputs), **options)
        return out[0] if out is not None and len(out) == 1 else made

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in _FILES:
            args, kwargs = tuple(map(_in_a_file, args)), {name: _in_a_file(each) for name, each in kwargs.items()}
            return function(*args, **kwargs)
        made = super().__array_function__(function, types, args, kwargs)
        return _joined(made, args[0]) if function is np.concatenate and args else made

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Return the same bytes; as another type of numpy they are that type's elements."""
        made = super().view(*args, **kwargs)
        if isinstance(made, TypedArray) and made.dtype != self.dtype:
            made.element_type = None
        return made

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its axes in another order."""
        return self._moving(super().transpose(*axes))

    def swapaxes(self, *axes: Any) -> Any:
        """Return the array with two axes in each other's place."""
        return self._moving(super().swapaxes(*axes))

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's name
        """The array with its axes in reverse order."""
        return self.transpose()

    def _moving(self, made: Any) -> Any:
        """Say of an array whose last axis is another one that elements which share a byte are not along it."""
        if (made.shape[-1:], made.strides[-1:]) != (self.shape[-1:], self.strides[-1:]):
            made._moved = self._moved or (self.element_type is not None and BY_NAME[self.element_type].lanes > 1)
        return made

    def __reduce__(self) -> Any:
        make, args, state = cast(Any, super().__reduce__())
        return make, args, (state, self.element_type, self._moved)

    def __setstate__(self, state: Any) -> None:
        held, self.element_type, self._moved = state
        super().__setstate__(held)


def typed(array: _Plain, name: str) -> TypedArray:
    """See an array as one of elements of this type."""
    made = array.view(TypedArray)
    made.element_type = name
    return made


def _plain(array: Any) -> Any:
    return array.view(np.ndarray) if isinstance(array, TypedArray) else array


def _in_a_file(array: Any) -> Any:
    """Return an array as numpy's files keep its type, and whatever else as it is."""
    name = array.held_type() if isinstance(array, TypedArray) else None
    return array if name is None else np.ascontiguousarray(_plain(array)).view(in_files(name))


def _joined(made: Any, arrays: Sequence[Any]) -> Any:
    """Say of joined arrays what they hold, where all of them hold the same."""
    first = arrays[0]
    for each in arrays:
        if not isinstance(each, TypedArray) or each.element_type != first.element_type or each.dtype != made.dtype:
            return _plain(made)
    if first.element_type is None:
        return _plain(made)
    label = typed(made, first.element_type)
    label._moved = any(each._moved for each in arrays)
    return label
