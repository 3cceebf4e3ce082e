/* SPDX-License-Identifier: Apache-2.0 */
#include "run_args.h"

#include "entries.h"

struct share run_share(struct run *run, int64_t count, int64_t each, uint32_t lanes)
{
    const struct clq__launch *launch = run->launch;
    const bool group = clq__variant_value(&launch->variant, CLQ__FORM) == 1;
    struct share share = {(int64_t)(launch->groups * launch->local), each};

    if (group) {
        if (lanes == 0 || (lanes & (lanes - 1)) != 0 || launch->local % lanes != 0)
            run_fail(run, "%u work-items share, in groups of %zu", lanes, launch->local);
        else
            share = (struct share){(int64_t)(launch->groups * (launch->local / lanes)), 1};
    }
    if (share.each < 1 || share.workers * share.each < count)
        run_fail(run, "%lld workers with %lld each are too few for %lld", (long long)share.workers,
                 (long long)share.each, (long long)count);
    if ((share.workers - (int64_t)(group ? launch->local / (lanes > 0 ? lanes : 1) : launch->local)) *
            share.each >=
        count)
        run_fail(run, "%zu groups of %zu are more than %lld need", launch->groups, launch->local,
                 (long long)count);
    return share;
}

bool run_args(struct run *run, const struct clq__launch *launch)
{
    static void (*const kernels[CLQ__KERNELS])(struct run *) = {
        [CLQ__CLAIM_CL] = run_claim,
        [CLQ__CONVERT_ROWS_CL] = run_convert_rows,
        [CLQ__COPY_CL] = run_copy,
        [CLQ__CPU_CLAIM_CL] = run_claim,
        [CLQ__CPU_DEQUANTIZE_CL] = run_static,
        [CLQ__CPU_DEQUANTIZE_BLOCKS_CL] = run_dynamic_back,
        [CLQ__CPU_DEQUANTIZE_ROTATED_CL] = run_dynamic_back,
        [CLQ__CPU_DYNAMIC_QUANTIZE_CL] = run_dynamic,
        [CLQ__CPU_FIND_SCALES_CL] = run_find_scales,
        [CLQ__CPU_QUANTIZE_BLOCKS_CL] = run_dynamic,
        [CLQ__CPU_QUANTIZE_RULE_CL] = run_dynamic,
        [CLQ__CPU_QUANTIZE_CL] = run_static,
        [CLQ__DEQUANTIZE_CL] = run_static,
        [CLQ__DEQUANTIZE_BLOCKS_CL] = run_dynamic_back,
        [CLQ__DEQUANTIZE_ROTATED_CL] = run_dynamic_back,
        [CLQ__DYNAMIC_QUANTIZE_CL] = run_dynamic,
        [CLQ__FIND_SCALES_CL] = run_find_scales,
        [CLQ__FINISH_SCALES_CL] = run_finish_scales,
        [CLQ__MOVE_ROWS_CL] = run_move_rows,
        [CLQ__PLACES_CL] = run_places,
        [CLQ__QUANTIZE_BLOCKS_CL] = run_dynamic,
        [CLQ__QUANTIZE_RULE_CL] = run_dynamic,
        [CLQ__QUANTIZE_CL] = run_static,
        [CLQ__VALUES_CL] = run_values,
        [CLQ__WIDEN_CL] = run_widen};
    const uint64_t kernel = launch->variant.bits & 255;

    run->launch = launch;
    run->failure[0] = '\0';
    memory_begin(launch);
    if (kernel >= CLQ__KERNELS || kernels[kernel] == NULL)
        run_fail(run, "variant %llx has no kernel", (unsigned long long)launch->variant.bits);
    else if (launch->groups == 0 || launch->local == 0)
        run_fail(run, "there are %zu groups of %zu work-items", launch->groups, launch->local);
    else
        kernels[kernel](run);
    return !run_failed(run);
}
