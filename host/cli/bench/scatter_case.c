/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of clq_quantize_scatter on the bench's data. */
#include "scatter_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLED_ENTRIES = 64, UNWRITTEN_BYTE = 0xa5 };

static int64_t row_elements(const struct scatter_case *c)
{
    int64_t elements = 1;

    for (int d = 2; d < c->ndim; d++)
        elements *= c->cache_shape[d];
    return elements;
}

size_t scatter_update_elements(const struct scatter_case *c)
{
    return (size_t)(c->updates_shape[0] * c->updates_shape[1] * row_elements(c));
}

static int64_t places(const struct scatter_case *c)
{
    return c->cache_shape[0] * c->cache_shape[1];
}

static void fit(const struct bench *bench, struct scatter_case *c)
{
    int64_t *length = &c->updates_shape[1], *entries = &c->updates_shape[0];

    while ((size_t)(places(c) * row_elements(c)) > bench->x_bytes && c->cache_shape[1] > 1)
        c->cache_shape[1] /= 2;
    if (*length > c->cache_shape[1])
        *length = c->cache_shape[1];
    while (peer_src_bytes(PEER_F16, scatter_update_elements(c)) > bench->x_bytes && *length > 1)
        *length /= 2;
    while (c->pairs && *entries > 1 &&
           (*entries > places(c) || peer_src_bytes(PEER_F16, scatter_update_elements(c)) > bench->x_bytes))
        *entries /= 2;
    for (int d = 2; d < c->ndim; d++)
        c->updates_shape[d] = c->cache_shape[d];
}

static bool create_indices(struct bench *bench, struct scatter_case *c)
{
    c->places = (struct places){.batches = c->cache_shape[0],
                                .length = c->cache_shape[1],
                                .entries = c->updates_shape[0],
                                .update_length = c->updates_shape[1],
                                .pairs = c->pairs,
                                .sets = SCATTER_SETS};
    return places_init(bench, &c->places);
}

static DLTensor tensor_of(cl_mem buffer, int ndim, DLDataType type, int64_t *shape)
{
    return (DLTensor){.data = buffer, .device = {kDLOpenCL, 0}, .ndim = ndim, .dtype = type, .shape = shape};
}

bool scatter_case_init(struct bench *bench, struct scatter_case *c)
{
    fit(bench, c);
    c->indices_shape[0] = c->updates_shape[0];
    c->indices_shape[1] = 2;
    c->scale_count = c->cache_shape[c->ndim - 1];
    c->next = 0;
    if (!create_indices(bench, c) || !data_fill_scales(bench, 0.05f))
        return false;
    c->cache = tensor_of(bench->y, c->ndim, CLQ_INT8, c->cache_shape);
    c->updates = tensor_of(bench->x, c->ndim, CLQ_FLOAT16, c->updates_shape);
    c->indices_tensor = tensor_of(c->places.buffer, c->pairs ? 2 : 1, CLQ_INT32, c->indices_shape);
    c->scales = tensor_of(bench->scales, 1, CLQ_FLOAT32, &c->scale_count);
    c->desc = (struct clq_quantize_scatter_desc){.cache = &c->cache,
                                                 .indices = &c->indices_tensor,
                                                 .updates = &c->updates,
                                                 .scales = &c->scales,
                                                 .axis = 1,
                                                 .unique = c->unique};
    return true;
}

void scatter_case_clear(struct scatter_case *c)
{
    places_clear(&c->places);
}

bool scatter_case_call(struct bench *bench, struct scatter_case *c, cl_event *done)
{
    c->updates.byte_offset = data_next_piece(bench, peer_src_bytes(PEER_F16, scatter_update_elements(c)));
    c->indices_tensor.byte_offset = places_offset_bytes(&c->places, c->next++);
    return clq_quantize_scatter(bench->context, bench->queue, &c->desc, 0, NULL, done) == CLQ_OK ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
}

bool scatter_case_run(struct bench *bench, void *self)
{
    struct scatter_case *c = self;
    cl_event done = NULL;

    for (int i = 0; i < c->calls; i++)
        if (!scatter_case_call(bench, c, i + 1 == c->calls ? &done : NULL))
            return false;
    return device_wait(bench, done);
}

/* One position of one entry of the call that ran last: rows of `scale_count` elements on both sides. */
static bool check_position(struct bench *bench, const struct scatter_case *c, int64_t entry, int64_t u,
                           uint8_t *bytes)
{
    const size_t elements = (size_t)row_elements(c), x_bytes = peer_src_bytes(PEER_F16, elements);
    const size_t row = (size_t)(entry * c->updates_shape[1] + u);
    const struct peer_way way = {.isa = ISA_PLAIN};
    const struct peer_work work = {.x = bytes,
                                   .y = bytes + x_bytes,
                                   .scale = bench->scale_values,
                                   .rows = elements / (size_t)c->scale_count,
                                   .columns = (size_t)c->scale_count,
                                   .row_stride = (size_t)c->scale_count,
                                   .scales = (size_t)c->scale_count,
                                   .src = PEER_F16,
                                   .dst = PEER_I8,
                                   .scale_kind = PEER_SCALE_EACH,
                                   .divide = true};
    uint8_t *found = bytes + x_bytes + elements;
    int64_t batch, start;
    size_t at;

    places_entry(&c->places, c->next - 1, entry, &batch, &start);
    at = (size_t)(batch * c->cache_shape[1] + start + u) * elements;
    if (!data_read(bench, bench->x, c->updates.byte_offset + row * x_bytes, bytes, x_bytes) ||
        !data_read(bench, bench->y, at, found, elements))
        return false;
    peer_run(bench->pool, &way, &work);
    return memcmp(found, work.y, elements) == 0 ||
           fail(&bench->failure, STATUS_SYSTEM,
                "bench: %s: position %" PRId64 " of entry %" PRId64
                " has wrong bytes on the device; see clquant selftest",
                c->note, u, entry);
}

/* The first place that no entry of the set writes, where there is one. */
static bool check_untouched(struct bench *bench, const struct scatter_case *c)
{
    const int64_t place = places_untouched(&c->places, c->next - 1);
    unsigned char byte = UNWRITTEN_BYTE;

    if (place >= 0 && !data_read(bench, bench->y, (size_t)(place * row_elements(c)), &byte, 1))
        return false;
    return byte == UNWRITTEN_BYTE ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: %s: a place of no entry was written", c->note);
}

bool scatter_case_check(struct bench *bench, struct scatter_case *c)
{
    const size_t elements = (size_t)row_elements(c);
    const int64_t entries = c->updates_shape[0],
                  samples = entries < SAMPLED_ENTRIES ? entries : SAMPLED_ENTRIES;
    uint8_t *bytes = malloc(peer_src_bytes(PEER_F16, elements) + 2 * elements);
    cl_event done = NULL;
    bool right = bytes || fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for a sample");

    right = right && data_spoil(bench) && scatter_case_call(bench, c, &done) && device_wait(bench, done) &&
            check_untouched(bench, c);
    for (int64_t i = 0; i < samples && right; i++) {
        const int64_t entry = i * (entries - 1) / (samples > 1 ? samples - 1 : 1);

        right = check_position(bench, c, entry, i % c->updates_shape[1], bytes);
    }
    free(bytes);
    return right;
}
