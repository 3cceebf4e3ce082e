/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that was built ahead is the one that a call takes. */
#include "ask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A kernel that was built ahead, by a text in any order, is the one that a call takes. */
static void what_is_built_ahead_is_found(void **state)
{
    static const char *const texts[] = {"quantize.cl PARAMS=one MODE=divide DST=i8 SRC=f32",
                                        " dequantize.cl DST=f32  MODE=multiply SRC=i8 PARAMS=one",
                                        "quantize.cl SRC=f32 DST=i8 PARAMS=both MODE=divide",
                                        "dequantize.cl PARAMS=each SRC=i8 DST=f32 MODE=multiply",
                                        "claim.cl",
                                        "copy.cl",
                                        "find_scales.cl REDUCE=runs SRC=f16 RANGE=finite",
                                        "find_scales.cl SRC=f16 RANGE=finite REDUCE=columns",
                                        "finish_scales.cl RANGE=finite",
                                        "widen.cl"};
    const size_t count = sizeof texts / sizeof texts[0];
    static const char *const wrong[] = {"widen.cl", "quantize.cl SRC=f8 DST=i8 MODE=divide PARAMS=one"};
    clq_context *context = NULL;
    size_t built = 0;

    (void)state;
    assert_int_equal(clq_context_create(&(struct clq_context_desc){.flags = CLQ_CACHE_OFF}, &context),
                     CLQ_OK);
    if (clq_context_build(context, count, texts) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    clq_context_count(context, &built, NULL);
    assert_int_equal(built, count);
    ask_static(context, CLQ_FLOAT32, CLQ_INT8, CLQ_DIVIDE, 0);
    ask_static(context, CLQ_FLOAT32, CLQ_INT8, CLQ_DIVIDE, 2);
    ask_scales(context, CLQ_FLOAT16);
    ask_scatter(context);
    clq_context_count(context, &built, NULL);
    assert_int_equal(built, count);
    assert_int_equal(clq_context_build(context, 2, wrong), CLQ_ERROR_VALUE);
    assert_non_null(strstr(clq_error_detail(), "\"SRC=f8\" must be one of \"quantize.cl SRC=f32|f16|bf16 "));
    clq_context_count(context, &built, NULL);
    assert_int_equal(built, count);
    clq_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_built_ahead_is_found)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
