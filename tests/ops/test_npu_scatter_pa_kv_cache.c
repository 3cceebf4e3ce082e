/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_scatter_pa_kv_cache: what it refuses. What it computes is harness.documented.* */
#include "refused.h"

enum { KEY, VALUE, KEY_CACHE, VALUE_CACHE, SLOTS, BUFFERS };

/* Two entries of slot 0, float16: [2, 3, 16] into pages [4, 8, 3, 16]. */
static const struct refused_tensor given[BUFFERS] = {[KEY] = {0x40, CLQ_FLOAT16, 3, {2, 3, 16, 1}},
                                                     [VALUE] = {0x41, CLQ_FLOAT16, 3, {2, 3, 16, 1}},
                                                     [KEY_CACHE] = {0x42, CLQ_FLOAT16, 4, {4, 8, 3, 16}},
                                                     [VALUE_CACHE] = {0x43, CLQ_FLOAT16, 4, {4, 8, 3, 16}},
                                                     [SLOTS] = {0, CLQ_INT32, 1, {2, 1}}};

struct call {
    struct refused_call r;
    const DLTensor *lens;
    const char *mode;
};

static void make_call(struct call *c, int which)
{
    (void)which;
    *c = (struct call){.mode = "Norm"};
    refused_make(&c->r, given, BUFFERS);
}

static clq_status run_call(const struct call *c, cl_event *done)
{
    const DLTensor *const *a = c->r.arguments;

    return clq_npu_scatter_pa_kv_cache(c->r.context, harness.queue, a[KEY], a[VALUE], a[KEY_CACHE],
                                       a[VALUE_CACHE], a[SLOTS], c->lens, NULL, NULL, c->mode, c->r.num_wait,
                                       NULL, done);
}

REFUSES(make_call, run_call)

REFUSED(0, "no key", CLQ_ERROR_NULL, NO("key"), r->arguments[KEY] = NULL)
REFUSED(0, "no value_cache", CLQ_ERROR_NULL, NO("value_cache"), r->arguments[VALUE_CACHE] = NULL)
REFUSED(0, "no slots", CLQ_ERROR_NULL, NO("slot_mapping"), r->arguments[SLOTS] = NULL)
REFUSED(0, "no context", CLQ_ERROR_NULL, NO_CONTEXT, r->context = NULL)
REFUSED(0, "a wait list that is missing", CL_INVALID_EVENT_WAIT_LIST, NO_WAIT_LIST, r->num_wait = 1)
REFUSED(0, "the compressed form", CLQ_ERROR_VALUE, "compress_lens is given: it must be NULL, ",
        c->lens = &r->tensors[SLOTS])
REFUSED(0, "a mode in small letters", CLQ_ERROR_VALUE,
        "cache_mode is \"norm\": it must be \"Norm\" or \"PA_NZ\"", c->mode = "norm")
REFUSED(0, "keys of rank 2", CLQ_ERROR_RANK, "key.ndim is 2: it must be 3, [N, heads, size]; ",
        r->tensors[KEY].ndim = 2)
REFUSED(0, "a cache of rank 3", CLQ_ERROR_RANK, "value_cache.ndim is 3: it must be 4",
        r->tensors[VALUE_CACHE].ndim = 3)
REFUSED(0, "slots of rank 2", CLQ_ERROR_RANK, "slot_mapping.ndim is 2: it must be 1",
        r->tensors[SLOTS].ndim = 2)
REFUSED(0, "fewer slots than entries", CLQ_ERROR_SHAPE,
        "slot_mapping.shape[0] is 1: it must be key.shape[0], 2", r->shapes[SLOTS][0] = 1)
REFUSED(0, "slots of floats", CLQ_ERROR_TYPE, "slot_mapping.dtype is float16: it must be int32 or int64",
        r->tensors[SLOTS].dtype = CLQ_FLOAT16)
REFUSED(0, "other heads", CLQ_ERROR_SHAPE,
        "value.shape[1] is 2: with cache_mode Norm it must be value_cache.shape[2], 3",
        r->shapes[VALUE][1] = 2)
REFUSED(0, "pages of another mode", CLQ_ERROR_SHAPE,
        "key has 48 elements an entry: with cache_mode PA_NZ it must have key_cache.shape[1] * ",
        c->mode = NULL)
REFUSED(0, "values of another type", CLQ_ERROR_TYPE,
        "value.dtype is float32: it must be that of value_cache, float16",
        r->tensors[VALUE].dtype = CLQ_FLOAT32)
REFUSED(0, "values that the keys overwrite", CLQ_ERROR_OVERLAP, SHARES("key_cache", "value"),
        r->tensors[VALUE].data = r->buffers[KEY_CACHE];
        r->tensors[VALUE].byte_offset = 96)
REFUSED(0, "caches that overlap", CLQ_ERROR_OVERLAP, SHARES("key_cache", "value_cache"),
        r->tensors[VALUE_CACHE].data = r->buffers[KEY_CACHE];
        r->tensors[VALUE_CACHE].byte_offset = 96)
REFUSED(0, "a cache in the slots", CLQ_ERROR_OVERLAP, SHARES("value_cache", "slot_mapping"),
        r->tensors[VALUE_CACHE].data = r->buffers[SLOTS])

/* Also into one cache, where the values are what stays. */
TEST(the_call_itself_is_right)
{
    for (int one = 0; one < 2; one++) {
        struct call c;

        make_call(&c, 0);
        if (one)
            c.r.arguments[VALUE_CACHE] = c.r.arguments[KEY_CACHE];
        expect_status(run_call(&c, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_false(refused_untouched(&c.r, KEY_CACHE));
        assert_int_equal(refused_untouched(&c.r, VALUE_CACHE), one);
        refused_clear(&c.r);
    }
}

HARNESS_MAIN("npu_scatter_pa_kv_cache")
