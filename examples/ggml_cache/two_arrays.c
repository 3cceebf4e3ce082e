/* SPDX-License-Identifier: Apache-2.0 */
/* Two copies of rectangles put codes and d into arrays of their own, in the order of the blocks, and views
 * say how they lie: a value is (code + offset) * d. Those of other types do not come back so: d and m of q4_1
 * are q * d + m, the codes of q5_0 have their fifth bits elsewhere, and those of iq4_nl are levels. */
#include "ggml_cache.h"

#include <string.h>

static bool is(DLDataType type, DLDataType other)
{
    return memcmp(&type, &other, sizeof type) == 0;
}

bool has_two_arrays(DLDataType type)
{
    return is(type, CLQ_Q8_0) || is(type, CLQ_Q4_0);
}

/* Bytes `at` to `at + size` of every block. */
static clq_status copy_of_blocks(const struct device *device, const DLTensor *cache, size_t at, size_t size,
                                 const DLManagedTensor *to)
{
    const size_t from[] = {at, 0, 0}, begin[] = {0, 0, 0}, region[] = {size, (size_t)ROWS * BLOCKS, 1};

    return clEnqueueCopyBufferRect(device->queue, cache->data, to->dl_tensor.data, from, begin, region,
                                   cache->dtype.lanes, 0, size, 0, 0, NULL, NULL);
}

/* Byte j of a block of q4_0 holds the codes of its values j and j + 16. So the two of a byte are a dimension
 * of their own, along which y goes 16 values further. Of q8_0 it has one. */
static clq_status dequantize(const struct device *device, const DLManagedTensor *codes,
                             const DLManagedTensor *d, const DLManagedTensor *offset,
                             const DLManagedTensor *y)
{
    const int64_t bytes = codes->dl_tensor.shape[2];
    int64_t of_codes[] = {ROWS, BLOCKS, bytes, 1}, of_values[] = {ROWS, BLOCKS, bytes, QK / bytes};
    int64_t of_scales[] = {ROWS, BLOCKS, bytes};
    int64_t values_step[] = {WIDTH, QK, 1, QK / 2}, scales_step[] = {BLOCKS, 1, 0}, offset_step[] = {0, 0, 0};
    DLTensor code_view = codes->dl_tensor, y_view = y->dl_tensor;
    DLTensor d_view = d->dl_tensor, offset_view = offset->dl_tensor;

    code_view.ndim = 4, code_view.shape = of_codes, code_view.strides = NULL;
    y_view.ndim = 4, y_view.shape = of_values, y_view.strides = values_step;
    d_view.ndim = 3, d_view.shape = of_scales, d_view.strides = scales_step;
    offset_view.ndim = 3, offset_view.shape = of_scales, offset_view.strides = offset_step;
    return clq_dequantize(device->context, device->queue,
                          &(struct clq_dequantize_desc){.q = &code_view,
                                                        .scales = &d_view,
                                                        .offsets = &offset_view,
                                                        .y = &y_view,
                                                        .mode = CLQ_DEQUANTIZE_DYNAMIC},
                          0, NULL, NULL);
}

struct arrays {
    DLManagedTensor *codes, *d, *offset, *y;
};

static clq_status read(const struct device *device, const DLTensor *cache, struct arrays *arrays,
                       float *values)
{
    const bool nibbles = is(cache->dtype, CLQ_Q4_0);
    const int64_t rows[] = {ROWS, WIDTH}, of_d[] = {ROWS, BLOCKS};
    const int64_t of_codes[] = {ROWS, BLOCKS, nibbles ? QK / 2 : QK};
    const float offset = nibbles ? -8.0f : 0.0f;

    TRY(create_filled(device, nibbles ? CLQ_UINT4_BYTES : CLQ_INT8, 3, of_codes, NULL, &arrays->codes));
    TRY(create_filled(device, CLQ_FLOAT16, 2, of_d, NULL, &arrays->d));
    TRY(create_filled(device, CLQ_FLOAT32, 0, NULL, &offset, &arrays->offset));
    TRY(create_filled(device, CLQ_FLOAT32, 2, rows, NULL, &arrays->y));
    TRY(copy_of_blocks(device, cache, 0, 2, arrays->d));
    TRY(copy_of_blocks(device, cache, 2, (size_t)of_codes[2], arrays->codes));
    TRY(dequantize(device, arrays->codes, arrays->d, arrays->offset, arrays->y));
    return clq_tensor_read(device->queue, &arrays->y->dl_tensor, CL_TRUE, values,
                           sizeof(float) * ROWS * WIDTH, 0, NULL, NULL);
}

clq_status read_two_arrays(const struct device *device, const DLTensor *cache, float *values)
{
    struct arrays arrays = {0};
    const clq_status status = read(device, cache, &arrays, values);

    clq_tensor_destroy(arrays.codes);
    clq_tensor_destroy(arrays.d);
    clq_tensor_destroy(arrays.offset);
    clq_tensor_destroy(arrays.y);
    return status;
}
