/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of kernels by themselves. */
#ifndef CLQUANT_TEST_KERNEL_TEXT_H
#define CLQUANT_TEST_KERNEL_TEXT_H

#include "harness.h"

/* The text of a file of cl/ with those that it includes, which guard themselves against coming twice.
 * Freed by the caller. */
char *kernel_text_of(const char *name);

#endif
