/* SPDX-License-Identifier: Apache-2.0 */
/* How the rows of a call are cut into the steps and tiles of the portable kernels (args/steps.h). */
#ifndef CLQ_PLAN_SHARES_STEPS_H
#define CLQ_PLAN_SHARES_STEPS_H

#include "args/quantize.h"
#include "runtime/launch.h"

/* Cuts `rows` rows: a lane processes `chunk` units at once where all rows are laid out for it. Short rows
 * become the steps of runs, which takes their dimension off `args`.
 * Sets the launch's groups and local size too. */
void clq__steps_cut(struct quantize_args *args, int64_t rows, int64_t chunk, const struct clq__traits *traits,
                    struct clq__launch *launch);

#endif
