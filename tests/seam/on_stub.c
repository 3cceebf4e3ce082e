/* SPDX-License-Identifier: Apache-2.0 */
/* From a launch as the driver got it back to the one that the host described. Nothing is shared between
 * launches, for several may run at once. */
#include "on_stub.h"

#include "engine/on_engine.h"
#include "run_args.h"
#include "runtime/source.h"
#include "stub/stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *kernel, const char *sentence)
{
    fprintf(stderr, "the stub runs %s: %s\n", kernel, sentence);
    abort();
}

static bool is_plug(const char *word, size_t length)
{
    static const char *const names[CLQ__PLUGS] = {
#define NAME_OF(id, name, ...) [id] = name "=",
        CLQ__PLUG_LIST(NAME_OF)
#undef NAME_OF
    };

    for (int plug = 0; plug < CLQ__PLUGS; plug++)
        if (strlen(names[plug]) < length && strncmp(word, names[plug], strlen(names[plug])) == 0)
            return true;
    return false;
}

/* " SRC=f16" for " -D SRC=f16"; other options do not make a variant. */
static void add_plugs(struct clq__text *text, const char *options)
{
    for (const char *word = options; *word != '\0'; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");

        if (is_plug(word, length)) {
            clq__text_add(text, " ");
            clq__text_add_part(text, word, length);
        }
        word += length;
    }
}

struct search {
    const char *kernel;
    struct clq__variant found;
};

/* An exported kernel has the variant's name, and a hash behind it. */
static clq_status compare_name(void *user, const struct clq__variant *variant)
{
    struct search *search = user;
    char name[CLQ__VARIANT_BYTES];
    struct clq__text text = clq__text(name, sizeof name);

    clq__variant_kernel(variant, &text);
    if (strncmp(search->kernel, name, text.length) != 0 || search->kernel[text.length] != '_' ||
        strlen(search->kernel) != text.length + 9)
        return CLQ_OK;
    search->found = *variant;
    return CLQ_ERROR_INDEX; /* the search ends */
}

/* Of a source whose build parameters stand in it. */
static bool find_exported(const char *kernel, struct clq__variant *variant)
{
    struct search search = {.kernel = kernel};
    bool found = false;

    for (const char *at = clq__variants; *at != '\0' && !found; at += strcspn(at, "\n") + 1) {
        char line[512];

        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        found = clq__variant_each(line, compare_name, &search) == CLQ_ERROR_INDEX;
    }
    *variant = search.found;
    return found;
}

/* Which file the kernel is of is told by its name: the file's and the plugs'. */
static struct clq__variant variant_of(const struct stub_launch *stub)
{
    struct clq__variant exported;
    static const char *const files[] = {
#define FILE_OF(id, file) file,
        CLQ__KERNEL_LIST(FILE_OF)
#undef FILE_OF
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char data[CLQ__VARIANT_BYTES], name[CLQ__VARIANT_BYTES];
        struct clq__text text = clq__text(data, sizeof data), kernel = clq__text(name, sizeof name);
        struct clq__variant variant;

        clq__text_add(&text, files[i]);
        add_plugs(&text, stub->options);
        if (!clq__variant_parse(&variant, data))
            continue;
        clq__variant_kernel(&variant, &kernel);
        if (strcmp(name, stub->kernel) == 0)
            return variant;
    }
    if (find_exported(stub->kernel, &exported))
        return exported;
    fail(stub->kernel, "it is no kernel of cl/ with these options, so that nothing says what it means");
}

static bool all_zeros(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* A buffer that is an argument twice has its marks once, for no byte may be written as either. */
static void add_buffer(struct clq__launch *launch, struct memory *memory,
                       const struct stub_argument *arguments, unsigned i)
{
    for (unsigned before = 0; before < i; before++)
        if (arguments[before].buffer == arguments[i].buffer) {
            launch->buffers[i] = launch->buffers[before];
            return;
        }
    if (arguments[i].buffer == NULL)
        return;
    *memory = (struct memory){.bytes = arguments[i].buffer_bytes,
                              .size = arguments[i].size_bytes,
                              .written = calloc(arguments[i].size_bytes, 1),
                              .launch = 1};
    if (memory->written == NULL)
        fail(clq__variant_text(&launch->variant).data, "there is no memory for the marks of a buffer");
    launch->buffers[i] = (cl_mem)(void *)memory;
}

/* Buffers, and then the struct of arguments. NULL, or what is wrong with it. */
static const char *read_arguments(struct clq__launch *launch, const struct stub_launch *stub)
{
    const cl_uint last = stub->num_arguments - 1;

    if (stub->num_arguments == 0 || last > CLQ__LAUNCH_BUFFERS ||
        stub->arguments[last].kind != STUB_PARAMETER_VALUE)
        return "its arguments are not some buffers and a struct";
    for (cl_uint i = 0; i < last; i++)
        if (stub->arguments[i].kind != STUB_PARAMETER_BUFFER)
            return "a buffer is expected before the struct of arguments";
    if (stub->dims != 1 || stub->offset[0] != 0)
        return "work-items are numbered from 0 in one dimension";
    if (stub->local[0] == 0)
        return "its local size is left to the driver, and what a work-item does depends on it";
    launch->num_buffers = last;
    launch->args = stub->arguments[last].value;
    launch->args_bytes = stub->arguments[last].size_bytes;
    launch->local = stub->local[0];
    launch->groups = stub->global[0] / stub->local[0];
    return NULL;
}

static void run_kernel(const struct stub_launch *stub, void *user)
{
    struct clq__launch launch = {.variant = variant_of(stub)};
    struct memory memory[CLQ__LAUNCH_BUFFERS] = {{0}};
    struct run run;
    const char *const wrong = read_arguments(&launch, stub);

    (void)user;
    if (wrong != NULL)
        fail(clq__variant_text(&launch.variant).data, wrong);
    if (all_zeros(launch.args, launch.args_bytes)) /* a new kernel is tried so, with nothing to do */
        return;
    if (on_engine_run(stub, &launch))
        return;
    for (unsigned i = 0; i < launch.num_buffers; i++)
        add_buffer(&launch, &memory[i], stub->arguments, i);
    if (!run_args(&run, &launch))
        fail(clq__variant_text(&launch.variant).data, run.failure);
    for (unsigned i = 0; i < launch.num_buffers; i++)
        free(memory[i].written);
}

bool on_stub_install(cl_platform_id platform)
{
    const struct stub_api *const stub = stub_of(platform);

    if (stub != NULL)
        stub->run_with(run_kernel, NULL);
    return stub != NULL;
}
