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
    with pytest.raises(TypeError, match="str is no OpenCL object"):
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


def test_failed_build(tmp_path):
    lines = []
    broken = clquant.Context(build_options="-DSRC=nonsense", cache_dir=str(tmp_path), log=lines.append)
    with pytest.raises(clquant.DeviceError, match="build") as caught:
        clquant.quantize(X, 0.5, context=broken)
    assert caught.value.name == "CLQ_ERROR_BUILD"
    assert "nonsense" in broken.build_log
    assert any("nonsense" in line for line in lines)


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
