/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of a call: its seed and its number make them, so that it can be made again alone. */
#ifndef CLQUANT_OPERATORS_RNG_H
#define CLQUANT_OPERATORS_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fuzzer's bytes are taken first, one for each choice among at most 256,
 * so that another byte is another choice. */
struct rng {
    uint64_t state;
    const uint8_t *bytes;
    size_t num_bytes;
};

static inline struct rng rng_of(uint64_t seed, uint64_t number)
{
    return (struct rng){.state = seed * 0x2545f4914f6cdd1du ^ number * 0xd1342543de82ef95u};
}

static inline bool rng_byte(struct rng *rng, uint64_t *byte)
{
    if (rng->num_bytes == 0)
        return false;
    rng->num_bytes--;
    *byte = *rng->bytes++;
    /* what follows the bytes depends on all of them, and on their order (FNV-1a; a 0 counts too) */
    rng->state = (rng->state ^ *byte) * 0x100000001b3u + 1;
    return true;
}

/* splitmix64 */
static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* From 0 to n - 1. */
static inline int64_t rng_below(struct rng *rng, int64_t n)
{
    uint64_t byte;

    if (n <= 256 && rng_byte(rng, &byte))
        return (int64_t)(byte % (uint64_t)n);
    return (int64_t)(rng_next(rng) % (uint64_t)n);
}

/* Another one, for contents: they are many, and a fuzzer's bytes are for choices. */
static inline struct rng rng_apart(struct rng *rng)
{
    return (struct rng){.state = rng_next(rng)};
}

/* Once in n times. */
static inline bool rng_once_in(struct rng *rng, int64_t n)
{
    return rng_below(rng, n) == 0;
}

#endif
