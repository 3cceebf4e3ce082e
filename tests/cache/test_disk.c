/* SPDX-License-Identifier: Apache-2.0 */
/* The disk cache's files, without a device: where they are kept, who may write there, what goes first. */
#include "files.h"
#include "runtime/disk.h"
#include "tests.h"

#include <clquant/context.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[PATH_MAX - 64];

static const char *below(const char *name)
{
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, PATH_MAX, "%s/%s", top, name);
    return path;
}

static int clean(void **state)
{
    (void)state;
    files_remove(top);
    return mkdir(top, 0700);
}

static int unset(void **state)
{
    unsetenv("CLQ_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", top, 1);
    return clean(state);
}

/* A value of NULL is unset; a wanted one of NULL is no directory. */
static void directory_is(const char *wished, bool environment, const char *own, const char *xdg,
                         const char *home, const char *wanted)
{
    const char *const names[] = {"CLQ_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    const char *const values[] = {own, xdg, home};
    char *directory;

    for (int i = 0; i < 3; i++)
        if (values[i] != NULL)
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
    directory = clq__disk_directory(wished, environment);
    if (wanted == NULL)
        assert_null(directory);
    else
        assert_string_equal(directory, wanted);
    free(directory);
}

TEST_BETWEEN(which_directory, unset, NULL)
{
    char longest[PATH_MAX + 8], here[PATH_MAX];

    directory_is("/given", true, "/own", "/xdg", "/home/u", "/given");
    directory_is("/given", false, "/own", "/xdg", "/home/u", "/given");
    directory_is(NULL, true, "/own", "/xdg", "/home/u", "/own");
    directory_is("", true, "/own", "/xdg", "/home/u", "/own");
    assert_non_null(getcwd(here, sizeof here - 16));
    strcat(here, "/relative");
    directory_is(NULL, true, "relative", "/xdg", "/home/u", here);
    directory_is("relative", true, "/own", "/xdg", "/home/u", here);
    directory_is(NULL, true, NULL, "/xdg", "/home/u", "/xdg/clquant");
    directory_is(NULL, true, "", "/xdg", "/home/u", "/xdg/clquant");
    directory_is(NULL, true, NULL, "relative", "/home/u", "/home/u/.cache/clquant");
    directory_is(NULL, true, NULL, "", "/home/u", "/home/u/.cache/clquant");
    directory_is(NULL, true, NULL, NULL, "/home/u", "/home/u/.cache/clquant");
    directory_is(NULL, true, NULL, NULL, "", NULL);
    directory_is(NULL, true, NULL, NULL, NULL, NULL);
    directory_is(NULL, false, "/own", "/xdg", "/home/u", NULL);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    directory_is(longest, true, NULL, NULL, NULL, NULL);
}

TEST_BETWEEN(the_directory_in_public, unset, NULL)
{
    char text[64] = "full", exact[sizeof "/own"] = "";

    directory_is(NULL, true, "/own", "/xdg", "/home/u", "/own");
    assert_int_equal(clq_cache_directory(text, sizeof text), CLQ_OK);
    assert_string_equal(text, "/own");
    assert_int_equal(clq_cache_directory(exact, sizeof exact), CLQ_OK);
    assert_string_equal(exact, "/own");
    assert_int_equal(clq_cache_directory(exact, sizeof exact - 1), CLQ_ERROR_SIZE);
    assert_string_equal(exact, "");
    assert_non_null(strstr(clq_error_detail(), "at least 5"));
    exact[0] = 'x';
    assert_int_equal(clq_cache_directory(exact, 0), CLQ_ERROR_SIZE);
    assert_int_equal(exact[0], 'x');
    assert_int_equal(clq_cache_directory(NULL, 0), CLQ_ERROR_NULL);
    directory_is(NULL, true, NULL, NULL, NULL, NULL);
    assert_int_equal(clq_cache_directory(text, sizeof text), CLQ_ERROR_SYSTEM);
    assert_string_equal(text, "");
}

TEST_BETWEEN(missing_parents_are_made_private, unset, NULL)
{
    const char *reason = NULL;
    struct stat info;

    assert_true(clq__disk_prepare(below("a/b/c"), &reason));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stat(below(i == 0 ? "a" : i == 1 ? "a/b" : "a/b/c"), &info), 0);
        assert_int_equal(info.st_mode & 0777, 0700);
    }
}

static void refused(const char *path, const char *why)
{
    const char *reason = NULL;

    assert_false(clq__disk_prepare(path, &reason));
    assert_non_null(reason);
    if (strstr(reason, why) == NULL)
        fail_msg("%s: \"%s\", not \"%s\"", path, reason, why);
}

TEST_BETWEEN(writable_by_others, unset, NULL)
{
    const char *reason = NULL;

    assert_int_equal(mkdir(below("d"), 0700), 0);
    assert_int_equal(chmod(below("d"), 0770), 0);
    refused(below("d"), "others can write");
    assert_int_equal(chmod(below("d"), 0702), 0);
    refused(below("d"), "others can write");
    assert_int_equal(chmod(below("d"), 0755), 0); /* others may read: entries are nobody's secret */
    assert_true(clq__disk_prepare(below("d"), &reason));
}

TEST_BETWEEN(of_another_user, unset, NULL)
{
    if (geteuid() != 0) {
        print_message("SKIPPED: only root can give a directory away\n");
        skip();
    }
    assert_int_equal(mkdir(below("d"), 0700), 0);
    assert_int_equal(chown(below("d"), 65534, 65534), 0);
    refused(below("d"), "another user");
}

TEST_BETWEEN(a_file_in_its_place, unset, NULL)
{
    assert_true(files_write(below("f"), "x", 1));
    refused(below("f"), "ot a directory");
    refused(below("f/below"), "ot a directory");
}

TEST_BETWEEN(what_was_put_is_got, unset, NULL)
{
    void *data = NULL;
    size_t size = 0;

    assert_int_not_equal(clq__disk_get(top, "abc", &data, &size), 0);
    assert_int_equal(clq__disk_put(top, "abc", "first", 5), 0);
    assert_int_equal(clq__disk_put(top, "abc", "second", 6), 0);
    assert_int_equal(clq__disk_get(top, "abc", &data, &size), 0);
    assert_int_equal(size, 6);
    assert_memory_equal(data, "second", 6);
    free(data);
    assert_int_equal(files_count(top, "", NULL), 1); /* no temporary file is left */
}

/* A system that transfers a little at a time and is interrupted, or finds out late that there is no room. */
static size_t most_at_once;
static bool no_room;

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __real_write(int fd, const void *data, size_t size);
int __real_close(int fd);

static bool interrupted(size_t *size)
{
    static int calls;

    if (most_at_once == 0)
        return false;
    *size = *size < most_at_once ? *size : most_at_once;
    errno = EINTR;
    return ++calls % 3 == 0;
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
    return interrupted(&size) ? -1 : __real_read(fd, data, size);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    return interrupted(&size) ? -1 : __real_write(fd, data, size);
}

int __wrap_close(int fd)
{
    const int result = __real_close(fd);

    errno = ENOSPC;
    return no_room ? -1 : result;
}

TEST_BETWEEN(a_transfer_goes_on_where_it_stopped, unset, NULL)
{
    char data[1000];
    void *got = NULL;
    size_t size = 0;
    int put, get;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i % 251);
    most_at_once = 7;
    put = clq__disk_put(top, "a", data, sizeof data);
    get = clq__disk_get(top, "a", &got, &size);
    most_at_once = 0;
    assert_int_equal(put, 0);
    assert_int_equal(get, 0);
    assert_int_equal(size, sizeof data);
    assert_memory_equal(got, data, sizeof data);
    free(got);
}

TEST_BETWEEN(without_room_nothing_stays, unset, NULL)
{
    int put;

    no_room = true;
    put = clq__disk_put(top, "a", "data", 4);
    no_room = false;
    assert_int_not_equal(put, 0);
    assert_int_equal(files_count(top, "", NULL), 0);
}

/* Whatever stands under an entry's name is no entry, and never waits. */
TEST_BETWEEN(no_regular_file, unset, NULL)
{
    void *data = NULL;
    size_t size = 0;

    assert_int_equal(mkdir(below("a.clqbin"), 0700), 0);
    assert_int_equal(mkfifo(below("b.clqbin"), 0600), 0);
    assert_true(files_write(below("target"), "x", 1));
    assert_int_equal(symlink("target", below("c.clqbin")), 0);
    assert_true(files_write(below("d.clqbin"), "", 0));
    for (const char *name = "abcd"; *name != '\0'; name++)
        assert_int_not_equal(clq__disk_get(top, (char[]){*name, '\0'}, &data, &size), 0);
    assert_int_not_equal(clq__disk_put(top, "a", "data", 4), 0);
    assert_int_equal(files_count(top, "-a", NULL), 0);
    assert_int_equal(clq__disk_put(top, "c", "data", 4), 0); /* replaces the link, not its target */
    data = files_read(below("target"), &size);
    assert_int_equal(size, 1);
    free(data);
}

static int put_some(const char *name)
{
    return clq__disk_put(top, name, "data", 4);
}

static int get_some(const char *name)
{
    void *data = NULL;
    size_t size = 0;
    const int result = clq__disk_get(top, name, &data, &size);

    free(data);
    return result;
}

/* A binary of the driver's is code: nobody else may have written it, nor have put it there. */
TEST_BETWEEN(what_others_may_have_written_is_no_entry, unset, NULL)
{
    static const mode_t modes[] = {0660, 0602};

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(put_some("a"), 0);
        assert_int_equal(chmod(below("a.clqbin"), modes[i]), 0);
        assert_int_not_equal(get_some("a"), 0);
    }
    assert_int_equal(chmod(below("a.clqbin"), 0644), 0);
    assert_int_equal(get_some("a"), 0);
    assert_int_equal(chmod(top, 0770), 0); /* the directory, after it was found to be private */
    assert_int_not_equal(get_some("a"), 0);
    assert_int_not_equal(put_some("b"), 0);
    clq__disk_trim(top, 0);
    assert_int_equal(chmod(top, 0700), 0);
    assert_int_equal(files_count(top, "", NULL), 1);
    if (geteuid() != 0) {
        print_message("SKIPPED: only root can give a file away\n");
        skip();
    }
    assert_int_equal(chown(below("a.clqbin"), 65534, 65534), 0);
    assert_int_not_equal(get_some("a"), 0);
    assert_int_equal(put_some("a"), 0); /* takes its place */
    assert_int_equal(get_some("a"), 0);
    assert_int_equal(chown(top, 65534, 65534), 0);
    assert_int_not_equal(get_some("a"), 0);
    assert_int_equal(chown(top, 0, 0), 0);
}

static void put_aged(const char *name, size_t size, long seconds)
{
    unsigned char *data = calloc(1, size);
    char file[64];

    assert_int_equal(clq__disk_put(top, name, data, size), 0);
    snprintf(file, sizeof file, "%s.clqbin", name);
    assert_true(files_age(below(file), seconds));
    free(data);
}

static bool has(const char *file)
{
    return access(below(file), F_OK) == 0;
}

TEST_BETWEEN(the_oldest_go_first, unset, NULL)
{
    void *data;
    size_t size;

    put_aged("b", 1000, 200);
    put_aged("a", 1000, 300);
    put_aged("d", 1000, 50);
    put_aged("c", 1000, 100);
    clq__disk_trim(top, 4000); /* at the limit is within it */
    assert_int_equal(files_count(top, ".clqbin", NULL), 4);
    clq__disk_trim(top, 3999);
    assert_false(has("a.clqbin"));
    assert_int_equal(files_count(top, ".clqbin", NULL), 3);
    assert_int_equal(clq__disk_get(top, "b", &data, &size), 0); /* used: now the youngest */
    free(data);
    clq__disk_trim(top, 1500);
    assert_true(has("b.clqbin"));
    assert_int_equal(files_count(top, ".clqbin", NULL), 1);
    clq__disk_trim(top, 10);
    assert_int_equal(files_count(top, ".clqbin", NULL), 0);
}

TEST_BETWEEN(stale_temporaries_go, unset, NULL)
{
    assert_true(files_write(below(".new-1-0x1-abc"), "x", 1) && files_age(below(".new-1-0x1-abc"), 7200));
    assert_true(files_write(below(".new-2-0x1-abc"), "x", 1) && files_age(below(".new-2-0x1-abc"), 60));
    assert_true(files_write(below("someone.else"), "x", 1) && files_age(below("someone.else"), 720000));
    put_aged("a", 10, 72000);
    clq__disk_trim(top, 1 << 20);
    assert_false(has(".new-1-0x1-abc"));
    assert_true(has(".new-2-0x1-abc")); /* its writer may be at work */
    assert_true(has("someone.else"));
    assert_true(has("a.clqbin"));
}

TEST_BETWEEN(a_missing_directory_is_no_harm, unset, NULL)
{
    void *data;
    size_t size;

    assert_int_not_equal(clq__disk_get(below("none"), "a", &data, &size), 0);
    assert_int_not_equal(clq__disk_put(below("none"), "a", "x", 1), 0);
    clq__disk_trim(below("none"), 1);
}

#define PAYLOAD 30000

static atomic_int torn, hits;

static void *disturb(void *argument)
{
    const int number = *(int *)argument;
    unsigned char *mine = malloc(PAYLOAD);

    for (int i = 0; i < 300; i++) {
        char name[2] = {(char)('a' + i % 3), '\0'};
        void *data = NULL;
        size_t size = 0;

        memset(mine, number * 50 + i % 50, PAYLOAD);
        if (i % 4 == number)
            clq__disk_put(top, name, mine, PAYLOAD);
        if (clq__disk_get(top, name, &data, &size) == 0) {
            const unsigned char *got = data;

            torn += size != PAYLOAD || memcmp(got, got + 1, size - 1) != 0;
            hits++;
        }
        free(data);
        clq__disk_trim(top, 2 * PAYLOAD);
    }
    free(mine);
    return NULL;
}

/* A reader sees an old entry or a new one, never a part, while others put and trim. */
TEST_BETWEEN(put_get_and_trim_at_once, unset, NULL)
{
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};

    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, disturb, &numbers[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(torn, 0);
    assert_true(hits > 100);
    assert_true(files_count(top, ".clqbin", NULL) <= 2);
    assert_int_equal(files_count(top, "", NULL), files_count(top, ".clqbin", NULL));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    snprintf(top, sizeof top, "%s", argv[1]);
    return tests_run("disk", NULL, clean);
}
