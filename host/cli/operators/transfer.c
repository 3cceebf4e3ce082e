/* Tensors between files and the device, in pieces: the file's bytes go straight into mapped device memory, so
 * that the host holds no copy of a large tensor. */
#include "operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 16 << 20 };

struct piece {
    struct operator_call *call;
    const DLTensor *tensor;
    uint64_t begin;
    size_t size_bytes;
};

static bool map(const struct piece *piece, cl_map_flags flags, void **bytes)
{
    cl_int code = CL_SUCCESS;

    *bytes = clEnqueueMapBuffer(piece->call->queue, piece->tensor->data, CL_TRUE, flags,
                                piece->tensor->byte_offset + piece->begin, piece->size_bytes, 0, NULL, NULL,
                                &code);
    return code == CL_SUCCESS || operator_fail(piece->call, "clEnqueueMapBuffer", code);
}

/* Waits, by event: not every driver's clFinish does. */
static bool unmap(const struct piece *piece, void *bytes)
{
    cl_event done = NULL;
    cl_int code = clEnqueueUnmapMemObject(piece->call->queue, piece->tensor->data, bytes, 0, NULL, &done);

    if (code == CL_SUCCESS) {
        code = clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    return code == CL_SUCCESS || operator_fail(piece->call, "clEnqueueUnmapMemObject", code);
}

static bool upload_piece(const struct piece *piece, const struct safetensors_tensor *source)
{
    void *bytes = NULL;
    bool ok = false;

    if (!map(piece, CL_MAP_WRITE_INVALIDATE_REGION, &bytes))
        return false;
    ok = safetensors_read(&piece->call->file, source, piece->begin, bytes, piece->size_bytes,
                          piece->call->failure);
    return unmap(piece, bytes) && ok;
}

static bool download_piece(const struct piece *piece)
{
    void *bytes = NULL;
    bool ok = false;

    if (!map(piece, CL_MAP_READ, &bytes))
        return false;
    ok = output_file_write(&piece->call->out, bytes, piece->size_bytes, piece->call->failure);
    return unmap(piece, bytes) && ok;
}

/* source: the tensor to upload; NULL downloads. */
static bool transfer(struct operator_call *call, const DLTensor *tensor, const char *what,
                     const struct safetensors_tensor *source)
{
    struct piece piece = {.call = call, .tensor = tensor};
    size_t total = 0;
    clq_status status = clq_tensor_size_bytes(tensor, &total);

    if (status != CLQ_OK)
        return operator_fail(call, what, status);
    for (; piece.begin < total; piece.begin += piece.size_bytes) {
        piece.size_bytes = total - piece.begin < PIECE_BYTES ? total - piece.begin : PIECE_BYTES;
        progress_show(&call->progress, what, piece.begin, total);
        if (!(source ? upload_piece(&piece, source) : download_piece(&piece)))
            return false;
    }
    return true;
}

static bool create(struct operator_call *call, const char *name, DLDataType dtype, int rank,
                   const int64_t *shape, DLManagedTensor **tensor)
{
    clq_status status = clq_tensor_create(call->context, dtype, rank, shape, tensor);

    return status == CLQ_OK || operator_fail(call, name, status);
}

bool operator_upload(struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS; i++) {
        const struct safetensors_tensor *source = call->sources[i];
        char what[64];

        if (!source)
            continue;
        snprintf(what, sizeof what, "reading %s", call->op->inputs[i].name);
        if (!create(call, call->op->inputs[i].name, call->dtypes[i], (int)source->rank, source->shape,
                    &call->inputs[i]) ||
            !transfer(call, operator_input(call, i), what, source))
            return false;
    }
    for (size_t i = 0; i < call->output_count; i++) {
        struct operator_output *output = &call->outputs[i];

        if (output->in_place)
            continue;
        if (!create(call, output->name, output->dtype, output->rank, output->shape, &output->tensor))
            return false;
    }
    return true;
}

/* An int4 tensor is a U8 or an I32 in the file, of the same bytes. */
static const struct safetensors_type *file_type_of(DLDataType dtype)
{
    const unsigned bits = (unsigned)dtype.bits * dtype.lanes;

    if (dtype.lanes > 1)
        return safetensors_type_find(bits == 8 ? "U8" : "I32");
    return safetensors_type_of(dtype);
}

static bool write_header(struct operator_call *call, struct safetensors_tensor *tensors)
{
    size_t size_bytes = 0;
    char *header = NULL;
    char *metadata = NULL;
    bool ok = false;

    for (size_t i = 0; i < call->output_count; i++) {
        tensors[i].name = (char *)call->outputs[i].name;
        tensors[i].type = file_type_of(call->outputs[i].dtype);
        tensors[i].rank = (size_t)call->outputs[i].rank;
        memcpy(tensors[i].shape, call->outputs[i].shape, sizeof tensors[i].shape);
    }
    if (safetensors_merge_metadata(&call->file, 1, &metadata))
        header = safetensors_describe(tensors, call->output_count, metadata, &size_bytes);
    free(metadata);
    if (!header)
        return fail(call->failure, STATUS_SYSTEM, "%s: no memory for its header", call->out_path);
    ok = output_file_write(&call->out, header, size_bytes, call->failure);
    free(header);
    return ok;
}

/* The tensors are written in the order of their places, which is not that of the outputs. */
bool operator_download(struct operator_call *call)
{
    struct safetensors_tensor tensors[OPERATOR_MAX_OUTPUTS] = {{0}};
    bool written[OPERATOR_MAX_OUTPUTS] = {false};

    if (!write_header(call, tensors))
        return false;
    for (size_t n = 0; n < call->output_count; n++) {
        size_t next = OPERATOR_MAX_OUTPUTS;
        char what[64];

        for (size_t i = 0; i < call->output_count; i++)
            if (!written[i] &&
                (next == OPERATOR_MAX_OUTPUTS || tensors[i].begin < tensors[next].begin ||
                 (tensors[i].begin == tensors[next].begin && tensors[i].end < tensors[next].end)))
                next = i;
        written[next] = true;
        snprintf(what, sizeof what, "writing %s", call->outputs[next].name);
        if (!transfer(call, operator_output(call, next), what, NULL))
            return false;
    }
    return true;
}
