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

/* How texts are cut into pieces, on which BPE works one by one: a row for each tokenizer.ggml.pre. */
struct cut {
    const char *name;
    bool gpt2;        /* by GPT-2's pattern, else by Llama 3's */
    size_t digits;    /* of a piece at most; 0: any number, behind a blank too */
    bool whole_words; /* a piece that is a token stays whole, whatever the merges say */
    bool begins;      /* texts begin with a token of their own, unless the file says otherwise */
};

clq_status cut_of(const struct gguf *file, const struct cut **cut);
/* The length of the first piece of a text. */
size_t next_piece(const struct cut *cut, const char *text, size_t size);
/* The next code point of UTF-8 and its length; a byte that begins none is U+FFFD, of one byte. */
uint32_t next_code_point(const char *text, size_t size, size_t *length);

enum { LONGEST_TOKEN = 1024 };

struct word {
    struct gguf_text text;
    int32_t token;
};

/* Byte-level BPE, of a GGUF file's tokens and merges. */
struct tokenizer {
    const struct cut *cut;
    struct gguf_text *tokens;
    struct word *words; /* the tokens in the order of their bytes */
    size_t count;
    struct word *whole; /* tokens that a text has as they are, in the same order */
    size_t num_whole, longest_whole;
    bool begins_whole[256]; /* bytes that one of them begins with */
    struct merge *merges;   /* in the order of their pairs */
    size_t num_merges;
    const unsigned char *types; /* int32 of the file, a token each; NULL: all are text */
    uint32_t characters[256];   /* that stand for bytes in the tokens' texts */
    int32_t of_bytes[256];      /* a byte's token */
    int32_t unknown, end;       /* -1: there is none */
    int32_t begin;              /* what each text begins with; -1: nothing */
};

clq_status tokenizer_create(struct tokenizer *tokenizer, const struct gguf *file);
void tokenizer_destroy(struct tokenizer *tokenizer);

/* The tokens of a text, which the caller frees. With control, <|im_start|> and the like are tokens. */
clq_status tokenizer_encode(const struct tokenizer *tokenizer, const char *text, size_t size, bool control,
                            int32_t **tokens, size_t *count);
/* Prints the bytes that a token stands for; of a control token nothing. */
void tokenizer_print(const struct tokenizer *tokenizer, int32_t token);

/* The token that a text is; -1: none. */
int32_t token_of(const struct tokenizer *tokenizer, const char *text, size_t size);

/* Room to merge a piece's tokens in, which grows with the longest. */
struct merging {
    size_t room;
    struct symbol *symbols;
    uint64_t *heap;
    size_t count; /* entries of the heap */
};

clq_status merges_read(struct tokenizer *tokenizer, const struct gguf *file);
/* Merges the pair of the lowest rank, the first of them, as long as there is one. */
clq_status merge_all(const struct tokenizer *tokenizer, struct merging *merging, int32_t *tokens,
                     size_t *count);
void merging_free(struct merging *merging);

#endif
