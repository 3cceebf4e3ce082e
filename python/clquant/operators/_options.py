# SPDX-License-Identifier: Apache-2.0
"""The keywords of operators, for type checkers.

Those of ``clquant.Run``, fields of the descriptor (``clquant/options.h``), whose values, defaults and sentences the library
knows, and a few that are Python's own. A test compares them with the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._operator import Array, Run
from .._quantized import Quantized
from .._types import (
    BackMode,
    DynamicType,
    FloatType,
    FoundType,
    GroupType,
    IndexKind,
    Method,
    Mode,
    OutOfRange,
    PlaceKind,
    ScaleRule,
    StaticType,
)

if TYPE_CHECKING:
    from .find_scales import Scales


class QuantizeOptions(Run, total=False):
    """The options of ``quantize``, for type checkers."""

    dtype: StaticType
    axis: int | None
    mode: Mode
    block: int
    block_before: int
    round_first: bool
    workspace: Any
    out: Array | None


class GroupQuantizeOptions(Run, total=False):
    """The options of ``group_quantize``, for type checkers."""

    dtype: GroupType
    round_first: bool
    report: Any
    workspace: Any
    out: Array | None


class QuantizeScatterOptions(Run, total=False):
    """The options of ``quantize_scatter``, for type checkers."""

    input: Array | None
    axis: int | None
    mode: Mode
    out_of_range: OutOfRange
    unique: bool
    index_kind: IndexKind
    block: int
    round_first: bool
    report: Any
    workspace: Any


class FoundOptions(Run, total=False):
    """Those of both operators that find scales as they quantize."""

    scale_rule: ScaleRule
    global_scale: Array | None
    least: float
    block: int
    rotate: int
    axis: int | None
    workspace: Any


class DynamicQuantizeOptions(FoundOptions, total=False):
    """The options of ``dynamic_quantize``, for type checkers."""

    dtype: DynamicType
    scale_dtype: FloatType
    symmetric: bool
    block_before: int
    block_all: bool
    type_max: float
    group_index: Array | None
    out: Quantized[Array] | tuple[Array, Array, Array | None] | None


class DynamicQuantizeScatterOptions(FoundOptions, total=False):
    """The options of ``dynamic_quantize_scatter``, for type checkers."""

    symmetric: bool | None
    out_of_range: OutOfRange
    unique: bool
    index_kind: IndexKind
    report: Any


class DequantizeOptions(Run, total=False):
    """The options of ``dequantize``, for type checkers."""

    offsets: Array | None
    global_scale: Array | None
    indices: Array | None
    group_index: Array | None
    length: int
    dtype: FloatType
    axis: int | None
    mode: BackMode | None
    out_of_range: OutOfRange
    index_kind: IndexKind
    block: int | None
    block_before: int | None
    block_all: bool | None
    rotate: int | None
    report: Any
    workspace: Any
    out: Array | None


class FindScalesOptions(Run, total=False):
    """The options of ``find_scales``, for type checkers."""

    dtype: FoundType
    axis: int | None
    shape: tuple[int, ...] | None
    method: Method
    mode: Mode
    block: int
    block_before: int
    workspace: Any
    out: Scales | tuple[Array, Array | None] | None


class MoveRowsOptions(Run, total=False):
    """The options of ``move_rows``, for type checkers."""

    src_indices: Array | None
    dst_indices: Array | None
    axis: int | None
    positions: int
    input: Array | None
    src_out_of_range: OutOfRange
    dst_out_of_range: OutOfRange
    src_index_kind: PlaceKind
    dst_index_kind: PlaceKind
    unique: bool
    dtype: FloatType | None
    report: Any
    workspace: Any
