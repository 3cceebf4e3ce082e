/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that the calls of several operators share, decided a second time. */
#ifndef CLQUANT_FUZZ_DESCRIPTOR_RULES_H
#define CLQUANT_FUZZ_DESCRIPTOR_RULES_H

#include "descriptor_call.h"

/* The tensors of a call. Sets of them have a bit each. */
struct tensors {
    struct slot *slot;
    struct shape *shape;
    int count;
    unsigned optional, written;
};
/* Each is there, or may be absent, and is right by itself; what is written does not overlap itself. */
bool are_tensors(const struct tensors *t, const unsigned *types);
/* With elements. */
bool is_there(const struct tensors *t, int i);
/* Each that is there fits into its buffer, and what is written shares no bytes with any other. */
bool have_memory(const struct tensors *t);
/* Those that were given, as the reference takes them, and their addresses: NULL for the others. */
void references_of(const struct tensors *t, struct reference_tensor *made,
                   const struct reference_tensor **at);

bool all_zero(const uint64_t reserved[4]);
bool same_shape(const struct shape *a, const struct shape *b);
/* Of the other's shape less its last dimension. */
bool is_per_row(const struct shape *s, const struct shape *rows);
/* One element, or one per index of the other's last dimension, in any shape. */
bool is_along_last(const struct shape *s, const struct shape *x);
/* The dimension that a descriptor's axis means, left_out where it is 0; outside [0, rank) where there is none. */
int axis_at(int32_t axis, int left_out, int rank);
/* Scales and zero points of x (NULL: none): each one element, or one per index of the axis. */
bool parameters_agree(const struct shape *scales, const struct shape *zero_points, const struct shape *x,
                      int axis);

#endif
