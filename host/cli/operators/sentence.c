/* SPDX-License-Identifier: Apache-2.0 */
/* The library's sentences in the words of those who have a file and a command line: types as the file names
 * them (float16 is F16), axes and modes with the option that sets them. */
#include "operator.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct word {
    const char *word, *instead;
};

static const struct word words[] = {
    {".dtype is", "'s type is"},
    {".ndim is", "'s rank is"},
    {"from 1 to 4294967295", "from 1 to 2147483647"}, /* an option's most */
    {"src_dtype 1", "--src-dtype int8"},
    {"src_dtype 4", "--src-dtype quint4x2"},
    {"src_dtype 5", "--src-dtype float8_e5m2"},
    {"src_dtype 6", "--src-dtype float8_e4m3fn"},
    {"cache_mode", "--cache-mode"},
    {"div_mode", "--div-mode"},
    {" (CLQ_AXIS_FIRST)", ""},
    {"are both NULL: one of them must be a tensor", "are not there: one of them is needed"},
    {"one of them must be NULL",
     "one of them is expected; --tensor indices= or --tensor group_index= leaves one out"},
    {"it must be NULL", "it must be left out (--tensor NAME=)"},
    {"is NULL", "is left out"},
};

/* Of an operator without --index-kind; the second is said of move_rows alone. */
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

static bool starts(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The bytes of an option's field at the beginning of a text, --block-before as block_before; 0: it is not. */
static size_t field_bytes(const struct operator_option *option, const char *text)
{
    size_t i = 0;

    for (; option->name[i]; i++)
        if (text[i] != (option->name[i] == '-' ? '_' : option->name[i]))
            return 0;
    return is_of_word(text[i]) ? 0 : i;
}

/* CLQ_DROP (0), or its number, which is drop. Returns its bytes; 0: it is none. */
static size_t choice_bytes(const struct clq_option_word *choices, const char *text, bool by_number,
                           const char **word)
{
    char names[2][64];

    for (int i = 0; choices[i].word; i++) {
        snprintf(names[0], sizeof names[0], "%s (%d)", choices[i].name, i);
        snprintf(names[1], sizeof names[1], "%d", i);
        for (int n = 0; n <= by_number; n++)
            if (starts(text, names[n]) && !is_of_word(text[strlen(names[n])])) {
                *word = choices[i].word;
                return strlen(names[n]);
            }
    }
    return 0;
}

/* What the command says instead of an option's field and of the value behind it. */
struct said {
    char text[128];
    size_t bytes; /* that it takes the place of; 0: there is no such field */
    int flag;     /* 1: a flag that is given, and 0: one that is left out; else -1 */
};

static struct said said_of(const struct operator_description *op, size_t i, const char *sentence,
                           const char *at)
{
    const struct operator_option *option = &op->options[i];
    const struct clq_option_word *choices = op->rows[i] ? op->rows[i]->words : NULL;
    const size_t bytes = field_bytes(option, at);
    const char *behind = at + bytes, *word = NULL;
    const bool is = starts(behind, " is ");
    const size_t between = is ? 4 : 1;
    struct said said = {.bytes = 0, .flag = -1};

    if (bytes == 0 || (at > sentence && is_of_word(at[-1])))
        return said;
    said.bytes = bytes;
    snprintf(said.text, sizeof said.text, "--%s", option->name);
    if (is && option->choices == operator_flag && (behind[4] == '0' || behind[4] == '1')) {
        said.flag = behind[4] - '0';
        said.bytes += 5;
        strcat(said.text, said.flag ? " is given" : " is left out");
    } else if (choices && *behind == ' ' && choice_bytes(choices, behind + between, true, &word) > 0) {
        said.bytes += between + choice_bytes(choices, behind + between, true, &word);
        snprintf(said.text, sizeof said.text, "--%s%s%s", option->name, is ? " is " : " ", word);
    } else if (!is && !(at - sentence > 5 && (starts(at - 5, "with ") || starts(at - 5, "give ")))) {
        said.bytes = at - sentence > 3 && starts(at - 3, "is ") ? bytes : 0;
    }
    return said;
}

static struct said option_at(const struct operator_description *op, const char *sentence, const char *at)
{
    struct said said = {.bytes = 0, .flag = -1};
    const char *word = NULL;

    for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && op->options[i].name && said.bytes == 0; i++) {
        said = said_of(op, i, sentence, at);
        if (said.bytes == 0 && op->rows[i] && op->rows[i]->words)
            said.bytes = choice_bytes(op->rows[i]->words, at, false, &word);
    }
    if (word)
        snprintf(said.text, sizeof said.text, "%s", word);
    return said;
}

/* A type's name as a file has it: float16 is F16. */
static struct word type_at(const char *sentence, const char *at)
{
    for (const struct safetensors_type *type = safetensors_types; type->name; type++) {
        const struct word word = {type->element, type->name};

        if (word.word && is_at(&word, sentence, at))
            return word;
    }
    return (struct word){NULL, NULL};
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
    if (type_at(sentence, at).word)
        return type_at(sentence, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_at(&words[i], sentence, at))
            return words[i];
    return (struct word){NULL, NULL};
}

void operator_sentence(const struct operator_description *op, char *text, size_t size_bytes)
{
    const char *const sentence = clq_error_detail();
    const bool slots = operator_option_named(op, "index-kind") < OPERATOR_MAX_OPTIONS;
    const struct moved moved = moved_of(op);
    size_t used = 0;
    int flag = -1; /* that was spoken of */

    for (const char *at = sentence; *at && used + 1 < size_bytes;) {
        const struct word word = word_at(sentence, at, slots, &moved);
        const struct said said = option_at(op, sentence, at);
        const bool must = flag >= 0 && starts(at, flag ? "it must be 0" : "it must be 1");
        const char *from = at;
        size_t length = 1, taken = 1;

        if (word.word || must || said.bytes > 0) {
            from = word.word ? word.instead
                   : must    ? flag ? "it must be left out" : "it must be given"
                             : said.text;
            taken = word.word ? strlen(word.word) : must ? strlen("it must be 0") : said.bytes;
            length = strlen(from);
        }
        if (said.flag >= 0)
            flag = said.flag;
        if (length > size_bytes - 1 - used)
            length = size_bytes - 1 - used;
        memcpy(text + used, from, length);
        used += length;
        at += taken;
    }
    text[used] = '\0';
}

void operator_print_types(const char *sentence, char *text, size_t size_bytes)
{
    text[0] = '\0';
    for (const char *at = sentence; *at;) {
        const struct word word = type_at(sentence, at);
        const char letter[] = {*at, '\0'};

        operator_list(text, size_bytes, "", word.word ? word.instead : letter);
        at += word.word ? strlen(word.word) : 1;
    }
}
