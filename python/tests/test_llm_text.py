# SPDX-License-Identifier: Apache-2.0
"""How examples/llm cuts a text into tokens, and how it turns by their positions: as another library and numpy do."""

import numpy as np
import pytest
from llm_made import BASE, CHARACTERS, PATTERNS, TEXT, TOKENS, TURNED, encode, ended, run, table, write
from llm_numpy import FREQUENCIES, right

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
