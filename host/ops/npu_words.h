/* SPDX-License-Identifier: Apache-2.0 */
/* quint4x2 as the documents write it: int32 words of eight. */
#ifndef CLQ_OPS_NPU_WORDS_H
#define CLQ_OPS_NPU_WORDS_H

#include <clquant/tensor.h>

/* A tensor of int32 words seen as the library's own view of them, (kDLInt, 4, 8); any other tensor as it is.
 */
DLTensor clq__npu_words(const DLTensor *tensor);
/* The same, and of uint8 bytes as (kDLInt, 4, 2): for tensors that can only be int4. */
DLTensor clq__npu_packed(const DLTensor *tensor);
/* A tensor of uint8 seen as bytes of another type; any other tensor as it is. */
DLTensor clq__npu_bytes(const DLTensor *tensor, DLDataType type);

#endif
