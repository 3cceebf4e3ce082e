/* SPDX-License-Identifier: Apache-2.0 */
/* Every row is a call that the library takes, and writes as many bytes as its share counts. A byte is written
 * where two runs over different bytes leave the same. */
#include "on_stub.h"
#include "once.h"
#include "opened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { UNWRITTEN = 0xa5 };

static uint8_t *first, *second;

/* y as the call leaves it where it held the byte before. */
static void run_over(struct bench_call *call, unsigned char byte, uint8_t *left)
{
    bench.next_piece = 0;
    call->next = 0;
    if (!call_once(&bench, call, byte))
        fail_msg("%s", bench.failure.text);
    assert_true(data_read(&bench, bench.y, 0, left, bench.x_bytes));
}

/* What a call writes of scales alone; and where it moves rows within y, the half of y that they come from. */
static size_t other_bytes(const struct bench_call *call)
{
    const struct places *places = &call->places;

    if (call->row.operation == FIND_SCALES)
        return (size_t)call->scales_shape[0] * sizeof(float);
    return call->row.placement == PAGES
               ? row_type_bytes(call->row.dst, places->batches / 2 * places->length *
                                                   call_position_rows(call) * call->row.columns)
               : 0;
}

static bool check_row(void *user, const struct row *row)
{
    struct bench_call call;
    char label[ROW_LABEL];
    size_t *rows = user, written = 0;

    ++*rows;
    row_label(row, label);
    assert_true(call_fill(&bench, row));
    if (!call_begin(&bench, &call, row, &bench.library))
        fail_msg("%s: %s", label, bench.failure.text);
    run_over(&call, UNWRITTEN, first);
    run_over(&call, (unsigned char)~UNWRITTEN, second);
    for (size_t i = 0; i < bench.x_bytes; i++)
        written += first[i] == second[i];
    if (written != call.dst_bytes + other_bytes(&call))
        fail_msg("%s: %zu bytes are written, %zu counted", label, written,
                 call.dst_bytes + other_bytes(&call));
    assert_true(call.src_bytes <= bench.x_bytes);
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

static int start(void **state)
{
    cl_platform_id platform = NULL;

    clGetPlatformIDs(1, &platform, NULL);
    bench.size_bytes = 1 << 20;
    first = malloc(bench.size_bytes);
    second = malloc(bench.size_bytes);
    return first && second && on_stub_install(platform) ? opened_start(state) : -1;
}

static int stop(void **state)
{
    free(first);
    free(second);
    return opened_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};
    return cmocka_run_group_tests(tests, start, stop);
}
