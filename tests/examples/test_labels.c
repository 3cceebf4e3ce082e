/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of pictures of all formats: no two of them meet in nine of ten, and none leaves its picture. */
#include "../../examples/llm/run.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

enum { PICTURES = 100, WIDTH = 890, HEIGHT = 395 };

static double left_of(const struct label *label)
{
    return label->is_left ? label->at_x - 7.0 * (double)strlen(label->text) : label->at_x;
}

static bool meet(const struct label *a, const struct label *b)
{
    const double gap = left_of(a) < left_of(b) ? left_of(b) - left_of(a) - 7.0 * (double)strlen(a->text)
                                               : left_of(a) - left_of(b) - 7.0 * (double)strlen(b->text);

    return gap < 0.0 && fabs(a->at_y - b->at_y) < 16.0;
}

TEST(do_not_meet)
{
    static const double bits[NUM_FORMATS] = {10,  8, 8.25, 8.25, 6.4, 5,   5,   4.5,  4.5,
                                             8.5, 6, 5.5,  5,    4.5, 4.5, 4.5, 4.25, 4.5},
                        worse[NUM_FORMATS] = {0,   .8,  .3,  .6, 1.6, 12, 4,   27, 7,
                                              .15, 1.3, 2.1, 10, 22,  16, 5.6, 36, 14};
    int meeting = 0;

    srand(1);
    for (int picture = 0; picture < PICTURES; picture++) {
        struct label labels[NUM_FORMATS];
        int pairs = 0;

        for (int i = 0; i < NUM_FORMATS; i++)
            labels[i] =
                (struct label){.text = i == 8 ? "int4_symmetric_rotated  +9.9 %" : "int4_rotated  +9.9 %",
                               .x = (bits[i] - 3.0) / 7.0 * WIDTH,
                               .y = 30.0 + 5.9 * worse[i] * (0.3 + 1.4 * rand() / RAND_MAX)};
        labels_place(labels, NUM_FORMATS, WIDTH, HEIGHT);
        for (int i = 0; i < NUM_FORMATS; i++) {
            assert_true(left_of(&labels[i]) >= 0.0);
            for (int j = 0; j < i; j++)
                pairs += meet(&labels[i], &labels[j]);
        }
        meeting += pairs > 0;
    }
    assert_true(meeting <= PICTURES / 10);
}

TESTS_MAIN("labels")
