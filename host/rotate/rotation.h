/* SPDX-License-Identifier: Apache-2.0 */
/* What a rotation holds. */
#ifndef CLQ_ROTATE_ROTATION_H
#define CLQ_ROTATE_ROTATION_H

#include <clquant/rotate.h>

struct clq_rotation {
    int64_t n;
    cl_mem matrix; /* n x n floats */
    cl_context context;
};

#endif
