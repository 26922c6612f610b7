#include "train/pause/pause.h"

#include "base/memory.h"
#include "layers/layers.h"
#include "learn/conflicts.h"
#include "learn/decision.h"
#include "train/train.h"

#include <string.h>

void pause_free(struct pause *pause)
{
    if (!pause)
        return;
    run_free(&pause->run);
    memory_free(pause->learner.group_norm);
    memory_free(pause->learner.group_updates);
    memory_free(pause->learner.pocket_counts);
    history_free(pause->learner.history);
    if (pause->learner.dual)
        dual_state_free(pause->learner.dual);
    memory_free(pause->learner.dual);
    net_free(pause->learner.net);
    packed_free(&pause->best);
    packed_free(&pause->seen);
    packed_free(&pause->learner.weights);
    packed_free(&pause->learner.pocket_best);
    memory_free(pause);
}

const char *pause_obstacle(const struct tlu_learner *learner)
{
    return conflicts_why(learner, SITUATION_CHECKPOINT);
}

// A run that goes on finds the largest values of --scale online by passing the rows by, all of
// them: it cannot tell which of them were refused. Nor can it tell a part of a data set again.
bool pause_is_possible(const struct training *t)
{
    bool lost_track = t->rows.counts.refused && t->learner.online.on;
    return !pause_obstacle(&t->learner) && !lost_track && !t->rows.excerpt.subset.part &&
           !t->watcher.on_step;
}

// ---- taking ----

static bool take_run(struct pause *pause, const struct training *t)
{
    const struct seen_state *seen = &t->run.seen;
    if (!run_copy(&pause->run, &t->run) ||
        (pause->run.accuracy && t->run.best_pass && !packed_take(&pause->best, &t->run.best)))
        return false;
    if (t->run.best_net && !(pause->run.best_net = net_copy(t->run.best_net)))
        return false;
    if (!seen->cells)
        return true;
    uint32_t columns = t->learner.space.weights.columns;
    size_t cells = seen->count - columns;
    struct weights weights = {.columns = columns,
                              .features = cells / columns, // if there are no seats
                              .seats = t->learner.space.weights.seats,
                              .rows = cells / columns,
                              .w = seen->cells,
                              .bias = seen->cells + cells};
    return packed_take(&pause->seen, &weights);
}

static bool take_pocket(struct paused_learner *paused, const struct pocket *pocket,
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

static bool take_history(struct paused_learner *paused, const struct history *history)
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

static bool take_dual(struct paused_learner *paused, const struct dual *dual)
{
    paused->dual = memory_new(1, sizeof *paused->dual);
    return paused->dual && dual_take(dual, paused->dual);
}

static bool take_net(struct paused_learner *paused, const struct layers *layers)
{
    return (paused->net = net_copy(layers->net));
}

static bool take_learner(struct paused_learner *paused, const struct tlu_learner *learner)
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

static void take_data(struct pause *pause, const struct training *t)
{
    const struct schema *schema = &t->learner.schema;
    struct paused_data *data = &pause->data;
    // In the dual form the weights are of rows, all of which were read.
    size_t features =
        t->learner.space.dual ? schema_features(schema) : packed_features(&pause->learner.weights);
    bool named = !schema->slots.bits && features > schema->base;
    data->all = t->run.pass > 0 || t->rows.whole;
    data->names = named ? (uint32_t)(features - schema->base) : 0;
    data->every = rows_every(&t->rows);
    data->print = rows_fingerprint(&t->rows, data->all ? t->rows.counts.rows : t->run.now.examples,
                                   data->every);
    fingerprint_add_texts(&data->print, schema, pause->learner.classes, data->names);
}

struct pause *pause_take(const struct training *t)
{
    struct pause *pause = memory_new(1, sizeof *pause);
    if (!pause || !take_run(pause, t) || !take_learner(&pause->learner, &t->learner)) {
        pause_free(pause);
        return NULL;
    }
    take_data(pause, t);
    return pause;
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

struct pause *pause_at_end(const struct tlu_learner *learner, uint64_t rows, uint64_t nonzeros)
{
    struct pause *pause = memory_new(1, sizeof *pause);
    if (!pause || !take_learner(&pause->learner, learner)) {
        pause_free(pause);
        return NULL;
    }
    shift_names(&pause->learner.weights, &learner->schema);
    pause->data = (struct paused_data){
        .all = true, .names = schema_names(&learner->schema), .print = {rows, nonzeros, 0}};
    fingerprint_add_counts(&pause->data.print, learner->scheme.class_examples,
                           learner->scheme.classes, pause->data.names);
    fingerprint_add_texts(&pause->data.print, &learner->schema, learner->scheme.classes,
                          pause->data.names);
    return pause;
}
