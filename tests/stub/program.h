/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: a text and its options. Building one looks for its kernels in the text, and a binary is both
 * texts behind a few words of its own. */
#ifndef CLQUANT_STUB_PROGRAM_H
#define CLQUANT_STUB_PROGRAM_H

#include "queue.h"

#define STUB_MOST_PARAMETERS 24

struct stub_signature {
    char name[256];
    cl_uint count;
    enum stub_parameter kinds[STUB_MOST_PARAMETERS];
    size_t sizes[STUB_MOST_PARAMETERS]; /* of a value; 0: the text does not say it */
};

struct _cl_program {
    struct stub_object object;
    cl_context context;
    unsigned number; /* of the context's programs, from 1 on */
    cl_uint num_devices;
    cl_device_id devices[STUB_MOST_DEVICES];
    char *source, *options; /* options: NULL until it is built */
    char *binary;           /* it was made of; NULL: of source */
    bool built, failed;
    char log[512];
    struct stub_signature *signatures;
    size_t num_signatures;
};

/* Reads what the kernels of a text are called and take. False with the reason in log. A value's size is known
 * where its type is OpenCL's, or a struct for which the text has CLQ_SAME_SIZE(name, bytes). */
bool stub_signatures(const char *source, const char *options, struct stub_signature **signatures,
                     size_t *count, char log[512]);

/* The value of -D name=value in options. */
bool stub_option(const char *options, const char *name, char *value, size_t room);
/* CL_SUCCESS, or what clBuildProgram returns for such options, with the reason in log. */
cl_int stub_options_check(const char *options, char log[512]);

void stub_place_programs(cl_icd_dispatch *table);

#endif
