// SPDX-License-Identifier: Apache-2.0
// Scores of one step, read from the cache itself: no keys as float32 are written. clquant.clh stands before this.
//
//   LOAD, LOAD8   of clquant.clh, for the cache's type
//   SIZE          channels of a head, an even number
//   BITS          of an element
//   QUERIES       rows of queries that share a head of keys

// Item t of head h in sequence b: scores[b][h][q][t] = factor * sum over c of queries[b][h][q][c] * (key[b][t][h][c] + offset) * scale
kernel void fused_scores(global const uchar *keys, global const float *scales, global const float *offsets,
                         const uint has_offsets, global const float *queries, const ulong queries_first,
                         global float *scores, const uint heads, const uint tokens, const ulong room, const float factor)
{
    const ulong t = get_global_id(0), head = get_global_id(1), row = (head / heads * room + t) * heads + head % heads;
    float sums[QUERIES];

    if (t >= tokens)
        return;
    keys += row * (SIZE * BITS / 8);
    queries += queries_first + head * (QUERIES * SIZE);
    for (uint q = 0; q < QUERIES; q++)
        sums[q] = 0.0f;
    const float scale = clq_load_float32(scales, row),
                offset = has_offsets ? clq_load_float32(offsets, row) : CLQ_NO_OFFSET;

    for (uint c = 0; c + 8 <= SIZE; c += 8) {
        const float8 k = clq_undo_dynamic8(LOAD8(keys, c), (float8)(scale), (float8)(offset));

        for (uint q = 0; q < QUERIES; q++) {
            const float8 v = vload8(0, queries + q * SIZE + c);

            sums[q] += dot(v.lo, k.lo) + dot(v.hi, k.hi);
        }
    }
    for (uint c = SIZE / 8 * 8; c < SIZE; c++) {
        const float k = clq_undo_dynamic(LOAD(keys, c), scale, offset);

        for (uint q = 0; q < QUERIES; q++)
            sums[q] += queries[q * SIZE + c] * k;
    }
    for (uint q = 0; q < QUERIES; q++)
        scores[(head * QUERIES + q) * room + t] = factor * sums[q];
}
