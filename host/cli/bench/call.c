/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and descriptors. */
#include "call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = 64 };

static bool make_buffer(struct bench *bench, struct bench_call *c, size_t size_bytes, const void *bytes)
{
    cl_int code = CL_SUCCESS;

    c->extra =
        clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                       size_bytes, (void *)(uintptr_t)bytes, &code);
    return device_check(bench, "clCreateBuffer of scales, groups or a workspace", code);
}

static size_t scales_bytes(const struct bench_call *c)
{
    int64_t scales = 1;

    for (int i = 0; i < c->scales_ndim; i++)
        scales *= c->scales_shape[i];
    return row_type_bytes(row_scale_type(&c->row), scales);
}

/* Scales that a call reads, where they are of its rows. All are the same one: which is read does not matter
 * to the time. */
static bool make_scales(struct bench *bench, struct bench_call *c)
{
    static const float scale = 0.37f;
    static const uint8_t code = 0x7c; /* 2^-3, and of float8_e4m3fn 384 */
    const bool wide = row_scale_type(&c->row) == F32;
    const size_t size_bytes = scales_bytes(c);

    return make_buffer(bench, c, size_bytes, NULL) &&
           device_check(bench, "clEnqueueFillBuffer of scales",
                        clEnqueueFillBuffer(bench->queue, c->extra, wide ? (const void *)&scale : &code,
                                            wide ? sizeof scale : sizeof code, 0, size_bytes, 0, NULL, NULL));
}

/* From nothing to twice the mean. */
static bool make_groups(struct bench *bench, struct bench_call *c)
{
    int32_t ends[GROUPS];

    for (int64_t i = 0; i < GROUPS; i++)
        ends[i] = (int32_t)(c->rows * (i + 1) * (i + 1) / (GROUPS * GROUPS));
    c->index_shape[0] = GROUPS;
    return make_buffer(bench, c, sizeof ends, ends);
}

static void set_scales_shape(struct bench_call *c)
{
    const struct row *row = &c->row;
    const enum reference_type type = row_scale_type(row);

    c->scales_ndim = 1;
    c->scales_shape[0] = row->layout == PER_TENSOR  ? 1
                         : row->layout == PER_FIRST ? c->in_shape[0]
                         : row->layout == PER_OTHER ? c->in_shape[1]
                                                    : row->columns;
    if (row->layout == PER_GROUP || row->layout == IN_SQUARES) {
        const int64_t side = row->layout == PER_GROUP ? 1 : ROW_SQUARE;

        c->scales_shape[0] = side == 1 ? GROUPS : (c->rows + side - 1) / side;
        c->scales_shape[1] = (row->columns + side - 1) / side;
        c->scales_ndim = 2;
    } else if (row->layout == PER_ROW) {
        memcpy(c->scales_shape, row->operation == DEQUANTIZE ? c->in_shape : c->out_shape,
               sizeof c->scales_shape);
        c->scales_ndim = row->block > 0 ? c->ndim : c->ndim - 1;
        c->scales_shape[c->ndim - 1] = (int64_t)(row_scales_bytes(row) / row_type_bytes(type, 1));
    }
}

static void count_bytes(struct bench_call *c)
{
    const struct row *row = &c->row;
    const int64_t elements = c->rows * row->columns;
    const bool finds = operation_rows[row->operation].finds;
    size_t scales = 0;

    if (row->layout == IN_SQUARES)
        scales = scales_bytes(c);
    else if (row->layout == PER_ROW)
        scales = (size_t)c->rows * row_scales_bytes(row);
    c->src_bytes = row_type_bytes(row->src, elements);
    c->dst_bytes = row->operation == FIND_SCALES ? 0 : row_type_bytes(row->dst, elements);
    c->dst_bytes += finds ? row->mode == ASYMMETRIC ? 2 * scales : scales : 0;
    c->other_bytes = finds ? 0 : scales;
}

static DLTensor tensor(cl_mem data, size_t at, DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.data = data,
                      .device = {kDLOpenCL, 0},
                      .ndim = ndim,
                      .dtype = dtype,
                      .shape = shape,
                      .byte_offset = at};
}

static bool make_tensors(struct bench *bench, struct bench_call *c)
{
    const struct row *row = &c->row;
    const bool finds = operation_rows[row->operation].finds, grouped = row->layout == PER_GROUP;
    const DLDataType of_scales = row_type_dtype(row_scale_type(row));
    DLTensor *tensors = c->tensors;

    c->in_shape[c->ndim - 1] /= reference_lanes(row->src, 1);
    c->out_shape[c->ndim - 1] /= reference_lanes(row->dst, 1);
    set_scales_shape(c);
    if ((grouped && !make_groups(bench, c)) ||
        (!finds && (row->layout == PER_ROW || row->layout == IN_SQUARES) && !make_scales(bench, c)))
        return false;
    tensors[IN] = tensor(row->placement == PAGES ? bench->y : bench->x, 0, row_type_dtype(row->src), c->ndim,
                         c->in_shape);
    tensors[IN].strides = row->layout == STRIDED ? c->in_strides : NULL;
    tensors[OUT] = tensor(bench->y, 0, row_type_dtype(row->dst), c->ndim, c->out_shape);
    tensors[SCALES] = tensor(finds                  ? bench->y
                             : c->extra && !grouped ? c->extra
                                                    : bench->scales,
                             row->operation == FIND_SCALES ? 0
                             : finds                       ? c->scale_at
                                                           : 0,
                             of_scales, c->scales_ndim, c->scales_shape);
    tensors[OFFSETS] = tensors[SCALES];
    tensors[OFFSETS].byte_offset = c->offset_at;
    tensors[INDICES] = tensor(grouped ? c->extra : c->places.buffer, 0, CLQ_INT32, places_columns(&c->places),
                              c->index_shape);
    tensors[SOURCES] = tensors[INDICES];
    tensors[SOURCES].data = c->from.buffer;
    return true;
}

size_t call_field_at(const struct bench_call *c, const char *name)
{
    size_t count = 0;
    const struct clq_option *options = clq_operator_options(operation_rows[c->row.operation].name, &count);

    for (size_t i = 0; name && i < count; i++)
        if (strcmp(options[i].name, name) == 0)
            return options[i].offset_bytes;
    return SIZE_MAX;
}

static void set_field(struct bench_call *c, const char *name, const void *value, size_t size_bytes)
{
    const size_t at = call_field_at(c, name);

    if (at != SIZE_MAX)
        memcpy(c->desc.bytes + at, value, size_bytes);
}

static void set_tensor(struct bench_call *c, enum role role)
{
    const DLTensor *value = &c->tensors[role];

    set_field(c, operation_rows[c->row.operation].tensors[role], &value, sizeof value);
}

/* An operator that does not have this number does without. */
static void set_number(struct bench_call *c, const char *name, int64_t value)
{
    const int32_t number = (int32_t)value;

    set_field(c, name, &number, sizeof number);
}

static void fill_desc(struct bench_call *c)
{
    const struct row *row = &c->row;
    const bool squares = row->layout == IN_SQUARES, cached = c->places.buffer != NULL;

    set_tensor(c, IN);
    set_tensor(c, OUT);
    if (row->layout != IN_BLOCKS)
        set_tensor(c, SCALES);
    if (row->mode == ASYMMETRIC)
        set_tensor(c, OFFSETS);
    if (c->tensors[INDICES].data)
        set_tensor(c, INDICES);
    if (c->from.buffer)
        set_tensor(c, SOURCES);
    set_number(c, "axis",
               cached || row->layout == PER_OTHER ? 1
               : row->layout == PER_FIRST         ? CLQ_AXIS_FIRST
                                                  : -1);
    set_number(c, "mode",
               row->mode == MULTIPLY  ? CLQ_MULTIPLY
               : row->mode >= DYNAMIC ? CLQ_DEQUANTIZE_DYNAMIC
                                      : CLQ_DIVIDE);
    set_number(c, "block", squares ? ROW_SQUARE : row->block);
    set_number(c, "block_before", squares ? ROW_SQUARE : 0);
    set_number(c, "round_first", row->round_first);
    set_number(c, "symmetric", row->mode == SYMMETRIC || row_rule(row) != 0);
    set_number(c, "scale_rule", row_rule(row));
    set_number(c, "rotate", row->rotate);
    set_number(c, "unique", row->unique);
    set_number(c, "index_kind", c->places.slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE);
    set_number(c, "positions", c->from.buffer ? c->places.update_length : 0);
}

bool call_fill(struct bench *bench, const struct row *row)
{
    const bool bits = row->operation == DEQUANTIZE || row->operation == MOVE_ROWS;
    const float around = row->dst == I4 ? 1.0f : 16.0f;

    return data_fill(bench, bits ? F16 : row->src) &&
           data_fill_scales(bench, bits                  ? 0.1f
                                   : row->mode == DIVIDE ? 1 / around
                                                         : around);
}

/* Rows that lie there in between: a buffer for each call would cost more than the call. */
static bool make_workspace(struct bench *bench, struct bench_call *c)
{
    const struct operator_row *of = operator_find(operation_rows[c->row.operation].name);
    size_t size_bytes = 0;

    if (!library_check(bench, of->workspace_bytes(bench->context, c->desc.bytes, &size_bytes)) ||
        (size_bytes > 0 && !make_buffer(bench, c, size_bytes, NULL)))
        return false;
    set_field(c, "workspace", &c->extra, sizeof c->extra);
    return true;
}

bool call_begin(struct bench *bench, struct bench_call *c, const struct row *row,
                const struct library *library)
{
    *c = (struct bench_call){.row = *row, .library = library};
    c->row.calls = row->calls > 0 ? row->calls : 1;
    call_find_shape(bench, c);
    if ((row->placement != DENSE && !places_init(bench, &c->places)) ||
        (row->placement == PAGES && !places_init(bench, &c->from)) || !make_tensors(bench, c))
        return false;
    fill_desc(c);
    count_bytes(c);
    return row->placement != PAGES || make_workspace(bench, c);
}

void call_end(struct bench_call *c)
{
    places_clear(&c->places);
    places_clear(&c->from);
    if (c->extra)
        clReleaseMemObject(c->extra);
}

/* A gather reads a cache, and finds it where it is. Rows that are not side by side take all of x. */
void call_next(struct bench *bench, struct bench_call *c)
{
    DLTensor *in = &c->tensors[IN], *out = &c->tensors[OUT];

    if (c->row.operation != DEQUANTIZE && c->row.layout != STRIDED && c->row.placement != PAGES)
        in->byte_offset = data_next_piece(bench, c->src_bytes);
    if (c->row.placement == DENSE && c->row.layout < PER_ROW && c->row.operation != FIND_SCALES)
        out->byte_offset = in->byte_offset / in->dtype.bits * out->dtype.bits;
    if (c->row.placement != DENSE)
        c->tensors[INDICES].byte_offset = c->tensors[SOURCES].byte_offset =
            places_offset_bytes(&c->places, c->next++);
}

bool call_enqueue(struct bench *bench, struct bench_call *c, cl_event *done)
{
    const struct library *library = c->library;
    clq_status status = CLQ_OK;

    call_next(bench, c);
    status = library->calls[c->row.operation](library->context, bench->queue, c->desc.bytes, 0, NULL, done);
    bench->failure.code = status;
    return status == CLQ_OK || fail(&bench->failure, STATUS_SYSTEM, "bench: %s", library->error_detail());
}

bool call_run(struct bench *bench, void *self)
{
    struct bench_call *c = self;
    cl_event done = NULL;

    for (int i = 0; i < c->row.calls; i++)
        if (!call_enqueue(bench, c, i + 1 == c->row.calls ? &done : NULL))
            return false;
    return device_wait(bench, done);
}

void call_describe(const struct bench_call *c, struct report_row *row)
{
    const int64_t rows = c->places.update_length * call_position_rows(c);
    char of_rows[32] = "";

    *row = (struct report_row){.operator_name = operation_rows[c->row.operation].name,
                               .src = reference_types[c->row.src].name,
                               .dst = reference_types[c->row.dst].name,
                               .mode = row_modes[c->row.mode],
                               .ndim = c->ndim};
    memcpy(row->shape, c->out_shape, sizeof c->out_shape);
    snprintf(row->note, sizeof row->note, "%s", c->row.note);
    if (rows > 1)
        snprintf(of_rows, sizeof of_rows, "%" PRId64 " rows of ", rows);
    if (c->row.placement != DENSE && c->row.operation != DEQUANTIZE)
        snprintf(row->note, sizeof row->note, "%s, %" PRId64 " entries of %s%" PRId64, c->row.note,
                 c->places.entries, of_rows, c->row.columns);
}
