/* SPDX-License-Identifier: Apache-2.0 */
/* The angles that positions turn heads by, with the scaling that long contexts have:
 *     angle = position * f[i], f[i] = base^(-2i / turned) / factors[i]
 *     linear    f[i] / factor
 *     yarn      f[i] of pairs that turn more than beta_fast times in the original context, f[i] / factor of
 *               those that turn less than beta_slow times, a mean in between; times 0.1 ln(factor) + 1
 *     longrope  one of two lists of factors, by the number of positions
 * Cosines and sines are multiplied by attn_factor. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum scaling { NONE, LINEAR, YARN, LONGROPE, NUM_SCALINGS };

struct rope {
    enum scaling scaling;
    double base, factor, original, beta_fast, beta_slow, magnitude;
    const unsigned char *factors; /* float32 of the file; NULL: all are 1 */
};

static clq_status read_scaling(struct rope *rope, const struct gguf *file)
{
    static const char key[] = "llama.rope.scaling.type";
    static const char *const names[] = {"none", "linear", "yarn", "longrope"};
    const struct gguf_value *type = gguf_find(file, key);

    rope->scaling = LINEAR;
    if (type == NULL)
        return CLQ_OK;
    for (rope->scaling = NONE; rope->scaling < NUM_SCALINGS; rope->scaling++)
        if (gguf_says(file, key, names[rope->scaling]))
            return CLQ_OK;
    return gguf_refuse(file, "its %s is '%.*s': none, linear, yarn and longrope are known", key,
                       GGUF_SHOWN(type->text));
}

static clq_status read_numbers(struct rope *rope, const struct gguf *file, const struct model *m)
{
    bool ignored;

    TRY(gguf_number(file, "llama.rope.freq_base", 1.0, 1e12, 10000.0, &rope->base));
    TRY(gguf_number(file, "llama.rope.scale_linear", 0.0, 1e6, 1.0, &rope->factor));
    TRY(gguf_number(file, "llama.rope.scaling.factor", 0.0, 1e6, rope->factor, &rope->factor));
    TRY(gguf_number(file, "llama.rope.scaling.original_context_length", 1.0, 1e9, (double)m->context,
                    &rope->original));
    TRY(gguf_number(file, "llama.rope.scaling.attn_factor", 0.0, 1e3, 1.0, &rope->magnitude));
    TRY(gguf_number(file, "llama.rope.scaling.yarn_beta_fast", 0.0, 1e6, 32.0, &rope->beta_fast));
    TRY(gguf_number(file, "llama.rope.scaling.yarn_beta_slow", 0.0, 1e6, 1.0, &rope->beta_slow));
    TRY(gguf_flag(file, "llama.rope.scaling.finetuned", false, &ignored));
    if (rope->factor == 0.0 || rope->scaling == NONE)
        rope->factor = 1.0;
    if (rope->scaling == YARN && rope->factor > 1.0)
        rope->magnitude *= 0.1 * log(rope->factor) + 1.0;
    return CLQ_OK;
}

/* Of the file's lists: rope_freqs, or the one of longrope's two that `is_long` chooses. */
static clq_status find_factors(struct rope *rope, const struct gguf *file, int64_t pairs, bool is_long)
{
    const char *const names[] = {is_long ? "rope_factors_short.weight" : "rope_factors_long.weight",
                                 is_long ? "rope_factors_long.weight" : "rope_factors_short.weight",
                                 "rope_freqs.weight"};

    for (int i = 0; i < 3; i++) {
        struct gguf_tensor *tensor = gguf_find_tensor(file, names[i]);

        if (tensor == NULL)
            continue;
        if (tensor->type != 0 || tensor->rank != 1 || tensor->shape[0] != (uint64_t)pairs)
            return gguf_refuse(file, "tensor '%s' must be of %lld values of type F32", names[i],
                               (long long)pairs);
        tensor->used = true;
        rope->factors = i > 0 ? tensor->bytes : NULL;
    }
    if (rope->scaling == LONGROPE && rope->factors == NULL)
        return gguf_refuse(file, "tensor '%s' is missing", names[1]);
    return CLQ_OK;
}

/* The pair that turns so many times in the original context; pairs lie between two of them. */
static double pair_of_turns(const struct rope *rope, int64_t turned, double turns)
{
    static const double pi = 3.14159265358979323846;

    return (double)turned * log(rope->original / (turns * 2.0 * pi)) / (2.0 * log(rope->base));
}

static double frequency(const struct rope *rope, int64_t turned, int64_t pair)
{
    double f = pow(rope->base, -2.0 * (double)pair / (double)turned), low, high, scaled = 1.0;
    float factor = 1.0f;

    if (rope->factors != NULL)
        memcpy(&factor, rope->factors + (size_t)pair * sizeof factor, sizeof factor);
    f /= (double)factor;
    if (rope->scaling == YARN) {
        low = fmax(floor(pair_of_turns(rope, turned, rope->beta_fast)), 0.0);
        high = fmin(ceil(pair_of_turns(rope, turned, rope->beta_slow)), (double)(turned - 1));
        scaled = fmin(fmax(((double)pair - low) / fmax(high - low, 0.001), 0.0), 1.0);
    }
    return f * (1.0 - scaled) + f / rope->factor * scaled;
}

clq_status load_angles(struct model *m, const struct gguf *file, int64_t positions)
{
    const int64_t pairs = m->turned / 2, shape[] = {positions, pairs, 2};
    const size_t size_bytes = (size_t)(positions * m->turned) * sizeof(float);
    struct rope rope = {0};
    float *angles;
    clq_status status = CLQ_OK;

    TRY(read_scaling(&rope, file));
    TRY(read_numbers(&rope, file, m));
    TRY(find_factors(&rope, file, pairs, (double)positions > rope.original));
    TRY(device_tensor(m->device, CLQ_FLOAT32, 3, shape, &m->angles));
    angles = malloc(size_bytes);
    if (angles == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for angles");
    for (int64_t pair = 0; pair < pairs; pair++) {
        const double f = frequency(&rope, m->turned, pair);

        if (!isfinite(f))
            status =
                gguf_refuse(file, "factor %lld of its angles is not a number other than 0", (long long)pair);
        for (int64_t i = 0; i < positions; i++) {
            angles[2 * (i * pairs + pair)] = (float)(cos((double)i * f) * rope.magnitude);
            angles[2 * (i * pairs + pair) + 1] = (float)(sin((double)i * f) * rope.magnitude);
        }
    }
    if (status == CLQ_OK)
        status = clq_tensor_write(m->device->queue, &m->angles->dl_tensor, CL_TRUE, angles, size_bytes, 0,
                                  NULL, NULL);
    free(angles);
    return status;
}
