# SPDX-License-Identifier: Apache-2.0
"""benchmarks/ggml.py runs whole, on few values, and finds ggml's bytes; its figures are of no interest here."""

import re
import subprocess
import sys
from pathlib import Path

from ggml_library import BLOCK_BYTES

PROGRAM = Path(__file__).parents[1] / "benchmarks" / "ggml.py"


def test_a_ratio_for_each_type_both_ways(ggml):
    done = subprocess.run([sys.executable, PROGRAM, "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"^(to|from) (\w+) +[\d.]+ +[\d.]+ +(\d+\.\d\d)$", done.stdout, re.MULTILINE)
    assert [(way, name) for way, name, _ in found] == [(way, name) for name in BLOCK_BYTES for way in ("to", "from")]
    assert all(float(ratio) > 0 for _, _, ratio in found)
