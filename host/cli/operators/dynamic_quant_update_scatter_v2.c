/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dynamic_quant_update_scatter_v2: the documented call, in place. */
#include "operator.h"

enum { X, INDICES, VAR, VAR_SCALE, VAR_OFFSET };
enum { STRICT };

static bool plan(struct operator_call *call)
{
    operator_add_output_in_place(call, VAR);
    operator_add_output_in_place(call, VAR_SCALE);
    operator_add_output_in_place(call, VAR_OFFSET);
    return true;
}

/* The documented call has no report: the general operator's, whose tensors have a dimension more, and which
 * writes the same bytes. Those of the command are dense. */
struct general {
    DLTensor x, packed, scales, offsets;
    int64_t x_shape[4], row_shape[3];
    struct clq_dynamic_quantize_scatter_desc desc;
};

static void general_of(const struct operator_call *call, struct general *general)
{
    const DLTensor *x = operator_input(call, X), *var = operator_input(call, VAR);

    *general = (struct general){.x = *x,
                                .packed = *var,
                                .scales = *operator_input(call, VAR_SCALE),
                                .offsets = *operator_input(call, VAR_OFFSET),
                                .x_shape = {x->shape[0], 1, 1, x->shape[2]},
                                .row_shape = {var->shape[0], var->shape[1], 1}};
    general->x.ndim = 4;
    general->x.shape = general->x_shape;
    general->scales.ndim = general->offsets.ndim = 3;
    general->scales.shape = general->offsets.shape = general->row_shape;
    general->packed.dtype = var->dtype.bits == 32 ? CLQ_INT4_WORDS : CLQ_INT4_BYTES;
    general->desc = (struct clq_dynamic_quantize_scatter_desc){.cache = &general->packed,
                                                               .cache_scales = &general->scales,
                                                               .cache_offsets = &general->offsets,
                                                               .indices = operator_input(call, INDICES),
                                                               .updates = &general->x,
                                                               .axis = 1};
}

static clq_status check(struct operator_call *call)
{
    return clq_dynamic_quant_update_scatter_v2_check(
        operator_input(call, X), operator_input(call, INDICES), operator_input(call, VAR),
        operator_input(call, VAR_SCALE), operator_input(call, VAR_OFFSET));
}

static clq_status check_indices(struct operator_call *call)
{
    struct general general;

    general_of(call, &general);
    return clq_dynamic_quantize_scatter_check_indices(call->context, call->queue, &general.desc, 0, NULL);
}

/* Where a row was dropped, the general operator writes the others again and counts. */
static clq_status count(struct operator_call *call)
{
    struct general general;
    clq_status status = check_indices(call);

    if (status != CLQ_ERROR_INDEX || call->values[STRICT])
        return status;
    general_of(call, &general);
    status = operator_report(call, &general.desc.report);
    return status != CLQ_OK
               ? status
               : clq_dynamic_quantize_scatter(call->context, call->queue, &general.desc, 0, NULL, NULL);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const clq_status status = clq_dynamic_quant_update_scatter_v2(
        call->context, call->queue, operator_input(call, X), operator_input(call, INDICES),
        operator_input(call, VAR), operator_input(call, VAR_SCALE), operator_input(call, VAR_OFFSET), 0, NULL,
        done);

    return status != CLQ_OK ? status : count(call);
}

static void record(const struct operator_call *call, struct operator_record *record)
{
    operator_record_dynamic(call, record);
    record->dtype = "int4";
    record->values[RECORD_AXIS] = 1;
    record->added = true;
}

const struct operator_description dynamic_quant_update_scatter_v2_operator = {
    .name = "dynamic_quant_update_scatter_v2",
    .summary = "Quantizes each row of x to int4 as DynamicQuantUpdateScatterV2 does, and writes it in var.",
    .formula = "  scale = max((mx - mn) / 15, 1e-12), off = 7 - mx / scale,\n"
               "  of each row x[i, 0, :]; with s = indices[i]\n"
               "  var[i, s, 0, :] = sat(rint(x[i, 0, :] * (1 / scale) + off))\n"
               "  var_scale[i, s] = scale, var_offset[i, s] = -off",
    .outputs = "var, var_scale, var_offset",
    .inputs =
        {
            [X] = {"x", false, "F32, F16 or BF16, [B, 1, H]"},
            [INDICES] = {"indices", false, "I32 or I64, [B]"},
            [VAR] = {"var", false, "int4 [B, S, 1, H] in U8 (H / 2) or in I32 (H / 8)"},
            [VAR_SCALE] = {"var_scale", false, "F32, [B, S] or [B, S, 1]"},
            [VAR_OFFSET] = {"var_offset", false, "the same"},
        },
    .options =
        {
            [STRICT] = OPERATOR_STRICT,
        },
    .plan = plan,
    .check = check,
    .check_indices = check_indices,
    .run = run,
    .record = record,
};
