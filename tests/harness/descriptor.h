/* SPDX-License-Identifier: Apache-2.0 */
/* One call that is drawn, changed, judged and tried. */
#ifndef CLQUANT_HARNESS_DESCRIPTOR_H
#define CLQUANT_HARNESS_DESCRIPTOR_H

#include "device.h"

/* Draws from call->rng, of one operator or NULL: any. False, with a sentence on standard error, where the
 * library and the rules do not agree, or bytes are wrong. */
bool descriptor_try(const struct device *device, struct call *call, const struct operator_row *op);

#endif
