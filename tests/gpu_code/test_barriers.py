# SPDX-License-Identifier: Apache-2.0
"""Barriers stand in the kernel itself, not in a function that it calls: drivers that inline no more than they are asked to
(Mesa 25's llvmpipe) end the process there. Clang at -O0 inlines what `CLQ_HAS_BARRIER` (cl/base/barrier.clh) says, and nothing else."""
import os
import re
import sys
import unittest

import limits
import measure

CL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cl")
TYPES = ("SRC", "DST", "SMOOTH", "PARAMS", "MODE")  # which choose no function that has a barrier


def shapes():
    """A variant of each kernel of a group for each choice of the plugs that choose functions."""
    found = {}
    for variant in limits.read_variants(f"{CL}/variants.txt"):
        if variant.plugs.get("FORM") == "group":
            rest = tuple(item for item in variant.plugs.items() if item[0] not in TYPES)
            found.setdefault((variant.file, rest), variant)
    return list(found.values())


def functions_with_barriers(file, plugs):
    """Their names: of the kernel, and of what stays a function."""
    command = [measure.CLANG, "-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-O0", "-I", CL, "-DKERNEL_NAME=the_kernel",
               *(f"-D{name}={value}" for name, value in plugs.items()), "-S", "-emit-llvm", "-o", "-", file]
    code = measure.run(command).stdout
    bodies = re.findall(r"^define [^@]*@(\w+)\((.*?)^}", code, re.MULTILINE | re.DOTALL)
    return [name for name, body in bodies if re.search(r"call [^\n]*@_Z7barrier", body)]


class Barriers(unittest.TestCase):
    def test_each_barrier_stands_in_the_kernel(self):
        found = set()

        for variant in shapes():
            with self.subTest(limits.text_of(variant)):
                names = functions_with_barriers(measure.path_of(CL, variant), variant.plugs)
                self.assertLessEqual(set(names), {"the_kernel"})
                found.update([variant.file] if names else [])
        self.assertEqual(found, {"dequantize_rotated.cl", "dynamic_quantize.cl", "find_scales.cl", "finish_scales.cl",
                               "quantize_blocks.cl", "quantize_rule.cl", "values.cl"})


if __name__ == "__main__":
    if measure.missing():
        print(f"skipped: {measure.missing()}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
