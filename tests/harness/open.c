/* SPDX-License-Identifier: Apache-2.0 */
/* Apart from device.c, which the command has too, without the stub. */
#include "device.h"

#include "on_stub.h"
#include "ways.h"

#include <stdio.h>

bool device_open(struct device *device, const struct clq_context_desc *desc)
{
    struct clq_context_desc drawn = desc != NULL ? *desc : (struct clq_context_desc){0};
    clq_context *context;
    bool good;

    *device = (struct device){.context = NULL};
    if (drawn.build_options == NULL)
        drawn.build_options = processor_way_of_run()->build_options;
    if (clq_context_create(&drawn, &context) != CLQ_OK) {
        fprintf(stderr, "%s\n", clq_error_detail());
        return false;
    }
    good = device_of(device, context);
    on_stub_install(device->platform);
    return good;
}
