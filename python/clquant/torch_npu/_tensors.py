# SPDX-License-Identifier: Apache-2.0
"""The device "npu" for code that names it: tensors stay where they are, in the host's memory."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

_DEVICE = re.compile(r"npu(:\d+)?\Z")
_MARK = "_clquant_npu"


def _is_npu(given: Any) -> bool:
    return isinstance(given, str) and _DEVICE.match(given) is not None


def _on_cpu(given: Any) -> Any:
    return "cpu" if _is_npu(given) else given


def _without_npu(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of torch that takes devices, so that "npu" is the CPU."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if "device" in named:
            named["device"] = _on_cpu(named["device"])
        return function(*(_on_cpu(arg) for arg in args), **named)

    setattr(call, _MARK, True)
    return call


def _moved(tensor: Any, device: Any = None, *_: Any, **__: Any) -> Any:
    """Return the tensor or module as it is: the npu is where it lies; a copy, where code writes both."""
    del device
    return tensor.clone() if isinstance(tensor, torch.Tensor) else tensor


# Of torch's, those that make a tensor on a device, or take one; not every version has all of them.
_FUNCTIONS = (
    *("arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "empty_like", "empty_permuted"),
    *("empty_strided", "eye", "full", "full_like", "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace"),
    *("normal", "ones", "ones_like", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "range"),
    *("scalar_tensor", "sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor", "sparse_coo_tensor"),
    *("sparse_csc_tensor", "sparse_csr_tensor", "tensor", "tril_indices", "triu_indices", "zeros", "zeros_like"),
)
_METHODS = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros")


def _restored(storage: Any, location: str) -> Any:
    """Return what torch.load read for the npu, or from a file that was saved on one, where it is."""
    return storage if _is_npu(location) else None


def _to(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap Tensor.to: what goes to the npu is another tensor, as it is there."""

    @functools.wraps(function)
    def to(tensor: Any, *args: Any, **named: Any) -> Any:
        goes = any(_is_npu(given) for given in (*args, named.get("device")))
        made = _without_npu(function)(tensor, *args, **named)
        return made.clone() if goes and made is tensor else made

    setattr(to, _MARK, True)
    return to


def _npu_module() -> ModuleType:
    """Make torch.npu, of which tests and examples set options."""
    npu = ModuleType("torch.npu", "One device, the host's memory.")
    config = ModuleType("torch.npu.config")
    config.allow_internal_format = False  # type: ignore[attr-defined]
    names: dict[str, Callable[..., Any]] = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "set_compile_mode": lambda **options: None,
        "get_device_name": lambda device=None: "clquant",
        "manual_seed": torch.manual_seed,
    }
    for name, function in names.items():
        setattr(npu, name, function)
    npu.config = config  # type: ignore[attr-defined]
    sys.modules["torch.npu"], sys.modules["torch.npu.config"] = npu, config
    return npu


def _format_cast(tensor: Any, *_: Any) -> Any:
    """Return the tensor: its format is what its shape and strides say, whatever is asked for."""
    return tensor


def install_tensors(calls: Any) -> None:
    """Give torch the device "npu", and the module of calls what goes with it. Done twice it is done once."""
    calls.npu_format_cast = _format_cast
    if getattr(torch.Tensor.to, _MARK, False):
        return
    tensor: Any = torch.Tensor
    tensor.to = _to(tensor.to)
    tensor.npu = _moved
    tensor.is_npu = property(lambda self: self.device.type == "cpu")
    module: Any = torch.nn.Module
    module.npu = _moved
    module.to = _without_npu(module.to)
    for owner, names in ((torch, _FUNCTIONS), (tensor, _METHODS), (torch.fft, ("fftfreq", "rfftfreq"))):
        for name in names:
            if hasattr(owner, name):
                setattr(owner, name, _without_npu(getattr(owner, name)))
    torch.serialization.register_package(100, lambda storage: None, _restored)
    here: Any = torch
    here.npu = _npu_module()
