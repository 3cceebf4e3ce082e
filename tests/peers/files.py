# SPDX-License-Identifier: Apache-2.0
"""Tensors through the command `clquant`, by files; and what of the types of others it has.

TYPES is the table: a type that the command learns is a line here, and the tests of others' cases take it from then on.
"""
import json
import os
import re
import struct
import subprocess
import sys

SKIPPED = 77

try:
    import numpy
except ImportError:
    print("skipped: no numpy")
    sys.exit(SKIPPED)

# By the names of others: that of --dtype and --of, that of a file, bits, whether the range has negative values. Floats of 8 and
# 4 bits are compared by their bits.
TYPES = {
    "INT8": ("int8", "I8", 8, True),
    "UINT8": ("uint8", "U8", 8, False),
    "INT32": ("int32", "I32", 32, True),
    "INT4": ("int4", "U8", 4, True),
    "UINT4": ("uint4", "U8", 4, False),
    "FLOAT8E4M3FN": ("float8_e4m3fn", "F8_E4M3", 8, False),
    "FLOAT8E5M2": ("float8_e5m2", "F8_E5M2", 8, False),
    "FLOAT4E2M1": ("float4_e2m1fn", "F4", 4, False),
}
FLOATS = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}
STORED = {"F32": numpy.float32, "F16": numpy.float16, "I8": numpy.int8, "U8": numpy.uint8, "I32": numpy.int32,
          "F8_E4M3": numpy.uint8, "F8_E5M2": numpy.uint8, "F4": numpy.uint8}


class Refused(Exception):
    """The command did not take the call."""


def codes_of(values):
    """Integers as they are, small floats as their bits."""
    return values.view(numpy.uint8) if "float" in str(values.dtype) else values


def packed(values):
    """Two to a byte, the first one low."""
    pairs = values.astype(numpy.int64).reshape(values.shape[:-1] + (-1, 2)) & 15
    return (pairs[..., 0] | pairs[..., 1] << 4).astype(numpy.uint8)


def unpacked(data, signed):
    nibbles = numpy.stack([data & 15, data >> 4], axis=-1).reshape(data.shape[:-1] + (-1,)).astype(numpy.int8)
    return numpy.where(nibbles > 7, nibbles - 16, nibbles).astype(numpy.int8) if signed else nibbles


def write(path, tensors):
    """{name: (type of the file, array)}"""
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        raw = numpy.ascontiguousarray(array).tobytes()
        shape = [*array.shape[:-1], 2 * array.shape[-1]] if dtype == "F4" else list(array.shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path, name):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        begin, end = header[name]["data_offsets"]
        data = file.read()[begin:end]
    stored, shape = header[name]["dtype"], header[name]["shape"]
    return numpy.frombuffer(data, STORED[stored]).reshape([*shape[:-1], shape[-1] // 2] if stored == "F4" else shape)


def options_of(operator):
    """The options that the command has, by its help."""
    return set(re.findall(r"--[a-z-]+", run([operator, "--help"])))


def run(arguments):
    done = subprocess.run([os.environ["CLQUANT"]] + arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(done.stderr.strip())
    return done.stdout


def quantized(folder, x, scales, zero_points, dtype, *options):
    """x, an array of floats, as integers of the type `dtype`, a name of TYPES."""
    word, _, bits, signed = TYPES[dtype]
    tensors = {"x": (FLOATS[str(x.dtype)], x), "scales": (FLOATS[str(scales.dtype)], scales)}
    if zero_points is not None and "float" not in word:
        tensors["zero_points"] = zeros_of(zero_points)
    write(folder + "/in.st", tensors)
    run(["quantize", folder + "/in.st", "-o", folder + "/out.st", "--dtype", word, *options])
    y = read(folder + "/out.st", "y")
    return unpacked(y, signed) if bits == 4 else y


def dequantized(folder, q, scales, zero_points, dtype, *options):
    """The integers q of the type `dtype` as float32."""
    word, stored, bits, _ = TYPES[dtype]
    tensors = {"q": (stored, packed(codes_of(q)) if bits == 4 else codes_of(q).astype(STORED[stored])),
               "scales": (FLOATS[str(scales.dtype)], scales)}
    if zero_points is not None and "float" not in word:
        tensors["zero_points"] = zeros_of(zero_points)
    write(folder + "/in.st", tensors)
    run(["dequantize", folder + "/in.st", "-o", folder + "/out.st", "--of", word, *options])
    return read(folder + "/out.st", "y")


def zeros_of(zero_points):
    """Of four bits they are int8."""
    for stored, kind in (("I8", numpy.int8), ("U8", numpy.uint8), ("I32", numpy.int32)):
        if zero_points.dtype == kind:
            return stored, zero_points
    return "I8", zero_points.astype(numpy.int8)
