/* SPDX-License-Identifier: Apache-2.0 */
/* A row of queries at a time. */
#include "plain.h"

#include <math.h>
#include <reference.h>
#include <stdlib.h>

enum { MOST_ROWS = 128 };

/* A row's outputs, and how far those of a float32 computation may be from them: a product of n terms is off by
 * n + 2 roundings of the sum of its magnitudes; what a score is off by, its weight is off by relatively. */
struct row {
    const float *query;
    const uint16_t *keys, *values; /* the head's first, in the sequence's first token */
    int64_t pitch;                 /* from token to token */
    double *weights, *outputs;
    double allowed;
};

static void compute(const struct setup *s, struct row *row)
{
    const int64_t tokens = setup_tokens(s), size = s->head_size;
    double largest = -INFINITY, sum = 0.0, magnitude = 0.0, value = 0.0;

    for (int64_t t = 0; t < tokens; t++) {
        double score = 0.0, magnitudes = 0.0;

        for (int64_t c = 0; c < size; c++) {
            const double term = (double)row->query[c] *
                                (double)reference_widen_f16(row->keys[t * row->pitch + c]) /
                                sqrt((double)size);

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
            const double v = (double)reference_widen_f16(row->values[t * row->pitch + c]);

            row->outputs[c] += row->weights[t] / sum * v;
            value = fmax(value, fabs(v));
        }
    }
    row->allowed = value * 0x1p-24 * (4.0 * (double)(size + 2) * magnitude + 2.0 * (double)(tokens + 16));
}

static bool check_row(const struct setup *s, const struct activations *a, int64_t at, struct row *row,
                      const float *outputs, struct failure *failure)
{
    const int64_t head = at / s->queries % s->heads, sequence = at / s->queries / s->heads;
    const int64_t first = sequence * setup_tokens(s) * setup_token_elements(s) + head * s->head_size;
    double worst = 0.0;

    row->query = a->queries + ((s->steps - 1) * setup_query_rows(s) + at) * s->head_size;
    row->keys = a->keys + first;
    row->values = a->values + first;
    row->pitch = setup_token_elements(s);
    compute(s, row);
    for (int64_t c = 0; c < s->head_size; c++) {
        const double error = fabs((double)outputs[at * s->head_size + c] - row->outputs[c]);

        worst = error <= worst ? worst : error; /* a NaN stays */
    }
    return worst <= row->allowed ||
           fail(failure, STATUS_SYSTEM,
                "row %lld of the attention's outputs is off by %.3g, and rounding explains %.3g",
                (long long)at, worst, row->allowed);
}

bool plain_check(const struct setup *setup, const struct activations *activations, const float *outputs,
                 struct failure *failure)
{
    const int64_t rows = setup_query_rows(setup), step = (rows + MOST_ROWS - 1) / MOST_ROWS;
    struct row row = {.weights = malloc((size_t)setup_tokens(setup) * sizeof(double)),
                      .outputs = malloc((size_t)setup->head_size * sizeof(double))};
    bool ok = (row.weights != NULL && row.outputs != NULL) || fail(failure, STATUS_SYSTEM, "no memory");

    for (int64_t at = 0; at < rows && ok; at += step)
        ok = check_row(setup, activations, at, &row, outputs, failure);
    free(row.outputs);
    free(row.weights);
    return ok;
}
