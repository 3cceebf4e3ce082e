/* SPDX-License-Identifier: Apache-2.0 */
/* What a device's answers mean for its kernels. */
#include <stdint.h>
#include <string.h>

#include "fake_driver.h"
#include "runtime/device.h"
#include "runtime/extension.h"
#include "tests.h"

static const char pocl[] = "Portable Computing Language";

static struct clq__device traits(struct driver of, uint32_t form, uint32_t arithmetic)
{
    struct clq__device device;

    drivers[0] = of;
    if (clq__device_init(&device, fake_device(0), form, arithmetic) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    assert_true(clq__device_runs(fake_device(0)));
    return device;
}

TEST(a_cpu_takes_items_and_what_else_there_is_groups)
{
    static const struct {
        cl_device_type type;
        bool group;
    } cases[] = {
        {CL_DEVICE_TYPE_CPU, false},   {CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT, false},
        {CL_DEVICE_TYPE_GPU, true},    {CL_DEVICE_TYPE_ACCELERATOR, true},
        {CL_DEVICE_TYPE_CUSTOM, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct driver of = {.platform = "any", .name = "any", .type = cases[i].type};

        assert_int_equal(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).group_form, cases[i].group);
        assert_true(traits(of, CLQ_FORM_GROUP, CLQ_ARITHMETIC_AUTO).group_form);
        assert_false(traits(of, CLQ_FORM_ITEM, CLQ_ARITHMETIC_AUTO).group_form);
    }
}

TEST(only_a_cpu_of_pocl_is_told_to_prefetch)
{
    static const struct {
        struct driver driver;
        bool told;
    } cases[] = {
        {{.platform = pocl, .name = "cpu", .type = CL_DEVICE_TYPE_CPU}, true},
        {{.platform = pocl, .name = "NVIDIA H100", .type = CL_DEVICE_TYPE_GPU}, false},
        {{.platform = pocl, .name = "ttasim", .type = CL_DEVICE_TYPE_ACCELERATOR}, false},
        {{.platform = "rusticl", .name = "llvmpipe", .type = CL_DEVICE_TYPE_CPU}, false},
        {{.platform = "Oclgrind", .name = "simulator", .type = CL_DEVICE_TYPE_CPU}, false},
        {{.platform = "NVIDIA CUDA", .name = "NVIDIA H100", .type = CL_DEVICE_TYPE_GPU}, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clq__device device = traits(cases[i].driver, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO);

        assert_int_equal(device.prefetch, cases[i].told);
    }
}

TEST(a_processor_of_amds_is_known_by_its_vendor)
{
    static const struct {
        const char *platform, *vendor;
        cl_device_type type;
        bool amd;
    } cases[] = {
        {pocl, "AuthenticAMD", CL_DEVICE_TYPE_CPU, true},  {pocl, "AMD", CL_DEVICE_TYPE_CPU, true},
        {pocl, "GenuineIntel", CL_DEVICE_TYPE_CPU, false}, {pocl, "AMD", CL_DEVICE_TYPE_GPU, false},
        {"rusticl", "AMD", CL_DEVICE_TYPE_CPU, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct driver of = {
            .platform = cases[i].platform, .name = "any", .vendor = cases[i].vendor, .type = cases[i].type};

        assert_int_equal(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).amd, cases[i].amd);
    }
}

TEST(arithmetic_is_trusted_where_both_promises_are_made)
{
    for (cl_device_fp_config single = 0; single < 256; single++) {
        const struct driver of = {
            .platform = "any", .name = "any", .type = CL_DEVICE_TYPE_GPU, .single = single};

        assert_int_equal(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).native_arithmetic,
                         (single & FAKE_PROMISED) == FAKE_PROMISED);
        assert_false(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_EXACT).native_arithmetic);
    }
}

TEST(what_cannot_run_kernels_is_refused_by_name)
{
    static const struct {
        struct driver driver;
        const char *why;
    } cases[] = {
        {{.platform = "any", .name = "an old one", .big_endian = CL_TRUE}, "it must be little-endian"},
        {{.platform = "any", .name = "an old one", .version = "OpenCL 1.1 Mesa 22.3"},
         "version \"OpenCL 1.1 Mesa 22.3\": it must be OpenCL 1.2 or later"},
        {{.platform = "any", .name = "an old one", .version = "OpenCL 0.9"}, "OpenCL 1.2 or later"},
        {{.platform = "any", .name = "an old one", .version = "1.2"}, "OpenCL 1.2 or later"},
        {{.platform = "any", .name = "an old one", .lacking = CL_FP_ROUND_TO_NEAREST},
         "round float32 to nearest"},
        {{.platform = "any", .name = "an old one", .lacking = CL_FP_INF_NAN}, "infinities and NaN"},
        {{.platform = "any", .name = "an old one", .profile = "EMBEDDED_PROFILE"},
         "it must have integers of 64 bits (cles_khr_int64)"},
    };
    struct clq__device device;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drivers[0] = cases[i].driver;
        assert_int_equal(clq__device_init(&device, fake_device(0), CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO),
                         CLQ_ERROR_DEVICE);
        assert_non_null(strstr(clq_error_detail(), "device \"an old one\""));
        assert_non_null(strstr(clq_error_detail(), cases[i].why));
        assert_false(clq__device_runs(fake_device(0)));
    }
}

TEST(the_embedded_profile_with_int64_runs)
{
    const struct driver of = {
        .platform = "any", .name = "any", .profile = "EMBEDDED_PROFILE", .extensions = "cles_khr_int64"};

    traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO);
    assert_true(clq__device_runs(fake_device(0)));
}

/* Places of 64 bits are asked for, and quotients are of 200 instructions where there is no float64. */
TEST(intels_gpus_by_intels_driver)
{
    static const struct {
        const char *platform;
        cl_bitfield type, twice;
        enum clq__division division;
    } cases[] = {{"Intel(R) OpenCL Graphics", CL_DEVICE_TYPE_GPU, 0, CLQ__DIVIDES_AT_LENGTH},
                 {"Intel(R) OpenCL HD Graphics", CL_DEVICE_TYPE_GPU, 1, CLQ__DIVIDES_AT_ONCE},
                 {"Intel(R) OpenCL", CL_DEVICE_TYPE_CPU, 0, CLQ__DIVIDES_BRIEFLY},
                 {"rusticl", CL_DEVICE_TYPE_GPU, 0, CLQ__DIVIDES_BRIEFLY}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct driver of = {
            .platform = cases[i].platform, .name = "any", .type = cases[i].type, .twice = cases[i].twice};
        const struct clq__device device = traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO);
        const bool large = cases[i].division != CLQ__DIVIDES_BRIEFLY;

        assert_int_equal(device.division, cases[i].division);
        assert_int_equal(clq__device_buffer_flags(&device, UINT32_MAX), CL_MEM_READ_WRITE);
        assert_int_equal(clq__device_buffer_flags(&device, 1 + (size_t)UINT32_MAX) > CL_MEM_READ_WRITE,
                         large);
    }
}

/* It runs what is kept. */
TEST(a_device_without_a_compiler_is_taken)
{
    const struct driver of = {.platform = "any", .name = "any", .type = CL_DEVICE_TYPE_GPU};
    struct driver locked = of;

    assert_true(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).compiler);
    assert_true(clq__device_compiles(fake_device(0)));
    locked.no_compiler = CL_TRUE;
    assert_false(traits(locked, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).compiler);
    assert_false(clq__device_compiles(fake_device(0)));
}

TEST(any_version_from_1_2_on_is_taken)
{
    static const char *const versions[] = {"OpenCL 1.2", "OpenCL 2.0 AMD-APP", "OpenCL 3.0 CUDA",
                                           "OpenCL 10.0"};

    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        traits((struct driver){.platform = "any", .name = "any", .version = versions[i]}, CLQ_FORM_AUTO,
               CLQ_ARITHMETIC_AUTO);
}

TEST(a_long_name_is_cut)
{
    char name[1000] = "";
    struct clq__device device;

    memset(name, 'n', sizeof name - 1);
    device = traits((struct driver){.platform = name, .name = name}, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO);
    assert_int_equal(strlen(device.name), sizeof device.name - 1);
    assert_int_equal(strlen(device.platform_name), sizeof device.platform_name - 1);
    assert_int_equal(device.max_group_items, 4096);
    assert_int_equal(device.compute_units, 7);
}

TEST(an_extension_is_a_whole_word)
{
    static const struct {
        const char *names;
        bool exists;
    } cases[] = {
        {"", false},
        {"cl_khr_x", true},
        {"cl_khr_x_more", false},
        {"cl_khr_x_more cl_khr_x", true},
        {" cl_a", false},
        {" cl_khr_x", true},
        {"more_cl_khr_x cl_a ", false},
        {"cl_a  cl_khr_x  ", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drivers[0] = (struct driver){.extensions = cases[i].names};
        assert_int_equal(clq__extension_exists(fake_device(0), "cl_khr_x"), cases[i].exists);
    }
}

TEST(an_extension_has_the_version_beside_its_name)
{
    static const struct versioned versions[] = {{CLQ__VERSION(3, 2, 1), "cl_khr_x_more"},
                                                {CLQ__VERSION(0, 9, 5), "cl_khr_x"}};

    drivers[0] = (struct driver){.versions = versions, .num_versions = 2};
    assert_int_equal(clq__extension_version(fake_device(0), "cl_khr_x"), CLQ__VERSION(0, 9, 5));
    assert_int_equal(clq__extension_version(fake_device(0), "cl_khr"), 0);
    drivers[0].num_versions = 0;
    assert_int_equal(clq__extension_version(fake_device(0), "cl_khr_x"), 0);
    drivers[0].versions = NULL; /* before OpenCL 3.0 the question is not known */
    assert_int_equal(clq__extension_version(fake_device(0), "cl_khr_x"), 0);
}

TEST(a_context_that_is_none_has_nothing)
{
    size_t built = 1, from_cache = 1;
    char log[] = "a log";

    assert_null(clq_context_cl(NULL));
    assert_null(clq_context_device(NULL));
    assert_string_equal(clq_context_cache_dir(NULL), "");
    clq_context_count(NULL, &built, &from_cache);
    assert_int_equal(built + from_cache, 0);
    clq_context_build_log(NULL, log, sizeof log);
    assert_string_equal(log, "");
}

TESTS_MAIN("unit.device")
