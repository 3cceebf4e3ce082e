# SPDX-License-Identifier: Apache-2.0
"""Arrays of numpy, ml_dtypes and DLPack: what goes in, what comes out, and whose memory it is."""

import ctypes

import ml_dtypes
import numpy as np
import pytest
import reference

import clquant
from clquant import _structs


class Foreign:
    """An array that has nothing but __dlpack__."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()


def test_numbers(context):
    x = [[0.5, -1.0, 3.0], [9.0, -7.5, 0.25]]
    y = clquant.quantize(x, 0.5, 1, context=context)
    np.testing.assert_array_equal(y, reference.quantize(np.array(x), 0.5, 1))


@pytest.mark.parametrize("cut", [np.s_[:, ::2], np.s_[1:, 1:7], np.s_[::2, :, 3:], np.s_[..., 1], np.s_[1:1]], ids=str)
def test_strides(context, numbers, cut):
    whole = numbers((4, 8, 6))
    x = whole[cut]
    np.testing.assert_array_equal(clquant.quantize(x, 0.5, context=context), reference.quantize(x, 0.5))
    turned = whole.transpose(2, 0, 1)
    np.testing.assert_array_equal(clquant.quantize(turned, 0.5, context=context), reference.quantize(turned, 0.5))
    out = np.full((4, 8, 6), 77, np.int8)
    clquant.quantize(x, 0.5, out=out[cut], context=context)
    right = np.full((4, 8, 6), 77, np.int8)
    right[cut] = reference.quantize(x, 0.5)
    np.testing.assert_array_equal(out, right)


def test_broadcast(context, numbers):
    x = np.broadcast_to(numbers((1, 6)), (5, 6))
    np.testing.assert_array_equal(clquant.quantize(x, 0.5, context=context), reference.quantize(x, 0.5))


@pytest.mark.parametrize("shift", range(0, 16, 4))
def test_any_address(context, numbers, shift):
    """The host's memory begins anywhere; what lies before and behind stays."""
    room = np.full(300, 0x33, np.uint8)
    out = room[shift + 1 : shift + 1 + 120].view(np.int8)
    x = np.frombuffer(bytearray(shift) + bytearray(numbers(120).tobytes()), np.float32, 120, shift)
    clquant.quantize(x, 0.5, out=out, context=context)
    np.testing.assert_array_equal(out, reference.quantize(x, 0.5))
    assert (room[: shift + 1] == 0x33).all()
    assert (room[shift + 121 :] == 0x33).all()


def test_int4_elements(context, numbers):
    x = numbers((3, 5, 14))
    y = clquant.quantize(x, 2.0, dtype=ml_dtypes.int4, context=context)
    assert y.dtype == ml_dtypes.int4
    right = reference.quantize(x, 2.0, dtype="int4")
    np.testing.assert_array_equal(y.view(np.int8), right)
    np.testing.assert_array_equal(clquant.dequantize(y, 2.0, context=context), reference.dequantize(right, 2.0))
    y = clquant.quantize(x, 2.0, 8, dtype=ml_dtypes.uint4, context=context)
    np.testing.assert_array_equal(y.astype(np.uint8), reference.quantize(x, 2.0, 8, dtype="uint4"))
    cache = np.full((3, 7, 14), -3, np.int8).astype(ml_dtypes.int4)
    clquant.quantize_scatter(cache, np.array([1, 2, 2]), x, 2.0, axis=1, context=context)
    for i, start in enumerate((1, 2, 2)):
        np.testing.assert_array_equal(cache[i, start : start + 5].astype(np.int8), right[i])
    assert (cache[0, 0].astype(np.int8) == -3).all()


def test_bytes_of_other_types(context, numbers):
    x = numbers((4, 6), ml_dtypes.bfloat16)
    y = clquant.quantize(clquant.view(x.view(np.uint16), "bfloat16", context=context), 0.5)
    np.testing.assert_array_equal(y, reference.quantize(x, 0.5))
    codes = reference.quantize(x, 0.5, dtype="float8_e5m2")
    back = clquant.dequantize(clquant.view(codes, "float8_e5m2", context=context), 0.5)
    np.testing.assert_array_equal(back, reference.dequantize(codes.view(ml_dtypes.float8_e5m2), 0.5))


def test_without_ml_dtypes(monkeypatch, numbers):
    from clquant import _dtypes

    for row in _dtypes.BY_NAME.values():
        vars(row).pop("numpy", None)
    monkeypatch.setattr(_dtypes, "_ml_dtypes", lambda: None)
    x = numbers((4, 6))
    y = clquant.quantize(x, 0.5, dtype="float8_e4m3fn")
    assert y.dtype == np.uint8
    np.testing.assert_array_equal(y, reference.quantize(x, 0.5, dtype="float8_e4m3fn"))
    for row in _dtypes.BY_NAME.values():
        vars(row).pop("numpy", None)


def test_dlpack(context, numbers):
    whole = numbers((4, 6, 8))
    for x in (whole, whole[:, ::2], whole.transpose(1, 2, 0)):
        made = clquant.quantize(Foreign(x), Foreign(np.float32([0.5])), context=context)
        assert isinstance(made, np.ndarray)
        np.testing.assert_array_equal(made, reference.quantize(x, 0.5))
    out = np.zeros((4, 6, 8), np.int8)
    clquant.quantize(whole, 0.5, out=Foreign(out), context=context)
    np.testing.assert_array_equal(out, reference.quantize(whole, 0.5))


class Capsule:
    """A hand-made array of DLPack, whose elements begin behind the address that it gives."""

    def __init__(self, array, device=1, skipped=1):
        self.sizes = (ctypes.c_int64 * 1)(len(array) - skipped)
        self.array = array
        kind = _structs.DLDataType(2, 32, 1)
        begin, behind = array.ctypes.data, 4 * skipped
        self.struct = _structs.DLTensor(begin, device, 0, 1, kind, ctypes.addressof(self.sizes), None, behind)

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.struct), b"dltensor", None)


def test_what_a_capsule_alone_keeps(context, numbers):
    class Copying:
        def __dlpack__(self):
            return np.array(x).__dlpack__()

    x = numbers(1 << 20)  # so large that its memory is given back where it is freed
    view = clquant.view(Copying(), context=context)
    np.testing.assert_array_equal(clquant.quantize(view, 0.5, context=context), reference.quantize(x, 0.5))


def test_capsules(context, numbers):
    x = numbers(9)
    y = clquant.quantize(Capsule(x), 0.5, context=context)
    np.testing.assert_array_equal(y, reference.quantize(x[1:], 0.5))
    with pytest.raises(ValueError, match="x: an array of Capsule is on a device of DLPack's type 2"):
        clquant.quantize(Capsule(x, device=2), 0.5, context=context)


def test_read_only(context, numbers):
    x, out = numbers((4, 6)), np.zeros((4, 6), np.int8)
    x.flags.writeable = out.flags.writeable = False
    clquant.quantize(x, 0.5, context=context)
    for wrong in (out, [[1] * 6] * 4):
        with pytest.raises(ValueError, match="y is read-only"):
            clquant.quantize(x, 0.5, out=wrong, context=context)
    assert not out.any()


def test_a_view_of_another_context_is_refused_beside_an_array_that_shares_its_bytes():
    held = np.zeros((4, 40), np.uint8)
    scales = np.ndarray((4,), np.float32, held, strides=(40,))
    scales[:] = 1
    other, context = clquant.Context(), clquant.Context()
    q = clquant.view(held[:, 8:], "uint4", context=other)
    with pytest.raises(ValueError, match="it must be of the one that the call runs in"):
        clquant.dequantize(q, scales, mode="dynamic", context=context)


def test_overlap(context, numbers):
    x = numbers((4, 8))
    before = x.copy()
    with pytest.raises(ValueError, match="y shares bytes of its buffer with x"):
        clquant.quantize(x, 0.5, out=x.view(np.int8)[:, 8:16], context=context)
    np.testing.assert_array_equal(x, before)
    rows = np.zeros((4, 12), np.uint8)  # a scale stands behind its row
    out = (rows[:, :8].view(np.int8), rows[:, 8:].view(np.float32)[:, 0], None)
    clquant.dynamic_quantize(x, symmetric=True, out=out, context=context)
    y, scales, _ = reference.dynamic(x, symmetric=True)
    np.testing.assert_array_equal(out[0], y)
    np.testing.assert_array_equal(out[1], scales[:, 0])
    both = clquant.quantize(x[0], x[0], mode="multiply", context=context)
    np.testing.assert_array_equal(both, reference.quantize(x[0], x[0], mode="multiply"))


def test_views_are_kept(context, numbers):
    x = numbers((4, 8))
    view = clquant.view(x, context=context)
    right = reference.quantize(x, 0.5)
    address = x.ctypes.data
    del x
    filler = [np.zeros((4, 8), np.float32) for _ in range(50)]
    assert all(array.ctypes.data != address for array in filler)
    y = clquant.quantize(view, 0.5)
    assert isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y, right)
    view.array[:] = 3
    assert (clquant.quantize(view, 0.5) == 6).all()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ("text", "no array"),
        (None, "x is None: it must be an array"),
        (np.zeros(3), r"x.dtype is float64: it must be float32, float16 or bfloat16: x.astype\(np.float32\)"),
        (np.zeros(3, ">f4"), "x: an array has elements of >f4"),
        (np.zeros(3, np.int8), "x"),
        (np.zeros((2, 3), np.float32)[:, ::-1], "x.strides.1. is -1"),
        (np.zeros((1,) * 9, np.float32), "x.*rank|x.ndim"),
        (np.zeros(3, [("a", "u1"), ("b", "<f4")])["b"], "an array has strides of .5,. bytes: each must be a multiple"),
        (np.zeros(13, np.uint8)[1:].view(np.float32), "x: an array begins at the address 0x.*: that must be a multiple of the 4"),
    ],
)
def test_refused(array, message):
    with pytest.raises((TypeError, ValueError), match=message):
        clquant.quantize(array, 0.5, out=np.zeros(3, np.int8))
