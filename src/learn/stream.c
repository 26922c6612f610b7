#include "learn/stream.h"

#include "base/memory.h"
#include "data/hash.h"
#include "learn/conflicts.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A longer step is refused: squares of weights must stay finite for ever.
#define LONGEST_STEP 1e100

static tlu_status stream_init(struct tlu_learner *learner, const tlu_options *options,
                              tlu_error *error)
{
    TRY(learner_init(learner, options, error));
    TRY(learner_choose(learner, false,
                       error)); // no table: what a stream will be like, nobody knows
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

// What a stream does where nobody says otherwise, and a file does not (docs/streams.md has the
// evidence). An option that the perceptron has and pa2 has not means the perceptron.
static tlu_status new_with_defaults(const tlu_options *options, tlu_learner **learner,
                                    tlu_error *error)
{
    tlu_options *own = options_copy(options);
    if (!own)
        return error_memory(error);
    tlu_status status = TLU_OK;
    if (!options_is_set(own, OPTION_LEARNER)) {
        bool perceptron = options_is_set(own, OPTION_RATE) || options_is_set(own, OPTION_MARGIN) ||
                          options_is_set(own, OPTION_TIE);
        status = tlu_options_set(own, "learner", perceptron ? "perceptron" : "pa2", error);
    }
    const struct learner_kind *kind = learner_kind_at((size_t)options_choice(own, OPTION_LEARNER));
    if (status == TLU_OK && !options_is_set(own, OPTION_DECIDE) && !(kind->traits & LEARNER_WHOLE))
        status = tlu_options_set(own, "decide", "adaptive", error);
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
    static const enum option about_files[] = {OPTION_EPOCHS, OPTION_SHUFFLE, OPTION_HOLDOUT};
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
    tlu_status status = TLU_OK;
    if (scaled || options_choice(learner->options, OPTION_SCALE) == SCALE_AUTO)
        status = tlu_options_set(learner->options, "scale", scaled ? "recent" : "none", error);
    if (status != TLU_OK)
        return status;
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

const tlu_counts *tlu_learner_counts(tlu_learner *learner)
{
    learner->counts = (tlu_counts){.examples = learner->examples,
                                   .mistakes = learner->mistakes,
                                   .updates = learner->updates,
                                   .features = schema_columns(&learner->schema),
                                   .classes = learner->scheme.classes};
    return &learner->counts;
}

// ---- one example ----

struct entry {
    uint32_t feature;
    float value;
    const char *name;
};

// A row in memory of its own.
struct row {
    struct entry *entries;
    uint32_t *features;
    float *values;
    tlu_row view;
};

static void row_free(struct row *row)
{
    memory_free(row->entries);
    memory_free(row->features);
    memory_free(row->values);
}

static int by_feature(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return strcmp(x->name, y->name);
}

static tlu_status check_values(const tlu_feature *features, size_t count, double *largest,
                               tlu_error *error)
{
    char name[80];
    *largest = 1; // that of the bias
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(features[i].value) || isinf((float)features[i].value))
            return error_input(
                error, "the value of feature '%s' is not a finite number up to 3.4e38",
                error_quote(name, sizeof name, features[i].name, strlen(features[i].name)));
        *largest = fmax(*largest, fabs(features[i].value));
    }
    return TLU_OK;
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

// What may be wrong with an example is found before it changes anything, but for features that
// occur twice.
static tlu_status check_example(const struct tlu_learner *learner, const tlu_feature *features,
                                size_t count, const char *label, double weight, tlu_error *error)
{
    double largest;
    if (!label || !label[0])
        return error_input(error, "an example to learn from needs a label");
    if (!(weight > 0) || !isfinite(weight))
        return error_input(error, "the weight of an example is a positive number");
    tlu_status status = check_values(features, count, &largest, error);
    if (status == TLU_OK)
        status = stream_check_label(learner, label, error);
    double rate = fmax(learner->rule.rate, learner->rule.rate_high);
    if (status == TLU_OK && !(weight * learner->scheme.heaviest * rate * largest < LONGEST_STEP))
        return error_input(error,
                           "the example is too heavy: weight, class weight, rate and "
                           "largest value multiply to more than %g",
                           LONGEST_STEP);
    return status;
}

static tlu_status look_up(struct tlu_learner *learner, const tlu_feature *feature, bool add,
                          struct entry *entry, tlu_error *error)
{
    size_t length = strlen(feature->name);
    entry->value = (float)feature->value;
    entry->name = feature->name;
    entry->feature = add ? schema_add(&learner->schema, feature->name, length)
                         : schema_find(&learner->schema, feature->name, length);
    return add && entry->feature == SCHEMA_NONE ? error_memory(error) : TLU_OK;
}

// Adds an entry; of names that share a slot the values are added up.
static void row_put(struct row *row, const struct entry *entry)
{
    size_t last = row->view.count - 1;
    if (row->view.count > 0 && row->features[last] == entry->feature) {
        row->values[last] = hash_sum(row->values[last], entry->value);
        return;
    }
    if (row->view.count > 0 && row->values[last] == 0) // what has added up to 0 goes
        row->view.count--;
    row->features[row->view.count] = entry->feature;
    row->values[row->view.count++] = entry->value;
}

// Features by name to a row by number; without `add` unknown names are left out.
static tlu_status row_make(struct tlu_learner *learner, const tlu_feature *features, size_t count,
                           bool add, struct row *row, tlu_error *error)
{
    *row = (struct row){0};
    row->entries = memory_new(count, sizeof *row->entries);
    row->features = memory_new(count, sizeof *row->features);
    row->values = memory_new(count, sizeof *row->values);
    if (!row->entries || !row->features || !row->values)
        return error_memory(error);
    for (size_t i = 0; i < count; i++) {
        tlu_status status = look_up(learner, &features[i], add, &row->entries[i], error);
        if (status != TLU_OK)
            return status;
    }
    if (count)
        qsort(row->entries, count, sizeof *row->entries, by_feature);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = &row->entries[i];
        bool known = entry->feature < learner->space.weights.features || add;
        bool again = i > 0 && known && entry->feature == entry[-1].feature;
        if (again && strcmp(entry->name, entry[-1].name) == 0) {
            char name[80];
            error_quote(name, sizeof name, entry->name, strlen(entry->name));
            return error_input(error, "feature '%s' occurs twice in one example", name);
        }
        if (known && entry->feature != SCHEMA_NONE && entry->value != 0)
            row_put(row, entry);
    }
    if (row->view.count > 0 && row->values[row->view.count - 1] == 0)
        row->view.count--;
    row->view.features = row->features;
    row->view.values = row->values;
    return TLU_OK;
}

// The row as it is learned from, and what there is to say about it before that.
static void prepare(struct tlu_learner *learner, const tlu_row *row, tlu_row *scaled)
{
    *scaled = *row;
    if (learner->online.on) {
        if (!learner->online.recent) // it changes no prediction
            online_scale_meet(learner, row);
        online_scale_row(learner, scaled, learner->online.room);
    }
    if (learner->decision.adapt)
        learner_decide(learner, scaled);
}

static tlu_status learn(struct tlu_learner *learner, const tlu_row *row, tlu_row *scaled,
                        uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    bool decided = learner->decision.adapt; // by weights that are as they were
    tlu_row seated = *row;                  // from here on nothing fails
    if (!weights_seat(&learner->space.weights, &seated))
        return error_memory(error);
    if (learner->online.recent && online_scale_meet(learner, row)) {
        *scaled = *row;
        online_scale_row(learner, scaled, learner->online.room);
        decided = false;
    }
    return (decided ? learner_learn_decided : learner_learn)(learner, scaled, learner->examples,
                                                             class_index, weight, wrong, error);
}

// A row that would be too much for the weights is refused before its names are added.
static tlu_status check_guard(struct tlu_learner *learner, const tlu_feature *features,
                              size_t count, double weight, tlu_error *error)
{
    struct row row;
    struct refusal refusal;
    char reason[300];
    if (guard_is_sure(learner, count, weight))
        return TLU_OK;
    tlu_status status = row_make(learner, features, count, false, &row, error);
    if (status == TLU_OK && !guard_look(learner, &row.view, weight, &refusal)) {
        guard_say(learner, &refusal, reason, sizeof reason);
        status = error_input(error, "%s", reason);
    }
    row_free(&row);
    return status;
}

tlu_status tlu_learner_learn(tlu_learner *learner, const tlu_feature *features, size_t count,
                             const char *label, double weight, int *mistake, tlu_error *error)
{
    struct row row;
    tlu_row scaled;
    bool wrong = false;
    tlu_status status = check_example(learner, features, count, label, weight, error);
    if (status == TLU_OK)
        status = check_guard(learner, features, count, weight, error);
    if (status != TLU_OK)
        return status;
    status = row_make(learner, features, count, true, &row, error);
    if (status == TLU_OK) {
        uint32_t class_index = schema_class_add(&learner->schema, label, strlen(label));
        if (class_index == SCHEMA_NONE || !learner_reserve(learner))
            status = error_memory(error);
        if (status == TLU_OK)
            status = stream_choose_scale(learner, &row.view, error);
        if (status == TLU_OK && learner->online.on && !online_scale_reserve(learner, count))
            status = error_memory(error);
        // The class comes into play before anything is counted: from there on nothing can fail
        // half-way, and the same example can be given again.
        if (status == TLU_OK)
            prepare(learner, &row.view, &scaled);
        if (status == TLU_OK)
            status = learner_add_classes(learner, class_index + 1, error);
        if (status == TLU_OK && !learner_count(learner, class_index))
            status = error_memory(error);
        if (status == TLU_OK)
            status = learn(learner, &row.view, &scaled, class_index, weight, &wrong, error);
    }
    if (status == TLU_OK && mistake)
        *mistake = wrong;
    // The example has been learned, whatever becomes of this: where memory is out, the next one
    // tries again.
    if (status == TLU_OK && learner->pruning.max_features)
        learner_prune(learner, learner->pruning.max_features, NULL);
    row_free(&row);
    return status;
}

tlu_status tlu_learner_predict(tlu_learner *learner, const tlu_feature *features, size_t count,
                               const char **label, double *score, tlu_error *error)
{
    struct row row;
    double largest;
    tlu_status status = check_values(features, count, &largest, error);
    if (status != TLU_OK)
        return status;
    status = row_make(learner, features, count, false, &row, error);
    if (status == TLU_OK && learner->online.on)
        online_scale_row(learner, &row.view, row.values);
    if (status == TLU_OK) {
        *label = NULL;
        uint32_t winner = learner_decide(learner, &row.view);
        if (!guard_finite(learner->space.scores, learner_columns(learner)))
            status = error_input(error, GUARD_NO_SCORE);
        if (learner->scheme.classes == 1)
            winner = 0;
        if (learner->scheme.classes > 0 && status == TLU_OK)
            *label = learner->schema.spelled[winner];
        double first = learner->space.scores[0]; // of two classes it is that of `positive`
        if (score)
            *score = learner->scheme.classes > 2          ? learner->space.scores[winner]
                     : winner == learner->scheme.positive ? first
                                                          : 0 - first;
    }
    row_free(&row);
    return status;
}
