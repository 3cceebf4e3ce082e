/* SPDX-License-Identifier: Apache-2.0 */
/* One device of the stub, for its own tests. */
#ifndef CLQUANT_TEST_STUB_H
#define CLQUANT_TEST_STUB_H

#include "stub.h"
#include "tests.h"

#include <pthread.h>

enum { BYTES = 256 };

extern const struct stub_api *stub;
extern cl_platform_id platform;
extern cl_device_id devices[2];
extern cl_context context;
extern cl_command_queue queue, unordered;

#define OK(call)            assert_int_equal((call), CL_SUCCESS)
#define REFUSED(call, code) assert_int_equal((call), (code))

cl_mem new_buffer(void);
cl_program new_program(const char *source, const char *options);
cl_kernel new_kernel(cl_program program, const char *name);

/* Those of test_stub_objects.c: what is refused, and what is counted. */
int objects_run(CMFixtureFunction start, CMFixtureFunction end);

#endif
