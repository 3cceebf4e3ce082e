/* SPDX-License-Identifier: Apache-2.0 */
/* clquant's demonstration: activations of a model's size, or the float tensors of the user's own safetensors
 * file, quantized on the OpenCL device to int8 and to packed int4 with a scale per channel.
 *
 *   demo [FILE.safetensors] */
#include "demo.h"

#include <stdio.h>

enum { TOKENS = 4096, CHANNELS = 4096 };

static int help(void)
{
    printf("demo [FILE.safetensors]: quantizes the float tensors of the file, or activations\n"
           "of a model's size\n");
    return fflush(stdout) == 0 ? 0 : 3;
}

/* Activations as a language model has them: nearly normal, but for a few channels that are tens of times
 * larger in every token. Those outliers are why a scale per channel is worth its bytes. */
static void fill_activations(uint16_t *values, uint64_t seed)
{
    static double spread[CHANNELS], shift[CHANNELS];

    for (size_t c = 0; c < CHANNELS; c++) {
        const bool outlier = random_uniform(&seed) < 0.005;

        spread[c] = exp(0.4 * random_normal(&seed)) * (outlier ? 4.0 : 1.0);
        shift[c] =
            outlier ? (random_uniform(&seed) < 0.5 ? -1 : 1) * (20.0 + 40.0 * random_uniform(&seed)) : 0.0;
    }
    for (size_t i = 0; i < (size_t)TOKENS * CHANNELS; i++)
        values[i] =
            float16_of_float((float)(shift[i % CHANNELS] + spread[i % CHANNELS] * random_normal(&seed)));
}

static const struct format formats[] = {{"int8", {kDLInt, 8, 1}, 127.0f}, {"int4", {kDLInt, 4, 1}, 7.0f}};

enum { FORMATS = sizeof formats / sizeof *formats };

static bool run_formats(const struct demo *demo, const struct data *x, struct total totals[FORMATS])
{
    bool ok = true;

    for (size_t i = 0; i < FORMATS && ok; i++) {
        if (formats[i].dtype.bits == 4 && x->shape[x->rank - 1] % 2 != 0)
            printf("  int4 is left out: packed int4 needs an even last dimension\n");
        else
            ok = format_run(demo, &formats[i], x, &totals[i]);
    }
    return ok;
}

static bool run_activations(const struct demo *demo)
{
    uint16_t *values = malloc((size_t)TOKENS * CHANNELS * sizeof *values);
    const struct data x = {CLQ_FLOAT16, 2, {TOKENS, CHANNELS}, values};
    bool ok = false;

    if (values != NULL) {
        fill_activations(values, 20240607);
        printf("activations: float16 %d tokens x %d channels, one channel in 200 an outlier\n", TOKENS,
               CHANNELS);
        ok = run_formats(demo, &x, (struct total[FORMATS]){{.tensors = 0}});
    }
    free(values);
    return ok;
}

#ifdef DEMO_FILES
#include "../common/tensor_file.h"

/* In ASCII: a name from a file may hold what steers the terminal. */
static void print_tame(const char *name)
{
    for (; *name != '\0'; name++)
        if ((*name & 0xc0) != 0x80) /* of a character of several bytes, the first */
            putchar(*name >= ' ' && *name <= '~' ? *name : '?');
}

static bool run_tensor(const struct demo *demo, struct tensor_file *file, const struct tensor_entry *entry,
                       struct total totals[FORMATS])
{
    void *values = tensor_file_read(file, entry);
    struct data x = {entry->value_bytes == 4 ? CLQ_FLOAT32
                     : entry->type[0] == 'B' ? CLQ_BFLOAT16
                                             : CLQ_FLOAT16,
                     entry->rank,
                     {0},
                     values};
    bool ok = values != NULL;

    memcpy(x.shape, entry->shape, sizeof x.shape);
    if (ok) {
        print_tame(entry->name);
        printf(": %s, %d dimensions, %.1f MiB\n", entry->type, entry->rank,
               (double)entry->size_bytes / (1 << 20));
        ok = run_formats(demo, &x, totals);
    } else {
        fprintf(stderr, "demo: %s\n", file->problem);
    }
    free(values);
    return ok;
}

/* Every tensor of floats that has a last axis to give scales to. */
static bool run_file(const struct demo *demo, const char *path)
{
    struct tensor_file file;
    struct total totals[FORMATS] = {{.tensors = 0}};
    bool ok = tensor_file_open(&file, path);
    size_t done = 0;

    if (!ok)
        fprintf(stderr, "demo: %s\n", file.problem);
    for (size_t i = 0; i < file.count && ok; i++) {
        const struct tensor_entry *entry = &file.entries[i];

        if (entry->value_bytes == 0 || entry->rank == 0 || entry->rank > TENSOR_MAX_RANK ||
            entry->size_bytes == 0)
            continue;
        ok = run_tensor(demo, &file, entry, totals);
        done++;
    }
    if (ok && done == 0) {
        fprintf(stderr, "demo: %s: it has no float32, float16 or bfloat16 tensor with elements\n", path);
        ok = false;
    }
    if (ok)
        printf("in all:\n");
    for (size_t i = 0; i < FORMATS && ok; i++)
        if (totals[i].tensors > 0)
            format_print_total(&formats[i], &totals[i]);
    tensor_file_close(&file);
    return ok;
}
#else
static bool run_file(const struct demo *demo, const char *path)
{
    (void)demo;
    fprintf(stderr, "demo: '%.200s' cannot be read: this program was built without cJSON\n", path);
    return false;
}
#endif

int main(int argc, char **argv)
{
    struct demo demo = {0};
    char name[256] = "", driver[128] = "";
    bool ok = false;
    clq_status status;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return help();
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "demo: '%.200s': one file or --help is expected\n", argv[argc - 1]);
        return 2;
    }
    status = clq_context_create(NULL, &demo.context);
    if (status == CLQ_OK)
        status = clq_queue_create(demo.context, 0, &demo.queue);
    if (status == CLQ_OK) {
        clGetDeviceInfo(clq_context_device(demo.context), CL_DEVICE_NAME, sizeof name - 1, name, NULL);
        clGetDeviceInfo(clq_context_device(demo.context), CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL);
        printf("device: %s, driver %s\n", name, driver);
        printf("building kernels where this device has not had them before: some seconds\n");
        fflush(stdout);
        ok = argc > 1 ? run_file(&demo, argv[1]) : run_activations(&demo);
    } else {
        fprintf(stderr, "demo: %s: %s\n", clq_status_name(status), clq_error_detail());
    }
    clq_queue_destroy(demo.queue);
    clq_context_destroy(demo.context);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "demo: standard output cannot be written\n");
        return 3;
    }
    return ok ? 0 : 1;
}
