# SPDX-License-Identifier: Apache-2.0
"""Tensors for tests, and the device that they are for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch


def get_npu_device() -> str:
    """Name the device that SET_NPU_DEVICE says; it is the host's memory, whatever its number."""
    return f"npu:{os.environ.get('SET_NPU_DEVICE', '0')}"


def set_npu_device() -> str:
    """Name the device. There is but one."""
    return get_npu_device()


def create_common_tensor(item: Sequence[Any], minValue: float, maxValue: float, device: Any = None) -> tuple[Any, Any]:  # noqa: N803
    """Make a tensor of random numbers twice: for the CPU and for the device. item is a numpy type, a format and a shape."""
    del device  # the host's memory
    kind, _, shape = item[:3]
    values = torch.from_numpy(np.random.uniform(minValue, maxValue, shape).astype(kind))
    return values, values.clone()


class SupportedDevices:
    """Mark a test as one for some of Ascend's devices: here each runs."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        """Return the test as it is."""
        return test
