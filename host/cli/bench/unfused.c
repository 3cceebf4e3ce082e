/* SPDX-License-Identifier: Apache-2.0 */
/* One operator and three kernels in their place. */
#include "unfused.h"

#include "device_program.h"

enum { LOCAL_SIZE = 64, CPU_CHUNK_WORDS = 4096, CHUNK_WORDS = 4 };

/* struct scatter_args of bench.cl. */
struct scatter_args {
    cl_ulong src_at, dst_at, index_at;
    cl_ulong entries, entry_words, position_words, chunk_words, length, pairs;
};

static size_t in_between_bytes(const struct dynamic_case *fused)
{
    return dynamic_dst_bytes(fused);
}

bool unfused_fits(const struct bench *bench, const struct dynamic_case *fused)
{
    return fused->size_bytes + in_between_bytes(fused) <= bench->x_bytes;
}

bool unfused_init(struct bench *bench, struct unfused *unfused, struct dynamic_case *fused)
{
    const size_t q_bytes = peer_dst_bytes(fused->dst, fused->rows * (size_t)fused->columns);

    *unfused = (struct unfused){.fused = fused, .q_at = fused->size_bytes};
    unfused->scale_at = unfused->q_at + q_bytes;
    unfused->offset_at = unfused->scale_at + fused->rows * sizeof(float);
    unfused->q = fused->q;
    unfused->q.byte_offset = unfused->q_at;
    unfused->q.shape = fused->updates_shape;
    unfused->scale = fused->scale;
    unfused->scale.byte_offset = unfused->scale_at;
    unfused->scale.shape = fused->updates_shape;
    unfused->offset = unfused->scale;
    unfused->offset.byte_offset = unfused->offset_at;
    unfused->desc = (struct clq_dynamic_quantize_desc){
        .x = &fused->x, .y = &unfused->q, .scales = &unfused->scale, .offsets = &unfused->offset};
    return device_kernel(bench, "scatter", 1, 1, 1, &unfused->kernel);
}

void unfused_clear(struct unfused *unfused)
{
    if (unfused->kernel)
        clReleaseKernel(unfused->kernel);
}

/* A work-item copies a chunk of an entry's words: of 4 bytes, from one place in y to another. */
static bool scatter(struct bench *bench, const struct unfused *unfused, size_t src_at, size_t dst_at,
                    size_t row_bytes, cl_event *done)
{
    const struct dynamic_case *fused = unfused->fused;
    const struct places *places = &fused->places;
    const cl_ulong position_words = (cl_ulong)fused->heads * row_bytes / sizeof(cl_uint);
    const struct scatter_args args = {.src_at = src_at / sizeof(cl_uint),
                                      .dst_at = dst_at / sizeof(cl_uint),
                                      .index_at = fused->indices.byte_offset / sizeof(cl_int),
                                      .entries = (cl_ulong)places->entries,
                                      .entry_words = (cl_ulong)places->update_length * position_words,
                                      .position_words = position_words,
                                      .chunk_words = bench->pool ? CPU_CHUNK_WORDS : CHUNK_WORDS,
                                      .length = (cl_ulong)places->length,
                                      .pairs = places->pairs};
    const size_t chunks = (size_t)((args.entry_words + args.chunk_words - 1) / args.chunk_words);
    const size_t local = LOCAL_SIZE, global = ((size_t)args.entries * chunks + local - 1) / local * local;
    cl_int code = clSetKernelArg(unfused->kernel, 0, sizeof(cl_mem), &bench->y);

    if (code == CL_SUCCESS)
        code = clSetKernelArg(unfused->kernel, 1, sizeof(cl_mem), &bench->y);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(unfused->kernel, 2, sizeof(cl_mem), &places->buffer);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(unfused->kernel, 3, sizeof args, &args);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(bench->queue, unfused->kernel, 1, NULL, &global, &local, 0, NULL, done);
    return device_check(bench, "a plain scatter", code);
}

bool unfused_run(struct bench *bench, void *self)
{
    const struct unfused *unfused = self;
    struct dynamic_case *fused = unfused->fused;
    cl_event done = NULL;

    fused->indices.byte_offset = places_offset_bytes(&fused->places, fused->next++);
    if (clq_dynamic_quantize(bench->context, bench->queue, &unfused->desc, 0, NULL, NULL) != CLQ_OK)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
    return scatter(bench, unfused, unfused->q_at, 0, peer_dst_bytes(fused->dst, (size_t)fused->columns),
                   NULL) &&
           scatter(bench, unfused, unfused->scale_at, fused->scale_at, sizeof(float), NULL) &&
           scatter(bench, unfused, unfused->offset_at, fused->offset_at, sizeof(float), &done) &&
           device_wait(bench, done);
}
