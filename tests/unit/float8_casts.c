/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's float8 for float8_casts.py, which says what they must be.
 *
 *   float8_casts    of each binary32 on standard input a byte of e4m3fn and one of e5m2 on standard output
 *   float8_casts read    what each byte of e4m3fn, then of e5m2, is read as: 512 binary32 */
#include "types.h"

#include <stdio.h>
#include <string.h>

static const enum reference_type types[] = {REFERENCE_E4M3, REFERENCE_E5M2};

int main(int argc, char **argv)
{
    float value;

    if (argc == 2 && strcmp(argv[1], "read") == 0) {
        for (unsigned i = 0; i < 512; i++) {
            value = reference_read(i % 256, types[i / 256]);
            fwrite(&value, sizeof value, 1, stdout);
        }
        return 0;
    }
    while (fread(&value, sizeof value, 1, stdin) == 1)
        for (int i = 0; i < 2; i++)
            putchar((int)reference_round(value, types[i]));
    return 0;
}
