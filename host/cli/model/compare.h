/* SPDX-License-Identifier: Apache-2.0 */
/* quantize_model --compare: one model in several ways, of which each reads a tensor from memory and none is
 * written. */
#ifndef CLQUANT_CLI_MODEL_COMPARE_H
#define CLQUANT_CLI_MODEL_COMPARE_H

#include "stream.h"

enum { COMPARE_MOST_WAYS = 16, COMPARE_MOST_KINDS = 48 };

/* Tensors of one module in all layers, such as q_proj. */
struct compare_kind {
    char name[64];
};

struct compare_way {
    char text[128], words[128]; /* as it was given, and cut at its colons */
    struct model model;         /* its own options, and whether each tensor is quantized */
    struct model_piece piece;
    struct float_error errors[COMPARE_MOST_KINDS], all;
    uint64_t counts[COMPARE_MOST_KINDS], elements; /* of what it quantizes, and its bytes then */
    uint64_t quantized_bytes, bytes;               /* of all that it would write */
};

struct comparison {
    struct model *model;
    struct compare_way *ways;
    size_t way_count;
    struct compare_kind kinds[COMPARE_MOST_KINDS];
    size_t kind_count;
};

/* Reads LIST, such as int8,nvfp4,int4:block=64:rotate, and has each way choose its tensors. */
bool compare_parse(struct comparison *comparison);
/* The number of a tensor's kind; the last one is all that have no other. */
size_t compare_kind_of(struct comparison *comparison, const char *name);
void compare_print(const struct comparison *comparison);
bool compare_write_json(const struct comparison *comparison);

#endif
