/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of every operator, for devices of all kinds, through check, describe and cut, and executed in
 * plain C: the bytes are the reference's. No device takes part.
 *
 *   test_seam [--seed N] [--first N] [--count N]
 *
 * The first call that is wrong is printed, with the numbers that repeat it alone. */
#include "described.h"
#include "options.h"
#include "plan/ahead.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t seed, first, count;
};

/* What the calls had of each kernel, so that a hole in the calls shows. */
struct seen {
    uint64_t launches, kernels[CLQ__KERNELS], sliced[CLQ__KERNELS], overlaps[4];
};

/* Whether a variant that is built by its name is built as this call needs it. */
static bool is_known_ahead(const struct clq__launch *launch, const struct clq__traits *traits, char *failure,
                           size_t failure_bytes)
{
    const struct clq__launch ahead = clq__launch_ahead(&launch->variant, traits);
    const bool same = ahead.num_buffers == launch->num_buffers && ahead.args_bytes == launch->args_bytes &&
                      (launch->groups == 0 || ahead.local == launch->local);

    if (!same)
        snprintf(failure, failure_bytes,
                 "%s has %u buffers, %zu bytes and groups of %zu: built by its name %u, %zu and %zu",
                 clq__variant_text(&launch->variant).data, launch->num_buffers, launch->args_bytes,
                 launch->local, ahead.num_buffers, ahead.args_bytes, ahead.local);
    return same;
}

static bool look(const struct described *described, struct seen *seen, char *failure, size_t failure_bytes)
{
    const struct clq__launch *launches[DESCRIBED_MOST_LAUNCHES];
    const unsigned count = described_launches(described, launches);
    bool good = true;

    seen->launches += count;
    for (unsigned i = 0; i < count; i++) {
        seen->kernels[launches[i]->variant.bits & 255]++;
        seen->sliced[launches[i]->variant.bits & 255] += launches[i]->slices > 1;
        good = good && is_known_ahead(launches[i], &described->traits, failure, failure_bytes);
        if (described_claims(&launches[i]->variant))
            seen->overlaps[((const struct claim_args *)launches[i]->args)->entries.overlap & 3]++;
    }
    return good;
}

static bool try_call(struct described *described, const struct options *options, uint64_t number,
                     struct seen *seen)
{
    char failure[512] = "";
    const clq_status status = described_make(described, options->seed, number, NULL, NULL);
    bool good = false;

    if (status != CLQ_OK)
        snprintf(failure, sizeof failure, "a call that is right is refused: %s", clq_error_detail());
    else
        good = described_run(described, failure, sizeof failure) &&
               look(described, seen, failure, sizeof failure);
    if (!good) {
        fprintf(stderr, "%s\n", failure);
        described_print(described);
        fprintf(stderr, "once more: test_seam --seed %" PRIu64 " --first %" PRIu64 " --count 1\n",
                options->seed, number);
    }
    described_clear(described);
    return good;
}

/* Every kernel, slices of each that numbers in 32 bits, and a table of last entries of each kind. */
static bool saw_all(const struct seen *seen)
{
    static const int slices[] = {CLQ__QUANTIZE_CL, CLQ__DEQUANTIZE_CL, CLQ__DYNAMIC_QUANTIZE_CL,
                                 CLQ__DEQUANTIZE_ROTATED_CL, CLQ__FIND_SCALES_CL};
    bool all = seen->overlaps[CLQ_OVERLAP_OWNER] > 0 && seen->overlaps[CLQ_OVERLAP_HASH] > 0;

    for (int kernel = CLQ__NO_KERNEL + 1; kernel < CLQ__KERNELS; kernel++)
        all = all && seen->kernels[kernel] > 0;
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++)
        all = all && seen->sliced[slices[i]] > 0;
    if (!all)
        fprintf(stderr, "not every kernel, slices of one, or table of last entries had a call\n");
    return all;
}

int main(int argc, char **argv)
{
    struct options options = {.seed = options_seed(), .count = 100000};
    struct seen seen = {0};
    struct described *described = malloc(sizeof *described);
    bool good = described != NULL && options_read(argc, argv,
                                                  (const struct option[]){{"--seed", &options.seed, NULL},
                                                                          {"--first", &options.first, NULL},
                                                                          {"--count", &options.count, NULL},
                                                                          {NULL, NULL, NULL}});

    if (good)
        printf("seed %" PRIu64 "\n", options.seed);
    fflush(stdout);
    for (uint64_t i = 0; i < options.count && good; i++)
        good = try_call(described, &options, options.first + i, &seen);
    if (good) {
        printf("%" PRIu64 " calls, %" PRIu64 " launches\n", options.count, seen.launches);
        good = options.count < 10000 || saw_all(&seen);
    }
    free(described);
    return good ? 0 : 1;
}
