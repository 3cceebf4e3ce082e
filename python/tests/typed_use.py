# SPDX-License-Identifier: Apache-2.0
"""What a user's type checker sees of the package. A line that must be refused says so; mypy and pyright find one that is not."""
# pyright: basic, reportUnnecessaryTypeIgnoreComment=true

import numpy as np

import clquant

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
names: list[str] = [device.name for device in clquant.devices()]

clquant.quantize(x)  # type: ignore[call-arg]
clquant.quantize(x, 0.5, axes=1)  # type: ignore[call-arg]
clquant.quantize(x, 0.5, axis="last")  # type: ignore[arg-type]
clquant.quantize(x, 0.5, context="CPU")  # type: ignore[arg-type]
text: str = report.read().first  # type: ignore[assignment]

clquant.quantize(x, 0.5, dtype="int88")  # type: ignore[arg-type]
clquant.quantize(x, 0.5, dtype="float32")  # type: ignore[arg-type]
clquant.quantize(x, 0.5, mode="add")  # type: ignore[arg-type]
clquant.dequantize(x, 0.5, dtype="int8")  # type: ignore[arg-type]
clquant.dequantize(x, 0.5, index_kind="slot")  # type: ignore[arg-type]
clquant.find_scales(x, dtype="int32")  # type: ignore[arg-type]
clquant.find_scales(x, method="max")  # type: ignore[arg-type]
clquant.group_quantize(x, x, x, dtype="uint8")  # type: ignore[arg-type]
clquant.dynamic_quantize(x, scale_dtype="int8")  # type: ignore[arg-type]
clquant.empty((4,), "int5")  # type: ignore[arg-type]
clquant.view(x, "bfloat")  # type: ignore[arg-type]
clquant.Context(form="spiral")  # type: ignore[arg-type]
for of in (np.int8, np.dtype("int8"), clquant.to_device(x, "float32").dtype):
    clquant.quantize(x, 0.5, dtype=of)
