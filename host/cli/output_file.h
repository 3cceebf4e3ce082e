/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears whole or not at all. It is written under a private name in the directory where it will
 * stand, and renamed once it is safe on disk: until then an old file of that name stays as it is, and its
 * owner, where that may be given, and permissions pass to the new one. The directory is synced behind the
 * rename. The private file is removed when the program ends early, by exit() or by any signal that can be
 * caught. */
#ifndef CLQUANT_CLI_OUTPUT_FILE_H
#define CLQUANT_CLI_OUTPUT_FILE_H

#include "failure.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct output_file {
    int fd;
    char *path; /* where it will stand */
};

/* First of all in the program: the signals that its caller ignores are known while no driver has set any. */
void output_file_note_signals(void);
/* Again once a driver is open, whose handlers would leave the private file behind. */
void output_file_catch_signals(void);

/* Whether there could be one, which is worth knowing before the work is done. */
bool output_file_possible(const char *option, const char *path, struct failure *failure);

/* One at a time. Signals are held back meanwhile; one that another thread takes in this moment may leave the
 * private file behind. option, such as "-o", is what the user gave path by. A symbolic link is followed, and
 * must lead to a file. */
bool output_file_create(struct output_file *file, const char *option, const char *path,
                        struct failure *failure);

/* The same for a file of a folder that is written as a whole: a link in its place is replaced, and it has no
 * permission that is not in `most`. */
bool output_file_replace(struct output_file *file, const char *option, const char *path, mode_t most,
                         struct failure *failure);
bool output_file_write(struct output_file *file, const void *bytes, size_t size_bytes,
                       struct failure *failure);

/* The same bytes at a place, past what was written where need be; output_file_write goes on where it was. */
bool output_file_write_at(struct output_file *file, uint64_t position, const void *bytes, size_t size_bytes,
                          struct failure *failure);

/* Removes the private files that a killed program left in a folder: those that nobody holds, and that are an
 * hour old, for the locks of other machines are not seen on all file systems. */
void output_file_sweep(const char *folder);

/* The private name, for another program that writes the bytes. */
const char *output_file_private_name(void);

bool output_file_commit(struct output_file *file, struct failure *failure);

/* Makes the names in path's directory safe on disk, where its file system can do so. */
bool output_file_sync_names(const char *path, struct failure *failure);

/* Removes what was not committed. */
void output_file_discard(struct output_file *file);

#endif
