/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a text into pieces as these patterns do, the first alternative that fits:
 *     GPT-2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *     Llama 3  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
 *              \s*[\r\n]+|\s+(?!\S)|\s+
 * SmolLM 2 has the former with every digit alone, and Qwen 2 the latter. */
#include "letters.h"
#include "llm.h"

#include <string.h>

enum kind { LETTER, NUMBER, SPACE, OTHER };

static const struct cut cuts[] = {
    {"gpt-2", .gpt2 = true},
    {"smollm", .gpt2 = true, .digits = 1},
    {"llama-bpe", .digits = 3, .whole_words = true, .begins = true},
    {"qwen2", .digits = 1},
};

clq_status cut_of(const struct gguf *file, const struct cut **cut)
{
    const struct gguf_value *pre = gguf_find(file, "tokenizer.ggml.pre");
    const struct gguf_text name =
        pre != NULL && pre->type == GGUF_TEXT ? pre->text : (struct gguf_text){"", 0};

    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (gguf_says(file, "tokenizer.ggml.pre", cuts[i].name)) {
            *cut = &cuts[i];
            return CLQ_OK;
        }
    return gguf_refuse(
        file, "its tokenizer.ggml.pre is '%.*s': texts can be cut as gpt-2, smollm, llama-bpe and qwen2 do",
        GGUF_SHOWN(name));
}

/* lengths: of letters.h. */
static bool is_in(uint32_t point, const uint16_t *lengths, size_t count)
{
    size_t i = 0;

    while (i < count && point >= lengths[i])
        point -= lengths[i++];
    return i % 2 == 1;
}

static bool is_space(uint32_t point)
{
    return (point >= 9 && point <= 13) || point == ' ' || point == 0x85 || point == 0xa0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 || point == 0x202f ||
           point == 0x205f || point == 0x3000;
}

uint32_t next_code_point(const char *text, size_t size, size_t *length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t wanted = bytes[0] < 0x80                       ? 1
                          : bytes[0] >= 0xc2 && bytes[0] < 0xe0 ? 2
                          : (bytes[0] & 0xf0) == 0xe0           ? 3
                          : bytes[0] >= 0xf0 && bytes[0] < 0xf5 ? 4
                                                                : 0;
    uint32_t point = wanted == 1 ? bytes[0] : bytes[0] & (0x7fu >> wanted);

    *length = 1;
    if (wanted == 0 || wanted > size)
        return 0xfffd;
    for (size_t i = 1; i < wanted; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0xfffd;
        point = point << 6 | (bytes[i] & 0x3f);
    }
    *length = wanted;
    return point;
}

static enum kind next_kind(const char *text, size_t size, size_t *length)
{
    const uint32_t point = next_code_point(text, size, length);

    return is_space(point)                                           ? SPACE
           : is_in(point, letters, sizeof letters / sizeof *letters) ? LETTER
           : is_in(point, numbers, sizeof numbers / sizeof *numbers) ? NUMBER
                                                                     : OTHER;
}

static size_t contraction(const char *text, size_t size, bool capitals)
{
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};

    if (capitals && size >= 3 && memcmp(text, "'\xc5\xbf", 3) == 0)
        return 3; /* U+017F is a small s whose capital is S */
    for (size_t i = 0; i < sizeof endings / sizeof *endings && *text == '\''; i++) {
        size_t at = 1;

        while (at < size && endings[i][at - 1] != '\0' &&
               (text[at] | (capitals ? 'a' ^ 'A' : 0)) == endings[i][at - 1])
            at++;
        if (endings[i][at - 1] == '\0')
            return at;
    }
    return 0;
}

/* Bytes of the code points of one kind, from the begin on, `most` of them; *last gets the length of the
 * last. */
static size_t run_of(enum kind kind, size_t most, const char *text, size_t size, size_t *last)
{
    size_t end = 0, length = 0;

    for (size_t i = 0; i < most && end < size && next_kind(text + end, size - end, &length) == kind; i++) {
        end += length;
        *last = length;
    }
    return end;
}

/* Spaces leave their last one to what follows them, but for a digit that is cut off first. */
static size_t spaces(const char *text, size_t size, bool before_digits)
{
    size_t last = 0, length = 0;
    const size_t all = run_of(SPACE, SIZE_MAX, text, size, &last);

    if (all == size || all == last || (before_digits && next_kind(text + all, size - all, &length) == NUMBER))
        return all;
    return all - last;
}

static size_t gpt2_piece(const struct cut *cut, const char *text, size_t size)
{
    const size_t ending = contraction(text, size, false), blank = *text == ' ' && size > 1;
    size_t length = 0;
    const enum kind first = next_kind(text, size, &length),
                    kind = blank ? next_kind(text + 1, size - 1, &length) : first;

    if (ending > 0)
        return ending;
    if (kind == LETTER || kind == OTHER || (kind == NUMBER && cut->digits == 0))
        return blank + run_of(kind, SIZE_MAX, text + blank, size - blank, &length);
    return first == NUMBER ? run_of(NUMBER, cut->digits, text, size, &length)
                           : spaces(text, size, cut->digits > 0);
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Of spaces: up to the last end of a line among them; 0: there is none. */
static size_t lines(const char *text, size_t size)
{
    size_t length = 0, all = run_of(SPACE, SIZE_MAX, text, size, &length);

    while (all > 0 && !is_line_end(text[all - 1]))
        all--;
    return all;
}

static size_t llama3_piece(const struct cut *cut, const char *text, size_t size)
{
    const size_t ending = contraction(text, size, true);
    size_t length = 0, end, ignored = 0;
    const enum kind first = next_kind(text, size, &length),
                    second = length < size ? next_kind(text + length, size - length, &ignored) : SPACE;

    if (ending > 0)
        return ending;
    if (first == NUMBER)
        return run_of(NUMBER, cut->digits, text, size, &length);
    if (first == LETTER || (second == LETTER && !is_line_end(*text)))
        return length + run_of(LETTER, SIZE_MAX, text + length, size - length, &ignored);
    if (first == OTHER || (*text == ' ' && second == OTHER)) {
        end = length + run_of(OTHER, SIZE_MAX, text + length, size - length, &ignored);
        while (end < size && is_line_end(text[end]))
            end++;
        return end;
    }
    end = lines(text, size);
    return end > 0 ? end : spaces(text, size, false);
}

size_t next_piece(const struct cut *cut, const char *text, size_t size)
{
    return cut->gpt2 ? gpt2_piece(cut, text, size) : llama3_piece(cut, text, size);
}
