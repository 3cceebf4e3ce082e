/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of several operators must keep to. */
#include "descriptor_rules.h"

static bool is_in(unsigned set, int t)
{
    return set >> t & 1;
}

bool are_tensors(const struct tensors *t, const unsigned *types)
{
    for (int i = 0; i < t->count; i++) {
        if (is_in(t->optional, i) && t->slot[i].absent)
            continue;
        if (!is_tensor(&t->slot[i], types[i], &t->shape[i]) ||
            (is_in(t->written, i) && !lies_apart(&t->shape[i])))
            return false;
    }
    return true;
}

bool is_there(const struct tensors *t, int i)
{
    return !t->slot[i].absent && t->shape[i].elements > 0;
}

bool have_memory(const struct tensors *t)
{
    for (int i = 0; i < t->count; i++) {
        if (!is_there(t, i))
            continue;
        if (!fits(&t->slot[i], &t->shape[i]))
            return false;
        for (int k = 0; k < t->count && is_in(t->written, i); k++)
            if (k != i && is_there(t, k) && meets(&t->slot[i], &t->shape[i], &t->slot[k], &t->shape[k]))
                return false;
    }
    return true;
}

void references_of(const struct tensors *t, struct reference_tensor *made, const struct reference_tensor **at)
{
    for (int i = 0; i < t->count; i++) {
        at[i] = t->slot[i].absent ? NULL : &made[i];
        if (at[i])
            made[i] = reference_of(&t->slot[i], &t->shape[i]);
    }
}

bool all_zero(const uint64_t reserved[4])
{
    return reserved[0] == 0 && reserved[1] == 0 && reserved[2] == 0 && reserved[3] == 0;
}

/* In the first dimensions of both. */
static bool begins_alike(const struct shape *a, const struct shape *b)
{
    for (int d = 0; d < a->rank && d < b->rank; d++)
        if (a->logical[d] != b->logical[d])
            return false;
    return true;
}

bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && begins_alike(a, b);
}

bool is_per_row(const struct shape *s, const struct shape *rows)
{
    return s->rank == rows->rank - 1 && begins_alike(s, rows);
}

bool is_along_last(const struct shape *s, const struct shape *x)
{
    return s->elements == 1 || s->elements == x->logical[x->rank - 1];
}

static bool is_parameter(const struct shape *s, const struct shape *x, int axis, bool per_axis)
{
    if (s->rank > 1 && s->rank != x->rank)
        return false;
    if (!per_axis || s->elements == 1)
        return s->elements == 1;
    for (int d = 0; d < s->rank && s->rank > 1; d++)
        if (d != axis && s->logical[d] != 1)
            return false;
    return s->elements == x->logical[axis];
}

int axis_at(int32_t axis, int left_out, int rank)
{
    const int meant = axis == 0 ? left_out : axis;

    if (meant == INT32_MIN)
        return 0;
    return meant < 0 ? rank + meant : meant;
}

bool parameters_agree(const struct shape *scales, const struct shape *zero_points, const struct shape *x,
                      int axis)
{
    const bool per_axis = scales->elements != 1 || (zero_points && zero_points->elements != 1);

    axis = axis_at(axis, -1, x->rank);
    if (per_axis && (axis < 0 || axis >= x->rank))
        return false;
    return is_parameter(scales, x, axis, per_axis) &&
           (!zero_points || is_parameter(zero_points, x, axis, per_axis));
}
