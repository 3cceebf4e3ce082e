/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of one of ggml's quantized types, written as SET_ROWS writes it and read as GET_ROWS and CPY read
 * it: clq_dynamic_quantize_scatter and clq_dequantize take ggml's ids as slots. The bytes are those of ggml's
 * reference. Then its blocks are taken apart into codes and d, as ggml's OpenCL back end keeps weights, and
 * read as that.
 *
 *   ggml_cache [TYPE [FOLDER]]     TYPE: q8_0, q4_0, q4_1, q5_0, q5_1 or iq4_nl; all where it is left out.
 *                                  FOLDER gets k.f32 [24, 256], ids.i64, cache.TYPE [64, row], got.i32 and
 *                                  values.f32 [16, 256], for other programs to compare. */
#include "ggml_cache.h"

#include "../common/values.h"

#include <stdio.h>

enum { TOKENS = 24, GOT = 16 };

static const char *const type_names[] = {"q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"};

static float k[TOKENS][WIDTH];
static int64_t ids[TOKENS];
static int32_t got_ids[GOT];
static uint8_t cache_bytes[ROWS * BLOCKS * 34]; /* of any of the types */
static float got[GOT][WIDTH], all[ROWS][WIDTH], of_arrays[ROWS][WIDTH];

struct tensors {
    DLManagedTensor *cache, *k, *ids, *got_ids, *got, *all;
};

/* Values of many sizes, and ids in no order: one is -1, which skips its row, and the last is the id of the
 * first, whose row it takes. */
static void fill(void)
{
    uint64_t state = 1;

    for (int i = 0; i < TOKENS * WIDTH; i++) {
        const int32_t value = (int32_t)(random_next(&state) >> 40) - (1 << 23);

        (&k[0][0])[i] = ldexpf((float)value, i / QK % 9 - 27);
    }
    for (int t = 0; t < TOKENS; t++)
        ids[t] = t * 37 % ROWS;
    ids[5] = -1;
    ids[TOKENS - 1] = ids[0];
    for (int i = 0; i < GOT; i++)
        got_ids[i] = (int32_t)(i % 4 == 3 ? i : ids[TOKENS - 1 - i]);
}

clq_status create_filled(const struct device *device, DLDataType dtype, int rank, const int64_t *shape,
                         const void *bytes, DLManagedTensor **tensor)
{
    static const uint8_t zeros[sizeof all];
    size_t size = 0;

    TRY(clq_tensor_create(device->context, dtype, rank, shape, tensor));
    TRY(clq_tensor_size_bytes(&(*tensor)->dl_tensor, &size));
    return clq_tensor_write(device->queue, &(*tensor)->dl_tensor, CL_TRUE, bytes ? bytes : zeros, size, 0,
                            NULL, NULL);
}

/* A tensor of blocks counts blocks, and ggml names the innermost dimension first: ne {256, 64} of values is
 * the shape [64, 8]. Slots are numbers of rows, for the cache is one batch of them. */
static clq_status create(const struct device *device, DLDataType type, struct tensors *t)
{
    const int64_t of_cache[] = {1, ROWS, BLOCKS}, of_k[] = {TOKENS, WIDTH}, of_got[] = {GOT, WIDTH};
    const int64_t of_all[] = {1, ROWS, WIDTH}, tokens[] = {TOKENS}, few[] = {GOT};

    TRY(create_filled(device, type, 3, of_cache, NULL, &t->cache));
    TRY(create_filled(device, CLQ_FLOAT32, 2, of_k, k, &t->k));
    TRY(create_filled(device, CLQ_INT64, 1, tokens, ids, &t->ids));
    TRY(create_filled(device, CLQ_INT32, 1, few, got_ids, &t->got_ids));
    TRY(create_filled(device, CLQ_FLOAT32, 2, of_got, NULL, &t->got));
    return create_filled(device, CLQ_FLOAT32, 3, of_all, NULL, &t->all);
}

static clq_status set_rows(const struct device *device, const struct tensors *t)
{
    return clq_dynamic_quantize_scatter(
        device->context, device->queue,
        &(struct clq_dynamic_quantize_scatter_desc){.cache = &t->cache->dl_tensor,
                                                    .indices = &t->ids->dl_tensor,
                                                    .updates = &t->k->dl_tensor,
                                                    .axis = 1,
                                                    .index_kind = CLQ_SLOTS},
        0, NULL, NULL);
}

static clq_status get_rows(const struct device *device, const struct tensors *t)
{
    return clq_dequantize(device->context, device->queue,
                          &(struct clq_dequantize_desc){.q = &t->cache->dl_tensor,
                                                        .indices = &t->got_ids->dl_tensor,
                                                        .y = &t->got->dl_tensor,
                                                        .axis = 1,
                                                        .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                                        .index_kind = CLQ_SLOTS},
                          0, NULL, NULL);
}

/* CPY to floats. */
static clq_status get_all(const struct device *device, const struct tensors *t)
{
    return clq_dequantize(device->context, device->queue,
                          &(struct clq_dequantize_desc){.q = &t->cache->dl_tensor,
                                                        .y = &t->all->dl_tensor,
                                                        .mode = CLQ_DEQUANTIZE_DYNAMIC},
                          0, NULL, NULL);
}

static clq_status work(const struct device *device, DLDataType type, struct tensors *t)
{
    TRY(create(device, type, t));
    TRY(set_rows(device, t));
    TRY(get_rows(device, t));
    TRY(get_all(device, t));
    TRY(clq_tensor_read(device->queue, &t->cache->dl_tensor, CL_TRUE, cache_bytes,
                        (size_t)ROWS * BLOCKS * type.lanes, 0, NULL, NULL));
    TRY(clq_tensor_read(device->queue, &t->got->dl_tensor, CL_TRUE, got, sizeof got, 0, NULL, NULL));
    TRY(clq_tensor_read(device->queue, &t->all->dl_tensor, CL_TRUE, all, sizeof all, 0, NULL, NULL));
    return has_two_arrays(type) ? read_two_arrays(device, &t->cache->dl_tensor, &of_arrays[0][0]) : CLQ_OK;
}

static uint32_t checksum(const void *data, size_t size_bytes)
{
    const uint8_t *bytes = data;
    uint32_t sum = 2166136261u;

    for (size_t i = 0; i < size_bytes; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

/* Rows that came by GET_ROWS are those of all, and so are the values of two arrays. */
static bool report(const char *name, DLDataType type)
{
    const size_t row = (size_t)BLOCKS * type.lanes;
    bool equal = true;

    printf("%s: a row of %d values is %zu bytes; checksum of the cache %08x, of rows that were got %08x\n",
           name, WIDTH, row, (unsigned)checksum(cache_bytes, ROWS * row),
           (unsigned)checksum(got, sizeof got));
    for (int i = 0; i < GOT; i++)
        if (memcmp(got[i], all[got_ids[i]], sizeof got[i]) != 0)
            equal = false;
    if (!equal)
        fprintf(stderr, "ggml_cache: rows of %s that were got differ from those of the whole cache\n", name);
    if (has_two_arrays(type)) {
        const bool same = memcmp(all, of_arrays, sizeof all) == 0;

        printf("%s: values of codes and d in two arrays %s those of the blocks\n", name,
               same ? "equal" : "differ from");
        equal = equal && same;
    }
    return equal;
}

static bool save(const char *folder, const char *name, const void *data, size_t size_bytes)
{
    char path[4096];
    FILE *file = NULL;
    bool good = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;

    if (good)
        file = fopen(path, "wb");
    good = file && fwrite(data, 1, size_bytes, file) == size_bytes;
    if (file && fclose(file) != 0)
        good = false;
    if (!good)
        fprintf(stderr, "ggml_cache: '%s' cannot be written\n", path);
    return good;
}

static bool save_all(const char *folder, const char *type, size_t cache_size)
{
    char cache[16];

    snprintf(cache, sizeof cache, "cache.%s", type);
    return save(folder, "k.f32", k, sizeof k) && save(folder, "ids.i64", ids, sizeof ids) &&
           save(folder, cache, cache_bytes, cache_size) && save(folder, "got.i32", got_ids, sizeof got_ids) &&
           save(folder, "values.f32", got, sizeof got);
}

static bool run(const struct device *device, const char *name, const char *folder)
{
    const DLDataType type = clq_dtype_parse(name);
    struct tensors t = {0};
    const clq_status status = work(device, type, &t);
    DLManagedTensor *tensors[] = {t.cache, t.k, t.ids, t.got_ids, t.got, t.all};

    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        clq_tensor_destroy(tensors[i]);
    if (status != CLQ_OK) {
        fprintf(stderr, "ggml_cache: %s: %s\n", clq_status_name(status), clq_error_detail());
        return false;
    }
    return report(name, type) && (!folder || save_all(folder, name, (size_t)ROWS * BLOCKS * type.lanes));
}

int main(int argc, char **argv)
{
    const size_t types = sizeof type_names / sizeof *type_names;
    const char *folder = argc == 3 ? argv[2] : NULL;
    struct device device = {0};
    size_t chosen = types;
    bool good = false;

    for (size_t i = 0; i < types; i++)
        if (argc > 1 && strcmp(argv[1], type_names[i]) == 0)
            chosen = i;
    if (argc > 3 || (argc > 1 && chosen == types)) {
        fprintf(stderr, "ggml_cache: usage: ggml_cache [q8_0|q4_0|q4_1|q5_0|q5_1|iq4_nl [FOLDER]]\n");
        return 2;
    }
    fill();
    good = clq_context_create(NULL, &device.context) == CLQ_OK &&
           clq_queue_create(device.context, 0, &device.queue) == CLQ_OK;
    if (!good)
        fprintf(stderr, "ggml_cache: %s\n", clq_error_detail());
    for (size_t i = 0; i < types && good; i++)
        if (chosen == types || chosen == i)
            good = run(&device, type_names[i], folder);
    clq_queue_destroy(device.queue);
    clq_context_destroy(device.context);
    return good ? 0 : 1;
}
