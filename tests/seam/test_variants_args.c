/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of a list that the device's context asks for: its kernel does what its arguments mean, in
 * some sets of them. The kernels are compiled once, and each set is of few elements.
 *
 *   test_variants_args --list cl/variants.txt [--form item|group] [--arithmetic exact] [--only TEXT] [--sets
 *                      N] [--seed N] [--first N] [--share N]
 *
 * --share N: one of N variants that follow one another, which one the seed says: over some runs all of them
 * come. With CLQ_ALL_VARIANTS in the environment all of them in one. */
#include "list.h"
#include "on_device.h"
#include "on_stub.h"
#include "options.h"
#include "ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
    const char *list, *form, *arithmetic, *only;
    uint64_t sets, seed, first, share;
    struct variant_list texts;
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

static bool run_both(struct test *test, const struct clq__variant *variant, uint64_t number)
{
    char failure[512] = "";
    const bool good = on_device_run(&test->device, test->described, failure, sizeof failure) &&
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

/* Random calls until the kernel was launched often enough. */
static bool try_variant(struct test *test, const struct clq__variant *variant)
{
    const uint64_t most_calls = 1000 * test->sets;
    const struct clq__variant_text words = clq__variant_text(variant);
    const char *const text = words.data;
    uint64_t launched = 0;
    bool good = clq_context_build(test->device.context, 1, &text) == CLQ_OK;

    if (!good)
        fprintf(stderr, "%s\n", clq_error_detail());
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

/* What the context makes of a call for this kernel with the variant's own plugs. */
static struct clq__variant asked_for(const struct test *test, enum clq__kernel kernel,
                                     const struct clq__variant *variant)
{
    struct clq__variant asked;

    clq__variant_begin(&asked, kernel);
    for (enum clq__plug plug = CLQ__SRC; plug < CLQ__FORM; plug++)
        if (clq__variant_value(variant, plug) >= 0)
            clq__variant_define(&asked, plug, (unsigned)clq__variant_value(variant, plug));
    clq__variant_end(&asked, &test->traits);
    return asked;
}

/* Whether the context asks for it: in the device's form and arithmetic,
 * and where it has a kernel of its own, that one. */
static bool is_ours(const struct test *test, const struct clq__variant *variant)
{
    const int form = clq__variant_value(variant, CLQ__FORM);
    struct clq__variant widen;

    for (enum clq__kernel kernel = CLQ__NO_KERNEL + 1; kernel < CLQ__KERNELS; kernel++)
        if (asked_for(test, kernel, variant).bits == variant->bits)
            return true;
    switch ((enum clq__kernel)(variant->bits & 255)) {
    case CLQ__CLAIM_CL:
    case CLQ__PLACES_CL:
    case CLQ__CONVERT_ROWS_CL:
    case CLQ__MOVE_ROWS_CL:
    case CLQ__COPY_CL: /* every device's, in its form at most */
        return form < 0 || form == test->traits.group_form;
    case CLQ__WIDEN_CL:
        clq__variant_begin(&widen, CLQ__WIDEN_CL);
        clq__variant_end_arithmetic(&widen, &test->traits);
        return widen.bits == variant->bits;
    default:
        return false;
    }
}

static bool try_all(struct test *test)
{
    bool good = true;

    for (size_t i = 0; i < test->texts.count; i++) {
        struct clq__variant variant;

        if (!clq__variant_parse(&variant, test->texts.texts[i])) {
            fprintf(stderr, "%s is no variant\n", test->texts.texts[i]);
            return false;
        }
        if (is_ours(test, &variant) &&
            (test->only == NULL || strstr(test->texts.texts[i], test->only) != NULL) &&
            (test->asked++ + test->seed) % (test->share > 0 ? test->share : 1) == 0)
            good = try_variant(test, &variant) && good;
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

int main(int argc, char **argv)
{
    static struct test test = {.sets = 20, .share = 1};
    const struct option options[] = {{"--list", NULL, &test.list},
                                     {"--form", NULL, &test.form},
                                     {"--arithmetic", NULL, &test.arithmetic},
                                     {"--only", NULL, &test.only},
                                     {"--sets", &test.sets, NULL},
                                     {"--seed", &test.seed, NULL},
                                     {"--first", &test.first, NULL},
                                     {"--share", &test.share, NULL},
                                     {NULL, NULL, NULL}};
    bool good;

    test.seed = options_seed();
    test.described = malloc(sizeof *test.described);
    good = test.described != NULL && options_read(argc, argv, options);
    if (getenv("CLQ_ALL_VARIANTS") != NULL) /* of whoever wants ctest to miss nothing */
        test.share = 1;
    if (good && (test.list == NULL || !variant_list_read(&test.texts, test.list))) {
        fprintf(stderr, "--list is %s: it must be a list of variants\n",
                test.list != NULL ? test.list : "left out");
        good = false;
    }
    good = good && open_device(&test) && try_all(&test);
    if (test.device.queue != NULL)
        clReleaseCommandQueue(test.device.queue);
    clq_context_destroy(test.device.context);
    variant_list_clear(&test.texts);
    free(test.described);
    return good ? 0 : 1;
}
