/* SPDX-License-Identifier: Apache-2.0 */
/* Types, texts, variants and statuses: what the rest of the library takes for granted. */
#include <stdint.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/text.h"
#include "base/variant.h"
#include "runtime/source.h"
#include "tests.h"

#include <clquant/find_scales.h>
#include <clquant/tensor.h>

TEST(types_are_found_by_their_numbers)
{
    static const struct {
        DLDataType dtype;
        enum clq__type type;
        size_t bytes;
    } rows[] = {
        {{kDLFloat, 32, 1}, CLQ__F32, 4},   {{kDLFloat, 16, 1}, CLQ__F16, 2},
        {{kDLBfloat, 16, 1}, CLQ__BF16, 2}, {{kDLInt, 8, 1}, CLQ__I8, 1},
        {{kDLUInt, 8, 1}, CLQ__U8, 1},      {{kDLInt, 32, 1}, CLQ__I32, 4},
        {{kDLInt, 4, 1}, CLQ__I4, 1},       {{kDLInt, 4, 2}, CLQ__I4, 1},
        {{kDLInt, 4, 8}, CLQ__I4, 4},       {{kDLInt, 4, 4}, CLQ__NONE, 2},
        {{kDLInt, 4, 0}, CLQ__NONE, 1},     {{kDLUInt, 4, 2}, CLQ__U4, 1},
        {{kDLUInt, 4, 1}, CLQ__U4, 1},      {{kDLUInt, 4, 8}, CLQ__U4, 4},
        {{kDLFloat, 64, 1}, CLQ__NONE, 8},  {{kDLInt, 8, 2}, CLQ__NONE, 2},
        {{kDLBfloat, 32, 1}, CLQ__NONE, 4}, {{99, 8, 1}, CLQ__NONE, 1},
        {CLQ_FLOAT8_E4M3FN, CLQ__E4M3, 1},  {CLQ_FLOAT8_E5M2, CLQ__E5M2, 1},
        {{10, 8, 2}, CLQ__NONE, 2},         {{11, 8, 1}, CLQ__NONE, 1},
    };

    for (size_t i = 0; i < CLQ_COUNT(rows); i++) {
        assert_int_equal(clq__type_of(rows[i].dtype), rows[i].type);
        assert_int_equal(clq__storage_bytes(rows[i].dtype), rows[i].bytes);
    }
    assert_string_equal(clq__type_token(CLQ__BF16), "bf16");
    assert_string_equal(clq__type_name(CLQ__I4), "int4");
}

/* (Which types there are, and their names, test_types.c compares with the reference.) */
TEST(views_have_names_and_nothing_else_has)
{
    static const struct {
        const char *name;
        DLDataType dtype;
    } rows[] = {{"int4_bytes", CLQ_INT4_BYTES},
                {"int4_words", CLQ_INT4_WORDS},
                {"uint4_bytes", CLQ_UINT4_BYTES},
                {"uint4_words", CLQ_UINT4_WORDS}};
    static const char *const none[] = {"", "int", "int88", "int8 ", "INT8", "int8_bytes", "float4", NULL};
    static const DLDataType unnamed[] = {
        {kDLInt, 4, 4}, {kDLInt, 8, 2}, {kDLFloat, 64, 1}, {255, 255, 0}, {0}};

    for (size_t i = 0; i < CLQ_COUNT(rows); i++) {
        const DLDataType parsed = clq_dtype_parse(rows[i].name);

        assert_memory_equal(&parsed, &rows[i].dtype, sizeof parsed);
        assert_string_equal(clq_dtype_name(rows[i].dtype), rows[i].name);
    }
    for (size_t i = 0; i < CLQ_COUNT(none); i++) {
        const struct clq_find_scales_desc desc = {.dtype = clq_dtype_parse(none[i])};

        assert_int_equal(clq__type_of(desc.dtype), CLQ__NONE);
        assert_int_equal(clq_find_scales_check(&desc), CLQ_ERROR_TYPE); /* not the default, int8 */
    }
    for (size_t i = 0; i < CLQ_COUNT(unnamed); i++)
        assert_null(clq_dtype_name(unnamed[i]));
}

/* Every plug keeps its value whatever the others have: types up to 32, which is more than there are. */
TEST(a_variant_has_room_for_32_types)
{
    struct clq__variant variant;

    for (unsigned type = 0; type <= 32; type++) {
        clq__variant_begin(&variant, CLQ__QUANTIZE_CL);
        for (int plug = 0; plug < CLQ__PLUGS; plug++)
            clq__variant_define(&variant, (enum clq__plug)plug, plug <= CLQ__DST ? type ^ (unsigned)plug : 2);
        for (int plug = 0; plug < CLQ__PLUGS; plug++)
            assert_int_equal(clq__variant_value(&variant, (enum clq__plug)plug),
                             plug <= CLQ__DST ? type ^ (unsigned)plug : 2);
        assert_int_equal(variant.bits & 255, CLQ__QUANTIZE_CL);
    }
}

TEST(sets_of_types_read_as_a_sentence)
{
    char text[96];

    assert_string_equal(clq__type_names(CLQ__SET(CLQ__U8), text, sizeof(text)), "uint8");
    assert_string_equal(clq__type_names(CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__I4), text, sizeof(text)),
                        "int8 or int4");
    assert_string_equal(clq__type_names(CLQ__FLOATS, text, sizeof(text)), "float32, float16 or bfloat16");
}

TEST(texts_are_cut_and_say_so)
{
    char data[8];
    struct clq__text text = clq__text(data, sizeof(data));

    assert_string_equal(data, "");
    clq__text_add(&text, "abc");
    clq__text_format(&text, "%d", 1234);
    assert_string_equal(data, "abc1234");
    assert_false(text.full);
    clq__text_add(&text, "");
    assert_false(text.full);
    clq__text_add(&text, "d");
    assert_string_equal(data, "abc1234");
    assert_true(text.full);
}

/* The hash of FNV-1a's own tables, and that order and length count. */
TEST(the_hash_is_fnv1a)
{
    assert_true(clq__hash(CLQ__HASH_START, "", 0) == 0xcbf29ce484222325u);
    assert_true(clq__hash(CLQ__HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(clq__hash(CLQ__HASH_START, "foobar", 6) == 0x85944171f73967e8u);
}

TEST(variants_become_options_and_names)
{
    struct clq__variant variant;
    char file[64], options[256], kernel[128];
    struct clq__text out;

    clq__variant_begin(&variant, CLQ__QUANTIZE_CL);
    clq__variant_define(&variant, CLQ__DST, CLQ__I4); /* in any order */
    clq__variant_define(&variant, CLQ__SRC, CLQ__F16);
    assert_string_equal(clq__variant_text(&variant).data, "quantize.cl SRC=f16 DST=i4");
    assert_int_equal(clq__variant_value(&variant, CLQ__SRC), CLQ__F16);
    assert_int_equal(clq__variant_value(&variant, CLQ__MODE), -1);
    out = clq__text(file, sizeof(file));
    clq__variant_file(&variant, &out);
    assert_string_equal(file, "quantize.cl");
    out = clq__text(kernel, sizeof(kernel));
    clq__variant_kernel(&variant, &out);
    assert_string_equal(kernel, "clq_quantize_f16_i4");
    out = clq__text(options, sizeof(options));
    clq__variant_options(&variant, &out);
    assert_string_equal(options, "-D KERNEL_NAME=clq_quantize_f16_i4 -D SRC=f16 -D DST=i4");
}

TEST(variants_are_read_from_text)
{
    static const char list[] =
        "plain.cl\na.cl SRC=f16|f32|bf16 DST=i4|i8 FORM=item|group SMOOTH=0|1\nlast.cl X=1\n";
    static const char plugs[] = " FORM=item ARITHMETIC=exact SMOOTH=1";
    static const struct {
        const char *text, *variant;
    } good[] = {
        {"plain.cl", "plain.cl"},
        {" \tplain.cl  ", "plain.cl"},
        {"last.cl X=1", "last.cl X=1"},
        {"a.cl SRC=f16 DST=i4", "a.cl SRC=f16 DST=i4 FORM=item SMOOTH=1"},
        {" \ta.cl   DST=i8\tSRC=bf16 ", "a.cl SRC=bf16 DST=i8 FORM=item SMOOTH=1"},
        {"a.cl SMOOTH=0 FORM=group DST=i8 SRC=f32", "a.cl SRC=f32 DST=i8 FORM=group SMOOTH=0"},
        {"a.cl SRC=bf16|f16 DST=i4 FORM=group|item", "a.cl SRC=bf16|f16 DST=i4 FORM=group|item SMOOTH=1"},
    };
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "must begin with one of plain.cl, a.cl, last.cl"},
        {"  ", "must begin with"},
        {"b.cl SRC=f16 DST=i4", "must begin with"},
        {"a.c SRC=f16 DST=i4", "must begin with"},
        {"a.cl.cl SRC=f16 DST=i4", "must begin with"},
        {"../a.cl SRC=f16 DST=i4", "must begin with"},
        {"SRC=f16 DST=i4", "must begin with"},
        {"a.cl", "must have \"SRC=f16|f32|bf16\""},
        {"a.cl SRC=f16", "must have \"DST=i4|i8\""},
        {"last.cl", "must have \"X=1\""},
        {"plain.cl SRC=f16", "\"SRC=f16\" must be one of \"plain.cl\""},
        {"a.cl SRC=f16 DST=i4 ARITHMETIC=exact", "\"ARITHMETIC=exact\" must be"},
        {"a.cl SRC=f16 DST=i4 SRC=f16", "\"SRC=f16\" must be"},
        {"a.cl SRC=f16 DST=i4 a.cl", "\"a.cl\" must be"},
        {"a.cl SRC DST=i4", "\"SRC\" must be"},
        {"a.cl SRC= DST=i4", "\"SRC=\" must be"},
        {"a.cl =f16 DST=i4", "\"=f16\" must be"},
        {"a.cl SRC=f DST=i4", "\"SRC=f\" must be"},
        {"a.cl SRC=f16|f3 DST=i4", "\"SRC=f16|f3\" must be"},
        {"a.cl SRC=f16| DST=i4", "\"SRC=f16|\" must be"},
        {"a.cl SRC=|f16 DST=i4", "\"SRC=|f16\" must be"},
        {"a.cl SRC=f16||f32 DST=i4", "\"SRC=f16||f32\" must be"},
        {"a.cl SRC=f16=f16 DST=i4", "\"SRC=f16=f16\" must be"},
        {"a.cl RC=f16 DST=i4", "\"RC=f16\" must be"},
        {"a.cl SR=f16 DST=i4", "\"SR=f16\" must be"},
        {"a.cl SRC=f16 DST=i4;", "\"DST=i4;\" must be"},
        {"a.cl -D SRC=f16", "\"-D\" must be"},
        {"a.cl SRC=f16 DST=i4\n-cl-fast", "\"\" must be"},
        {"a.cl\nlast.cl X=1", "\"\" must be"},
    };
    char data[CLQ__VARIANT_BYTES];
    struct clq__text out;

    for (size_t i = 0; i < CLQ_COUNT(good); i++) {
        out = clq__text(data, sizeof data);
        assert_int_equal(clq__variant_read(&out, list, plugs, good[i].text), CLQ_OK);
        assert_string_equal(data, good[i].variant);
    }
    for (size_t i = 0; i < CLQ_COUNT(bad); i++) {
        out = clq__text(data, sizeof data);
        assert_int_equal(clq__variant_read(&out, list, plugs, bad[i].text), CLQ_ERROR_VALUE);
        if (strstr(clq_error_detail(), bad[i].says) == NULL)
            fail_msg("\"%s\": %s", bad[i].text, clq_error_detail());
    }
}

TEST(what_a_device_says_may_be_left_out)
{
    static const char list[] = "a.cl SRC=f16|f32 FORM=item|group ARITHMETIC=native|exact\n";
    char data[CLQ__VARIANT_BYTES];
    struct clq__text out = clq__text(data, sizeof data);

    assert_int_equal(clq__variant_read(&out, list, NULL, "a.cl SRC=f32 FORM=group"), CLQ_OK);
    assert_string_equal(data, "a.cl SRC=f32 FORM=group ARITHMETIC=native|exact");
    out = clq__text(data, sizeof data);
    assert_int_equal(clq__variant_read(&out, list, NULL, "a.cl FORM=group"), CLQ_ERROR_VALUE);
    assert_non_null(strstr(clq_error_detail(), "it must have \"SRC=f16|f32\""));
    out = clq__text(data, 20);
    assert_int_equal(clq__variant_read(&out, list, NULL, "a.cl SRC=f32|f32|f32"), CLQ_ERROR_VALUE);
    assert_non_null(strstr(clq_error_detail(), "it must have each value once"));
}

struct read_variants {
    int count, most;
    char texts[8][CLQ__VARIANT_BYTES];
};

static clq_status keep_variant(void *user, const struct clq__variant *variant)
{
    struct read_variants *read = user;

    if (read->count == read->most)
        return CLQ_ERROR_SIZE;
    strcpy(read->texts[read->count++], clq__variant_text(variant).data);
    return CLQ_OK;
}

TEST(every_variant_of_a_text_is_visited)
{
    static const char text[] = "widen.cl SRC=f32|bf16 DST=i4 MODE=divide|multiply SMOOTH=1";
    static const char *const wanted[] = {
        "widen.cl SRC=f32 DST=i4 MODE=divide SMOOTH=1", "widen.cl SRC=f32 DST=i4 MODE=multiply SMOOTH=1",
        "widen.cl SRC=bf16 DST=i4 MODE=divide SMOOTH=1", "widen.cl SRC=bf16 DST=i4 MODE=multiply SMOOTH=1"};
    struct read_variants read = {.most = 8};

    assert_int_equal(clq__variant_each(text, keep_variant, &read), CLQ_OK);
    assert_int_equal(read.count, CLQ_COUNT(wanted));
    for (size_t i = 0; i < CLQ_COUNT(wanted); i++)
        assert_string_equal(read.texts[i], wanted[i]);
    read = (struct read_variants){.most = 3};
    assert_int_equal(clq__variant_each(text, keep_variant, &read), CLQ_ERROR_SIZE);
    assert_int_equal(read.count, 3);
    read = (struct read_variants){.most = 8};
    assert_int_equal(clq__variant_each("claim.cl", keep_variant, &read), CLQ_OK);
    assert_string_equal(read.texts[0], "claim.cl");
    assert_int_equal(read.count, 1);
    assert_int_equal(clq__variant_each("widen.cl SRC=f99", keep_variant, &read), CLQ_ERROR_VALUE);
}

TEST(variants_are_parsed)
{
    static const char *const good[] = {
        "claim.cl", "copy.cl FORM=group",
        "find_scales.cl SRC=bf16 REDUCE=columns RANGE=numbers FORM=item ARITHMETIC=native",
        "dynamic_quantize.cl SRC=f32 DST=i4 SMOOTH=1 FORM=item ARITHMETIC=native"};
    static const char *const bad[] = {"",
                                      " ",
                                      "SRC=f16",
                                      "copy",
                                      "copy.cl ",
                                      "copy.cl SRC",
                                      "copy.cl SRC=",
                                      "copy.cl SRC=f1",
                                      "copy.cl SRC=f16 ",
                                      "copy.cl =f16",
                                      "copy.cl SR=f16",
                                      "copy.cl MODE=2",
                                      "copy.cl MODE=divide MODE=multiply"};
    struct clq__variant variant;

    for (size_t i = 0; i < CLQ_COUNT(good); i++) {
        assert_true(clq__variant_parse(&variant, good[i]));
        assert_string_equal(clq__variant_text(&variant).data, good[i]);
    }
    for (size_t i = 0; i < CLQ_COUNT(bad); i++)
        if (clq__variant_parse(&variant, bad[i]))
            fail_msg("\"%s\" was read", bad[i]);
}

/* Every value of every plug in cl/variants.txt, and its lines with the first values,
 * so that their order is the list's. */
TEST(the_list_of_variants_is_known)
{
    struct clq__variant variant;

    for (const char *at = clq__variants; *at != '\0'; at++) {
        char data[CLQ__VARIANT_BYTES];
        struct clq__text line = clq__text(data, sizeof data);

        clq__text_add_part(&line, at, strcspn(at, " \n"));
        for (at += strcspn(at, " \n"); *at == ' ';) {
            const size_t name = strcspn(at, "=") + 1;
            const char *values = at + name;

            clq__text_add_part(&line, at, name + strcspn(values, "| \n"));
            for (const char *value = values - 1; value == values - 1 || *value == '|';) {
                char alone[64];
                struct clq__text text = clq__text(alone, sizeof alone);
                const size_t length = strcspn(++value, "| \n");

                clq__text_add(&text, "copy.cl");
                clq__text_add_part(&text, at, name);
                clq__text_add_part(&text, value, length);
                assert_true(clq__variant_parse(&variant, alone));
                assert_string_equal(clq__variant_text(&variant).data, alone);
                value += length;
            }
            at = values + strcspn(values, " \n");
        }
        assert_true(clq__variant_parse(&variant, data));
        assert_string_equal(clq__variant_text(&variant).data, data);
        assert_int_equal(*at, '\n');
    }
}

TESTS_MAIN("base")
