// SPDX-License-Identifier: Apache-2.0
// convert_rows: dst[to(row)][i] = src[from(row)][i], rounded once to dst's type
//
//   KERNEL_NAME   the kernel's name
//   SRC, DST      f32, f16 or bf16; a NaN becomes the canonical one
//   FORM          item or group, of base/parameters.clh
#define ARITHMETIC exact // of base/narrow.clh: right on every device, and rows wait for memory

#include "args/move_rows.h"
#include "base/narrow.clh"
#include "base/types.clh"
#include "moves/moved.clh"
#include "index/pieces.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(FORM)
#error "convert_rows.cl: KERNEL_NAME, SRC, DST and FORM are required"
#endif

#define CONVERTED(bits)   NARROW(DST, clq_canonical(ELEMENT(SRC, bits, 0u)))
#define CONVERTED_4(v)    CONVERTED(v.s0), CONVERTED(v.s1), CONVERTED(v.s2), CONVERTED(v.s3)
#define CONVERTED_8(v)    CONVERTED_4(v.lo), CONVERTED_4(v.hi)
#define CONVERTED_CHUNK(v) CLQ_CAT(CONVERTED_, CHUNK(SRC))(v)

// Sixteen bytes of src, and as many elements of dst: as a lane converts them.
typedef VECTOR(SRC, CHUNK(SRC)) from_chunk;
typedef VECTOR(DST, CHUNK(SRC)) to_chunk;

static inline bool is_aligned(global const STORAGE(SRC) *from, global const STORAGE(DST) *to,
                              const struct move_rows_args *a)
{
    return a->src_stride == 1 && a->dst_stride == 1 && ((size_t)from & (sizeof(from_chunk) - 1)) == 0 &&
           ((size_t)to & (sizeof(to_chunk) - 1)) == 0;
}

static inline void convert(global const STORAGE(SRC) *from, global STORAGE(DST) *to,
                           const struct move_rows_args *a, const struct clq_own_pieces *own)
{
    const uint chunks = IS_GROUP && is_aligned(from, to, a) ? own->units / CHUNK(SRC) : 0;

    for (uint i = own->lane; i < chunks; i += own->lanes) {
        const from_chunk v = ((global const from_chunk *)from)[i];

        ((global to_chunk *)to)[i] = (to_chunk)(CONVERTED_CHUNK(v));
    }
    for (uint i = chunks * CHUNK(SRC) + own->lane; i < own->units; i += own->lanes)
        to[i * a->dst_stride] = CONVERTED(from[i * a->src_stride]);
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict src, global STORAGE(DST) *restrict dst,
                        global const uchar *restrict src_indices, global const uchar *restrict dst_indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct move_rows_args a)
{
    const struct clq_own_pieces own = clq_own_pieces_of(&a.pieces);

    for (long row = own.first; row < own.end; row++) {
        const struct clq_moved moved = clq_moved_of(src_indices, dst_indices, owners, report, &a, row,
                                                    own.lane == 0 && own.begin == 0);

        if (moved.kept)
            convert(src + a.src_offset + moved.x + own.begin * a.src_stride,
                    dst + a.dst_offset + moved.y + own.begin * a.dst_stride, &a, &own);
    }
}
