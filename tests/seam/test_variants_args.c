/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of cl/variants.txt, or of a list, that the device's context asks for: its kernel does what
 * its arguments mean, in some sets of them. It is built once, by its text, and each set is of few elements.
 *
 *   test_variants_args [--list FILE] [--binary FILE] [--form item|group] [--arithmetic exact] [--only TEXT]
 *                      [--sets N] [--seed N] [--first N] [--share N]
 *
 * --binary FILE is added before anything is built.
 * --share N: one of N variants that follow one another, which one the seed says: over some runs all of them
 * come. With CLQ_ALL_VARIANTS in the environment all of them in one. */
#include "cache/files.h"
#include "on_device.h"
#include "on_stub.h"
#include "options.h"
#include "runtime/source.h"
#include "variants.h"
#include "ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
    const char *list, *binary, *form, *arithmetic, *only;
    uint64_t sets, seed, first, share;
    struct variants listed;
    struct clq__traits traits;
    struct on_device device;
    struct described *described;
    uint64_t asked, variants, calls; /* asked for by the context; those that were tried */
};

static const struct clq__launch *launch_of(const struct described *described,
                                           const struct clq__variant *variant)
{
    const struct clq__launch *launches[DESCRIBED_MOST_LAUNCHES];
    const unsigned count = described_launches(described, launches);

    for (unsigned i = 0; i < count; i++)
        if (launches[i]->variant.bits == variant->bits)
            return launches[i];
    return NULL;
}

/* A call that launches nothing else builds nothing. */
static bool is_built(const struct test *test, size_t before, char *failure, size_t failure_bytes)
{
    const struct clq__launch *launches[DESCRIBED_MOST_LAUNCHES];
    size_t after;

    clq_context_count(test->device.context, &after, NULL);
    if (after == before || described_launches(test->described, launches) > 1)
        return true;
    snprintf(failure, failure_bytes, "a call builds what was built by its text");
    return false;
}

static bool run_both(struct test *test, const struct clq__variant *variant, uint64_t number)
{
    char failure[512] = "";
    size_t before;
    bool good;

    clq_context_count(test->device.context, &before, NULL);
    good = on_device_run(&test->device, test->described, failure, sizeof failure) &&
           is_built(test, before, failure, sizeof failure) &&
           described_run(test->described, failure, sizeof failure) &&
           on_device_compare(&test->device, test->described, failure, sizeof failure);
    if (!good) {
        fprintf(stderr, "%s\n", failure);
        described_print(test->described);
        fprintf(stderr,
                "once more: test_variants_args --seed %" PRIu64 " --first %" PRIu64
                " --sets 1 --only \"%s\"\n",
                test->seed, number, clq__variant_text(variant).data);
    }
    on_device_clear(&test->device);
    return good;
}

/* A group shares a block, or what is turned of its rows. Where none is large enough items take them. */
enum { ITEMS_OF_BLOCK = 4 };

static bool is_too_large(const struct test *test, const struct clq__variant *variant)
{
    const int src = clq__variant_value(variant, CLQ__SRC), dst = clq__variant_value(variant, CLQ__DST);
    const bool blocks = (src > 0 && clq__type_is((enum clq__type)src, CLQ__BLOCKS)) ||
                        (dst > 0 && clq__type_is((enum clq__type)dst, CLQ__BLOCKS));

    return blocks && clq__variant_value(variant, CLQ__FORM) == 1 &&
           test->traits.max_group_items < ITEMS_OF_BLOCK;
}

/* By its text, whose words are in another order: calls take what is built so. */
static bool build(const struct test *test, const struct clq__variant *variant)
{
    struct clq__variant_text words = clq__variant_text(variant), turned = {""};
    const char *const text = turned.data;
    char *last;

    while ((last = strrchr(words.data, ' ')) != NULL) {
        strcat(turned.data, last);
        *last = '\0';
    }
    memmove(turned.data + strlen(words.data), turned.data, strlen(turned.data) + 1);
    memcpy(turned.data, words.data, strlen(words.data));
    if (clq_context_build(test->device.context, 1, &text) == CLQ_OK)
        return true;
    fprintf(stderr, "%s\n", clq_error_detail());
    return false;
}

/* Random calls until the kernel was launched often enough. */
static bool try_variant(struct test *test, const struct clq__variant *variant)
{
    const uint64_t most_calls = 1000 * test->sets;
    uint64_t launched = 0;
    bool good = build(test, variant);

    test->traits = clq__traits(test->device.context); /* a kernel that was built may take smaller groups */
    if (good && is_too_large(test, variant))
        return true;
    for (uint64_t i = 0; launched < test->sets && good; i++) {
        const uint64_t number = test->first + i;

        if (i == most_calls) {
            fprintf(stderr, "%" PRIu64 " calls launch %s %" PRIu64 " times\n", most_calls,
                    clq__variant_text(variant).data, launched);
            return false;
        }
        if (described_make(test->described, test->seed, number, &test->traits, variant) != CLQ_OK) {
            fprintf(stderr, "call %" PRIu64 " of seed %" PRIu64 " is right and refused: %s\n", number,
                    test->seed, clq_error_detail());
            good = false;
        } else if (launch_of(test->described, variant) != NULL) {
            launched++;
            good = run_both(test, variant, number);
        }
        described_clear(test->described);
    }
    test->calls += launched;
    test->variants++;
    return good;
}

static bool try_all(struct test *test)
{
    bool good = true;

    for (size_t i = 0; i < test->listed.count; i++) {
        const struct clq__variant *const variant = &test->listed.all[i];

        if (variant_is_asked(variant, &test->traits) &&
            (test->only == NULL || strstr(clq__variant_text(variant).data, test->only) != NULL) &&
            (test->asked++ + test->seed) % (test->share > 0 ? test->share : 1) == 0)
            good = try_variant(test, variant) && good;
    }
    printf("%" PRIu64 " variants, %" PRIu64 " calls\n", test->variants, test->calls);
    return good && test->variants > 0;
}

static bool open_device(struct test *test)
{
    struct clq_context_desc desc = {.flags = CLQ_CACHE_OFF,
                                    .build_options = processor_way_of_run()->build_options};
    cl_platform_id platform = NULL;
    cl_int code = CL_SUCCESS;
    char name[256] = "";

    if (test->form != NULL)
        desc.form = strcmp(test->form, "group") == 0 ? CLQ_FORM_GROUP : CLQ_FORM_ITEM;
    if (test->arithmetic != NULL)
        desc.arithmetic = CLQ_ARITHMETIC_EXACT;
    if (clq_context_create(&desc, &test->device.context) != CLQ_OK) {
        fprintf(stderr, "%s\n", clq_error_detail());
        return false;
    }
    test->device.queue = clCreateCommandQueue(clq_context_cl(test->device.context),
                                              clq_context_device(test->device.context), 0, &code);
    test->traits = clq__traits(test->device.context);
    clGetDeviceInfo(clq_context_device(test->device.context), CL_DEVICE_PLATFORM, sizeof platform, &platform,
                    NULL);
    on_stub_install(platform);
    clGetDeviceInfo(clq_context_device(test->device.context), CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("seed %" PRIu64 ", device %s\n", test->seed, name);
    fflush(stdout);
    return code == CL_SUCCESS;
}

static bool read_list(struct test *test)
{
    size_t size = 0;
    char *const text = test->list != NULL ? (char *)files_read(test->list, &size) : NULL;
    bool good = test->list == NULL || text != NULL;

    if (text != NULL)
        text[size] = '\0';
    good = good && variants_read(&test->listed, text != NULL ? text : clq__variants);
    if (!good)
        fprintf(stderr, "--list %s: it must be a list of variants\n", test->list);
    free(text);
    return good;
}

static bool add_binary(const struct test *test)
{
    size_t size = 0;
    unsigned char *const binary = test->binary != NULL ? files_read(test->binary, &size) : NULL;
    const bool good =
        test->binary == NULL || clq_context_add_binary(test->device.context, binary, size, 0, NULL) == CLQ_OK;

    if (!good)
        fprintf(stderr, "%s: %s\n", test->binary, clq_error_detail());
    free(binary);
    return good;
}

int main(int argc, char **argv)
{
    static struct test test = {.sets = 20, .share = 1};
    const struct option options[] = {{"--list", NULL, &test.list},   {"--binary", NULL, &test.binary},
                                     {"--form", NULL, &test.form},   {"--arithmetic", NULL, &test.arithmetic},
                                     {"--only", NULL, &test.only},   {"--sets", &test.sets, NULL},
                                     {"--seed", &test.seed, NULL},   {"--first", &test.first, NULL},
                                     {"--share", &test.share, NULL}, {NULL, NULL, NULL}};
    bool good;

    test.seed = options_seed();
    test.described = malloc(sizeof *test.described);
    good = test.described != NULL && options_read(argc, argv, options);
    if (getenv("CLQ_ALL_VARIANTS") != NULL) /* of whoever wants ctest to miss nothing */
        test.share = 1;
    good = good && read_list(&test) && open_device(&test) && add_binary(&test) && try_all(&test);
    if (test.device.queue != NULL)
        clReleaseCommandQueue(test.device.queue);
    clq_context_destroy(test.device.context);
    variants_clear(&test.listed);
    free(test.described);
    return good ? 0 : 1;
}
