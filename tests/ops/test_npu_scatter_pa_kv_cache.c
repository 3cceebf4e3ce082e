/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_scatter_pa_kv_cache: what it refuses. What it computes is harness.documented.* */
#include "refused.h"

#include <string.h>

enum { KEY, VALUE, KEY_CACHE, VALUE_CACHE, SLOTS, BUFFERS };
static const unsigned char fillings[BUFFERS] = {
    [KEY] = 0x40, [VALUE] = 0x41, [KEY_CACHE] = 0x42, [VALUE_CACHE] = 0x43, [SLOTS] = 0};

/* Two entries of slot 0, float16: [2, 3, 16] into pages [4, 8, 3, 16]. */
struct call {
    cl_mem buffers[BUFFERS];
    DLTensor tensors[BUFFERS];
    int64_t shapes[BUFFERS][9];
    const DLTensor *arguments[BUFFERS], *lens;
    const char *mode;
    clq_context *context;
    cl_uint num_wait;
};

static void make_call(struct call *c)
{
    static const int64_t shapes[BUFFERS][9] = {
        {2, 3, 16, 1}, {2, 3, 16, 1}, {4, 8, 3, 16}, {4, 8, 3, 16}, {2, 1}};
    static const int ranks[BUFFERS] = {3, 3, 4, 4, 1};

    *c = (struct call){.context = harness.context, .mode = "Norm"};
    memcpy(c->shapes, shapes, sizeof(shapes));
    refused_make(c->buffers, fillings, BUFFERS);
    for (int i = 0; i < BUFFERS; i++) {
        c->tensors[i] =
            refused_tensor(c->buffers[i], i == SLOTS ? CLQ_INT32 : CLQ_FLOAT16, ranks[i], c->shapes[i]);
        c->arguments[i] = &c->tensors[i];
    }
}

static clq_status run_call(const struct call *c, cl_event *done)
{
    const DLTensor *const *a = c->arguments;

    return clq_npu_scatter_pa_kv_cache(c->context, harness.queue, a[KEY], a[VALUE], a[KEY_CACHE],
                                       a[VALUE_CACHE], a[SLOTS], c->lens, NULL, NULL, c->mode, c->num_wait,
                                       NULL, done);
}

SPOIL(no_key, c->arguments[KEY] = NULL)
SPOIL(no_value_cache, c->arguments[VALUE_CACHE] = NULL)
SPOIL(no_slots, c->arguments[SLOTS] = NULL)
SPOIL(no_context, c->context = NULL)
SPOIL(wait_missing, c->num_wait = 1)
SPOIL(lens, c->lens = &c->tensors[SLOTS])
SPOIL(mode, c->mode = "norm")
SPOIL(key_flat, c->tensors[KEY].ndim = 2)
SPOIL(cache_flat, c->tensors[VALUE_CACHE].ndim = 3)
SPOIL(slots_deep, c->tensors[SLOTS].ndim = 2)
SPOIL(few_slots, c->shapes[SLOTS][0] = 1)
SPOIL(slots_half, c->tensors[SLOTS].dtype = CLQ_FLOAT16)
SPOIL(heads, c->shapes[VALUE][1] = 2)
SPOIL(nz_size, c->mode = NULL)
SPOIL(other_type, c->tensors[VALUE].dtype = CLQ_FLOAT32)
SPOIL(value_in_key_cache, c->tensors[VALUE].data = c->buffers[KEY_CACHE]; c->tensors[VALUE].byte_offset = 96)
SPOIL(caches_overlap, c->tensors[VALUE_CACHE].data = c->buffers[KEY_CACHE];
      c->tensors[VALUE_CACHE].byte_offset = 96)
SPOIL(value_cache_is_slots, c->tensors[VALUE_CACHE].data = c->buffers[SLOTS])

static const struct refused_row rows[] = {
    {"no key", no_key, CLQ_ERROR_NULL, "key is NULL: it must be a tensor"},
    {"no value_cache", no_value_cache, CLQ_ERROR_NULL, "value_cache is NULL: it must be a tensor"},
    {"no slots", no_slots, CLQ_ERROR_NULL, "slot_mapping is NULL: it must be a tensor"},
    {"no context", no_context, CLQ_ERROR_NULL, "context is NULL: it must be a context"},
    {"a wait list that is missing", wait_missing, CL_INVALID_EVENT_WAIT_LIST,
     "num_wait is 1 and wait is NULL: a wait list has both or neither"},
    {"the compressed form", lens, CLQ_ERROR_VALUE, "compress_lens is given: it must be NULL, "},
    {"a mode in small letters", mode, CLQ_ERROR_VALUE,
     "cache_mode is \"norm\": it must be \"Norm\" or \"PA_NZ\""},
    {"keys of rank 2", key_flat, CLQ_ERROR_RANK, "key.ndim is 2: it must be 3, [N, heads, size]; "},
    {"a cache of rank 3", cache_flat, CLQ_ERROR_RANK, "value_cache.ndim is 3: it must be 4"},
    {"slots of rank 2", slots_deep, CLQ_ERROR_RANK, "slot_mapping.ndim is 2: it must be 1"},
    {"fewer slots than entries", few_slots, CLQ_ERROR_SHAPE,
     "slot_mapping.shape[0] is 1: it must be key.shape[0], 2"},
    {"slots of floats", slots_half, CLQ_ERROR_TYPE,
     "slot_mapping.dtype is float16: it must be int32 or int64"},
    {"other heads", heads, CLQ_ERROR_SHAPE,
     "value.shape[1] is 2: with cache_mode Norm it must be value_cache.shape[2], 3"},
    {"pages of another mode", nz_size, CLQ_ERROR_SHAPE,
     "key has 48 elements an entry: with cache_mode PA_NZ it must have key_cache.shape[1] * "},
    {"values of another type", other_type, CLQ_ERROR_TYPE,
     "value.dtype is float32: it must be that of value_cache, float16"},
    {"values that the keys overwrite", value_in_key_cache, CLQ_ERROR_OVERLAP,
     "key_cache shares bytes of its buffer with value: their byte ranges must be disjoint"},
    {"caches that overlap", caches_overlap, CLQ_ERROR_OVERLAP,
     "key_cache shares bytes of its buffer with value_cache: their byte ranges must be disjoint"},
    {"a cache in the slots", value_cache_is_slots, CLQ_ERROR_OVERLAP,
     "value_cache shares bytes of its buffer with slot_mapping: their byte ranges must be disjoint"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;

    make_call(&c);
    row->spoil(&c);
    refused_expect(run_call(&c, &done), row->status, row->sentence, row->name);
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

/* Also into one cache, where the values are what stays. */
TEST(the_call_itself_is_right)
{
    for (int one = 0; one < 2; one++) {
        struct call c;

        make_call(&c);
        if (one)
            c.arguments[VALUE_CACHE] = c.arguments[KEY_CACHE];
        expect_status(run_call(&c, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_false(refused_untouched(c.buffers[KEY_CACHE], fillings[KEY_CACHE]));
        assert_int_equal(refused_untouched(c.buffers[VALUE_CACHE], fillings[VALUE_CACHE]), one);
        refused_release(c.buffers, BUFFERS);
    }
}

TEST_OF_ROWS(refuses, rows, name)

HARNESS_MAIN("npu_scatter_pa_kv_cache")
