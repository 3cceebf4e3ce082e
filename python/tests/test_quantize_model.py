# SPDX-License-Identifier: Apache-2.0
"""quantize_model of the command that CLQ_COMMAND names: numpy alone reads compressed-tensors' formats, to clquant's values."""

import json
import os
import subprocess

import ml_dtypes
import numpy as np
import pytest

import clquant

if "CLQ_COMMAND" not in os.environ:
    pytest.skip("CLQ_COMMAND names no command", allow_module_level=True)

TYPES = {
    "F32": np.float32,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "I8": np.int8,
    "U8": np.uint8,
    "I32": np.int32,
    "I64": np.int64,
}
NAMES = {np.dtype(dtype): name for name, dtype in TYPES.items()}
SHAPES = {"F32": (37, 256), "F16": (64, 384), "BF16": (9, 512)}


def save(path, tensors):
    """Write a safetensors file."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        place = [len(data), len(data) + tensor.nbytes]
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": tensor.shape, "data_offsets": place}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def load(path):
    """Read its tensors."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    assert header.pop("__metadata__")["format"] == "pt"
    tensors = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        tensors[name] = np.frombuffer(raw[start + begin : start + end], TYPES[tensor["dtype"]]).reshape(tensor["shape"])
    return tensors


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Make a checkpoint of a matrix of each type, with what stays as it is."""
    folder, rng = tmp_path_factory.mktemp("model"), np.random.default_rng(3)
    tensors = {f"layers.{name}.weight": rng.normal(0, 0.05, shape).astype(TYPES[name]) for name, shape in SHAPES.items()}
    tensors["layers.F32.weight"][3] = 0  # a row of zeros, and one of a sign
    tensors["layers.F32.weight"][4] = np.abs(tensors["layers.F32.weight"][4])
    tensors |= {"embed.weight": np.ones((4, 256), np.float32), "norm.weight": np.ones(256, np.float16), "ids": np.arange(5)}
    save(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text('{"rope_theta": 500000.0, "eps": 1e-06}\n')
    return folder, tensors


def run(folder, out, *options):
    """Quantize the model with the command."""
    command = [os.environ["CLQ_COMMAND"], "quantize_model", folder / "model.safetensors", "-o", out, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return load(out / "model.safetensors")


def unpack(words, size, axis):
    """Take the values of four bits out of words along an axis, the lowest first."""
    shifts = np.arange(0, 32, 4, dtype=np.uint32)
    words = np.moveaxis(words.view(np.uint32), axis, -1)
    values = ((words[..., None] >> shifts) & 15).astype(np.int8).reshape(*words.shape[:-1], -1)
    return np.moveaxis(values[..., :size], -1, axis) - 8


def decompress(tensors, name, scheme):
    """Bring back a matrix as compressed-tensors does: in the type of its scales."""
    scales = tensors[f"{name}.weight_scale"]
    points = tensors.get(f"{name}.weight_zero_point")
    if scheme["num_bits"] == 4:
        shape = tensors[f"{name}.weight_shape"]
        values = unpack(tensors[f"{name}.weight_packed"], shape[1], 1)
        assert values.shape == tuple(shape)
        points = None if points is None else unpack(points, shape[0], 0)
    else:
        values = tensors[f"{name}.weight"]
    assert (points is None) == scheme["symmetric"]
    assert scales.shape == (len(values), values.shape[1] // (scheme["group_size"] or values.shape[1]))
    assert points is None or points.shape == scales.shape
    repeat = values.shape[1] // scales.shape[1]
    values = values.astype(scales.dtype)
    if points is not None:
        values = values - np.repeat(points.astype(scales.dtype), repeat, axis=1)
    return values * np.repeat(scales, repeat, axis=1)


def expected(x, dtype, block, symmetric):
    """Quantize and dequantize with the library."""
    kind = NAMES[x.dtype]
    if symmetric:
        floats = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[kind]
        q = clquant.dynamic_quantize(x, dtype=dtype, symmetric=True, block=block, scale_dtype=floats)
        return clquant.dequantize(q, dtype=floats)
    where = {"block": block} if block else {"shape": (len(x), 1)}
    dtype = "uint4" if dtype.endswith("4") else dtype
    scales, points = clquant.find_scales(x, dtype=dtype, method="minmax", **where)
    q = clquant.quantize(x, scales, points, dtype=dtype, block=block)
    return clquant.dequantize(clquant.view(q, dtype), scales, points, block=block)


CASES = [
    ("int4", 128, False, "pack-quantized"),
    ("int4", 32, True, "pack-quantized"),
    ("int4", 0, False, "pack-quantized"),
    ("uint4", 64, False, "pack-quantized"),
    ("int8", 0, True, "int-quantized"),
    ("int8", 128, False, "int-quantized"),
    ("float8_e4m3fn", 0, True, "float-quantized"),
    ("float8_e4m3fn", 128, True, "float-quantized"),
]


@pytest.mark.parametrize(("dtype", "block", "symmetric", "format_name"), CASES)
def test_numpy_reads_compressed_tensors(model, tmp_path, dtype, block, symmetric, format_name):
    folder, weights = model
    flags = ["--symmetric"] if symmetric and dtype.startswith("int") else []
    tensors = run(folder, tmp_path / "out", "--dtype", dtype, "--block", str(block), *flags)
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    quantization = config.pop("quantization_config")
    scheme = quantization["config_groups"]["group_0"]["weights"]
    assert config == {"rope_theta": 500000.0, "eps": 1e-06}
    assert (quantization["quant_method"], quantization["format"]) == ("compressed-tensors", format_name)
    assert quantization["ignore"] == ["embed"]
    assert scheme["type"] == ("float" if dtype.startswith("float") else "int")
    assert (scheme["group_size"], scheme["symmetric"]) == (block or None, symmetric)
    for name, weight in weights.items():
        if not name.startswith("layers"):
            np.testing.assert_array_equal(tensors[name], weight)
            continue
        back = decompress(tensors, name.removesuffix(".weight"), scheme)
        right = expected(weight, dtype, block, symmetric)
        assert back.dtype == right.dtype
        np.testing.assert_array_equal(back.astype(np.float32), right.astype(np.float32))


def test_a_matrix_of_several_pieces(tmp_path):
    weight = np.random.default_rng(4).normal(0, 1, (43, 131072)).astype(np.float32)  # 32 rows are a piece
    save(tmp_path / "model.safetensors", {"a.weight": weight})
    tensors = run(tmp_path, tmp_path / "out")
    back = decompress(tensors, "a", {"num_bits": 4, "symmetric": False, "group_size": 128})
    np.testing.assert_array_equal(back, expected(weight, "int4", 128, False))


PLAIN = [("int4", 0, 0), ("uint8", 32, 64), ("int8", 0, 128), ("float8_e5m2", 128, 0), ("float4_e2m1fn", 32, 0)]


@pytest.mark.parametrize(("dtype", "block", "rotate"), PLAIN)
def test_plain_is_what_dynamic_quantize_writes(model, tmp_path, dtype, block, rotate):
    folder, weights = model
    tensors = run(folder, tmp_path / "out", "--to", "plain", "--dtype", dtype, "--block", str(block), "--rotate", str(rotate))
    for name in ("layers.F32.weight", "layers.F16.weight"):
        kind = "float32" if "F32" in name else "float16"
        symmetric = dtype.startswith("float")
        how = {"dtype": dtype, "symmetric": symmetric, "block": block, "rotate": rotate, "scale_dtype": kind}
        right = clquant.dynamic_quantize(weights[name], **how)
        np.testing.assert_array_equal(tensors[f"{name}_q"].view(np.uint8), np.asarray(right.y).view(np.uint8))
        np.testing.assert_array_equal(tensors[f"{name}_scales"], right.scales)
        assert (f"{name}_offsets" in tensors) is not symmetric
        if not symmetric:
            np.testing.assert_array_equal(tensors[f"{name}_offsets"], right.offsets)
    assert not (tmp_path / "out" / "config.json").exists()
