/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(FILE *text, const char *name)
{
    char path[512], line[512], included[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", CLQ_KERNELS, name);
    file = fopen(path, "r");
    if (!file)
        fail_msg("cannot read %s", path);
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "#include \"%255[^\"]\"", included) == 1)
            append(text, included);
        else
            fputs(line, text);
    fclose(file);
}

char *kernel_text_of(const char *name)
{
    char *bytes = NULL;
    size_t size_bytes = 0;
    FILE *const text = open_memstream(&bytes, &size_bytes);

    if (!text)
        fail_msg("no memory for %s", name);
    append(text, name);
    fclose(text);
    return bytes;
}
