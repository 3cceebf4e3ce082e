/* SPDX-License-Identifier: Apache-2.0 */
/* splitmix64, and the method of Box and Muller. */
#include "random.h"

#include <math.h>

static uint64_t next(struct example_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_uniform(struct example_random *random)
{
    return ((double)(next(random) >> 11) + 0.5) * 0x1p-53;
}

double random_normal(struct example_random *random)
{
    const double radius = sqrt(-2.0 * log(random_uniform(random)));

    return radius * cos(6.283185307179586 * random_uniform(random));
}
