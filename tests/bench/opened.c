/* SPDX-License-Identifier: Apache-2.0 */
#include "opened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct bench bench = {.size_bytes = 2 << 20};

int opened_start(void **state)
{
    (void)state;
    if (bench_open(&bench))
        return 0;
    printf("%s\n", bench.failure.text);
    return -1;
}

int opened_stop(void **state)
{
    (void)state;
    bench_close(&bench);
    return 0;
}
