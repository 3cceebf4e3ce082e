# SPDX-License-Identifier: Apache-2.0
"""quantize_model of checkpoints as transformers writes them: OUT has what a reader asks for, and nothing else.

tests/data/models.json has the modules of tiny models, with their classes, and the tensors of their files. A reader makes
the modules of config.json, gives those that `targets` names and `ignore` does not the parameters of their group's format,
and looks for each parameter in the file.
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MODELS = json.loads((Path(__file__).parent.parent / "data/models.json").read_text(encoding="utf-8"))
# The options of a format, and its name.
FORMATS = {
    "": "pack-quantized",
    "--dtype int4 --block 0": "pack-quantized",
    "--block auto": "pack-quantized",
    "--asymmetric --block 32": "pack-quantized",
    "--dtype int8": "int-quantized",
    "--dtype int8 --block 64": "int-quantized",
    "--dtype int8 --asymmetric": "int-quantized",
    "--dtype float8_e4m3fn": "float-quantized",
    "--scale-rule mx_even": "mxfp4-pack-quantized",
    "--scale-rule mx_floor --dtype float8_e4m3fn": "mxfp8-quantized",
    "--scale-rule nvfp4": "nvfp4-pack-quantized",
}
# Faults of transformers: words of the report where a model and options match, and there alone.
NOTES = {
    "zero points are packed": r".*: --asymmetric",
    "t5, packed": r"t5: (?!.*(8|asymmetric))",
    "mamba2, packed": r"mamba2: (?!.*(8|asymmetric))",
    "siglip_vision_model, packed": r"gemma3: (?!.*(8|asymmetric))",
    "blocks of several lengths": r"(llama 320|gemma3): .*auto",
    "leaves out the global scales of experts": r"(qwen2-moe|mixtral): .*nvfp4",
    "does not open experts of this format": r"(qwen2-moe|mixtral): .*(int8|asymmetric|mx_floor|block 64)",
}


def write(path, tensors):
    """A file of random bfloat16, none of them large or no number."""
    header, data = {"__metadata__": {"format": "pt"}}, []
    at = 0
    for name, shape in tensors.items():
        count = 1
        for size in shape:
            count *= size
        ones = int.from_bytes(b"\x01\x00" * count, "little")
        values = int.from_bytes(random.randbytes(2 * count), "little") & (ones * 0x81FF) | (ones * 0x3C00)
        data.append(values.to_bytes(2 * count, "little"))
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + 2 * count]}
        at += 2 * count
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def read(path):
    """The tensors of a file, as (type, shape, bytes), and its metadata."""
    raw = path.read_bytes()
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:start])
    metadata = header.pop("__metadata__")
    return {name: (entry["dtype"], entry["shape"], raw[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]])
            for name, entry in header.items()}, metadata


def by_experts(tensors):
    """Tensors of all experts [experts, in, out] as their readers have them: a matrix [out, in] for each."""
    parts = {}
    for name in [name for name in tensors if re.search(r"\.experts\.\w+$", name)]:
        layer, _, projection = name.rpartition(".")
        kind, (experts, columns, rows), _ = tensors.pop(name)
        halves = ["gate_proj", "up_proj"] if projection == "gate_up_proj" else [projection]
        parts |= {f"{layer}.{expert}.{half}.weight": (kind, [rows // len(halves), columns], None)
                  for expert in range(experts) for half in halves}
    return tensors | parts


def modules_of(model, names):
    """The class of each module, and the tensor of the files that is its weight."""
    modules = {}
    for name, kind in model["modules"].items():  # of other names than in the files: [class, name there]
        kind, stored = kind if isinstance(kind, list) else (kind, name)
        modules[name] = kind, f"{stored}.weight"
    for name in names:  # experts, which are a module each to some readers, and tensors of a layer's to others
        if ".experts." in name and name.endswith(".weight"):
            modules[name.removesuffix(".weight")] = "Linear", name
    return modules


def matches(name, kind, patterns):
    """As compressed-tensors matches a module: its name, a regular expression from its begin, or its class."""
    return any(re.match(pattern[3:], name) if pattern.startswith("re:") else pattern in (name, kind) for pattern in patterns)


def parameters(group, kind, rows, columns):
    """Types and shapes of what takes the place of a weight of a type: by the format's documents."""
    weights, name = group["weights"], group["format"]
    kind = kind if weights["symmetric"] else "F32"
    groups = 1 if weights["strategy"] == "channel" else columns // weights["group_size"]
    if name == "pack-quantized":
        wanted = {"_packed": ("I32", [rows, columns // 8]), "_shape": ("I64", [2]), "_scale": (kind, [rows, groups])}
    elif name in ("mxfp4-pack-quantized", "nvfp4-pack-quantized"):
        wanted = {"_packed": ("U8", [rows, columns // 2])}
    else:
        wanted = {"": ("I8" if weights["type"] == "int" else "F8_E4M3", [rows, columns]), "_scale": (kind, [rows, groups])}
    if name.startswith("mx"):
        wanted["_scale"] = ("U8", [rows, groups])
    if name.startswith("nvfp4"):
        wanted |= {"_scale": ("F8_E4M3", [rows, groups]), "_global_scale": ("F32", [1])}
    if not weights["symmetric"]:
        packed = name == "pack-quantized"
        wanted["_zero_point"] = ("I32" if packed else "I8", [(rows + 7) // 8 if packed else rows, groups])
    return wanted


class Checkpoints(unittest.TestCase):
    def check(self, title, model, options, name):
        """One model in one format."""
        with tempfile.TemporaryDirectory() as folder:
            source, out = Path(folder), Path(folder, "out")
            write(source / "model.safetensors", model["tensors"])
            (source / "config.json").write_text(json.dumps(model["config"], indent=2), encoding="utf-8")
            result = subprocess.run([os.environ["CLQUANT"], "quantize_model", source / "model.safetensors", "-o", out, *options.split()],
                                    text=True, capture_output=True, check=False)
            if not any(kind == "Linear" and weight in model["tensors"] for kind, weight in modules_of(model, model["tensors"]).values()):
                self.assertRegex(result.stderr, "nothing is left to quantize: .*Conv1D")
                self.assertEqual((result.returncode, out.exists()), (1, False))
                return
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual([note for note in NOTES if note in result.stdout],
                             [note for note, where in NOTES.items() if re.fullmatch(where + ".*", f"{title}: {options}")])
            config = json.loads((out / "config.json").read_text(encoding="utf-8"))
            quantization = config.pop("quantization_config")
            self.assertEqual(config, model["config"])
            (before, _), (after, metadata) = read(source / "model.safetensors"), read(out / "model.safetensors")
        self.assertEqual(metadata["format"], "pt")
        self.check_modules(model, quantization, before, after, name)

    def check_modules(self, model, quantization, before, after, format_name):
        """What a reader asks for, module by module."""
        groups = quantization["config_groups"].values()
        self.assertEqual({group.get("format") for group in groups}, {format_name})
        before = by_experts(before)
        modules = modules_of(model, before)
        quantized = 0
        for module, (kind, weight) in modules.items():
            by_name = [group for group in groups if matches(module, None, group["targets"])]
            group = next((group for group in groups if matches(module, kind, group["targets"])), None)
            group = by_name[0] if by_name else group  # a name goes before a class
            if not group or matches(module, kind, quantization["ignore"]):
                continue
            self.assertTrue(weight in before, f"{weight} is in no file, and {module} is not in ignore")
            kind, shape, _ = before.pop(weight)
            wanted = {weight + end: rest for end, rest in parameters(group, kind, *shape).items()}
            found = {name: after.pop(name)[:2] for name in wanted if name in after}
            self.assertEqual(found, wanted)
            quantized += 1
        self.assertEqual(after.keys(), before.keys())
        for name, tensor in before.items():
            self.assertEqual(after[name], tensor, f"{name} was to stay as it was")
        linear = sum(kind == "Linear" and model["tensors"].get(weight, [0, 1])[1] % 128 == 0 for kind, weight in modules.values())
        self.assertGreaterEqual(quantized, linear - 2, "all but a head and a gate")

    def test_each_model_in_each_format(self):
        seed = random.randrange(1 << 32)
        random.seed(seed)
        for model, entry in MODELS.items():
            for options, name in FORMATS.items() if isinstance(entry, dict) else ():
                with self.subTest(model=model, options=options, seed=seed):
                    self.check(model, entry, options, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
