/* SPDX-License-Identifier: Apache-2.0 */
/* A decode loop whose keys and values are kept in each of the formats in turn: what it saves, what it costs.
 * --help lists the options. */
#include "keys_file.h"
#include "plain.h"
#include "table.h"

#include <clblast_c.h>
#include <gnuplot.h>
#include <stdio.h>
#include <stdlib.h>

static bool failed(struct failure *failure, clq_status status)
{
    const enum exit_status exit = status == CLQ_ERROR_VALUE ? STATUS_REFUSED : STATUS_SYSTEM;

    return fail(failure, exit, "%s: %s", clq_status_name(status), clq_error_detail());
}

static bool fill(struct activations *activations, const struct options *options, const struct keys_file *keys,
                 struct failure *failure)
{
    const struct setup *setup = &options->setup;
    const uint64_t seed = (uint64_t)options->seed;

    if (!activations_init(activations, setup))
        return fail(failure, STATUS_SYSTEM, "no memory for the activations");
    if (options->keys == NULL)
        activations_fill_keys(activations, setup, seed);
    else if (!keys_file_read(keys, setup, activations->keys, failure))
        return false;
    activations_fill_values(activations, setup, seed);
    activations_fill_queries(activations, setup, seed);
    return true;
}

static void describe(char *text, size_t size, const struct setup *s)
{
    snprintf(text, size, "batch %lld, %lld heads of %lld, %lld queries each, %lld + %lld tokens",
             (long long)s->batch, (long long)s->heads, (long long)s->head_size, (long long)s->queries,
             (long long)s->context, (long long)s->steps);
}

static bool run_formats(const struct loop *loop, const struct options *options,
                        const struct activations *activations, struct failure *failure)
{
    const size_t count =
        (size_t)(loop->setup->steps * setup_query_rows(loop->setup) * loop->setup->head_size);
    float *right = malloc(count * sizeof *right), *outputs = malloc(count * sizeof *outputs);
    struct result results[NUM_FORMATS];
    char title[200];
    int done = 0;
    bool ok = (right != NULL && outputs != NULL) || fail(failure, STATUS_SYSTEM, "no memory");

    describe(title, sizeof title, loop->setup);
    for (int i = 0; i < NUM_FORMATS && ok; i++) {
        clq_status status;

        if (formats[i].rotated && loop->rotation == NULL) {
            printf("%s is left out: there is no Hadamard matrix of %lld\n", formats[i].name,
                   (long long)loop->setup->head_size);
            continue;
        }
        status = decode_run(loop, &formats[i], i == 0 ? right : outputs, &results[done]);
        ok = status == CLQ_OK || failed(failure, status);
        if (ok && i == 0)
            ok = plain_check(loop->setup, activations, right + count - count / (size_t)loop->setup->steps,
                             failure);
        if (ok)
            table_errors(i == 0 ? right : outputs, right, count, &results[done++]);
    }
    if (ok) {
        printf("%s: %s, %s\n", loop->device.name,
               options->keys != NULL ? options->keys : "keys with outlier channels", title);
        printf("the float16 cache's outputs, of RMS %.5f, agree with a plain C computation of a sample; "
               "errors are against them; times are per step\n\n",
               table_rms(right, count));
        table_print(results, done);
    }
    if (ok && options->plot != NULL)
        ok = plot_draw(results, done, title, options->plot, failure);
    free(outputs);
    free(right);
    return ok;
}

static bool run(struct options *options, struct failure *failure)
{
    struct keys_file keys = {0};
    struct activations activations = {0};
    struct loop loop = {0};
    bool ok = options->plot == NULL || gnuplot_can_draw(options->plot, failure);
    const bool open = ok && options->keys != NULL && keys_file_open(&keys, options, failure);

    ok = ok && (open || options->keys == NULL) && fill(&activations, options, &keys, failure);
    if (ok) {
        const clq_status status = loop_create(&loop, &options->setup, &activations, options->device);

        ok = (status == CLQ_OK || failed(failure, status)) &&
             run_formats(&loop, options, &activations, failure);
        loop_destroy(&loop);
    }
    CLBlastClearCache(); /* now: at the process's end the driver may be gone before it */
    activations_clear(&activations);
    if (open)
        keys_file_close(&keys);
    return ok;
}

int main(int argc, char **argv)
{
    struct failure failure = {0};
    struct options options;

    if (!options_read(&options, argc, argv, &failure) || (!options.help && !run(&options, &failure))) {
        complain("%s", failure.text);
        return (int)failure.status;
    }
    if (options.help)
        options_help();
    return close_output(STATUS_DONE);
}
