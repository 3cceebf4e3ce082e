/* SPDX-License-Identifier: Apache-2.0 */
/* The row of group_quantize: experts of uneven sizes, beside one row of scales for all. */
#include "limit.h"
#include "quantize_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 64, COLUMNS = 4096, MOST_ROWS = 65536, SAMPLED_ROWS = 64 };

struct groups {
    struct quantize_case dense; /* the same rows through clq_quantize */
    int64_t scale_shape[2], group_count;
    int32_t ends[GROUPS];
    cl_mem scale, group_index;
    float *scale_values;
    DLTensor scale_tensor, group_tensor;
    struct clq_group_quantize_desc desc;
};

/* From nothing to four times the mean: group g takes a share of (g * 37 mod 64)^2. */
static void fill_ends(struct groups *g, int64_t rows)
{
    int64_t total = 0, before = 0;

    for (int64_t i = 0; i < GROUPS; i++)
        total += (i * 37 % GROUPS) * (i * 37 % GROUPS);
    for (int64_t i = 0; i < GROUPS; i++) {
        before += (i * 37 % GROUPS) * (i * 37 % GROUPS);
        g->ends[i] = (int32_t)(before * rows / total);
    }
}

static bool create_buffer(struct bench *bench, void *values, size_t size_bytes, cl_mem *buffer)
{
    cl_int code = CL_SUCCESS;

    *buffer = clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                             size_bytes, values, &code);
    return device_check(bench, "clCreateBuffer of the groups", code);
}

static bool init(struct bench *bench, struct groups *g)
{
    const DLDevice device = {kDLOpenCL, 0};
    const size_t scales = (size_t)GROUPS * COLUMNS;

    if (g->dense.shape[0] > MOST_ROWS)
        g->dense.shape[0] = MOST_ROWS;
    g->dense.work.rows = (size_t)g->dense.shape[0];
    g->scale_shape[0] = g->group_count = GROUPS;
    g->scale_shape[1] = COLUMNS;
    fill_ends(g, g->dense.shape[0]);
    g->scale_values = malloc(scales * sizeof(float));
    if (!g->scale_values)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for scales");
    for (size_t i = 0; i < scales; i++)
        g->scale_values[i] = bench->scale_values[i * 7 % MOST_SCALES];
    if (!create_buffer(bench, g->scale_values, scales * sizeof(float), &g->scale) ||
        !create_buffer(bench, g->ends, sizeof g->ends, &g->group_index))
        return false;
    g->scale_tensor = (DLTensor){
        .data = g->scale, .device = device, .ndim = 2, .dtype = CLQ_FLOAT32, .shape = g->scale_shape};
    g->group_tensor = (DLTensor){
        .data = g->group_index, .device = device, .ndim = 1, .dtype = CLQ_INT32, .shape = &g->group_count};
    g->desc = (struct clq_group_quantize_desc){
        .x = &g->dense.x, .scales = &g->scale_tensor, .group_index = &g->group_tensor, .y = &g->dense.y};
    return true;
}

static void clear(struct groups *g)
{
    if (g->scale)
        clReleaseMemObject(g->scale);
    if (g->group_index)
        clReleaseMemObject(g->group_index);
    free(g->scale_values);
}

static bool run(struct bench *bench, void *self)
{
    const struct groups *g = self;
    cl_event done = NULL;

    if (clq_group_quantize(bench->context, bench->queue, &g->desc, 0, NULL, &done) != CLQ_OK)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
    return device_wait(bench, done);
}

static bool check_row(struct bench *bench, const struct groups *g, int64_t row)
{
    static uint16_t x[COLUMNS];
    static uint8_t found[COLUMNS], expected[COLUMNS];
    const struct peer_way way = {.isa = ISA_PLAIN};
    struct peer_work work = g->dense.work;
    int64_t group = 0;

    while (g->ends[group] <= row)
        group++;
    if (!data_read(bench, bench->x, (size_t)row * sizeof x, x, sizeof x) ||
        !data_read(bench, bench->y, (size_t)row * sizeof found, found, sizeof found))
        return false;
    work.x = x;
    work.y = expected;
    work.rows = 1;
    work.scale = g->scale_values + group * COLUMNS;
    peer_run(bench->pool, &way, &work);
    return memcmp(found, expected, sizeof found) == 0 ||
           fail(&bench->failure, STATUS_SYSTEM,
                "bench: group_quantize: row %" PRId64 " has wrong bytes on the device; see clquant selftest",
                row);
}

static bool check(struct bench *bench, struct groups *g)
{
    const int64_t rows = g->dense.shape[0];

    if (!data_spoil(bench) || !run(bench, g))
        return false;
    for (int64_t i = 0; i < SAMPLED_ROWS; i++)
        if (!check_row(bench, g, i * (rows - 1) / (SAMPLED_ROWS - 1)))
            return false;
    return true;
}

static bool measure(struct bench *bench, struct groups *g)
{
    const size_t src_bytes = quantize_src_bytes(&g->dense), dst_bytes = quantize_dst_bytes(&g->dense);
    struct race race = {0};
    struct report_row row = {.operator_name = "group_quantize",
                             .src = "float16",
                             .dst = "int8",
                             .mode = "multiply",
                             .ndim = 2,
                             .shape = {g->dense.shape[0], COLUMNS}};

    race_add(&race,
             &(struct contestant){.run = run, .self = g, .bytes = (double)src_bytes + (double)dst_bytes});
    race_add(&race, &(struct contestant){
                        .role = RACE_PEER, .name = "dense", .run = quantize_case_run, .self = &g->dense});
    if (!limit_add(bench, &race, src_bytes, dst_bytes) || !race_run(bench, &race) || !check(bench, g))
        return false;
    snprintf(row.note, sizeof row.note, "%d uneven groups", GROUPS);
    race_report(&race, &row);
    return bench_add(bench, &row);
}

bool group_rows(struct bench *bench)
{
    struct groups groups = {
        .dense = {.src = PEER_F16, .dst = PEER_I8, .layout = PER_LAST_AXIS, .columns = COLUMNS}};
    bool done = false;

    if (!bench_wants(bench, "group_quantize float16 to int8, multiply, uneven groups"))
        return true;
    if (data_fill(bench, PEER_F16) && data_fill_scales(bench, 16.0f)) {
        quantize_case_init(bench, &groups.dense);
        done = init(bench, &groups) && measure(bench, &groups);
    }
    clear(&groups);
    return done;
}
