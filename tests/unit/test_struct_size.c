/* SPDX-License-Identifier: Apache-2.0 */
/* What the library says of its structs' sizes, against what this program was compiled with. */
#include "tests.h"

#include <stdint.h>

#include <clquant/clquant.h>

TEST(every_struct_has_the_size_that_the_headers_say)
{
#define SAME_SIZE(name, value, type)                                                                         \
    assert_int_equal(clq_struct_size(name), sizeof(struct type));                                            \
    assert_int_equal((int)(name), value);
    CLQ_STRUCT_LIST(SAME_SIZE)
}

TEST(what_is_no_struct_has_no_size)
{
    assert_int_equal(clq_struct_size((enum clq_struct)0), 0);
    assert_int_equal(clq_struct_size((enum clq_struct)3), 0); /* it was a descriptor's */
    assert_int_equal(clq_struct_size((enum clq_struct)(CLQ_STRUCT_OPTION + 1)), 0);
    assert_int_equal(clq_struct_size((enum clq_struct) - 1), 0);
}

TESTS_MAIN("unit.struct_size")
