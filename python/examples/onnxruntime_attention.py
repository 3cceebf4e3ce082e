# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's GroupQueryAttention reads an int8 and an int4 cache that clquant wrote, and adds a token to it.

Its quantized cache is [batch, head, token, dim] with a scale for each head and channel. Its int4 is value + 8, the low four
bits first: clquant's uint4 with the zero point 8.
"""

import sys

try:
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print(f"skipped: {error} (pip install onnx onnxruntime)")
    sys.exit(77)

import numpy as np

import clquant

BATCH, HEADS, TOKENS, DIM = 2, 4, 16, 32
FLOATS, KINDS = TensorProto.FLOAT, {"int8": TensorProto.INT8, "uint4": TensorProto.UINT8}


def session(dtype):
    """Make a model of the one operator."""
    floats, cache = ("query", "key", "value", "key_scale", "value_scale"), ("past_key", "past_value")
    order = ["query", "key", "value", *cache, "lengths", "most", "", "", "", "", "", "key_scale", "value_scale"]
    node = helper.make_node(
        "GroupQueryAttention",
        order,
        ["output", "present_key", "present_value"],
        domain="com.microsoft",
        num_heads=HEADS,
        kv_num_heads=HEADS,
        k_quant_type="PER_CHANNEL",
        v_quant_type="PER_CHANNEL",
        kv_cache_bit_width=8 if dtype == "int8" else 4,
    )
    types = dict.fromkeys(floats, FLOATS) | dict.fromkeys(cache, KINDS[dtype])
    types |= dict.fromkeys(("lengths", "most"), TensorProto.INT32)
    made = {"output": FLOATS, "present_key": KINDS[dtype], "present_value": KINDS[dtype]}
    inputs, outputs = (
        [helper.make_tensor_value_info(name, kind, None) for name, kind in tensors.items()] for tensors in (types, made)
    )
    graph = helper.make_graph([node], "attention", inputs, outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def attention(query, keys, values):
    """Compute attention in floats, [batch, head, token, dim]."""
    scores = query @ keys.swapaxes(2, 3) / np.sqrt(np.float32(DIM))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ values


def flat(rows):
    """Turn [batch, head, 1, dim] into what the operator takes: [batch, 1, head * dim]."""
    return rows.reshape(BATCH, 1, HEADS * DIM)


def run(dtype, rng):
    """Return how far ONNX Runtime's output is from attention over what clquant reads back, and whether its bytes are ours."""
    query, *new = (rng.normal(size=(BATCH, HEADS, 1, DIM)).astype(np.float32) for _ in range(3))
    zero_point = 8 if dtype == "uint4" else None
    feeds, wholes, expected = {"query": flat(query)}, [], []
    for name, row in zip(("key", "value"), new, strict=True):
        rows = rng.normal(size=(BATCH, HEADS, TOKENS, DIM)).astype(np.float32)
        top = 127 if dtype == "int8" else 7
        scales = np.abs(rows).max((0, 2), keepdims=True) / np.float32(top)  # [1, head, 1, dim]
        # A cache with room for the new token. The prompts are written in one call, and the token in another.
        held = np.zeros((BATCH, HEADS, TOKENS + 1, DIM if dtype == "int8" else DIM // 2), "i1" if dtype == "int8" else "u1")
        cache = clquant.view(held, dtype)
        clquant.quantize_scatter(cache, [0] * BATCH, rows, scales, zero_point, axis=2)
        past = held[:, :, :TOKENS].copy()
        clquant.quantize_scatter(cache, [TOKENS] * BATCH, row, scales, zero_point, axis=2)
        feeds |= {name: flat(row), f"past_{name}": past, f"{name}_scale": scales}
        wholes.append(clquant.dequantize(cache, scales, zero_point))
        expected.append(held)
    feeds |= {"lengths": np.full(BATCH, TOKENS, np.int32), "most": np.array([TOKENS + 1], np.int32)}
    output, *present = session(dtype).run(None, feeds)
    error = np.abs(output - flat(attention(query, *wholes))).max()
    return error, all((made == right).all() for made, right in zip(present, expected, strict=True))


def main():
    """Run both caches."""
    rng, good = np.random.default_rng(20), True
    for dtype in KINDS:
        error, same = run(dtype, rng)
        print(f"onnxruntime {onnxruntime.__version__}, {dtype}: largest difference {error:.1e}, the same bytes: {same}")
        good &= bool(error < 1e-5) and same
    return 0 if good else 1


sys.exit(main())
