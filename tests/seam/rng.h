/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of a call: its seed and its number make them, so that it can be made again alone. */
#ifndef CLQUANT_SEAM_RNG_H
#define CLQUANT_SEAM_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

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
    return (int64_t)(rng_next(rng) % (uint64_t)n);
}

/* Once in n times. */
static inline bool rng_once_in(struct rng *rng, int64_t n)
{
    return rng_below(rng, n) == 0;
}

#endif
