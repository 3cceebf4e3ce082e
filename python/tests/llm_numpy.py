# SPDX-License-Identifier: Apache-2.0
"""The made model in numpy, with each format of the cache."""

import itertools

import numpy as np
from llm_made import BASE, EPSILON, HEADS, KV_HEADS, LAYERS, SIZE, TURNED, VALUES, gguf


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


def both(keep, bits, turns=False):
    """One format of keys and values, turned or as they are, and its bits of an element."""
    kept = (lambda x: keep(x @ TURN) @ TURN) if turns else keep
    return kept, kept, bits


def int8(x):
    return symmetric(x, SIZE, 127)


def int4(x):
    return asymmetric(x, 32)


def int4_symmetric(x):
    return symmetric(x, 32, 7)


BITS = {"Q8_0": 8.5, "Q5_1": 6.0, "Q5_0": 5.5, "Q4_1": 5.0, "Q4_0": 4.5}
FORMATS = {  # keys and values as they come out of the cache; bits of an element
    "int8": both(int8, 8.25),
    "float8": both(floats8, 8.25),
    "int8_int4": (int8, both(int4_symmetric, 0, True)[1], 6.375),
    "int4": both(int4, 5.0),
    "int4_rotated": both(int4, 5.0, True),
    "int4_symmetric": both(int4_symmetric, 4.5),
    "int4_symmetric_rotated": both(int4_symmetric, 4.5, True),
    **{kind.lower(): both(blocks_of(kind), bits) for kind, bits in BITS.items()},
    "iq4_nl": both(iq4_nl, 4.5),
    "iq4_nl_rotated": both(iq4_nl, 4.5, True),
    "mxfp4": both(mxfp4, 4.25),
    "nvfp4": both(nvfp4, 4.5),
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
