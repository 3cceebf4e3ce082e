/* SPDX-License-Identifier: Apache-2.0 */
/* The file is read as a whole; then a cursor goes over its bytes, which never passes their end. */
#include "gguf.h"

#include "../common/values.h"
#include "llm.h"

#include <stdarg.h>
#include <stdio.h>

enum { LEAST_VALUE_BYTES = 13, LEAST_TENSOR_BYTES = 24, BLOCK = 32 };

struct cursor {
    const struct gguf *file;
    size_t at;
};

/* Names are the file's, and may hold any bytes. */
clq_status gguf_refuse(const struct gguf *file, const char *format, ...)
{
    char why[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    for (char *c = why; *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    return clq_error_set(CLQ_ERROR_VALUE, "%.200s: %s", file->path, why);
}

static uint64_t little_endian(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

/* The next bytes; NULL where the file ends before. */
static const unsigned char *take(struct cursor *cursor, uint64_t size)
{
    const unsigned char *bytes = cursor->file->bytes + cursor->at;

    if (size > cursor->file->size - cursor->at)
        return NULL;
    cursor->at += (size_t)size;
    return bytes;
}

static clq_status take_number(struct cursor *cursor, size_t size, uint64_t *number)
{
    const unsigned char *bytes = take(cursor, size);

    if (bytes == NULL)
        return gguf_refuse(cursor->file, "ends within its header");
    *number = little_endian(bytes, size);
    return CLQ_OK;
}

static clq_status take_text(struct cursor *cursor, struct gguf_text *text)
{
    uint64_t size = 0;

    TRY(take_number(cursor, 8, &size));
    text->bytes = (const char *)take(cursor, size);
    text->size = (size_t)size;
    return text->bytes != NULL ? CLQ_OK : gguf_refuse(cursor->file, "has a text that does not end within it");
}

/* Bytes of a number of a value; 0 where the type is no number's. */
static size_t number_size(uint64_t type)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

    return type < sizeof sizes ? sizes[type] : 0;
}

static clq_status read_value(struct cursor *cursor, struct gguf_value *value)
{
    uint64_t size;

    TRY(take_text(cursor, &value->name));
    TRY(take_number(cursor, 4, &value->type));
    value->item_type = value->type;
    value->count = 1;
    if (value->type == GGUF_ARRAY) {
        TRY(take_number(cursor, 4, &value->item_type));
        TRY(take_number(cursor, 8, &value->count));
    }
    value->bytes = cursor->file->bytes + cursor->at;
    size = number_size(value->item_type);
    for (uint64_t i = 0; i < value->count && value->item_type == GGUF_TEXT; i++)
        TRY(take_text(cursor, &value->text));
    if (size == 0 && value->item_type != GGUF_TEXT)
        return gguf_refuse(cursor->file, "value '%.*s' has a type that is not known",
                           GGUF_SHOWN(value->name));
    if (size > 0 && (value->count > cursor->file->size || take(cursor, value->count * size) == NULL))
        return gguf_refuse(cursor->file, "value '%.*s' does not end within the file",
                           GGUF_SHOWN(value->name));
    return CLQ_OK;
}

/* Of the types of ggml that clquant reads. */
static DLDataType dtype_of(uint64_t type)
{
    static const char *const names[] = {
        [0] = "float32", [1] = "float16", [2] = "q4_0",    [3] = "q4_1",      [6] = "q5_0",
        [7] = "q5_1",    [8] = "q8_0",    [20] = "iq4_nl", [30] = "bfloat16",
    };

    return clq_dtype_parse(type < sizeof names / sizeof *names ? names[type] : NULL);
}

static clq_status read_tensor(struct cursor *cursor, struct gguf_tensor *tensor)
{
    TRY(take_text(cursor, &tensor->name));
    TRY(take_number(cursor, 4, &tensor->rank));
    if (tensor->rank > GGUF_MAX_RANK)
        return gguf_refuse(cursor->file, "tensor '%.*s' has more than four dimensions",
                           GGUF_SHOWN(tensor->name));
    for (uint64_t d = 0; d < tensor->rank; d++)
        TRY(take_number(cursor, 8, &tensor->shape[d]));
    TRY(take_number(cursor, 4, &tensor->type));
    tensor->dtype = dtype_of(tensor->type);
    return take_number(cursor, 8, &tensor->offset);
}

/* data: where the bytes of all tensors begin. A type that cannot be read is refused by whoever wants it. */
static clq_status place_tensor(const struct gguf *file, struct gguf_tensor *tensor, uint64_t data)
{
    const DLDataType dtype = tensor->dtype;
    uint64_t elements = 1, size_bytes;

    if (dtype.lanes == 0)
        return CLQ_OK;
    for (uint64_t d = 0; d < tensor->rank; d++) {
        if (tensor->shape[d] == 0 || tensor->shape[d] > (UINT64_C(1) << 40) / elements)
            return gguf_refuse(file, "tensor '%.*s' has a shape that no file holds",
                               GGUF_SHOWN(tensor->name));
        elements *= tensor->shape[d];
    }
    if (dtype.lanes > 1 && (tensor->rank == 0 || tensor->shape[0] % BLOCK != 0))
        return gguf_refuse(file, "tensor '%.*s' has rows that are no whole blocks of 32",
                           GGUF_SHOWN(tensor->name));
    size_bytes = (dtype.lanes > 1 ? elements / BLOCK * dtype.lanes : elements) * dtype.bits / 8;
    if (data > file->size || tensor->offset > file->size - data ||
        size_bytes > file->size - data - tensor->offset)
        return gguf_refuse(file, "tensor '%.*s' does not lie within the file", GGUF_SHOWN(tensor->name));
    tensor->bytes = file->bytes + data + tensor->offset;
    tensor->size_bytes = (size_t)size_bytes;
    return CLQ_OK;
}

clq_status gguf_open(struct gguf *file, const char *path)
{
    struct cursor cursor = {file, 0};
    const unsigned char *magic;
    uint64_t version = 0, unit;
    double alignment = 0.0;

    *file = (struct gguf){.path = path};
    TRY(read_file(path, &file->bytes, &file->size));
    magic = take(&cursor, 4);
    if (magic == NULL || memcmp(magic, "GGUF", 4) != 0)
        return gguf_refuse(file, "is no GGUF file: it does not begin with GGUF");
    TRY(take_number(&cursor, 4, &version));
    if (version != 2 && version != 3)
        return gguf_refuse(file, "is of a version of GGUF that is neither 2 nor 3, little endian");
    TRY(take_number(&cursor, 8, &file->num_tensors));
    TRY(take_number(&cursor, 8, &file->num_values));
    if (file->num_tensors > (file->size - cursor.at) / LEAST_TENSOR_BYTES ||
        file->num_values > (file->size - cursor.at) / LEAST_VALUE_BYTES)
        return gguf_refuse(file, "tells of more tensors or values than it has bytes for");
    file->values = calloc((size_t)file->num_values + 1, sizeof *file->values);
    file->tensors = calloc((size_t)file->num_tensors + 1, sizeof *file->tensors);
    if (file->values == NULL || file->tensors == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for the header of %.200s", path);
    for (uint64_t i = 0; i < file->num_values; i++)
        TRY(read_value(&cursor, &file->values[i]));
    for (uint64_t i = 0; i < file->num_tensors; i++)
        TRY(read_tensor(&cursor, &file->tensors[i]));
    TRY(gguf_number(file, "general.alignment", 1.0, 65536.0, 32.0, &alignment));
    unit = (uint64_t)alignment;
    for (uint64_t i = 0; i < file->num_tensors; i++)
        TRY(place_tensor(file, &file->tensors[i], (cursor.at + unit - 1) / unit * unit));
    return CLQ_OK;
}

void gguf_close(struct gguf *file)
{
    free(file->values);
    free(file->tensors);
    free(file->bytes);
}

static bool is_text(struct gguf_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.bytes, word, text.size) == 0;
}

const struct gguf_value *gguf_find(const struct gguf *file, const char *name)
{
    for (uint64_t i = 0; i < file->num_values; i++)
        if (is_text(file->values[i].name, name)) {
            file->values[i].used = true;
            return &file->values[i];
        }
    return NULL;
}

struct gguf_tensor *gguf_find_tensor(const struct gguf *file, const char *name)
{
    for (uint64_t i = 0; i < file->num_tensors; i++)
        if (is_text(file->tensors[i].name, name))
            return &file->tensors[i];
    return NULL;
}

bool gguf_says(const struct gguf *file, const char *name, const char *text)
{
    const struct gguf_value *value = gguf_find(file, name);

    return value != NULL && value->type == GGUF_TEXT && is_text(value->text, text);
}

/* NaN where it is none, of the types that files have for sizes and factors. */
static double number_of(const struct gguf_value *value)
{
    switch (value->type) {
    case GGUF_UINT32:
        return (double)little_endian(value->bytes, 4);
    case GGUF_INT32:
        return (double)(int32_t)little_endian(value->bytes, 4);
    case GGUF_UINT64:
        return (double)little_endian(value->bytes, 8);
    case GGUF_FLOAT32:
        return (double)float_of_bits((uint32_t)little_endian(value->bytes, 4));
    default:
        return (double)NAN;
    }
}

clq_status gguf_number(const struct gguf *file, const char *name, double low, double high, double otherwise,
                       double *number)
{
    const struct gguf_value *value = gguf_find(file, name);

    *number = value != NULL ? number_of(value) : otherwise;
    if (!(*number >= low && *number <= high) && low == high)
        return gguf_refuse(file, "value '%s' must be %g", name, low);
    if (!(*number >= low && *number <= high))
        return gguf_refuse(file, "value '%s' must be a number from %g to %g", name, low, high);
    return CLQ_OK;
}

clq_status gguf_flag(const struct gguf *file, const char *name, bool otherwise, bool *flag)
{
    const struct gguf_value *value = gguf_find(file, name);

    if (value != NULL && (value->type != GGUF_BOOL || *value->bytes > 1))
        return gguf_refuse(file, "value '%s' must be true or false", name);
    *flag = value != NULL ? *value->bytes == 1 : otherwise;
    return CLQ_OK;
}

clq_status gguf_texts(const struct gguf *file, const char *name, struct gguf_text **texts, size_t *count)
{
    const struct gguf_value *value = gguf_find(file, name);
    struct cursor cursor = {file, 0};

    if (value == NULL || value->type != GGUF_ARRAY || value->item_type != GGUF_TEXT ||
        value->count > INT32_MAX)
        return gguf_refuse(file, "value '%s' is no list of texts", name);
    *count = (size_t)value->count;
    *texts = malloc((*count + 1) * sizeof **texts);
    if (*texts == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for %zu texts", *count);
    cursor.at = (size_t)(value->bytes - file->bytes);
    for (size_t i = 0; i < *count; i++)
        TRY(take_text(&cursor, &(*texts)[i]));
    return CLQ_OK;
}
