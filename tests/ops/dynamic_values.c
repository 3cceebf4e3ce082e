/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of rows. */
#include "dynamic_values.h"

#include <float.h>
#include <math.h>
#include <string.h>

int dynamic_steps(enum reference_type type)
{
    const struct reference_type_row *row = &reference_types[type];

    return (int)(row->minmax_steps > 0.0f ? row->minmax_steps : 2.0f * row->absmax_steps);
}

static double largest(enum reference_type type)
{
    return reference_types[type].highest;
}

static double smallest(enum reference_type type)
{
    return (double)reference_read(1, type); /* the least subnormal is code 1 */
}

static double any_bits(enum reference_type type, struct random *random)
{
    const uint32_t bits = (uint32_t)random_bits(random);
    float value;

    if (type == REFERENCE_F16)
        return (double)reference_widen_f16((uint16_t)bits);
    memcpy(&value, &bits, sizeof(value));
    return (double)value;
}

/* What holds for a whole row. */
struct row {
    enum row_kind kind;
    enum reference_type type;
    int64_t chosen, other; /* positions with a part of their own: the first, the last or any */
    double mean, range;
    int steps;
};

static int64_t any_position(struct random *random, int64_t count)
{
    const int64_t which = random_below(random, 4);

    return which == 0 ? 0 : which == 1 ? count - 1 : random_below(random, count);
}

static struct row row_of(enum row_kind kind, const struct tensor *x, int64_t count, int steps,
                         struct random *random)
{
    struct row row = {.kind = kind,
                      .type = x->layout.type,
                      .chosen = any_position(random, count),
                      .other = any_position(random, count),
                      .steps = steps};

    row.mean = ldexp(random_unit(random) - 0.5, (int)random_from(random, -4, 8));
    row.range = ldexp(1 + random_unit(random), (int)random_from(random, -6, 6));
    if (kind == ROW_NARROW) {
        row.mean = row.mean < 0 ? -1000 : 1000;
        row.range = 1000 * (row.type == REFERENCE_F32 ? ldexp(1, -(int)random_from(random, 6, 22)) : 0x1p-7);
    } else if (kind == ROW_FLOOR) {
        row.mean = 0;
        row.range = 1e-12 * steps * ldexp(1 + random_unit(random), (int)random_from(random, -3, 1));
    } else if (kind == ROW_TIES) {
        row.range = random_below(random, 2) ? 2 * steps : 2 * (steps / 2);
        row.mean = random_below(random, 2) ? row.range / 2 : 0; /* from 0 on, or about 0 */
        if (random_below(random, 3) == 0) {                     /* from -8 to 7: the offset is -0 */
            row.range = steps;
            row.mean = -0.5;
        }
    }
    return row;
}

static double value_at(const struct row *row, int64_t i, struct random *random)
{
    const double ordinary = row->mean + (random_unit(random) - 0.5) * row->range;
    const bool chosen = i == row->chosen, other = i == row->other;

    switch (row->kind) {
    case ROW_TIES:
        return chosen  ? row->mean + row->range / 2
               : other ? row->mean - row->range / 2
                       : row->mean - row->range / 2 + (double)random_below(random, (int64_t)row->range + 1);
    case ROW_EQUAL:
        return row->mean;
    case ROW_ZEROS:
        return random_below(random, 2) ? -0.0 : 0.0;
    case ROW_NAN:
        return chosen ? (row->mean < 0 ? -NAN : NAN) : ordinary;
    case ROW_NANS:
        return chosen && row->mean < 0 ? ordinary : NAN;
    case ROW_INFINITE:
        if (chosen || (other && row->range < 1) || row->range > 100)
            return chosen == (row->mean < 0) ? -INFINITY : INFINITY;
        return ordinary;
    case ROW_SUBNORMAL:
        return (double)random_from(random, -9, 9) * smallest(row->type);
    case ROW_WIDEST:
        return chosen  ? largest(row->type)
               : other ? -largest(row->type)
                       : ordinary * largest(row->type) / 512;
    case ROW_SIDE:
        return copysign(ldexp((double)random_from(random, 1, 4), -24), row->mean);
    case ROW_BITS:
        return any_bits(row->type, random);
    case ROW_FLOOR:
        return chosen ? row->range / 2 : other ? -row->range / 2 : ordinary;
    default:
        return ordinary;
    }
}

void dynamic_fill(struct tensor *x, enum row_kind kind, int steps, struct random *random)
{
    const struct reference_tensor reference = tensor_reference(x, x->image);
    const int64_t count = x->layout.rank ? x->layout.shape[x->layout.rank - 1] : 0;
    const int64_t rows = count ? reference_count(&reference) / count : 0;

    tensor_repeat(x, (double[]){largest(x->layout.type), -largest(x->layout.type)}, 2);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t step = (int64_t)(random->state % ROW_KINDS);
        const struct row row = row_of(kind == ROW_MIXED ? (enum row_kind)((r + step) % ROW_KINDS) : kind, x,
                                      count, steps, random);

        for (int64_t i = 0; i < count; i++)
            tensor_set(x, r * count + i, value_at(&row, i, random));
    }
}

void dynamic_fill_smooth(struct tensor *smooth_scale, bool wild, struct random *random)
{
    for (int64_t i = 0, slots = tensor_slots(smooth_scale); i < slots; i++) {
        const int64_t kind = random_below(random, 64);
        double value = ldexp(1 + random_unit(random), (int)random_from(random, -2, 1));

        if (kind < 4)
            value = 0;
        else if (wild && kind < 6)
            value = kind == 4 ? NAN : INFINITY;
        tensor_set_slot(smooth_scale, i, random_below(random, 2) ? -value : value);
    }
}
