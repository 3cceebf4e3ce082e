# SPDX-License-Identifier: Apache-2.0
"""What other libraries must know of this package: told when they are imported, for nothing here imports them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def _of_torch(torch: Any) -> None:
    """Let ``torch.load(weights_only=True)`` make what ``torch.save`` writes of results: torch 2.4 has a list of such names."""
    add = getattr(torch.serialization, "add_safe_globals", None)
    if add is not None:
        from ._quantized import Quantized
        from .arrays import _typed_torch

        add([_typed_torch._labelled, Quantized])


def _of_its_compiler(rules: Any) -> None:
    """Let ``torch.compile`` leave calls as they are, and compile what stands between them. It looks into torch_npu's."""
    ours = [name for name in sys.modules if name.startswith(f"{__package__}.")]
    for name in ours:
        if not name.startswith(f"{__package__}.torch_npu") and name != f"{__package__}._dtypes":
            rules.add(name)


_ACTIONS: dict[str, Callable[[Any], None]] = {"torch": _of_torch, "torch._dynamo.trace_rules": _of_its_compiler}


def _act(module: Any, name: str) -> None:
    with contextlib.suppress(AttributeError):  # a version that has no such function
        _ACTIONS[name](module)


class _Finder(MetaPathFinder):
    """Finds what the other finders do, and acts behind the import."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of one of these modules, else None."""
        if fullname not in _ACTIONS:
            return None
        others = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((each for each in others if each is not None), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                _act(module, fullname)

            spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec


def watch() -> None:
    """Act for what is there, and for what comes."""
    for name in _ACTIONS:
        if name in sys.modules:
            _act(sys.modules[name], name)
    sys.meta_path.insert(0, _Finder())
