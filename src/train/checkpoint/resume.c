// Going on with a run that was paused. No other file knows that a run can be resumed: the data is
// read as it was at first, learning nothing, the rows are shuffled as often as they had been, the
// state of the run is loaded, and the passes go on from there.
#include "base/memory.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "mlp/layers.h"
#include "train/checkpoint/checkpoint.h"
#include "train/train.h"

#include <string.h>

#define OTHER_DATA "is not the data of the run to be resumed: "

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
static tlu_status meet_rows(struct training *t, uint64_t from, uint64_t to, tlu_error *error)
{
    const struct rows *rows = &t->rows;
    for (uint64_t k = from; t->learner.online.on && k < to; k++) {
        struct place place = rows->order.items[k - rows->passed];
        tlu_row row = batch_row(rows_batch(rows, place), place.row);
        TRY(enough_memory(online_scale_reserve(&t->learner, 0), error));
        online_scale_meet(&t->learner, &row);
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
    for (uint64_t met = 0;;) {
        uint64_t there = least(rows->passed + rows->order.count, examples);
        TRY(meet_rows(t, met, there, error));
        met = there;
        if (met == examples || rows->ended || t->reporter.interrupted)
            return TLU_OK;
        TRY(read_rows(t, met + 1, error));
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
            t->learner.random = before->marks[now->mark_count].random;
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
    if (data->every == 0)
        fingerprint_add_counts(&print, learner->scheme.class_examples, learner->scheme.classes,
                               schema_names(&learner->schema));
    else
        print = rows_fingerprint(&t->rows, data->print.rows, data->every);
    return print;
}

static tlu_status check_data(const struct training *t, const struct checkpoint *checkpoint,
                             tlu_error *error)
{
    const struct schema *schema = &t->learner.schema;
    const struct checkpoint_data *data = &checkpoint->data;
    if (data->all && t->rows.counts.rows != data->print.rows)
        return error_at(error, t->rows.path, 0, 0, OTHER_DATA "it has %llu rows, the run had %llu",
                        (unsigned long long)t->rows.counts.rows,
                        (unsigned long long)data->print.rows);
    struct fingerprint print = print_again(t, data);
    bool same = print.rows == data->print.rows && print.nonzeros == data->print.nonzeros &&
                schema_classes(schema) >= checkpoint->learner.classes &&
                schema_names(schema) >= data->names;
    if (same)
        fingerprint_add_texts(&print, schema, checkpoint->learner.classes, data->names);
    if (!same || print.sum != data->print.sum)
        return error_at(error, t->rows.path, 0, 0,
                        OTHER_DATA "its first %llu rows are not the same",
                        (unsigned long long)data->print.rows);
    return TLU_OK;
}

// A file may say anything: whether these weights are such as the run has.
static bool fits(const struct training *t, const struct checkpoint *checkpoint,
                 const struct packed_weights *packed, unsigned parts)
{
    uint64_t features =
        t->learner.space.dual ? t->rows.counts.rows : schema_features(&t->learner.schema);
    return packed->weights.columns == checkpoint->learner.weights.weights.columns &&
           weights_parts(&packed->weights) == parts && packed_features(packed) <= features;
}

// The same of a net, which is there if the learner has layers.
static bool net_fits(const struct training *t, const struct net *net)
{
    const struct layers *layers = t->learner.space.layers;
    return net && layers ? net_same_shape(&net->shape, &layers->net->shape) : !net && !layers;
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
    enum scheme_kind scheme = t->learner.scheme.kind;
    uint32_t columns = learner_columns(&t->learner);
    bool whole = scheme == SCHEME_WTA
                     ? step->group == 0 && step->column[0] < columns && step->column[1] < columns
                     : step->group < columns && step->sign[1] == 0 &&
                           (step->sign[0] == 0 || step->column[0] == step->group);
    return whole && step->id < t->rows.counts.rows && step->time > 0 &&
           (double)step->time <= checkpoint->learner.weights.weights.steps;
}

// Whether the steps are such as the run can have made.
static bool history_fits(const struct training *t, const struct checkpoint *checkpoint)
{
    const struct history *history = checkpoint->learner.history;
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
                        (best == 0 || !checkpoint->best.weights.w ||
                         (double)history->steps[best - 1].time <= checkpoint->best.weights.steps));
}

static tlu_status check_state(const struct training *t, const struct checkpoint *checkpoint,
                              tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    const struct checkpoint_learner *paused = &checkpoint->learner;
    unsigned parts = weights_parts(&learner->space.weights);
    bool fine =
        paused->weights.weights.columns >= learner_columns(learner) &&
        fits(t, checkpoint, &paused->weights, parts) &&
        paused->pocket == (learner->decision.pocket != NULL) &&
        (!paused->pocket || fits(t, checkpoint, &paused->pocket_best, parts)) &&
        (paused->history != NULL) == (learner->decision.history != NULL) &&
        (paused->dual != NULL) == (learner->space.dual != NULL) &&
        (!paused->dual || paused->weights.weights.columns == learner->space.weights.columns) &&
        history_fits(t, checkpoint) && net_fits(t, paused->net) &&
        (!checkpoint->best.weights.w || net_fits(t, checkpoint->run.best_net)) &&
        (!checkpoint->run.seen.pass || fits(t, checkpoint, &checkpoint->seen, 0)) &&
        (!checkpoint->best.weights.w || fits(t, checkpoint, &checkpoint->best, parts)) &&
        (checkpoint->run.accuracy != NULL) ==
            (options_number(learner->options, OPTION_HOLDOUT) > 0);
    return fine ? TLU_OK
                : error_input(error, "the model is damaged: its run does not match its options");
}

// ---- loading ----

static bool copy_array(void *to, const void *from, size_t count, size_t size)
{
    void **array = to;
    void *new = memory_new(count, size);
    if (!new)
        return false;
    if (count && from)
        memcpy(new, from, count * size);
    memory_free(*array);
    *array = new;
    return true;
}

static bool load_seen(struct training *t, const struct packed_weights *packed)
{
    struct seen_state *state = &t->run.seen;
    struct weights *weights = &t->learner.space.weights, seen = {0};
    uint32_t columns = weights->columns;
    if (!packed_restore(&seen, &t->learner, packed, weights->features))
        return false;
    state->count = (seen.rows + 1) * columns;
    state->cells = memory_new(state->count, sizeof *state->cells);
    if (state->cells) {
        weights_copy_cells(state->cells, seen.w, seen.rows * columns);
        memcpy(state->cells + seen.rows * columns, seen.bias, columns * sizeof *state->cells);
    }
    bool fine = state->cells && weights_follow(weights, &seen);
    weights_free(&seen);
    return fine;
}

// Replaces it by a copy.
static bool load_net(struct net **to, const struct net *from)
{
    net_free(*to);
    *to = net_copy(from);
    return *to;
}

static bool load_run(struct training *t, const struct checkpoint *checkpoint)
{
    struct shuffles shuffled = t->run.shuffles; // those were made again
    t->run.shuffles.marks = NULL;
    bool fine = run_copy(&t->run, &checkpoint->run);
    memory_free(t->run.shuffles.marks);
    t->run.shuffles = shuffled;
    return fine &&
           (!checkpoint->best.weights.w ||
            packed_restore(&t->run.best, &t->learner, &checkpoint->best, 0)) &&
           (!checkpoint->run.best_net || load_net(&t->run.best_net, checkpoint->run.best_net)) &&
           (!checkpoint->run.seen.pass || load_seen(t, &checkpoint->seen));
}

static bool load_pocket(struct tlu_learner *learner, const struct checkpoint_learner *paused)
{
    struct pocket *pocket = learner->decision.pocket;
    size_t columns = paused->weights.weights.columns, features = 0;
    const uint64_t *counts = paused->pocket_counts;
    for (size_t c = 0; c < columns; c++)
        if (counts[columns + c]) // it has kept weights, and so decides (learner_deciding)
            features = learner->space.weights.features;
    return packed_restore(&pocket->best, learner, &paused->pocket_best, features) &&
           copy_array(&pocket->run, counts, columns, sizeof *counts) &&
           copy_array(&pocket->best_run, counts + columns, columns, sizeof *counts) &&
           copy_array(&pocket->best_right, counts + 2 * columns, columns, sizeof *counts);
}

static bool load_history(struct history *history, const struct history *paused)
{
    history->count = history->capacity = paused->count;
    history->gain_count = history->gain_capacity = paused->gain_count;
    return copy_array(&history->steps, paused->steps, paused->count, sizeof *paused->steps) &&
           copy_array(&history->gains, paused->gains, paused->gain_count, sizeof *paused->gains);
}

static tlu_status load_dual(struct training *t, const struct checkpoint *checkpoint,
                            tlu_error *error)
{
    size_t taken = (size_t)checkpoint->run.now.examples;
    uint64_t *ids = memory_new(taken, sizeof *ids);
    TRY(enough_memory(ids != NULL, error));
    for (size_t k = 0; k < taken; k++) {
        struct place place = t->rows.order.items[k];
        ids[k] = rows_batch(&t->rows, place)->first_row + place.row;
    }
    tlu_status status =
        dual_load(t->learner.space.dual, checkpoint->learner.dual, ids, taken, error);
    memory_free(ids);
    return status;
}

static bool load_learner(struct tlu_learner *learner, const struct checkpoint_learner *paused)
{
    struct space *space = &learner->space;
    uint32_t columns = paused->weights.weights.columns;
    learner->scheme.positive = paused->positive;
    learner->examples = paused->examples;
    learner->mistakes = paused->mistakes;
    learner->updates = paused->updates;
    learner->random = paused->random;
    double **rooms[] = {&space->scores, &space->scratch, &space->current};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        if (!copy_array(rooms[i], NULL, columns, sizeof(double)))
            return false;
    size_t features = space->dual ? space->weights.features : schema_features(&learner->schema);
    return packed_restore(&space->weights, learner, &paused->weights, features) &&
           copy_array(&space->group_norm, paused->group_norm, columns, sizeof(double)) &&
           copy_array(&space->group_updates, paused->group_updates, columns, sizeof(uint64_t)) &&
           (!paused->net || load_net(&space->layers->net, paused->net)) &&
           (!paused->pocket || load_pocket(learner, paused)) &&
           (!paused->history || load_history(learner->decision.history, paused->history));
}

static tlu_status load(struct training *t, const struct checkpoint *checkpoint, tlu_error *error)
{
    TRY(check_data(t, checkpoint, error));
    TRY(learner_add_classes(&t->learner, checkpoint->learner.classes, error));
    TRY(check_state(t, checkpoint, error));
    if (t->learner.space.dual)
        TRY(load_dual(t, checkpoint, error));
    TRY(enough_memory(load_learner(&t->learner, &checkpoint->learner) && load_run(t, checkpoint),
                      error));
    guard_measure(&t->learner, &checkpoint->learner.weights.weights);
    return TLU_OK;
}

tlu_status training_resume(struct training *t, const struct checkpoint *checkpoint,
                           const tlu_options *options, tlu_error *error)
{
    t->rows.keep = checkpoint->data.every == 1; // if it was so before
    t->rows.whole = checkpoint->data.every == 0;
    TRY(training_begin(t, options, error));
    TRY(catch_up(t, checkpoint, error));
    return load(t, checkpoint, error);
}
