/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls that move rows as they are, over clquant/move_rows.h; clquant/npu.h has the others,
 * and says what is kept and relaxed. */
#ifndef CLQUANT_NPU_MOVES_H
#define CLQUANT_NPU_MOVES_H

#include <clquant/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* npu_scatter_nd_update(input, indices, updates) -> output
 * npu_scatter_nd_update_(input, indices, updates)  the same, in place
 *
 *   output = input, and then for each row i of indices, of k numbers
 *   output[i0, .., ik-1, ..] = updates[i]
 *
 * indices     [.., k], int32 or int64, k from 1 to input's rank: one for each of its first dimensions. One
 *             that is out of range, below 0 too, leaves its row out; where several are the same the last
 *             wins.
 * updates     [.., input's dimensions from number k on], with the first dimensions of indices. In both these
 *             may have any strides that lead through them as through one.
 * Types       of input and updates the same, as clq_move_rows has them, or both floats.
 *
 * scatter_update(data, indices, updates, axis) -> output
 * scatter_update_(data, indices, updates, axis)  the same, in place
 *
 *   output = data, and then for each i, with b, s = indices[i] or (i, indices[i])
 *   output[b, .., s : s+U on axis, ..] = updates[i]
 *
 * data        rank 2 to 8; updates as data, its first dimension N, U at most data's size on axis.
 * indices     [N], N at most data's first dimension, or [N, 2]; out of range and overlap as above.
 * axis        any but the first; with four bits or blocks not the last.
 *
 * In place updates may share bytes with the tensor; clq_move_rows has reports, other policies and layers.
 * Formula, layouts, events and threads: clquant/move_rows.h. */
CLQ_API clq_status clq_npu_scatter_nd_update(clq_context *context, cl_command_queue queue,
                                             const DLTensor *input, const DLTensor *indices,
                                             const DLTensor *updates, const DLTensor *output,
                                             cl_uint num_wait, const cl_event *wait, cl_event *done);
CLQ_API clq_status clq_npu_scatter_nd_update_(clq_context *context, cl_command_queue queue,
                                              const DLTensor *input, const DLTensor *indices,
                                              const DLTensor *updates, cl_uint num_wait, const cl_event *wait,
                                              cl_event *done);
CLQ_API clq_status clq_scatter_update(clq_context *context, cl_command_queue queue, const DLTensor *data,
                                      const DLTensor *indices, const DLTensor *updates, int axis,
                                      const DLTensor *output, cl_uint num_wait, const cl_event *wait,
                                      cl_event *done);
CLQ_API clq_status clq_scatter_update_(clq_context *context, cl_command_queue queue, const DLTensor *data,
                                       const DLTensor *indices, const DLTensor *updates, int axis,
                                       cl_uint num_wait, const cl_event *wait, cl_event *done);
/* output NULL: in place. */
CLQ_API clq_status clq_npu_scatter_nd_update_check(const DLTensor *input, const DLTensor *indices,
                                                   const DLTensor *updates, const DLTensor *output);
CLQ_API clq_status clq_scatter_update_check(const DLTensor *data, const DLTensor *indices,
                                            const DLTensor *updates, int axis, const DLTensor *output);

/* npu_scatter_pa_kv_cache(key, value, key_cache, value_cache, slot_mapping, *, compress_lens=None,
 *                         compress_seq_offsets=None, seq_lens=None, cache_mode="PA_NZ")
 *
 *   of each i, with s = slot_mapping[i]:  key_cache at slot s = key[i], value_cache at slot s = value[i]
 *
 * key, value    [N, heads, size]; each has its own size, and its cache's type.
 * caches        cache_mode "Norm": [blocks, block_size, heads, size], slot s is [s / block_size, s mod
 *               block_size]. "PA_NZ" or NULL: [blocks, heads * size / last, block_size, last], where c * last
 *               + l of an entry's heads * size elements is at [s / block_size, c, s mod block_size, l]; one
 *               step leads through heads and size then. They may be one tensor: the values are what stays;
 *               else they share no bytes, and value none with key_cache.
 * slot_mapping  [N], int32 or int64. One below 0 or past the cache leaves its entry out; where several are
 *               the same the last wins.
 * compress_lens, compress_seq_offsets, seq_lens  NULL: the compressed form is not known here.
 * Failure       all that can be refused or built is so before either cache is written. Events, layouts and
 *               threads: clquant/move_rows.h. */
CLQ_API clq_status clq_npu_scatter_pa_kv_cache(clq_context *context, cl_command_queue queue,
                                               const DLTensor *key, const DLTensor *value,
                                               const DLTensor *key_cache, const DLTensor *value_cache,
                                               const DLTensor *slot_mapping, const DLTensor *compress_lens,
                                               const DLTensor *compress_seq_offsets, const DLTensor *seq_lens,
                                               const char *cache_mode, cl_uint num_wait, const cl_event *wait,
                                               cl_event *done);
CLQ_API clq_status clq_npu_scatter_pa_kv_cache_check(const DLTensor *key, const DLTensor *value,
                                                     const DLTensor *key_cache, const DLTensor *value_cache,
                                                     const DLTensor *slot_mapping,
                                                     const DLTensor *compress_lens,
                                                     const DLTensor *compress_seq_offsets,
                                                     const DLTensor *seq_lens, const char *cache_mode);

#ifdef __cplusplus
}
#endif
#endif
