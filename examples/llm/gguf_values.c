/* SPDX-License-Identifier: Apache-2.0 */
/* What a GGUF file says, by name. */
#include "../common/values.h"
#include "llm.h"

bool gguf_is(struct gguf_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.bytes, word, text.size) == 0;
}

const struct gguf_value *gguf_find(const struct gguf *file, const char *name)
{
    for (uint64_t i = 0; i < file->num_values; i++)
        if (gguf_is(file->values[i].name, name))
            return &file->values[i];
    return NULL;
}

struct gguf_tensor *gguf_find_tensor(const struct gguf *file, const char *name)
{
    for (uint64_t i = 0; i < file->num_tensors; i++)
        if (gguf_is(file->tensors[i].name, name))
            return &file->tensors[i];
    return NULL;
}

static uint64_t bits_of(const struct gguf_value *value, size_t size)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)value->bytes[i] << 8 * i;
    return bits;
}

bool gguf_says(const struct gguf *file, const char *name, const char *text)
{
    const struct gguf_value *value = gguf_find(file, name);

    return value != NULL && !value->is_array && value->type == GGUF_TEXT &&
           bits_of(value, 8) == strlen(text) && memcmp(value->bytes + 8, text, strlen(text)) == 0;
}

/* NaN where it is none. */
static double number_of(const struct gguf_value *value)
{
    uint64_t bits;
    double number;

    if (value->is_array)
        return (double)NAN;
    switch (value->type) {
    case 0: /* uint8, bool, uint16, uint32, uint64 */
    case GGUF_BOOL:
        return (double)bits_of(value, 1);
    case 2:
        return (double)bits_of(value, 2);
    case GGUF_UINT32:
        return (double)bits_of(value, 4);
    case 10:
        return (double)bits_of(value, 8);
    case 1: /* int8, int16, int32, int64 */
        return (double)(int8_t)bits_of(value, 1);
    case 3:
        return (double)(int16_t)bits_of(value, 2);
    case GGUF_INT32:
        return (double)(int32_t)bits_of(value, 4);
    case 11:
        return (double)(int64_t)bits_of(value, 8);
    case 6: /* float32, float64 */
        return (double)float_of_bits((uint32_t)bits_of(value, 4));
    case 12:
        bits = bits_of(value, 8);
        memcpy(&number, &bits, sizeof number);
        return number;
    default:
        return (double)NAN;
    }
}

clq_status gguf_number(const struct gguf *file, const char *name, double low, double high, double otherwise,
                       double *number)
{
    const struct gguf_value *value = gguf_find(file, name);

    *number = value != NULL ? number_of(value) : otherwise;
    if (value == NULL && otherwise < 0.0)
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: value '%s' is missing", file->path, name);
    if (!(*number >= low && *number <= high))
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: value '%s' must be a number from %g to %g", file->path,
                             name, low, high);
    return CLQ_OK;
}

clq_status gguf_texts(const struct gguf *file, const char *name, struct gguf_text **texts, size_t *count)
{
    const struct gguf_value *value = gguf_find(file, name);
    const unsigned char *at = value != NULL ? value->bytes : NULL;

    *texts = NULL;
    if (value == NULL || !value->is_array || value->type != GGUF_TEXT)
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: value '%s' is no list of texts", file->path, name);
    *count = (size_t)value->count;
    *texts = malloc((*count + 1) * sizeof **texts);
    if (*texts == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for %zu texts", *count);
    for (size_t i = 0; i < *count; i++) { /* which open has walked over once */
        size_t size = 0;

        for (int b = 0; b < 8; b++)
            size |= (size_t)at[b] << 8 * b;
        (*texts)[i] = (struct gguf_text){(const char *)at + 8, size};
        at += 8 + size;
    }
    return CLQ_OK;
}
