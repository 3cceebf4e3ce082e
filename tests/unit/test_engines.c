/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a device runs: a CPU's own or the portable one, and which way to a quotient. */
#include "base/dtype.h"
#include "runtime/launch.h"
#include "tests.h"

#include <stdint.h>
#include <string.h>

/* No type may meet code that takes it for another: the portable kernel runs, on every device. */
TEST(a_type_that_cl_cpu_does_not_name_runs_the_portable_kernel)
{
    const struct clq__traits traits = {.long_runs = true, .max_group_items = 4096, .compute_units = 2};
    static const enum clq__kernel kernels[] = {
        CLQ__QUANTIZE_CL,    CLQ__DEQUANTIZE_CL,      CLQ__DYNAMIC_QUANTIZE_CL,  CLQ__DEQUANTIZE_ROTATED_CL,
        CLQ__FIND_SCALES_CL, CLQ__QUANTIZE_BLOCKS_CL, CLQ__DEQUANTIZE_BLOCKS_CL, CLQ__QUANTIZE_RULE_CL};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (enum clq__type source = CLQ__NONE + 1; source < CLQ__TYPES; source++)
            for (enum clq__type result = CLQ__NONE + 1; result < CLQ__TYPES; result++) {
                const bool of_blocks =
                    kernels[i] == CLQ__QUANTIZE_BLOCKS_CL || kernels[i] == CLQ__DEQUANTIZE_BLOCKS_CL;
                const unsigned types =
                    of_blocks ? CLQ__FLOATS | (CLQ__CPU & CLQ__BLOCKS) : CLQ__CPU & ~CLQ__BLOCKS;
                const bool named = clq__type_is(source, types) && clq__type_is(result, types);
                struct clq__variant variant;

                clq__variant_begin(&variant, kernels[i]);
                clq__variant_define(&variant, CLQ__SRC, (unsigned)source);
                clq__variant_define(&variant, CLQ__DST, (unsigned)result);
                assert_int_equal(clq__variant_end(&variant, &traits), named);
                assert_int_equal(strncmp(clq__variant_text(&variant).data, "cpu/", 4) == 0, named);
            }
    assert_false(clq__type_is(CLQ__I64, CLQ__CPU)); /* so one of them is not */
}

/* ARITHMETIC of a static quotient on a GPU that promises it. */
static bool is_kernel_fused(enum clq__kernel kernel, enum clq__division division, enum clq__type dst,
                            unsigned params, bool fma)
{
    struct clq__traits traits = {.group_form = true, .subnormals = true, .fma = fma, .division = division};
    struct clq__variant variant;

    clq__variant_define(&traits.plugs[1], CLQ__FORM, 1);
    clq__variant_define(&traits.plugs[1], CLQ__ARITHMETIC, CLQ__NATIVE);
    clq__variant_begin(&variant, kernel);
    clq__variant_define(&variant, CLQ__SRC, CLQ__F16);
    clq__variant_define(&variant, CLQ__DST, dst);
    clq__variant_define(&variant, CLQ__MODE, 1);
    clq__variant_define(&variant, CLQ__PARAMS, params);
    assert_false(clq__variant_end(&variant, &traits));
    return strstr(clq__variant_text(&variant).data, "ARITHMETIC=fused") != NULL;
}

static bool is_fused(enum clq__division division, enum clq__type dst, unsigned params, bool fma)
{
    return is_kernel_fused(CLQ__QUANTIZE_CL, division, dst, params, fma);
}

TEST(a_quotient_goes_the_way_that_is_shorter_on_the_device)
{
    const enum clq__type float8 = CLQ__E4M3;

    assert_true(is_fused(CLQ__DIVIDES_BRIEFLY, CLQ__I8, CLQ__PARAMS_ONE, true));
    assert_false(is_fused(CLQ__DIVIDES_BRIEFLY, CLQ__I8, CLQ__PARAMS_EACH, true));
    assert_false(is_fused(CLQ__DIVIDES_BRIEFLY, CLQ__I8, CLQ__PARAMS_BOTH, true));
    assert_false(is_fused(CLQ__DIVIDES_BRIEFLY, float8, CLQ__PARAMS_ONE, true));
    assert_false(is_fused(CLQ__DIVIDES_AT_ONCE, CLQ__I8, CLQ__PARAMS_ONE, true));
    assert_true(is_fused(CLQ__DIVIDES_AT_LENGTH, CLQ__I8, CLQ__PARAMS_EACH, true));
    assert_true(is_fused(CLQ__DIVIDES_AT_LENGTH, float8, CLQ__PARAMS_BOTH, true));
    assert_false(is_fused(CLQ__DIVIDES_AT_LENGTH, CLQ__I8, CLQ__PARAMS_ONE, false)); /* it takes fma */
    assert_true(is_kernel_fused(CLQ__DEQUANTIZE_CL, CLQ__DIVIDES_AT_LENGTH, CLQ__F16, CLQ__PARAMS_ONE, true));
    assert_false(is_kernel_fused(CLQ__DEQUANTIZE_CL, CLQ__DIVIDES_BRIEFLY, CLQ__F16, CLQ__PARAMS_ONE, true));
    assert_false(is_kernel_fused(CLQ__DEQUANTIZE_CL, CLQ__DIVIDES_AT_ONCE, CLQ__F16, CLQ__PARAMS_EACH, true));
}

TESTS_MAIN("engines")
