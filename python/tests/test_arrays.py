# SPDX-License-Identifier: Apache-2.0
"""Arrays of numpy, ml_dtypes, torch, pyopencl and DLPack: what goes in, what comes out, and whose memory it is."""

import ml_dtypes
import numpy as np
import pytest
import reference

import clquant

torch = pytest.importorskip("torch")
pyopencl = pytest.importorskip("pyopencl")
pytest.importorskip("pyopencl.array")


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
    np.testing.assert_array_equal(y.astype(np.int8), right)
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


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_torch(context, numbers, dtype):
    x = torch.from_numpy(numbers((4, 6, 8))).to(getattr(torch, dtype))
    for tensor in (x, x.transpose(0, 2), x[:, ::2]):
        y = clquant.quantize(tensor, torch.tensor(0.5), dtype=torch.int8, context=context)
        assert y.dtype == torch.int8
        assert y.shape == tensor.shape
        np.testing.assert_array_equal(y.numpy(), reference.quantize(tensor.float().numpy(), 0.5))
    back = clquant.dequantize(y, 0.5, dtype=getattr(torch, dtype), context=context)
    assert back.dtype == x.dtype


def test_torch_kinds(context, numbers):
    x = torch.from_numpy(numbers((4, 16)))
    y = clquant.quantize(x, 2.0, dtype="int4_words", context=context)
    assert y.dtype == torch.int32
    right = reference.quantize(x.numpy(), 2.0, dtype="int4")
    np.testing.assert_array_equal(reference.unpack(y.numpy().view(np.uint8)), right)
    needing = x.clone().requires_grad_()
    assert clquant.quantize(needing, 2.0, dtype="int4", context=context).dtype == torch.uint8
    with pytest.raises(ValueError, match="x: an array has elements of float64"):
        clquant.quantize(x.double(), 2.0, context=context)
    with pytest.raises(ValueError, match="on meta: it must be on the CPU"):
        clquant.quantize(x.to("meta"), 2.0, context=context)
    with pytest.raises(ValueError, match="only arrays of numpy"):
        clquant.quantize(x, 2.0, dtype="int4_elements", context=context)


def test_dlpack(context, numbers):
    whole = numbers((4, 6, 8))
    for x in (whole, whole[:, ::2], whole.transpose(1, 2, 0)):
        made = clquant.quantize(Foreign(x), Foreign(np.float32([0.5])), context=context)
        assert isinstance(made, np.ndarray)
        np.testing.assert_array_equal(made, reference.quantize(x, 0.5))
    half = torch.from_numpy(whole).bfloat16()
    made = clquant.quantize(Foreign(half), 0.5, context=context)
    np.testing.assert_array_equal(made, reference.quantize(half.float().numpy(), 0.5))
    out = np.zeros((4, 6, 8), np.int8)
    clquant.quantize(whole, 0.5, out=Foreign(out), context=context)
    np.testing.assert_array_equal(out, reference.quantize(whole, 0.5))


@pytest.fixture
def queue():
    return pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))


def test_pyopencl(queue, numbers):
    to_device = pyopencl.array.to_device
    x, scales = numbers((4, 6, 8)), np.linspace(0.25, 2, 8).astype(np.float32)
    there, events = to_device(queue, x), []
    y = clquant.quantize(there, to_device(queue, scales), events=events)
    assert isinstance(y, pyopencl.array.Array)
    assert isinstance(events[0], pyopencl.Event)
    assert events[0] in y.events
    np.testing.assert_array_equal(y.get(), reference.quantize(x, scales))
    part = there[1:, ::2, 2:]
    made = clquant.quantize(part, to_device(queue, scales[2:]), queue=queue, wait_for=events)
    np.testing.assert_array_equal(made.get(), reference.quantize(x[1:, ::2, 2:], scales[2:]))
    mixed = clquant.dynamic_quantize(there, scales, symmetric=True)
    right = reference.dynamic(x * scales, symmetric=True)
    np.testing.assert_array_equal(mixed.y.get(), right[0])
    np.testing.assert_array_equal(mixed.scales.get(), right[1][..., 0])


def test_pyopencl_waits(queue, numbers):
    """A call waits for the events of its arrays, and for those that it is given, on a queue that keeps no order."""
    out_of_order = pyopencl.CommandQueue(
        queue.context, properties=pyopencl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    )
    x = numbers((64, 64))
    there = pyopencl.array.to_device(queue, np.zeros_like(x)).with_queue(out_of_order)
    gate = pyopencl.UserEvent(queue.context)
    copied = pyopencl.enqueue_copy(out_of_order, there.data, x, wait_for=[gate], is_blocking=False)
    there.add_event(copied)
    y = clquant.quantize(there, pyopencl.array.to_device(queue, np.float32([0.5])))
    again = clquant.quantize(there, pyopencl.array.to_device(queue, np.float32([0.5])), wait_for=[copied])
    assert y.events[-1].command_execution_status != pyopencl.command_execution_status.COMPLETE
    gate.set_status(pyopencl.command_execution_status.COMPLETE)
    np.testing.assert_array_equal(y.get(), reference.quantize(x, 0.5))
    np.testing.assert_array_equal(again.get(), reference.quantize(x, 0.5))


def test_pyopencl_without_queue(queue, numbers):
    there = pyopencl.array.to_device(queue, numbers((4, 8))).with_queue(None)
    with pytest.raises(ValueError, match="has no queue"):
        clquant.quantize(there, 0.5)
    y = clquant.quantize(there, 0.5, queue=queue)
    assert y.queue == queue


def test_buffers(queue, numbers):
    """A tensor of a cl_mem, with an offset and strides, on a context of one's own; what is made is a tensor too."""
    x = numbers((5, 12))
    mem = pyopencl.Buffer(queue.context, pyopencl.mem_flags.READ_WRITE, x.nbytes)
    pyopencl.enqueue_copy(queue, mem, x)
    own = clquant.Context(queue.device, context=queue.context)
    tensor = clquant.Tensor(mem, "float32", (2, 6), (24, 2), 4, context=own)
    events = []
    y = clquant.quantize(tensor, 0.5, queue=queue, events=events)
    assert isinstance(y, clquant.Tensor)
    events[0].wait()
    np.testing.assert_array_equal(y.numpy(), reference.quantize(x.reshape(-1)[1:49].reshape(2, 24)[:, :12:2], 0.5))
    with pytest.raises(TypeError, match="no OpenCL object"):
        clquant.Tensor("mem", "float32", (2, 6), context=own)


def test_read_only(context, numbers):
    x, out = numbers((4, 6)), np.zeros((4, 6), np.int8)
    x.flags.writeable = out.flags.writeable = False
    clquant.quantize(x, 0.5, context=context)
    for wrong in (out, [[1] * 6] * 4):
        with pytest.raises(ValueError, match="y is read-only"):
            clquant.quantize(x, 0.5, out=wrong, context=context)
    assert not out.any()


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
        (None, "missing|NULL"),
        (np.zeros(3), "x: an array has elements of float64"),
        (np.zeros(3, ">f4"), "x: an array has elements of >f4"),
        (np.zeros(3, np.int8), "x"),
        (np.zeros((2, 3), np.float32)[:, ::-1], "x.strides.1. is -1"),
        (np.zeros((1,) * 9, np.float32), "x.*rank|x.ndim"),
        (np.zeros(3, [("a", "u1"), ("b", "<f4")])["b"], "an array has strides of .5,. bytes: each must be a multiple"),
        (np.zeros(13, np.uint8)[1:].view(np.float32), "x.byte_offset is .*: it must be a multiple"),
    ],
)
def test_refused(array, message):
    with pytest.raises((TypeError, ValueError), match=message):
        clquant.quantize(array, 0.5, out=np.zeros(3, np.int8))
