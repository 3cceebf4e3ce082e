# SPDX-License-Identifier: Apache-2.0
"""ggml's own quantizers, of the library that the package pywhispercpp brings, by ctypes."""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

BLOCK_BYTES = {"q8_0": 34, "q4_0": 18, "q4_1": 20, "q5_0": 22, "q5_1": 24, "iq4_nl": 18}
BLOCK_VALUES = 32

Array = np.ndarray[Any, Any]


class Ggml:
    """libggml-base: its reference, in one thread."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("_pywhispercpp")
        if spec is None or spec.origin is None:
            raise ImportError("pywhispercpp is not installed")
        folder = Path(spec.origin).parent
        for library in folder.glob("pywhispercpp.libs/libgomp*"):
            ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
        base = next(iter((*folder.glob("libggml-base.so"), *folder.glob("pywhispercpp.libs/libggml-base*"))), None)
        if base is None:
            raise ImportError("pywhispercpp has no libggml-base")
        self._library = ctypes.CDLL(str(base))

    def quantize(self, x: Array, name: str, out: Array | None = None) -> Array:
        """Return rows of floats as bytes, by quantize_row_NAME_ref; out: dense bytes that they are written to."""
        wide = np.ascontiguousarray(x, np.float32)
        if out is None:
            out = np.empty((*x.shape[:-1], x.shape[-1] // BLOCK_VALUES * BLOCK_BYTES[name]), np.uint8)
        self._run(f"quantize_row_{name}_ref", wide, out, wide.size)
        return out

    def dequantize(self, q: Array, name: str, out: Array | None = None) -> Array:
        """Return rows of bytes as float32, by dequantize_row_NAME; out: dense floats that they are written to."""
        held = np.ascontiguousarray(q)
        if out is None:
            out = np.empty((*q.shape[:-1], q.shape[-1] // BLOCK_BYTES[name] * BLOCK_VALUES), np.float32)
        self._run(f"dequantize_row_{name}", held, out, out.size)
        return out

    def _run(self, function: str, source: Array, target: Array, values: int) -> None:
        pointer = ctypes.c_void_p
        getattr(self._library, function)(pointer(source.ctypes.data), pointer(target.ctypes.data), ctypes.c_int64(values))
