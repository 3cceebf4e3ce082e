/* SPDX-License-Identifier: Apache-2.0 */
/* All kernels come out of one program: the variants of a list are compiled apart, each with its own options,
 * and linked, as a device without a compiler has them. The program of a build is only where the driver and
 * the options that all variants share are taken from. For a process of one context.
 *
 *   linked=LIST   the list, as cl/variants.txt
 *   plugs=WORDS   what the device decides: of variants with such words, only those that say this are taken;
 *                 those of cl/cpu where it has the word cpu */
#include "layer.h"
#include "list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNITS = 64, TEXT_BYTES = 2048 };

/* Folders of kernels, without which variants name them. */
static const char *const kinds[] = {"static", "dynamic", "blocks", "find", "moves", "added"};

static cl_program linked;

static bool is_wanted(const char *variant)
{
    static const char *const names[] = {"FORM=", "ARITHMETIC="};
    const char *plugs = layer_option("plugs");

    if (plugs == NULL)
        return true;
    if (strncmp(variant, "cpu/", 4) == 0)
        return strstr(plugs, "cpu") != NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *word = strstr(variant, names[i]), *wanted = strstr(plugs, names[i]);

        if (word != NULL && (wanted == NULL || strncmp(word, wanted, strcspn(wanted, " ")) != 0))
            return false;
    }
    return true;
}

/* Appends; ends the program where a text is longer than any is. */
static void add(char *text, const char *part)
{
    if (strlen(text) + strlen(part) >= TEXT_BYTES)
        abort();
    strcat(text, part);
}

/* "quantize.cl SRC=f16 DST=i8" as "-D SRC=f16 -D DST=i8 -D KERNEL_NAME=clq_quantize_f16_i8",
 * behind what all share. */
static void options_of(char *options, const char *shared, const char *variant)
{
    char name[TEXT_BYTES] = "clq_", words[TEXT_BYTES] = "", *rest = NULL;

    add(words, variant);
    add(options, shared);
    add(options, "-I " CLQ_KERNELS);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        add(options, " -I " CLQ_KERNELS "/");
        add(options, kinds[i]);
    }
    add(name, strtok_r(words, ".", &rest));
    if (strchr(name, '/') != NULL)
        *strchr(name, '/') = '_';
    strtok_r(NULL, " ", &rest);
    for (const char *word = strtok_r(NULL, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        add(options, " -D ");
        add(options, word);
        add(name, "_");
        add(name, strchr(word, '=') + 1);
    }
    add(options, " -D KERNEL_NAME=");
    add(options, name);
}

static void print_log(cl_program program, cl_device_id device, const char *what)
{
    char log[4096] = "";

    layer_below.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n%s\n", what, log);
}

static cl_program compile(cl_context context, cl_device_id device, const char *shared, const char *variant,
                          cl_int *code)
{
    char source[TEXT_BYTES], options[TEXT_BYTES] = "";
    const char *text = source;
    cl_program unit;

    snprintf(source, sizeof source, "#include \"%.*s\"\n", (int)strcspn(variant, " "), variant);
    options_of(options, shared, variant);
    unit = layer_below.clCreateProgramWithSource(context, 1, &text, NULL, code);
    if (*code == CL_SUCCESS)
        *code = layer_below.clCompileProgram(unit, 1, &device, options, 0, NULL, NULL, NULL, NULL);
    if (*code != CL_SUCCESS && unit != NULL)
        print_log(unit, device, options);
    return unit;
}

static cl_int link_all(cl_context context, cl_device_id device, const char *shared)
{
    struct variant_list list = {0};
    cl_program units[MOST_UNITS];
    cl_uint count = 0;
    cl_int code = CL_SUCCESS;

    if (!variant_list_read(&list, layer_option("linked")))
        code = CL_INVALID_VALUE;
    for (size_t i = 0; i < list.count && code == CL_SUCCESS; i++)
        if (is_wanted(list.texts[i]) && count < MOST_UNITS)
            units[count++] = compile(context, device, shared, list.texts[i], &code);
    if (code == CL_SUCCESS)
        linked = layer_below.clLinkProgram(context, 1, &device, NULL, count, units, NULL, NULL, &code);
    if (code != CL_SUCCESS && linked != NULL)
        print_log(linked, device, "clLinkProgram");
    printf("%u units, clLinkProgram: %d\n", count, (int)code);
    for (cl_uint i = 0; i < count; i++)
        if (units[i] != NULL)
            layer_below.clReleaseProgram(units[i]);
    variant_list_clear(&list);
    return code;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *user)
{
    const char *name = strstr(options, "-D KERNEL_NAME=");
    char shared[TEXT_BYTES];
    cl_context context = NULL;
    cl_int code;

    (void)count, (void)notify, (void)user;
    if (linked != NULL)
        return CL_SUCCESS;
    snprintf(shared, sizeof shared, "%.*s", name != NULL ? (int)(name - options) : 0, options);
    code =
        layer_below.clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof(cl_context), (void *)&context, NULL);
    return code != CL_SUCCESS ? code : link_all(context, devices[0], shared);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *code)
{
    (void)program;
    return layer_below.clCreateKernel(linked, name, code);
}

void layer_place_linked(cl_icd_dispatch *above)
{
    if (layer_option("linked") != NULL) {
        above->clBuildProgram = build;
        above->clCreateKernel = create_kernel;
    }
}
