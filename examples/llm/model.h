/* SPDX-License-Identifier: Apache-2.0 */
/* The device, the model's weights on it, the caches, and a step. */
#ifndef CLQ_LLM_MODEL_H
#define CLQ_LLM_MODEL_H

#include "llm.h"

enum { GROUP = 64, TILE = 16, MOST_HEAD_SIZE = 128, MOST_LAYERS = 1024 };
enum kernel { EMBED, RMS_NORM, TURN_AND_SPLIT, SWIGLU, COMPARE, NUM_KERNELS };

struct device {
    clq_context *context;
    cl_command_queue queue; /* in order: all that is enqueued runs one behind the other */
    cl_program program;
    cl_kernel kernels[NUM_KERNELS];
    DLManagedTensor **tensors; /* all that device_tensor made, which live as long as the device */
    size_t num_tensors;
    DLManagedTensor *zero; /* int32 [1]: the place of rows that begin where their tensor does */
    char name[256];
};

/* A status of OpenCL's or CLBlast's: notes which call it comes from. */
clq_status noted(clq_status status, const char *call);

/* Destroy accepts what is half made, here and below. text: a number or a part of a name; NULL: the
 * default. */
clq_status device_create(struct device *device, const char *text);
void device_destroy(struct device *device);

clq_status device_build(const struct device *device, const char *text, size_t length, const char *options,
                        cl_program *program);

/* A tensor that the device destroys, of zeros: CLBlast may add 0 times what is in a product's buffer, and new
 * ones may hold a NaN. */
clq_status device_tensor(struct device *device, DLDataType dtype, int rank, const int64_t *shape,
                         DLManagedTensor **tensor);

struct argument {
    size_t size_bytes;
    const void *value;
};
#define VALUE(x)       ((struct argument){sizeof(x), &(x)})
#define BUFFER(tensor) ((struct argument){sizeof(cl_mem), &(tensor)->dl_tensor.data})

/* Enqueues rows times columns work-groups of GROUP items. */
clq_status device_run(const struct device *device, cl_kernel kernel, size_t rows, size_t columns,
                      const struct argument *arguments, size_t count);

/* Of the architecture "llama". Weights are float32 on the device, a row an output. */
struct model {
    struct device *device;
    int64_t num_layers, width, heads, kv_heads, head_size, turned, hidden, vocabulary;
    int64_t context; /* positions that the model was made for */
    float epsilon;
    DLManagedTensor *embedding, *output, *norm; /* output may be the embedding */
    DLManagedTensor *angles;                    /* cosines and sines, [positions, turned / 2, 2] */
    struct layer {
        DLManagedTensor *attention_norm, *qkv, *attention_output, *hidden_norm, *gate_up, *down;
    } layers[MOST_LAYERS];
};

clq_status model_create(struct model *model, struct device *device, struct gguf *file,
                        const struct tokenizer *tokenizer, int64_t positions);

clq_status load_angles(struct model *model, const struct gguf *file, int64_t positions);

/* What a step of at most `batch` tokens computes with. */
struct step {
    const struct model *model;
    int64_t batch, positions;
    DLManagedTensor *tokens; /* int32 [batch] */
    DLManagedTensor *slots;  /* int32 [layers, batch]: the tokens' places in each layer's part of a cache */
    DLManagedTensor *x, *normal;     /* float32 [batch, width] */
    DLManagedTensor *qkv, *attended; /* [batch, all heads' channels] */
    DLManagedTensor *gate_up, *inner;
    DLManagedTensor *rows[2]; /* float16 [batch, 1, kv heads, head size], keys and values */
};

clq_status step_create(struct step *step, const struct model *model, int64_t batch, int64_t positions);

enum keep {
    KEEP_FLOATS,  /* as they come: moved */
    KEEP_BLOCKS,  /* ggml's, which carry their scales */
    KEEP_STATIC,  /* a scale a channel of each layer, found in the first tokens */
    KEEP_DYNAMIC, /* scales of each row, or of each block of it, beside it */
};

/* How keys are kept, or values. */
struct rows {
    const char *type;
    enum keep keep;
    bool symmetric, rotated;
    uint32_t block;      /* channels that share a scale; 0: a head */
    const char *scales;  /* their type, and the offsets' */
    uint32_t scale_rule; /* enum clq_scale_rule */
};

struct format {
    const char *name;
    struct rows sides[2];
};

enum { NUM_FORMATS = 18 };
extern const struct format formats[NUM_FORMATS]; /* float16 first */

/* How many neighbours of a head are turned; 1: none. */
uint32_t rows_rotation(const struct rows *rows, int64_t head_size);
clq_status format_build(const struct format *format, const struct model *model, cl_program *program);

struct cache {
    const struct format *format;
    const struct step *step;
    struct side {
        DLManagedTensor *data;    /* [layers, positions, kv heads, head size], blocks a thirty-second of it */
        DLManagedTensor *scales;  /* NULL: none. Static [layers, kv heads * head size] */
        DLManagedTensor *offsets; /* NULL: none */
        clq_plan *plan;           /* writes a step's rows where the slots say */
    } sides[2];
    double token_bytes; /* of all layers, keys and values, with the scales that are kept with each token */
    cl_program program;
    cl_kernel attention;
};

clq_status cache_create(struct cache *cache, const struct step *step, const struct format *format);
void cache_destroy(struct cache *cache);

/* Whether cache_calibrate must be called before the first step. */
bool cache_needs_scales(const struct cache *cache);
/* The scales of static rows from the first positions of the float16 cache. */
clq_status cache_calibrate(const struct cache *cache, const struct cache *exact, int64_t positions);

/* Enqueues what writes the step's keys and values of a layer, and the attention over the cache. */
clq_status cache_put(const struct cache *cache, int64_t layer);
clq_status cache_attend(const struct cache *cache, int64_t layer, int64_t first, int64_t count);

/* Enqueues a step: tokens, whose first has that position, go through the model; logits gets those of the rows
 * from `from` on, [count - from, vocabulary]. */
clq_status step_run(const struct step *step, const struct cache *cache, const int32_t *tokens, int64_t count,
                    int64_t first, int64_t from, const DLManagedTensor *logits);

#endif
