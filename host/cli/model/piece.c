/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces: what their buffers hold, how large they are, and which comes next. */
#include "stream.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096 };

/* What a row of a matrix becomes: elements of a type, one for each unit of columns; of unit 0 one for all of
 * them, and where it is flat no dimension. */
struct layout {
    bool used, flat;
    DLDataType dtype;
    int64_t unit;
};

static void find_layouts(const struct model_options *options, const struct model_tensor *tensor,
                         struct layout list[MODEL_BUFFERS])
{
    const DLDataType x = clq_dtype_parse(tensor->source->type->element), q = model_values_dtype(options);
    const bool points = model_has_zero_points(options), flat = !points && tensor->block == 0;

    list[MODEL_X] = (struct layout){true, false, x, 1};
    list[MODEL_Q] = (struct layout){true, false, q, q.lanes};
    list[MODEL_S] = (struct layout){true, flat, points ? CLQ_FLOAT32 : x, tensor->block};
    if (options->rule)
        list[MODEL_S].dtype = options->rule == CLQ_NVFP4 ? CLQ_FLOAT8_E4M3FN : CLQ_FLOAT8_E8M0FNU;
    list[MODEL_A] = (struct layout){points || model_has_offsets(options), flat, x, tensor->block};
    if (points)
        list[MODEL_A].dtype = options->dtype.bits == 4 ? CLQ_UINT8 : CLQ_INT8;
    list[MODEL_BACK] = (struct layout){true, false, CLQ_FLOAT32, 1};
    list[MODEL_GLOBAL] = (struct layout){options->rule == CLQ_NVFP4, true, CLQ_FLOAT32, 0};
}

static size_t bytes_of(const struct layout *layout, int64_t elements)
{
    return layout->used ? (size_t)elements * layout->dtype.bits * layout->dtype.lanes / 8 : 0;
}

static int64_t elements_of(const struct layout *layout, int64_t columns)
{
    return layout->unit > 0 ? columns / layout->unit : 1;
}

/* Rows that are cut have their own extremes in front of each tile where they have one scale. */
static int64_t extremes_of(const struct model_tensor *tensor, const struct model_tile *tile)
{
    return tensor->quantized && tensor->block == 0 && tile->columns < model_columns(tensor->source)
               ? STREAM_EXTREMES
               : 0;
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
        struct model_tile most = {0};

        if (!shard->tensors[t].quantized) {
            const size_t some = (size_t)(bytes < STREAM_PIECE_BYTES ? bytes : STREAM_PIECE_BYTES);

            sizes[MODEL_X] = some > sizes[MODEL_X] ? some : sizes[MODEL_X];
            continue;
        }
        quantizes = true;
        find_layouts(&model->options, &shard->tensors[t], list);
        most = model_tile_most(&model->options, &shard->tensors[t]);
        most.columns += extremes_of(&shard->tensors[t], &most);
        for (size_t b = 0; b < MODEL_BUFFERS; b++) {
            const size_t size = bytes_of(&list[b], elements_of(&list[b], most.columns) * most.rows);

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

static void set_tile(const struct model_options *options, struct model_piece *piece)
{
    const struct model_tile *tile = &piece->tile;
    struct layout list[MODEL_BUFFERS] = {{0}};

    find_layouts(options, piece->tensor, list);
    for (size_t b = 0; b < MODEL_BUFFERS; b++) {
        struct model_buffer *buffer = &piece->buffers[b];

        buffer->shape[0] = b == MODEL_GLOBAL ? 1 : tile->rows;
        buffer->shape[1] = elements_of(&list[b], tile->columns + piece->extremes);
        buffer->row_bytes = bytes_of(&list[b], buffer->shape[1]);
        buffer->extremes_bytes = buffer->row_bytes - bytes_of(&list[b], elements_of(&list[b], tile->columns));
        buffer->column_bytes = list[b].unit > 0 ? bytes_of(&list[b], tile->column / list[b].unit) : 0;
        buffer->out_row_bytes =
            bytes_of(&list[b], elements_of(&list[b], model_columns(piece->tensor->source)));
        buffer->view = clq_tensor_view(buffer->mem, list[b].dtype, list[b].flat ? 1 : 2, buffer->shape);
    }
}

bool model_piece_next(const struct model_options *options, struct model_shard *shard, size_t *tensor,
                      uint64_t *offset, struct model_piece *piece)
{
    const struct safetensors_tensor *source = NULL;
    uint64_t left = 0;

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
    piece->tile = (struct model_tile){0};
    piece->size_bytes = (size_t)(left < STREAM_PIECE_BYTES ? left : STREAM_PIECE_BYTES);
    if (piece->tensor->quantized || piece->tensor->whole) {
        piece->tile = model_tile_at(options, piece->tensor, *offset);
        piece->extremes = extremes_of(piece->tensor, &piece->tile);
        piece->size_bytes = (size_t)model_tile_bytes(piece->tensor, &piece->tile);
        set_tile(options, piece);
    }
    *offset += piece->size_bytes;
    return true;
}
