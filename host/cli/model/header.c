/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a shard of OUT: its metadata say by which options, version and input the values came about,
 * so that a later run knows whether it may keep the shard, and how far they are from the input's. */
#include "model.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ERROR_BYTES = 16, COUNTS = 2 }; /* of an error as text, and the space behind it */
static const char errors_key[] = "\"clquant_errors\":\"";

/* Of each tensor four samples, so that a shard of OUT says which input it was made of. All bytes would cost
 * what the run does, and times would differ between machines, whose bytes are to be the same. By FNV-1a. */
static bool sample(const struct model_shard *shard, uint64_t *number, struct failure *failure)
{
    enum { SAMPLES = 4, SAMPLE_BYTES = 256 };
    uint8_t bytes[SAMPLE_BYTES];

    *number = UINT64_C(0xcbf29ce484222325);
    for (size_t t = 0; t < shard->file.count; t++) {
        const struct safetensors_tensor *tensor = &shard->file.tensors[t];
        const uint64_t whole = tensor->end - tensor->begin;
        const size_t size = whole < SAMPLE_BYTES ? (size_t)whole : SAMPLE_BYTES;

        for (uint64_t s = 0; s < SAMPLES; s++) {
            if (!safetensors_read(&shard->file, tensor, (whole - size) * s / (SAMPLES - 1), bytes, size,
                                  failure))
                return false;
            for (size_t i = 0; i < size; i++)
                *number = (*number ^ bytes[i]) * UINT64_C(0x100000001b3);
        }
    }
    return true;
}

/* The metadata in front of the input's, which stay. Spaces keep the errors' room. NULL: no memory. */
static char *own_metadata(const struct model_options *options, const struct model_shard *shard,
                          uint64_t sampled)
{
    char *text = NULL, block[16] = "auto";
    size_t size_bytes = 0;
    FILE *out = open_memstream(&text, &size_bytes);

    if (!out)
        return NULL;
    if (!options->block_auto)
        snprintf(block, sizeof block, "%u", (unsigned)options->block);
    fprintf(out, "{\"clquant\":\"quantize_model --to %s --dtype %s --block %s --%s",
            options->to == MODEL_PLAIN ? "plain" : "compressed-tensors", options->dtype_name, block,
            options->symmetric ? "symmetric" : "asymmetric");
    if (options->rule)
        fprintf(out, " --scale-rule %s", model_rule_name(options->rule));
    if (options->rotate)
        fprintf(out, " --rotate %u", (unsigned)options->rotate);
    fprintf(out, "\",\"clquant_version\":\"%s\",\"clquant_input\":\"%ju bytes, samples %016jx\",%s%*s\"}",
            CLQ_VERSION, (uintmax_t)(shard->file.data_start + shard->file.data_bytes), (uintmax_t)sampled,
            errors_key, (int)shard->errors_room, "");
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Of an error, and of counts of the matrix's values with a mark in front of each. */
static size_t room_of(const struct model_tensor *tensor)
{
    const uint64_t values = (tensor->source->end - tensor->source->begin) * 8 / tensor->source->type->bits;

    return ERROR_BYTES + COUNTS * (1 + (size_t)snprintf(NULL, 0, "%ju", (uintmax_t)values));
}

static bool describe(const struct model_options *options, struct model_shard *shard, uint64_t sampled)
{
    /* torch's readers refuse a file that does not say its format */
    struct safetensors all[] = {{0}, shard->file, {.metadata = "{\"format\":\"pt\"}"}};
    char *own = NULL, *metadata = NULL;
    const char *at = NULL;

    for (size_t t = 0; t < shard->tensor_count; t++)
        shard->errors_room += shard->tensors[t].quantized ? room_of(&shard->tensors[t]) : 0;
    own = own_metadata(options, shard, sampled);
    all[0].metadata = own;
    if (own && safetensors_merge_metadata(all, 3, &metadata))
        shard->header = safetensors_describe(shard->out, shard->out_count, metadata, &shard->header_bytes);
    if (shard->header) {
        at = memmem(shard->header, shard->header_bytes, errors_key, strlen(errors_key));
        shard->errors_at = (size_t)(at - shard->header) + strlen(errors_key);
    }
    free(metadata);
    free(own);
    return shard->header != NULL;
}

bool model_make_header(const struct model_options *options, struct model_shard *shard,
                       struct failure *failure)
{
    uint64_t sampled = 0;

    return (shard->left_out || sample(shard, &sampled, failure)) &&
           (describe(options, shard, sampled) ||
            fail(failure, STATUS_SYSTEM, "%s: no memory for its header in OUT", shard->path));
}

/* As the error, or error/not finite/lost. */
static char *put_error(char *at, const struct model_tensor *tensor)
{
    at += sprintf(at, "%.9g", tensor->error);
    if (tensor->not_finite + tensor->lost > 0)
        at += sprintf(at, "/%ju/%ju", (uintmax_t)tensor->not_finite, (uintmax_t)tensor->lost);
    return at;
}

static bool read_error(const char **text, struct model_tensor *tensor)
{
    const char *const first = *text;
    char *end = NULL;

    tensor->error = (double)strtof(first, &end);
    tensor->not_finite = tensor->lost = 0;
    if (end > first && *end == '/')
        tensor->not_finite = strtoull(end + 1, &end, 10);
    if (end > first && *end == '/')
        tensor->lost = strtoull(end + 1, &end, 10);
    *text = end;
    return end > first;
}

/* What of the room is left over stands behind the header's text, as spaces. */
bool model_write_header(const struct model_shard *shard, struct output_file *out, struct failure *failure)
{
    const char *const rest = shard->header + shard->errors_at + shard->errors_room;
    const size_t rest_bytes = (size_t)(shard->header + shard->header_bytes - rest);
    char *header = malloc(shard->header_bytes), *at = NULL;
    bool ok = header || fail(failure, STATUS_SYSTEM, "%s: no memory for its header in OUT", shard->path);

    if (ok) {
        at = mempcpy(header, shard->header, shard->errors_at);
        for (size_t t = 0; t < shard->tensor_count; t++)
            if (shard->tensors[t].quantized) {
                *at = ' ';
                at = put_error(at + (at > header + shard->errors_at), &shard->tensors[t]);
            }
        at = mempcpy(at, rest, rest_bytes);
        memset(at, ' ', (size_t)(header + shard->header_bytes - at));
        ok = output_file_write_at(out, 0, header, shard->header_bytes, failure);
    }
    free(header);
    return ok;
}

static bool read_errors(struct model_shard *shard, const char *text)
{
    for (size_t t = 0; t < shard->tensor_count; t++)
        if (shard->tensors[t].quantized && !read_error(&text, &shard->tensors[t]))
            return false;
    return *text == '"';
}

/* Whether it is what this run would write, with any errors. */
static bool is_same(struct model_shard *shard, const char *header)
{
    const char *const rest = shard->header + shard->errors_at + shard->errors_room;
    const size_t rest_bytes = (size_t)(shard->header + shard->header_bytes - rest);
    const char *const end = header + shard->header_bytes;
    const char *at = NULL;

    if (memcmp(header, shard->header, shard->errors_at) != 0)
        return false;
    at = memchr(header + shard->errors_at, '"', shard->errors_room + 1);
    if (!at || memcmp(at, rest, rest_bytes) != 0)
        return false;
    for (at += rest_bytes; at < end; at++)
        if (*at != ' ')
            return false;
    return read_errors(shard, header + shard->errors_at);
}

static uint64_t end_of(const struct model_shard *shard)
{
    uint64_t end = 0;

    for (size_t t = 0; t < shard->out_count; t++)
        end = shard->out[t].end > end ? shard->out[t].end : end;
    return shard->header_bytes + end;
}

static bool is_made(struct model_shard *shard, bool of_that_time)
{
    const struct timespec given = shard->file.modified;
    const mode_t most = model_mode_of(shard->path);
    const int fd = open(shard->out_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    struct stat made;
    char *header = NULL;
    bool same = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &made) == 0 && S_ISREG(made.st_mode) && (uint64_t)made.st_size == end_of(shard) &&
        (!of_that_time || (made.st_mtim.tv_sec == given.tv_sec && made.st_mtim.tv_nsec == given.tv_nsec)) &&
        (header = malloc(shard->header_bytes)))
        same = pread(fd, header, shard->header_bytes, 0) == (ssize_t)shard->header_bytes &&
               is_same(shard, header) &&
               ((made.st_mode & 0777 & ~most) == 0 || fchmod(fd, made.st_mode & most) == 0);
    free(header);
    close(fd);
    return same;
}

/* A file has its name once it is whole, and then its input's time. Another time is another input: the run
 * that made it may have opened that before it was replaced. */
bool model_is_there(struct model_shard *shard)
{
    return is_made(shard, true);
}

bool model_has_header(struct model_shard *shard)
{
    return is_made(shard, false);
}
