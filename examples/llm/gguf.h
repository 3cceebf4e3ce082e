/* SPDX-License-Identifier: Apache-2.0 */
/* A GGUF file: its values and tensors by their names. Every number of it is checked before it is used, so no
 * file makes a reader leave its bytes. Functions that fail leave a sentence for clq_error_detail. */
#ifndef CLQ_LLM_GGUF_H
#define CLQ_LLM_GGUF_H

#include <clquant/clquant.h>
#include <math.h>
#include <stdbool.h>

enum { GGUF_MAX_RANK = 4 };

/* Bytes of the file: a name or a text, which no zero ends. */
struct gguf_text {
    const char *bytes;
    size_t size;
};

/* Of a text, for "%.*s". */
#define GGUF_SHOWN(text) (int)((text).size < 80 ? (text).size : 80), (text).bytes

enum gguf_value_type {
    GGUF_UINT32 = 4,
    GGUF_INT32 = 5,
    GGUF_FLOAT32 = 6,
    GGUF_BOOL = 7,
    GGUF_TEXT = 8,
    GGUF_ARRAY = 9,
    GGUF_UINT64 = 10
};

struct gguf_value {
    struct gguf_text name;
    uint64_t type, item_type, count; /* the latter two are of an array's items; else the type, and 1 */
    struct gguf_text text;           /* what it is, if it is one */
    const unsigned char *bytes;
    bool used; /* it was asked for */
};

struct gguf_tensor {
    struct gguf_text name;
    uint64_t rank, shape[GGUF_MAX_RANK]; /* the innermost first, as ggml has it */
    uint64_t type, offset;
    DLDataType dtype; /* lanes 0: none that clquant reads, and there are no bytes */
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

/* Always an error: says why the file is not taken, with its path in front. */
clq_status gguf_refuse(const struct gguf *file, const char *format, ...) CLQ_PRINTF(2, 3);

/* NULL where the file has none of the name. */
const struct gguf_value *gguf_find(const struct gguf *file, const char *name);
struct gguf_tensor *gguf_find_tensor(const struct gguf *file, const char *name);

/* Whether the value is the text. */
bool gguf_says(const struct gguf *file, const char *name, const char *text);

/* A number from low to high; without a value of that name it is `otherwise`, of which GGUF_REQUIRED is an
 * error. */
#define GGUF_REQUIRED ((double)NAN)
clq_status gguf_number(const struct gguf *file, const char *name, double low, double high, double otherwise,
                       double *number);

clq_status gguf_flag(const struct gguf *file, const char *name, bool otherwise, bool *flag);

/* The texts of an array: `count` of them in *texts, fewer than 2^31, which the caller frees. */
clq_status gguf_texts(const struct gguf *file, const char *name, struct gguf_text **texts, size_t *count);

#endif
