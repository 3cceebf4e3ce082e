/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a CPU's own as programs of the host: clang compiles the very text that the library gives the
 * driver, for one of the processors of ways.c, with the address sanitizer where the tests have it. An
 * access outside of a buffer, or of an array of the kernel's own, ends the process there. */
#ifndef CLQUANT_ENGINE_ON_ENGINE_H
#define CLQUANT_ENGINE_ON_ENGINE_H

#include "runtime/launch.h"
#include "stub/stub.h"

#include <stdbool.h>

/* Runs the launch, where the kernel is of cl/cpu and the device has the field engine=1: for the processor
 * $CLQ_TEST_WAY. False: nothing was done. What cannot be compiled ends the process. */
bool on_engine_run(const struct stub_launch *stub, const struct clq__launch *launch);

#endif
