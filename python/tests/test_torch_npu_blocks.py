# SPDX-License-Identifier: Apache-2.0
"""torch_npu's calls that find the scales of blocks, beside their formulas in numpy."""

import numpy as np
import pytest
import reference

torch = pytest.importorskip("torch")
torch_npu = pytest.importorskip("clquant.torch_npu")

FLOAT8 = {name: getattr(torch, name) for name in ("float8_e5m2", "float8_e4m3fn") if hasattr(torch, name)}  # since 2.1
MX = {**FLOAT8, "float4_e2m1fn": torch_npu.float4_e2m1fn_x2}
needs_float8 = pytest.mark.skipif(not FLOAT8, reason="this torch has no float8")


@pytest.fixture(autouse=True)
def on(context, monkeypatch):
    """In the tensors' own memory, and on a device that takes copies."""
    monkeypatch.setattr("clquant.torch_npu._documented.default_context", lambda: context)


def cut(x, axis, block):
    """See x with axis as its last dimension, in blocks that zeros fill."""
    moved = np.moveaxis(x, axis, -1)
    padded = np.pad(moved, [(0, 0)] * (x.ndim - 1) + [(0, -moved.shape[-1] % block)])
    return padded.reshape(*moved.shape[:-1], -1, block)


def joined(blocks, like, axis):
    """Undo ``cut``, for what belongs to each value."""
    return np.moveaxis(blocks.reshape(*blocks.shape[:-2], -1)[..., : like.shape[axis]], -1, axis)


def same_mx(x, dtype, axis=-1, block_size=32, scale_alg=0):
    made, mxscale = torch_npu.npu_dynamic_mx_quant(x, axis=axis, dst_type=MX[dtype], block_size=block_size, scale_alg=scale_alg)
    wide, at = x.float().numpy(), axis % x.dim()
    y, codes = reference.by_rule(cut(wide, at, block_size), ("mx_floor", "mx_rceil")[scale_alg], dtype)
    y, codes = joined(y, wide, at), codes[..., 0]
    codes = np.pad(codes, [(0, 0)] * (x.dim() - 1) + [(0, codes.shape[-1] % 2)])
    codes = np.moveaxis(codes.reshape(*codes.shape[:-1], -1, 2), -2, at)
    assert mxscale.dtype == torch.uint8
    np.testing.assert_array_equal(mxscale.numpy(), codes)
    assert made.dtype == (torch.uint8 if dtype in reference.PACKED else MX[dtype])
    np.testing.assert_array_equal(made.view(torch.uint8).numpy(), reference.pack(y) if dtype in reference.PACKED else y)


@pytest.mark.parametrize("scale_alg", [0, 1])
@pytest.mark.parametrize("dtype", MX)
@pytest.mark.parametrize("source", ["float32", "float16", "bfloat16"])
def test_mx_types(numbers, dtype, source, scale_alg):
    x = torch.from_numpy(numbers((5, 96))).to(getattr(torch, source))
    same_mx(x, dtype, scale_alg=scale_alg)


# Even and odd numbers of blocks, with a rest and without: so the pair that is filled is a whole block's, or a rest's.
@pytest.mark.parametrize("size", [1, 9, 10, 15, 20, 30, 35, 40, 41])
@pytest.mark.parametrize("dtype", MX)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_mx_blocks_along_any_axis(numbers, dtype, axis, size):
    shape = [3, 4, 6]
    shape[axis] = size + size % 2 if axis == 2 else size
    same_mx(torch.from_numpy(numbers(shape)), dtype, axis, 10)


@pytest.mark.parametrize("dtype", MX)
def test_mx_of_strides_and_every_rank(numbers, dtype):
    x = torch.from_numpy(numbers((6, 70, 40))).permute(2, 1, 0)[1:, 1:, ::2]
    for axis in range(-3, 3):
        same_mx(x[..., :2], dtype, axis)
    for rank in range(1, 8):
        x = torch.from_numpy(numbers(([2] * 6 + [66])[-rank:]))
        for axis in (0, -2 if rank > 1 else 0, -1):
            same_mx(x, dtype, axis, 2)


@needs_float8
def test_mx_example():
    """The operator's published example: values, codes and the byte that fills the pair."""
    y, mxscale = torch_npu.npu_dynamic_mx_quant(torch.tensor([[0.0, 8, 64, 512]]).bfloat16(), dst_type=torch.float8_e4m3fn)
    assert y.view(torch.uint8).tolist() == [[0, 72, 96, 120]]
    assert mxscale.tolist() == [[[128, 0]]]


@needs_float8
def test_mx_defaults_and_numbers():
    """Without a type float4; the numbers of torch and of torch_npu mean the same."""
    x = torch.linspace(-3, 7, 64).reshape(2, 32)
    y, mxscale = torch_npu.npu_dynamic_mx_quant(x, scale_alg=None, round_mode="rint")
    assert (y.shape, y.dtype, mxscale.shape) == ((2, 16), torch.uint8, (2, 1, 2))
    for own, theirs in ((torch.float8_e5m2, torch_npu.float8_e5m2), (torch.float8_e4m3fn, torch_npu.float8_e4m3fn)):
        made = [torch_npu.npu_dynamic_mx_quant(x, dst_type=number) for number in (own, theirs)]
        assert made[0][0].dtype == made[1][0].dtype == own
        assert all(torch.equal(a.view(torch.uint8), b.view(torch.uint8)) for a, b in zip(*made, strict=True))


@needs_float8
def test_mx_of_none():
    y, mxscale = torch_npu.npu_dynamic_mx_quant(torch.ones(0, 32), dst_type=torch.float8_e5m2)
    assert (y.shape, mxscale.shape) == ((0, 32), (0, 1, 2))


X = torch.ones(2, 3, 33)
EACH = (X, X.to("meta")) if FLOAT8 else (X,)  # torch 1 knows no call of these on meta


@needs_float8
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dst_type": torch.int16}, r"dst_type is 2: it must be one of 23 \(float8_e5m2\), 291 "),
        ({"dst_type": 297}, "dst_type is 297: it must be one of"),
        ({}, r"y\.shape\[2\] is 16, of 2 float4_e2m1fn elements each: it must be a half of input\.shape\[2\], 33"),
        ({"dst_type": 24, "axis": 3}, "axis is 3: it must be from -3 to 2, for input has 3 dimensions"),
        ({"dst_type": 24, "block_size": 0}, "block_size is 0: it must be from 1 to 4294967295"),
        ({"dst_type": 24, "round_mode": "floor"}, 'round_mode is "floor": it must be "rint"'),
        ({"dst_type": 24, "scale_alg": 2}, "scale_alg is 2: it must be 0 or 1"),
        ({"dst_type": 24, "dst_type_max": 6.0}, "dst_type_max is 6: it must be 0"),
        ({"dst_type": 24, "max_low_bound": 1.0}, "max_low_bound is 1: it must be 0"),
    ],
)
def test_mx_refused(options, sentence):
    for x in EACH:
        with pytest.raises(ValueError, match=sentence):
            torch_npu.npu_dynamic_mx_quant(x, **options)


@pytest.mark.skipif(bool(FLOAT8), reason="this torch has float8")
def test_float8_of_a_torch_that_has_none():
    for call, number in ((torch_npu.npu_dynamic_mx_quant, 24), (torch_npu.npu_dynamic_block_quant, 23)):
        with pytest.raises(ValueError, match=r"torch 1\S+ has no float8_e\w+: it must be one that has"):
            call(torch.ones(2, 32), dst_type=number)


TYPES = {"int8": torch.int8, **FLOAT8}


def blocks_of(x, rows, columns):
    """See x as [.., i, rows, j, columns], which NaN fills."""
    filled = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(0, -x.shape[-2] % rows), (0, -x.shape[-1] % columns)], constant_values=np.nan)
    return filled.reshape(*x.shape[:-2], filled.shape[-2] // rows, rows, filled.shape[-1] // columns, columns)


def same_blocks(x, dtype, rows=1, columns=128, min_scale=0.0):
    made, found = torch_npu.npu_dynamic_block_quant(
        x, dst_type=TYPES[dtype], row_block_size=rows, col_block_size=columns, min_scale=min_scale
    )
    wide = x.float().numpy()
    cut = blocks_of(wide, rows, columns)
    with np.errstate(all="ignore"):
        amax = np.abs(np.where(np.isfinite(cut), cut, np.float32(0))).max((-3, -1), keepdims=True)
        scale = amax / np.float32(reference.TOPS.get(dtype, 127))
        if min_scale > 0:
            scale = np.minimum(scale, np.float32(1) / np.float32(min_scale))
        value = np.where(cut == 0, cut, cut / scale)
    y = reference.store(value, dtype)
    y = y.reshape(*wide.shape[:-2], y.shape[-4] * rows, -1)[..., : wide.shape[-2], : wide.shape[-1]]
    assert found.dtype == torch.float32
    np.testing.assert_array_equal(found.numpy(), scale[..., 0, :, 0])
    assert made.dtype == TYPES[dtype]
    np.testing.assert_array_equal(made.view(torch.uint8).numpy(), y.view(np.uint8))


@pytest.mark.parametrize("min_scale", [0.0, 0.5, 4.0, 1e-40])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("source", ["float32", "float16", "bfloat16"])
def test_block_types(numbers, dtype, source, min_scale):
    same_blocks(torch.from_numpy(numbers((5, 300))).to(getattr(torch, source)), dtype, min_scale=min_scale)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 7), (1, 64), (1, 1000), (2, 128), (3, 5), (4, 40), (100, 100)])
@pytest.mark.parametrize("dtype", TYPES)
def test_blocks_of_two_axes(numbers, dtype, rows, columns):
    for shape in ((9, 40), (2, 8, 33), (1, 2, 3, 5)):
        same_blocks(torch.from_numpy(numbers(shape)), dtype, rows, columns)
    same_blocks(torch.from_numpy(numbers((66, 9))).t()[:, ::2], dtype, rows, columns)


@pytest.mark.parametrize("dtype", TYPES)
def test_blocks_of_edges(dtype):
    """Zeros of both signs, what is not finite alone, the smallest and the largest numbers, and ties of the quotient."""
    tiny, most = 2.0**-149, 3.4028235e38
    rows = [[0.0, -0.0], [np.inf, -0.0], [-np.inf, np.nan], [np.nan, np.nan], [1e-30, -3e-31], [most, -most], [most, tiny]]
    rows += [[1.27, 0.005], [127.0, 2.5], [448.0, 17.0], [np.inf, 3.0], [2.0**-126, tiny]]
    if dtype == "int8":  # of floats a scale that rounds to 0 divides otherwise: see below
        rows += [[tiny, -3 * tiny]]
    x = torch.tensor(rows, dtype=torch.float32)
    for columns in (1, 2) if dtype == "int8" else (2,):
        same_blocks(x, dtype, columns=columns)


@needs_float8
def test_a_scale_that_rounds_to_zero():
    x = torch.tensor([[2.0**-149, -3 * 2.0**-149, 0.0]])
    y, scale = torch_npu.npu_dynamic_block_quant(x, dst_type=torch.float8_e4m3fn)
    assert scale.tolist() == [[0.0]]
    assert y.float().tolist() == [[1.0, -3.0, 0.0]]


def test_block_of_one_dimension(rng):
    """And what op-plugin's own test holds the operator to."""
    x = torch.from_numpy(rng.uniform(-2, 2, 300).astype(np.float16))
    y, scale = torch_npu.npu_dynamic_block_quant(x)
    right = torch.stack([part.abs().max() for part in x.float().split(128)]) / 127
    assert torch.equal(scale, right)
    assert torch.equal(y, torch.round(x.float() / right.repeat_interleave(128)[:300]).clamp(-127, 127).to(torch.int8))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dst_type": torch.uint8}, r"dst_type is 0: it must be one of 1 \(int8\), 23 "),
        ({"dst_type": 296}, "dst_type is 296: it must be one of"),
        ({"row_block_size": 0}, "row_block_size is 0: it must be from 1 to 4294967295"),
        ({"col_block_size": -1}, "col_block_size is -1: it must be from 1 to 4294967295"),
        ({"min_scale": -1.0}, "min_scale is -1: it must be 0, or a finite number above 0"),
        ({"min_scale": float("nan")}, "min_scale is nan: it must be 0, or a finite number above 0"),
        ({"round_mode": "round"}, 'round_mode is "round": it must be "rint"'),
    ],
)
def test_block_refused(options, sentence):
    for x in EACH:
        with pytest.raises(ValueError, match=sentence):
            torch_npu.npu_dynamic_block_quant(x, **options)
