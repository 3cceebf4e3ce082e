/* SPDX-License-Identifier: Apache-2.0 */
/* The words of CLQ_LAYER. */
#include "layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct option {
    const char *name;
    const char *value; /* NULL: it is not asked for */
} options[] = {{"fresh", NULL},       {"groups", NULL},    {"newer_commands", NULL}, {"no_build", NULL},
               {"no_compiler", NULL}, {"no_denorm", NULL}, {"no_divide", NULL},      {"no_fma", NULL},
               {"no_pocl", NULL},     {"no_read", NULL}};

static struct option *option_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

const char *layer_option(const char *name)
{
    return option_named(name, strlen(name))->value;
}

static void read_options(void)
{
    const char *text = getenv("CLQ_LAYER");
    char *rest = strdup(text != NULL ? text : ""); /* values point into it as long as the process lives */

    for (char *word = strtok_r(rest, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        const size_t length = strcspn(word, "=");
        struct option *option = option_named(word, length);

        if (option == NULL) {
            fprintf(stderr, "CLQ_LAYER has \"%s\", which is no word of tests/layer/layer.c\n", word);
            exit(2);
        }
        option->value = word + length + (word[length] == '=');
    }
}

void layer_place(cl_icd_dispatch *above)
{
    read_options();
    layer_place_device(above);
    layer_place_commands(above);
    layer_place_build(above);
    layer_place_fresh(above);
}
