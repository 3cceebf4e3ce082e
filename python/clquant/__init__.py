# SPDX-License-Identifier: Apache-2.0
"""Quantize tensors, pack int4 and scatter the result into caches, on any OpenCL device.

    import clquant, numpy as np
    x = np.random.randn(4, 256).astype(np.float32)
    y, scales, offsets = clquant.dynamic_quantize(x, dtype="int4")

Operators take arrays of numpy, pyopencl and torch (on the CPU), and whatever has ``__dlpack__`` there; what they make is of
the library that the first one is of. ``docs/python.md`` is the manual.
"""

from ._buffers import Counts, Report, Workspace
from ._context import Context, Device, default_context, devices
from ._errors import DeviceError
from ._event import Event
from ._imported import watch as _watch
from ._library import include_dir, version
from ._model import Comparison, compare_model, quantize_model
from ._nvfp4 import nvfp4_scale
from ._operator import Array, Run, build, check_indices, workspace_bytes
from ._plan import Plan, enqueue_all, plan
from ._quantized import Quantized
from ._tensor import Tensor
from ._types import ElementTypeLike
from .arrays import empty, to_device, view, zeros
from .operators.dequantize import dequantize
from .operators.dynamic_quantize import dynamic_quantize
from .operators.dynamic_quantize_scatter import dynamic_quantize_scatter
from .operators.find_scales import Scales, find_scales
from .operators.group_quantize import group_quantize
from .operators.move_rows import move_rows
from .operators.quantize import quantize
from .operators.quantize_scatter import quantize_scatter

__version__ = version()
_watch()

__all__ = [
    "Array",
    "Comparison",
    "Context",
    "Counts",
    "Device",
    "DeviceError",
    "ElementTypeLike",
    "Event",
    "Plan",
    "Quantized",
    "Report",
    "Run",
    "Scales",
    "Tensor",
    "Workspace",
    "__version__",
    "build",
    "check_indices",
    "compare_model",
    "default_context",
    "dequantize",
    "devices",
    "dynamic_quantize",
    "dynamic_quantize_scatter",
    "empty",
    "enqueue_all",
    "find_scales",
    "group_quantize",
    "include_dir",
    "move_rows",
    "nvfp4_scale",
    "plan",
    "quantize",
    "quantize_model",
    "quantize_scatter",
    "to_device",
    "version",
    "view",
    "workspace_bytes",
    "zeros",
]
