/* SPDX-License-Identifier: Apache-2.0 */
/* The help of an operator, from its description. */
#include "operator.h"

#include <stdio.h>

static void print_choices(const struct operator_option *option)
{
    char text[128];
    size_t used = (size_t)snprintf(text, sizeof text, "--%s ", option->name);

    if (option->choices == operator_flag)
        used--; /* the space before a value */
    else if (!option->choices)
        used += (size_t)snprintf(text + used, sizeof text - used, "N");
    else if (option->choices == operator_decimal)
        used += (size_t)snprintf(text + used, sizeof text - used, "X");
    else if (option->choices == operator_count)
        used += (size_t)snprintf(text + used, sizeof text - used, "N");
    else if (option->choices == operator_number_or_none)
        used += (size_t)snprintf(text + used, sizeof text - used, "N|none");
    else
        for (size_t i = 0; option->choices[i] && used < sizeof text; i++)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "|" : "", option->choices[i]);
    text[used < sizeof text ? used : sizeof text - 1] = '\0';
    printf("  %-38s %s", text, option->help);
    if (option->fallback)
        printf(" (%s)", option->fallback);
    printf("\n");
}

static void print_input(const struct operator_description *op, size_t input)
{
    printf("  %-16s %s%s", op->inputs[input].name, op->inputs[input].optional ? "optional: " : "",
           op->inputs[input].help);
    for (size_t i = 0; i < OPERATOR_MAX_ALIASES && op->aliases[i].name; i++)
        if (op->aliases[i].input == input)
            printf("; or named %s", op->aliases[i].name);
    printf("\n");
}

void operator_help(const struct operator_description *op)
{
    printf("clquant %s IN.safetensors [IN2.safetensors ...] -o OUT.safetensors [options]\n\n%s\n\n%s\n\n",
           op->name, op->summary, op->formula);
    if (op->also)
        printf("clquant %s is another name of it.\n\n", op->also);
    printf("Tensors in IN:\n");
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && op->inputs[i].name; i++)
        print_input(op, i);
    printf("Tensors in OUT: %s\n\nOptions (default):\n", op->outputs);
    for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && op->options[i].name; i++)
        print_choices(&op->options[i]);
    printf("  %-38s %s\n", "--tensor ARGUMENT=[FILE:]NAME",
           "read the argument from the tensor of that name; = alone leaves it out");
    printf("  %-38s %s\n", "--device KIND|N|TEXT",
           "CPU, GPU, a number or a part of a name, as `clquant devices` lists them");
    printf("\nExit status: 0 done; 1 the input was refused; 2 usage; 3 device or system failure.\n");
}
