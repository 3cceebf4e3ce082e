# SPDX-License-Identifier: Apache-2.0
"""Python in processes of its own, for what ends with one."""

import os
import re
import subprocess
import sys


def run(script, **environment):
    """Run Python in a process of its own; what is not None is put into its environment."""
    given = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={name: value for name, value in given.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    # What PoCL's compiler says where a process is the first to build a kernel.
    return done.returncode, done.stdout, re.sub(r"^\d+ warnings? generated\.\n", "", done.stderr, flags=re.M)
