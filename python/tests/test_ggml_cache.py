# SPDX-License-Identifier: Apache-2.0
"""The program examples/ggml_cache, in the folder that CLQ_EXAMPLES names: its cache's bytes are gguf's and ggml's."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from ggml_library import BLOCK_BYTES

ROWS = 64

if "CLQ_EXAMPLES" not in os.environ:
    pytest.skip("CLQ_EXAMPLES names no folder of built examples", allow_module_level=True)


def kept(folder, name):
    """Return the rows that the program was given with their ids, the cache, and what it read back with its ids."""
    program = Path(os.environ["CLQ_EXAMPLES"]) / "ggml_cache"
    subprocess.run([program, name, folder], check=True)
    k, ids = np.fromfile(folder / "k.f32", np.float32).reshape(-1, 256), np.fromfile(folder / "ids.i64", np.int64)
    values, got = np.fromfile(folder / "values.f32", np.float32).reshape(-1, 256), np.fromfile(folder / "got.i32", np.int32)
    return k, ids, np.fromfile(folder / f"cache.{name}", np.uint8).reshape(ROWS, -1), values, got


def check(folder, name, quantize, dequantize):
    """Hold the program's cache against that of another quantizer, row after row as SET_ROWS writes them."""
    k, ids, cache, values, got = kept(folder, name)
    right = np.zeros_like(cache)
    for place, row in zip(ids, quantize(k), strict=True):
        if place >= 0:
            right[place] = row
    assert np.count_nonzero(right.any(axis=1)) == len(ids) - 2  # one is skipped, and one written over
    np.testing.assert_array_equal(cache, right)
    np.testing.assert_array_equal(values.view(np.uint32), dequantize(right[got]).view(np.uint32))


@pytest.mark.parametrize("name", [name for name in BLOCK_BYTES if name != "iq4_nl"])  # which gguf only reads
def test_its_cache_is_that_of_gguf(tmp_path, name):
    gguf = pytest.importorskip("gguf")
    kind = gguf.GGMLQuantizationType[name.upper()]
    check(tmp_path, name, lambda k: gguf.quantize(k, kind), lambda q: gguf.dequantize(q, kind))


@pytest.mark.parametrize("name", BLOCK_BYTES)
def test_its_cache_is_that_of_ggml(tmp_path, ggml, name):
    check(tmp_path, name, lambda k: ggml.quantize(k, name), lambda q: ggml.dequantize(q, name))
