# SPDX-License-Identifier: Apache-2.0
"""oneDNN's reorder of float32 to int8 by scales, of version 2's C interface (Debian: libdnnl2), by ctypes."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_CPU, _F32, _S8, _AB, _FROM, _TO = 1, 3, 5, 3, 1, 17  # of oneapi/dnnl/dnnl_types.h
_DESCRIPTOR_BYTES = 4096  # more than a dnnl_memory_desc_t has


class _Argument(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("memory", ctypes.c_void_p))


class Reorder:
    """y = round(x * scales), of one scale or one for each column; x and y stay where they are."""

    def __init__(self, x: Array, scales: Array, y: Array) -> None:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # or its threads spin on while the other one runs
        self._library = ctypes.CDLL("libdnnl.so.2")
        self._kept = x, y
        engine = self._make("engine_create", _CPU, ctypes.c_size_t(0))
        self._stream = self._make("stream_create", engine, 1)
        source, target = self._described(x, _F32), self._described(y, _S8)
        attributes = self._make("primitive_attr_create")
        values = np.ascontiguousarray(scales, np.float32).ravel()
        mask = 2 if len(values) > 1 else 0  # of the second dimension
        address = ctypes.c_void_p(values.ctypes.data)
        self._do("primitive_attr_set_output_scales", attributes, ctypes.c_int64(len(values)), mask, address)
        how = self._make("reorder_primitive_desc_create", source, engine, target, engine, attributes)
        self._primitive = self._make("primitive_create", how)
        memories = [self._make("memory_create", d, engine, ctypes.c_void_p(a.ctypes.data)) for d, a in ((source, x), (target, y))]
        self._arguments = (_Argument * 2)(_Argument(_FROM, memories[0].value), _Argument(_TO, memories[1].value))

    def __call__(self) -> None:
        """Run it, and wait."""
        self._do("primitive_execute", self._primitive, self._stream, 2, self._arguments)
        self._do("stream_wait", self._stream)

    def _do(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, f"dnnl_{name}")(*arguments)
        if status:
            raise RuntimeError(f"dnnl_{name} failed with {status}")

    def _make(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self._do(name, ctypes.byref(made), *arguments)
        return made

    def _described(self, array: Array, kind: int) -> Any:
        descriptor = ctypes.create_string_buffer(_DESCRIPTOR_BYTES)
        self._do("memory_desc_init_by_tag", descriptor, 2, (ctypes.c_int64 * 12)(*array.shape), kind, _AB)
        return descriptor
