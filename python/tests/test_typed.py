# SPDX-License-Identifier: Apache-2.0
"""Results that know what they are: packed and 8-bit float types, whole results of dynamic quantization, scales of an axis."""

import copy
import pickle
import typing

import numpy as np
import pytest

import clquant

DTYPES = ["int4", "uint4", "int4_words", "uint4_words", "float8_e4m3fn", "float8_e5m2"]
LIBRARIES = ["numpy", "torch", "pyopencl"]


@pytest.fixture(params=LIBRARIES)
def library(request):
    """How arrays of a library are made, and how numpy gets them back."""
    if request.param == "numpy":
        return lambda x: x, np.asarray
    if request.param == "torch":
        torch = pytest.importorskip("torch")
        return torch.from_numpy, lambda x: x.numpy()
    cl = pytest.importorskip("pyopencl")
    pytest.importorskip("pyopencl.array")
    queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    return lambda x: cl.array.to_device(queue, x), lambda x: x.get()


@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back(library, dtype, rng):
    """What was quantized comes back with nothing said again: whole, slices, copies, by both kinds of quantization."""
    make, fetch = library
    x = rng.normal(size=(4, 64)).astype(np.float32)
    step = 0.3 if "8" in dtype else 0.5
    signed = not dtype.startswith("uint")
    zero = None if signed else np.uint8(8)
    scale = 1 / 64 if "8" in dtype else 0.5
    y = clquant.quantize(make(x), scale, zero, dtype=dtype)
    for part, of in (
        (y, x),
        (y[1:3], x[1:3]),
        (y[..., : 16 * y.shape[-1] // 64], x[:, :16]),
        (y.reshape(2, 2, -1), x.reshape(2, 2, 64)),
    ):
        back = fetch(clquant.dequantize(part, scale, zero))
        assert back.shape == of.shape
        assert abs(back - of).max() < step
    q = clquant.dynamic_quantize(make(x), dtype=dtype, symmetric="8" in dtype)
    for back in (clquant.dequantize(q), clquant.dequantize(q.y, q.scales, offsets=q.offsets, mode="dynamic")):
        assert fetch(back).shape == x.shape
        assert abs(fetch(back) - x).max() < step


def test_without_ml_dtypes(monkeypatch, numbers):
    """Types that numpy has no name for without it, bfloat16 too, come back the same."""
    from clquant import _dtypes

    rows = [_dtypes.BY_NAME[name] for name in ("float8_e4m3fn", "float8_e5m2", "bfloat16")]
    for row in rows:
        monkeypatch.setitem(row.__dict__, "numpy", np.dtype(row.storage))
        monkeypatch.setitem(row.__dict__, "is_told", False)
    x = np.array([[1, -2, 0.5, 64]], np.float32)
    for name in ("float8_e4m3fn", "float8_e5m2"):
        y = clquant.quantize(x, 1.0, dtype=name)
        assert y.dtype == np.uint8
        np.testing.assert_array_equal(clquant.dequantize(y, 1.0), x)
    q = clquant.dynamic_quantize(x, scale_dtype="bfloat16")
    assert q.scales.dtype == np.uint16
    assert q.scales.element_type == "bfloat16"
    assert abs(clquant.dequantize(q) - x).max() < 1
    halves = clquant.dequantize(clquant.quantize(x, 1.0), 1.0, dtype="bfloat16")
    np.testing.assert_array_equal(clquant.quantize(halves, 1.0), x.round().astype(np.int8))


def test_numpy_keeps_and_drops():
    y = clquant.quantize(np.ones((4, 64), np.float32), 0.1, dtype="int4")
    kept = (y[0], y[1:3, :8], y.copy(), y.reshape(2, 2, 32), y[None], copy.deepcopy(y), pickle.loads(pickle.dumps(y)))
    joined = (np.concatenate([y, y]), np.stack([y, y]), np.vstack([y, y]))
    for each in (*kept, *joined):
        assert each.element_type == "int4"
    plain = (y & 15, y == 0, np.asarray(y), y.view(np.int8), y.astype(np.int32), np.concatenate([y, np.asarray(y)]))
    for each in plain:
        assert getattr(each, "element_type", None) is None
    assert y.sum() == 0x77 * 128
    y += 1
    assert y.element_type == "int4"
    for each in (y.T, np.moveaxis(y, 0, 1), y.swapaxes(0, 1), y.transpose(1, 0)[:8], np.stack([y.T, y.T])):
        with pytest.raises(ValueError, match="axes of an array of int4 were moved: its last axis must be"):
            clquant.dequantize(each, 0.1)
    assert clquant.dequantize(y[None].transpose(1, 0, 2), 0.1).shape == (4, 1, 64)


def test_torch_keeps_and_drops():
    torch = pytest.importorskip("torch")
    y = clquant.quantize(torch.ones(4, 64), 0.1, dtype="int4")
    kept = (y[0], y[1:3, :8], y.clone(), y.view(2, 2, 32), y[None], copy.deepcopy(y), pickle.loads(pickle.dumps(y)), y.data)
    joined = (torch.cat([y, y]), torch.stack([y, y]), *y.split(2), *torch.unbind(y), torch.narrow(y, 0, 1, 2))
    for each in (*kept, *joined):
        assert each.element_type == "int4"
    plain = (y & 15, y == 0, y.as_subclass(torch.Tensor), y.int(), torch.cat([y, y.as_subclass(torch.Tensor)]))
    for each in plain:
        assert type(each) is torch.Tensor
    y += 1
    assert y.element_type == "int4"
    for each in (y.T, y.t(), y.permute(1, 0), torch.transpose(y, 0, 1), y.T[:8]):
        with pytest.raises(ValueError, match="axes of an array of int4 were moved"):
            clquant.dequantize(each, 0.1)


HOW = [
    {},
    {"symmetric": True},
    {"axis": 0},
    {"axis": -2, "block": 16},
    {"block": 32, "dtype": "int4"},
    {"block": 24, "block_before": 20},
    {"axis": 1, "block": 32, "block_before": 64, "symmetric": True, "dtype": "float8_e4m3fn", "rotate": 8},
    {"block_all": True},
    {"rotate": 16, "dtype": "int4_words"},
    {"axis": 1, "block": 8, "symmetric": True, "scale_dtype": "float16"},
]


@pytest.mark.parametrize("how", HOW, ids=str)
def test_whole_result(context, how, rng):
    """A result knows its block, rotation, axis and whether it is symmetric; the same with all said again is the same."""
    x = rng.normal(size=(64, 64)).astype(np.float32)
    q = clquant.dynamic_quantize(x, context=context, **how)
    back = clquant.dequantize(q, context=context)
    assert abs(back - x).max() < (0.5 if "dtype" in how else 0.1)
    said = {name: how[name] for name in ("axis", "block", "block_before", "block_all", "rotate") if name in how}
    again = clquant.dequantize(q.y, q.scales, offsets=q.offsets, mode="dynamic", context=context, **said)
    np.testing.assert_array_equal(again, back)
    for other in (q._replace(y=q.y.copy()), copy.copy(q), copy.deepcopy(q), pickle.loads(pickle.dumps(q))):
        np.testing.assert_array_equal(clquant.dequantize(other, context=context), back)
    np.testing.assert_array_equal(clquant.dequantize(q, q.scales, mode="dynamic", context=context, **said), back)
    np.testing.assert_array_equal(clquant.plan(clquant.dequantize, q, context=context)(), back)
    assert clquant.plan(clquant.dynamic_quantize, x, context=context, **how)().rotate == how.get("rotate", 0)


PARTS = [
    {},
    {"symmetric": True},
    {"rotate": 8},
    {"block": 8, "symmetric": True},
    {"axis": 0},
    {"block_all": True},
    {"dtype": "int4", "rotate": 16},
    {"dtype": "q8_0", "rotate": 32},
    {"dtype": "float4_e2m1fn", "scale_rule": "nvfp4", "global_scale": np.float32([0.25])},
]


@pytest.mark.parametrize("how", PARTS, ids=str)
@pytest.mark.parametrize("shape", [(64, 64), (4, 64)])
def test_a_result_taken_apart(library, how, shape, rng):
    """Its arrays, given one by one and with nothing said again, come back as it does whole; slices, and those of a plan too."""
    make, fetch = library
    x = make(rng.normal(size=shape).astype(np.float32))
    q = clquant.dynamic_quantize(x, **how)
    y, scales, offsets = q
    right = fetch(clquant.dequantize(q))
    np.testing.assert_array_equal(fetch(clquant.dequantize(y, scales, offsets)), right)
    np.testing.assert_array_equal(fetch(clquant.dequantize(y, scales, offsets, mode="dynamic")), right)
    np.testing.assert_array_equal(fetch(clquant.dequantize(*clquant.plan(clquant.dynamic_quantize, x, **how)())), right)
    if scales is not None and len(scales.shape) and how.get("axis") != 0:
        part = (y[1:3], scales[1:3], None if offsets is None else offsets[1:3])
        np.testing.assert_array_equal(fetch(clquant.dequantize(*part)), right[1:3])
    if offsets is not None:
        for call in (
            lambda: clquant.dequantize(y, scales, offsets, mode="divide"),
            lambda: clquant.quantize(x, 1.0, offsets),
            lambda: clquant.dequantize(y, scales, make(fetch(offsets).copy())),
        ):
            with pytest.raises(ValueError, match=r"zero_points is .*: give offsets=…, or pass the clquant\.Quantized whole"):
                call()


def test_scales_of_a_result_for_another_array(rng):
    """They are taken for given ones where their shape says so or an option does, and refused where it may be either."""
    x = rng.normal(size=(8, 8)).astype(np.float32)
    y, scales, _ = clquant.dynamic_quantize(x, symmetric=True)
    with pytest.raises(
        ValueError, match=r"scales are those of rows.* pass the clquant\.Quantized, or mode='dynamic'; mode='divide'"
    ):
        clquant.dequantize(y.copy(), scales)
    np.testing.assert_array_equal(clquant.dequantize(y.copy(), scales, mode="dynamic"), y * scales[:, None])
    np.testing.assert_array_equal(clquant.dequantize(y.copy(), scales, mode="divide"), y * scales)
    np.testing.assert_array_equal(clquant.dequantize(y, scales, axis=0), y * scales[:, None])
    np.testing.assert_array_equal(clquant.dequantize(y, scales[:, None]), y * scales[:, None])
    other = clquant.quantize(x[:4], scales)
    np.testing.assert_array_equal(clquant.dequantize(other, scales), other * scales)
    clquant.dynamic_quantize(2 * x, symmetric=True, rotate=8, out=(y, scales, None))
    np.testing.assert_array_equal(clquant.dequantize(y, scales, mode="dynamic"), y * scales[:, None])


def test_what_is_known_of_arrays_goes_with_them():
    """Of arrays that are gone nothing is kept, however many there were."""
    from clquant import _origins

    x = np.ones((2, 8), np.float32)
    for _ in range(3000):
        clquant.dynamic_quantize(x)
    assert len(_origins._known) < 1500


def test_whole_caches(rng):
    cache, scales, offsets = np.zeros((2, 8, 4, 32), np.int8), np.ones((2, 8, 4), np.float32), np.zeros((2, 8, 4), np.float32)
    keys = rng.normal(size=(2, 1, 4, 32)).astype(np.float32)
    q = clquant.dynamic_quantize_scatter(cache, scales, offsets, [3, 5], keys, axis=1, rotate=32)
    assert abs(clquant.dequantize(q, indices=[3, 5]) - keys).max() < 0.1
    assert abs(clquant.dequantize(q)[[0, 1], [3, 5]] - keys[:, 0]).max() < 0.1


@pytest.mark.parametrize(
    ("how", "given", "message"),
    [
        ({"block": 16}, {"block": 8}, "block is 8: q was quantized with block 16"),
        ({"block": 16}, {"block_before": 4}, "block_before is 4: q was quantized with block_before 0"),
        ({"block": 16, "block_before": 4}, {"indices": [0] * 8}, "block_before is 4: with indices it must be 0"),
        ({}, {"rotate": 8}, "rotate is 8: q was quantized with rotate 0"),
        ({"axis": 0}, {"axis": 1}, "axis is 1: q was quantized along axis 0"),
        ({}, {"axis": 0}, "axis is 0: q was quantized along axis -1"),
        ({"axis": None}, {"axis": 0}, "axis is 0: q was quantized along axis -1"),
        ({}, {"block_all": True}, "block_all is True: q was quantized with block_all False"),
        ({}, {"mode": "divide"}, "mode is 'divide': q is a clquant.Quantized, which mode 'dynamic' undoes"),
        ({"symmetric": True}, {"offsets": np.ones(8)}, "offsets is given: q is a clquant.Quantized, which has none"),
        ({}, {"scales": np.ones(8)}, "scales is given: q is a clquant.Quantized, which has its own"),
        ({}, {"zero_points": np.ones(8, np.float32)}, "zero_points is given"),
        ({"axis": 0}, {"indices": [0] * 8}, "indices is given: q was quantized along axis 0"),
    ],
)
def test_whole_result_contradicted(how, given, message):
    q = clquant.dynamic_quantize(np.ones((8, 16), np.float32), **how)
    with pytest.raises(ValueError, match=message):
        clquant.dequantize(q, **given)


@pytest.mark.parametrize("shape", [(64, 64), (16, 16, 16), (8,)])
@pytest.mark.parametrize("method", ["absmax", "minmax"])
def test_scales_of_a_square(context, rng, shape, method):
    """The shape of scales says their axis, so that nothing else has to."""
    for axis in range(-len(shape), len(shape)):
        steps = np.linspace(0.1, 10, shape[axis], dtype=np.float32)
        x = rng.normal(size=shape).astype(np.float32) * np.moveaxis(np.broadcast_to(steps, shape), -1, axis)
        found = clquant.find_scales(x, axis=axis, method=method, context=context)
        back = clquant.dequantize(clquant.quantize(x, *found, context=context), *found, context=context)
        assert (abs(back - x) <= found.scales * 0.6).all()


def test_every_name_is_known_to_type_checkers():
    """The names of the library's types are those that stand in the package's literals."""
    from clquant import _dtypes, _types

    def words(of):
        return {word for part in typing.get_args(of) for word in ([part] if isinstance(part, str) else words(part))}

    assert words(_types.ElementName) == set(_dtypes.BY_NAME)
