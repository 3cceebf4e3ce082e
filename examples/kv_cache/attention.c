/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of one step: products by CLBlast, and a softmax of our own between them. Keys and values stand
 * token by token, with the heads of a token side by side: for each sequence one batch of products over its
 * heads, a row being heads * head size long. */
#include "kv_cache.h"

#include <clblast_c.h>

enum { MOST_ROWS = 128, GROUP = 64 };

static clq_status softmax(const struct loop *loop, int64_t tokens)
{
    const cl_uint count = (cl_uint)tokens;
    const cl_ulong pitch = (cl_ulong)tokens_of(loop->options);
    const size_t local = GROUP, global = GROUP * (size_t)query_rows(loop->options);
    clq_status status = clSetKernelArg(loop->softmax, 0, sizeof(cl_mem), &loop->scores->dl_tensor.data);

    if (status == CLQ_OK)
        status = clSetKernelArg(loop->softmax, 1, sizeof count, &count);
    if (status == CLQ_OK)
        status = clSetKernelArg(loop->softmax, 2, sizeof pitch, &pitch);
    if (status == CLQ_OK)
        status = clEnqueueNDRangeKernel(loop->queue, loop->softmax, 1, NULL, &global, &local, 0, NULL, NULL);
    return noted(status, "clEnqueueNDRangeKernel of the softmax");
}

/* scores[q][t] = queries[q] · keys[t] / sqrt(head size) */
static clq_status score(const struct loop *loop, const DLTensor *queries, int64_t tokens)
{
    const struct options *o = loop->options;
    const size_t size = (size_t)o->head_size, heads = (size_t)o->heads, group = (size_t)o->queries;
    const size_t room = (size_t)tokens_of(o), row = heads * size;
    cl_command_queue queue = loop->queue;

    for (size_t b = 0; b < (size_t)o->batch; b++)
        TRY(noted((clq_status)CLBlastSgemmStridedBatched(
                      CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, group, (size_t)tokens,
                      size, 1.0f / sqrtf((float)size), queries->data,
                      queries->byte_offset / sizeof(float) + b * group * row, size, group * size,
                      loop->wide[0]->dl_tensor.data, b * room * row, row, size, 0.0f,
                      loop->scores->dl_tensor.data, b * heads * group * room, room, group * room, heads,
                      &queue, NULL),
                  "CLBlastSgemmStridedBatched of the scores"));
    return CLQ_OK;
}

/* outputs[q] = sum of weights[q][t] * values[t] */
static clq_status weigh(const struct loop *loop, const DLTensor *outputs, int64_t tokens, cl_event *done)
{
    const struct options *o = loop->options;
    const size_t size = (size_t)o->head_size, heads = (size_t)o->heads, group = (size_t)o->queries;
    const size_t room = (size_t)tokens_of(o), row = heads * size, batch = (size_t)o->batch;
    cl_command_queue queue = loop->queue;

    for (size_t b = 0; b < batch; b++)
        TRY(noted((clq_status)CLBlastSgemmStridedBatched(
                      CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, group, size,
                      (size_t)tokens, 1.0f, loop->scores->dl_tensor.data, b * heads * group * room, room,
                      group * room, loop->wide[1]->dl_tensor.data, b * room * row, row, size, 0.0f,
                      outputs->data, b * group * row, size, group * size, heads, &queue,
                      b + 1 == batch ? done : NULL),
                  "CLBlastSgemmStridedBatched of the outputs"));
    return CLQ_OK;
}

clq_status attention_run(const struct loop *loop, int64_t step, int64_t tokens, cl_event *done)
{
    const DLTensor *outputs = &loop->outputs->dl_tensor;
    DLTensor queries = *outputs; /* the step's part has the outputs' shape */

    queries.data = loop->queries->dl_tensor.data;
    queries.byte_offset =
        (uint64_t)(step * query_rows(loop->options) * loop->options->head_size) * sizeof(float);
    TRY(score(loop, &queries, tokens));
    TRY(softmax(loop, tokens));
    return weigh(loop, outputs, tokens, done);
}

/* A row's outputs, and how far those of a float32 computation may be from them: a product of n terms is off
 * by n + 2 roundings of the sum of its magnitudes; what a score is off by, its weight is off by relatively.
 * */
struct row {
    const float *query;
    const uint16_t *keys, *values; /* the head's first, in the sequence's first token */
    int64_t pitch;                 /* from token to token */
    double *weights, *outputs;
    double allowed;
};

static void compute(const struct options *o, struct row *row)
{
    const int64_t tokens = tokens_of(o), size = o->head_size;
    double largest = -INFINITY, sum = 0.0, magnitude = 0.0, value = 0.0;

    for (int64_t t = 0; t < tokens; t++) {
        double score = 0.0, magnitudes = 0.0;

        for (int64_t c = 0; c < size; c++) {
            const double term = (double)row->query[c] *
                                (double)float_of_float16(row->keys[t * row->pitch + c]) / sqrt((double)size);

            score += term;
            magnitudes += fabs(term);
        }
        row->weights[t] = score;
        largest = fmax(largest, score);
        magnitude = fmax(magnitude, magnitudes);
    }
    for (int64_t t = 0; t < tokens; t++)
        sum += row->weights[t] = exp(row->weights[t] - largest);
    for (int64_t c = 0; c < size; c++) {
        row->outputs[c] = 0.0;
        for (int64_t t = 0; t < tokens; t++) {
            const double v = (double)float_of_float16(row->values[t * row->pitch + c]);

            row->outputs[c] += row->weights[t] / sum * v;
            value = fmax(value, fabs(v));
        }
    }
    row->allowed = value * 0x1p-24 * (4.0 * (double)(size + 2) * magnitude + 2.0 * (double)(tokens + 16));
}

static int check_row(const struct options *o, const struct activations *a, int64_t at, struct row *row,
                     const float *outputs)
{
    const int64_t head = at / o->queries % o->heads, sequence = at / o->queries / o->heads;
    const int64_t first = sequence * tokens_of(o) * token_elements(o) + head * o->head_size;
    double worst = 0.0;

    row->query = a->queries + ((o->steps - 1) * query_rows(o) + at) * o->head_size;
    row->keys = a->keys + first;
    row->values = a->values + first;
    row->pitch = token_elements(o);
    compute(o, row);
    for (int64_t c = 0; c < o->head_size; c++) {
        const double error = fabs((double)outputs[at * o->head_size + c] - row->outputs[c]);

        worst = error <= worst ? worst : error; /* a NaN stays */
    }
    return worst <= row->allowed
               ? DONE
               : complain(SYSTEM,
                          "row %lld of the attention's outputs is off by %.3g, and rounding explains %.3g",
                          (long long)at, worst, row->allowed);
}

int attention_check(const struct options *options, const struct activations *activations,
                    const float *outputs)
{
    const int64_t rows = query_rows(options), step = (rows + MOST_ROWS - 1) / MOST_ROWS;
    struct row row = {.weights = malloc((size_t)tokens_of(options) * sizeof(double)),
                      .outputs = malloc((size_t)options->head_size * sizeof(double))};
    int status = row.weights != NULL && row.outputs != NULL ? DONE : complain(SYSTEM, "no memory");

    for (int64_t at = 0; at < rows && status == DONE; at += step)
        status = check_row(options, activations, at, &row, outputs);
    free(row.outputs);
    free(row.weights);
    return status;
}
