# SPDX-License-Identifier: Apache-2.0
"""clquant.quantize, group_quantize, find_scales and dequantize against the reference: types, shapes and options."""

import ml_dtypes
import numpy as np
import pytest
import reference

import clquant

ODD = (3, 5, 14)


@pytest.mark.parametrize("dtype", reference.NAMES)
def test_types(context, numbers, dtype):
    x = numbers(ODD)
    y = clquant.quantize(x, np.float32(0.75), 3, dtype=dtype, context=context)
    assert y.dtype == np.uint8 if dtype in reference.PACKED else y.dtype.name == dtype
    np.testing.assert_array_equal(reference.stored(y, dtype), reference.quantize(x, 0.75, 3, dtype=dtype))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_sources(context, numbers, dtype):
    x, scales = numbers(ODD, dtype), np.linspace(0.25, 2, 14).astype(dtype)
    y = clquant.quantize(x, scales, context=context)
    np.testing.assert_array_equal(y, reference.quantize(x, scales))


@pytest.mark.parametrize("dtype", ["float8_e8m0fnu", "float8_e4m3fn"])
@pytest.mark.parametrize("block", [0, 4])
def test_scales_of_a_byte(context, numbers, dtype, block):
    every = np.arange(256, dtype=np.uint8)
    scales = every.view(getattr(ml_dtypes, dtype))[:, None]
    with np.errstate(over="ignore"):
        x = numbers((256, 4)) * scales.astype(np.float32)
    if block == 0:
        x, scales = x.T, scales[:, 0]
    y = clquant.quantize(x, scales, block=block, context=context)
    np.testing.assert_array_equal(y, reference.quantize(x, scales))
    back = clquant.dequantize(y, clquant.view(scales.view(np.uint8), dtype, context=context), block=block)
    np.testing.assert_array_equal(back, reference.dequantize(y, scales))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axis(context, numbers, axis):
    x = numbers(ODD)
    scales = np.linspace(0.25, 2, ODD[axis]).astype(np.float32)
    y = clquant.quantize(x, scales, axis=axis, context=context)
    np.testing.assert_array_equal(y, reference.quantize(x, np.moveaxis(scales[:, None, None], 0, axis)))


def test_options(context, numbers):
    x = numbers(ODD)
    zero_points = np.array([1, -3, 7], np.int8)
    y = clquant.quantize(x, 0.3, zero_points, axis=0, mode="multiply", round_first=True, dtype="uint8", context=context)
    right = reference.quantize(x, 0.3, zero_points[:, None, None], mode="multiply", round_first=True, dtype="uint8")
    np.testing.assert_array_equal(y, right)


def test_blocks(context, numbers):
    x, scales = numbers(ODD), np.linspace(0.25, 2, 3 * 5 * 4).astype(np.float32).reshape(3, 5, 4)
    y = clquant.quantize(x, scales, block=4, context=context)
    np.testing.assert_array_equal(y, reference.quantize(x, np.repeat(scales, 4, 2)[..., :14]))


def test_checkpoint_of_blocks_along_two_axes(context, numbers):
    """A scale for each 4 by 6, where the last blocks of both axes are shorter: found, quantized with, and back, by any axis."""
    x, of_both = np.nan_to_num(numbers((10, 14)), posinf=4, neginf=-4), {"block": 6, "block_before": 4, "context": context}
    made = clquant.find_scales(x, dtype="float8_e4m3fn", **of_both)
    assert made.scales.shape == (3, 3)
    assert made.zero_points is None
    largest = np.array([[abs(x[i : i + 4, j : j + 6]).max() for j in (0, 6, 12)] for i in (0, 4, 8)])
    np.testing.assert_array_equal(made.scales, largest / np.float32(448))
    each = made.scales.repeat(4, 0)[:10].repeat(6, 1)[:, :14]
    y = clquant.quantize(x, made.scales, dtype="float8_e4m3fn", **of_both)
    np.testing.assert_array_equal(y, clquant.quantize(x, each, dtype="float8_e4m3fn", context=context))
    back = clquant.dequantize(y, made.scales, **of_both)
    np.testing.assert_array_equal(back, clquant.dequantize(y, each, context=context))
    turned = clquant.find_scales(np.stack([x, x], 2), dtype="float8_e4m3fn", axis=1, **of_both)
    np.testing.assert_array_equal(turned.scales, np.stack([made.scales] * 2, 2))


def test_words(context, numbers):
    x = numbers((3, 16))
    y = clquant.quantize(x, 2.0, dtype="int4_words", context=context)
    assert y.dtype == np.int32
    assert y.shape == (3, 2)
    right = reference.quantize(x, 2.0, dtype="int4")
    np.testing.assert_array_equal(reference.unpack(y.view(np.uint8)), right)
    back = clquant.dequantize(clquant.view(y, "int4", context=context), 2.0)
    np.testing.assert_array_equal(back, reference.dequantize(right, 2.0))


@pytest.mark.parametrize("shape", [(), (0, 4), (4, 0), (1,)])
def test_small(context, numbers, shape):
    x = numbers(shape)
    y = clquant.quantize(x, 0.5, context=context)
    assert y.shape == shape
    np.testing.assert_array_equal(y, reference.quantize(x, 0.5))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_back(context, rng, dtype):
    q, scales = rng.integers(-128, 128, ODD).astype(np.int8), np.linspace(0.25, 2, 14).astype(np.float32)
    y = clquant.dequantize(q, scales, 5, dtype=dtype, context=context)
    np.testing.assert_array_equal(y, reference.dequantize(q, scales, 5, dtype=dtype))


@pytest.mark.parametrize("dtype", reference.TOPS)
def test_floats_back(context, numbers, dtype):
    q = clquant.quantize(numbers(ODD), 0.5, dtype=dtype, context=context)
    y = clquant.dequantize(q, 0.5, context=context)
    np.testing.assert_array_equal(y, reference.dequantize(reference.values(q, dtype), 0.5))


def test_gathered(context, rng):
    q = rng.integers(-128, 128, (3, 8, 6)).astype(np.int8)
    places = np.array([[2, 1], [0, 6], [9, 0]], np.int64)
    y, report = np.full((3, 2, 6), 7, np.float32), clquant.Report(context)
    clquant.dequantize(q, 0.5, indices=places, axis=1, out=y, report=report, context=context)
    right = reference.dequantize(np.stack([q[2, 1:3], q[0, 6:8]]), 0.5)
    np.testing.assert_array_equal(y[:2], right)
    assert (y[2] == 7).all()
    assert report.read() == clquant.Counts(dropped=1, clamped=0, first=2)
    made = clquant.dequantize(q, 0.5, indices=places[:2], length=2, context=context)
    np.testing.assert_array_equal(made, right)


def test_groups(context, numbers):
    x, scales = numbers((7, 6)), np.linspace(0.25, 2, 18).astype(np.float32).reshape(3, 6)
    ends = np.array([2, 2, 7])
    y = clquant.group_quantize(x, scales, ends, np.float32(0.5), context=context)
    rows = scales[[reference.group_of(ends, row) for row in range(7)]]
    np.testing.assert_array_equal(y, reference.quantize(x, rows, 0.5, mode="multiply"))
    back = clquant.dequantize(y, scales, 0.5, group_index=ends, context=context)
    np.testing.assert_array_equal(back, reference.dequantize(y, rows, 0.5, mode="multiply"))


@pytest.mark.parametrize("dtype", reference.CACHED)
@pytest.mark.parametrize("method", ["absmax", "minmax"])
@pytest.mark.parametrize("mode", ["divide", "multiply"])
def test_found_scales(context, numbers, dtype, method, mode):
    x = numbers(ODD)
    if dtype in reference.TOPS and method == "minmax":
        with pytest.raises(ValueError, match="method"):
            clquant.find_scales(x, dtype=dtype, method=method, context=context)
        return
    for axis, shared in ((None, (0, 1, 2)), (1, (0, 2))):
        made = clquant.find_scales(x, dtype=dtype, method=method, mode=mode, axis=axis, context=context)
        scales, zero_points = reference.scales_of(x, shared, dtype=dtype, method=method, mode=mode)
        np.testing.assert_array_equal(np.ravel(made.scales), np.ravel(scales))
        assert made.scales.shape == (() if axis is None else (1, x.shape[1], 1))
        if made.zero_points is None:
            assert not zero_points.any()
        else:
            np.testing.assert_array_equal(np.ravel(made.zero_points), np.ravel(zero_points))
    y = clquant.quantize(x, *made, dtype=dtype, mode=mode, context=context)
    right = reference.quantize(
        x, scales[:, None], None if made.zero_points is None else zero_points[:, None], dtype=dtype, mode=mode
    )
    np.testing.assert_array_equal(reference.stored(y, dtype), right)


def test_found_scales_of_blocks_and_shapes(context, numbers):
    x = numbers((4, 6, 8))
    blocks = clquant.find_scales(x, block=3, axis=1, context=context)
    for place in (0, 1):
        right = reference.scales_of(x[:, 3 * place : 3 * place + 3], 1)[0]
        np.testing.assert_array_equal(blocks.scales[:, place], right)
    heads = clquant.find_scales(x, shape=(1, 6, 8), context=context)
    np.testing.assert_array_equal(heads.scales[0], reference.scales_of(x, 0)[0])
