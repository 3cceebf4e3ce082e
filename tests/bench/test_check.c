/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong result is refused: every row of the bench passes its own check as it is, and fails it once one bit
 * of what is looked at, or all that was to be written, is another. */
#include "call.h"
#include "opened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void refuses(const struct call *call, const char *why, const char *sentence)
{
    char label[256];

    bench.failure.text[0] = '\0';
    if (!call_check(&bench, call)) {
        assert_non_null(strstr(bench.failure.text, sentence));
        return;
    }
    row_label(&call->row, label, sizeof label);
    fail_msg("%s: %s is not seen", label, why);
}

static void passes(const struct call *call)
{
    if (!call_check(&bench, call))
        fail_msg("%s", bench.failure.text);
}

static void sees_a_flip(const struct call *call, size_t at, const char *what)
{
    opened_flip_bit(at);
    refuses(call, what, "is wrong on the device");
    opened_flip_bit(at);
    passes(call);
}

/* Where rows 0 and the last are in y: these are looked at. */
static void sees_every_result(struct call *call)
{
    const bool back = call->row.operation == DEQUANTIZE, finds = call->row.operation == FIND_SCALES;
    const bool words = call->row.layout == PER_ROW && !back;
    const size_t row_bytes = row_type_bytes(call->row.dst, call->row.columns);
    const size_t first = (size_t)(back ? 0 : call_place(call, call->next - 1, 0));
    const size_t last = (size_t)(back ? call->rows - 1 : call_place(call, call->next - 1, call->rows - 1));

    passes(call);
    if (finds) {
        sees_a_flip(call, 2, "a scale");
        return;
    }
    sees_a_flip(call, call->y.byte_offset + first * row_bytes, "the first byte");
    sees_a_flip(call, call->y.byte_offset + (last + 1) * row_bytes - 1, "the last byte");
    if (words || (call->row.layout == IN_SQUARES && call->row.operation == DYNAMIC_QUANTIZE))
        sees_a_flip(call, call->scale_at + first * sizeof(float) + 2, "a scale");
    if (words && call->row.mode == ASYMMETRIC)
        sees_a_flip(call, call->offset_at + first * sizeof(float) + 2, "an offset");
}

static void sees_a_stray_write(struct call *call)
{
    const int64_t position = places_untouched(&call->places, call->next - 1);
    const int64_t row = position * call_position_rows(call);

    if (call->row.placement == DENSE || call->row.operation == DEQUANTIZE || position < 0)
        return;
    opened_flip_bit(row_type_bytes(call->row.dst, row * call->row.columns));
    refuses(call, "a stray write", "of no entry");
    opened_flip_bit(row_type_bytes(call->row.dst, row * call->row.columns));
}

static bool check_row(void *user, const struct row *row)
{
    struct call call;
    size_t *rows = user;

    ++*rows;
    assert_true(call_fill(&bench, row));
    if (!call_begin(&bench, &call, row, &bench.library) || !call_once_checked(&bench, &call))
        fail_msg("%s", bench.failure.text);
    assert_true(call.src_bytes <= bench.x_bytes && call.y.byte_offset + call.dst_bytes <= bench.x_bytes);
    sees_every_result(&call);
    sees_a_stray_write(&call);
    assert_true(data_spoil(&bench));
    refuses(&call, "that nothing was written", "is wrong on the device");
    call_end(&call);
    return true;
}

static void every_row(void **state)
{
    size_t rows = 0;

    (void)state;
    assert_true(rows_visit(check_row, &rows));
    printf("%zu rows\n", rows);
    assert_true(rows > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};
    return cmocka_run_group_tests(tests, opened_start, opened_stop);
}
