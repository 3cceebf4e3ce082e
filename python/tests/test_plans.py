# SPDX-License-Identifier: Apache-2.0
"""Plans: the same bytes as calls, with the arrays that are in them, and with others."""

import gc
import weakref

import numpy as np
import pytest
import reference

import clquant


def test_again(context, numbers):
    x = numbers((4, 6))
    plan = clquant.plan(clquant.quantize, x, 0.5, 3, context=context)
    for _ in range(3):
        y = plan()
        np.testing.assert_array_equal(y, reference.quantize(x, 0.5, 3))
        x[:] = numbers((4, 6))
        y[:] = 0


def test_other_arrays(context, numbers):
    x, out = numbers((4, 6)), np.zeros((4, 6), np.int8)
    plan = clquant.plan(clquant.quantize, x, 0.5, out=out, context=context)
    other, view = numbers((4, 6)), clquant.view(numbers((4, 6)), context=context)
    assert plan(x=other) is out
    np.testing.assert_array_equal(out, reference.quantize(other, 0.5))
    made = np.zeros((4, 6), np.int8)
    assert plan(x=view, y=made) is made
    np.testing.assert_array_equal(made, reference.quantize(view.array, 0.5))
    np.testing.assert_array_equal(out, reference.quantize(other, 0.5))
    made[:] = 0
    assert plan() is made
    np.testing.assert_array_equal(made, reference.quantize(view.array, 0.5))


def test_refused(context, numbers):
    x = numbers((4, 6))
    plan = clquant.plan(clquant.quantize, x, 0.5, context=context)
    y = plan()
    for wrong in (numbers((4, 7)), numbers((4, 12))[:, ::2], numbers((4, 6), np.float16)):
        with pytest.raises(ValueError, match=r"x is .*: it must be like the plan's"):
            plan(x=wrong)
    with pytest.raises(TypeError, match="the plan has no zero_points: it has x, scales, y"):
        plan(zero_points=x)
    fixed = np.zeros((4, 6), np.int8)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="y is read-only"):
        plan(y=fixed)
    with pytest.raises(ValueError, match="shares bytes"):
        plan(y=x.view(np.int8).reshape(-1)[:24].reshape(4, 6))
    x[:] = numbers((4, 6))
    assert plan() is y
    np.testing.assert_array_equal(y, reference.quantize(x, 0.5))


def test_several_outputs(context, numbers):
    x = numbers((4, 6))
    plan = clquant.plan(clquant.dynamic_quantize, x, symmetric=True, context=context)
    made = plan()
    assert isinstance(made, clquant.Quantized)
    np.testing.assert_array_equal(made.y, reference.dynamic(x, symmetric=True)[0])
    scales = np.zeros(4, np.float32)
    assert plan(scales=scales).scales is scales
    np.testing.assert_array_equal(scales, made.scales)


def test_reports(context, numbers):
    """Of a plan, and in the place of another one; a plan keeps the one that it has."""
    cache, places = np.zeros((2, 4, 6), np.int8), np.array([1, 9])
    first, second = clquant.Report(context), clquant.Report(context)
    kept = weakref.ref(first)
    plan = clquant.plan(clquant.quantize_scatter, cache, places, numbers((2, 1, 6)), 0.5, axis=1, report=first, context=context)
    plan()
    assert first.read() == clquant.Counts(1, 0, 1)
    del first
    plan()
    assert kept() is not None
    assert kept().read().dropped == 2
    plan(report=second)
    assert second.read() == clquant.Counts(1, 0, 1)
    assert kept() is None
    with pytest.raises(TypeError, match=r"the plan has no workspace: it has .*updates, scales, report"):
        plan(workspace=second)
    with pytest.raises(ValueError, match="report"):
        plan(report=(second, 8))
    plan()
    assert second.read().dropped == 2


def test_arrays_are_kept(context, numbers):
    x = numbers((4, 6))
    kept = weakref.ref(x)
    plan = clquant.plan(clquant.quantize, x, 0.5, context=context)
    right = reference.quantize(x, 0.5)
    del x
    gc.collect()
    assert kept() is not None
    np.testing.assert_array_equal(plan(), right)
    plan(x=numbers((4, 6)))
    gc.collect()
    assert kept() is None


def test_events(context, numbers):
    """A call that gives its event has left its results in the host's memory, too, also where the device has a copy of that."""
    x, y, events = numbers((4, 6)), np.empty((4, 6), np.int8), []
    plan = clquant.plan(clquant.quantize, x, 0.5, out=y, context=context)
    for call in (
        lambda: clquant.quantize(x, 0.5, out=y, events=events, context=context),
        lambda: plan(events=events),
        lambda: plan(wait_for=events, events=events),
    ):
        y[:] = 99
        call()
        np.testing.assert_array_equal(y, reference.quantize(x, 0.5))
    assert len(events) == 3
    events[2].wait()


def test_failed_plan(numbers):
    with pytest.raises(ValueError, match="scales has 3 elements"):
        clquant.plan(clquant.quantize, numbers((4, 6)), np.ones(3, np.float32))


def test_all_layers(context, numbers):
    """Plans of a list are made by one call, in the host's memory and on the device, with one event."""
    x = [numbers((4, 6)) for _ in range(5)]
    made = [np.zeros((4, 6), np.int8) for _ in range(4)]
    plans = [clquant.plan(clquant.quantize, layer, 0.5, out=y, context=context) for layer, y in zip(x, made, strict=False)]
    there, out = clquant.to_device(x[4], context=context), clquant.empty((4, 6), "int8", context=context)
    plans.append(clquant.plan(clquant.quantize, there, clquant.to_device(np.float32([0.25]), context=context), out=out))
    events = []
    clquant.enqueue_all(plans, events=events)
    assert len(events) == 1
    for layer, y in zip(x, made, strict=False):
        np.testing.assert_array_equal(y, reference.quantize(layer, 0.5))
    np.testing.assert_array_equal(out.numpy(), reference.quantize(x[4], 0.25))
    x[0][:] = numbers((4, 6))
    clquant.enqueue_all(plans, wait_for=events)
    np.testing.assert_array_equal(made[0], reference.quantize(x[0], 0.5))
    with pytest.raises(ValueError, match=r"plans\[1\] is plans\[0\]: each must stand there once"):
        clquant.enqueue_all([plans[0], plans[0]])
    with pytest.raises(ValueError, match="plans is empty"):
        clquant.enqueue_all([])
    other = clquant.plan(clquant.quantize, numbers((4, 6)), 0.5, context=clquant.Context())
    with pytest.raises(ValueError, match=r"plans\[1\] is for another queue"):
        clquant.enqueue_all([plans[0], other])
