/* SPDX-License-Identifier: Apache-2.0 */
/* Places for the labels of points: each in turn takes the nearest that meets no other label, no point, no
 * line to a label, and not the line through the first point. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUM_ANGLES = 64,
    NEAREST = 13,
    STEP = 7,
    FARTHEST = 490,
    MOST_ATTEMPTS = 50,
    MOST_BOXES = 1 + NUM_FORMATS * (2 + FARTHEST / STEP)
};

static const double CHARACTER = 7.8, HALF_LINE = 9.0, HALF_POINT = 8.0, HALF_STROKE = 2.0;

struct box {
    double left, right, low, high;
};

struct taken {
    struct box boxes[MOST_BOXES];
    int count;
};

static struct box box_around(double x, double y, double half)
{
    return (struct box){x - half, x + half, y - half, y + half};
}

static bool is_free(const struct taken *taken, struct box box)
{
    for (int i = 0; i < taken->count; i++) {
        const struct box other = taken->boxes[i];

        if (box.left < other.right && other.left < box.right && box.low < other.high && other.low < box.high)
            return false;
    }
    return true;
}

static struct box box_of(const struct label *label)
{
    const double width = CHARACTER * (double)strlen(label->text);

    return (struct box){label->is_left ? label->at_x - width : label->at_x,
                        label->is_left ? label->at_x : label->at_x + width, label->at_y - HALF_LINE,
                        label->at_y + HALF_LINE};
}

/* The line's boxes are those from behind the point's own on; with them the label's is taken, or none is. */
static bool take(struct taken *taken, struct label *label, double distance, const struct box *edges)
{
    const double share_x = (label->at_x - label->x) / distance, share_y = (label->at_y - label->y) / distance;
    const struct box box = box_of(label);
    bool fits = box.left >= edges->left && box.right <= edges->right && box.low >= edges->low &&
                box.high <= edges->high && is_free(taken, box);

    for (double d = NEAREST + STEP; d <= distance && fits; d += STEP)
        fits = is_free(taken, box_around(label->x + d * share_x, label->y + d * share_y, HALF_STROKE));
    if (!fits)
        return false;
    for (double d = NEAREST + STEP; d <= distance; d += STEP)
        taken->boxes[taken->count++] =
            box_around(label->x + d * share_x, label->y + d * share_y, HALF_STROKE);
    taken->boxes[taken->count++] = box;
    label->has_line = distance > NEAREST;
    return true;
}

static bool place(struct taken *taken, struct label *label, const struct box *edges)
{
    static const double turn = 2.0 * 3.14159265358979323846 / NUM_ANGLES;

    for (int distance = NEAREST; distance <= FARTHEST; distance += STEP)
        for (int i = 0; i < NUM_ANGLES; i++) { /* to the right, then above and below */
            const double angle = turn * (i % 2 == 0 ? -i / 2 : (i + 1) / 2);

            label->is_left = cos(angle) < -0.01;
            label->at_x = label->x + distance * cos(angle);
            label->at_y = label->y + distance * sin(angle);
            if (take(taken, label, distance, edges))
                return true;
        }
    label->at_x = label->x + NEAREST; /* it meets another */
    label->at_y = label->y;
    label->is_left = label->has_line = false;
    return false;
}

/* The number of the first label that has no free place; `count`: each has one. */
static int place_all(struct label *labels, int count, double base, const struct box *edges)
{
    struct taken taken = {{{edges->left, edges->right, base - HALF_STROKE, base + HALF_STROKE}}, 1};
    int failed = count;

    for (int i = 0; i < count; i++)
        taken.boxes[taken.count++] = box_around(labels[i].x, labels[i].y, HALF_POINT);
    for (int i = 0; i < count; i++)
        if (!place(&taken, &labels[i], edges) && failed == count)
            failed = i;
    return failed;
}

/* From right to left, for labels go to the right where they can; from above. */
static int in_turn(const void *a, const void *b)
{
    const struct label *one = a, *other = b;

    return one->x != other->x ? (one->x < other->x) - (one->x > other->x)
                              : (one->y < other->y) - (one->y > other->y);
}

/* A label without a free place is the first of the next attempt. */
void labels_place(struct label *labels, int count, double width, double height)
{
    const struct box edges = {0.0, width, 0.0, height};
    const double base = labels->y;

    qsort(labels, (size_t)count, sizeof *labels, in_turn);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const int failed = place_all(labels, count, base, &edges);
        const struct label first = labels[failed % count];

        if (failed == count)
            return;
        memmove(labels + 1, labels, (size_t)failed * sizeof *labels);
        labels[0] = first;
    }
}
