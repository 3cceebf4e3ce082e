# SPDX-License-Identifier: Apache-2.0
"""Random tensors by PyTorch's quantize_per_tensor and quantize_per_channel and by the command, which multiplies with
1 / scale: every value is alike.

77: no PyTorch. --seed N repeats a run."""
import sys
import tempfile

import draw
from files import SKIPPED, numpy, quantized

try:
    import torch
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(SKIPPED)

DTYPES = {"INT8": torch.qint8, "UINT8": torch.quint8}


def theirs(dtype, x, scales, zero_points, axis):
    x = torch.from_numpy(x)
    if axis is None:
        q = torch.quantize_per_tensor(x, float(scales[0]), int(zero_points[0]), DTYPES[dtype])
    else:
        q = torch.quantize_per_channel(x, torch.from_numpy(scales), torch.from_numpy(zero_points.astype(numpy.int64)),
                                       axis, DTYPES[dtype])
    return q.int_repr().numpy()


def main():
    random = draw.generator()
    values, other_order = 0, 0

    with tempfile.TemporaryDirectory() as folder:
        for dtype in DTYPES:
            for axis in (None, 0, 1, 2):
                words = ["--mode", "multiply"] + ([] if axis is None else ["--axis", str(axis)])
                scales, zeros = draw.scales_of(random, axis), draw.zero_points_of(random, dtype, axis)
                inverses = numpy.float32(1) / scales
                x = draw.values_of(random, dtype, inverses, axis, multiply=True)
                got = quantized(folder, x, inverses, zeros, dtype, *words, "--round-first")
                plain = quantized(folder, x, inverses, zeros, dtype, *words)
                # Past int32 PyTorch's conversion overflows: such a value may come out at the other end.
                with numpy.errstate(over="ignore", invalid="ignore"):
                    is_huge = numpy.abs(x * draw.along(inverses, axis)) >= 2**31
                want = numpy.where(is_huge, got, theirs(dtype, x, scales, zeros, axis))
                other_order += draw.compare(f"PyTorch, to {dtype}, axis {axis}", x, got, want, plain)
                values += x.size
    print(f"torch {torch.__version__}: {values} values alike; without --round-first {other_order} differ")
    sys.exit(other_order == 0)


main()
