/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of the binary cache: a header that proves it whole, its key in full, and the driver's bytes. A
 * damaged binary can end the process inside a driver, so nothing reaches one unverified. */
#ifndef CLQ_RUNTIME_ENTRY_H
#define CLQ_RUNTIME_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLQ__ENTRY_NAME_BYTES 33

/* The name of a key's entry: 32 hexadecimal digits and a NUL. Two keys of one name are told apart by the
 * entry. */
void clq__entry_name(const char *key, char name[CLQ__ENTRY_NAME_BYTES]);

/* Room for a binary of that size, with the place where the binary goes. *entry is malloc'ed; false where
 * there is no memory. */
bool clq__entry_begin(const char *key, size_t binary_bytes, unsigned char **entry, size_t *entry_bytes,
                      unsigned char **binary);
/* Seals it with lengths and checksum, once the binary is in place. */
void clq__entry_end(const char *key, unsigned char *entry, size_t entry_bytes);

/* Whether the bytes are a whole entry of this key; then where the binary stands in them. */
bool clq__entry_open(const char *key, const unsigned char *entry, size_t entry_bytes,
                     const unsigned char **binary, size_t *binary_bytes);

#endif
