/* SPDX-License-Identifier: Apache-2.0 */
/* One matrix: pieces of whole rows go to the device and come back quantized, and once more as floats, for the
 * error. Rows are independent of each other, so that memory holds one piece whatever the matrix has. */
#include "model.h"

#include "floats.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 16 << 20, WORD = 8 };

struct buffer {
    DLManagedTensor *tensor;
    DLTensor view; /* the piece's rows of it */
    int64_t shape[2];
    size_t row_bytes;
    void *host;
};

struct matrix {
    struct model *model;
    const struct model_shard *shard;
    struct model_tensor *tensor;
    struct output_file *out;
    int64_t piece_rows;
    struct buffer x, values, scales, added, back;
    uint32_t *words; /* of zero points of four bits; NULL: there are none */
    struct float_error error;
};

/* Rows of so many elements; 0: of one, and without the dimension. */
static bool make(struct matrix *m, struct buffer *buffer, DLDataType dtype, int64_t width)
{
    clq_status status = CLQ_OK;
    const int rank = width > 0 ? 2 : 1;

    buffer->shape[0] = m->piece_rows;
    buffer->shape[1] = width;
    buffer->row_bytes = (size_t)(width > 0 ? width : 1) * dtype.bits * dtype.lanes / 8;
    status = clq_tensor_create(m->model->context, dtype, rank, buffer->shape, &buffer->tensor);
    if (status != CLQ_OK)
        return model_fail(m->model, m->shard->path, m->tensor->source->name, status);
    buffer->view = clq_tensor_view(buffer->tensor->dl_tensor.data, dtype, rank, buffer->shape);
    buffer->host = malloc(buffer->row_bytes * (size_t)m->piece_rows);
    return buffer->host ||
           fail(m->model->failure, STATUS_SYSTEM, "%s: tensor '%.200s': no memory for %jd rows",
                m->shard->path, m->tensor->source->name, (intmax_t)m->piece_rows);
}

static bool make_all(struct matrix *m)
{
    const struct model_options *options = &m->model->options;
    const struct safetensors_tensor *source = m->tensor->source;
    const int64_t columns = source->shape[1], groups = model_groups(options, columns);
    const bool points = model_has_zero_points(options);
    const DLDataType values = model_values_dtype(options), x = clq_dtype_parse(source->type->element);
    const int64_t row_bytes = columns * x.bits / 8;

    m->piece_rows = PIECE_BYTES / row_bytes / WORD * WORD; /* whole words of zero points */
    m->piece_rows = m->piece_rows > 0 ? m->piece_rows : WORD;
    m->piece_rows = m->piece_rows < source->shape[0] ? m->piece_rows : source->shape[0];
    return make(m, &m->x, x, columns) && make(m, &m->values, values, columns / values.lanes) &&
           make(m, &m->back, CLQ_FLOAT32, columns) &&
           make(m, &m->scales, points ? CLQ_FLOAT32 : x, points || options->block > 0 ? groups : 0) &&
           (!points || make(m, &m->added, options->dtype.bits == 4 ? CLQ_UINT8 : CLQ_INT8, groups)) &&
           (!model_has_offsets(options) || make(m, &m->added, x, options->block > 0 ? groups : 0));
}

static clq_status by_offsets(struct matrix *m)
{
    const struct model_options *options = &m->model->options;
    const DLTensor *offsets = m->added.tensor ? &m->added.view : NULL;
    const struct clq_dynamic_quantize_desc there = {.x = &m->x.view,
                                                    .y = &m->values.view,
                                                    .scales = &m->scales.view,
                                                    .offsets = offsets,
                                                    .symmetric = offsets == NULL,
                                                    .block = options->block,
                                                    .rotate = options->rotate};
    const struct clq_dequantize_desc back = {.q = &m->values.view,
                                             .scales = &m->scales.view,
                                             .offsets = offsets,
                                             .y = &m->back.view,
                                             .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                             .block = options->block,
                                             .rotate = options->rotate};
    clq_status status = clq_dynamic_quantize(m->model->context, m->model->queue, &there, 0, NULL, NULL);

    return status == CLQ_OK ? clq_dequantize(m->model->context, m->model->queue, &back, 0, NULL, NULL)
                            : status;
}

static clq_status by_zero_points(struct matrix *m)
{
    const struct model_options *options = &m->model->options;
    const struct clq_find_scales_desc find = {.x = &m->x.view,
                                              .scales = &m->scales.view,
                                              .zero_points = &m->added.view,
                                              .dtype = options->dtype.bits == 4 ? CLQ_UINT4 : CLQ_INT8,
                                              .method = CLQ_MINMAX,
                                              .block = options->block};
    const struct clq_quantize_desc there = {.x = &m->x.view,
                                            .scales = &m->scales.view,
                                            .zero_points = &m->added.view,
                                            .y = &m->values.view,
                                            .block = options->block};
    const struct clq_dequantize_desc back = {.q = &m->values.view,
                                             .scales = &m->scales.view,
                                             .zero_points = &m->added.view,
                                             .y = &m->back.view,
                                             .block = options->block};
    clq_context *context = m->model->context;
    clq_status status = clq_find_scales(context, m->model->queue, &find, 0, NULL, NULL);

    if (status == CLQ_OK)
        status = clq_quantize(context, m->model->queue, &there, 0, NULL, NULL);
    return status == CLQ_OK ? clq_dequantize(context, m->model->queue, &back, 0, NULL, NULL) : status;
}

static clq_status fetch(struct matrix *m, struct buffer *buffer)
{
    if (!buffer->tensor)
        return CLQ_OK;
    return clq_tensor_read(m->model->queue, &buffer->view, CL_TRUE, buffer->host,
                           buffer->row_bytes * (size_t)buffer->shape[0], 0, NULL, NULL);
}

static clq_status compute(struct matrix *m, int64_t rows)
{
    struct buffer *const results[] = {&m->values, &m->scales, &m->added, &m->back};
    clq_status status = CLQ_OK;

    m->x.shape[0] = rows;
    for (size_t i = 0; i < 4; i++)
        results[i]->shape[0] = rows;
    status = clq_tensor_write(m->model->queue, &m->x.view, CL_TRUE, m->x.host, m->x.row_bytes * (size_t)rows,
                              0, NULL, NULL);
    if (status == CLQ_OK)
        status = model_has_zero_points(&m->model->options) ? by_zero_points(m) : by_offsets(m);
    for (size_t i = 0; i < 4 && status == CLQ_OK; i++)
        status = fetch(m, results[i]);
    return status;
}

/* What the library has as int4 counts from -8. */
static void count_from_zero(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] ^= UINT32_C(0x88888888);
}

/* Of each eight rows one: the first is lowest. */
static void pack_zero_points(const struct matrix *m, int64_t rows)
{
    const size_t groups = m->added.row_bytes;
    const uint8_t *points = m->added.host;

    for (int64_t row = 0; row < rows; row += WORD)
        for (size_t g = 0; g < groups; g++) {
            uint32_t word = 0;

            for (int64_t r = 0; r < WORD && row + r < rows; r++)
                word |= (uint32_t)points[(size_t)(row + r) * groups + g] << (4 * r);
            m->words[(size_t)(row / WORD) * groups + g] = word;
        }
}

static bool put(struct matrix *m, enum model_part part, uint64_t offset, const void *bytes, size_t size_bytes)
{
    const size_t place = m->tensor->parts[part];

    return place == MODEL_NONE ||
           output_file_write_at(m->out, m->shard->header_bytes + m->shard->out[place].begin + offset, bytes,
                                size_bytes, m->model->failure);
}

static bool put_rows(struct matrix *m, enum model_part part, const struct buffer *buffer, int64_t row)
{
    return put(m, part, (uint64_t)row * buffer->row_bytes, buffer->host,
               buffer->row_bytes * (size_t)buffer->shape[0]);
}

static bool put_added(struct matrix *m, int64_t row, int64_t rows)
{
    const size_t groups = m->added.row_bytes;

    if (!m->words)
        return put_rows(m, MODEL_ADDED, &m->added, row);
    pack_zero_points(m, rows);
    return put(m, MODEL_ADDED, (uint64_t)(row / WORD) * groups * 4, m->words,
               (size_t)((rows + WORD - 1) / WORD) * groups * 4);
}

static bool quantize_piece(struct matrix *m, int64_t row, int64_t rows)
{
    const struct safetensors_tensor *source = m->tensor->source;
    const size_t elements = (size_t)(rows * source->shape[1]);
    clq_status status = CLQ_OK;

    if (!safetensors_read(&m->shard->file, source, (uint64_t)row * m->x.row_bytes, m->x.host,
                          m->x.row_bytes * (size_t)rows, m->model->failure))
        return false;
    status = compute(m, rows);
    if (status != CLQ_OK)
        return model_fail(m->model, m->shard->path, source->name, status);
    float_error_add(&m->error, source->type->name, m->x.host, m->back.host, elements);
    if (m->values.view.dtype.lanes == WORD && m->values.view.dtype.code == kDLInt)
        count_from_zero(m->values.host, m->values.row_bytes * (size_t)rows / 4);
    model_show(m->model, m->shard, m->x.row_bytes * (size_t)rows);
    return put_rows(m, MODEL_VALUES, &m->values, row) && put_rows(m, MODEL_SCALES, &m->scales, row) &&
           put_added(m, row, rows);
}

static void release(struct buffer *buffer)
{
    clq_tensor_destroy(buffer->tensor);
    free(buffer->host);
}

static bool run(struct matrix *m)
{
    const struct safetensors_tensor *source = m->tensor->source;
    bool ok = make_all(m) && put(m, MODEL_SHAPE, 0, source->shape, 2 * sizeof *source->shape);

    if (ok && model_has_zero_points(&m->model->options) && m->model->options.dtype.bits == 4) {
        m->words = malloc((size_t)((m->piece_rows + WORD - 1) / WORD) * m->added.row_bytes * 4);
        ok = m->words || fail(m->model->failure, STATUS_SYSTEM,
                              "%s: tensor '%.200s': no memory for zero points", m->shard->path, source->name);
    }
    for (int64_t row = 0; ok && row < source->shape[0]; row += m->piece_rows) {
        const int64_t left = source->shape[0] - row;

        ok = quantize_piece(m, row, left < m->piece_rows ? left : m->piece_rows);
    }
    return ok;
}

bool model_quantize(struct model *model, struct model_shard *shard, struct model_tensor *tensor,
                    struct output_file *out)
{
    struct matrix m = {.model = model, .shard = shard, .tensor = tensor, .out = out};
    const bool ok = run(&m);

    tensor->error = float_error_relative(&m.error);
    release(&m.x);
    release(&m.values);
    release(&m.scales);
    release(&m.added);
    release(&m.back);
    free(m.words);
    return ok;
}
