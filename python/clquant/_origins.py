# SPDX-License-Identifier: Apache-2.0
"""Arrays that a call made, and of what result each is a part: so that offsets are not taken for zero points.

The arrays themselves are as others: what is known of them lies here, by their place, as long as they live. A view is known by
the array that it is of. A copy is another array, of which nobody knows.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple


class Origin(NamedTuple):
    """What an array is of the result of a call: "y", "scales" or "offsets"; and that call's options, the same object for each."""

    role: str
    how: dict[str, Any]


_known: dict[int, tuple[weakref.ref[Any], Origin]] = {}
_sweep_at = 256


def _owners(array: Any) -> Iterator[Any]:
    """Give an array, and what it is a view of, where its elements lie as they did."""
    yield array
    flags = getattr(array, "flags", None)
    if not (hasattr(array, "is_contiguous") and array.is_contiguous() if flags is None else flags.c_contiguous):
        return
    for _ in range(3):
        array = next((getattr(array, name) for name in ("base", "_base", "base_data") if hasattr(array, name)), None)
        if array is None:
            return
        yield array


def _reference(owner: Any, array: Any) -> weakref.ref[Any]:
    """Refer to the owner, or, where it has no weak references, as pyopencl's buffers since 2025, to the array that keeps it."""
    try:
        return weakref.ref(owner)
    except TypeError:
        return weakref.ref(array)


def remember(array: Any, origin: Origin | None) -> None:
    """Know what an array is from now on; None: that it is nothing of these any more."""
    global _sweep_at  # noqa: PLW0603
    for owner in _owners(array):
        if origin is None:
            _known.pop(id(owner), None)
        else:
            with contextlib.suppress(TypeError):  # an array of a class without weak references
                _known[id(owner)] = _reference(owner, array), origin
    if len(_known) > _sweep_at:
        # Without callbacks: an exception that a handler of signals raises in one would be lost.
        for key in [key for key, (ref, _) in list(_known.items()) if ref() is None]:
            _known.pop(key, None)
        _sweep_at = 256 + 2 * len(_known)


def origin_of(array: Any) -> Origin | None:
    """Return what an array is of some result, or None."""
    for owner in _owners(array) if array is not None and _known else ():
        ref, origin = _known.get(id(owner), (None, None))
        held = None if ref is None else ref()
        if held is not None and any(other is owner for other in _owners(held)):
            return origin
    return None
