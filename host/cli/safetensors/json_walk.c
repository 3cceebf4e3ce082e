/* SPDX-License-Identifier: Apache-2.0 */
/* A strict scan of JSON text: see json_walk.h for what is refused. */
#include "json_walk.h"

#include "utf8.h"

#include <stdint.h>
#include <string.h>

enum { MAX_DEPTH = 2, MAX_ELEMENTS = 64, MAX_NUMBER_DIGITS = 16 };
static const uint64_t MAX_NUMBER = UINT64_C(1) << 53;

static bool scan_value(struct json_walk *walk, int depth, size_t *children);

static bool problem(struct json_walk *walk, const char *rule)
{
    walk->problem = rule;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(struct json_walk *walk)
{
    while (walk->at < walk->end && memchr(" \t\r\n", *walk->at, 4))
        walk->at++;
}

static bool at_char(const struct json_walk *walk, char c)
{
    return walk->at < walk->end && *walk->at == c;
}

static bool expect(struct json_walk *walk, char c, const char *rule)
{
    skip_space(walk);
    if (!at_char(walk, c))
        return problem(walk, rule);
    walk->at++;
    return true;
}

/* 16: not hexadecimal. */
static unsigned digit_of(char c)
{
    const char lower = (char)(c | 0x20);

    if (is_digit(c))
        return (unsigned)(c - '0');
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : 16;
}

/* The backslash and the u of \u12ab are next. */
static bool scan_unit(struct json_walk *walk, unsigned *unit)
{
    *unit = 0;
    walk->at += 2;
    for (int i = 0; i < 4; i++, walk->at++) {
        const unsigned digit = walk->at < walk->end ? digit_of(*walk->at) : 16;

        if (digit > 15)
            return problem(walk, "\\u needs four hexadecimal digits");
        *unit = *unit << 4 | digit;
    }
    return true;
}

static bool scan_escape(struct json_walk *walk)
{
    const char *const begin = walk->at;
    const char *at = begin + 1;
    unsigned unit = 0, low = 0;

    if (at == walk->end || !memchr("\"\\/bfnrtu", *at, 9))
        return problem(walk, "an unknown escape in a string");
    if (*at != 'u') {
        walk->at = at + 1;
        return true;
    }
    if (!scan_unit(walk, &unit))
        return false;
    if (unit == 0 && !walk->nul)
        walk->nul = begin;
    if (unit < 0xd800 || unit > 0xdfff)
        return true;
    if (unit < 0xdc00 && walk->end - walk->at >= 2 && memcmp(walk->at, "\\u", 2) == 0 &&
        !scan_unit(walk, &low))
        return false;
    return (low >= 0xdc00 && low <= 0xdfff) || problem(walk, "a string holds half of a surrogate pair");
}

static bool scan_string(struct json_walk *walk)
{
    if (!expect(walk, '"', "a string in double quotes is expected"))
        return false;
    while (walk->at < walk->end && *walk->at != '"') {
        size_t bytes = utf8_length(walk->at, walk->end);

        if ((unsigned char)*walk->at < 0x20)
            return problem(walk, "a string holds a control character");
        if (bytes == 0)
            return problem(walk, "a string is not valid UTF-8");
        if (*walk->at != '\\')
            walk->at += bytes;
        else if (!scan_escape(walk))
            return false;
    }
    return expect(walk, '"', "a string does not end");
}

static bool scan_number(struct json_walk *walk)
{
    const char *begin = walk->at;
    const char *digit = begin;
    uint64_t value = 0;

    while (digit < walk->end && is_digit(*digit) && digit - begin <= MAX_NUMBER_DIGITS)
        value = value * 10 + (uint64_t)(*digit++ - '0');
    if (digit - begin > MAX_NUMBER_DIGITS || value > MAX_NUMBER)
        return problem(walk, "a number is larger than 2^53");
    if (digit == begin || (digit < walk->end && (*digit == '.' || *digit == 'e' || *digit == 'E')))
        return problem(walk, "a number is not whole, or is negative");
    if (*begin == '0' && digit - begin > 1)
        return problem(walk, "a number begins with a zero");
    walk->at = digit;
    return true;
}

static bool scan_word(struct json_walk *walk)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t bytes = strlen(words[i]);

        if ((size_t)(walk->end - walk->at) >= bytes && memcmp(walk->at, words[i], bytes) == 0) {
            walk->at += bytes;
            return true;
        }
    }
    return problem(walk, "a JSON value is expected");
}

/* An array or an object; the opening bracket is next. */
static bool scan_nest(struct json_walk *walk, int depth, size_t *children)
{
    const bool object = *walk->at == '{';
    const char close = object ? '}' : ']';

    if (depth == MAX_DEPTH)
        return problem(walk, "values are nested too deep");
    walk->at++;
    skip_space(walk);
    if (at_char(walk, close)) {
        walk->at++;
        return true;
    }
    for (;;) {
        size_t ignored = 0;

        if (object && !(scan_string(walk) && expect(walk, ':', "a colon is expected after a name")))
            return false;
        if (!scan_value(walk, depth + 1, &ignored))
            return false;
        if (++*children > MAX_ELEMENTS && depth > 0)
            return problem(walk, "more than 64 values in an array or an object");
        skip_space(walk);
        if (at_char(walk, close)) {
            walk->at++;
            return true;
        }
        if (!expect(walk, ',', object ? "a comma or } is expected" : "a comma or ] is expected"))
            return false;
    }
}

static bool scan_value(struct json_walk *walk, int depth, size_t *children)
{
    skip_space(walk);
    if (walk->at == walk->end)
        return problem(walk, "the text ends in the middle");
    if (*walk->at == '"')
        return scan_string(walk);
    if (*walk->at == '{' || *walk->at == '[')
        return scan_nest(walk, depth, children);
    if (*walk->at == '-' || is_digit(*walk->at))
        return scan_number(walk);
    return scan_word(walk);
}

/* The object has ended: nothing may follow it. */
static bool finish(struct json_walk *walk)
{
    walk->at++;
    skip_space(walk);
    return walk->at == walk->end ? false : problem(walk, "text follows the end of the object");
}

void json_walk_init(struct json_walk *walk, const char *text, size_t text_bytes)
{
    *walk = (struct json_walk){.text = text, .at = text, .end = text + text_bytes};
}

bool json_walk_next(struct json_walk *walk, struct json_member *member)
{
    const char *key = NULL;

    *member = (struct json_member){0};
    if (!walk->started) {
        if (!expect(walk, '{', "an object in braces is expected"))
            return false;
        skip_space(walk);
        if (at_char(walk, '}'))
            return finish(walk);
    } else {
        skip_space(walk);
        if (at_char(walk, '}'))
            return finish(walk);
        if (!expect(walk, ',', "a comma or } is expected"))
            return false;
    }
    walk->started = true;
    walk->nul = NULL;
    skip_space(walk);
    key = walk->at;
    if (!scan_string(walk))
        return false;
    member->key = key;
    member->key_bytes = (size_t)(walk->at - key);
    if (!expect(walk, ':', "a colon is expected after a name"))
        return false;
    skip_space(walk);
    member->value = walk->at;
    if (!scan_value(walk, 0, &member->children))
        return false;
    member->value_bytes = (size_t)(walk->at - member->value);
    member->nul = walk->nul;
    return true;
}
