/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a device runs: its own, or the portable one, which every device takes. */
#include "base/error.h"
#include "runtime/launch.h"

/* The types that rows of cl/cpu name, and those of blocks beside their floats: each by its own role. */
enum { ROWS = CLQ__CPU & ~CLQ__BLOCKS, BLOCKS = CLQ__FLOATS | (CLQ__CPU & CLQ__BLOCKS) };

/* Kernels that PoCL's CPUs have of their own, the types that these name, and whether the portable one
 * has a quotient by fma. */
static const struct engine {
    enum clq__kernel portable, own;
    unsigned types;
    bool fused;
} engines[] = {
    {CLQ__CLAIM_CL, CLQ__CPU_CLAIM_CL, ROWS, false},
    {CLQ__DEQUANTIZE_CL, CLQ__CPU_DEQUANTIZE_CL, ROWS, true},
    {CLQ__DEQUANTIZE_BLOCKS_CL, CLQ__CPU_DEQUANTIZE_BLOCKS_CL, BLOCKS, false},
    {CLQ__DEQUANTIZE_ROTATED_CL, CLQ__CPU_DEQUANTIZE_ROTATED_CL, ROWS, false},
    {CLQ__DYNAMIC_QUANTIZE_CL, CLQ__CPU_DYNAMIC_QUANTIZE_CL, ROWS, false},
    {CLQ__FIND_SCALES_CL, CLQ__CPU_FIND_SCALES_CL, ROWS, false},
    {CLQ__QUANTIZE_BLOCKS_CL, CLQ__CPU_QUANTIZE_BLOCKS_CL, BLOCKS, false},
    {CLQ__QUANTIZE_CL, CLQ__CPU_QUANTIZE_CL, ROWS, true},
    {CLQ__QUANTIZE_RULE_CL, CLQ__CPU_QUANTIZE_RULE_CL, ROWS, false},
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
    return clq__plug_mask(plug) << clq__plug_shift(plug);
}

/* Whether the file in cl/cpu names the types, so that nothing of it takes one for another. */
static bool is_named(const struct clq__variant *variant, unsigned types)
{
    const enum clq__plug plugs[] = {CLQ__SRC, CLQ__DST};
    bool named = true;

    for (size_t i = 0; i < CLQ_COUNT(plugs); i++) {
        const int type = clq__variant_value(variant, plugs[i]);

        named &= type < 0 || clq__type_is((enum clq__type)type, types);
    }
    return named;
}

bool clq__variant_own(struct clq__variant *variant, const struct clq__traits *traits, bool group)
{
    const struct engine *engine = find_engine(variant);

    uint64_t general = UINT64_C(255) | mask_of(CLQ__FORM) | mask_of(CLQ__ARITHMETIC);

    if (engine == NULL || group || !traits->long_runs || !is_named(variant, engine->types))
        return false;
    if (engine->types & CLQ__BLOCKS) { /* which has no smooth scales */
        if (clq__variant_value(variant, CLQ__SMOOTH) == 1)
            return false;
        general |= mask_of(CLQ__SMOOTH);
    }
    variant->bits &= ~general;
    variant->bits |= engine->own;
    return true;
}

static void set_arithmetic(struct clq__variant *variant, enum clq__arithmetic arithmetic)
{
    variant->bits &= ~mask_of(CLQ__ARITHMETIC);
    clq__variant_define(variant, CLQ__ARITHMETIC, arithmetic);
}

/* Whether a quotient by fma takes less than the compiler's own: where all elements have one divisor, whose
 * inverse is found once, and where each has its own, or a zero has a sign to keep, as the floats of
 * dequantize have. The reasons are instructions of a main loop, native and fused (docs/kernels.md,
 * "Division"). */
static const struct {
    bool one, each;
} fused[] = {
    [CLQ__DIVIDES_BRIEFLY] = {true, false},  /* three quarters; more */
    [CLQ__DIVIDES_AT_ONCE] = {false, false}, /* as many; as many, and Intel's largest GPU spills */
    [CLQ__DIVIDES_AT_LENGTH] = {true, true}, /* a fifth; a quarter to a third */
};

static bool prefers_fused(const struct clq__variant *variant, const struct clq__traits *traits,
                          const struct engine *engine)
{
    const enum clq__type dst = (enum clq__type)clq__variant_value(variant, CLQ__DST);
    const bool one =
        clq__variant_value(variant, CLQ__PARAMS) == CLQ__PARAMS_ONE && !clq__type_is(dst, CLQ__SIGNED_ZERO);

    return traits->fma && engine != NULL && engine->fused && clq__variant_value(variant, CLQ__MODE) == 1 &&
           clq__variant_value(variant, CLQ__FORM) == 1 &&
           (one ? fused[traits->division].one : fused[traits->division].each);
}

void clq__variant_choose_arithmetic(struct clq__variant *variant, const struct clq__traits *traits)
{
    const int arithmetic = clq__variant_value(variant, CLQ__ARITHMETIC);
    const struct engine *engine = find_engine(variant);

    if (arithmetic >= 0 && clq__variant_value(variant, CLQ__MODE) == 0 && traits->subnormals)
        set_arithmetic(variant, CLQ__NATIVE);
    else if (arithmetic == CLQ__NATIVE && prefers_fused(variant, traits, engine))
        set_arithmetic(variant, CLQ__FUSED);
    else if (arithmetic == CLQ__FUSED && (engine == NULL || !engine->fused))
        set_arithmetic(variant, CLQ__EXACT);
}

bool clq__variant_end_form(struct clq__variant *variant, const struct clq__traits *traits, bool group)
{
    if (clq__variant_own(variant, traits, group))
        return true;
    variant->bits |= traits->plugs[group].bits;
    clq__variant_choose_arithmetic(variant, traits);
    return false;
}

void clq__variant_end_arithmetic(struct clq__variant *variant, const struct clq__traits *traits)
{
    variant->bits |= traits->plugs[0].bits & mask_of(CLQ__ARITHMETIC);
    clq__variant_choose_arithmetic(variant, traits);
}
