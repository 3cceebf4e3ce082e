/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of descriptors: a row each, which every operator that has the field names in its list.
 * A field's name, kind, range, words and sentence stand here and nowhere else: the check of a descriptor
 * (plan/options.c), the command's options with their help, Python's keywords and the tests read them
 * (clquant/options.h). The meaning of a field is the operator's.
 *
 * Sentences name types as the library does; the command says them in a file's words. */
#ifndef CLQ_OPS_OPTION_ROWS_H
#define CLQ_OPS_OPTION_ROWS_H

#include <clquant/clquant.h>
#include <float.h>

/* The kinds. */
#define CLQ__IN(text)              .kind = CLQ_OPTION_INPUT, .help = (text)
#define CLQ__MAY_BE_IN(text)       .kind = CLQ_OPTION_INPUT, .optional = 1, .help = (text)
#define CLQ__OUT(text)             .kind = CLQ_OPTION_OUTPUT, .help = (text)
#define CLQ__MAY_BE_OUT(text)      .kind = CLQ_OPTION_OUTPUT, .optional = 1, .help = (text)
#define CLQ__BUFFER(text)          .kind = CLQ_OPTION_BUFFER, .optional = 1, .help = (text)
#define CLQ__FLAG(text)            .kind = CLQ_OPTION_FLAG, .most = 1, .help = (text)
#define CLQ__COUNTER(text)         .kind = CLQ_OPTION_NUMBER, .most = UINT32_MAX, .help = (text)
#define CLQ__POWER(from, to, text) .kind = CLQ_OPTION_POWER, .least = (from), .most = (to), .help = (text)
#define CLQ__REAL(text)            .kind = CLQ_OPTION_REAL, .most = (double)FLT_MAX, .help = (text)
#define CLQ__AXIS(left_out, text)  .kind = CLQ_OPTION_AXIS, .fallback = (left_out), .help = (text)
#define CLQ__TYPE(text)            .kind = CLQ_OPTION_TYPE, .help = (text)
#define CLQ__WORD(list, text)                                                                                \
    .kind = CLQ_OPTION_WORD, .words = (const struct clq_option_word[])list, .help = (text)
#define CLQ__WORDS(...)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__,                                                                                         \
        {                                                                                                    \
            NULL, NULL                                                                                       \
        }                                                                                                    \
    }
#define CLQ__ROW_reserved   .kind = CLQ_OPTION_RESERVED, .help = "must be 0"
#define CLQ__ROW_reserved32 CLQ__ROW_reserved

/* In an operator's list, where CLQ__DESC is its descriptor: a field with the row of its name, or with
 * another. */
#define CLQ__OPTION(field) CLQ__OPTION_AS(field, CLQ__ROW_##field)
#define CLQ__OPTION_AS(field, ...)                                                                           \
    {                                                                                                        \
        .name = #field, .offset_bytes = offsetof(struct CLQ__DESC, field),                                   \
        .size_bytes = sizeof(((struct CLQ__DESC *)0)->field), __VA_ARGS__                                    \
    }

/* Buffers beside the tensors. */
#define CLQ__ROW_report CLQ__BUFFER("where dropped and clamped entries are counted: a struct clq_report")
#define CLQ__ROW_workspace                                                                                   \
    CLQ__BUFFER("temporary memory, of as many bytes as the call uses; else it is made where needed")

/* Types of several tensors. */
#define CLQ__SCALE_TYPES      "float32, float16, bfloat16, float8_e8m0fnu, float8_e4m3fn"
#define CLQ__ZERO_POINT_TYPES "float32, float16, bfloat16, int8, uint8, int32"

/* Static quantization. */
#define CLQ__ROW_mode                                                                                        \
    CLQ__WORD(CLQ__WORDS({"divide", "CLQ_DIVIDE"}, {"multiply", "CLQ_MULTIPLY"}), "what is done with "       \
                                                                                  "scales")
#define CLQ__ROW_mode_back                                                                                   \
    CLQ__WORD(CLQ__WORDS({"divide", "CLQ_DEQUANTIZE_DIVIDE"}, {"multiply", "CLQ_DEQUANTIZE_MULTIPLY"},       \
                         {"dynamic", "CLQ_DEQUANTIZE_DYNAMIC"}),                                             \
              "what was done with scales")
#define CLQ__ROW_round_first CLQ__FLAG("round before the zero point is added, as ONNX and PyTorch do")
#define CLQ__ROW_method                                                                                      \
    CLQ__WORD(CLQ__WORDS({"absmax", "CLQ_ABSMAX"}, {"minmax", "CLQ_MINMAX"}),                                \
              "symmetric, or with a zero point")

/* The elements that share a scale. */
#define CLQ__ROW_axis        CLQ__AXIS(-1, "the axis of scales and zero_points")
#define CLQ__ROW_axis_shared CLQ__AXIS(-1, "the axis whose indices share a scale: the last makes rows")
#define CLQ__ROW_axis_kept   CLQ__AXIS(-1, "the axis that has a scale for each of its indices")
#define CLQ__ROW_axis_back                                                                                   \
    CLQ__AXIS(-1, "the axis of scales; with indices the axis that a start counts on, -2")
#define CLQ__ROW_axis_placed  CLQ__AXIS(-2, "the axis of the cache that a start counts on")
#define CLQ__ROW_block        CLQ__COUNTER("how many indices of the axis share a scale; 0: no blocks")
#define CLQ__ROW_block_placed CLQ__COUNTER("how many indices of the last axis share a scale; 0: no blocks")
#define CLQ__ROW_block_back                                                                                  \
    CLQ__COUNTER("how many indices of the axis, with indices of the last one, share a scale; 0: no blocks")
#define CLQ__ROW_block_before                                                                                \
    CLQ__COUNTER("with block: indices of the dimension in front of the axis that share it too")
#define CLQ__ROW_block_all CLQ__FLAG("one scale for the whole tensor")

/* Dynamic quantization. */
#define CLQ__ROW_symmetric CLQ__FLAG("scale by the largest magnitude, no offsets")
#define CLQ__ROW_rotate                                                                                      \
    CLQ__POWER(2, 1024, "R: each R neighbours of a row are rotated by a Hadamard matrix; 0: none")
#define CLQ__ROW_type_max                                                                                    \
    CLQ__REAL("symmetric: what the largest magnitude becomes; 0: the largest value of the type")
#define CLQ__ROW_scale_rule                                                                                  \
    CLQ__WORD(CLQ__WORDS({"range", "CLQ_SCALE_BY_RANGE"}, {"mx_floor", "CLQ_MX_FLOOR"},                      \
                         {"mx_even", "CLQ_MX_EVEN"}, {"mx_ceil", "CLQ_MX_CEIL"},                             \
                         {"mx_rceil", "CLQ_MX_RCEIL"}, {"nvfp4", "CLQ_NVFP4"}),                              \
              "how scales are found: by the range, or of MX (scales float8_e8m0fnu, blocks of 32) or NVFP4 " \
              "(float8_e4m3fn, 16), symmetric and of floats")
#define CLQ__ROW_least CLQ__REAL("of scale_rule: a largest magnitude below it counts as it")
#define CLQ__ROW_smooth_scales                                                                               \
    CLQ__MAY_BE_IN("float32, float16 or bfloat16; one per element of a row, multiplied first")
#define CLQ__ROW_global_scale CLQ__MAY_BE_IN("float32, one element: the second scale of NVFP4")
#define CLQ__ROW_group_index  CLQ__IN("int32 or int64, [E]: the end row of each group")
#define CLQ__ROW_groups       CLQ__MAY_BE_IN("int32 or int64, [E]: the end row of each group of rows")

/* Indices. */
#define CLQ__ROW_indices CLQ__IN("int32 or int64, [N] or [N, 2]")
#define CLQ__ROW_out_of_range                                                                                \
    CLQ__WORD(CLQ__WORDS({"drop", "CLQ_DROP"}, {"clamp", "CLQ_CLAMP"}, {"wrap", "CLQ_WRAP"}),                \
              "what is done with an entry whose index is out of range")
#define CLQ__ROW_index_kind                                                                                  \
    CLQ__WORD(CLQ__WORDS({"by_shape", "CLQ_INDICES_BY_SHAPE"}, {"slots", "CLQ_SLOTS"}),                      \
              "by_shape: starts [N] or pairs [N, 2]; slots: [N], b * A + s of the whole cache, -1 skips")
#define CLQ__ROW_index_kind_nd                                                                               \
    CLQ__WORD(CLQ__WORDS({"by_shape", "CLQ_INDICES_BY_SHAPE"}, {"slots", "CLQ_SLOTS"}, {"nd", "CLQ_ND"}),    \
              "by_shape: starts [N] or pairs [N, 2]; slots: [N], b * A + s; nd: [N, k]")
#define CLQ__ROW_unique    CLQ__FLAG("promise that no two entries overlap")
#define CLQ__ROW_positions CLQ__COUNTER("of an entry between two caches, where no tensor says it; 0: 1")

#endif
