# SPDX-License-Identifier: Apache-2.0
"""What a call costs in Python stays within what benchmarks/host_cost.py says it may."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import host_cost


def test_python_part():
    runs = [host_cost.rows(blocks=40) for _ in range(3)]
    for rows in zip(*runs, strict=True):
        # What else runs on the machine only adds to it.
        assert min(row.python for row in rows) <= rows[0].limit, rows[0].name
