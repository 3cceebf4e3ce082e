/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool read_number(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

bool options_read(int argc, char **argv, const struct option *options)
{
    for (int i = 1; i < argc; i += 2) {
        const struct option *option = options;

        while (option->name != NULL && strcmp(option->name, argv[i]) != 0)
            option++;
        if (option->name == NULL || i + 1 == argc) {
            fprintf(stderr, "%s: \"%s\" is no option, or has no value. There are", argv[0], argv[i]);
            for (option = options; option->name != NULL; option++)
                fprintf(stderr, " %s", option->name);
            fprintf(stderr, "\n");
            return false;
        }
        if (option->text != NULL) {
            *option->text = argv[i + 1];
        } else if (!read_number(argv[i + 1], option->number)) {
            fprintf(stderr, "%s: %s is \"%s\": it must be a number\n", argv[0], argv[i], argv[i + 1]);
            return false;
        }
    }
    return true;
}

uint64_t options_seed(void)
{
    const char *text = getenv("CLQ_TEST_SEED");
    uint64_t seed = 0;

    return text != NULL && read_number(text, &seed) ? seed : (uint64_t)time(NULL);
}
