# SPDX-License-Identifier: Apache-2.0
"""Rows that no index, slot or group reaches: zeros in outputs that are made, in memory where something else was."""

import pytest
from processes import run

# Every allocation of the process is full of other bytes, and large enough that no cache of small ones gives it.
SCRIPT = """
import itertools, numpy as np, clquant, ml_dtypes
kind = {kind!r}
if kind == "torch":
    import torch
    make, back = torch.from_numpy, lambda array: array.float().numpy()
elif kind == "pyopencl":
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it warns of at its import is its own
        import pyopencl, pyopencl.array
    queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False), properties={order})
    make, back = lambda array: pyopencl.array.to_device(queue, array), lambda array: array.get()
elif kind == "tensor":
    make, back = clquant.to_device, lambda array: array.numpy()
else:
    make, back = lambda array: array, lambda array: array
rows, size = 16, 4096
x, q = np.ones((rows, size), np.float32), np.ones((2, rows, size), np.int8)
x[:, ::2] = -3
groups = np.array([3, 5, 4, 9])  # decreasing in one place, and the last rows are of no group

def check(name, made, reached):
    made = [np.asarray(back(array)).reshape(len(reached), -1).view(np.uint8) for array in made]
    for array in made:
        assert not array[~reached].any(), name
        assert array[reached].any(), name

def twice(function, *args, **options):
    yield function(*args, **options)
    yield clquant.plan(function, *args, **options)()

nobody, some = np.zeros(3, bool), np.array([False, True, False])
for indices, reached, options in [
    ([-1, 5, 99], some, dict(index_kind="slots")),
    ([[0, -2], [1, 3], [7, 0]], some, dict()),
    ([-1, -1, -1], nobody, dict(index_kind="slots")),
]:
    for dtype in ("float32", "float16", "bfloat16"):
        for y in twice(clquant.dequantize, make(q), 1.0, indices=np.array(indices), axis=1, dtype=dtype, **options):
            if not reached.any():
                assert not np.asarray(back(y)).view(np.uint8).any()
            else:
                check(f"dequantize {{dtype}}", [y], reached)

grouped = np.arange(rows) < 9
for y in twice(clquant.dequantize, make(q[0]), np.ones((4, size), np.float32), group_index=groups):
    check("dequantize of groups", [y], grouped)
types = ["int8", "int4", "uint4", "float8_e5m2"] + ([ml_dtypes.int4] if kind == "numpy" else [])
for dtype in types:
    for y in twice(clquant.group_quantize, make(x), np.full((4, size), 3, np.float32), groups, dtype=dtype):
        check(f"group_quantize {{dtype}}", [y], grouped)
for symmetric in (False, True):
    wide, ones = np.concatenate([x] * 32), np.ones((4, size), np.float32)  # so that scales are large too
    reached = np.arange(len(wide)) < 9
    for made in twice(clquant.dynamic_quantize, make(wide), ones, group_index=groups, symmetric=symmetric):
        check("dynamic_quantize", [array for array in made if array is not None], reached)
for axis, options in ((0, {{}}), (-1, dict(block_all=True))):  # offsets of rows of no elements
    made = clquant.dynamic_quantize(make(np.zeros((0, size), np.float32)), axis=axis, **options)
    print({{float(np.abs(np.asarray(back(made.offsets))).max())}})
"""


@pytest.mark.parametrize(
    ("kind", "order"),
    [
        ("numpy", None),
        ("torch", None),
        ("tensor", None),
        ("pyopencl", 0),
        ("pyopencl", "pyopencl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE"),
    ],
)
def test_rows_that_nothing_reaches(kind, order):
    if kind in ("torch", "pyopencl"):
        pytest.importorskip(kind)
    code, said, wrong = run(SCRIPT.format(kind=kind, order=order), MALLOC_PERTURB_="90")
    assert (code, said) == (0, "{127.0}\n{127.0}\n"), wrong
