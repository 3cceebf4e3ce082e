# SPDX-License-Identifier: Apache-2.0
"""torch_npu's calls: the documents' printed examples, every call beside its formula in plain torch, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch_npu = pytest.importorskip("clquant.torch_npu")

EXAMPLES = Path(__file__).parents[2] / "tests" / "data" / "printed_examples.json"
INT8, WORDS = (-128, 127), (-8, 7)


@pytest.fixture(autouse=True)
def on(context, monkeypatch):
    """In the tensors' own memory, and on a device that takes copies."""
    monkeypatch.setattr("clquant.torch_npu._documented.default_context", lambda: context)


@pytest.fixture
def floats(numbers):
    """A function that makes tensors of a shape and type, ties, infinities and NaN among them."""
    return lambda shape, dtype=torch.float32: torch.from_numpy(numbers(shape)).to(dtype)


def saturated(values, lowest, highest):
    return torch.nan_to_num(torch.round(values), nan=0.0).clamp(lowest, highest)


def unpacked(words):
    """The elements of int32 words, the first in the lowest four bits."""
    elements = (words.unsqueeze(-1) << torch.arange(28, -4, -4, dtype=torch.int32)) >> 28
    return elements.flatten(-2)


def same(made, right, dtype=torch.int8):
    assert made.dtype == dtype
    assert made.shape == right.shape
    np.testing.assert_array_equal(made.numpy(), right.to(dtype).numpy())


def example_tensor(example, name):
    values = torch.tensor(example[name], dtype=torch.float64)
    kind = getattr(torch, example[f"{name}_dtype"])
    return values.reshape(example.get(f"{name}_shape", [-1])).to(kind)


@pytest.mark.parametrize("example", json.loads(EXAMPLES.read_text())["examples"], ids=lambda example: example["id"])
def test_printed_examples(example):
    x, scale = example_tensor(example, "x"), example_tensor(example, "scale")
    params = dict(example["params"])
    if example["op"] == "npu_quantize":
        kind = getattr(torch, params["dtype"])
        y = torch_npu.npu_quantize(x, scale, params["zero_points"], kind, params["axis"], params["div_mode"])
    else:
        index, offset = example_tensor(example, "group_index"), example_tensor(example, "offset")
        kind = getattr(torch, params["dst_dtype"])
        y = torch_npu.npu_group_quant(x, scale, index, offset=offset, dst_dtype=kind)
    same(y, torch.tensor(example["expected"]).reshape(example["out_shape"]))


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_quantize_types(floats, kind):
    x, scales = floats((4, 3, 16), getattr(torch, kind)), torch.linspace(0.5, 3, 3)
    same(torch_npu.npu_quantize(x, scales, None, torch.qint8), saturated(x.float() / scales[:, None], *INT8))


def test_quantize(floats):
    x = floats((4, 3, 16), torch.float16)
    wide, scales, zero_points = x.float(), torch.linspace(0.5, 3, 3), torch.tensor([1, -2, 3], dtype=torch.int32)
    divided = wide / scales[:, None] + zero_points[:, None]
    same(torch_npu.npu_quantize(x, scales, zero_points, torch.qint8), saturated(divided, *INT8))
    same(torch_npu.npu_quantize(x, scales, zero_points, torch.quint8), saturated(divided, 0, 255), torch.uint8)
    one = torch.tensor([0.5])
    whole = torch_npu.npu_quantize(x, one, None, torch.int32, 7)
    finite = torch.isfinite(wide)
    assert torch.equal(whole[finite], torch.round(wide / 0.5)[finite].int())
    assert set(whole[~finite].tolist()) <= {0, 2**31 - 1, -(2**31)}
    last = torch.linspace(0.1, 2, 16).to(x.dtype)
    product = wide * last.float()
    same(torch_npu.npu_quantize(x, last, None, torch.qint8, div_mode=False), saturated(product, *INT8))
    shifted = saturated(product + last.float(), *INT8)
    same(torch_npu.npu_quantize(x, last, last, torch.qint8, 0, False), shifted)
    same(torch_npu.npu_quantize(x, last[None, None], last[None, None], torch.qint8, 0, False), shifted)
    rows = torch_npu.npu_quantize(x, scales, None, torch.qint8, -2, False)
    same(rows, saturated(wide * scales[:, None], *INT8))
    words = torch_npu.npu_quantize(x, last, None, torch.quint4x2, -1, False)
    assert words.dtype == torch.int32
    same(unpacked(words), saturated(product, *WORDS), torch.int32)


def test_group_quant(floats):
    x, scale = floats((6, 16), torch.float16), torch.linspace(-1, 2, 64).reshape(4, 16)
    ends, offset = torch.tensor([1, 4, 6, 6]), torch.tensor([-1.1658])
    right = x.float() * scale[[0, 1, 1, 1, 2, 2]] + offset
    same(torch_npu.npu_group_quant(x, scale, ends, offset=offset), saturated(right, *INT8))
    words = torch_npu.npu_group_quant(x, scale, ends.int(), offset=offset, dst_dtype=torch.quint4x2)
    same(unpacked(words), saturated(right, *WORDS), torch.int32)
    short = torch_npu.npu_group_quant(x, scale, torch.tensor([1, 2, 2, 2]), offset=offset)
    same(short[:2], saturated(x[:2].float() * scale[:2] + offset, *INT8))
    assert not short[2:].any()


@pytest.fixture
def step(floats):
    """A cache, starts, updates, scales and zero points, as the documents' example has them."""
    cache = torch.arange(3 * 8 * 16).reshape(3, 8, 16).to(torch.int8)
    scales = torch.linspace(0.1, 2, 16).reshape(1, 1, 16).bfloat16()
    return cache, torch.tensor([5, 0, 7], dtype=torch.int32), floats((3, 1, 16)).bfloat16(), scales, scales.clone()


def scattered(cache, indices, updates, scales, zero_points):
    right = cache.clone()
    for batch, start in enumerate(indices.tolist()):
        right[batch, start] = saturated(updates[batch, 0].float() / scales[0, 0].float() + zero_points[0, 0].float(), *INT8)
    return right


def test_quant_scatter(step):
    cache, before = step[0], step[0].clone()
    right = scattered(*step)
    same(torch_npu.npu_quant_scatter(*step), right)
    assert torch.equal(cache, before)
    assert torch_npu.npu_quant_scatter_(*step, reduce="update", round_mode="rint") is cache
    same(cache, right)


@pytest.mark.parametrize("name", ["npu_quant_scatter", "npu_quant_scatter_"])
def test_quant_scatter_examples(rng, name):
    """The documents' examples, whose numbers are random: one with starts, one with a pair."""
    for cache, indices, updates, scales in (
        ((24, 4096, 128), rng.integers(0, 4096, 24), (24, 1, 128), (1, 1, 128)),
        ((1, 11, 1, 32), np.zeros((1, 2), np.int32), (1, 11, 1, 32), (1, 1, 1, 32)),
    ):
        var, places = torch.from_numpy(rng.integers(-128, 128, cache).astype(np.int8)), torch.from_numpy(indices).int()
        new, divisors, shifts = (
            torch.from_numpy(rng.uniform(low, low + 1, shape)).bfloat16()
            for low, shape in ((1, updates), (0.1, scales), (0, scales))
        )
        right = var.clone()
        values = saturated(new.float() / divisors.float() + shifts.float(), *INT8).to(torch.int8)
        if places.dim() == 1:
            right[torch.arange(24), places.long()] = values[:, 0]
        else:
            right[0] = values[0]
        call = getattr(torch_npu, name)
        same(call(var, places, new, divisors, shifts, axis=-2, quant_axis=-1, reduce="update"), right)
        assert torch.equal(var, right) == (name == "npu_quant_scatter_")


def test_quant_scatter_pairs(step):
    """Pairs of batch and start; one that is out of range is left out, and the last one wins."""
    cache, _, updates, scales, _ = step
    pairs = torch.tensor([[2, 4], [0, 8], [2, 4]])
    right = cache.clone()
    right[2, 4] = saturated(updates[2, 0].float() / scales[0, 0].float(), *INT8)
    same(torch_npu.npu_quant_scatter(cache, pairs, updates, scales), right)


def test_quant_scatter_strided(step):
    """A cache whose rows are not side by side is written where its elements are."""
    cache, indices, updates, scales, zero_points = step
    room = torch.full((8, 3, 32), 99, dtype=torch.int8)
    view = room.transpose(0, 1)[:, :, :16]
    view.copy_(cache)
    torch_npu.npu_quant_scatter_(view, indices, updates, scales, zero_points)
    same(view, scattered(*step))
    assert (room[..., 16:] == 99).all()


@pytest.mark.parametrize(
    ("quant_mode", "words"), [("pertoken", False), ("pertoken", True), ("perchannel", False), ("pertensor", True)]
)
def test_dynamic_quant(rng, quant_mode, words):
    x = torch.from_numpy(rng.normal(0, 3, (4, 3, 16)).astype(np.float32)).half()
    channel = quant_mode == "perchannel"  # smooth scales of rows, else of the elements of a row
    smooth = torch.linspace(0.5, 2, 3 if channel else 16).half()
    wide = x.float() * (smooth[:, None] if channel else smooth).float()
    dims = {"pertoken": [2], "perchannel": [1], "pertensor": [0, 1, 2]}[quant_mode]
    lowest, highest = WORDS if words else INT8
    options = {"smooth_scales": smooth, "quant_mode": quant_mode, "dst_type": torch.quint4x2 if words else None}
    elements, stored = (unpacked, torch.int32) if words else (lambda y: y, torch.int8)

    y, scale = torch_npu.npu_dynamic_quant(x, **options)
    right = (wide.abs().amax(dims, keepdim=True) / highest).clamp(min=1e-12)
    same(scale, right.squeeze(dims[0]) if len(dims) == 1 else right.reshape(1), torch.float32)
    same(elements(y), saturated(wide * (1 / right), lowest, highest), stored)

    y, scale, offset = torch_npu.npu_dynamic_quant_asymmetric(x, **options)
    most, least = wide.amax(dims, keepdim=True), wide.amin(dims, keepdim=True)
    right = ((most - least) / (highest - lowest)).clamp(min=1e-12)
    off = highest - most / right
    same(scale.flatten(), right.flatten(), torch.float32)
    same(offset.flatten(), off.flatten(), torch.float32)
    same(elements(y), saturated(wide * (1 / right) + off, lowest, highest), stored)
    back = (elements(y) - offset.reshape(off.shape)) * scale.reshape(right.shape)
    assert ((back - wide).abs() <= 0.5001 * right).all()


def test_dynamic_quant_row():
    """The sign of offset: the row [0, 15] in four bits, of which the documents' offset is -8."""
    row = torch.zeros(1, 8)
    row[0, 1] = 15
    _, scale, offset = torch_npu.npu_dynamic_quant_asymmetric(row, dst_type=torch.quint4x2)
    assert (scale.item(), offset.item()) == (1, -8)


def test_no_gradients():
    x = torch.ones(2, 8, requires_grad=True)
    y, scale = torch_npu.npu_dynamic_quant(x)
    assert not y.requires_grad
    assert not scale.requires_grad


def test_dynamic_quant_groups(rng):
    """A row of smooth scales for each group of rows, also where rows are not side by side and have more dimensions."""
    x = torch.from_numpy(rng.normal(0, 3, (3, 2, 16)).astype(np.float32)).transpose(0, 1)
    smooth, ends = torch.linspace(0.5, 2, 32).reshape(2, 16), torch.tensor([2, 5])
    y, scale = torch_npu.npu_dynamic_quant(x, smooth_scales=smooth, group_index=ends)
    rows = x.reshape(6, 16)[:5] * smooth[[0, 0, 1, 1, 1]]
    right = rows.abs().amax(1) / 127
    same(scale.flatten()[:5], right, torch.float32)
    same(y.reshape(6, 16)[:5], saturated(rows * (1 / right)[:, None], *INT8))
    assert scale[1, 2] == 0
    assert not y[1, 2].any()
    for made in torch_npu.npu_dynamic_quant_asymmetric(x, smooth_scales=smooth, group_index=ends):
        assert made.shape[:2] == (2, 3)


def test_dst_type_max(rng):
    x = torch.from_numpy(rng.normal(0, 3, (4, 16)).astype(np.float32))
    y, scale = torch_npu.npu_dynamic_quant(x, dst_type_max=15.0)
    same(scale, x.abs().amax(1) / 15, torch.float32)
    assert y.abs().max() == 15


@pytest.mark.parametrize("dst_dtype", [None, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("given", ["one", "each", "both"])
def test_anti_quant(dst_dtype, given):
    """The offset is added ahead of the product; by one scale, and by one per index of the last dimension."""
    x = torch.arange(-128, 128, dtype=torch.int16).to(torch.int8).reshape(2, 8, 16)
    scale = torch.tensor([0.37]) if given == "one" else torch.linspace(-3, 5, 16)
    offset = torch.linspace(-1000, 1000, 16) if given == "both" else None
    right = (x.float() + (0.0 if offset is None else offset)) * scale
    made = torch_npu.npu_anti_quant(x, scale, offset=offset, dst_dtype=dst_dtype)
    kind = dst_dtype or torch.float16
    assert made.dtype == kind
    assert torch.equal(made, right.to(kind))


def test_anti_quant_example():
    """The documents' printed example."""
    x, two = torch.tensor([1, 2, 3, 4], dtype=torch.int8), torch.tensor([2.0])
    made = torch_npu.npu_anti_quant(x, two, offset=two, dst_dtype=torch.float16)
    assert made.dtype == torch.float16
    assert made.tolist() == [6.0, 8.0, 10.0, 12.0]


@pytest.mark.parametrize("src_dtype", [None, torch.quint4x2])
def test_anti_quant_words(rng, src_dtype):
    words = torch.from_numpy(rng.integers(-(2**31), 2**31, (3, 4)).astype(np.int32))
    scale, offset = torch.linspace(0.5, 2, 32).bfloat16(), torch.linspace(-4, 4, 32).bfloat16()
    right = (unpacked(words).float() + offset.float()) * scale.float()
    made = torch_npu.npu_anti_quant(words, scale, offset=offset, dst_dtype=torch.bfloat16, src_dtype=src_dtype)
    assert torch.equal(made, right.bfloat16())


def test_anti_quant_undoes_dynamic_quant(rng):
    """One scale and offset for all of x: what the asymmetric call returns, with the sign that is added."""
    x = torch.from_numpy(rng.normal(0, 3, (4, 16)).astype(np.float32))
    y, scale, offset = torch_npu.npu_dynamic_quant_asymmetric(x, quant_mode="pertensor")
    back = torch_npu.npu_anti_quant(y, scale, offset=-offset, dst_dtype=torch.float32)
    assert ((back - x).abs() <= 0.5001 * scale).all()


REFUSED = [
    (lambda s: torch_npu.npu_quantize(s[2], s[3], None, torch.int16), r"dtype is torch\.int16: it must be one of torch\.int8,"),
    (lambda s: torch_npu.npu_quantize(s[2], s[3], None, torch.qint8), "scales.ndim is 3: with div_mode true it must be 1"),
    (lambda s: torch_npu.npu_quantize(s[2], s[3], None, torch.quint8, -1, False), "dtype is quint8: with div_mode false it"),
    (lambda s: torch_npu.npu_quantize(s[2], s[3], None, torch.qint8, -3, False), "axis is -3: with div_mode false it must be"),
    (lambda s: torch_npu.npu_quantize(s[2], s[3], s[3].float(), torch.qint8, -1, False), "zero_points.dtype is float32: with"),
    (
        lambda s: torch_npu.npu_quantize(s[2][..., :12], s[3][..., :12], None, torch.quint4x2, -1, False),
        r"input.shape\[2\] is 12: for dtype quint4x2 the last dimension must be divisible by 8",
    ),
    (lambda s: torch_npu.npu_quantize(torch.tensor(1.0), s[3][0, 0, :1], None, torch.quint4x2, -1, False), "input.ndim is 0"),
    (lambda s: torch_npu.npu_quantize(s[2].double(), torch.ones(1), None, torch.qint8), "input.dtype is float64: it must"),
    (lambda s: torch_npu.npu_group_quant(s[2][:, 0], s[2][:, 0], s[1], dst_dtype=torch.quint8), r"dst_dtype is torch\.quint8"),
    (lambda s: torch_npu.npu_group_quant(s[2][:, 0], s[2][:, 0], s[1], offset=torch.ones(1)), "offset.dtype is float32: it"),
    (lambda s: torch_npu.npu_quant_scatter_(*s, axis=0), "axis is 0: it must be neither the first nor the last"),
    (lambda s: torch_npu.npu_quant_scatter_(*s, quant_axis=1), "quant_axis is 1: it must be the last dimension"),
    (lambda s: torch_npu.npu_quant_scatter_(*s, reduce="add"), 'reduce is "add": it must be "update"'),
    (lambda s: torch_npu.npu_quant_scatter_(*s, round_mode="floor"), 'round_mode is "floor": it must be "rint"'),
    (lambda s: torch_npu.npu_quant_scatter_(*s, dst_type=torch.quint4x2), r"dst_type is torch\.quint4x2: it must be one of"),
    (lambda s: torch_npu.npu_quant_scatter_(s[0], s[1].short(), *s[2:]), "indices.dtype is int16: it must be int32 or int64"),
    (lambda s: torch_npu.npu_quant_scatter_(s[0].byte(), *s[1:]), "self.dtype is uint8: for dst_type int8 it must be int8"),
    (lambda s: torch_npu.npu_quant_scatter(*s[:3], s[3][..., :1]), "quant_scales has 1 elements: it must have one per index"),
    (lambda s: torch_npu.npu_quant_scatter_(s[0], s[1], s[0].view(torch.float16)[:, :1], s[3][..., :8]), "updates.shape"),
    (lambda s: torch_npu.npu_dynamic_quant(s[2], quant_mode="pertile"), 'quant_mode is "pertile": it must be "pertoken"'),
    (lambda s: torch_npu.npu_dynamic_quant(s[2], dst_type_max=-1.0), "dst_type_max is -1"),
    (lambda s: torch_npu.npu_dynamic_quant(s[2][0, 0], quant_mode="perchannel"), "x.ndim is 1"),
    (lambda s: torch_npu.npu_dynamic_quant(s[2], dst_type=torch.quint8), r"dst_type is torch\.quint8"),
    (lambda s: torch_npu.npu_dynamic_quant(s[2], group_index=s[1]), "smooth_scales is None"),
    (lambda s: torch_npu.npu_dynamic_quant_asymmetric(s[2], dst_type=torch.int32), r"dst_type is torch\.int32"),
    (lambda s: torch_npu.npu_anti_quant(s[0], s[3]), "scale.ndim is 3: it must be 1"),
    (lambda s: torch_npu.npu_anti_quant(s[0], s[3][0, 0, :3]), r"scale\.shape\[0\] is 3: it must be 1, or one per index of"),
    (lambda s: torch_npu.npu_anti_quant(s[0].byte(), s[3][0, 0]), "x.dtype is uint8: it must be int8, float8_e5m2"),
    (lambda s: torch_npu.npu_anti_quant(s[0], s[3][0, 0], src_dtype=torch.quint4x2), "x.dtype is int8: for src_dtype 4 it must"),
    (lambda s: torch_npu.npu_anti_quant(s[0], s[3][0, 0], src_dtype=torch.uint8), r"src_dtype is torch\.uint8"),
    (lambda s: torch_npu.npu_anti_quant(s[0], s[3][0, 0], dst_dtype=torch.int8), r"dst_dtype is torch\.int8: it must be one of"),
    (lambda s: torch_npu.npu_anti_quant(s[0], s[3][0, 0], offset=s[3][0, 0].float()), "offset.dtype is float32: it must be"),
    (lambda s: torch_npu.npu_anti_quant(s[0], s[3][0, 0], offset=s[3][0, 0, :1]), r"offset\.shape\[0\] is 1: it must be scale"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_refused(step, call, sentence):
    before = step[0].clone()
    with pytest.raises(ValueError, match=sentence):
        call(step)
    assert torch.equal(step[0], before)


def test_overlap_is_refused(step):
    """Updates that are the cache's own bytes."""
    cache = step[0]
    updates = cache.view(torch.float16)[:, 4:5]
    before = cache.clone()
    with pytest.raises(ValueError, match="self shares bytes of its buffer with updates"):
        torch_npu.npu_quant_scatter_(cache[:, :, :8], step[1], updates, step[3][..., :8])
    assert torch.equal(cache, before)


@pytest.mark.parametrize(("dtype", "same"), [("int8", "qint8"), ("uint8", "quint8"), ("int32", "qint32")])
def test_npu_quantize_to_torch_int8(dtype, same):
    """A type's own name is taken as the quantized one is."""
    x, scales = torch.tensor([[-3.0, 2.5, 300.0, 1.0]]), torch.full((4,), 0.5)
    made = torch_npu.npu_quantize(x, scales, None, getattr(torch, dtype), -1, True)
    assert made.dtype == getattr(torch, dtype)
    assert (made == torch_npu.npu_quantize(x, scales, None, getattr(torch, same), -1, True)).all()


def test_torch_int8_of_every_call():
    x, scales, ends = torch.ones(2, 8), torch.ones(1, 8), torch.tensor([2])
    for name in (torch.int8, torch.qint8):
        assert (torch_npu.npu_quantize(x, scales[0], None, name, -1, False) == 1).all()
        assert (torch_npu.npu_group_quant(x, scales, ends, dst_dtype=name) == 1).all()
        assert (torch_npu.npu_dynamic_quant(x, dst_type=name)[0] == 127).all()
