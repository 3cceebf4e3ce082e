# SPDX-License-Identifier: Apache-2.0
"""The operators as docs/operators.md has them, in numpy: every step one operation of binary32. Nothing of clquant is used."""

import ml_dtypes
import numpy as np

F32 = np.float32
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int32": (-(2**31), 2**31 - 1), "int4": (-8, 7), "uint4": (0, 15)}
TOPS = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "float4_e2m1fn": 6.0}  # floats
EMAX = {"float8_e4m3fn": 8, "float8_e5m2": 15, "float4_e2m1fn": 2}
FRACTION_BITS = {"float8_e4m3fn": 3, "float8_e5m2": 2, "float4_e2m1fn": 1}
NAMES = [*RANGES, *TOPS]
CACHED = [name for name in NAMES if name != "int32"]
PACKED = [name for name in NAMES if "4" in name.partition("_")[0]]  # two in a byte
HOLDERS = {"int8": np.int8, "uint8": np.uint8, "int32": np.int32, "int4": np.int8, "uint4": np.uint8}


def store(values, dtype):
    """Round and saturate binary32 values to a type; of four bits an element a byte, of floats the codes."""
    if dtype in TOPS:
        codes = np.clip(values, -TOPS[dtype], TOPS[dtype]).astype(getattr(ml_dtypes, dtype)).view(np.uint8)
        return np.where(np.isnan(values), np.uint8(0 if dtype in PACKED else 0x7F), codes)
    low, high = RANGES[dtype]
    rounded = np.clip(np.rint(values).astype(np.float64), low, high)
    return np.where(np.isnan(values), 0, rounded).astype(HOLDERS[dtype])


def pack(elements):
    """Two elements of four bits to a byte, the low half first."""
    nibbles = elements.astype(np.uint8) & 15
    return nibbles[..., 0::2] | nibbles[..., 1::2] << 4


def unpack(packed, signed=True):
    """The elements of bytes that hold two."""
    elements = np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1).astype(np.int8)
    return (elements ^ 8) - 8 if signed else elements.astype(np.uint8)


def stored(y, dtype):
    """The elements of a result as ``store`` has them."""
    if dtype in PACKED:
        return unpack(np.asarray(y), dtype == "int4")
    return y.view(np.uint8) if dtype in TOPS else y


def values(y, dtype):
    """The elements of a result as numpy can widen them."""
    return stored(y, dtype).view(getattr(ml_dtypes, dtype)) if dtype in TOPS else stored(y, dtype)


def quantize(x, scale, zero_point=None, *, dtype="int8", mode="divide", round_first=False):
    """Scale and zero point must broadcast to x."""
    x, scale = x.astype(F32), np.asarray(scale).astype(F32)
    with np.errstate(all="ignore"):
        value = x / scale if mode == "divide" else x * scale
        if round_first and dtype not in TOPS:
            value = np.rint(value)
        if zero_point is not None:
            value = value + np.asarray(zero_point).astype(F32)
    return store(value, dtype)


def dequantize(q, scale, shift=None, *, mode="divide", dtype="float32"):
    """Shift is a zero point, or in dynamic mode an offset; q holds whole numbers or floats."""
    value, scale = q.astype(F32), np.asarray(scale).astype(F32)
    with np.errstate(all="ignore"):
        if shift is not None:
            shift = np.asarray(shift).astype(F32)
            value = value + shift if mode == "dynamic" else value - shift
        value = value / scale if mode == "multiply" else value * scale
    return value.astype(getattr(ml_dtypes, dtype, None) or dtype)


def larger(a, b):
    """A > b ? a : b."""
    return np.where(a > b, a, b).astype(F32)


def dynamic(x, dtype="int8", *, axis=-1, symmetric=False, type_max=0.0):
    """y, scales and offsets of x, whose indices of an axis share a scale; scales keep the dimension, with size 1."""
    x = x.astype(F32)
    with np.errstate(all="ignore"):
        if symmetric or dtype in TOPS:
            amax = np.nanmax(np.abs(x), axis=axis, keepdims=True, initial=0)
            top = type_max or TOPS.get(dtype) or RANGES[dtype][1]
            scale = larger(amax / F32(top), F32(1e-12))
            return store(x * (F32(1) / scale), dtype), scale, None
        nothing = np.isnan(x).all(axis=axis, keepdims=True)
        most = np.where(nothing, 0, np.nanmax(x, axis=axis, keepdims=True, initial=-np.inf)).astype(F32)
        least = np.where(nothing, 0, np.nanmin(x, axis=axis, keepdims=True, initial=np.inf)).astype(F32)
        low, high = RANGES[dtype]
        scale = larger((most - least) / F32(high - low), F32(1e-12))
        off = F32(high) - most / scale
        return store(x * (F32(1) / scale) + off, dtype), scale, -off


def mx_codes(magnitude, rule, dtype):
    """The scale's code for each largest magnitude, NaN where a block has one."""
    if rule == "mx_rceil":
        g = (magnitude / F32(TOPS[dtype])).view(np.uint32)
        field, fraction = (g >> 23).astype(np.int64), g & 0x7FFFFF
        codes = np.where(field == 0, fraction > 1 << 22, np.minimum(field + (fraction != 0), 254))
    else:
        bits = magnitude.view(np.uint32).astype(np.int64)
        if rule == "mx_even":
            step = 1 << (23 - FRACTION_BITS[dtype])
            bits = (bits + step // 2) // step * step
        exponent = (bits >> 23) - 127 + ((rule == "mx_ceil") & (bits & 0x7FFFFF != 0))
        codes = np.clip(exponent - EMAX[dtype], -127, 128) + 127
    return np.where(np.isnan(magnitude), 255, codes).astype(np.uint8)


def by_rule(blocks, rule, dtype):
    """Codes of values, and of scales, of [.., n] blocks, by a rule of MX or NVFP4."""
    x = blocks.astype(F32)
    with np.errstate(all="ignore"):
        if rule == "nvfp4":
            magnitude = np.nanmax(np.abs(np.where(np.isnan(x), F32(0), x)), axis=-1, keepdims=True)
            codes = store(np.maximum(magnitude / F32(6), F32(2**-6)), "float8_e4m3fn")
            value = x * (F32(1) / codes.view(ml_dtypes.float8_e4m3fn).astype(F32))
        else:
            codes = mx_codes(np.max(np.abs(x), axis=-1, keepdims=True), rule, dtype)
            power = codes.astype(np.int64)
            scale = np.ldexp(F32(1), np.where(power == 0, 0 if rule == "mx_rceil" else -126, power - 127)).astype(F32)
            value = x * np.ldexp(F32(1), 127 - power).astype(F32) if rule == "mx_rceil" else x / scale
            value = np.where((power == 0) & (rule == "mx_rceil"), x, value)
            value = np.where((power == 255) & ~np.isnan(x), np.copysign(F32(0), x), value)
        return store(value.astype(F32), dtype), codes


def rotate(x, size):
    """Turn each ``size`` neighbours by the Walsh-Hadamard matrix, in the order that is documented."""
    v = x.astype(F32).reshape(-1, size)
    half = 1
    while half < size:
        blocks = v.reshape(-1, size // (2 * half), 2, half)
        a, b = blocks[:, :, 0], blocks[:, :, 1]
        v = np.stack([a + b, a - b], 2).reshape(-1, size)
        half *= 2
    return (v * F32(1 / np.sqrt(size))).reshape(x.shape)


def scales_of(x, axis, *, dtype="int8", method="absmax", mode="divide"):
    """Scales and zero points of find_scales; axis is the dimensions that share one."""
    x = np.where(np.isfinite(x.astype(F32)), x.astype(F32), F32(0))
    most = np.max(x, axis=axis, initial=0)
    least = np.min(x, axis=axis, initial=0)
    low, high = RANGES.get(dtype, (0, 0))
    zero = 0
    with np.errstate(all="ignore"):
        if method == "absmax":
            span, steps = np.maximum(most, -least), F32(TOPS.get(dtype) or (127 if dtype.endswith("8") else 7))
            zero = {"uint8": 128, "uint4": 8}.get(dtype, 0)
        else:
            span, steps = most * F32(0.5) - least * F32(0.5), F32((high - low) / 2)
        scale = (
            np.maximum(span / steps, F32(2.0**-100)) if mode == "divide" else np.minimum(steps / span, F32(2.0**100))
        ).astype(F32)
        if method == "minmax":
            steps_to_zero = np.rint(-least / scale if mode == "divide" else -least * scale)
            zero = low + np.minimum(steps_to_zero, high - low)
    return scale, np.broadcast_to(np.asarray(zero), scale.shape).astype(np.int32)


def group_of(group_index, row):
    """The group of a row, by the documented search."""
    low, high = 0, len(group_index)
    while low < high:
        middle = (low + high) // 2
        if group_index[middle] <= row:
            low = middle + 1
        else:
            high = middle
    return low
