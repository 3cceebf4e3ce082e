/* SPDX-License-Identifier: Apache-2.0 */
/* What a model would compute: keys, values and queries.
 *
 * Keys as real ones are: in every head a few channels stand far off zero, in the same direction for every
 * token, and the others are nearly normal. Values have no such channels, but tokens of different size. */
#include "kv_cache.h"

static const double SCORES = 1.0; /* the standard deviation of a head's scores over the tokens */

/* One channel of a head in 32 is an outlier, and at least one of each head. The channel's nature is the
 * model's: the same for all tokens. */
static void fill_keys(struct activations *activations, const struct options *o)
{
    const int64_t tokens = o->batch * tokens_of(o), elements = token_elements(o);
    uint64_t random = (uint64_t)o->seed;

    for (int64_t e = 0; e < elements; e++) {
        const bool outlier = (e % o->head_size + 7) % o->head_size % 32 == 0;
        const double sign = random_uniform(&random) < 0.5 ? -1.0 : 1.0;
        const double size = 6.0 + 10.0 * random_uniform(&random);
        const double spread = exp(0.3 * random_normal(&random)), shift = outlier ? sign * size : 0.0;

        for (int64_t t = 0; t < tokens; t++)
            activations->keys[t * elements + e] =
                float16_of_float((float)(shift + spread * random_normal(&random)));
    }
}

static void fill_values(struct activations *activations, const struct options *o)
{
    const int64_t rows = o->batch * tokens_of(o) * o->heads;
    uint64_t random = (uint64_t)o->seed ^ 0x56;

    for (int64_t r = 0; r < rows; r++) {
        const double size = exp(0.3 * random_normal(&random));

        for (int64_t c = 0; c < o->head_size; c++)
            activations->values[r * o->head_size + c] =
                float16_of_float((float)(size * random_normal(&random)));
    }
}

/* The variance of a head's keys around their mean, summed over the channels: what every token has in common
 * moves all its scores alike, and a softmax does not see it. */
static double spread_of_head(const struct activations *activations, const struct options *o, int64_t head)
{
    const int64_t tokens = o->batch * tokens_of(o);
    double spread = 0.0;

    for (int64_t c = 0; c < o->head_size; c++) {
        double sum = 0.0, squares = 0.0;

        for (int64_t t = 0; t < tokens; t++) {
            const double key =
                (double)float_of_float16(activations->keys[t * token_elements(o) + head * o->head_size + c]);

            sum += key;
            squares += key * key;
        }
        spread += squares / (double)tokens - sum / (double)tokens * (sum / (double)tokens);
    }
    return spread;
}

/* Normal, and of such a size that a head's scores differ from token to token by what a softmax makes
 * something of. */
static void fill_queries(struct activations *activations, const struct options *o)
{
    const int64_t group = o->queries * o->head_size;
    uint64_t random = (uint64_t)o->seed ^ 0x51;

    for (int64_t head = 0; head < o->heads; head++) {
        const double spread = spread_of_head(activations, o, head);
        const double size = spread > 0.0 ? SCORES * sqrt((double)o->head_size / spread) : 1.0;

        for (int64_t s = 0; s < o->steps * o->batch; s++)
            for (int64_t i = 0; i < group; i++)
                activations->queries[(s * o->heads + head) * group + i] =
                    (float)(size * random_normal(&random));
    }
}

static int allocate(struct activations *activations, const struct options *o)
{
    const size_t elements = (size_t)(o->batch * tokens_of(o) * token_elements(o));

    activations->keys = calloc(elements, sizeof *activations->keys);
    activations->values = calloc(elements, sizeof *activations->values);
    activations->queries =
        calloc((size_t)(o->steps * query_rows(o) * o->head_size), sizeof *activations->queries);
    return activations->keys != NULL && activations->values != NULL && activations->queries != NULL
               ? DONE
               : complain(SYSTEM, "no memory for the activations");
}

#ifdef KV_CACHE_FILES
#include "../common/tensor_file.h"

enum { BATCH, TOKENS, HEADS, CHANNELS, DIMENSIONS };

/* A tensor of a file, and what its dimensions are: extents and strides in elements. */
struct keys {
    struct tensor_file file;
    const struct tensor_entry *tensor;
    int64_t extents[DIMENSIONS], strides[DIMENSIONS]; /* a stride of 0: there is no such dimension */
};

static int find_tensor(struct keys *keys, const struct options *o)
{
    for (size_t i = 0; i < keys->file.count; i++) {
        const struct tensor_entry *entry = &keys->file.entries[i];

        if (o->tensor != NULL ? strcmp(entry->name, o->tensor) != 0 : entry->value_bytes == 0)
            continue;
        if (keys->tensor != NULL)
            return complain(USAGE, "%s: it has '%.100s', '%.100s' and perhaps more: say which with --tensor",
                            o->keys, keys->tensor->name, entry->name);
        keys->tensor = entry;
    }
    if (keys->tensor == NULL && o->tensor != NULL)
        return complain(REFUSED, "%s: it has no tensor '%.100s'", o->keys, o->tensor);
    if (keys->tensor == NULL)
        return complain(REFUSED, "%s: it has no tensor of type F32, F16 or BF16", o->keys);
    if (keys->tensor->value_bytes == 0)
        return complain(REFUSED, "%s: %.100s has type %s: it must be F32, F16 or BF16", o->keys,
                        keys->tensor->name, keys->tensor->type);
    return DONE;
}

static int read_order(struct keys *keys, const struct options *o)
{
    static const char letters[] = "bthc";
    static const char *const by_rank[] = {"", "", "tc", "thc", "bhtc"};
    const struct tensor_entry *tensor = keys->tensor;
    const char *order = o->order != NULL ? o->order : tensor->rank <= 4 ? by_rank[tensor->rank] : "";
    int64_t stride = 1;

    if ((int)strlen(order) != tensor->rank)
        return complain(USAGE, "%s: %.100s has %d dimensions: --order must name each, and at most 4", o->keys,
                        tensor->name, tensor->rank);
    for (int d = tensor->rank; d-- > 0;) {
        const char *letter = strchr(letters, order[d]);

        if (letter == NULL || keys->strides[letter - letters] != 0)
            return complain(USAGE, "--order is '%s': it must be of b, t, h and c, each once", order);
        keys->extents[letter - letters] = tensor->shape[d];
        keys->strides[letter - letters] = stride;
        stride *= tensor->shape[d];
    }
    if (stride == 0)
        return complain(REFUSED, "%s: %.100s is empty", o->keys, tensor->name);
    return keys->strides[TOKENS] != 0 && keys->strides[CHANNELS] != 0
               ? DONE
               : complain(USAGE, "--order is '%s': it must have t and c", order);
}

/* Channels of all heads become heads of channels. */
static int split_heads(struct keys *keys, const struct options *o)
{
    const int64_t all = keys->extents[CHANNELS], size = o->head_size != 0 ? o->head_size : 128;

    if (keys->strides[HEADS] != 0)
        return o->head_size == 0 || o->head_size == all
                   ? DONE
                   : complain(
                         USAGE,
                         "--head-size is %lld: it must be the %lld of the heads of %.100s, or not be given",
                         (long long)o->head_size, (long long)all, keys->tensor->name);
    if (all % size != 0)
        return complain(USAGE, "%s: %.100s has %lld channels, no multiple of the heads' %lld (--head-size)",
                        o->keys, keys->tensor->name, (long long)all, (long long)size);
    keys->extents[HEADS] = all / size;
    keys->strides[HEADS] = size * keys->strides[CHANNELS];
    keys->extents[CHANNELS] = size;
    return DONE;
}

/* What was not given is as the tensor has it. */
static int complete(const struct keys *keys, struct options *o)
{
    const int64_t tokens = keys->extents[TOKENS], most = tokens - o->steps,
                  context = o->context ? o->context : 1;

    o->batch = keys->strides[BATCH] != 0 ? keys->extents[BATCH] : 1;
    o->heads = keys->extents[HEADS];
    o->head_size = keys->extents[CHANNELS];
    if (o->head_size % 2 != 0)
        return complain(REFUSED, "%s: %.100s has heads of %lld: packed int4 needs an even number", o->keys,
                        keys->tensor->name, (long long)o->head_size);
    if (context > most)
        return complain(REFUSED, "%s: %.100s has %lld tokens: --context %lld and --steps %lld need %lld",
                        o->keys, keys->tensor->name, (long long)tokens, (long long)context,
                        (long long)o->steps, (long long)(context + o->steps));
    if (o->context == 0)
        o->context = most < 1024 ? most : 1024;
    return options_check_size(o);
}

static uint16_t half_at(const struct tensor_entry *tensor, const void *bytes, int64_t i)
{
    if (tensor->value_bytes == 4)
        return float16_of_float(((const float *)bytes)[i]);
    return tensor->type[0] == 'B' ? float16_of_float(float_of_bfloat16(((const uint16_t *)bytes)[i]))
                                  : ((const uint16_t *)bytes)[i];
}

static int convert(const struct keys *keys, const struct options *o, const void *bytes, uint16_t *to)
{
    const int64_t *strides = keys->strides;

    for (int64_t b = 0; b < o->batch; b++)
        for (int64_t t = 0; t < tokens_of(o); t++)
            for (int64_t i = 0; i < token_elements(o); i++) {
                const int64_t element = b * strides[BATCH] + t * strides[TOKENS] +
                                        i / o->head_size * strides[HEADS] +
                                        i % o->head_size * strides[CHANNELS];

                *to = half_at(keys->tensor, bytes, element);
                if ((*to++ & 0x7c00) == 0x7c00)
                    return complain(
                        REFUSED, "%s: element %lld of %.100s is not finite, or too large for a float16 cache",
                        o->keys, (long long)element, keys->tensor->name);
            }
    return DONE;
}

/* Also allocates, for the file says how much. */
static int read_keys(struct activations *activations, struct options *o)
{
    struct keys keys = {0};
    int status = tensor_file_open(&keys.file, o->keys) ? DONE : complain(REFUSED, "%s", keys.file.problem);
    void *bytes = NULL;

    if (status == DONE)
        status = find_tensor(&keys, o);
    if (status == DONE)
        status = read_order(&keys, o);
    if (status == DONE)
        status = split_heads(&keys, o);
    if (status == DONE)
        status = complete(&keys, o);
    if (status == DONE)
        status = allocate(activations, o);
    if (status == DONE) {
        bytes = tensor_file_read(&keys.file, keys.tensor);
        status = bytes != NULL ? convert(&keys, o, bytes, activations->keys)
                               : complain(SYSTEM, "%s", keys.file.problem);
    }
    free(bytes);
    tensor_file_close(&keys.file);
    return status;
}
#else
static int read_keys(struct activations *activations, struct options *o)
{
    (void)activations;
    return complain(SYSTEM, "--keys %s cannot be read: this program was built without cJSON", o->keys);
}
#endif

int activations_create(struct activations *activations, struct options *options)
{
    const int status =
        options->keys != NULL ? read_keys(activations, options) : allocate(activations, options);

    if (status != DONE)
        return status;
    if (options->keys == NULL)
        fill_keys(activations, options);
    fill_values(activations, options);
    fill_queries(activations, options);
    return DONE;
}

void activations_destroy(struct activations *activations)
{
    free(activations->keys);
    free(activations->values);
    free(activations->queries);
}
