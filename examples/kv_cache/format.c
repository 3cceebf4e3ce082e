/* SPDX-License-Identifier: Apache-2.0 */
/* The formats. */
#include "cache.h"

const struct format formats[NUM_FORMATS] = {
    {"float16", KEEP_FLOAT16, {kDLFloat, 16, 1}, false, false},
    {"int8 static", KEEP_STATIC, {kDLInt, 8, 1}, false, false},
    {"int8 dynamic", KEEP_DYNAMIC, {kDLInt, 8, 1}, true, false},
    {"int4 dynamic", KEEP_DYNAMIC, {kDLInt, 4, 1}, false, false},
    {"int4 dynamic, rotated", KEEP_DYNAMIC, {kDLInt, 4, 1}, false, true},
};
