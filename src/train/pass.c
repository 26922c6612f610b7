// One pass: learns from each row, in the order of the pass.
#include "base/parallel.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "mlp/layers.h"
#include "space/dual.h"
#include "train/clock.h"
#include "train/kernel_scores.h"
#include "train/team.h"
#include "train/train.h"

#include <assert.h>
#include <stdio.h>

#define ROW_WORK 64        // fixed cost of a row, in multiplications
#define PREFETCH_MIN 10000 // rows; fewer are done before a second thread has started
// Bytes of entries. Less stays in the last cache, from which prefetching in the loop over the rows
// is as fast as copying them in a second thread, and takes half of its processor time.
#define PREFETCH_BYTES ((uint64_t)16 << 20)

// ---- one example ----

// The exact test of the guard, for a row that its bound does not cover. A rejected row is an error,
// or is skipped with --skip-bad.
static bool passes_guard(struct training *t, const struct example *example, tlu_status *status,
                         tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct refusal refusal;
    char reason[300];
    if (learner->space.dual)
        learner_score_dual(learner, example->id);
    if (learner->space.dual ? guard_accepts_dual(learner, example->id, example->weight)
                            : guard_accepts(learner, &example->x, example->weight, &refusal))
        return true;
    t->rows.counts.refused++;
    t->rows.counts.skipped++;
    if (options_flag(learner->state.options, OPTION_SKIP_BAD))
        return false;
    if (learner->space.dual)
        snprintf(reason, sizeof reason,
                 "the score of this row, or its kernel value with itself, overflows; scale the "
                 "data (--scale maxabs)");
    else
        guard_message(learner, &refusal, reason, sizeof reason);
    *status = rows_refuse(&t->rows, example->id, reason, error);
    return false;
}

// The slow path: an example that the guard's bound does not cover, the dual form, or --scale
// online.
static tlu_status train_checked_example(struct training *t, struct example *example, bool *wrong,
                                        tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    tlu_status status = TLU_OK;
    bool sure = !learner->space.dual && guard_is_sure(learner, example->x.count, example->weight);
    *wrong = false;
    if (!sure && !passes_guard(t, example, &status, error))
        return status;
    if (learner->state.online.on) {
        TRY(enough_memory(online_scale_reserve(learner, example->x.count), error));
        online_scale_update(learner, &example->x);
        online_scale_row(learner, &example->x, learner->state.online.scratch);
    }
    example->norm = learner_norm(learner, &example->x, example->id);
    return learner_learn_example(learner, example, wrong, error);
}

// After an example with `count` entries.
__attribute__((always_inline)) static inline tlu_status
end_example(struct training *t, size_t count, bool wrong, tlu_error *error)
{
    const struct learner_state *state = &t->learner.state;
    t->run.now.examples++;
    t->run.now.mistakes += wrong;
    if (state->examples == t->reporter.stop_after)
        t->reporter.interrupted = true;
    uint64_t work = ROW_WORK + (uint64_t)count * state->weights.columns;
    return progress_is_due(&t->reporter, t->run.now.examples, work) ? progress_examples(t, error)
                                                                    : TLU_OK;
}

// Learns from one example. Inlined into each loop over rows.
__attribute__((always_inline)) static inline tlu_status
train_example(struct training *t, struct example *example, bool *wrong, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    bool sure = !learner->space.dual && !learner->state.online.on &&
                guard_is_sure(learner, example->x.count, example->weight);
    tlu_status status = sure ? learner_learn_example(learner, example, wrong, error)
                             : train_checked_example(t, example, wrong, error);
    if (status == TLU_OK)
        return end_example(t, example->x.count, *wrong, error);
    t->run.now.examples++;
    return status;
}

// Learns from a row, which may have a set of labels, and reports the step to the caller's function,
// if there is one.
static tlu_status train_reported_example(struct training *t, struct place place, tlu_error *error)
{
    struct example example = example_at(t->rows.batches, place, &t->rows.norms);
    if (t->learner.state.schema.multilabel)
        example_find_set(&example, t->rows.batches, place);
    uint64_t updates = t->learner.state.updates, refused = t->rows.counts.refused;
    bool wrong;
    if (t->reporter.on_step) {
        // A new class adds columns: the weights before the step have them, too.
        TRY(learner_add_classes(&t->learner, example.class_index + 1, error));
        if (!t->reporter.before_step(t, rows_batch(&t->rows, place), place.row))
            return error_memory(error);
    }
    TRY(train_example(t, &example, &wrong, error));
    if (t->reporter.on_step && t->rows.counts.refused == refused)
        t->reporter.interrupted |= !t->reporter.on_step(t, rows_batch(&t->rows, place), place.row,
                                                        wrong, t->learner.state.updates > updates);
    return TLU_OK;
}

// ---- the primal form ----

// The index in the order of rows that the pass has reached.
static size_t position(const struct training *t)
{
    assert(t->run.now.examples >= t->rows.passed);
    return (size_t)(t->run.now.examples - t->rows.passed);
}

// The number of rows before the next mixture, or in the whole pass.
static size_t pass_end(const struct training *t)
{
    return t->team ? t->pass_end : t->rows.order.count;
}

// The rest of a shuffled pass. Its rows are scattered over memory, so a second thread copies them
// ahead.
__attribute__((noinline)) static tlu_status pass_prefetched(struct training *t, tlu_error *error)
{
    const struct places *order = &t->rows.order;
    bool threads = parallel_threads(options_count(t->learner.state.options, OPTION_THREADS)) > 1,
         wrong;
    struct prefetch *prefetch =
        prefetch_open(t->rows.batches, &t->rows.norms, order->items + position(t),
                      pass_end(t) - position(t), threads);
    TRY(enough_memory(prefetch != NULL, error));
    struct example *examples;
    tlu_status status = TLU_OK;
    size_t count;
    while (status == TLU_OK && !t->reporter.interrupted &&
           (count = prefetch_next(prefetch, &examples)))
        for (size_t i = 0; status == TLU_OK && !t->reporter.interrupted && i < count; i++)
            status = train_example(t, &examples[i], &wrong, error);
    prefetch_close(prefetch);
    return status;
}

// Whether pass_binary is for these examples.
static bool is_binary(const struct tlu_learner *learner)
{
    const struct learner_state *state = &learner->state;
    return state->scheme.kind == SCHEME_TWO && state->weights.columns == 1 &&
           !state->weights.slots && !state->weights.recent.r && learner->rule.passive &&
           !decision_counts(&state->decision) && !state->online.on && !learner->space.dual;
}

static inline void fetch_ahead(const struct training *t, const struct place *places, size_t k,
                               size_t end)
{
    if (k + FETCH_START >= end)
        return;
    fetch_start(t->rows.batches, &t->rows.norms, places[k + FETCH_START]);
    fetch_row(t->rows.batches, places[k + FETCH_ROW]);
}

// The rest of the pass, up to a row of a new class, for two classes and a rule that does nothing if
// the margin is large enough: then an example costs little more than its score. Does the same as
// train_example.
__attribute__((noinline)) static tlu_status pass_binary(struct training *t, size_t end,
                                                        bool shuffled, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct weights *weights = &learner->state.weights;
    const struct place *places = t->rows.order.items;
    for (size_t k = position(t); k < end && !t->reporter.interrupted; k++) {
        if (shuffled)
            fetch_ahead(t, places, k, end);
        struct example example = example_at(t->rows.batches, places[k], &t->rows.norms);
        bool wrong = false;
        if (example.class_index >= learner->state.scheme.classes)
            break;
        if (!guard_is_sure(learner, example.x.count, example.weight)) {
            TRY(train_example(t, &example, &wrong, error));
            continue;
        }
        const double score = weights_score(weights, &example.x);
        learner->space.scores[0] = score;
        if ((example.class_index == learner->state.scheme.positive ? score : -score) >
            learner->rule.passive_margin) {
            weights->steps += 1;
            learner->state.examples++;
        } else {
            TRY(learner_learn_scored(learner, &example, &wrong, error));
        }
        TRY(end_example(t, example.x.count, wrong, error));
    }
    return TLU_OK;
}

// Not inlined into pass_run, because the loop needs the registers.
__attribute__((noinline)) static tlu_status pass_examples(struct training *t, tlu_error *error)
{
    const struct places *order = &t->rows.order;
    bool shuffled = options_choice(t->learner.state.options, OPTION_SHUFFLE) != SHUFFLE_NONE;
    bool reported = t->reporter.on_step, sets = t->learner.state.schema.multilabel, wrong;
    if (position(t) >= pass_end(t))
        return TLU_OK;
    if (t->learner.rule.kind->traits & LEARNER_NORM && !t->learner.state.online.on)
        TRY(rows_measure(&t->rows, t->learner.rule.bias, error));
    if (shuffled && t->rows.ended && !reported && !t->reporter.interrupted &&
        pass_end(t) - position(t) >= PREFETCH_MIN &&
        t->rows.counts.nonzeros * sizeof(uint64_t) > PREFETCH_BYTES)
        return pass_prefetched(t, error);
    const struct place *places = order->items; // a local copy, which the loop need not reload
    size_t k = position(t), end = pass_end(t);
    if (!reported && is_binary(&t->learner)) {
        TRY(pass_binary(t, end, shuffled, error));
        k = position(t);
    }
    for (; (reported || sets) && k < end && !t->reporter.interrupted; k++)
        TRY(train_reported_example(t, places[k], error));
    for (; k < end && !t->reporter.interrupted; k++) {
        if (shuffled)
            fetch_ahead(t, places, k, end);
        struct example example = example_at(t->rows.batches, places[k], &t->rows.norms);
        TRY(train_example(t, &example, &wrong, error));
    }
    return TLU_OK;
}

// ---- the dual form ----

static tlu_status train_block(struct training *t, size_t first, tlu_error *error)
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
        TRY(train_reported_example(t, order->items[first + i], error));
    return TLU_OK;
}

// Trains block by block. A pass can be interrupted only between two blocks.
static tlu_status pass_dual(struct training *t, tlu_error *error)
{
    struct progress_reporter *reporter = &t->reporter;
    if (t->run.pass == 0)
        reporter->effort.started = clock_seconds() - reporter->started;
    if (t->run.now.examples == 0) {
        progress_note_effort(t);
        dual_pass_begin(t->learner.space.dual);
    }
    while (position(t) < t->rows.order.count && !reporter->interrupted) {
        TRY(train_block(t, position(t), error));
        progress_report(t);
        TRY(progress_checkpoint(t, error));
    }
    if (!reporter->interrupted)
        TRY(dual_pass_end(t->learner.space.dual, error));
    return TLU_OK;
}

// ---- batch solvers ----

struct solver_scores {
    struct training *t;
    size_t overflow; // the first place whose scores are not finite; else the number of places
};

// Counts the mistake of the place, whose scores are in space.scores.
static void count_solved(struct solver_scores *scored, size_t k, uint32_t winner)
{
    struct training *t = scored->t;
    struct tlu_learner *learner = &t->learner;
    struct place place = t->rows.order.items[k];
    const uint32_t *set = batch_set(rows_batch(&t->rows, place), place.row);
    t->run.now.mistakes += set ? !learner_is_right(learner, learner->space.scores, 0, set)
                               : winner != rows_label(&t->rows, place);
    t->run.now.examples++;
    if (k < scored->overflow && !guard_finite(learner->space.scores, learner_columns(learner)))
        scored->overflow = k;
}

static void take_solved(void *context, const double *scores, size_t k)
{
    struct solver_scores *scored = context;
    struct tlu_learner *learner = &scored->t->learner;
    memcpy(learner->space.scores, scores, learner_columns(learner) * sizeof *scores);
    count_solved(scored, k, learner_elect(learner, scores));
}

// The places whose mistakes are counted: after an interruption with a kernel, some of them, because
// each needs kernel values with all supports.
static struct places counted_places(const struct training *t)
{
    struct places places = t->rows.order;
    const struct weights *weights = &t->learner.state.weights;
    uint64_t entries = t->rows.counts.nonzeros / (t->rows.counts.rows + 1) + 1, supports = 1;
    if (!t->reporter.interrupted || !t->learner.state.kernel.kind)
        return places;
    for (size_t id = 0; id < weights->features; id++)
        supports += weights_are_used(weights, id);
    uint64_t some = PROGRESS_WORK / (entries * supports) + 1;
    places.count = some < places.count ? (size_t)some : places.count;
    return places;
}

// Solves, and then counts the mistakes of the solution on the training rows.
static tlu_status pass_solver(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct rows *rows = &t->rows;
    struct solver_scores scored = {t, rows->order.count};
    struct places counted;
    learner->solving.stop = progress_ends;
    learner->solving.stop_context = t;
    learner->solving.multipliers = t->multipliers;
    t->reporter.solving = true;
    TRY(learner->rule.functions->solve(learner, rows->batches, rows->batch_count, error));
    counted = counted_places(t);
    if (learner->state.kernel.kind)
        TRY(enough_memory(kernel_scores(t, &counted, take_solved, &scored), error));
    for (size_t k = 0; !learner->state.kernel.kind && k < rows->order.count; k++) {
        tlu_row row = rows_row(rows, rows->order.items[k]);
        count_solved(&scored, k, learner_decide(learner, &row));
    }
    if (scored.overflow < rows->order.count)
        return rows_refuse(rows, rows_id(rows, rows->order.items[scored.overflow]),
                           GUARD_NO_SCORE "; scale the data (--scale maxabs)", error);
    return TLU_OK;
}

// ---- minibatches ----

// Fills the minibatch with the rows at these places.
static tlu_status fill_minibatch(struct training *t, const struct place *places, size_t count,
                                 tlu_error *error)
{
    struct layers *layers = t->learner.space.layers;
    minibatch_clear(&layers->batch);
    for (size_t i = 0; i < count; i++) {
        tlu_row row = rows_row(&t->rows, places[i]);
        TRY(enough_memory(minibatch_add(&layers->batch, &row, layers->place,
                                        rows_label(&t->rows, places[i]),
                                        rows_weight(&t->rows, places[i])),
                          error));
    }
    return TLU_OK;
}

// Copies the scores of row i of the minibatch into space.scores. `place` is for the error message.
static tlu_status take_scores(struct training *t, size_t i, struct place place, tlu_error *error)
{
    double *scores = t->learner.space.scores;
    const struct layers *layers = t->learner.space.layers;
    const struct layer *last = &layers->net->layers[layers->net->shape.depth - 1];
    const float *outputs = net_outputs(layers->net, &layers->scratch) + i * last->wide;
    for (size_t c = 0; c < last->units; c++)
        scores[c] = (double)outputs[c];
    if (guard_finite(scores, last->units))
        return TLU_OK;
    return rows_refuse(&t->rows, rows_id(&t->rows, place),
                       "the scores of this row overflow: the weights of "
                       "the net have grown too large; a smaller --rate or --scale standard helps",
                       error);
}

// Counts the rows of the minibatch for which another class wins.
static tlu_status count_wrong(struct training *t, const struct place *places, uint64_t *wrong,
                              tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    const struct layers *layers = learner->space.layers;
    for (size_t i = 0; i < layers->batch.rows; i++) {
        TRY(take_scores(t, i, places[i], error));
        *wrong += learner_elect(learner, learner->space.scores) != layers->batch.classes[i];
    }
    return TLU_OK;
}

static tlu_status train_minibatch(struct training *t, const struct place *places, size_t count,
                                  tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    uint64_t wrong = 0;
    TRY(fill_minibatch(t, places, count, error));
    TRY(learner->rule.functions->learn(learner, error));
    TRY(count_wrong(t, places, &wrong, error));
    learner->state.examples += count;
    learner->state.mistakes += wrong;
    learner->state.weights.steps += (double)count;
    t->run.now.examples += count;
    t->run.now.mistakes += wrong;
    progress_report(t);
    return progress_checkpoint(t, error);
}

static bool is_interrupted(struct training *t)
{
    if (t->reporter.stop_after && t->learner.state.examples >= t->reporter.stop_after)
        t->reporter.interrupted = true;
    return t->reporter.interrupted;
}

static tlu_status pass_minibatches(struct training *t, tlu_error *error)
{
    struct layers *layers = t->learner.space.layers;
    const struct places *order = &t->rows.order;
    if (t->run.now.examples == 0)
        layers->net->unsure = 0;
    while (!is_interrupted(t) && t->run.now.examples < order->count) {
        size_t at = (size_t)t->run.now.examples, left = order->count - at;
        TRY(train_minibatch(t, order->items + at,
                            left < layers->batch_rows ? left : layers->batch_rows, error));
    }
    if (!net_is_finite(layers->net))
        return error_input(
            error,
            "%s: the weights of the network overflow; give a smaller --rate or --scale standard",
            t->rows.path);
    return TLU_OK;
}

tlu_status pass_score_layers(struct training *t, double *right, tlu_error *error)
{
    struct layers *layers = t->learner.space.layers;
    const struct places *places = &t->rows.held_out;
    for (size_t at = 0, count; at < places->count; at += count) {
        size_t left = places->count - at;
        count = left < layers->batch_rows ? left : layers->batch_rows;
        TRY(fill_minibatch(t, places->items + at, count, error));
        layers_score(layers);
        for (size_t i = 0; i < count; i++) {
            TRY(take_scores(t, i, places->items[at + i], error));
            *right += holdout_add_row(t, t->learner.space.scores, at + i);
        }
    }
    return TLU_OK;
}

// ---- the pass ----

static tlu_status prune(struct training *t, tlu_error *error)
{
    size_t most = t->learner.pruning.max_features; // safe, because earlier rows are not used again
    return most ? learner_prune(&t->learner, most, error) : TLU_OK;
}

// All processes learn from as many rows between two mixtures; those with fewer rows wait.
static tlu_status pass_in_team(struct training *t, tlu_error *error)
{
    uint64_t chunks = team_chunks(t), every = t->team->mix_every;
    for (uint64_t k = 1; k <= chunks && !t->reporter.interrupted; k++) {
        size_t count = t->rows.order.count;
        t->pass_end = k == chunks || k * every > count ? count : (size_t)(k * every);
        TRY(pass_examples(t, error));
        TRY(team_mix(t, k == chunks, error));
    }
    progress_report(t);
    return TLU_OK;
}

tlu_status pass_run(struct training *t, tlu_error *error)
{
    if (t->team)
        return pass_in_team(t, error);
    bool solver = t->learner.rule.kind->traits & LEARNER_BATCH, reading = false;
    do { // first the rows in memory; in the first pass, then those still to be read
        if (reading)
            TRY(training_read(t, t->rows.keep, error));
        if (solver)
            TRY(pass_solver(t, error));
        else if (t->learner.space.layers)
            TRY(pass_minibatches(t, error));
        else if (t->learner.space.dual)
            TRY(pass_dual(t, error));
        else
            TRY(pass_examples(t, error));
        TRY(prune(t, error));
        if (reading) {
            progress_report(t);
            TRY(progress_checkpoint(t, error));
        }
        reading = !t->rows.ended && !t->reporter.interrupted;
    } while (reading);
    progress_report(t);
    return TLU_OK;
}
