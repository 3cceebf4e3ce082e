/* SPDX-License-Identifier: Apache-2.0 */
/* Right calls with one change or several: what the operator's rules say of each, the library's check has to
 * say too, the same status and the same sentence, and nothing else.
 * No device takes part (test_descriptors has one).
 *
 *   test_refuse [--operator NAME] [--seed N] [--first N] [--count N] [--rules 1]
 *
 * At the end every rule has to have been said of some call. Two are said of two or three in 600,000: if one
 * was not, up to MOST_RUNS times as many are drawn. */
#include "judge.h"
#include "options.h"
#include "spoil.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RULES_COUNT = 600000, MOST_RUNS = 8 };

struct totals {
    uint64_t right, refused;
};

/* Where one change was made, the sentence is that of a rule it breaks. */
static bool agrees(const struct judge *judge, clq_status status, int changes)
{
    const struct finding *said = NULL;
    int count = 0;

    for (int i = 0; i < judge_findings(judge); i++) {
        const struct finding *finding = &judge->findings[i];

        count += !finding->of_buffers;
        if (finding->status == status && strcmp(finding->sentence, clq_error_detail()) == 0)
            said = finding;
    }
    if (status == CLQ_OK || count == 0)
        return status == CLQ_OK && count == 0;
    if (said != NULL)
        said->rule->said++;
    return said != NULL || changes > 1;
}

static void complain(const struct call *call, const struct judge *judge, clq_status status)
{
    fprintf(stderr, "the library says %s: \"%s\"\n", clq_status_name(status),
            status != CLQ_OK ? clq_error_detail() : "");
    for (int i = 0; i < judge_findings(judge); i++)
        fprintf(stderr, "  a rule says %s: \"%s\"%s\n", clq_status_name(judge->findings[i].status),
                judge->findings[i].sentence, judge->findings[i].of_buffers ? " (of buffers)" : "");
    call_print(call);
}

static bool try_call(const struct operator_row *op, uint64_t seed, uint64_t number, struct totals *totals)
{
    static struct call call;
    struct judge judge;
    struct bound bound;
    clq_status status;
    int changes = 0;
    bool good;

    call.rng = rng_of(seed, number);
    call_draw(&call, op, 48, NULL);
    if (!rng_once_in(&call.rng, 50))
        do
            changes += spoil(&call);
        while (rng_once_in(&call.rng, 4));
    judge_call(&judge, &call);
    status = call.op->check(call_bind(&call, &bound, NULL, NULL));
    good = agrees(&judge, status, changes);
    if (!good) {
        complain(&call, &judge, status);
        fprintf(stderr, "once more: test_refuse --seed %" PRIu64 " --first %" PRIu64 " --count 1%s%s\n", seed,
                number, op != NULL ? " --operator " : "", op != NULL ? op->name : "");
    }
    totals->right += status == CLQ_OK;
    totals->refused += status != CLQ_OK;
    call_clear(&call);
    return good;
}

/* Rules of buffers are not said without them. */
static bool said_all(void)
{
    for (const struct rule *rule = rules_known; rule != NULL; rule = rule->next)
        if (!rule->of_buffers && rule->said == 0)
            return false;
    return true;
}

static void print_rules(bool all)
{
    for (const struct rule *rule = rules_known; rule != NULL; rule = rule->next)
        if (!rule->of_buffers && (all || rule->said == 0))
            fprintf(stderr, "%s:%d: said of %ld calls\n", rule->file, rule->line, rule->said);
}

int main(int argc, char **argv)
{
    uint64_t seed = options_seed(), first = 0, count = RULES_COUNT, print = 0;
    const char *name = NULL;
    const struct operator_row *op;
    struct totals totals = {0};
    bool good = options_read(argc, argv,
                             (const struct option[]){{"--operator", NULL, &name},
                                                     {"--seed", &seed, NULL},
                                                     {"--first", &first, NULL},
                                                     {"--count", &count, NULL},
                                                     {"--rules", &print, NULL},
                                                     {NULL, NULL, NULL}});

    op = name != NULL ? operator_find(name) : NULL;
    if (name != NULL && op == NULL) {
        fprintf(stderr, "--operator is %s: there is none of this name\n", name);
        return 2;
    }
    if (good)
        printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    const bool rules = count >= RULES_COUNT && op == NULL;
    for (uint64_t i = 0; good && (i < count || (rules && i < MOST_RUNS * count && !said_all())); i++)
        good = try_call(op, seed, first + i, &totals);
    if (good) {
        printf("%" PRIu64 " calls are right, %" PRIu64 " are refused\n", totals.right, totals.refused);
        if (rules || print != 0)
            print_rules(print != 0);
        good = !rules || said_all();
    }
    return good ? 0 : 1;
}
