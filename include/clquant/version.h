/* SPDX-License-Identifier: Apache-2.0 */
/* The version, for the preprocessor and of the library that was loaded. Semantic versioning. */
#ifndef CLQUANT_VERSION_H
#define CLQUANT_VERSION_H

#include <clquant/status.h>

#define CLQ_VERSION_MAJOR 0
#define CLQ_VERSION_MINOR 2
#define CLQ_VERSION_PATCH 0
#define CLQ_VERSION       "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0", constant. */
CLQ_API const char *clq_version(void);

#ifdef __cplusplus
}
#endif
#endif
