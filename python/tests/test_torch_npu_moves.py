# SPDX-License-Identifier: Apache-2.0
"""torch_npu's calls that move rows as they are, beside plain torch."""

import pytest

torch = pytest.importorskip("torch")
torch_npu = pytest.importorskip("clquant.torch_npu")

KINDS = ("float32", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool", "int16", "float64")


@pytest.fixture(autouse=True)
def on(context, monkeypatch):
    """In the tensors' own memory, and on a device that takes copies."""
    monkeypatch.setattr("clquant.torch_npu._documented.default_context", lambda: context)


def tensor(shape, kind="float32", seed=0):
    values = torch.randint(-100, 100, shape, generator=torch.Generator().manual_seed(seed))
    return values.to(getattr(torch, kind))


def both(name, right, target, *rest):
    """Check a call and the one in place: the first leaves target alone."""
    before = target.clone()
    made = getattr(torch_npu, name)(target, *rest)
    assert made.dtype == target.dtype
    assert torch.equal(made, right)
    assert torch.equal(target, before)
    assert getattr(torch_npu, f"{name}_")(target, *rest) is target
    assert torch.equal(target, right)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_coordinates(kind):
    target, updates = tensor((4, 3, 8), kind), tensor((2, 8), kind, 1)
    right = target.clone()
    right[[3, 0], [1, 2]] = updates
    both("npu_scatter_nd_update", right, target, torch.tensor([[3, 1], [0, 2]]), updates)


def test_coordinates_of_any_rank():
    """An element each, a row each, one index alone, more dimensions of them, and what is left out."""
    target = tensor((4, 6))
    right = target.clone()
    right[2, 5] = right[1, 0] = -1
    both("npu_scatter_nd_update", right, target.clone(), torch.tensor([[2, 5], [1, 0]]), torch.tensor([-1.0, -1.0]))
    right = target.clone()
    right[3] = 7
    both("npu_scatter_nd_update", right, target.clone(), torch.tensor([3]), torch.full((6,), 7.0))
    updates, places = tensor((2, 2, 6), seed=1), torch.tensor([[[2], [-1]], [[2], [4]]])
    right = target.clone()
    right[2] = updates[1, 0]
    both("npu_scatter_nd_update", right, target.clone(), places, updates)
    both("npu_scatter_nd_update", target.clone(), target, torch.zeros(0, 1, dtype=torch.int32), torch.zeros(0, 6))


def test_strided_coordinates():
    """A view is written where its elements are; indices and updates may be views that one step leads through."""
    room = tensor((6, 4, 9))
    view, places, updates = (
        room.transpose(0, 1)[:, :, :6],
        torch.tensor([[3, 9], [0, 9]])[:, :1],
        tensor((2, 6, 12), seed=1)[..., ::2],
    )
    right = room.clone()
    right.transpose(0, 1)[[3, 0], :, :6] = updates
    torch_npu.npu_scatter_nd_update_(view, places, updates)
    assert torch.equal(room, right)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", [-2, 1])
def test_starts(kind, axis):
    target, updates = tensor((3, 8, 5), kind), tensor((3, 2, 5), kind, 1)
    right = target.clone()
    for batch, start in enumerate([4, 0, 6]):
        right[batch, start : start + 2] = updates[batch]
    both("scatter_update", right, target, torch.tensor([4, 0, 6]), updates, axis)


def test_pairs_overlap_and_out_of_range():
    target, updates = tensor((3, 8, 5), "float16"), tensor((4, 1, 5), "float16", 1)
    right = target.clone()
    right[2, 3] = updates[3, 0]
    right[0, 0] = updates[1, 0]
    places = torch.tensor([[2, 3], [0, 0], [1, 8], [2, 3]], dtype=torch.int32)
    both("scatter_update", right, target, places, updates, -2)


def test_rows_of_the_cache_itself():
    cache = tensor((2, 4, 3))
    right = cache.clone()
    right[:, 1:3] = cache[:, 0:2]
    torch_npu.scatter_update_(cache, torch.tensor([1, 1]), cache[:, 0:2], 1)
    assert torch.equal(cache, right)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "int8", "int16"])
@pytest.mark.parametrize(("sizes", "last"), [((32, 64), 16), ((48, 8), 24)])
def test_keys_and_values_into_parts_of_pages(kind, sizes, last):
    """As op-plugin's test has it, sizes of both apart, and one where parts are not of a head."""
    blocks, block_size, heads = 2, 8, 3
    rows = [tensor((5, heads, size), kind, size) for size in sizes]
    caches = [tensor((blocks, heads * size // last, block_size, last), kind, 1) for size in sizes]
    slots = torch.tensor([3, -1, 15, 3, 16], dtype=torch.int32)
    right = [cache.clone() for cache in caches]
    for made, row in zip(right, rows, strict=True):
        for entry, slot in ((3, 3), (2, 15)):
            made[slot // block_size, :, slot % block_size] = row[entry].reshape(-1, last)
    torch_npu.npu_scatter_pa_kv_cache(*rows, *caches, slots)
    assert all(torch.equal(cache, made) for cache, made in zip(caches, right, strict=True))


def test_keys_and_values_into_pages():
    """Rows with gaps, and one cache for both, in which the values stay."""
    key, value = tensor((4, 2, 16))[..., ::2], tensor((4, 2, 8), seed=1)
    caches, slots = (torch.zeros(3, 4, 2, 8), torch.zeros(3, 4, 2, 8)), torch.tensor([11, 0, 4, 5])
    torch_npu.npu_scatter_pa_kv_cache(key, value, *caches, slots, cache_mode="Norm")
    for cache, rows in zip(caches, (key, value), strict=True):
        assert torch.equal(cache.view(12, 2, 8)[slots], rows)
        assert cache.count_nonzero() == rows.count_nonzero()
    one = torch.zeros(3, 4, 2, 8)
    torch_npu.npu_scatter_pa_kv_cache(key, value, one, one, slots, cache_mode="Norm")
    assert torch.equal(one, caches[1])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"cache_mode": "NZ"}, 'cache_mode is "NZ": it must be "Norm" or "PA_NZ"'),
        ({"compress_lens": torch.zeros(4)}, "compress_lens is given: it must be None, for the compressed form"),
        ({"seq_lens": torch.zeros(4)}, "seq_lens is given"),
        ({"key": torch.zeros(4, 1, 2, 8)}, "key.ndim is 4: it must be 3"),
        ({"value_cache": torch.zeros(3, 4, 2)}, "value_cache.ndim is 3: it must be 4"),
        ({"value": torch.zeros(4, 2, 6)}, "value has 12 elements an entry: with cache_mode PA_NZ it must have value_cache"),
        ({"cache_mode": "Norm"}, r"key\.shape\[1\] is 2: with cache_mode Norm it must be key_cache\.shape\[2\], 4"),
        ({"key": torch.zeros(4, 2, 16)[..., :8]}, r"key\.strides\[1\] is 16: it must be 8, for dimensions 1 to 2 are taken as"),
        ({"slot_mapping": torch.zeros(4, 1).int()}, "slot_mapping.ndim is 2: it must be 1"),
        ({"slot_mapping": torch.zeros(3).int()}, r"slot_mapping\.shape\[0\] is 3: it must be key\.shape\[0\], 4"),
        ({"value": torch.zeros(4, 2, 8).int()}, "value.dtype is int32: it must be that of value_cache, float32"),
        ({"value": torch.zeros(2, 2, 8)}, r"slot_mapping\.shape\[0\] is 4: it must be value\.shape\[0\], 2"),
    ],
)
def test_pages_refused(changes, sentence):
    """Neither cache is written, whichever of both is wrong."""
    given = {"key": torch.ones(4, 2, 8), "value": torch.ones(4, 2, 8), "key_cache": torch.zeros(3, 4, 4, 4)}
    given |= {"value_cache": torch.zeros(3, 4, 4, 4), "slot_mapping": torch.zeros(4).int()} | changes
    with pytest.raises(ValueError, match=sentence):
        torch_npu.npu_scatter_pa_kv_cache(**given)
    assert not given["key_cache"].any()
    assert not given["value_cache"].any()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda t: torch_npu.npu_scatter_nd_update(t, torch.zeros(2, 3).long(), t[0, 0]), r"indices\.shape\[1\] is 3: it must"),
        (lambda t: torch_npu.npu_scatter_nd_update(t, torch.zeros(2, 1).long(), t[0]), "updates.ndim is 1: it must be 2, the"),
        (lambda t: torch_npu.npu_scatter_nd_update_(t, torch.zeros(2, 1).long(), t), r"updates\.shape\[0\] is 4: it must be"),
        (lambda t: torch_npu.npu_scatter_nd_update_(t, torch.zeros(4, 1), t), "indices.dtype is float32"),
        (lambda t: torch_npu.npu_scatter_nd_update_(t, torch.zeros(4, 1).int(), t.int()), "updates.dtype is int32: it must be"),
        (lambda t: torch_npu.npu_scatter_nd_update(t.bool(), torch.zeros(4, 1).int(), t), "input.dtype is bool"),
        (lambda t: torch_npu.scatter_update_(t, torch.zeros(4).int(), t[:, :1], 0), "axis is 0"),
        (lambda t: torch_npu.scatter_update(t, torch.zeros(4).int(), t[:2, :1], 1), r"indices\.shape\[0\] is 4: it must be"),
        (lambda t: torch_npu.scatter_update(t, torch.zeros(4, 3).int(), t[:, :1], 1), "a batch and a start"),
        (lambda t: torch_npu.scatter_update(t, torch.zeros(4).int(), t[0], 1), "updates.ndim is 1: it must be the rank of"),
    ],
)
def test_refused(call, sentence):
    target = tensor((4, 6))
    before = target.clone()
    with pytest.raises(ValueError, match=sentence):
        call(target)
    assert torch.equal(target, before)


def in_place():
    """Make the calls in place, each with the tensor that it writes and the argument's name."""
    places, rows, pages = torch.tensor([[0], [1]]), torch.ones(2, 8), [torch.zeros(2, 4, 1, 8) for _ in range(2)]
    for kind in (torch.float32, torch.float64):
        nd, starts = torch.zeros(2, 8, dtype=kind), torch.zeros(2, 4, 8, dtype=kind)
        yield "input", nd, lambda nd=nd: torch_npu.npu_scatter_nd_update_(nd, places, rows.to(nd.dtype))
        yield (
            "data",
            starts,
            lambda starts=starts: torch_npu.scatter_update_(starts, places[:, 0], rows[:, None].to(starts.dtype), 1),
        )
    for name, written in zip(("key_cache", "value_cache"), pages, strict=True):
        yield (
            name,
            written,
            lambda: torch_npu.npu_scatter_pa_kv_cache(rows[:, None], rows[:, None], *pages, places[:, 0], cache_mode="Norm"),
        )
    cache = torch.zeros(2, 4, 8, dtype=torch.int8)
    yield "self", cache, lambda: torch_npu.npu_quant_scatter_(cache, places[:, 0], rows[:, None], torch.ones(8))


def test_calls_in_place_raise_the_version():
    """Also where the library sees a type that it does not have as another one."""
    for name, written, call in in_place():
        before = written._version
        call()
        assert written._version > before, name


def test_tensors_that_require_grad_are_not_written():
    for name, written, call in in_place():
        if written.is_floating_point():
            with torch.no_grad():
                written.zero_()
            written.requires_grad_()
            with pytest.raises(ValueError, match=f"^{name}: a tensor of torch requires grad: what a call writes must not"):
                call()
            assert not written.any()
            with torch.no_grad():
                call()
            assert written.any()
            written.requires_grad_(False)


def test_conjugates_and_negatives():
    """They are read as what they show, and cannot be written."""
    plain = torch.full((3,), 1 + 2j, dtype=torch.complex64)
    places = torch.tensor([[1]])
    for view, bit in ((plain.conj(), "conjugate"), (plain.conj().imag, "negative")):
        updates = (view + 1)[:1]
        with pytest.raises(ValueError, match=f"^input: a tensor of torch has the {bit} bit: what is written must be plain"):
            torch_npu.npu_scatter_nd_update_(view, places, updates)
        assert (plain == 1 + 2j).all()
        right = view.clone()
        right[1] = updates[0]
        assert torch.equal(torch_npu.npu_scatter_nd_update(view, places, updates), right)
        target = torch.zeros(3, dtype=view.dtype)
        torch_npu.npu_scatter_nd_update_(target, places, view[:1])
        assert target[1] == view[0]
