/* SPDX-License-Identifier: Apache-2.0 */
/* What a device's answers mean for its kernels: the questions that a driver is asked are answered here. */
#define _GNU_SOURCE /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/device.h"

enum {
    LEAST = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN,
    PROMISED = CL_FP_DENORM | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
};

struct driver {
    const char *platform, *name, *version; /* NULL: OpenCL 1.2 */
    const char *vendor;                    /* NULL: any */
    const char *profile, *extensions;      /* NULL: full, and none */
    cl_device_type type;
    cl_device_fp_config single, lacking, twice; /* beside LEAST, of it, and of float64 */
    cl_bool big_endian, no_compiler;
};

static const char pocl[] = "Portable Computing Language";
enum { DEVICES = 2 };
static struct driver drivers[DEVICES];
static cl_uint devices_there = DEVICES, platforms_there = 1;
static char handles[DEVICES + 1]; /* and the platform */

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
    assert_ptr_equal(platform, &handles[DEVICES]);
    return answer_text(what == CL_PLATFORM_NAME ? drivers[0].platform : "OpenCL 3.0", size_bytes, out,
                       length);
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size_bytes, void *out, size_t *length)
{
    const size_t number = (size_t)((const char *)id - handles);
    const struct driver driver = drivers[number];
    const cl_platform_id platform = (cl_platform_id)&handles[DEVICES];
    const cl_device_fp_config single = (driver.single | LEAST) & ~driver.lacking;
    const cl_bool little = !driver.big_endian, compiler = !driver.no_compiler;
    const size_t group_items = 4096;
    const cl_uint units = 7;

    assert_true(number < DEVICES);
    switch (what) {
    case CL_DEVICE_PLATFORM:
        return answer(&platform, sizeof platform, size_bytes, out, length);
    case CL_DEVICE_TYPE:
        return answer(&driver.type, sizeof driver.type, size_bytes, out, length);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return answer(&single, sizeof single, size_bytes, out, length);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return answer(&driver.twice, sizeof driver.twice, size_bytes, out, length);
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
    case CL_DEVICE_VENDOR:
        return answer_text(driver.vendor != NULL ? driver.vendor : "any", size_bytes, out, length);
    case CL_DEVICE_VERSION:
        return answer_text(driver.version != NULL ? driver.version : "OpenCL 1.2", size_bytes, out, length);
    case CL_DRIVER_VERSION:
        return answer_text("1.0", size_bytes, out, length);
    case CL_DEVICE_PROFILE:
        return answer_text(driver.profile != NULL ? driver.profile : "FULL_PROFILE", size_bytes, out, length);
    case CL_DEVICE_EXTENSIONS:
        return answer_text(driver.extensions != NULL ? driver.extensions : "", size_bytes, out, length);
    default:
        fail_msg("asked for %#x", (unsigned)what);
        return CL_INVALID_VALUE;
    }
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    if (platforms_there == 0)
        return -1001; /* CL_PLATFORM_NOT_FOUND_KHR */
    if (count != NULL)
        *count = 1;
    if (room > 0)
        platforms[0] = (cl_platform_id)&handles[DEVICES];
    return CL_SUCCESS;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
                      cl_uint *count)
{
    assert_ptr_equal(platform, &handles[DEVICES]);
    assert_true(type == CL_DEVICE_TYPE_ALL);
    if (devices_there == 0)
        return CL_DEVICE_NOT_FOUND;
    if (count != NULL)
        *count = devices_there;
    for (cl_uint i = 0; i < room; i++)
        devices[i] = (cl_device_id)&handles[i];
    return CL_SUCCESS;
}

static struct clq__device traits(struct driver of, uint32_t form, uint32_t arithmetic)
{
    struct clq__device device;

    drivers[0] = of;
    if (clq__device_init(&device, (cl_device_id)&handles[0], form, arithmetic) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    assert_true(clq__device_runs((cl_device_id)&handles[0]));
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
    }
}

static void a_processor_of_amds_is_known_by_its_vendor(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct driver of = {
            .platform = cases[i].platform, .name = "any", .vendor = cases[i].vendor, .type = cases[i].type};

        assert_int_equal(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).amd, cases[i].amd);
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drivers[0] = cases[i].driver;
        assert_int_equal(
            clq__device_init(&device, (cl_device_id)&handles[0], CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO),
            CLQ_ERROR_DEVICE);
        assert_non_null(strstr(clq_error_detail(), "device \"an old one\""));
        assert_non_null(strstr(clq_error_detail(), cases[i].why));
        assert_false(clq__device_runs((cl_device_id)&handles[0]));
    }
}

static void the_embedded_profile_with_int64_runs(void **state)
{
    const struct driver of = {
        .platform = "any", .name = "any", .profile = "EMBEDDED_PROFILE", .extensions = "cles_khr_int64"};

    (void)state;
    traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO);
    assert_true(clq__device_runs((cl_device_id)&handles[0]));
}

/* Places of 64 bits are asked for, and quotients are of 200 instructions where there is no float64. */
static void intels_gpus_by_intels_driver(void **state)
{
    static const struct {
        const char *platform;
        cl_bitfield type, twice;
        enum clq__division division;
    } cases[] = {{"Intel(R) OpenCL Graphics", CL_DEVICE_TYPE_GPU, 0, CLQ__DIVIDES_AT_LENGTH},
                 {"Intel(R) OpenCL HD Graphics", CL_DEVICE_TYPE_GPU, 1, CLQ__DIVIDES_AT_ONCE},
                 {"Intel(R) OpenCL", CL_DEVICE_TYPE_CPU, 0, CLQ__DIVIDES_BRIEFLY},
                 {"rusticl", CL_DEVICE_TYPE_GPU, 0, CLQ__DIVIDES_BRIEFLY}};

    (void)state;
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
static void a_device_without_a_compiler_is_taken(void **state)
{
    const struct driver of = {.platform = "any", .name = "any", .type = CL_DEVICE_TYPE_GPU};
    struct driver locked = of;

    (void)state;
    assert_true(traits(of, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).compiler);
    assert_true(clq__device_compiles((cl_device_id)&handles[0]));
    locked.no_compiler = CL_TRUE;
    assert_false(traits(locked, CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO).compiler);
    assert_false(clq__device_compiles((cl_device_id)&handles[0]));
}

static void any_version_from_1_2_on_is_taken(void **state)
{
    static const char *const versions[] = {"OpenCL 1.2", "OpenCL 2.0 AMD-APP", "OpenCL 3.0 CUDA",
                                           "OpenCL 10.0"};

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        traits((struct driver){.platform = "any", .name = "any", .version = versions[i]}, CLQ_FORM_AUTO,
               CLQ_ARITHMETIC_AUTO);
}

static void the_default_is_a_device_that_runs_the_kernels(void **state)
{
    static const struct driver cpu = {.platform = "any", .name = "cpu", .type = CL_DEVICE_TYPE_CPU};
    static const struct driver gpu = {.platform = "any", .name = "gpu", .type = CL_DEVICE_TYPE_GPU};
    static const struct driver old = {
        .platform = "any", .name = "old", .type = CL_DEVICE_TYPE_GPU, .version = "OpenCL 1.1 Mesa 22.3"};
    static const struct driver mute = {
        .platform = "any", .name = "mute", .type = CL_DEVICE_TYPE_ACCELERATOR, .no_compiler = CL_TRUE};
    static const struct driver mute_cpu = {
        .platform = "any", .name = "silent", .type = CL_DEVICE_TYPE_CPU, .no_compiler = CL_TRUE};
    static const struct {
        const struct driver *first, *second, *chosen;
    } cases[] = {
        {&gpu, &cpu, &gpu},        {&cpu, &gpu, &gpu},        {&old, &cpu, &cpu},   {&cpu, &old, &cpu},
        {&mute, &cpu, &cpu},       {&mute, &old, &mute},      {&old, &mute, &mute}, {&old, &gpu, &gpu},
        {&mute_cpu, &mute, &mute}, {&mute, &mute_cpu, &mute}, {&cpu, &mute, &cpu},  {&mute_cpu, &cpu, &cpu},
    };
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drivers[0] = *cases[i].first;
        drivers[1] = *cases[i].second;
        assert_int_equal(clq_device_find(NULL, 0, &platform, &device), CLQ_OK);
        assert_string_equal(drivers[(const char *)device - handles].name, cases[i].chosen->name);
        assert_int_equal(clq_device_find(cases[i].second->name, 0, &platform, &device), CLQ_OK);
        assert_ptr_equal(device, &handles[1]); /* named, it is taken whatever it runs */
    }
}

/* PoCL hides its devices where it has no folder to write to, as under a user without a home. */
static void pocl_without_devices_is_not_to_be_installed(void **state)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;

    (void)state;
    devices_there = 0;
    drivers[0] = (struct driver){.platform = "any"};
    assert_int_equal(clq_device_find(NULL, 0, &platform, &device), CLQ_ERROR_DEVICE);
    assert_non_null(strstr(clq_error_detail(), "apt install pocl-opencl-icd"));
    drivers[0].platform = pocl;
    assert_int_equal(clq_device_find(NULL, 0, &platform, &device), CLQ_ERROR_DEVICE);
    assert_null(strstr(clq_error_detail(), "apt install"));
    assert_non_null(
        strstr(clq_error_detail(), "$HOME/.cache or what XDG_CACHE_HOME or POCL_CACHE_DIR names"));
    devices_there = DEVICES;
}

static void a_kind_chooses_the_first_of_it_that_runs_the_kernels(void **state)
{
    static const struct driver cpu = {
        .platform = "any", .name = "the gpu's host", .type = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT};
    static const struct driver gpu = {.platform = "any", .name = "card", .type = CL_DEVICE_TYPE_GPU};
    static const struct driver fpga = {
        .platform = "any", .name = "board", .type = CL_DEVICE_TYPE_ACCELERATOR};
    static const struct driver old = {
        .platform = "any", .name = "old", .type = CL_DEVICE_TYPE_GPU, .version = "OpenCL 1.1"};
    static const struct driver locked = {
        .platform = "any", .name = "phone", .type = CL_DEVICE_TYPE_GPU, .no_compiler = CL_TRUE};
    static const struct {
        const char *text;
        const struct driver *first, *second;
        int chosen; /* -1: none */
        const char *sentence;
    } cases[] = {
        {"CPU", &gpu, &cpu, 1, NULL},
        {"cpu", &cpu, &gpu, 0, NULL},
        {"GPU", &cpu, &gpu, 1, NULL},
        {"gpu", &old, &gpu, 1, NULL},
        {"Gpu", &gpu, &gpu, 0, NULL},
        {"accelerator", &gpu, &fpga, 1, NULL},
        {"ACCELERATOR", &fpga, &fpga, 0, NULL},
        {"gpu's", &gpu, &cpu, 1, NULL}, /* no exact word: a name */
        {"gpu", &locked, &cpu, 0, NULL},
        {"gpu", &locked, &gpu, 1, NULL},
        {"accelerator", &locked, &cpu, -1,
         "device is \"accelerator\": there is no accelerator that runs the kernels among 0 \"phone\" (GPU, "
         "has no "
         "compiler), 1 \"the gpu's host\" (CPU)"},
        {"gpu", &old, &cpu, -1,
         "device is \"gpu\": there is no GPU that runs the kernels among 0 \"old\" (GPU, does not run the "
         "kernels), "
         "1 \"the gpu's host\" (CPU)"},
        {"accelerator", &gpu, &cpu, -1,
         "device is \"accelerator\": there is no accelerator that runs the kernels among 0 \"card\" (GPU), "
         "1 \"the gpu's host\" (CPU)"},
        {"tpu", &gpu, &fpga, -1,
         "device is \"tpu\": it must be CPU, GPU, accelerator, a part of a device's name, or its number, at "
         "most 1; "
         "there are 0 \"card\" (GPU), 1 \"board\" (accelerator)"},
    };
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drivers[0] = *cases[i].first;
        drivers[1] = *cases[i].second;
        assert_int_equal(clq_device_find(cases[i].text, 0, &platform, &device),
                         cases[i].chosen < 0 ? CLQ_ERROR_DEVICE : CLQ_OK);
        assert_ptr_equal(device, cases[i].chosen < 0 ? NULL : &handles[cases[i].chosen]);
        if (cases[i].chosen < 0)
            assert_string_equal(clq_error_detail(), cases[i].sentence);
    }
    assert_int_equal(setenv("CLQ_DEVICE", "gpu", 1), 0);
    drivers[0] = cpu;
    drivers[1] = gpu;
    assert_int_equal(clq_device_find(NULL, 1, &platform, &device), CLQ_OK);
    assert_ptr_equal(device, &handles[1]);
    unsetenv("CLQ_DEVICE");
}

#define LONG_FOLDER                                                                                          \
    "/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" \
    "xxxxxxx"

/* Where the loader finds no driver, the sentence says where it looked. */
static void without_a_driver_the_places_are_named(void **state)
{
    static const struct {
        const char *vendors, *path, *files;
        int environment;
        const char *places;
    } cases[] = {
        {NULL, NULL, NULL, 1, "looked at the folder /etc/OpenCL/vendors. "},
        {"", NULL, NULL, 1, "looked at the folder /etc/OpenCL/vendors. "},
        {"/v", NULL, NULL, 1, "looked at OCL_ICD_VENDORS=/v. "},
        {"/v", "/p", "/f.so", 1,
         "looked at OCL_ICD_VENDORS=/v, OPENCL_VENDOR_PATH=/p, OCL_ICD_FILENAMES=/f.so. "},
        {"/v", "/p", "/f.so", 0, "looked at the folder /etc/OpenCL/vendors. "},
        {LONG_FOLDER "/libpocl.so", NULL, NULL, 1, "looked at OCL_ICD_VENDORS=…xxxxx"},
        {LONG_FOLDER "/libpocl.so", NULL, NULL, 1, "xxxxx/libpocl.so. "}, /* the end names the file */
    };
    static const char *const names[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"};
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;

    (void)state;
    platforms_there = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const values[] = {cases[i].vendors, cases[i].path, cases[i].files};

        for (size_t v = 0; v < 3; v++)
            assert_int_equal(values[v] != NULL ? setenv(names[v], values[v], 1) : unsetenv(names[v]), 0);
        assert_int_equal(clq_device_find(NULL, cases[i].environment, &platform, &device), CLQ_ERROR_DEVICE);
        assert_non_null(strstr(clq_error_detail(), cases[i].places));
        assert_non_null(strstr(clq_error_detail(), "apt install pocl-opencl-icd"));
        assert_non_null(strstr(clq_error_detail(), "OCL_ICD_FILENAMES=…/libpocl.so")); /* nothing is cut */
    }
    for (size_t v = 0; v < 3; v++)
        unsetenv(names[v]);
    platforms_there = 1;
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
        cmocka_unit_test(a_processor_of_amds_is_known_by_its_vendor),
        cmocka_unit_test(arithmetic_is_trusted_where_both_promises_are_made),
        cmocka_unit_test(what_cannot_run_kernels_is_refused_by_name),
        cmocka_unit_test(the_embedded_profile_with_int64_runs),
        cmocka_unit_test(intels_gpus_by_intels_driver),
        cmocka_unit_test(a_device_without_a_compiler_is_taken),
        cmocka_unit_test(any_version_from_1_2_on_is_taken),
        cmocka_unit_test(the_default_is_a_device_that_runs_the_kernels),
        cmocka_unit_test(a_kind_chooses_the_first_of_it_that_runs_the_kernels),
        cmocka_unit_test(without_a_driver_the_places_are_named),
        cmocka_unit_test(pocl_without_devices_is_not_to_be_installed),
        cmocka_unit_test(a_long_name_is_cut),
    };

    return cmocka_run_group_tests_name("unit.device", tests, NULL, NULL);
}
