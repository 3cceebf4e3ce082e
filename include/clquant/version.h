/* SPDX-License-Identifier: Apache-2.0 */
/* The version, for the preprocessor and of the library that was loaded. Semantic versioning. */
#ifndef CLQUANT_VERSION_H
#define CLQUANT_VERSION_H

#include <clquant/status.h>

#define CLQ_VERSION_MAJOR 0
#define CLQ_VERSION_MINOR 2
#define CLQ_VERSION_PATCH 0
#define CLQ_VERSION       "0.2.0"

/* 0.2.0 is 2000, 1.2.3 is 1002003: for #if, and to compare. */
#define CLQ_VERSION_NUMBER (CLQ_VERSION_MAJOR * 1000000 + CLQ_VERSION_MINOR * 1000 + CLQ_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0", constant. */
CLQ_API const char *clq_version(void);

/* CLQ_VERSION_NUMBER of the library. A library of another major or minor version than the headers' has
 * another name (docs/packaging.md), so only the patch can differ where it is found by the loader. */
CLQ_API uint32_t clq_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
