/* SPDX-License-Identifier: Apache-2.0 */
#include <clquant/options.h>

#include "ops/operators.h"

#include <string.h>

static const struct {
    const char *name;
    const struct clq__operator *op;
} operators[] = {
#define ROW(name) {#name, &clq__##name},
    CLQ_OPERATOR_LIST(ROW)
#undef ROW
};

const struct clq_option *clq_operator_options(const char *name, size_t *count)
{
    for (size_t i = 0; i < CLQ_COUNT(operators); i++)
        if (strcmp(operators[i].name, name) == 0) {
            *count = operators[i].op->num_options;
            return operators[i].op->options;
        }
    *count = 0;
    return NULL;
}
