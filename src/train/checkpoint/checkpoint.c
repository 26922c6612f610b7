#include "train/checkpoint/checkpoint.h"

#include "base/memory.h"
#include "learn/conflicts.h"
#include "learn/decision.h"
#include "mlp/layers.h"
#include "train/train.h"

#include <string.h>

void checkpoint_free(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    run_free(&checkpoint->run);
    memory_free(checkpoint->learner.group_norm);
    memory_free(checkpoint->learner.group_updates);
    memory_free(checkpoint->learner.pocket_counts);
    history_free(checkpoint->learner.history);
    if (checkpoint->learner.dual)
        dual_state_free(checkpoint->learner.dual);
    memory_free(checkpoint->learner.dual);
    net_free(checkpoint->learner.net);
    packed_free(&checkpoint->best);
    packed_free(&checkpoint->seen);
    packed_free(&checkpoint->learner.weights);
    packed_free(&checkpoint->learner.pocket_best);
    memory_free(checkpoint);
}

const char *checkpoint_obstacle(const struct tlu_learner *learner)
{
    return conflicts_why(learner, SITUATION_CHECKPOINT);
}

// A run that goes on finds the largest values of --scale online by passing the rows by, all of
// them: it cannot tell which of them were refused. Nor can it tell a part of a data set again.
bool checkpoint_is_possible(const struct training *t)
{
    bool lost_track = t->rows.counts.refused && t->learner.online.on;
    return !checkpoint_obstacle(&t->learner) && !lost_track && !t->rows.row_source.subset.part &&
           !t->reporter.on_step;
}

// ---- taking ----

static bool take_run(struct checkpoint *checkpoint, const struct training *t)
{
    const struct seen_state *seen = &t->run.seen;
    if (!run_copy(&checkpoint->run, &t->run) || (checkpoint->run.accuracy && t->run.best_pass &&
                                                 !packed_take(&checkpoint->best, &t->run.best)))
        return false;
    if (t->run.best_net && !(checkpoint->run.best_net = net_copy(t->run.best_net)))
        return false;
    if (!seen->cells)
        return true;
    uint32_t columns = t->learner.space.weights.columns;
    size_t cells = seen->count - columns;
    struct weights weights = {.columns = columns,
                              .features = cells / columns, // if there are no slots
                              .slots = t->learner.space.weights.slots,
                              .rows = cells / columns,
                              .w = seen->cells,
                              .bias = seen->cells + cells};
    return packed_take(&checkpoint->seen, &weights);
}

static bool take_pocket(struct checkpoint_learner *paused, const struct pocket *pocket,
                        uint32_t columns)
{
    size_t size = columns * sizeof(uint64_t);
    paused->pocket_counts = memory_new(3 * (size_t)columns, sizeof(uint64_t));
    if (!paused->pocket_counts || !packed_take(&paused->pocket_best, &pocket->best))
        return false;
    memcpy(paused->pocket_counts, pocket->run, size);
    memcpy(paused->pocket_counts + columns, pocket->best_run, size);
    memcpy(paused->pocket_counts + 2 * (size_t)columns, pocket->best_right, size);
    return true;
}

static bool take_history(struct checkpoint_learner *paused, const struct history *history)
{
    paused->history = memory_new(1, sizeof *paused->history);
    if (!paused->history)
        return false;
    paused->history->steps = memory_copy(history->steps, history->count, sizeof *history->steps);
    paused->history->count = paused->history->capacity = history->count;
    paused->history->gains =
        memory_copy(history->gains, history->gain_count, sizeof *history->gains);
    paused->history->gain_count = paused->history->gain_capacity = history->gain_count;
    return paused->history->steps && paused->history->gains;
}

static bool take_dual(struct checkpoint_learner *paused, const struct dual *dual)
{
    paused->dual = memory_new(1, sizeof *paused->dual);
    return paused->dual && dual_take(dual, paused->dual);
}

static bool take_net(struct checkpoint_learner *paused, const struct layers *layers)
{
    return (paused->net = net_copy(layers->net));
}

static bool take_learner(struct checkpoint_learner *paused, const struct tlu_learner *learner)
{
    uint32_t columns = learner->space.weights.columns;
    const struct decision *decision = &learner->decision;
    paused->classes = learner->scheme.classes;
    paused->positive = learner->scheme.positive;
    paused->examples = learner->examples;
    paused->mistakes = learner->mistakes;
    paused->updates = learner->updates;
    paused->random = learner->random;
    paused->pocket = decision->pocket != NULL;
    paused->group_norm = memory_copy(learner->space.group_norm, columns, sizeof(double));
    paused->group_updates = memory_copy(learner->space.group_updates, columns, sizeof(uint64_t));
    return paused->group_norm && paused->group_updates &&
           packed_take(&paused->weights, &learner->space.weights) &&
           (!decision->pocket || take_pocket(paused, decision->pocket, columns)) &&
           (!decision->history || take_history(paused, decision->history)) &&
           (!learner->space.dual || take_dual(paused, learner->space.dual)) &&
           (!learner->space.layers || take_net(paused, learner->space.layers));
}

static void take_data(struct checkpoint *checkpoint, const struct training *t)
{
    const struct schema *schema = &t->learner.schema;
    struct checkpoint_data *data = &checkpoint->data;
    // In the dual form the weights are of rows, all of which were read.
    size_t features = t->learner.space.dual ? schema_features(schema)
                                            : packed_features(&checkpoint->learner.weights);
    bool named = !schema->slots.bits && features > schema->base;
    data->all = t->run.pass > 0 || t->rows.whole;
    data->names = named ? (uint32_t)(features - schema->base) : 0;
    data->every = rows_every(&t->rows);
    data->print = rows_fingerprint(&t->rows, data->all ? t->rows.counts.rows : t->run.now.examples,
                                   data->every);
    fingerprint_add_texts(&data->print, schema, checkpoint->learner.classes, data->names);
}

struct checkpoint *checkpoint_take(const struct training *t)
{
    struct checkpoint *checkpoint = memory_new(1, sizeof *checkpoint);
    if (!checkpoint || !take_run(checkpoint, t) ||
        !take_learner(&checkpoint->learner, &t->learner)) {
        checkpoint_free(checkpoint);
        return NULL;
    }
    take_data(checkpoint, t);
    return checkpoint;
}

// ---- of a complete run ----

// Names of the learner's to where the run has them: those of LIBSVM come after the indices.
static void shift_names(struct packed_weights *packed, const struct schema *schema)
{
    bool indices = schema_is_indexed(schema) && !schema->slots.bits;
    uint32_t base = indices ? SCHEMA_DIRECT : 0;
    for (size_t i = 0; i < packed->count; i++)
        if (packed->feature[i] >= schema->base)
            packed->feature[i] += base - schema->base;
}

struct checkpoint *checkpoint_at_end(const struct tlu_learner *learner, uint64_t rows,
                                     uint64_t nonzeros)
{
    struct checkpoint *checkpoint = memory_new(1, sizeof *checkpoint);
    if (!checkpoint || !take_learner(&checkpoint->learner, learner)) {
        checkpoint_free(checkpoint);
        return NULL;
    }
    shift_names(&checkpoint->learner.weights, &learner->schema);
    checkpoint->data = (struct checkpoint_data){
        .all = true, .names = schema_names(&learner->schema), .print = {rows, nonzeros, 0}};
    fingerprint_add_counts(&checkpoint->data.print, learner->scheme.class_examples,
                           learner->scheme.classes, checkpoint->data.names);
    fingerprint_add_texts(&checkpoint->data.print, &learner->schema, learner->scheme.classes,
                          checkpoint->data.names);
    return checkpoint;
}
