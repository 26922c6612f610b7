// Creates the parts of a learner from its options, and frees them.
#include "learn/learner.h"

#include "base/memory.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "solvers/batch_solver.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define OVO_CLASSES 32 // --multiclass auto: with more classes, one versus one has too many pairs

static void read_options(struct tlu_learner *learner)
{
    const tlu_options *options = learner->state.options;
    rule_read(&learner->rule, options);
    learner->state.decision.kind = options_choice(options, OPTION_DECIDE);
    learner->state.online.recent = options_choice(options, OPTION_SCALE) == SCALE_RECENT;
    learner->state.online.on = learner->state.online.numbers =
        learner->state.online.recent || options_choice(options, OPTION_SCALE) == SCALE_ONLINE;
    learner->pruning.max_features = (size_t)options_count(options, OPTION_MAX_FEATURES);
    int classes = options_choice(options, OPTION_MULTICLASS);
    learner->state.scheme.wanted = classes == MULTICLASS_AUTO
                                       ? scheme_first(learner->rule.kind->info.schemes)
                                       : (enum scheme_kind)(SCHEME_WTA + classes);
    if (options_flag(options, OPTION_MULTILABEL))
        learner->state.scheme.wanted = learner->state.scheme.kind = SCHEME_MULTILABEL;
    random_seed(&learner->state.random, options_count(options, OPTION_SEED));
}

// Which arrays the weights need: WEIGHTS_...
static unsigned weights_wanted(const struct tlu_learner *learner)
{
    const struct rule *rule = &learner->rule;
    unsigned parts = 0;
    if (learner->state.decision.kind == DECIDE_AVERAGE)
        parts |= WEIGHTS_AVERAGE;
    if (learner->state.decision.kind == DECIDE_ADAPTIVE)
        parts |= WEIGHTS_AVERAGE | WEIGHTS_RECENT;
    if (rule->kind->traits & LEARNER_LAYERS) // its weights are in the net
        return 0;
    if (rule->kind->traits & LEARNER_SCALE || rule->l2 > 0)
        parts |= WEIGHTS_SCALE;
    if (rule->kind->traits & (LEARNER_STATE | LEARNER_LOG_ODDS) ||
        rule->schedule == SCHEDULE_ADAGRAD)
        parts |= WEIGHTS_STATE;
    return parts;
}

// What depends on the learner that the options name.
static tlu_status init_rule(struct tlu_learner *learner, tlu_error *error)
{
    learner->guard = (struct guard){.states = 1, .least = (double)FLT_MAX};
    learner->rule.rate_given = options_is_set(learner->state.options, OPTION_RATE);
    learner->rule.epochs_given = options_is_set(learner->state.options, OPTION_EPOCHS);
    TRY(learner_apply_defaults(learner, error));
    read_options(learner);
    TRY(learner_check_options(learner, error));
    TRY(learner_check_class_weights(learner, error));
    TRY(kernel_parse(&learner->state.kernel, options_text(learner->state.options, OPTION_KERNEL),
                     error));
    const struct learner_kind *kind = learner->rule.kind;
    if (learner->rule.functions->prepare)
        TRY(learner->rule.functions->prepare(learner, error));
    TRY(enough_memory(
        space_widen(&learner->space, 0, 1) &&
            state_init_weights(&learner->state, weights_wanted(learner), kind->state_start),
        error));
    guard_set(learner);
    return decision_init(learner, error);
}

tlu_status learner_init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error)
{
    memset(learner, 0, sizeof *learner);
    schema_init(&learner->state.schema);
    learner->state.scheme.positive = 1;
    learner->state.options = options_copy(options);
    TRY(enough_memory(learner->state.options, error));
    TRY(automatic_begin(&learner->automatic, learner->state.options, error));
    TRY(schema_set_labels(&learner->state.schema, learner->state.options, error));
    return init_rule(learner, error);
}

// The schema stays where it is, because threads that parse rows look at it.
tlu_status learner_replace(struct tlu_learner *learner, const char *name, const tlu_options *given,
                           tlu_error *error)
{
    struct learner_state *state = &learner->state;
    assert(state->examples == 0);
    TRY(learner_drop_defaults(learner, given, error));
    TRY(tlu_options_set(state->options, tlu_option_at(OPTION_LEARNER)->name, name, error));
    weights_free(&state->weights);
    decision_free(&state->decision);
    space_free(&learner->space);
    memory_free(state->group_norm);
    memory_free(state->group_updates);
    state->decision = (struct decision){0};
    learner->space = (struct space){0};
    state->group_norm = NULL;
    state->group_updates = NULL;
    TRY(init_rule(learner, error));
    return enough_memory(state->kernel.kind || learner_reserve(learner), error);
}

static tlu_status choose_scheme(struct tlu_learner *learner, bool table, tlu_error *error)
{
    static const char *const names[] = {"wta", "ovr", "ovo"};
    if (learner->state.scheme.kind == SCHEME_MULTILABEL)
        return tlu_options_set(learner->state.options, "multiclass", "ovr", error);
    uint32_t classes = schema_classes(&learner->state.schema);
    // A solver with a kernel is faster with pairs too: their problems are small.
    bool solver = learner->state.kernel.kind && learner->rule.kind->traits & LEARNER_BATCH;
    bool pairs = (table || solver) && classes > 2 && classes <= OVO_CLASSES &&
                 strstr(learner->rule.kind->info.schemes, "ovo");
    enum scheme_kind wanted = pairs ? SCHEME_OVO : scheme_first(learner->rule.kind->info.schemes);
    learner->state.scheme.wanted = wanted;
    return tlu_options_set(learner->state.options, "multiclass", names[wanted - SCHEME_WTA], error);
}

tlu_status learner_choose(struct tlu_learner *learner, bool table, tlu_error *error)
{
    struct rule *rule = &learner->rule;
    if (options_choice(learner->state.options, OPTION_MULTICLASS) == MULTICLASS_AUTO)
        TRY(choose_scheme(learner, table, error));
    if (table && rule->kind->table_rate > 0 && !rule->rate_given) {
        char text[32];
        snprintf(text, sizeof text, "%.17g", rule->kind->table_rate);
        rule->rate = rule->rate_high = rule->kind->table_rate;
        TRY(tlu_options_set(learner->state.options, "rate", text, error));
    }
    return TLU_OK;
}

void learner_free_parts(struct tlu_learner *learner)
{
    state_free(&learner->state);
    space_free(&learner->space);
    if (learner->solving.solution)
        memory_free(learner->solving.solution->supports);
    memory_free(learner->solving.solution);
    memory_free(learner->pruning.gone);
    memory_free(learner->pruning.weak);
    memory_free(learner->labels.set);
    memory_free(learner->labels.text);
    memory_free(learner->row.entries);
    memory_free(learner->row.features);
    memory_free(learner->row.values);
    memory_free(learner->row.seen);
}

bool learner_reserve(struct tlu_learner *learner)
{
    return state_reserve(&learner->state);
}
