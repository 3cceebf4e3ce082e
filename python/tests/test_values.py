# SPDX-License-Identifier: Apache-2.0
"""What is given as a number: whole numbers and truths of numpy, lists of whole numbers, and what is none of these."""

import inspect
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import reference

import clquant
from clquant import _fields

X = np.arange(32, dtype=np.float32).reshape(4, 8)
Q = np.ones((4, 8), np.int8)
PLACES = np.zeros((2, 2), np.int64)


def is_true(options, name):
    return {True: True}.get(options.get(name), False)


def dequantize(**options):
    return clquant.dequantize(Q, 0.5, mode="dynamic" if is_true(options, "block_all") else "divide", **options)


def scatter(**options):
    return clquant.quantize_scatter(np.zeros((2, 4, 8), np.int8), [0, 1], X[:2, None], 0.5, **{"axis": 1, **options})


def dynamic_scatter(**options):
    offsets = None if is_true(options, "symmetric") else np.zeros((2, 4), np.float32)
    caches = np.zeros((2, 4, 8), np.int8), np.zeros((2, 4), np.float32), offsets
    return clquant.dynamic_quantize_scatter(*caches, [0, 1], X[:2, None], **{"axis": 1, **options}).y


CALLS = {
    "quantize": lambda **options: clquant.quantize(X, 0.5, **options),
    "find_scales": lambda **options: clquant.find_scales(X, **options).scales,
    "group_quantize": lambda **options: clquant.group_quantize(X, np.ones((1, 8), np.float32), [4], **options),
    "quantize_scatter": scatter,
    "dynamic_quantize": lambda **options: clquant.dynamic_quantize(X, **options).y,
    "dynamic_quantize_scatter": dynamic_scatter,
    "dequantize": dequantize,
}
VALUES = {"axis": 1, "length": 1, "type_max": 100}  # of numbers, where 0 is another call or no right one
WITH = {"type_max": {"symmetric": True}}  # what an option needs beside it


def options_of(name, *kinds):
    """Of the rows of the library's table, so that a new option is looked at."""
    function = getattr(clquant, name)
    keywords = inspect.signature(function).parameters
    return [field.name for field in function.operator.fields if type(field) in kinds and field.name in keywords]


@pytest.mark.parametrize("name", CALLS)
def test_numbers_of_numpy_as_options(name):
    """The same bytes as with Python's, and refusals that name the option for what is no whole number or no truth."""
    right = CALLS[name]()
    for option in options_of(name, _fields.Option, _fields.Axis):
        value = VALUES.get(option, 0)
        for kind in (np.int64, np.uint8, np.int32, np.array):
            made, wanted = CALLS[name](**{option: kind(value)}), CALLS[name](**{option: value})
            np.testing.assert_array_equal(made, wanted)
        may_be_none = inspect.signature(getattr(clquant, name)).parameters[option].default is None or option == "axis"
        for wrong in (4.0, np.float32(4), "4", [4], True, np.True_, *(() if may_be_none else (None,))):
            if option == "length":
                call = lambda wrong=wrong: clquant.dequantize(Q[None], 0.5, indices=PLACES, axis=1, length=wrong)  # noqa: E731
            else:
                call = lambda wrong=wrong, option=option: CALLS[name](**{option: wrong})  # noqa: E731
            with pytest.raises(TypeError, match=rf"{option} is .*: it must be a whole number"):
                call()
    for option in options_of(name, _fields.Flag):
        np.testing.assert_array_equal(CALLS[name](**{option: np.False_}), right)
        for value in (True, np.True_):
            CALLS[name](**{option: value})
        for wrong in (1, 0.0, "yes"):
            with pytest.raises(ValueError, match=f"{option} is .*: it must be True or False"):
                CALLS[name](**{option: wrong})
    for option in options_of(name, _fields.Real):
        value, others = VALUES.get(option, 0), WITH.get(option, {})
        for kind in (np.float32, np.int64, int, np.float64):
            made, wanted = CALLS[name](**others, **{option: kind(value)}), CALLS[name](**others, **{option: float(value)})
            np.testing.assert_array_equal(made, wanted)
        for wrong in (None, "100", [100], np.ones(3)):
            with pytest.raises(TypeError, match=rf"{option} is .*: it must be a number"):
                CALLS[name](**others, **{option: wrong})


def test_blocks_of_numpy():
    made = clquant.dynamic_quantize(X, block=np.int64(4))
    assert made.scales.shape == (4, 2)
    assert clquant.find_scales(X, block=np.uint8(4), shape=None).scales.shape == (4, 2)
    assert clquant.find_scales(X, shape=[np.int64(4), 1]).scales.shape == (4, 1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: clquant.Context(cache_limit_bytes=4.0), "cache_limit_bytes is 4.0: it must be a whole number"),
        (lambda: clquant.Workspace(None), "size_bytes is None: it must be a whole number"),
        (lambda: clquant.empty(4.0, "int8"), "shape is 4.0: it must be a tuple of whole numbers"),
        (lambda: clquant.empty((4, None), "int8"), r"shape is \(4, None\): it must be a tuple of whole numbers"),
        (lambda: clquant.find_scales(X, shape=(4, 1.0)), r"shape is \(4, 1.0\): it must be a tuple"),
        (lambda: clquant.quantize(X, 0.5, dtype=None), "dtype is None"),
        (lambda: clquant.dynamic_quantize(X, scale_dtype=None), "scale_dtype is None"),
        (lambda: scatter(report=(clquant.Report(), 0.0)), "the offset of report is 0.0: it must be a whole number"),
    ],
)
def test_other_numbers(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call()


def test_numbers_of_numpy_in_objects():
    context = clquant.Context(np.int64(0), cache_limit_bytes=np.int64(1 << 20))
    report, room = clquant.Report(context), clquant.Workspace(np.int64(64), context)
    assert clquant.empty(np.int64(4), "int8", context=context).shape == (4,)
    there = clquant.empty([np.int64(2), 4], "int8", context=context)
    assert clquant.Tensor(there.mem, "int8", [2, np.int64(2)], [4, 2], np.int64(1), context=context).numpy().shape == (2, 2)
    clquant.quantize_scatter(
        np.zeros((2, 4, 8), np.int8),
        [0, 9],
        X[:2, None],
        0.5,
        axis=1,
        report=(report, np.int64(0)),
        workspace=room,
        context=context,
    )
    assert report.read() == (1, 0, 1)
    with pytest.raises(ValueError, match="size_bytes is -1"):
        clquant.Workspace(-1)


@pytest.mark.parametrize("least", [-(2**63), -(2**31) - 1, -(2**31), 2**31, 2**63 - 1])
def test_indices_of_a_list_at_the_ends_of_their_type(context, least):
    """They are out of range, and nothing of the cache is written."""
    cache, report = np.zeros((1, 4, 4), np.int8), clquant.Report(context)
    clquant.quantize_scatter(cache, [least], np.ones((1, 1, 4), np.float32), 1.0, axis=1, report=report, context=context)
    assert not cache.any()
    assert report.read().dropped == 1


def test_whole_numbers_are_floats_where_floats_are_taken(context):
    """In lists, alone, and of numpy; as x, updates, scales and offsets. Where whole numbers are taken they stay whole."""
    x = [[1, -2, 3], [400, 5, 6]]
    right = reference.quantize(np.array(x), 2, 3)
    for scales in (2, [2], 2.0, np.int64(2), np.float64(2), np.float16(2), np.uint8(2)):
        for zero_points in (3, [3], np.int32(3), 3.0):
            np.testing.assert_array_equal(clquant.quantize(x, scales, zero_points, context=context), right)
    np.testing.assert_array_equal(clquant.dynamic_quantize(x, [1, 1, 1], context=context).y, reference.dynamic(np.array(x))[0])
    np.testing.assert_array_equal(clquant.group_quantize(x, [[1, 1, 1]], [2], 1, context=context)[0], [2, -1, 4])
    assert clquant.find_scales([127, 0], context=context).scales == 1
    cache = np.zeros((1, 4, 3), np.int8)
    clquant.quantize_scatter(cache, [2], [[[1, 2, 3]]], 1, axis=1, context=context)
    np.testing.assert_array_equal(cache[0, 2], [1, 2, 3])
    np.testing.assert_array_equal(clquant.dequantize(cache, 2, indices=[2], axis=1, context=context), [[[2, 4, 6]]])
    plan = clquant.plan(clquant.quantize, x, 2, context=context)
    np.testing.assert_array_equal(plan(scales=1), reference.quantize(np.array(x), 1))


@pytest.mark.parametrize("given", [None, "1", b"1", 1j, [2, None], {}, np.datetime64("2020-01-01"), np.str_("1")], ids=repr)
def test_a_list_of_what_is_no_number(given):
    """As floats and as whole numbers: numpy alone would take None for NaN, a text for what it says, a date for its days."""
    for name, call in (
        ("x", lambda: clquant.quantize([given], 0.5)),
        ("scales", lambda: clquant.quantize(X, (given,))),
        ("indices", lambda: clquant.dequantize(Q[None], 0.5, indices=[given], axis=1)),
    ):
        with pytest.raises(TypeError, match=rf"{name}: .* holds .*: it must hold numbers alone"):
            call()
    np.testing.assert_array_equal(clquant.quantize([Fraction(1, 2), Decimal(2), 10**20], 0.5), [1, 4, 127])


def test_none_as_an_array():
    """A TypeError with the name, whichever it is and whether or not outputs are made."""
    out = np.zeros((4, 8), np.int8)
    for call, name in (
        (lambda: clquant.quantize(None, 0.5), "x"),
        (lambda: clquant.quantize(None, 0.5, out=out), "x"),
        (lambda: clquant.quantize(X, None), "scales"),
        (lambda: clquant.find_scales(None), "x"),
        (lambda: clquant.group_quantize(X, 0.5, None), "group_index"),
        (lambda: clquant.dynamic_quantize(None), "x"),
        (lambda: clquant.dequantize(None, 0.5), "q"),
        (lambda: clquant.dequantize(None, 0.5, indices=[1]), "q"),
        (lambda: clquant.quantize_scatter(None, [0], X, 0.5), "cache"),
        (lambda: clquant.quantize_scatter(out[None], None, X, 0.5), "indices"),
        (lambda: clquant.dynamic_quantize_scatter(None, None, None, [0], X), "cache"),
        (lambda: clquant.plan(clquant.quantize, None, 0.5), "x"),
        (lambda: clquant.plan(clquant.quantize, X, 0.5)(x=None), "x"),
    ):
        with pytest.raises(TypeError, match=f"{name} is None: it must be an array|{name}: .*NoneType is no array"):
            call()


def test_options_that_equal_those_of_the_call_before(context, numbers):
    """What was taken once is taken again by its type too: 1 is not True, and 4.0 is not 4."""
    x = numbers((2, 8))
    for taken, refused, message in (
        ({"block": 1}, {"block": True}, "block is True"),
        ({"block": 4}, {"block": 4.0}, "block is 4.0"),
        ({"axis": 1}, {"axis": True}, "axis is True"),
        ({"axis": 0}, {"axis": 0.0}, "axis is 0.0"),
        ({"symmetric": True}, {"symmetric": 1}, "symmetric is 1"),
        ({"block_all": False}, {"block_all": 0}, "block_all is 0"),
    ):
        clquant.dynamic_quantize(x, context=context, **taken)
        with pytest.raises((TypeError, ValueError), match=message):
            clquant.dynamic_quantize(x, context=context, **refused)


def test_an_option_that_changes(context, numbers):
    """A number that somebody else may change is read by each call."""

    class Number:
        value = 2

        def __index__(self):
            return self.value

    x, block = numbers((2, 8)), Number()
    for block.value in (2, 4):
        scales = np.linspace(0.25, 2, 16 // block.value, dtype=np.float32).reshape(2, -1)
        y = clquant.quantize(x, scales, block=block, context=context)
        np.testing.assert_array_equal(y, clquant.quantize(x, scales.repeat(block.value, 1), context=context))
