# SPDX-License-Identifier: Apache-2.0
"""The judge by itself: what is read from the compiler's output of kernels whose code is known, and what is said of figures
that break a limit, keep it, or no longer need it."""
import os
import sys
import tempfile
import unittest

import limits
import measure

BARS = "bar * : scratch=0 registers=96 code=16384 load=16 store=16\nbar * ARITHMETIC=native : registers=64\n"
# Eight values a round, and no private memory. The tail is what the compiler must not take for it.
WIDE = """
kernel void KERNEL_NAME(global const uint4 *restrict x, global float4 *restrict y, ulong n)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = convert_float4(x[i]) * 3.0f;
    for (ulong i = 0; i < n % 4; i++)
        ((global float *)y)[i] = ((global const uint *)x)[i] * 3.0f;
}
"""
# Scales of 16 bytes beside values of one: the values count, not the wide index of the loop around them, nor what is done
# once.
NARROW = """
kernel void KERNEL_NAME(global const uchar *restrict x, global const float4 *restrict scales, global float4 *restrict y,
                        global const ulong2 *restrict indices, ulong n)
{
    for (ulong k = get_global_id(0); k < n; k += get_global_size(0)) {
        const ulong2 at = indices[k];
        for (ulong i = at.x; i < at.y; i++)
            y[i] = scales[i] * x[5 * i];
    }
    y[n] = scales[n];
}
"""
# An array that no register can be, because its index is known at run time alone.
ARRAY = """
kernel void KERNEL_NAME(global uint *x, ulong n)
{
    uint last[64];
    for (uint i = 0; i < 64; i++)
        last[i] = x[i];
    for (ulong i = 0; i < n; i++)
        last[x[i] % 64] += x[i];
    for (ulong i = 0; i < n; i++)
        x[i] = last[x[i] % 64];
}
"""


def row(text, target="gfx906", **figures):
    kernel, *words = text.split()
    plugs = dict(word.split("=") for word in words)
    return limits.Row(limits.Variant(kernel, plugs), target,
                      {"scratch": 0, "registers": 50, "code": 4000, "waves": 4, "load": 16, "store": 16, **figures}, {})


def judge(text, *rows, others=()):
    """Faults and remarks. The others are rows that were not measured."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        rules = limits.read_rules(file.name)
    faults, remarks = limits.judge_exceptions(rules, rows, [*rows, *others])
    return limits.judge(rules, rows) + faults, remarks


class Judge(unittest.TestCase):
    def test_what_keeps_the_bars_is_not_mentioned(self):
        self.assertEqual(judge(BARS, row("a.cl ARITHMETIC=native"), row("a.cl ARITHMETIC=exact", registers=96)), ([], []))

    def test_each_measure_over_its_bar_is_a_fault(self):
        for worse in ({"scratch": 4}, {"registers": 65}, {"code": 16388}, {"load": 8}, {"store": 8}):
            faults, _ = judge(BARS, row("a.cl ARITHMETIC=native", **worse))
            self.assertEqual(len(faults), 1, worse)
            self.assertIn(next(iter(worse)), faults[0])

    def test_what_a_target_does_not_have_is_not_judged(self):
        self.assertEqual(judge(BARS, row("a.cl", registers=None, code=None)), ([], []))

    def test_an_exception_holds_for_what_it_names_and_no_further(self):
        text = BARS + "except a.cl SRC=f16|bf16 TARGET=gfx906 : registers=128 : why\n"
        self.assertEqual(judge(text, row("a.cl SRC=bf16", registers=128)), ([], []))
        for other in (row("a.cl SRC=bf16", registers=129), row("a.cl SRC=f32", registers=128),
                      row("b.cl SRC=f16", registers=128), row("a.cl SRC=f16", "gfx1030", registers=128)):
            self.assertEqual(len(judge(text, row("a.cl SRC=f16", registers=110), other)[0]), 1)

    def test_an_exception_that_is_no_longer_needed_is_a_fault(self):
        text = BARS + "except a.cl : scratch=640 load=2 : why\n"
        self.assertEqual(judge(text, row("a.cl", scratch=600, load=2)), ([], []))
        self.assertIn("scratch=640 is no longer needed", judge(text, row("a.cl", load=2))[0][0])
        self.assertIn("load=2 is no longer needed", judge(text, row("a.cl", scratch=600))[0][0])

    def test_an_exception_for_no_variant_is_a_fault(self):
        text = BARS + "except b.cl : scratch=640 : why\n"
        self.assertEqual(len(judge(text, row("a.cl"))[0]), 1)
        self.assertEqual(judge(text, row("a.cl"), others=[row("b.cl")]), ([], []))

    def test_of_two_exceptions_the_last_one_counts(self):
        text = BARS + "except a.cl : scratch=640 : why\nexcept a.cl SRC=f16 : scratch=64 : why\n"
        self.assertEqual(judge(text, row("a.cl SRC=f32", scratch=600), row("a.cl SRC=f16", scratch=64)), ([], []))
        self.assertEqual(len(judge(text, row("a.cl SRC=f32", scratch=600), row("a.cl SRC=f16", scratch=68))[0]), 1)

    def test_a_limit_far_from_what_is_measured_is_mentioned(self):
        text = BARS + "except a.cl : scratch=640 load=2 : why\n"
        self.assertEqual(judge(text, row("a.cl", scratch=500, load=4))[0], [])
        self.assertEqual(len(judge(text, row("a.cl", scratch=500, load=4))[1]), 2)

    def test_a_file_of_limits_with_a_slip_is_refused(self):
        for slip in ("ecxept a.cl : scratch=1 : why", "except a.cl : scrach=1 : why", "except a.cl : scratch=1"):
            with self.assertRaises(ValueError, msg=slip):
                judge(slip + "\n")


@unittest.skipIf(measure.missing(), measure.missing())
class Measure(unittest.TestCase):
    def figures(self, source):
        """By target."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.cl"), "w", encoding="ascii") as file:
                file.write(source)
            return {target: measure.read(measure.compile_kernel(folder, limits.Variant("a.cl", {}), target), target)
                    for target in measure.PRESENT}

    def test_wide_loads_in_registers(self):
        for target, figures in self.figures(WIDE).items():
            self.assertEqual((figures["scratch"], figures["load"], figures["store"]), (0, 16, 16), target)
            if target != "nvptx64":
                self.assertLess(figures["registers"], 64)
                self.assertLess(figures["code"], 4096)
                self.assertGreater(figures["waves"], 3)

    def test_narrow_values_between_wide_scales_and_indices(self):
        for target, figures in self.figures(NARROW).items():
            self.assertEqual(figures["load"], 1, target)

    def test_narrow_stores_of_wide_loads(self):
        source = WIDE.replace("float4 *restrict y", "float *restrict y")
        source = source.replace("y[i] = convert_float4(x[i])", "y[5 * i] = convert_float(x[i].x)")
        for target, figures in self.figures(source).items():
            self.assertEqual(figures["store"], 4, target)

    def test_an_array_in_scratch(self):
        for target, figures in self.figures(ARRAY).items():
            self.assertGreaterEqual(figures["scratch"], 256, target)

    def test_a_kernel_with_a_call_has_no_figures(self):
        source = """__attribute__((noinline)) static float of(global const float *x) { return x[get_global_id(0)]; }
            kernel void KERNEL_NAME(global float *x) { x[0] = of(x) + of(x + 1); }"""
        with self.assertRaises(measure.CompileError):
            self.figures(source)


if __name__ == "__main__":
    if measure.missing():
        print(f"gpu_code: the compiler's part is skipped, {measure.missing()}", file=sys.stderr)
    unittest.main()
