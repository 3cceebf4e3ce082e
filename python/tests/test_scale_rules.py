# SPDX-License-Identifier: Apache-2.0
"""The rules of MX and NVFP4 against formulas in numpy: each 16-bit float as the extreme of a block, and edges of float32."""

import ml_dtypes
import numpy as np
import pytest
import reference

import clquant

F32 = np.float32
MX = ["mx_floor", "mx_even", "mx_ceil", "mx_rceil"]
CASES = [(rule, dtype) for rule in MX for dtype in reference.EMAX] + [("nvfp4", "float4_e2m1fn")]


def blocks_of(extremes, rng):
    """A block of 32 for each extreme: it stands anywhere, and the others have the same order of magnitude or less."""
    x = (extremes[:, None].astype(F32) * rng.uniform(-1, 1, (len(extremes), 32)).astype(F32)).astype(extremes.dtype)
    x[np.arange(len(x)), rng.integers(0, 32, len(x))] = extremes
    return x


def check(x, rule, dtype, context, block=32):
    made = clquant.dynamic_quantize(x, dtype=dtype, scale_rule=rule, block=block, context=context)
    y, scales = reference.by_rule(x.reshape(-1, block), rule, dtype)
    np.testing.assert_array_equal(np.asarray(made.scales).view(np.uint8).reshape(scales.shape), scales)
    stored = reference.stored(np.asarray(made.y), dtype).view(np.uint8).reshape(y.shape)
    np.testing.assert_array_equal(stored & (15 if dtype in reference.PACKED else 255), y)


@pytest.mark.parametrize(("rule", "dtype"), CASES)
@pytest.mark.parametrize("source", ["float16", "bfloat16"])
def test_every_extreme(context, rng, rule, dtype, source):
    extremes = np.arange(65536, dtype=np.uint16).view(getattr(ml_dtypes, source, None) or source)
    with np.errstate(all="ignore"):
        x = blocks_of(extremes, rng)
    check(x, rule, dtype, context)


@pytest.mark.parametrize(("rule", "dtype"), CASES)
def test_edges_of_float32(context, rng, rule, dtype):
    """Each power of two times the largest value, the half ways to the next fraction, and their neighbours."""
    factors = np.array([1, 1.0625, 1.125, 1.25, 1.5, 1.75, 1.875, 1.9375, 1.96875], np.float64)
    with np.errstate(over="ignore", under="ignore"):
        middle = np.ldexp(factors[:, None], np.arange(-149, 129)).astype(F32).ravel()
    extremes = np.unique(np.concatenate([np.nextafter(middle, F32(0)), middle, np.nextafter(middle, F32(np.inf))]))
    special = np.array([0, -0.0, 2**-149, np.inf, -np.inf, np.nan], F32)
    with np.errstate(all="ignore"):
        x = blocks_of(np.concatenate([extremes, -extremes, special]).astype(F32), rng)
    x[-6:, 5:9] = np.array([np.nan, np.inf, -np.inf, -0.0], F32) * np.ones((6, 1), F32)
    check(np.concatenate([x, np.zeros((2, 32), F32)]), rule, dtype, context)


@pytest.mark.parametrize("rule", [*MX, "nvfp4"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_along_any_axis_and_back(context, numbers, rule, axis):
    x = numbers((6, 70, 40))
    made = clquant.dynamic_quantize(x, dtype="float4_e2m1fn", scale_rule=rule, axis=axis, context=context)
    block = 16 if rule == "nvfp4" else 32
    assert made.scales.shape == tuple(-(-size // block) if d == axis else size for d, size in enumerate(x.shape))
    moved = np.moveaxis(x, axis, -1)
    whole = -moved.shape[-1] % block
    padded = np.pad(moved, ((0, 0), (0, 0), (0, whole)))
    y, scales = reference.by_rule(padded.reshape(*padded.shape[:2], -1, block), rule, "float4_e2m1fn")
    np.testing.assert_array_equal(np.moveaxis(made.scales.view(np.uint8), axis, -1), scales[..., 0])
    y = np.moveaxis(y.reshape(padded.shape)[..., : moved.shape[-1]], -1, axis)
    np.testing.assert_array_equal(reference.stored(made.y, "float4_e2m1fn").view(np.uint8) & 15, y)
    back = clquant.dequantize(made, context=context)
    widened = np.repeat(scales.view(made.scales.dtype).astype(F32), block, -1).reshape(padded.shape)
    with np.errstate(over="ignore"):
        right = y.view(ml_dtypes.float4_e2m1fn).astype(F32) * np.moveaxis(widened[..., : moved.shape[-1]], -1, axis)
    np.testing.assert_array_equal(back, right)


def test_a_cache_in_slots_is_the_same_rows(context, rng):
    x = rng.normal(0, 3, (5, 2, 64)).astype(np.float16)
    made = clquant.dynamic_quantize(x, dtype="float8_e4m3fn", scale_rule="mx_rceil", context=context)
    cache = np.zeros((4, 8, 2, 64), ml_dtypes.float8_e4m3fn)
    scales = np.zeros((4, 8, 2, 2), ml_dtypes.float8_e8m0fnu)
    slots = np.array([3, 30, -1, 9, 17])
    clquant.dynamic_quantize_scatter(
        cache, scales, None, slots, x, axis=1, index_kind="slots", scale_rule="mx_rceil", context=context
    )
    for i, slot in enumerate(slots):
        if slot >= 0:
            np.testing.assert_array_equal(cache.reshape(32, 2, 64)[slot].view(np.uint8), made.y[i].view(np.uint8))
            np.testing.assert_array_equal(scales.reshape(32, 2, 2)[slot].view(np.uint8), made.scales[i].view(np.uint8))
    rows = clquant.dequantize(cache, scales, indices=slots, axis=1, index_kind="slots", mode="dynamic", block=32, context=context)
    kept = slots >= 0
    np.testing.assert_array_equal(rows[kept, 0], clquant.dequantize(made, context=context)[kept])


def test_smooth_and_turned_rows_come_back(context, rng):
    x, smooth = rng.normal(0, 3, (4, 64)).astype(np.float32), rng.random(64).astype(np.float32)
    made = clquant.dynamic_quantize(x, smooth, dtype="float8_e4m3fn", scale_rule="mx_even", rotate=32, context=context)
    y, scales = reference.by_rule(reference.rotate(x * smooth, 32).reshape(4, 2, 32), "mx_even", "float8_e4m3fn")
    np.testing.assert_array_equal(made.y.view(np.uint8), y.reshape(4, 64))
    np.testing.assert_array_equal(made.scales.view(np.uint8), scales[..., 0])
    back = clquant.dequantize(made, context=context)
    np.testing.assert_allclose(back, x * smooth, atol=0.25)


def test_what_rules_refuse(context):
    x = np.ones((4, 32), np.float32)
    for arguments, sentence in [
        ({"dtype": "int8"}, "y.dtype is int8: with scale_rule 'mx_floor' it must be float8_e4m3fn, float8_e5m2 or float4_e2m1fn"),
        ({"dtype": "float8_e5m2", "type_max": 2.0}, "type_max is 2: with scale_rule it must be 0"),
        ({"dtype": "float8_e5m2", "block_all": True}, "block_all is True: with scale_rule it must be False"),
        (
            {"dtype": "float4_e2m1fn", "block": 3},
            "block is 3: along the last dimension of float4_e2m1fn it must be a multiple of 2",
        ),
    ]:
        with pytest.raises(ValueError, match=sentence):
            clquant.dynamic_quantize(x, scale_rule="mx_floor", context=context, **arguments)


G = np.array([3.7, 448 * 6 / 9.25, 2**-100, 1e-42, -2.5, 0, -0.0, np.inf, np.nan], F32)


@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("g", G)
def test_global_scale_of_nvfp4_there_and_back(context, numbers, axis, g):
    """The two scales as NVFP4's own code has them: b / g is stored, and values are times (1 / g) / u. By 0 both are 0."""
    x = numbers((32, 3, 48))
    g = F32(g)
    made = clquant.dynamic_quantize(
        x, dtype="float4_e2m1fn", scale_rule="nvfp4", axis=axis, global_scale=np.array([g]), context=context
    )
    blocks = np.moveaxis(x, axis, -1).reshape(-1, 16)
    with np.errstate(all="ignore"):
        over = F32(1) / g if g else F32(0)
        b = np.max(np.abs(np.where(np.isnan(blocks), F32(0), blocks)), -1, keepdims=True) / F32(6)
        b = b / g if g else np.zeros_like(b)
        u = reference.store(np.where(b < F32(2**-6), F32(2**-6), b), "float8_e4m3fn")
        widened = u.view(ml_dtypes.float8_e4m3fn).astype(F32)
        y = reference.store(blocks * (over / widened), "float4_e2m1fn")
        right = y.view(ml_dtypes.float4_e2m1fn).astype(F32) * widened * g
    shape = np.moveaxis(x, axis, -1).shape
    np.testing.assert_array_equal(np.moveaxis(made.scales.view(np.uint8), axis, -1).reshape(u.shape), u)
    stored = reference.stored(made.y, "float4_e2m1fn").view(np.uint8) & 15
    np.testing.assert_array_equal(np.moveaxis(stored, axis, -1).reshape(y.shape), y)
    back = clquant.dequantize(made, context=context)
    np.testing.assert_array_equal(back, np.moveaxis(right.reshape(shape), -1, axis))


def test_global_scale_of_turned_rows_and_a_cache(context, rng):
    x, g = rng.normal(0, 3, (5, 2, 64)).astype(F32), np.array([0.0625], F32)
    how = {"scale_rule": "nvfp4", "rotate": 32, "global_scale": g, "context": context}
    made = clquant.dynamic_quantize(x, dtype="float4_e2m1fn", **how)
    turned = reference.rotate(x, 32).reshape(5, 2, 4, 16)
    u = reference.store(np.max(np.abs(turned), -1) / F32(6) / g, "float8_e4m3fn")
    np.testing.assert_array_equal(made.scales.view(np.uint8), u)
    cache = clquant.view(np.zeros((4, 8, 2, 32), np.uint8), "float4_e2m1fn", context=context)
    scales = np.zeros((4, 8, 2, 4), ml_dtypes.float8_e4m3fn)
    slots = np.array([3, 30, -1, 9, 17])
    kept = clquant.dynamic_quantize_scatter(cache, scales, None, slots, x, axis=1, index_kind="slots", **how)
    rows = clquant.dequantize(kept, indices=slots, index_kind="slots", context=context)
    back = clquant.dequantize(made, context=context)
    np.testing.assert_array_equal(rows[slots >= 0, 0], back[slots >= 0])
    np.testing.assert_allclose(back, x, atol=3)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_second_scale_of_a_tensor(context, rng, dtype):
    """Of each library's arrays, of zeros, of what is no number and of what is tiny: what comes back is near, and never NaN."""
    kind = getattr(ml_dtypes, dtype, None) or dtype
    normal = rng.normal(0, 3, (4, 64)).astype(kind)
    strange = normal.copy()
    strange[0, :3] = np.nan, np.inf, -np.inf
    for x, scale in (
        (normal, abs(normal.astype(F32)).max() / F32(2688)),
        (strange, np.nanmax(abs(np.where(np.isinf(strange.astype(F32)), 0, strange.astype(F32)))) / F32(2688)),
        (np.zeros((4, 64), kind), F32(1)),
        (np.zeros((0, 64), kind), F32(1)),
        (np.full((4, 64), 2**-130, kind), F32(2**-126) if dtype != "float16" else F32(1)),
    ):
        g = clquant.nvfp4_scale(x, context=context)
        np.testing.assert_array_equal(g, np.array([scale]))
        made = clquant.dynamic_quantize(x, dtype="float4_e2m1fn", scale_rule="nvfp4", global_scale=g, context=context)
        back = clquant.dequantize(made, context=context)
        assert np.isfinite(back).all()
        kept = np.isfinite(x.astype(F32))
        largest = abs(x.astype(F32)).max(initial=0, where=kept)
        assert (abs(back - x.astype(F32))[kept] <= max(largest / 6, 2**-126)).all()


def test_the_second_scale_is_of_the_library(rng):
    x = rng.normal(size=(4, 64)).astype(F32)
    right = clquant.nvfp4_scale(x)
    there = clquant.nvfp4_scale(clquant.to_device(x))
    assert isinstance(there, clquant.Tensor)
    np.testing.assert_array_equal(there.numpy(), right)
    np.testing.assert_array_equal(clquant.nvfp4_scale(clquant.view(x)), right)
    np.testing.assert_array_equal(clquant.nvfp4_scale(x.tolist()), right)
    with pytest.raises(ValueError, match=r"x\.dtype is int8: it must be float32"):
        clquant.nvfp4_scale(x.astype(np.int8))


@pytest.mark.parametrize("library", ["torch", "pyopencl"])
def test_the_second_scale_is_of_another_library(rng, library):
    x = rng.normal(size=(4, 64)).astype(F32)
    other = pytest.importorskip(library)
    if library == "torch":
        made = clquant.nvfp4_scale(other.from_numpy(x).requires_grad_())
        assert type(made) is other.Tensor
        np.testing.assert_array_equal(made.numpy(), clquant.nvfp4_scale(x))
    else:
        pytest.importorskip("pyopencl.array")
        queue = other.CommandQueue(other.create_some_context(interactive=False))
        np.testing.assert_array_equal(clquant.nvfp4_scale(other.array.to_device(queue, x)).get(), clquant.nvfp4_scale(x))


def test_what_global_scale_refuses(context):
    x, one = np.ones((4, 32), F32), np.ones(1, F32)
    with pytest.raises(ValueError, match="global_scale is given: it must be None but with scale_rule 'nvfp4'"):
        clquant.dynamic_quantize(x, dtype="float8_e4m3fn", scale_rule="mx_floor", global_scale=one, context=context)
    with pytest.raises(ValueError, match="global_scale has 2 elements: it must have 1"):
        clquant.dynamic_quantize(x, dtype="float4_e2m1fn", scale_rule="nvfp4", global_scale=np.ones(2, F32), context=context)
    made = clquant.dynamic_quantize(x, dtype="float4_e2m1fn", scale_rule="nvfp4", context=context)
    with pytest.raises(ValueError, match="global_scale is given: it is for mode 'dynamic'"):
        clquant.dequantize(made.y, made.scales, global_scale=one, block=16, context=context)
    eight = clquant.dynamic_quantize(x, symmetric=True, context=context)
    with pytest.raises(ValueError, match=r"q\.dtype is int8: with global_scale it must be float4_e2m1fn"):
        clquant.dequantize(eight.y.copy(), eight.scales.copy(), global_scale=one, mode="dynamic", context=context)
