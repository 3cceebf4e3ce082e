/* SPDX-License-Identifier: Apache-2.0 */
/* A call's tensors once its operator has checked them: all that the rest of its road knows of them. */
#ifndef CLQ_PLAN_BELONGS_CHECKED_CALL_H
#define CLQ_PLAN_BELONGS_CHECKED_CALL_H

#include "base/view.h"
#include "plan/belongs/placement.h"

#include <stdbool.h>

/* A kernel's share of a dimension that is cut: `blocks` of `size` indices each, from index `first` on. The
 * rest behind whole blocks is one more. */
struct clq__range {
    int64_t first, size, blocks;
};

/* A kernel's share of x: of the axis, and of the dimension in front of it. One that is not cut has no
 * blocks. */
struct clq__ranges {
    struct clq__range axis, before;
};
#define CLQ__MOST_RANGES 4 /* whole blocks of both, and the rest of either */

/* The names that a public call gives its tensors, for sentences. All others have the same name in every call.
 * Rows that move have no scales: theirs are the names of dst's indices, and of what dst begins as. */
struct clq__names {
    const char *x, *y, *scales, *zero_points;
    /* As documented: scales are never broadcast by their shape, and found ones are float32. */
    bool documented;
    bool plain_offsets; /* found offsets are off, and not -off */
};

/* Scales or zero points, and which of them belongs to an element of x. */
struct clq__parameter {
    struct clq__view view; /* view.tensor is NULL where there is none */
    /* In memory, from one index of a dimension of x to the next; 0 where all of them share. */
    int64_t stride[CLQ__MAX_RANK];
    /* Indices of a dimension of x that follow one another and share one, where its stride leads from one
     * block of them to the next; else 1. */
    int64_t block[CLQ__MAX_RANK];
    int64_t row_stride; /* of groups, from one group's scales to the next's */
    bool flatten;       /* along the last dimension, but its elements do not lie at one stride */
};

/* How the scales of blocks are found. */
struct clq__scale_rule {
    uint32_t kind; /* enum clq_rule; 0: by no rule */
    float least;   /* a largest magnitude below it counts as it */
};

/* Which flags a work may have, by what it is; 1: always.
 *
 *                                          divide  round_first  back  add  placed  found  apart  smooth_rows
 *   quantize, its groups and its scatter     x         x
 *   dequantize, divide or multiply           x                    1
 *   dequantize, dynamic                                           1     1     1             x
 *   dynamic rows and their scatter                                            1             x         x
 *     the values, once scales are found                                              1      1         x
 *   find_scales                              x
 */
struct clq__checked_call {
    const struct clq__names *names;
    struct clq__view x, y;                   /* floats, and what is quantized; of clq_find_scales x alone */
    struct clq__parameter scale, zero_point; /* of dynamic rows zero_point is the offset */
    struct clq__placement placement;
    int axis;             /* of x, that scales are by, or that is cut into blocks */
    int64_t block;        /* indices of the axis in a block that has its own; 0 where there are no blocks */
    int64_t block_before; /* of the dimension in front of the axis, likewise */
    bool divide;          /* by the scale; else multiply */

    struct clq__view input; /* what y begins as, and is copied from first; absent where it is none */

    /* static quantization */
    bool round_first; /* a value is rounded before its zero point is added */
    bool back;        /* from y to x */
    bool add;         /* back: the zero point is added, else subtracted, or as by_both says */
    bool by_both;     /* back: the zero point is a scale too, of blocks, and the scale is of all of y */
    bool placed;      /* scale and zero_point lie beside y: entries place them with it */
    /* The scales are what dynamic quantization found: x is multiplied by 1 / scale, and the zero point, which
     * is an offset, subtracted. */
    bool found;

    /* dynamic quantization: the rows are x's last dimension */
    struct clq__view smooth;     /* absent where there is none */
    bool smooth_rows;            /* one for each index of the second-to-last dimension, else of the last */
    struct clq__scale_rule rule; /* of blocks that find their scales by one */
    /* From the first to the second scale of two blocks, where they lie in pairs and scale.stride leads along
     * the axis from pair to pair; 0: they do not. */
    int64_t scale_pair;
    struct clq__view global_scale; /* of such a rule; absent where there is none */
    uint32_t rotate;               /* neighbours of a row that are turned, or turned back; 0: none */
    float top; /* what the largest magnitude of a row becomes; 0: the type's largest value */
    /* The values of one scale are not one run of a row, so a pass finds the scales before rows are
     * quantized. Then by_quotient: x is divided by the scale, which may be 0, and NaN and infinities set
     * none, up to most_scale; cuts_gaps: of words with gaps, in which blocks begin. */
    bool scales_first, by_quotient, cuts_gaps;
    float most_scale;

    /* clq_move_rows: x to y, by entries of `placement` or of `source`, or of both. */
    struct clq__placement source; /* where entries come from */
    bool in_place;                /* x and y share bytes */
    bool unique;                  /* no place is written twice, nor both read and written */

    /* clq_find_scales */
    enum clq__type type; /* of what x is to be quantized to */
    uint32_t method;
};

/* Sets the values that most calls have: all but the tensors, which an operator's check sets. */
void clq__checked_init(struct clq__checked_call *checked, const struct clq__names *names);

/* The tensor that y begins as a copy of, once y is checked; NULL: there is none. */
clq_status clq__check_input(struct clq__checked_call *checked, const DLTensor *input);

/* Once y's type is known. */
clq_status clq__check_round_first(struct clq__checked_call *checked, uint32_t round_first);

/* The number that the largest magnitude becomes, or asymmetric the largest value. */
float clq__checked_top(const struct clq__checked_call *checked);

/* Whether smooth scales are no dense float32, which kernels read: they are widened first. */
bool clq__checked_widens_smooth(const struct clq__checked_call *checked);

/* The tensor whose rows are read: its shape is what sentences speak of. */
static inline const struct clq__view *clq__checked_read(const struct clq__checked_call *checked)
{
    return checked->back ? &checked->y : &checked->x;
}

/* The shares of x where one or both are cut at their blocks, of which each has more than one. Returns how
 * many there are: one share is all of x. */
int clq__checked_cut(const struct clq__checked_call *checked, bool axis, bool before,
                     struct clq__ranges ranges[CLQ__MOST_RANGES]);

/* The share of dimension d of x; NULL where that is all of it. */
static inline const struct clq__range *clq__range_of(const struct clq__checked_call *checked,
                                                     const struct clq__ranges *ranges, int d)
{
    const struct clq__range *range = d == checked->axis ? &ranges->axis : &ranges->before;

    return (d == checked->axis || d == checked->axis - 1) && range->blocks > 0 ? range : NULL;
}

/* Indices of dimension d in a block; 0 where it has none. */
static inline int64_t clq__block_of(const struct clq__checked_call *checked, int d)
{
    return d == checked->axis ? checked->block : d == checked->axis - 1 ? checked->block_before : 0;
}

/* The offsets of kernels of dynamic rows: by a rule that is the second scale, where there is one. */
static inline const struct clq__view *clq__checked_offset(const struct clq__checked_call *checked)
{
    return checked->rule.kind != 0 ? &checked->global_scale : &checked->zero_point.view;
}

/* Whether y would be NaN where 0 is divided by a scale of 0: whole numbers have none. */
static inline bool clq__checked_keeps_zeros(const struct clq__checked_call *checked)
{
    return checked->by_quotient && !clq__type_is(checked->y.type, CLQ__WHOLE);
}

/* Whether it is not where x begins along some dimension. */
static inline bool clq__ranges_follow(const struct clq__ranges *ranges)
{
    return ranges->axis.first > 0 || ranges->before.first > 0;
}

#endif
