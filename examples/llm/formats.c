/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of a cache, a row each, and the attention kernel of each. */
#include "model.h"

#include <stdio.h>
#include <string.h>

static const char source[] = {
#include "clquant_clh.inc"
#include "llm_attention_cl.inc"
};

/* clang-format off */
#define BOTH(...)      {{__VA_ARGS__}, {__VA_ARGS__}}
#define FLOATS(t)      .type = t, .keep = KEEP_FLOATS
#define BLOCKS(t)      .type = t, .keep = KEEP_BLOCKS
#define STATIC(t)      .type = t, .keep = KEEP_STATIC, .scales = "float32"
#define SYMMETRIC(t)   .type = t, .keep = KEEP_DYNAMIC, .symmetric = true
#define ASYMMETRIC(t)  .type = t, .keep = KEEP_DYNAMIC, .block = 32, .scales = "float16"
#define IN_BLOCKS      .block = 32, .scales = "float16"
#define ROTATED        .rotated = true
const struct format formats[NUM_FORMATS] = {
    {"float16", BOTH(FLOATS("float16"))},
    {"int8_static", BOTH(STATIC("int8"))},
    {"int8", BOTH(SYMMETRIC("int8"), .scales = "float16")},
    {"float8", BOTH(SYMMETRIC("float8_e4m3fn"), .scales = "float16")},
    {"int8_int4", {{SYMMETRIC("int8"), .scales = "float16"}, {SYMMETRIC("int4"), IN_BLOCKS, ROTATED}}},
    {"int4", BOTH(ASYMMETRIC("int4"))},
    {"int4_rotated", BOTH(ASYMMETRIC("int4"), ROTATED)},
    {"int4_symmetric", BOTH(SYMMETRIC("int4"), IN_BLOCKS)},
    {"int4_symmetric_rotated", BOTH(SYMMETRIC("int4"), IN_BLOCKS, ROTATED)},
    {"q8_0", BOTH(BLOCKS("q8_0"))},
    {"q5_1", BOTH(BLOCKS("q5_1"))},
    {"q5_0", BOTH(BLOCKS("q5_0"))},
    {"q4_1", BOTH(BLOCKS("q4_1"))},
    {"q4_0", BOTH(BLOCKS("q4_0"))},
    {"iq4_nl", BOTH(BLOCKS("iq4_nl"))},
    {"iq4_nl_rotated", BOTH(BLOCKS("iq4_nl"), ROTATED)},
    {"mxfp4", BOTH(SYMMETRIC("float4_e2m1fn"), .block = 32, .scales = "float8_e8m0fnu",
                   .scale_rule = CLQ_MX_EVEN)},
    {"nvfp4", BOTH(SYMMETRIC("float4_e2m1fn"), .block = 16, .scales = "float8_e4m3fn",
                   .scale_rule = CLQ_NVFP4)},
};
/* clang-format on */

uint32_t rows_rotation(const struct rows *rows, int64_t head_size)
{
    uint32_t rotation = 1;

    while (rows->rotated && head_size % (2 * rotation) == 0)
        rotation *= 2;
    return rotation;
}

/* The options of attention.cl that say how keys or values lie. */
static void add_options(char *text, size_t size, char letter, const struct rows *rows, int64_t head_size)
{
    static const char *const kinds[] = {[KEEP_FLOATS] = "PLAIN",
                                        [KEEP_BLOCKS] = "PLAIN",
                                        [KEEP_STATIC] = "STATIC",
                                        [KEEP_DYNAMIC] = "DYNAMIC"};
    const size_t at = strlen(text);

    snprintf(text + at, size - at,
             " -D %c_LOAD8=clq_load8_%s -D %c_KIND=%s -D %c_SCALE=clq_load_%s -D %c_BLOCK=%d -D %c_OFFSETS=%d"
             " -D %c_ROTATE=%u",
             letter, rows->type, letter, kinds[rows->keep], letter, rows->scales ? rows->scales : "float32",
             letter, rows->block > 0 ? (int)rows->block : (int)head_size, letter,
             rows->keep == KEEP_DYNAMIC && !rows->symmetric, letter,
             (unsigned)rows_rotation(rows, head_size));
}

clq_status format_build(const struct format *format, const struct model *m, cl_program *program)
{
    cl_device_fp_config single = 0;
    char options[1024];

    TRY(noted(clGetDeviceInfo(clq_context_device(m->device->context), CL_DEVICE_SINGLE_FP_CONFIG,
                              sizeof single, &single, NULL),
              "clGetDeviceInfo"));
    /* A device that has subnormals multiplies as clquant does. */
    snprintf(options, sizeof options,
             "-cl-std=CL1.2 %s-D GROUP=%d -D TILE=%d -D SIZE=%d -D HEADS=%d -D QUERIES=%d",
             single & CL_FP_DENORM ? "-D CLQ_NATIVE " : "", GROUP, TILE, (int)m->head_size, (int)m->heads,
             (int)(m->heads / m->kv_heads));
    add_options(options, sizeof options, 'K', &format->sides[0], m->head_size);
    add_options(options, sizeof options, 'V', &format->sides[1], m->head_size);
    return device_build(m->device, source, sizeof source, options, program);
}
