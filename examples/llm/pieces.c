/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a text as GPT-2 does, with every digit alone:
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+      between the digits */
#include "letters.h"
#include "llm.h"

#include <string.h>

enum kind { LETTER, NUMBER, SPACE, OTHER };

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

static size_t contraction(const char *text, size_t size)
{
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i]);

        if (length <= size && memcmp(text, endings[i], length) == 0)
            return length;
    }
    return 0;
}

/* Bytes of the code points of one kind, from the begin on; *last gets the length of the last. */
static size_t run_of(enum kind kind, const char *text, size_t size, size_t *last)
{
    size_t end = 0, length = 0;

    while (end < size && next_kind(text + end, size - end, &length) == kind) {
        end += length;
        *last = length;
    }
    return end;
}

/* Spaces leave their last one to what follows them, but for a digit. */
static size_t spaces(const char *text, size_t size)
{
    size_t last = 0, length = 0;
    const size_t all = run_of(SPACE, text, size, &last);

    if (all == size || all == last || next_kind(text + all, size - all, &length) == NUMBER)
        return all;
    return all - last;
}

size_t next_piece(const char *text, size_t size)
{
    const size_t ending = contraction(text, size), blank = *text == ' ' && size > 1;
    size_t length = 0;
    const enum kind first = next_kind(text, size, &length),
                    kind = blank ? next_kind(text + 1, size - 1, &length) : first;

    if (ending > 0)
        return ending;
    if (kind == LETTER || kind == OTHER)
        return blank + run_of(kind, text + blank, size - blank, &length);
    return first == NUMBER ? length : spaces(text, size);
}
