# SPDX-License-Identifier: Apache-2.0
"""Code that names the device npu, and tests that import torch_npu.testing: each in a process of its own, for torch is changed."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("clquant.torch_npu")

BEGIN = """
import clquant.torch_npu
clquant.torch_npu.install(tensors=True)
clquant.torch_npu.install(tensors=True)
"""


def in_process(script):
    done = subprocess.run([sys.executable, "-c", BEGIN + script], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr, done.returncode


def test_the_device():
    script = """
import numpy as np, torch, torch_npu
x = torch.ones(2, 8)
there = x.npu()
there += 1
assert (x == 1).all() and (there == 2).all() and there.is_npu
moved = x.to("npu:0")
moved.zero_()
assert x.all() and x.to(torch.float16).dtype == torch.float16 and x.to("npu", torch.float16).dtype == torch.float16
assert x.to("cpu") is x and x.to(device="npu").is_npu
made = torch.zeros(3, 2, dtype=torch.int8, device="npu")
assert made.device.type == "cpu" and torch.tensor([1], device="npu:1").item() == 1
torch.npu.set_compile_mode(jit_compile=False)
torch.npu.config.allow_internal_format = False
torch.npu.set_device("npu:0")
torch.npu.synchronize()
assert torch.npu.is_available() and torch_npu.npu_format_cast(x, 29) is x
model = torch.nn.Linear(2, 2)
assert model.npu() is model and model.to("npu") is model
y = torch_npu.npu_quantize(x.npu(), torch.ones(1).to("npu"), None, torch.qint8)
print(y.cpu().tolist())
"""
    assert in_process(script) == ("[[1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1]]\n", "", 0)


def test_functions_that_make_tensors():
    """Each that the document names; not every version of torch has all of them."""
    script = """
import io, torch
from clquant.torch_npu import _tensors
x, two = torch.ones(2), {
    "as_tensor": ([1],), "asarray": ([1],), "empty_permuted": ((2,), (0,)), "empty_strided": ((2,), (1,)), "full": ((2,), 1.0),
    "linspace": (0, 1, 2), "logspace": (0, 1, 2), "normal": (0.0, 1.0, (2,)), "randint": (2, (2,)), "range": (0, 1),
    "scalar_tensor": (1.0,), "tensor": ([1],), "tril_indices": (2, 2), "triu_indices": (2, 2),
    "sparse_coo_tensor": ([[0]], [1.0], (2,)), "sparse_csr_tensor": ([0, 1], [0], [1.0], (1, 2)),
    "sparse_csc_tensor": ([0, 1], [0], [1.0], (2, 1)), "sparse_bsr_tensor": ([0, 1], [0], [[[1.0]]], (1, 1)),
    "sparse_bsc_tensor": ([0, 1], [0], [[[1.0]]], (1, 1)),
    "full_like": (torch.ones(2), 1.0), "randint_like": (torch.ones(2), 2),
    "new_empty_strided": ((2,), (1,)), "new_full": ((2,), 1.0), "new_tensor": ([1],),
}
made = 0
for owner, names in ((torch, _tensors._FUNCTIONS), (x, _tensors._METHODS), (torch.fft, ("fftfreq", "rfftfreq"))):
    for name in names:
        if not hasattr(owner, name):
            continue
        arguments = two.get(name, (torch.ones(2),) if name.endswith("_like") else (2,))
        more = {"layout": torch.sparse_csr} if name == "sparse_compressed_tensor" else {}
        arguments = two["sparse_csr_tensor"] if more else arguments
        assert getattr(owner, name)(*arguments, device="npu:0", **more).device.type == "cpu", name
        made += 1
assert made >= 40
room = io.BytesIO()
torch.save({"x": x}, room)
for there in ("npu", "npu:0", {"cpu": "npu:1"}):
    room.seek(0)
    assert torch.equal(torch.load(room, map_location=there)["x"], x)
print("done")
"""
    assert in_process("import warnings; warnings.simplefilter('ignore')\n" + script) == ("done\n", "", 0)


PASSES = """
import numpy as np, torch, torch_npu
from torch_npu.testing.common_utils import SupportedDevices, create_common_tensor, get_npu_device
from torch_npu.testing.testcase import TestCase, run_tests

class TestOne(TestCase):
    @SupportedDevices(["Ascend910B"])
    def test_both(self, device="npu"):
        ours, theirs = create_common_tensor([np.float16, -1, [3, 5]], -1, 1)
        assert ours.dtype == torch.float16 and ours.shape == (3, 5) and ours is not theirs
        self.assertRtolEqual(ours, theirs)
        self.assertRtolEqual([ours.numpy()], [theirs.to(get_npu_device()).numpy()])
        self.assertTensorsSlowEqual(ours, theirs + 0.5, 0.51)
        self.assertEqual(ours, theirs)
        self.assertEqual(1, 1)
        self.assertRtolEqual(torch.tensor([1.0, float("nan")]).bfloat16(), torch.tensor([1.0, float("nan")]).bfloat16())
        self.assertRtolEqual(np.ones(1), np.ones(1, np.float32), auto_trans_dtype=True)
"""


def test_testing_passes():
    said, wrong, status = in_process(PASSES + "\nrun_tests()\n")
    assert (said, status) == ("", 0)
    assert "Ran 1 test" in wrong


WRONG = [
    "self.assertRtolEqual(torch.ones(2), torch.ones(3))",
    "self.assertRtolEqual(torch.ones(2), torch.ones(2).half())",
    "self.assertRtolEqual(torch.ones(2), torch.ones(2) * 1.01)",
    "self.assertRtolEqual(torch.tensor([float('nan')]), torch.zeros(1))",
    "self.assertRtolEqual([torch.ones(1)], [torch.ones(1), torch.ones(1)])",
    "self.assertTensorsSlowEqual(torch.ones(2), torch.ones(2) + 2, 1)",
    "self.assertTensorsSlowEqual(torch.ones(2), torch.ones(1), 1)",
    "self.assertEqual(torch.ones(2), torch.ones(2).int())",
    "self.assertEqual(torch.ones(2), torch.zeros(2))",
    "self.assertEqual(1, 2)",
]


def test_testing_fails():
    """Each of the tests that are wrong fails, in one process, for torch takes long to load."""
    tests = "".join(f"    def test_{number}(self):\n        {wrong}\n\n" for number, wrong in enumerate(WRONG))
    _, said, status = in_process(PASSES.split("    @Supported", maxsplit=1)[0] + tests + "run_tests()\n")
    assert status == 1
    assert f"FAILED (failures={len(WRONG)})" in said
