// The table of metrics, and the interface to it.
#include "metrics/metrics.h"

#include "base/call/fp_env.h"
#include "base/near.h"
#include "base/settings.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

#define LABELS "labels"
#define SCORES "scores"
#define CHANCES "probabilities"
#define TOP "top-"
#define TOP_USUAL 5 // if no K is said

// clang-format off
#define QUALITY(name, what, part)                                                                  \
    {{name, what " of the positive class; of several classes, as " name "-macro", 1, LABELS},      \
     0, quality_value, part, AVERAGE_USUAL},                                                       \
    {{name "-macro", "mean over the classes of their " what, 1, LABELS},                           \
     0, quality_value, part, AVERAGE_MACRO},                                                       \
    {{name "-micro", what " of all classes counted together", 1, LABELS},                          \
     0, quality_value, part, AVERAGE_MICRO},                                                       \
    {{name "-weighted", "mean over the classes of their " what ", each by its share of rows", 1,   \
      LABELS}, 0, quality_value, part, AVERAGE_WEIGHTED}

static const struct metric table[] = {
    {{"accuracy", "share of rows whose guess is right", 1, LABELS}, 0, accuracy_value, 0, 0},
    {{"balanced-accuracy", "mean over the classes of their recall", 1, LABELS},
     0, balanced_value, 0, 0},
    QUALITY("precision", "share of its guesses that are right", PART_PRECISION),
    QUALITY("recall", "share of its rows that are found", PART_RECALL),
    QUALITY("f1", "harmonic mean of precision and recall", PART_F1),
    {{"matthews", "correlation of labels and guesses, from -1 to 1; 0 is chance", 1, LABELS},
     0, matthews_value, 0, 0},
    {{"cost", "mean cost of a guess, by --costs", 0, LABELS}, KEEP_COSTS, cost_value, 0, 0},
    {{"roc-auc", "area under the ROC curve; of several classes the mean of each against the rest",
      1, SCORES}, KEEP_SCORES, roc_auc_value, 0, 0},
    {{"average-precision", "precision over all thresholds, each by the recall it adds; of several "
      "classes the mean of each against the rest", 1, SCORES},
     KEEP_SCORES, average_precision_value, 0, 0},
    {{TOP "K", "share of rows whose class has one of the K highest scores (top-1, top-2, ...)", 1,
      SCORES}, KEEP_PLACES, top_value, 0, 0},
    {{"log-loss", "mean of -log of the probability of the row's class", 0, CHANCES},
     KEEP_LOSSES, log_loss_value, 0, 0},
    {{"brier", "mean squared distance of the probabilities from the truth", 0, CHANCES},
     KEEP_LOSSES, brier_value, 0, 0},
    {{"ece", "expected calibration error: how far probabilities are from how often they come true",
      0, CHANCES}, KEEP_LOSSES, calibration_value, 0, 0},
};
// clang-format on
#define METRICS (sizeof table / sizeof table[0])

const tlu_metric_info *tlu_metric_at(size_t index)
{
    return index < METRICS ? &table[index].info : NULL;
}

// ---- names ----

static bool is_top(const struct metric *metric)
{
    return metric->value == top_value;
}

static bool matches(const struct metric *metric, const char *name, size_t *k)
{
    uint64_t number;
    *k = 0;
    if (!is_top(metric))
        return strcmp(metric->info.name, name) == 0;
    if (strncmp(name, TOP, strlen(TOP)) != 0 ||
        !number_index(name + strlen(TOP), strlen(name + strlen(TOP)), &number) || number == 0)
        return false;
    *k = number < SIZE_MAX ? (size_t)number : SIZE_MAX;
    return true;
}

static tlu_status unknown(const char *name, tlu_error *error)
{
    char quoted[80], names[400];
    size_t least = SIZE_MAX, length = 0;
    const char *nearest = NULL;
    error_quote(quoted, sizeof quoted, name, strlen(name));
    for (size_t i = 0; i < METRICS; i++) {
        size_t distance = tlu_text_distance(name, table[i].info.name);
        if (distance < least) {
            least = distance;
            nearest = table[i].info.name;
        }
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                                   table[i].info.name);
    }
    if (near_enough(least, strlen(name)))
        return error_input(error, "there is no metric '%s'; did you mean %s?", quoted, nearest);
    return error_input(error, "there is no metric '%s'; there are %s", quoted, names);
}

tlu_status metric_choose(const char *name, struct chosen_metric *chosen, tlu_error *error)
{
    if (name[0] == '\0')
        name = table[0].info.name;
    for (size_t i = 0; i < METRICS; i++) {
        if (matches(&table[i], name, &chosen->k)) {
            chosen->metric = &table[i];
            return TLU_OK;
        }
    }
    return unknown(name, error);
}

struct chosen_metric metric_at(size_t index)
{
    if (index >= METRICS)
        return (struct chosen_metric){NULL, 0};
    return (struct chosen_metric){&table[index], is_top(&table[index]) ? TOP_USUAL : 0};
}

const char *metric_name(const struct chosen_metric *chosen, char *name)
{
    if (is_top(chosen->metric))
        snprintf(name, METRIC_NAME_SIZE, TOP "%zu", chosen->k);
    else
        snprintf(name, METRIC_NAME_SIZE, "%s", chosen->metric->info.name);
    return name;
}

tlu_status tlu_metric_find(const char *name, const tlu_metric_info **info, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct chosen_metric chosen;
    TRY(check_given(name != NULL, "metric", error));
    TRY(metric_choose(name, &chosen, error));
    *info = &chosen.metric->info;
    return TLU_OK;
}

bool metric_is_better(const struct metric *metric, double value, double than)
{
    if (isnan(value) || isnan(than))
        return isnan(than) && !isnan(value);
    return metric->info.higher_is_better ? value > than : value < than;
}

// ---- rows in memory ----

static bool has_what_it_needs(const tlu_metric_data *answers, const struct metric *metric)
{
    return (!(metric->keeps & KEEPS_SCORES) || answers->scores) &&
           (!(metric->keeps & KEEP_LOSSES) || answers->probabilities) &&
           (!(metric->keeps & KEEP_COSTS) || answers->costs);
}

static tlu_status take_answers(struct measure *measure, const tlu_metric_data *given,
                               unsigned keeps, tlu_error *error)
{
    if (given->classes < 2 || (given->classes == 2 && given->positive > 1))
        return error_input(error, "there are two classes or more, and of two one is positive");
    if (given->classes >= TLU_UNKNOWN_LABEL)
        return error_input(error, "there are at most 2^32 - 2 classes, not %zu", given->classes);
    TRY(check_given(!given->rows || (given->labels && given->predictions),
                    "array of labels or guesses", error));
    TRY(enough_memory(measure_begin(measure, given->classes, given->positive, keeps, given->costs),
                      error));
    return measure_add(measure, given, error);
}

tlu_status tlu_metric_compute(const tlu_metric_data *given, const char *name, double *value,
                              tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_metric_data answers;
    struct chosen_metric chosen;
    struct measure measure = {0};
    TRY(settings_take(&answers, sizeof answers, given, "tlu_metric_data", error));
    TRY(check_given(name != NULL, "metric", error));
    TRY(metric_choose(name, &chosen, error));
    if (!has_what_it_needs(&answers, chosen.metric))
        return error_input(error, "%s needs %s", name,
                           chosen.metric->keeps & KEEP_COSTS ? "costs" : chosen.metric->info.needs);
    tlu_status status = take_answers(&measure, &answers, chosen.metric->keeps, error);
    if (status == TLU_OK)
        status = measure_value(&measure, &chosen, value, error);
    measure_free(&measure);
    return status;
}

tlu_status tlu_metric_compute_all(const tlu_metric_data *given, double *values, size_t count,
                                  tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_metric_data answers;
    struct measure measure = {0};
    unsigned keeps = 0;
    TRY(settings_take(&answers, sizeof answers, given, "tlu_metric_data", error));
    TRY(check_given(values || !count, "array of values", error));
    for (size_t i = 0; i < METRICS; i++)
        if (has_what_it_needs(&answers, &table[i]))
            keeps |= table[i].keeps;
    tlu_status status = take_answers(&measure, &answers, keeps, error);
    for (size_t i = 0; status == TLU_OK && i < METRICS && i < count; i++) {
        struct chosen_metric chosen = metric_at(i);
        values[i] = NAN;
        if (has_what_it_needs(&answers, chosen.metric))
            status = measure_value(&measure, &chosen, &values[i], error);
    }
    measure_free(&measure);
    return status;
}
