/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices of the stub, which have one name and differ in this: the second has no compiler.
 * What the first one built runs on it. */
#include "call.h"
#include "tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS "quantize.cl SRC=f32 DST=i8 MODE=divide PARAMS=each" /* what call.c asks for */

static const struct clq_context_desc compiles = {.device_text = "0", .flags = CLQ_CACHE_OFF},
                                     locked = {.device_text = "1", .flags = CLQ_CACHE_OFF};

static clq_context *context_of(const struct clq_context_desc *desc)
{
    clq_context *context = NULL;

    if (clq_context_create(desc, &context) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    return context;
}

/* Exported sources, one behind the other: the stub's linker. */
struct sources {
    char *text;
    size_t count;
};

static clq_status append(void *user, const struct clq_exported *exported)
{
    struct sources *sources = user;
    const size_t before = sources->text != NULL ? strlen(sources->text) : 0;

    assert_int_equal(strlen(exported->source), exported->source_bytes);
    assert_non_null(strstr(exported->source, exported->kernel));
    sources->text = realloc(sources->text, before + exported->source_bytes + 1);
    strcpy(sources->text + before, exported->source);
    sources->count++;
    return CLQ_OK;
}

/* A binary of the first device with the kernels of a text. */
static unsigned char *linked(const char *text, size_t *size)
{
    clq_context *const context = context_of(&compiles);
    const cl_device_id device = clq_context_device(context);
    struct sources sources = {0};
    unsigned char *binary = NULL;
    cl_program program;

    assert_int_equal(clq_export_variants(text, append, &sources), CLQ_OK);
    program = clCreateProgramWithSource(clq_context_cl(context), 1, (const char **)&sources.text, NULL, NULL);
    assert_int_equal(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), CL_SUCCESS);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL),
                     CL_SUCCESS);
    binary = malloc(*size);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
                     CL_SUCCESS);
    clReleaseProgram(program);
    free(sources.text);
    clq_context_destroy(context);
    return binary;
}

TEST(a_build_that_needs_a_compiler_names_the_variant)
{
    static const char *const text = "quantize.cl SRC=f16 DST=i4 MODE=divide PARAMS=one ARITHMETIC=exact";
    clq_context *const context = context_of(&locked);
    struct call_result result;

    assert_int_equal(clq_context_build(context, 1, &text), CL_COMPILER_NOT_AVAILABLE);
    assert_non_null(strstr(clq_error_detail(),
                           "quantize.cl SRC=f16 DST=i4 MODE=divide PARAMS=one FORM=group ARITHMETIC=exact "
                           "(-cl-std=CL1.2 -D KERNEL_NAME=clq_quantize_f16_i4_divide_one_group_exact "
                           "-D SRC=f16 -D DST=i4 "));
    assert_non_null(strstr(clq_error_detail(), "device \"card\" has no compiler"));
    assert_int_equal(call_in(context, &result), CL_COMPILER_NOT_AVAILABLE);
    assert_non_null(strstr(clq_error_detail(), CALLS " FORM=group"));
    assert_int_equal(result.built, 0);
    clq_context_destroy(context);
}

/* One entry, of the caller's functions. */
static void *entry;
static size_t entry_bytes;

static int get(void *user, const char *key, void **data, size_t *size)
{
    (void)user, (void)key;
    if (entry == NULL)
        return 1;
    *data = malloc(entry_bytes);
    memcpy(*data, entry, entry_bytes);
    *size = entry_bytes;
    return 0;
}

static int put(void *user, const char *key, const void *data, size_t size)
{
    (void)user, (void)key;
    free(entry);
    entry = malloc(size);
    memcpy(entry, data, size);
    entry_bytes = size;
    return 0;
}

TEST(what_was_kept_runs_without_one)
{
    struct clq_context_desc desc = {.device_text = "0", .cache_get = get, .cache_put = put};
    struct call_result result;

    assert_int_equal(single_call(&desc, &result), CLQ_OK);
    assert_non_null(entry);
    desc.device_text = "1";
    if (single_call(&desc, &result) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    assert_int_equal(result.from_cache, 1);
    ((unsigned char *)entry)[entry_bytes / 2] ^= 1;
    assert_int_equal(single_call(&desc, &result), CL_COMPILER_NOT_AVAILABLE);
    free(entry);
    entry = NULL;
}

TEST(an_added_binary_runs_without_one)
{
    static const char *const has = "quantize.cl SRC=f32 DST=i8|u8 MODE=divide PARAMS=each FORM=group",
                             *const other = "widen.cl";
    size_t size = 0, other_size = 0;
    unsigned char *const binary = linked("quantize.cl SRC=f32 DST=i8|u8 MODE=divide PARAMS=each", &size),
                         *const other_binary = linked("widen.cl", &other_size);
    clq_context *const context = context_of(&locked);
    struct call_result result;

    assert_int_equal(clq_context_add_binary(context, other_binary, other_size, 1, &other), CLQ_OK);
    assert_int_equal(call_in(context, &result), CL_COMPILER_NOT_AVAILABLE);
    if (clq_context_add_binary(context, binary, size, 1, &has) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    free(binary); /* the driver has copies */
    free(other_binary);
    if (call_in(context, &result) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    assert_int_equal(result.built, 1);
    assert_int_equal(result.from_cache, 1);
    assert_int_equal(call_in(context, &result), CLQ_OK);
    assert_int_equal(clq_context_build(context, 1, &other), CLQ_OK);
    clq_context_destroy(context);
}

/* Where there is a compiler, what the binaries lack is built. */
TEST(a_binary_comes_before_the_compiler)
{
    static const char *const other = "copy.cl";
    size_t size = 0, built = 0, there = 0;
    unsigned char *const binary = linked(CALLS, &size);
    clq_context *const context = context_of(&compiles);
    struct call_result result;

    assert_int_equal(clq_context_add_binary(context, binary, size, 0, NULL), CLQ_OK);
    assert_int_equal(call_in(context, &result), CLQ_OK);
    assert_int_equal(clq_context_build(context, 1, &other), CLQ_OK);
    clq_context_count(context, &built, &there);
    assert_int_equal(built, 2);
    assert_int_equal(there, 1);
    free(binary);
    clq_context_destroy(context);
}

static void refused(clq_context *context, const void *binary, size_t size, size_t count,
                    const char *const *texts, clq_status status, const char *says)
{
    struct call_result result;

    assert_int_equal(clq_context_add_binary(context, binary, size, count, texts), status);
    if (strstr(clq_error_detail(), says) == NULL)
        fail_msg("%s", clq_error_detail());
    if (context != NULL) /* nothing was added */
        assert_int_equal(call_in(context, &result), CL_COMPILER_NOT_AVAILABLE);
}

TEST(what_is_no_such_binary_is_refused)
{
    static const char *const missing[] = {CALLS, "quantize.cl SRC=bf16 DST=i8 MODE=divide PARAMS=each|one"},
                             *const wrong[] = {CALLS, "quantize.cl SRC=f99"}, *const none[] = {CALLS, NULL};
    size_t size = 0;
    unsigned char *const binary = linked(CALLS "\tFORM=group", &size);
    clq_context *const context = context_of(&locked);
    unsigned char *name;

    refused(NULL, binary, size, 0, NULL, CLQ_ERROR_NULL, "context is NULL");
    refused(context, NULL, size, 0, NULL, CLQ_ERROR_NULL, "binary is NULL");
    refused(context, binary, 0, 0, NULL, CLQ_ERROR_VALUE, "size_bytes is 0");
    refused(context, binary, size, 2, NULL, CLQ_ERROR_NULL, "variants is NULL: it must have 2 texts");
    refused(context, binary, size, 2, none, CLQ_ERROR_NULL, "variants[1] is NULL");
    refused(context, binary, size, 2, wrong, CLQ_ERROR_VALUE, "\"SRC=f99\" must be one of");
    refused(context, "garbage", 7, 0, NULL, CL_INVALID_BINARY,
            "binary of 7 bytes: clCreateProgramWithBinary failed");
    refused(context, binary, size, 2, missing, CLQ_ERROR_VALUE,
            "binary has no kernel clq_quantize_bf16_i8_divide_each_group_");
    assert_int_equal(clq_context_add_binary(context, binary, size, 2, missing), CLQ_ERROR_VALUE);
    assert_non_null(
        strstr(clq_error_detail(), "of \"quantize.cl SRC=bf16 DST=i8 MODE=divide PARAMS=each FORM=group"));
    /* of another version of the library: another hash */
    for (size_t i = 0; i + 40 < size; i++) {
        name = binary + i;
        if (memcmp(name, "KERNEL_NAME clq_", 16) == 0)
            name[strcspn((char *)name, "\n") - 1] ^= 1;
    }
    refused(context, binary, size, 1, missing, CLQ_ERROR_VALUE,
            "binary has no kernel clq_quantize_f32_i8_divide_each_group_");
    free(binary);
    clq_context_destroy(context);
}

struct exported_names {
    size_t count;
    char names[4000][120];
};

static clq_status keep_name(void *user, const struct clq_exported *exported)
{
    struct exported_names *seen = user;

    assert_true(strlen(exported->kernel) < sizeof seen->names[0]);
    assert_int_equal(strspn(exported->kernel, "abcdefghijklmnopqrstuvwxyz_0123456789"),
                     strlen(exported->kernel));
    assert_null(strstr(exported->source, "#include \""));
    assert_true(seen->count < sizeof seen->names / sizeof seen->names[0]);
    strcpy(seen->names[seen->count++], exported->kernel);
    return CLQ_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

TEST(no_two_kernels_have_one_name)
{
    struct exported_names *const seen = calloc(1, sizeof *seen);

    assert_int_equal(clq_export_variants(NULL, keep_name, seen), CLQ_OK);
    assert_true(seen->count > 1500);
    qsort(seen->names, seen->count, sizeof seen->names[0], by_text);
    for (size_t i = 1; i < seen->count; i++)
        assert_string_not_equal(seen->names[i - 1], seen->names[i]);
    free(seen);
}

/* The last digits are of the file's text. */
TEST(names_are_of_a_source)
{
    struct exported_names *const seen = calloc(1, sizeof *seen);
    const char *digits[2];

    assert_int_equal(clq_export_variants("claim.cl", keep_name, seen), CLQ_OK);
    assert_int_equal(clq_export_variants("copy.cl FORM=item", keep_name, seen), CLQ_OK);
    assert_int_equal(seen->count, 2);
    for (int i = 0; i < 2; i++) {
        digits[i] = strrchr(seen->names[i], '_') + 1;
        assert_int_equal(strspn(digits[i], "0123456789abcdef"), 8);
    }
    assert_string_not_equal(digits[0], digits[1]);
    free(seen);
}

static clq_status options_are(void *user, const struct clq_exported *exported)
{
    const bool divides = strstr(exported->options, "-cl-fp32-correctly-rounded-divide-sqrt") != NULL;

    assert_ptr_equal(strstr(exported->options, "-cl-std=CL1.2"), exported->options);
    assert_int_equal(divides, *(const bool *)user);
    return CLQ_OK;
}

static clq_status ends(void *user, const struct clq_exported *exported)
{
    (void)exported;
    ++*(int *)user;
    return CLQ_ERROR_SYSTEM;
}

TEST(exports_are_checked_and_ended)
{
    bool yes = true, no = false;
    int calls = 0;

    assert_int_equal(
        clq_export_variants("quantize.cl SRC=f16 DST=i8 MODE=divide PARAMS=one ARITHMETIC=native",
                            options_are, &yes),
        CLQ_OK);
    assert_int_equal(clq_export_variants("find_scales.cl SRC=f16 REDUCE=runs RANGE=finite ARITHMETIC=native",
                                         options_are, &yes),
                     CLQ_OK);
    assert_int_equal(
        clq_export_variants("cpu/quantize.cl SRC=f16 DST=i8 MODE=divide PARAMS=one", options_are, &yes),
        CLQ_OK);
    assert_int_equal(
        clq_export_variants("quantize.cl SRC=f16 DST=i8 MODE=multiply PARAMS=one", options_are, &no), CLQ_OK);
    assert_int_equal(
        clq_export_variants("quantize.cl SRC=f16 DST=i8 MODE=divide PARAMS=one ARITHMETIC=fused|exact",
                            options_are, &no),
        CLQ_OK);
    assert_int_equal(clq_export_variants("claim.cl", options_are, &no), CLQ_OK);
    assert_int_equal(clq_export_variants("copy.cl", ends, &calls), CLQ_ERROR_SYSTEM);
    assert_int_equal(calls, 1);
    assert_int_equal(clq_export_variants("copy.cl", NULL, NULL), CLQ_OK);
    assert_int_equal(clq_export_variants("copy.cl FORM=items", NULL, NULL), CLQ_ERROR_VALUE);
    assert_non_null(strstr(clq_error_detail(), "\"FORM=items\" must be one of"));
}

static clq_context *shared;
static const unsigned char *shared_binary;
static size_t shared_bytes;
static atomic_int failures;

static void *add_and_build(void *argument)
{
    static const char *const texts[] = {CALLS, "widen.cl", "copy.cl", "claim.cl"};

    if (clq_context_add_binary(shared, shared_binary, shared_bytes, 1, texts) != CLQ_OK ||
        clq_context_build(shared, 1, &texts[*(const int *)argument]) != CLQ_OK)
        failures++;
    return NULL;
}

TEST(threads_may_add_at_once)
{
    static const int numbers[] = {0, 1, 2, 3};
    struct call_result result;
    pthread_t threads[4];

    shared = context_of(&compiles);
    shared_binary = linked(CALLS, &shared_bytes);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_and_build, (void *)&numbers[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
    assert_int_equal(call_in(shared, &result), CLQ_OK);
    assert_int_equal(result.built, 4);
    assert_int_equal(result.from_cache, 1);
    clq_context_destroy(shared);
    free((void *)shared_binary);
}

TESTS_MAIN("added")
