/* SPDX-License-Identifier: Apache-2.0 */
#include <clquant/struct_size.h>

#include <clquant/clquant.h>

size_t clq_struct_size(enum clq_struct which)
{
    switch (which) {
#define SIZE_CASE(name, value, type)                                                                         \
    case name:                                                                                               \
        return sizeof(struct type);
        CLQ_STRUCT_LIST(SIZE_CASE)
#undef SIZE_CASE
    }
    return 0;
}
