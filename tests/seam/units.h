/* SPDX-License-Identifier: Apache-2.0 */
/* What is stored at once: one element, or the byte that elements share, or of a block a word. */
#ifndef CLQUANT_SEAM_UNITS_H
#define CLQUANT_SEAM_UNITS_H

#include "memory.h"
#include "reference.h"

#define UNITS_MOST_ELEMENTS 4

enum reference_type units_type(enum clq__type type);
int units_elements(enum clq__type type);
/* The codes of all elements of unit number u of a buffer. */
void units_load(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                uint64_t codes[UNITS_MOST_ELEMENTS]);
void units_store(struct run *run, unsigned buffer, enum clq__type type, int64_t u, const uint64_t *codes);
/* A block whose first word is unit u. */
#define UNITS_BLOCK_BYTES 34
void units_load_block(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                      unsigned char block[UNITS_BLOCK_BYTES]);
void units_store_block(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                       const unsigned char block[UNITS_BLOCK_BYTES]);
/* Element number i of a buffer of floats. */
void units_store_float(struct run *run, unsigned buffer, enum clq__type type, int64_t i, float value);

#endif
