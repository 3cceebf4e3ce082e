/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_scatter_pa_kv_cache: the documented call. */
#include "operator.h"

/* By turns of both outputs: see moves of struct operator_description. */
enum { KEY, VALUE, KEY_CACHE, VALUE_CACHE, SLOT_MAPPING };
enum { CACHE_MODE, STRICT };
enum { PA_NZ, NORM };
static const char *const modes[] = {[PA_NZ] = "PA_NZ", [NORM] = "Norm", NULL};

static bool plan(struct operator_call *call)
{
    operator_add_output_in_place(call, KEY_CACHE);
    operator_add_output_in_place(call, VALUE_CACHE);
    return true;
}

static clq_status check(struct operator_call *call)
{
    return clq_npu_scatter_pa_kv_cache_check(
        operator_input(call, KEY), operator_input(call, VALUE), operator_input(call, KEY_CACHE),
        operator_input(call, VALUE_CACHE), operator_input(call, SLOT_MAPPING), NULL, NULL, NULL,
        modes[call->values[CACHE_MODE]]);
}

/* The documented call has no report: the general operator's, of the keys, which writes the same bytes. A
 * file's tensors are dense. */
struct general {
    DLTensor key, cache;
    int64_t key_shape[3], shape[4], strides[4];
    struct clq_move_rows_desc desc;
};

static void general_of(const struct operator_call *call, struct general *general)
{
    const DLTensor *key = operator_input(call, KEY), *cache = operator_output(call, 0);
    const int64_t *size = cache->shape;

    general->key = *key;
    general->cache = *cache;
    if (call->values[CACHE_MODE] == PA_NZ) {
        const int64_t key_shape[] = {key->shape[0], size[1], size[3]};
        const int64_t shape[] = {size[0], size[2], size[1], size[3]};
        const int64_t strides[] = {size[1] * size[2] * size[3], size[3], size[2] * size[3], 1};

        for (int d = 0; d < 4; d++) {
            general->shape[d] = shape[d];
            general->strides[d] = strides[d];
        }
        for (int d = 0; d < 3; d++)
            general->key_shape[d] = key_shape[d];
        general->key.shape = general->key_shape;
        general->cache.shape = general->shape;
        general->cache.strides = general->strides;
    }
    general->desc = (struct clq_move_rows_desc){.src = &general->key,
                                                .dst_indices = operator_input(call, SLOT_MAPPING),
                                                .dst = &general->cache,
                                                .axis = 1,
                                                .dst_index_kind = CLQ_SLOTS};
}

static clq_status check_indices(struct operator_call *call)
{
    struct general general;

    general_of(call, &general);
    return clq_move_rows_check_indices(call->context, call->queue, &general.desc, 0, NULL);
}

static clq_status count(struct operator_call *call)
{
    struct general general;

    general_of(call, &general);
    return operator_count_moved(call, &general.desc, STRICT);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const clq_status status = clq_npu_scatter_pa_kv_cache(
        call->context, call->queue, operator_input(call, KEY), operator_input(call, VALUE),
        operator_output(call, 0), operator_output(call, 1), operator_input(call, SLOT_MAPPING), NULL, NULL,
        NULL, modes[call->values[CACHE_MODE]], 0, NULL, done);

    return status != CLQ_OK ? status : count(call);
}

const struct operator_description npu_scatter_pa_kv_cache_operator = {
    .name = "npu_scatter_pa_kv_cache",
    .summary = "Writes keys and values into pages as npu_scatter_pa_kv_cache(key, value, ...) does.",
    .formula = "  of each i, s = slot_mapping[i], which below 0 skips it:\n"
               "  Norm   cache[s / block_size, s % block_size] = key[i]\n"
               "  PA_NZ  cache[s / block_size, c, s % block_size, :] = the c-th part of key[i]",
    .outputs = "key_cache, value_cache",
    .inputs =
        {
            [KEY] = {"key", false, "any type, [N, heads, size]"},
            [VALUE] = {"value", false, "the same, of a size of its own"},
            [KEY_CACHE] = {"key_cache", false,
                           "key's type; Norm: [blocks, block_size, heads, size], PA_NZ: [blocks, heads * "
                           "size / last, block_size, last]"},
            [VALUE_CACHE] = {"value_cache", false, "the same of value"},
            [SLOT_MAPPING] = {"slot_mapping", false, "I32 or I64, [N]"},
        },
    .options =
        {
            [CACHE_MODE] = {"cache-mode", modes, "PA_NZ", "the layout of the caches"},
            [STRICT] = OPERATOR_STRICT,
        },
    .plan = plan,
    .check = check,
    .check_indices = check_indices,
    .run = run,
    .moves = 2,
};
