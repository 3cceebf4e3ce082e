/* SPDX-License-Identifier: Apache-2.0 */
/* clquant: quantize tensors and pack int4 on any OpenCL device. This header includes all the others. */
#ifndef CLQUANT_CLQUANT_H
#define CLQUANT_CLQUANT_H

#include <clquant/context.h>
#include <clquant/dequantize.h>
#include <clquant/dynamic_quantize.h>
#include <clquant/dynamic_quantize_scatter.h>
#include <clquant/export.h>
#include <clquant/find_scales.h>
#include <clquant/group_quantize.h>
#include <clquant/move_rows.h>
#include <clquant/npu.h>
#include <clquant/options.h>
#include <clquant/plan.h>
#include <clquant/quantize.h>
#include <clquant/quantize_scatter.h>
#include <clquant/report.h>
#include <clquant/status.h>
#include <clquant/struct_size.h>
#include <clquant/tensor.h>
#include <clquant/version.h>

#endif
