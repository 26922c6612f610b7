// A stream's rows, given by the names of their features: learned from, and predicted.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "data/hash.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "learn/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A longer step is refused: squares of weights must stay finite for ever.
#define LONGEST_STEP 1e100

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
    TRY(check_values(features, count, &largest, error));
    TRY(stream_check_label(learner, label, error));
    double rate = fmax(learner->rule.rate, learner->rule.rate_high);
    if (!(weight * learner->scheme.heaviest * rate * largest < LONGEST_STEP))
        return error_input(error,
                           "the example is too heavy: weight, class weight, rate and "
                           "largest value multiply to more than %g",
                           LONGEST_STEP);
    return TLU_OK;
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
        online_scale_row(learner, scaled, learner->online.scratch);
    }
    if (learner->decision.adapt)
        learner_decide(learner, scaled);
}

static tlu_status learn(struct tlu_learner *learner, const tlu_row *row, tlu_row *scaled,
                        uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    bool decided = learner->decision.adapt; // by weights that are as they were
    tlu_row mapped = *row;                  // from here on nothing fails
    if (!weights_map(&learner->space.weights, &mapped))
        return error_memory(error);
    if (learner->online.recent && online_scale_meet(learner, row)) {
        *scaled = *row;
        online_scale_row(learner, scaled, learner->online.scratch);
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

static tlu_status learn_row(struct tlu_learner *learner, const struct row *row, const char *label,
                            double weight, bool *wrong, tlu_error *error)
{
    tlu_row scaled;
    uint32_t class_index = schema_class_add(&learner->schema, label, strlen(label));
    TRY(enough_memory(class_index != SCHEMA_NONE && learner_reserve(learner), error));
    TRY(stream_choose_scale(learner, &row->view, error));
    if (learner->online.on)
        TRY(enough_memory(online_scale_reserve(learner, row->view.count), error));
    prepare(learner, &row->view, &scaled);
    // The class comes into play before anything is counted: from there on nothing can fail
    // half-way, and the same example can be given again.
    TRY(learner_add_classes(learner, class_index + 1, error));
    TRY(enough_memory(learner_count(learner, class_index), error));
    return learn(learner, &row->view, &scaled, class_index, weight, wrong, error);
}

tlu_status tlu_learner_learn(tlu_learner *learner, const tlu_feature *features, size_t count,
                             const char *label, double weight, int *mistake, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct row row;
    bool wrong = false;
    TRY(check_example(learner, features, count, label, weight, error));
    TRY(check_guard(learner, features, count, weight, error));
    tlu_status status = row_make(learner, features, count, true, &row, error);
    if (status == TLU_OK)
        status = learn_row(learner, &row, label, weight, &wrong, error);
    row_free(&row);
    if (status == TLU_OK && mistake)
        *mistake = wrong;
    // The example has been learned, even if this fails: if there is not enough memory, the
    // next one tries again.
    if (status == TLU_OK && learner->pruning.max_features)
        learner_prune(learner, learner->pruning.max_features, NULL);
    return status;
}

static tlu_status predict_row(struct tlu_learner *learner, struct row *row, const char **label,
                              double *score, tlu_error *error)
{
    const struct scheme *scheme = &learner->scheme;
    const double *scores = learner->space.scores; // of two classes the first is the positive one's
    *label = NULL;
    if (learner->online.on)
        online_scale_row(learner, &row->view, row->values);
    uint32_t winner = learner_decide(learner, &row->view);
    if (!guard_finite(scores, learner_columns(learner)))
        return error_input(error, GUARD_NO_SCORE);
    if (scheme->classes == 1)
        winner = 0;
    if (scheme->classes > 0)
        *label = learner->schema.spelled[winner];
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
    struct row row;
    double largest;
    TRY(check_values(features, count, &largest, error));
    tlu_status status = row_make(learner, features, count, false, &row, error);
    if (status == TLU_OK)
        status = predict_row(learner, &row, label, score, error);
    row_free(&row);
    return status;
}
