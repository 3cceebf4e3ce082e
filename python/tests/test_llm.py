# SPDX-License-Identifier: Apache-2.0
"""The program examples/llm, in the folder that CLQ_EXAMPLES names: a made model of two layers against numpy, and wrong files."""

import functools
import itertools
import os
import pty
import re
import shutil
import struct
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


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write(tmp_path_factory.mktemp("llm") / "made.gguf")


def run(*arguments, timeout=300):
    program = Path(os.environ["CLQ_EXAMPLES"]) / "llm"
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=timeout, check=False
    )


def ended(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


WORDS = [
    TEXT,
    " ",
    "\n\n 1",
    "a  1  b",
    "  ",
    "''s'",
    "\x85\xa0x",
    "\u0663\u0664 \U0001d7ce",
    "\U0001f600 e\u0301",
    "12the12 123 1234512",
    "inner inner theinner",
    "'S it'LL'Re it'Sx it'sx it'\u017fx 'x",
    "uwvq kxjmn",
    "!!\r\n\n!\n the\n  \n  in\t\tin\r1\n",
    "<a tool>in<a tool> <a tool>the<too<tool",
    "_in\nin\u00a0in\u20281",
    " " * 300 + "x",
    "<|end|> <|begin|>",
]


@pytest.mark.parametrize("pre", PATTERNS)
def test_its_tokens(tmp_path, pre):
    made, text = write(tmp_path / "made.gguf", pre=pre), tmp_path / "text"
    begin = [2] * (pre == "llama-bpe")
    for words in WORDS:
        text.write_bytes(words.encode())
        got = [int(t) for t in ended(run(made, "--text", text, "--list-tokens")).split()]
        assert got == begin + encode(words, pre), words
    for words in ["a<|end|>the<unk>", "<|begin|>in", "<a tool>in<|end|>"]:
        got = [int(t) for t in ended(run(made, "--prompt", words, "--list-tokens")).split()]
        assert got == begin * (not words.startswith("<|begin")) + encode(words, pre, control=True), words


def test_its_tokens_of_what_is_no_text(model, tmp_path):
    text = tmp_path / "text"
    text.write_bytes(b"\xff\xfe\xc3(\xe3\x81")  # no UTF-8
    got = [TOKENS[int(t)] for t in ended(run(model, "--text", text, "--list-tokens")).split()]
    assert got == ["<unk>", "<unk>", CHARACTERS[0xC3], "(", CHARACTERS[0xE3], CHARACTERS[0x81]]


@pytest.mark.parametrize("words", ["theinainer", " ", "<", "\u3042\u00bd"])
def test_a_megabyte_without_a_word_takes_seconds(model, tmp_path, words):
    text = tmp_path / "text"
    words *= 1000000 // len(words.encode())
    text.write_bytes(words.encode())
    got = [int(t) for t in ended(run(model, "--text", text, "--list-tokens", timeout=60)).split()]
    assert np.array_equal(got, encode(words))  # a difference of the lists would take pytest hours to print


def half(x):
    return x.astype(np.float16).astype(np.float64)


def hadamard(size):
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix / np.sqrt(size)


def over(x, scale):
    """As the library has it: times the reciprocal, both rounded to binary32."""
    return x.astype(np.float32) * (1 / scale.astype(np.float32))


def symmetric(x, block, top):
    blocks = x.reshape(*x.shape[:-1], -1, block)
    scale = half(np.maximum(np.abs(blocks).max(-1, keepdims=True) / top, 2.0**-24))
    return (np.rint(over(blocks, scale)).clip(-top - 1, top) * scale).reshape(x.shape)


def asymmetric(x, block):
    blocks = x.reshape(*x.shape[:-1], -1, block)
    high, low = blocks.max(-1, keepdims=True), blocks.min(-1, keepdims=True)
    scale = half(np.maximum(np.maximum((high - low) / 15, 2.0**-24), np.maximum(np.abs(high), np.abs(low)) / 2**15))
    offset = half(-(7 - high / scale))
    return ((np.rint(over(blocks, scale) - offset).clip(-8, 7) + offset) * scale).reshape(x.shape)


def blocks_of(kind):
    kind = gguf.GGMLQuantizationType[kind]
    return lambda x: gguf.dequantize(gguf.quantize(x.astype(np.float32), kind), kind).astype(np.float64)


def iq4_nl(x):
    """The nearest levels, and the scale that then has the least error where large values count more."""
    levels = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])
    blocks = x.reshape(*x.shape[:-1], -1, 32)
    extreme = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)
    level = levels[np.digitize(blocks / extreme * -127, (levels[1:] + levels[:-1]) / 2)]  # a middle goes up
    weight = blocks**2
    scale = (weight * level * blocks).sum(-1, keepdims=True) / (weight * level * level).sum(-1, keepdims=True)
    return (level * half(scale)).reshape(x.shape)


def narrow(x, fraction, least, top):
    """The nearest float of so many bits of fraction, a tie to the even one; 2**least is the smallest normal one."""
    step = 2.0 ** (np.maximum(np.frexp(x)[1] - 1, least) - fraction)
    return (np.rint(x / step) * step).clip(-top, top)


def floats4(x, block, scale_of):
    """float4_e2m1fn with the scales that are found for a block's largest magnitude."""
    blocks = x.reshape(*x.shape[:-1], -1, block)
    scale = scale_of(np.abs(blocks).max(-1, keepdims=True))
    return (narrow(over(blocks, scale), 1, 0, 6) * scale).reshape(x.shape)


def mxfp4(x):
    """The scale is the power of two that makes the largest 4 to 7, of which 7 and what would round to 8 are too much."""

    def scale(largest):
        fraction, exponent = np.frexp(largest)
        return 2.0 ** (exponent - 1 - 2 + (fraction >= 7 / 8))

    return floats4(x, 32, scale)


def nvfp4(x):
    return floats4(x, 16, lambda largest: narrow((largest / 6).clip(2.0**-6, 448), 3, -6, 448))


def floats8(x):
    scale = half(np.abs(x).max(-1, keepdims=True) / 448)
    return narrow(over(x, scale), 3, -6, 448) * scale


def static(tokens):
    """int8 with a scale for each channel of a layer, found in the keys and values of these tokens."""
    found: tuple[list, list] = [], []

    def finding(scales):
        def keep(x):
            scales.append(np.abs(x).max(0) / 127)
            return x

        return keep

    def clipping(scales):
        layers = itertools.cycle(scales)  # log_probabilities goes over all layers again and again

        def keep(x):
            scale = next(layers)
            return np.rint(x / scale).clip(-128, 127) * scale

        return keep

    log_probabilities(tokens, *map(finding, found))
    return tuple(map(clipping, found))


TURN = hadamard(SIZE)
FORMATS = {  # keys and values as they come out of the cache; bits of an element
    "int8": (lambda x: symmetric(x, SIZE, 127), lambda x: symmetric(x, SIZE, 127), 8.25),
    "float8": (floats8, floats8, 8.25),
    "int8_int4": (lambda x: symmetric(x, SIZE, 127), lambda x: symmetric(x @ TURN, 32, 7) @ TURN, 6.375),
    "int4": (lambda x: asymmetric(x, 32), lambda x: asymmetric(x, 32), 5.0),
    "int4_rotated": (lambda x: asymmetric(x @ TURN, 32) @ TURN, lambda x: asymmetric(x @ TURN, 32) @ TURN, 5.0),
    "int4_symmetric": (lambda x: symmetric(x, 32, 7), lambda x: symmetric(x, 32, 7), 4.5),
    "int4_symmetric_rotated": (lambda x: symmetric(x @ TURN, 32, 7) @ TURN, lambda x: symmetric(x @ TURN, 32, 7) @ TURN, 4.5),
    "q8_0": (blocks_of("Q8_0"), blocks_of("Q8_0"), 8.5),
    "q5_1": (blocks_of("Q5_1"), blocks_of("Q5_1"), 6.0),
    "q5_0": (blocks_of("Q5_0"), blocks_of("Q5_0"), 5.5),
    "q4_1": (blocks_of("Q4_1"), blocks_of("Q4_1"), 5.0),
    "q4_0": (blocks_of("Q4_0"), blocks_of("Q4_0"), 4.5),
    "iq4_nl": (iq4_nl, iq4_nl, 4.5),
    "iq4_nl_rotated": (lambda x: iq4_nl(x @ TURN) @ TURN, lambda x: iq4_nl(x @ TURN) @ TURN, 4.5),
    "mxfp4": (mxfp4, mxfp4, 4.25),
    "nvfp4": (nvfp4, nvfp4, 4.5),
}


def normal(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * VALUES[weight]


FREQUENCIES = BASE ** (-np.arange(0, TURNED, 2) / TURNED)


def turned(x, frequencies, magnitude):
    """Turn neighbours by the angles of their positions, [positions, heads, channels]."""
    angle = np.arange(len(x))[:, None] * frequencies
    cos, sin = magnitude * np.cos(angle)[:, None], magnitude * np.sin(angle)[:, None]
    y = x.copy()
    y[..., 0:TURNED:2] = x[..., 0:TURNED:2] * cos - x[..., 1:TURNED:2] * sin
    y[..., 1:TURNED:2] = x[..., 0:TURNED:2] * sin + x[..., 1:TURNED:2] * cos
    return y


def attend(x, i, keep_key, keep_value, rope):
    q, k, v = (x @ VALUES[f"blk.{i}.attn_{side}.weight"].T for side in "qkv")
    q = turned(q.reshape(len(x), HEADS, SIZE), *rope)
    k = keep_key(half(turned(k.reshape(len(x), KV_HEADS, SIZE), *rope)))
    v = keep_value(half(v.reshape(len(x), KV_HEADS, SIZE)))
    k, v = (np.repeat(rows, HEADS // KV_HEADS, axis=1) for rows in (k, v))
    scores = np.einsum("qhc,khc->hqk", q, k) / np.sqrt(SIZE)
    scores[:, np.triu(np.ones((len(x), len(x)), bool), 1)] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.einsum("hqk,khc->qhc", shares, v).reshape(len(x), -1) @ VALUES[f"blk.{i}.attn_output.weight"].T


def log_probabilities(tokens, keep_key=lambda x: x, keep_value=lambda x: x, rope=(FREQUENCIES, 1)):
    x = VALUES["token_embd.weight"][tokens]
    for i in range(LAYERS):
        x = x + attend(normal(x, f"blk.{i}.attn_norm.weight"), i, keep_key, keep_value, rope)
        y = normal(x, f"blk.{i}.ffn_norm.weight")
        gate, up = (y @ VALUES[f"blk.{i}.ffn_{side}.weight"].T for side in ("gate", "up"))
        x = x + (gate / (1 + np.exp(-gate)) * up) @ VALUES[f"blk.{i}.ffn_down.weight"].T
    logits = normal(x, "output_norm.weight") @ VALUES["token_embd.weight"].T
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def right(tokens, context, **how):
    """Perplexity and divergence, over pieces that each begin anew."""
    losses, divergences = [], []
    for at in range(0, len(tokens) - 1, context):
        piece = np.array(tokens[at : at + context])
        exact, got = log_probabilities(piece[:-1]), log_probabilities(piece[:-1], **how)
        losses += list(-got[np.arange(len(piece) - 1), piece[1:]])
        divergences += list((np.exp(exact) * (exact - got)).sum(-1))
    return np.exp(np.mean(losses)), np.mean(divergences)


def table(out):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines() if line.startswith("| ")]
    return {row[0]: [float(cell) for cell in row[1:5]] for row in rows[1:]}


def check_picture(rows, svg):
    """Each format but float16 has a label, that says how much worse it is, and no two of them meet."""
    if svg is None:
        return
    pattern = r'translate\(([\d.]+),([\d.]+)\)"[^>]*text-anchor="(start|end)"[^>]*>(?:\s|<t[^>]*>)*(\w+)  ([+-][\d.]+) %<'
    boxes = {}
    for x, y, anchor, name, more in re.findall(pattern, svg):
        assert float(more) == pytest.approx(100 * (rows[name][2] / rows["float16"][2] - 1), abs=0.06), name
        width = 7 * len(f"{name}  {more} %")
        left = float(x) - (width if anchor == "end" else 0)
        boxes[name] = left, left + width, float(y)
    assert set(boxes) == set(rows) - {"float16"}
    for (one, (left, right, y)), (other, (begin, end, at)) in itertools.combinations(boxes.items(), 2):
        assert right <= begin or end <= left or abs(y - at) >= 14, (one, other)


def test_its_perplexity_is_numpys(model, tmp_path):
    text = tmp_path / "text"
    text.write_text(TEXT)
    plot = ["--plot", tmp_path / "it's.svg"] if shutil.which("gnuplot") else []
    rows = table(ended(run(model, "--text", text, "--cache", "all", "--context", 30, "--batch", 15, *plot)))
    check_picture(rows, plot[1].read_text() if plot else None)
    tokens = encode(TEXT)
    formats = {**FORMATS, "int8_static": (*static(tokens[:15]), 8.0)}
    assert set(rows) == {"float16", *formats}
    assert rows["float16"][2:] == pytest.approx([right(tokens, 30)[0], 0], rel=1e-4, abs=1e-6)
    for name, (keys, values, bits) in formats.items():
        perplexity, divergence = right(tokens, 30, keep_key=keys, keep_value=values)
        assert rows[name][:2] == pytest.approx([bits, bits * LAYERS * 2 * KV_HEADS * SIZE / 8]), name
        assert rows[name][2] == pytest.approx(perplexity, rel=2e-2), name
        assert rows[name][3] == pytest.approx(divergence, rel=0.1, abs=2e-5), name


def yarn(factor, original, fast=32, slow=1):
    """Pairs that turn often in the original context stay as they are, and slow ones turn `factor` times slower."""
    low, high = (TURNED * np.log(original / (turns * 2 * np.pi)) / (2 * np.log(BASE)) for turns in (fast, slow))
    low, high = max(np.floor(low), 0), min(np.ceil(high), TURNED - 1)
    slowed = ((np.arange(TURNED // 2) - low) / (high - low)).clip(0, 1)
    return FREQUENCIES * (1 - slowed) + FREQUENCIES / factor * slowed, 0.1 * np.log(factor) + 1


RISING = np.linspace(1, 8, TURNED // 2)
SCALED = {  # a file's values and lists of factors, the frequencies, and what cosines and sines are multiplied by
    "linear": ({"scaling.type": "linear", "scaling.factor": 4.0}, {}, (FREQUENCIES / 4, 1)),
    "an old file's": ({"scale_linear": 2.0}, {}, (FREQUENCIES / 2, 1)),
    "none": ({"scaling.type": "none", "scaling.factor": 4.0, "scaling.finetuned": True}, {}, (FREQUENCIES, 1)),
    "attention": ({"scaling.attn_factor": 1.5}, {}, (FREQUENCIES, 1.5)),
    "Llama 3.1": ({}, {"rope_freqs": RISING}, (FREQUENCIES / RISING, 1)),
    "yarn": (
        {"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 64, "scaling.attn_factor": 0.5},
        {},
        (yarn(4, 64)[0], yarn(4, 64)[1] * 0.5),
    ),
    "yarn of the whole context": ({"scaling.type": "yarn", "scaling.factor": 8.0}, {}, yarn(8, 256)),
    "yarn by other turns": (
        {"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.yarn_beta_fast": 4.0, "scaling.yarn_beta_slow": 0.5},
        {},
        yarn(4, 256, 4, 0.5),
    ),
    **{
        f"longrope of {original}": (
            {"scaling.type": "longrope", "scaling.original_context_length": original},
            {"rope_factors_long": RISING, "rope_factors_short": RISING[::-1]},
            (FREQUENCIES / factors, 1),
        )
        for original, factors in [(29, RISING), (30, RISING[::-1])]
    },
}


@pytest.mark.parametrize("name", SCALED)
def test_its_angles_are_scaled(tmp_path, name):
    values, factors, rope = SCALED[name]
    values = {f"llama.rope.{key}": value for key, value in values.items()}
    made = write(tmp_path / "made.gguf", values=values, factors={f"{key}.weight": x for key, x in factors.items()})
    (tmp_path / "text").write_text(TEXT)
    rows = table(ended(run(made, "--text", tmp_path / "text", "--context", 30)))
    wanted, plain = right(encode(TEXT), 30, rope=rope)[0], right(encode(TEXT), 30)[0]
    assert rows["float16"][2] == pytest.approx(wanted, rel=1e-4)
    assert name == "none" or abs(wanted / plain - 1) > 1e-3


def test_each_piece_begins_as_a_text_does(tmp_path):
    made = write(tmp_path / "made.gguf", values={"tokenizer.ggml.add_bos_token": True})
    (tmp_path / "text").write_text(TEXT)
    rows = table(ended(run(made, "--text", tmp_path / "text", "--context", 20)))
    tokens = [2, *encode(TEXT)]
    tokens[::20] = [2] * len(tokens[::20])
    assert rows["float16"][2] == pytest.approx(right(tokens, 20)[0], rel=1e-4)


def test_it_says_how_far_it_is(model, tmp_path):
    (tmp_path / "text").write_text(TEXT)
    said = run(model, "--text", tmp_path / "text", "--cache", "q8_0", "--context", 30, "--batch", 15).stderr.splitlines()
    assert said[-1] == "llm: 62 of 62 tokens"
    assert "llm: 7 of 62 tokens" in said  # float16's 15 of the two formats' first 30
    prompt = [model, "--prompt", "the 12 inn", "--tokens", "3", "--batch", "2"]
    done = run(*prompt)
    assert "llm: 2 of 7 tokens of the prompt\nllm: 7 of 7 tokens of the prompt\nllm: 1 of 3 tokens written\n" in done.stderr
    ours, its = pty.openpty()  # who sees the words as they come needs no numbers
    program = Path(os.environ["CLQ_EXAMPLES"]) / "llm"
    seen = subprocess.run([program, *prompt], stdout=its, stderr=subprocess.PIPE, timeout=300, check=True)
    assert b" written\n" not in seen.stderr
    assert os.read(ours, 4096).decode(errors="replace").splitlines() == done.stdout.splitlines()


def test_its_batches_change_nothing(model, tmp_path):
    text = tmp_path / "text"
    text.write_text(TEXT)
    found = [
        table(
            ended(
                run(
                    model,
                    "--text",
                    text,
                    "--cache",
                    "q8_0",
                    "--cache",
                    "int8_static",
                    "--tokens",
                    41,
                    "--context",
                    256,
                    "--batch",
                    batch,
                )
            )
        )
        for batch in (40, 64)
    ]
    for name, row in found[0].items():
        assert row == pytest.approx(found[1][name], rel=1e-3, abs=1e-5), name
    assert found[0]["int8_static"][3] < 0.01  # its scales are those of the rows themselves


def spelled(token):
    text = TOKENS[token]
    return b"" if text in CONTROL else text.encode() if text in DEFINED else bytes(map(CHARACTERS.index, text))


@pytest.mark.parametrize("cache", ["float16", "q8_0", "int4_symmetric_rotated"])
def test_it_writes_on(model, cache):
    prompt = "the <a tool>12 inn"
    tokens = encode(prompt)
    keys, values, _ = FORMATS.get(cache, (lambda x: x, lambda x: x, 0))
    for _ in range(4):
        likely = log_probabilities(np.array(tokens), keys, values)[-1].argsort()[-2:]
        if likely[-1] == 1:
            break
        tokens.append(int(likely[-1]))
    words = b"".join(map(spelled, tokens))
    out = ended(run(model, "--prompt", prompt, "--tokens", 4, "--batch", 3, "--cache", cache))
    assert out == words.decode(errors="replace") + "\n"


def test_static_scales_are_found_in_the_prompt(model):
    prompt = "a the inn thin 12"  # behind which the likeliest tokens are so by far
    assert ended(run(model, "--prompt", prompt, "--tokens", 2, "--cache", "int8_static")) == ended(
        run(model, "--prompt", prompt, "--tokens", 2)
    )


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
