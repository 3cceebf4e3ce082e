/* SPDX-License-Identifier: Apache-2.0 */
/* More rows than a driver's work-item could do: where a device ends long loops without a word, every row is done all
 * the same, or the call is refused. Rows are short, so that what stands around them counts. */
#include "dequantize_case.h"
#include "scales_case.h"
#include "scatter_case.h"

#include <string.h>

#define NONE REFERENCE_I4

static const struct scales_types half = {REFERENCE_F16, REFERENCE_I8, NONE, false, false};
static const struct scales_types single = {REFERENCE_F32, REFERENCE_I8, REFERENCE_I8, true, false};

/* Every dimension with a gap behind it, so that none merges with the next. */
static void spread(struct layout *layout)
{
    int64_t step = 1;

    layout_stride(layout);
    for (int d = layout->rank - 1; d >= 0; d--) {
        layout->strides[d] = step;
        step *= layout->shape[d] + 1;
    }
}

/* As many parts as one work-item could not finish, rows of few columns, and indices of few elements. */
static void scales_of_many_short_rows(void **state)
{
    static const struct {
        int64_t shape[4];
        int rank, axis;
        bool gaps;
    } shapes[] = {
        {{2800000, 4}, 2, 1, false},    {{22000, 4, 40}, 3, 1, false}, {{2800000, 1, 3}, 3, 1, false},
        {{128, 64, 64, 2}, 4, 3, true}, {{1000, 100, 2}, 3, 0, true},  {{300, 20, 2, 2}, 4, 0, true},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct scales_case c = scales_case_of("many short rows", i % 2 ? &single : &half, shapes[i].rank,
                                              shapes[i].shape, shapes[i].axis);

        if (shapes[i].gaps)
            spread(&c.x);
        c.values = SCALES_NARROW;
        expect_scales(&c);
    }
}

static void scales_of_many_indices(void **state)
{
    const int64_t shape = 1000000;
    struct scales_case c = scales_case_of("many indices of one range", &single, 1, &shape, 0);

    (void)state;
    if (harness.small)
        skip();
    layout_stride(&c.x);
    c.x.strides[0] = 0;
    expect_scales(&c);
}

static void the_way_back_of_many_short_rows(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 3, .q = {8, 32768, 1}, .axis = 1, .index_rank = 2, .entries = 200000, .length = 1},
        {.rank = 3, .q = {8, 32768, 8}, .axis = 1, .index_rank = 2, .entries = 150000, .length = 1},
        {.rank = 3, .q = {1024, 512, 4}, .axis = 1},
        {.rank = 2, .q = {600000, 1}, .groups = 2},
        {.rank = 2, .q = {300000, 4}, .groups = 5000},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct dequantize_types types = {.q = REFERENCE_I8,
                                               .scale = REFERENCE_F32,
                                               .zero = NONE,
                                               .index = REFERENCE_I32,
                                               .y = REFERENCE_F32,
                                               .mode = shapes[i].groups > 0 ? CLQ_DEQUANTIZE_MULTIPLY
                                                                            : CLQ_DEQUANTIZE_DIVIDE};
        struct dequantize_case c = dequantize_case_of("many short rows", &types, &shapes[i]);

        if (i == 2)
            spread(&c.y);
        expect_dequantize(&c);
    }
}

/* Each place asked for by 20 entries, whose words in a small table lie close together. */
static void many_short_entries(void **state)
{
    const struct scatter_types types = {REFERENCE_F32, REFERENCE_F32, NONE, REFERENCE_I32, REFERENCE_I8, 1,
                                        false,         false};
    const struct scatter_shape shape = {3, {8, 655360, 1}, 1, 262144, 1, 2};
    struct scatter_case c = scatter_case_of("many short entries", &types, &shape);

    (void)state;
    if (harness.small)
        skip();
    expect_scatter(&c);
}

/* A row stays with one work-group: where it is too long for that, nothing is begun. */
static void a_row_too_long_is_refused(void **state)
{
    const int64_t inner = INT64_C(1) << 25, rows = 1;
    int64_t x_shape[2] = {rows, inner}, none[2] = {0, 0};
    DLManagedTensor *x, *y, *scale;
    DLTensor repeated;
    struct clq_dynamic_quantize_desc desc = {.symmetric = 1};
    char name[256] = "";
    bool ends_loops;

    (void)state;
    expect_status(clq_tensor_create(harness.context, CLQ_FLOAT32, 1, &rows, &x), CLQ_OK, "x");
    expect_status(clq_tensor_create(harness.context, CLQ_FLOAT32, 1, &rows, &scale), CLQ_OK, "scale");
    expect_status(clq_tensor_create(harness.context, CLQ_INT8, 2, x_shape, &y), CLQ_OK, "y");
    repeated = x->dl_tensor;
    repeated.ndim = 2, repeated.shape = x_shape, repeated.strides = none;
    desc.x = &repeated, desc.y = &y->dl_tensor, desc.scales = &scale->dl_tensor;
    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    ends_loops = strncmp(name, "llvmpipe", 8) == 0;
    expect_status(clq_dynamic_quantize_build(harness.context, &desc), ends_loops ? CLQ_ERROR_DEVICE : CLQ_OK,
                  "a row of 2^25");
    if (ends_loops)
        assert_non_null(strstr(clq_error_detail(), "x asks a work-item for about"));
    clq_tensor_destroy(x), clq_tensor_destroy(y), clq_tensor_destroy(scale);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_of_many_short_rows),       cmocka_unit_test(scales_of_many_indices),
        cmocka_unit_test(the_way_back_of_many_short_rows), cmocka_unit_test(many_short_entries),
        cmocka_unit_test(a_row_too_long_is_refused),
    };

    return HARNESS_RUN(argc, argv, "many rows", tests);
}
