/* SPDX-License-Identifier: Apache-2.0 */
/* The peer loops, compiled once for each instruction set. */
#include "peer_loops.h"

#include "simd.h"

typedef float src_f32;
typedef uint16_t src_f16, src_bf16;

/* Elements in a line of the result. */
enum { PER_LINE_i8 = 64, PER_LINE_u8 = 64, PER_LINE_i32 = 16, PER_LINE_i4 = 128 };

SIMD_INLINE vf scaled(vf x, vf scale, int divide)
{
    return divide ? vf_divide(x, scale) : vf_multiply(x, scale);
}

/* One line of the result, from as many elements as it holds. */
#define LINE(src, dst)                                                                                       \
    SIMD_INLINE line line_##src##_##dst(const src_##src *x, const vf *scale, size_t ahead_bytes, int divide) \
    {                                                                                                        \
        vf v[PER_LINE_##dst / VF];                                                                           \
                                                                                                             \
        for (size_t i = 0; ahead_bytes && i < PER_LINE_##dst * sizeof *x; i += LINE_BYTES)                   \
            __builtin_prefetch((const char *)x + ahead_bytes + i);                                           \
        for (size_t i = 0; i < PER_LINE_##dst / VF; i++)                                                     \
            v[i] = scaled(vf_load_##src(x + i * VF), scale[i], divide);                                      \
        return line_of_##dst(v);                                                                             \
    }

/* The scales of one line: loaded once for all rows of a tile. */
#define SCALES(dst)                                                                                          \
    SIMD_INLINE void scales_##dst(const float *scale, vf *v, int each)                                       \
    {                                                                                                        \
        for (size_t i = 0; i < PER_LINE_##dst / VF; i++)                                                     \
            v[i] = each ? vf_load_f32(scale + i * VF) : vf_all(*scale);                                      \
    }

/* The last elements of a row, fewer than a line, are worked on in a line of zeros. */
#define LAST(src, dst)                                                                                       \
    SIMD_INLINE void last_##src##_##dst(const src_##src *x, const float *scale, uint8_t *y, size_t elements, \
                                        int divide, int each)                                                \
    {                                                                                                        \
        src_##src last_x[PER_LINE_##dst] = {0};                                                              \
        float last_scale[PER_LINE_##dst] = {0};                                                              \
        uint8_t last_y[LINE_BYTES];                                                                          \
        vf v[PER_LINE_##dst / VF];                                                                           \
                                                                                                             \
        memcpy(last_x, x, elements * sizeof *x);                                                             \
        memcpy(last_scale, scale, (each ? elements : 1) * sizeof *scale);                                    \
        scales_##dst(last_scale, v, each);                                                                   \
        line_store(last_y, line_##src##_##dst(last_x, v, 0, divide));                                        \
        memcpy(y, last_y, elements *LINE_BYTES / PER_LINE_##dst);                                            \
    }

#define RUN(src, dst)                                                                                        \
    SIMD_INLINE void run_##src##_##dst(const struct peer_tile *tile, int divide, int each, int non_temporal) \
    {                                                                                                        \
        const float *scale = tile->scale;                                                                    \
        size_t done = 0;                                                                                     \
        vf v[PER_LINE_##dst / VF];                                                                           \
                                                                                                             \
        scales_##dst(scale, v, 0);                                                                           \
        for (; done + PER_LINE_##dst <= tile->columns; done += PER_LINE_##dst) {                             \
            const src_##src *x = (const src_##src *)tile->x + done;                                          \
            uint8_t *y = tile->y + done * LINE_BYTES / PER_LINE_##dst;                                       \
            if (each)                                                                                        \
                scales_##dst(scale + done, v, 1);                                                            \
            for (size_t row = 0; row < tile->rows; row++, x += tile->x_stride, y += tile->y_stride_bytes) {  \
                line q = line_##src##_##dst(x, v, tile->ahead_bytes, divide);                                \
                if (non_temporal)                                                                            \
                    line_stream(y, q);                                                                       \
                else                                                                                         \
                    line_store(y, q);                                                                        \
            }                                                                                                \
        }                                                                                                    \
        for (size_t row = 0; row < tile->rows && done < tile->columns; row++)                                \
            last_##src##_##dst((const src_##src *)tile->x + row * tile->x_stride + done,                     \
                               scale + (each ? done : 0),                                                    \
                               tile->y + row * tile->y_stride_bytes + done * LINE_BYTES / PER_LINE_##dst,    \
                               tile->columns - done, divide, each);                                          \
        if (non_temporal && tile->last)                                                                      \
            line_fence();                                                                                    \
    }

#define LOOP(src, dst, divide, each, non_temporal)                                                           \
    static void loop_##src##_##dst##_##divide##each##non_temporal(const struct peer_tile *tile)              \
    {                                                                                                        \
        run_##src##_##dst(tile, divide, each, non_temporal);                                                 \
    }
#define LOOPS(src, dst)                                                                                      \
    LINE(src, dst)                                                                                           \
    LAST(src, dst)                                                                                           \
    RUN(src, dst)                                                                                            \
    LOOP(src, dst, 0, 0, 0)                                                                                  \
    LOOP(src, dst, 0, 0, 1)                                                                                  \
    LOOP(src, dst, 0, 1, 0)                                                                                  \
    LOOP(src, dst, 0, 1, 1)                                                                                  \
    LOOP(src, dst, 1, 0, 0)                                                                                  \
    LOOP(src, dst, 1, 0, 1)                                                                                  \
    LOOP(src, dst, 1, 1, 0)                                                                                  \
    LOOP(src, dst, 1, 1, 1)
#define LOOPS_OF(src) LOOPS(src, i8) LOOPS(src, u8) LOOPS(src, i32) LOOPS(src, i4)

SCALES(i8)
SCALES(u8)
SCALES(i32)
SCALES(i4)

LOOPS_OF(f32)
LOOPS_OF(f16)
LOOPS_OF(bf16)

#define ROW(src, dst)                                                                                        \
    {                                                                                                        \
        {{loop_##src##_##dst##_000, loop_##src##_##dst##_001},                                               \
         {loop_##src##_##dst##_010, loop_##src##_##dst##_011}},                                              \
        {                                                                                                    \
            {loop_##src##_##dst##_100, loop_##src##_##dst##_101},                                            \
            {                                                                                                \
                loop_##src##_##dst##_110, loop_##src##_##dst##_111                                           \
            }                                                                                                \
        }                                                                                                    \
    }
#define ROWS_OF(src)                                                                                         \
    {                                                                                                        \
        ROW(src, i8), ROW(src, u8), ROW(src, i32), ROW(src, i4)                                              \
    }

const struct peer_loops SIMD_NAME(peer_loops) = {{ROWS_OF(f32), ROWS_OF(f16), ROWS_OF(bf16)}};
