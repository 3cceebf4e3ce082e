# SPDX-License-Identifier: Apache-2.0
"""Arrays of pyopencl whose bytes are elements of a type that numpy does not have. Imported where there is pyopencl."""

from __future__ import annotations

from typing import Any

from pyopencl.array import Array

from .._dtypes import BY_NAME, moved_sentence


class TypedArray(Array):  # type: ignore[misc] # pyopencl's types are not looked at here
    """Bytes or words that know what they hold: ``element_type`` is "int4", "float8_e4m3fn" and so on.

    Slices and copies keep it. Results of arithmetic have none, for these are no elements any more.
    """

    element_type: str | None = None
    _moved = False

    def held_type(self) -> str | None:
        """Return the type of the elements; None: numpy's own. Raises ValueError where these are not side by side any more."""
        if self._moved and self.element_type is not None:
            raise ValueError(moved_sentence(self.element_type))
        return self.element_type

    def _new_with_changes(self, *args: Any, **kwargs: Any) -> Any:
        made = super()._new_with_changes(*args, **kwargs)
        if made.dtype == self.dtype:
            made.element_type, made._moved = self.element_type, self._moved
        return made

    def transpose(self, axes: Any = None) -> Any:
        """Return the array with its axes in another order."""
        made = super().transpose(axes)
        if self.element_type is not None and BY_NAME[self.element_type].lanes > 1:
            last = (made.shape[-1:], made.strides[-1:])
            made._moved = self._moved or last != (self.shape[-1:], self.strides[-1:])
        return made

    def copy(self, *args: Any, **kwargs: Any) -> Any:
        """Return an array of the same elements."""
        made = super().copy(*args, **kwargs)
        made.element_type, made._moved = self.element_type, self._moved
        return made


def typed(array: Any, name: str) -> TypedArray:
    """See an array as one of elements of this type."""
    array.__class__ = TypedArray
    array.element_type = name
    made: TypedArray = array
    return made
