/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver's compiler says of a build that failed: it stands behind the command's own sentence. */
#ifndef CLQUANT_CLI_BUILD_LOG_H
#define CLQUANT_CLI_BUILD_LOG_H

#include <clquant/context.h>

/* The driver's log where the status, which the sentence is about, says that a kernel did not build in the
 * context; NULL where not. The sentence then says that the log follows. */
char *take_build_log(clq_status status, char *sentence, clq_context *context);

/* The same of a program of the command's own; NULL where there is none. */
char *take_program_log(cl_program program, cl_device_id device);

/* Prints the log on stderr and frees it; NULL is none. */
void say_log(char *log);

#endif
