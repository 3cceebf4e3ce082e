/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/no_driver.h"

#include "base/error.h"
#include "base/text.h"

/* Debian's loader knows all but the last, Khronos's the first and the last. */
static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"};

/* The variables that are set, which may lead elsewhere, or else the usual folder. */
static void say_places(struct clq__text *text, bool environment)
{
    bool any = false;

    for (size_t i = 0; environment && i < CLQ_COUNT(variables); i++) {
        const char *value = getenv(variables[i]);

        if (value == NULL || *value == '\0')
            continue;
        clq__text_format(text, "%s%s=%.60s", any ? ", " : "", variables[i], value);
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
