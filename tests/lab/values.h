/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of floats, and floats of every type, for the references of the peers. */
#ifndef CLQUANT_TEST_BENCH_VALUES_H
#define CLQUANT_TEST_BENCH_VALUES_H

#include "peer.h"

#include <stdint.h>

uint32_t bits_of(float value);
float float_of(uint32_t bits);

/* Element i of an array of that type. */
float element_of(enum peer_src src, const void *array, size_t i);

#endif
