/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of the cache, and its layout in two arrays. */
#ifndef CLQ_EXAMPLES_GGML_CACHE_H
#define CLQ_EXAMPLES_GGML_CACHE_H

#include <clquant/clquant.h>
#include <stdbool.h>

/* ne of the cache is {WIDTH, ROWS}; its rows are BLOCKS blocks, one behind the other. */
enum { WIDTH = 256, ROWS = 64, QK = 32, BLOCKS = WIDTH / QK };

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const clq_status try_status = (call);                                                                \
        if (try_status != CLQ_OK)                                                                            \
            return try_status;                                                                               \
    } while (0)

struct device {
    clq_context *context;
    cl_command_queue queue;
};

/* A tensor that holds these bytes, or zeros where they are NULL. */
clq_status create_filled(const struct device *device, DLDataType dtype, int rank, const int64_t *shape,
                         const void *bytes, DLManagedTensor **tensor);

/* ggml's OpenCL back end keeps the weights of a model as two arrays, the codes of all blocks and their d. */
bool has_two_arrays(DLDataType type);

/* Makes these arrays of the cache, and values, ROWS times WIDTH, of the arrays. */
clq_status read_two_arrays(const struct device *device, const DLTensor *cache, float *values);

#endif
