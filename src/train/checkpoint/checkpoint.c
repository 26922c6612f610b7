#include "train/checkpoint/checkpoint.h"

#include "base/memory.h"
#include "learn/conflicts.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "mlp/layers.h"
#include "train/team.h"
#include "train/train.h"

#include <assert.h>
#include <string.h>

#define OTHER_DATA "is not the data of the run to be resumed: "

void checkpoint_free(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    run_free(&checkpoint->run);
    state_free(&checkpoint->state);
    weights_free(&checkpoint->seen);
    memory_free(checkpoint->features);
    memory_free(checkpoint->pocket_features);
    memory_free(checkpoint->best_features);
    memory_free(checkpoint->seen_features);
    if (checkpoint->dual)
        dual_state_free(checkpoint->dual);
    memory_free(checkpoint->dual);
    memory_free(checkpoint);
}

const char *checkpoint_obstacle(const struct tlu_learner *learner)
{
    return conflicts_why(learner, SITUATION_CHECKPOINT);
}

// A run that continues finds the largest values of --scale online by reading all rows again: it
// cannot tell which of them were refused. Nor can it read a part of a data set again.
bool checkpoint_is_possible(const struct training *t)
{
    bool lost_track = t->rows.counts.refused && t->learner.state.online.on;
    return !checkpoint_obstacle(&t->learner) && !lost_track && !t->start.model &&
           !(t->team && t->run.now.examples) && !t->rows.row_source.subset.part &&
           !t->reporter.on_step;
}

// ---- which data it was ----

// All features with weights have numbers below this.
static size_t used_features(const struct weights *weights)
{
    size_t end = 0, row;
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row))
        if (weights_are_used(weights, row))
            end = f + 1;
    return end;
}

struct checkpoint_data checkpoint_data_now(const struct training *t)
{
    const struct schema *schema = &t->learner.state.schema;
    // In the dual form the weights are of rows, all of which were read.
    size_t features =
        t->learner.space.dual ? schema_features(schema) : used_features(&t->learner.state.weights);
    bool named = !schema->slots.bits && features > schema->base;
    struct checkpoint_data data = {.all = t->run.pass > 0 || t->rows.whole,
                                   .names = named ? (uint32_t)(features - schema->base) : 0,
                                   .every = rows_every(&t->rows)};
    data.print =
        t->team ? t->team->print
                : rows_fingerprint(&t->rows, data.all ? t->rows.counts.rows : t->run.now.examples,
                                   data.every);
    fingerprint_add_texts(&data.print, schema, t->learner.state.scheme.classes, data.names);
    return data;
}

static bool fill_at_end(struct checkpoint *checkpoint, struct tlu_learner *learner,
                        const struct run *run)
{
    checkpoint->run = *run;
    checkpoint->run.best_pass = run->accuracy ? 0 : run->pass;
    checkpoint->run.mistakes = memory_copy(run->mistakes, run->pass, sizeof *run->mistakes);
    checkpoint->run.mistakes_capacity = (size_t)run->pass;
    if (run->accuracy)
        checkpoint->run.accuracy = memory_copy(run->accuracy, run->pass, sizeof *run->accuracy);
    checkpoint->run.accuracy_capacity = run->accuracy ? (size_t)run->pass : 0;
    checkpoint->state.scheme.classes = learner->state.scheme.classes;
    state_move(&checkpoint->state, &learner->state);
    return checkpoint->run.mistakes && !checkpoint->run.accuracy == !run->accuracy &&
           weights_compact(&checkpoint->state.weights, &checkpoint->features,
                           &learner->state.weights);
}

struct checkpoint *checkpoint_at_end(struct tlu_learner *learner, const struct run *run,
                                     uint64_t rows, uint64_t nonzeros)
{
    const struct schema *schema = &learner->state.schema;
    struct checkpoint *checkpoint = memory_new(1, sizeof *checkpoint);
    if (!checkpoint || !fill_at_end(checkpoint, learner, run)) {
        checkpoint_free(checkpoint);
        return NULL;
    }
    struct checkpoint_data *data = &checkpoint->data;
    bool indices = schema_is_indexed(schema) && !schema->slots.bits;
    uint32_t base = indices ? SCHEMA_DIRECT : 0; // the run has names after all LIBSVM indices
    for (size_t i = 0; i < checkpoint->state.weights.features; i++)
        if (checkpoint->features[i] >= schema->base)
            checkpoint->features[i] += base - schema->base;
    *data = (struct checkpoint_data){
        .all = true, .names = schema_names(schema), .print = {rows, nonzeros, 0}};
    fingerprint_add_counts(&data->print, learner->state.scheme.class_examples,
                           learner->state.scheme.classes, data->names);
    fingerprint_add_texts(&data->print, schema, learner->state.scheme.classes, data->names);
    return checkpoint;
}

// ---- the data, up to where the run was ----

// The rows that the pass has taken before: those that are there, and those to come.
static tlu_status read_rows(struct training *t, uint64_t examples, tlu_error *error)
{
    while (!t->rows.ended && !t->reporter.interrupted &&
           t->rows.passed + t->rows.order.count < examples)
        TRY(training_read(t, t->rows.keep, error));
    return TLU_OK;
}

// --scale online: the largest values so far. There are no weights yet that this could rescale.
static tlu_status update_units(struct training *t, uint64_t from, uint64_t to, tlu_error *error)
{
    const struct rows *rows = &t->rows;
    for (uint64_t k = from; t->learner.state.online.on && k < to; k++) {
        struct place place = rows->order.items[k - rows->passed];
        tlu_row row = batch_row(rows_batch(rows, place), place.row);
        TRY(enough_memory(online_scale_reserve(&t->learner, 0), error));
        online_scale_update(&t->learner, &row);
    }
    return TLU_OK;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// The first pass, up to so many examples.
static tlu_status pass_by(struct training *t, uint64_t examples, tlu_error *error)
{
    struct rows *rows = &t->rows;
    for (uint64_t done = 0;;) {
        uint64_t there = least(rows->passed + rows->order.count, examples);
        TRY(update_units(t, done, there, error));
        done = there;
        if (done == examples || rows->ended || t->reporter.interrupted)
            return TLU_OK;
        TRY(read_rows(t, done + 1, error));
    }
}

// The shuffles of the passes before and of this one, from the random numbers that they had.
static tlu_status shuffle_again(struct training *t, const struct checkpoint *checkpoint,
                                tlu_error *error)
{
    const struct shuffles *before = &checkpoint->run.shuffles;
    struct shuffles *now = &t->run.shuffles;
    while (now->count < training_shuffles_due(t, checkpoint->run.pass)) {
        if (now->mark_count < before->mark_count &&
            before->marks[now->mark_count].shuffle == now->count)
            t->learner.state.random = before->marks[now->mark_count].random;
        TRY(training_shuffle(t, error));
    }
    return TLU_OK;
}

static tlu_status check_there(const struct training *t, const struct checkpoint *checkpoint,
                              tlu_error *error)
{
    uint64_t there = t->rows.passed + t->rows.order.count;
    if (t->reporter.interrupted)
        return error_interrupted(error,
                                 "interrupted before the run had caught up: nothing has changed");
    if (there < checkpoint->run.now.examples)
        return error_at(error, t->rows.path, 0, 0,
                        OTHER_DATA "it has %llu rows to learn from, the run had at least %llu",
                        (unsigned long long)there,
                        (unsigned long long)checkpoint->run.now.examples);
    return TLU_OK;
}

static tlu_status catch_up(struct training *t, const struct checkpoint *checkpoint,
                           tlu_error *error)
{
    if (checkpoint->run.pass == 0) {
        TRY(shuffle_again(t, checkpoint, error));
        TRY(pass_by(t, checkpoint->run.now.examples, error));
        return check_there(t, checkpoint, error);
    }
    TRY(pass_by(t, UINT64_MAX, error));
    TRY(check_there(t, checkpoint, error));
    TRY(training_all_read(t, error));
    return shuffle_again(t, checkpoint, error);
}

// ---- is it the same? ----

static struct fingerprint print_again(const struct training *t, const struct checkpoint_data *data)
{
    const struct tlu_learner *learner = &t->learner;
    struct fingerprint print = {t->rows.counts.rows, t->rows.counts.nonzeros, 0};
    if (t->team)
        return t->team->print;
    if (data->every == 0)
        fingerprint_add_counts(&print, learner->state.scheme.class_examples,
                               learner->state.scheme.classes, schema_names(&learner->state.schema));
    else
        print = rows_fingerprint(&t->rows, data->print.rows, data->every);
    return print;
}

static tlu_status check_data(const struct training *t, const struct checkpoint *checkpoint,
                             tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    const struct checkpoint_data *data = &checkpoint->data;
    if (data->all && team_rows(t) != data->print.rows)
        return error_at(error, t->rows.path, 0, 0, OTHER_DATA "it has %llu rows, the run had %llu",
                        (unsigned long long)team_rows(t), (unsigned long long)data->print.rows);
    struct fingerprint print = print_again(t, data);
    bool same = print.rows == data->print.rows && print.nonzeros == data->print.nonzeros &&
                schema_classes(schema) >= checkpoint->state.scheme.classes &&
                schema_names(schema) >= data->names;
    if (same)
        fingerprint_add_texts(&print, schema, checkpoint->state.scheme.classes, data->names);
    if (!same || print.sum != data->print.sum)
        return error_at(error, t->rows.path, 0, 0,
                        OTHER_DATA "its first %llu rows are not the same",
                        (unsigned long long)data->print.rows);
    return TLU_OK;
}

static size_t features_of(const struct weights *weights, const uint32_t *numbers)
{
    return weights->features ? (size_t)numbers[weights->features - 1] + 1 : 0;
}

// A file may say anything: whether these weights are such as the run has.
static bool fits(const struct training *t, const struct checkpoint *checkpoint,
                 const struct weights *weights, const uint32_t *numbers, unsigned parts)
{
    uint64_t features =
        t->learner.space.dual ? t->rows.counts.rows : schema_features(&t->learner.state.schema);
    return weights->columns == checkpoint->state.weights.columns &&
           weights_parts(weights) == parts && features_of(weights, numbers) <= features;
}

// The same of a net, which is there if the learner has layers.
static bool net_fits(const struct training *t, const struct net *net)
{
    const struct net *own = t->learner.state.net;
    return net && own ? net_same_shape(&net->shape, &own->shape) : !net && !own;
}

static size_t entries_of(const struct rows *rows, uint64_t id)
{
    struct place place = rows_find(rows, id);
    return batch_row(rows_batch(rows, place), place.row).count;
}

// Whether it is about the weights of a group: all columns with winner-takes-all, else one.
static bool step_fits(const struct training *t, const struct checkpoint *checkpoint,
                      const struct history_step *step)
{
    enum scheme_kind scheme = t->learner.state.scheme.kind;
    uint32_t columns = learner_columns(&t->learner);
    bool whole = scheme == SCHEME_WTA
                     ? step->group == 0 && step->column[0] < columns && step->column[1] < columns
                     : step->group < columns && step->sign[1] == 0 &&
                           (step->sign[0] == 0 || step->column[0] == step->group);
    return whole && step->id < t->rows.counts.rows && step->time > 0 &&
           (double)step->time <= checkpoint->state.weights.steps;
}

// Whether the steps are such as the run can have made.
static bool history_fits(const struct training *t, const struct checkpoint *checkpoint)
{
    const struct history *history = checkpoint->state.decision.history;
    const struct rule *rule = &t->learner.rule;
    uint64_t time = 0;
    size_t gains = 0;
    for (size_t n = 0; history && n < history->count; n++) {
        const struct history_step *step = &history->steps[n];
        if (!step_fits(t, checkpoint, step) || step->time < time)
            return false;
        time = step->time;
        if (rule->kind->traits & LEARNER_STATE)
            gains += step_gains(step->sign, entries_of(&t->rows, step->id), rule->bias);
    }
    size_t best = checkpoint->run.best_updates; // up to the end of the best pass
    return !history || (best <= history->count && gains == history->gain_count &&
                        (best == 0 || !checkpoint->run.best.w ||
                         (double)history->steps[best - 1].time <= checkpoint->run.best.steps));
}

static tlu_status check_state(const struct training *t, const struct checkpoint *checkpoint,
                              tlu_error *error)
{
    const struct learner_state *own = &t->learner.state, *state = &checkpoint->state;
    const struct run *run = &checkpoint->run;
    const struct pocket *pocket = state->decision.pocket;
    unsigned parts = weights_parts(&own->weights);
    unsigned seen_parts = training_can_skip_cycles(&t->learner) ? parts & WEIGHTS_AVERAGE : 0;
    bool fine =
        state->weights.columns >= state_columns(own) &&
        fits(t, checkpoint, &state->weights, checkpoint->features, parts) &&
        !pocket == !own->decision.pocket &&
        (!pocket || fits(t, checkpoint, &pocket->best, checkpoint->pocket_features, parts)) &&
        !state->decision.history == !own->decision.history &&
        !checkpoint->dual == !t->learner.space.dual &&
        (!checkpoint->dual || state->weights.columns == own->weights.columns) &&
        history_fits(t, checkpoint) && net_fits(t, state->net) &&
        (!run->best.w || net_fits(t, run->best_net)) &&
        (!run->seen.pass ||
         fits(t, checkpoint, &checkpoint->seen, checkpoint->seen_features, seen_parts)) &&
        (!run->best.w || fits(t, checkpoint, &run->best, checkpoint->best_features, parts)) &&
        !run->accuracy == !(options_number(own->options, OPTION_HOLDOUT) > 0);
    return fine ? TLU_OK
                : error_input(error, "the model is damaged: its run does not match its options");
}

// ---- loading ----

// Copies the cells of a saved state, then those of the biases. NULL: out of memory.
static double *copy_cells(const double *cells, const double *bias, const struct weights *seen)
{
    size_t count = seen->rows * seen->columns;
    double *copy = memory_new(count + seen->columns, sizeof *copy);
    if (copy && count)
        weights_copy_cells(copy, cells, count);
    if (copy)
        memcpy(copy + count, bias, seen->columns * sizeof *copy);
    return copy;
}

static bool load_seen(struct training *t, const struct checkpoint *checkpoint)
{
    struct seen_state *state = &t->run.seen;
    struct weights *weights = &t->learner.state.weights, seen = {0};
    if (!weights_expand(&seen, &checkpoint->seen, checkpoint->seen_features, weights->features,
                        weights->slots))
        return false;
    state->count = (seen.rows + 1) * weights->columns;
    state->cells = copy_cells(seen.w, seen.bias, &seen);
    if (seen.u)
        state->u = copy_cells(seen.u, seen.u_bias, &seen);
    bool fine = state->cells && (state->u || !seen.u) && weights_follow(weights, &seen);
    weights_free(&seen);
    return fine;
}

// Passes that were counted without being made: the examples of a checkpoint are more than those of
// the passes that were made.
static void find_skipped(struct training *t)
{
    struct run *run = &t->run;
    uint64_t rows = team_examples(t) / (t->team ? t->team->ranks : 1),
             made = run->pass * rows + run->now.examples;
    if (options_count_all_passes(t->learner.state.options) && rows > 0 &&
        t->learner.state.examples > made)
        run->skipped = (t->learner.state.examples - made) / rows;
    if (run->skipped)
        t->outcome.cycle = run->seen.pass; // see repeat_cycle
}

static bool load_run(struct training *t, struct checkpoint *checkpoint)
{
    struct shuffles shuffled = t->run.shuffles; // those were made again
    t->run.shuffles.marks = NULL;
    run_free(&t->run);
    memory_free(checkpoint->run.shuffles.marks);
    t->run = checkpoint->run;
    t->run.shuffles = shuffled;
    checkpoint->run = (struct run){0};
    find_skipped(t);
    struct weights *best = &t->run.best;
    return (!best->w || weights_expand(best, best, checkpoint->best_features, 0,
                                       t->learner.state.weights.slots)) &&
           (!t->run.seen.pass || load_seen(t, checkpoint));
}

static tlu_status load_dual(struct training *t, const struct checkpoint *checkpoint,
                            tlu_error *error)
{
    size_t taken = (size_t)checkpoint->run.now.examples;
    assert(taken <= t->rows.order.count);
    uint64_t *ids = memory_new(taken, sizeof *ids);
    TRY(enough_memory(ids != NULL, error));
    for (size_t k = 0; k < taken; k++) {
        struct place place = t->rows.order.items[k];
        ids[k] = rows_batch(&t->rows, place)->first_row + place.row;
    }
    tlu_status status = dual_load(t->learner.space.dual, checkpoint->dual, ids, taken, error);
    memory_free(ids);
    return status;
}

static bool load_learner(struct tlu_learner *learner, struct checkpoint *checkpoint)
{
    struct learner_state *state = &learner->state;
    struct space *space = &learner->space;
    size_t features = space->dual ? state->weights.features : schema_features(&state->schema);
    uint32_t columns = checkpoint->state.weights.columns;
    state_move(state, &checkpoint->state);
    if (space->layers)
        space->layers->net = state->net;
    if (!space_widen(space, 0, columns) ||
        !weights_expand(&state->weights, &checkpoint->state.weights, checkpoint->features, features,
                        state->weights.slots))
        return false;
    struct pocket *pocket = state->decision.pocket;
    size_t reserved = 0;
    for (size_t c = 0; pocket && c < columns; c++)
        if (pocket->groups[c].best_run) // it has weights, and so decides (learner_deciding)
            reserved = state->weights.features;
    return !pocket || weights_expand(&pocket->best, &checkpoint->state.decision.pocket->best,
                                     checkpoint->pocket_features, reserved, state->weights.slots);
}

static tlu_status load(struct training *t, struct checkpoint *checkpoint, tlu_error *error)
{
    TRY(check_data(t, checkpoint, error));
    TRY(learner_add_classes(&t->learner, checkpoint->state.scheme.classes, error));
    TRY(check_state(t, checkpoint, error));
    if (t->learner.space.dual)
        TRY(load_dual(t, checkpoint, error));
    TRY(enough_memory(load_learner(&t->learner, checkpoint) && load_run(t, checkpoint), error));
    guard_measure(&t->learner, &checkpoint->state.weights);
    return TLU_OK;
}

tlu_status training_resume(struct training *t, struct checkpoint *checkpoint,
                           const tlu_options *options, tlu_error *error)
{
    t->rows.keep = checkpoint->data.every == 1; // if it was so before
    t->rows.whole = checkpoint->data.every == 0;
    TRY(training_begin(t, options, error));
    TRY(team_ready(t, error));
    TRY(catch_up(t, checkpoint, error));
    return load(t, checkpoint, error);
}
