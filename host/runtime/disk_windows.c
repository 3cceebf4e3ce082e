/* SPDX-License-Identifier: Apache-2.0 */
/* The disk cache's files on Windows, whose names are UTF-8 for callers and UTF-16 for the system. A writer
 * fills a private temporary name and moves it: a reader sees an old entry or a new one, never a part. */
#include "runtime/disk.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define MAX_ENTRY_BYTES (256u << 20)
#define MAX_PATH_WORDS  4096
#define STALE_TICKS     36000000000u /* of 100 ns: an hour, behind which a temporary file has no writer */

/* A path of UTF-16, "" where it does not fit. */
struct path {
    wchar_t words[MAX_PATH_WORDS];
};

static bool widen(struct path *path, const char *text)
{
    const int count =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, path->words, MAX_PATH_WORDS);

    if (count == 0)
        path->words[0] = L'\0';
    return count > 0;
}

/* The path of a file of the directory, whose name is ASCII. */
static bool inside(struct path *path, const char *directory, const wchar_t *name)
{
    if (!widen(path, directory) || wcslen(path->words) + wcslen(name) + 2 > MAX_PATH_WORDS)
        return false;
    wcscat(path->words, L"\\");
    wcscat(path->words, name);
    return true;
}

static bool entry(struct path *path, const char *directory, const char *before, const char *name,
                  const char *suffix)
{
    char file[128];
    wchar_t wide[128];
    const int length = snprintf(file, sizeof file, "%s%s%s", before, name, suffix);

    return length > 0 && (size_t)length < sizeof file &&
           MultiByteToWideChar(CP_UTF8, 0, file, -1, wide, 128) > 0 && inside(path, directory, wide);
}

/* The value of an environment variable; false where it is unset or empty. */
static bool environment_of(const wchar_t *name, struct path *value)
{
    const DWORD length = GetEnvironmentVariableW(name, value->words, MAX_PATH_WORDS);

    return length > 0 && length < MAX_PATH_WORDS;
}

char *clq__disk_directory(const char *wished, bool environment)
{
    struct path base, whole;
    const wchar_t *below = L"";
    char *directory = NULL;
    DWORD length;
    int bytes;

    if (wished != NULL && *wished != '\0') {
        if (!widen(&base, wished))
            return NULL;
    } else if (!environment || !environment_of(L"CLQ_CACHE_DIR", &base)) {
        below = L"\\clquant";
        if (!environment || !environment_of(L"LOCALAPPDATA", &base))
            return NULL;
    }
    if (wcslen(base.words) + wcslen(below) + 1 > MAX_PATH_WORDS)
        return NULL;
    wcscat(base.words, below);
    /* of where the process is now: what it trusts must not change as it goes elsewhere */
    length = GetFullPathNameW(base.words, MAX_PATH_WORDS, whole.words, NULL);
    if (length == 0 || length >= MAX_PATH_WORDS)
        return NULL;
    bytes = WideCharToMultiByte(CP_UTF8, 0, whole.words, -1, NULL, 0, NULL, NULL);
    if (bytes > 0)
        directory = malloc((size_t)bytes);
    if (directory != NULL)
        WideCharToMultiByte(CP_UTF8, 0, whole.words, -1, directory, bytes, NULL, NULL);
    return directory;
}

static bool is_directory(const struct path *path)
{
    const DWORD attributes = GetFileAttributesW(path->words);

    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

/* Each missing part of the path; what they may be read by, they have from the one above. */
bool clq__disk_prepare(const char *directory, const char **reason)
{
    struct path path;

    *reason = "its name is no UTF-8, or too long";
    if (!widen(&path, directory))
        return false;
    for (wchar_t *at = path.words; *at != L'\0'; at++)
        if (at > path.words && (*at == L'\\' || *at == L'/')) {
            const wchar_t slash = *at;

            *at = L'\0';
            CreateDirectoryW(path.words, NULL);
            *at = slash;
        }
    CreateDirectoryW(path.words, NULL);
    *reason = is_directory(&path) ? NULL : "it is no directory, and none could be made";
    return *reason == NULL;
}

static HANDLE open_file(const struct path *path, DWORD access, DWORD how)
{
    return CreateFileW(path->words, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
                       FILE_ATTRIBUTE_NORMAL, NULL);
}

/* The oldest entry is the one that was not used for longest. */
static void touch(const struct path *path)
{
    const HANDLE file = open_file(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING);
    FILETIME now;

    if (file == INVALID_HANDLE_VALUE)
        return;
    GetSystemTimeAsFileTime(&now);
    SetFileTime(file, NULL, NULL, &now);
    CloseHandle(file);
}

int clq__disk_get(const char *directory, const char *name, void **data, size_t *size_bytes)
{
    int result = -1;
    struct path path;
    HANDLE file = INVALID_HANDLE_VALUE;
    LARGE_INTEGER size;
    DWORD got = 0;
    void *bytes = NULL;

    if (!entry(&path, directory, "", name, CLQ__ENTRY_SUFFIX))
        goto end;
    file = open_file(&path, GENERIC_READ, OPEN_EXISTING);
    if (file == INVALID_HANDLE_VALUE || !GetFileSizeEx(file, &size) || size.QuadPart <= 0 ||
        size.QuadPart > MAX_ENTRY_BYTES)
        goto end;
    bytes = malloc((size_t)size.QuadPart);
    if (bytes == NULL || !ReadFile(file, bytes, (DWORD)size.QuadPart, &got, NULL) || got != size.QuadPart)
        goto end;
    touch(&path);
    *data = bytes;
    *size_bytes = (size_t)size.QuadPart;
    bytes = NULL;
    result = 0;
end:
    free(bytes);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return result;
}

int clq__disk_put(const char *directory, const char *name, const void *data, size_t size_bytes)
{
    int result = -1;
    char before[64];
    struct path path, temporary;
    HANDLE file;
    DWORD put = 0;

    snprintf(before, sizeof before, ".new-%lu-%lu-", GetCurrentProcessId(), GetCurrentThreadId());
    if (size_bytes > MAX_ENTRY_BYTES || !entry(&path, directory, "", name, CLQ__ENTRY_SUFFIX) ||
        !entry(&temporary, directory, before, name, ""))
        return -1;
    file = open_file(&temporary, GENERIC_WRITE, CREATE_ALWAYS);
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    if (WriteFile(file, data, (DWORD)size_bytes, &put, NULL) && put == size_bytes)
        result = 0;
    CloseHandle(file);
    if (result == 0 && !MoveFileExW(temporary.words, path.words, MOVEFILE_REPLACE_EXISTING))
        result = -1;
    if (result != 0)
        DeleteFileW(temporary.words);
    return result;
}

struct found {
    wchar_t name[MAX_PATH];
    uint64_t used, bytes;
};

static uint64_t ticks(const FILETIME *time)
{
    return (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
}

static int by_use(const void *a, const void *b)
{
    const uint64_t x = ((const struct found *)a)->used, y = ((const struct found *)b)->used;

    return x < y ? -1 : x > y;
}

static bool ends_with(const wchar_t *text, const wchar_t *suffix)
{
    const size_t length = wcslen(text), end = wcslen(suffix);

    return length >= end && wcscmp(text + length - end, suffix) == 0;
}

static void remove_file(const char *directory, const wchar_t *name)
{
    struct path path;

    if (inside(&path, directory, name))
        DeleteFileW(path.words);
}

/* The entries of the directory; stale temporary files are removed on the way. */
static struct found *list(const char *directory, size_t *count)
{
    struct found *all = NULL;
    struct path pattern;
    WIN32_FIND_DATAW item;
    HANDLE search = INVALID_HANDLE_VALUE;
    FILETIME now;
    size_t room = 0;

    *count = 0;
    GetSystemTimeAsFileTime(&now);
    if (inside(&pattern, directory, L"*"))
        search = FindFirstFileW(pattern.words, &item);
    if (search == INVALID_HANDLE_VALUE)
        return NULL;
    do {
        if (item.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
            continue;
        if (wcsncmp(item.cFileName, L".new-", 5) == 0 &&
            ticks(&now) > ticks(&item.ftLastWriteTime) + STALE_TICKS)
            remove_file(directory, item.cFileName);
        if (!ends_with(item.cFileName, L".clqbin"))
            continue;
        if (*count == room) {
            struct found *grown = realloc(all, (2 * room + 64) * sizeof *all);

            if (grown == NULL)
                break;
            all = grown;
            room = 2 * room + 64;
        }
        wcscpy(all[*count].name, item.cFileName);
        all[*count].used = ticks(&item.ftLastWriteTime);
        all[*count].bytes = (uint64_t)item.nFileSizeHigh << 32 | item.nFileSizeLow;
        (*count)++;
    } while (FindNextFileW(search, &item));
    FindClose(search);
    return all;
}

void clq__disk_trim(const char *directory, size_t limit_bytes)
{
    size_t count;
    struct found *all = list(directory, &count);
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += all[i].bytes;
    if (total > limit_bytes)
        qsort(all, count, sizeof *all, by_use);
    for (size_t i = 0; i < count && total > limit_bytes; i++) {
        remove_file(directory, all[i].name);
        total -= all[i].bytes;
    }
    free(all);
}

double clq__seconds(void)
{
    return 1e-3 * (double)GetTickCount64();
}
