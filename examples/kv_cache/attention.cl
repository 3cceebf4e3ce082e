// SPDX-License-Identifier: Apache-2.0
// What the example needs beside clquant and CLBlast.

// In place, row by row: scores[r][i] = exp(scores[r][i] - max) / sum. A work-group of GROUP items a row.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void softmax(global float *scores, const uint count,
                                                                       const ulong pitch)
{
    local float shared[GROUP];
    const uint item = (uint)get_local_id(0);
    float largest = -INFINITY, sum = 0.0f;

    scores += get_group_id(0) * pitch;
    for (uint i = item; i < count; i += GROUP)
        largest = scores[i] > largest ? scores[i] : largest;
    shared[item] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < GROUP; i++)
        largest = shared[i] > largest ? shared[i] : largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < count; i += GROUP) {
        const float weight = exp(scores[i] - largest);

        scores[i] = weight;
        sum += weight;
    }
    shared[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (uint i = 0; i < GROUP; i++)
        sum += shared[i];
    for (uint i = item; i < count; i += GROUP)
        scores[i] /= sum;
}

// float16 to float32: dst[r][i] = src[r][i] for i below count. An item does RUN of them, which is 16, the last one what
// is left.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void widen(global const half *src, const ulong src_first,
                                                                     const ulong src_pitch, global float *dst,
                                                                     const ulong dst_pitch, const ulong count)
{
    const ulong begin = get_global_id(0) * RUN, row = get_global_id(1);

    src += src_first + row * src_pitch;
    dst += row * dst_pitch;
    if (begin + RUN <= count)
        vstore16(vload_half16(0, src + begin), 0, dst + begin);
    else
        for (ulong i = begin; i < count; i++)
            dst[i] = vload_half(i, src);
}
