/* SPDX-License-Identifier: Apache-2.0 */
/* A small language model on OpenCL whose keys and values are kept in clquant's formats: what its parts
 * share. */
#ifndef CLQ_LLM_LLM_H
#define CLQ_LLM_LLM_H

#include "gguf.h"

#include <clquant/clquant.h>
#include <stdbool.h>

/* Leaves a function that returns clq_status. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const clq_status try_status = (call);                                                                \
        if (try_status != CLQ_OK)                                                                            \
            return try_status;                                                                               \
    } while (0)

/* A status of OpenCL's or CLBlast's: notes which call it comes from. */
clq_status noted(clq_status status, const char *call);

/* A whole file and a zero behind it; the caller frees it. */
clq_status read_file(const char *path, unsigned char **bytes, size_t *size);

/* Byte-level BPE, of a GGUF file's tokens and merges. */
struct tokenizer {
    struct gguf_text *tokens;
    size_t count;
    uint32_t *ids;        /* a table of tokens by their texts: 0 or a token's number and 1 */
    struct merge *merges; /* a table by pairs */
    size_t id_mask, merge_mask;
    const unsigned char *types;          /* int32 of the file, a token each; NULL: all are text */
    int32_t of_bytes[256], unknown, end; /* -1: there is none */
};

clq_status tokenizer_create(struct tokenizer *tokenizer, const struct gguf *file);
void tokenizer_destroy(struct tokenizer *tokenizer);

/* The tokens of a text, which the caller frees. With control, <|im_start|> and the like are tokens. */
clq_status tokenizer_encode(const struct tokenizer *tokenizer, const char *text, size_t size, bool control,
                            int32_t **tokens, size_t *count);
/* Prints the bytes that a token stands for; of a control token nothing. */
void tokenizer_print(const struct tokenizer *tokenizer, int32_t token);

/* What two neighbours become, and its rank; -1: they stay two. */
int32_t tokenizer_merge(const struct tokenizer *tokenizer, int32_t left, int32_t right, uint32_t *rank);
/* The character that stands for a byte in the tokens' texts. */
uint32_t tokenizer_character(unsigned byte);

/* The length of the piece of a text that BPE works on by itself: the next digit, or what GPT-2's pattern
 * takes. */
size_t next_piece(const char *text, size_t size);
/* The next code point of UTF-8 and its length; a byte that begins none is U+FFFD, of one byte. */
uint32_t next_code_point(const char *text, size_t size, size_t *length);

#endif
