/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/no_driver.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

/* Debian's loader knows all but the last, Khronos's the first and the last. */
static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"};

/* For a value, whose end names the file; the advice behind it must still fit into an error's detail. */
#define SHOWN 100

/* The variables that are set, which may lead elsewhere, or else the usual folder. */
static void say_places(struct clq__text *text, bool environment)
{
    bool any = false;

    for (size_t i = 0; environment && i < CLQ_COUNT(variables); i++) {
        const char *value = getenv(variables[i]);
        const size_t length = value == NULL ? 0 : strlen(value);
        const size_t left_out = length > SHOWN ? length - SHOWN : 0;

        if (length == 0)
            continue;
        clq__text_format(text, "%s%s=%s%s", any ? ", " : "", variables[i], left_out > 0 ? "…" : "",
                         value + left_out);
        any = true;
    }
    if (!any)
        clq__text_add(text, "the folder /etc/OpenCL/vendors");
}

clq_status clq__no_driver(bool environment)
{
    char places[256];
    struct clq__text text = clq__text(places, sizeof places);

    say_places(&text, environment);
    return clq_error_set(CLQ_ERROR_DEVICE,
                         "no OpenCL driver was found: the loader looked at %s. " CLQ__GET_POCL
                         ". A driver that came with a Python package must be named to the loader: "
                         "OCL_ICD_VENDORS=…/libpocl.so, with Khronos's loader OCL_ICD_FILENAMES=…/libpocl.so",
                         places);
}
