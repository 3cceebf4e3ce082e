/* SPDX-License-Identifier: Apache-2.0 */
#include "on_engine.h"

#include "args/claim.h"
#include "args/dynamic_quantize.h"
#include "args/find_scales.h"
#include "args/move_rows.h"
#include "args/quantize.h"
#include "base/text.h"
#include "ways.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_KERNELS = 1024, PATH_BYTES = 4096, LINE_BYTES = 4 * PATH_BYTES };

/* A kernel that was compiled. */
struct loaded {
    uint64_t hash;
    void *kernel;
    void (*set_item)(size_t number);
};

static struct loaded loaded[MOST_KERNELS];
static size_t num_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Noreturn void fail(const char *kernel, const char *sentence, const char *detail)
{
    fprintf(stderr, "the engine of tests/engine runs %s: %s: %s\n", kernel, sentence, detail);
    abort();
}

/* " -DSRC=f16 -DKERNEL_NAME=…": of the driver's options those that clang takes for any target. */
static void add_definitions(struct clq__text *line, const char *options)
{
    for (const char *at = strstr(options, "-D "); at != NULL; at = strstr(at, "-D ")) {
        at += strlen("-D ");
        clq__text_add(line, " -D");
        clq__text_add_part(line, at, strcspn(at, " "));
    }
}

static void write_source(const char *path, const char *source, const char *kernel)
{
    FILE *file = fopen(path, "w");

    if (file == NULL || fputs(source, file) < 0 || fclose(file) != 0)
        fail(kernel, "its source cannot be written", path);
}

/* A library for the kernel's text, options and processor, compiled if no run before did. */
static void make_library(const struct stub_launch *stub, const struct processor_way *way, uint64_t hash,
                         char path[PATH_BYTES])
{
    const char *const folder = ENGINE_FOLDER;
    char source[PATH_BYTES], made[PATH_BYTES], data[LINE_BYTES];
    struct clq__text line = clq__text(data, sizeof data);

    snprintf(path, PATH_BYTES, "%s/%016llx.so", folder, (unsigned long long)hash);
    if (access(path, R_OK) == 0)
        return;
    snprintf(source, sizeof source, "%s/%016llx.%ld.cl", folder, (unsigned long long)hash, (long)getpid());
    snprintf(made, sizeof made, "%s/%016llx.%ld.so", folder, (unsigned long long)hash, (long)getpid());
    write_source(source, stub->source, stub->kernel);
    clq__text_format(&line, "%s/compile.sh '%s' %s %s %s '%s' '%s'", ENGINE_SOURCES, folder, way->target,
                     way->avx512 ? "avx512" : "plain", ENGINE_CHECKS, source, made);
    add_definitions(&line, stub->options);
    if (line.full || system(data) != 0)
        fail(stub->kernel, "it cannot be compiled", data);
    unlink(source);
    if (rename(made, path) != 0)
        fail(stub->kernel, "its library cannot be named", path);
}

static struct loaded load(const struct stub_launch *stub, const struct processor_way *way, uint64_t hash)
{
    struct loaded kernel = {.hash = hash};
    char path[PATH_BYTES];
    void *library, *set_item;

    make_library(stub, way, hash, path);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail(stub->kernel, "its library cannot be opened", dlerror());
    kernel.kernel = dlsym(library, stub->kernel);
    set_item = dlsym(library, "engine_set_item");
    memcpy(&kernel.set_item, &set_item, sizeof set_item);
    if (kernel.kernel == NULL || set_item == NULL)
        fail(stub->kernel, "its library lacks a function", path);
    return kernel;
}

static struct loaded find(const struct stub_launch *stub, const struct processor_way *way)
{
    uint64_t hash = clq__hash(CLQ__HASH_START, stub->source, strlen(stub->source));
    struct loaded kernel = {0};

    hash = clq__hash(hash, stub->options, strlen(stub->options));
    hash = clq__hash(hash, way->name, strlen(way->name));
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < num_loaded && kernel.kernel == NULL; i++)
        if (loaded[i].hash == hash)
            kernel = loaded[i];
    if (kernel.kernel == NULL) {
        kernel = load(stub, way, hash);
        if (num_loaded < MOST_KERNELS)
            loaded[num_loaded++] = kernel;
    }
    pthread_mutex_unlock(&lock);
    return kernel;
}

/* Clang passes a kernel's buffers as pointers, and its struct as C does. */
#define POINTERS_3 void *, void *, void *
#define POINTERS_4 POINTERS_3, void *
#define POINTERS_6 POINTERS_3, POINTERS_3
#define POINTERS_7 POINTERS_6, void *
#define POINTERS_8 POINTERS_7, void *
#define BUFFERS_3  b[0], b[1], b[2]
#define BUFFERS_4  BUFFERS_3, b[3]
#define BUFFERS_6  BUFFERS_4, b[4], b[5]
#define BUFFERS_7  BUFFERS_6, b[6]
#define BUFFERS_8  BUFFERS_7, b[7]

/* A CPU's own kernels, and the portable ones that write and read the table of last entries: only they know
 * where it has a place, so that none of them is modelled where another is compiled. X(kernel, buffers, the
 * type of its struct). */
#define COMPILED(X)                                                                                          \
    X(CLAIM, 3, claim_args)                                                                                  \
    X(CONVERT_ROWS, 6, move_rows_args)                                                                       \
    X(CPU_CLAIM, 3, claim_args)                                                                              \
    X(CPU_DEQUANTIZE, 7, quantize_args)                                                                      \
    X(CPU_DEQUANTIZE_BLOCKS, 7, dynamic_quantize_args)                                                       \
    X(CPU_DEQUANTIZE_ROTATED, 7, dynamic_quantize_args)                                                      \
    X(CPU_DYNAMIC_QUANTIZE, 8, dynamic_quantize_args)                                                        \
    X(CPU_FIND_SCALES, 4, find_scales_args)                                                                  \
    X(CPU_QUANTIZE, 7, quantize_args)                                                                        \
    X(CPU_QUANTIZE_BLOCKS, 8, dynamic_quantize_args)                                                         \
    X(CPU_QUANTIZE_RULE, 8, dynamic_quantize_args)                                                           \
    X(DYNAMIC_QUANTIZE, 8, dynamic_quantize_args)                                                            \
    X(MOVE_ROWS, 6, move_rows_args)                                                                          \
    X(QUANTIZE, 7, quantize_args)                                                                            \
    X(QUANTIZE_BLOCKS, 8, dynamic_quantize_args)                                                             \
    X(QUANTIZE_RULE, 8, dynamic_quantize_args)

static void call_kernel(enum clq__kernel number, void *kernel, void *const *b, const void *args)
{
    void (*address)(void);

    memcpy(&address, &kernel, sizeof address);
    switch (number) {
#define CALL(id, buffers, type)                                                                              \
    case CLQ__##id##_CL:                                                                                     \
        ((void (*)(POINTERS_##buffers, struct type))address)(BUFFERS_##buffers, *(const struct type *)args); \
        break;
        COMPILED(CALL)
#undef CALL
    default:
        break;
    }
}

static bool is_compiled(enum clq__kernel number)
{
    switch (number) {
#define IS_COMPILED(id, buffers, type)                                                                       \
    case CLQ__##id##_CL:                                                                                     \
        return true;
        COMPILED(IS_COMPILED)
#undef IS_COMPILED
    default:
        return false;
    }
}

bool on_engine_run(const struct stub_launch *stub, const struct clq__launch *launch)
{
    const char *name = getenv("CLQ_TEST_WAY");
    const enum clq__kernel number = (enum clq__kernel)(launch->variant.bits & 255);
    const struct processor_way *way;
    void *buffers[CLQ__LAUNCH_BUFFERS] = {NULL};
    struct loaded kernel;

    if (!stub->engine || !is_compiled(number))
        return false;
    way = name != NULL ? processor_way_named(name) : NULL;
    if (way == NULL)
        fail(stub->kernel, "CLQ_TEST_WAY names no processor of tests/engine/ways.c",
             name != NULL ? name : "");
    kernel = find(stub, way);
    for (unsigned i = 0; i < launch->num_buffers; i++)
        buffers[i] = stub->arguments[i].buffer != NULL ? stub->arguments[i].buffer_bytes : NULL;
    for (size_t item = 0; item < launch->groups * launch->local; item++) {
        kernel.set_item(item);
        call_kernel(number, kernel.kernel, buffers, launch->args);
    }
    return true;
}
