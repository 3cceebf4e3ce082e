# SPDX-License-Identifier: Apache-2.0
"""torch's operators of the namespace npu: their schemas, kernels on the CPU, and functions without memory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from ..arrays import may_write
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


def _written(schema: str) -> tuple[tuple[int, str], ...]:
    """Return the places and names of the arguments that an operator writes."""
    arguments = schema.partition("(")[2].split(", ")
    return tuple((place, words.split()[1]) for place, words in enumerate(arguments) if "!" in words)


def _checked(run: Callable[..., Any], written: tuple[tuple[int, str], ...]) -> Callable[..., Any]:
    """Refuse what a call must not write, before anything is seen as another type."""

    @functools.wraps(run)
    def call(*args: Any, **named: Any) -> Any:
        for place, name in written:
            may_write(name, args[place])
        return run(*args, **named)

    return call


def _resolved(name: str, written: tuple[tuple[int, str], ...], *args: Any, **named: Any) -> Any:
    """Call an operator with the values that views of conjugates and negatives show."""
    for place, argument in written:
        may_write(argument, args[place])
    plain = [arg.resolve_conj().resolve_neg() if isinstance(arg, torch.Tensor) else arg for arg in args]
    return getattr(torch.ops.npu, name)(*plain, **named)


def register(schema: str, make: Callable[..., Any]) -> Any:
    """Define an operator, and return it.

    ``make(verb, …)`` makes the outputs and does with the call what verb says: on the CPU it runs, and where tensors have no
    memory, as in torch.compile and torch.export, it is checked.
    """
    name = LIBRARY.define(schema)
    written = _written(schema)
    run = functools.partial(make, Documented.run)
    LIBRARY.impl(name, _checked(run, written) if written else run, "CPU")
    LIBRARY.impl(name, functools.partial(make, Documented.check), "Meta")
    if written:
        # torch's own way copies what is written back into what an operator returns: these return nothing.
        for bit in ("Conjugate", "Negative"):
            LIBRARY.impl(name, functools.partial(_resolved, name, written), bit)
    # No gradients. Old versions have no such kernel and need none: theirs is the default.
    if hasattr(torch.library, "fallthrough_kernel"):
        LIBRARY.impl(name, torch.library.fallthrough_kernel, "Autograd")
    return getattr(torch.ops.npu, name)


def register_in_place(name: str, target: str, arguments: str, write: Callable[..., None]) -> Any:
    """Define an operator that writes its first argument, called target, and returns it, and return it.

    torch makes functions only of what writes an argument and returns nothing: so the shipped schema, which returns the
    argument that it writes, is that and a return.
    """
    operator = register(f"_{name}write(Tensor(a!) {target}, {arguments}) -> ()", write)

    def write_and_return(tensor: Any, *rest: Any, **named: Any) -> Any:
        operator(tensor, *rest, **named)
        return tensor

    LIBRARY.define(f"{name}(Tensor(a!) {target}, {arguments}) -> Tensor(a!)")
    LIBRARY.impl(name, write_and_return, "CompositeImplicitAutograd")
    return getattr(torch.ops.npu, name)
