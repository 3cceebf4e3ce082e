/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong result is refused: every case passes the bench's own check as it is, and fails it once one bit of a
 * row that is looked at, or all that was to be written, is another. */
#include "opened.h"
#include "quantize_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void refuses(const struct quantize_case *c, const char *why)
{
    bench.failure.text[0] = '\0';
    if (quantize_case_check(&bench, c))
        fail_msg("%s to %s: %s is not seen", quantize_src_name(c->src), quantize_dst_name(c->dst), why);
    assert_non_null(strstr(bench.failure.text, "on the device and must be"));
}

static void every_case(void **state)
{
    (void)state;
    for (int k = 0; k < PEER_SRC_COUNT * PEER_DST_COUNT * 2 * 4; k++) {
        struct quantize_case c = {.columns = 512};
        size_t last = 0;

        c.src = (enum peer_src)(k % PEER_SRC_COUNT);
        c.dst = (enum peer_dst)(k / PEER_SRC_COUNT % PEER_DST_COUNT);
        c.divide = k / (PEER_SRC_COUNT * PEER_DST_COUNT) % 2;
        c.layout = (enum quantize_layout)(k / (PEER_SRC_COUNT * PEER_DST_COUNT * 2));
        quantize_case_init(&bench, &c);
        last = quantize_dst_bytes(&c) - 1;
        if (last >= bench.x_bytes) /* half inputs to int32 do not fit, and are no rows of the bench */
            continue;
        assert_true(data_fill(&bench, c.src));
        assert_true(data_fill_scales(&bench, c.divide ? 0.1f : 10.0f));
        assert_true(data_spoil(&bench));
        refuses(&c, "that nothing was written");
        assert_true(quantize_case_run(&bench, &c));
        if (!quantize_case_check(&bench, &c))
            fail_msg("%s", bench.failure.text);
        opened_flip_bit(0);
        refuses(&c, "the first byte");
        opened_flip_bit(0);
        assert_true(quantize_case_check(&bench, &c));
        opened_flip_bit(last);
        refuses(&c, "the last byte");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case)};
    return cmocka_run_group_tests(tests, opened_start, opened_stop);
}
