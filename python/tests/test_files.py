# SPDX-License-Identifier: Apache-2.0
"""Types through files: what numpy, torch, pickle and safetensors keep of results, and what is said of what they lose."""

import io
import pickle

import ml_dtypes
import numpy as np
import pytest
from processes import run

import clquant

TYPES = ["int4", "uint4", "int4_words", "float4_e2m1fn", "float8_e4m3fn", "q8_0", "q4_0", "int8"]


def quantized(x, dtype):
    return clquant.dynamic_quantize(x, dtype=dtype).y if dtype.startswith("q") else clquant.quantize(x, 0.25, dtype=dtype)


def back(y):
    return clquant.dequantize(y, None if clquant.view(y).element_type.startswith("q") else 0.25)


@pytest.mark.parametrize("save", [np.save, np.savez, np.savez_compressed], ids=lambda save: save.__name__)
@pytest.mark.parametrize("dtype", TYPES)
def test_numpys_files(rng, dtype, save):
    """They keep the types that numpy holds in bytes and words; of those that ml_dtypes has it is said what they are."""
    y = quantized(rng.normal(size=(4, 64)).astype(np.float32), dtype)
    file = io.BytesIO()
    save(file, y) if save is np.save else save(file, y=y, part=y[1:3])
    file.seek(0)
    held = np.load(file)
    held = {"y": held, "part": held[1:3]} if save is np.save else held
    if dtype == "float8_e4m3fn":
        with pytest.raises(ValueError, match=r"an array has elements of void8, .* clquant\.view\(…, 'float8_e4m3fn'\)"):
            back(held["y"])
        held = {name: clquant.view(held[name], dtype) for name in ("y", "part")}
    np.testing.assert_array_equal(back(held["y"]), back(y))
    np.testing.assert_array_equal(back(held["part"]), back(y)[1:3])
    np.testing.assert_array_equal(back(pickle.loads(pickle.dumps(y))), back(y))


def test_a_file_of_bfloat16(rng):
    x, file = rng.normal(size=(4, 8)).astype(ml_dtypes.bfloat16), io.BytesIO()
    np.save(file, x)
    file.seek(0)
    held = np.load(file)
    with pytest.raises(ValueError, match=r"x: an array has elements of void16, .* clquant\.view\(…, 'bfloat16'\)"):
        clquant.quantize(held, 0.5)
    np.testing.assert_array_equal(clquant.quantize(clquant.view(held, "bfloat16"), 0.5), clquant.quantize(x, 0.5))


def test_bytes_of_a_file_whose_shape_tells(rng):
    """As safetensors gives them: half as wide as the scales, the output or the updates say, or blocks without scales."""
    x = rng.normal(size=(4, 64)).astype(np.float32)
    scales = np.full(64, 0.25, np.float32)
    nibbles, words = (np.array(clquant.quantize(x, scales, dtype=dtype)) for dtype in ("int4", "int4_words"))
    y, found, offsets = (np.array(each) for each in clquant.dynamic_quantize(x, dtype="int4", block=32))
    cache = np.zeros((2, 8, 4, 32), np.uint8)
    blocks = np.array(clquant.dynamic_quantize(x, dtype="q8_0").y)
    for call, name, dtype in (
        (lambda q: clquant.dequantize(nibbles if q is None else q, scales), "q", "int4"),
        (lambda q: clquant.dequantize(words if q is None else q, scales), "q", "int4_words"),
        (lambda q: clquant.dequantize(y if q is None else q, found, offsets=offsets, mode="dynamic", block=32), "q", "int4"),
        (lambda q: clquant.dequantize(nibbles if q is None else q, 0.25, out=np.zeros((4, 64), np.float32)), "q", "int4"),
        (
            lambda q: clquant.quantize_scatter(cache if q is None else q, [1, 2], x[:2, None, None].repeat(4, 2), 0.25, axis=1),
            "cache",
            "int4",
        ),
        (lambda q: clquant.dequantize(blocks if q is None else q), "q", "q8_0"),
    ):
        with pytest.raises(ValueError, match=rf"if it holds that, give clquant\.view\({name}, '{dtype}'\)"):
            call(None)
        held = {"int4_words": words, "q8_0": blocks}.get(dtype, nibbles if name == "q" else cache)
        call(clquant.view(held, dtype))


def test_torchs_files(rng):
    """Also where torch is imported behind clquant, and makes nothing but what it knows."""
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(rng.normal(size=(4, 64)).astype(np.float32))
    safe = {"weights_only": True} if hasattr(torch.serialization, "add_safe_globals") else {}
    for held in (quantized(x, "int4"), quantized(x, "q8_0"), clquant.dynamic_quantize(x, dtype="uint4", block=32)):
        file = io.BytesIO()
        torch.save({"layer": held}, file)
        file.seek(0)
        found = torch.load(file, **safe)["layer"]
        assert type(found) is type(held)
        right, made = (clquant.dequantize(each) if isinstance(each, tuple) else back(each) for each in (held, found))
        assert torch.equal(made, right)
    for script in ("import torch, clquant", "import clquant, torch"):
        names = "[each for each in getattr(torch.serialization, 'get_safe_globals', list)() if 'clquant' in each.__module__]"
        code, said, _ = run(f"{script}\nprint(len({names}))")
        assert (code, said) == (0, "2\n" if safe else "0\n")


def test_calls_within_torchs_compiler(rng):
    """They are left as they are, without a word, and what stands between them is compiled."""
    torch = pytest.importorskip("torch", minversion="2.4")
    x, events = torch.from_numpy(rng.normal(size=(4, 64)).astype(np.float32)), []
    plan = clquant.plan(clquant.quantize, x, 0.5)
    for step in (
        lambda x: clquant.quantize(x * 2, 0.25, events=events) + 1,
        lambda x: clquant.dequantize(*clquant.dynamic_quantize(x + 1)) * 2,
        lambda x: clquant.dequantize(clquant.quantize(x + 1, 0.5, dtype="int4")[1:3], 0.5) * 2,
        lambda x: plan() + x,
        lambda x: x + torch.from_numpy(clquant.view(x).numpy()),
    ):
        assert torch.equal(torch.compile(step, backend="eager")(x), step(x))
