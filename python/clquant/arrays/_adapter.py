# SPDX-License-Identifier: Apache-2.0
"""What operators ask of a library of arrays."""

from __future__ import annotations

from typing import Any, Protocol

from .._context import Context
from .._dtypes import DType
from .._tensor import Tensor


class Adapter(Protocol):
    """How arrays of one library are seen and made."""

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type are its arrays."""

    def context_of(self, array: Any, queue: Any) -> Context | None:
        """Return the context that an array on a device belongs to; None for an array of the host's memory."""

    def queue_of(self, array: Any) -> int | None:
        """Return the queue that comes with an array, if one does."""

    def may_write(self, array: Any) -> None:
        """Raise ValueError where a call must not write an array that can be written otherwise."""

    def was_written(self, array: Any, event: Any) -> None:
        """Tell the library of an array that a call writes it, which is done by an event."""

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See an array as a tensor, of another element type where one is given."""

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int, *, zeros: bool) -> Any:
        """Make an array beside another one, of zeros, or whose elements are not set."""


class HostAdapter:
    """What is common to arrays of the host's memory."""

    def context_of(self, array: Any, queue: Any) -> Context | None:
        """Return None: any context may see it."""
        return None

    def queue_of(self, array: Any) -> int | None:
        """Return None: there is none."""
        return None

    def may_write(self, array: Any) -> None:
        """Raise nothing: where an array is read-only, its view says so."""

    def was_written(self, array: Any, event: Any) -> None:
        """Tell nothing: nobody asks."""


def in_elements(strides: tuple[int, ...], size: int, kind: str) -> tuple[int, ...]:
    """Turn strides in bytes into strides in elements."""
    if any(stride % size for stride in strides):
        raise ValueError(f"an array has strides of {strides} bytes: each must be a multiple of {kind}'s {size}")
    return tuple(stride // size for stride in strides)
