# SPDX-License-Identifier: Apache-2.0
"""``quantize_model``: a checkpoint in files, on this machine or on the workers of a Dask cluster."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from . import _command
from ._context import Device
from ._keywords import only_its_keywords
from ._types import ModelFormat, ModelType, ScaleRule
from ._values import is_truth, whole

_Path: TypeAlias = str | os.PathLike[str]


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
    device: Any = None,
    client: Any = None,
) -> dict[str, float]:
    """Quantize the float matrices of a checkpoint into the folder ``out``, and copy all else, as ``clquant quantize_model``.

    ``model`` is a safetensors file, several, or the index of a checkpoint, whose shards lie beside it. The options are the
    command's (docs/quantize_model.md), as are their defaults: ``only`` and ``skip`` are globs of names, ``device`` is as
    ``Context`` has it. A shard that is in ``out`` already, made with the same options of the same input, is kept.

    Returns the error of each matrix that is quantized, root mean square by the matrix's own.

    With ``client``, a ``dask.distributed.Client``, each shard is a task of the cluster's workers, which have this package and
    see ``model`` and ``out`` under the same absolute paths; the bytes are those of one machine. A shard whose worker dies is
    made by another. ``device`` is then the workers', and their variables are read.

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
    for option, globs in (("only", only), ("skip", skip)):
        arguments += [word for glob in _each(globs) for word in (f"--{option}", _word(option, glob))]
    if device is not None:
        arguments += ["--device", str(device.number if isinstance(device, Device) else device)]
    if client is not None:
        _on_workers(client, arguments, _shards(files))
    return _run(arguments)


def _each(given: Any) -> list[Any]:
    """Return what is given as a list, which may be one thing alone."""
    return list(given) if hasattr(given, "__iter__") and not isinstance(given, (str, bytes, os.PathLike)) else [given]


def _word(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{name} is {given!r}: it must be a str")
    return given


def _absolute(name: str, given: Any) -> str:
    """Return a path from the root; "" would be the current folder."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{name} is {given!r}: it must be a str or a Path")
    if not os.fspath(given):
        raise ValueError(f"{name} is {given!r}: a path is expected")
    return str(Path(given).absolute())


def _shards(files: list[str]) -> list[str]:
    """Return the names of the shards; none of an index that the command refuses with a sentence."""
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


def _run(arguments: list[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "errors.json"
        _command.run(["quantize_model", *arguments, "--json", str(path)])
        errors: dict[str, float | None] = json.loads(path.read_bytes())
    return {name: math.nan if error is None else error for name, error in errors.items()}
