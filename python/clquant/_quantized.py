# SPDX-License-Identifier: Apache-2.0
"""What dynamic quantization gives: three arrays, and how they were made."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from ._origins import Origin, origin_of, remember

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


def remembered(result: Quantized[Any], made: set[str]) -> None:
    """Know the arrays that a call has made as those of its result. Of one that was given, nobody knows what is written next."""
    how = {name: getattr(result, name) for name in ("axis", "block", "block_before", "block_all", "rotate", "global_scale")}
    if how["axis"] is not None and how["axis"] >= 0:
        how["axis"] = int(how["axis"]) - len(result.y.shape)  # so that it is that of a view with fewer dimensions in front, too
    for role, array in zip(result._fields, result, strict=True):
        if array is not None:
            remember(array, Origin(role, how) if role in made else None)


def known(q: Any, zero_points: Any, given: dict[str, Any]) -> Quantized[Any] | None:
    """Return the result of dynamic quantization whose arrays are given to ``dequantize`` one by one; None: they are of none.

    Options that are given say how scales are meant, as without a result. Raises ValueError where they may be meant so or so.
    """
    scales, offsets = given["scales"], zero_points if given["offsets"] is None else given["offsets"]
    of_q, of_scales, of_offsets = origin_of(q), origin_of(scales), origin_of(offsets)
    has_offsets = of_offsets is not None and of_offsets.role == "offsets"
    origin = of_offsets if has_offsets else of_q if scales is None else of_scales
    if origin is None or given["mode"] not in (None, "dynamic"):
        return None
    if given["mode"] is None and not has_offsets:
        if any(
            given[name] is not None for name in ("offsets", "axis", "block", "block_before", "block_all", "rotate", "indices")
        ):
            return None
        is_whole = of_q is not None and of_q.how is origin.how
        if zero_points is not None and is_whole:
            raise ValueError(f"zero_points is given: {_OFFSETS}")
        if zero_points is not None or not (scales is None or _are_of_rows(q, scales, origin.how, is_whole)):
            return None
    return Quantized(q, scales, offsets, **origin.how)


_OFFSETS = "a result of dynamic_quantize has offsets: give offsets=…, or pass the clquant.Quantized whole"


def refuse_offsets(name: str, given: Any) -> None:
    """Raise ValueError where what is given as zero points is the offsets of a result."""
    origin = origin_of(given)
    if origin is not None and origin.role == "offsets":
        raise ValueError(f"{name} is the offsets of a result: {_OFFSETS}")


def _are_of_rows(q: Any, scales: Any, how: dict[str, Any], is_whole: bool) -> bool:
    """Say whether scales of a result have the shape that those of q would have.

    Raises ValueError where q is not known to be of the result, and those of its columns would have it too.
    """
    shape, axis = tuple(getattr(q, "shape", ())), how["axis"]
    if how["block"] or how["block_all"]:
        return True
    if tuple(scales.shape) != (*shape[:axis], *shape[len(shape) + axis + 1 :]):
        return False
    if not is_whole and len(shape) == 2 and shape[0] == shape[1] and axis == -1:
        raise ValueError(
            "scales are those of rows, of a result of dynamic_quantize, and q is square and of none: "
            "pass the clquant.Quantized, or mode='dynamic'; mode='divide' takes them for those of columns"
        )
    return True


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
