#include "learn/state.h"

#include "base/memory.h"
#include "learn/online_scale.h"
#include "space/space.h"

#include <string.h>

// Features get slots if at least this many cells may belong to no feature. A build
// with -DFEATURE_SLOTS_FROM=0 uses slots whenever possible, to test that the results are the same.
#ifndef FEATURE_SLOTS_FROM
#define FEATURE_SLOTS_FROM ((size_t)1 << 22)
#endif

void state_free(struct learner_state *state)
{
    tlu_options_free(state->options);
    schema_free(&state->schema);
    memory_free(state->scheme.class_weight);
    memory_free(state->scheme.rest_weight);
    memory_free(state->scheme.class_examples);
    decision_free(&state->decision);
    weights_free(&state->weights);
    memory_free(state->group_norm);
    memory_free(state->group_updates);
    net_free(state->net);
    online_scale_free(&state->online);
    memory_free(state->words.counts);
    calibration_free(&state->output.calibration);
    memory_free(state->output.labels.at);
}

static bool enlarge_groups(struct learner_state *state, size_t old, size_t columns)
{
    return space_enlarge(&state->group_norm, old, columns, sizeof *state->group_norm) &&
           space_enlarge(&state->group_updates, old, columns, sizeof *state->group_updates);
}

bool state_init_weights(struct learner_state *state, unsigned parts, double state_start)
{
    return enlarge_groups(state, 0, 1) && weights_init(&state->weights, 1, parts, state_start);
}

// Whether there are too many columns to allocate weights for unused numbers of features.
static bool needs_slots(const struct learner_state *state, uint32_t columns)
{
    size_t gaps = state->kernel.kind ? 0 : schema_gaps(&state->schema);
    return !state->weights.slots && columns > 1 && gaps > FEATURE_SLOTS_FROM / columns;
}

bool state_reserve(struct learner_state *state)
{
    bool fine = true;
    if (needs_slots(state, state->weights.columns)) {
        struct feature_slots *slots = feature_slots_new();
        fine = slots && weights_use_slots(&state->weights, slots);
        feature_slots_release(slots);
    }
    state->weights.gaps = state->kernel.kind ? 0 : schema_gaps(&state->schema);
    return fine && weights_reserve(&state->weights, schema_features(&state->schema));
}

static bool widen_weights(struct learner_state *state, uint32_t columns, bool opposite)
{
    struct weights *weights = &state->weights;
    bool needs = needs_slots(state, columns);
    struct feature_slots *slots = needs ? feature_slots_new() : NULL;
    size_t rows = weights->rows;
    if (needs && state->examples == 0) // all weights are 0, so there is nothing to move
        weights->rows = 0;
    bool fine = (slots || !needs) &&
                weights_widen_at(weights, slots, columns, state->scheme.positive, opposite);
    feature_slots_release(slots);
    if (!fine)
        weights->rows = rows;
    return fine;
}

static void swap(void *a_pointer, void *b_pointer)
{
    void **a = a_pointer, **b = b_pointer, *old = *a;
    *a = *b;
    *b = old;
}

void state_move(struct learner_state *to, struct learner_state *from)
{
    struct pocket *pocket = to->decision.pocket, *old = from->decision.pocket;
    to->scheme.positive = from->scheme.positive;
    to->examples = from->examples;
    to->mistakes = from->mistakes;
    to->updates = from->updates;
    to->random = from->random;
    swap(&to->group_norm, &from->group_norm);
    swap(&to->group_updates, &from->group_updates);
    swap(&to->net, &from->net);
    swap(&to->decision.history, &from->decision.history);
    if (pocket)
        swap(&pocket->groups, &old->groups);
}

bool state_widen(struct learner_state *state, uint32_t columns, bool opposite)
{
    return enlarge_groups(state, state->weights.columns, columns) &&
           widen_weights(state, columns, opposite);
}
