# SPDX-License-Identifier: Apache-2.0
"""The reference's float8 are those of the package ml_dtypes, clamped first and NaN apart.

float8_casts.py PROGRAM: all float16 and bfloat16, the ties and their neighbours, and a sample of binary32. Exit status 77: the
package is not there, and nothing was compared.
"""
import subprocess
import sys

try:
    import ml_dtypes
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

FORMATS = ((ml_dtypes.float8_e4m3fn, 448.0), (ml_dtypes.float8_e5m2, 57344.0))


def inputs():
    """What is compared, as binary32."""
    every = numpy.arange(65536, dtype=numpy.uint16)
    kinds = [every.view(numpy.float16).astype(numpy.float32), every.view(ml_dtypes.bfloat16).astype(numpy.float32)]
    for kind, _ in FORMATS:
        codes = numpy.arange(256, dtype=numpy.uint8).view(kind).astype(numpy.float32)
        codes = numpy.sort(codes[numpy.isfinite(codes)])
        ties = (codes[1:] + codes[:-1]) / numpy.float32(2)
        kinds += [codes, ties, numpy.nextafter(ties, numpy.float32(-1e9)), numpy.nextafter(ties, numpy.float32(1e9))]
    bits = numpy.random.default_rng(1).integers(0, 2**32, 1 << 20, dtype=numpy.uint32)
    middle = bits & 0x87FFFFFF | 0x38000000  # exponents about those of the types
    return numpy.concatenate(kinds + [bits.view(numpy.float32), middle.view(numpy.float32)])


def main(program):
    """Says the first difference of each format."""
    values, wrong = inputs(), 0
    written = subprocess.run([program], input=values.tobytes(), stdout=subprocess.PIPE, check=True).stdout
    read = subprocess.run([program, "read"], stdout=subprocess.PIPE, check=True).stdout
    codes = numpy.frombuffer(written, numpy.uint8).reshape(-1, 2)
    numbers = numpy.frombuffer(read, numpy.float32).reshape(2, 256)
    for i, (kind, top) in enumerate(FORMATS):
        with numpy.errstate(invalid="ignore"):
            wanted = numpy.clip(values, -top, top).astype(kind).view(numpy.uint8)
        wanted[numpy.isnan(values)] = 0x7F
        differ = numpy.flatnonzero(codes[:, i] != wanted)
        if differ.size:
            at = differ[0]
            print(f"{kind.__name__}: {values[at]!r} gives {codes[at, i]:#x}, not {wanted[at]:#x}; {differ.size} differ")
        known = numpy.arange(256, dtype=numpy.uint8).view(kind).astype(numpy.float32)
        same = numpy.array_equal(numbers[i], known, equal_nan=True) and numpy.array_equal(
            numpy.signbit(numbers[i])[~numpy.isnan(known)], numpy.signbit(known)[~numpy.isnan(known)])
        if not same:
            print(f"{kind.__name__}: a code is read as another value")
        wrong += differ.size + (not same)
    print(f"{values.size} values, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
