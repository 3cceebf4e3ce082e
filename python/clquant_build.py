# SPDX-License-Identifier: Apache-2.0
"""The build of the package: scikit-build-core's, with an sdist that holds the C sources, which lie beside this folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403 - the hooks that stay as they are

# What the library is built of, and what CMakeLists.txt reads.
_TESTS = tuple(f"tests/{name}" for name in ("harness", "operators", "reference"))  # the command's self-test is made of them
_SOURCES = ("CMakeLists.txt", "LICENSE", "cl", "host", "include", "python/install.cmake", *_TESTS)
_INSIDE = "source"  # where they lie in the sdist


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Make the source archive. One that is unpacked makes itself again."""
    if Path(_INSIDE).is_dir():
        return _build.build_sdist(sdist_directory, config_settings)
    where = Path(sdist_directory).resolve()
    with tempfile.TemporaryDirectory() as folder, _moved_to(_gathered(Path(folder) / "clquant")):
        return _build.build_sdist(str(where), config_settings)


def _gathered(whole: Path) -> Path:
    """Copy the package and the C sources into one folder, whose pyproject.toml says where they are."""
    shutil.copytree(".", whole, ignore=shutil.ignore_patterns("__pycache__", ".*cache", "*.so", "build", "dist"))
    for name in _SOURCES:
        source, target = Path("..") / name, whole / _INSIDE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    project = whole / "pyproject.toml"
    text = project.read_text()
    for outside, inside in (('"../', f'"{_INSIDE}/'), ('".."', f'"{_INSIDE}"')):
        text = text.replace(outside, inside)
    project.write_text(text)
    return whole


@contextlib.contextmanager
def _moved_to(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
