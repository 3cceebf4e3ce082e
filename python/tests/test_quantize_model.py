# SPDX-License-Identifier: Apache-2.0
"""quantize_model: numpy alone reads compressed-tensors' formats, to clquant's values."""

import json
import math
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from checkpoint import NAMES, TYPES, load, save

import clquant
from clquant import _command

SHAPES = {"F32": (37, 256), "F16": (64, 384), "BF16": (9, 512)}


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


def run(folder, out, **options):
    """Quantize the model."""
    clquant.quantize_model(folder / "model.safetensors", out, **options)
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
    tensors = run(folder, tmp_path / "out", dtype=dtype, block=block, symmetric=symmetric)
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    quantization = config.pop("quantization_config")
    scheme = quantization["config_groups"]["group_0"]["weights"]
    assert config == {"rope_theta": 500000.0, "eps": 1e-06}
    assert (quantization["quant_method"], quantization["format"]) == ("compressed-tensors", format_name)
    assert quantization["ignore"] == ["embed", "lm_head", r"re:.*\.lm_head$"]
    assert quantization["config_groups"]["group_0"]["format"] == format_name
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


def read_rule(tensors, name, scheme):
    """Bring back a matrix of MX or NVFP4: codes by a table, scales of powers of two, or of float8 by one of the matrix."""
    scales = tensors[f"{name}.weight_scale"]
    if scheme["num_bits"] == 4:
        packed = tensors[f"{name}.weight_packed"]
        assert packed.dtype == np.uint8
        codes = np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(packed), -1)
        values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)[codes & 7] * np.where(codes & 8, -1, 1)
    else:
        values = tensors[f"{name}.weight"].astype(np.float32)
    assert scales.shape == (len(values), values.shape[1] // scheme["group_size"])
    if scales.dtype == np.uint8:
        scales = np.ldexp(np.float32(1), scales.astype(np.int32) - 127)
    else:
        scales = scales.astype(np.float32) / tensors[f"{name}.weight_global_scale"]
    return values.astype(np.float32) * np.repeat(scales, scheme["group_size"], axis=1)


def global_scale_of(x):
    """Find the least power of two with which no block's scale is above 448, by trying."""
    x = np.abs(x.astype(np.float64))
    largest = x[np.isfinite(x)].max()
    return np.array([next(2.0**e for e in range(-126, 128) if 2.0**e * 448 * 6 >= largest)], np.float32)


def expected_rule(x, dtype, rule):
    """Quantize and dequantize with the library."""
    by = {"global_scale": global_scale_of(x)} if rule == "nvfp4" else {}
    q = clquant.dynamic_quantize(x, dtype=dtype, symmetric=True, scale_rule=rule, **by)
    return q, clquant.dequantize(q, **by), by


RULES = [
    ("mx_floor", "float4_e2m1fn", "mxfp4-pack-quantized"),
    ("mx_even", "float4_e2m1fn", "mxfp4-pack-quantized"),
    ("mx_rceil", "float8_e4m3fn", "mxfp8-quantized"),
    ("nvfp4", "float4_e2m1fn", "nvfp4-pack-quantized"),
]


@pytest.mark.parametrize(("rule", "dtype", "format_name"), RULES)
def test_numpy_reads_mx_and_nvfp4(model, tmp_path, rule, dtype, format_name):
    folder, weights = model
    given = {"dtype": dtype} if "8" in dtype else {}
    tensors = run(folder, tmp_path / "out", scale_rule=rule, **given)
    quantization = json.loads((tmp_path / "out" / "config.json").read_text())["quantization_config"]
    scheme = quantization["config_groups"]["group_0"]["weights"]
    assert quantization["format"] == format_name
    assert (scheme["type"], scheme["symmetric"]) == ("float", True)
    assert scheme["strategy"] == ("tensor_group" if rule == "nvfp4" else "group")
    assert scheme.get("scale_dtype") == (None if rule == "nvfp4" else "torch.uint8")
    for name in (name for name in weights if name.startswith("layers")):
        _, right, by = expected_rule(weights[name], dtype, rule)
        np.testing.assert_array_equal(read_rule(tensors, name.removesuffix(".weight"), scheme), right)
        assert (f"{name}_global_scale" in tensors) is bool(by)
        assert f"{name}_shape" not in tensors
        if by:
            assert tensors[f"{name}_global_scale"] * by["global_scale"] == 1


@pytest.mark.filterwarnings("ignore:weights are NaN:RuntimeWarning")
@pytest.mark.parametrize(
    ("rule", "dtype"), [("mx_ceil", "float8_e5m2"), ("mx_floor", "float4_e2m1fn"), ("nvfp4", "float4_e2m1fn")]
)
def test_plain_rules(tmp_path, rule, dtype):
    """The library's tensors, where there are infinities and NaN too, and matrices that are zeros."""
    x = np.random.default_rng(7).normal(0, 300, (24, 96)).astype(np.float32)
    x[1, 3], x[2, 5], x[3, 60] = np.inf, -np.inf, np.nan
    made = {"a": x, "b": x.astype(np.float16), "c": x.astype(TYPES["BF16"]), "e": np.full_like(x, 448 * 6 * 2**-8)}
    made["d"] = np.zeros_like(x)
    save(tmp_path / "model.safetensors", made)
    tensors = run(tmp_path, tmp_path / "out", to="plain", scale_rule=rule, dtype=dtype)
    for name, weight in made.items():
        right, _, by = expected_rule(weight, dtype, rule) if name != "d" else (None, None, {"global_scale": [1]})
        if right is not None:
            np.testing.assert_array_equal(tensors[f"{name}_q"].view(np.uint8), np.asarray(right.y).view(np.uint8))
            np.testing.assert_array_equal(tensors[f"{name}_scales"].view(np.uint8), np.asarray(right.scales).view(np.uint8))
        assert not tensors["d_q"].view(np.uint8).any()
        if rule == "nvfp4":
            assert tensors[f"{name}_global_scale"] == by["global_scale"]


def test_a_matrix_of_several_pieces(tmp_path):
    """With the largest value in the last of them."""
    weight = np.random.default_rng(4).normal(0, 1, (43, 131072)).astype(np.float32)  # eight rows are a piece
    weight[-1, -1] = -500
    save(tmp_path / "model.safetensors", {"a.weight": weight})
    tensors = run(tmp_path, tmp_path / "out", symmetric=False)
    back = decompress(tensors, "a", {"num_bits": 4, "symmetric": False, "group_size": 128})
    np.testing.assert_array_equal(back, expected(weight, "int4", 128, False))
    tensors = run(tmp_path, tmp_path / "out", scale_rule="nvfp4")
    back = read_rule(tensors, "a", {"num_bits": 4, "group_size": 16})
    np.testing.assert_array_equal(back, expected_rule(weight, "float4_e2m1fn", "nvfp4")[1])


PLAIN = [("int4", 0, 0), ("uint8", 32, 64), ("int8", 0, 128), ("float8_e5m2", 128, 0), ("float4_e2m1fn", 32, 0)]


@pytest.mark.parametrize(("dtype", "block", "rotate"), PLAIN)
def test_plain_is_what_dynamic_quantize_writes(model, tmp_path, dtype, block, rotate):
    folder, weights = model
    tensors = run(folder, tmp_path / "out", to="plain", dtype=dtype, block=block, rotate=rotate)
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


def test_errors_and_what_is_kept(tmp_path):
    """The errors are those of numpy, by name; a second call makes nothing again, and knows them."""
    x = np.random.default_rng(5).normal(0, 1, (8, 128)).astype(np.float32)
    save(tmp_path / "a.safetensors", {"a.weight": x, "odd.weight": x[:3, :96]})
    save(tmp_path / "b.safetensors", {"b.weight": np.full((2, 128), np.nan, np.float32), "c.weight": x * 2, "c.bias": x[:, 0]})
    files, out = [tmp_path / "a.safetensors", str(tmp_path / "b.safetensors")], tmp_path / "out"
    with pytest.warns(RuntimeWarning, match="weights are NaN or infinite: b.weight 256$"):
        errors = clquant.quantize_model(files, out, dtype="int4", symmetric=True, skip="c.w*")
    back = expected(x, "int4", 128, True)
    right = np.sqrt(np.square(x - back, dtype=np.float64).sum() / np.square(x, dtype=np.float64).sum())
    assert errors.keys() == {"a.weight", "b.weight"}
    assert errors["a.weight"] == pytest.approx(right, rel=1e-6)
    assert math.isnan(errors["b.weight"])
    made = (out / "a.safetensors").stat().st_ino
    with pytest.warns(RuntimeWarning, match="weights are NaN"):
        later = clquant.quantize_model(files, out, symmetric=True, skip=["c.w*"], block=128)
    assert later == pytest.approx(errors, rel=0, nan_ok=True)
    assert clquant.quantize_model(files, out, symmetric=True, only=["a.*", "c.weight"]).keys() == {"a.weight", "c.weight"}
    assert (out / "a.safetensors").stat().st_ino == made
    assert "odd.weight" in clquant.quantize_model(files[0], tmp_path / "auto", block="auto")


def test_a_folder(model, tmp_path):
    """What lies beside the model is copied, and what an earlier call left goes."""
    folder, out = model[0], tmp_path / "out"
    (folder / "tokenizer.json").write_text("{}")
    right = clquant.quantize_model(folder / "model.safetensors", tmp_path / "other")
    assert not (tmp_path / "other" / "tokenizer.json").exists()
    assert clquant.quantize_model(folder, out) == right
    assert (out / "tokenizer.json").read_text() == "{}"
    (out / "model.safetensors").rename(out / "earlier.safetensors")
    (out / "tokenizer.json").unlink()
    assert clquant.quantize_model(folder, out, copy=False, clean=True) == right
    assert sorted(file.name for file in out.iterdir()) == ["config.json", "model.safetensors"]


REFUSED = [
    ({"block": 48}, "block '48': one of 0, 32, 64, 128, auto is expected"),
    ({"rotate": 64}, "rotate 64: compressed-tensors' readers do not turn rows back; to plain does"),
    ({"scale_rule": "mx"}, "scale_rule 'mx': one of range, mx_floor, "),
    ({"scale_rule": "nvfp4", "block": 32}, "block 32: with scale_rule nvfp4 blocks are of 16"),
    ({"scale_rule": "nvfp4", "dtype": "float8_e4m3fn"}, "dtype 'float8_e4m3fn': with scale_rule nvfp4 float4_e2m1fn is expected"),
    ({"scale_rule": "nvfp4", "rotate": 32, "to": "plain"}, "rotate 32: with scale_rule nvfp4 rows are not rotated"),
    ({"scale_rule": "mx_even", "dtype": "float8_e5m2"}, "dtype 'float8_e5m2': with scale_rule one of .*; to plain takes"),
    ({"dtype": "float4_e2m1fn"}, "dtype 'float4_e2m1fn': .*, and so does scale_rule the last"),
    ({"dtype": "uint8"}, "dtype 'uint8': one of int4, .*; to plain takes uint8"),
    ({"skip": "--x"}, "skip '--x': no tensor has such a name"),
    ({"out": "none/out"}, "out .*none/out: cannot be made: No such file"),
    ({"model": []}, "quantize_model: an input file is expected$"),
    ({"out": ""}, "out is '': a path is expected"),
    ({"model": ["a", ""]}, "model is '': a path is expected"),
    ({"model": None}, "model is None: it must be a str or a Path"),
    ({"out": b"out"}, "out is b'out': it must be a str or a Path"),
    ({"dtype": 5}, "dtype is 5: it must be a str"),
    ({"to": 5}, "to is 5: it must be a str"),
    ({"scale_rule": None}, "scale_rule is None: it must be a str"),
    ({"only": [3]}, "only is 3: it must be a str"),
    ({"skip": None}, "skip is None: it must be a str"),
    ({"symmetric": "no"}, "symmetric is 'no': it must be True, False or None"),
    ({"symmetric": False, "dtype": "float8_e4m3fn"}, "asymmetric: float8_e4m3fn is always symmetric"),
    ({"copy": None}, "copy is None: it must be True or False"),
    ({"clean": 2}, "clean is 2: it must be True or False"),
    ({"only": "a[0].weight"}, r"only 'a\[0\].weight': no tensor has such a name; in a glob"),
    ({"model": "none.safetensors"}, "none.safetensors: .*No such file"),
    ({"model": "none.json"}, "none.json: No such file"),
    ({"device": "no such device"}, "no such device"),
]


@pytest.mark.parametrize(("given", "sentence"), REFUSED, ids=str)
def test_refused(model, tmp_path, monkeypatch, given, sentence):
    """In Python's words."""
    monkeypatch.chdir(tmp_path)
    kind = RuntimeError if given.get("out") == "none/out" or "device" in given else ValueError
    kind = TypeError if "must be a str" in sentence else kind
    with pytest.raises(kind, match=sentence):
        clquant.quantize_model(**{"model": model[0] / "model.safetensors", "out": "out"} | given)
    assert "device" in given or not list(tmp_path.iterdir())


def test_other_failures(model, tmp_path, monkeypatch):
    """A command that dies, one that is not there, and a keyword that is none."""
    command = tmp_path / "command"
    command.write_text("#!/bin/sh\nkill -9 $$\n")
    command.chmod(0o755)
    monkeypatch.setenv("CLQ_COMMAND", str(command))
    with pytest.raises(RuntimeError, match="clquant quantize_model was ended by signal 9"):
        run(model[0], tmp_path / "out")
    monkeypatch.delenv("CLQ_COMMAND")
    monkeypatch.setattr(_command, "_HELD", tmp_path / "none")
    with pytest.raises(RuntimeError, match="the package has no command clquant, for cJSON was not found"):
        run(model[0], tmp_path / "out")
    with pytest.raises(TypeError, match="quantize_model has no group_size: did you mean block"):
        run(model[0], tmp_path / "out", group_size=128)


def test_the_package_holds_the_command(monkeypatch):
    """An installed package has it beside its modules, and on the path."""
    if "site-packages" not in clquant.__file__:
        pytest.skip("the package is run from the tree")
    monkeypatch.delenv("CLQ_COMMAND", raising=False)
    for command in (_command.path(), Path(sys.executable).with_name("clquant")):
        said = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout
        assert clquant.__version__ in said


def test_ways_side_by_side(model, tmp_path):
    """Each way has the bytes and the errors of a run of its own, and nothing is written."""
    options = {
        "int8": {"dtype": "int8"},
        "uint4:block=32": {"dtype": "uint4", "block": 32},
        "nvfp4": {"scale_rule": "nvfp4"},
        "mx_rceil:dtype=float8_e4m3fn": {"scale_rule": "mx_rceil", "dtype": "float8_e4m3fn"},
        "int4:block=64:rotate:symmetric": {"dtype": "int4", "block": 64, "rotate": 128, "symmetric": True, "to": "plain"},
    }
    path = model[0] / "model.safetensors"
    before, seen = sorted(model[0].iterdir()), []
    found = clquant.compare_model(path, list(options), skip=["*embed*"], progress=lambda done, total: seen.append((done, total)))
    assert sorted(model[0].iterdir()) == before
    assert list(found) == list(options)
    assert seen == sorted(seen) and seen[-1][0] == seen[-1][1] == sum(tensor.nbytes for tensor in model[1].values())
    for way, given in options.items():
        out = tmp_path / way.replace(":", "-")
        errors = clquant.quantize_model(path, out, skip=["*embed*"], **given)
        kinds = {name.split(".")[-2]: error for name, error in errors.items()}
        assert found[way]["kinds"] == pytest.approx(kinds, rel=1e-6)
        tensors = load_bytes(out / "model.safetensors")
        assert found[way]["bytes"] == sum(tensors.values())
        kept = sum(model[1][name].nbytes for name in tensors if name in model[1] and f"{name}_scale" not in tensors)
        elements = sum(model[1][name].size for name in errors)
        assert found[way]["bits"] == pytest.approx(8 * (found[way]["bytes"] - kept) / elements)
        assert min(kinds.values()) <= found[way]["error"] <= max(kinds.values())
    assert math.isnan(clquant.compare_model(path, "int4:block=128", only="*F32*")["int4:block=128"]["error"]) is False


def load_bytes(path):
    """Read the bytes of each tensor off the header."""
    raw = path.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    header.pop("__metadata__")
    return {name: tensor["data_offsets"][1] - tensor["data_offsets"][0] for name, tensor in header.items()}


@pytest.mark.parametrize(
    ("ways", "message"),
    [
        ("int9", "compare int9: dtype 'int9': one of int4, "),
        ("int4,", "compare: a way is empty"),
        (["int8", "int4:blocks=3"], "compare int4:blocks=3: 'blocks=3': dtype=TYPE, block=N"),
        ("int4:block=7", "compare int4:block=7: block '7': one of 0, 32, 64, 128, auto"),
        ("mx_foo", "compare mx_foo: scale_rule 'mx_foo': one of range, mx_floor"),
    ],
)
def test_ways_that_are_none(model, ways, message):
    with pytest.raises(ValueError, match=message):
        clquant.compare_model(model[0] / "model.safetensors", ways)


def test_progress(model, tmp_path, monkeypatch):
    """It comes to a callback, or a bar by tqdm; what a callback raises ends the run, and OUT has no shard."""
    path, seen = model[0] / "model.safetensors", []
    clquant.quantize_model(path, tmp_path / "out", progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1]
    bars = []

    class Bar(list):
        n = 0

        def __init__(self, **how):
            bars.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *failure):
            self.append("closed")

        def update(self, more):
            self.n += more

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    clquant.quantize_model(path, tmp_path / "bar", progress=True)
    assert [(bar.n, bar.total, *bar) for bar in bars] == [(*seen[-1], "closed")]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(RuntimeError, match="progress is True: a bar needs the package tqdm"):
        clquant.quantize_model(path, tmp_path / "none", progress=True)
    with pytest.raises(TypeError, match="progress is 5: it must be a function of two numbers"):
        clquant.quantize_model(path, tmp_path / "none", progress=5)
    with pytest.raises(ZeroDivisionError):
        clquant.quantize_model(path, tmp_path / "ended", progress=lambda done, total: done / 0)
    assert not list(tmp_path.glob("ended/*.safetensors")) and not (tmp_path / "none").exists()
