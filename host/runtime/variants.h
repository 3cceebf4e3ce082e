/* SPDX-License-Identifier: Apache-2.0 */
/* Variants that a user's text names. */
#ifndef CLQ_RUNTIME_VARIANTS_H
#define CLQ_RUNTIME_VARIANTS_H

#include "base/variant.h"

#include <clquant/context.h>

/* Each of them, in order, until one is not CLQ_OK. All that the text leaves out of FORM and ARITHMETIC is
 * what the context's device has, whose own kernel takes the place of a portable one as for a call; without
 * a context it is all that there are. */
clq_status clq__variants_of(const clq_context *context, const char *text, clq__variant_visit visit,
                            void *user);

#endif
