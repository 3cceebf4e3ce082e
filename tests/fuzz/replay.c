/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the inputs of the packed corpora named as arguments to the fuzz target, whole and cut at every
 * length. A packed corpus is a text file: a line is an input, its bytes in lower-case hex (corpus.py). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Puts the bytes of a line's digits over the line itself; 0 where there are none or it is not hex. */
static size_t decode(char *line, size_t length, uint8_t *bytes)
{
    static const char digits[] = "0123456789abcdef";

    if (length % 2 != 0 || strspn(line, digits) != length)
        return 0;
    for (size_t i = 0; i < length / 2; i++) {
        const size_t high = (size_t)(strchr(digits, line[2 * i]) - digits);
        const size_t low = (size_t)(strchr(digits, line[2 * i + 1]) - digits);

        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return length / 2;
}

/* The number of inputs, or -1 where the file cannot be read or is no corpus. */
static int replay(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int inputs = 0;

    if (!file) {
        perror(path);
        return -1;
    }
    while (inputs >= 0 && (length = getline(&line, &room, file)) > 0) {
        const bool ended = line[length - 1] == '\n';
        const size_t size = decode(line, (size_t)length - ended, (uint8_t *)line);

        for (size_t cut = 0; size > 0 && cut <= size; cut++)
            LLVMFuzzerTestOneInput((const uint8_t *)line, cut);
        inputs++;
        if (size == 0) {
            fprintf(stderr, "%s:%d: not the bytes of an input in lower-case hex\n", path, inputs);
            inputs = -1;
        }
    }
    if (inputs == 0)
        fprintf(stderr, "%s: no inputs\n", path);
    free(line);
    fclose(file);
    return inputs > 0 ? inputs : -1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s CORPUS...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        const int inputs = replay(argv[i]);

        if (inputs < 0)
            return 2;
        printf("%s: %d inputs\n", argv[i], inputs);
    }
    return 0;
}
