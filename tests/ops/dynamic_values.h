/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that find their own scale: each of a kind that has something to get wrong. */
#ifndef CLQUANT_TEST_DYNAMIC_VALUES_H
#define CLQUANT_TEST_DYNAMIC_VALUES_H

#include "tensor.h"

enum row_kind {
    ROW_ORDINARY,  /* any range about any mean */
    ROW_TIES,      /* whole numbers over a range of twice the steps: every odd one is a tie */
    ROW_EQUAL,     /* no range */
    ROW_ZEROS,     /* of both signs */
    ROW_NAN,       /* one NaN */
    ROW_NANS,      /* all NaN, but perhaps for one */
    ROW_INFINITE,  /* an infinity, or one of each sign, or nothing else */
    ROW_SUBNORMAL, /* the smallest numbers of the type */
    ROW_WIDEST,    /* the largest numbers of the type: the range overflows */
    ROW_NARROW,    /* a tiny range about a large mean */
    ROW_FLOOR,     /* a range of about 15e-12 or 255e-12: the least scale, or just above it */
    ROW_SIDE, /* on one side of 0, and so small that a wrong range is a wrong scale, not one that is clamped */
    ROW_BITS, /* any bits */
    ROW_KINDS,
    ROW_MIXED = ROW_KINDS, /* each row of the next kind */
};

/* Sets the elements row by row. What stands between and around them is larger than any of them, so that a
 * range that takes it in is a wrong one. steps: 15 or 255. */
void dynamic_fill(struct tensor *x, enum row_kind kind, int steps, struct random *random);
/* A smooth scale: about 1, of both signs; now and then 0; and with `wild` a NaN or an infinity. */
void dynamic_fill_smooth(struct tensor *smooth_scale, bool wild, struct random *random);

/* 15 for an int4 output, 255 for int8, twice the largest value for float8. */
int dynamic_steps(enum reference_type type);

#endif
