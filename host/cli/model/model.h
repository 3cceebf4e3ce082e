/* SPDX-License-Identifier: Apache-2.0 */
/* clquant quantize_model: the float matrices of a checkpoint are quantized, and all else is copied. A shard
 * of the input becomes a shard of OUT; each is planned from the headers alone, before a tensor is read.
 *
 * A format is what becomes of a matrix: the tensors in its place, with their names, types and shapes
 * (parts.c), and how they are found (quantize.c). */
#ifndef CLQUANT_CLI_MODEL_H
#define CLQUANT_CLI_MODEL_H

#include "../arguments.h"
#include "../failure.h"
#include "../output_file.h"
#include "../progress.h"
#include "../safetensors/safetensors.h"
#include "floats.h"

#include <clquant/clquant.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

enum model_format { MODEL_COMPRESSED_TENSORS, MODEL_PLAIN };

/* The tensors in a matrix's place. Added are offsets, or zero points. */
enum model_part { MODEL_VALUES, MODEL_SCALES, MODEL_ADDED, MODEL_SHAPE, MODEL_GLOBAL_SCALE, MODEL_PARTS };

/* Texts that the list owns. */
struct model_list {
    char **list;
    size_t count;
};

struct model_options {
    struct texts in; /* paths */
    const char *out_path;
    const char *device_text;
    enum model_format to;
    const char *dtype_name;
    DLDataType dtype;
    const char *block_text;     /* as it was given; NULL: it was not */
    bool block_auto;            /* the largest that fits each matrix */
    uint32_t block;             /* else; 0: a row has one scale */
    bool symmetric, asymmetric; /* one of the two is set, once all options are read */
    uint32_t rotate;
    uint32_t rule;           /* enum clq_scale_rule */
    struct texts only, skip; /* globs */
    struct texts shards;     /* names, not globs: these alone are made; none: all are */
    const char *json_path;
    int progress_fd;     /* of --progress; 0: none */
    const char *compare; /* the ways of --compare; NULL: OUT is written */
    bool no_copy, clean, help;
};

/* Some columns of some rows of a matrix. */
struct model_tile {
    int64_t row, rows, column, columns;
};
enum { MODEL_TILE_ROWS = 8 }; /* at most, of rows that are cut */

/* A tensor of the input, or a matrix that is cut out of one. */
struct model_tensor {
    const struct safetensors_tensor *source;
    const struct safetensors_tensor
        *whole;            /* [experts, in, out], of which source is [out, in]; NULL: no cut */
    int64_t expert, first; /* its place: which expert, and the first column there */
    bool quantized;
    uint32_t block;            /* of one that is quantized; 0: a row has one scale */
    const char *left;          /* why it stays as it is; NULL: it does not */
    size_t parts[MODEL_PARTS]; /* their places in the shard's list, MODEL_NONE: there is no such part; of one
                                * that is copied the first */
    double error;              /* relative RMS, once it is written, as a float has it */
    uint64_t not_finite, lost; /* values that are NaN or infinite, and finite ones that come back as none */
    float global_scale;        /* of NVFP4, once it is read */
    struct float_extremes extremes[MODEL_TILE_ROWS]; /* of the rows that are read, where they are cut */
};
#define MODEL_NONE SIZE_MAX

struct model_shard {
    struct safetensors file;
    char *path;
    const char *name; /* the last part of path, also in OUT */
    char *out_path;
    struct model_tensor *tensors; /* the file's; in the place of one that is cut its cuts */
    size_t tensor_count;
    struct safetensors_tensor *cuts;
    size_t cut_count;
    struct safetensors_tensor *out;
    size_t out_count;
    char *header; /* its first bytes in OUT, with room for the errors */
    size_t header_bytes, errors_at, errors_room;
    bool was_there;
    bool left_out; /* by --shard */
};

/* What config.json says of classes. */
enum { MODEL_VOCABULARIES = 8 };
struct model_facts {
    double vocabularies[MODEL_VOCABULARIES]; /* vocab_size, of a part too */
    size_t vocabulary_count;
    bool tied;               /* the output head's weight is the embedding's */
    bool conv1d;             /* of GPT-2's family */
    bool llama4;             /* readers have a layer for each expert */
    const char *initialized; /* a model_type that transformers opens by dequantize=True, where it is packed */
    const char *head; /* the module of an output head that may be tied, where it is not called lm_head */
};

struct model {
    struct model_options options;
    struct failure *failure;
    const char *index_path; /* NULL: shards were given */
    struct cJSON *index;
    struct model_shard *shards;
    size_t shard_count; /* of those that are open */
    char *config_path;  /* config.json beside the input; NULL: it is not there */
    struct model_facts facts;
    char *given_config; /* its text, where OUT gets one */
    char *config;       /* OUT's */
    size_t config_bytes;
    struct progress progress;
    uint64_t done_bytes, total_bytes; /* of the input */
    struct timespec began;            /* behind the first piece, for which kernels are built */
    uint64_t read_bytes;              /* since then */
    const char *folder;               /* the input, where it is one; */
    char *found_path;                 /* and the model in it */
    struct model_list copies, old;    /* paths: what is copied, and what an earlier run left in OUT */
    int out_fd;                       /* the folder, with a lock */
    bool is_uncovered;
    clq_context *context;
    cl_command_queue queue;
};

bool model_parse(struct model *model, int argc, char **argv);
void model_help(void);
void model_free_lists(struct model_options *options);
/* Tells how far the ways of --compare are from the model, which is open, and writes nothing else. */
bool model_compare(struct model *model);

/* The file's text, with a NUL behind it; to be freed. NULL: a sentence was noted. */
char *model_read_text(const char *path, size_t *size_bytes, struct failure *failure);
/* folder/name, to be freed. */
char *model_join(const char *folder, const char *name);
/* What stands before the last / of a path, or "."; to be freed. */
char *model_folder_of(const char *path);
/* What stands behind it. */
const char *model_name_of(const char *path);

/* Takes ownership of the text. False: it is NULL, or there is no memory. */
bool model_list_add(struct model_list *list, char *text);
void model_list_sort(struct model_list *list);
void model_list_print(const struct model_list *list, const char *what);
void model_list_clear(struct model_list *list);

/* Where the input is a folder: the model in it is the input; which files are copied, and copying them. */
bool model_enter_folder(struct model *model);
bool model_find_copies(struct model *model);
bool model_copy_files(struct model *model);
/* Finds what an earlier run left in OUT, and removes it with --clean. */
bool model_find_old(struct model *model);

/* Opens all files, and checks that each name is there once, and where it is in the index. */
bool model_open(struct model *model);
/* Leaves out the shards that --shard does not name. */
bool model_pick_shards(struct model *model);
/* The permissions that a file of OUT may have at most, by the file of the input that it comes from. */
mode_t model_mode_of(const char *path);
/* Begins a file of OUT, by that of the input; and writes one, of source's name, as a whole. */
bool model_create(struct model *model, struct output_file *file, const char *path, const char *source);
bool model_put(struct model *model, const char *source, const void *bytes, size_t size_bytes);

/* The index's shards as paths; and the index against the open shards. */
bool model_index_open(struct model *model, char ***paths, size_t *count);
bool model_index_check(const struct model *model);
bool model_index_write(struct model *model);

/* Says of each tensor whether it is quantized. */
bool model_choose(struct model *model);
/* Why a tensor of its class stays unless it is asked for; NULL: it is quantized. */
const char *model_class_of(const struct model *model, const struct safetensors_tensor *tensor);
bool model_is_embedding(const struct model *model, const struct safetensors_tensor *tensor);
/* An embedding, or an output head, of a model where they are one parameter. */
bool model_is_tied(const struct model *model, const struct safetensors_tensor *tensor);
bool model_is_conv1d(const struct model *model, const struct safetensors *file,
                     const struct safetensors_tensor *tensor);
void model_find_conv1d(struct model *model);
/* Experts' matrices in one tensor of three dimensions. */
bool model_is_experts(const struct safetensors_tensor *tensor);
/* Cuts tensors of all experts into a matrix for each, where readers have layers of those. */
bool model_cut_experts(struct model *model);
/* Reads a tile from the file, or from the tensor that this one is cut out of; rows begin each row_bytes. */
bool model_read(const struct model_shard *shard, const struct model_tensor *tensor,
                const struct model_tile *tile, char *bytes, size_t row_bytes, struct failure *failure);
/* Whether something stands before the end. */
bool model_has_end(const char *name, const char *end);
/* Reasons that others look for. */
#define MODEL_NO_MATRIX "it has one dimension, or none"
#define MODEL_NO_BLOCK  "its rows are no multiple of --block"
/* The largest length of blocks that divides a row; 0: none does. */
uint32_t model_fitting_block(int64_t columns);
/* Why a tensor stays as it is, in text. */
void model_say_left(const struct model *model, const struct model_tensor *tensor, char *text,
                    size_t size_bytes);

/* Lists the tensors that a shard of OUT has. False: no memory. */
bool model_plan_tensors(const struct model_options *options, struct model_shard *shard);
/* Plans OUT's shards. */
bool model_plan(struct model *model);
/* Whether a row has one scale, of its values as they are turned: it is read whole, and so may not be longer
 * than a piece. */
static inline bool model_keeps_rows(const struct model_options *options, uint32_t block)
{
    return options->rotate > 0 && block == 0;
}
/* The length of a row's scales. */
int64_t model_groups(const struct model_tensor *tensor);
/* Of all matrices in it. */
int64_t model_rows(const struct safetensors_tensor *source);
static inline int64_t model_columns(const struct safetensors_tensor *source)
{
    return source->shape[source->rank - 1];
}
/* Whether integers have zero points, as compressed-tensors does, in the place of offsets. */
bool model_has_zero_points(const struct model_options *options);
bool model_has_offsets(const struct model_options *options);
/* The words of --scale-rule; and whether the type, the rule and what is given besides go together. */
bool model_parse_rule(void *rule, const char *text, struct failure *failure);
bool model_check_dtype(struct model *model);
const char *model_rule_name(uint32_t rule);
/* The type of the values as the library has them. */
DLDataType model_values_dtype(const struct model_options *options);

/* A shard's header says how it was made, and with which errors (header.c). */
bool model_make_header(const struct model_options *options, struct model_shard *shard,
                       struct failure *failure);
bool model_write_header(const struct model_shard *shard, struct output_file *out, struct failure *failure);
/* Whether the shard in OUT is what this run would make, of the input as it is. Then its errors are known. */
bool model_is_there(struct model_shard *shard);
/* The same without the time of the input, which not every file system keeps. */
bool model_has_header(struct model_shard *shard);

/* Makes the folder OUT, once it is sure that no file is lost in it or to --json, and takes away what a killed
 * run left there. */
bool model_open_out(struct model *model);
/* Begins the file of --json: one in OUT takes the place of a link, as all files of OUT do. */
bool model_create_json(struct model *model, struct output_file *file);
/* Keeps other runs out of OUT until the end of this one. */
bool model_lock_out(struct model *model);
/* Takes away OUT's index and config.json, once, for a shard of this run is put into place. */
bool model_uncover(struct model *model);
/* Whether a file of OUT is an index or a config.json that a run has made, or that this one makes. */
bool model_describes_out(const struct model *model, const char *name);
/* Whether all shards of OUT are of this run. */
bool model_check_whole(struct model *model);
bool model_config_read(struct model *model);
void model_read_facts(struct model_facts *facts, const struct cJSON *config);
/* Puts the scheme into OUT's config.json. */
bool model_config_make(struct model *model);
/* Of Python: Infinity and NaN are taken too, for null. NULL: a sentence was noted, with the place. */
struct cJSON *model_parse_json(const char *path, const char *text, size_t size_bytes, bool of_python,
                               struct failure *failure);
/* The value of a member of the outermost object in text that is JSON; NULL: there is none spelt so. */
const char *model_find_member(const char *text, const char *name);
/* quantization_config's text, to be freed by cJSON_free. NULL: no memory. */
char *model_print_scheme(const struct model *model);
/* Adds the module of a tensor whose name ends in .weight. */
bool model_add_module(struct cJSON *list, const char *tensor);
/* Adds patterns of the ends of names, of matrices that are meant: others that are quantized do not end so. */
typedef bool model_means(const struct model *model, const struct model_tensor *tensor, uint32_t block);
bool model_add_patterns(const struct model *model, model_means *means, uint32_t block, struct cJSON *list);
/* Copies a name with * for its numbers, without a NUL. Returns where the copy ends. */
char *model_put_kind(char *to, const char *name);
bool model_add_tied_heads(const struct model *model, struct cJSON *ignore);
bool model_config_write(struct model *model);

bool model_open_device(struct model *model);
/* Writes a shard, unless it is there or left out. */
bool model_write_shard(struct model *model, struct model_shard *shard);
void model_show(struct model *model, const struct model_shard *shard, uint64_t bytes);

void model_report(const struct model *model);
void model_print_left(const struct model *model);
void model_print_advice(const struct model *model);
void model_print_experts(const struct model *model);
/* The errors of the matrices that are quantized, where --json asks for them. */
bool model_write_errors(struct model *model);

bool model_fail(struct model *model, const char *path, const char *doing, clq_status status);

#endif
