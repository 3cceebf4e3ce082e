/* SPDX-License-Identifier: Apache-2.0 */
/* The binary cache from the outside: whatever is wrong with it, the call succeeds with the right bytes, the
 * kernel is built from source, and a good entry stands in its place. */
#include "call.h"
#include "files.h"
#include "runtime/entry.h"
#include "tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[PATH_MAX - 64], directory[PATH_MAX];
static char last_line[1024];

static void keep_line(void *user, const char *line)
{
    (void)user;
    if ((strstr(line, "cache entry") != NULL && strstr(line, "was kept") == NULL) ||
        strstr(line, "disk cache") != NULL)
        snprintf(last_line, sizeof last_line, "%s", line);
}

static int empty_directory(void **state)
{
    (void)state;
    files_remove(top);
    snprintf(directory, sizeof directory, "%s/cache", top);
    unsetenv("CLQ_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", top, 1);
    return mkdir(top, 0700);
}

static struct clq_context_desc on_disk(void)
{
    return (struct clq_context_desc){.cache_dir = directory, .log = keep_line, .flags = CLQ_NO_ENVIRONMENT};
}

/* One call that succeeds; how many of its programs came from the cache. */
static size_t call(const struct clq_context_desc *desc)
{
    struct call_result result;
    const clq_status status = single_call(desc, &result);

    if (status != CLQ_OK)
        fail_msg("%s: %s", clq_status_name(status), clq_error_detail());
    assert_int_equal(result.built, 1);
    return result.from_cache;
}

static size_t call_on_disk(void)
{
    const struct clq_context_desc desc = on_disk();

    return call(&desc);
}

TEST_BETWEEN(cold_then_warm, empty_directory, NULL)
{
    assert_int_equal(call_on_disk(), 0);
    assert_int_equal(files_count(directory, ".clqbin", NULL), 1);
    assert_int_equal(call_on_disk(), 1);
    assert_int_equal(files_count(directory, "", NULL), 1);
}

/* Whoever tries PoCL's kernels without its optimizer, once, had them for good. */
TEST_BETWEEN(what_pocl_is_told_beside_the_options, empty_directory, NULL)
{
    const char *const given = getenv("POCL_EXTRA_BUILD_FLAGS");
    char *const before = strdup(given != NULL ? given : "");

    assert_int_equal(call_on_disk(), 0);
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable -D ANOTHER", 1);
    assert_int_equal(call_on_disk(), 0);
    assert_int_equal(call_on_disk(), 1);
    setenv("POCL_EXTRA_BUILD_FLAGS", before, 1);
    assert_int_equal(call_on_disk(), 1);
    free(before);
}

TEST_BETWEEN(by_the_environment, empty_directory, NULL)
{
    const struct clq_context_desc desc = {0};
    struct call_result result;

    setenv("CLQ_CACHE_DIR", directory, 1);
    assert_int_equal(single_call(&desc, &result), CLQ_OK);
    assert_string_equal(result.cache_dir, directory);
    assert_int_equal(files_count(directory, ".clqbin", NULL), 1);
    unsetenv("CLQ_CACHE_DIR");
    assert_int_equal(single_call(&desc, &result), CLQ_OK);
    assert_int_equal(result.from_cache, 0);
    snprintf(directory, sizeof directory, "%s/.cache/clquant", top);
    assert_string_equal(result.cache_dir, directory);
    assert_int_equal(files_count(directory, ".clqbin", NULL), 1);
}

TEST_BETWEEN(no_environment_is_read, empty_directory, NULL)
{
    const struct clq_context_desc desc = {.flags = CLQ_NO_ENVIRONMENT};
    struct call_result result;

    setenv("CLQ_CACHE_DIR", directory, 1);
    setenv("XDG_CACHE_HOME", top, 1);
    setenv("CLQ_DEVICE", "no such device", 1);
    assert_int_equal(single_call(&desc, &result), CLQ_OK);
    unsetenv("CLQ_DEVICE");
    assert_string_equal(result.cache_dir, "");
    assert_int_equal(rmdir(top), 0); /* it is empty: nothing was made there */
}

static int must_not_get(void *user, const char *key, void **data, size_t *size)
{
    (void)key, (void)data, (void)size;
    ++*(int *)user;
    return 1;
}

static int must_not_put(void *user, const char *key, const void *data, size_t size)
{
    (void)key, (void)data, (void)size;
    ++*(int *)user;
    return 1;
}

TEST_BETWEEN(off_keeps_nothing, empty_directory, NULL)
{
    int calls = 0;
    struct clq_context_desc desc = on_disk();

    setenv("CLQ_CACHE_DIR", directory, 1);
    desc.flags = CLQ_CACHE_OFF;
    assert_int_equal(call(&desc), 0);
    desc.cache_get = must_not_get;
    desc.cache_put = must_not_put;
    desc.cache_user = &calls;
    assert_int_equal(call(&desc), 0);
    assert_int_equal(calls, 0);
    assert_int_equal(rmdir(top), 0);
}

/* The one entry, after a cold call. */
static unsigned char *entry_of(char *path, size_t *size)
{
    unsigned char *entry;

    assert_int_equal(call_on_disk(), 0);
    assert_int_equal(files_count(directory, ".clqbin", path), 1);
    entry = files_read(path, size);
    assert_non_null(entry);
    return entry;
}

static void is_built_anew(const char *path, const unsigned char *damaged, size_t size, const char *what,
                          size_t at)
{
    assert_true(files_write(path, damaged, size));
    if (call_on_disk() != 0)
        fail_msg("%s %zu: the driver was given the entry", what, at);
    if (call_on_disk() != 1)
        fail_msg("%s %zu: no good entry took its place", what, at);
}

/* The header and its key byte by byte at the unit's level, as every real entry is; a process's call for a
 * sample. */
TEST_BETWEEN(every_byte_altered, empty_directory, NULL)
{
    char path[PATH_MAX], *key;
    size_t size, binary_bytes;
    uint64_t key_bytes;
    unsigned char *entry = entry_of(path, &size);
    const unsigned char *binary;

    memcpy(&key_bytes, entry + 16, sizeof key_bytes);
    key = strndup((const char *)entry + 32, key_bytes);
    assert_true(clq__entry_open(key, entry, size, &binary, &binary_bytes));
    for (size_t i = 0; i < size; i += i < 32 + key_bytes ? 1 : 61) {
        entry[i] ^= 0x10;
        if (clq__entry_open(key, entry, size, &binary, &binary_bytes))
            fail_msg("byte %zu", i);
        entry[i] ^= 0x10;
    }
    free(key);
    for (size_t i = 0; i < size; i += i < 32 ? 5 : i < 32 + key_bytes ? 101 : size / 7) {
        entry[i] ^= 0x10;
        is_built_anew(path, entry, size, "byte", i);
        entry[i] ^= 0x10;
    }
    assert_non_null(strstr(last_line, "built anew"));
    free(entry);
}

TEST_BETWEEN(every_length_cut, empty_directory, NULL)
{
    char path[PATH_MAX];
    size_t size;
    unsigned char *entry = entry_of(path, &size);
    const size_t lengths[] = {0, 1, 8, 31, 32, 33, 200, size / 2, size - 4096, size - 1};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        is_built_anew(path, entry, lengths[i], "length", lengths[i]);
    entry = realloc(entry, size + 1);
    entry[size] = 0;
    is_built_anew(path, entry, size + 1, "length", size + 1);
    free(entry);
}

/* Else its kernels would be right, and slower: the driver names another processor, and its compiler has that
 * one's macros. */
TEST_BETWEEN(a_processor_of_amds_is_told_so, empty_directory, NULL)
{
    char path[PATH_MAX], line[256], *key;
    size_t size;
    uint64_t key_bytes;
    unsigned char *entry = entry_of(path, &size);
    FILE *cpu = fopen("/proc/cpuinfo", "r");
    bool amd = false;

    assert_non_null(cpu);
    while (fgets(line, sizeof line, cpu) != NULL)
        amd |= strstr(line, "AuthenticAMD") != NULL;
    fclose(cpu);
    memcpy(&key_bytes, entry + 16, sizeof key_bytes);
    key = strndup((const char *)entry + 32, key_bytes);
    assert_int_equal(strstr(key, " -D CLQ_IS_AMD=1 ") != NULL, amd);
    free(key);
    free(entry);
}

/* A whole entry under this name whose key is another one: what a hash of 128 bits or a copied directory can
 * give. */
TEST_BETWEEN(of_another_driver, empty_directory, NULL)
{
    char path[PATH_MAX], *key, *version;
    size_t size, other_size;
    uint64_t key_bytes;
    unsigned char *entry = entry_of(path, &size), *other, *binary;

    memcpy(&key_bytes, entry + 16, sizeof key_bytes);
    key = strndup((const char *)entry + 32, key_bytes);
    version = strstr(key, "driver ");
    assert_non_null(version);
    version[strlen("driver ")] ^= 1;
    assert_true(clq__entry_begin(key, size - 32 - key_bytes, &other, &other_size, &binary));
    assert_int_equal(other_size, size);
    memcpy(binary, entry + 32 + key_bytes, size - 32 - key_bytes);
    clq__entry_end(key, other, other_size);
    is_built_anew(path, other, other_size, "another driver", 0);
    free(other);
    free(key);
    free(entry);
}

/* A whole entry of the right key with a binary that the driver refuses. */
TEST_BETWEEN(a_binary_of_nothing, empty_directory, NULL)
{
    char path[PATH_MAX], *key;
    size_t size, other_size;
    uint64_t key_bytes;
    unsigned char *entry = entry_of(path, &size), *other, *binary;

    memcpy(&key_bytes, entry + 16, sizeof key_bytes);
    key = strndup((const char *)entry + 32, key_bytes);
    assert_true(clq__entry_begin(key, 64, &other, &other_size, &binary));
    memset(binary, 'x', 64);
    clq__entry_end(key, other, other_size);
    is_built_anew(path, other, other_size, "refused by the driver", 0);
    free(other);
    free(key);
    free(entry);
}

/* A relative directory is where the process was when it asked,
 * and not the one of that name where it is later. */
TEST_BETWEEN(a_relative_directory_stays, empty_directory, NULL)
{
    struct clq_context_desc desc = on_disk();
    struct call_result result;
    char before[PATH_MAX], elsewhere[PATH_MAX];
    clq_context *context;

    assert_non_null(getcwd(before, sizeof before));
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", top);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(chdir(top), 0);
    desc.cache_dir = "cache";
    assert_int_equal(single_call(&desc, &result), CLQ_OK);
    assert_string_equal(result.cache_dir, directory);
    assert_int_equal(clq_context_create(&desc, &context), CLQ_OK);
    assert_int_equal(chdir(elsewhere), 0);
    assert_string_equal(clq_context_cache_dir(context), directory);
    clq_context_destroy(context);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(files_count(directory, ".clqbin", NULL), 1);
    assert_int_equal(files_count(elsewhere, "", NULL), 0);
}

TEST_BETWEEN(what_cannot_be_a_directory, empty_directory, NULL)
{
    struct clq_context_desc desc = on_disk();
    struct call_result result;

    assert_true(files_write(directory, "x", 1));
    assert_int_equal(single_call(&desc, &result), CLQ_OK);
    assert_string_equal(result.cache_dir, "");
    assert_non_null(strstr(last_line, "no disk cache"));
    assert_int_equal(unlink(directory), 0);
    assert_int_equal(mkdir(directory, 0700) || chmod(directory, 0777), 0);
    assert_int_equal(single_call(&desc, &result), CLQ_OK);
    assert_string_equal(result.cache_dir, "");
    assert_non_null(strstr(last_line, "others can write"));
    assert_int_equal(rmdir(directory), 0);
}

TEST_BETWEEN(the_limit_is_kept, empty_directory, NULL)
{
    struct clq_context_desc desc = on_disk();
    char path[PATH_MAX];
    size_t size;

    free(entry_of(path, &size));
    assert_true(files_age(path, 1000));
    desc.cache_limit_bytes = size + size / 2; /* room for one */
    desc.build_options = "-D ANOTHER_KEY";
    assert_int_equal(call(&desc), 0);
    assert_int_equal(files_count(directory, ".clqbin", NULL), 1);
    assert_int_equal(call(&desc), 1);
    desc.cache_limit_bytes = 1; /* room for none */
    desc.build_options = "-D A_THIRD_KEY";
    assert_int_equal(call(&desc), 0);
    assert_int_equal(files_count(directory, ".clqbin", NULL), 0);
}

/* Functions of the caller. */
static struct {
    void *data;
    size_t size;
    int gets, puts;
    int mode; /* of get: 0 honest, else how it lies; of put: negative fails */
} store;

static int store_get(void *user, const char *key, void **data, size_t *size)
{
    (void)user;
    assert_int_equal(strspn(key, "0123456789abcdefghijklmnopqrstuvwxyz"), strlen(key));
    store.gets++;
    if (store.mode < 0 || (store.data == NULL && store.mode == 0))
        return store.mode < 0 ? store.mode : 1;
    *size = store.mode == 0 ? store.size : store.mode == 1 ? 0 : store.mode == 2 ? 10000 : store.size / 2;
    *data = malloc(*size + 1);
    memset(*data, 0x5a, *size);
    if (store.mode == 0 || store.mode == 3)
        memcpy(*data, store.data, *size);
    return 0;
}

static int store_put(void *user, const char *key, const void *data, size_t size)
{
    (void)user, (void)key;
    store.puts++;
    if (store.mode < 0)
        return 1;
    free(store.data);
    store.data = malloc(size);
    memcpy(store.data, data, size);
    store.size = size;
    return 0;
}

TEST_BETWEEN(functions_of_the_caller, empty_directory, NULL)
{
    struct clq_context_desc desc = on_disk();

    desc.cache_get = store_get;
    desc.cache_put = store_put;
    assert_int_equal(call(&desc), 0);
    assert_int_equal(store.gets, 1);
    assert_int_equal(store.puts, 1);
    assert_int_equal(call(&desc), 1);
    assert_int_equal(store.puts, 1);
    for (store.mode = 1; store.mode <= 3; store.mode++) {
        const int puts = store.puts;

        if (call(&desc) != 0 || store.puts != puts + 1)
            fail_msg("get gave garbage of kind %d", store.mode);
    }
    store.mode = -1;
    assert_int_equal(call(&desc), 0);
    assert_non_null(strstr(last_line, "could not be kept"));
    assert_int_equal(rmdir(top), 0); /* the disk was not used beside them */
    free(store.data);
}

TEST_BETWEEN(it_vanishes_meanwhile, empty_directory, NULL)
{
    struct clq_context_desc desc = on_disk();
    clq_context *context;

    assert_int_equal(clq_context_create(&desc, &context), CLQ_OK);
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(clq_context_build(context, 1, (const char *const[]){"widen.cl"}), CLQ_OK);
    clq_context_destroy(context);
    assert_int_equal(call_on_disk(), 0);
}

static atomic_int failures;

static void *call_in_thread(void *argument)
{
    struct clq_context_desc desc = on_disk();
    struct call_result result;

    (void)argument;
    desc.log = NULL;
    if (single_call(&desc, &result) != CLQ_OK)
        failures++;
    return NULL;
}

/* Eight contexts on one directory, cold, then warm, then with an entry that is cut under their feet. */
TEST_BETWEEN(eight_threads, empty_directory, NULL)
{
    pthread_t threads[8];
    char path[PATH_MAX];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, call_in_thread, NULL), 0);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(failures, 0);
        assert_int_equal(files_count(directory, "", NULL), 1);
        assert_int_equal(files_count(directory, ".clqbin", path), 1);
        assert_int_equal(call_on_disk(), 1);
        if (round == 1)
            assert_int_equal(truncate(path, 1000), 0);
    }
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;

    if (argc < 2)
        return 2;
    if (clq_device_find(NULL, 0, &platform, &device) == CLQ_ERROR_DEVICE) {
        printf("SKIPPED: %s\n", clq_error_detail());
        return 77;
    }
    snprintf(top, sizeof top, "%s", argv[1]);
    return tests_run("cache", NULL, empty_directory);
}
