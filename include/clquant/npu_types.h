/* SPDX-License-Identifier: Apache-2.0 */
/* The types that the documented calls name. */
#ifndef CLQUANT_NPU_TYPES_H
#define CLQUANT_NPU_TYPES_H

/* The documents' dtype names; qint32 is int32. */
enum clq_npu_dtype {
    CLQ_NPU_QINT8 = 1,
    CLQ_NPU_QUINT8 = 2,
    CLQ_NPU_INT32 = 3,
    CLQ_NPU_QUINT4X2 = 4,
    CLQ_NPU_FLOAT8_E5M2 = 5,
    CLQ_NPU_FLOAT8_E4M3FN = 6,
    CLQ_NPU_FLOAT4_E2M1FN = 7,
};

#endif
