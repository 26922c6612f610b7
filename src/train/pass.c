// One pass: each row, in the order of the pass, is an example to learn from.
#include "base/parallel.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "space/dual.h"
#include "train/clock.h"
#include "train/train.h"

#include <stdio.h>

#define ROW_WORK 64        // multiplications: what a row costs besides those with its entries
#define PREFETCH_MIN 10000 // rows: fewer are learned before a thread has started

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
                 "the score of this row, or its kernel value with itself, overflows; scale the "
                 "data (--scale maxabs)");
    else
        guard_say(learner, &refusal, reason, sizeof reason);
    *status = rows_refuse(&t->rows, id, reason, error);
    return false;
}

// An example that is not sure, or is not learned from as it is.
static tlu_status learn_carefully(struct training *t, const struct example *example, bool *wrong,
                                  tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    tlu_row x = example->x;
    tlu_status status = TLU_OK;
    bool sure = !learner->space.dual && guard_is_sure(learner, x.count, example->weight);
    *wrong = false;
    if (!sure && !look_closer(t, &x, example->id, example->weight, &status, error))
        return status;
    if (learner->online.on) {
        TRY(enough_memory(online_scale_reserve(learner, x.count), error));
        online_scale_meet(learner, &x);
        online_scale_row(learner, &x, learner->online.room);
    }
    return learner_learn(learner, &x, example->id, example->class_index, example->weight, wrong,
                         error);
}

// A copy for each loop over rows.
__attribute__((always_inline)) static inline tlu_status
learn_example(struct training *t, const struct example *example, bool *wrong, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    bool usual = !learner->space.dual && !learner->online.on &&
                 guard_is_sure(learner, example->x.count, example->weight);
    tlu_status status = usual ? learner_take(learner, example, wrong, error)
                              : learn_carefully(t, example, wrong, error);
    t->run.now.examples++;
    if (status != TLU_OK)
        return status;
    t->run.now.mistakes += *wrong;
    if (learner->examples == t->reporter.stop_after)
        t->reporter.interrupted = true;
    uint64_t work = ROW_WORK + (uint64_t)example->x.count * learner->space.weights.columns;
    return progress_is_due(&t->reporter, t->run.now.examples, work) ? progress_examples(t, error)
                                                                    : TLU_OK;
}

// Learns from a row, and tells the one who watches every step.
static tlu_status learn_told(struct training *t, struct place place, tlu_error *error)
{
    struct example example = example_at(t->rows.batches, place, &t->rows.norms);
    uint64_t updates = t->learner.updates, refused = t->rows.counts.refused;
    bool wrong;
    TRY(learn_example(t, &example, &wrong, error));
    if (t->reporter.on_step && t->rows.counts.refused == refused)
        t->reporter.interrupted |= !t->reporter.on_step(t, rows_batch(&t->rows, place), place.row,
                                                        wrong, t->learner.updates > updates);
    return TLU_OK;
}

// The rows at some places of the order, until the training is interrupted.
static tlu_status learn_places(struct training *t, size_t first, size_t end, tlu_error *error)
{
    const struct place *places = t->rows.order.items;
    bool told = t->reporter.on_step;
    for (size_t k = first; told && k < end && !t->reporter.interrupted; k++)
        TRY(learn_told(t, places[k], error));
    for (size_t k = first; !told && k < end && !t->reporter.interrupted; k++) {
        struct example example = example_at(t->rows.batches, places[k], &t->rows.norms);
        bool wrong;
        TRY(learn_example(t, &example, &wrong, error));
    }
    return TLU_OK;
}

// ---- weights of features ----

// Where the pass is in the order of the rows.
static size_t position(const struct training *t)
{
    return (size_t)(t->run.now.examples - t->rows.passed);
}

static tlu_status learn_all_prefetched(struct training *t, struct prefetch *feed, tlu_error *error)
{
    const struct example *examples;
    size_t count;
    while (!t->reporter.interrupted && (count = prefetch_next(feed, &examples)))
        for (size_t i = 0; !t->reporter.interrupted && i < count; i++) {
            bool wrong;
            TRY(learn_example(t, &examples[i], &wrong, error));
        }
    return TLU_OK;
}

// Rows scattered over the memory, brought by a second thread.
static tlu_status learn_prefetched(struct training *t, tlu_error *error)
{
    const struct places *order = &t->rows.order;
    bool threads = parallel_threads(options_count(t->learner.options, OPTION_THREADS)) > 1;
    struct prefetch *feed =
        prefetch_open(t->rows.batches, &t->rows.norms, order->items + position(t),
                      order->count - position(t), threads);
    TRY(enough_memory(feed != NULL, error));
    tlu_status status = learn_all_prefetched(t, feed, error);
    prefetch_close(feed);
    return status;
}

static tlu_status learn_primal(struct training *t, tlu_error *error)
{
    const struct places *order = &t->rows.order;
    if (t->learner.rule.kind->traits & LEARNER_NORM && !t->learner.online.on)
        TRY(rows_measure(&t->rows, t->learner.rule.bias, error));
    bool shuffled = options_choice(t->learner.options, OPTION_SHUFFLE) != SHUFFLE_NONE;
    if (shuffled && t->rows.ended && !t->reporter.on_step && !t->reporter.interrupted &&
        order->count - position(t) >= PREFETCH_MIN)
        return learn_prefetched(t, error);
    return learn_places(t, position(t), order->count, error);
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
        TRY(learn_told(t, order->items[first + i], error));
    return TLU_OK;
}

// Block by block. A pass ends early between two blocks alone.
static tlu_status learn_dual(struct training *t, tlu_error *error)
{
    struct progress_reporter *reporter = &t->reporter;
    if (t->run.pass == 0)
        reporter->effort.started = clock_seconds() - reporter->started;
    if (t->run.now.examples == 0) {
        progress_note_effort(t);
        dual_pass_begin(t->learner.space.dual);
    }
    while (position(t) < t->rows.order.count && !reporter->interrupted) {
        TRY(learn_block(t, position(t), error));
        progress_report(t);
        TRY(progress_checkpoint(t, error));
    }
    if (!reporter->interrupted)
        TRY(dual_pass_end(t->learner.space.dual, error));
    return TLU_OK;
}

// ---- learners that look at all rows at once ----

// Held-out rows are hidden from them; the mistakes are those that the result makes on its own rows.
static tlu_status learn_whole(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct rows *rows = &t->rows;
    learner->solving.stop = progress_ends;
    learner->solving.stop_context = t;
    t->reporter.solving = true;
    rows_hide_held_out(rows);
    tlu_status status =
        learner->rule.functions->solve(learner, rows->batches, rows->batch_count, error);
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
    if (t->learner.rule.kind->traits & LEARNER_BATCH)
        return learn_whole(t, error);
    if (t->learner.space.layers)
        return pass_learn_layers(t, error);
    return t->learner.space.dual ? learn_dual(t, error) : learn_primal(t, error);
}
