/* SPDX-License-Identifier: Apache-2.0 */
/* Activations as a language model has them: nearly normal, but for a few channels that are tens of times
 * larger in every token. Those outliers are why a scale per channel is worth its bytes. */
#ifndef CLQ_DEMO_ACTIVATIONS_H
#define CLQ_DEMO_ACTIVATIONS_H

#include <stddef.h>
#include <stdint.h>

/* Fills tokens x channels float16 values, the same ones for the same seed. */
void activations_fill(uint16_t *values, size_t tokens, size_t channels, uint64_t seed);

#endif
