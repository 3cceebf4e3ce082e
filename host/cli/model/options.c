/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of quantize_model. */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "clquant quantize_model IN.safetensors [IN2.safetensors ...] -o OUT [options]\n"
    "clquant quantize_model model.safetensors.index.json -o OUT [options]\n"
    "clquant quantize_model FOLDER -o OUT [options]\n\n"
    "Quantizes the float matrices of a checkpoint, and copies all else byte for byte\n"
    "into shards of the same names in the folder OUT. Rows are read in pieces, so\n"
    "that a model may be larger than memory. A shard that is there already, made with\n"
    "the same options of the same input, is kept: a run that was killed goes on\n"
    "where it was. Of a FOLDER the tokenizer's and other small files are copied.\n\n"
    "  --to FORMAT      compressed-tensors (default): X.weight becomes\n"
    "                   X.weight_packed, X.weight_scale, X.weight_zero_point where\n"
    "                   asymmetric, X.weight_shape of int4 and uint4; int8 and float8\n"
    "                   stay X.weight. config.json beside the input is copied with a\n"
    "                   quantization_config.\n"
    "                   plain: X becomes X_q, X_scales and X_offsets, which\n"
    "                   dequantize --mode dynamic reads.\n"
    "  --dtype TYPE     int4 (default), uint4, int8, float8_e4m3fn; plain also uint8,\n"
    "                   float8_e5m2, float4_e2m1fn\n"
    "  --scale-rule R   MX: mx_floor, mx_even, mx_ceil or mx_rceil, blocks of 32 of\n"
    "                   float4_e2m1fn or float8_e4m3fn; or nvfp4, blocks of 16 of\n"
    "                   float4_e2m1fn; X.weight_global_scale is the matrix's\n"
    "  --block N        32, 64 or 128 neighbours of a row share a scale; 0: all.\n"
    "                   auto: for each matrix the largest that fits. Default:\n"
    "                   128 of four bits, 0 of eight\n"
    "  --symmetric      scale by the largest magnitude, as floats always are: the\n"
    "                   default of compressed-tensors\n"
    "  --asymmetric     scale by the range, with a zero point or offset: the\n"
    "                   default of plain. transformers opens packed zero points,\n"
    "                   of int4 and uint4, by dequantize=True alone\n"
    "  --rotate R       plain: each R neighbours of a row are rotated by a Hadamard\n"
    "                   matrix, a power of two from 2 to 1024\n"
    "  --only GLOB      quantizes matrices of such names alone; may be repeated. *, ?\n"
    "                   and [..] stand for characters, as in a shell\n"
    "  --skip GLOB      leaves those as they are; may be repeated. Without --only\n"
    "                   embeddings, output heads, routers, norms and biases stay too\n"
    "  --shard NAME     makes this shard alone, for machines that share the work; may\n"
    "                   be repeated. A run without it makes those that are not there\n"
    "                   yet, the index and config.json\n"
    "  --no-copy        of a FOLDER: its small files are not copied\n"
    "  --clean          removes the shards and indexes that an earlier run left in\n"
    "                   OUT and that this one does not write\n"
    "  --json FILE      the errors of all tensors by name, root mean square by the\n"
    "                   tensor's own\n"
    "  --compare LIST   writes nothing, and shows bits an element, bytes and errors\n"
    "                   of several ways, such as int8,nvfp4,int4:block=64:rotate:\n"
    "                   types or rules of scales, and behind colons dtype=TYPE,\n"
    "                   block=N, rotate=R (rotate: 128), symmetric, asymmetric. A\n"
    "                   way that compressed-tensors has not is by plain\n"
    "  --progress FD    lines of two numbers, the bytes of the input that are done\n"
    "                   and all, to this open file descriptor\n"
    "  --device KIND|N|TEXT\n\n"
    "At the end: the tensors with the largest error, root mean square in per cent of\n"
    "the tensor's own.\n";

void model_help(void)
{
    fputs(help, stdout);
}

#define USAGE(model, ...) fail((model)->failure, STATUS_USAGE, __VA_ARGS__)

static bool parse_power(const char *name, const char *text, uint32_t least, uint32_t most, const char *rule,
                        uint32_t *value, struct failure *failure)
{
    char *end = NULL;
    unsigned long number = 0;

    text += *text == '+'; /* as all operators take it */
    errno = 0;
    number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno ||
        (number != 0 && (number < least || number > most || (number & (number - 1)))))
        return fail(failure, STATUS_USAGE, "--%s '%.100s': %s is expected", name, text, rule);
    *value = (uint32_t)number;
    return true;
}

static bool parse_block(void *to, const char *text, struct failure *failure)
{
    struct model_options *options = to;

    options->block_text = text;
    options->block_auto = strcmp(text, "auto") == 0;
    return options->block_auto ||
           parse_power("block", text, 32, 128, "one of 0, 32, 64, 128, auto", &options->block, failure);
}

static bool parse_rotate(void *to, const char *text, struct failure *failure)
{
    return parse_power("rotate", text, 2, 1024, "0 or a power of two from 2 to 1024", to, failure);
}

static bool parse_to(void *to, const char *text, struct failure *failure)
{
    enum model_format *format = to;

    if (strcmp(text, "compressed-tensors") == 0)
        *format = MODEL_COMPRESSED_TENSORS;
    else if (strcmp(text, "plain") == 0)
        *format = MODEL_PLAIN;
    else
        return fail(failure, STATUS_USAGE, "--to '%.100s': one of compressed-tensors, plain is expected",
                    text);
    return true;
}

static bool parse_progress(void *to, const char *text, struct failure *failure)
{
    char *end = NULL;
    const long fd = strtol(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || fd < 1 || fd > INT32_MAX || fcntl((int)fd, F_GETFL) < 0)
        return fail(failure, STATUS_USAGE,
                    "--progress '%.100s': the number of an open file descriptor is expected", text);
    signal(SIGPIPE, SIG_IGN); /* a reader that is gone is no failure */
    *(int *)to = (int)fd;
    return true;
}

static bool settle(struct model *model)
{
    struct model_options *options = &model->options;

    if (options->in.count == 0)
        return USAGE(model, "quantize_model: an input file is expected; see clquant quantize_model --help");
    if (options->compare)
        return (!options->out_path && options->shards.count == 0) ||
               USAGE(model,
                     "--compare %.200s: with it nothing is written: neither -o nor --shard is expected",
                     options->compare);
    if (!options->out_path || !*options->out_path)
        return USAGE(model,
                     "quantize_model: -o OUT, a folder, is expected; see clquant quantize_model --help");
    if (options->clean && options->shards.count > 0)
        return USAGE(model, "--clean: with --shard nothing is removed; a run for all shards does it");
    if (!options->dtype_name)
        options->dtype_name = options->rule ? "float4_e2m1fn" : "int4";
    if (!model_check_dtype(model))
        return false;
    options->dtype = clq_dtype_parse(options->dtype_name);
    options->symmetric =
        options->symmetric || *options->dtype_name == 'f' ||
        (!options->asymmetric && *options->dtype_name != 'u' && options->to == MODEL_COMPRESSED_TENSORS);
    options->asymmetric = !options->symmetric;
    if (options->rule)
        options->block = options->rule == CLQ_NVFP4 ? 16 : 32;
    else if (!options->block_text)
        options->block = options->dtype.bits == 4 ? 128 : 0;
    return true;
}

bool model_parse(struct model *model, int argc, char **argv)
{
    struct model_options *o = &model->options;
    const struct argument table[] = {{"output", ARGUMENT_TEXT, &o->out_path, .letter = 'o'},
                                     {"help", ARGUMENT_FLAG, &o->help, .letter = 'h'},
                                     {"to", ARGUMENT_PARSED, &o->to, .parse = parse_to},
                                     {"dtype", ARGUMENT_TEXT, .to = &o->dtype_name},
                                     {"scale-rule", ARGUMENT_PARSED, &o->rule, .parse = model_parse_rule},
                                     {"block", ARGUMENT_PARSED, o, .parse = parse_block},
                                     {"symmetric", ARGUMENT_FLAG, .to = &o->symmetric},
                                     {"asymmetric", ARGUMENT_FLAG, .to = &o->asymmetric},
                                     {"rotate", ARGUMENT_PARSED, &o->rotate, .parse = parse_rotate},
                                     {"only", ARGUMENT_TEXTS, .to = &o->only},
                                     {"skip", ARGUMENT_TEXTS, .to = &o->skip},
                                     {"shard", ARGUMENT_TEXTS, .to = &o->shards},
                                     {"no-copy", ARGUMENT_FLAG, .to = &o->no_copy},
                                     {"clean", ARGUMENT_FLAG, .to = &o->clean},
                                     {"json", ARGUMENT_TEXT, .to = &o->json_path},
                                     {"compare", ARGUMENT_TEXT, .to = &o->compare},
                                     {"progress", ARGUMENT_PARSED, &o->progress_fd, .parse = parse_progress},
                                     {"device", ARGUMENT_TEXT, .to = &o->device_text},
                                     {.name = NULL}};

    return arguments_parse("quantize_model", table, &o->in, argc, argv, model->failure) &&
           (o->help || settle(model));
}

void model_free_lists(struct model_options *options)
{
    free(options->in.list);
    free(options->only.list);
    free(options->skip.list);
    free(options->shards.list);
}
