/* SPDX-License-Identifier: Apache-2.0 */
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
    return code == CL_SUCCESS || operator_fail_cl(piece->call, "clEnqueueMapBuffer", code);
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
    return code == CL_SUCCESS || operator_fail_cl(piece->call, "clEnqueueUnmapMemObject", code);
}

static bool upload_piece(const struct piece *piece, const struct safetensors *file,
                         const struct safetensors_tensor *source)
{
    void *bytes = NULL;
    bool ok = false;

    if (!map(piece, CL_MAP_WRITE_INVALIDATE_REGION, &bytes))
        return false;
    ok = safetensors_read(file, source, piece->begin, bytes, piece->size_bytes, piece->call->failure);
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

/* source: the tensor of the file to upload; NULL downloads. */
static bool transfer(struct operator_call *call, const DLTensor *tensor, const char *what,
                     const struct safetensors *file, const struct safetensors_tensor *source)
{
    struct piece piece = {.call = call, .tensor = tensor};
    size_t total = 0;
    clq_status status = clq_tensor_size_bytes(tensor, &total);

    if (status != CLQ_OK)
        return operator_fail(call, what, status);
    for (; piece.begin < total; piece.begin += piece.size_bytes) {
        piece.size_bytes = total - piece.begin < PIECE_BYTES ? total - piece.begin : PIECE_BYTES;
        progress_show(&call->progress, what, piece.begin, total);
        if (!(source ? upload_piece(&piece, file, source) : download_piece(&piece)))
            return false;
    }
    return true;
}

static bool create(struct operator_call *call, const char *name, DLTensor *view, DLManagedTensor **tensor)
{
    clq_status status = clq_tensor_create(call->context, view->dtype, view->ndim, view->shape, tensor);

    if (status != CLQ_OK)
        return operator_fail(call, name, status);
    view->data = (*tensor)->dl_tensor.data;
    return true;
}

bool operator_upload(struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS; i++) {
        const char *name = call->op->inputs[i].name;
        char what[64];

        if (!call->sources[i])
            continue;
        snprintf(what, sizeof what, "reading %s", name);
        if (!create(call, name, &call->input_views[i], &call->inputs[i]) ||
            !transfer(call, operator_input(call, i), what, call->source_files[i], call->sources[i]))
            return false;
    }
    for (size_t i = 0; i < call->output_count; i++) {
        struct operator_output *output = &call->outputs[i];

        if (!output->in_place && !create(call, output->name, &output->view, &output->tensor))
            return false;
    }
    return true;
}

/* The record in front of the inputs' metadata, which goes along. */
static char *merge_metadata(const struct operator_call *call)
{
    struct safetensors *files = calloc(call->file_count + 1, sizeof *files);
    char *metadata = NULL;

    if (!files)
        return NULL;
    files[0].metadata = operator_record_metadata(call);
    for (size_t i = 0; i < call->file_count; i++)
        files[i + 1].metadata = call->files[i].metadata;
    if (files[0].metadata)
        safetensors_merge_metadata(files, call->file_count + 1, &metadata);
    free(files[0].metadata);
    free(files);
    return metadata;
}

/* The header is made before the work: it may be too large for the format. */
bool operator_describe(struct operator_call *call)
{
    char *metadata = NULL;

    for (size_t i = 0; i < call->output_count; i++) {
        struct safetensors_tensor *tensor = &call->out_tensors[i];

        tensor->type = operator_file_type(call->outputs[i].dtype);
        tensor->rank = (size_t)call->outputs[i].rank;
        memcpy(tensor->shape, call->outputs[i].shape, sizeof tensor->shape);
        if (operator_is_block(call->outputs[i].dtype)) /* the file counts bytes */
            tensor->shape[tensor->rank - 1] *= call->outputs[i].dtype.lanes;
    }
    metadata = merge_metadata(call);
    if (metadata)
        call->header =
            safetensors_describe(call->out_tensors, call->output_count, metadata, &call->header_bytes);
    free(metadata);
    if (!call->header)
        return fail(call->failure, STATUS_SYSTEM, "%s: no memory for its header", call->out_path);
    if (call->header_bytes - SAFETENSORS_LENGTH_BYTES > SAFETENSORS_MAX_HEADER_BYTES)
        return fail(
            call->failure, STATUS_REFUSED,
            "%s: its header would have %zu bytes with the __metadata__ of %s: the format has room for %d",
            call->out_path, call->header_bytes - SAFETENSORS_LENGTH_BYTES, call->in_text,
            SAFETENSORS_MAX_HEADER_BYTES);
    return true;
}

/* In pieces: of 2 GiB and more, NVIDIA's driver (580.159) never ends a fill with a byte. */
static cl_int clear_bytes(cl_command_queue queue, cl_mem buffer, size_t at, size_t size_bytes)
{
    const size_t piece = (size_t)1 << 30;
    const cl_uchar zero = 0;
    cl_int code = CL_SUCCESS;

    for (size_t done = 0; done < size_bytes && code == CL_SUCCESS; done += piece) {
        const size_t left = size_bytes - done;

        code = clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, at + done, left < piece ? left : piece,
                                   0, NULL, NULL);
    }
    return code;
}

clq_status operator_clear_outputs(struct operator_call *call)
{
    clq_status status = CLQ_OK;

    for (size_t i = 0; i < call->output_count && status == CLQ_OK; i++) {
        const DLTensor *output = operator_output(call, i);
        size_t size_bytes = 0;

        status = clq_tensor_size_bytes(output, &size_bytes);
        if (status == CLQ_OK)
            status = clear_bytes(call->queue, output->data, output->byte_offset, size_bytes);
    }
    return status;
}

/* The tensors are written in the order of their places, which is not that of the outputs. */
bool operator_download(struct operator_call *call)
{
    const struct safetensors_tensor *tensors = call->out_tensors;
    bool written[OPERATOR_MAX_OUTPUTS] = {false};

    if (!output_file_write(&call->out, call->header, call->header_bytes, call->failure))
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
        if (!transfer(call, operator_output(call, next), what, NULL, NULL))
            return false;
    }
    return true;
}

clq_status operator_report(struct operator_call *call, cl_mem *report)
{
    static const struct clq_report none = {0};
    const int64_t size_bytes[] = {sizeof none};
    clq_status status = clq_tensor_create(call->context, CLQ_UINT8, 1, size_bytes, &call->report);

    if (status != CLQ_OK)
        return status;
    *report = call->report->dl_tensor.data;
    return clq_tensor_write(call->queue, &call->report->dl_tensor, CL_TRUE, &none, sizeof none, 0, NULL,
                            NULL);
}
