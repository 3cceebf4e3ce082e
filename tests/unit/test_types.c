/* SPDX-License-Identifier: Apache-2.0 */
/* Which types there are is written down twice: the rows of the library, and those of the reference with the
 * tests' sets. Both say the same. */
#include "base/dtype.h"
#include "operator.h"
#include "tests.h"

#include <clquant/clquant.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The rows' ends are floats, of which 2^31 stands for the largest int32. */
static const struct {
    enum clq__type type;
    unsigned roles;
    float top, lowest;
} rows[] = {
#define ROW(t, id) {CLQ__##id, CLQ_TYPE_ROLES(t), CLQ_TYPE_TOP(t), CLQ_TYPE_LOWEST(t)},
    CLQ_TYPES(ROW)
#undef ROW
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The header's macros of no view, in the order of the rows. */
#define MACRO(id, header) CLQ_##header,
static const DLDataType macros[] = {REFERENCE_VALUES(MACRO) CLQ_INT64, REFERENCE_BLOCKS(MACRO)};

static enum reference_type reference_of(enum clq__type type)
{
    for (int i = 0; i < REFERENCE_TYPES; i++)
        if (strcmp(reference_types[i].name, clq__type_name(type)) == 0)
            return (enum reference_type)i;
    fail_msg("the reference has no %s", clq__type_name(type));
    return REFERENCE_TYPES;
}

TEST(every_type_is_in_both_lists)
{
    assert_int_equal(ROWS, REFERENCE_TYPES);
    assert_int_equal(sizeof(macros) / sizeof(macros[0]), REFERENCE_TYPES);
    for (int i = 0; i < ROWS; i++) {
        const struct reference_type_row *const row = &reference_types[reference_of(rows[i].type)];
        const DLDataType dtype = {(uint8_t)row->dlpack_code, (uint8_t)row->bits,
                                  (uint16_t)reference_dlpack_lanes(reference_of(rows[i].type))};
        const DLDataType parsed = clq_dtype_parse(row->name);

        assert_memory_equal(&parsed, &dtype, sizeof(dtype));
        assert_memory_equal(&macros[i], &dtype, sizeof(dtype));
        assert_string_equal(clq_dtype_name(dtype), row->name);
        assert_int_equal(clq__type_of(dtype), rows[i].type);
        assert_int_equal(clq__type_is(rows[i].type, CLQ__WHOLE), row->integer);
    }
}

static bool agrees(int i, unsigned role, unsigned set)
{
    return ((rows[i].roles & role) != 0) == (set >> reference_of(rows[i].type) & 1);
}

TEST(a_type_may_be_the_same_in_both)
{
    for (int i = 0; i < ROWS; i++) {
        assert_true(agrees(i, CLQ_ROLE_SCALE, TYPES_FLOAT));
        assert_true(agrees(i, CLQ_ROLE_SCALE | CLQ_ROLE_PARAMETER, TYPES_SCALE));
        assert_true(agrees(i, CLQ_ROLE_ZERO_POINT, TYPES_INTEGER));
        assert_true(agrees(i, CLQ_ROLE_QUANTIZED, TYPES_QUANTIZED));
        assert_true(agrees(i, CLQ_ROLE_CACHED, TYPES_CACHE));
        assert_true(agrees(i, CLQ_ROLE_GROUPED, TYPES_GROUPED));
        assert_true(agrees(i, CLQ_ROLE_INDEX, TYPES_INDEX));
        assert_true(agrees(i, CLQ_ROLE_BLOCK, TYPES_BLOCK));
    }
}

TEST(ranges_are_the_same_in_both)
{
    for (int i = 0; i < ROWS; i++) {
        const struct reference_type_row *const row = &reference_types[reference_of(rows[i].type)];

        if (rows[i].roles & CLQ_ROLE_QUANTIZED)
            assert_true(rows[i].top == (float)row->highest && rows[i].lowest == (float)row->lowest);
        if (rows[i].roles & CLQ_ROLE_CACHED) {
            assert_true((float)clq__type_levels(rows[i].type) == row->minmax_steps);
            assert_true((float)clq__type_middle(rows[i].type) == row->absmax_zero_point);
            assert_true((float)clq__type_steps(rows[i].type) == row->absmax_steps);
        }
    }
}

TESTS_MAIN("types")
