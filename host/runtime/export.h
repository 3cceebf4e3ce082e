/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels that were compiled elsewhere. */
#ifndef CLQ_RUNTIME_EXPORT_H
#define CLQ_RUNTIME_EXPORT_H

#include "base/variant.h"

#define CLQ__EXPORTED_BYTES (CLQ__VARIANT_BYTES + 16)

/* The kernel's name in an exported source: the variant's, and a hash of the kernel file's whole text. Thus
 * what another version of the library exported, whose arguments may differ, is not taken for this one's. */
void clq__exported_name(const struct clq__variant *variant, const char *source, size_t source_bytes,
                        char name[CLQ__EXPORTED_BYTES]);

#endif
