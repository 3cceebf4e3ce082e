/* SPDX-License-Identifier: Apache-2.0 */
/* A GGUF file: its values and tensors by their names. Every number of it is checked before it is used, so no
 * file makes a reader leave its bytes. Functions that fail leave a sentence for clq_error_detail. */
#ifndef CLQ_LLM_GGUF_H
#define CLQ_LLM_GGUF_H

#include <clquant/clquant.h>
#include <stdbool.h>

enum { GGUF_MAX_RANK = 4 };

/* Bytes of the file: a name or a text, which no zero ends. */
struct gguf_text {
    const char *bytes;
    size_t size;
};

enum gguf_value_type { GGUF_UINT32 = 4, GGUF_INT32 = 5, GGUF_BOOL = 7, GGUF_TEXT = 8, GGUF_ARRAY = 9 };

struct gguf_value {
    struct gguf_text name;
    uint32_t type;  /* of an array, that of its items */
    uint64_t count; /* items of an array */
    bool is_array;
    const unsigned char *bytes;
};

struct gguf_tensor {
    struct gguf_text name;
    int rank;
    uint64_t shape[GGUF_MAX_RANK]; /* the innermost first, as ggml has it */
    uint32_t type;
    DLDataType dtype; /* lanes 0: none that clquant reads */
    const unsigned char *bytes;
    size_t size_bytes;
    bool used; /* a reader's note */
};

struct gguf {
    const char *path;
    unsigned char *bytes;
    size_t size;
    struct gguf_value *values;
    struct gguf_tensor *tensors;
    uint64_t num_values, num_tensors;
};

/* Close accepts what open left behind, also where it failed. path must live as long as the file is open. */
clq_status gguf_open(struct gguf *file, const char *path);
void gguf_close(struct gguf *file);

bool gguf_is(struct gguf_text text, const char *word);

/* Whether the value is the text. */
bool gguf_says(const struct gguf *file, const char *name, const char *text);

/* NULL where the file has none of the name. */
const struct gguf_value *gguf_find(const struct gguf *file, const char *name);
struct gguf_tensor *gguf_find_tensor(const struct gguf *file, const char *name);

/* A number from low to high; without a value of that name it is `otherwise`, which is below 0 where there
 * must be one. */
clq_status gguf_number(const struct gguf *file, const char *name, double low, double high, double otherwise,
                       double *number);

/* The texts of an array: `count` of them in *texts, which the caller frees. */
clq_status gguf_texts(const struct gguf *file, const char *name, struct gguf_text **texts, size_t *count);

#endif
