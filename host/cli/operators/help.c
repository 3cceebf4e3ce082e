/* SPDX-License-Identifier: Apache-2.0 */
/* The help of an operator, from its description. */
#include "../wrap.h"
#include "operator.h"

#include <stdio.h>

enum { TENSOR_COLUMN = 20, OPTION_COLUMN = 24 };

/* The names of types stand behind what the option says, for they would not fit beside it. */
static bool is_of_types(const struct operator_option *option)
{
    return option->choices == operator_scale_types || option->choices == operator_quantized_types ||
           option->choices == operator_cached_types || option->choices == operator_grouped_types ||
           option->choices == operator_found_types || option->choices == operator_read_types;
}

static void print_choices(const struct operator_option *option)
{
    char word[128], text[1024], names[512] = "";
    size_t used = (size_t)snprintf(word, sizeof word, "--%s ", option->name);

    if (option->choices == operator_flag)
        used--; /* the space before a value */
    else if (!option->choices)
        used += (size_t)snprintf(word + used, sizeof word - used, "N");
    else if (option->choices == operator_decimal)
        used += (size_t)snprintf(word + used, sizeof word - used, "X");
    else if (option->choices == operator_power)
        used += (size_t)snprintf(word + used, sizeof word - used, "R");
    else if (option->choices == operator_count)
        used += (size_t)snprintf(word + used, sizeof word - used, "N");
    else if (option->choices == operator_number_or_none)
        used += (size_t)snprintf(word + used, sizeof word - used, "N|none");
    else if (is_of_types(option))
        used += (size_t)snprintf(word + used, sizeof word - used, "TYPE");
    else
        for (size_t i = 0; option->choices[i] && used < sizeof word; i++)
            used +=
                (size_t)snprintf(word + used, sizeof word - used, "%s%s", i ? "|" : "", option->choices[i]);
    word[used < sizeof word ? used : sizeof word - 1] = '\0';
    for (size_t i = 0; is_of_types(option) && option->choices[i]; i++)
        if (*option->choices[i])
            operator_list(names, sizeof names, ", ", option->choices[i]);
    snprintf(text, sizeof text, option->fallback ? "%s%s%s (%s)" : "%s%s%s", option->help, *names ? ": " : "",
             names, option->fallback);
    print_entry(stdout, OPTION_COLUMN, word, text);
}

static void print_input(const struct operator_description *op, size_t input)
{
    char text[512], help[256];
    size_t used = 0;

    operator_print_types(op->inputs[input].help, help, sizeof help);
    used = (size_t)snprintf(text, sizeof text, "%s%s", op->inputs[input].optional ? "optional: " : "", help);

    for (size_t i = 0; i < OPERATOR_MAX_ALIASES && op->aliases[i].name && used < sizeof text; i++)
        if (op->aliases[i].input == input)
            used += (size_t)snprintf(text + used, sizeof text - used, "; or named %s", op->aliases[i].name);
    print_entry(stdout, TENSOR_COLUMN, op->inputs[input].name, text);
}

void operator_help(const struct operator_description *op)
{
    char outputs[256];

    printf("clquant %s IN.safetensors [IN2.safetensors ...]\n        -o OUT.safetensors [options]\n\n",
           op->name);
    print_paragraph(stdout, op->summary);
    printf("\n%s\n\n", op->formula);
    if (op->also)
        printf("clquant %s is another name of it.\n\n", op->also);
    printf("Tensors in IN:\n");
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && op->inputs[i].name; i++)
        print_input(op, i);
    snprintf(outputs, sizeof outputs, "Tensors in OUT: %s", op->outputs);
    print_paragraph(stdout, outputs);
    printf("\nOptions (default):\n");
    for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && op->options[i].name; i++)
        print_choices(&op->options[i]);
    print_entry(stdout, OPTION_COLUMN, "--tensor ARGUMENT=[FILE:]NAME",
                "read the argument from the tensor of that name; = alone leaves it out");
    print_entry(stdout, OPTION_COLUMN, "--name OUTPUT=NAME",
                "what an output is called in OUT; q is a word for the quantized one");
    print_entry(stdout, OPTION_COLUMN, "--device KIND|N|TEXT",
                "CPU, GPU, a number or a part of a name, as `clquant devices` lists them");
    printf("\nExit status: 0 done; 1 input refused; 2 usage; 3 device or system failure.\n");
}
