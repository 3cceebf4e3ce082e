# SPDX-License-Identifier: Apache-2.0
"""The two types in the command, file in and file out, and in Python: calls.py COMMAND. Bytes are worked out here, by numpy."""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

import clquant

COMMAND = sys.argv[1]
X = np.array([[-9, -2, -1.5, -1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 7, np.nan, np.inf, -np.inf, 2]], np.float32)
SCALE = np.array([0.5], np.float32)
ROWS = np.random.default_rng(1).normal(size=(3, 64)).astype(np.float32)


def expect(what, got, wanted):
    """Compare bytes."""
    if bytes(np.ascontiguousarray(got)) != bytes(np.ascontiguousarray(wanted)):
        sys.exit(f"{what}: {np.asarray(got).tolist()}, not {np.asarray(wanted).tolist()}")


def int2_of(x):
    """Four values in a byte, the first in the lowest bits."""
    values = np.clip(np.nan_to_num(np.rint(x / SCALE), posinf=9, neginf=-9), -2, 1)
    codes = values.astype(np.int8).view(np.uint8) & 3
    return values, sum(codes[:, n::4] << 2 * n for n in range(4)).astype(np.uint8)


def q5_2_of(x):
    """Blocks of 32: d and the least value, the fifth bits, and the others, those of two halves in a byte; and their values."""
    v = x.reshape(-1, 32)
    low = v.min(1, keepdims=True)
    d = (v.max(1, keepdims=True) - low) / np.float32(30)
    codes = ((v - low) * (1 / d) + np.float32(0.5)).astype(np.uint8)
    bits = np.packbits(codes >> 4, axis=1, bitorder="little")
    parts = [d.astype(np.float16).view(np.uint8), low.astype(np.float16).view(np.uint8), bits, codes[:, :16] & 15 | codes[:, 16:] << 4]
    back = codes * d.astype(np.float16).astype(np.float32) + low.astype(np.float16).astype(np.float32)
    return back.reshape(x.shape), np.concatenate(parts, 1).astype(np.uint8).reshape(x.shape[0], -1)


def save(path, **tensors):
    """Write a file of safetensors."""
    at, header = 0, {}
    for name, tensor in tensors.items():
        end = at + tensor.nbytes
        kind = {"f": "F", "u": "U", "i": "I"}[tensor.dtype.kind] + str(8 * tensor.itemsize)
        header[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(tensor.tobytes() for tensor in tensors.values()))


def load(path, name):
    """Return the type, shape and bytes of a tensor of a file."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    row = json.loads(data[8 : 8 + size])[name]
    begin, end = row["data_offsets"]
    return row["dtype"], row["shape"], data[8 + size :][begin:end]


def run(*words):
    """Run the command."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"clquant {' '.join(map(str, words))}: {done.stderr}")


def command(folder):
    """From file to file and back; what OUT says of itself is enough for the way back."""
    file, out, back = folder / "in.st", folder / "out.st", folder / "back.st"
    values, packed = int2_of(X)
    save(file, x=X, scales=SCALE, rows=ROWS)
    for container, kind, shape in (("bytes", "U8", [1, 4]), ("words", "I32", [1, 1])):
        run("quantize", file, "-o", out, "--dtype", "int2", "--container", container)
        got = load(out, "y")
        if got != (kind, shape, packed.tobytes()):
            sys.exit(f"int2 in {container}: {got}, not {kind} of {shape}, {packed.tobytes()}")
        run("dequantize", out, file, "-o", back, "--tensor", "q=y")
        expect("int2 back by the command", np.frombuffer(load(back, "y")[2], np.float32), values * SCALE)
    run("dynamic_quantize", file, "-o", out, "--tensor", "x=rows", "--dtype", "q5_2")
    values, blocks = q5_2_of(ROWS)
    expect("q5_2 by the command", np.frombuffer(load(out, "y")[2], np.uint8), blocks)
    run("dequantize", out, "-o", back, "--tensor", "q=y", "--of", "q5_2")
    expect("q5_2 back by the command", np.frombuffer(load(back, "y")[2], np.float32), values)


def python():
    """Arrays in, arrays out; and where ml_dtypes has the type, an element a byte."""
    values, packed = int2_of(X)
    y = clquant.quantize(X, SCALE, dtype="int2")
    expect("int2 in Python", y, packed)
    expect("int2 in words in Python", clquant.quantize(X, SCALE, dtype="int2_words"), packed)
    expect("int2 back in Python", clquant.dequantize(y, SCALE), values * SCALE)
    expect("int2 of bytes, back in Python", clquant.dequantize(clquant.view(packed, "int2"), SCALE), values * SCALE)
    spread = clquant.quantize(X, SCALE, dtype="int2_elements")
    expect("int2, an element a byte", spread.view(np.int8), values.astype(np.int8))
    expect("int2, an element a byte, and back", clquant.dequantize(spread, SCALE), values * SCALE)
    values, blocks = q5_2_of(ROWS)
    y = clquant.dynamic_quantize(ROWS, dtype="q5_2")
    expect("q5_2 in Python", y[0] if isinstance(y, tuple) else y, blocks)
    expect("q5_2 back in Python", clquant.dequantize(clquant.view(blocks, "q5_2")), values)


with tempfile.TemporaryDirectory() as folder:
    command(pathlib.Path(folder))
python()
