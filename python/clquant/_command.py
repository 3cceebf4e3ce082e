# SPDX-License-Identifier: Apache-2.0
"""The command ``clquant``: where it is, and its failures as exceptions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_HELD = Path(__file__).with_name("bin") / "clquant"


def path() -> str:
    """Return the command: the one that the variable CLQ_COMMAND names, else the package's own."""
    named = os.environ.get("CLQ_COMMAND")
    if named or _HELD.exists():
        return named or str(_HELD)
    raise RuntimeError(
        "the package has no command clquant, for cJSON was not found when it was built (Debian: apt install libcjson-dev "
        "pkg-config, and install the package again); or CLQ_COMMAND may name one"
    )


def run(arguments: Sequence[str]) -> None:
    """Run the command and wait. Raises ValueError for what it refuses, RuntimeError for all else, with its sentence."""
    none = subprocess.DEVNULL
    done = subprocess.run([path(), *arguments], check=False, stdin=none, stdout=none, stderr=subprocess.PIPE)
    if done.returncode == 0:
        return
    said = done.stderr.decode(errors="replace").strip().partition(": ")[2]
    said = re.sub(r"; see clquant \S+ --help$", "", said)
    said = re.sub(r"(?<!['\w])--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), said)
    said = re.sub(r"(?<!\S)-o\b", "out", said)
    if done.returncode < 0:
        raise RuntimeError(f"clquant {arguments[0]} was ended by signal {-done.returncode}" + f": {said}" * bool(said))
    raise (ValueError if done.returncode in (1, 2) else RuntimeError)(said)


def main() -> None:
    """Become the command, with the arguments of this process."""
    os.execv(path(), ["clquant", *sys.argv[1:]])
