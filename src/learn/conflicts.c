#include "learn/conflicts.h"

#include <stdio.h>

// ---- conditions ----

struct condition {
    const char *text;
    bool (*holds)(const struct tlu_learner *learner);
};

static bool has_kernel(const struct tlu_learner *learner)
{
    return options_text(learner->state.options, OPTION_KERNEL)[0] != '\0';
}

static bool sees_all_rows(const struct tlu_learner *learner)
{
    return learner->rule.kind->traits & LEARNER_BATCH;
}

static bool counts(const struct tlu_learner *learner)
{
    return learner->rule.kind->traits & LEARNER_COUNTS;
}

static bool has_layers(const struct tlu_learner *learner)
{
    return learner->rule.kind->traits & LEARNER_LAYERS;
}

static bool has_labels(const struct tlu_learner *learner)
{
    return options_flag(learner->state.options, OPTION_MULTILABEL);
}

static bool has_other_scheme(const struct tlu_learner *learner)
{
    int scheme = options_choice(learner->state.options, OPTION_MULTICLASS);
    return options_is_set(learner->state.options, OPTION_MULTICLASS) &&
           (scheme == MULTICLASS_WTA || scheme == MULTICLASS_OVO);
}

static bool has_winner(const struct tlu_learner *learner)
{
    return options_is_set(learner->state.options, OPTION_MULTICLASS) &&
           options_choice(learner->state.options, OPTION_MULTICLASS) == MULTICLASS_WTA;
}

static bool solves_with_kernel(const struct tlu_learner *learner)
{
    return has_kernel(learner) && sees_all_rows(learner);
}

static bool has_squared_hinge(const struct tlu_learner *learner)
{
    return options_choice(learner->state.options, OPTION_LOSS) == LOSS_SQUARED_HINGE;
}

static bool has_positive(const struct tlu_learner *learner)
{
    return options_text(learner->state.options, OPTION_POSITIVE)[0] != '\0';
}

static bool has_temperature(const struct tlu_learner *learner)
{
    return options_choice(learner->state.options, OPTION_CALIBRATE) == CALIBRATE_TEMPERATURE;
}

static bool keeps_earlier_weights(const struct tlu_learner *learner)
{
    int kind = learner->state.decision.kind;
    return kind == DECIDE_VOTE || kind == DECIDE_RANDOM || kind == DECIDE_BEST;
}

static bool decides_otherwise(const struct tlu_learner *learner)
{
    return learner->state.decision.kind != DECIDE_BEST;
}

static bool is_adaptive(const struct tlu_learner *learner)
{
    return learner->state.decision.kind == DECIDE_ADAPTIVE;
}

static bool has_ratchet(const struct tlu_learner *learner)
{
    return options_flag(learner->state.options, OPTION_RATCHET);
}

static bool has_adagrad(const struct tlu_learner *learner)
{
    return learner->rule.schedule == SCHEDULE_ADAGRAD;
}

static int scale_of(const struct tlu_learner *learner)
{
    return options_choice(learner->state.options, OPTION_SCALE);
}

static bool scales_online(const struct tlu_learner *learner)
{
    return scale_of(learner) == SCALE_ONLINE || scale_of(learner) == SCALE_RECENT;
}

static bool scales_recent(const struct tlu_learner *learner)
{
    return scale_of(learner) == SCALE_RECENT;
}

static bool standardizes(const struct tlu_learner *learner)
{
    return scale_of(learner) == SCALE_STANDARD;
}

static bool normalizes(const struct tlu_learner *learner)
{
    return options_flag(learner->state.options, OPTION_NORMALIZE);
}

static bool fits_missing(const struct tlu_learner *learner)
{
    int missing = options_choice(learner->state.options, OPTION_MISSING);
    return missing == MISSING_MEAN || missing == MISSING_MEDIAN || missing == MISSING_MODE;
}

static bool is_balanced(const struct tlu_learner *learner)
{
    return learner->state.scheme.balanced;
}

static bool holds_out(const struct tlu_learner *learner)
{
    return options_number(learner->state.options, OPTION_HOLDOUT) > 0;
}

static bool hashes(const struct tlu_learner *learner)
{
    return options_flag(learner->state.options, OPTION_HASH);
}

static bool prunes(const struct tlu_learner *learner)
{
    return learner->pruning.max_features > 0;
}

static bool stops_at_epochs(const struct tlu_learner *learner)
{
    return options_choice(learner->state.options, OPTION_STOP) == STOP_EPOCHS;
}

static bool passes_again(const struct tlu_learner *learner)
{
    return options_count(learner->state.options, OPTION_EPOCHS) > 1;
}

bool learner_needs_all_rows(const struct tlu_learner *learner)
{
    const tlu_options *options = learner->state.options;
    bool fits_scale = scale_of(learner) == SCALE_MAXABS || standardizes(learner) ||
                      scales_recent(learner); // which a file's training refuses
    return options_choice(options, OPTION_SHUFFLE) == SHUFFLE_ALL || fits_scale ||
           is_balanced(learner) || has_kernel(learner) || learner->state.decision.history ||
           sees_all_rows(learner) || has_layers(learner) || holds_out(learner) ||
           has_ratchet(learner) ||
           // Which score 0 counts as depends on which class is positive.
           (learner->rule.tie != TIE_MISTAKE && !options_is_set(options, OPTION_POSITIVE)) ||
           options_flag(options, OPTION_TFIDF) || options_flag(options, OPTION_NORMALIZE) ||
           options_count(options, OPTION_MIN_COUNT) > 1;
}

static bool needs_rows_kept(const struct tlu_learner *learner)
{
    return learner_needs_all_rows(learner) || learner->state.decision.pocket;
}

static const struct condition kernel = {"--kernel", has_kernel},
                              whole = {"a learner that solves for all rows at once", sees_all_rows},
                              counting = {"a learner that counts occurrences", counts},
                              layers = {"a learner with layers", has_layers},
                              multilabel = {"--multilabel", has_labels},
                              other_scheme = {"--multiclass wta or ovo", has_other_scheme},
                              winner = {"--multiclass wta", has_winner},
                              kernel_solver = {"--kernel with max-margin", solves_with_kernel},
                              squared_hinge = {"--loss squared-hinge", has_squared_hinge},
                              positive = {"--positive", has_positive},
                              temperature = {"--calibrate temperature", has_temperature},
                              earlier_weights = {"--decide vote, random or best",
                                                 keeps_earlier_weights},
                              not_best = {"a decision other than --decide best", decides_otherwise},
                              adaptive = {"--decide adaptive", is_adaptive},
                              ratchet = {"--ratchet", has_ratchet},
                              adagrad = {"--schedule adagrad", has_adagrad},
                              online = {"--scale online or recent", scales_online},
                              recent = {"--scale recent", scales_recent},
                              standard = {"--scale standard", standardizes},
                              normalize = {"--normalize", normalizes},
                              fitted = {"--missing mean, median or most-frequent", fits_missing},
                              balanced = {"--class-weight balanced", is_balanced},
                              holdout = {"--holdout", holds_out}, hash = {"--hash", hashes},
                              max_features = {"--max-features", prunes},
                              epochs = {"--stop epochs", stops_at_epochs},
                              passes = {"more than one pass", passes_again},
                              all_rows = {"an option that needs all rows before the first update",
                                          needs_rows_kept};

// ---- the table ----

static const struct conflict {
    enum situation situation;
    const struct condition *one, *other; // other NULL: the situation itself
    const char *why;
} conflicts[] = {
    {SITUATION_ANY, &online, &whole, "it adapts row by row; use --scale maxabs"},
    {SITUATION_ANY, &online, &layers,
     "it adapts row by row, and an update is about a minibatch; use --scale maxabs or standard"},
    {SITUATION_ANY, &online, &kernel,
     "the kernel would compare rows that were scaled differently; use --scale maxabs"},
    {SITUATION_ANY, &online, &earlier_weights,
     "earlier weights belong to values that were scaled differently; use --scale maxabs"},
    {SITUATION_ANY, &max_features, &hash,
     "it forgets names, and --hash keeps none; use one of them"},
    {SITUATION_ANY, &ratchet, &not_best,
     "it chooses the weights that --decide best keeps; use --decide best"},
    {SITUATION_ANY, &ratchet, &kernel,
     "each check would compute the scores of all rows; leave --ratchet out"},
    {SITUATION_ANY, &adagrad, &kernel,
     "it has a rate for each feature, and a kernel has no features; use --schedule constant or "
     "sqrt"},
    {SITUATION_ANY, &winner, &kernel_solver,
     "with a kernel each hyperplane is found by itself; use --multiclass ovo"},
    {SITUATION_ANY, &standard, &counting, "it would leave nothing to count; use --scale none"},
    {SITUATION_ANY, &fitted, &hash,
     "hashed features have no names to tell missing values by; use --missing indicator"},
    {SITUATION_TRAINING, &normalize, &online,
     "rows are normalised before training, and it changes them in training; use --scale maxabs"},
    {SITUATION_ANY, &squared_hinge, &winner,
     "the loss of Crammer and Singer is a hinge; use --loss hinge or --multiclass ovr"},
    {SITUATION_ANY, &multilabel, &layers,
     "the outputs of its net are the classes of one choice; use another learner, such as logistic"},
    {SITUATION_ANY, &multilabel, &other_scheme,
     "each label is learned against the rest; leave --multiclass out"},
    {SITUATION_ANY, &multilabel, &positive,
     "each label has its own positive rows; leave --positive out"},
    {SITUATION_ANY, &multilabel, &temperature,
     "it is for classes that exclude each other; use sigmoid or isotonic"},

    {SITUATION_TRAINING, &adaptive, NULL, "it is for tlu stream"},
    {SITUATION_TRAINING, &recent, NULL, "it is for tlu stream"},
    {SITUATION_TRAINING, &holdout, &online,
     "the weights of an earlier pass belong to values that were scaled differently; use --scale "
     "maxabs"},
    {SITUATION_TRAINING, &max_features, &passes,
     "it forgets names while it reads the data; use --epochs 1"},
    {SITUATION_TRAINING, &max_features, &all_rows,
     "it forgets names while the rows are learned in file order; use --hash to bound the memory"},

    {SITUATION_TRAINING, &epochs, &holdout,
     "the held-out rows decide when training ends; leave one of them out"},
    {SITUATION_TRAINING, &epochs, &whole, "it makes no passes; leave --stop out"},
    {SITUATION_TRAINING, &epochs, &layers,
     "it has no average whose passes could be counted; leave --stop out"},

    {SITUATION_STREAM, &whole, NULL,
     "a stream has no end; use an online learner, such as pa2 or logistic"},
    {SITUATION_STREAM, &layers, NULL,
     "the sizes of its layers depend on all features and classes; use an online learner, such as "
     "pa2 or logistic"},
    {SITUATION_STREAM, &kernel, NULL, "it would have to keep all rows; leave --kernel out"},
    {SITUATION_STREAM, &earlier_weights, NULL,
     "it would have to keep or measure all earlier weights; use --decide adaptive, average or "
     "last"},
    {SITUATION_STREAM, &balanced, NULL, "it needs all rows in advance; use LABEL=W"},
    {SITUATION_STREAM, &standard, NULL,
     "it needs the means and deviations of all rows in advance; use --scale recent"},

    {SITUATION_TRACE, &whole, NULL,
     "it makes no updates that a trace could show; use an online learner, such as perceptron"},
    {SITUATION_TRACE, &layers, NULL,
     "an update is about many rows and changes all weights; use an online learner, such as "
     "perceptron"},
    {SITUATION_TRACE, &online, NULL,
     "rescaling changes the weights between updates; use --scale maxabs or standard"},
    {SITUATION_TRACE, &hash, NULL, "hashed features have no names to show; leave --hash out"},
    {SITUATION_TRACE, &multilabel, NULL,
     "a row is a step for each label; trace the rows of one label against the others"},

    {SITUATION_CHECKPOINT, &whole, NULL,
     "the learner solves for all rows at once, so there is no point at which to resume"},
    {SITUATION_CHECKPOINT, &max_features, NULL,
     "--max-features forgets names, and reading the data again would restore them"},

    {SITUATION_MIX, &whole, NULL,
     "a mean of solutions is not the solution for all rows; use an online learner, such as arow"},
    {SITUATION_MIX, &layers, NULL,
     "the hidden units of two nets do not correspond to each other; use an online learner, such as "
     "arow"},
    {SITUATION_MIX, &kernel, NULL,
     "its weights are those of its own training rows; use a learner without a kernel"},
    {SITUATION_MIX, &earlier_weights, NULL,
     "it predicts with earlier weights, which were not mixed; use --decide average or last"},
    {SITUATION_MIX, &adaptive, NULL,
     "its choice is about the last rows of one stream; use --decide average or last"},
    {SITUATION_MIX, &online, NULL,
     "values would be scaled by the rows of one part alone; use --scale maxabs or standard"},
    {SITUATION_MIX, &max_features, NULL,
     "each part would forget other names; use --hash to bound the memory"},
};

#define CONFLICTS (sizeof conflicts / sizeof conflicts[0])

static const char *other_side(const struct conflict *conflict)
{
    if (conflict->other)
        return conflict->other->text;
    switch (conflict->situation) {
    case SITUATION_STREAM:
        return "a stream";
    case SITUATION_TRACE:
        return "a trace";
    case SITUATION_CHECKPOINT:
        return "a checkpoint";
    case SITUATION_MIX:
        return "mixing";
    default:
        return "training from a file";
    }
}

static const struct conflict *find(const struct tlu_learner *learner, enum situation situation)
{
    for (size_t i = 0; i < CONFLICTS; i++) {
        const struct conflict *row = &conflicts[i];
        if (row->situation == situation && row->one->holds(learner) &&
            (!row->other || row->other->holds(learner)))
            return row;
    }
    return NULL;
}

// Names the learner itself in place of "a learner that ...".
static const char *side(const char *text, const struct condition *condition,
                        const struct tlu_learner *learner, char *out, size_t size)
{
    if (condition != &whole && condition != &counting && condition != &layers)
        return text;
    snprintf(out, size, "--learner %s", learner->rule.kind->info.name);
    return out;
}

tlu_status conflicts_check(const struct tlu_learner *learner, enum situation situation,
                           tlu_error *error)
{
    char one[80], other[80];
    const struct conflict *found = find(learner, situation);
    if (!found)
        return TLU_OK;
    return error_input(error, "%s cannot be combined with %s: %s",
                       side(found->one->text, found->one, learner, one, sizeof one),
                       side(other_side(found), found->other, learner, other, sizeof other),
                       found->why);
}

const char *conflicts_why(const struct tlu_learner *learner, enum situation situation)
{
    const struct conflict *found = find(learner, situation);
    return found ? found->why : NULL;
}

size_t tlu_conflict_at(size_t index, char *text, size_t size)
{
    if (index >= CONFLICTS)
        return 0;
    const struct conflict *row = &conflicts[index];
    return (size_t)snprintf(text, text ? size : 0, "%s cannot be combined with %s: %s",
                            row->one->text, other_side(row), row->why);
}
