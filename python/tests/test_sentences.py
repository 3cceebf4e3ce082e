# SPDX-License-Identifier: Apache-2.0
"""What errors say: Python's words, the array's own type and what makes it one that is taken."""

import re
from pathlib import Path

import numpy as np
import pytest

import clquant
from clquant._sentences import in_python

HOST = Path(__file__).parents[2] / "host"
X = np.ones((4, 8), np.float32)
IN_C = r"\bNULL\b|\bCLQ_(?!DEVICE\b|CACHE_DIR\b|LOG\b|RECORD\b)|\(code \d"


def literals():
    """The library's sentences, with a number in the place of each that is printed."""
    for folder in ("base", "plan", "ops", "runtime"):
        for path in sorted((HOST / folder).glob("*.c")):
            for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", path.read_text())):
                if re.search(r" (is|are|must|may|alone|with) |AXIS_FIRST", text):
                    yield re.sub(r"%[-+.\d]*(?:ll|z|j)?[diu]", "1", text).replace("%s", "x")


def test_no_sentence_speaks_c():
    """Every sentence of the library that has a word of C's has another one here."""
    # Flags are put together in Python, so that none is wrong.
    found = [text for text in literals() if re.search(IN_C, text) and not text.startswith("flags is")]
    assert len(found) > 30
    left = [in_python(text) for text in found if re.search(IN_C, in_python(text))]
    assert not left


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("mode is 2: it must be CLQ_DEQUANTIZE_MULTIPLY (1)", "mode is 'dynamic': it must be 'multiply'"),
        ("symmetric is 0: it must be 1 where y is x", "symmetric is False: it must be True where y is x"),
        ("axis is 0 (CLQ_AXIS_FIRST): it must be 1 or -1", "axis is 0: it must be 1 or -1"),
        ("x.dtype is (code 0, bits 16, lanes 1): it must be float32", "x.dtype is int16: it must be float32"),
        ("scales is NULL: it must be a tensor", "scales is None: it must be an array"),
        (
            "plan is that of another one of calls: it must stand there once",
            "plan is at work for another thread: it must be for one at a time",
        ),
        ("block_all is 1: for mode CLQ_DEQUANTIZE_DYNAMIC (2)", "block_all is True: for mode 'dynamic'"),
    ],
)
def test_words(said, means):
    assert in_python(said) == means


@pytest.mark.parametrize("dtype", ["float64", "int16", "uint16", "uint32", "uint64", "bool", "complex64", "complex128", "int8"])
def test_sentence_for_float64(context, dtype):
    """The array's own type, those that x takes and no others, and what makes it one of them."""
    taken = r"it must be float32, float16 or bfloat16: x\.astype\(np\.float32\)$"
    for call in (clquant.quantize, lambda *args, **run: clquant.plan(clquant.quantize, *args, **run)):
        with pytest.raises(ValueError, match=rf"^x\.dtype is {dtype}: {taken}"):
            call(X.astype(dtype), 0.5, context=context)


def test_types_of_other_arguments():
    cache = np.zeros((4, 4, 8), np.int8)
    with pytest.raises(ValueError, match=r"^indices\.dtype is float64: it must be int32 or int64: indices\.astype\(np\.int64\)$"):
        clquant.quantize_scatter(cache, np.zeros(4), np.ones((4, 1, 8), np.float32), 1.0, axis=1)
    with pytest.raises(ValueError, match=r"^q\.dtype is float64: it must be int8, [a-z0-9_, ]* or \w+$"):
        clquant.dequantize(np.ones((2, 2)), 0.5)
    with pytest.raises(ValueError, match="x: an array has elements of str32: they must be numbers"):
        clquant.quantize(np.array(["a"]), 0.5)
    with pytest.raises(ValueError, match="dtype is float64: it must be one of float32, "):
        clquant.view(np.ones(4))
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"scales\.dtype is float64: it must be .*: scales\.to\(torch\.float32\)$"):
        clquant.quantize(X, torch.ones(1, dtype=torch.float64))


def test_options_that_do_not_fit():
    q = np.ones((4, 8), np.int8)
    for given, said in (
        ({"group_index": np.array([4]), "mode": "divide"}, "mode is 'divide': with group_index it must be 'multiply'"),
        ({"offsets": np.ones(1, np.float32), "mode": "divide"}, "offsets is given: they are for mode 'dynamic'.*'divide'"),
        ({"block_all": True}, "block_all is True: it is for mode 'dynamic', and mode is 'divide'"),
        ({"index_kind": "slots"}, "index_kind is 'slots': it must be 'by_shape' where indices is None"),
    ):
        with pytest.raises(ValueError, match=said):
            clquant.dequantize(q, np.ones((1, 8), np.float32), **given)
    with pytest.raises(ValueError, match="symmetric is True: it must be False where y"):
        clquant.dynamic_quantize(X, dtype="uint8", symmetric=True)
