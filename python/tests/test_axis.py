# SPDX-License-Identifier: Apache-2.0
"""An axis that is left out, and the first one: 0 is an axis like any other, None is none."""

import inspect

import numpy as np
import pytest

import clquant

PLACES = np.array([5, 0])
ROWS = np.arange(32, dtype=np.float32).reshape(2, 2, 8)


def _slots():
    """A cache of rows, as those have it whose indices count its first dimension."""
    return np.full((12, 2, 8), 7, np.int8)


def _scatter(cache, **options):
    return clquant.quantize_scatter(cache, PLACES, ROWS, 1.0, **options)


def _scatter_dynamic(cache, **options):
    return clquant.dynamic_quantize_scatter(cache, np.zeros((12, 2), np.float32), None, PLACES, ROWS, **options)


def _gather(cache, **options):
    return clquant.dequantize(cache, 1.0, indices=PLACES, length=2, **options)


@pytest.mark.parametrize("function", [_scatter, _scatter_dynamic, _gather])
def test_rows_to_slots_of_a_cache_without_pages(function):
    """Indices of the first dimension: no call takes them for starts along the heads, of which all but 0 would be left out."""
    for left_out in ({}, {"axis": None}):
        cache = _slots()
        with pytest.raises(ValueError, match=r"axis is left out, .* is taken as \[1, 12, \.\.\] with index_kind 'slots'"):
            function(cache, **left_out)
        assert (cache == 7).all()
    for axis in (0, -3):
        cache = _slots()
        with pytest.raises(
            ValueError,
            match=rf"axis is {axis}: it must be .* any of the 3 dimensions of (cache|q) but the first"
            r".*: indices of the first one are slots of \1\[None\], with axis=1 and index_kind='slots'",
        ):
            function(cache, axis=axis)
        assert (cache == 7).all()


def test_what_the_sentence_says_of_a_cache_without_pages(context):
    cache = _slots()
    _scatter(cache[None], axis=1, index_kind="slots", context=context)
    expected = _slots()
    expected[PLACES] = ROWS
    np.testing.assert_array_equal(cache, expected)


@pytest.mark.parametrize("function", [_scatter, _scatter_dynamic, _gather])
def test_the_axis_of_heads_is_given(function):
    """Whoever gives an axis has chosen it."""
    function(_slots(), axis=1)
    function(_slots(), axis=-2)


def test_no_function_has_a_number_for_an_axis_that_is_left_out():
    functions = [each for each in map(clquant.__dict__.get, clquant.__all__) if hasattr(each, "operator")]
    with_axis = [each for each in functions if "axis" in inspect.signature(each).parameters]
    assert len(with_axis) == 7
    for each in with_axis:
        assert inspect.signature(each).parameters["axis"].default is None, each


def test_scales_of_a_square_matrix(context):
    """0 is the first axis, and left out is the last, in every function."""
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    scales = np.array([1, 2, 4, 8], np.float32)
    for axis, by in ((None, scales), (-1, scales), (0, scales[:, None])):
        y = clquant.quantize(x, scales, axis=axis, context=context)
        np.testing.assert_array_equal(y, np.rint(x / by).astype(np.int8))
        np.testing.assert_array_equal(clquant.dequantize(y, scales, axis=axis, context=context), y * by)
    dynamic = [clquant.dynamic_quantize(x, axis=axis, context=context) for axis in (None, -1, 0)]
    np.testing.assert_array_equal(dynamic[0].y, dynamic[1].y)
    assert (dynamic[0].y != dynamic[2].y).any()
    assert [each.axis for each in dynamic] == [-1, -1, 0]
