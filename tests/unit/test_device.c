/* What a device's answers mean for its kernels: the two questions that a driver is asked are answered here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/device.h"

enum { PROMISED = CL_FP_DENORM | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT };

struct driver {
    const char *platform, *name;
    cl_device_type type;
    cl_device_fp_config single;
    cl_bool big_endian, no_compiler;
};

static const char pocl[] = "Portable Computing Language";
static struct driver driver;
static char handles[2]; /* a device and its platform */

static cl_int answer(const void *value, size_t value_bytes, size_t size_bytes, void *out, size_t *length)
{
    if (length != NULL)
        *length = value_bytes;
    if (out != NULL && size_bytes < value_bytes)
        return CL_INVALID_VALUE;
    if (out != NULL)
        memcpy(out, value, value_bytes);
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size_bytes, void *out, size_t *length)
{
    return answer(text, strlen(text) + 1, size_bytes, out, length);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size_bytes, void *out,
                         size_t *length)
{
    assert_ptr_equal(platform, &handles[1]);
    return answer_text(what == CL_PLATFORM_NAME ? driver.platform : "OpenCL 3.0", size_bytes, out, length);
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size_bytes, void *out, size_t *length)
{
    const cl_platform_id platform = (cl_platform_id)&handles[1];
    const cl_bool little = !driver.big_endian, compiler = !driver.no_compiler;
    const size_t group_items = 4096;
    const cl_uint units = 7;

    assert_ptr_equal(id, &handles[0]);
    switch (what) {
    case CL_DEVICE_PLATFORM:
        return answer(&platform, sizeof platform, size_bytes, out, length);
    case CL_DEVICE_TYPE:
        return answer(&driver.type, sizeof driver.type, size_bytes, out, length);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return answer(&driver.single, sizeof driver.single, size_bytes, out, length);
    case CL_DEVICE_ENDIAN_LITTLE:
        return answer(&little, sizeof little, size_bytes, out, length);
    case CL_DEVICE_COMPILER_AVAILABLE:
        return answer(&compiler, sizeof compiler, size_bytes, out, length);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return answer(&group_items, sizeof group_items, size_bytes, out, length);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return answer(&units, sizeof units, size_bytes, out, length);
    case CL_DEVICE_NAME:
        return answer_text(driver.name, size_bytes, out, length);
    default:
        return answer_text("1.0", size_bytes, out, length);
    }
}

static struct clq__device traits(struct driver of, uint32_t form, uint32_t arithmetic)
{
    struct clq__device device;

    driver = of;
    assert_int_equal(clq__device_init(&device, (cl_device_id)&handles[0], form, arithmetic), CLQ_OK);
    return device;
}

static void a_cpu_takes_items_and_what_else_there_is_groups(void **state)
{
    static const struct {
        cl_device_type type;
        bool group;
    } cases[] = {
        {CL_DEVICE_TYPE_CPU, false},   {CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT, false},
        {CL_DEVICE_TYPE_GPU, true},    {CL_DEVICE_TYPE_ACCELERATOR, true},
        {CL_DEVICE_TYPE_CUSTOM, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct driver of = {.platform = "any", .name = "any", .type = cases[i].type};

        assert_int_equal(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).group_form, cases[i].group);
        assert_true(traits(of, CLQ_FORM_GROUP, CLQ_ARITHMETIC_AUTO).group_form);
        assert_false(traits(of, CLQ_FORM_ITEM, CLQ_ARITHMETIC_AUTO).group_form);
    }
}

static void only_a_cpu_of_pocl_is_told_to_prefetch(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clq__device device = traits(cases[i].driver, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO);

        assert_int_equal(device.prefetch, cases[i].told);
        assert_int_equal(device.host_memory, cases[i].told);
    }
}

static void arithmetic_is_trusted_where_both_promises_are_made(void **state)
{
    (void)state;
    for (cl_device_fp_config single = 0; single < 256; single++) {
        const struct driver of = {
            .platform = "any", .name = "any", .type = CL_DEVICE_TYPE_GPU, .single = single};

        assert_int_equal(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).native_arithmetic,
                         (single & PROMISED) == PROMISED);
        assert_false(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_EXACT).native_arithmetic);
    }
}

static void what_cannot_run_kernels_is_refused_by_name(void **state)
{
    static const struct {
        struct driver driver;
        const char *why;
    } cases[] = {
        {{.platform = "any", .name = "an old one", .big_endian = CL_TRUE}, "it must be little-endian"},
        {{.platform = "any", .name = "an old one", .no_compiler = CL_TRUE}, "has no compiler"},
    };
    struct clq__device device;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        driver = cases[i].driver;
        assert_int_equal(
            clq__device_init(&device, (cl_device_id)&handles[0], CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO),
            CLQ_ERROR_DEVICE);
        assert_non_null(strstr(clq_error_detail(), "device \"an old one\""));
        assert_non_null(strstr(clq_error_detail(), cases[i].why));
    }
}

static void a_long_name_is_cut(void **state)
{
    char name[1000] = "";
    struct clq__device device;

    (void)state;
    memset(name, 'n', sizeof name - 1);
    device = traits((struct driver){.platform = name, .name = name}, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO);
    assert_int_equal(strlen(device.name), sizeof device.name - 1);
    assert_int_equal(strlen(device.platform_name), sizeof device.platform_name - 1);
    assert_int_equal(device.max_group_items, 4096);
    assert_int_equal(device.compute_units, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_takes_items_and_what_else_there_is_groups),
        cmocka_unit_test(only_a_cpu_of_pocl_is_told_to_prefetch),
        cmocka_unit_test(arithmetic_is_trusted_where_both_promises_are_made),
        cmocka_unit_test(what_cannot_run_kernels_is_refused_by_name),
        cmocka_unit_test(a_long_name_is_cut),
    };

    return cmocka_run_group_tests_name("unit.device", tests, NULL, NULL);
}
