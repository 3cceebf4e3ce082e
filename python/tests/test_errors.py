# SPDX-License-Identifier: Apache-2.0
"""Errors: the class, the library's sentence, and that nothing is written."""

import numpy as np
import pytest

import clquant

X = np.ones((4, 6), np.float32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scales": np.ones(5, np.float32)}, "scales has 5 elements: .* it must have 1, or 6 as x.shape"),
        ({"axis": 2, "scales": np.ones(6, np.float32)}, "axis is 2"),
        ({"axis": 2**40}, "axis is 1099511627776: it must fit into 32 bits"),
        ({"mode": "add"}, "mode is 'add': it must be one of 'divide', 'multiply'"),
        ({"block": -1}, "block is -1: it must be a whole number"),
        ({"round_first": 2}, "round_first is 2: it must be True or False"),
        ({"dtype": "int3", "out": None}, "dtype is int3: it must be one of float32"),
        ({"dtype": "float32", "out": None}, "y"),
        ({"dtype": "int4_words", "out": None}, r"\(4, 6\) does not fit int4_words: 8 must divide"),
        ({"out": np.zeros((4, 5), np.int8)}, "y.shape"),
        ({"zero_points": np.zeros(2, np.float32)}, "zero_points has 2 elements"),
    ],
)
def test_values(context, arguments, message):
    out = np.full((4, 6), 9, np.int8)
    with pytest.raises(ValueError, match=message):
        clquant.quantize(**{"x": X, "scales": 0.5, "out": out, **arguments}, context=context)
    assert (out == 9).all()


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "error", "message"),
    [
        ((4, 6), (6,), 0, ValueError, r"strides are \(6,\): there must be 2"),
        ((4, 6), None, -4, ValueError, "offset_bytes is -4"),
        ((4, 2**63), None, 0, OverflowError, "int too"),
        ((4, -1), None, 0, ValueError, r"x.shape\[1\] is -1"),
        ((4, 7), None, 0, ValueError, "x.data has 96 bytes: .* ask for 112"),
        ((4, 6), (6, -1), 0, ValueError, r"x.strides\[1\] is -1"),
        ((4, 6), None, 4, ValueError, "x.data has 96 bytes: .* ask for 100"),
    ],
)
def test_tensors(shape, strides, offset, error, message):
    there = clquant.to_device(X)
    with pytest.raises(error, match=message):
        clquant.quantize(clquant.Tensor(there.mem, "float32", shape, strides, offset, context=there.context), 0.5)


def test_offsets_and_limits():
    with pytest.raises(ValueError, match="report has an offset of -16 bytes"):
        clquant.group_quantize(X, np.ones((1, 6), np.float32), np.array([4]), report=(clquant.Report(), -16))
    with pytest.raises(ValueError, match="cache_limit_bytes is -1"):
        clquant.Context(cache_limit_bytes=-1)


def test_types():
    with pytest.raises(TypeError):
        clquant.quantize(X, 0.5, axis=1.5)
    with pytest.raises(TypeError, match="queue is 'queue': it must be an OpenCL object: an address, or what has int_ptr"):
        clquant.quantize(X, 0.5, queue="queue")
    with pytest.raises(TypeError, match="object is no array"):
        clquant.quantize(X, object())


def test_axis_of_made_outputs():
    with pytest.raises(ValueError, match="axis is 2: it must be from -2 to 1"):
        clquant.dynamic_quantize(X, axis=2)


def test_devices():
    with pytest.raises(clquant.DeviceError, match='device is "no such device"') as caught:
        clquant.Context("no such device")
    assert caught.value.name == "CLQ_ERROR_DEVICE"
    assert caught.value.status == -20011
    found = clquant.devices()
    assert [device.number for device in found] == list(range(len(found)))
    assert clquant.Context(found[0]).device_name == found[0].name
    assert clquant.Context(0).device_name == found[0].name


def test_other_context(numbers):
    """A tensor of one context in a call of another is the library's to refuse."""
    view = clquant.view(numbers((4, 6)), context=clquant.Context())
    with pytest.raises(ValueError, match="context"):
        clquant.quantize(view, 0.5, context=clquant.default_context())


def test_failure_half_way(monkeypatch, context):
    """Where a driver fails behind a part of a call, that part is waited for before arrays are anyone else's."""
    from clquant import _opencl
    from clquant.operators.quantize import _QUANTIZE

    finished, finish = [], _opencl.finish
    monkeypatch.setattr(_opencl, "finish", lambda queue: (finished.append(queue), finish(queue)))
    monkeypatch.setattr(_QUANTIZE, "run", lambda *arguments: -5)
    with pytest.raises(clquant.DeviceError) as caught:
        clquant.quantize(X, 0.5, context=context)
    assert caught.value.name == "CL_OUT_OF_RESOURCES"
    assert finished == [context.queue]


def test_interrupted(monkeypatch):
    """What interrupts the wait does not leave the device at work in the caller's memory."""
    from clquant import _opencl

    def interrupted(event):
        raise KeyboardInterrupt

    out = np.zeros((1 << 12, 1 << 10), np.int8)
    x = np.ones(out.shape, np.float32)
    monkeypatch.setattr(_opencl, "wait_for_event", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clquant.quantize(x, 0.5, out=out)
    assert (out == 2).all()


def test_failed_build(tmp_path, monkeypatch, capfd):
    lines = []
    monkeypatch.setenv("CLQ_LOG", "stderr")
    broken = clquant.Context(build_options="-DSRC=nonsense", cache_dir=str(tmp_path), log=lines.append)
    with pytest.raises(clquant.DeviceError, match="build") as caught:
        clquant.quantize(X, 0.5, context=broken)
    assert caught.value.name == "CLQ_ERROR_BUILD"
    assert "nonsense" in broken.build_log
    assert any("nonsense" in line for line in lines)
    printed = capfd.readouterr().err.splitlines()  # PoCL's own lines too
    assert [line for line in printed if line.startswith("clquant: ")] == [f"clquant: {line}" for line in lines]


def test_context(tmp_path):
    made = clquant.Context(cache_dir=str(tmp_path))
    assert made.cache_dir == str(tmp_path)
    assert made.counts() == (0, 0)
    clquant.build(clquant.quantize, X, 0.5, context=made)
    assert made.counts()[0] > 0
    made.build(["quantize.cl SRC=f16 DST=u8 MODE=divide PARAMS=one"])
    again = clquant.Context(cache_dir=str(tmp_path))
    clquant.build(clquant.quantize, X, 0.5, context=again)
    built, cached = again.counts()
    assert built == cached > 0
    with pytest.raises(ValueError, match="nonsense"):
        made.build(["quantize.cl SRC=nonsense"])
    with pytest.raises(ValueError, match="form is 'spiral'"):
        clquant.Context(form="spiral")
    for form, arithmetic in (("group", "exact"), ("item", "auto")):
        other = clquant.Context(form=form, arithmetic=arithmetic)
        assert (clquant.quantize(X, 0.4, context=other) == 2).all()
    assert clquant.Context(cache=False).cache_dir == ""


class NoCapsule:
    """What has ``__dlpack__`` and gives nothing."""

    def __dlpack__(self, **_):
        return None


class UsedCapsule:
    """Its capsule was taken by another library already."""

    def __init__(self):
        self.taken = np.from_dlpack(self)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        if not hasattr(self, "capsule"):
            self.capsule = np.ones(4, np.float32).__dlpack__()
        return self.capsule


def moved(**options):
    return clquant.move_rows(X, src_indices=[[0]], src_index_kind="nd", **options)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: clquant.quantize(X, 0.5, workspace=()), ValueError, r"workspace is \(\): it must be a buffer, or a pair"),
        (lambda: clquant.quantize(X, 0.5, workspace="a"), TypeError, "workspace is 'a': it must be an OpenCL object"),
        (lambda: clquant.quantize(X, 0.5, workspace=True), TypeError, "workspace is True: it must be an OpenCL object"),
        (lambda: clquant.quantize(X, 0.5, workspace=-1), ValueError, "workspace is -1: it must be the address of an OpenCL"),
        (lambda: clquant.quantize(X, 0.5, workspace=10**30), ValueError, "workspace is 10{30}: it must be the address"),
        (lambda: moved(report="a"), TypeError, "report is 'a': it must be an OpenCL object"),
        (lambda: moved(report=(clquant.Report(), 2**64)), ValueError, "report has an offset of 18446744073709551616 bytes: .*"),
        (lambda: clquant.quantize(X, 0.5, wait_for=5), TypeError, "wait_for is 5: it must be a list of events"),
        (lambda: clquant.quantize(X, 0.5, wait_for="ab"), TypeError, "wait_for is 'ab': it must be a list of events"),
        (lambda: clquant.quantize(X, 0.5, wait_for=["a"]), TypeError, r"wait_for\[0\] is 'a': it must be an OpenCL object"),
        (lambda: clquant.quantize(X, 0.5, wait_for=[0]), ValueError, r"wait_for\[0\] is 0: it must be the address"),
        (lambda: clquant.quantize(X, 10**400), ValueError, "scales: a number is too large for float32"),
        (lambda: clquant.quantize(X, 0.5, context=[]), TypeError, r"context is \[\]: it must be a clquant.Context"),
        (lambda: clquant.quantize(X, 0.5, context=0), TypeError, "context is 0: it must be a clquant.Context"),
        (lambda: clquant.view(X, context="abc"), TypeError, "context is 'abc': it must be a clquant.Context"),
        (lambda: clquant.Report("abc"), TypeError, "context is 'abc': it must be a clquant.Context"),
        (lambda: clquant.Context(log=5), TypeError, "log is 5: it must be a function of a line"),
        (lambda: clquant.Context(cache_dir=5), TypeError, "cache_dir is 5: it must be a text"),
        (lambda: clquant.empty((2, -1), "int8"), ValueError, r"shape is \(2, -1\): no size may be negative"),
        (lambda: clquant.empty((-2, -3), "int8"), ValueError, r"shape is \(-2, -3\): no size may be negative"),
        (lambda: clquant.empty((True,), "int8"), TypeError, r"shape is \(True,\): it must be a tuple of whole numbers"),
        (lambda: clquant.find_scales(X, shape=(-1, 1)), ValueError, r"shape is \(-1, 1\): no size may be negative"),
        (lambda: clquant.find_scales(X, out=X[:1]), TypeError, r"out is of ndarray: it must be \(scales, zero_points\)"),
        (lambda: clquant.dynamic_quantize(X, out=X), TypeError, r"out is of ndarray: it must be \(y, scales, offsets\)"),
        (lambda: clquant.dynamic_quantize(X, out=(X,)), ValueError, r"out has 1 arrays: it must be \(y, scales, offsets\)"),
        (lambda: clquant.enqueue_all([5]), TypeError, r"plans\[0\] is 5: it must be a clquant.Plan"),
        (lambda: clquant.enqueue_all(None), TypeError, "plans is None: it must be a list of plans"),
        (lambda: clquant.quantize_model(None, None), TypeError, "model is None: it must be a str or a Path"),
        (lambda: clquant.quantize_model("a", None), TypeError, "out is None: it must be a str or a Path"),
        (lambda: clquant.quantize_model("a", "b", client=5), TypeError, "client is 5: it must be a dask.distributed.Client"),
        (lambda: clquant.to_device(X[:, ::-1]), ValueError, r"strides of \(6, -1\) elements: none may be negative"),
        (lambda: clquant.quantize(NoCapsule(), 0.5), ValueError, "x: an array of NoCapsule gives None: it must be a capsule"),
        (lambda: clquant.quantize(UsedCapsule(), 0.5), ValueError, "x: an array of UsedCapsule gives .*: .* nobody has used"),
        (lambda: moved(dtype="nonsense", dst=X), ValueError, "dtype is nonsense: it must be one of"),
        (
            lambda: clquant.move_rows(X.astype(np.int16), src_indices=[[0]], src_index_kind="nd"),
            ValueError,
            "src.dtype is int16: it",
        ),
    ],
)
def test_the_argument_that_is_wrong(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("size", [2**31, 2**32, 2**40, 2**62, 2**63, 2**64])
def test_an_output_of_any_size_is_refused_before_it_is_made(context, size):
    """By the library's rule for its shape, not by a failure to get the memory."""
    cache, one = np.zeros((2, 8, 1 << 12), np.int8), np.zeros(1, np.int32)
    there = clquant.to_device(cache, context=context)
    for name, call in (
        ("dst|positions", lambda: clquant.move_rows(cache, src_indices=one, positions=size, axis=1, context=context)),
        ("dst|positions", lambda: clquant.move_rows(there, src_indices=one, positions=size, axis=1)),
        ("y", lambda: clquant.dequantize(cache, 0.5, indices=one, length=size, axis=1, context=context)),
        ("y", lambda: clquant.dequantize(there, 0.5, indices=one, length=size, axis=1)),
        ("scales", lambda: clquant.find_scales(cache.astype(np.float32), shape=(2, size, 1), context=context)),
    ):
        with pytest.raises(ValueError, match=f"^({name})[. ].*must"):
            call()
    wide = np.broadcast_to(np.float32(1), (1 << 20, 1 << 20))
    with pytest.raises(ValueError, match="scales has 3 elements: axis is 1, so it must have 1, or 1048576"):
        clquant.quantize(wide, np.ones(3, np.float32), context=context)


@pytest.mark.parametrize("events", [(), "abc", 5])
def test_events_that_take_none(context, events):
    """They are found before anything is written."""
    out = np.full((4, 6), 9, np.int8)
    plan = clquant.plan(clquant.quantize, X, 0.5, out=out, context=context)
    for call in (
        lambda: clquant.quantize(X, 0.5, out=out, events=events, context=context),
        lambda: plan(events=events),
        lambda: clquant.enqueue_all([plan], events=events),
    ):
        with pytest.raises(TypeError, match=r"events is .*: it must be a list, to which the call's event is appended"):
            call()
    assert (out == 9).all()


@pytest.mark.parametrize("dtype", ["uint8", "nonsense", None, np.uint8, "float8_e4m3fn"])
def test_type_beside_an_output(dtype):
    """It is the default, which is not looked at, or that of the output."""
    out = np.full((4, 6), 9, np.int8)
    for call in (
        lambda: clquant.quantize(X, 0.5, dtype=dtype, out=out),
        lambda: clquant.group_quantize(X, np.ones((1, 6), np.float32), [4], dtype=dtype, out=out),
        lambda: clquant.dynamic_quantize(X, dtype=dtype, out=(out, np.zeros(4, np.float32), np.zeros(4, np.float32))),
    ):
        with pytest.raises((TypeError, ValueError), match=r"^dtype is "):
            call()
    assert (out == 9).all()
    with pytest.raises(ValueError, match=r"^dtype is float16: out has y of float32: leave it out, or give the same"):
        clquant.dequantize(out, 0.5, dtype="float16", out=np.zeros((4, 6), np.float32))
    with pytest.raises(ValueError, match=r"^scale_dtype is float16: out has scales of float32"):
        clquant.dynamic_quantize(X, symmetric=True, scale_dtype="float16", out=(out, np.zeros(4, np.float32), None))
    clquant.quantize(X, 0.5, dtype=np.int8, out=out)
    clquant.quantize(X, 0.5, out=out.view(np.uint8))
    packed = clquant.quantize(X, 0.5, dtype="int4")
    clquant.quantize(X, 0.5, dtype="int4", out=packed)
