/* SPDX-License-Identifier: Apache-2.0 */
/* What a vendor's offline compiler and linker do: each kernel of a manifest is compiled apart with its own
 * options, all are linked, and the program's binary is written.
 *
 *   compiler FOLDER BINARY */
#include <CL/cl.h>
#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void fail(const char *what, const char *name, cl_int code)
{
    fprintf(stderr, "compiler: %s: %s (%d)\n", what, name, (int)code);
    exit(1);
}

static char *read_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    FILE *file;
    char *text = NULL;
    size_t size = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fail("it cannot be read", path, 0);
    size = (size_t)ftell(file);
    rewind(file);
    text = calloc(1, size + 1);
    if (text == NULL || fread(text, 1, size, file) != size)
        fail("it cannot be read", path, 0);
    fclose(file);
    return text;
}

static const char *text_of(const cJSON *kernel, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(kernel, name));

    if (text == NULL)
        fail("the manifest lacks", name, 0);
    return text;
}

static cl_program compile(cl_context context, const char *folder, const cJSON *kernel)
{
    const char *const source = read_file(folder, text_of(kernel, "file"));
    const char *text = source;
    cl_int code = CL_SUCCESS;
    const cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);

    if (program == NULL)
        fail("clCreateProgramWithSource", text_of(kernel, "file"), code);
    code = clCompileProgram(program, 0, NULL, text_of(kernel, "options"), 0, NULL, NULL, NULL, NULL);
    if (code != CL_SUCCESS)
        fail("clCompileProgram", text_of(kernel, "file"), code);
    free((char *)source);
    return program;
}

static void write_binary(cl_program program, const char *path)
{
    size_t size = 0;
    unsigned char *binary = NULL;
    FILE *file = fopen(path, "wb");

    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS ||
        (binary = malloc(size)) == NULL ||
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(unsigned char *), (void *)&binary, NULL) !=
            CL_SUCCESS)
        fail("it has no binary", path, 0);
    if (file == NULL || fwrite(binary, 1, size, file) != size || fclose(file) != 0)
        fail("it cannot be written", path, 0);
    free(binary);
}

int main(int argc, char **argv)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_int code = CL_SUCCESS;

    if (argc != 3 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        fail("usage", "compiler FOLDER BINARY, and a device", 0);
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    char *const text = read_file(argv[1], "manifest.json");
    cJSON *const manifest = cJSON_Parse(text);
    const cJSON *const kernels = cJSON_GetObjectItemCaseSensitive(manifest, "kernels"), *kernel;
    const int count = cJSON_GetArraySize(kernels);
    cl_program *const programs = calloc((size_t)count + 1, sizeof *programs);
    int compiled = 0;

    if (context == NULL || programs == NULL || count == 0)
        fail("manifest.json names no kernel, or there is no context", argv[1], code);
    cJSON_ArrayForEach(kernel, kernels) programs[compiled++] = compile(context, argv[1], kernel);
    const cl_program linked =
        clLinkProgram(context, 1, &device, NULL, (cl_uint)count, programs, NULL, NULL, &code);

    if (linked == NULL || code != CL_SUCCESS)
        fail("clLinkProgram", argv[1], code);
    write_binary(linked, argv[2]);
    printf("%d kernels\n", count);
    for (int i = 0; i < count; i++)
        clReleaseProgram(programs[i]);
    clReleaseProgram(linked);
    clReleaseContext(context);
    free(programs);
    cJSON_Delete(manifest);
    free(text);
    return 0;
}
