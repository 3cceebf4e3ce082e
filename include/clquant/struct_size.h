/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of the public structs, for bindings: whoever writes them down in another language asks here whether
 * they are as large as the library's. */
#ifndef CLQUANT_STRUCT_SIZE_H
#define CLQUANT_STRUCT_SIZE_H

#include <clquant/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, struct). A value never gets another meaning. Descriptors of operators are in
 * clquant/options.h, field by field. */
#define CLQ_STRUCT_LIST(X)                                                                                   \
    X(CLQ_STRUCT_CONTEXT_DESC, 1, clq_context_desc)                                                          \
    X(CLQ_STRUCT_REPORT, 2, clq_report)                                                                      \
    X(CLQ_STRUCT_BINDING, 10, clq_binding)                                                                   \
    X(CLQ_STRUCT_PLAN_CALL, 11, clq_plan_call)                                                               \
    X(CLQ_STRUCT_OPTION, 13, clq_option)

enum clq_struct {
#define CLQ_STRUCT_ENUM(name, value, type) name = (value),
    CLQ_STRUCT_LIST(CLQ_STRUCT_ENUM)
#undef CLQ_STRUCT_ENUM
};

/* sizeof the struct in bytes, as the library was built; 0 for a value that the library does not know. */
CLQ_API size_t clq_struct_size(enum clq_struct which);

#ifdef __cplusplus
}
#endif
#endif
