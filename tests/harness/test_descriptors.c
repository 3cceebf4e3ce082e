/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls, most of them changed, on a device: those that are right leave the reference's bytes, the
 * others are refused by every function, with the sentence of a rule that they break,
 * and leave everything as it was.
 *
 *   test_descriptors [--operator NAME] [--seed N] [--first N] [--count N] */
#include "descriptor.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static struct call call;
    uint64_t seed = options_seed(), first = 0, count = 30000;
    const char *name = NULL;
    struct device device;
    const struct operator_row *op;
    bool good = options_read(argc, argv,
                             (const struct option[]){{"--operator", NULL, &name},
                                                     {"--seed", &seed, NULL},
                                                     {"--first", &first, NULL},
                                                     {"--count", &count, NULL},
                                                     {NULL, NULL, NULL}});

    op = name != NULL ? operator_find(name) : NULL;
    if (!good || (name != NULL && op == NULL) || !device_open(&device, NULL))
        return 2;
    printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    for (uint64_t i = 0; i < count && good; i++) {
        call.rng = rng_of(seed, first + i);
        good = descriptor_try(&device, &call, op);
        if (!good)
            fprintf(stderr,
                    "once more: test_descriptors --seed %" PRIu64 " --first %" PRIu64 " --count 1%s%s\n",
                    seed, first + i, op != NULL ? " --operator " : "", op != NULL ? op->name : "");
    }
    device_close(&device);
    return good ? 0 : 1;
}
