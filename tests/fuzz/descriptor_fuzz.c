/* SPDX-License-Identifier: Apache-2.0 */
/* Any call of any operator, right or wrong, on a CPU or a GPU of the stub: the bytes are its choices
 * (operators/rng.h), and what they leave open follows from them. */
#include "descriptor.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each has kernels of a form of its own. */
enum { DEVICES = 2 };
static struct device devices[DEVICES];

static void close_devices(void)
{
    for (int i = 0; i < DEVICES; i++)
        device_close(&devices[i]);
}

static void open_devices(void)
{
    static const char *const names[DEVICES] = {"CPU", "GPU"};

    for (int i = 0; i < DEVICES; i++)
        if (!device_open(&devices[i], &(struct clq_context_desc){.device_text = names[i]}))
            exit(2);
    atexit(close_devices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct call call;

    if (devices[0].context == NULL)
        open_devices();
    call.rng = (struct rng){.bytes = data, .num_bytes = size};
    if (!descriptor_try(&devices[rng_below(&call.rng, DEVICES)], &call, NULL))
        abort();
    return 0;
}
