/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on the stub of tests/stub: run_args executes them, so that a program that installs it gets every
 * byte of every operator, with nothing compiled. It is a shared library, and does not see what a test
 * replaces in its own program (as tests/faults does with malloc). */
#ifndef CLQUANT_SEAM_ON_STUB_H
#define CLQUANT_SEAM_ON_STUB_H

#include <CL/cl.h>
#include <stdbool.h>

/* From now on the platform's kernels are executed. False: it is another driver than the stub,
 * and nothing is changed.
 *
 * A launch that breaks a rule of cl/args, reaches outside of its buffers or writes a byte twice ends the
 * process, with a sentence on standard error. */
__attribute__((visibility("default"))) bool on_stub_install(cl_platform_id platform);

#endif
