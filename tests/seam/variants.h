/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of variants. */
#ifndef CLQUANT_SEAM_VARIANTS_H
#define CLQUANT_SEAM_VARIANTS_H

#include "runtime/launch.h"

struct variants {
    struct clq__variant *all;
    size_t count;
};

bool variants_have(const struct variants *set, const struct clq__variant *variant);
/* Nothing where it is there. Ends the program where memory is out. */
void variants_add(struct variants *set, const struct clq__variant *variant);
/* Adds those of a text whose lines are as in clq__variants, which is that of cl/variants.txt without its
 * sets. False, with a sentence on standard error, where one is no variant. */
bool variants_read(struct variants *set, const char *text);
void variants_clear(struct variants *set);

/* Whether a context of these traits asks for it: in the device's form and arithmetic, and where it has a
 * kernel of its own, that one. */
bool variant_is_asked(const struct clq__variant *variant, const struct clq__traits *traits);

#endif
