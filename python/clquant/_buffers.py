# SPDX-License-Identifier: Apache-2.0
"""Buffers that are no tensors: reports, which count wrong indices on the device, and workspaces."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from . import _opencl as cl
from ._context import Context, default_context, given_context
from ._handles import OfThisProcess, new_memory
from ._keywords import only_its_keywords
from ._structs import ReportCounts
from ._values import whole


class Counts(NamedTuple):
    """What a report says."""

    dropped: int  # entries that were left out; of groups, rows of no group
    clamped: int  # entries that out_of_range="clamp" moved
    first: int | None  # the lowest of these entries; None: there is none


class Report(OfThisProcess):
    """16 bytes on the device, into which calls with ``report=`` count wrong indices.

    It begins with zeros, and calls add to it. It costs a call one compare for each entry, and nobody waits for it.
    """

    @only_its_keywords()
    def __init__(self, context: Context | None = None) -> None:
        self._context = given_context(context) or default_context()
        self.int_ptr: int = new_memory(self._context.int_ptr, ctypes.sizeof(ReportCounts))  # the cl_mem
        self.clear()

    @only_its_keywords()
    def clear(self, *, queue: Any = None) -> None:
        """Begin with zeros again; on the queue of the calls, if that is not the context's."""
        zeros = ReportCounts()
        cl.write_buffer(self._queue(queue), self.int_ptr, 0, ctypes.sizeof(zeros), ctypes.addressof(zeros))

    @only_its_keywords()
    def read(self, *, queue: Any = None) -> Counts:
        """Wait for the queue's calls, and return what they counted."""
        counts = ReportCounts()
        cl.finish(self._queue(queue))
        cl.read_buffer(self._queue(queue), self.int_ptr, 0, ctypes.sizeof(counts), ctypes.addressof(counts))
        return Counts(counts.dropped, counts.clamped, counts.first - 1 if counts.first else None)

    def __deepcopy__(self, memo: Any) -> Report:
        """Make another one, which begins with what this one has counted."""
        made = Report(self._context)
        cl.copy_buffer(self._context.queue, self.int_ptr, made.int_ptr, ctypes.sizeof(ReportCounts))
        return made

    def _queue(self, queue: Any) -> int:
        return self._context.queue if queue is None else cl.handle_of(queue, "queue")


class Workspace(OfThisProcess):
    """Bytes on the device for what a call keeps meanwhile: ``clquant.workspace_bytes`` says how many. For one call at a time."""

    @only_its_keywords()
    def __init__(self, size_bytes: int, context: Context | None = None) -> None:
        self._context = given_context(context) or default_context()
        self._size_bytes = whole("size_bytes", size_bytes)
        if self._size_bytes < 0:
            raise ValueError(f"size_bytes is {size_bytes}: it must not be negative")
        self.int_ptr: int = new_memory(self._context.int_ptr, self._size_bytes)  # the cl_mem

    def __deepcopy__(self, memo: Any) -> Workspace:
        """Make another one as large."""
        return Workspace(self._size_bytes, self._context)
