#include "learn/stream.h"

#include "base/call/fp_env.h"
#include "base/memory.h"
#include "learn/conflicts.h"
#include "learn/guard.h"

#include <math.h>
#include <string.h>

static tlu_status stream_init(struct tlu_learner *learner, const tlu_options *options,
                              tlu_error *error)
{
    TRY(learner_init(learner, options, error));
    TRY(learner_choose(learner, false,
                       error)); // not taken for a table: what a stream will bring is not known
    TRY(conflicts_check(learner, SITUATION_STREAM, error));
    int scale = options_choice(learner->options, OPTION_SCALE);
    learner->online.on = scale != SCALE_NONE && scale != SCALE_AUTO; // which is yet to be chosen
    guard_set(learner);
    uint32_t bits = (uint32_t)options_count(learner->options, OPTION_HASH);
    return enough_memory(bits == 0 || schema_hash(&learner->schema, bits), error);
}

tlu_status stream_new(const tlu_options *options, tlu_learner **out, tlu_error *error)
{
    *out = NULL;
    tlu_learner *learner = memory_new(1, sizeof *learner);
    TRY(enough_memory(learner, error));
    tlu_status status = stream_init(learner, options, error);
    if (status != TLU_OK)
        tlu_learner_free(learner);
    else
        *out = learner;
    return status;
}

// Defaults of a stream that are not those of a file (docs/streams.md has the
// evidence). An option that the perceptron has and pa2 has not means the perceptron.
static tlu_status set_defaults(tlu_options *options, tlu_error *error)
{
    if (!options_is_set(options, OPTION_LEARNER)) {
        bool perceptron = options_is_set(options, OPTION_RATE) ||
                          options_is_set(options, OPTION_MARGIN) ||
                          options_is_set(options, OPTION_TIE);
        TRY(tlu_options_set(options, "learner", perceptron ? "perceptron" : "pa2", error));
    }
    const struct learner_kind *kind =
        learner_kind_at((size_t)options_choice(options, OPTION_LEARNER));
    if (!options_is_set(options, OPTION_DECIDE) &&
        !(kind->traits & (LEARNER_BATCH | LEARNER_LAYERS)))
        TRY(tlu_options_set(options, "decide", "adaptive", error));
    return TLU_OK;
}

static tlu_status new_with_defaults(const tlu_options *options, tlu_learner **learner,
                                    tlu_error *error)
{
    tlu_options *own = options_copy(options);
    TRY(enough_memory(own, error));
    tlu_status status = set_defaults(own, error);
    if (status == TLU_OK)
        status = stream_new(own, learner, error);
    if (status == TLU_OK)
        (*learner)->online.open =
            !options_is_set(own, OPTION_SCALE) || options_choice(own, OPTION_SCALE) == SCALE_AUTO;
    tlu_options_free(own);
    return status;
}

tlu_status tlu_learner_new(const tlu_options *options, tlu_learner **learner, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    static const enum option about_files[] = {OPTION_EPOCHS, OPTION_SHUFFLE, OPTION_HOLDOUT,
                                              OPTION_CALIBRATE};
    *learner = NULL;
    for (size_t i = 0; options && i < sizeof about_files / sizeof about_files[0]; i++) {
        const tlu_option_info *info = tlu_option_at(about_files[i]);
        if (strcmp(options_text(options, about_files[i]), info->value) != 0)
            return error_input(error, "--%s is for files and does not apply to a stream",
                               info->name);
    }
    return new_with_defaults(options, learner, error);
}

tlu_status stream_choose_scale(struct tlu_learner *learner, const tlu_row *row, tlu_error *error)
{
    const float most = 255; // of what may be a count
    const struct schema *schema = &learner->schema;
    bool scaled = schema_is_csv(schema);
    bool words = format_table[schema->format].words == WORDS_ALL;
    if (!learner->online.open)
        return TLU_OK;
    for (size_t i = 0; !words && row->values && i < row->count; i++)
        scaled |= !(row->values[i] >= 0 && row->values[i] <= most &&
                    row->values[i] == truncf(row->values[i]));
    if (scaled || options_choice(learner->options, OPTION_SCALE) == SCALE_AUTO)
        TRY(tlu_options_set(learner->options, "scale", scaled ? "recent" : "none", error));
    learner->online.on = learner->online.recent = scaled;
    guard_set(learner);
    learner->online.open = false;
    return TLU_OK;
}

void tlu_learner_free(tlu_learner *learner)
{
    if (!learner)
        return;
    learner_free_parts(learner);
    memory_free(learner);
}

const tlu_learner_stats *tlu_learner_get_stats(tlu_learner *learner)
{
    learner->counts = (tlu_learner_stats){.examples = learner->examples,
                                          .mistakes = learner->mistakes,
                                          .updates = learner->updates,
                                          .features = schema_columns(&learner->schema),
                                          .classes = learner->scheme.classes};
    return &learner->counts;
}

tlu_status stream_check_label(const struct tlu_learner *learner, const char *label,
                              tlu_error *error)
{
    const char *positive = options_text(learner->options, OPTION_POSITIVE);
    const struct schema *schema = &learner->schema;
    if (!positive[0] || schema_class_find(schema, label, strlen(label)) != SCHEMA_NONE)
        return TLU_OK;
    uint32_t met = schema_classes(schema); // or promised
    if (schema_class_find(schema, positive, strlen(positive)) == SCHEMA_NONE) {
        struct schema promised; // so that "1" is found as "+1" too
        schema_init(&promised);
        bool fine = schema_class_add(&promised, positive, strlen(positive)) != SCHEMA_NONE;
        met += schema_class_find(&promised, label, strlen(label)) == SCHEMA_NONE;
        schema_free(&promised);
        if (!fine)
            return error_memory(error);
    }
    char name[80];
    if (met < 2)
        return TLU_OK;
    return error_input(error, "--positive is for two classes, and '%s' would be the third",
                       error_quote(name, sizeof name, label, strlen(label)));
}
