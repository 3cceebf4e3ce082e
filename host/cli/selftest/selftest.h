/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test: operators on the user's device against tests/reference, byte for byte.
 *
 * An operator is a list of lines. A line names what it compares, runs any number of comparisons, and passes
 * or fails as one. A new operator is one file that fills in a struct selftest_operator, and a row in main.c.
 */
#ifndef CLQUANT_CLI_SELFTEST_H
#define CLQUANT_CLI_SELFTEST_H

#include "reference.h"

#include <clquant/clquant.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selftest {
    clq_context *context;
    cl_command_queue queue;
    bool own;             /* the device's own form and arithmetic: everything is compared */
    uint64_t random;      /* the state of the random numbers */
    size_t comparisons;   /* made so far */
    struct probe *probes; /* that live, the last one first */
    char problem[512];    /* why the last comparison failed */
};

struct selftest_operator {
    const char *name;
    /* The name of a line; false where there are no more. */
    bool (*name_line)(size_t line, char *text, size_t size_bytes);
    bool (*run_line)(struct selftest *test, size_t line);
    /* Whether the line is left out away from the device's own form and arithmetic; NULL: none is. */
    bool (*skip_line)(size_t line);
};

extern const struct selftest_operator selftest_quantize;
extern const struct selftest_operator selftest_npu_quantize;
extern const struct selftest_operator selftest_group_quantize;
extern const struct selftest_operator selftest_dequantize;
extern const struct selftest_operator selftest_quantize_scatter;
extern const struct selftest_operator selftest_find_scales;
extern const struct selftest_operator selftest_dynamic_quantize;

/* Every combination of types is a kernel, which takes its time to build. Away from the device's own form and
 * arithmetic it is the same code with other plugs, and a spread is compared: for a type of y and a mode this
 * one type of x, or none. Every type, and both modes of what groups and scatters need, are in it. */
enum { NO_TYPE = -1 };
int spread_type(enum reference_type y, bool multiply);

/* Notes the problem; always false. */
__attribute__((format(printf, 2, 3))) bool selftest_fail(struct selftest *test, const char *format, ...);

/* Notes why a call failed, or waits for its event, which is released. */
bool selftest_finish(struct selftest *test, const char *call, clq_status status, cl_event done);

/* Random numbers: the same for the same seed. */
uint64_t random_bits(struct selftest *test);
int random_below(struct selftest *test, int limit);

/* How a tensor lies in its buffer. */
enum layout {
    LAYOUT_DENSE,
    LAYOUT_PADDED,      /* gaps between rows */
    LAYOUT_TRANSPOSED,  /* the first dimension is the contiguous one */
    LAYOUT_EVERY_THIRD, /* gaps between elements */
    LAYOUT_REPEATED,    /* the first dimension has stride 0: for inputs */
};

/* A tensor on the device and its image on the host, at the same place between guard bytes. */
struct probe {
    struct probe *made_before;
    DLManagedTensor *memory;
    unsigned char *image;
    size_t size_bytes;
    int64_t shape[CLQ_MAX_RANK];
    int64_t strides[CLQ_MAX_RANK];
    DLTensor device;
    struct reference_tensor host;
};

/* shape counts elements, which hold `lanes` values each for int4. The probe stays where it is until it is
 * destroyed, whether or not this succeeded. */
bool probe_create(struct selftest *test, struct probe *probe, enum reference_type type, int lanes, int rank,
                  const int64_t *shape, enum layout layout);
/* All that were made. */
void probes_destroy(struct selftest *test);
bool probe_upload(struct selftest *test, struct probe *probe);

/* The device's bytes are those of the image, the guards and gaps too. */
bool probe_compare(struct selftest *test, const struct probe *probe);

/* What a tensor of inputs is filled with. */
enum values {
    VALUES_X,      /* numbers that fill the range, halves between two integers, now and then any bits */
    VALUES_TAME,   /* such numbers, never any bits */
    VALUES_SCALES, /* near 1, now and then any bits */
    VALUES_ZERO_POINTS,
    VALUES_SPECIAL, /* each of a list along the first dimension: infinities, NaN, subnormals, ties, ends */
};
enum { SPECIAL_VALUES = 32 };
void probe_fill(struct selftest *test, struct probe *probe, enum values values);

/* One number of an index tensor, int32 or int64, of rank 1 or 2; a wide number is cut to int32. */
void probe_put_index(struct probe *probe, int64_t row, int64_t column, int64_t value);

/* Here 0 is the first dimension, as in the reference; in a descriptor it is the operator's default. */
static inline int32_t described_axis(int axis)
{
    return axis == 0 ? CLQ_AXIS_FIRST : axis;
}

#endif
