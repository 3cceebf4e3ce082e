/* SPDX-License-Identifier: Apache-2.0 */
/* A step of decoding for the caches of all layers: in one buffer with a layer's stride, by a list of plans, and replayed from one
 * command buffer, against a call for each cache. Shapes and indices are random, and each step has other indices. */
#include "commands.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LAYERS = 6, STEPS = 3, CACHE = 0, SCALES, OFFSETS, UPDATES, BUFFERS, RANK = 5 };

/* What indices are. */
enum { STARTS, PAIRS, SLOTS };

/* How a step is enqueued, each into buffers of its own. */
enum way { CALLS, ONE_BUFFER, LIST, REPLAYED, WAYS };

struct shapes {
    bool dynamic;
    int64_t kind; /* STARTS, PAIRS or SLOTS */
    int64_t layers, batches, positions, heads, dim, entries, length;
    size_t bytes[BUFFERS]; /* of a layer */
};

/* A call: of all layers (ONE_BUFFER), or of one. */
struct part {
    cl_mem buffers[BUFFERS];
    int64_t shapes[BUFFERS][RANK], strides[BUFFERS][RANK];
    DLTensor tensors[BUFFERS];
    union {
        struct clq_quantize_scatter_desc fixed;
        struct clq_dynamic_quantize_scatter_desc dynamic;
    } desc;
    clq_plan *plan;
};

struct test {
    struct random random;
    struct shapes shapes;
    cl_mem places;
    int64_t places_shape[2];
    DLTensor indices;
    unsigned char *bytes[BUFFERS]; /* that all layers begin with */
    struct part parts[WAYS][MOST_LAYERS];
    struct clq_plan_call calls[MOST_LAYERS];
    struct _cl_command_buffer_khr *commands;
};

static struct shapes draw(struct random *random, bool dynamic)
{
    struct shapes s = {.dynamic = dynamic,
                       .kind = random_below(random, 3),
                       .layers = random_from(random, 1, MOST_LAYERS),
                       .batches = random_from(random, 1, 4),
                       .positions = random_from(random, 1, 9),
                       .heads = random_from(random, 1, 3),
                       .dim = 2 * random_from(random, 1, 40)};
    const int64_t elements = s.batches * s.positions * s.heads * s.dim;

    s.entries = s.kind == STARTS ? random_from(random, 1, s.batches) : random_from(random, 1, 12);
    s.length = s.kind == SLOTS ? 1 : random_from(random, 1, s.positions);
    s.bytes[CACHE] = (size_t)elements / (dynamic ? 2 : 1);
    s.bytes[SCALES] = sizeof(float) * (size_t)(dynamic ? elements / s.dim : s.heads * s.dim);
    s.bytes[OFFSETS] = s.bytes[SCALES];
    s.bytes[UPDATES] = sizeof(float) * (size_t)(s.entries * s.length * s.heads * s.dim);
    return s;
}

static cl_mem buffer(size_t size, const void *bytes)
{
    cl_int code = CL_SUCCESS;
    cl_mem made =
        clCreateBuffer(harness.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, (void *)bytes, &code);

    expect_cl(code, "clCreateBuffer");
    return made;
}

/* What is read is small floats above 0, and what is written holds anything. */
static void fill(struct test *test)
{
    for (int b = 0; b < BUFFERS; b++) {
        const size_t size = test->shapes.bytes[b] * (size_t)test->shapes.layers;

        test->bytes[b] = malloc(size);
        assert_non_null(test->bytes[b]);
        for (size_t i = 0; i < size; i++)
            test->bytes[b][i] = (unsigned char)random_bits(&test->random);
        for (size_t i = 0; i + sizeof(float) <= size && (b == UPDATES || b == SCALES); i += sizeof(float)) {
            const float value = (float)(random_unit(&test->random) + 0.01) * (b == UPDATES ? 8 : 0.1f);

            memcpy(test->bytes[b] + i, &value, sizeof value);
        }
    }
}

/* Tensor b of a part, [batch, layer, position, head, dim] of what lies as [layer, batch, position, head, dim]; of one layer
 * without that dimension. */
static void describe_tensor(const struct shapes *s, struct part *part, int b, bool whole)
{
    const bool outputs = b == CACHE || s->dynamic;
    const int64_t sizes[RANK] = {b == UPDATES ? s->entries
                                 : outputs    ? s->batches
                                              : 1,
                                 s->layers,
                                 b == UPDATES ? s->length
                                 : outputs    ? s->positions
                                              : 1,
                                 s->heads, s->dim};
    static const int in_memory[RANK] = {1, 0, 2, 3, 4};
    const bool rows = s->dynamic && (b == SCALES || b == OFFSETS);
    int64_t dense[RANK], step = 1;
    int rank = 0;

    for (int i = RANK - (rows ? 2 : 1); i >= 0; i--) {
        dense[in_memory[i]] = step;
        step *= sizes[in_memory[i]];
    }
    for (int d = 0; d < RANK - rows; d++)
        if (whole || d != 1) {
            part->shapes[b][rank] = sizes[d];
            part->strides[b][rank++] = dense[d];
        }
    part->tensors[b] = clq_tensor_view(part->buffers[b], CLQ_FLOAT32, rank, part->shapes[b]);
    part->tensors[b].strides = part->strides[b];
    if (b == CACHE)
        part->tensors[b].dtype = s->dynamic ? CLQ_INT4 : CLQ_INT8;
}

static clq_status call(const struct test *test, struct part *part)
{
    return test->shapes.dynamic
               ? clq_dynamic_quantize_scatter(harness.context, harness.queue, &part->desc.dynamic, 0, NULL,
                                              NULL)
               : clq_quantize_scatter(harness.context, harness.queue, &part->desc.fixed, 0, NULL, NULL);
}

static void make_part(struct test *test, struct part *part, int layer, bool whole)
{
    const struct shapes *s = &test->shapes;
    const uint32_t kind = s->kind == SLOTS ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE;
    const DLTensor *tensors = part->tensors;

    for (int b = 0; b < BUFFERS; b++) {
        part->buffers[b] = buffer(s->bytes[b] * (size_t)(whole ? s->layers : 1),
                                  test->bytes[b] + s->bytes[b] * (size_t)layer);
        describe_tensor(s, part, b, whole);
    }
    if (s->dynamic) {
        part->desc.dynamic = (struct clq_dynamic_quantize_scatter_desc){.cache = &tensors[CACHE],
                                                                        .cache_scales = &tensors[SCALES],
                                                                        .cache_offsets = &tensors[OFFSETS],
                                                                        .indices = &test->indices,
                                                                        .updates = &tensors[UPDATES],
                                                                        .axis = whole ? 2 : 1,
                                                                        .index_kind = kind};
        expect_status(clq_dynamic_quantize_scatter_plan(harness.context, &part->desc.dynamic, &part->plan),
                      CLQ_OK, "a plan");
    } else {
        part->desc.fixed = (struct clq_quantize_scatter_desc){.cache = &tensors[CACHE],
                                                              .indices = &test->indices,
                                                              .updates = &tensors[UPDATES],
                                                              .scales = &tensors[SCALES],
                                                              .axis = whole ? 2 : 1,
                                                              .index_kind = kind};
        expect_status(clq_quantize_scatter_plan(harness.context, &part->desc.fixed, &part->plan), CLQ_OK,
                      "a plan");
    }
}

/* Mostly in range, of which none is asked for. */
static void draw_places(struct test *test)
{
    const struct shapes *s = &test->shapes;
    int32_t places[24];

    for (int64_t i = 0; i < 2 * s->entries; i++) {
        const bool starts = s->kind == STARTS || (s->kind == PAIRS && i % 2 == 1);
        const int64_t most = starts             ? s->positions - s->length
                             : s->kind == PAIRS ? s->batches - 1
                                                : s->batches * s->positions - 1;

        places[i] = (int32_t)random_from(&test->random, -1, most + 1);
    }
    expect_cl(harness_write(harness.queue, test->places, 0,
                            (size_t)(s->entries * (s->kind == PAIRS ? 2 : 1)) * sizeof *places, places),
              "the indices");
}

static void make(struct test *test, uint64_t seed, bool dynamic, enum way way)
{
    static const int32_t none[24];

    *test = (struct test){.random = random_of(seed)};
    test->shapes = draw(&test->random, dynamic);
    test->places = buffer(sizeof none, none);
    test->places_shape[0] = test->shapes.entries;
    test->places_shape[1] = 2;
    test->indices =
        clq_tensor_view(test->places, CLQ_INT32, test->shapes.kind == PAIRS ? 2 : 1, test->places_shape);
    fill(test);
    for (int layer = 0; layer < test->shapes.layers; layer++)
        make_part(test, &test->parts[CALLS][layer], layer, false);
    for (int layer = 0; layer < (way == ONE_BUFFER ? 1 : test->shapes.layers); layer++) {
        make_part(test, &test->parts[way][layer], layer, way == ONE_BUFFER);
        test->calls[layer].plan = test->parts[way][layer].plan;
    }
}

static void clear(struct test *test)
{
    for (int way = 0; way < WAYS; way++)
        for (int layer = 0; layer < MOST_LAYERS; layer++) {
            struct part *part = &test->parts[way][layer];

            clq_plan_destroy(part->plan);
            for (int b = 0; b < BUFFERS && part->buffers[b] != NULL; b++)
                clReleaseMemObject(part->buffers[b]);
        }
    if (test->commands != NULL)
        commands_release(harness.device, test->commands);
    for (int b = 0; b < BUFFERS; b++)
        free(test->bytes[b]);
    clReleaseMemObject(test->places);
}

static void record(struct test *test)
{
    test->commands = commands_create(harness.device, harness.queue);
    assert_non_null(test->commands);
    expect_status(
        clq_plan_record_all(test->commands, (size_t)test->shapes.layers, test->calls, 0, NULL, NULL), CLQ_OK,
        "clq_plan_record_all");
    expect_cl(commands_finalize(harness.device, test->commands), "clFinalizeCommandBufferKHR");
}

static void enqueue(struct test *test, enum way way)
{
    if (way == ONE_BUFFER)
        expect_status(clq_plan_enqueue(test->parts[way][0].plan, harness.queue, 0, NULL, 0, NULL, NULL),
                      CLQ_OK, "clq_plan_enqueue");
    else if (way == LIST)
        expect_status(
            clq_plan_enqueue_all(harness.queue, (size_t)test->shapes.layers, test->calls, 0, NULL, NULL),
            CLQ_OK, "clq_plan_enqueue_all");
    else
        expect_cl(commands_enqueue(harness.device, test->commands, 0, NULL, NULL),
                  "clEnqueueCommandBufferKHR");
    for (int layer = 0; layer < test->shapes.layers; layer++)
        expect_status(call(test, &test->parts[CALLS][layer]), CLQ_OK, "a call");
    expect_cl(clFinish(harness.queue), "clFinish");
}

static void expect_same(const struct test *test, enum way way, int b)
{
    const size_t size = test->shapes.bytes[b];
    unsigned char *expected = malloc(size), *found = malloc(size);

    assert_true(expected != NULL && found != NULL);
    for (int64_t layer = 0; layer < test->shapes.layers; layer++) {
        const struct part *part = &test->parts[way][way == ONE_BUFFER ? 0 : layer];
        const size_t at = way == ONE_BUFFER ? size * (size_t)layer : 0;

        expect_cl(clEnqueueReadBuffer(harness.queue, test->parts[CALLS][layer].buffers[b], CL_TRUE, 0, size,
                                      expected, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
        expect_cl(
            clEnqueueReadBuffer(harness.queue, part->buffers[b], CL_TRUE, at, size, found, 0, NULL, NULL),
            "clEnqueueReadBuffer");
        if (memcmp(expected, found, size) != 0)
            fail_msg("buffer %d of layer %d of %d", b, (int)layer, (int)test->shapes.layers);
    }
    free(expected);
    free(found);
}

static void try_ways(enum way way)
{
    const int cases = harness_cases(40, 4);

    for (int i = 0; i < cases; i++) {
        struct test test;

        make(&test, harness.seed + (uint64_t)i, i % 2, way);
        if (way == REPLAYED)
            record(&test);
        for (int step = 0; step < STEPS; step++) {
            draw_places(&test);
            enqueue(&test, way);
        }
        for (int b = CACHE; b <= OFFSETS; b++)
            expect_same(&test, way, b);
        clear(&test);
    }
}

static void one_buffer_is_as_a_call_for_each(void **state)
{
    (void)state;
    try_ways(ONE_BUFFER);
}

static void a_list_is_as_a_call_for_each(void **state)
{
    (void)state;
    try_ways(LIST);
}

static void one_record_serves_every_step(void **state)
{
    (void)state;
    if (!commands_exist(harness.device))
        skip();
    try_ways(REPLAYED);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_buffer_is_as_a_call_for_each),
                                       cmocka_unit_test(a_list_is_as_a_call_for_each),
                                       cmocka_unit_test(one_record_serves_every_step)};

    return HARNESS_RUN(argc, argv, "layers", tests);
}
