# SPDX-License-Identifier: Apache-2.0
"""Arrays of which the shape and the address do not say all: read as what they are, or refused by a sentence."""

import ctypes

import numpy as np
import pytest
import reference

import clquant
from clquant import _structs

torch = pytest.importorskip("torch")


def test_a_negated_view(context, numbers):
    """The imaginary part of a conjugate: as x its values, also after they changed; never written."""
    z = torch.complex(torch.ones((4, 6)), torch.from_numpy(numbers((4, 6))))
    x = z.conj().imag
    assert x.is_neg()
    right = reference.quantize(x.resolve_neg().numpy(), 0.5)
    plan, view = clquant.plan(clquant.quantize, x, 0.5, context=context), clquant.view(x[:, ::2], context=context)
    np.testing.assert_array_equal(clquant.quantize(x, 0.5, context=context).numpy(), right)
    np.testing.assert_array_equal(plan().numpy(), right)
    np.testing.assert_array_equal(clquant.quantize(view, 0.5).numpy(), right[:, ::2])
    z.mul_(2)
    right = reference.quantize(x.resolve_neg().numpy(), 0.5)
    np.testing.assert_array_equal(plan().numpy(), right)
    np.testing.assert_array_equal(view.numpy(), x[:, ::2].resolve_neg().numpy())
    with pytest.raises(ValueError, match="y: a tensor of torch has the negative bit"):
        clquant.dequantize(np.ones((4, 6), np.int8), 0.5, out=x, context=context)


def fake():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.ones(4)


def masked():
    return pytest.importorskip("torch.masked").masked_tensor(torch.ones(4), torch.tensor([True, False, True, True]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (fake, "a FakeTensor of torch has no memory of its own"),
        (masked, "a MaskedTensor of torch has no memory of its own"),
        (lambda: torch._efficientzerotensor(4), "has no memory of its own"),
        (lambda: torch.ones(4).to_sparse(), "has the layout torch.sparse_coo: it must be dense"),
        (lambda: torch.nested.nested_tensor([torch.ones(4), torch.ones(3)]), "a tensor of torch is nested"),
        (lambda: np.ma.masked_array([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 0], np.float32), r"an array is masked.* x\.filled"),
        (lambda: np.zeros(17, np.uint8)[1:].view(np.float32), r"the address 0x.*: that must be a multiple of the 4 bytes"),
        (lambda: torch.from_numpy(np.zeros(17, np.uint8)[1:].view(np.float32)), "must be a multiple of the 4 bytes"),
    ],
)
def test_refused(context, make, sentence):
    """As what is read and as what is written, and by a view."""
    odd, x, y = make(), torch.ones(4), torch.zeros(4, dtype=torch.int8)
    for call, name in (
        (lambda: clquant.quantize(odd, 0.5, out=y, context=context), "x: "),
        (lambda: clquant.dequantize(y, 0.5, out=odd, context=context), "y: "),
        (lambda: clquant.quantize(x, 0.5, odd, out=y, context=context), "zero_points: "),
        (lambda: clquant.view(odd, context=context), ""),
    ):
        with pytest.raises(ValueError, match=name + ".*" + sentence) as caught:
            call()
        assert "byte_offset" not in str(caught.value)
    assert not y.any()


@pytest.mark.parametrize("transform", ["vmap", "grad", "functionalize"])
def test_within_torchs_transformations(context, transform):
    """Tensors that stand for others there are refused, not read."""
    func = pytest.importorskip("torch.func" if hasattr(torch, "func") else "functorch")
    seen = []

    def inside(x):
        with pytest.raises(ValueError, match=r"x: a \w*Tensor of torch has no memory of its own"):
            clquant.quantize(x, 0.5, context=context)
        seen.append(x)
        return x.sum()

    getattr(func, transform)(inside)(torch.ones(4))
    assert seen


class Versioned:
    """An array of DLPack's version 1, or of another, with flags."""

    def __init__(self, array, flags=0, major=1, *, asked=True):
        self.array, self.asked = array, asked
        self.sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
        code = {"f": 2, "i": 0}[array.dtype.kind]
        kind = _structs.DLDataType(code, 8 * array.itemsize, 1)
        tensor = _structs.DLTensor(array.ctypes.data, 1, 0, array.ndim, kind, ctypes.addressof(self.sizes), None, 0)
        self.struct = _structs.Managed(major, 0, None, None, flags, tensor)

    def __dlpack__(self, *, max_version=None):
        assert not self.asked or max_version >= (1, 0)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.struct), b"dltensor_versioned", None)


def test_capsules_of_version_1(context, numbers):
    x, y = numbers((4, 6)), np.zeros((4, 6), np.int8)
    clquant.quantize(Versioned(x, flags=1), 0.5, out=Versioned(y), context=context)
    np.testing.assert_array_equal(y, reference.quantize(x, 0.5))
    y[:] = 0
    for flags in (1, 2, 3):  # read-only, a copy
        with pytest.raises(ValueError, match="y is read-only"):
            clquant.quantize(x, 0.5, out=Versioned(y, flags), context=context)
        with pytest.raises(ValueError, match="y is read-only"):
            clquant.quantize(x, 0.5, out=clquant.view(clquant.view(Versioned(y, flags), context=context)), context=context)
    with pytest.raises(ValueError, match="x: an array of Versioned has version 2 of DLPack: it must be 1"):
        clquant.quantize(Versioned(x, major=2), 0.5, context=context)
    assert not y.any()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"ndim": 1 << 30}, "has 1073741824 dimensions: there must be from 0 to 8"),
        ({"ndim": 9}, "has 9 dimensions"),
        ({"ndim": -1}, "has -1 dimensions"),
        ({"shape": None}, "has 2 dimensions: its capsule must say their sizes"),
        ({"sizes": (4, -6)}, r"has the shape \(4, -6\): no size may be negative"),
        ({"sizes": (1 << 62, 1 << 62)}, "has \\d+ bytes from the address 0x.* on: they must lie in the host's memory"),
        ({"data": None}, "has 96 bytes from the address 0x0 on: they must lie in the host's memory"),
        ({"byte_offset": (1 << 64) - 4}, "has 96 bytes from the address 0x1.* on"),
        ({"byte_offset": 1 << 63}, "has 96 bytes from the address 0x8.* on"),
        ({"device_type": 2}, "is on a device of DLPack's type 2"),
    ],
)
def test_capsules_that_no_memory_can_be(context, given, sentence):
    """Refused before anything is read where they point."""
    odd, y = Versioned(np.ones((4, 6), np.float32)), np.zeros((4, 6), np.int8)
    for name, value in given.items():
        if name == "sizes":
            odd.sizes[:] = value
        else:
            setattr(odd.struct.tensor, name, value)
    with pytest.raises(ValueError, match=f"x: an array of Versioned {sentence}"):
        clquant.quantize(odd, 0.5, out=y, context=context)
    assert not y.any()


def test_an_array_that_keeps_its_memory(context):
    class Closed:
        def __dlpack__(self, **_):
            raise BufferError("it is written elsewhere")

    with pytest.raises(ValueError, match="x: an array of Closed does not give its memory: it is written elsewhere"):
        clquant.quantize(Closed(), 0.5, context=context)


@pytest.mark.parametrize("library", ["jaxlib._jax", "pyarrow.lib", "tensorflow"])
def test_arrays_that_nobody_writes(context, numbers, library):
    """Whatever their capsules say: those of libraries whose arrays are immutable are read, and refused as outputs."""
    kind = type("Array", (), {"__module__": library, "__dlpack__": lambda self, **_: self.array.__dlpack__()})
    x, y = kind(), kind()
    x.array, y.array = numbers((4, 6)), np.zeros((4, 6), np.int8)
    np.testing.assert_array_equal(clquant.quantize(x, 0.5, context=context), reference.quantize(x.array, 0.5))
    for out in (y, clquant.view(y, context=context), clquant.view(clquant.view(y, context=context))):
        with pytest.raises(ValueError, match="y is read-only"):
            clquant.quantize(x, 0.5, out=out, context=context)
    assert not y.array.any()


def test_an_array_of_pyarrow(context):
    pyarrow = pytest.importorskip("pyarrow")
    y = pyarrow.array([0, 0, 0], pyarrow.int8())
    np.testing.assert_array_equal(clquant.quantize(pyarrow.array([1, 2, 3], pyarrow.float32()), 0.5, context=context), [2, 4, 6])
    with pytest.raises(ValueError, match="y is read-only"):
        clquant.quantize(np.ones(3, np.float32), 1.0, out=y, context=context)
    assert y.to_pylist() == [0, 0, 0]


def test_offsets_that_are_no_multiple(context):
    there = clquant.to_device(np.ones(8, np.float32), context=context)
    with pytest.raises(ValueError, match="offset_bytes is 2: it must be a multiple of the 4 of float32"):
        clquant.Tensor(there.mem, "float32", (2,), None, 2, context=context)
