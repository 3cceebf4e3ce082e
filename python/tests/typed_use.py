# SPDX-License-Identifier: Apache-2.0
"""What a user's type checker sees of the package. A line that must be refused says so; mypy and pyright find one that is not."""
# pyright: basic, reportUnnecessaryTypeIgnoreComment=true

from typing import Any

import numpy as np
from typing_extensions import assert_type

import clquant

Numpy = np.ndarray[Any, Any]
x = np.ones((4, 8), np.float32)
context: clquant.Context = clquant.Context("CPU", form="item")
clquant.quantize(x, 0.5, dtype=np.int8, axis=0, mode="multiply", context=context, wait_for=[], events=[])
made: clquant.Quantized = clquant.dynamic_quantize(x, symmetric=True)
scales, zero_points = clquant.find_scales(x, axis=-1)
plan: clquant.Plan = clquant.plan(clquant.quantize, x, 0.5)
plan(x=x, wait_for=None)
report = clquant.Report(context)
dropped: int = report.read().dropped
number: int = clquant.workspace_bytes(clquant.quantize_scatter, x, x, x, 0.5)
errors: dict[str, float] = clquant.quantize_model("in.safetensors", "out", dtype="int8", skip="*.bias")
names: list[str] = [device.name for device in clquant.devices()]

clquant.quantize(x)  # type: ignore[call-overload]
clquant.quantize(x, 0.5, axes=1)  # type: ignore[call-overload]
clquant.quantize(x, 0.5, axis="last")  # type: ignore[call-overload]
clquant.quantize(x, 0.5, context="CPU")  # type: ignore[call-overload]
text: str = report.read().first  # type: ignore[assignment]

clquant.quantize(x, 0.5, dtype="int88")  # type: ignore[call-overload]
clquant.quantize(x, 0.5, dtype="float32")  # type: ignore[call-overload]
clquant.quantize(x, 0.5, mode="add")  # type: ignore[call-overload]
clquant.dequantize(x, 0.5, dtype="int8")  # type: ignore[call-overload]
clquant.dequantize(x, 0.5, index_kind="slot")  # type: ignore[call-overload]
clquant.find_scales(x, dtype="int32")  # type: ignore[call-overload]
clquant.find_scales(x, method="max")  # type: ignore[call-overload]
clquant.group_quantize(x, x, x, dtype="uint8")  # type: ignore[call-overload]
clquant.dynamic_quantize(x, scale_dtype="int8")  # type: ignore[call-overload]
clquant.quantize_model("in.safetensors", "out", to="gguf")  # type: ignore[arg-type]
clquant.empty((4,), "int5")  # type: ignore[arg-type]
clquant.view(x, "bfloat")  # type: ignore[arg-type]
clquant.Context(form="spiral")  # type: ignore[arg-type]
for of in (np.int8, np.dtype("int8"), clquant.to_device(x, "float32").dtype):
    clquant.quantize(x, 0.5, dtype=of)

there = clquant.to_device(x)
assert_type(clquant.quantize(x, 0.5), Numpy)
assert_type(clquant.quantize([1.0, 2.0], 0.5, dtype="int4"), Numpy)
assert_type(clquant.quantize(there, 0.5, axis=0), clquant.Tensor)
assert_type(clquant.dynamic_quantize(x).y, Numpy)
assert_type(clquant.dequantize(clquant.dynamic_quantize(x)), Numpy)
assert_type(clquant.dequantize(clquant.dynamic_quantize(there, block=2)), clquant.Tensor)
assert_type(clquant.find_scales(there).scales, clquant.Tensor)
assert_type(clquant.group_quantize(there, there, there), clquant.Tensor)
assert_type(clquant.quantize_scatter(x, x, x, 0.5), Numpy)


class LikeTorch:
    """A tensor of torch, where there is no torch to look at."""

    def data_ptr(self) -> int:
        """As torch has it."""
        return 0


assert_type(clquant.quantize(LikeTorch(), 0.5), LikeTorch)
assert_type(clquant.dequantize(clquant.dynamic_quantize(LikeTorch())), LikeTorch)
