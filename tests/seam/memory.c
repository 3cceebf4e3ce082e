/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "units.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void run_fail(struct run *run, const char *format, ...)
{
    va_list list;

    if (run_failed(run))
        return;
    va_start(list, format);
    vsnprintf(run->failure, sizeof run->failure, format, list);
    va_end(list);
}

void memory_begin(const struct clq__launch *launch)
{
    for (unsigned i = 0; i < launch->num_buffers; i++) {
        struct memory *memory = (struct memory *)launch->buffers[i];

        if (memory != NULL && memory->launch % UCHAR_MAX == 0) {
            memset(memory->written, 0, memory->size);
            memory->launch = 0;
        }
        if (memory != NULL)
            memory->launch++;
    }
}

/* NULL where not all of these bytes are the buffer's. */
static unsigned char *find(struct run *run, unsigned buffer, int64_t i, size_t bytes, struct memory **memory)
{
    *memory = (struct memory *)run->launch->buffers[buffer];
    if (run_failed(run))
        return NULL;
    if (buffer >= run->launch->num_buffers || *memory == NULL) {
        run_fail(run, "buffer %u is touched, and there is none", buffer);
        return NULL;
    }
    if (i < 0 || i >= (int64_t)((*memory)->size / bytes)) {
        run_fail(run, "element %lld of %zu bytes of buffer %u is outside of its %zu bytes", (long long)i,
                 bytes, buffer, (*memory)->size);
        return NULL;
    }
    return (*memory)->bytes + (size_t)i * bytes;
}

const void *run_read(struct run *run, unsigned buffer, int64_t i, size_t bytes)
{
    struct memory *memory;

    return find(run, buffer, i, bytes, &memory);
}

void run_write(struct run *run, unsigned buffer, int64_t i, size_t bytes, const void *from)
{
    struct memory *memory;
    unsigned char *at = find(run, buffer, i, bytes, &memory);

    if (at == NULL)
        return;
    for (size_t b = 0; b < bytes; b++) {
        unsigned char *const mark = &memory->written[(size_t)i * bytes + b];

        if (*mark == memory->launch)
            run_fail(run, "element %lld of buffer %u is written twice", (long long)i, buffer);
        *mark = memory->launch;
    }
    memcpy(at, from, bytes);
}

uint32_t *run_word(struct run *run, unsigned buffer, int64_t i)
{
    struct memory *memory;

    return (uint32_t *)(void *)find(run, buffer, i, sizeof(uint32_t), &memory);
}

int64_t run_load_index(struct run *run, unsigned buffer, bool wide, int64_t i)
{
    const void *at = run_read(run, buffer, i, wide ? 8 : 4);
    int32_t narrow = 0;
    int64_t value = 0;

    if (at == NULL)
        return 0;
    if (wide)
        memcpy(&value, at, sizeof value);
    else
        memcpy(&narrow, at, sizeof narrow);
    return wide ? value : narrow;
}

float run_load(struct run *run, unsigned buffer, enum clq__type type, int64_t i)
{
    const int64_t first = 0;
    struct memory *memory;
    unsigned char *at;

    if (type >= CLQ__TYPES || !clq__type_is(type, CLQ__SCALES | CLQ__INTEGERS)) {
        run_fail(run, "buffer %u is read as type %d", buffer, (int)type);
        return 0.0f;
    }
    at = find(run, buffer, i, (size_t)reference_unit_bytes(units_type(type), 1), &memory);
    if (at == NULL)
        return 0.0f;
    return reference_load(&(struct reference_tensor){.type = units_type(type), .data = at}, &first);
}
