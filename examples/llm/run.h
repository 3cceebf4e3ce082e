/* SPDX-License-Identifier: Apache-2.0 */
/* What the program does with a model: measure formats on a text, or write on. */
#ifndef CLQ_LLM_RUN_H
#define CLQ_LLM_RUN_H

#include "model.h"

enum { MOST_BATCH = 4096 };

struct options {
    const char *model, *text, *prompt, *device, *plot;
    bool wanted[NUM_FORMATS];
    int64_t tokens;  /* of the text at most, or to write */
    int64_t context; /* tokens of a piece of the text */
    int64_t batch;   /* tokens of a step */
    bool list_tokens, help;
};

struct result {
    const struct format *format;
    double token_bytes, bits; /* of a token, and of an element of its keys and values */
    double nll, divergence;   /* sums over the tokens that were predicted */
    double seconds;           /* of all steps but the first */
    int64_t predicted, timed; /* tokens; those of the steps that are timed */
};

/* Says how far a run is, on standard error: after its first step, every five seconds, and at its end; of a
 * run of one step nothing. *said_s, 0 at first, is when it was said last. */
void progress(double *said_s, const char *what, int64_t done, int64_t all);

/* What every token of a text but the first of each piece costs, for the formats that are wanted and float16,
 * which is the first result. results has room for all formats. */
clq_status evaluate(const struct model *model, const struct options *options, const int32_t *tokens,
                    int64_t count, struct result *results, int *num_results);

/* Prints the prompt, and what the model finds likeliest behind it, token by token. */
clq_status generate(const struct model *model, const struct tokenizer *tokenizer,
                    const struct options *options, const int32_t *tokens, int64_t count);

clq_status options_read(struct options *options, int argc, char **argv);

/* A label of the point x, y: where it begins, or with is_left ends; has_line: a line leads to it. */
struct label {
    const char *text;
    double x, y, at_x, at_y;
    bool is_left, has_line;
};

/* Finds their places within an area. A line goes through the first point from end to end. */
void labels_place(struct label *labels, int count, double width, double height);

void report_print(const struct result *results, int count);
clq_status report_plot(const struct result *results, int count, const char *path);

#endif
