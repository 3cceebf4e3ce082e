# SPDX-License-Identifier: Apache-2.0
"""Tensors on the device: what makes them, and what other libraries see of them."""

import gc
import weakref

import numpy as np
import pytest

import clquant
from clquant import _export


def kinds():
    """Whatever operators take, with the elements that it holds."""
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    yield "array", x, x
    yield "slice", x[1:3, ::2], x[1:3, ::2]
    yield "transposed", x.T, x.T
    yield "rank 0", np.float32(2.5), np.float32(2.5)
    yield "array of rank 0", np.array(2.5, np.float32), np.float32(2.5)
    yield "number", 2.5, np.float32(2.5)
    yield "list", [1, 2, 3], np.array([1, 2, 3])
    yield "empty", x[:0], x[:0]
    yield "read-only", np.broadcast_to(x[0], (4, 6)), np.broadcast_to(x[0], (4, 6))
    yield "tensor", clquant.to_device(x), x
    yield "view", clquant.view(x[:, ::3]), x[:, ::3]
    yield "packed", clquant.quantize(x, 4.0, dtype="int4"), clquant.quantize(x, 4.0, dtype="int4")
    yield "dlpack", type("Other", (), {"__dlpack__": lambda self, **_: x.__dlpack__()})(), x


@pytest.mark.parametrize(("array", "elements"), [pytest.param(*rest, id=name) for name, *rest in kinds()])
def test_to_device_takes_what_operators_take(context, array, elements):
    there = clquant.to_device(array, context=context)
    held = there.numpy()
    assert there.shape == held.shape == np.shape(elements)
    np.testing.assert_array_equal(held, elements)
    assert getattr(held, "element_type", None) == getattr(elements, "element_type", None)


def test_to_device_of_int4(rng):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("int4", "uint4"):
        x = rng.integers(0, 8, (2, 4)).astype(getattr(ml_dtypes, name))
        there = clquant.to_device(x)
        assert there.element_shape == x.shape
        np.testing.assert_array_equal(clquant.dequantize(there, 1.0).numpy(), x.astype(np.float32))
    halves = rng.normal(size=(3, 5)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(clquant.to_device(halves).numpy(), halves)


def test_to_device_of_torch_and_pyopencl(rng):
    torch = pytest.importorskip("torch")
    x = torch.randn(4, 6).to(torch.bfloat16)
    assert clquant.to_device(x.T).dtype.name == "bfloat16"
    np.testing.assert_array_equal(clquant.to_device(x.T).numpy().astype(np.float32), x.T.float().numpy())
    cl = pytest.importorskip("pyopencl")
    pytest.importorskip("pyopencl.array")
    queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    there = cl.array.to_device(queue, x.float().numpy())
    np.testing.assert_array_equal(clquant.to_device(there).numpy(), there.get())


def test_length_and_array():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    there = clquant.to_device(x)
    assert len(there) == 3
    np.testing.assert_array_equal(np.asarray(there), x)
    assert np.asarray(there, np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="numpy must be given a copy"):
        there.__array__(copy=False)
    with pytest.raises(TypeError, match="rank 0 has no length"):
        len(clquant.to_device(1.0))
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(there)


def test_dlpack(context):
    """A view of the host's memory is that memory; a tensor on the device says so, and its copy on the host can be had."""
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    seen = clquant.view(x[:, 1:], context=context)
    assert seen.__dlpack_device__() == (1, 0)
    other = np.from_dlpack(seen)
    np.testing.assert_array_equal(other, x[:, 1:])
    x[0, 1] = 77
    assert other[0, 0] == 77
    there = clquant.to_device(x, context=context)
    assert there.__dlpack_device__() == (4, 0)
    there.__dlpack__()
    np.testing.assert_array_equal(clquant.dequantize(clquant.quantize(there, 1.0), 1.0).numpy(), x)

    class OnHost:
        def __dlpack__(self, **_):
            return there.__dlpack__(dl_device=(1, 0))

        def __dlpack_device__(self):
            return (1, 0)

    np.testing.assert_array_equal(np.from_dlpack(OnHost()), x)
    for wrong in ({"dl_device": (2, 0)}, {"dl_device": (1, 0), "copy": False}):
        with pytest.raises(BufferError, match=r"clquant\.Tensor is"):
            there.__dlpack__(**wrong)
    x.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"):
        clquant.view(x, context=context).__dlpack__()
    del other
    gc.collect()
    _export.sweep()
    assert not _export._held


def test_dlpack_of_the_device_in_numpy(context):
    """The error is numpy's own, and it comes through; what it did not take is let go when the next memory is made."""
    alive = []
    for _ in range(3):
        there = clquant.to_device(np.ones(8, np.float32), context=context)
        alive.append(weakref.ref(there))
        with pytest.raises((RuntimeError, BufferError), match="device"):
            np.from_dlpack(there)
        del there
    gc.collect()
    clquant.empty((1,), "int8", context=context)
    assert [each() for each in alive] == [None] * 3


def test_dlpack_that_nobody_takes(context):
    """A capsule holds its tensor as long as somebody has it."""
    there = clquant.to_device(np.ones(8, np.float32), context=context)
    alive, capsule = weakref.ref(there), there.__dlpack__()
    del there
    gc.collect()
    _export.sweep()
    assert alive() is not None
    del capsule
    _export.sweep()
    assert alive() is None


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_dlpack_that_ends_while_an_error_is_on_its_way(library):
    """The error arrives, and what was taken is let go."""
    take = np.from_dlpack if library == "numpy" else pytest.importorskip("torch").from_dlpack
    array = np.ones(4, np.float32)
    seen = clquant.view(array)
    alive = weakref.ref(seen)
    with pytest.raises(ZeroDivisionError):
        print(take(seen), 1 // 0)
    del seen
    gc.collect()
    _export.sweep()
    assert alive() is None
    taken = take(clquant.view(array))
    part = taken[1:]
    del taken
    gc.collect()
    _export.sweep()
    assert part[0] == 1
    assert len(_export._held) == 1
    del part
    _export.sweep()
    assert not _export._held


@pytest.mark.parametrize(
    "index", [slice(1, 3), -1, (slice(None), slice(None, None, 2)), (..., 3), (2, slice(1, 5)), slice(4, 9), ...], ids=str
)
def test_slices(context, rng, index):
    """Those of a tensor on the device, of a view, and of a slice are those of the array."""
    x = rng.normal(size=(4, 6)).astype(np.float32)
    for there in (clquant.to_device(x, context=context), clquant.view(x, context=context)):
        np.testing.assert_array_equal(there[index].numpy(), x[index])
        np.testing.assert_array_equal(there[1:, 1:][index].numpy(), x[1:, 1:][index])
        np.testing.assert_array_equal(np.asarray(clquant.quantize(there[index], 0.5)), clquant.quantize(x[index], 0.5))
    cache = clquant.zeros((4, 6), "int8", context=context)
    clquant.quantize(x[index], 0.25, out=cache[index], context=context)
    right = np.zeros((4, 6), np.int8)
    right[index] = clquant.quantize(x[index], 0.25)
    np.testing.assert_array_equal(cache.numpy(), right)


def test_slices_of_bytes_know_what_they_hold(context, rng):
    x = rng.normal(size=(4, 64)).astype(np.float32)
    for dtype in ("int4", "q8_0"):
        y = clquant.dynamic_quantize(x, dtype=dtype).y if dtype == "q8_0" else clquant.quantize(x, 0.5, dtype=dtype)
        scales = None if dtype == "q8_0" else 0.5
        for there in (clquant.to_device(y, context=context), clquant.view(np.asarray(y), dtype, context=context)):
            assert there[1:3].element_type == dtype
            np.testing.assert_array_equal(np.asarray(clquant.dequantize(there[1:3], scales)), clquant.dequantize(y, scales)[1:3])
    assert clquant.zeros((2, 34), "q8_0").shape == (2, 34)
    assert not clquant.dequantize(clquant.zeros((2, 34), "q8_0")).numpy().any()


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (9, IndexError, "the index 9 is out of range: the dimension has 4"),
        ((0, 0, 0), IndexError, "has more than the 2 dimensions"),
        (slice(None, None, -1), ValueError, "goes backwards"),
        ([0, 1], TypeError, r"an index is \[0, 1\]: it must be a whole number, a slice or \.\.\."),
        (1.0, TypeError, "an index is 1.0"),
        ((..., 0), ValueError, "axes of an array of int4 were moved"),
    ],
)
def test_indices_that_no_slice_has(index, error, message):
    with pytest.raises(error, match=message):
        clquant.zeros((4, 8), "int4")[index]
