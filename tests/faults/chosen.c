/* SPDX-License-Identifier: Apache-2.0 */
#include "chosen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The longest of so many calls is taken, and the search goes on for what none of them is. */
enum { FEWEST_DRAWS = 300, MOST_DRAWS = 4000 };

#define COMMON (CHOSEN_NOTHING | CHOSEN_ALONE | CHOSEN_WIDENED)
#define CHECKS (CHOSEN_RIGHT | CHOSEN_WRONG)
#define CLAIMS (CHOSEN_OWNED | CHOSEN_HASHED)
static const struct {
    const struct operator_row *op;
    unsigned kinds;
} wanted[] = {
    {&operator_quantize, COMMON | CHOSEN_WIDENED_TWICE | CHOSEN_CUT},
    {&operator_dequantize,
     COMMON | CHOSEN_WIDENED_TWICE | CHOSEN_PLACED | CHOSEN_GROUPED | CHOSEN_CUT | CHECKS},
    {&operator_group_quantize, CHOSEN_ALONE | CHOSEN_WIDENED | CHOSEN_GROUPED | CHECKS},
    {&operator_quantize_scatter, COMMON | CHOSEN_WIDENED_TWICE | CHOSEN_COPIED | CHOSEN_COPIED_APART |
                                     CHOSEN_COPIED_ALONE | CHOSEN_CUT | CLAIMS | CHECKS},
    {&operator_dynamic_quantize, COMMON | CHOSEN_CUT | CHOSEN_FINISHED},
    {&operator_dynamic_quantize_scatter, COMMON | CHOSEN_CUT | CLAIMS | CHECKS},
    {&operator_find_scales, CHOSEN_ALONE | CHOSEN_COLUMNS | CHOSEN_SHORT_ROWS | CHOSEN_FINISHED |
                                CHOSEN_FINISHED_ALONE | CHOSEN_CUT},
    {&operator_move_rows,
     CHOSEN_NOTHING | CHOSEN_ALONE | CHOSEN_CLAIMED | CHOSEN_BETWEEN | CHOSEN_COORDINATES | CHECKS},
};
_Static_assert(sizeof wanted / sizeof *wanted == OPERATORS, "which launches has the new operator?");

static unsigned wanted_of(const struct operator_row *op)
{
    size_t i = 0;

    while (wanted[i].op != op)
        i++;
    return wanted[i].kinds;
}

/* How many commands begin so. */
static unsigned count(const char *commands, const char *beginning)
{
    unsigned found = 0;

    for (const char *at = commands; *at != '\0'; at = strchr(at, ' ') + 1)
        found += strncmp(at, beginning, strlen(beginning)) == 0;
    return found;
}

static const struct tensor *given(const struct call *call, const char *name)
{
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        if (call->tensors[t].name != NULL && strcmp(call->tensors[t].name, name) == 0)
            return &call->tensors[t];
    return NULL;
}

/* Of a table that is all of the workspace. One of owners has a word for each place of the cache; where so
 * many entries are drawn that they need a table, dimension 1 is the one of positions. */
static unsigned table_kind(const struct subject *subject)
{
    const int64_t *cache = given(&subject->call, "cache")->dl.shape;

    return (int64_t)subject->table_words == cache[0] * cache[1] ? CHOSEN_OWNED : CHOSEN_HASHED;
}

static bool is_placed(const struct subject *subject)
{
    return given(&subject->call, "indices") != NULL || given(&subject->call, "src_indices") != NULL ||
           given(&subject->call, "dst_indices") != NULL;
}

static unsigned kinds_of(const struct subject *subject, const char *commands)
{
    const struct tensor *x = given(&subject->call, "x");
    const unsigned all = count(commands, ""), widened = count(commands, "clq_widen"),
                   copied = count(commands, "copy "), apart = count(commands, "clq_copy"),
                   found = count(commands, "clq_find_scales") + count(commands, "clq_cpu_find_scales"),
                   claimed = count(commands, "clq_claim") + count(commands, "clq_cpu_claim"),
                   finished = count(commands, "clq_finish_scales");
    unsigned kinds = 0;

    if (all == 1)
        kinds |= count(commands, "marker") ? CHOSEN_NOTHING : finished ? CHOSEN_FINISHED_ALONE : CHOSEN_ALONE;
    if (copied + apart > 0 && copied + apart + count(commands, "marker") == all)
        kinds = CHOSEN_COPIED_ALONE;
    else
        kinds |= (copied ? CHOSEN_COPIED : 0) | (apart ? CHOSEN_COPIED_APART : 0);
    kinds |=
        (widened == 1 ? CHOSEN_WIDENED : 0) | (widened == 2 ? CHOSEN_WIDENED_TWICE : 0) |
        (found && finished ? CHOSEN_FINISHED : 0) |
        (strstr(commands, "_columns") != NULL ? CHOSEN_COLUMNS : 0) |
        (count(commands, "clq_move_rows") + count(commands, "clq_convert_rows") > 1 ? CHOSEN_BETWEEN : 0) |
        (count(commands, "clq_places") ? CHOSEN_COORDINATES : 0) | (is_placed(subject) ? CHOSEN_PLACED : 0) |
        (given(&subject->call, "group_index") != NULL ? CHOSEN_GROUPED : 0);
    if (found && x->dl.ndim == 2 && x->shape[0] >= 600)
        kinds |= CHOSEN_SHORT_ROWS;
    if (claimed && widened + count(commands, "clq_values") == 0)
        kinds |= given(&subject->call, "cache") != NULL ? table_kind(subject) : CHOSEN_CLAIMED;
    return kinds;
}

/* Whether what an axis has behind whole blocks is a kernel of its own. */
static bool is_cut(const char *commands)
{
    static const char *const kernels[] = {
        "clq_quantize",       "clq_dequantize",           "clq_dynamic_quantize",
        "clq_find_scales",    "clq_finish_scales",        "clq_cpu_quantize",
        "clq_cpu_dequantize", "clq_cpu_dynamic_quantize", "clq_cpu_find_scales"};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (count(commands, kernels[i]) > 1)
            return true;
    return false;
}

static bool fail(const struct subject *subject, uint64_t number, const char *what)
{
    printf("FAILED: call %" PRIu64 ": %s: %s\n", number, what, clq_error_detail());
    fflush(stdout);
    call_print(&subject->call);
    return false;
}

/* Runs it once; its kernels are built then. */
static bool look(struct world *world, struct subject *subject, struct chosen *chosen)
{
    const struct operator_row *op = chosen->op;
    const void *desc = subject->placed.bound.desc;
    clq_status status;

    world->layer->commands[0] = '\0';
    status = op->enqueue(world->device.context, world->device.queue, desc, 1, &world->ready, &world->done);
    if (!world_await(world) || status != CLQ_OK)
        return fail(subject, chosen->number, "the call");
    chosen->commands = count(world->layer->commands, "");
    chosen->kinds =
        kinds_of(subject, world->layer->commands) | (is_cut(world->layer->commands) ? CHOSEN_CUT : 0);
    if (!(subject_bytes(subject) & SUBJECT_DONE))
        return fail(subject, chosen->number, "bytes are not the reference's");
    if (op->check_indices == NULL || !(chosen->kinds & (CHOSEN_PLACED | CHOSEN_GROUPED)))
        return true;
    status = op->check_indices(world->device.context, world->device.queue, desc, 1, &world->ready);
    if (status != CLQ_OK && status != CLQ_ERROR_INDEX)
        return fail(subject, chosen->number, "check_indices");
    chosen->kinds |= status == CLQ_OK ? CHOSEN_RIGHT : CHOSEN_WRONG;
    return true;
}

void chosen_print(const struct chosen *chosen)
{
    static const char *const texts[] = {
#define CHOSEN_TEXT(name, text) text,
        CHOSEN_KINDS(CHOSEN_TEXT)
#undef CHOSEN_TEXT
    };

    printf("%s %" PRIu64 ", %u commands", chosen->op->name, chosen->number, chosen->commands);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (chosen->kinds >> i & 1)
            printf(", %s", texts[i]);
    printf("%s\n", chosen->longest ? ": the longest" : "");
}

static bool draw(struct world *world, uint64_t seed, struct chosen *chosen)
{
    static struct subject subject;
    const bool good = subject_draw(&subject, &world->device, chosen->op, seed, chosen->number, false) &&
                      look(world, &subject, chosen);

    subject_clear(&subject);
    return good;
}

/* The longest, and then each that has a kind which none before it has. */
size_t chosen_find(struct world *world, const struct operator_row *op, uint64_t seed,
                   struct chosen list[CHOSEN_MOST])
{
    struct chosen first[FEWEST_DRAWS], next = {.op = op}, *longest = &first[0];
    unsigned missing = wanted_of(op);
    size_t chosen = 0;

    for (size_t i = 0; i < FEWEST_DRAWS; i++) {
        first[i] = (struct chosen){.op = op, .number = i};
        if (!draw(world, seed, &first[i]))
            return 0;
        if (first[i].commands > longest->commands)
            longest = &first[i];
    }
    longest->longest = true;
    list[chosen++] = *longest;
    missing &= ~longest->kinds;
    for (; missing != 0 && next.number < MOST_DRAWS; next.number++) {
        if (next.number < FEWEST_DRAWS)
            next = first[next.number];
        else if (!draw(world, seed, &next))
            return 0;
        if ((next.kinds & missing) != 0)
            list[chosen++] = next;
        missing &= ~next.kinds;
    }
    if (missing == 0)
        return chosen;
    printf("FAILED: none of %d calls has this:\n", MOST_DRAWS);
    chosen_print(&(struct chosen){.op = op, .kinds = missing});
    return 0;
}
