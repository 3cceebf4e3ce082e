/* SPDX-License-Identifier: Apache-2.0 */
/* One operator and three kernels in its place. */
#include "unfused.h"

enum { LOCAL_SIZE = 64, CPU_CHUNK_WORDS = 4096, CHUNK_WORDS = 4 };

/* Written by CMakeLists.txt from scatter.cl. */
static const char source[] = {
#include "scatter_cl.inc"
};

/* struct scatter_args of scatter.cl. */
struct scatter_args {
    cl_ulong src_at, dst_at, index_at;
    cl_ulong entries, entry_words, position_words, chunk_words, length, pairs;
};

static size_t cache_bytes(const struct call *fused)
{
    const int64_t rows = fused->places.batches * fused->places.length * call_position_rows(fused);

    return fused->offset_at + (size_t)rows * sizeof(float);
}

bool unfused_fits(const struct bench *bench, const struct call *fused)
{
    return fused->row.operation == DYNAMIC_QUANTIZE_SCATTER && fused->row.unique && fused->row.dst == I4 &&
           fused->row.calls == 1 && fused->row.placement != SLOTS &&
           cache_bytes(fused) + fused->dst_bytes <= bench->x_bytes;
}

static bool build(struct bench *bench, struct unfused *unfused)
{
    const cl_device_id device = clq_context_device(bench->context);
    const char *text = source;
    const size_t length = sizeof source;
    cl_int code = CL_SUCCESS;

    unfused->program = clCreateProgramWithSource(clq_context_cl(bench->context), 1, &text, &length, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(unfused->program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (code == CL_SUCCESS)
        unfused->kernel = clCreateKernel(unfused->program, "scatter", &code);
    return device_check(bench, "building scatter.cl", code);
}

bool unfused_init(struct bench *bench, struct unfused *unfused, struct call *fused)
{
    *unfused = (struct unfused){.fused = fused, .q_at = cache_bytes(fused)};
    unfused->scale_at = unfused->q_at + row_type_bytes(fused->row.dst, fused->rows * fused->row.columns);
    unfused->offset_at = unfused->scale_at + (size_t)fused->rows * sizeof(float);
    unfused->q = fused->y;
    unfused->q.byte_offset = unfused->q_at;
    unfused->q.shape = fused->x_shape;
    unfused->scale = fused->scales;
    unfused->scale.byte_offset = unfused->scale_at;
    unfused->scale.shape = fused->x_shape;
    unfused->offset = unfused->scale;
    unfused->offset.byte_offset = unfused->offset_at;
    unfused->desc = (struct clq_dynamic_quantize_desc){
        .x = &fused->x, .y = &unfused->q, .scales = &unfused->scale, .offsets = &unfused->offset};
    return build(bench, unfused);
}

void unfused_clear(struct unfused *unfused)
{
    if (unfused->kernel)
        clReleaseKernel(unfused->kernel);
    if (unfused->program)
        clReleaseProgram(unfused->program);
}

/* A work-item copies a chunk of an entry's words: of 4 bytes, from one place in y to another. */
static bool scatter(struct bench *bench, const struct unfused *unfused, size_t src_at, size_t dst_at,
                    size_t row_bytes, cl_event *done)
{
    const struct call *fused = unfused->fused;
    const struct places *places = &fused->places;
    const cl_ulong position_words = (cl_ulong)call_position_rows(fused) * row_bytes / sizeof(cl_uint);
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
    struct call *fused = unfused->fused;
    const struct library *library = fused->library;
    cl_event done = NULL;

    fused->indices.byte_offset = places_offset_bytes(&fused->places, fused->next++);
    if (library->dynamic_quantize(library->context, bench->queue, &unfused->desc, 0, NULL, NULL) != CLQ_OK)
        return fail(&bench->failure, STATUS_SYSTEM, "lab: %s", library->error_detail());
    return scatter(bench, unfused, unfused->q_at, 0, row_type_bytes(fused->row.dst, fused->row.columns),
                   NULL) &&
           scatter(bench, unfused, unfused->scale_at, fused->scale_at, sizeof(float), NULL) &&
           scatter(bench, unfused, unfused->offset_at, fused->offset_at, sizeof(float), &done) &&
           device_wait(bench, done);
}
