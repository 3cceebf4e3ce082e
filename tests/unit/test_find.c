/* SPDX-License-Identifier: Apache-2.0 */
/* Which device is found: by default, by kind, by name and by number; and what is said where there is none. */
#define _GNU_SOURCE /* setenv */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <clquant/context.h>

#include "fake_driver.h"
#include "tests.h"

TEST(the_default_is_a_device_that_runs_the_kernels)
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

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drivers[0] = *cases[i].first;
        drivers[1] = *cases[i].second;
        assert_int_equal(clq_device_find(NULL, 0, &platform, &device), CLQ_OK);
        assert_string_equal(drivers[device == fake_device(1)].name, cases[i].chosen->name);
        assert_int_equal(clq_device_find(cases[i].second->name, 0, &platform, &device), CLQ_OK);
        assert_ptr_equal(device, fake_device(1)); /* named, it is taken whatever it runs */
    }
}

TEST(a_platform_that_fails_hides_no_other)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;

    platforms_there = 2;
    drivers[0] = (struct driver){.platform = "any", .name = "cpu", .type = CL_DEVICE_TYPE_CPU};
    drivers[1] = (struct driver){.platform = "any", .name = "gpu", .type = CL_DEVICE_TYPE_GPU};
    assert_int_equal(clq_device_find(NULL, 0, &platform, &device), CLQ_OK);
    assert_ptr_equal(device, fake_device(1));
    assert_int_equal(clq_device_find("cpu", 0, &platform, &device), CLQ_OK);
    assert_int_equal(clq_device_find("1", 0, &platform, &device), CL_OUT_OF_HOST_MEMORY); /* of how many? */
    assert_int_equal(clq_device_find("fpga", 0, &platform, &device), CL_OUT_OF_HOST_MEMORY);
    platforms_there = 1;
}

/* PoCL hides its devices where it has no folder to write to, as under a user without a home. */
TEST(pocl_without_devices_is_not_to_be_installed)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;

    devices_there = 0;
    drivers[0] = (struct driver){.platform = "any"};
    assert_int_equal(clq_device_find(NULL, 0, &platform, &device), CLQ_ERROR_DEVICE);
    assert_non_null(strstr(clq_error_detail(), "apt install pocl-opencl-icd"));
    drivers[0].platform = "Portable Computing Language";
    assert_int_equal(clq_device_find(NULL, 0, &platform, &device), CLQ_ERROR_DEVICE);
    assert_null(strstr(clq_error_detail(), "apt install"));
    assert_non_null(
        strstr(clq_error_detail(), "$HOME/.cache or what XDG_CACHE_HOME or POCL_CACHE_DIR names"));
    devices_there = FAKE_DEVICES;
}

TEST(a_kind_chooses_the_first_of_it_that_runs_the_kernels)
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

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drivers[0] = *cases[i].first;
        drivers[1] = *cases[i].second;
        assert_int_equal(clq_device_find(cases[i].text, 0, &platform, &device),
                         cases[i].chosen < 0 ? CLQ_ERROR_DEVICE : CLQ_OK);
        assert_ptr_equal(device, cases[i].chosen < 0 ? NULL : fake_device(cases[i].chosen));
        if (cases[i].chosen < 0)
            assert_string_equal(clq_error_detail(), cases[i].sentence);
    }
    assert_int_equal(setenv("CLQ_DEVICE", "gpu", 1), 0);
    drivers[0] = cpu;
    drivers[1] = gpu;
    assert_int_equal(clq_device_find(NULL, 1, &platform, &device), CLQ_OK);
    assert_ptr_equal(device, fake_device(1));
    unsetenv("CLQ_DEVICE");
}

#define LONG_FOLDER                                                                                          \
    "/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" \
    "xxxxxxx"

/* Where the loader finds no driver, the sentence says where it looked. */
TEST(without_a_driver_the_places_are_named)
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

TESTS_MAIN("unit.find")
