# SPDX-License-Identifier: Apache-2.0
"""The program examples/llm, in the folder that CLQ_EXAMPLES names, and a made model of two layers for it."""

import functools
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

if "CLQ_EXAMPLES" not in os.environ or not (Path(os.environ["CLQ_EXAMPLES"]) / "llm").exists():
    pytest.skip("CLQ_EXAMPLES names no folder with llm, which needs CLBlast", allow_module_level=True)
gguf = pytest.importorskip("gguf")
tokenizers = pytest.importorskip("tokenizers")

LAYERS, WIDTH, HEADS, KV_HEADS, SIZE, TURNED, HIDDEN, BASE, EPSILON = 2, 64, 4, 2, 64, 48, 96, 1000.0, 1e-5
LONG = [f"{'Ġ' * n} {'Ġ' * n}" for n in (1, 2, 4, 8, 16, 32, 64)]
OVERTAKEN = ["w v", "u w", "wv q", "u wv", "k x", "x j", "m n", "j mn"]  # pairs whose turn another merge takes away
MERGES = ["t h", "th e", "Ġ the", "i n", "Ġ a", "Ã ¤", *LONG, "e r", "1 2", "' s", "Ġ 1", "in in", "12 3", "Ċ Ċ", "Å ¿", "Å¿ x"]
MERGES += ["S x", "Ċ in", "! Ċ", "Ċ Ġ", *OVERTAKEN]  # some go over the ends of pieces
TEXT = "the theme's in 12 theater, a the\u00e4ter \u3042\u3044\u00bd\n\n  then  12 in the\tinn \u2028 it'll're !?12'' thin"


def characters():
    """Return the character that stands for each byte."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(b) if b in seen else chr(next(others)) for b in range(256)]


CHARACTERS = characters()
CONTROL, DEFINED, WHOLE = ["<unk>", "<|end|>", "<|begin|>"], ["<a tool>", "<a tool>in"], ["inner", "Ġinner"]
MERGED = [m.replace(" ", "") for m in MERGES]
TOKENS = [*CONTROL, *DEFINED, *(c for b, c in enumerate(CHARACTERS) if b < 0xF8), *MERGED, *WHOLE]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PATTERNS = {"gpt-2": [GPT2], "smollm": [r"\p{N}", GPT2], "llama-bpe": [LLAMA3], "qwen2": [LLAMA3.replace("{1,3}", "")]}


@functools.cache
def tokenizer(pre, control):
    """Return the tokenizer of another library."""
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab={text: i for i, text in enumerate(TOKENS)},
            merges=[tuple(m.split(" ")) for m in MERGES],
            ignore_merges=pre == "llama-bpe",
        )
    )
    cut = [tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in PATTERNS[pre]]
    bytes_of = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([*cut, bytes_of])
    made.add_tokens([tokenizers.AddedToken(text, normalized=False) for text in DEFINED + CONTROL * control])
    return made


def encode(text, pre="smollm", control=False):
    return tokenizer(pre, control).encode(text).ids


TYPES = {"F16": 0.3, "Q8_0": 0.3, "Q4_1": 0.3, "Q4_0": 0.3, "Q5_0": 0.3, "Q5_1": 0.3, "F32": 0.3, "BF16": 0.3}


def weights():
    """Return the tensors of the file, by name: values and the type that they are kept in."""
    random = np.random.default_rng(7)
    kinds = iter(list(TYPES) * LAYERS)
    made = {"token_embd": ((len(TOKENS), WIDTH), "Q8_0"), "output_norm": ((WIDTH,), "F32")}
    for i in range(LAYERS):
        for name, shape in {
            "attn_q": (HEADS * SIZE, WIDTH),
            "attn_k": (KV_HEADS * SIZE, WIDTH),
            "attn_v": (KV_HEADS * SIZE, WIDTH),
            "attn_output": (WIDTH, HEADS * SIZE),
            "ffn_gate": (HIDDEN, WIDTH),
            "ffn_up": (HIDDEN, WIDTH),
            "ffn_down": (WIDTH, HIDDEN),
        }.items():
            made[f"blk.{i}.{name}"] = (shape, next(kinds))
        made[f"blk.{i}.attn_norm"] = made[f"blk.{i}.ffn_norm"] = ((WIDTH,), "F32")
    return {
        f"{name}.weight": (
            (random.normal(1 if len(shape) == 1 else 0, 0.3, shape)).astype(np.float32),
            gguf.GGMLQuantizationType[kind],
        )
        for name, (shape, kind) in made.items()
    }


WEIGHTS = weights()
VALUES = {name: gguf.dequantize(gguf.quantize(x, kind), kind).astype(np.float64) for name, (x, kind) in WEIGHTS.items()}


def write(path, leave_out=None, values=(), factors=(), **changed):
    """Write the model's file, without one tensor or with other values, and with tensors of factors."""
    writer = gguf.GGUFWriter(path, changed.get("architecture", "llama"))
    writer.add_block_count(LAYERS)
    writer.add_context_length(256)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(changed.get("heads", HEADS))
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(changed.get("size", SIZE))
    writer.add_rope_dimension_count(TURNED)
    writer.add_rope_freq_base(BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_tokenizer_model(changed.get("tokenizer", "gpt2"))
    if changed.get("pre", "smollm"):
        writer.add_tokenizer_pre(changed.get("pre", "smollm"))
    writer.add_token_list(TOKENS)
    writer.add_token_types([2, 3, 3, 4, 4] + [1] * (len(TOKENS) - changed.get("untyped", 5)))
    writer.add_token_merges(changed.get("merges", MERGES))
    writer.add_unk_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_bos_token_id(2)
    for name, value in dict(values).items():
        add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
        add[type(value)](name, value)
    for name, value in dict(factors).items():
        writer.add_tensor(name, value.astype(np.float32))
    for name, (x, kind) in WEIGHTS.items():
        if name != leave_out:
            data = gguf.quantize(x[: changed.get("rows")] if name == "blk.0.ffn_up.weight" else x, kind)
            writer.add_tensor(name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def run(*arguments, timeout=300):
    program = Path(os.environ["CLQ_EXAMPLES"]) / "llm"
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=timeout, check=False
    )


def ended(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(out):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines() if line.startswith("| ")]
    return {row[0]: [float(cell) for cell in row[1:5]] for row in rows[1:]}
