/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of quantize_model. */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
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

static bool parse_number(struct model *model, const char *name, const char *text, uint32_t least,
                         uint32_t most, const char *rule, uint32_t *value)
{
    char *end = NULL;
    unsigned long number = 0;

    text += *text == '+'; /* as all operators take it */
    errno = 0;
    number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno ||
        (number != 0 && (number < least || number > most || (number & (number - 1)))))
        return USAGE(model, "--%s '%.100s': %s is expected", name, text, rule);
    *value = (uint32_t)number;
    return true;
}

static bool parse_to(struct model *model, const char *text)
{
    if (strcmp(text, "compressed-tensors") == 0)
        model->options.to = MODEL_COMPRESSED_TENSORS;
    else if (strcmp(text, "plain") == 0)
        model->options.to = MODEL_PLAIN;
    else
        return USAGE(model, "--to '%.100s': one of compressed-tensors, plain is expected", text);
    return true;
}

static bool parse_progress(struct model *model, const char *text)
{
    char *end = NULL;
    const long fd = strtol(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || fd < 1 || fd > INT32_MAX || fcntl((int)fd, F_GETFL) < 0)
        return USAGE(model, "--progress '%.100s': the number of an open file descriptor is expected", text);
    signal(SIGPIPE, SIG_IGN); /* a reader that is gone is no failure */
    model->options.progress_fd = (int)fd;
    return true;
}

static bool settle(struct model *model)
{
    struct model_options *options = &model->options;

    if (options->in_count == 0)
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

enum {
    TO = 256,
    DTYPE,
    RULE,
    BLOCK,
    SYMMETRIC,
    ASYMMETRIC,
    ROTATE,
    ONLY,
    SKIP,
    SHARD,
    NO_COPY,
    CLEAN,
    JSON,
    COMPARE,
    PROGRESS,
    DEVICE
};

static bool set(bool *flag)
{
    return *flag = true;
}

static bool take(const char **text)
{
    *text = optarg;
    return true;
}

static bool add(struct model_globs *globs)
{
    return take(&globs->list[globs->count++]);
}

static bool parse_one(struct model *model, int option, char **argv)
{
    struct model_options *options = &model->options;

    switch (option) {
    case 1:
        return take(&options->in_paths[options->in_count++]);
    case 'o':
        return take(&options->out_path);
    case 'h':
        return set(&options->help);
    case TO:
        return parse_to(model, optarg);
    case DTYPE:
        return take(&options->dtype_name);
    case RULE:
        return model_parse_rule(model, optarg);
    case BLOCK:
        options->block_text = optarg;
        options->block_auto = strcmp(optarg, "auto") == 0;
        return options->block_auto ||
               parse_number(model, "block", optarg, 32, 128, "one of 0, 32, 64, 128, auto", &options->block);
    case SYMMETRIC:
        return set(&options->symmetric);
    case ASYMMETRIC:
        return set(&options->asymmetric);
    case ROTATE:
        return parse_number(model, "rotate", optarg, 2, 1024, "0 or a power of two from 2 to 1024",
                            &options->rotate);
    case ONLY:
        return add(&options->only);
    case SKIP:
        return add(&options->skip);
    case SHARD:
        return add(&options->shards);
    case NO_COPY:
        return set(&options->no_copy);
    case CLEAN:
        return set(&options->clean);
    case JSON:
        return take(&options->json_path);
    case COMPARE:
        return take(&options->compare);
    case PROGRESS:
        return parse_progress(model, optarg);
    case DEVICE:
        return take(&options->device_text);
    case ':':
        return USAGE(model, "%.200s needs a value", argv[optind - 1]);
    default:
        return USAGE(model,
                     "%.200s: quantize_model has no such option, or several that begin so; see clquant "
                     "quantize_model --help",
                     argv[optind - 1]);
    }
}

bool model_parse(struct model *model, int argc, char **argv)
{
    static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                         {"help", no_argument, NULL, 'h'},
                                         {"to", required_argument, NULL, TO},
                                         {"dtype", required_argument, NULL, DTYPE},
                                         {"scale-rule", required_argument, NULL, RULE},
                                         {"block", required_argument, NULL, BLOCK},
                                         {"symmetric", no_argument, NULL, SYMMETRIC},
                                         {"asymmetric", no_argument, NULL, ASYMMETRIC},
                                         {"rotate", required_argument, NULL, ROTATE},
                                         {"only", required_argument, NULL, ONLY},
                                         {"skip", required_argument, NULL, SKIP},
                                         {"shard", required_argument, NULL, SHARD},
                                         {"no-copy", no_argument, NULL, NO_COPY},
                                         {"clean", no_argument, NULL, CLEAN},
                                         {"json", required_argument, NULL, JSON},
                                         {"compare", required_argument, NULL, COMPARE},
                                         {"progress", required_argument, NULL, PROGRESS},
                                         {"device", required_argument, NULL, DEVICE},
                                         {0}};
    struct model_options *options = &model->options;
    int option = 0;

    options->in_paths = calloc((size_t)argc, sizeof *options->in_paths);
    options->only.list = calloc((size_t)argc, sizeof *options->only.list);
    options->skip.list = calloc((size_t)argc, sizeof *options->skip.list);
    options->shards.list = calloc((size_t)argc, sizeof *options->shards.list);
    if (!options->in_paths || !options->only.list || !options->skip.list || !options->shards.list)
        return fail(model->failure, STATUS_SYSTEM, "no memory for %d arguments", argc);
    optind = 0;
    opterr = 0;
    while (!options->help && (option = getopt_long(argc, argv, "-:o:h", list, NULL)) != -1)
        if (!parse_one(model, option, argv))
            return false;
    for (; !options->help && optind < argc; optind++) /* what follows -- */
        options->in_paths[options->in_count++] = argv[optind];
    return options->help || settle(model);
}

void model_free_lists(struct model_options *options)
{
    free(options->in_paths);
    free(options->only.list);
    free(options->skip.list);
    free(options->shards.list);
}
