# SPDX-License-Identifier: Apache-2.0
"""The command ``clquant``: where it is, and its failures as exceptions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

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


def run(arguments: Sequence[str], progress: Callable[[int, int], Any] | None = None) -> None:
    """Run the command and wait.

    Raises ValueError for what it refuses, RuntimeError for all else, with its sentence. What it says of weights is a warning.
    ``progress`` is called with the bytes that are done and all, where the command has ``--progress``. What it raises ends the
    command.
    """
    with tempfile.TemporaryFile() as stderr:
        code = _wait([path(), *arguments], stderr, progress)
        stderr.seek(0)
        text = stderr.read().decode(errors="replace")
    if code == 0:
        for warning in re.findall(r"^clquant: (.*weights (?:are|come) .*)$", text, re.MULTILINE):
            warnings.warn(warning, RuntimeWarning, stacklevel=3)
        return
    said = text.strip().partition(": ")[2]
    said = re.sub(r"; see clquant \S+ --help$", "", said)
    said = re.sub(r"(?<!['\w])--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), said)
    said = re.sub(r"(?<!\S)-o\b", "out", said)
    if code < 0:
        raise RuntimeError(f"clquant {arguments[0]} was ended by signal {-code}" + f": {said}" * bool(said))
    raise (ValueError if code in (1, 2) else RuntimeError)(said)


def _wait(command: list[str], stderr: IO[bytes], progress: Callable[[int, int], Any] | None) -> int:
    none = subprocess.DEVNULL
    if progress is None:
        return subprocess.run(command, check=False, stdin=none, stdout=none, stderr=stderr).returncode
    reader, writer = os.pipe()
    with open(reader) as lines:
        try:
            command = [*command, "--progress", str(writer)]
            process = subprocess.Popen(command, stdin=none, stdout=none, stderr=stderr, pass_fds=(writer,))
        finally:
            os.close(writer)
        try:
            for line in lines:
                done, total = line.split()
                progress(int(done), int(total))
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
    return process.returncode


def main() -> None:
    """Become the command, with the arguments of this process."""
    os.execv(path(), ["clquant", *sys.argv[1:]])
