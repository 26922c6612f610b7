// The end of a pass: how good it was, and whether there is to be another.
#include "base/memory.h"
#include "space/dual.h"
#include "train/train.h"

#include <string.h>

double training_accuracy(struct training *t)
{
    size_t right = 0;
    for (size_t k = 0; k < t->held_out.count; k++) {
        struct place place = t->held_out.items[k];
        tlu_row row = batch_row(t->batches[place.batch], place.row);
        right += learner_decide(&t->learner, &row) == t->batches[place.batch]->labels[place.row];
    }
    return t->held_out.count ? (double)right / (double)t->held_out.count : 0;
}

static tlu_status measure(struct training *t, tlu_error *error)
{
    double accuracy = training_accuracy(t);
    if (!memory_reserve(&t->accuracy, &t->accuracy_capacity, t->pass, sizeof *t->accuracy))
        return error_memory(error);
    t->accuracy[t->pass - 1] = accuracy;
    if (t->best_pass && accuracy <= t->accuracy[t->best_pass - 1])
        return TLU_OK;
    t->best_pass = t->pass;
    weights_free(&t->best);
    return weights_copy(&t->best, &t->learner.space.weights) ? TLU_OK : error_memory(error);
}

// What the passes to come depend on: the weights, or in the dual form the scores of all rows, and
// the biases.
static size_t state_of(const struct training *t, const double **cells)
{
    const struct weights *weights = &t->learner.space.weights;
    *cells = t->learner.space.dual ? dual_all_scores(t->learner.space.dual) : weights->w;
    return (t->learner.space.dual ? t->rows : weights->rows) * weights->columns;
}

bool training_may_cycle(const struct tlu_learner *learner)
{
    return options_choice(learner->options, OPTION_SHUFFLE) == SHUFFLE_NONE &&
           learner->rule.rate == learner->rule.rate_high && !learner->space.weights.scale &&
           !learner->space.weights.state && learner->rule.schedule == SCHEDULE_CONSTANT &&
           !(learner->rule.kind->traits & LEARNER_WHOLE);
}

// Passes in file order that start from the same state are the same for ever. The state is compared
// with that after an earlier pass, which is renewed after 1, 2, 4, 8... passes (Brent 1980).
static tlu_status look_for_cycle(struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    const struct weights *now = &learner->space.weights;
    if (!training_may_cycle(learner) || t->pass_mistakes == 0)
        return TLU_OK;
    const double *cells;
    size_t count = state_of(t, &cells);
    // Rows that have come since then are those of features that nothing was learned about.
    size_t seen = t->seen ? t->seen_count - now->columns : 0;
    if (t->seen && seen <= count &&
        (seen == 0 || memcmp(t->seen, cells, seen * sizeof *cells) == 0) &&
        (seen == count || weights_are_zero(cells + seen, count - seen)) &&
        memcmp(t->seen + seen, now->bias, now->columns * sizeof *cells) == 0) {
        t->cycle = t->pass - t->seen_pass;
    } else if ((t->pass & (t->pass - 1)) == 0) {
        memory_free(t->seen);
        t->seen = memory_new(count + now->columns, sizeof *t->seen);
        if (!t->seen)
            return error_memory(error);
        t->seen_pass = t->pass;
        t->seen_count = count + now->columns;
        if (count)
            weights_copy_cells(t->seen, cells, count);
        memcpy(t->seen + count, now->bias, now->columns * sizeof *cells);
    }
    return TLU_OK;
}

tlu_status training_end_pass(struct training *t, tlu_error *error)
{
    if (training_catches_up(t)) { // the run knows how it was
        t->pass++;
        return TLU_OK;
    }
    if (!memory_reserve(&t->mistakes, &t->mistakes_capacity, t->pass + 1, sizeof *t->mistakes))
        return error_memory(error);
    t->mistakes[t->pass++] = t->pass_mistakes;
    tlu_status status = look_for_cycle(t, error);
    if (status != TLU_OK)
        return status;
    if (options_number(t->learner.options, OPTION_HOLDOUT) > 0)
        return measure(t, error);
    t->best_pass = t->pass;
    return TLU_OK;
}

bool training_is_over(struct training *t)
{
    uint64_t patience = options_count(t->learner.options, OPTION_PATIENCE);
    if (training_catches_up(t))
        return false;
    if (t->interrupted)
        t->stopped = STOPPED_INTERRUPTED;
    else if (t->learner.rule.kind->traits & LEARNER_WHOLE)
        t->stopped = STOPPED_SOLVED;
    else if (t->pass_mistakes == 0 && t->pass_updates == t->learner.updates)
        t->stopped = STOPPED_CONVERGED;
    else if (t->cycle)
        t->stopped = STOPPED_CYCLE;
    else if (t->pass - t->best_pass >= patience)
        t->stopped = STOPPED_PATIENCE;
    else if (t->pass == t->passes)
        t->stopped = STOPPED_EPOCHS;
    else
        return false;
    return true;
}
