# SPDX-License-Identifier: Apache-2.0
"""What torch must know of tensors that calls write. Imported where there is torch."""

from __future__ import annotations

from typing import Any

import torch

_Disable: Any = getattr(torch._C, "DisableTorchFunctionSubclass", None) or torch._C.DisableTorchFunction
_increment: Any = getattr(torch.autograd.graph, "increment_version", None)


def refuse(tensor: Any) -> None:
    """Refuse a tensor whose memory has other values than it shows, and one of whose writing autograd would not know."""
    for has, bit, resolve in ((tensor.is_conj(), "conjugate", "resolve_conj"), (tensor.is_neg(), "negative", "resolve_neg")):
        if has:
            raise ValueError(f"a tensor of torch has the {bit} bit: what is written must be plain, as a copy by {resolve}() is")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise ValueError(
            "a tensor of torch requires grad: what a call writes must not, as x.detach() does not, or the call must be made "
            "under torch.no_grad()"
        )


def tell(tensor: Any) -> None:
    """Raise a tensor's version, so that autograd refuses to go back through what was there before.

    torch 1 has no function for it: there, a change of the shape of an alias does it, which leaves the tensor as it is.
    """
    if _increment is not None:
        _increment(tensor)
        return
    with _Disable():
        if not tensor.is_inference():  # these have no version
            tensor.detach().squeeze_()
