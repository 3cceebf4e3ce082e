/* SPDX-License-Identifier: Apache-2.0 */
/* The examples that the operators' documents print, inputs and outputs both. */
#include "harness.h"
#include "tensor.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = calloc((size_t)size + 1, 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    if (!text)
        fail_msg("no text \"%s\"", key);
    return text;
}

static enum reference_type type_of(const cJSON *example, const char *key)
{
    static const struct {
        const char *name;
        enum reference_type type;
    } names[] = {{"float32", REFERENCE_F32},
                 {"float16", REFERENCE_F16},
                 {"bfloat16", REFERENCE_BF16},
                 {"int8", REFERENCE_I8},
                 {"int32", REFERENCE_I32}};
    const char *text = text_of(example, key);

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(text, names[i].name) == 0)
            return names[i].type;
    fail_msg("no type \"%s\"", text);
    return REFERENCE_F32;
}

/* The tensor NAME of NAME_shape and NAME_dtype, without values yet. One without a shape is as long as its
 * values. */
static void make_tensor(struct tensor *tensor, const cJSON *example, const char *name)
{
    char key[32];
    int64_t shape[CLQ_MAX_RANK] = {0};
    struct layout layout;
    const cJSON *sizes, *size;
    int rank = 0;

    snprintf(key, sizeof(key), "%s_shape", name);
    sizes = cJSON_GetObjectItemCaseSensitive(example, key);
    cJSON_ArrayForEach(size, sizes) shape[rank++] = (int64_t)size->valuedouble;
    if (!sizes)
        shape[rank++] = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(example, name));
    assert_true(rank > 0);
    snprintf(key, sizeof(key), "%s_dtype", name);
    layout = layout_dense(type_of(example, key), 1, rank, shape);
    tensor_init(tensor, &layout);
    memset(tensor->image, 0x5a, tensor->size_bytes);
}

static void set_values(struct tensor *tensor, const cJSON *example, const char *key)
{
    const cJSON *value;
    int64_t position = 0;

    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(example, key))
        tensor_set(tensor, position++, value->valuedouble);
    assert_true(position > 0);
}

static void check_npu_quantize(const cJSON *example)
{
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(example, "params");
    const cJSON *axis = cJSON_GetObjectItemCaseSensitive(params, "axis");
    const cJSON *div_mode = cJSON_GetObjectItemCaseSensitive(params, "div_mode");
    struct tensor x, scales, y;

    assert_true(cJSON_IsNumber(axis) && cJSON_IsBool(div_mode));
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(params, "zero_points")));
    assert_string_equal(text_of(params, "dtype"), "qint8");
    make_tensor(&x, example, "x");
    make_tensor(&scales, example, "scale");
    make_tensor(&y, example, "out");
    set_values(&x, example, "x");
    set_values(&scales, example, "scale");
    assert_true(tensor_upload(&x, harness.queue) && tensor_upload(&scales, harness.queue) &&
                tensor_upload(&y, harness.queue));
    expect_status(clq_npu_quantize(harness.context, harness.queue, &x.dl, &scales.dl, NULL, CLQ_NPU_QINT8,
                                   axis->valueint, cJSON_IsTrue(div_mode), &y.dl, 0, NULL, NULL),
                  CLQ_OK, "clq_npu_quantize");
    set_values(&y, example, "expected");
    assert_true(tensor_holds(&y, harness.queue, y.image, text_of(example, "id")));
    tensor_clear(&x);
    tensor_clear(&scales);
    tensor_clear(&y);
}

static void check_npu_group_quant(const cJSON *example)
{
    enum { X, SCALE, GROUP_INDEX, OFFSET, INPUTS };
    static const char *const names[INPUTS] = {"x", "scale", "group_index", "offset"};
    struct tensor in[INPUTS], y;

    assert_string_equal(text_of(cJSON_GetObjectItemCaseSensitive(example, "params"), "dst_dtype"), "qint8");
    for (int i = 0; i < INPUTS; i++) {
        make_tensor(&in[i], example, names[i]);
        set_values(&in[i], example, names[i]);
        assert_true(tensor_upload(&in[i], harness.queue));
    }
    make_tensor(&y, example, "out");
    assert_true(tensor_upload(&y, harness.queue));
    expect_status(clq_npu_group_quant(harness.context, harness.queue, &in[X].dl, &in[SCALE].dl,
                                      &in[GROUP_INDEX].dl, &in[OFFSET].dl, CLQ_NPU_QINT8, &y.dl, 0, NULL,
                                      NULL),
                  CLQ_OK, "clq_npu_group_quant");
    set_values(&y, example, "expected");
    assert_true(tensor_holds(&y, harness.queue, y.image, text_of(example, "id")));
    for (int i = 0; i < INPUTS; i++)
        tensor_clear(&in[i]);
    tensor_clear(&y);
}

TEST(printed_examples)
{
    char *text = read_text(CLQ_TEST_DATA "/printed_examples.json");
    cJSON *file = cJSON_Parse(text);
    const cJSON *example;
    static const struct {
        const char *op;
        void (*check)(const cJSON *example);
    } checks[] = {{"npu_quantize", check_npu_quantize}, {"npu_group_quant", check_npu_group_quant}};
    int examples = 0, replayed = 0;

    assert_non_null(file);
    cJSON_ArrayForEach(example, cJSON_GetObjectItemCaseSensitive(file, "examples"))
    {
        examples++;
        for (size_t i = 0; i < COUNT(checks); i++)
            if (strcmp(text_of(example, "op"), checks[i].op) == 0) {
                checks[i].check(example);
                replayed++;
            }
    }
    assert_int_equal(replayed, 4);
    assert_int_equal(replayed, examples);
    cJSON_Delete(file);
    free(text);
}

HARNESS_MAIN("printed examples")
