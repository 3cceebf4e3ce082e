# SPDX-License-Identifier: Apache-2.0
"""What dynamic quantization gives: three arrays, and how they were made."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    A = TypeVar("A", default=Any)

    class _Three(NamedTuple, Generic[A]):
        y: A
        scales: A
        offsets: A | None
else:
    _Three = namedtuple("Quantized", "y scales offsets")
    _Three.__class_getitem__ = classmethod(lambda cls, _: cls)
    A = Any


class Quantized(_Three[A]):
    """What dynamic quantization gives: (y, scales, offsets), where offsets is None if it was symmetric.

    ``clquant.dequantize`` takes it whole, for it knows how it was made: ``axis``, ``block``, ``block_before``, ``block_all``,
    ``rotate`` and ``global_scale`` are what was given then, and None where nobody has said it; ``place_axis`` is the axis
    of the starts, in caches.
    """

    axis: int | None = None
    block: int | None = None
    block_before: int | None = None
    block_all: bool | None = None
    rotate: int | None = None
    global_scale: Any = None
    place_axis: int | None = None

    def __new__(cls, y: A, scales: A, offsets: A | None, **how: Any) -> Quantized[A]:
        """Make one of arrays; ``how`` are the attributes that are known."""
        made: Quantized[A] = _Three.__new__(cls, y, scales, offsets)  # type: ignore[type-var]
        wrong = how.keys() - Quantized.__annotations__.keys()
        if wrong:
            raise TypeError(f"Quantized has no {min(wrong)}: it has y, scales, offsets, {', '.join(Quantized.__annotations__)}")
        made.__dict__.update(how)
        return made

    def _replace(self, **arrays: Any) -> Quantized[A]:
        """Return one with other arrays, made as this one was."""
        return Quantized(*super()._replace(**arrays), **self.__dict__)


def _same(name: str, given: Any, known: Any) -> Any:
    """Return what is given or known; both must be the same."""
    if given is None or known is None or given == known:
        return known if given is None else given
    raise ValueError(f"{name} is {given!r}: q was quantized with {name} {known!r}")


def _place(axis: int, rank: int) -> int:
    return axis + rank if axis < 0 else axis


def opened(q: Quantized[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``dequantize`` for a whole result: as it was made. Raises ValueError where they contradict it."""
    found = dict(given)
    for name in ("scales", "offsets", "global_scale"):
        own = getattr(q, name)
        if given[name] is not None and given[name] is not own:
            raise ValueError(f"{name} is given: q is a clquant.Quantized, which has {'none' if own is None else 'its own'}")
        found[name] = own
    if given["mode"] not in (None, "dynamic"):
        raise ValueError(f"mode is {given['mode']!r}: q is a clquant.Quantized, which mode 'dynamic' undoes")
    found["mode"] = "dynamic"
    for name in ("block", "block_before", "block_all", "rotate"):
        found[name] = _same(name, given[name], getattr(q, name))
    found["q"] = q.y
    found["axis"] = _axis(q, given["axis"], given["indices"] is not None)
    return found


def _axis(q: Quantized[Any], given: int | None, gathers: bool) -> int | None:
    """Return the axis of the scales; where rows are gathered, that of the starts."""
    rank = len(q.y.shape)
    if gathers:
        if not q.block_all and q.axis is not None and _place(q.axis, rank) != rank - 1:
            raise ValueError(
                f"indices is given: q was quantized along axis {q.axis}, and rows are gathered with scales of the last"
            )
        return q.place_axis if given is None else given
    if given is None or q.axis is None or q.block_all:
        return q.axis if given is None else given
    if _place(given, rank) != _place(q.axis, rank):
        raise ValueError(f"axis is {given}: q was quantized along axis {q.axis}")
    return given
