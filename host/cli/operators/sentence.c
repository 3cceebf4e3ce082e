/* SPDX-License-Identifier: Apache-2.0 */
/* The library's sentences in the words of those who have a file and a command line: types as the file names
 * them (float16 is F16), axes and modes with the option that sets them. */
#include "operator.h"

#include <ctype.h>
#include <string.h>

static const struct word {
    const char *word, *instead;
} words[] = {
    {".dtype is", "'s type is"},
    {".ndim is", "'s rank is"},
    {"axis is", "--axis is"},
    {"give axis", "give --axis"},
    {"block is", "--block is"},
    {"block_before is", "--block-before is"},
    {"block_size is", "--block-size is"},
    {"row_block_size is", "--row-block-size is"},
    {"col_block_size is", "--col-block-size is"},
    {"with block it", "with --block it"},
    {"with block_all it", "with --block-all it"},
    {"block_all is 1: with indices it must be 0", "--block-all is given: with indices it must be left out"},
    {"block_all is 1: it is for", "--block-all is given: it is for"},
    {"block_all is 1: with scale_rule it must be 0",
     "--block-all is given: with --scale-rule it must be left out"},
    {"from 1 to 4294967295", "from 1 to 2147483647"}, /* an option's most */
    {"scale_rule 1", "--scale-rule mx_floor"},
    {"scale_rule 2", "--scale-rule mx_even"},
    {"scale_rule 3", "--scale-rule mx_ceil"},
    {"scale_rule 4", "--scale-rule mx_rceil"},
    {"scale_rule 5", "--scale-rule nvfp4"},
    {"scale_rule", "--scale-rule"},
    {"CLQ_NVFP4 (5)", "nvfp4"},
    {"src_dtype 1", "--src-dtype int8"},
    {"src_dtype 4", "--src-dtype quint4x2"},
    {"src_dtype 5", "--src-dtype float8_e5m2"},
    {"src_dtype 6", "--src-dtype float8_e4m3fn"},
    {"cache_mode", "--cache-mode"},
    {"quant_axis is", "--quant-axis is"},
    {"div_mode", "--div-mode"},
    {"is axis", "is --axis"},
    {" (CLQ_AXIS_FIRST)", ""},
    {"symmetric is 1: it must be 0", "--symmetric is given: it must be left out"},
    {"symmetric is 0: it must be 1", "--symmetric is left out: it must be given"},
    {"symmetric is 1", "--symmetric is given"},
    {"method is CLQ_MINMAX (1): it must be CLQ_ABSMAX (0)", "--method is minmax: it must be absmax"},
    {"mode is 0", "--mode is divide"},
    {"mode is 1", "--mode is multiply"},
    {"mode is 2", "--mode is dynamic"},
    {"CLQ_DEQUANTIZE_MULTIPLY (1)", "multiply"},
    {"mode CLQ_DEQUANTIZE_DYNAMIC (2)", "--mode dynamic"},
    {"rotate is", "--rotate is"},
    {"index_kind CLQ_SLOTS (1)", "--slots"},
    {"out_of_range is 1", "--out-of-range is clamp"},
    {"out_of_range is 2", "--out-of-range is wrap"},
    {"CLQ_DROP (0)", "drop"},
    {"positions is", "--positions is"},
    {"src_index_kind CLQ_SLOTS (1)", "--src-index-kind slots"},
    {"dst_index_kind CLQ_SLOTS (1)", "--dst-index-kind slots"},
    {"src_index_kind CLQ_ND (2)", "--src-index-kind nd"},
    {"dst_index_kind CLQ_ND (2)", "--dst-index-kind nd"},
    {"src_index_kind is 0", "--src-index-kind is shape"},
    {"dst_index_kind is 0", "--dst-index-kind is shape"},
    {"src_index_kind is 1", "--src-index-kind is slots"},
    {"dst_index_kind is 1", "--dst-index-kind is slots"},
    {"src_index_kind is 2", "--src-index-kind is nd"},
    {"dst_index_kind is 2", "--dst-index-kind is nd"},
    {"src_out_of_range is 1", "--src-out-of-range is clamp"},
    {"src_out_of_range is 2", "--src-out-of-range is wrap"},
    {"dst_out_of_range is 1", "--dst-out-of-range is clamp"},
    {"dst_out_of_range is 2", "--dst-out-of-range is wrap"},
    {"CLQ_INDICES_BY_SHAPE (0)", "shape"},
    {"CLQ_ND (2)", "nd"},
    {"are both NULL: one of them must be a tensor", "are not there: one of them is needed"},
    {"one of them must be NULL",
     "one of them is expected; --tensor indices= or --tensor group_index= leaves one out"},
    {"it must be NULL", "it must be left out (--tensor NAME=)"},
    {"is NULL", "is left out"},
};

/* Of an operator without --slots; the second is said of move_rows alone. */
static const struct word without_slots[] = {
    {"with index_kind CLQ_SLOTS (1), or as [batch, start]", "as [batch, start]"},
    {"index_kind CLQ_SLOTS (1)", "--src-index-kind or --dst-index-kind slots"}};

/* The general operator's words, of a documented call over it: its own indices, and its first input, which is
 * written or copied. NULL: it has those words. */
struct moved {
    struct word words[2];
};

/* Where there are keys and values, the keys' cache. */
static const char *written_of(const struct operator_description *op)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && op->inputs[i].name; i++)
        if (strcmp(op->inputs[i].name, "key_cache") == 0)
            return op->inputs[i].name;
    return op->inputs[0].name;
}

static struct moved moved_of(const struct operator_description *op)
{
    struct moved moved = {{{"dst_indices", NULL}, {"dst", written_of(op)}}};

    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && op->inputs[i].name; i++) {
        if (strcmp(op->inputs[i].name, moved.words[0].word) == 0)
            return (struct moved){{{NULL, NULL}, {NULL, NULL}}};
        if (moved.words[0].instead == NULL && operator_is_indices(&op->inputs[i]))
            moved.words[0].instead = op->inputs[i].name;
    }
    return moved;
}

static bool has_slots(const struct operator_description *op)
{
    for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && op->options[i].name; i++)
        if (strcmp(op->options[i].name, "slots") == 0)
            return true;
    return false;
}

static int is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_at(const struct word *word, const char *sentence, const char *at)
{
    const size_t length = strlen(word->word);

    return strncmp(at, word->word, length) == 0 &&
           (at == sentence || !is_of_word(at[-1]) || !is_of_word(*at)) &&
           (!is_of_word(at[length - 1]) || !is_of_word(at[length]));
}

/* The word that begins there and is no part of a longer one; NULL and nothing where there is none. */
static struct word word_at(const char *sentence, const char *at, bool slots, const struct moved *moved)
{
    for (size_t i = 0; i < 2; i++)
        if (moved->words[i].instead && is_at(&moved->words[i], sentence, at))
            return moved->words[i];
    for (size_t i = 0; !slots && i < 2; i++)
        if (is_at(&without_slots[i], sentence, at))
            return without_slots[i];
    for (const struct safetensors_type *type = safetensors_types; type->name; type++) {
        const struct word word = {type->element, type->name};

        if (word.word && is_at(&word, sentence, at))
            return word;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_at(&words[i], sentence, at))
            return words[i];
    return (struct word){NULL, NULL};
}

void operator_sentence(const struct operator_description *op, char *text, size_t size_bytes)
{
    const char *const sentence = clq_error_detail();
    const bool slots = has_slots(op);
    const struct moved moved = moved_of(op);
    size_t used = 0;

    for (const char *at = sentence; *at && used + 1 < size_bytes;) {
        const struct word word = word_at(sentence, at, slots, &moved);
        const char *const from = word.word == NULL ? at : word.instead;
        size_t length = word.word == NULL ? 1 : strlen(from);

        if (length > size_bytes - 1 - used)
            length = size_bytes - 1 - used;
        memcpy(text + used, from, length);
        used += length;
        at += word.word == NULL ? 1 : strlen(word.word);
    }
    text[used] = '\0';
}
