# SPDX-License-Identifier: Apache-2.0
"""torch's tensors in the host's memory."""

from __future__ import annotations

import sys
from typing import Any

from .._context import Context
from .._dtypes import BY_NAME, DType, reinterpreted, type_name
from .._tensor import HostTensor, Tensor
from ._adapter import HostAdapter


class TorchTensors(HostAdapter):
    """torch's tensors. torch is never imported here: where there is a tensor, it is."""

    def knows(self, kind: type) -> bool:
        """Say whether objects of this type are torch's tensors."""
        torch = sys.modules.get("torch")
        return torch is not None and issubclass(kind, torch.Tensor)

    def view(self, array: Any, context: Context, dtype: Any = None) -> Tensor:
        """See a tensor of torch as one. It takes no part in autograd."""
        if array.device.type != "cpu":
            raise ValueError(f"a tensor of torch is on {array.device}: it must be on the CPU")
        held = type_name(array.dtype)
        row = BY_NAME.get(held)
        if dtype is not None:
            row = reinterpreted(held, dtype)
        elif row is None:
            raise ValueError(f"a tensor of torch has elements of {held}: clquant has {', '.join(BY_NAME)}")
        strides = None if array.is_contiguous() else tuple(array.stride())
        return HostTensor(array.data_ptr(), row, tuple(array.shape), strides, context=context, array=array)

    def new(self, like: Any, shape: tuple[int, ...], dtype: DType, queue: int) -> Any:
        """Make a tensor; of the type that holds the bytes where torch does not have the elements'."""
        import torch

        kind = getattr(torch, dtype.name, None)
        return torch.empty(shape, dtype=kind if kind is not None else getattr(torch, _holder(dtype)))


def _holder(dtype: DType) -> str:
    return {"uint16": "int16"}.get(dtype.storage, dtype.storage)


ADAPTER = TorchTensors()
