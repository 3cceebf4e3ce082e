// SPDX-License-Identifier: Apache-2.0
// What the model needs beside matrix products and attention. A work-group of GROUP items does a row, a
// token's.

// Of all items of the group, the sum or the largest; everybody gets it. Always inlined: in a function that it
// keeps, PoCL 3 orders barriers wrongly where groups run on several threads.
static inline __attribute__((always_inline)) float of_all(float mine, bool largest, local float *shared)
{
    float all = largest ? -INFINITY : 0.0f;

    barrier(CLK_LOCAL_MEM_FENCE);
    shared[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < GROUP; i++)
        all = largest ? fmax(all, shared[i]) : all + shared[i];
    return all;
}

#define ITEMS __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// x[row] = table[tokens[row]]
kernel ITEMS void embed(global const float *table, global const int *tokens, global float *x,
                        const uint width)
{
    const ulong row = get_group_id(0);

    table += (ulong)tokens[row] * width;
    for (uint i = (uint)get_local_id(0); i < width; i += GROUP)
        x[row * width + i] = table[i];
}

// y[row][i] = x[row][i] / sqrt(mean of x[row]^2 + epsilon) * weight[i]
kernel ITEMS void rms_norm(global const float *x, global const float *weight, global float *y,
                           const uint width, const float epsilon)
{
    local float shared[GROUP];
    const uint item = (uint)get_local_id(0);
    float squares = 0.0f;

    x += get_group_id(0) * width;
    y += get_group_id(0) * width;
    for (uint i = item; i < width; i += GROUP)
        squares += x[i] * x[i];
    const float factor = 1.0f / sqrt(of_all(squares, false, shared) / (float)width + epsilon);

    for (uint i = item; i < width; i += GROUP)
        y[i] = x[i] * factor * weight[i];
}

// The row holds queries, keys and values. Neighbours of the first `turned` channels of each head of queries
// and keys are turned by the angle of their position; queries stay where they are, keys and values go to rows
// of float16.
kernel ITEMS void turn_and_split(global float *qkv, global const float2 *angles, global half *keys,
                                 global half *values, const uint first, const uint heads, const uint kv_heads,
                                 const uint size, const uint turned)
{
    const ulong row = get_group_id(0);
    const uint before_keys = heads * size, width = kv_heads * size;

    qkv += row * (before_keys + 2 * width);
    angles += (first + row) * (turned / 2);
    keys += row * width;
    values += row * width;
    for (uint i = 2 * (uint)get_local_id(0); i < before_keys + 2 * width; i += 2 * GROUP) {
        const float2 x = vload2(0, qkv + i),
                     angle = i % size < turned ? angles[i % size / 2] : (float2)(1.0f, 0.0f);
        const float2 y = (float2)(x.x * angle.x - x.y * angle.y, x.x * angle.y + x.y * angle.x);

        if (i < before_keys)
            vstore2(y, 0, qkv + i);
        else if (i < before_keys + width)
            vstore_half2(y, 0, keys + (i - before_keys));
        else
            vstore_half2(x, 0, values + (i - before_keys - width));
    }
}

// y[row][i] = gate * sigmoid(gate) * up, of gate = x[row][i] and up = x[row][width + i]
kernel ITEMS void swiglu(global const float *x, global float *y, const uint width)
{
    x += get_group_id(0) * 2 * width;
    y += get_group_id(0) * width;
    for (uint i = (uint)get_local_id(0); i < width; i += GROUP)
        y[i] = x[i] / (1.0f + exp(-x[i])) * x[width + i];
}

// Of a row's logits: the logarithm of the sum of their exponentials.
static inline __attribute__((always_inline)) float log_sum(global const float *logits, uint count,
                                                           local float *shared)
{
    float largest = -INFINITY, sum = 0.0f;

    for (uint i = (uint)get_local_id(0); i < count; i += GROUP)
        largest = fmax(largest, logits[i]);
    largest = of_all(largest, true, shared);
    for (uint i = (uint)get_local_id(0); i < count; i += GROUP)
        sum += exp(logits[i] - largest);
    return largest + log(of_all(sum, false, shared));
}

// found[row] = -log q(next[row]) and the sum over all tokens of p * log(p / q), where q are the probabilities
// of logits and p those of right.
kernel ITEMS void compare(global const float *logits, global const float *right, global const int *next,
                          global float2 *found, const uint count)
{
    local float shared[GROUP];
    const ulong row = get_group_id(0);
    float divergence = 0.0f;

    logits += row * count;
    right += row * count;
    const float q_sum = log_sum(logits, count, shared), p_sum = log_sum(right, count, shared);

    for (uint i = (uint)get_local_id(0); i < count; i += GROUP)
        divergence += exp(right[i] - p_sum) * ((right[i] - logits[i]) - (p_sum - q_sum));
    divergence = of_all(divergence, false, shared);
    if (get_local_id(0) == 0)
        found[row] = (float2)(q_sum - logits[next[row]], divergence);
}
