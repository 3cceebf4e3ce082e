# SPDX-License-Identifier: Apache-2.0
"""torch_npu's names: the schemas, the module that takes its place, and torch, which stays optional."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
torch_npu = pytest.importorskip("clquant.torch_npu")


def test_schemas():
    """Names, order and defaults are the shipped ones, and torch's operators have them too."""
    numbers = {"float4_e2m1fn_x2": 296, "float8_e4m3fn": 292, "float8_e5m2": 291}
    assert {name: getattr(torch_npu, name) for name in numbers} == numbers
    names = set(torch_npu.__all__) - set(numbers)
    signatures = {name: str(inspect.signature(getattr(torch_npu, name))) for name in names}
    expected = {
        "npu_quantize": ["input", "scales", "zero_points", "dtype", "axis = 1", "div_mode = True"],
        "npu_group_quant": ["x", "scale", "group_index", "*", "offset = None", "dst_dtype = None"],
        "npu_dynamic_quant_asymmetric": [
            *("x", "*", "smooth_scales = None", "group_index = None", "dst_type = None", "quant_mode = 'pertoken'"),
        ],
    }
    expected["npu_dynamic_quant"] = [*expected["npu_dynamic_quant_asymmetric"], "dst_type_max = 0.0"]
    scatter = ["indices", "updates", "quant_scales", "quant_zero_points = None", "axis = -2", "quant_axis = -1"]
    scatter += ["reduce = 'update'", "dst_type = None", "round_mode = 'rint'"]
    expected["npu_quant_scatter"], expected["npu_quant_scatter_"] = ["input", *scatter], ["self", *scatter]
    expected["npu_scatter_nd_update"] = expected["npu_scatter_nd_update_"] = ["input", "indices", "updates"]
    expected["scatter_update"] = expected["scatter_update_"] = ["data", "indices", "updates", "axis"]
    expected["npu_scatter_pa_kv_cache"] = [
        *("key", "value", "key_cache", "value_cache", "slot_mapping", "*"),
        *("compress_lens = None", "compress_seq_offsets = None", "seq_lens = None", "cache_mode = 'PA_NZ'"),
    ]
    expected["npu_anti_quant"] = ["x", "scale", "*", "offset = None", "dst_dtype = None", "src_dtype = None"]
    expected["npu_dynamic_mx_quant"] = [
        *("input", "*", "axis = -1", "round_mode = 'rint'", "dst_type = 296", "block_size = 32", "scale_alg = 0"),
        *("dst_type_max = 0.0", "max_low_bound = 0.0"),
    ]
    expected["npu_dynamic_block_quant"] = [
        *("x", "*", "min_scale = 0.0", "round_mode = 'rint'", "dst_type = 1", "row_block_size = 1", "col_block_size = 128"),
    ]
    assert set(expected) | {"install"} == names
    for name, words in expected.items():
        parameters = inspect.signature(getattr(torch_npu, name)).parameters.values()
        ours, starred = [], False
        for parameter in parameters:
            if parameter.kind is parameter.KEYWORD_ONLY and not starred:
                ours.append("*")
                starred = True
            default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
            ours.append(parameter.name + default)
        assert ours == words, signatures[name]
        schema = getattr(torch.ops.npu, name).default._schema
        names = [word.split(" ")[0] for word in words if word != "*"]
        assert [argument.name for argument in schema.arguments] == names
        defaults = {word.split(" = ")[0]: word.split(" = ")[1] for word in words if " = " in word}
        theirs = {a.name: repr(a.default_value) for a in schema.arguments if a.has_default_value()}
        assert theirs == defaults


def in_process(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def test_install():
    script = """
import sys, types, clquant
clquant.quantize([1.0], 1.0)
assert "torch" not in sys.modules
sys.modules["torch_npu"] = types.ModuleType("torch_npu")
import clquant.torch_npu
try:
    clquant.torch_npu.install()
except ImportError as error:
    print(error)
del sys.modules["torch_npu"]
clquant.torch_npu.install()
import torch, torch_npu
from torch_npu import npu_quantize
print(clquant.torch_npu.install() is torch_npu, npu_quantize(torch.ones(2), torch.ones(1), None, torch.qint8).tolist())
"""
    said, wrong = in_process(script)
    assert wrong == ""
    assert said.splitlines() == [
        "torch_npu is imported already, from <module 'torch_npu'>: install before it, or do without",
        "True [1, 1]",
    ]


def test_operators_of_another():
    """The real torch_npu, whose operators have these names."""
    script = """
import torch
library = torch.library.Library("npu", "DEF")
try:
    import clquant.torch_npu
except ImportError as error:
    print(error)
"""
    assert in_process(script)[0].startswith("torch has operators npu:: already")


def test_snippets():
    """What the page on porting shows runs in its order, and its assertions hold."""
    page = Path(__file__).parents[2] / "docs" / "porting_from_torch_npu.md"
    snippets = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    assert snippets
    if not hasattr(torch, "compile"):
        snippets = [snippet for snippet in snippets if "torch.compile" not in snippet]
    script = "\n".join(snippets)
    if hasattr(torch, "compile"):
        script += """
cache = torch.zeros(2, 8, 16, dtype=torch.int8)
step(cache, torch.tensor([1, 2]), torch.ones(2, 1, 16), torch.ones(16))
assert cache.sum() == 32
"""
    assert in_process(script) == ("", "")
