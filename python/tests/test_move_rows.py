# SPDX-License-Identifier: Apache-2.0
"""Rows that move: appended, gathered, defragmented in place, by coordinates and converted, as numpy has it."""

from __future__ import annotations

import numpy as np
import pytest

import clquant


@pytest.fixture
def pages() -> np.ndarray:
    return np.arange(6 * 4 * 8, dtype=np.int8).reshape(6, 4, 8)


def test_tokens_are_appended_at_slots(pages: np.ndarray) -> None:
    tokens = np.full((3, 8), -1, np.int8)
    expected = pages.copy()
    expected.reshape(24, 8)[[5, 9]] = -1
    found = clquant.move_rows(tokens, pages, dst_indices=np.array([5, -1, 9]), dst_index_kind="slots", axis=1)
    assert found is pages
    np.testing.assert_array_equal(pages, expected)


def test_a_half_empty_cache_is_defragmented_in_place(pages: np.ndarray) -> None:
    slots = np.array([page * 4 + row for page in range(6) for row in (1, 2)])
    expected = pages.copy().reshape(24, 8)
    expected[:12] = expected[slots]
    kinds = {"src_index_kind": "slots", "dst_index_kind": "slots"}
    clquant.move_rows(pages, pages, src_indices=slots, dst_indices=np.arange(12), axis=1, **kinds)
    np.testing.assert_array_equal(pages.reshape(24, 8), expected)


def test_views_that_overlap_are_read_before_they_are_written(pages: np.ndarray) -> None:
    expected = pages.copy()
    expected[1:6] = pages[0:5]
    places = np.arange(5).reshape(5, 1)
    clquant.move_rows(pages[:5], pages[1:], src_indices=places, dst_indices=places, src_index_kind="nd", dst_index_kind="nd")
    np.testing.assert_array_equal(pages, expected)


def test_a_gather_makes_what_is_left_out(pages: np.ndarray) -> None:
    pairs = np.array([[2, 1], [9, 0], [0, 2]])
    report = clquant.Report()
    found = clquant.move_rows(pages, src_indices=pairs, axis=1, positions=2, report=report)
    np.testing.assert_array_equal(found, np.stack([pages[2, 1:3], np.zeros((2, 8), np.int8), pages[0, 2:4]]))
    assert report.read() == (1, 0, 1)


def test_coordinates_count_from_the_end_where_they_wrap(pages: np.ndarray) -> None:
    at = np.array([[-1, 0], [1, -1]])
    found = clquant.move_rows(pages, src_indices=at, src_index_kind="nd", src_out_of_range="wrap")
    np.testing.assert_array_equal(found, pages[[-1, 1], [0, -1]])


def test_a_copy_is_written_where_the_cache_is_kept(pages: np.ndarray) -> None:
    expected, before = pages.copy(), pages.copy()
    expected[[4, 0], 1:3] = -1
    rows = np.full((2, 2, 8), -1, np.int8)
    made = clquant.move_rows(rows, input=pages, dst_indices=np.array([[4, 1], [0, 1]]), axis=1)
    np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(pages, before)
    with pytest.raises(ValueError, match="input is given"):
        clquant.move_rows(pages, rows, input=rows, src_indices=np.array([[4, 1], [0, 1]]), axis=1)


def test_floats_are_converted() -> None:
    cache = np.array([[[1 + 2**-11, 2**-25]], [[65000, -0.0]]], np.float32)
    found = clquant.move_rows(cache, src_indices=np.array([0, 0]), axis=1, dtype="float16")
    np.testing.assert_array_equal(found.view(np.uint16), cache.astype(np.float16).view(np.uint16))


def test_blocks_move_as_their_bytes() -> None:
    cache = clquant.view(np.arange(3 * 2 * 34, dtype=np.uint8).reshape(3, 2, 34), "q8_0")
    rows = clquant.move_rows(cache, src_indices=np.array([[2], [0]]), src_index_kind="nd")
    np.testing.assert_array_equal(np.asarray(rows).view(np.uint8).reshape(2, 2, 34), np.asarray(cache).view(np.uint8)[[2, 0]])


def test_a_wrong_call_says_what_is_wrong(pages: np.ndarray) -> None:
    with pytest.raises(ValueError, match="src_indices and dst_indices are both None: one of them must be an array"):
        clquant.move_rows(pages, pages)
    with pytest.raises(IndexError, match=r"src_indices\[1\] is slot 24: it must be from 0 to 23"):
        clquant.check_indices(clquant.move_rows, pages, src_indices=np.array([0, 24]), src_index_kind="slots", axis=1)
