// The API of a learner that gets one example at a time: tlu_learner_new, _learn, _predict. Features
// have names.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "data/hash.h"
#include "learn/conflicts.h"
#include "learn/guard.h"
#include "learn/learner.h"
#include "learn/online_scale.h"
#include "learn/prune.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Longer steps are an error: squares of weights must stay finite.
#define STEP_MAX 1e100

// ---- new and free ----

static tlu_status init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error)
{
    TRY(learner_init(learner, options, error));
    // The rows to come are not known, so they are not treated as a table.
    TRY(learner_choose(learner, false, error));
    TRY(conflicts_check(learner, SITUATION_STREAM, error));
    int scale = options_choice(learner->state.options, OPTION_SCALE);
    struct online_scale *online = &learner->state.online;
    online->numbers = scale != SCALE_NONE && scale != SCALE_AUTO; // auto: by the first row
    online->words = scale_rule_of(learner->state.options, SCALE_NONE);
    online->on = online->numbers || online_scale_of_words(online);
    guard_set(learner);
    uint32_t bits = (uint32_t)options_count(learner->state.options, OPTION_HASH);
    return enough_memory(bits == 0 || schema_hash(&learner->state.schema, bits), error);
}

tlu_status learner_new(const tlu_options *options, tlu_learner **out, tlu_error *error)
{
    *out = NULL;
    tlu_learner *learner = memory_new(1, sizeof *learner);
    TRY(enough_memory(learner, error));
    tlu_status status = init(learner, options, error);
    if (status != TLU_OK)
        tlu_learner_free(learner);
    else
        *out = learner;
    return status;
}

// The defaults of a stream differ from those of a file (docs/streams.md gives the evidence). An
// option that the perceptron has and pa2 lacks selects the perceptron.
static tlu_status set_defaults(tlu_options *options, tlu_error *error)
{
    if (options_is_auto(options, OPTION_LEARNER)) {
        bool perceptron = options_is_set(options, OPTION_RATE) ||
                          options_is_set(options, OPTION_MARGIN) ||
                          options_is_set(options, OPTION_TIE);
        TRY(tlu_options_set(options, "learner", perceptron ? "perceptron" : "pa2", error));
    }
    const struct learner_kind *kind = learner_kind_of(options);
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
        status = learner_new(own, learner, error);
    if (status == TLU_OK)
        (*learner)->state.online.open =
            !options_is_set(own, OPTION_SCALE) || options_choice(own, OPTION_SCALE) == SCALE_AUTO;
    tlu_options_free(own);
    return status;
}

tlu_status tlu_learner_new(const tlu_options *options, tlu_learner **learner, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    static const enum option about_files[] = {OPTION_EPOCHS, OPTION_SHUFFLE, OPTION_HOLDOUT,
                                              OPTION_CALIBRATE, OPTION_PART};
    *learner = NULL;
    for (size_t i = 0; options && i < sizeof about_files / sizeof about_files[0]; i++) {
        const tlu_option_info *info = tlu_option_at(about_files[i]);
        if (strcmp(options_text(options, about_files[i]), info->value) != 0)
            return error_input(error, "--%s is for files and does not apply to a stream",
                               info->name);
    }
    int missing = options ? options_choice(options, OPTION_MISSING) : MISSING_AUTO;
    if (missing == MISSING_MEDIAN || missing == MISSING_MODE)
        return error_input(error,
                           "--missing %s needs all rows in advance, and a stream has no end; use "
                           "auto or mean, or continue a model that was trained on a file",
                           options_text(options, OPTION_MISSING));
    return new_with_defaults(options, learner, error);
}

tlu_status learner_choose_scale(struct tlu_learner *learner, const tlu_row *row, tlu_error *error)
{
    const float most = 255; // larger values are not counts
    const struct schema *schema = &learner->state.schema;
    bool scaled = schema_is_csv(schema);
    bool words = format_table[schema->format].words == WORDS_ALL;
    if (!learner->state.online.open)
        return TLU_OK;
    for (size_t i = 0; !words && row->values && i < row->count; i++)
        scaled |= !(row->values[i] >= 0 && row->values[i] <= most &&
                    row->values[i] == truncf(row->values[i]));
    if (scaled || options_choice(learner->state.options, OPTION_SCALE) == SCALE_AUTO)
        TRY(tlu_options_set(learner->state.options, "scale", scaled ? "recent" : "none", error));
    struct online_scale *online = &learner->state.online;
    online->numbers = online->recent = scaled;
    online->on = scaled || online_scale_of_words(online);
    guard_set(learner);
    online->open = false;
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
    learner->counts = (tlu_learner_stats){.examples = learner->state.examples,
                                          .mistakes = learner->state.mistakes,
                                          .updates = learner->state.updates,
                                          .features = schema_columns(&learner->state.schema),
                                          .classes = learner->state.scheme.classes};
    return &learner->counts;
}

// ---- rows ----

struct named_entry {
    uint32_t feature;
    float value;
    const char *name;
};

// Empties the row and reserves memory for `count` features and values.
static bool row_begin(struct row_entries *row, size_t count)
{
    row->view = (tlu_row){0};
    return memory_reserve(&row->features, &row->feature_capacity, count, sizeof *row->features) &&
           memory_reserve(&row->values, &row->value_capacity, count, sizeof *row->values);
}

static void row_end(struct row_entries *row)
{
    row->view.features = row->features;
    row->view.values = row->values;
}

static int by_feature(const void *a, const void *b)
{
    const struct named_entry *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return strcmp(x->name, y->name);
}

static tlu_status check_values(const tlu_feature *features, size_t count, double *largest,
                               tlu_error *error)
{
    char name[80];
    *largest = 1; // that of the bias
    TRY(check_given(features || !count, "array of features", error));
    for (size_t i = 0; i < count; i++) {
        TRY(check_given(features[i].name != NULL, "name of a feature", error));
        if (!isfinite(features[i].value) || isinf((float)features[i].value))
            return error_input(
                error, "the value of feature '%s' is not a finite number up to 3.4e38",
                error_quote(name, sizeof name, features[i].name, strlen(features[i].name)));
        *largest = fmax(*largest, fabs(features[i].value));
    }
    return TLU_OK;
}

// --positive is for two classes: the one that it names and another. A third is an error.
static tlu_status check_positive(const struct tlu_learner *learner, const char *label,
                                 tlu_error *error)
{
    const char *positive = options_text(learner->state.options, OPTION_POSITIVE);
    const struct schema *schema = &learner->state.schema;
    if (!positive[0] || schema_class_find(schema, label, strlen(label)) != SCHEMA_NONE)
        return TLU_OK;
    uint32_t classes = schema_classes(schema); // and the one that --positive names
    if (schema_class_find(schema, positive, strlen(positive)) == SCHEMA_NONE) {
        struct schema promised; // a schema finds "1" as "+1", too
        schema_init(&promised);
        bool fine = schema_class_add(&promised, positive, strlen(positive)) != SCHEMA_NONE;
        classes += schema_class_find(&promised, label, strlen(label)) == SCHEMA_NONE;
        schema_free(&promised);
        if (!fine)
            return error_memory(error);
    }
    char name[80];
    if (classes < 2)
        return TLU_OK;
    return error_input(error, "--positive is for two classes, and '%s' would be the third",
                       error_quote(name, sizeof name, label, strlen(label)));
}

// Rejects a list with an empty label or one that is there twice, before it changes anything.
static tlu_status check_list(const struct tlu_learner *learner, const char *list, tlu_error *error)
{
    const char *separator = learner->state.schema.separator, *item = list, *next;
    struct table seen = {0};
    tlu_status status = TLU_OK;
    for (uint32_t count = 0; status == TLU_OK && *list && item; count++) {
        char quoted[80];
        next = strstr(item, separator);
        size_t length = next ? (size_t)(next - item) : strlen(item);
        const char *compared = schema_compared_form(item, &length);
        uint32_t number = length ? table_add(&seen, compared, length) : count;
        if (length == 0)
            status = error_input(error, "a label of the list '%s' is empty",
                                 error_quote(quoted, sizeof quoted, list, strlen(list)));
        else if (number == TABLE_NONE)
            status = error_memory(error);
        else if (number != count)
            status = error_input(error, "the label '%s' occurs twice in one example",
                                 error_quote(quoted, sizeof quoted, compared, length));
        item = next ? next + strlen(separator) : NULL;
    }
    table_free(&seen);
    return status;
}

// The checks of an example find all errors before they change anything, except for features that
// occur twice.
static tlu_status check_label(const struct tlu_learner *learner, const char *label, double weight,
                              tlu_error *error)
{
    bool multilabel = learner->state.schema.multilabel;
    if (!label || (!label[0] && !multilabel))
        return error_input(error, "an example to learn from needs a label");
    if (multilabel)
        TRY(check_list(learner, label, error));
    if (!(weight > 0) || !isfinite(weight))
        return error_input(error, "the weight of an example is a positive number");
    return TLU_OK;
}

static tlu_status check_step(const struct tlu_learner *learner, const char *label, double weight,
                             double largest, tlu_error *error)
{
    TRY(check_positive(learner, label, error));
    double rate = fmax(learner->rule.rate, learner->rule.rate_high);
    if (!(weight * learner->state.scheme.heaviest * rate * largest < STEP_MAX))
        return error_input(error,
                           "the example is too heavy: weight, class weight, rate and "
                           "largest value multiply to more than %g",
                           STEP_MAX);
    return TLU_OK;
}

static tlu_status look_up(struct tlu_learner *learner, const tlu_feature *feature, bool add,
                          struct named_entry *entry, tlu_error *error)
{
    size_t length = strlen(feature->name);
    entry->value = (float)feature->value;
    entry->name = feature->name;
    entry->feature = add ? schema_add(&learner->state.schema, feature->name, length)
                         : schema_find(&learner->state.schema, feature->name, length);
    return add && entry->feature == SCHEMA_NONE ? error_memory(error) : TLU_OK;
}

// Adds an entry; the values of names that share a slot are added up.
static void row_put(struct row_entries *row, const struct named_entry *entry)
{
    size_t last = row->view.count - 1;
    if (row->view.count > 0 && row->features[last] == entry->feature) {
        row->values[last] = hash_sum(row->values[last], entry->value);
        return;
    }
    if (row->view.count > 0 && row->values[last] == 0) // a sum of 0 is left out
        row->view.count--;
    row->features[row->view.count] = entry->feature;
    row->values[row->view.count++] = entry->value;
}

// Makes learner->row of features by name; without `add`, unknown names are left out.
static tlu_status row_make(struct tlu_learner *learner, const tlu_feature *features, size_t count,
                           bool add, tlu_error *error)
{
    struct row_entries *row = &learner->row;
    if (!row_begin(row, count) ||
        !memory_reserve(&row->entries, &row->entry_capacity, count, sizeof *row->entries))
        return error_memory(error);
    for (size_t i = 0; i < count; i++) {
        tlu_status status = look_up(learner, &features[i], add, &row->entries[i], error);
        if (status != TLU_OK)
            return status;
    }
    if (count)
        qsort(row->entries, count, sizeof *row->entries, by_feature);
    for (size_t i = 0; i < count; i++) {
        const struct named_entry *entry = &row->entries[i];
        bool known = entry->feature < learner->state.weights.features || add;
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
    row_end(row);
    return TLU_OK;
}

// Scales the row, and with --decide adaptive has the candidates predict it.
static void prepare(struct tlu_learner *learner, const tlu_row *row, tlu_row *scaled)
{
    *scaled = *row;
    if (learner->state.online.on) {
        if (!online_scale_is_late(&learner->state.online)) // it changes no prediction
            online_scale_update(learner, row);
        online_scale_row(learner, scaled, learner->state.online.scratch);
    }
    if (learner->state.decision.adapt)
        learner_decide(learner, scaled);
}

// Learns from an example, whose row becomes the scaled one.
static tlu_status learn(struct tlu_learner *learner, const tlu_row *row, const tlu_row *scaled,
                        struct example *example, bool *wrong, tlu_error *error)
{
    bool decided = learner->state.decision.adapt; // the weights have not changed since
    tlu_row mapped = *row;                        // nothing can fail after this
    if (!weights_map(&learner->state.weights, &mapped))
        return error_memory(error);
    example->x = *scaled;
    if (online_scale_is_late(&learner->state.online) && online_scale_update(learner, row)) {
        example->x = *row;
        online_scale_row(learner, &example->x, learner->state.online.scratch);
        decided = false;
    }
    return learner_learn_row(learner, example, decided, wrong, error);
}

// Rejects learner->row if it would overflow the weights.
static tlu_status check_guard_row(struct tlu_learner *learner, double weight, tlu_error *error)
{
    struct refusal refusal;
    char reason[300];
    if (guard_accepts(learner, &learner->row.view, weight, &refusal))
        return TLU_OK;
    guard_message(learner, &refusal, reason, sizeof reason);
    return error_input(error, "%s", reason);
}

// Rejects a row that would overflow the weights before its names are added.
static tlu_status check_guard(struct tlu_learner *learner, const tlu_feature *features,
                              size_t count, double weight, tlu_error *error)
{
    if (guard_is_sure(learner, count, weight))
        return TLU_OK;
    TRY(row_make(learner, features, count, false, error));
    return check_guard_row(learner, weight, error);
}

// Finds the class, or with --multilabel the set of labels, which is kept in learner->labels.
static tlu_status find_labels(struct tlu_learner *learner, const char *label,
                              struct example *example, tlu_error *error)
{
    struct schema *schema = &learner->state.schema;
    struct label_list *labels = &learner->labels;
    const char *item = label, *next;
    if (!schema->multilabel) {
        example->class_index = schema_class_add(schema, label, strlen(label));
        return enough_memory(example->class_index != SCHEMA_NONE, error);
    }
    size_t count = 0, between = strlen(schema->separator);
    for (; *label && item; item = next ? next + between : NULL, count++) {
        next = strstr(item, schema->separator);
        size_t length = next ? (size_t)(next - item) : strlen(item);
        uint32_t class_index = schema_class_add(schema, item, length);
        TRY(enough_memory(
            class_index != SCHEMA_NONE &&
                memory_reserve(&labels->set, &labels->set_capacity, count + 2, sizeof *labels->set),
            error));
        labels->set[count + 1] = class_index;
    }
    TRY(enough_memory(memory_reserve(&labels->set, &labels->set_capacity, 1, sizeof *labels->set),
                      error));
    labels->set[0] = (uint32_t)count;
    batch_sort_set(labels->set);
    example_take_set(example, labels->set);
    return TLU_OK;
}

static tlu_status learn_row(struct tlu_learner *learner, const char *label, double weight,
                            bool *wrong, tlu_error *error)
{
    const tlu_row *row = &learner->row.view;
    tlu_row scaled;
    struct example example = {.id = learner->state.examples, .weight = weight};
    TRY(find_labels(learner, label, &example, error));
    TRY(enough_memory(learner_reserve(learner), error));
    TRY(learner_choose_scale(learner, row, error));
    if (learner->state.online.on)
        TRY(enough_memory(online_scale_reserve(learner, row->count), error));
    prepare(learner, row, &scaled);
    // The class comes into play before anything is counted. If that fails, the caller can pass the
    // same example again.
    TRY(learner_add_classes(learner, example.class_index + 1, error));
    TRY(enough_memory(example.set ? learner_count_set(learner, example.set)
                                  : learner_count(learner, example.class_index),
                      error));
    return learn(learner, row, &scaled, &example, wrong, error);
}

// Learns from learner->row, which has been checked.
static tlu_status learn_checked(struct tlu_learner *learner, const char *label, double weight,
                                int *mistake, tlu_error *error)
{
    bool wrong = false;
    TRY(learn_row(learner, label, weight, &wrong, error));
    if (mistake)
        *mistake = wrong;
    // The example has been learned even if this fails for want of memory: the next one tries
    // again.
    if (learner->pruning.max_features)
        learner_prune(learner, learner->pruning.max_features, NULL);
    return TLU_OK;
}

tlu_status tlu_learner_learn(tlu_learner *learner, const tlu_feature *features, size_t count,
                             const char *label, double weight, int *mistake, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    double largest;
    TRY(check_label(learner, label, weight, error));
    TRY(check_values(features, count, &largest, error));
    TRY(check_step(learner, label, weight, largest, error));
    TRY(check_guard(learner, features, count, weight, error));
    TRY(row_make(learner, features, count, true, error));
    return learn_checked(learner, label, weight, mistake, error);
}

// Joins the labels that the scores predict in learner->labels; *score is the highest of all.
static tlu_status list_labels(struct tlu_learner *learner, const char **list, double *score,
                              tlu_error *error)
{
    const struct schema *schema = &learner->state.schema;
    const double *scores = learner->space.scores;
    struct label_list *labels = &learner->labels;
    uint32_t *order = learner_order_classes(learner), count = learner->state.scheme.classes;
    size_t size = 0;
    bool fine = order && memory_reserve(&labels->text, &labels->text_capacity, 1, 1);
    for (uint32_t i = 0; fine && i < count; i++) {
        uint32_t label = order[i];
        const char *text = schema->spelled[label], *between = size ? schema->separator : "";
        if (score && (i == 0 || scores[label] > *score))
            *score = scores[label];
        if (!learner_gives_label(learner, label, scores[label]))
            continue;
        size_t length = strlen(text) + strlen(between);
        fine = memory_reserve(&labels->text, &labels->text_capacity, size + length + 1, 1);
        if (fine)
            size += (size_t)snprintf(labels->text + size, length + 1, "%s%s", between, text);
    }
    memory_free(order);
    TRY(enough_memory(fine, error));
    labels->text[size] = '\0';
    *list = count ? labels->text : NULL;
    return TLU_OK;
}

// Computes the scores of learner->row; *winner is the class that they predict.
static tlu_status score_row(struct tlu_learner *learner, uint32_t *winner, tlu_error *error)
{
    tlu_row *row = &learner->row.view;
    if (learner->state.online.on)
        online_scale_row(learner, row, learner->row.values);
    *winner = learner_decide(learner, row);
    if (!guard_finite(learner->space.scores, learner_columns(learner)))
        return error_input(error, GUARD_NO_SCORE);
    return TLU_OK;
}

// Predicts learner->row.
static tlu_status predict_row(struct tlu_learner *learner, const char **label, double *score,
                              tlu_error *error)
{
    const struct scheme *scheme = &learner->state.scheme;
    const double *scores =
        learner->space.scores; // with two classes, the first is that of the positive class
    uint32_t winner;
    *label = NULL;
    TRY(score_row(learner, &winner, error));
    if (scheme->kind == SCHEME_MULTILABEL)
        return list_labels(learner, label, score, error);
    if (scheme->classes == 1)
        winner = 0;
    if (scheme->classes > 0)
        *label = learner->state.schema.spelled[winner];
    if (score && scheme->classes > 2)
        *score = scores[winner];
    else if (score)
        *score = winner == scheme->positive ? scores[0] : 0 - scores[0];
    return TLU_OK;
}

tlu_status tlu_learner_predict(tlu_learner *learner, const tlu_feature *features, size_t count,
                               const char **label, double *score, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    double largest;
    TRY(check_values(features, count, &largest, error));
    TRY(row_make(learner, features, count, false, error));
    return predict_row(learner, label, score, error);
}

// ---- features by number ----

// Names that are dropped give their numbers to others, and hashed names may share a number.
static tlu_status check_numbers(const struct tlu_learner *learner, tlu_error *error)
{
    if (learner->pruning.max_features || learner->state.schema.slots.bits)
        return error_input(error, "features have no fixed numbers with --%s; pass their names",
                           learner->pruning.max_features ? "max-features" : "hash");
    return TLU_OK;
}

tlu_status tlu_learner_feature(tlu_learner *learner, const char *name, uint32_t *feature,
                               tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *feature = SCHEMA_NONE;
    TRY(check_given(name != NULL, "name of a feature", error));
    TRY(check_numbers(learner, error));
    *feature = schema_add(&learner->state.schema, name, strlen(name));
    return enough_memory(*feature != SCHEMA_NONE, error);
}

// Whether tlu_learner_feature can have returned the number.
static bool is_feature(const struct schema *schema, uint32_t feature)
{
    if (feature >= schema->base)
        return feature - schema->base < schema_names(schema);
    return feature >= schema->direct.lowest && feature <= schema->direct.highest;
}

// Whether a feature occurs twice in learner->row.
static tlu_status check_once(struct tlu_learner *learner, tlu_error *error)
{
    struct row_entries *row = &learner->row;
    size_t features = schema_features(&learner->state.schema);
    if (features > row->seen_capacity || row->seen_rows == UINT32_MAX) {
        size_t capacity = 2 * features; // most of it is never written to: names start at 2^20
        uint32_t *seen = memory_new(capacity, sizeof *seen);
        TRY(enough_memory(seen, error));
        memory_free(row->seen);
        row->seen = seen;
        row->seen_capacity = capacity;
        row->seen_rows = 0;
    }
    row->seen_rows++;
    for (size_t i = 0; i < row->view.count; i++) {
        uint32_t *seen = &row->seen[row->features[i]];
        if (*seen == row->seen_rows)
            return error_input(error, "feature %" PRIu32 " occurs twice in one example",
                               row->features[i]);
        *seen = row->seen_rows;
    }
    return TLU_OK;
}

// Makes learner->row of a caller's row, without values that are 0. *largest is the largest absolute
// value, at least 1. Without `learn`, features that have no weight yet are left out.
static tlu_status row_take(struct tlu_learner *learner, const tlu_row *given, bool learn,
                           double *largest, tlu_error *error)
{
    const struct schema *schema = &learner->state.schema;
    struct row_entries *row = &learner->row;
    size_t count = 0, limit = learn ? SIZE_MAX : learner->state.weights.features;
    bool ascending = true;
    float most = 1; // that of the bias
    TRY(check_numbers(learner, error));
    TRY(enough_memory(row_begin(row, given->count), error));
    for (size_t i = 0; i < given->count; i++) {
        uint32_t feature = row_feature(given, i);
        float value = given->values ? given->values[i] : 1;
        if (!is_feature(schema, feature))
            return error_input(error, "there is no feature %" PRIu32 ": see tlu_learner_feature",
                               feature);
        if (!isfinite(value))
            return error_input(error, "the value of feature %" PRIu32 " is not a finite number",
                               feature);
        if (fabsf(value) > most)
            most = fabsf(value);
        if (value == 0 || feature >= limit)
            continue;
        ascending &= count == 0 || row->features[count - 1] < feature;
        row->features[count] = feature;
        row->values[count++] = value;
    }
    row->view.count = count;
    row_end(row);
    *largest = (double)most;
    return ascending ? TLU_OK : check_once(learner, error);
}

tlu_status tlu_learner_learn_row(tlu_learner *learner, const tlu_row *row, const char *label,
                                 double weight, int *mistake, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    double largest;
    TRY(check_label(learner, label, weight, error));
    TRY(row_take(learner, row, true, &largest, error));
    TRY(check_step(learner, label, weight, largest, error));
    if (!guard_is_sure(learner, row->count, weight))
        TRY(check_guard_row(learner, weight, error));
    return learn_checked(learner, label, weight, mistake, error);
}

tlu_status tlu_learner_predict_row(tlu_learner *learner, const tlu_row *row, const char **label,
                                   double *score, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    double largest;
    *label = NULL;
    TRY(row_take(learner, row, false, &largest, error));
    return predict_row(learner, label, score, error);
}

// ---- probabilities ----

const char *tlu_learner_class_label(const tlu_learner *learner, size_t class_index)
{
    FP_ENV_DEFAULT(caller);
    return class_index < learner->state.scheme.classes ? learner->state.schema.spelled[class_index]
                                                       : NULL;
}

// Computes the probabilities of learner->row.
static tlu_status predict_probabilities(struct tlu_learner *learner, double *probabilities,
                                        tlu_error *error)
{
    const struct learner_state *state = &learner->state;
    uint32_t classes = state->scheme.classes, winner;
    TRY(score_row(learner, &winner, error));
    if (classes == 1 && state->scheme.kind != SCHEME_MULTILABEL)
        probabilities[0] = 1;
    else if (classes > 0)
        output_probabilities(&state->output, rule_logits(state->options, state->scheme.kind),
                             learner->space.scores, classes, state->scheme.positive, probabilities);
    return TLU_OK;
}

static tlu_status check_probabilities(const struct tlu_learner *learner, tlu_error *error)
{
    const struct learner_state *state = &learner->state;
    enum logits logits = rule_logits(state->options, state->scheme.kind);
    if (output_has_probabilities(&state->output, logits))
        return TLU_OK;
    return error_input(error, "the learner has no probabilities: %s",
                       rule_no_logits(state->options, state->scheme.classes));
}

tlu_status tlu_learner_probabilities(tlu_learner *learner, const tlu_feature *features,
                                     size_t count, double *probabilities, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    double largest;
    TRY(check_probabilities(learner, error));
    TRY(check_values(features, count, &largest, error));
    TRY(row_make(learner, features, count, false, error));
    return predict_probabilities(learner, probabilities, error);
}
