// SPDX-License-Identifier: Apache-2.0
// Attention that reads the cache as it lies. clquant.clh stands before this.
//
//   SIZE              channels of a head, a multiple of 32
//   QUERIES           query heads that share a head of keys and values
//   TILE, GROUP       positions that are brought to floats at a time; items of a work-group
//   and of keys, K_.., and values, V_..:
//   _LOAD8            of clquant.clh, for the cache's type
//   _KIND             PLAIN: floats, and blocks that carry their scales. STATIC: a scale a channel.
//                     DYNAMIC: a scale of each row or of each block of it, and with _OFFSETS an offset
//   _SCALE, _BLOCK    the scales' load of clquant.clh, and how many channels share one
//   _ROTATE           so many neighbours of a row are turned, by the matrix of Walsh and Hadamard; 1: none
#define PLAIN   0
#define STATIC  1
#define DYNAMIC 2

// Eight channels of a row of the cache.
#define READ8(name, LOAD8, KIND, SCALE, BLOCK, OFFSETS)                                                      \
    static inline float8 name(global const void *data, global const void *scales,                            \
                              global const void *offsets, ulong row, ulong fixed, uint channel)              \
    {                                                                                                        \
        const float8 x = LOAD8(data, row * SIZE + channel);                                                  \
        const ulong at = row * (SIZE / BLOCK) + channel / BLOCK;                                             \
                                                                                                             \
        if (KIND == STATIC)                                                                                  \
            return clq_undo_divide8(x, clq_load8_float32(scales, fixed + channel),                           \
                                    (float8)(CLQ_NO_ZERO_POINT));                                            \
        if (KIND == DYNAMIC)                                                                                 \
            return clq_undo_dynamic8(x, (float8)(SCALE(scales, at)),                                         \
                                     (float8)(OFFSETS ? SCALE(offsets, at) : CLQ_NO_OFFSET));                \
        return x;                                                                                            \
    }
READ8(read_key, K_LOAD8, K_KIND, K_SCALE, K_BLOCK, K_OFFSETS)
READ8(read_value, V_LOAD8, V_KIND, V_SCALE, V_BLOCK, V_OFFSETS)

// Turns each `count` neighbours. The matrix is its own inverse, and keeps products: turned queries meet
// turned keys, and a sum of turned values is turned back.
static inline void rotate_row(float *row, uint count)
{
    for (uint half_count = 1; half_count < count; half_count *= 2)
        for (uint i = 0; i < SIZE; i++)
            if (i / half_count % 2 == 0) {
                const float a = row[i], b = row[i + half_count];

                row[i] = a + b;
                row[i + half_count] = a - b;
            }
    for (uint i = 0; i < SIZE; i++)
        row[i] /= sqrt((float)count);
}

// An item does a head of a token's queries; a group does those of one head of keys and values, so that what
// it brought to floats serves all its items. The weights of a tile are those of the largest score so far; a
// larger one scales down what was summed before. The cache's rows of the layer begin at row `before`.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
attention(global const float *queries, const uint pitch, global const void *keys,
          global const void *key_scales, global const void *key_offsets, global const void *values,
          global const void *value_scales, global const void *value_offsets, global float *outputs,
          const ulong before, const ulong scales_before, const uint first, const uint count,
          const float factor)
{
    local float8 tile_keys[TILE][SIZE / 8], tile_values[TILE][SIZE / 8];
    const uint item = (uint)get_local_id(0), begin = (uint)get_group_id(0) * GROUP,
               token = (begin + item) / QUERIES;
    const uint head = (uint)get_group_id(1), kv_heads = HEADS / QUERIES;
    const uint query = head * QUERIES + (begin + item) % QUERIES;
    const uint end = first + min((begin + GROUP - 1) / QUERIES + 1, count),
               mine = token < count ? first + token + 1 : 0;
    const ulong fixed = scales_before + head * SIZE; // the head's static scales
    float row[SIZE], sums[SIZE], largest = -INFINITY, sum = 0.0f;

    for (uint c = 0; c < SIZE; c++) {
        row[c] = mine > 0 ? queries[(ulong)token * pitch + query * SIZE + c] * factor : 0.0f;
        sums[c] = 0.0f;
    }
    rotate_row(row, K_ROTATE);
    for (uint start = 0; start < end; start += TILE) {
        const uint seen = mine > start ? min(mine - start, (uint)TILE) : 0;
        float weights[TILE], highest = largest;

        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < min(end - start, (uint)TILE) * (SIZE / 8); i += GROUP) {
            const uint t = i / (SIZE / 8), c = i % (SIZE / 8);
            const ulong at = (before + start + t) * kv_heads + head;

            tile_keys[t][c] = read_key(keys, key_scales, key_offsets, at, fixed, c * 8);
            tile_values[t][c] = read_value(values, value_scales, value_offsets, at, fixed, c * 8);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint t = 0; t < seen; t++) {
            float8 products = 0.0f;

            for (uint c = 0; c < SIZE / 8; c++)
                products += vload8(c, row) * tile_keys[t][c];
            weights[t] = dot(products.lo + products.hi, (float4)(1.0f));
            highest = fmax(highest, weights[t]);
        }
        if (seen > 0) {
            const float kept = exp(largest - highest);

            sum *= kept;
            for (uint c = 0; c < SIZE; c++)
                sums[c] *= kept;
            largest = highest;
        }
        for (uint t = 0; t < seen; t++) {
            const float weight = exp(weights[t] - largest);

            sum += weight;
            for (uint c = 0; c < SIZE / 8; c++)
                vstore8(vload8(c, sums) + weight * tile_values[t][c], c, sums);
        }
    }
    rotate_row(sums, V_ROTATE);
    for (uint c = 0; c < SIZE && mine > 0; c++)
        outputs[((ulong)token * HEADS + query) * SIZE + c] = sums[c] / sum;
}
