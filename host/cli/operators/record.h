/* SPDX-License-Identifier: Apache-2.0 */
/* What those that write records and those that read them share. */
#ifndef CLQUANT_CLI_RECORD_H
#define CLQUANT_CLI_RECORD_H

#include "operator.h"

/* The words of RECORD_MODE. */
extern const char *const record_modes[];

/* The options that matter on the way back, and the value of one that is left out. */
struct record_option {
    const char *option;
    int64_t left_out;
};
extern const struct record_option record_options[RECORD_VALUES];

/* The inputs that are added to a value or taken from it, and NVFP4's second scale. */
extern const char *const record_added[], *const record_global[];

/* The input of one of these names that is there, or OPERATOR_MAX_INPUTS. */
size_t record_input_given(const struct operator_call *call, const char *const *names);

#endif
