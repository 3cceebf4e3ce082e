# SPDX-License-Identifier: Apache-2.0
"""clquant.quantize_scatter: places, policies, what is counted, and what keeps its bytes."""

import numpy as np
import pytest
import reference

import clquant

SCALES = np.linspace(0.25, 2, 6).astype(np.float32)


def scattered(cache, places, y, policy="drop"):
    """The cache, the number of dropped and of clamped entries, by the loop that is documented; axis is 1."""
    cache, dropped, clamped = cache.copy(), 0, 0
    batches, size, length = cache.shape[0], cache.shape[1], y.shape[1]
    for i, place in enumerate(places):
        batch, start = (i, int(place)) if np.ndim(place) == 0 else (int(place[0]), int(place[1]))
        if policy == "wrap":
            if not 0 <= batch < batches:
                dropped += 1
                continue
            for u in range(length):
                cache[batch, (start + u) % size] = y[i, u]
            continue
        if not (0 <= batch < batches and 0 <= start <= size - length):
            if policy == "drop":
                dropped += 1
                continue
            clamped += 1
            batch, start = min(max(batch, 0), batches - 1), min(max(start, 0), size - length)
        cache[batch, start : start + length] = y[i]
    return cache, dropped, clamped


@pytest.mark.parametrize("policy", ["drop", "clamp", "wrap"])
def test_places(context, numbers, rng, policy):
    cache = rng.integers(-128, 128, (4, 9, 6)).astype(np.int8)
    for places in (
        np.array([3, 0, 8, -2], np.int32),
        np.array([[1, 2], [1, 3], [5, 1], [0, 40], [3, 7], [3, 6]], np.int64),
    ):
        updates = numbers((len(places), 2, 6))
        right, dropped, clamped = scattered(cache, places, reference.quantize(updates, SCALES), policy)
        report, made = clquant.Report(context), cache.copy()
        given = clquant.quantize_scatter(
            made, places, updates, SCALES, axis=1, out_of_range=policy, report=report, context=context
        )
        assert given is made
        np.testing.assert_array_equal(made, right)
        counts = report.read()
        assert (counts.dropped, counts.clamped) == (dropped, clamped)
        report.clear()
        assert report.read() == clquant.Counts(0, 0, None)


def test_out_of_place(context, numbers, rng):
    cache = rng.integers(-128, 128, (4, 9, 6)).astype(np.int8)
    before, places, updates = cache.copy(), np.array([3, 0, 8, 2]), numbers((4, 1, 6))
    made = clquant.quantize_scatter(None, places, updates, SCALES, input=cache, axis=1, context=context)
    np.testing.assert_array_equal(cache, before)
    np.testing.assert_array_equal(made, scattered(cache, places, reference.quantize(updates, SCALES))[0])
    packed = rng.integers(0, 256, (4, 9, 3)).astype(np.uint8)
    view = clquant.view(packed, "int4", context=context)
    made = clquant.quantize_scatter(None, places, updates, SCALES, input=view, axis=1, context=context)
    y = reference.pack(reference.quantize(updates, SCALES, dtype="int4"))
    np.testing.assert_array_equal(made, scattered(packed, places, y)[0])


def test_slots(context, numbers):
    cache, slots, updates = np.zeros((4, 8, 6), np.uint8), np.array([9, -1, 31, 99]), numbers((4, 1, 6))
    report = clquant.Report(context)
    clquant.quantize_scatter(cache, slots, updates, SCALES, 128, axis=1, index_kind="slots", report=report, context=context)
    y = reference.quantize(updates, SCALES, 128, dtype="uint8")
    right = np.zeros_like(cache)
    right[1, 1], right[3, 7] = y[0, 0], y[2, 0]
    np.testing.assert_array_equal(cache, right)
    assert report.read() == clquant.Counts(1, 0, 3)


def test_strided_cache(context, numbers):
    """What lies between the elements of a cache keeps its bytes."""
    whole = np.full((4, 9, 12), 55, np.int8)
    cache, places, updates = whole[:, :, ::2], np.array([3, 0, 8, 2]), numbers((4, 1, 6))
    right = scattered(cache, places, reference.quantize(updates, SCALES))[0]
    clquant.quantize_scatter(cache, places, updates, SCALES, axis=1, context=context)
    np.testing.assert_array_equal(cache, right)
    assert (whole[:, :, 1::2] == 55).all()


def test_checked_indices(context, numbers):
    cache, updates = np.zeros((4, 9, 6), np.int8), numbers((4, 1, 6))
    arguments = (clquant.quantize_scatter, cache, np.array([3, 0, 9, 2]), updates, SCALES)
    with pytest.raises(IndexError, match=r"indices\[2\] has start 9: it must be from 0 to 8"):
        clquant.check_indices(*arguments, axis=1, context=context)
    clquant.check_indices(clquant.quantize_scatter, cache, np.array([3, 0, 8, 2]), updates, SCALES, axis=1)
    assert not cache.any()
    with pytest.raises(ValueError, match="quantize has no check_indices"):
        clquant.check_indices(clquant.quantize, updates, SCALES)
    with pytest.raises(IndexError, match=r"group_index\[1\]"):
        clquant.check_indices(clquant.group_quantize, updates[:, 0], np.ones((2, 6), np.float32), np.array([1, 3]))


def test_workspace(context, rng):
    """Enough pairs that overlap need one, and the last one wins with ours as with one that is made."""
    cache, count = np.zeros((4, 64, 6), np.int8), 4096
    places = np.stack([rng.integers(0, 4, count), rng.integers(0, 64, count)], 1)
    updates = rng.normal(0, 20, (count, 1, 6)).astype(np.float32)
    size = clquant.workspace_bytes(clquant.quantize_scatter, cache, places, updates, SCALES, axis=1, context=context)
    assert size > 0
    room = clquant.Workspace(size, context)
    clquant.quantize_scatter(cache, places, updates, SCALES, axis=1, workspace=room, context=context)
    right = scattered(np.zeros_like(cache), places, reference.quantize(updates, SCALES))[0]
    np.testing.assert_array_equal(cache, right)
    with pytest.raises(ValueError, match="workspace"):
        clquant.quantize_scatter(
            cache, places, updates, SCALES, axis=1, workspace=clquant.Workspace(size - 4, context), context=context
        )


def test_every_operator_has_a_workspace(context, numbers):
    """Scales that are widened lie in the workspace that is given, and one that is too small is refused."""
    x, scales = numbers((64, 96)), np.linspace(0.25, 2, 96).astype(np.float16)
    size = clquant.workspace_bytes(clquant.quantize, x, scales, context=context)
    assert size > 0
    y = clquant.quantize(x, scales, workspace=clquant.Workspace(size, context), context=context)
    np.testing.assert_array_equal(y, reference.quantize(x, scales))
    with pytest.raises(ValueError, match="workspace"):
        clquant.quantize(x, scales, workspace=clquant.Workspace(size - 4, context), context=context)
    groups = np.array([64])
    for function, arguments in (
        (clquant.group_quantize, (x, scales[None], groups)),
        (clquant.find_scales, (x,)),
        (clquant.dynamic_quantize, (x,)),
        (clquant.dequantize, (y, scales)),
    ):
        size = clquant.workspace_bytes(function, *arguments, context=context)
        with_one = function(*arguments, workspace=clquant.Workspace(max(size, 4), context), context=context)
        np.testing.assert_equal(with_one, function(*arguments, context=context))


def test_packed_pages_of_vllm(context):
    """Updates [N, H, D] for pages [P, A, H, D], and back: the one position of a slot is left out."""
    slots, updates = np.array([5, 0]), np.arange(32, dtype=np.float32).reshape(2, 2, 8)
    pages = np.zeros((3, 4, 2, 8), np.int8)
    options = {"axis": 1, "index_kind": "slots", "context": context}
    clquant.quantize_scatter(pages, slots, updates, 1.0, **options)
    expected = np.zeros((12, 2, 8), np.int8)
    expected[[5, 0]] = updates
    np.testing.assert_array_equal(pages.reshape(12, 2, 8), expected)
    back = np.zeros((2, 2, 8), np.float32)
    clquant.dequantize(pages, 1.0, indices=slots, out=back, **options)
    np.testing.assert_array_equal(back, updates)
    np.testing.assert_array_equal(clquant.dequantize(pages, 1.0, indices=slots, **options), updates[:, None])
    scales = np.zeros((3, 4, 2), np.float32)
    q = clquant.dynamic_quantize_scatter(pages, scales, None, slots, updates, **options)
    assert abs(clquant.dequantize(q, indices=slots, index_kind="slots", context=context)[:, 0] - updates).max() < 0.2


def test_a_scale_for_each_head_names_its_shape(context):
    pages, slots = np.zeros((3, 4, 2, 8), np.int8), np.array([5, 0])
    with pytest.raises(ValueError, match=r"with shape \[1, 1, 2, 1\] there is one for each index of updates\.shape\[2\]"):
        clquant.quantize_scatter(
            pages, slots, np.ones((2, 2, 8), np.float32), np.ones(2, np.float32), axis=1, index_kind="slots", context=context
        )
