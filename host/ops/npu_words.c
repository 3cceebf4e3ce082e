/* SPDX-License-Identifier: Apache-2.0 */
/* int4 in the containers of frameworks. */
#include "ops/npu_words.h"

#include "base/dtype.h"

DLTensor clq__npu_words(const DLTensor *tensor)
{
    DLTensor as = *tensor;

    if (clq__same_dtype(tensor->dtype, CLQ_INT32))
        as.dtype = CLQ_INT4_WORDS;
    return as;
}

DLTensor clq__npu_packed(const DLTensor *tensor)
{
    const DLTensor as = clq__npu_words(tensor);

    return clq__npu_bytes(&as, CLQ_INT4_BYTES);
}

DLTensor clq__npu_bytes(const DLTensor *tensor, DLDataType type)
{
    DLTensor as = *tensor;

    if (clq__same_dtype(tensor->dtype, CLQ_UINT8))
        as.dtype = type;
    return as;
}
