/* SPDX-License-Identifier: Apache-2.0 */
/* A decode loop whose keys and values are kept in each of several formats in turn: what the parts share. */
#ifndef CLQ_KV_CACHE_KV_CACHE_H
#define CLQ_KV_CACHE_KV_CACHE_H

#include "../common/values.h"

#include <clquant/clquant.h>
#include <stdbool.h>

/* Exit statuses. */
enum { DONE, REFUSED, USAGE, SYSTEM };

/* Says the sentence on stderr and returns the status. */
int complain(int status, const char *format, ...);

/* Leaves a function that returns clq_status. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const clq_status try_status = (call);                                                                \
        if (try_status != CLQ_OK)                                                                            \
            return try_status;                                                                               \
    } while (0)

/* A status of OpenCL's or CLBlast's: notes which call it comes from. */
clq_status noted(clq_status status, const char *call);

struct options {
    int64_t batch;     /* sequences */
    int64_t heads;     /* of keys and values, in each sequence */
    int64_t queries;   /* heads of queries that share a head of keys */
    int64_t head_size; /* channels of a head */
    int64_t context;   /* tokens in the caches before the first step */
    int64_t steps;     /* of decoding, a token each */
    int64_t seed;
    const char *keys, *tensor, *order; /* a safetensors file, which of its tensors, what its dimensions are */
    const char *plot, *device;         /* NULL: nothing is drawn; the default */
};

/* DONE; or the command line is refused. help: nothing else was asked for, and it was printed. */
int options_read(struct options *options, int argc, char **argv, bool *help);
int options_check_size(const struct options *options);

/* Tokens that the caches have room for, elements of a sequence's token, rows of queries in a step. */
static inline int64_t tokens_of(const struct options *o)
{
    return o->context + o->steps;
}
static inline int64_t token_elements(const struct options *o)
{
    return o->heads * o->head_size;
}
static inline int64_t query_rows(const struct options *o)
{
    return o->batch * o->heads * o->queries;
}

/* What a model would compute. */
struct activations {
    uint16_t *keys;   /* float16 [batch, tokens, heads, head size] */
    uint16_t *values; /* the same */
    float *queries;   /* [steps, batch, heads, queries, head size] */
};

/* Keys are those of the options' file, which then says batch, heads and sizes, or made up. */
int activations_create(struct activations *activations, struct options *options);
void activations_destroy(struct activations *activations);

/* What every format uses in turn, on the device. */
struct loop {
    const struct options *options;
    clq_context *context;
    cl_command_queue queue; /* in order: commands wait only where the host does */
    cl_program program;
    cl_kernel softmax, widen;
    char device_name[256];
    DLManagedTensor *source[2]; /* float16, keys and values: [batch, tokens, heads, head size] */
    DLManagedTensor *queries;   /* float32 [steps, batch, heads, queries, head size] */
    DLManagedTensor *starts;    /* int32 [tokens, batch]: in row t everybody's next place is t */
    DLManagedTensor *slots;     /* int32 [batch, tokens]: the places of a whole cache, numbered */
    DLManagedTensor *wide[2]; /* float32, keys and values out of a cache: [batch, tokens, heads, head size] */
    DLManagedTensor *scores;  /* float32 [batch, heads, queries, tokens] */
    DLManagedTensor *outputs; /* float32 [batch, heads, queries, head size] */
};

/* Destroy accepts what is half made. */
clq_status loop_create(struct loop *loop, const struct options *options,
                       const struct activations *activations);
void loop_destroy(struct loop *loop);

/* float16 rows of count elements of src, from src_first on and src_pitch apart, to float32. */
clq_status loop_widen(const struct loop *loop, const DLTensor *src, int64_t src_first, int64_t src_pitch,
                      const DLTensor *dst, int64_t dst_pitch, int64_t count, cl_event *done);

enum keep {
    KEEP_FLOAT16, /* as they come: a copy */
    KEEP_STATIC,  /* a scale per head and channel, found once, from the prompt */
    KEEP_DYNAMIC, /* a scale per token and head, found while it is written, and beside it */
};

struct format {
    const char *name;
    enum keep keep;
    DLDataType dtype;
    /* Of dynamic ones */
    bool symmetric; /* no offset */
    uint32_t block; /* channels that share a scale, of float16 then; 0: a head, and float32 */
    bool rotated;   /* heads are turned before they are quantized, in blocks as large as there can be */
    bool slots;     /* places are numbers of the whole cache, as in a paged one */
};

enum { NUM_FORMATS = 9 };
extern const struct format formats[NUM_FORMATS]; /* the exact one first */

/* Keys and values in one of the formats. */
struct cache {
    const struct loop *loop;
    const struct format *format;
    struct cache_side {
        DLManagedTensor *data;   /* [batch, tokens, heads, head size]; static: the last two as one */
        DLManagedTensor *scale;  /* dynamic [batch, tokens, heads]; static [heads * head size] */
        DLManagedTensor *offset; /* dynamic, where it is not symmetric */
    } sides[2];                  /* keys, values */
};

/* Also finds the static scales. Destroy accepts what is half made. */
clq_status cache_create(struct cache *cache, const struct loop *loop, const struct format *format);
void cache_destroy(struct cache *cache);

/* What a token of one sequence takes: all its heads, keys and values, and the scales that are kept with it.
 * */
size_t cache_token_bytes(const struct cache *cache);

/* How many neighbours of a head, whose size is even, are turned at once. */
uint32_t cache_rotation(const struct options *options);

/* Writes tokens from .. from + count - 1 of the source to their places. */
clq_status cache_put(const struct cache *cache, int64_t from, int64_t count, cl_event *done);
/* The first tokens, as float32, into loop->wide. */
clq_status cache_get(const struct cache *cache, int64_t tokens, cl_event *done);

/* outputs = softmax(queries · keys / sqrt(head size)) · values of a step,
 * over the first tokens of loop->wide. */
clq_status attention_run(const struct loop *loop, int64_t step, int64_t tokens, cl_event *done);

/* The same in plain C, in double: whether the outputs of the last step, over the exact cache, agree with it.
 * Some of their rows are looked at, of every head where there are not too many. */
int attention_check(const struct options *options, const struct activations *activations,
                    const float *outputs);

/* Scores of the last step, by a kernel that reads the keys from the cache (fused.cl), where it can read the
 * format. They are checked against the keys in loop->wide, which the last step left there. */
struct fused {
    const struct format *format;
    double seconds, worst; /* a median; the largest difference */
};
bool fused_can(const struct format *format);
clq_status fused_run(const struct cache *cache, struct fused *fused);
void fused_print(const struct fused *fused);

struct result {
    const struct format *format;
    size_t token_bytes;
    double max_error,
        rms_error; /* of all outputs, against the first format's; the RMS is a share of theirs */
    double put_us, get_us, products_us; /* medians over the steps */
    struct fused fused;                 /* its format: NULL where there is none */
};

/* Markdown, which is readable as it is; and bars of bytes and errors:
 * the path's end says whether SVG or PNG. */
void report_print(const struct result *results, int count);
int report_can_plot(const char *path);
int report_plot(const struct result *results, int count, const char *title, const char *path);

#endif
