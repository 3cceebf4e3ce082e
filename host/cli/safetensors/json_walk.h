/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the members of a JSON object as they stand in the text, and refuses what a safetensors header may not
 * hold: all that a JSON library would forgive, hide or round. Nothing is allocated, so that a hostile text
 * costs nothing before it is refused.
 *
 *   - strings are valid UTF-8, without control characters, and their escapes are no half of a pair; an escape
 *     that is a NUL is noted, because the caller knows where it may stand
 *   - numbers are whole, from 0 to 2^53: beyond that a JSON library's double may be another number
 *   - values nest two levels below the members, no deeper: a tensor's object, and its arrays
 *   - those of the second level hold at most 64 values: a shape has no more dimensions */
#ifndef CLQUANT_CLI_JSON_WALK_H
#define CLQUANT_CLI_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>

struct json_member {
    const char *key; /* with its quotes; NULL while none was read */
    size_t key_bytes;
    const char *value;
    size_t value_bytes;
    size_t children; /* elements of an array, members of an object */
    const char *nul; /* the first \u0000 in key or value; NULL: there is none */
};

struct json_walk {
    const char *text;
    const char *at;
    const char *end;
    const char *problem; /* NULL: none. Else the rule that is broken at byte at - text */
    bool started;
    const char *nul; /* of the member that is being read */
};

/* The object must be the whole text, but for white space around it. */
void json_walk_init(struct json_walk *walk, const char *text, size_t text_bytes);

/* The next member; false at the end, and where there is a problem. After a problem, member->key says in which
 * member it is. */
bool json_walk_next(struct json_walk *walk, struct json_member *member);

#endif
