// One pass: each row, in the order of the pass, is an example to learn from.
#include "base/parallel.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "space/dual.h"
#include "train/clock.h"
#include "train/train.h"

#include <stdio.h>

#define ROW_WORK 64     // multiplications: what a row costs besides those with its entries
#define FED_LEAST 10000 // rows: fewer are learned before a thread has started

// ---- one example ----

// Whether a row that is not sure can be learned from; else it is an error, or with --skip-bad left
// out.
static bool look_closer(struct training *t, const tlu_row *row, uint64_t id, double weight,
                        tlu_status *status, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct refusal refusal;
    char reason[300];
    if (learner->space.dual)
        learner_score_dual(learner, id);
    if (learner->space.dual ? guard_look_dual(learner, id, weight)
                            : guard_look(learner, row, weight, &refusal))
        return true;
    t->rows.counts.refused++;
    t->rows.counts.skipped++;
    if (options_flag(learner->options, OPTION_SKIP_BAD))
        return false;
    if (learner->space.dual)
        snprintf(reason, sizeof reason,
                 "the score of this row, or its kernel value with itself, is past what a number "
                 "can hold; scale the data (--scale maxabs)");
    else
        guard_say(learner, &refusal, reason, sizeof reason);
    *status = rows_refuse(&t->rows, id, reason, error);
    return false;
}

static tlu_status learn_example(struct training *t, const tlu_row *row, uint64_t id, uint32_t label,
                                float weight, bool *wrong, tlu_error *error)
{
    tlu_row scaled = *row;
    tlu_status status = TLU_OK;
    bool fine =
        (!t->learner.space.dual && guard_is_sure(&t->learner, row->count, (double)weight)) ||
        look_closer(t, row, id, (double)weight, &status, error);
    *wrong = false;
    if (fine && t->learner.online.on) {
        TRY(enough_memory(online_scale_reserve(&t->learner, row->count), error));
        online_scale_meet(&t->learner, row);
        online_scale_row(&t->learner, &scaled, t->learner.online.room);
    }
    if (fine)
        status = learner_learn(&t->learner, &scaled, id, label, (double)weight, wrong, error);
    t->run.now.examples++;
    if (status != TLU_OK)
        return status;
    t->run.now.mistakes += *wrong;
    return watch_examples(t, ROW_WORK + (uint64_t)row->count * t->learner.space.weights.columns,
                          error);
}

static tlu_status learn_row(struct training *t, struct place place, tlu_error *error)
{
    const struct batch *batch = rows_batch(&t->rows, place);
    tlu_row row = batch_row(batch, place.row);
    uint64_t updates = t->learner.updates, refused = t->rows.counts.refused;
    bool wrong;
    TRY(learn_example(t, &row, batch->first_row + place.row, batch->labels[place.row],
                      batch_weight(batch, place.row), &wrong, error));
    if (t->watcher.on_step && t->rows.counts.refused == refused)
        t->watcher.interrupted |=
            !t->watcher.on_step(t, batch, place.row, wrong, t->learner.updates > updates);
    return TLU_OK;
}

// ---- weights of features ----

// Where the pass is in the order of the rows.
static size_t position(const struct training *t)
{
    return (size_t)(t->run.now.examples - t->rows.passed);
}

static tlu_status learn_all_fed(struct training *t, struct feed *feed, tlu_error *error)
{
    const struct fed_row *rows;
    size_t count;
    while (!t->watcher.interrupted && (count = feed_next(feed, &rows)))
        for (size_t i = 0; !t->watcher.interrupted && i < count; i++) {
            bool wrong;
            TRY(learn_example(t, &rows[i].row, rows[i].id, rows[i].label, rows[i].weight, &wrong,
                              error));
        }
    return TLU_OK;
}

// Rows scattered over the memory, brought by a second thread.
static tlu_status learn_fed(struct training *t, tlu_error *error)
{
    const struct places *order = &t->rows.order;
    bool threads = parallel_threads(options_count(t->learner.options, OPTION_THREADS)) > 1;
    struct feed *feed =
        feed_open(t->rows.batches, order->items + position(t), order->count - position(t), threads);
    TRY(enough_memory(feed != NULL, error));
    tlu_status status = learn_all_fed(t, feed, error);
    feed_close(feed);
    return status;
}

static tlu_status learn_primal(struct training *t, tlu_error *error)
{
    const struct places *order = &t->rows.order;
    bool shuffled = options_choice(t->learner.options, OPTION_SHUFFLE) != SHUFFLE_NONE;
    if (shuffled && t->rows.ended && !t->watcher.on_step && !t->watcher.interrupted &&
        order->count - position(t) >= FED_LEAST)
        return learn_fed(t, error);
    for (size_t k = position(t); k < order->count && !t->watcher.interrupted; k++)
        TRY(learn_row(t, order->items[k], error));
    return TLU_OK;
}

// ---- the dual form ----

static tlu_status learn_block(struct training *t, size_t first, tlu_error *error)
{
    const struct places *order = &t->rows.order;
    uint64_t ids[DUAL_BLOCK];
    size_t count = 0;
    for (; count < DUAL_BLOCK && first + count < order->count; count++) {
        struct place place = order->items[first + count];
        ids[count] = rows_batch(&t->rows, place)->first_row + place.row;
    }
    TRY(dual_block(t->learner.space.dual, ids, count, error));
    for (size_t i = 0; i < count; i++)
        TRY(learn_row(t, order->items[first + i], error));
    return TLU_OK;
}

// Block by block. A pass ends early between two blocks alone.
static tlu_status learn_dual(struct training *t, tlu_error *error)
{
    struct watcher *watcher = &t->watcher;
    if (t->run.pass == 0)
        watcher->effort.started = clock_seconds() - watcher->started;
    if (t->run.now.examples == 0) {
        watch_note_effort(t);
        dual_pass_begin(t->learner.space.dual);
    }
    while (position(t) < t->rows.order.count && !watcher->interrupted) {
        TRY(learn_block(t, position(t), error));
        watch_tell(t);
        TRY(watch_checkpoint(t, error));
    }
    if (!watcher->interrupted)
        TRY(dual_pass_end(t->learner.space.dual, error));
    return TLU_OK;
}

// ---- learners that look at all rows at once ----

// Held-out rows are hidden from them; the mistakes are those that the result makes on its own rows.
static tlu_status learn_whole(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct rows *rows = &t->rows;
    learner->solving.stop = watch_ends;
    learner->solving.stop_context = t;
    t->watcher.solving = true;
    rows_hide_held_out(rows);
    tlu_status status = learner->rule.kind->solve(learner, rows->batches, rows->batch_count, error);
    rows_show_held_out(rows);
    if (status != TLU_OK)
        return status;
    for (size_t k = 0; k < rows->order.count; k++) {
        struct place place = rows->order.items[k];
        const struct batch *batch = rows_batch(rows, place);
        tlu_row row = batch_row(batch, place.row);
        t->run.now.mistakes += learner_decide(learner, &row) != batch->labels[place.row];
        t->run.now.examples++;
        if (!guard_finite(learner->space.scores, learner_columns(learner)))
            return rows_refuse(rows, batch->first_row + place.row,
                               GUARD_NO_SCORE "; scale the data (--scale maxabs)", error);
    }
    return TLU_OK;
}

tlu_status pass_learn(struct training *t, tlu_error *error)
{
    if (t->learner.rule.kind->traits & LEARNER_WHOLE)
        return learn_whole(t, error);
    return t->learner.space.dual ? learn_dual(t, error) : learn_primal(t, error);
}
