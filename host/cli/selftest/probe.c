/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors between guard bytes, on the device and on the host. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, OFFSET_ELEMENTS = 3, GAP = 4 };

static void lay_out(struct probe *probe, int rank, enum layout layout)
{
    int64_t stride = layout == LAYOUT_EVERY_THIRD ? 3 : 1;

    for (int i = 0; i < rank; i++) {
        const int d = layout == LAYOUT_TRANSPOSED ? i : rank - 1 - i;

        probe->strides[d] = layout == LAYOUT_REPEATED && d == 0 ? 0 : stride;
        stride *= probe->shape[d];
        if (layout == LAYOUT_PADDED)
            stride += GAP; /* even: nibbles of a row begin in a byte */
    }
}

/* From the first element to the last, in elements. */
static int64_t span_of(const struct probe *probe, int rank)
{
    int64_t span = 1;

    for (int d = 0; d < rank; d++) {
        if (probe->shape[d] == 0)
            return 0;
        span += (probe->shape[d] - 1) * probe->strides[d];
    }
    return span;
}

bool probe_create(struct selftest *test, struct probe *probe, enum reference_type type, int lanes, int rank,
                  const int64_t *shape, enum layout layout)
{
    const struct reference_type_row *row = &reference_types[type];
    const size_t bits = (size_t)(row->bits * lanes);
    const size_t offset =
        GUARD_BYTES +
        (layout == LAYOUT_DENSE ? 0 : OFFSET_ELEMENTS * (size_t)reference_unit_bytes(type, lanes));
    clq_status status = CLQ_OK;

    *probe = (struct probe){.made_before = test->probes};
    test->probes = probe;
    memcpy(probe->shape, shape, (size_t)rank * sizeof *shape);
    lay_out(probe, rank, layout);
    probe->size_bytes = offset + ((size_t)span_of(probe, rank) * bits + 7) / 8 + GUARD_BYTES;
    probe->image = malloc(probe->size_bytes);
    if (!probe->image)
        return selftest_fail(test, "no memory for %zu bytes", probe->size_bytes);
    for (size_t i = 0; i < probe->size_bytes; i++)
        probe->image[i] = (unsigned char)random_bits(test);
    status = clq_tensor_create(test->context, CLQ_UINT8, 1, (const int64_t[]){(int64_t)probe->size_bytes},
                               &probe->memory);
    if (status != CLQ_OK)
        return selftest_finish(test, "clq_tensor_create", status, NULL);

    probe->device = probe->memory->dl_tensor;
    probe->device.ndim = rank;
    probe->device.dtype = (DLDataType){(uint8_t)row->dlpack_code, (uint8_t)row->bits, (uint16_t)lanes};
    probe->device.shape = probe->shape;
    probe->device.strides = probe->strides;
    probe->device.byte_offset += offset;
    probe->host = reference_dense(type, lanes, rank, shape, probe->image + offset);
    memcpy(probe->host.strides, probe->strides, (size_t)rank * sizeof *probe->strides);
    return true;
}

void probes_destroy(struct selftest *test)
{
    for (struct probe *probe = test->probes; probe; probe = probe->made_before) {
        clq_tensor_destroy(probe->memory);
        free(probe->image);
    }
    test->probes = NULL;
}

bool probe_upload(struct selftest *test, struct probe *probe)
{
    cl_event done = NULL;
    clq_status status = clq_tensor_write(test->queue, &probe->memory->dl_tensor, CL_FALSE, probe->image,
                                         probe->size_bytes, 0, NULL, &done);

    return selftest_finish(test, "clq_tensor_write", status, done);
}

bool probe_compare(struct selftest *test, const struct probe *probe)
{
    unsigned char *got = malloc(probe->size_bytes);
    cl_event done = NULL;
    clq_status status = CLQ_OK;
    bool ok = false;

    if (!got)
        return selftest_fail(test, "no memory for %zu bytes", probe->size_bytes);
    status = clq_tensor_read(test->queue, &probe->memory->dl_tensor, CL_FALSE, got, probe->size_bytes, 0,
                             NULL, &done);
    ok = selftest_finish(test, "clq_tensor_read", status, done);
    for (size_t i = 0; ok && i < probe->size_bytes; i++)
        if (got[i] != probe->image[i])
            ok = selftest_fail(test, "byte %td from the tensor's first is 0x%02x, 0x%02x is right",
                               (ptrdiff_t)i - ((unsigned char *)probe->host.data - probe->image), got[i],
                               probe->image[i]);
    test->comparisons++;
    free(got);
    return ok;
}
