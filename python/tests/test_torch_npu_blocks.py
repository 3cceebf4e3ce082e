# SPDX-License-Identifier: Apache-2.0
"""torch_npu's calls that find the scales of blocks, beside their formulas in numpy."""

import numpy as np
import pytest
import reference

torch = pytest.importorskip("torch", minversion="2.1")
torch_npu = pytest.importorskip("clquant.torch_npu")

MX = {"float8_e5m2": torch.float8_e5m2, "float8_e4m3fn": torch.float8_e4m3fn, "float4_e2m1fn": torch_npu.float4_e2m1fn_x2}


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


def test_mx_example():
    """The operator's published example: values, codes and the byte that fills the pair."""
    y, mxscale = torch_npu.npu_dynamic_mx_quant(torch.tensor([[0.0, 8, 64, 512]]).bfloat16(), dst_type=torch.float8_e4m3fn)
    assert y.view(torch.uint8).tolist() == [[0, 72, 96, 120]]
    assert mxscale.tolist() == [[[128, 0]]]


def test_mx_defaults_and_numbers():
    """Without a type float4; the numbers of torch and of torch_npu mean the same."""
    x = torch.linspace(-3, 7, 64).reshape(2, 32)
    y, mxscale = torch_npu.npu_dynamic_mx_quant(x, scale_alg=None, round_mode="rint")
    assert (y.shape, y.dtype, mxscale.shape) == ((2, 16), torch.uint8, (2, 1, 2))
    for own, theirs in ((torch.float8_e5m2, torch_npu.float8_e5m2), (torch.float8_e4m3fn, torch_npu.float8_e4m3fn)):
        made = [torch_npu.npu_dynamic_mx_quant(x, dst_type=number) for number in (own, theirs)]
        assert made[0][0].dtype == made[1][0].dtype == own
        assert all(torch.equal(a.view(torch.uint8), b.view(torch.uint8)) for a, b in zip(*made, strict=True))


def test_mx_of_none():
    y, mxscale = torch_npu.npu_dynamic_mx_quant(torch.ones(0, 32), dst_type=torch.float8_e5m2)
    assert (y.shape, mxscale.shape) == ((0, 32), (0, 1, 2))


X = torch.ones(2, 3, 33)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dst_type": torch.int16}, r"dst_type is 2: it must be one of 23 \(float8_e5m2\), 291 "),
        ({"dst_type": 297}, "dst_type is 297: it must be one of"),
        ({}, r"y\.shape\[2\] is 16, of 2 float4_e2m1fn elements each: it must be a half of input\.shape\[2\], 33"),
        ({"dst_type": 24, "axis": 3}, "axis is 3: it must be from -3 to 2, for y has 3 dimensions"),
        ({"dst_type": 24, "block_size": 0}, "block_size is 0: it must be from 1 to 4294967295"),
        ({"dst_type": 24, "round_mode": "floor"}, 'round_mode is "floor": it must be "rint"'),
        ({"dst_type": 24, "scale_alg": 2}, "scale_alg is 2: it must be 0 or 1"),
        ({"dst_type": 24, "dst_type_max": 6.0}, "dst_type_max is 6: it must be 0"),
        ({"dst_type": 24, "max_low_bound": 1.0}, "max_low_bound is 1: it must be 0"),
    ],
)
def test_mx_refused(options, sentence):
    for x in (X, X.to("meta")):
        with pytest.raises(ValueError, match=sentence):
            torch_npu.npu_dynamic_mx_quant(x, **options)
