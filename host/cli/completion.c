/* SPDX-License-Identifier: Apache-2.0 */
/* clquant completion: a shell's completion of the command, from the operators' options. What commands have
 * besides is asked of their help when it is wanted. */
#include "completion.h"

#include "failure.h"

#include <stdio.h>
#include <string.h>

static const char help[] = "clquant completion bash|zsh|fish\n\n"
                           "Prints what makes the shell complete the command's names, options and values:\n\n"
                           "  bash  source <(clquant completion bash)\n"
                           "  zsh   source <(clquant completion zsh), behind compinit\n"
                           "  fish  clquant completion fish | source\n\n"
                           "A package has it where these shells look.\n";

static const char *const shared[] = {"output", "help", "device", "tensor", "name", NULL};

static bool has_words(const struct operator_option *option)
{
    return option->choices && option->choices != operator_flag && option->choices != operator_count &&
           option->choices != operator_decimal && option->choices != operator_power;
}

static void print_words(const struct operator_option *option)
{
    const char *between = "";

    for (size_t i = 0; option->choices[i]; i++)
        if (*option->choices[i]) {
            printf("%s%s", between, option->choices[i]);
            between = " ";
        }
}

static void print_names(const struct completion *words)
{
    for (size_t i = 0; i < words->count; i++)
        printf("%s%s", i ? " " : "", words->names[i]);
}

/* The words behind an option of an operator, and the options of an operator. zsh reads the same. */
static void print_bash(const struct completion *words)
{
    printf("_clquant() {\n    local words= name=${COMP_WORDS[1]}\n    case $COMP_CWORD:$name:$3 in\n    1:*) "
           "words=\"");
    print_names(words);
    printf("\" ;;\n    2:help:*) words=\"");
    print_names(words);
    printf("\" ;;\n    2:completion:*) words=\"bash zsh fish\" ;;\n");
    for (size_t o = 0; o < words->operator_count; o++)
        for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && words->operators[o]->options[i].name; i++)
            if (has_words(&words->operators[o]->options[i])) {
                printf("    *:%s:--%s) words=\"", words->operators[o]->name,
                       words->operators[o]->options[i].name);
                print_words(&words->operators[o]->options[i]);
                printf("\" ;;\n");
            }
    printf("    esac\n    case $words:$2:$name in\n");
    for (size_t o = 0; o < words->operator_count; o++) {
        printf("    :-*:%s) words=\"", words->operators[o]->name);
        for (size_t i = 0; shared[i]; i++)
            printf("--%s ", shared[i]);
        for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && words->operators[o]->options[i].name; i++)
            printf("--%s ", words->operators[o]->options[i].name);
        printf("\" ;;\n");
    }
    printf(
        "    :-*) words=$(clquant \"$name\" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*') ;;\n    esac\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$2\"))\n}\n");
}

static void print_zsh(const struct completion *words)
{
    printf("#compdef clquant\nautoload -Uz bashcompinit && bashcompinit\n");
    print_bash(words);
    printf("if [ \"$funcstack[1]\" = _clquant ]; then\n    _bash_complete -o default -F _clquant\nelse\n"
           "    complete -o default -F _clquant clquant\nfi\n");
}

/* Between single quotes. */
static void print_quoted(const char *text)
{
    for (; *text; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void print_fish(const struct completion *words)
{
    printf("complete -c clquant -n __fish_use_subcommand -xa '");
    print_names(words);
    printf("'\ncomplete -c clquant -n '__fish_seen_subcommand_from help' -xa '");
    print_names(words);
    printf("'\ncomplete -c clquant -n '__fish_seen_subcommand_from completion' -xa 'bash zsh fish'\n");
    for (size_t o = 0; o < words->operator_count; o++) {
        const struct operator_description *op = words->operators[o];

        for (size_t i = 0; shared[i]; i++)
            printf("complete -c clquant -n '__fish_seen_subcommand_from %s' -l %s%s\n", op->name, shared[i],
                   strcmp(shared[i], "help") == 0 ? "" : " -r");
        for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && op->options[i].name; i++) {
            printf("complete -c clquant -n '__fish_seen_subcommand_from %s' -l %s -d '", op->name,
                   op->options[i].name);
            print_quoted(op->options[i].help);
            printf("'%s", op->options[i].choices == operator_flag ? "" : " -x");
            if (has_words(&op->options[i])) {
                printf(" -a '");
                print_words(&op->options[i]);
                printf("'");
            }
            printf("\n");
        }
    }
    printf("complete -c clquant -n 'not __fish_seen_subcommand_from");
    for (size_t o = 0; o < words->operator_count; o++)
        printf(" %s", words->operators[o]->name);
    printf("' -a '(clquant (commandline -opc)[2] --help 2>/dev/null | string match -ra -- "
           "\"--[a-z][a-z-]*\")'\n");
}

int completion_main(const struct completion *words, int argc, char **argv)
{
    static const struct {
        const char *shell;
        void (*print)(const struct completion *words);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return STATUS_DONE;
    }
    for (size_t i = 0; i < sizeof shells / sizeof *shells && argc == 2; i++)
        if (strcmp(argv[1], shells[i].shell) == 0) {
            shells[i].print(words);
            if (i == 0)
                printf("complete -o default -F _clquant clquant\n");
            return STATUS_DONE;
        }
    complain("completion%s%.100s%s: one of bash, zsh, fish is expected", argc > 1 ? ": '" : "",
             argc > 1 ? argv[1] : "", argc > 1 ? "'" : "");
    return STATUS_USAGE;
}
