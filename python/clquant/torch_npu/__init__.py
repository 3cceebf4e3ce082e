# SPDX-License-Identifier: Apache-2.0
"""torch_npu's quantization calls on torch's tensors in the host's memory, for code that runs on Ascend elsewhere.

    from clquant import torch_npu
    y = torch_npu.npu_quantize(x, scales, None, torch.qint8, -1, False)

Names, order, defaults and rules are those of the shipped calls. They are operators of torch's namespace npu, so that
torch.compile and torch.export take them. ``docs/porting_from_torch_npu.md`` has the differences, call by call.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ._tensors import install_tensors
from ._types import FLOAT4_E2M1FN_X2 as float4_e2m1fn_x2  # noqa: N811
from ._types import FLOAT8_E4M3FN as float8_e4m3fn  # noqa: N811
from ._types import FLOAT8_E5M2 as float8_e5m2  # noqa: N811
from .anti_quant import npu_anti_quant
from .dynamic_blocks import npu_dynamic_block_quant, npu_dynamic_mx_quant
from .dynamic_quant import npu_dynamic_quant, npu_dynamic_quant_asymmetric
from .group_quant import npu_group_quant
from .quant_scatter import npu_quant_scatter, npu_quant_scatter_
from .quantize import npu_quantize
from .scatter_pa_kv_cache import npu_scatter_pa_kv_cache
from .scatter_update import npu_scatter_nd_update, npu_scatter_nd_update_, scatter_update, scatter_update_

__all__ = [
    "float4_e2m1fn_x2",
    "float8_e4m3fn",
    "float8_e5m2",
    "install",
    "npu_anti_quant",
    "npu_dynamic_block_quant",
    "npu_dynamic_mx_quant",
    "npu_dynamic_quant",
    "npu_dynamic_quant_asymmetric",
    "npu_group_quant",
    "npu_quant_scatter",
    "npu_quant_scatter_",
    "npu_quantize",
    "npu_scatter_nd_update",
    "npu_scatter_nd_update_",
    "npu_scatter_pa_kv_cache",
    "scatter_update",
    "scatter_update_",
]


def install(*, tensors: bool = False) -> ModuleType:
    """Make ``import torch_npu`` give these calls, for tests of code that imports it. Return this module.

    With ``tensors`` torch itself knows the device "npu", which is the host's memory: ``tensor.npu()``, ``tensor.to("npu:0")``,
    ``tensor.is_npu``, ``device="npu"`` of torch's functions that make tensors, ``torch.npu``, and ``torch_npu.npu_format_cast``,
    which leaves a tensor as it is. It stays so until the process ends.

    Raises ImportError where another torch_npu is imported already.
    """
    here = sys.modules[__name__]
    if sys.modules.setdefault("torch_npu", here) is not here:
        raise ImportError(f"torch_npu is imported already, from {sys.modules['torch_npu']}: install before it, or do without")
    if tensors:
        install_tensors(here)
    return here
