/* SPDX-License-Identifier: Apache-2.0 */
/* clquant's demonstration: activations of a model's size, or the float tensors of the user's own safetensors
 * file, quantized on the OpenCL device to int8 and to packed int4 with a scale per channel.
 *
 *   demo [FILE.safetensors] */
#include "activations.h"
#include "format.h"

#include <safetensors/safetensors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 4096, CHANNELS = 4096 };

static const struct format formats[] = {
    {"int8", {kDLInt, 8, 1}, REFERENCE_I8, 127.0f},
    {"int4", {kDLInt, 4, 1}, REFERENCE_I4, 7.0f},
};

static bool run_formats(const struct demo *demo, DLDataType dtype, const struct reference_tensor *x)
{
    bool ok = true;

    for (size_t i = 0; i < sizeof formats / sizeof *formats && ok; i++) {
        if (formats[i].type == REFERENCE_I4 && x->shape[x->rank - 1] % 2 != 0)
            printf("  int4 is left out: packed int4 needs an even last dimension\n");
        else
            ok = format_run(demo, &formats[i], dtype, x);
    }
    return ok;
}

static bool run_activations(const struct demo *demo)
{
    const int64_t shape[] = {TOKENS, CHANNELS};
    uint16_t *values = malloc((size_t)TOKENS * CHANNELS * sizeof *values);
    bool ok = false;

    if (values != NULL) {
        activations_fill(values, TOKENS, CHANNELS, 20240607);
        const struct reference_tensor x = reference_dense(REFERENCE_F16, 1, 2, shape, values);

        printf("activations: float16 %d tokens x %d channels, one channel in 200 an outlier\n", TOKENS,
               CHANNELS);
        ok = run_formats(demo, CLQ_FLOAT16, &x);
    }
    free(values);
    return ok;
}

static bool run_tensor(const struct demo *demo, const struct safetensors *file,
                       const struct safetensors_tensor *tensor, enum reference_type type,
                       struct failure *failure)
{
    const size_t bytes = (size_t)(tensor->end - tensor->begin);
    void *values = malloc(bytes);
    char shown[256];
    bool ok = values != NULL || fail(failure, STATUS_SYSTEM, "%s: out of memory", tensor->name);

    ok = ok && safetensors_read(file, tensor, 0, values, bytes, failure);
    if (ok) {
        const struct reference_tensor x = reference_dense(type, 1, (int)tensor->rank, tensor->shape, values);

        snprintf(shown, sizeof shown, "%s", tensor->name);
        tame(shown);
        printf("%s: %s, %zu dimensions, %.1f MiB\n", shown, tensor->type->name, tensor->rank,
               (double)bytes / (1 << 20));
        ok = run_formats(demo, tensor->type->dtype, &x) ||
             fail(failure, STATUS_SYSTEM, "%s failed", tensor->name);
    }
    free(values);
    return ok;
}

/* Every tensor of floats that has a last axis to give scales to. */
static bool run_file(const struct demo *demo, const char *path)
{
    struct failure failure = {0};
    struct safetensors file;
    size_t done = 0;
    bool ok = safetensors_open(&file, path, &failure);

    if (!ok) {
        complain("%s", failure.text);
        return false;
    }
    for (size_t i = 0; i < file.count && ok; i++) {
        const struct safetensors_tensor *tensor = &file.tensors[i];
        const char *name = tensor->type->name;

        if (!safetensors_type_is_float(tensor->type) || tensor->rank == 0 ||
            tensor->rank > SAFETENSORS_MAX_RANK || tensor->begin == tensor->end)
            continue;
        ok = run_tensor(demo, &file, tensor,
                        name[0] == 'B'   ? REFERENCE_BF16
                        : name[1] == '1' ? REFERENCE_F16
                                         : REFERENCE_F32,
                        &failure);
        done++;
    }
    if (ok && done == 0)
        ok = fail(&failure, STATUS_REFUSED, "%s: it has no float32, float16 or bfloat16 tensor with elements",
                  path);
    if (!ok)
        complain("%s", failure.text);
    safetensors_close(&file);
    return ok;
}

int main(int argc, char **argv)
{
    struct demo demo = {0};
    char name[256] = "", driver[128] = "";
    bool ok = false;
    clq_status status;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        printf("demo [FILE.safetensors]: quantizes the float tensors of the file, or activations of a "
               "model's size\n");
        return close_output(STATUS_DONE);
    }
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        complain("'%.200s': one file or --help is expected", argv[argc - 1]);
        return STATUS_USAGE;
    }
    status = clq_context_create(NULL, &demo.context);
    if (status == CLQ_OK)
        demo.queue =
            clCreateCommandQueue(clq_context_cl(demo.context), clq_context_device(demo.context), 0, &status);
    if (status == CLQ_OK) {
        clGetDeviceInfo(clq_context_device(demo.context), CL_DEVICE_NAME, sizeof name - 1, name, NULL);
        clGetDeviceInfo(clq_context_device(demo.context), CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL);
        printf("device: %s, driver %s\n", name, driver);
        ok = argc > 1 ? run_file(&demo, argv[1]) : run_activations(&demo);
    } else {
        fprintf(stderr, "demo: %s: %s\n", clq_status_name(status), clq_error_detail());
    }
    if (demo.queue != NULL)
        clReleaseCommandQueue(demo.queue);
    clq_context_destroy(demo.context);
    return close_output(ok ? STATUS_DONE : STATUS_REFUSED);
}
