# SPDX-License-Identifier: Apache-2.0
"""Blocks that carry their scales: the bytes of ggml's compiled reference and of the gguf package, and arrays of them."""

import numpy as np
import pytest
from ggml_library import BLOCK_BYTES as BLOCKS

import clquant

IN_GGUF = [name for name in BLOCKS if name != "iq4_nl"]


def values(rng, blocks, dtype):
    """Blocks of floats: any, of few steps so that there are ties, and of many binades; each of some scale."""
    x = rng.standard_normal((blocks, 32)).astype(np.float32)
    x[::3] = rng.integers(-64, 65, x[::3].shape) / 8
    x[1::3] *= np.exp2(rng.integers(-12, 2, x[1::3].shape)).astype(np.float32)
    return (x * np.exp2(rng.integers(-8, 9, (blocks, 1))).astype(np.float32)).astype(dtype)


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_bytes_are_those_of_ggml(ggml, context, rng, name, dtype):
    x = values(rng, 3000, dtype)
    np.testing.assert_array_equal(clquant.dynamic_quantize(x, dtype=name, context=context).y, ggml.quantize(x, name))


@pytest.mark.parametrize("name", BLOCKS)
def test_they_come_back_as_ggml_has_them(ggml, context, rng, name):
    q = clquant.dynamic_quantize(values(rng, 3000, np.float32), dtype=name, context=context).y
    theirs = ggml.dequantize(np.asarray(q), name)
    np.testing.assert_array_equal(clquant.dequantize(q, context=context).view(np.uint32), theirs.view(np.uint32))


@pytest.mark.parametrize("name", IN_GGUF)
def test_the_bytes_are_those_of_gguf(context, rng, name):
    gguf = pytest.importorskip("gguf")
    x, kind = values(rng, 3000, np.float32), gguf.GGMLQuantizationType[name.upper()]
    theirs = gguf.quantize(x, kind)
    made = clquant.dynamic_quantize(x, dtype=name, context=context)
    np.testing.assert_array_equal(made.y, theirs)
    np.testing.assert_array_equal(clquant.dequantize(made, context=context), gguf.dequantize(theirs, kind))


@pytest.mark.parametrize("name", BLOCKS)
def test_an_array_counts_bytes(context, rng, name):
    x = rng.standard_normal((3, 5, 64)).astype(np.float16)
    y, scales, offsets = clquant.dynamic_quantize(x, dtype=name, context=context)
    assert (y.shape, y.dtype, y.element_type) == ((3, 5, 2 * BLOCKS[name]), np.uint8, name)
    assert scales is None
    assert offsets is None
    back = clquant.dequantize(y, context=context)
    assert np.abs(back - x).max() < 0.5
    np.testing.assert_array_equal(clquant.dequantize(y[1:, ::2], context=context), back[1:, ::2])
    np.testing.assert_array_equal(clquant.dequantize(clquant.view(np.asarray(y), name, context=context), context=context), back)


@pytest.mark.parametrize("name", BLOCKS)
def test_a_cache_of_blocks(context, rng, name):
    x = rng.standard_normal((2, 1, 4, 64)).astype(np.float32)
    held = np.zeros((2, 6, 4, 2 * BLOCKS[name]), np.uint8)
    cache = clquant.view(held, name, context=context)
    places = np.array([5, 2])
    made = clquant.dynamic_quantize_scatter(cache, None, None, places, x, axis=1, context=context)
    alone = clquant.dynamic_quantize(x, dtype=name, context=context)
    np.testing.assert_array_equal(held[[0, 1], places], np.asarray(alone.y)[:, 0])
    assert np.count_nonzero(held.any(axis=(2, 3))) == 2
    np.testing.assert_array_equal(
        clquant.dequantize(made, indices=places, axis=1, context=context), clquant.dequantize(alone, context=context)
    )


@pytest.mark.parametrize("name", BLOCKS)
def test_ggml_sets_and_gets_rows(context, rng, name):
    """SET_ROWS and GET_ROWS, as docs/ggml.md says them: an id is a slot, and the last of two that are the same one wins."""
    k = rng.standard_normal((5, 256)).astype(np.float32)
    ids = np.array([3, 60, 7, -1, 3])
    held = np.zeros((1, 64, 8 * BLOCKS[name]), np.uint8)
    cache = clquant.view(held, name, context=context)
    clquant.dynamic_quantize_scatter(cache, None, None, ids, k, index_kind="slots", axis=1, context=context)
    alone = clquant.dynamic_quantize(k, dtype=name, context=context)
    np.testing.assert_array_equal(held[0, [60, 7, 3]], np.asarray(alone.y)[[1, 2, 4]])
    assert np.count_nonzero(held.any(axis=2)) == 3
    values = clquant.dequantize(
        cache, indices=np.array([7, 60], np.int32), index_kind="slots", axis=1, mode="dynamic", context=context
    )
    np.testing.assert_array_equal(np.asarray(values).reshape(2, 256), clquant.dequantize(alone, context=context)[[2, 1]])


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("name", ["q8_0", "q4_0"])
def test_codes_and_d_are_read_by_views(context, rng, name, apart):
    """Of two arrays, as docs/ggml.md says it, or of the blocks as they lie."""
    x = rng.standard_normal((3, 256)).astype(np.float32)
    made = clquant.dynamic_quantize(x, dtype=name, context=context)
    blocks = np.ascontiguousarray(made.y).reshape(3, 8, BLOCKS[name])
    d = np.ndarray((3, 8), np.float16, blocks, strides=blocks.strides[:2])
    codes = blocks[..., 2:]
    if apart:
        codes, d = codes.copy(), d.copy()
    y = np.zeros((3, 256), np.float32)
    if name == "q8_0":
        clquant.dequantize(codes.view(np.int8), d, mode="dynamic", out=y.reshape(3, 8, 32), context=context)
    else:
        by_bytes = np.ndarray((3, 8, 16, 2), np.float32, y, strides=(1024, 128, 4, 64))
        d, offsets = np.broadcast_to(d[..., None], (3, 8, 16)), np.broadcast_to(np.float16(-8), (3, 8, 16))
        codes = clquant.view(codes[..., None], "uint4", context=context)
        clquant.dequantize(codes, d, offsets=offsets, mode="dynamic", out=by_bytes, context=context)
    np.testing.assert_array_equal(y.view(np.uint32), clquant.dequantize(made, context=context).view(np.uint32))


def test_turned_rows_come_back(context, rng):
    x = rng.standard_normal((4, 128)).astype(np.float32)
    made = clquant.dynamic_quantize(x, dtype="q8_0", rotate=64, context=context)
    assert np.abs(clquant.dequantize(made, context=context) - x).max() < 0.1


@pytest.mark.parametrize("name", BLOCKS)
def test_no_fewer_are_turned_than_a_block_has(context, name):
    rule = rf"rotate is 16: it must be 0, or a power of two from 32 to 1024, where \w+\.dtype is {name}, whose blocks have 32"
    x = np.ones((1, 4, 64), np.float32)
    cache = clquant.view(np.zeros((1, 4, 2 * BLOCKS[name]), np.uint8), name)
    with pytest.raises(ValueError, match=rule):
        clquant.dynamic_quantize(x, dtype=name, rotate=16, context=context)
    with pytest.raises(ValueError, match=rule):
        clquant.dynamic_quantize_scatter(cache, None, None, [0], x, axis=1, rotate=16, context=context)
    with pytest.raises(ValueError, match=rule):
        clquant.dequantize(cache, rotate=16, context=context)


def test_what_does_not_fit(context):
    x = np.zeros((2, 64), np.float32)
    with pytest.raises(ValueError, match=r"scales is given: it must be None where y\.dtype is q8_0"):
        clquant.dynamic_quantize(x, out=(clquant.view(np.zeros((2, 68), np.uint8), "q8_0"), np.zeros(2, np.float32), None))
    with pytest.raises(ValueError, match="does not fit q4_0: the last dimension must be a multiple of 18 bytes"):
        clquant.dequantize(clquant.view(np.zeros((2, 34), np.uint8), "q4_0"), context=context)
    with pytest.raises(ValueError, match="scale_dtype is float16: it must be left out where dtype is q8_0"):
        clquant.dynamic_quantize(x, dtype="q8_0", scale_dtype="float16", context=context)
    with pytest.raises(ValueError, match="32 must divide the last dimension"):
        clquant.dynamic_quantize(np.zeros((2, 48), np.float32), dtype="q4_0", context=context)
    with pytest.raises(ValueError, match="the others multiples of 18 bytes"):
        clquant.dequantize(clquant.view(np.zeros((2, 40), np.uint8)[:, :36], "q4_0"), context=context)
