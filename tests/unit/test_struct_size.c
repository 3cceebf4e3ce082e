/* SPDX-License-Identifier: Apache-2.0 */
/* What the library says of its structs' sizes, against what this program was compiled with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clquant/clquant.h>

static void every_struct_has_the_size_that_the_headers_say(void **state)
{
    (void)state;
#define SAME_SIZE(name, value, type)                                                                         \
    assert_int_equal(clq_struct_size(name), sizeof(struct type));                                            \
    assert_int_equal((int)(name), value);
    CLQ_STRUCT_LIST(SAME_SIZE)
}

/* The values are 1 and up, without a gap. */
#define ONE_MORE(name, value, type) +1
enum { BEHIND_THE_LAST = 1 CLQ_STRUCT_LIST(ONE_MORE) };

static void what_is_no_struct_has_no_size(void **state)
{
    (void)state;
    assert_int_equal(clq_struct_size((enum clq_struct)0), 0);
    assert_int_equal(clq_struct_size((enum clq_struct)BEHIND_THE_LAST), 0);
    assert_int_equal(clq_struct_size((enum clq_struct) - 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_struct_has_the_size_that_the_headers_say),
        cmocka_unit_test(what_is_no_struct_has_no_size),
    };

    return cmocka_run_group_tests_name("unit.struct_size", tests, NULL, NULL);
}
