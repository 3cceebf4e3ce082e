/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the operators of dynamic quantization on the bench's data. */
#include "dynamic_case.h"

#include "quantize_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLED_ROWS = 64, BATCHES = 8, SPARE_LENGTH = 16, ALIGNMENT = 64, UNWRITTEN_BYTE = 0xa5 };

static size_t row_bytes(const struct dynamic_case *c)
{
    return peer_src_bytes(c->src, (size_t)c->columns);
}

static size_t q_row_bytes(const struct dynamic_case *c)
{
    return peer_dst_bytes(c->dst, (size_t)c->columns);
}

size_t dynamic_src_bytes(const struct dynamic_case *c)
{
    return c->rows * row_bytes(c);
}

size_t dynamic_dst_bytes(const struct dynamic_case *c)
{
    return c->rows * (q_row_bytes(c) + (c->symmetric ? 1 : 2) * sizeof(float));
}

/* A cache that all of x fills: with starts alone a little longer, so that they differ. */
static void fit_whole(const struct bench *bench, struct dynamic_case *c)
{
    struct places *places = &c->places;
    const int64_t positions = (int64_t)(bench->x_bytes / row_bytes(c)) / c->heads;
    const int64_t length = positions > BATCHES ? positions / BATCHES : 1;

    places->batches = BATCHES;
    places->update_length = places->pairs ? 1 : length;
    places->length = places->pairs ? length : length + SPARE_LENGTH;
    places->entries = places->pairs ? BATCHES * length : BATCHES;
}

/* Where everything lies in y. */
static void place_results(struct dynamic_case *c)
{
    c->scale_at = (c->places_rows * q_row_bytes(c) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    c->offset_at = c->scale_at + c->places_rows * sizeof(float);
    c->size_bytes = c->offset_at + (c->symmetric ? 0 : c->places_rows * sizeof(float));
}

static void fit(const struct bench *bench, struct dynamic_case *c)
{
    struct places *places = &c->places;

    if (!c->scatters) {
        c->rows = c->places_rows = bench->x_bytes / row_bytes(c);
        place_results(c);
        return;
    }
    if (places->entries == 0)
        fit_whole(bench, c);
    for (;; places->length /= 2) {
        c->places_rows = (size_t)(places->batches * places->length * c->heads);
        place_results(c);
        if (c->size_bytes <= bench->x_bytes || places->length == 1)
            break;
    }
    c->rows = (size_t)(places->entries * places->update_length * c->heads);
}

static DLTensor tensor_of(cl_mem buffer, size_t at, int ndim, DLDataType type, int64_t *shape)
{
    return (DLTensor){.data = buffer,
                      .device = {kDLOpenCL, 0},
                      .ndim = ndim,
                      .dtype = type,
                      .shape = shape,
                      .byte_offset = at};
}

static void describe_dense(struct dynamic_case *c)
{
    c->shape[0] = c->scale_shape[0] = (int64_t)c->rows;
    c->shape[1] = c->columns;
    c->desc = (struct clq_dynamic_quantize_desc){.x = &c->x,
                                                 .y = &c->q,
                                                 .scales = &c->scale,
                                                 .offsets = c->symmetric ? NULL : &c->offset,
                                                 .symmetric = c->symmetric};
}

static void describe_scatter(struct dynamic_case *c)
{
    const struct places *places = &c->places;
    const int64_t shape[] = {places->batches, places->length, c->heads, c->columns};
    const int64_t updates[] = {places->entries, places->update_length, c->heads, c->columns};

    memcpy(c->shape, shape, sizeof shape);
    memcpy(c->scale_shape, shape, sizeof c->scale_shape);
    memcpy(c->updates_shape, updates, sizeof updates);
    c->indices_shape[0] = places->entries;
    c->indices_shape[1] = 2;
    c->scatter = (struct clq_dynamic_quantize_scatter_desc){.cache = &c->q,
                                                            .cache_scales = &c->scale,
                                                            .cache_offsets = c->symmetric ? NULL : &c->offset,
                                                            .indices = &c->indices,
                                                            .updates = &c->x,
                                                            .axis = 1,
                                                            .symmetric = c->symmetric,
                                                            .unique = c->unique};
}

static void describe_work(struct dynamic_case *c)
{
    const struct places *places = &c->places;

    c->work = (struct dynamic_work){.rows = c->rows,
                                    .columns = (size_t)c->columns,
                                    .src = c->src,
                                    .dst = c->dst,
                                    .symmetric = c->symmetric};
    if (!c->scatters)
        return;
    c->work.pairs = places->pairs;
    c->work.entry_rows = (size_t)(places->update_length * c->heads);
    c->work.position_rows = (size_t)c->heads;
    c->work.axis_size = (size_t)places->length;
}

bool dynamic_case_init(struct bench *bench, struct dynamic_case *c)
{
    const int ndim = c->scatters ? 4 : 2;

    c->next = 0;
    fit(bench, c);
    if (c->size_bytes > bench->x_bytes)
        return fail(&bench->failure, STATUS_SYSTEM,
                    "bench: %s: the results take %zu bytes, and there are %zu", c->note, c->size_bytes,
                    bench->x_bytes);
    if (c->scatters && !places_init(bench, &c->places))
        return false;
    c->x = tensor_of(bench->x, 0, ndim, quantize_src_type(c->src), c->scatters ? c->updates_shape : c->shape);
    c->q = tensor_of(bench->y, 0, ndim, quantize_dst_type(c->dst), c->shape);
    c->scale = tensor_of(bench->y, c->scale_at, ndim - 1, CLQ_FLOAT32, c->scale_shape);
    c->offset = tensor_of(bench->y, c->offset_at, ndim - 1, CLQ_FLOAT32, c->scale_shape);
    c->indices = tensor_of(c->places.buffer, 0, c->places.pairs ? 2 : 1, CLQ_INT32, c->indices_shape);
    if (c->scatters)
        describe_scatter(c);
    else
        describe_dense(c);
    describe_work(c);
    return true;
}

void dynamic_case_clear(struct dynamic_case *c)
{
    places_clear(&c->places);
}

bool dynamic_case_call(struct bench *bench, struct dynamic_case *c, cl_event *done)
{
    clq_status status = CLQ_OK;

    c->x.byte_offset = data_next_piece(bench, dynamic_src_bytes(c));
    if (c->scatters) {
        c->indices.byte_offset = places_offset_bytes(&c->places, c->next++);
        status = clq_dynamic_quantize_scatter(bench->context, bench->queue, &c->scatter, 0, NULL, done);
    } else {
        status = clq_dynamic_quantize(bench->context, bench->queue, &c->desc, 0, NULL, done);
    }
    return status == CLQ_OK || fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
}

bool dynamic_case_run(struct bench *bench, void *self)
{
    struct dynamic_case *c = self;
    cl_event done = NULL;

    for (int i = 0; i < c->calls; i++)
        if (!dynamic_case_call(bench, c, i + 1 == c->calls ? &done : NULL))
            return false;
    return device_wait(bench, done);
}

void dynamic_case_on_host(struct bench *bench, struct dynamic_case *c)
{
    uint8_t *y = bench->y_host;

    c->work.x = bench->x_host;
    c->work.q = y;
    c->work.scale = (float *)(void *)(y + c->scale_at);
    c->work.offset = c->symmetric ? NULL : (float *)(void *)(y + c->offset_at);
    c->work.indices = c->scatters ? places_of_call(&c->places, c->next) : NULL;
}

/* Which row of q a row of the last call went to. */
static size_t place_of_row(const struct dynamic_case *c, size_t row)
{
    const size_t entry_rows = (size_t)(c->places.update_length * c->heads);
    int64_t batch, start;

    if (!c->scatters)
        return row;
    places_entry(&c->places, c->next - 1, (int64_t)(row / entry_rows), &batch, &start);
    return (size_t)((batch * c->places.length + start) * c->heads) + row % entry_rows;
}

static bool wrong(struct bench *bench, const struct dynamic_case *c, size_t row, const char *what)
{
    return fail(&bench->failure, STATUS_SYSTEM,
                "bench: %s to %s, %s, %s: %s of row %zu is wrong on the device; see clquant selftest",
                quantize_src_name(c->src), quantize_dst_name(c->dst),
                c->symmetric ? "symmetric" : "asymmetric", c->note, what, row);
}

/* bytes holds a row of x, and of q twice. */
static bool check_row(struct bench *bench, const struct dynamic_case *c, size_t row, uint8_t *bytes)
{
    const struct dynamic_way way = {.isa = ISA_PLAIN};
    const size_t place = place_of_row(c, row), x_bytes = row_bytes(c), q_bytes = q_row_bytes(c);
    uint8_t *found = bytes + x_bytes + q_bytes;
    float scale = 0, offset = 0, expected[2] = {0, 0};
    struct dynamic_work work = c->work;

    work.rows = 1;
    work.indices = NULL;
    work.x = bytes;
    work.q = bytes + x_bytes;
    work.scale = &expected[0];
    work.offset = &expected[1];
    if (!data_read(bench, bench->x, c->x.byte_offset + row * x_bytes, bytes, x_bytes) ||
        !data_read(bench, bench->y, place * q_bytes, found, q_bytes) ||
        !data_read(bench, bench->y, c->scale_at + place * sizeof scale, &scale, sizeof scale) ||
        (!c->symmetric &&
         !data_read(bench, bench->y, c->offset_at + place * sizeof offset, &offset, sizeof offset)))
        return false;
    dynamic_run(bench->pool, &way, &work);
    if (memcmp(found, work.q, q_bytes) != 0)
        return wrong(bench, c, row, "q");
    if (memcmp(&scale, &expected[0], sizeof scale) != 0)
        return wrong(bench, c, row, "the scale");
    return memcmp(&offset, &expected[1], sizeof offset) == 0 || wrong(bench, c, row, "the offset");
}

/* The first position that no entry writes, where there is one. */
static bool check_untouched(struct bench *bench, const struct dynamic_case *c)
{
    const int64_t position = c->scatters ? places_untouched(&c->places, c->next - 1) : -1;
    const size_t row = position < 0 ? 0 : (size_t)(position * c->heads);
    uint8_t bytes[2] = {UNWRITTEN_BYTE, UNWRITTEN_BYTE};

    if (position < 0)
        return true;
    return data_read(bench, bench->y, row * q_row_bytes(c), &bytes[0], 1) &&
           data_read(bench, bench->y, c->scale_at + row * sizeof(float), &bytes[1], 1) &&
           ((bytes[0] == UNWRITTEN_BYTE && bytes[1] == UNWRITTEN_BYTE) ||
            fail(&bench->failure, STATUS_SYSTEM, "bench: %s: a place of no entry was written", c->note));
}

bool dynamic_case_check(struct bench *bench, struct dynamic_case *c)
{
    const size_t count = c->rows < SAMPLED_ROWS ? c->rows : SAMPLED_ROWS;
    uint8_t *bytes = malloc(row_bytes(c) + 2 * q_row_bytes(c));
    bool right = bytes || fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for a row");

    right = right && check_untouched(bench, c);
    for (size_t i = 0; i < count && right; i++)
        right = check_row(bench, c, count > 1 ? i * (c->rows - 1) / (count - 1) : 0, bytes);
    free(bytes);
    return right;
}
