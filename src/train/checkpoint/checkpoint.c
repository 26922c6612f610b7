#include "train/checkpoint/checkpoint.h"

#include "base/memory.h"
#include "learn/conflicts.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "mlp/layers.h"
#include "train/train.h"

#include <assert.h>
#include <string.h>

#define OTHER_DATA "is not the data of the run to be resumed: "

static void packed_free(struct packed_weights *packed)
{
    weights_free(&packed->weights);
    memory_free(packed->feature);
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    struct checkpoint_learner *learner = &checkpoint->learner;
    run_free(&checkpoint->run);
    memory_free(learner->group_norm);
    memory_free(learner->group_updates);
    memory_free(learner->pocket_run);
    memory_free(learner->pocket_best_run);
    memory_free(learner->pocket_best_right);
    history_free(learner->history);
    if (learner->dual)
        dual_state_free(learner->dual);
    memory_free(learner->dual);
    net_free(learner->net);
    packed_free(&checkpoint->best);
    packed_free(&checkpoint->seen);
    packed_free(&learner->weights);
    packed_free(&learner->pocket_best);
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
    bool lost_track = t->rows.counts.refused && t->learner.online.on;
    return !checkpoint_obstacle(&t->learner) && !lost_track && !t->rows.row_source.subset.part &&
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
    const struct schema *schema = &t->learner.schema;
    // In the dual form the weights are of rows, all of which were read.
    size_t features =
        t->learner.space.dual ? schema_features(schema) : used_features(&t->learner.space.weights);
    bool named = !schema->slots.bits && features > schema->base;
    struct checkpoint_data data = {.all = t->run.pass > 0 || t->rows.whole,
                                   .names = named ? (uint32_t)(features - schema->base) : 0,
                                   .every = rows_every(&t->rows)};
    data.print = rows_fingerprint(&t->rows, data.all ? t->rows.counts.rows : t->run.now.examples,
                                  data.every);
    fingerprint_add_texts(&data.print, schema, t->learner.scheme.classes, data.names);
    return data;
}

void checkpoint_at_end(struct checkpoint *checkpoint, const struct tlu_learner *learner,
                       uint64_t rows, uint64_t nonzeros)
{
    const struct schema *schema = &learner->schema;
    struct packed_weights *packed = &checkpoint->learner.weights;
    struct checkpoint_data *data = &checkpoint->data;
    bool indices = schema_is_indexed(schema) && !schema->slots.bits;
    uint32_t base = indices ? SCHEMA_DIRECT : 0; // the run has names after all LIBSVM indices
    for (size_t i = 0; i < packed->count; i++)
        if (packed->feature[i] >= schema->base)
            packed->feature[i] += base - schema->base;
    *data = (struct checkpoint_data){
        .all = true, .names = schema_names(schema), .print = {rows, nonzeros, 0}};
    fingerprint_add_counts(&data->print, learner->scheme.class_examples, learner->scheme.classes,
                           data->names);
    fingerprint_add_texts(&data->print, schema, learner->scheme.classes, data->names);
}

// ---- weights ----

static size_t packed_features(const struct packed_weights *packed)
{
    return packed->count ? (size_t)packed->feature[packed->count - 1] + 1 : 0;
}

static void copy(double *to, const double *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
}

// What there is one of for each column.
static void copy_columns(struct weights *to, const struct weights *from)
{
    copy(to->bias, from->bias, from->columns);
    copy(to->u_bias, from->u_bias, from->columns);
    copy(to->state_bias, from->state_bias, from->columns);
    copy(to->scale, from->scale, from->columns);
    copy(to->sum, from->sum, from->columns);
    copy(to->sum_at, from->sum_at, from->columns);
    to->steps = from->steps;
}

static void copy_row(struct weights *to, size_t to_row, const struct weights *from, size_t from_row)
{
    size_t a = to_row * to->columns, b = from_row * from->columns;
    weights_copy_cells(to->w + a, from->w + b, from->columns);
    if (from->u)
        weights_copy_cells(to->u + a, from->u + b, from->columns);
    if (from->state)
        weights_copy_cells(to->state + a, from->state + b, from->columns);
}

// Replaces *to by weights for at least `features` features, at the rows that the learner has for
// them. False: out of memory; then *to is unchanged.
static bool packed_restore(struct weights *to, const struct tlu_learner *learner,
                           const struct packed_weights *packed, size_t features)
{
    const struct weights *from = &packed->weights;
    struct weights new;
    struct feature_slots *slots = learner->space.weights.slots;
    size_t least = packed_features(packed), row = 0;
    bool fine = weights_init(&new, from->columns, weights_parts(from), from->state_start) &&
                (!slots || weights_use_slots(&new, slots)) &&
                weights_reserve(&new, features > least ? features : least);
    if (fine)
        copy_columns(&new, from);
    for (size_t i = 0; fine && i < packed->count; i++) {
        assert(i == 0 || packed->feature[i - 1] < packed->feature[i]);
        row = weights_add_row(&new, packed->feature[i]);
        fine = row != SIZE_MAX;
        if (fine)
            copy_row(&new, row, from, i);
    }
    weights_free(fine ? to : &new);
    if (fine)
        *to = new;
    return fine;
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
    const struct checkpoint_learner *stopped = &checkpoint->learner;
    unsigned parts = weights_parts(&learner->space.weights);
    bool fine =
        stopped->weights.weights.columns >= learner_columns(learner) &&
        fits(t, checkpoint, &stopped->weights, parts) &&
        stopped->pocket == (learner->decision.pocket != NULL) &&
        (!stopped->pocket || fits(t, checkpoint, &stopped->pocket_best, parts)) &&
        (stopped->history != NULL) == (learner->decision.history != NULL) &&
        (stopped->dual != NULL) == (learner->space.dual != NULL) &&
        (!stopped->dual || stopped->weights.weights.columns == learner->space.weights.columns) &&
        history_fits(t, checkpoint) && net_fits(t, stopped->net) &&
        (!checkpoint->best.weights.w || net_fits(t, checkpoint->run.best_net)) &&
        (!checkpoint->run.seen.pass || fits(t, checkpoint, &checkpoint->seen, 0)) &&
        (!checkpoint->best.weights.w || fits(t, checkpoint, &checkpoint->best, parts)) &&
        (checkpoint->run.accuracy != NULL) ==
            (options_number(learner->options, OPTION_HOLDOUT) > 0);
    return fine ? TLU_OK
                : error_input(error, "the model is damaged: its run does not match its options");
}

// ---- loading ----

// Replaces an array of the training by that of the checkpoint, which then has none.
static void move_array(void *to, void *from)
{
    void **old = to, **new = from;
    memory_free(*old);
    *old = *new;
    *new = NULL;
}

static void move_net(struct net **to, struct net **from)
{
    net_free(*to);
    *to = *from;
    *from = NULL;
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

static bool load_run(struct training *t, struct checkpoint *checkpoint)
{
    struct shuffles shuffled = t->run.shuffles; // those were made again
    t->run.shuffles.marks = NULL;
    run_free(&t->run);
    memory_free(checkpoint->run.shuffles.marks);
    t->run = checkpoint->run;
    t->run.shuffles = shuffled;
    checkpoint->run = (struct run){0};
    return (!checkpoint->best.weights.w ||
            packed_restore(&t->run.best, &t->learner, &checkpoint->best, 0)) &&
           (!t->run.seen.pass || load_seen(t, &checkpoint->seen));
}

static bool load_pocket(struct tlu_learner *learner, struct checkpoint_learner *stopped)
{
    struct pocket *pocket = learner->decision.pocket;
    size_t features = 0;
    for (size_t c = 0; c < stopped->weights.weights.columns; c++)
        if (stopped->pocket_best_run[c]) // it has weights, and so decides (learner_deciding)
            features = learner->space.weights.features;
    move_array(&pocket->run, &stopped->pocket_run);
    move_array(&pocket->best_run, &stopped->pocket_best_run);
    move_array(&pocket->best_right, &stopped->pocket_best_right);
    return packed_restore(&pocket->best, learner, &stopped->pocket_best, features);
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
    tlu_status status =
        dual_load(t->learner.space.dual, checkpoint->learner.dual, ids, taken, error);
    memory_free(ids);
    return status;
}

static bool load_learner(struct tlu_learner *learner, struct checkpoint_learner *stopped)
{
    struct space *space = &learner->space;
    uint32_t columns = stopped->weights.weights.columns;
    double **scratch[] = {&space->scores, &space->scratch, &space->current};
    learner->scheme.positive = stopped->positive;
    learner->examples = stopped->examples;
    learner->mistakes = stopped->mistakes;
    learner->updates = stopped->updates;
    learner->random = stopped->random;
    for (size_t i = 0; i < sizeof scratch / sizeof scratch[0]; i++) {
        double *new = memory_new(columns, sizeof *new);
        if (!new)
            return false;
        move_array(scratch[i], &new);
    }
    move_array(&space->group_norm, &stopped->group_norm);
    move_array(&space->group_updates, &stopped->group_updates);
    if (stopped->net)
        move_net(&space->layers->net, &stopped->net);
    if (stopped->history) {
        history_free(learner->decision.history);
        learner->decision.history = stopped->history;
        stopped->history = NULL;
    }
    size_t features = space->dual ? space->weights.features : schema_features(&learner->schema);
    return packed_restore(&space->weights, learner, &stopped->weights, features) &&
           (!stopped->pocket || load_pocket(learner, stopped));
}

static tlu_status load(struct training *t, struct checkpoint *checkpoint, tlu_error *error)
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

tlu_status training_resume(struct training *t, struct checkpoint *checkpoint,
                           const tlu_options *options, tlu_error *error)
{
    t->rows.keep = checkpoint->data.every == 1; // if it was so before
    t->rows.whole = checkpoint->data.every == 0;
    TRY(training_begin(t, options, error));
    TRY(catch_up(t, checkpoint, error));
    return load(t, checkpoint, error);
}
