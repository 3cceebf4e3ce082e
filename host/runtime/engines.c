/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a device runs: an engine made for it, best first, or the portable one, which every device takes. */
#include "base/error.h"
#include "runtime/launch.h"

static bool is_streaming_cpu(const struct clq__traits *traits, bool group)
{
    return traits->long_runs && !group;
}

static const struct engine {
    enum clq__kernel portable, own;
    bool (*accepts)(const struct clq__traits *traits, bool group);
} engines[] = {
    {CLQ__DEQUANTIZE_CL, CLQ__CPU_DEQUANTIZE_CL, is_streaming_cpu},
    {CLQ__DYNAMIC_QUANTIZE_CL, CLQ__CPU_DYNAMIC_QUANTIZE_CL, is_streaming_cpu},
    {CLQ__FIND_SCALES_CL, CLQ__CPU_FIND_SCALES_CL, is_streaming_cpu},
    {CLQ__QUANTIZE_CL, CLQ__CPU_QUANTIZE_CL, is_streaming_cpu},
};

static const struct engine *find_engine(const struct clq__variant *variant)
{
    for (size_t i = 0; i < CLQ_COUNT(engines); i++)
        if ((variant->bits & 255) == engines[i].portable)
            return &engines[i];
    return NULL;
}

static uint64_t mask_of(enum clq__plug plug)
{
    return UINT64_C(15) << (8 + 4 * plug);
}

bool clq__variant_own(struct clq__variant *variant, const struct clq__traits *traits, bool group)
{
    const struct engine *engine = find_engine(variant);

    if (engine == NULL || !engine->accepts(traits, group))
        return false;
    variant->bits &= ~(UINT64_C(255) | mask_of(CLQ__FORM) | mask_of(CLQ__ARITHMETIC));
    variant->bits |= engine->own;
    return true;
}

static void set_arithmetic(struct clq__variant *variant, enum clq__arithmetic arithmetic)
{
    variant->bits &= ~mask_of(CLQ__ARITHMETIC);
    clq__variant_define(variant, CLQ__ARITHMETIC, arithmetic);
}

void clq__variant_choose_arithmetic(struct clq__variant *variant, const struct clq__traits *traits)
{
    const int arithmetic = clq__variant_value(variant, CLQ__ARITHMETIC);

    if (arithmetic >= 0 && clq__variant_value(variant, CLQ__MODE) == 0 && traits->subnormals)
        set_arithmetic(variant, CLQ__NATIVE);
    else if (arithmetic == CLQ__FUSED && (variant->bits & 255) != CLQ__QUANTIZE_CL)
        set_arithmetic(variant, CLQ__EXACT);
}

void clq__variant_end_form(struct clq__variant *variant, const struct clq__traits *traits, bool group)
{
    if (clq__variant_own(variant, traits, group))
        return;
    variant->bits |= traits->plugs[group].bits;
    clq__variant_choose_arithmetic(variant, traits);
}
