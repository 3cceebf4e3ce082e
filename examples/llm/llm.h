/* SPDX-License-Identifier: Apache-2.0 */
/* A small language model on OpenCL whose keys and values are kept in clquant's formats: what its parts
 * share. */
#ifndef CLQ_LLM_LLM_H
#define CLQ_LLM_LLM_H

#include "gguf.h"

/* Leaves a function that returns clq_status. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const clq_status try_status = (call);                                                                \
        if (try_status != CLQ_OK)                                                                            \
            return try_status;                                                                               \
    } while (0)

/* A whole file; the caller frees it, also where the call fails. */
clq_status read_file(const char *path, unsigned char **bytes, size_t *size);

/* Byte-level BPE, of a GGUF file's tokens and merges. */
struct tokenizer {
    struct gguf_text *tokens;
    struct word *words; /* the tokens in the order of their bytes */
    size_t count;
    struct merge *merges; /* in the order of their pairs */
    size_t num_merges;
    const unsigned char *types; /* int32 of the file, a token each; NULL: all are text */
    uint32_t characters[256];   /* that stand for bytes in the tokens' texts */
    int32_t of_bytes[256];      /* a byte's token */
    int32_t unknown, end;       /* -1: there is none */
};

clq_status tokenizer_create(struct tokenizer *tokenizer, const struct gguf *file);
void tokenizer_destroy(struct tokenizer *tokenizer);

/* The tokens of a text, which the caller frees. With control, <|im_start|> and the like are tokens. */
clq_status tokenizer_encode(const struct tokenizer *tokenizer, const char *text, size_t size, bool control,
                            int32_t **tokens, size_t *count);
/* Prints the bytes that a token stands for; of a control token nothing. */
void tokenizer_print(const struct tokenizer *tokenizer, int32_t token);

/* The length of the piece of a text that BPE works on by itself: the next digit, or what GPT-2's pattern
 * takes. */
size_t next_piece(const char *text, size_t size);
/* The next code point of UTF-8 and its length; a byte that begins none is U+FFFD, of one byte. */
uint32_t next_code_point(const char *text, size_t size, size_t *length);

#endif
