/* SPDX-License-Identifier: Apache-2.0 */
/* Group quantization against the reference: types, sizes, layouts, and a group_index that breaks the rules.
 */
#include "parts.h"

#include <math.h>
#include <string.h>

enum ends {
    ENDS_RIGHT,    /* non-decreasing, the last is S */
    ENDS_EMPTY,    /* the same, most groups empty */
    ENDS_SHORT,    /* the last is less than S: rows of no group */
    ENDS_UNSORTED, /* anything from below 0 to beyond S */
    ENDS_EXTREME,  /* the ends of the type among them */
    NUM_ENDS,
};

struct group_case {
    const char *name;
    struct layout x, scale, group_index, offset, y;
    bool has_offset, round_first;
    enum ends ends;
    uint64_t seed;
};

struct group_types {
    enum reference_type x, scale, offset, index, y; /* offset is REFERENCE_I4 for none */
    int lanes;
};

static const enum reference_type floats[] = {FLOAT_TYPES};
static const enum reference_type offsets[] = {FLOAT_TYPES, REFERENCE_I4};
static const int lanes_of[] = {0, 1, 2, 8}; /* 0: int8 */
#define COMBINATIONS (4 * 3 * 3 * 4 * 2)

static struct group_types types_of(size_t i)
{
    const int lanes = lanes_of[i % 4];

    return (struct group_types){.x = floats[i / 4 % 3],
                                .scale = floats[i / 12 % 3],
                                .offset = offsets[i / 36 % 4],
                                .index = i / 144 % 2 ? REFERENCE_I64 : REFERENCE_I32,
                                .y = lanes ? REFERENCE_I4 : REFERENCE_I8,
                                .lanes = lanes ? lanes : 1};
}

static struct group_case case_of(const char *name, size_t number, int64_t rows, int64_t inner, int64_t groups,
                                 enum ends ends)
{
    const struct group_types types = types_of(number);
    const int64_t shape[2] = {rows, inner}, out[2] = {rows, inner / types.lanes}, scales[2] = {groups, inner};
    const int64_t one = 1;

    return (struct group_case){.name = name,
                               .x = layout_dense(types.x, 1, 2, shape),
                               .scale = layout_dense(types.scale, 1, 2, scales),
                               .group_index = layout_dense(types.index, 1, 1, &groups),
                               .offset = layout_dense(types.offset, 1, 1, &one),
                               .y = layout_dense(types.y, types.lanes, 2, out),
                               .has_offset = types.offset != REFERENCE_I4,
                               .round_first = number / 5 % 3 == 0,
                               .ends = ends,
                               .seed = harness.seed + number};
}

struct group_tensors {
    struct tensor x, scale, group_index, offset, y;
};

static void set_end(struct tensor *tensor, int64_t group, int64_t value)
{
    unsigned char *at = tensor->image + tensor->dl.byte_offset;
    const int64_t stride = tensor->layout.strided ? tensor->layout.strides[0] : 1;
    const int32_t narrow = (int32_t)value;

    if (tensor->layout.type == REFERENCE_I64)
        memcpy(at + group * stride * 8, &value, 8);
    else
        memcpy(at + group * stride * 4, &narrow, 4);
}

static void fill_ends(struct tensor *tensor, const struct group_case *c, struct random *random)
{
    const int64_t groups = c->group_index.shape[0], rows = c->x.shape[0];
    const bool wide = c->group_index.type == REFERENCE_I64;
    int64_t end = 0;

    for (int64_t g = 0; g < groups; g++) {
        const int64_t extremes[] = {
            wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : INT32_MAX, -1, rows, rows + 1, 0};

        if (c->ends == ENDS_UNSORTED)
            end = random_from(random, -2, rows + 2);
        else if (c->ends == ENDS_EXTREME)
            end = extremes[random_below(random, COUNT(extremes))];
        else if (c->ends == ENDS_EMPTY)
            end = random_below(random, 4) ? end : random_from(random, end, rows);
        else
            end = random_from(random, end, end + (rows - end) * 2 / (groups - g));
        if (c->ends <= ENDS_EMPTY && g == groups - 1)
            end = rows;
        if (c->ends == ENDS_SHORT)
            end = end < rows ? end : rows - 1;
        set_end(tensor, g, end);
    }
}

static struct parts parts_of(struct group_tensors *t, const struct group_case *c)
{
    struct parts parts = {.count = 0};

    parts_add(&parts, "x", &t->x, &c->x, false, true);
    parts_add(&parts, "scale", &t->scale, &c->scale, false, true);
    parts_add(&parts, "group_index", &t->group_index, &c->group_index, false, true);
    parts_add(&parts, "offset", &t->offset, &c->offset, false, c->has_offset);
    parts_add(&parts, "y", &t->y, &c->y, true, true);
    return parts;
}

static void tensors_init(struct group_tensors *t, const struct group_case *c)
{
    const struct parts parts = parts_of(t, c);
    const double top = c->y.type == REFERENCE_I4 ? 10 : 160;
    struct random random = random_of(c->seed);

    memset(t, 0, sizeof(*t));
    parts_init(&parts);
    for (int64_t i = 0, slots = tensor_slots(&t->x); i < slots; i++)
        tensor_set_slot(&t->x, i, (random_unit(&random) * 2 - 1) * top);
    for (int64_t i = 0, slots = tensor_slots(&t->scale); i < slots; i++)
        tensor_set_slot(&t->scale, i, ldexp(1 + random_unit(&random), -(int)random_below(&random, 2)));
    for (int64_t i = 0, slots = tensor_slots(&t->offset); c->has_offset && i < slots; i++)
        tensor_set_slot(&t->offset, i, (random_unit(&random) * 2 - 1) * 20);
    for (size_t i = 0; i < t->group_index.size_bytes; i++)
        t->group_index.image[i] = (unsigned char)random_bits(&random);
    fill_ends(&t->group_index, c, &random);
}

static void tensors_clear(struct group_tensors *t)
{
    tensor_clear(&t->x);
    tensor_clear(&t->scale);
    tensor_clear(&t->group_index);
    tensor_clear(&t->offset);
    tensor_clear(&t->y);
}

static struct reference_report expected(struct group_tensors *t, const struct group_case *c)
{
    const struct reference_tensor x = tensor_reference(&t->x, t->x.image);
    const struct reference_tensor scale = tensor_reference(&t->scale, t->scale.image);
    const struct reference_tensor ends = tensor_reference(&t->group_index, t->group_index.image);
    const struct reference_tensor y = tensor_reference(&t->y, t->y.image);
    struct reference_tensor offset;
    struct reference_group_quantize_desc desc = {.x = &x,
                                                 .scale = &scale,
                                                 .group_index = &ends,
                                                 .y = &y,
                                                 .round_first =
                                                     c->round_first && reference_is_whole(c->y.type)};

    if (c->has_offset) {
        offset = tensor_reference(&t->offset, t->offset.image);
        desc.offset = &offset;
    }
    return reference_group_quantize(&desc);
}

enum { REPORT_OFFSET = 12, REPORT_BYTES = 4096 };

static bool run_once(struct group_tensors *t, const struct group_case *c, cl_mem report, int filling)
{
    const struct clq_group_quantize_desc desc = {.x = &t->x.dl,
                                                 .scales = &t->scale.dl,
                                                 .group_index = &t->group_index.dl,
                                                 .zero_points = c->has_offset ? &t->offset.dl : NULL,
                                                 .y = &t->y.dl,
                                                 .report = report,
                                                 .report_offset_bytes = report ? REPORT_OFFSET : 0,
                                                 .round_first =
                                                     c->round_first && reference_is_whole(c->y.type)};
    const struct clq_report before = {2, 3, 0, 0x5eed};
    struct clq_report got = before;
    const struct parts parts = parts_of(t, c);
    struct reference_report after;
    cl_event done = NULL;
    bool good;

    assert_true(parts_fill(&parts, harness.queue, filling));
    if (report)
        expect_cl(harness_write(harness.queue, report, REPORT_OFFSET, sizeof(before), &before),
                  "clEnqueueWriteBuffer");
    expect_status(clq_group_quantize(harness.context, harness.queue, &desc, 0, NULL, &done), CLQ_OK, c->name);
    parts_fill_images(&parts, filling);
    after = expected(t, c);
    good = parts_hold_after(&parts, harness.queue, done);
    if (report) {
        expect_cl(clEnqueueReadBuffer(harness.queue, report, CL_TRUE, REPORT_OFFSET, sizeof(got), &got, 0,
                                      NULL, NULL),
                  "clEnqueueReadBuffer");
        if (got.dropped != 2 + after.dropped || got.clamped != 3 || got.first != after.first ||
            got.reserved != 0x5eed) {
            print_message("dropped %u, first %u, not %u and %u\n", got.dropped - 2, got.first, after.dropped,
                          after.first);
            return false;
        }
    }
    return good;
}

static void expect_groups(const struct group_case *c)
{
    struct group_tensors t;
    const struct parts parts = parts_of(&t, c);
    cl_mem report;
    cl_int status;
    bool good = true;
    int fillings[2], runs;

    tensors_init(&t, c);
    runs = harness_fillings(t.y.size_bytes, fillings);
    report = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, REPORT_BYTES, NULL, &status);
    expect_cl(status, "clCreateBuffer");
    assert_true(parts_upload(&parts, harness.queue));
    for (int i = 0; good && i < runs; i++)
        good = run_once(&t, c, fillings[i] == 0x5a ? report : NULL, fillings[i]);
    good = good && parts_hold(&parts, harness.queue, false);
    clReleaseMemObject(report);
    if (!good)
        fail_msg("\"%s\": x %s (%d, %d), scale %s, %d groups, y %s of %d, ends %d, seed %llu", c->name,
                 type_name(c->x.type), (int)c->x.shape[0], (int)c->x.shape[1], type_name(c->scale.type),
                 (int)c->scale.shape[0], type_name(c->y.type), c->y.lanes, (int)c->ends,
                 (unsigned long long)c->seed);
    tensors_clear(&t);
}

static void every_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < COMBINATIONS; i += harness_step(1, 11))
        for (enum ends ends = 0; ends < NUM_ENDS; ends++) {
            const struct group_case c = case_of("types", i, 13, 24, 5, ends);

            if (!harness.small || (i + ends) % 3 == 0)
                expect_groups(&c);
        }
}

static void every_number_of_groups(void **state)
{
    static const int64_t groups[] = {1, 2, 3, 4, 7, 8, 9, 31, 64, 100, 1000, 4095, 4096};

    (void)state;
    for (size_t k = 0; k < COUNT(groups) - (harness.small ? 4 : 0); k++)
        for (size_t i = k; i < COMBINATIONS; i += 67)
            for (enum ends ends = 0; ends < NUM_ENDS; ends++) {
                const struct group_case c =
                    case_of("groups", i, harness.small ? 12 : 150, 8, groups[k], ends);

                if (!harness.small || i < 60)
                    expect_groups(&c);
            }
}

/* Rows from none to many, of any length. */
static void every_size(void **state)
{
    static const int64_t sizes[][2] = {{0, 8},     {5, 0},     {1, 1},    {1, 2},    {2, 7},
                                       {3, 16},    {7, 30},    {9, 130},  {40, 264}, {3, 4104},
                                       {2000, 16}, {30000, 2}, {2, 70000}};

    (void)state;
    for (size_t k = 0; k < COUNT(sizes) - (harness.small ? 5 : 0); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(23, 97)) {
            const struct group_case c = case_of("sizes", i, sizes[k][0], sizes[k][1], 6, i % NUM_ENDS);

            if (sizes[k][1] % reference_unit_values(c.y.type, c.y.lanes) == 0)
                expect_groups(&c);
        }
}

static void any_layout(void **state)
{
    struct random random = random_of(harness.seed);

    (void)state;
    for (int i = 0; i < harness_cases(1200, 40); i++) {
        const size_t number = (size_t)random_below(&random, COMBINATIONS);
        struct group_case c =
            case_of("layouts", number, random_from(&random, 1, 9), random_from(&random, 1, 4) * 8,
                    random_from(&random, 1, 6), (enum ends)random_below(&random, NUM_ENDS));
        const bool packed = reference_shares_bytes(c.y.type, c.y.lanes);

        layout_stride(&c.x);
        layout_stride(&c.scale);
        layout_stride(&c.group_index);
        layout_stride(&c.y);
        c.x.strides[0] += random_below(&random, 5);
        c.x.strides[1] = random_below(&random, 3);
        c.scale.strides[0] = random_below(&random, 60);
        c.scale.strides[1] = random_below(&random, 3);
        c.group_index.strides[0] = random_from(&random, 1, 3);
        c.y.strides[0] += packed ? 2 * random_below(&random, 3) : random_below(&random, 5);
        if (!packed && random_below(&random, 2)) { /* transposed */
            c.y.strides[0] = random_from(&random, 1, 2);
            c.y.strides[1] = c.y.strides[0] * c.y.shape[0] + random_below(&random, 2);
        }
        c.offset.rank = (int)random_below(&random, 3);
        c.offset.shape[1] = 1;
        c.x.before += random_below(&random, 4);
        c.y.before += random_below(&random, 4);
        c.seed = random_bits(&random);
        expect_groups(&c);
    }
}

/* Where loops may not be long, also what it takes to find a row's group counts. */
static void many_short_rows(void **state)
{
    static const int64_t shapes[][3] = {{600000, 1, 8}, {262144, 4, 64}, {100000, 8, 100000}}; /* S, H, E */

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct group_case c = case_of("many short rows", 0, shapes[i][0], shapes[i][1], shapes[i][2],
                                            i == 1 ? ENDS_EMPTY : ENDS_RIGHT);

        expect_groups(&c);
    }
}

/* Past what a cache holds: a CPU's work-item may do rows of several groups in turn. */
static void rows_in_turn(void **state)
{
    (void)state;
    if (harness.small || harness.share > 1)
        skip();
    for (size_t i = 0; i < COMBINATIONS; i += 101) {
        const struct group_case c =
            case_of("rows in turn", i, 9300, 2048, 700, i % 2 ? ENDS_EMPTY : ENDS_SHORT);

        expect_groups(&c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),      cmocka_unit_test(every_number_of_groups),
        cmocka_unit_test(every_size),      cmocka_unit_test(any_layout),
        cmocka_unit_test(many_short_rows), cmocka_unit_test(rows_in_turn),
    };

    return HARNESS_RUN(argc, argv, "group_quantize", tests);
}
