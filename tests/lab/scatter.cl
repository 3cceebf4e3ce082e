// SPDX-License-Identifier: Apache-2.0
struct scatter_args {
    ulong src_at, dst_at, index_at;
    ulong entries, entry_words, position_words, chunk_words, length, pairs;
};

// A scatter without arithmetic: entry i of src goes to position (batch, start) of dst, as one writes it.
kernel void scatter(global const uint *restrict src, global uint *restrict dst,
                    global const int *restrict indices, const struct scatter_args a)
{
    const ulong chunks = (a.entry_words + a.chunk_words - 1) / a.chunk_words;
    const ulong entry = get_global_id(0) / chunks, from = get_global_id(0) % chunks * a.chunk_words;
    const ulong words = min(a.chunk_words, a.entry_words - from);

    if (entry >= a.entries)
        return;
    indices += a.index_at;

    const ulong batch = a.pairs ? (ulong)indices[2 * entry] : entry;
    const ulong start = (ulong)indices[a.pairs ? 2 * entry + 1 : entry];

    src += a.src_at + entry * a.entry_words + from;
    dst += a.dst_at + (batch * a.length + start) * a.position_words + from;
    for (ulong i = 0; i < words; i++)
        dst[i] = src[i];
}
