/* SPDX-License-Identifier: Apache-2.0 */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_ELEMENTS = 48 };

/* Few types, and one way where an operator has all launches in one, are few kernels:
 * what may fail is the same for all. */
static struct wish wish_of(const struct operator_row *op, uint64_t number)
{
    struct wish wish = no_wish;

    wish.given = true;
    wish.src = op->src & TYPE_SET(F32) ? REFERENCE_F32 : REFERENCE_I8;
    wish.dst = op->dst & TYPE_SET(F32) ? REFERENCE_F32 : REFERENCE_I8;
    wish.multiply =
        op->src & TYPES_FLOAT ? 0 : -1; /* the way back has groups in one and dynamic rows in the other */
    wish.claims = number % 4 == 0;
    return wish;
}

static bool complain(const char *sentence)
{
    fprintf(stderr, "a call cannot be made: %s\n", sentence);
    return false;
}

static size_t place_count(const struct subject *subject)
{
    return (size_t)subject->placed.count;
}

static struct memory *memory_of(struct subject *subject, size_t i)
{
    return subject->placed.buffers[i].memory;
}

/* Images of the call's bytes: `written` holds those before it, as nothing marks bytes here. */
static bool make_images(struct subject *subject)
{
    const struct operator_row *op = subject->call.op;
    const bool copies = op->copy != NULL && op->copy(&subject->call);

    for (size_t i = 0; i < place_count(subject); i++) {
        struct memory *memory = memory_of(subject, i);

        memcpy(memory->written, memory->bytes, memory->size);
        if (!copies)
            continue;
        subject->copied[i] = malloc(memory->size);
        if (subject->copied[i] == NULL)
            return complain("no memory");
        memcpy(subject->copied[i], memory->expected, memory->size);
    }
    call_expect(&subject->call);
    return true;
}

static bool place(struct subject *subject, const struct device *device)
{
    if (placed_make(&subject->placed, device, &subject->call) != NULL)
        return true;
    placed_clear(&subject->placed);
    return complain("OpenCL refuses a buffer");
}

static bool find_table(struct subject *subject, const struct device *device, bool with_workspace)
{
    size_t bytes = 0;

    if (subject->call.op->workspace_bytes == NULL)
        return true;
    if (subject->call.op->workspace_bytes(device->context, subject->placed.bound.desc, &bytes) != CLQ_OK)
        return complain(clq_error_detail());
    subject->table_words = bytes / sizeof(uint32_t);
    if (!with_workspace || bytes == 0)
        return true;
    placed_clear(&subject->placed);
    call_add_workspace(&subject->call, subject->table_words);
    return place(subject, device);
}

bool subject_draw(struct subject *subject, const struct device *device, const struct operator_row *op,
                  uint64_t seed, uint64_t number, bool with_workspace)
{
    const struct wish wish = wish_of(op, number);

    *subject = (struct subject){.table_words = 0};
    subject->call.rng = rng_of(seed, number);
    call_draw(&subject->call, op, FEW_ELEMENTS, &wish);
    return place(subject, device) && find_table(subject, device, with_workspace) && make_images(subject);
}

bool subject_make(struct subject *subject, const struct device *device, void (*make)(struct call *call))
{
    *subject = (struct subject){.table_words = 0};
    subject->call.rng = rng_of(1, 1);
    make(&subject->call);
    return place(subject, device) && find_table(subject, device, false) && make_images(subject);
}

static bool has_elements(const struct call *call)
{
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        for (int d = 0; call->tensors[t].name != NULL && d < call->tensors[t].dl.ndim; d++)
            if (call->tensors[t].shape[d] == 0)
                return false;
    return true;
}

bool subject_document(struct subject *subject, const struct device *device,
                      const struct documented_call *documented)
{
    *subject = (struct subject){.table_words = 0};
    subject->call.rng = rng_of(1, 1);
    do {
        call_clear(&subject->call);
        documented_draw(&subject->call, documented, &subject->row, FEW_ELEMENTS);
    } while (!has_elements(&subject->call));
    return place(subject, device) && make_images(subject);
}

void subject_clear(struct subject *subject)
{
    for (size_t i = 0; i < sizeof subject->copied / sizeof *subject->copied; i++)
        free(subject->copied[i]);
    placed_clear(&subject->placed);
    call_clear(&subject->call);
}

/* Each of these bytes is as it was, or copied, or what the call writes. */
static bool is_in_part(const unsigned char *bytes, const unsigned char *const images[3], size_t from,
                       size_t to)
{
    for (size_t i = from; i < to; i++)
        if (bytes[i] != images[0][i] && (images[1] == NULL || bytes[i] != images[1][i]) &&
            bytes[i] != images[2][i])
            return false;
    return true;
}

unsigned subject_bytes(struct subject *subject)
{
    const struct tensor *workspace = &subject->call.workspace;
    unsigned found = SUBJECT_BEFORE | SUBJECT_COPIED | SUBJECT_DONE | SUBJECT_IN_PART;
    char failure[256];

    if (!placed_read(&subject->placed, failure, sizeof failure))
        return complain(failure);
    for (size_t i = 0; i < place_count(subject); i++) {
        const struct memory *memory = memory_of(subject, i);
        const unsigned char *images[] = {memory->written, subject->copied[i], memory->expected};
        const bool has_table = workspace->name != NULL && memory == &workspace->memory;
        const size_t table = has_table ? workspace->dl.byte_offset : memory->size,
                     behind = has_table ? table + subject->table_words * sizeof(uint32_t) : memory->size;

        for (int image = 0; image < 3; image++)
            if (images[image] == NULL || memcmp(memory->bytes, images[image], table) != 0 ||
                memcmp(memory->bytes + behind, images[image] + behind, memory->size - behind) != 0)
                found &= ~(1u << image);
        if (!is_in_part(memory->bytes, images, 0, table) ||
            !is_in_part(memory->bytes, images, behind, memory->size))
            found &= ~(unsigned)SUBJECT_IN_PART;
    }
    return found;
}

/* 0 where the operator has none. */
static int32_t field_of(const struct call *call, const char *name)
{
    struct call copy = *call;
    const int32_t *field = operator_field(call->op, copy.desc, name);

    return field != NULL ? *field : 0;
}

/* Its scales are written ahead of y. The documented calls have rows of their own, and its descriptor. */
static bool finds_apart(const struct call *call)
{
    const int32_t axis = field_of(call, "axis"), rank = call->tensors[0].dl.ndim;

    const bool rows = call->op == &operator_dynamic_quantize ||
                      strncmp(call->op->name, "npu_dynamic_quant", strlen("npu_dynamic_quant")) == 0;

    return rows && (field_of(call, "block_all") > 0 || (axis != 0 && axis != -1 && axis != rank - 1));
}

/* Its report is written where places of coordinates are found, ahead of all rows. */
static bool reports_ahead(const struct call *call)
{
    return field_of(call, "src_index_kind") == CLQ_ND || field_of(call, "dst_index_kind") == CLQ_ND;
}

/* It is two calls, of which the first may be done. */
static bool is_twice(const struct call *call)
{
    return strcmp(call->op->name, "npu_scatter_pa_kv_cache") == 0;
}

unsigned subject_failed_bytes(const struct subject *subject)
{
    const struct call *call = &subject->call;
    const bool in_part =
        field_of(call, "block") > 0 || finds_apart(call) || reports_ahead(call) || is_twice(call);

    return SUBJECT_BEFORE | SUBJECT_COPIED | (in_part ? SUBJECT_IN_PART : 0);
}

void subject_reset(struct subject *subject)
{
    const cl_command_queue queue = subject->placed.device->queue;

    for (size_t i = 0; i < place_count(subject); i++) {
        const struct placed_buffer *buffer = &subject->placed.buffers[i];
        struct memory *memory = buffer->memory;

        if (memcmp(memory->bytes, memory->written, memory->size) == 0)
            continue;
        memcpy(memory->bytes, memory->written, memory->size);
        if (clEnqueueWriteBuffer(queue, buffer->whole, CL_TRUE, buffer->origin, memory->size, memory->bytes,
                                 0, NULL, NULL) != CL_SUCCESS)
            complain("its bytes cannot be put back");
    }
}
