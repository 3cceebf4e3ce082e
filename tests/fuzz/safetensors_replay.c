/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the files of the folders named as arguments to the fuzz target, whole and cut at every length. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILE_BYTES = 1 << 16 };

static void replay(const char *path)
{
    static uint8_t bytes[MAX_FILE_BYTES];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;

    if (!file)
        exit(2);
    fclose(file);
    for (size_t cut = 0; cut <= size; cut++)
        LLVMFuzzerTestOneInput(bytes, cut);
}

int main(int argc, char **argv)
{
    int files = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        const struct dirent *entry = NULL;
        char path[4096];

        while (folder && (entry = readdir(folder)))
            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                replay(path);
                files++;
            }
        if (folder)
            closedir(folder);
    }
    printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
