# SPDX-License-Identifier: Apache-2.0
"""clquant.dynamic_quantize and dynamic_quantize_scatter against the reference."""

import ml_dtypes
import numpy as np
import pytest
import reference

import clquant


def matches(made, right, dtype, axis=-1):
    y, scales, offsets = right
    np.testing.assert_array_equal(reference.stored(made.y, dtype), y)
    np.testing.assert_array_equal(made.scales, np.squeeze(scales, axis))
    if offsets is None:
        assert made.offsets is None
    else:
        np.testing.assert_array_equal(made.offsets, np.squeeze(offsets, axis))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int4", "uint4"])
def test_asymmetric(context, numbers, dtype):
    x = numbers((3, 5, 14))
    x[0, 0] = np.nan
    matches(clquant.dynamic_quantize(x, dtype=dtype, context=context), reference.dynamic(x, dtype), dtype)


@pytest.mark.parametrize("dtype", ["int8", "int4", *reference.TOPS])
def test_symmetric(context, numbers, dtype):
    x = numbers((3, 5, 14), np.float16)
    made = clquant.dynamic_quantize(x, dtype=dtype, symmetric=True, context=context)
    matches(made, reference.dynamic(x, dtype, symmetric=True), dtype)


@pytest.mark.parametrize("axis", [0, 1, -2])
def test_axis(context, numbers, axis):
    x = numbers((4, 6, 8))
    matches(clquant.dynamic_quantize(x, axis=axis, context=context), reference.dynamic(x, axis=axis), "int8", axis)


def test_whole(context, numbers):
    x = numbers((4, 6))
    made = clquant.dynamic_quantize(x, symmetric=True, block_all=True, type_max=100.0, context=context)
    y, scale, _ = reference.dynamic(x, axis=(0, 1), symmetric=True, type_max=100.0)
    np.testing.assert_array_equal(made.y, y)
    assert made.scales.shape == ()
    assert made.scales == scale


def test_blocks_smooth_and_rotate(context, rng):
    x, smooth = rng.normal(0, 3, (5, 32)).astype(np.float32), rng.random(32).astype(np.float32)
    made = clquant.dynamic_quantize(x, smooth, block=8, context=context)
    y, scales, offsets = reference.dynamic((x * smooth).reshape(5, 4, 8))
    np.testing.assert_array_equal(made.y, y.reshape(5, 32))
    np.testing.assert_array_equal(made.scales, scales[..., 0])
    np.testing.assert_array_equal(made.offsets, offsets[..., 0])
    turned = clquant.dynamic_quantize(x, rotate=16, dtype="int4", context=context)
    matches(turned, reference.dynamic(reference.rotate(x, 16), "int4"), "int4")
    back = clquant.dequantize(clquant.view(turned.y, "int4", context=context), turned.scales, offsets=turned.offsets, rotate=16)
    assert np.abs(back - x).max() < 2 * turned.scales.max()


def test_scale_types(context, rng):
    x = rng.normal(0, 3, (5, 32)).astype(np.float32)
    made = clquant.dynamic_quantize(x, symmetric=True, scale_dtype="bfloat16", context=context)
    assert made.scales.dtype == ml_dtypes.bfloat16
    scales = reference.dynamic(x, symmetric=True)[1].astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(made.y, reference.store(x * (np.float32(1) / scales), "int8"))


def test_groups(context, rng):
    x, smooth = rng.normal(0, 3, (6, 8)).astype(np.float32), rng.random((2, 8)).astype(np.float32)
    ends = np.array([4, 6], np.int32)
    made = clquant.dynamic_quantize(x, smooth, group_index=ends, symmetric=True, context=context)
    rows = smooth[[reference.group_of(ends, row) for row in range(6)]]
    matches(made, reference.dynamic(x * rows, symmetric=True), "int8")


@pytest.mark.parametrize("symmetric", [False, True])
def test_scatter(context, numbers, symmetric):
    cache = np.full((3, 8, 2, 12), 9, np.uint8)
    kept = [np.full((3, 8, 2), 5, np.float32) for _ in range(1 if symmetric else 2)] + [None] * symmetric
    updates, places = numbers((3, 2, 2, 24)), np.array([[2, 1], [0, 6], [2, 2]], np.int32)
    view = clquant.view(cache, "int4", context=context)
    made = clquant.dynamic_quantize_scatter(view, *kept, places, updates, axis=1, context=context)
    assert made.scales is kept[0]
    y, scales, offsets = reference.dynamic(updates, "int4", symmetric=symmetric)
    right, right_scales = np.full_like(cache, 9), np.full((3, 8, 2), 5, np.float32)
    right_offsets = right_scales.copy()
    for i, (batch, start) in enumerate(places):
        right[batch, start : start + 2] = reference.pack(y[i])
        right_scales[batch, start : start + 2] = scales[i, ..., 0]
        right_offsets[batch, start : start + 2] = 0 if symmetric else offsets[i, ..., 0]
    np.testing.assert_array_equal(cache, right)
    np.testing.assert_array_equal(kept[0], right_scales)
    if not symmetric:
        np.testing.assert_array_equal(kept[1], right_offsets)


@pytest.mark.parametrize(("options", "shape"), [({"block_all": True}, (1,)), ({"axis": 0}, (4,))])
def test_no_element(options, shape):
    """Scales and offsets of no element are those of a row of none."""
    found = clquant.dynamic_quantize(np.zeros((0, 4), np.float32), dtype="int8", **options)
    assert found.y.shape == (0, 4)
    assert (found.scales == np.full(shape, 1e-12, np.float32)).all()
    assert (found.offsets == np.full(shape, -127, np.float32)).all()
