// SPDX-License-Identifier: Apache-2.0
// What the bench compares with on a device that is no CPU. The host says how many work-items there are: some
// compilers break loops whose step asks for it.
//
//   READS, WRITES   16-byte words that a block, or an entry, reads and writes

// As the stream loop of the host: each word that is written is the exclusive or of the words of its block.
// Neighbours read neighbouring words.
kernel void stream(global const uint4 *restrict src, global uint4 *restrict dst, ulong blocks,
                   ulong local_size, ulong global_size)
{
    for (ulong first = get_group_id(0) * local_size; first < blocks; first += global_size) {
        const ulong here = min(local_size, blocks - first), item = get_local_id(0);
        uint4 sum = 0;

        if (item >= here)
            continue;
        for (uint i = 0; i < READS; i++)
            sum ^= src[first * READS + i * here + item];
        for (uint i = 0; i < WRITES; i++)
            dst[first * WRITES + i * here + item] = sum;
        // What nobody uses nobody reads: it is said to be needed, once in 2^128.
        if (WRITES == 0 && all(sum == (uint4)(0x9e3779b9, 0x7f4a7c15, 0xbf58476d, 0x1ce4e5b9)))
            dst[0] = sum;
    }
}

#if WRITES > 0
// The same at places: what an entry's words in order come to is written where its batch and start say. An entry has a
// block for each word that it writes.
kernel void stream_at_places(global const uint4 *restrict src, global uint4 *restrict dst, ulong blocks,
                             ulong local_size, ulong global_size, global const int2 *restrict places,
                             ulong first, uint length)
{
    for (ulong block = get_global_id(0); block < blocks; block += global_size) {
        const ulong entry = block / WRITES, word = block % WRITES;
        const int2 place = places[first + entry];
        uint4 sum = 0;

        for (uint i = 0; i < READS / WRITES; i++)
            sum ^= src[entry * READS + i * WRITES + word];
        dst[((ulong)place.x * length + place.y) * WRITES + word] = sum;
    }
}
#endif
