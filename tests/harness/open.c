/* SPDX-License-Identifier: Apache-2.0 */
/* Apart from device.c, which the command has too, without the stub. */
#include "device.h"

#include "on_stub.h"

#include <stdio.h>

bool device_open(struct device *device, const struct clq_context_desc *desc)
{
    clq_context *context;
    bool good;

    *device = (struct device){.context = NULL};
    if (clq_context_create(desc, &context) != CLQ_OK) {
        fprintf(stderr, "%s\n", clq_error_detail());
        return false;
    }
    good = device_of(device, context);
    on_stub_install(device->platform);
    return good;
}
