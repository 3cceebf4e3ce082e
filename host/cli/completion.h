/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLQUANT_CLI_COMPLETION_H
#define CLQUANT_CLI_COMPLETION_H

#include "operators/operator.h"

struct completion {
    const char *const *names; /* all that may stand behind clquant */
    size_t count;
    const struct operator_description *const *operators;
    size_t operator_count;
};

int completion_main(const struct completion *words, int argc, char **argv);

#endif
