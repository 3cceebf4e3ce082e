/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/recording.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

clq_status clq__recording_open(clq_context *context)
{
    clq_status status = CLQ_OK;
    const char *path = getenv("CLQ_RECORD");

    if (path == NULL || *path == '\0')
        return CLQ_OK;
    context->recording = fopen(path, "ae");
    CLQ_REQUIRE(context->recording != NULL, CLQ_ERROR_SYSTEM,
                "CLQ_RECORD is \"%s\": it must name a file that can be written to: %s", path,
                strerror(errno));
end:
    return status;
}

/* One write a line, so that lines of several processes do not mix. */
void clq__recording_add(clq_context *context, const struct clq__variant *variant)
{
    if (context->recording == NULL)
        return;
    fprintf(context->recording, "%s\n", clq__variant_text(variant).data);
    if (fflush(context->recording) != 0)
        clq__log(context, "%s could not be recorded: %s", clq__variant_text(variant).data, strerror(errno));
}

void clq__recording_close(clq_context *context)
{
    if (context->recording != NULL)
        fclose(context->recording);
}
