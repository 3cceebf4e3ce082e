/* SPDX-License-Identifier: Apache-2.0 */
/* Binaries that the caller adds, each with the kernels of many variants. */
#include "runtime/binary.h"

#include "base/error.h"
#include "runtime/source.h"
#include "runtime/variants.h"

/* For the added ones the first that has the kernel. */
cl_program clq__binary_find(const clq_context *context, const char *kernel)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; i < context->num_binaries; i++) {
        const cl_kernel found = clCreateKernel(context->binaries[i], kernel, &code);

        if (found != NULL) {
            clReleaseKernel(found);
            return context->binaries[i];
        }
    }
    return NULL;
}

static clq_status load(const clq_context *context, const void *binary, size_t size_bytes, cl_program *out)
{
    clq_status status = CLQ_OK;
    const unsigned char *bytes = binary;
    cl_int loaded = CL_SUCCESS;
    cl_program program =
        clCreateProgramWithBinary(context->cl, 1, &context->device.id, &size_bytes, &bytes, &loaded, &status);

    CLQ_REQUIRE(program != NULL, status, "binary of %zu bytes: clCreateProgramWithBinary failed with %s (%d)",
                size_bytes, clq_status_name(status), (int)status);
    status = clBuildProgram(program, 1, &context->device.id, NULL, NULL, NULL);
    CLQ_REQUIRE(status == CL_SUCCESS, status == CL_BUILD_PROGRAM_FAILURE ? CLQ_ERROR_BUILD : status,
                "binary of %zu bytes: clBuildProgram failed with %s (%d)", size_bytes,
                clq_status_name(status), (int)status);
    *out = program;
    program = NULL;
end:
    if (program != NULL)
        clReleaseProgram(program);
    return status;
}

static clq_status require_kernel(void *user, const struct clq__variant *variant)
{
    clq_status status = CLQ_OK;
    char file[CLQ__VARIANT_BYTES], name[CLQ__EXPORTED_BYTES];
    struct clq__text file_text = clq__text(file, sizeof file);
    cl_kernel kernel = NULL;
    char *source = NULL;
    size_t source_bytes = 0;

    clq__variant_file(variant, &file_text);
    CLQ_TRY(clq__source(file, &source, &source_bytes));
    clq__exported_name(variant, source, source_bytes, name);
    kernel = clCreateKernel(user, name, &status);
    CLQ_REQUIRE(kernel != NULL || status != CL_INVALID_KERNEL_NAME, CLQ_ERROR_VALUE,
                "binary has no kernel %s, of \"%s\": it must be made of what this version of clquant exports",
                name, clq__variant_text(variant).data);
    CLQ_REQUIRE(kernel != NULL, status, "clCreateKernel of %s failed with %s (%d)", name,
                clq_status_name(status), (int)status);
    status = CLQ_OK;
end:
    if (kernel != NULL)
        clReleaseKernel(kernel);
    free(source);
    return status;
}

/* Takes the reference, unless it fails. */
static clq_status keep(clq_context *context, cl_program program)
{
    clq_status status = CLQ_OK;
    cl_program *grown = NULL;

    pthread_mutex_lock(&context->building);
    grown = realloc(context->binaries, (context->num_binaries + 1) * sizeof *grown);
    CLQ_REQUIRE(grown != NULL, CLQ_ERROR_MEMORY, "malloc for %zu binaries failed", context->num_binaries + 1);
    context->binaries = grown;
    context->binaries[context->num_binaries++] = program;
end:
    pthread_mutex_unlock(&context->building);
    return status;
}

clq_status clq_context_add_binary(clq_context *context, const void *binary, size_t size_bytes,
                                  size_t num_variants, const char *const *variants)
{
    clq_status status = CLQ_OK;
    cl_program program = NULL;

    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_REQUIRE(binary != NULL, CLQ_ERROR_NULL, "binary is NULL: it must be a driver's binary");
    CLQ_REQUIRE(size_bytes > 0, CLQ_ERROR_VALUE, "size_bytes is 0: it must be the size of binary");
    CLQ_REQUIRE(num_variants == 0 || variants != NULL, CLQ_ERROR_NULL,
                "variants is NULL: it must have %zu texts", num_variants);
    CLQ_TRY(load(context, binary, size_bytes, &program));
    for (size_t i = 0; i < num_variants; i++) {
        CLQ_REQUIRE(variants[i] != NULL, CLQ_ERROR_NULL, "variants[%zu] is NULL: it must be a text", i);
        CLQ_TRY(clq__variants_of(context, variants[i], require_kernel, program));
    }
    CLQ_TRY(keep(context, program));
    program = NULL;
end:
    if (program != NULL)
        clReleaseProgram(program);
    return status;
}

void clq__binaries_clear(clq_context *context)
{
    while (context->num_binaries > 0)
        clReleaseProgram(context->binaries[--context->num_binaries]);
    free(context->binaries);
    context->binaries = NULL;
}
