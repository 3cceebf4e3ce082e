/* SPDX-License-Identifier: Apache-2.0 */
/* clquant: which subcommand runs. */
#include "commands.h"
#include "completion.h"
#include "failure.h"
#include "operators/operator.h"
#include "operators/similar.h"
#include "output_file.h"
#include "wrap.h"

#include <clquant/version.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int complete(int argc, char **argv);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"quantize_model", quantize_model_main, "the matrices of a checkpoint: safetensors in, safetensors out"},
    {"list", list_main, "the tensors and the metadata of safetensors files"},
    {"devices", devices_main, "every OpenCL platform and device, and which one is the default"},
    {"selftest", selftest_main, "compare every operator with the plain C reference, on a device"},
    {"bench", bench_main, "measure every operator beside what the device's memory allows"},
    {"cache", cache_main, "list, clear, fill or export the kernels that are kept on disk"},
    {"completion", complete, "the shell's completion of all this, for bash, zsh and fish"},
};

#define OPERATOR_ADDRESS(name) &name##_operator,
static const struct operator_description *operators[] = {COMMAND_OPERATORS(OPERATOR_ADDRESS)};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* By the rows of the library's descriptors. */
static void complete_operators(void)
{
    static struct operator_completed completed[COUNT(operators)];

    for (size_t i = 0; i < COUNT(operators); i++)
        operators[i] = operator_complete(operators[i], &completed[i]);
}

static void print_help(FILE *to)
{
    enum { NAME_COLUMN = 24 };

    fprintf(to, "clquant %s: quantizes tensors on any OpenCL device\n\n", clq_version());
    fprintf(to, "clquant OPERATOR IN.safetensors [IN2.safetensors ...] -o OUT.safetensors\n"
                "        [options] [--device KIND|N|TEXT] [--tensor x=NAME ...]\n");
    for (size_t i = 0; i < COUNT(operators); i++)
        print_entry(to, NAME_COLUMN, operators[i]->name, operators[i]->summary);
    fprintf(to, "\nclquant COMMAND\n");
    for (size_t i = 0; i < COUNT(commands); i++)
        print_entry(to, NAME_COLUMN, commands[i].name, commands[i].help);
    print_entry(to, NAME_COLUMN, "--version", "the version");
    fprintf(to, "\n`clquant help NAME` or `clquant NAME --help` has the tensors and options of a\n"
                "name. CLQ_DEVICE chooses the device where --device does not.\n"
                "Exit status: 0 done; 1 input refused; 2 usage; 3 device or system failure.\n");
}

/* Names of commands and operators, and the words that are neither. */
static int complete(int argc, char **argv)
{
    static const char *const words[] = {"help", "--help", "--version"};
    const char *names[COUNT(words) + COUNT(commands) + COUNT(operators)];
    struct completion completion = {names, 0, operators, COUNT(operators)};

    for (size_t i = 0; i < COUNT(operators); i++)
        names[completion.count++] = operators[i]->name;
    for (size_t i = 0; i < COUNT(commands); i++)
        names[completion.count++] = commands[i].name;
    for (size_t i = 0; i < COUNT(words); i++)
        names[completion.count++] = words[i];
    return completion_main(&completion, argc, argv);
}

static bool is_named(const struct operator_description *op, const char *name)
{
    return strcmp(name, op->name) == 0 || (op->also && strcmp(name, op->also) == 0);
}

/* With the name that is nearest, where one is near. */
static int refuse_name(const char *name)
{
    struct similar near = {.wanted = name};

    for (size_t i = 0; i < COUNT(commands); i++)
        similar_offer(&near, commands[i].name);
    for (size_t i = 0; i < COUNT(operators); i++)
        similar_offer(&near, operators[i]->name);
    if (near.count > 0)
        complain("'%.100s' is no operator and no command; did you mean %s?", name, near.names[0]);
    else
        complain("'%.100s' is no operator and no command; see clquant --help", name);
    return STATUS_USAGE;
}

static int run_named(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc, argv);
    for (size_t i = 0; i < COUNT(operators); i++)
        if (is_named(operators[i], name))
            return operator_main(operators[i], argc, argv);
    return refuse_name(name);
}

static int help(int argc, char **argv)
{
    char flag[] = "--help", *asked[] = {argc > 2 ? argv[2] : NULL, flag, NULL};

    if (argc > 3) {
        complain("help takes one name, and there are %d", argc - 2);
        return STATUS_USAGE;
    }
    if (argc > 2)
        return run_named(argv[2], 2, asked);
    print_help(stdout);
    return STATUS_DONE;
}

static int version(int argc, char **argv)
{
    if (argc > 2) {
        complain("%s: no argument is expected: '%.100s'", argv[1], argv[2]);
        return STATUS_USAGE;
    }
    printf("clquant %s\n", clq_version());
    return STATUS_DONE;
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (argc < 2) {
        print_help(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return STATUS_DONE;
    }
    if (strcmp(name, "help") == 0)
        return help(argc, argv);
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0)
        return version(argc, argv);
    return run_named(name, argc - 1, argv + 1);
}

/* A closed standard stream is a number that the next file gets, and what anyone prints would go into that
 * file. /dev/null takes the number; for stdout read-only,
 * so that output which is expected still cannot be written. */
static bool hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            complain("/dev/null cannot be opened: %s", strerror(errno));
            return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    output_file_note_signals();
    if (!hold_standard_streams())
        return STATUS_SYSTEM;
    complete_operators();
    return close_output(dispatch(argc, argv));
}
