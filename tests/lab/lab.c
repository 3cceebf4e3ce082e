/* SPDX-License-Identifier: Apache-2.0 */
/* Races two builds of libclquant over the rows of the bench:
 *
 *   lab A.so B.so [--only TEXT] [--size MIB] [--rounds N] [--device TEXT]
 *
 * Both libraries are loaded into this process and get the same OpenCL context, queue and buffers, so that the
 * driver, its threads and the pages are the same. In every round everybody runs once, in another order but
 * both builds side by side; a ratio is that of one round. */
#include "once.h"
#include "race.h"

#include <dlfcn.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <words.h>

enum { DEFAULT_MIB = 256, MOST_MIB = 1 << 20, DEFAULT_ROUNDS = 41, FEWEST_ROUNDS = 5 };
static const double band = 0.03; /* within it two builds are the same */

struct lab {
    struct bench bench;
    const char *only;
    struct library libraries[2];
    void *y; /* as A leaves it */
    size_t rounds, rows, faster, slower, same;
};

/* One row's contestants. */
struct heat {
    struct bench_call calls[2];
    struct race race;
};

static bool load(struct bench *bench, const char *path, struct library *library)
{
    /* Its own symbols first, whatever this program has. */
    void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    clq_status (*context_create)(const struct clq_context_desc *desc, clq_context **context) = NULL;
    bool complete;
    char name[64];

    if (!loaded)
        return fail(&bench->failure, STATUS_REFUSED, "lab: %s", dlerror());
    *(void **)&context_create = dlsym(loaded, "clq_context_create");
    *(void **)&library->error_detail = dlsym(loaded, "clq_error_detail");
    complete = context_create && library->error_detail;
    for (int i = 0; i < OPERATIONS; i++) {
        snprintf(name, sizeof name, "clq_%s", operation_rows[i].name);
        *(void **)&library->calls[i] = dlsym(loaded, name);
        complete = complete && library->calls[i];
    }
    if (!complete)
        return fail(&bench->failure, STATUS_REFUSED, "lab: %s lacks a function of this tree's headers", path);
    return context_create(&(struct clq_context_desc){.context = clq_context_cl(bench->context)},
                          &library->context) == CLQ_OK ||
           fail(&bench->failure, STATUS_SYSTEM, "lab: %s: %s", path, library->error_detail());
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Faster or slower: beyond the band, and on that side of 1 in three of four rounds. Beyond it without that
 * the rounds differ too much to tell. */
static const char *verdict(struct lab *lab, const double *ratios, size_t count, double middle)
{
    lab->rows++;
    if (fabs(middle - 1) <= band) {
        lab->same++;
        return "same";
    }
    if (middle > 1 && ratios[count / 4] > 1) {
        lab->faster++;
        return "faster";
    }
    if (middle < 1 && ratios[count - 1 - count / 4] < 1) {
        lab->slower++;
        return "slower";
    }
    return "unsure";
}

static void print(struct lab *lab, const struct heat *heat)
{
    const struct race *race = &heat->race;
    const size_t count = race->rounds;
    double ratios[RACE_MOST_ROUNDS];
    struct report_row row;
    char name[256];

    call_describe(&heat->calls[0], &row);
    snprintf(name, sizeof name, "%s %s to %s, %s, %s", row.operator_name, row.src, row.dst, row.mode,
             row.note);
    for (size_t i = 0; i < count; i++)
        ratios[i] = race->seconds[0][i] / race->seconds[1][i];
    qsort(ratios, count, sizeof *ratios, by_size);
    const double middle = median(ratios, count);

    printf("%-6s %6.3f  %6.3f %6.3f  %9.3f %9.3f  %s\n", verdict(lab, ratios, count, middle), middle,
           ratios[count / 4], ratios[count - 1 - count / 4],
           1e3 * race_median(race, 0) / heat->calls[0].row.calls,
           1e3 * race_median(race, 1) / heat->calls[0].row.calls, name);
    fflush(stdout);
}

/* Both leave the same bytes, over the same places: a wrong answer has no speed. */
static bool leaves_the_same(struct lab *lab, struct heat *heat)
{
    enum { PIECE = 1 << 16, UNWRITTEN = 0xa5 };
    struct bench *bench = &lab->bench;
    unsigned char piece[PIECE];
    char label[ROW_LABEL];

    bench->next_piece = 0;
    if (!call_once(bench, &heat->calls[0], UNWRITTEN) ||
        !data_read(bench, bench->y, 0, lab->y, bench->x_bytes))
        return false;
    bench->next_piece = 0;
    if (!call_once(bench, &heat->calls[1], UNWRITTEN))
        return false;
    row_label(&heat->calls[0].row, label);
    for (size_t at = 0; at < bench->x_bytes; at += PIECE) {
        if (!data_read(bench, bench->y, at, piece, PIECE))
            return false;
        for (size_t i = 0; i < PIECE; i++)
            if (piece[i] != ((unsigned char *)lab->y)[at + i])
                return fail(&bench->failure, STATUS_SYSTEM,
                            "lab: %s: byte %zu is another one in B; see clquant selftest", label, at + i);
    }
    return true;
}

static bool run_row(struct lab *lab, const struct row *row)
{
    struct bench *bench = &lab->bench;
    struct heat heat = {.race = {.least_rounds = lab->rounds}};
    bool done = call_fill(bench, row);

    for (int i = 0; i < 2 && done; i++) {
        done = call_begin(bench, &heat.calls[i], row, &lab->libraries[i]);
        race_add(&heat.race, &(struct contestant){.run = call_run, .self = &heat.calls[i]});
    }
    done = done && leaves_the_same(lab, &heat);
    if (row->placement != DENSE) /* what one has just written is in the caches for nobody */
        heat.calls[1].next = (size_t)heat.calls[1].places.sets / 2;
    done = done && race_run(bench, &heat.race);
    if (done)
        print(lab, &heat);
    call_end(&heat.calls[1]);
    call_end(&heat.calls[0]);
    return done;
}

static bool each_row(void *user, const struct row *row)
{
    struct lab *lab = user;
    char label[ROW_LABEL];

    row_label(row, label);
    return (lab->only && !holds_words(label, lab->only)) || run_row(lab, row);
}

static bool run(struct lab *lab, char **paths)
{
    struct bench *bench = &lab->bench;
    char device[256] = "";

    if (!bench_open(bench) || !load(bench, paths[0], &lab->libraries[0]) ||
        !load(bench, paths[1], &lab->libraries[1]))
        return false;
    clGetDeviceInfo(clq_context_device(bench->context), CL_DEVICE_NAME, sizeof device, device, NULL);
    lab->y = malloc(bench->x_bytes);
    if (!lab->y)
        return fail(&bench->failure, STATUS_SYSTEM, "lab: no memory for %zu bytes", bench->x_bytes);
    printf("%s, %zu MiB of input\nA %s\nB %s\n\n", device, bench->x_bytes >> 20, paths[0], paths[1]);
    printf("B is    A:B   of three in four        A ms      B ms  row\n");
    if (!rows_visit(each_row, lab))
        return false;
    if (lab->rows == 0)
        return fail(&bench->failure, STATUS_USAGE, "lab: --only '%.100s': no row has it", lab->only);
    printf("\n%zu rows: B is faster in %zu, slower in %zu, the same in %zu; unsure in %zu\n", lab->rows,
           lab->faster, lab->slower, lab->same, lab->rows - lab->faster - lab->slower - lab->same);
    return true;
}

static bool parse_count(const char *text, size_t low, size_t high, size_t *count)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);

    *count = value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value >= low && value <= high;
}

static bool parse(int argc, char **argv, struct lab *lab)
{
    static const struct option known[] = {{"only", required_argument, NULL, 'o'},
                                          {"size", required_argument, NULL, 's'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"device", required_argument, NULL, 'd'},
                                          {0}};
    size_t mib = DEFAULT_MIB;
    int option;

    lab->rounds = DEFAULT_ROUNDS;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        if (option == 'o')
            lab->only = optarg;
        else if (option == 'd')
            lab->bench.device_text = optarg;
        else if (option == 's'
                     ? !parse_count(optarg, 1, MOST_MIB, &mib)
                     : option != 'r' || !parse_count(optarg, FEWEST_ROUNDS, RACE_MOST_ROUNDS, &lab->rounds))
            return false;
    lab->bench.size_bytes = mib << 20;
    return optind + 2 == argc;
}

int main(int argc, char **argv)
{
    static struct lab lab;
    struct bench *bench = &lab.bench;
    bool done;

    if (!parse(argc, argv, &lab)) {
        complain("lab: A.so B.so [--only TEXT] [--size MIB, 1 to %d] [--rounds N, %d to %d] [--device TEXT]",
                 MOST_MIB, FEWEST_ROUNDS, RACE_MOST_ROUNDS);
        return STATUS_USAGE;
    }
    done = run(&lab, argv + optind);
    if (!done)
        complain("%s", bench->failure.text);
    free(lab.y);
    bench_close(bench);
    return close_output(done ? STATUS_DONE : (int)bench->failure.status);
}
