/* SPDX-License-Identifier: Apache-2.0 */
/* An entry that is not whole, or not of this key, is never opened: every byte altered, every length cut. */
#include "runtime/entry.h"
#include "tests.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char key[] =
    "format 1\nsource 0123456789abcdef 4711\n-cl-std=CL1.2 -D SRC=f32\nplatform Portable\n"
    "device pthread\ndriver 3.1\n";

static unsigned char *make(const char *of, size_t binary_bytes, size_t *size)
{
    unsigned char *entry, *binary;

    assert_true(clq__entry_begin(of, binary_bytes, &entry, size, &binary));
    for (size_t i = 0; i < binary_bytes; i++)
        binary[i] = (unsigned char)(i * 7 + 1);
    clq__entry_end(of, entry, *size);
    return entry;
}

static bool opens(const unsigned char *entry, size_t size)
{
    const unsigned char *binary;
    size_t binary_bytes;

    return clq__entry_open(key, entry, size, &binary, &binary_bytes);
}

TEST(a_whole_entry_opens)
{
    size_t size, binary_bytes = 0;
    unsigned char *entry = make(key, 1000, &size);
    const unsigned char *binary = NULL;

    assert_true(clq__entry_open(key, entry, size, &binary, &binary_bytes));
    assert_int_equal(binary_bytes, 1000);
    assert_ptr_equal(binary, entry + size - 1000);
    for (size_t i = 0; i < binary_bytes; i++)
        assert_int_equal(binary[i], (unsigned char)(i * 7 + 1));
    free(entry);
}

TEST(every_byte_altered)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    size_t size;
    unsigned char *entry = make(key, 1000, &size);

    for (size_t i = 0; i < size; i++)
        for (size_t m = 0; m < sizeof masks; m++) {
            entry[i] ^= masks[m];
            if (opens(entry, size))
                fail_msg("byte %zu, mask 0x%x", i, masks[m]);
            entry[i] ^= masks[m];
        }
    assert_true(opens(entry, size));
    free(entry);
}

/* Each ends where a page does that cannot be read, so that a read past its end is seen. */
TEST(every_length_cut)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size;
    unsigned char *entry = make(key, 300, &size);
    unsigned char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED && size <= page);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t length = 0; length < size; length++) {
        memcpy(pages + page - length, entry, length);
        if (opens(pages + page - length, length))
            fail_msg("%zu of %zu bytes", length, size);
    }
    munmap(pages, 2 * page);
    free(entry);
}

TEST(longer_by_a_byte)
{
    size_t size;
    unsigned char *entry = make(key, 300, &size), *longer = calloc(1, size + 1);

    memcpy(longer, entry, size);
    assert_false(opens(longer, size + 1));
    free(longer);
    free(entry);
}

TEST(lengths_that_wrap)
{
    size_t size;
    unsigned char *entry = make(key, 300, &size);

    for (size_t field = 2; field < 4; field++)
        for (uint64_t value = 0; value < 70; value++) {
            unsigned char *forged = malloc(size);
            const uint64_t wrapping = 0 - value;

            memcpy(forged, entry, size);
            memcpy(forged + field * sizeof wrapping, &wrapping, sizeof wrapping);
            assert_false(opens(forged, size));
            free(forged);
        }
    free(entry);
}

TEST(of_another_key)
{
    char other[sizeof key];
    size_t size;

    for (size_t i = 0; i + 1 < sizeof key; i++) {
        unsigned char *entry;

        memcpy(other, key, sizeof key);
        other[i] = other[i] == 'x' ? 'y' : 'x';
        entry = make(other, 50, &size);
        if (opens(entry, size))
            fail_msg("the keys differ at %zu", i);
        free(entry);
    }
}

TEST(without_a_binary)
{
    size_t size;
    unsigned char *entry = make(key, 0, &size);

    assert_false(opens(entry, size));
    free(entry);
}

TEST(names_are_file_names)
{
    char a[CLQ__ENTRY_NAME_BYTES], b[CLQ__ENTRY_NAME_BYTES];

    clq__entry_name(key, a);
    clq__entry_name("", b);
    assert_int_equal(strlen(a), 32);
    assert_int_equal(strspn(a, "0123456789abcdef"), 32);
    assert_string_not_equal(a, b);
}

TESTS_MAIN("entry")
