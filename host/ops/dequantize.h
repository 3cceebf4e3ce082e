/* SPDX-License-Identifier: Apache-2.0 */
/* Dequantization between its check and its run. */
#ifndef CLQ_OPS_DEQUANTIZE_H
#define CLQ_OPS_DEQUANTIZE_H

#include "plan/static_quantize.h"

#include <clquant/dequantize.h>

/* Every rule but those of buffers, once; and these. */
clq_status clq__dequantize_check(const struct clq_dequantize_desc *desc, struct clq__static_work *work);
clq_status clq__dequantize_check_memory(const clq_context *context, const struct clq__static_work *work);

#endif
