/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence where the OpenCL loader has found no driver. */
#ifndef CLQ_RUNTIME_NO_DRIVER_H
#define CLQ_RUNTIME_NO_DRIVER_H

#include <clquant/status.h>
#include <stdbool.h>

/* How any machine gets a device. */
#define CLQ__GET_POCL "PoCL makes a device of any CPU (Debian: apt install pocl-opencl-icd)"

/* Sets the sentence and returns CLQ_ERROR_DEVICE. environment: the loader's variables may be read. */
clq_status clq__no_driver(bool environment);

#endif
