/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of variants that no call has asked for yet. */
#ifndef CLQ_PLAN_AHEAD_H
#define CLQ_PLAN_AHEAD_H

#include "runtime/launch.h"

/* As the cuts make it of the variant for a device of these traits, without its buffers,
 * arguments and groups. */
struct clq__launch clq__launch_ahead(const struct clq__variant *variant, const struct clq__traits *traits);

#endif
