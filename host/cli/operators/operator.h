/* SPDX-License-Identifier: Apache-2.0 */
/* An operator as the command sees it: which tensors it reads, which options it takes, what comes out, and how
 * to call the library. Everything else (arguments, files, devices, transfers) is the same for all of them.
 *
 * A new operator is one file that fills in a struct operator_description; most of it comes from the rows of
 * its descriptor. */
#ifndef CLQUANT_CLI_OPERATOR_H
#define CLQUANT_CLI_OPERATOR_H

#include "../failure.h"
#include "../output_file.h"
#include "../progress.h"
#include "../safetensors/safetensors.h"

#include <clquant/clquant.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPERATOR_MAX_INPUTS = 16,
    OPERATOR_MAX_OPTIONS = 32,
    OPERATOR_MAX_WORDS = 16,
    OPERATOR_MAX_OUTPUTS = 4,
    OPERATOR_MAX_ALIASES = 8,
    OPERATOR_NAME_BYTES = 32
};

/* How many elements of the last dimension one element of a tensor holds: of less than 8 bits those of a byte
 * or of a word of 32 bits. */
#define IN_BYTE(bits) ((bits) < 8 ? 8 / (bits) : 1)
#define IN_WORD(bits) ((bits) < 8 ? 32 / (bits) : 1)
enum { ONE_ELEMENT = 1, VALUES_IN_BLOCK = 32 };

enum { OPERATOR_UNSET = -1 };

/* What the word none says, of an option that takes it for a number. */
#define OPERATOR_NONE INT64_MAX

/* As choices: the option takes no value, is off unless given, and its fallback is "off". */
extern const char *const operator_flag[];
#define OPERATOR_STRICT                                                                                      \
    {                                                                                                        \
        "strict", operator_flag, "off", "refuse an index out of range"                                       \
    }
/* As choices: a whole number or the word none, which is OPERATOR_NONE. */
extern const char *const operator_number_or_none[];
/* As choices: a whole number from 0 on. */
extern const char *const operator_count[];
/* As choices: a number with a fraction, from 0 on; its value is the bits of a float. */
extern const char *const operator_decimal[];
float operator_decimal_of(int64_t value);
/* As choices: 0, or a power of two in the range of the option's row. */
extern const char *const operator_power[];
/* As choices: the names of the types that have a role, "" in the place of every other. */
extern const char *const operator_scale_types[];
extern const char *const operator_quantized_types[];
extern const char *const operator_cached_types[];
extern const char *const operator_grouped_types[];
extern const char *const operator_found_types[]; /* caches', and of blocks that carry their scales */
extern const char *const operator_read_types[];  /* quantized ones, and such blocks */
/* Of an output whose elements may share a byte. */
#define OPERATOR_CONTAINER                                                                                   \
    {                                                                                                        \
        "container", (const char *const[]){"bytes", "words", NULL}, "bytes",                                 \
            "how a type of 4 bits is stored: two in a U8, or eight in an I32"                                \
    }
#define OPERATOR_PACKED_Y                                                                                    \
    "y; a type of 4 bits is U8 with half the last dimension, or with words I32 with an eighth"
/* The type of scales and offsets that are found, and what the option's value is. */
#define OPERATOR_SCALE_DTYPE                                                                                 \
    {                                                                                                        \
        "scale-dtype", operator_scale_types, "float32",                                                      \
            "the type of scales and offsets, which are rounded to it before they are used"                   \
    }
/* The type of scales of a rule (enum clq_scale_rule), and its block where that is 0. */
DLDataType operator_rule_dtype(int64_t rule);
int64_t operator_rule_block(int64_t rule, int64_t block);

struct operator_input {
    const char *name;
    bool optional;
    const char *help; /* NULL: the row of that name has it */
};

/* Another name that an input may have, in files and for --tensor: often that of the output of another
 * operator. Where a file has both, the input's own name counts; of several aliases,
 * the first that is there. */
struct operator_alias {
    size_t input;
    const char *name;
};

struct operator_option {
    const char *name;
    const char *const *choices; /* ends with NULL; NULL: the option takes a whole number */
    const char *fallback;       /* NULL: none, and the value is OPERATOR_UNSET */
    const char *help;
};

struct operator_output {
    const char *name;
    DLDataType dtype;
    int rank;
    int64_t shape[CLQ_MAX_RANK];
    DLTensor view;           /* for an output in place, that of the input counts */
    DLManagedTensor *tensor; /* what view is on the device; NULL for an output in place */
    bool in_place;
    size_t input; /* whose bytes an output in place changes */
};

struct operator_call;

/* How the first output's values came about: what it takes to bring them back. */
enum {
    RECORD_MODE, /* of enum clq_dequantize_mode */
    RECORD_AXIS,
    RECORD_BLOCK,
    RECORD_BLOCK_BEFORE,
    RECORD_BLOCK_ALL,
    RECORD_ROTATE,
    RECORD_VALUES
};
enum { RECORD_TEXT = 512 };
struct operator_record {
    const char *dtype;
    char dtype_text[32];
    int64_t values[RECORD_VALUES];
    bool added, global; /* with offsets or zero points, and with NVFP4's second scale */
};
/* By the operator's options: of static and dynamic quantization, and by groups. */
void operator_record_static(const struct operator_call *call, struct operator_record *record);
void operator_record_dynamic(const struct operator_call *call, struct operator_record *record);
void operator_record_groups(const struct operator_call *call, struct operator_record *record);

/* The library's functions of an operator, of its descriptor. */
struct operator_library {
    const char *name;
    clq_status (*check)(const void *desc);
    clq_status (*run)(clq_context *context, cl_command_queue queue, const void *desc, cl_event *done);
    clq_status (*check_indices)(clq_context *context, cl_command_queue queue, const void *desc); /* or NULL */
};
#define OPERATOR_CALLS(name)                                                                                 \
    static clq_status check(const void *desc)                                                                \
    {                                                                                                        \
        return clq_##name##_check(desc);                                                                     \
    }                                                                                                        \
    static clq_status run(clq_context *context, cl_command_queue queue, const void *desc, cl_event *done)    \
    {                                                                                                        \
        return clq_##name(context, queue, desc, 0, NULL, done);                                              \
    }
#define OPERATOR_CHECK_INDICES(name)                                                                         \
    static clq_status check_indices(clq_context *context, cl_command_queue queue, const void *desc)          \
    {                                                                                                        \
        return clq_##name##_check_indices(context, queue, desc, 0, NULL);                                    \
    }

struct operator_description {
    const char *name;
    const char *also; /* another name; NULL: none */
    const char *summary;
    const char *formula;
    const char *outputs; /* the names of the tensors that come out, for the help */
    struct operator_input inputs[OPERATOR_MAX_INPUTS];
    struct operator_alias aliases[OPERATOR_MAX_ALIASES]; /* ends with a name that is NULL */
    struct operator_option options[OPERATOR_MAX_OPTIONS];
    /* Of each, the library's row of the field that it sets; NULL: it is the command's. */
    const struct clq_option *rows[OPERATOR_MAX_OPTIONS];
    /* Where it is one of the library's own: the inputs and options of its rows are added (rows.c), but for
     * those without, and the three functions below are not needed. */
    const struct operator_library *library;
    const char *const *without; /* ends with NULL; NULL: none */
    /* What the command means by its options, beyond the rows: changes the descriptor that these made. */
    void (*adjust)(const struct operator_call *call, void *desc);
    /* Adds the outputs, from the inputs' types and shapes. No device is open yet. */
    bool (*plan)(struct operator_call *call);
    /* What the library can say of types and shapes, before a byte is read and a device is opened: the tensors
     * of operator_input and operator_output have no data yet. NULL: run says it. */
    clq_status (*check)(struct operator_call *call);
    /* Of an operator that reports: the library's word on the first entry that is out of range. */
    clq_status (*check_indices)(struct operator_call *call);
    clq_status (*run)(struct operator_call *call, cl_event *done);
    /* Of an operator that quantizes, or finds scales: the record of its first output, for OUT's metadata. */
    void (*record)(const struct operator_call *call, struct operator_record *record);
    bool recalls; /* the first input's record says the options that are left out, and others are refused */
    size_t moves; /* so many outputs have rows of inputs and their record: of input i output i % moves */
};

/* A description with its library's rows. */
struct operator_completed {
    struct operator_description op;
    char names[OPERATOR_MAX_OPTIONS][OPERATOR_NAME_BYTES];
    const char *words[OPERATOR_MAX_OPTIONS][OPERATOR_MAX_WORDS];
};
/* Zeros become the completed description. */
const struct operator_description *operator_complete(const struct operator_description *own,
                                                     struct operator_completed *all);

/* One run of the command. */
struct operator_call {
    const struct operator_description *op;
    struct failure *failure;
    const char **in_paths;
    size_t in_count;
    char *in_text; /* all of in_paths, for sentences that are not about one tensor */
    const char *out_path;
    const char *device_text;
    bool help;
    const char *wanted[OPERATOR_MAX_INPUTS]; /* by --tensor; NULL: not given; empty: the input is left out */
    const char *names[OPERATOR_MAX_OUTPUTS]; /* by --name, OUTPUT=NAME */
    size_t name_count;
    int64_t values[OPERATOR_MAX_OPTIONS]; /* a number, or the index of a choice */
    bool given[OPERATOR_MAX_OPTIONS];

    struct safetensors *files;
    size_t file_count;                                             /* of those that are open */
    const struct safetensors_tensor *sources[OPERATOR_MAX_INPUTS]; /* NULL: absent */
    const struct safetensors *source_files[OPERATOR_MAX_INPUTS];
    DLDataType
        dtypes[OPERATOR_MAX_INPUTS]; /* the file's types; plan sets those whose elements share a byte */
    DLTensor input_views[OPERATOR_MAX_INPUTS];
    int64_t input_shapes[OPERATOR_MAX_INPUTS][CLQ_MAX_RANK]; /* of these */
    struct operator_output outputs[OPERATOR_MAX_OUTPUTS];
    size_t output_count;

    bool recalled[OPERATOR_MAX_OPTIONS];           /* a record says it */
    char moved[OPERATOR_MAX_OUTPUTS][RECORD_TEXT]; /* the record of what is moved to an output */
    struct output_file out;
    struct safetensors_tensor out_tensors[OPERATOR_MAX_OUTPUTS]; /* as OUT's header has them */
    char *header;                                                /* OUT's first bytes */
    size_t header_bytes;
    struct progress progress;
    clq_context *context;
    cl_command_queue queue;
    DLManagedTensor *inputs[OPERATOR_MAX_INPUTS];
    DLManagedTensor *report; /* NULL: the operator asked for none */
    struct clq_report reported;
    char first[512]; /* the sentence on the first entry that was reported */
};

int operator_main(const struct operator_description *op, int argc, char **argv);

/* The parts of operator_main, in their order. */
bool operator_parse(struct operator_call *call, int argc, char **argv);
void operator_help(const struct operator_description *op);
/* An option's value, by its name; 0 and false: there is no such option. */
int64_t operator_value(const struct operator_call *call, const char *name);
bool operator_given(const struct operator_call *call, const char *name);
/* OPERATOR_MAX_OPTIONS, OPERATOR_MAX_INPUTS: there is none of that name. */
size_t operator_option_named(const struct operator_description *op, const char *name);
size_t operator_input_named(const struct operator_call *call, const char *name);
/* The description's functions, or its library's. */
clq_status operator_check(struct operator_call *call);
clq_status operator_check_indices(struct operator_call *call);
clq_status operator_run(struct operator_call *call, cl_event *done);
bool operator_open_files(struct operator_call *call);
bool operator_bind(struct operator_call *call);
bool operator_recall(struct operator_call *call);
bool operator_plan(struct operator_call *call);
bool operator_name_outputs(struct operator_call *call);
bool operator_describe(struct operator_call *call);
bool operator_open_device(struct operator_call *call);
bool operator_upload(struct operator_call *call);
bool operator_download(struct operator_call *call);

/* For OUT's header, to be freed with cJSON's free; NULL: there is no memory. */
char *operator_record_metadata(const struct operator_call *call);

/* Keeps what --name says, which is OUTPUT=NAME, until the outputs are known. */
bool operator_parse_name(struct operator_call *call, const char *text);

void operator_close_files(struct operator_call *call);

/* Finds the tensor of an input in the files; it may be absent where the input is optional. */
bool operator_find_input(struct operator_call *call, size_t input);
/* For plan: one that is optional, but not in this call. */
bool operator_needs_input(struct operator_call *call, size_t input);

/* The path of the file that holds the input's tensor, which must be there: for sentences about it. */
const char *operator_path(const struct operator_call *call, size_t input);

/* For plan: an output of the input's shape, its last dimension divided by elements. */
bool operator_add_output(struct operator_call *call, const char *name, DLDataType dtype, size_t input,
                         int elements);

/* The type that an option of names of types has. */
DLDataType operator_dtype(const struct operator_call *call, size_t option);

/* The same for an output whose elements may share a byte, in what the operator's option of that index,
 * --container, says. */
bool operator_add_packed_output(struct operator_call *call, const char *name, DLDataType dtype, size_t input,
                                size_t container);

/* The same for what is found of the input, which has rows: its shape less the axis, with block > 0 one along
 * it for each so many indices, with before > 0 along the dimension in front of it too, or one element for all
 * of it. */
struct operator_found {
    DLDataType dtype;
    int64_t axis, block, before, all;
};
bool operator_add_found_output(struct operator_call *call, const char *name, size_t input,
                               const struct operator_found *found);

/* Of a dimension of that size, or its blocks of so many indices; 0: it is not cut. */
int64_t operator_blocks_of(int64_t size, int64_t block);

/* An output of any shape. */
void operator_add_shape(struct operator_call *call, const char *name, DLDataType dtype, int rank,
                        const int64_t *shape);

/* For plan: the input itself comes out, changed, under its argument's name. */
void operator_add_output_in_place(struct operator_call *call, size_t input);

/* For plan: what a tensor of quantized values holds, by its type in the file and the operator's option of
 * that index, which is a name of a type and may be left out. Words of a cache are int4 then. */
bool operator_type_held(struct operator_call *call, size_t input, size_t option, bool is_cache);

/* Adds an item to a text, behind the word between where there is one before. */
void operator_list(char *text, size_t size_bytes, const char *between, const char *item);

/* Whether an element is a block of 32 values, whose bytes a file has as U8. */
static inline bool operator_is_block(DLDataType dtype)
{
    return dtype.code >= CLQ_CODE_BLOCKS && clq_dtype_name(dtype);
}

/* The file's type of what the library has as this one. */
const struct safetensors_type *operator_file_type(DLDataType dtype);

/* For run: a zeroed struct clq_report. What it holds once the run is done is read while OUT can still be
 * given up, and said on stderr once OUT is in place. */
clq_status operator_report(struct operator_call *call, cl_mem *report);
bool operator_read_report(struct operator_call *call);
/* For documented calls over rows that move, which have no report: where an entry was dropped, the general
 * call, of `desc`, writes the same bytes again and counts. `strict` is the option's number. */
clq_status operator_count_moved(struct operator_call *call, struct clq_move_rows_desc *desc, int strict);
void operator_say_report(const struct operator_call *call);
/* Whether an input is the places of entries, by its name. */
bool operator_is_indices(const struct operator_input *input);

/* For check and run: the tensors, without data before run. An input that is absent is NULL. */
const DLTensor *operator_input(const struct operator_call *call, size_t input);
const DLTensor *operator_output(const struct operator_call *call, size_t output);

/* For run: all outputs are zero. */
clq_status operator_clear_outputs(struct operator_call *call);

/* Notes why a call of the library failed, or one of OpenCL that the command makes itself; always false. */
bool operator_fail(struct operator_call *call, const char *doing, clq_status status);
bool operator_fail_cl(struct operator_call *call, const char *function, cl_int code);

/* The sentence of the last call of the library that failed,
 * in the words of the command and of the operator's options. */
void operator_sentence(const struct operator_description *op, char *text, size_t size_bytes);

/* A row's sentence with types as files name them. */
void operator_print_types(const char *sentence, char *text, size_t size_bytes);

/* What --axis means to the library: 0, where the user named none, is its own default. */
static inline int32_t operator_axis(const struct operator_call *call, size_t option)
{
    if (!call->given[option])
        return 0;
    return call->values[option] == 0 ? CLQ_AXIS_FIRST : (int32_t)call->values[option];
}

#endif
