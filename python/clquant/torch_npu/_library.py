# SPDX-License-Identifier: Apache-2.0
"""torch's operators of the namespace npu: their schemas, kernels on the CPU, and functions without memory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from ._documented import Documented

# What is done with a call: Documented.run or Documented.check.
Verb = Callable[..., None]


def _open() -> Any:
    try:
        return torch.library.Library("npu", "DEF")
    except RuntimeError as error:
        raise ImportError(f"torch has operators npu:: already, those of torch_npu or of another: {error}") from None


# Kept: its operators go with it.
LIBRARY = _open()


def register(schema: str, make: Callable[..., Any]) -> Any:
    """Define an operator, and return it.

    ``make(verb, …)`` makes the outputs and does with the call what verb says: on the CPU it runs, and where tensors have no
    memory, as in torch.compile and torch.export, it is checked.
    """
    name = LIBRARY.define(schema)
    LIBRARY.impl(name, functools.partial(make, Documented.run), "CPU")
    LIBRARY.impl(name, functools.partial(make, Documented.check), "Meta")
    # No gradients. Old versions have no such kernel and need none: theirs is the default.
    if hasattr(torch.library, "fallthrough_kernel"):
        LIBRARY.impl(name, torch.library.fallthrough_kernel, "Autograd")
    return getattr(torch.ops.npu, name)
