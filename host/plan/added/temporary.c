/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/added/temporary.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>

/* Kernels load whole chunks where all that they read begins at one (cl/base/chunk.clh),
 * as a buffer of its own does. */
enum { ALIGN = 64, LEAST_ALIGN = 4 };

struct clq__temporary *clq__temporaries_add(struct clq__temporaries *all, int64_t elements,
                                            size_t element_bytes)
{
    struct clq__temporary *temporary = &all->list[all->num++];

    assert(all->num <= CLQ__MOST_TEMPORARIES);
    temporary->elements = elements;
    temporary->element_bytes = element_bytes;
    temporary->anywhere = false;
    temporary->num_uses = 0;
    return temporary;
}

void clq__temporary_use(struct clq__temporary *temporary, cl_mem *buffer, int64_t *offset)
{
    assert(temporary->num_uses < CLQ__MOST_USES);
    temporary->uses[temporary->num_uses++] = (struct clq__use){buffer, offset};
}

void clq__temporaries_repeat(struct clq__temporaries *all, const cl_mem *buffers, unsigned num_buffers,
                             const void *args, cl_mem *other_buffers, void *other_args)
{
    for (unsigned i = 0; i < all->num; i++)
        for (unsigned u = 0; u < all->list[i].num_uses; u++) {
            const struct clq__use *use = &all->list[i].uses[u];

            if (use->buffer < buffers || use->buffer >= buffers + num_buffers)
                continue;
            clq__temporary_use(
                &all->list[i], &other_buffers[use->buffer - buffers],
                (void *)((char *)other_args + ((const char *)use->offset - (const char *)args)));
        }
}

static bool is_anywhere(const struct clq__temporaries *all)
{
    return all->num == 1 && all->list[0].anywhere;
}

clq_status clq__temporaries_size(const struct clq__temporaries *all, size_t *size_bytes)
{
    clq_status status = CLQ_OK;
    const bool anywhere = is_anywhere(all);
    size_t size = all->num == 0 || anywhere ? 0 : ALIGN - LEAST_ALIGN;

    *size_bytes = 0;
    for (unsigned i = 0; i < all->num; i++) {
        const struct clq__temporary *temporary = &all->list[i];
        size_t bytes = 0;

        CLQ_REQUIRE(!__builtin_mul_overflow(temporary->elements, temporary->element_bytes, &bytes) &&
                        !__builtin_add_overflow(bytes, anywhere ? 0 : ALIGN - 1, &bytes) &&
                        !__builtin_add_overflow(size, bytes - (anywhere ? 0 : bytes % ALIGN), &size) &&
                        size <= INT64_MAX,
                    CLQ_ERROR_OVERFLOW,
                    "scratch memory of %" PRId64 " elements of %zu bytes: it must fit size_t",
                    temporary->elements, temporary->element_bytes);
    }
    *size_bytes = size;
end:
    return status;
}

void clq__temporaries_place(const struct clq__temporaries *all, uint64_t offset_bytes)
{
    const uint64_t align = is_anywhere(all) ? LEAST_ALIGN : ALIGN;
    uint64_t at = offset_bytes;

    for (unsigned i = 0; i < all->num; i++) {
        const struct clq__temporary *temporary = &all->list[i];

        at = (at + align - 1) / align * align;
        for (unsigned u = 0; u < temporary->num_uses; u++)
            *temporary->uses[u].offset += (int64_t)(at / temporary->element_bytes);
        at += (uint64_t)temporary->elements * temporary->element_bytes;
    }
}

void clq__temporaries_set(const struct clq__temporaries *all, cl_mem buffer)
{
    for (unsigned i = 0; i < all->num; i++)
        for (unsigned u = 0; u < all->list[i].num_uses; u++)
            *all->list[i].uses[u].buffer = buffer;
}
