# SPDX-License-Identifier: Apache-2.0
"""What a user's type checker sees of the package. A line that must be refused says so; mypy finds one that is not."""

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
