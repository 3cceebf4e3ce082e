/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for kernels through the operators: each *_build on small tensors of a kind. */
#ifndef CLQUANT_VARIANTS_ASK_H
#define CLQUANT_VARIANTS_ASK_H

#include <clquant/clquant.h>
#include <stdbool.h>

/* To the integers and back; with params 0 one scale and zero point, with 1 a scale of each column,
 * with 2 both. */
void ask_static(clq_context *context, DLDataType x_type, DLDataType y_type, uint32_t mode, int params);

/* The kernels that stand beside: many entries that may overlap, written into a copy of a cache with gaps. */
void ask_scatter(clq_context *context);

/* Scales of the rows and of the columns; the latter from ranges of many rows. */
void ask_scales(clq_context *context, DLDataType x_type);

/* All that the operators can ask for on the context's device, laid out and computed in the context's way.
 * `few`: of rotated rows and of float8_e5m2 what float16 has alone,
 * for a kernel takes PoCL's optimizer a second. */
void ask_all(clq_context *context, bool few);

#endif
