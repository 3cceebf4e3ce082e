/* SPDX-License-Identifier: Apache-2.0 */
/* Why a subcommand stops: one sentence and the exit status that goes with it. */
#ifndef CLQUANT_CLI_FAILURE_H
#define CLQUANT_CLI_FAILURE_H

#include <stdbool.h>

enum exit_status {
    STATUS_DONE = 0,
    STATUS_REFUSED = 1, /* the input breaks a rule */
    STATUS_USAGE = 2,   /* the command line does */
    STATUS_SYSTEM = 3,  /* the device or the system failed */
};

struct failure {
    enum exit_status status;
    int code;        /* of the library's call that failed (clq_status); 0: none did */
    char text[6144]; /* the longest path, and a sentence */
};

/* Notes the sentence; one that is too long loses its middle. Always false, so that a check can return it. */
__attribute__((format(printf, 3, 4))) bool fail(struct failure *failure, enum exit_status status,
                                                const char *format, ...);

/* Names come from files: '?' takes the place of control characters, of those that turn the direction of text,
 * and of what is no UTF-8, so that no file can steer the terminal. */
void tame(char *text);

/* Says on stderr the program's name and the sentence, tamed. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* The status to exit with: what went to stdout must have arrived, for a full disk is a failure too. */
int close_output(int status);

#endif
