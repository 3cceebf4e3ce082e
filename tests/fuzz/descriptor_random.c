/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes for the fuzz target, for compilers without libFuzzer: descriptor_random COUNT [SEED] */
#include "descriptor_call.h"

int main(int argc, char **argv)
{
    const long count = argc > 1 ? strtol(argv[1], NULL, 0) : 1000;
    const char *seed = argc > 2 ? argv[2] : getenv("CLQ_TEST_SEED");
    uint64_t state = seed ? strtoull(seed, NULL, 0) : 1;

    printf("%ld descriptors, seed %llu\n", count, (unsigned long long)state);
    fflush(stdout);
    for (long i = 0; i < count; i++) {
        uint8_t bytes[64];
        size_t size;

        for (size_t b = 0; b < sizeof(bytes); b++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[b] = (uint8_t)(state >> 56);
        }
        /* Most calls are spoiled in few places: some bytes make the call, and each change takes a few more. */
        size = target_bytes + bytes[63] % 16;
        if (bytes[62] % 8 == 0)
            size = bytes[63] % 62;
        LLVMFuzzerTestOneInput(bytes, size);
    }
    return 0;
}
