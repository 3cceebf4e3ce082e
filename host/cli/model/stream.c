/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads and a ring of pieces. Piece n is in lane n % LANES; each thread counts the pieces that it is
 * done with, and the next one in the ring waits for that. OpenCL is called by the program's own alone. */
#include "stream.h"

#include <pthread.h>

enum { LANES = 4 };

struct stream {
    struct model *model;
    struct model_shard *shard;
    struct output_file *out;
    struct model_piece lanes[LANES];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t opened, read, computed, written; /* pieces; opened those that may be read into */
    bool ended, failed;                     /* read is all that there are; a thread gave up */
    struct failure failure;                 /* of a thread that is not the program's own */
};

static void end_with(struct stream *s, const struct failure *failure)
{
    pthread_mutex_lock(&s->lock);
    if (!s->failed && failure)
        s->failure = *failure;
    s->failed = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void count(struct stream *s, size_t *done)
{
    pthread_mutex_lock(&s->lock);
    ++*done;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* Waits until the piece behind mine is there. False: none comes. */
static bool await(struct stream *s, const size_t *theirs, const size_t *mine)
{
    bool there = false;

    pthread_mutex_lock(&s->lock);
    while (!s->failed && *theirs <= *mine && !(s->ended && *mine == s->read))
        pthread_cond_wait(&s->changed, &s->lock);
    there = !s->failed && *theirs > *mine;
    pthread_mutex_unlock(&s->lock);
    return there;
}

static void *read_all(void *data)
{
    struct stream *s = data;
    size_t tensor = 0;
    uint64_t offset = 0;

    while (await(s, &s->opened, &s->read)) {
        struct model_piece *piece = &s->lanes[s->read % LANES];
        struct failure failure = {.status = STATUS_DONE};

        if (!model_piece_next(&s->model->options, s->shard, &tensor, &offset, piece)) {
            pthread_mutex_lock(&s->lock);
            s->ended = true;
            pthread_cond_broadcast(&s->changed);
            pthread_mutex_unlock(&s->lock);
            break;
        }
        if (!model_piece_read(&s->model->options, s->shard, piece, &failure)) {
            end_with(s, &failure);
            break;
        }
        count(s, &s->read);
    }
    return NULL;
}

static void *write_all(void *data)
{
    struct stream *s = data;
    struct float_error error = {0};

    while (await(s, &s->computed, &s->written)) {
        struct failure failure = {.status = STATUS_DONE};

        if (!model_piece_write(&s->model->options, s->shard, &s->lanes[s->written % LANES], &error, s->out,
                               &failure)) {
            end_with(s, &failure);
            break;
        }
        count(s, &s->written);
    }
    return NULL;
}

/* What the program's own thread does next. */
enum turn { OPEN, COMPUTE, LEAVE };

static enum turn take_turn(struct stream *s)
{
    enum turn turn = LEAVE;

    pthread_mutex_lock(&s->lock);
    while (!s->failed && s->opened == s->written + LANES && s->read == s->computed && !s->ended)
        pthread_cond_wait(&s->changed, &s->lock);
    if (!s->failed && s->read > s->computed)
        turn = COMPUTE;
    else if (!s->failed && !s->ended)
        turn = OPEN;
    pthread_mutex_unlock(&s->lock);
    return turn;
}

/* A lane is opened again before the device gets work, on which it would wait. */
static bool open_lanes(struct stream *s)
{
    for (;;) {
        struct model_piece *piece = &s->lanes[s->opened % LANES];
        bool free_lane = false;

        pthread_mutex_lock(&s->lock);
        free_lane = s->opened < s->written + LANES;
        pthread_mutex_unlock(&s->lock);
        if (!free_lane)
            return true;
        if (!model_piece_open(s->model, s->shard, piece))
            return false;
        count(s, &s->opened);
    }
}

static bool compute_all(struct stream *s)
{
    for (enum turn turn = OPEN; turn != LEAVE; turn = take_turn(s)) {
        if (!open_lanes(s))
            return false;
        if (turn == COMPUTE) {
            struct model_piece *piece = &s->lanes[s->computed % LANES];

            if (!model_piece_compute(s->model, s->shard, piece))
                return false;
            model_show(s->model, s->shard, piece->size_bytes);
            count(s, &s->computed);
        }
    }
    return true;
}

static bool run(struct stream *s)
{
    pthread_t reader, writer;
    int code = pthread_create(&reader, NULL, read_all, s);

    if (code == 0) {
        code = pthread_create(&writer, NULL, write_all, s);
        if (code != 0 || !compute_all(s))
            end_with(s, NULL);
        pthread_join(reader, NULL);
        if (code == 0)
            pthread_join(writer, NULL);
    }
    if (code != 0)
        return fail(s->model->failure, STATUS_SYSTEM, "%s: no thread can be started", s->shard->path);
    if (s->failure.status != STATUS_DONE)
        *s->model->failure = s->failure;
    return !s->failed;
}

bool model_stream(struct model *model, struct model_shard *shard, struct output_file *out)
{
    struct stream s = {.model = model, .shard = shard, .out = out};
    size_t made = 0;
    bool ok = true;

    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    for (; ok && made < LANES; made++)
        ok = model_piece_create(model, shard, &s.lanes[made]);
    ok = ok && run(&s);
    for (size_t i = 0; i < made; i++)
        model_piece_destroy(model, &s.lanes[i]);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    return ok;
}
