// The end of a pass: how good it was, and whether there is to be another.
#include "base/memory.h"
#include "learn/decision.h"
#include "mlp/layers.h"
#include "space/dual.h"
#include "train/train.h"

#include <string.h>

// The share of held-out rows that are right now; the holdout_metric sees all of them.
static tlu_status look_at_held_out(struct training *t, double *accuracy, tlu_error *error)
{
    const struct places *places = &t->rows.held_out.places;
    size_t right = 0;
    if (t->learner.space.layers)
        return layers_accuracy(t, accuracy, error);
    if (t->learner.decision.history)
        return holdout_replay_of_history(t, accuracy, error);
    if (t->learner.space.dual)
        return holdout_replay_of_kernel(t, accuracy, error);
    for (size_t k = 0; k < places->count; k++) {
        struct place place = places->items[k];
        tlu_row row = batch_row(rows_batch(&t->rows, place), place.row);
        learner_decide(&t->learner, &row);
        right += holdout_metric_row(t, t->learner.space.scores, k);
    }
    *accuracy = (double)right / (double)places->count;
    return TLU_OK;
}

tlu_status pass_quality(struct training *t, double *quality, tlu_error *error)
{
    *quality = 0;
    if (t->rows.held_out.places.count == 0)
        return TLU_OK;
    TRY(holdout_metric_begin(t, error));
    TRY(look_at_held_out(t, quality, error));
    return holdout_metric_end(t, quality, error);
}

// --holdout: the weights of the best pass are kept.
static tlu_status measure(struct training *t, tlu_error *error)
{
    struct run *run = &t->run;
    const struct history *history = t->learner.decision.history;
    double quality;
    TRY(pass_quality(t, &quality, error));
    TRY(enough_memory(
        memory_reserve(&run->accuracy, &run->accuracy_capacity, run->pass, sizeof quality), error));
    run->accuracy[run->pass - 1] = quality;
    if (run->best_pass && !metric_is_better(t->holdout_metric.metric.metric, quality,
                                            run->accuracy[run->best_pass - 1]))
        return TLU_OK;
    run->best_pass = run->pass;
    run->best_updates = history ? history->count : 0;
    weights_free(&run->best);
    net_free(run->best_net);
    run->best_net = NULL;
    if (t->learner.space.layers) {
        run->best_net = net_copy(t->learner.space.layers->net);
        TRY(enough_memory(run->best_net != NULL, error));
    }
    return enough_memory(weights_copy(&run->best, learner_deciding(&t->learner)), error);
}

// ---- cycles ----

bool pass_may_cycle(const struct tlu_learner *learner)
{
    return options_choice(learner->options, OPTION_SHUFFLE) == SHUFFLE_NONE &&
           learner->rule.rate == learner->rule.rate_high && !learner->space.weights.scale &&
           !learner->space.weights.state && learner->rule.schedule == SCHEDULE_CONSTANT &&
           !(learner->rule.kind->traits & (LEARNER_BATCH | LEARNER_LAYERS));
}

// What the passes to come depend on: the weights, or in the dual form the scores of all rows, and
// the biases.
static size_t state_of(const struct training *t, const double **cells)
{
    const struct weights *weights = &t->learner.space.weights;
    *cells = t->learner.space.dual ? dual_all_scores(t->learner.space.dual) : weights->w;
    return (t->learner.space.dual ? (size_t)t->rows.counts.rows : weights->rows) * weights->columns;
}

static bool is_as_seen(const struct seen_state *seen, const double *cells, size_t count,
                       const struct weights *now)
{
    if (!seen->cells)
        return false;
    // Rows that have come since then are those of features that nothing was learned about.
    size_t old = seen->count - now->columns;
    return old <= count && (old == 0 || memcmp(seen->cells, cells, old * sizeof *cells) == 0) &&
           (old == count || weights_are_zero(cells + old, count - old)) &&
           memcmp(seen->cells + old, now->bias, now->columns * sizeof *cells) == 0;
}

// Passes in file order that start from the same state are the same for ever. The state is compared
// with that after an earlier pass, which is renewed after 1, 2, 4, 8... passes (Brent 1980).
static tlu_status look_for_cycle(struct training *t, tlu_error *error)
{
    struct seen_state *seen = &t->run.seen;
    const struct weights *now = &t->learner.space.weights;
    uint64_t pass = t->run.pass;
    const double *cells;
    size_t count = state_of(t, &cells);
    if (is_as_seen(seen, cells, count, now)) {
        t->outcome.cycle = pass - seen->pass;
    } else if ((pass & (pass - 1)) == 0) {
        memory_free(seen->cells);
        seen->cells = memory_new(count + now->columns, sizeof *seen->cells);
        TRY(enough_memory(seen->cells != NULL, error));
        seen->pass = pass;
        seen->count = count + now->columns;
        if (count)
            weights_copy_cells(seen->cells, cells, count);
        memcpy(seen->cells + count, now->bias, now->columns * sizeof *cells);
    }
    return TLU_OK;
}

// ---- the end ----

// Whether that was the last pass, and why.
static bool is_over(struct training *t, const struct pass_counts *last)
{
    const struct run *run = &t->run;
    enum stopped *stopped = &t->outcome.stopped;
    if (t->learner.rule.kind->traits & LEARNER_BATCH)
        *stopped = STOPPED_SOLVED;
    else if (t->learner.space.layers && t->learner.space.layers->net->unsure == 0)
        *stopped = STOPPED_CONVERGED;
    else if (last->mistakes == 0 && last->updates_before == t->learner.updates)
        *stopped = STOPPED_CONVERGED;
    else if (t->outcome.cycle)
        *stopped = STOPPED_CYCLE;
    else if (run->pass - run->best_pass >= options_count(t->learner.options, OPTION_PATIENCE))
        *stopped = STOPPED_PATIENCE;
    else if (run->pass == t->passes)
        *stopped = STOPPED_EPOCHS;
    else
        return false;
    return true;
}

tlu_status pass_end(struct training *t, bool *over, tlu_error *error)
{
    struct run *run = &t->run;
    struct pass_counts last = run->now;
    TRY(enough_memory(memory_reserve(&run->mistakes, &run->mistakes_capacity, run->pass + 1,
                                     sizeof *run->mistakes),
                      error));
    run->mistakes[run->pass++] = last.mistakes;
    run->now = (struct pass_counts){.updates_before = t->learner.updates};
    if (pass_may_cycle(&t->learner) && last.mistakes > 0)
        TRY(look_for_cycle(t, error));
    if (options_number(t->learner.options, OPTION_HOLDOUT) > 0)
        TRY(measure(t, error));
    else
        run->best_pass = run->pass;
    *over = is_over(t, &last);
    return TLU_OK;
}
