/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs past what a cache holds, all rows different: a CPU's work-item may do several of them in turn, and must mix up
 * neither their places nor their scales. (A CPU of many cores has less for each, and does so with fewer of these.) */
#include "dequantize_case.h"

struct past_caches {
    struct dequantize_shape shape;
    enum reference_type q, y;
    enum clq_dequantize_mode mode;
    int64_t gap, before; /* in y: elements behind each row, and before them all */
};

/* The types that are not said go by the case's number. */
static void expect_past_caches(const char *name, const struct past_caches *one, enum reference_type scale,
                               enum places places, enum clq_range_policy range, size_t i)
{
    const struct dequantize_types types = {.q = one->q,
                                           .scale = scale,
                                           .zero = i % 3 ? REFERENCE_F32 : REFERENCE_I4,
                                           .index = i % 2 ? REFERENCE_I64 : REFERENCE_I32,
                                           .y = one->y,
                                           .mode = one->mode};
    const int last = one->shape.rank - 1;
    struct dequantize_case c = dequantize_case_of(name, &types, &one->shape);

    if (one->gap > 0)
        layout_stride(&c.y);
    for (int d = 0; d < last && one->gap > 0; d++)
        c.y.strides[d] += c.y.strides[d] / c.y.shape[last] * one->gap;
    c.y.before += one->before;
    c.places = places;
    c.range = range;
    expect_dequantize(&c);
}

/* Rows of one step, of more, and of no whole steps, less than one among them; all in line, some, and none; parts of long
 * rows; entries of one row, of some and of many, that wrap, and of which a part has no place; groups; scales for each
 * element. */
static void rows_past_the_caches(void **state)
{
    static const struct past_caches cases[] = {
        {{.rank = 2, .q = {33501, 128}}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 0, 0},
        {{.rank = 2, .q = {66007, 64}}, REFERENCE_U8, REFERENCE_BF16, CLQ_DEQUANTIZE_DYNAMIC, 32, 0},
        {{.rank = 2, .q = {44003, 96}, .axis = 1}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DIVIDE, 0, 0},
        {{.rank = 2, .q = {521, 8224}, .axis = 1},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_MULTIPLY,
         0,
         0},
        {{.rank = 2, .q = {44001, 96}}, REFERENCE_I4, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 0, 0},
        {{.rank = 2, .q = {13383, 320}}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 16, 0},
        {{.rank = 2, .q = {31000, 136}}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_MULTIPLY, 0, 0},
        {{.rank = 2, .q = {4120, 1024}, .axis = 1}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DIVIDE, 1, 0},
        {{.rank = 2, .q = {4120, 1024}, .axis = 1}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DIVIDE, 0, 1},
        {{.rank = 2, .q = {130, 32770}}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DIVIDE, 0, 0},
        {{.rank = 2, .q = {4120, 1024}, .axis = 1},
         REFERENCE_I32,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DIVIDE,
         0,
         0},
        {{.rank = 2, .q = {48, 50112}}, REFERENCE_I8, REFERENCE_F32, CLQ_DEQUANTIZE_DIVIDE, 0, 0},
        {{.rank = 2, .q = {87, 50048}, .axis = 1}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DIVIDE, 0, 0},
        {{.rank = 1, .q = {4300006}, .one_scale = true, .one_zero = true},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DIVIDE,
         0,
         0},
        {{.rank = 4, .q = {4, 1300, 8, 128}, .axis = 1, .index_rank = 2, .entries = 4323, .length = 1},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DYNAMIC,
         0,
         0},
        {{.rank = 3, .q = {3, 1111, 1024}, .axis = 1, .index_rank = 2, .entries = 4321, .length = 1},
         REFERENCE_U8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DIVIDE,
         0,
         0},
        {{.rank = 3, .q = {3, 40, 50048}, .axis = 1, .index_rank = 2, .entries = 90, .length = 1},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DIVIDE,
         0,
         0},
        {{.rank = 3, .q = {3, 1111, 576}, .axis = 1, .index_rank = 2, .entries = 2511, .length = 3},
         REFERENCE_I8,
         REFERENCE_BF16,
         CLQ_DEQUANTIZE_MULTIPLY,
         8,
         0},
        {{.rank = 3, .q = {3, 1111, 576}, .axis = 1, .index_rank = 2, .entries = 2512, .length = 3},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DYNAMIC,
         0,
         0},
        {{.rank = 3, .q = {9, 2000, 192}, .axis = 1, .index_rank = 1, .entries = 9, .length = 1301},
         REFERENCE_I8,
         REFERENCE_F32,
         CLQ_DEQUANTIZE_DYNAMIC,
         0,
         0},
        {{.rank = 2, .q = {44601, 96}}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 0, 0},
        {{.rank = 2, .q = {53507, 80}}, REFERENCE_I4, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 0, 3},
        {{.rank = 2, .q = {22003, 100}, .axis = 1}, REFERENCE_U8, REFERENCE_F32, CLQ_DEQUANTIZE_DIVIDE, 0, 5},
        {{.rank = 2, .q = {4201, 1002}}, REFERENCE_I4, REFERENCE_BF16, CLQ_DEQUANTIZE_MULTIPLY, 0, 0},
        {{.rank = 2, .q = {71001, 60}}, REFERENCE_I4, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 0, 0},
        {{.rank = 2, .q = {300007, 14}}, REFERENCE_I8, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 0, 1},
        {{.rank = 2, .q = {44000, 96}}, REFERENCE_I32, REFERENCE_F16, CLQ_DEQUANTIZE_DIVIDE, 40, 0},
        {{.rank = 4, .q = {4, 1300, 8, 96}, .axis = 1, .index_rank = 2, .entries = 5601, .length = 1},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DYNAMIC,
         0,
         0},
        {{.rank = 3, .q = {3, 1111, 1000}, .axis = 1, .index_rank = 2, .entries = 1413, .length = 3},
         REFERENCE_I4,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DYNAMIC,
         0,
         0},
        {{.rank = 2, .q = {4400, 1034}}, REFERENCE_I4, REFERENCE_F16, CLQ_DEQUANTIZE_DYNAMIC, 0, 0},
        {{.rank = 2, .q = {2100, 1034}, .axis = 1}, REFERENCE_U8, REFERENCE_F32, CLQ_DEQUANTIZE_DIVIDE, 0, 0},
        {{.rank = 4, .q = {4, 1300, 8, 96}, .axis = 1, .index_rank = 2, .entries = 5602, .length = 1},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_DYNAMIC,
         0,
         0},
        {{.rank = 2, .q = {53000, 40}}, REFERENCE_I8, REFERENCE_F32, CLQ_DEQUANTIZE_DYNAMIC, 0, 0},
        {{.rank = 2, .q = {4130, 1024}, .groups = 17},
         REFERENCE_I8,
         REFERENCE_F16,
         CLQ_DEQUANTIZE_MULTIPLY,
         0,
         0},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(cases); i += harness_step(1, 1))
        expect_past_caches("past the caches", &cases[i], REFERENCE_F32, i % 3 ? PLACES_STRAY : PLACES_VALID,
                           (enum clq_range_policy)(i % 4 % 3), i);
}

/* Entries that a work-item finds some of at once: of one row, of several and of more than it fetches ahead, all in range,
 * one in 40 outside and most of them; as many as strands have alike, and not. */
static void entries_past_the_caches(void **state)
{
    static const struct {
        struct past_caches one;
        enum places places;
        enum clq_range_policy range;
    } cases[] = {
#define ENTRIES(...) .axis = 1, .index_rank = 2, .length = 1, __VA_ARGS__
        {{{.rank = 3, .q = {3, 1111, 1024}, ENTRIES(.entries = 4321)},
          REFERENCE_I8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_VALID,
         CLQ_DROP},
        {{{.rank = 3, .q = {3, 1111, 1024}, ENTRIES(.entries = 4333)},
          REFERENCE_I8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          32,
          0},
         PLACES_RARE,
         CLQ_DROP},
        {{{.rank = 3, .q = {3, 1111, 1024}, ENTRIES(.entries = 4320)},
          REFERENCE_I4,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_VALID,
         CLQ_DROP},
        {{{.rank = 3, .q = {3, 1111, 256}, ENTRIES(.entries = 17001)},
          REFERENCE_I4,
          REFERENCE_BF16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_RARE,
         CLQ_CLAMP},
        {{{.rank = 4, .q = {4, 1300, 8, 128}, ENTRIES(.entries = 4323)},
          REFERENCE_I4,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_RARE,
         CLQ_DROP},
        {{{.rank = 4, .q = {4, 300, 32, 128}, ENTRIES(.entries = 1083)},
          REFERENCE_I8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_RARE,
         CLQ_WRAP},
        {{{.rank = 4, .q = {4, 1300, 3, 128}, ENTRIES(.entries = 11003)},
          REFERENCE_I8,
          REFERENCE_BF16,
          CLQ_DEQUANTIZE_DYNAMIC,
          64,
          0},
         PLACES_STRAY,
         CLQ_CLAMP},
        {{{.rank = 4, .q = {4, 900, 4, 192}, ENTRIES(.entries = 5601)},
          REFERENCE_U8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_VALID,
         CLQ_DROP},
        {{{.rank = 4, .q = {4, 700, 20, 64}, ENTRIES(.entries = 3501)},
          REFERENCE_I8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_RARE,
         CLQ_DROP},
        {{{.rank = 3, .q = {3, 1111, 640}, ENTRIES(.entries = 7001)},
          REFERENCE_I8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_VALID,
         CLQ_DROP},
        {{{.rank = 3, .q = {2, 3000, 64}, ENTRIES(.entries = 67003)},
          REFERENCE_I8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_MULTIPLY,
          0,
          0},
         PLACES_VALID,
         CLQ_DROP},
        {{{.rank = 3, .q = {3, 1111, 4096}, ENTRIES(.entries = 1201)},
          REFERENCE_I4,
          REFERENCE_F32,
          CLQ_DEQUANTIZE_DIVIDE,
          0,
          0},
         PLACES_RARE,
         CLQ_CLAMP},
        {{{.rank = 3, .q = {3, 1111, 1024}, ENTRIES(.entries = 4207)},
          REFERENCE_I32,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DIVIDE,
          0,
          0},
         PLACES_RARE,
         CLQ_DROP},
        {{{.rank = 3, .q = {3, 1111, 512}, .axis = 1, .index_rank = 2, .length = 5, .entries = 1801},
          REFERENCE_I8,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_RARE,
         CLQ_CLAMP},
        {{{.rank = 3, .q = {600, 40, 512}, .axis = 1, .index_rank = 1, .length = 17, .entries = 599},
          REFERENCE_I4,
          REFERENCE_F16,
          CLQ_DEQUANTIZE_DYNAMIC,
          0,
          0},
         PLACES_RARE,
         CLQ_DROP},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(cases); i += harness_step(1, 1))
        expect_past_caches("entries past the caches", &cases[i].one, i % 5 ? REFERENCE_F32 : REFERENCE_F16,
                           cases[i].places, cases[i].range, i);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_past_the_caches),
        cmocka_unit_test(entries_past_the_caches),
    };

    return HARNESS_RUN(argc, argv, "dequantize turns", tests);
}
