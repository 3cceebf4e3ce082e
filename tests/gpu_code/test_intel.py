# SPDX-License-Identifier: Apache-2.0
"""The reader of Intel's assembly by itself, with pieces of real output, and with kernels whose code is known where ocloc is; and
the figures that are kept."""
import os
import sys
import tempfile
import unittest

import intel
import kept
import limits
import measure
import test_judge

LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "limits.txt")
# dg2's loop of test_judge.WIDE, some lines left out. Before it a read of local memory, of a block that all share and of one
# lane; behind it the tail, narrower and not straight.
DATA_CACHE = """//.simd 16
//.private 0
//.instCount 89
//.spill size 1472
// B002: Preds:{B001},  Succs:{B003, B006}
(W)     mul (1|M0)               acc0.0<1>:d   r6.5<0;1,0>:d     r2.2<0;1,0>:uw   {A@1}              // $3
(W)     mach (1|M0)              r7.0<1>:d     r6.5<0;1,0>:d     r2.1<0;1,0>:d                       // $5
(~f0.0) goto (16|M0)                         _0_014            _0_014                                // $11
// B004: [inDivergent],  Preds:{B005, B003},  Succs:{B005, B006}
_0_016:
        send.dc1 (16|M0)         r38      r2      null:0  0x0            0x04405CFE           {A@1,$5} // wr:2+0, rd:4; untyped surface read with xy // $2285
(W)     send.dc0 (8|M0)          r15      r16     null:0  0x0            0x02184200           {A@7,$1} // wr:1h+0, rd:1; oword aligned block read x2 // $16
(W)     send.dc0 (1|M0)          r30      r29     null:0  0x0            0x02110800           {A@1,$9} // wr:1+0, rd:1; byte gathering read 32b // $104
        send.dc1 (16|M0)         r16      r14     null:0  0x0            0x04805000           {A@1,$4} // wr:2+0, rd:8; untyped surface read with xyzw // $18
        bfn.(s0&s1|s2) (16|M0)   r40.0<1>:ud   r12.0<1;0>:ud     r6.1<0;0>:ud      r7.0<0>:ud        // $31
        mul (16|M0)              r32.0<1>:f    r24.0<1;1,0>:f    0x40400000:f               {Compacted,F@4} // $23
        send.dc1 (16|M0)         null     r40     r32:4   0x0            0x04025001           {A@1,$3} // wr:2+4, rd:0; untyped surface write with xy // $33
(~f1.1) goto (16|M0)                         _0_014            _0_014                                // $43
// B005: [inDivergent],  Preds:{B004},  Succs:{B004}
_0_017:
        mov (16|M0)              r8.0<1>:f     r42.0<1;1,0>:f                   {Compacted}          // $45
(W)     jmpi                                 _0_016                                                  // $46
// B006: Preds:{B004, B002},  Succs:{B007, B010}
_0_014:
        join (16|M0)                         L760                                                    //
L760:
        send.dc0 (16|M0)         r38      r2      null:0  0x0            0x04210101           {A@1,$0} // wr:2+0, rd:2; byte gathering read 8b // $2444
"""
# The same of pvc, whose messages have words of their own, and whose goto has the label back as its second.
LOAD_STORE = """//.simd 32
//.private 256
//.instCount 83
// B002: Preds:{B001},  Succs:{B003, B005}
        load.ugm.d32x64t.a32.ca.ca (1|M0)  r4:4 bti[255][r127:1]   {I@1,$2} // ex_desc:0xFF000000; desc:0x6248F500 // $3209
(~f0.0) goto (32|M0)                         _0_014            _0_014                                // $11
// B004: [inDivergent],  Preds:{B004, B003},  Succs:{B005, B004}
_0_016:
        load.slm.d32x2.a32 (32|M0)  r24:4       [r22:2]            {I@1,$13} // ex_desc:0x0; desc:0x4401500 // $2668
        load.ugm.d32x4.a64 (32|M0)  r12:8       [r8:4]             {A@1,$5} // ex_desc:0x0; desc:0x8803580 // $18
        mul (16|M16)             acc0.0<1>:ud  r69.0<1;1,0>:ud   r2.2<0;1,0>:uw                      // $33
        macl (16|M16)            r70.0<1>:ud   r69.0<1;1,0>:ud   r2.1<0;1,0>:ud                      // $33
        mul (32|M0)              r28.0<1>:f    r20.0<1;1,0>:f    0x40400000:f               {F@4}    // $23
        store.ugm.d16u32.a64 (32|M0)  [r36:4]    r28:8              {A@1,$4} // ex_desc:0x0; desc:0x8003584 // $32
(f3.0)  goto.b (32|M0)                       _0_014            _0_016                                // $43
// B005: Preds:{B004, B002},  Succs:{B006, B009}
_0_014:
        join (32|M0)                         L736                                                    //
L736:
        load.ugm.d8u32.a64 (32|M0)  r14:2       [r4:4]             {A@1,$6} // ex_desc:0x0; desc:0x8200980 // $2782
"""
# 192 floats that live at the same time, where a work-item has 64 to 128.
SPILLS = """
kernel void KERNEL_NAME(global const float8 *restrict x, global float8 *restrict y, ulong n)
{
    const ulong at = get_global_id(0);
    float8 last[24];
#pragma unroll
    for (uint i = 0; i < 24; i++)
        last[i] = x[i * n + at];
    for (ulong k = 0; k < n; k++)
#pragma unroll
        for (uint i = 0; i < 24; i++)
            last[i] = last[i] * x[k * n + at] + last[(i + 5) % 24];
#pragma unroll
    for (uint i = 0; i < 24; i++)
        y[i * n + at] = last[i];
}
"""
# As test_judge.ARRAY, and each work-item has its own: where all have the same index, registers hold it.
ARRAY = """
kernel void KERNEL_NAME(global uint *x, ulong n)
{
    const ulong at = get_global_id(0);
    uint last[64];
    for (uint i = 0; i < 64; i++)
        last[i] = x[i * n + at];
    for (ulong i = 0; i < n; i++)
        last[x[i * n + at] % 64] += x[i * n + at];
    for (ulong i = 0; i < n; i++)
        x[i * n + at] = last[x[i * n + at] % 64];
}
"""


class Reader(unittest.TestCase):
    def test_messages_of_the_data_cache(self):
        self.assertEqual(intel.read(DATA_CACHE), {"simd": 16, "spill": 1472, "scratch": 0, "instructions": 89, "loop": 10,
                                                  "products": 2, "load": 16, "store": 8})

    def test_a_narrow_load_beside_a_wide_one(self):
        narrow = DATA_CACHE.replace("(W)     send.dc0 (1|M0) ", "        send.dc0 (16|M0)").replace("rd:1; byte", "rd:2; byte")
        self.assertEqual(intel.read(narrow)["load"], 4)

    def test_loads_that_name_their_width(self):
        self.assertEqual(intel.read(LOAD_STORE), {"simd": 32, "spill": 0, "scratch": 256, "instructions": 83, "loop": 7,
                                                  "products": 2, "load": 16, "store": 2})


@unittest.skipIf(intel.find_ocloc() is None, "no ocloc (ci/intel.sh)")
class Compiler(unittest.TestCase):
    def figures(self, source):
        """By target."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.cl"), "w", encoding="ascii") as file:
                file.write(source)
            return {target: intel.read(intel.compile_kernel(intel.find_ocloc(), folder, limits.Variant("a.cl", {}), target))
                    for target in intel.TARGETS}

    def test_wide_loads_in_registers(self):
        for target, figures in self.figures(test_judge.WIDE).items():
            self.assertEqual([figures[name] for name in ("spill", "scratch", "load", "store")], [0, 0, 16, 16], target)
            self.assertGreaterEqual(figures["simd"], 16)
            self.assertLess(figures["loop"], 50)
            self.assertLess(figures["loop"], figures["instructions"])

    def test_narrow_values_between_wide_scales_and_indices(self):
        for target, figures in self.figures(test_judge.NARROW).items():
            self.assertEqual(figures["load"], 1, target)

    def test_a_kernel_that_spills_breaks_the_limits(self):
        rules = limits.read_rules(LIMITS)
        for target, figures in self.figures(SPILLS).items():
            faults = limits.judge(rules, [limits.Row(limits.Variant("a.cl", {}), target, figures, {})])
            self.assertTrue(any(": spill " in fault for fault in faults), (target, figures))

    def test_an_array_in_scratch(self):
        for target, figures in self.figures(ARRAY).items():
            self.assertEqual(figures["scratch"], 256, target)

    def test_a_kernel_that_does_not_compile(self):
        with self.assertRaisesRegex(measure.CompileError, "undeclared"):
            self.figures("kernel void KERNEL_NAME(global int *x) { x[0] = y; }")


@unittest.skipIf(measure.missing(), measure.missing())
class Kept(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "deep", "figures.txt")

    def key_of(self, source, target="dg2", **plugs):
        with open(os.path.join(self.folder.name, "a.cl"), "w", encoding="ascii") as file:
            file.write(source)
        return kept.Figures(None, self.path).key_of(self.folder.name, limits.Variant("a.cl", plugs), target)

    def test_a_key_has_the_code_and_what_it_is_compiled_with(self):
        keys = [self.key_of("int a;"), self.key_of("int b;"), self.key_of("int a;", "pvc"), self.key_of("int a;", SRC="f16"),
                self.key_of("int a;", ARITHMETIC="native")]
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual(self.key_of("// why\nint a;"), keys[0])

    def test_what_is_known_is_not_made_again(self):
        first = kept.Figures(None, self.path)
        self.assertEqual([first.get("k", lambda: {"spill": 4}), first.found], [{"spill": 4}, 0])
        second = kept.Figures(None, self.path)
        self.assertEqual([second.get("k", self.fail), second.found], [{"spill": 4}, 1])

    def test_a_line_that_was_cut_off_is_made_again(self):
        kept.Figures(None, self.path).get("k", lambda: {"spill": 4})
        with open(self.path, "r+b") as file:
            file.truncate(os.path.getsize(self.path) - 2)
        self.assertEqual(kept.Figures(None, self.path).get("k", lambda: {"spill": 8}), {"spill": 8})
        self.assertEqual(kept.Figures(None, self.path).get("k", self.fail), {"spill": 8})


if __name__ == "__main__":
    if intel.find_ocloc() is None and sys.argv[1:] == ["Compiler"]:
        print("skipped: no ocloc (ci/intel.sh)")
        sys.exit(77)
    unittest.main()
