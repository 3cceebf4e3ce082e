/* SPDX-License-Identifier: Apache-2.0 */
/* The file is read as a whole; then a cursor goes over its bytes, which never passes their end. */
#include "gguf.h"

#include "../common/values.h"
#include "llm.h"

#include <errno.h>
#include <stdio.h>

enum { LEAST_VALUE_BYTES = 13, LEAST_TENSOR_BYTES = 24, VERSION_2 = 2, VERSION_3 = 3, BLOCK = 32 };

struct cursor {
    const struct gguf *file;
    size_t at;
};

static clq_status refuse(const struct gguf *file, const char *why)
{
    return clq_error_set(CLQ_ERROR_VALUE, "%.200s: %s", file->path, why);
}

static clq_status refuse_named(const struct gguf *file, const char *what, struct gguf_text name,
                               const char *why)
{
    char shown[81] = "";

    for (size_t i = 0; i < name.size && i + 1 < sizeof shown; i++)
        shown[i] = name.bytes[i] >= ' ' && name.bytes[i] <= '~' ? name.bytes[i] : '?';
    return clq_error_set(CLQ_ERROR_VALUE, "%.200s: %s '%s' %s", file->path, what, shown, why);
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
        return refuse(cursor->file, "ends within its header");
    *number = little_endian(bytes, size);
    return CLQ_OK;
}

static clq_status take_text(struct cursor *cursor, struct gguf_text *text)
{
    uint64_t size = 0;

    TRY(take_number(cursor, 8, &size));
    text->bytes = (const char *)take(cursor, size);
    text->size = (size_t)size;
    return text->bytes != NULL ? CLQ_OK : refuse(cursor->file, "has a text that does not end within it");
}

/* Bytes of a number of a value; 0 where the type is no number's. */
static size_t number_size(uint32_t type)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

    return type < sizeof sizes ? sizes[type] : 0;
}

static clq_status skip_items(struct cursor *cursor, const struct gguf_value *value)
{
    const size_t size = number_size(value->type);
    struct gguf_text text;

    if (value->type != GGUF_TEXT && size == 0)
        return refuse_named(cursor->file, "value", value->name, "has a type that is not known");
    if (value->type != GGUF_TEXT)
        return value->count <= cursor->file->size && take(cursor, value->count * size) != NULL
                   ? CLQ_OK
                   : refuse_named(cursor->file, "value", value->name, "does not end within the file");
    for (uint64_t i = 0; i < value->count; i++)
        TRY(take_text(cursor, &text));
    return CLQ_OK;
}

static clq_status read_value(struct cursor *cursor, struct gguf_value *value)
{
    uint64_t type = 0;

    TRY(take_text(cursor, &value->name));
    TRY(take_number(cursor, 4, &type));
    value->is_array = type == GGUF_ARRAY;
    value->count = 1;
    if (value->is_array) {
        TRY(take_number(cursor, 4, &type));
        TRY(take_number(cursor, 8, &value->count));
    }
    value->type = (uint32_t)type;
    value->bytes = cursor->file->bytes + cursor->at;
    return skip_items(cursor, value);
}

static DLDataType dtype_of(uint32_t type)
{
    static const struct {
        uint32_t type;
        DLDataType dtype;
    } types[] = {{0, {kDLFloat, 32, 1}},
                 {1, {kDLFloat, 16, 1}},
                 {30, {kDLBfloat, 16, 1}},
                 {2, {CLQ_CODE_BLOCKS + 1, 8, 18}},
                 {3, {CLQ_CODE_BLOCKS + 2, 8, 20}},
                 {6, {CLQ_CODE_BLOCKS + 3, 8, 22}},
                 {7, {CLQ_CODE_BLOCKS + 4, 8, 24}},
                 {8, {CLQ_CODE_BLOCKS, 8, 34}},
                 {20, {CLQ_CODE_BLOCKS + 5, 8, 18}}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return types[i].dtype;
    return (DLDataType){0, 0, 0};
}

/* The tensor's offset stands in its bytes' place until the data's begin is known. */
static clq_status read_tensor(struct cursor *cursor, struct gguf_tensor *tensor, uint64_t *offset)
{
    uint64_t rank = 0, type = 0;

    TRY(take_text(cursor, &tensor->name));
    TRY(take_number(cursor, 4, &rank));
    if (rank > GGUF_MAX_RANK)
        return refuse_named(cursor->file, "tensor", tensor->name, "has more than four dimensions");
    tensor->rank = (int)rank;
    for (int d = 0; d < tensor->rank; d++)
        TRY(take_number(cursor, 8, &tensor->shape[d]));
    TRY(take_number(cursor, 4, &type));
    tensor->type = (uint32_t)type;
    tensor->dtype = dtype_of(tensor->type);
    return take_number(cursor, 8, offset);
}

static clq_status place_tensor(const struct gguf *file, struct gguf_tensor *tensor, uint64_t data,
                               uint64_t offset)
{
    const bool blocks = tensor->dtype.lanes > 1;
    uint64_t elements = 1, size_bytes;

    if (tensor->dtype.lanes == 0)
        return CLQ_OK; /* whoever wants it refuses the type */
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->shape[d] == 0 || tensor->shape[d] > (UINT64_C(1) << 40) / elements)
            return refuse_named(file, "tensor", tensor->name, "has a shape that no file holds");
        elements *= tensor->shape[d];
    }
    if (blocks && (tensor->rank == 0 || tensor->shape[0] % BLOCK != 0))
        return refuse_named(file, "tensor", tensor->name, "has rows that are no whole blocks of 32");
    size_bytes = (blocks ? elements / BLOCK * tensor->dtype.lanes : elements) * tensor->dtype.bits / 8;
    if (data > file->size || offset > file->size - data || size_bytes > file->size - data - offset)
        return refuse_named(file, "tensor", tensor->name, "does not lie within the file");
    tensor->bytes = file->bytes + data + offset;
    tensor->size_bytes = (size_t)size_bytes;
    return CLQ_OK;
}

static clq_status read_tensors(struct gguf *file, struct cursor *cursor)
{
    uint64_t *offsets = calloc((size_t)file->num_tensors + 1, sizeof *offsets);
    double alignment = 32.0;
    clq_status status = offsets != NULL ? CLQ_OK : clq_error_set(CLQ_ERROR_MEMORY, "no memory for offsets");

    for (uint64_t i = 0; i < file->num_tensors && status == CLQ_OK; i++)
        status = read_tensor(cursor, &file->tensors[i], &offsets[i]);
    if (status == CLQ_OK)
        status = gguf_number(file, "general.alignment", 1.0, 65536.0, alignment, &alignment);
    for (uint64_t i = 0; i < file->num_tensors && status == CLQ_OK; i++) {
        const uint64_t unit = (uint64_t)alignment, data = (cursor->at + unit - 1) / unit * unit;

        status = place_tensor(file, &file->tensors[i], data, offsets[i]);
    }
    free(offsets);
    return status;
}

static clq_status read_header(struct gguf *file)
{
    struct cursor cursor = {file, 0};
    const unsigned char *magic = take(&cursor, 4);
    uint64_t version = 0;

    if (magic == NULL || memcmp(magic, "GGUF", 4) != 0)
        return refuse(file, "is no GGUF file: it does not begin with GGUF");
    TRY(take_number(&cursor, 4, &version));
    if (version != VERSION_2 && version != VERSION_3)
        return refuse(file, "is of a version of GGUF that is neither 2 nor 3, little endian");
    TRY(take_number(&cursor, 8, &file->num_tensors));
    TRY(take_number(&cursor, 8, &file->num_values));
    if (file->num_tensors > (file->size - cursor.at) / LEAST_TENSOR_BYTES ||
        file->num_values > (file->size - cursor.at) / LEAST_VALUE_BYTES)
        return refuse(file, "tells of more tensors or values than it has bytes for");
    file->values = calloc((size_t)file->num_values + 1, sizeof *file->values);
    file->tensors = calloc((size_t)file->num_tensors + 1, sizeof *file->tensors);
    if (file->values == NULL || file->tensors == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for the header of %.200s", file->path);
    for (uint64_t i = 0; i < file->num_values; i++)
        TRY(read_value(&cursor, &file->values[i]));
    return read_tensors(file, &cursor);
}

clq_status gguf_open(struct gguf *file, const char *path)
{
    *file = (struct gguf){.path = path};
    TRY(read_file(path, &file->bytes, &file->size));
    return read_header(file);
}

void gguf_close(struct gguf *file)
{
    free(file->values);
    free(file->tensors);
    free(file->bytes);
    *file = (struct gguf){0};
}
