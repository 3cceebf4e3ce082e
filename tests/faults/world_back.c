/* SPDX-License-Identifier: Apache-2.0 */
/* What dequantization works on: bytes of x and of the updates as integers, and y for the floats. */
#include "world.h"

#include "dequantize.h"

#include <string.h>

static int64_t shape[2] = {WORLD_ROWS, WORLD_COLS}, none[2] = {0, WORLD_COLS}, columns = WORLD_COLS,
               shape_cache[3] = {8, 16, 8}, shape_entries[3] = {6, 3, 8}, shape_rows[2] = {8, 16}, starts = 6;

static void read_back(struct world *world, cl_mem buffer, void *bytes, size_t size)
{
    world_need(clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL) ==
                   CL_SUCCESS,
               "clEnqueueReadBuffer");
}

static unsigned char *expected(struct world *world, enum world_result result)
{
    memcpy(world->expected[result], world->expected[RESULT_NONE], WORLD_BYTES);
    return world->expected[result] + WORLD_GUARD;
}

/* Columns of int8 by half precision scales and int8 zero points, divided. */
static void expect_widened(struct world *world)
{
    unsigned char q[WORLD_ROWS * WORLD_COLS];
    uint16_t half[WORLD_COLS];
    int8_t zero_points[WORLD_COLS];
    struct reference_tensor tq, ts, tz, ty;

    read_back(world, world->x, q, sizeof q);
    read_back(world, world->half, half, sizeof half);
    read_back(world, world->zero_points, zero_points, sizeof zero_points);
    tq = reference_dense(REFERENCE_I8, 1, 2, shape, q);
    ts = reference_dense(REFERENCE_F16, 1, 1, &columns, half);
    tz = reference_dense(REFERENCE_I8, 1, 1, &columns, zero_points);
    ty = reference_dense(REFERENCE_F16, 1, 2, shape, expected(world, RESULT_BACK_WIDENED));
    reference_dequantize(&(struct reference_dequantize_desc){
        .q = &tq, .scale = &ts, .zero_points = &tz, .y = &ty, .axis = 1, .mode = REFERENCE_UNDO_MULTIPLY});
}

/* Entries at starts, with a scale a row. */
static void expect_gathered(struct world *world)
{
    unsigned char q[8 * 16 * 8];
    float scale[8 * 16];
    int32_t indices[6];
    struct reference_tensor tq, ts, ti, ty;

    read_back(world, world->places.updates, q, sizeof q);
    read_back(world, world->places.updates, scale, sizeof scale);
    read_back(world, world->places.starts, indices, sizeof indices);
    tq = reference_dense(REFERENCE_I8, 1, 3, shape_cache, q);
    ts = reference_dense(REFERENCE_F32, 1, 2, shape_rows, scale);
    ti = reference_dense(REFERENCE_I32, 1, 1, &starts, indices);
    ty = reference_dense(REFERENCE_BF16, 1, 3, shape_entries, expected(world, RESULT_BACK_GATHERED));
    reference_dequantize(&(struct reference_dequantize_desc){
        .q = &tq, .scale = &ts, .indices = &ti, .y = &ty, .axis = 1, .mode = REFERENCE_UNDO_DYNAMIC});
}

void world_back_open(struct world *world)
{
    struct world_back *b = &world->back;

    b->q = world_tensor(world->x, CLQ_INT8, 2, shape, 0);
    b->y = world_tensor(world->y, CLQ_FLOAT16, 2, shape, WORLD_GUARD);
    b->no_q = world_tensor(world->x, CLQ_INT8, 2, none, 0);
    b->no_y = world_tensor(world->y, CLQ_FLOAT16, 2, none, WORLD_GUARD);
    b->cache = world_tensor(world->places.updates, CLQ_INT8, 3, shape_cache, 0);
    b->cache_scale = world_tensor(world->places.updates, CLQ_FLOAT32, 2, shape_rows, 0);
    b->entries = world_tensor(world->y, CLQ_BFLOAT16, 3, shape_entries, WORLD_GUARD);
    expect_widened(world);
    expect_gathered(world);
}
