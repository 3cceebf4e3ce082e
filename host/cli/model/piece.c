/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces: what their buffers hold, how large they are, and which comes next. */
#include "stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096 };

/* What a row of a matrix becomes: elements of a type. Width 0 is one element, and no dimension. */
struct layout {
    bool used;
    DLDataType dtype;
    int64_t width;
};

static void find_layouts(const struct model_options *options, const struct model_tensor *tensor,
                         struct layout list[MODEL_BUFFERS])
{
    const struct safetensors_tensor *source = tensor->source;
    const DLDataType x = clq_dtype_parse(source->type->element), q = model_values_dtype(options);
    const bool points = model_has_zero_points(options);
    const int64_t columns = model_columns(source),
                  found = points || tensor->block > 0 ? model_groups(tensor) : 0;

    list[MODEL_X] = (struct layout){true, x, columns};
    list[MODEL_Q] = (struct layout){true, q, columns / q.lanes};
    list[MODEL_S] = (struct layout){true, points ? CLQ_FLOAT32 : x, found};
    if (options->rule)
        list[MODEL_S].dtype = options->rule == CLQ_NVFP4 ? CLQ_FLOAT8_E4M3FN : CLQ_FLOAT8_E8M0FNU;
    list[MODEL_A] = (struct layout){points || model_has_offsets(options), x, found};
    if (points)
        list[MODEL_A].dtype = options->dtype.bits == 4 ? CLQ_UINT8 : CLQ_INT8;
    list[MODEL_BACK] = (struct layout){true, CLQ_FLOAT32, columns};
    list[MODEL_GLOBAL] = (struct layout){options->rule == CLQ_NVFP4, CLQ_FLOAT32, 0};
}

static size_t row_bytes_of(const struct layout *layout)
{
    return (size_t)(layout->width > 0 ? layout->width : 1) * layout->dtype.bits * layout->dtype.lanes / 8;
}

/* Whole words of zero points. */
static int64_t rows_of(const struct safetensors_tensor *source)
{
    const int64_t row_bytes = model_columns(source) * (int64_t)source->type->bits / 8;
    const int64_t rows = STREAM_PIECE_BYTES / row_bytes / STREAM_WORD * STREAM_WORD;
    const int64_t most = rows > 0 ? rows : STREAM_WORD;

    return most < model_rows(source) ? most : model_rows(source);
}

/* Of a tensor that is copied. One that is cut out of another is read by whole rows. */
static uint64_t copied_bytes(const struct model_tensor *tensor)
{
    const struct safetensors_tensor *source = tensor->source;

    return tensor->whole ? (uint64_t)(rows_of(source) * model_columns(source)) * source->type->bits / 8
                         : STREAM_PIECE_BYTES;
}

static bool make(struct model *model, const struct model_shard *shard, struct model_buffer *buffer,
                 size_t size_bytes, bool on_device)
{
    const size_t room = (size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    cl_int code = CL_SUCCESS;

    if (size_bytes == 0)
        return true;
    buffer->room_bytes = room;
    buffer->host = aligned_alloc(PAGE_BYTES, room);
    if (buffer->host && on_device)
        buffer->mem = clCreateBuffer(clq_context_cl(model->context), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                     room, buffer->host, &code);
    return (buffer->host && code == CL_SUCCESS) ||
           fail(model->failure, STATUS_SYSTEM, "%s: no memory for %zu bytes of its tensors: %d", shard->path,
                room, (int)code);
}

bool model_piece_create(struct model *model, const struct model_shard *shard, struct model_piece *piece)
{
    size_t sizes[MODEL_BUFFERS] = {0};
    bool quantizes = false, ok = true;

    *piece = (struct model_piece){0};
    for (size_t t = 0; t < shard->tensor_count; t++) {
        const struct safetensors_tensor *source = shard->tensors[t].source;
        const uint64_t bytes = source->end - source->begin;
        struct layout list[MODEL_BUFFERS] = {{0}};

        if (!shard->tensors[t].quantized) {
            const uint64_t piece_bytes = copied_bytes(&shard->tensors[t]);
            const size_t most = (size_t)(bytes < piece_bytes ? bytes : piece_bytes);

            sizes[MODEL_X] = most > sizes[MODEL_X] ? most : sizes[MODEL_X];
            continue;
        }
        quantizes = true;
        find_layouts(&model->options, &shard->tensors[t], list);
        for (size_t b = 0; b < MODEL_BUFFERS; b++) {
            const size_t size = list[b].used ? row_bytes_of(&list[b]) * (size_t)rows_of(source) : 0;

            sizes[b] = size > sizes[b] ? size : sizes[b];
        }
    }
    for (size_t b = 0; ok && b < MODEL_BUFFERS; b++)
        ok = make(model, shard, &piece->buffers[b], sizes[b], quantizes);
    /* of eight rows a word for each of their bytes, which may be fewer than eight rows */
    piece->words = ok && sizes[MODEL_A] ? malloc(sizes[MODEL_A] * 4) : NULL;
    return ok && (!sizes[MODEL_A] || piece->words ||
                  fail(model->failure, STATUS_SYSTEM, "%s: no memory for zero points", shard->path));
}

void model_piece_destroy(struct model *model, struct model_piece *piece)
{
    for (size_t b = 0; b < MODEL_BUFFERS; b++) {
        struct model_buffer *buffer = &piece->buffers[b];

        if (buffer->mapped)
            clEnqueueUnmapMemObject(model->queue, buffer->mem, buffer->host, 0, NULL, NULL);
        if (buffer->mem)
            clReleaseMemObject(buffer->mem);
    }
    if (model->queue)
        clFinish(model->queue); /* before the memory goes that its commands use */
    for (size_t b = 0; b < MODEL_BUFFERS; b++)
        free(piece->buffers[b].host);
    free(piece->words);
}

static void set_rows(const struct model_options *options, struct model_piece *piece)
{
    struct layout list[MODEL_BUFFERS] = {{0}};

    find_layouts(options, piece->tensor, list);
    for (size_t b = 0; b < MODEL_BUFFERS; b++) {
        struct model_buffer *buffer = &piece->buffers[b];

        buffer->shape[0] = b == MODEL_GLOBAL ? 1 : piece->rows;
        buffer->shape[1] = list[b].width;
        buffer->row_bytes = list[b].used ? row_bytes_of(&list[b]) : 0;
        buffer->view = clq_tensor_view(buffer->mem, list[b].dtype, list[b].width > 0 ? 2 : 1, buffer->shape);
    }
}

bool model_piece_next(const struct model_options *options, struct model_shard *shard, size_t *tensor,
                      uint64_t *offset, struct model_piece *piece)
{
    const struct safetensors_tensor *source = NULL;
    uint64_t left = 0, most = 0;

    for (; *tensor < shard->tensor_count; ++*tensor, *offset = 0) {
        source = shard->tensors[*tensor].source;
        left = source->end - source->begin - *offset;
        if (left > 0)
            break;
    }
    if (left == 0)
        return false;
    piece->tensor = &shard->tensors[*tensor];
    piece->offset = *offset;
    piece->rows = 0;
    most = copied_bytes(piece->tensor);
    if (piece->tensor->quantized) {
        const uint64_t row_bytes = (source->end - source->begin) / (uint64_t)model_rows(source);

        most = row_bytes * (uint64_t)rows_of(source);
        piece->row = (int64_t)(*offset / row_bytes);
        piece->rows = (int64_t)((left < most ? left : most) / row_bytes);
        set_rows(options, piece);
    }
    piece->size_bytes = (size_t)(left < most ? left : most);
    *offset += piece->size_bytes;
    return true;
}

/* The least power of two with which no block's scale is above 448. Multiplied with or divided by, it rounds
 * nothing. */
static float global_scale_of(float largest)
{
    int exponent = 0;

    if (largest == 0)
        return 1;
    if (frexp((double)largest / (448 * 6), &exponent) == 0.5)
        exponent--;
    return (float)ldexp(1, exponent > -126 ? exponent : -126);
}

bool model_piece_read(const struct model_options *options, const struct model_shard *shard,
                      struct model_piece *piece, struct failure *failure)
{
    const struct safetensors_tensor *source = piece->tensor->source;
    const uint64_t total = source->end - source->begin;
    void *x = piece->buffers[MODEL_X].host;
    float largest = 0;

    if (piece->rows > 0 && piece->row == 0 && options->rule == CLQ_NVFP4) {
        for (uint64_t at = 0; at < total; at += piece->size_bytes) {
            const size_t some = total - at < piece->size_bytes ? (size_t)(total - at) : piece->size_bytes;

            if (!model_read(shard, piece->tensor, at, x, some, failure))
                return false;
            largest = fmaxf(largest, float_largest(source->type->name, x, some * 8 / source->type->bits));
        }
        piece->tensor->global_scale = global_scale_of(largest);
    }
    return model_read(shard, piece->tensor, piece->offset, x, piece->size_bytes, failure);
}
