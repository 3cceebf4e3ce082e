# SPDX-License-Identifier: Apache-2.0
"""Tensors drawn by chance, of which many values are ties: what others' results and the command's are compared of."""
import sys

from files import TYPES, numpy

SHAPE = (6, 40, 32)


def generator():
    """Of --seed N, or of chance, which is printed."""
    seed = int(sys.argv[2]) if sys.argv[1:2] == ["--seed"] else numpy.random.SeedSequence().entropy % (1 << 32)
    print("seed", seed)
    return numpy.random.default_rng(seed)


def range_of(dtype):
    _, _, bits, signed = TYPES[dtype]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def scales_of(random, axis):
    """One, or one per index: powers of two, by which halves are ties, and any."""
    count = 1 if axis is None else SHAPE[axis]
    powers = numpy.exp2(random.integers(-6, 6, count))
    return numpy.where(random.random(count) < 0.5, powers, random.uniform(0.01, 20, count)).astype(numpy.float32)


def zero_points_of(random, dtype, axis):
    low, high = range_of(dtype)
    count = 1 if axis is None else SHAPE[axis]
    return random.integers(low, high + 1, count).astype(numpy.int8 if low < 0 else numpy.uint8)


def along(values, axis):
    """As an array that x is divided by."""
    return values if axis is None else values.reshape([-1 if d == axis else 1 for d in range(len(SHAPE))])


def values_of(random, dtype, scales, axis, multiply=False):
    """float32: halves of a step, values about the range, and a few that are huge, infinite, subnormal or NaN."""
    low, high = range_of(dtype)
    steps = random.integers(2 * (low - high), 2 * (high - low), SHAPE) / 2
    steps = numpy.where(random.random(SHAPE) < 0.3, random.normal(0, high - low, SHAPE), steps).astype(numpy.float32)
    x = steps / along(scales, axis) if multiply else steps * along(scales, axis)
    rare = numpy.array([0, -0.0, 1e30, -1e30, numpy.inf, -numpy.inf, 1e-40, -1e-40, numpy.nan, 3e38], numpy.float32)
    return numpy.where(random.random(SHAPE) < 0.02, random.choice(rare, SHAPE), x).astype(numpy.float32)


def compare(title, x, got, want, plain):
    """Every value but NaN, of which the command makes 0. Returns in how many the other order differs."""
    is_nan = numpy.isnan(x)
    wrong = numpy.argwhere((got != want) & ~is_nan)
    if wrong.size:
        at = tuple(wrong[0])
        first = f"the first at {at}: x {x[at]!r}, {got[at]}, not {want[at]}"
        raise SystemExit(f"{title}: {len(wrong)} of {x.size} differ, {first}")
    if got[is_nan].any():
        raise SystemExit(f"{title}: a NaN is not 0")
    return int(((plain != want) & ~is_nan).sum())
