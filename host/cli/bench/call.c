/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and descriptors. */
#include "call.h"

#include "data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const float call_row_scale = 0.37f;
const uint8_t call_row_scale_code = 0x7c; /* 2^-3, and of float8_e4m3fn 384 */

static DLTensor tensor(cl_mem data, size_t at, DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.data = data,
                      .device = {kDLOpenCL, 0},
                      .ndim = ndim,
                      .dtype = dtype,
                      .shape = shape,
                      .byte_offset = at};
}

/* A buffer of its own, for what is neither x nor y nor one of the bench's scales. */
static bool make_extra(struct bench *bench, struct call *c, size_t size_bytes, const void *bytes)
{
    const bool codes = row_scale_type(&c->row) != F32;
    cl_int code = CL_SUCCESS;

    c->extra = clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_WRITE, size_bytes, NULL, &code);
    if (code == CL_SUCCESS && bytes)
        code = clEnqueueWriteBuffer(bench->queue, c->extra, CL_TRUE, 0, size_bytes, bytes, 0, NULL, NULL);
    if (code == CL_SUCCESS && !bytes)
        code = clEnqueueFillBuffer(
            bench->queue, c->extra, codes ? (const void *)&call_row_scale_code : &call_row_scale,
            codes ? sizeof call_row_scale_code : sizeof call_row_scale, 0, size_bytes, 0, NULL, NULL);
    return device_check(bench, "a buffer of scales or groups", code);
}

/* From nothing to four times the mean: group g takes a share of (g * 37 mod 64)^2. */
static bool make_groups(struct bench *bench, struct call *c)
{
    int64_t total = 0, before = 0;

    for (int64_t i = 0; i < CALL_GROUPS; i++)
        total += (i * 37 % CALL_GROUPS) * (i * 37 % CALL_GROUPS);
    for (int64_t i = 0; i < CALL_GROUPS; i++) {
        before += (i * 37 % CALL_GROUPS) * (i * 37 % CALL_GROUPS);
        c->group_ends[i] = (int32_t)(before * c->rows / total);
    }
    c->index_shape[0] = CALL_GROUPS;
    return make_extra(bench, c, sizeof c->group_ends, c->group_ends);
}

static int64_t scales_of(const struct call *c)
{
    switch (c->row.layout) {
    case PER_TENSOR:
        return 1;
    case PER_FIRST_AXIS:
        return c->x_shape[0];
    case PER_OTHER_AXIS:
        return c->x_shape[1];
    default:
        return c->row.columns;
    }
}

/* Of scales that a call reads, of so many rows. */
static size_t extra_bytes(const struct call *c, int64_t rows)
{
    if (c->row.layout == IN_SQUARES)
        return (size_t)(c->scales_shape[0] * c->scales_shape[1]) * sizeof(float);
    return (size_t)rows * row_scales_bytes(&c->row);
}

static bool make_tensors(struct bench *bench, struct call *c)
{
    const enum operation operation = c->row.operation;
    const bool strided = c->row.layout == STRIDED;
    const bool written = operation == DYNAMIC_QUANTIZE || operation == DYNAMIC_QUANTIZE_SCATTER;

    c->x_shape[c->ndim - 1] /= row_type_values(c->row.src);
    c->y_shape[c->ndim - 1] /= row_type_values(c->row.dst);
    c->x = tensor(row_in_place(&c->row) ? bench->y : bench->x, 0, row_type_dtype(c->row.src), c->ndim,
                  c->x_shape);
    c->x.strides = strided ? c->x_strides : NULL;
    c->y = tensor(bench->y, 0, row_type_dtype(c->row.dst), c->ndim, c->y_shape);
    c->scales_ndim = 1;
    c->block = c->row.block;
    c->scales_shape[0] = scales_of(c);
    if (c->row.layout == PER_GROUP) {
        c->scales_shape[0] = CALL_GROUPS;
        c->scales_shape[1] = c->row.columns;
        c->scales_ndim = 2;
        if (!make_groups(bench, c))
            return false;
    }
    if (c->row.layout == PER_ROW) {
        memcpy(c->scales_shape, operation == DEQUANTIZE ? c->x_shape : c->y_shape, sizeof c->scales_shape);
        c->scales_ndim = c->row.block > 0 ? c->ndim : c->ndim - 1;
        if (c->row.block > 0)
            c->scales_shape[c->ndim - 1] = row_scales(&c->row);
    }
    if (c->row.layout == IN_SQUARES) {
        c->scales_shape[0] = (c->rows + ROW_SQUARE - 1) / ROW_SQUARE;
        c->scales_shape[1] = row_squares(&c->row);
        c->scales_ndim = 2;
        c->block = c->block_before = ROW_SQUARE;
    }
    if (written) {
        const DLDataType dtype = row_type_dtype(row_scale_type(&c->row));

        c->scales = tensor(bench->y, c->scale_at, dtype, c->scales_ndim, c->scales_shape);
        c->offsets = tensor(bench->y, c->offset_at, dtype, c->scales_ndim, c->scales_shape);
    } else {
        const int64_t rows =
            c->places.buffer ? c->places.batches * c->places.length * call_position_rows(c) : c->rows;

        const bool of_call = c->row.layout == PER_ROW || c->row.layout == IN_SQUARES;

        if (of_call && !make_extra(bench, c, extra_bytes(c, rows), NULL))
            return false;
        c->scales = tensor(operation == FIND_SCALES ? bench->y
                           : of_call                ? c->extra
                                                    : bench->scales,
                           0, row_type_dtype(row_scale_type(&c->row)), c->scales_ndim, c->scales_shape);
    }
    c->indices = tensor(c->places.buffer, 0, CLQ_INT32, places_columns(&c->places), c->index_shape);
    c->from_indices = c->indices;
    c->from_indices.data = c->from.buffer;
    if (c->row.layout == PER_GROUP)
        c->indices.data = c->extra;
    return true;
}

static void count_bytes(struct call *c)
{
    const int64_t elements = c->rows * c->row.columns;
    const size_t words = (size_t)c->rows * row_scales_bytes(&c->row),
                 squares = (size_t)(c->scales_shape[0] * c->scales_shape[1]) * sizeof(float);
    const bool finds = c->row.operation == FIND_SCALES, back = c->row.operation == DEQUANTIZE;

    c->src_bytes = row_type_bytes(c->row.src, elements);
    c->dst_bytes = finds ? 0 : row_type_bytes(c->row.dst, elements);
    if (c->row.layout == IN_SQUARES && c->row.operation == DYNAMIC_QUANTIZE)
        c->dst_bytes += squares;
    else if (c->row.layout == IN_SQUARES)
        c->other_bytes = squares;
    else if (c->row.layout == PER_ROW && back)
        c->other_bytes = words;
    else if (c->row.layout == PER_ROW)
        c->dst_bytes += c->row.mode == ASYMMETRIC ? 2 * words : words;
}

bool call_fill(struct bench *bench, const struct row *row)
{
    const float around = row->dst == I4 ? 1.0f : 16.0f;
    const bool bits = row->operation == DEQUANTIZE || row->operation == MOVE_ROWS;

    return data_fill(bench, bits ? F16 : row->src) &&
           data_fill_scales(bench, bits                  ? 0.1f
                                   : row->mode == DIVIDE ? 1.0f / around
                                                         : around);
}

/* Rows that lie there in between: a buffer for each call would cost more than the call. */
static bool make_workspace(struct bench *bench, struct call *c)
{
    size_t size_bytes = 0;

    if (!library_check(bench, clq_move_rows_workspace(bench->context, &c->desc.move_rows, &size_bytes)))
        return false;
    if (size_bytes > 0 && !make_extra(bench, c, size_bytes, NULL))
        return false;
    c->desc.move_rows.workspace = c->extra;
    return true;
}

bool call_begin(struct bench *bench, struct call *c, const struct row *row, const struct library *library)
{
    *c = (struct call){.row = *row, .library = library};
    c->row.calls = row->calls > 0 ? row->calls : 1;
    if (!call_find_shape(bench, c) || (row->placement != DENSE && !places_init(bench, &c->places)) ||
        (row_in_place(row) && !places_init(bench, &c->from)))
        return false;
    if (!make_tensors(bench, c))
        return false;
    call_fill_desc(c);
    count_bytes(c);
    return !row_in_place(row) || make_workspace(bench, c);
}

void call_end(struct call *c)
{
    places_clear(&c->places);
    places_clear(&c->from);
    if (c->extra)
        clReleaseMemObject(c->extra);
}

/* A gather reads a cache, and finds it where it is. Rows that are not side by side take all of x. */
static void next_piece(struct bench *bench, struct call *c)
{
    if (c->row.operation != DEQUANTIZE && c->row.layout != STRIDED && !row_in_place(&c->row))
        c->x.byte_offset = data_next_piece(bench, c->src_bytes);
    if (c->row.placement == DENSE && c->row.layout < PER_ROW && c->row.operation != FIND_SCALES)
        c->y.byte_offset =
            c->x.byte_offset / row_type_dtype(c->row.src).bits * row_type_dtype(c->row.dst).bits;
    if (c->row.placement != DENSE)
        c->indices.byte_offset = c->from_indices.byte_offset = places_offset_bytes(&c->places, c->next++);
}

/* The operators, each with the field of its descriptor that has another piece each time,
 * and the tensor there. */
#define EACH_OPERATOR(X)                                                                                     \
    X(QUANTIZE, quantize, x, x)                                                                              \
    X(GROUP_QUANTIZE, group_quantize, x, x)                                                                  \
    X(QUANTIZE_SCATTER, quantize_scatter, updates, x)                                                        \
    X(DYNAMIC_QUANTIZE, dynamic_quantize, x, x)                                                              \
    X(DYNAMIC_QUANTIZE_SCATTER, dynamic_quantize_scatter, updates, x)                                        \
    X(FIND_SCALES, find_scales, x, x)                                                                        \
    X(DEQUANTIZE, dequantize, y, y)                                                                          \
    X(MOVE_ROWS, move_rows, src, x)

bool call_plan(struct bench *bench, struct call *c, clq_plan **plan)
{
    clq_context *context = c->library->context;
    clq_status status = CLQ_OK;

#define MAKE_PLAN(operation, name, field, tensor)                                                            \
    case operation:                                                                                          \
        status = clq_##name##_plan(context, &c->desc.name, plan);                                            \
        break;
    next_piece(bench, c);
    switch (c->row.operation) {
        EACH_OPERATOR(MAKE_PLAN)
    case OPERATIONS:
        break;
    }
    return library_check(bench, status);
}

struct clq_binding call_bind_next(struct bench *bench, struct call *c)
{
    struct clq_binding binding = {0};

#define BIND(operation, name, field, tensor)                                                                 \
    case operation:                                                                                          \
        binding = CLQ_BIND(name, field, c->tensor.data, c->tensor.byte_offset);                              \
        break;
    next_piece(bench, c);
    switch (c->row.operation) {
        EACH_OPERATOR(BIND)
    case OPERATIONS:
        break;
    }
    return binding;
}

bool call_enqueue(struct bench *bench, struct call *c, cl_event *done)
{
    const struct library *library = c->library;
    clq_status status = CLQ_OK;

#define ENQUEUE(operation, name, field, tensor)                                                              \
    case operation:                                                                                          \
        status = library->name(library->context, bench->queue, &c->desc.name, 0, NULL, done);                \
        break;
    next_piece(bench, c);
    switch (c->row.operation) {
        EACH_OPERATOR(ENQUEUE)
    case OPERATIONS:
        break;
    }
    bench->failure.code = status;
    return status == CLQ_OK || fail(&bench->failure, STATUS_SYSTEM, "bench: %s", library->error_detail());
}

bool call_run(struct bench *bench, void *self)
{
    struct call *c = self;
    cl_event done = NULL;

    for (int i = 0; i < c->row.calls; i++)
        if (!call_enqueue(bench, c, i + 1 == c->row.calls ? &done : NULL))
            return false;
    return device_wait(bench, done);
}

static void note_entries(const struct call *c, char *note, size_t size_bytes)
{
    const int64_t rows = c->places.update_length * call_position_rows(c);

    if (c->row.operation == DYNAMIC_QUANTIZE_SCATTER)
        snprintf(note, size_bytes, "%s, %" PRId64 " entries of %" PRId64 " rows of %" PRId64, c->row.note,
                 c->places.entries, rows, c->row.columns);
    else
        snprintf(note, size_bytes, "%s, %" PRId64 " entries of %" PRId64, c->row.note, c->places.entries,
                 rows * c->row.columns);
}

void call_describe(const struct call *c, struct report_row *row)
{
    const bool scatters = c->row.placement != DENSE && c->row.operation != DEQUANTIZE;
    const bool of_axis =
        c->row.layout != PER_TENSOR && (c->row.operation == QUANTIZE || c->row.operation == FIND_SCALES);

    *row = (struct report_row){.operator_name = row_operation(&c->row),
                               .src = reference_types[c->row.src].name,
                               .dst = reference_types[c->row.dst].name,
                               .mode = row_mode(&c->row),
                               .has_axis = scatters || of_axis,
                               .axis = scatters || c->row.layout == PER_OTHER_AXIS ? 1
                                       : c->row.layout == PER_FIRST_AXIS           ? 0
                                                                                   : -1,
                               .ndim = c->ndim};
    memcpy(row->shape, c->y_shape, sizeof c->y_shape);
    if (scatters)
        note_entries(c, row->note, sizeof row->note);
    else
        snprintf(row->note, sizeof row->note, "%s", c->row.note);
}
