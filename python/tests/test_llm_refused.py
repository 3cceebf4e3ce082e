# SPDX-License-Identifier: Apache-2.0
"""The models, files and prompts that examples/llm refuses."""

import struct

import numpy as np
import pytest
from llm_made import HIDDEN, TOKENS, run, write


def refused(path, *words, status=1):
    done = run(path, "--prompt", "the")
    assert done.returncode == status, done
    last = done.stderr.splitlines()[-1]
    assert last.startswith("llm: ") and all(word in last for word in words), last
    return last


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"architecture": "gpt2"}, "architecture is not 'llama'"),
        ({"tokenizer": "llama"}, "byte-level BPE"),
        ({"pre": "tekken"}, "its tokenizer.ggml.pre is 'tekken': texts can be cut as gpt-2, smollm, llama-bpe and qwen2 do"),
        ({"pre": ""}, "its tokenizer.ggml.pre is ''"),
        ({"untyped": 6}, "value 'tokenizer.ggml.token_type' must be"),
        ({"values": {"tokenizer.ggml.add_bos_token": 1}}, "value 'tokenizer.ggml.add_bos_token' must be true or false"),
        ({"values": {"tokenizer.ggml.add_eos_token": True}}, "its texts end with a token"),
        ({"values": {"llama.rope.scaling.type": "su"}}, "its llama.rope.scaling.type is 'su': none, linear, yarn and longrope"),
        ({"values": {"llama.rope.scaling.type": "longrope"}}, "tensor 'rope_factors_short.weight' is missing"),
        ({"values": {"llama.rope.scaling.factor": float("inf")}}, "value 'llama.rope.scaling.factor' must be a number from"),
        ({"values": {"llama.rope.scaling.alpha": 2.0}}, "value 'llama.rope.scaling.alpha' is none of a model that is known"),
        ({"values": {"llama.attention.value_length": 32}}, "value 'llama.attention.value_length' must be 64"),
        ({"values": {"llama.vocab_size": 7}}, f"value 'llama.vocab_size' must be {len(TOKENS)}"),
        ({"factors": {"rope_freqs.weight": np.ones(32)}}, "tensor 'rope_freqs.weight' must be of 24 values of type F32"),
        ({"factors": {"rope_freqs.weight": np.zeros(24)}}, "factor 23 of its angles is not a number other than 0"),
        ({"leave_out": "blk.1.ffn_down.weight"}, "tensor 'blk.1.ffn_down.weight' is missing"),
        ({"rows": HIDDEN - 1}, "tensor 'blk.0.ffn_up.weight' must be of 96 x 64 values"),
        ({"heads": 3}, "3 heads of queries cannot share 2"),
        ({"size": 48}, "multiple of 32"),
        ({"merges": ["th q"]}, "merge 0 has a text that is no token"),
        ({"merges": ["the"]}, "merge 0 is no pair"),
    ],
)
def test_other_models_are_refused(tmp_path, changed, words):
    refused(write(tmp_path / "other.gguf", **changed), "other.gguf: ", words)


def test_wrong_files_are_refused(model, tmp_path):
    good, path = model.read_bytes(), tmp_path / "wrong.gguf"

    def wrong(data, *words):
        path.write_bytes(data)
        return refused(path, "wrong.gguf: ", *words)

    def at(place, form, value):
        return good[:place] + struct.pack("<" + form, value) + good[place + struct.calcsize("<" + form) :]

    wrong(b"", "does not begin with GGUF")
    wrong(b"GGUZ" + good[4:], "does not begin with GGUF")
    wrong(at(4, "I", 99), "neither 2 nor 3")
    for count in (1 << 63, 1 << 40, len(good) // 12):
        wrong(at(8, "Q", count), "more tensors or values than it has bytes for")
        wrong(at(16, "Q", count), "more tensors or values than it has bytes for")
    wrong(at(24, "Q", 1 << 62), "text that does not end within it")
    wrong(at(24, "Q", (1 << 64) - 1), "text that does not end within it")
    kind = good.index(b"general.architecture") + len("general.architecture")
    wrong(at(kind, "I", 77), "has a type that is not known")
    wrong(at(kind, "I", 9), "")
    tokens = good.index(b"tokenizer.ggml.tokens") + len("tokenizer.ggml.tokens") + 8
    wrong(at(tokens, "Q", 1 << 61), "")
    types = good.index(b"tokenizer.ggml.token_type") + len("tokenizer.ggml.token_type") + 8
    wrong(at(types, "Q", 1 << 61), "does not end within the file")
    tensor = good.index(b"blk.0.attn_q.weight") + len("blk.0.attn_q.weight")  # rank, two sizes, type, offset
    wrong(at(tensor, "I", 5), "more than four dimensions")
    wrong(at(tensor + 4, "Q", 1 << 63), "has a shape that no file holds")
    wrong(at(tensor + 4, "Q", 0), "has a shape that no file holds")
    wrong(at(tensor + 4, "Q", 1 << 32), "does not lie within the file")
    wrong(at(tensor + 20, "I", 14), "tensor 'blk.0.attn_q.weight' has type 14 of ggml: F32, F16")
    wrong(at(tensor + 24, "Q", (1 << 64) - 32), "does not lie within the file")
    wrong(at(tensor + 24, "Q", len(good)), "does not lie within the file")
    wrong(good.replace(b"blk.0.attn_q.weight", b"blk.0.attn_\xff.weight"), "'blk.0.attn_q.weight' is missing")
    header = good.index(b"blk.1.ffn_norm.weight")
    for size in [*range(4, 600, 31), *range(600, header, 1777), header + 30, len(good) - 1]:
        wrong(good[:size], "")


def test_numbers_that_are_not_are_refused(model, tmp_path):
    path = tmp_path / "wrong.gguf"
    for name, value, form in [("context_length", 0, "I"), ("block_count", 1 << 30, "I"), ("rope.freq_base", float("nan"), "f")]:
        data = bytearray(model.read_bytes())
        struct.pack_into("<" + form, data, data.index(b"llama." + name.encode()) + len("llama." + name) + 4, value)
        path.write_bytes(data)
        refused(path, f"value 'llama.{name}' must be a number from")


def test_a_prompt_that_does_not_fit(model):
    done = run(model, "--prompt", "the", "--tokens", 300)
    assert done.returncode == 1
    assert "301 tokens are more than the model's context of 256" in done.stderr
