# SPDX-License-Identifier: Apache-2.0
"""``quantize_model``: a checkpoint in files, on this machine or on the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from . import _command
from ._context import Device
from ._keywords import only_its_keywords
from ._types import ModelFormat, ModelType, ScaleRule
from ._values import is_truth, whole

_Path: TypeAlias = str | os.PathLike[str]
Progress: TypeAlias = Callable[[int, int], Any] | bool | None


class Comparison(TypedDict):
    """One way to quantize a model. Where it quantizes nothing, ``bits`` and ``error`` are NaN."""

    bits: float  # an element of what it quantizes, with its scales
    bytes: int  # of all tensors
    error: float  # root mean square of what it quantizes, by its own
    kinds: dict[str, float]  # the same, by a layer's name: "q_proj"


@only_its_keywords()
def quantize_model(
    model: _Path | Sequence[_Path],
    out: _Path,
    *,
    to: ModelFormat = "compressed-tensors",
    dtype: ModelType | None = None,
    block: int | Literal["auto"] | None = None,
    scale_rule: ScaleRule = "range",
    symmetric: bool | None = None,
    rotate: int = 0,
    only: str | Sequence[str] = (),
    skip: str | Sequence[str] = (),
    copy: bool = True,
    clean: bool = False,
    device: Any = None,
    client: Any = None,
    progress: Progress = None,
) -> dict[str, float]:
    """Quantize the float matrices of a checkpoint into the folder ``out``, and copy all else, as ``clquant quantize_model``.

    ``model`` is a safetensors file, several, the index of a checkpoint, whose shards lie beside it, or its folder: then small
    files beside it, the tokenizer's among them, are copied unless ``copy`` is False. ``clean`` removes the shards and indexes
    that an earlier call left in ``out`` and that this one does not write. The other options are the
    command's (docs/quantize_model.md), as are their defaults: ``only`` and ``skip`` are globs of names, ``device`` is as
    ``Context`` has it. A shard that is in ``out`` already, made with the same options of the same input, is kept.

    Returns the error of each matrix that is quantized, root mean square by the matrix's own.

    With ``client``, a ``dask.distributed.Client``, each shard is a task of the cluster's workers, which have this package and
    see ``model`` and ``out`` under the same absolute paths; the bytes are those of one machine. A shard whose worker dies is
    made by another. ``device`` is then the workers', and their variables are read.

    ``progress`` is called with the bytes of the input that are done and all; what it raises ends the run. True is a bar by
    tqdm, and so is None where that is installed and stderr is a terminal. With a client it shows the caller's own run alone.

    Raises TypeError for what is no path or str, ValueError for what is refused, RuntimeError where a device fails or a file
    cannot be written.
    """
    if client is not None and not all(hasattr(client, word) for word in ("submit", "gather", "cancel")):
        raise TypeError(f"client is {client!r}: it must be a dask.distributed.Client")
    files = [_absolute("model", each) for each in _each(model)]
    arguments = [*files, "--output", _absolute("out", out), "--to", _word("to", to)]
    arguments += ["--scale-rule", _word("scale_rule", scale_rule)]
    if symmetric is not None and not is_truth(symmetric):
        raise ValueError(f"symmetric is {symmetric!r}: it must be True, False or None, the format's default")
    arguments += [] if dtype is None else ["--dtype", _word("dtype", dtype)]
    arguments += [] if block is None else ["--block", "auto" if block == "auto" else str(whole("block", block))]
    arguments += [] if symmetric is None else ["--symmetric" if symmetric else "--asymmetric"]
    arguments += ["--rotate", str(whole("rotate", rotate))] * bool(rotate)
    arguments += ["--no-copy"] * (not _truth("copy", copy))
    arguments += _choices(only, skip, device)
    with _reporter(progress) as report:
        if client is not None:
            _on_workers(client, arguments, _shards(files))
        errors: dict[str, float | None] = _run([*arguments, *["--clean"] * _truth("clean", clean)], report)
    return {name: _number(error) for name, error in errors.items()}


@only_its_keywords()
def compare_model(
    model: _Path | Sequence[_Path],
    ways: str | Sequence[str],
    *,
    only: str | Sequence[str] = (),
    skip: str | Sequence[str] = (),
    device: Any = None,
    progress: Progress = None,
) -> dict[str, Comparison]:
    """Quantize the matrices of a checkpoint in several ways, read once and not written, as ``quantize_model --compare``.

    A way is a type or a rule of scales, with options behind colons: "int8", "nvfp4", "int4:block=64:rotate=128:symmetric".
    ``model``, ``only``, ``skip``, ``device`` and ``progress`` are as in ``quantize_model``, as is what is raised.

    Returns what each way comes to.
    """
    words = [_word("ways", way) for way in _each(ways)]
    arguments = [*(_absolute("model", each) for each in _each(model)), "--compare", ",".join(words)]
    with _reporter(progress) as report:
        found: dict[str, dict[str, Any]] = _run(arguments + _choices(only, skip, device), report)
    return {
        way: Comparison(bits=_number(each["bits"]), bytes=each["bytes"], error=_number(each["error"]), kinds=each["kinds"])
        for way, each in found.items()
    }


def _choices(only: str | Sequence[str], skip: str | Sequence[str], device: Any) -> list[str]:
    arguments = []
    for option, globs in (("only", only), ("skip", skip)):
        arguments += [word for glob in _each(globs) for word in (f"--{option}", _word(option, glob))]
    if device is not None:
        arguments += ["--device", str(device.number if isinstance(device, Device) else device)]
    return arguments


def _number(given: float | None) -> float:
    return math.nan if given is None else given


@contextlib.contextmanager
def _reporter(progress: Any) -> Iterator[Callable[[int, int], Any] | None]:
    """Give the function that is called as the work goes on, or None."""
    if progress is False or (callable(progress) and not isinstance(progress, type)):
        yield progress or None
        return
    if progress is not None and progress is not True:
        raise TypeError(f"progress is {progress!r}: it must be a function of two numbers, True, False or None")
    try:
        bars = importlib.import_module("tqdm.auto") if progress or sys.stderr.isatty() else None
    except ImportError:
        if progress:
            raise RuntimeError("progress is True: a bar needs the package tqdm (pip install tqdm)") from None
        bars = None
    if bars is None:
        yield None
        return
    with bars.tqdm(unit="B", unit_scale=True) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def _each(given: Any) -> list[Any]:
    """Return what is given as a list, which may be one thing alone."""
    return list(given) if hasattr(given, "__iter__") and not isinstance(given, (str, bytes, os.PathLike)) else [given]


def _word(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{name} is {given!r}: it must be a str")
    return given


def _truth(name: str, given: Any) -> bool:
    if not is_truth(given):
        raise ValueError(f"{name} is {given!r}: it must be True or False")
    return bool(given)


def _absolute(name: str, given: Any) -> str:
    """Return a path from the root; "" would be the current folder."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{name} is {given!r}: it must be a str or a Path")
    if not os.fspath(given):
        raise ValueError(f"{name} is {given!r}: a path is expected")
    return str(Path(given).absolute())


def _shards(files: list[str]) -> list[str]:
    """Return the names of the shards; none of an index that the command refuses with a sentence."""
    if len(files) == 1 and Path(files[0]).is_dir():
        whole = Path(files[0]) / "model.safetensors"
        files = [str(whole if whole.exists() else whole.with_name("model.safetensors.index.json"))]
    if not files or not files[0].endswith(".json"):
        return [Path(file).name for file in files]
    try:
        return sorted(set(json.loads(Path(files[0]).read_bytes())["weight_map"].values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _on_workers(client: Any, arguments: list[str], shards: list[str]) -> None:
    """Make each shard by a task. One that fails ends the others. The index and config.json are left to a run without."""
    tasks = [client.submit(_command.run, ["quantize_model", *arguments, "--shard", str(shard)], pure=False) for shard in shards]
    try:
        client.gather(tasks)
    finally:
        client.cancel(tasks)


def _run(arguments: list[str], report: Callable[[int, int], Any] | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "errors.json"
        _command.run(["quantize_model", *arguments, "--json", str(path)], report)
        found: dict[str, Any] = json.loads(path.read_bytes())
    return found
