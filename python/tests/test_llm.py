# SPDX-License-Identifier: Apache-2.0
"""The program examples/llm on a made model, against numpy."""

import itertools
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from llm_made import CHARACTERS, CONTROL, DEFINED, KV_HEADS, LAYERS, SIZE, TEXT, TOKENS, encode, ended, run, table
from llm_numpy import FORMATS, log_probabilities, right, static


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
    for (one, (left, end_of_one, y)), (other, (begin, end, at)) in itertools.combinations(boxes.items(), 2):
        assert end_of_one <= begin or end <= left or abs(y - at) >= 14, (one, other)


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
    words = [model, "--text", text, "--cache", "q8_0", "--cache", "int8_static", "--tokens", 41, "--context", 256, "--batch"]
    found = [table(ended(run(*words, batch))) for batch in (40, 64)]
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
    words = [model, "--prompt", prompt, "--tokens", 2]
    assert ended(run(*words, "--cache", "int8_static")) == ended(run(*words))
