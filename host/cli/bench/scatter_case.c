/* Calls of clq_quantize_scatter on the bench's data. */
#include "scatter_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* A permutation of the numbers below count: of those below the next power of two, walked until one fits. */
static uint64_t permute(uint64_t i, uint64_t count, uint64_t seed)
{
    uint64_t mask = 1;
    int bits = 1;

    while (mask < count - 1) {
        mask = 2 * mask + 1;
        bits++;
    }
    do {
        for (int round = 0; round < 3; round++) {
            i = (i * (2 * (seed >> 20 * round) + 1) + (seed >> 7 * round)) & mask;
            i ^= i >> (bits + 1) / 2;
        }
    } while (i >= count);
    return i;
}

static void fill_indices(const struct scatter_case *c)
{
    const int64_t entries = c->updates_shape[0], size = c->cache_shape[1];
    const uint64_t starts = (uint64_t)(size - c->updates_shape[1] + 1);
    uint64_t seed = (uint64_t)time(NULL) * 0x9e3779b97f4a7c15u;
    int32_t *at = c->index_values;

    for (int set = 0; set < SCATTER_SETS; set++, seed = seed * 6364136223846793005u + 1442695040888963407u) {
        for (int64_t i = 0; i < entries; i++) {
            const uint64_t place = permute((uint64_t)i, (uint64_t)places(c), seed);

            if (c->pairs)
                *at++ = (int32_t)(place / (uint64_t)size);
            *at++ = (int32_t)(place % (c->pairs ? (uint64_t)size : starts));
        }
    }
}

static size_t set_bytes(const struct scatter_case *c)
{
    return (size_t)c->updates_shape[0] * (c->pairs ? 2 : 1) * sizeof(int32_t);
}

static bool create_indices(struct bench *bench, struct scatter_case *c)
{
    cl_int code = CL_SUCCESS;

    c->index_values = malloc(SCATTER_SETS * set_bytes(c));
    if (!c->index_values)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for indices");
    fill_indices(c);
    c->indices = clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                SCATTER_SETS * set_bytes(c), c->index_values, &code);
    return device_check(bench, "clCreateBuffer of the indices", code);
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
    c->indices_tensor = tensor_of(c->indices, c->pairs ? 2 : 1, CLQ_INT32, c->indices_shape);
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
    if (c->indices)
        clReleaseMemObject(c->indices);
    free(c->index_values);
}

bool scatter_case_call(struct bench *bench, struct scatter_case *c, cl_event *done)
{
    const size_t bytes = peer_src_bytes(PEER_F16, scatter_update_elements(c)), call = c->next++;

    c->updates.byte_offset = call % (bench->x_bytes / bytes) * bytes;
    c->indices_tensor.byte_offset = call % SCATTER_SETS * set_bytes(c);
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
    const int32_t *index =
        c->index_values + c->indices_tensor.byte_offset / sizeof(int32_t) + entry * (c->pairs ? 2 : 1);
    const int64_t batch = c->pairs ? index[0] : entry, start = index[c->pairs ? 1 : 0];
    const size_t at = (size_t)(batch * c->cache_shape[1] + start + u) * elements;
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

static bool is_written(const struct scatter_case *c, const int32_t *index, int64_t place)
{
    const int64_t batch = place / c->cache_shape[1], at = place % c->cache_shape[1];

    for (int64_t i = 0; i < c->updates_shape[0]; i++) {
        const int64_t start = index[c->pairs ? 2 * i + 1 : i];

        if ((c->pairs ? index[2 * i] : i) == batch && at >= start && at < start + c->updates_shape[1])
            return true;
    }
    return false;
}

/* The first place that no entry of the set writes, where there is one. */
static bool check_untouched(struct bench *bench, const struct scatter_case *c)
{
    const int32_t *index = c->index_values + c->indices_tensor.byte_offset / sizeof(int32_t);
    unsigned char byte = UNWRITTEN_BYTE;
    int64_t place = 0;

    while (place < places(c) && is_written(c, index, place))
        place++;
    if (place < places(c) && !data_read(bench, bench->y, (size_t)(place * row_elements(c)), &byte, 1))
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
