/* SPDX-License-Identifier: Apache-2.0 */
/* A driver whose answers a test sets: the library's questions about platforms and devices end here. */
#ifndef CLQUANT_TESTS_UNIT_FAKE_DRIVER_H
#define CLQUANT_TESTS_UNIT_FAKE_DRIVER_H

#include <CL/cl.h>

enum {
    FAKE_LEAST = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN,
    FAKE_PROMISED = CL_FP_DENORM | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
    FAKE_DEVICES = 2,
};

struct versioned { /* as cl_name_version */
    cl_uint version;
    char name[64];
};

struct driver {
    const char *platform, *name, *version; /* NULL: OpenCL 1.2 */
    const char *vendor;                    /* NULL: any */
    const char *profile, *extensions;      /* NULL: full, and none */
    cl_device_type type;
    cl_device_fp_config single, lacking, twice; /* beside FAKE_LEAST, of it, and of float64 */
    cl_bool big_endian, no_compiler;
    const struct versioned *versions; /* of extensions; NULL: it does not answer */
    size_t num_versions;
};

extern struct driver drivers[FAKE_DEVICES];    /* a device each; the platform has the first one's name */
extern cl_uint devices_there, platforms_there; /* of two platforms the first can be asked for nothing */

cl_device_id fake_device(int number);

#endif
