/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include <stdio.h>

enum { CALLS = 40, LARGE_CALLS = 2, LARGE = 100000 };

/* The one float type that goes with a quantized type and a mode in the spread; NO_TYPE: none. */
enum { NO_TYPE = -1 };
static int spread_type(int quantized, int multiply)
{
    static const int types[REFERENCE_TYPES][2] = {
        [REFERENCE_I8] = {REFERENCE_F32, REFERENCE_BF16}, [REFERENCE_U8] = {NO_TYPE, REFERENCE_F16},
        [REFERENCE_I32] = {REFERENCE_BF16, NO_TYPE},      [REFERENCE_I4] = {NO_TYPE, REFERENCE_F16},
        [REFERENCE_U4] = {NO_TYPE, REFERENCE_BF16},       [REFERENCE_E4M3] = {REFERENCE_F16, NO_TYPE},
        [REFERENCE_E5M2] = {NO_TYPE, REFERENCE_F32}};

    return types[quantized][multiply];
}

static bool is_back(const struct line *line)
{
    return (TYPES_QUANTIZED | TYPES_BLOCK) >> line->src & 1;
}

/* Its mode there; NO_TYPE: it is not in it. The way back has the first of a type's two. */
static int spread_mode(const struct line *line)
{
    const int quantized = is_back(line) ? line->src : line->dst,
              other = is_back(line) ? line->dst : line->src;
    const int first = line->op == &operator_group_quantize /* which only multiplies */ ||
                      spread_type(quantized, 0) == NO_TYPE;

    for (int multiply = first; multiply < (is_back(line) ? first + 1 : 2); multiply++)
        if (spread_type(quantized, multiply) == other)
            return multiply;
    return NO_TYPE;
}

static bool has_modes(const struct line *line)
{
    return is_back(line) && (line->src == REFERENCE_I8 || line->src == REFERENCE_I4) &&
           line->dst == REFERENCE_F16;
}

static void find_mode(int i, struct line *line)
{
    static const struct {
        const char *name;
        int wish;
    } modes[] = {{"multiply", 0}, {"divide", WISH_DIVIDE}, {"dynamic", WISH_DYNAMIC}};

    *line = (struct line){.op = &operator_dequantize,
                          .src = i % 2 == 0 ? REFERENCE_I8 : REFERENCE_I4,
                          .dst = REFERENCE_F16,
                          .multiply = modes[i / 2].wish,
                          .mode = modes[i / 2].name};
}

static bool find_pair(int number, bool own, struct line *line)
{
    line->op = operators[number / (REFERENCE_TYPES * REFERENCE_TYPES)];
    line->src = number / REFERENCE_TYPES % REFERENCE_TYPES;
    line->dst = number % REFERENCE_TYPES;
    if (!(line->op->src >> line->src & 1) || !(line->op->dst >> line->dst & 1))
        return false;
    if (!own)
        line->multiply = spread_mode(line);
    else if (is_back(line)) /* each pair in one mode, each type in both */
        line->multiply = (line->src + line->dst) % 2;
    if (TYPES_BLOCK >> line->src & 1 && line->multiply != NO_TYPE) /* what dynamic quantization left */
        line->multiply = WISH_DYNAMIC;
    return own ? !has_modes(line) : line->multiply != NO_TYPE;
}

bool line_find(int number, bool own, struct line *line)
{
    const int documented = number - LINES_OF_PAIRS, mode = documented - DOCUMENTED_CALLS;

    *line = (struct line){.multiply = -1};
    if (documented < 0)
        return find_pair(number, own, line);
    if (mode >= 0)
        find_mode(mode, line);
    else /* only its rules of arguments are not the general operator's */
        line->documented = &documented_calls[documented];
    return own;
}

void line_name(const struct line *line, const char *setting, char *name, size_t name_bytes)
{
    if (line->documented != NULL)
        snprintf(name, name_bytes, "%s, %s: every type", line->documented->name, setting);
    else
        snprintf(name, name_bytes, "%s, %s: %s to %s%s%s", line->op->name, setting,
                 reference_types[line->src].name, reference_types[line->dst].name,
                 line->mode != NULL ? ", " : "", line->mode != NULL ? line->mode : "");
}

/* Most calls are small; of large ones the last has as many entries as an operator that reads indices can
 * have. */
static void draw(const struct line *line, struct call *call, struct operator_row *row, int i)
{
    const bool is_large = i >= CALLS - LARGE_CALLS;
    const int64_t elements = i % 8 < 5 ? 48 : i % 8 < 7 ? 600 : 5000;
    struct wish wish = {.given = true, .src = line->src, .dst = line->dst, .multiply = line->multiply};

    if (line->documented != NULL) {
        documented_draw(call, line->documented, row, elements);
        return;
    }
    wish.multiply = line->multiply < 0 ? i % 2 : line->multiply;
    wish.smooth = line->multiply < 0 ? i / 2 % 2 : line->multiply == 1;
    wish.claims = i == CALLS - 1;
    call_draw(call, line->op, is_large ? LARGE : elements, &wish);
}

bool line_run(const struct line *line, int number, uint64_t seed, const struct device *device,
              size_t *comparisons, char *failure, size_t failure_bytes)
{
    struct match how = {.device = device, .queue = device->queue};
    struct operator_row row;
    struct call call;
    bool good = true;

    for (int i = 0; i < CALLS && good; i++) {
        call.rng = rng_of(seed, (uint64_t)number * CALLS + (uint64_t)i);
        draw(line, &call, &row, i);
        call_expect(&call);
        how.no_event = i % 16 == 15;
        good = match(&how, &call, failure, failure_bytes);
        ++*comparisons;
        if (!good)
            call_print(&call);
        call_clear(&call);
    }
    return good;
}
