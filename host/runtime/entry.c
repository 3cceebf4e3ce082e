/* SPDX-License-Identifier: Apache-2.0 */
/* magic, checksum, length of the key, length of the binary, the key, the binary. The checksum covers all that
 * follows it. Numbers are in the machine's order: an entry never leaves its machine, and the magic differs in
 * the other. */
#include "runtime/entry.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    uint64_t magic, checksum, key_bytes, binary_bytes;
};

#define MAGIC 0x316e6962716c63u /* "clqbin1" */

static uint64_t checksum_of(const unsigned char *entry, size_t entry_bytes)
{
    const size_t start = offsetof(struct header, key_bytes);

    return clq__hash(CLQ__HASH_START, entry + start, entry_bytes - start);
}

void clq__entry_name(const char *key, char name[CLQ__ENTRY_NAME_BYTES])
{
    const uint64_t a = clq__hash(CLQ__HASH_START, key, strlen(key));
    const uint64_t b = clq__hash(~a, key, strlen(key));

    snprintf(name, CLQ__ENTRY_NAME_BYTES, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}

bool clq__entry_begin(const char *key, size_t binary_bytes, unsigned char **entry, size_t *entry_bytes,
                      unsigned char **binary)
{
    const size_t key_bytes = strlen(key);

    *entry_bytes = sizeof(struct header) + key_bytes + binary_bytes;
    *entry = malloc(*entry_bytes);
    if (*entry == NULL)
        return false;
    memcpy(*entry + sizeof(struct header), key, key_bytes);
    *binary = *entry + sizeof(struct header) + key_bytes;
    return true;
}

void clq__entry_end(const char *key, unsigned char *entry, size_t entry_bytes)
{
    struct header header = {.magic = MAGIC, .key_bytes = strlen(key)};

    header.binary_bytes = entry_bytes - sizeof header - header.key_bytes;
    memcpy(entry, &header, sizeof header);
    header.checksum = checksum_of(entry, entry_bytes);
    memcpy(entry, &header, sizeof header);
}

bool clq__entry_open(const char *key, const unsigned char *entry, size_t entry_bytes,
                     const unsigned char **binary, size_t *binary_bytes)
{
    struct header header;
    const size_t key_bytes = strlen(key);

    if (entry_bytes < sizeof header)
        return false;
    memcpy(&header, entry, sizeof header);
    if (header.magic != MAGIC || header.key_bytes != key_bytes || entry_bytes - sizeof header < key_bytes ||
        header.binary_bytes != entry_bytes - sizeof header - key_bytes || header.binary_bytes == 0 ||
        header.checksum != checksum_of(entry, entry_bytes) ||
        memcmp(entry + sizeof header, key, key_bytes) != 0)
        return false;
    *binary = entry + sizeof header + key_bytes;
    *binary_bytes = header.binary_bytes;
    return true;
}
