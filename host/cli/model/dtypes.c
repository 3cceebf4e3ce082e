/* SPDX-License-Identifier: Apache-2.0 */
/* Which types go with which format and rule of scales. */
#include "model.h"

#include <string.h>

#define USAGE(model, ...) fail((model)->failure, STATUS_USAGE, __VA_ARGS__)

static const char *const rules[] = {
    [CLQ_SCALE_BY_RANGE] = "range", [CLQ_MX_FLOOR] = "mx_floor", [CLQ_MX_EVEN] = "mx_even",
    [CLQ_MX_CEIL] = "mx_ceil",      [CLQ_MX_RCEIL] = "mx_rceil", [CLQ_NVFP4] = "nvfp4"};

const char *model_rule_name(uint32_t rule)
{
    return rules[rule];
}

bool model_parse_rule(void *rule, const char *text, struct failure *failure)
{
    for (uint32_t r = 0; r < sizeof rules / sizeof *rules; r++)
        if (strcmp(text, rules[r]) == 0) {
            *(uint32_t *)rule = r;
            return true;
        }
    return fail(
        failure, STATUS_USAGE,
        "--scale-rule '%.100s': one of range, mx_floor, mx_even, mx_ceil, mx_rceil, nvfp4 is expected", text);
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

static bool check_rule(struct model *model)
{
    static const char *const packed[] = {"float4_e2m1fn", "float8_e4m3fn", NULL};
    const struct model_options *options = &model->options;
    const char *name = options->dtype_name;

    if (options->block_text)
        return USAGE(model, "--block %s: with --scale-rule %s blocks are of %d", options->block_text,
                     rules[options->rule], options->rule == CLQ_NVFP4 ? 16 : 32);
    if (options->rule == CLQ_NVFP4 && strcmp(name, packed[0]) != 0)
        return USAGE(model, "--dtype '%.100s': with --scale-rule nvfp4 float4_e2m1fn is expected", name);
    if (options->rule == CLQ_NVFP4 && options->rotate)
        return USAGE(model, "--rotate %u: with --scale-rule nvfp4 rows are not rotated",
                     (unsigned)options->rotate);
    if (!is_one_of(name, packed) &&
        (options->to == MODEL_COMPRESSED_TENSORS || strcmp(name, "float8_e5m2") != 0))
        return USAGE(
            model,
            "--dtype '%.100s': with --scale-rule one of float4_e2m1fn, float8_e4m3fn is expected; --to "
            "plain takes float8_e5m2 too",
            name);
    return true;
}

bool model_check_dtype(struct model *model)
{
    static const char *const packed[] = {"int4", "uint4", "int8", "float8_e4m3fn", NULL};
    static const char *const all[] = {"int4",          "uint4",       "int8",          "uint8",
                                      "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn", NULL};
    const struct model_options *options = &model->options;
    const char *name = options->dtype_name;

    if (options->rule && !check_rule(model))
        return false;
    if (options->to == MODEL_COMPRESSED_TENSORS && !options->rule && !is_one_of(name, packed))
        return USAGE(model,
                     "--dtype '%.100s': one of int4, uint4, int8, float8_e4m3fn is expected; --to plain "
                     "takes uint8, float8_e5m2, float4_e2m1fn too, and so does --scale-rule the last",
                     name);
    if (!is_one_of(name, all))
        return USAGE(model,
                     "--dtype '%.100s': one of int4, uint4, int8, uint8, float8_e4m3fn, float8_e5m2, "
                     "float4_e2m1fn is expected",
                     name);
    if (options->symmetric && options->asymmetric)
        return USAGE(model, "--asymmetric: --symmetric is given too; one of the two is expected");
    if (options->asymmetric && *name == 'f')
        return USAGE(model, "--asymmetric: %s is always symmetric", name);
    if (options->symmetric && *name == 'u')
        return USAGE(model, "--symmetric: %s is always asymmetric; %s is the type of symmetric values", name,
                     name + 1);
    if (options->rotate && options->to == MODEL_COMPRESSED_TENSORS)
        return USAGE(model,
                     "--rotate %u: compressed-tensors' readers do not turn rows back; --to plain does "
                     "rotate",
                     (unsigned)options->rotate);
    return true;
}
