# SPDX-License-Identifier: Apache-2.0
"""same_code.py by itself: a change of the text alone is none, a change of the code is found on the targets that have it."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = f"{os.path.dirname(os.path.abspath(__file__))}/same_code.py"
KERNEL = """
#define WEIGHT 3
kernel void KERNEL_NAME(global uint *x)
{
    const uint value = x[0]; // a remark
    x[1] = WEIGHT * value;
}
"""
LIST = "some.cl FORM=item|group\ncpu/some.cl\n"


class Compared(unittest.TestCase):
    def compare(self, kernel, variants=LIST, *options):
        """Whether they are called the same, and what is printed, of a tree and another kernel and list."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text, lines in (("a", KERNEL, LIST), ("b", kernel, variants)):
                os.makedirs(f"{folder}/{name}/cl/cpu")
                for path, content in (("some.cl", text), ("cpu/some.cl", KERNEL), ("variants.txt", lines)):
                    with open(f"{folder}/{name}/cl/{path}", "w", encoding="ascii") as file:
                        file.write(content)
            result = subprocess.run([sys.executable, "-B", SCRIPT, f"{folder}/a", f"{folder}/b", *options], text=True,
                                    capture_output=True, check=False)
        if result.returncode == 77:
            self.skipTest(result.stdout)
        self.assertEqual(result.stderr, "")
        return result.returncode == 0, result.stdout

    def test_names_macros_and_remarks_are_no_code(self):
        same, said = self.compare("// other remarks\n" + re.sub("WEIGHT 3", "WEIGHT (1 + 2)", KERNEL).replace("value", "v"))
        self.assertTrue(same, said)
        self.assertIn("3 variants compared as 8 outputs", said)

    def test_another_constant_is_told_with_its_variants_and_targets(self):
        same, said = self.compare(KERNEL.replace("WEIGHT 3", "WEIGHT 5"))
        self.assertFalse(same, said)
        for line in ("avx2: some.cl FORM=item", "gfx906: some.cl FORM=group", "gfx1030: some.cl FORM=group",
                     "nvptx64: some.cl FORM=group"):
            self.assertIn(line, said)
        self.assertNotIn("cpu/some.cl\n", said)

    def test_only_the_text_that_is_asked_for_is_compared(self):
        same, said = self.compare(KERNEL.replace("WEIGHT 3", "WEIGHT 5"), LIST, "cpu/")
        self.assertTrue(same, said)

    def test_a_variant_of_one_tree_alone_is_a_difference(self):
        same, said = self.compare(KERNEL, "some.cl FORM=group\ncpu/some.cl\n")
        self.assertFalse(same, said)
        self.assertIn("in A alone: some.cl FORM=item", said)


if __name__ == "__main__":
    unittest.main()
