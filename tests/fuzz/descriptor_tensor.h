/* A call of clq_quantize as the fuzzer makes it, and what is right, decided a second time. */
#ifndef CLQUANT_FUZZ_DESCRIPTOR_RULES_H
#define CLQUANT_FUZZ_DESCRIPTOR_RULES_H

#include <clquant/quantize.h>
#include <stdbool.h>

enum { X, SCALES, ZERO_POINTS, Y, TENSORS };

/* Where a tensor's data is: a buffer, or a part of one. */
struct memory {
    bool present;
    int root;
    uint64_t begin, size;
    unsigned char *image;
};

struct call {
    struct clq_quantize_desc desc;
    DLTensor tensor[TENSORS];
    int64_t shape[TENSORS][9], strides[TENSORS][9];
    int buffer[TENSORS]; /* -1: none */
    bool absent[TENSORS];
    struct memory memory[TENSORS];
};

bool is_right(const struct call *call);

/* The reference's answer, into the image of y. */
void compute(const struct call *call);

#endif
