/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *kernel_text_of(const char *name)
{
    char path[512], line[512];
    char *text = calloc(1, 1 << 16);
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", CLQ_KERNELS, name);
    file = fopen(path, "r");
    if (!file || !text)
        fail_msg("cannot read %s", path);
    while (fgets(line, sizeof(line), file))
        if (strncmp(line, "#include \"", 10) != 0)
            strcat(text, line);
    fclose(file);
    return text;
}
