/* SPDX-License-Identifier: Apache-2.0 */
/* Keys from a tensor of the user's own safetensors file. */
#ifndef CLQ_KV_CACHE_KEYS_FILE_H
#define CLQ_KV_CACHE_KEYS_FILE_H

#include "options.h"

#include <safetensors/safetensors.h>

struct keys_file {
    struct safetensors file;
    const struct safetensors_tensor *tensor;
    /* of batch, tokens, heads and channels, in elements */
    int64_t extents[4], strides[4];
};

/* Opens the file and completes the setup of the options by the tensor's shape. On failure nothing is open. */
bool keys_file_open(struct keys_file *keys, struct options *options, struct failure *failure);
void keys_file_close(struct keys_file *keys);

/* The first of its tokens, as float16 [batch, tokens, heads, head size]. */
bool keys_file_read(const struct keys_file *keys, const struct setup *setup, uint16_t *values,
                    struct failure *failure);

#endif
