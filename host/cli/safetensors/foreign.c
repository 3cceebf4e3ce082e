/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other formats that are taken for safetensors, by their first bytes. Users rename files, fetch a
 * page in the place of a file, or take what stands beside the file in its folder. */
#include "safetensors.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LOOKED_AT = 4096 };

struct beginning {
    const char *path;
    char bytes[LOOKED_AT + 1]; /* a NUL ends them */
    size_t count;
};

struct format {
    const char *what;
    const char *advice;
};

#define TORCH_ADVICE                                                                                         \
    "load it with torch.load(..., weights_only=True) and write it with safetensors.torch.save_file"
#define NUMPY_ADVICE "load it with numpy.load and write it with safetensors.numpy.save_file"
#define MODEL_ADVICE "convert it, or take the model's .safetensors files"

static const struct {
    size_t at; /* where the bytes stand */
    const char *bytes;
    size_t count;
    struct format format;
} formats[] = {
#define BYTES(text) text, sizeof(text) - 1
    {0,
     BYTES("version https://git-lfs.github.com/"),
     {"a Git LFS pointer to a file", "`git lfs pull` fetches the file itself"}},
    {0, BYTES("\x93NUMPY"), {"a NumPy array (.npy)", NUMPY_ADVICE}},
    {0, BYTES("GGUF"), {"a GGUF file", MODEL_ADVICE}},
    {0, BYTES("\x89HDF\r\n\x1a\n"), {"an HDF5 file", MODEL_ADVICE}},
    {0, BYTES("\x1f\x8b\x08"), {"compressed by gzip", "`gunzip` it first"}},
    {0, BYTES("\x28\xb5\x2f\xfd"), {"compressed by zstd", "`unzstd` it first"}},
    {0, BYTES("\xfd\x37zXZ"), {"compressed by xz", "`unxz` it first"}},
    {257, BYTES("ustar"), {"a tar archive", "`tar -xf` takes the files out of it"}},
#undef BYTES
};

static bool begins(const struct beginning *file, size_t at, const char *bytes, size_t count)
{
    return file->count >= at + count && memcmp(file->bytes + at, bytes, count) == 0;
}

static bool holds(const struct beginning *file, const char *text)
{
    return memmem(file->bytes, file->count, text, strlen(text)) != NULL;
}

static bool ends(const char *text, size_t text_bytes, const char *end)
{
    return text_bytes >= strlen(end) && memcmp(text + text_bytes - strlen(end), end, strlen(end)) == 0;
}

/* The first file in the archive tells who wrote it. */
static bool is_zip(const struct beginning *file, struct format *format)
{
    enum { NAME_BYTES_AT = 26, NAME_AT = 30 };
    const unsigned char *const length = (const unsigned char *)file->bytes + NAME_BYTES_AT;
    const char *const name = file->bytes + NAME_AT;
    size_t name_bytes = 0;

    if (!begins(file, 0, "PK\x03\x04", 4))
        return false;
    if (file->count > NAME_AT) {
        name_bytes = (size_t)length[0] | (size_t)length[1] << 8;
        if (name_bytes > file->count - NAME_AT)
            name_bytes = file->count - NAME_AT;
    }
    if (ends(name, name_bytes, "data.pkl"))
        *format = (struct format){"a PyTorch file (.pt, .pth or .bin, a zip archive)", TORCH_ADVICE};
    else if (ends(name, name_bytes, ".npy"))
        *format = (struct format){"a NumPy archive (.npz)", NUMPY_ADVICE};
    else
        *format = (struct format){"a zip archive",
                                  "take the .safetensors file out of it, or convert what is in it"};
    return true;
}

/* Protocols 2 to 5; a byte of zero is no instruction of a pickle, but may be one of a header's length. */
static bool is_pickle(const struct beginning *file, struct format *format)
{
    if (file->count < 3 || file->bytes[0] != '\x80' || file->bytes[1] < 2 || file->bytes[1] > 5 ||
        !file->bytes[2])
        return false;
    *format = (struct format){"a Python pickle, such as torch.save wrote in the past", TORCH_ADVICE};
    return true;
}

static bool is_text(const struct beginning *file, struct format *format)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark of UTF-8 */
    const char *text = file->bytes + (begins(file, 0, mark, strlen(mark)) ? strlen(mark) : 0);

    if (strlen(file->bytes) < file->count)
        return false;
    text += strspn(text, " \t\r\n");
    if (strncasecmp(text, "<!doctype html", 14) == 0 || strncasecmp(text, "<html", 5) == 0)
        *format = (struct format){"an HTML page", "the download failed, or its address is that of a page"};
    else if (*text == '<' && (isalpha((unsigned char)text[1]) || text[1] == '?' || text[1] == '!'))
        *format = (struct format){"an XML text", "the download failed, or its address is that of a page"};
    else if ((*text == '{' || *text == '[') &&
             (holds(file, "\"weight_map\"") || ends(file->path, strlen(file->path), ".index.json")))
        *format = (struct format){"the index of a model in several files (JSON)",
                                  "give the .safetensors file that its weight_map names for the tensor"};
    else if (*text == '{' || *text == '[')
        *format = (struct format){"a JSON text", "the 8 bytes of a header's length and the data are missing"};
    else
        return false;
    return true;
}

static bool recognize(const struct beginning *file, struct format *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (begins(file, formats[i].at, formats[i].bytes, formats[i].count)) {
            *format = formats[i].format;
            return true;
        }
    return is_zip(file, format) || is_pickle(file, format) || is_text(file, format);
}

/* A length that may be one, and the brace: a safetensors file that was cut. */
static bool may_be_ours(const struct beginning *file)
{
    return file->count > SAFETENSORS_LENGTH_BYTES && file->bytes[SAFETENSORS_LENGTH_BYTES] == '{' &&
           memcmp(file->bytes + 4, "\0\0\0\0", 4) == 0;
}

void safetensors_recognize(const struct safetensors *file, struct failure *failure)
{
    struct beginning beginning = {.path = file->path};
    struct format format = {"an empty file", "it was not fetched or not written to its end"};
    const ssize_t count = pread(file->fd, beginning.bytes, LOOKED_AT, 0);

    if (count < 0)
        return;
    beginning.count = (size_t)count;
    if (count > 0 && (may_be_ours(&beginning) || !recognize(&beginning, &format)))
        return;
    fail(failure, STATUS_REFUSED, "%s: is %s, not a safetensors file: %s", file->path, format.what,
         format.advice);
}
