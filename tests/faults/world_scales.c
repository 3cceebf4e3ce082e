/* SPDX-License-Identifier: Apache-2.0 */
/* What finding scales works on: x, as it is and with an axis that repeats, and y for what is found. */
#include "world.h"

#include "reference.h"

#include <string.h>

enum { SCALES_AT = WORLD_GUARD, ZERO_POINTS_AT = WORLD_GUARD + WORLD_COLS * 4 };

static int64_t shape[2] = {WORLD_ROWS, WORLD_COLS}, repeats[2] = {0, 1}, columns = WORLD_COLS,
               rows = WORLD_ROWS, no_rows[2] = {0, WORLD_COLS};

static void expect(struct world *world, enum world_result result, void *x, int axis, int64_t stride,
                   int64_t first, int64_t count)
{
    const int64_t x_shape[2] = {first, WORLD_COLS};
    unsigned char *image = world->expected[result];
    struct reference_tensor rx = reference_dense(REFERENCE_F32, 1, 2, x_shape, x), scales, zero_points;

    rx.strides[0] = stride;
    memcpy(image, world->expected[RESULT_NONE], WORLD_BYTES);
    scales = reference_dense(REFERENCE_F32, 1, 1, &count, image + SCALES_AT);
    zero_points = reference_dense(REFERENCE_U8, 1, 1, &count, image + ZERO_POINTS_AT);
    reference_find_scales(&(struct reference_find_scales_desc){.x = &rx,
                                                               .scales = &scales,
                                                               .zero_points = &zero_points,
                                                               .type = REFERENCE_U8,
                                                               .axis = axis,
                                                               .minmax = true});
}

void world_scales_open(struct world *world)
{
    struct world_scales *s = &world->found;
    float x[WORLD_ROWS * WORLD_COLS];

    world_need(clEnqueueReadBuffer(world->queue, world->x, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL) ==
                   CL_SUCCESS,
               "clEnqueueReadBuffer");
    s->repeated = world_tensor(world->x, CLQ_FLOAT32, 2, shape, 0);
    s->repeated.strides = repeats;
    s->no_x = world_tensor(world->x, CLQ_FLOAT32, 2, no_rows, 0);
    s->column_scales = world_tensor(world->y, CLQ_FLOAT32, 1, &columns, SCALES_AT);
    s->column_zeros = world_tensor(world->y, CLQ_UINT8, 1, &columns, ZERO_POINTS_AT);
    s->row_scales = world_tensor(world->y, CLQ_FLOAT32, 1, &rows, SCALES_AT);
    s->row_zeros = world_tensor(world->y, CLQ_UINT8, 1, &rows, ZERO_POINTS_AT);
    expect(world, RESULT_SCALES, x, 1, WORLD_COLS, WORLD_ROWS, WORLD_COLS);
    expect(world, RESULT_SCALES_FINISHED, x, 0, 0, WORLD_ROWS, WORLD_ROWS);
    expect(world, RESULT_SCALES_OF_NONE, x, 1, WORLD_COLS, 0, WORLD_COLS);
}
