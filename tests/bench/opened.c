/* SPDX-License-Identifier: Apache-2.0 */
#include "opened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct bench bench = {.options = {.size_bytes = 2 << 20}};

int opened_start(void **state)
{
    (void)state;
    if (bench_open_device(&bench) && data_create(&bench))
        return 0;
    printf("%s\n", bench.failure.text);
    return -1;
}

int opened_stop(void **state)
{
    (void)state;
    data_destroy(&bench);
    bench_close_device(&bench);
    return 0;
}

void opened_flip_bit(size_t at)
{
    unsigned char byte = 0;

    assert_true(data_read(&bench, bench.y, at, &byte, 1));
    byte ^= 0x40;
    assert_int_equal(clEnqueueWriteBuffer(bench.queue, bench.y, CL_TRUE, at, 1, &byte, 0, NULL, NULL), 0);
}
