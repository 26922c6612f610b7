// Options of learners: defaults that depend on the learner, options that a learner does not accept,
// and options that have no effect. The checks, the notes, the help and `tlu inspect` use the same
// tables.
#include "base/call/fp_env.h"
#include "learn/conflicts.h"
#include "learn/learner.h"

#include <stdio.h>
#include <string.h>

// Whether a word is in a text of words separated by blanks.
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static const struct learner_kind *kind_of(const tlu_options *options)
{
    return learner_kind_of(options);
}

// ---- defaults ----

// The value after "name=" in "rate=0.1 schedule=sqrt"; NULL if the name is not there.
static const char *own_default(const char *defaults, const char *name, size_t *length)
{
    size_t name_length = strlen(name);
    for (const char *at = defaults; at && *at;) {
        size_t n = strcspn(at, "="), m = strcspn(at + n + 1, " ");
        if (n == name_length && memcmp(at, name, n) == 0) {
            *length = m;
            return at + n + 1;
        }
        at += n + 1 + m;
        at += *at == ' ';
    }
    return NULL;
}

// The default of an option: from the learner's row if it has one (*own), else from the table of
// options.
static const char *default_of(const tlu_options *options, enum option option, size_t *length,
                              bool *own)
{
    const tlu_option_info *info = tlu_option_at(option);
    const tlu_learner_info *learner = &kind_of(options)->info;
    const char *value = own_default(learner->defaults, info->name, length);
    // AdaGrad needs a rate for each feature, and a kernel hides the features.
    if (value && *length == 7 && memcmp(value, "adagrad", 7) == 0 &&
        options_text(options, OPTION_KERNEL)[0])
        value = NULL;
    if (option == OPTION_DECIDE) {
        value = learner->decisions;
        *length = strcspn(value, " ");
    }
    *own = value != NULL;
    if (!value) {
        value = info->value;
        *length = strlen(value);
    } else if (*length == 1 &&
               *value == '-') { // no default: it matters whether the option is given
        *length = 0;
        *own = false;
    }
    return value;
}

size_t tlu_options_default(const tlu_options *options, const char *name, char *value, size_t size)
{
    FP_ENV_DEFAULT(caller);
    const tlu_option_info *info = tlu_option_find(name);
    size_t length = 0;
    bool own;
    const char *text =
        info ? default_of(options, (enum option)(info - tlu_option_at(0)), &length, &own) : "";
    if (value && size > 0)
        snprintf(value, size, "%.*s", (int)length, text);
    return length;
}

tlu_status learner_apply_defaults(struct tlu_learner *learner, tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        char value[32];
        size_t length;
        bool own;
        const char *text = default_of(learner->state.options, i, &length, &own);
        if (!own || length >= sizeof value || options_is_set(learner->state.options, i))
            continue;
        snprintf(value, sizeof value, "%.*s", (int)length, text);
        TRY(tlu_options_set(learner->state.options, tlu_option_at(i)->name, value, error));
    }
    return TLU_OK;
}

tlu_status learner_drop_defaults(struct tlu_learner *learner, const tlu_options *given,
                                 tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        size_t length;
        bool own;
        default_of(learner->state.options, i, &length, &own);
        if (own && !(given && options_is_set(given, i)))
            TRY(tlu_options_clear(learner->state.options, tlu_option_at(i)->name, error));
    }
    return TLU_OK;
}

// ---- options that only some learners accept ----

// Whether only some learners accept the option: at least one lists it.
static bool is_special(enum option option)
{
    const struct learner_kind *kind;
    for (size_t i = 0; (kind = learner_kind_at(i)) != NULL; i++)
        if (has_word(kind->info.options, tlu_option_at(option)->name))
            return true;
    return false;
}

bool learner_has_option(const char *name, enum option option)
{
    const struct learner_kind *kind;
    for (size_t i = 0; (kind = learner_kind_at(i)) != NULL; i++)
        if (strcmp(kind->info.name, name) == 0)
            return has_word(kind->info.options, tlu_option_at(option)->name);
    return false;
}

static bool lacks(const tlu_options *options, enum option option)
{
    if (options_choice(options, OPTION_LEARNER) == LEARNER_AUTO)
        return is_special(option) && !automatic_takes(option);
    return is_special(option) &&
           !has_word(kind_of(options)->info.options, tlu_option_at(option)->name);
}

// The error lists the learners that accept the option, because the user may have meant one of them.
static tlu_status refuse_special(const tlu_options *options, enum option option, tlu_error *error)
{
    const char *name = tlu_option_at(option)->name;
    const struct learner_kind *kind;
    char list[200] = "";
    size_t used = 0;
    for (size_t i = 0; (kind = learner_kind_at(i)) != NULL && used < sizeof list; i++)
        if (has_word(kind->info.options, name))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     kind->info.name);
    return error_input(error, "the learner %s has no option --%s: %s %s",
                       kind_of(options)->info.name, name, list,
                       strchr(list, ',') ? "have it" : "has it");
}

// An option that the learner does not accept is an error, unless it has its default value.
static tlu_status check_special(const tlu_options *options, tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (lacks(options, i) && options_is_set(options, i) &&
            strcmp(options_text(options, i), tlu_option_at(i)->value) != 0)
            return refuse_special(options, i, error);
    return TLU_OK;
}

tlu_status learner_accepts(const tlu_options *options, tlu_error *error)
{
    const tlu_learner_info *info = &kind_of(options)->info;
    TRY(check_special(options, error));
    if (options_is_set(options, OPTION_DECIDE) &&
        !has_word(info->decisions, options_text(options, OPTION_DECIDE)))
        return error_input(error, "the learner %s decides by %s, not by %s", info->name,
                           info->decisions, options_text(options, OPTION_DECIDE));
    if (options_is_set(options, OPTION_MULTICLASS) &&
        options_choice(options, OPTION_MULTICLASS) != MULTICLASS_AUTO &&
        !has_word(info->schemes, options_text(options, OPTION_MULTICLASS)))
        return error_input(error, "the learner %s takes several classes by %s, not by %s",
                           info->name, info->schemes, options_text(options, OPTION_MULTICLASS));
    if (options_text(options, OPTION_KERNEL)[0] && !has_word(info->spaces, "dual"))
        return error_input(error,
                           "the learner %s does not work with a kernel; use --learner max-margin, "
                           "or leave --kernel out",
                           info->name);
    return TLU_OK;
}

tlu_status learner_check_options(const struct tlu_learner *learner, tlu_error *error)
{
    TRY(learner_accepts(learner->state.options, error));
    return conflicts_check(learner, SITUATION_ANY, error);
}

// ---- options without effect ----

static bool is_whole(const tlu_options *options)
{
    return kind_of(options)->traits & LEARNER_BATCH;
}

static bool is_whole_to_the_last(const tlu_options *options)
{
    return is_whole(options) && options_number(options, OPTION_HOLDOUT) == 0;
}

static bool has_adam(const tlu_options *options)
{
    return options_choice(options, OPTION_OPTIMIZER) == OPTIMIZER_ADAM;
}

// Whether the run uses no random numbers, which draw the order of rows, held-out rows, rates, the
// weights of --decide random, and the initial weights of a net.
static bool draws_nothing(const tlu_options *options)
{
    bool shuffles = options_choice(options, OPTION_SHUFFLE) == SHUFFLE_ALL ||
                    (options_choice(options, OPTION_SHUFFLE) == SHUFFLE_LATER &&
                     options_count(options, OPTION_EPOCHS) > 1);
    return !shuffles && options_number(options, OPTION_HOLDOUT) == 0 &&
           options_number(options, OPTION_RATE) == options_high(options, OPTION_RATE) &&
           options_choice(options, OPTION_DECIDE) != DECIDE_RANDOM &&
           !(kind_of(options)->traits & LEARNER_LAYERS);
}

// Whether no row may be on the wrong side, so that class weights have no effect.
static bool has_hard_margin(const tlu_options *options)
{
    char value[2];
    return is_whole(options) && !lacks(options, OPTION_C) && !options_is_set(options, OPTION_C) &&
           tlu_options_default(options, "C", value, sizeof value) == 0;
}

static bool holds_nothing_out(const tlu_options *options)
{
    return options_number(options, OPTION_HOLDOUT) == 0;
}

static bool has_one_label(const tlu_options *options)
{
    return !options_flag(options, OPTION_MULTILABEL);
}

static const struct {
    enum option option;
    bool (*holds)(const tlu_options *options);
    const char *why; // of_learner: "--option has no effect with LEARNER, which WHY"
    bool of_learner;
} idle_rules[] = {
    {OPTION_EPOCHS, is_whole, "looks at all rows at once", true},
    {OPTION_SHUFFLE, is_whole, "looks at all rows at once", true},
    {OPTION_PATIENCE, is_whole, "makes one pass", true},
    {OPTION_SEED, is_whole_to_the_last, "draws no random numbers", true},
    {OPTION_MOMENTUM, has_adam, "goes by --optimizer adam", true},
    {OPTION_SEED, draws_nothing, "as nothing is drawn at random", false},
    {OPTION_CLASS_WEIGHT, has_hard_margin,
     "without --C lets no row be on the wrong side, even one of "
     "little weight",
     true},
    {OPTION_LABEL_SEPARATOR, has_one_label, "as a row has one label without --multilabel", false},
    {OPTION_METRIC, holds_nothing_out, "as no rows are held out to be measured on", false},
    {OPTION_COSTS, holds_nothing_out, "as no rows are held out to be measured on", false},
    {OPTION_WEIGHTED, holds_nothing_out, "as no rows are held out to be measured on", false},
};

size_t tlu_options_no_effect(const tlu_options *options, const char *name, char *why, size_t size)
{
    FP_ENV_DEFAULT(caller);
    const tlu_option_info *info = tlu_option_find(name);
    size = why ? size : 0;
    if (size)
        why[0] = '\0';
    if (!info)
        return 0;
    enum option option = (enum option)(info - tlu_option_at(0));
    const char *learner = kind_of(options)->info.name;
    if (lacks(options, option))
        return (size_t)snprintf(why, size, "--%s has no effect with %s, which has no such option",
                                name, learner);
    for (size_t i = 0; i < sizeof idle_rules / sizeof idle_rules[0]; i++) {
        if (idle_rules[i].option != option || !idle_rules[i].holds(options))
            continue;
        if (idle_rules[i].of_learner)
            return (size_t)snprintf(why, size, "--%s has no effect with %s, which %s", name,
                                    learner, idle_rules[i].why);
        return (size_t)snprintf(why, size, "--%s has no effect, %s", name, idle_rules[i].why);
    }
    return 0;
}
