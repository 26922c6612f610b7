// All metrics: how each is computed, and one table that eval, cv, compare, --holdout and the public
// interface use. A new metric is a function here and a row in the table.
#include "metrics/metrics.h"

#include "base/call/fp_env.h"
#include "base/foreign_names.h"
#include "base/near.h"
#include "base/settings.h"
#include "metrics/ranking.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

enum { PART_PRECISION, PART_RECALL, PART_F1 };
enum { AVERAGE_USUAL, AVERAGE_MACRO, AVERAGE_MICRO, AVERAGE_WEIGHTED };

// ---- Labels and predictions ----
//
// With several classes, those count that occur as a label or as a prediction. A quotient with a
// zero divisor is 0, as in scikit-learn. Labels that the model does not know are one more class,
// which is never predicted. With sets of labels, all labels of the model count.

static bool has_sets(const struct measure *measure)
{
    return measure->keeps & KEEP_SETS;
}

static double exact_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    return sum_mean(&measure->exact, &measure->rows);
}

static double accuracy_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    struct sum hits = {0};
    if (has_sets(measure))
        return exact_value(measure, chosen);
    for (size_t c = 0; c < measure->classes; c++)
        sum_add(&hits, sum_value(&measure->of[c].hits));
    return sum_mean(&hits, &measure->rows);
}

// The mean recall of the classes that have rows.
static double balanced_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    struct sum recalls = {0};
    double classes = 0;
    for (size_t c = 0; c <= measure->classes; c++) {
        const struct class_totals *of = &measure->of[c];
        if (sum_value(&of->labels) > 0) {
            sum_add(&recalls, sum_mean(&of->hits, &of->labels));
            classes++;
        }
    }
    return classes > 0 ? sum_value(&recalls) / classes : NAN;
}

// ---- precision, recall, f1 ----

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double quality(int part, double labels, double predictions, double hits)
{
    if (part == PART_F1)
        return share(2 * hits, labels + predictions);
    return share(hits, part == PART_PRECISION ? predictions : labels);
}

static double class_quality(int part, const struct class_totals *of)
{
    return quality(part, sum_value(&of->labels), sum_value(&of->predictions), sum_value(&of->hits));
}

static double micro_quality(const struct measure *measure, int part)
{
    struct sum labels = {0}, predictions = {0}, hits = {0};
    for (size_t c = 0; c <= measure->classes; c++) {
        sum_add(&labels, sum_value(&measure->of[c].labels));
        sum_add(&predictions, sum_value(&measure->of[c].predictions));
        sum_add(&hits, sum_value(&measure->of[c].hits));
    }
    return quality(part, sum_value(&labels), sum_value(&predictions), sum_value(&hits));
}

static double mean_quality(const struct measure *measure, int part, bool weighted)
{
    struct sum total = {0}, weights = {0};
    for (size_t c = 0; c <= measure->classes; c++) {
        const struct class_totals *of = &measure->of[c];
        double weight = weighted ? sum_value(&of->labels) : of->met;
        sum_add(&total, weight * class_quality(part, of));
        sum_add(&weights, weight);
    }
    return share(sum_value(&total), sum_value(&weights));
}

static double quality_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    int part = chosen->metric->part, average = chosen->metric->average;
    if (average == AVERAGE_USUAL && measure->classes == 2 && !has_sets(measure))
        return class_quality(part, &measure->of[measure->positive]);
    if (average == AVERAGE_MICRO)
        return micro_quality(measure, part);
    return mean_quality(measure, part, average == AVERAGE_WEIGHTED);
}

// ---- others ----

// Matthews' correlation of label and prediction, for several classes after Gorodkin 2004: summed
// over classes from true positives, false negatives, false positives and true negatives.
static double matthews_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    struct sum both = {0}, labels = {0}, predictions = {0};
    for (size_t c = 0; c <= measure->classes; c++) {
        const struct class_totals *of = &measure->of[c];
        struct sum missed = sum_less(&of->labels, &of->hits);
        struct sum taken = sum_less(&of->predictions, &of->hits);
        struct sum others = sum_less(&measure->rows, &of->labels);
        struct sum not_predicted = sum_less(&measure->rows, &of->predictions);
        struct sum neither = sum_less(&others, &taken);
        sum_add(&both, sum_value(&of->hits) * sum_value(&neither));
        sum_add(&both, -sum_value(&missed) * sum_value(&taken));
        sum_add(&labels, sum_value(&of->labels) * sum_value(&others));
        sum_add(&predictions, sum_value(&of->predictions) * sum_value(&not_predicted));
    }
    double a = sum_value(&labels), b = sum_value(&predictions);
    double spread = a == b ? a : sqrt(a) * sqrt(b); // exactly 1 if all predictions are right
    return sum_value(&measure->rows) > 0 ? share(sum_value(&both), spread) : NAN;
}

static double cost_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    return sum_mean(&measure->cost, &measure->known);
}

static double top_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    struct sum near = {0};
    for (size_t place = 0; place < measure->classes && place < chosen->k; place++)
        sum_add(&near, sum_value(&measure->places[place]));
    return sum_mean(&near, &measure->rows);
}

// The share of the K highest scores whose labels are true.
static double precision_at_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    return top_value(measure, chosen) / (double)chosen->k;
}

// The share of labels, over all rows, that are missing or wrong.
static double hamming_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    struct sum wrong = {0};
    for (size_t c = 0; c <= measure->classes; c++) {
        const struct class_totals *of = &measure->of[c];
        struct sum missed = sum_less(&of->labels, &of->hits);
        struct sum taken = sum_less(&of->predictions, &of->hits);
        sum_add(&wrong, sum_value(&missed));
        sum_add(&wrong, sum_value(&taken));
    }
    return sum_mean(&wrong, &measure->rows) / (double)measure->classes;
}

// ---- Probabilities ----

static double log_loss_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    return sum_mean(&measure->losses.log, &measure->known);
}

static double brier_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    return sum_mean(&measure->losses.brier, &measure->known);
}

// Expected calibration error. The sums of a bin already contain the weights of its rows.
static double calibration_value(const struct measure *measure, const struct chosen_metric *chosen)
{
    (void)chosen;
    struct sum differences = {0};
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        const struct calibration_bin *bin = &measure->losses.bins[b];
        sum_add(&differences, fabs(sum_value(&bin->expected) - sum_value(&bin->hits)));
    }
    return sum_mean(&differences, &measure->known);
}

// ---- Ranking by score ----
//
// With several classes, each class is ranked against the rest, and the mean is taken.

// The share of pairs (row of the class, row of the rest) in which the first has the higher score; a
// tie counts half. NaN if a side has no rows.
static double area_under_roc(const struct ranking *ranking)
{
    struct ranking_step step = {0};
    struct sum pairs = {0};
    double above = 0;
    while (ranking_next(ranking, &step)) {
        sum_add(&pairs, step.new_rest * (above + step.new_target / 2));
        above = sum_value(&step.target);
    }
    double all = ranking->target_weight * ranking->rest_weight;
    return all > 0 ? sum_value(&pairs) / all : NAN;
}

// The mean precision over all thresholds, weighted by the increase of recall; 0 without rows of the
// class.
static double average_precision(const struct ranking *ranking)
{
    struct ranking_step step = {0};
    struct sum area = {0};
    while (ranking_next(ranking, &step)) {
        double target = sum_value(&step.target), rest = sum_value(&step.rest);
        sum_add(&area, step.new_target * (target / (target + rest)));
    }
    return ranking->target_weight > 0 ? sum_value(&area) / ranking->target_weight
           : ranking->rest_weight > 0 ? 0
                                      : NAN;
}

// False: out of memory.
static bool mean_over_classes(const struct measure *measure, ranking_value *of_ranking,
                              double *value)
{
    bool two = measure->classes == 2 && !has_sets(measure);
    size_t first = two ? measure->positive : 0, last = two ? first + 1 : measure->classes;
    struct sum total = {0};
    for (size_t c = first; c < last; c++) {
        struct ranking ranking;
        bool fine = ranking_make(&ranking, measure, c);
        if (fine)
            sum_add(&total, of_ranking(&ranking));
        ranking_free(&ranking);
        if (!fine)
            return false;
    }
    *value = sum_value(&total) / (double)(last - first);
    return true;
}

tlu_status measure_value(const struct measure *measure, const struct chosen_metric *chosen,
                         double *value, tlu_error *error)
{
    const struct metric *metric = chosen->metric;
    if (metric->of_ranking)
        return enough_memory(mean_over_classes(measure, metric->of_ranking, value), error);
    *value = metric->value(measure, chosen);
    return TLU_OK;
}

// ---- The table ----

#define LABELS "labels"
#define SCORES "scores"
#define CHANCES "probabilities"
#define K_USUAL 5 // the default K

// How many labels a row has.
#define ONE "one"
#define SETS "sets"
#define ANY "any"

// clang-format off
#define QUALITY_OF(part_of, average_of) .value = quality_value, .part = part_of, .average = average_of
#define QUALITY(name, what, part)                                                                  \
    {{name, what "; with several classes " name "-macro", 1, LABELS, ANY},   \
     QUALITY_OF(part, AVERAGE_USUAL)},                                                             \
    {{name "-macro", "mean " name " of the classes", 1, LABELS, ANY},                              \
     QUALITY_OF(part, AVERAGE_MACRO)},                                                             \
    {{name "-micro", name " of all classes counted together", 1, LABELS, ANY},                     \
     QUALITY_OF(part, AVERAGE_MICRO)},                                                             \
    {{name "-weighted", "mean " name " of the classes, weighted by their rows", 1, LABELS, ANY},   \
     QUALITY_OF(part, AVERAGE_WEIGHTED)}

static const struct metric table[] = {
    {{"accuracy", "share of rows whose prediction is correct", 1, LABELS, ANY},
     .value = accuracy_value},
    {{"balanced-accuracy", "mean recall of the classes that have rows", 1, LABELS, ONE},
     .value = balanced_value},
    QUALITY("precision", "share of the predictions of the positive class that are correct", PART_PRECISION),
    QUALITY("recall", "share of the rows of the positive class that are found", PART_RECALL),
    QUALITY("f1", "harmonic mean of precision and recall of the positive class", PART_F1),
    {{"matthews", "correlation of labels and predictions, from -1 to 1; 0 is chance", 1, LABELS,
      ONE},
     .value = matthews_value},
    {{"cost", "mean cost of a prediction, by --costs", 0, LABELS, ONE}, KEEP_COSTS,
     .value = cost_value},
    {{"roc-auc", "area under the ROC curve; with several classes the mean of each against the rest",
      1, SCORES, ANY}, KEEP_SCORES, .of_ranking = area_under_roc},
    {{"average-precision", "area under the precision-recall curve, as a sum of steps; with several "
      "classes the mean of each against the rest", 1, SCORES, ANY},
     KEEP_SCORES, .of_ranking = average_precision},
    {{"top-K", "share of rows whose class has one of the K highest scores (top-1, top-2, ...)", 1,
      SCORES, ONE}, KEEP_PLACES, .value = top_value},
    {{"log-loss", "mean of -log of the probability of the row's class", 0, CHANCES, ONE},
     KEEP_LOSSES, .value = log_loss_value},
    {{"brier", "mean squared error of the probabilities", 0, CHANCES, ONE},
     KEEP_LOSSES, .value = brier_value},
    {{"ece", "expected calibration error: how far probabilities are from how often they come true",
      0, CHANCES, ONE}, KEEP_LOSSES, .value = calibration_value},
    {{"exact-match", "share of rows whose set of labels is predicted exactly", 1, LABELS, SETS},
     .value = exact_value},
    {{"hamming-loss", "share of labels, over all rows, that are missing or wrong", 0, LABELS, SETS},
     .value = hamming_value},
    {{"precision-at-K", "share of the K highest scores whose labels are true (precision-at-1, "
      "precision-at-3, ...)", 1, SCORES, SETS}, KEEP_PLACES, .value = precision_at_value},
};
// clang-format on
#define METRICS (sizeof table / sizeof table[0])

const tlu_metric_info *tlu_metric_at(size_t index)
{
    return index < METRICS ? &table[index].info : NULL;
}

// ---- names ----

// The length of the name before its K; 0: it has none.
static size_t before_k(const struct metric *metric)
{
    size_t length = strlen(metric->info.name);
    return metric->info.name[length - 1] == 'K' ? length - 1 : 0;
}

static bool matches(const struct metric *metric, const char *name, size_t *k)
{
    uint64_t number;
    size_t prefix = before_k(metric);
    *k = 0;
    if (!prefix)
        return strcmp(metric->info.name, name) == 0;
    if (strncmp(name, metric->info.name, prefix) != 0 ||
        !number_index(name + prefix, strlen(name + prefix), &number) || number == 0)
        return false;
    *k = number < SIZE_MAX ? (size_t)number : SIZE_MAX;
    return true;
}

static const char *table_name(size_t index)
{
    return index < METRICS ? table[index].info.name : NULL;
}

static tlu_status unknown(const char *name, tlu_error *error)
{
    char quoted[80], names[600];
    size_t length = 0;
    const char *nearest = near_name(name, table_name), *answer = foreign_metric(name);
    error_quote(quoted, sizeof quoted, name, strlen(name));
    if (answer)
        return error_input(error, "there is no metric '%s'; %s", quoted, answer);
    if (nearest)
        return error_input(error, "there is no metric '%s'; did you mean %s?", quoted, nearest);
    for (size_t i = 0; i < METRICS && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                                   table[i].info.name);
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
    return (struct chosen_metric){&table[index], before_k(&table[index]) ? K_USUAL : 0};
}

bool metric_applies(const struct metric *metric, bool sets)
{
    return strcmp(metric->info.rows, sets ? ONE : SETS) != 0;
}

tlu_status metric_check(const struct chosen_metric *chosen, bool sets, tlu_error *error)
{
    char name[METRIC_NAME_SIZE];
    if (metric_applies(chosen->metric, sets))
        return TLU_OK;
    metric_name(chosen, name);
    if (sets)
        return error_input(error,
                           "--metric %s is for rows of one label; of several labels there are "
                           "f1-micro, f1-macro, exact-match, hamming-loss, precision-at-K and "
                           "others (docs/metrics.md)",
                           name);
    return error_input(error,
                       "--metric %s is for several labels per row (--multilabel); of one label "
                       "there are accuracy, f1, top-K and others (docs/metrics.md)",
                       name);
}

const char *metric_asked(const tlu_options *options)
{
    const char *name = options ? options_text(options, OPTION_METRIC) : "";
    bool sets = options && options_flag(options, OPTION_MULTILABEL);
    return name[0] || !sets ? name : METRIC_OF_SETS;
}

const char *metric_name(const struct chosen_metric *chosen, char *name)
{
    size_t prefix = before_k(chosen->metric);
    if (prefix)
        snprintf(name, METRIC_NAME_SIZE, "%.*s%zu", (int)prefix, chosen->metric->info.name,
                 chosen->k);
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
    return metric_applies(metric, answers->label_offsets) &&
           (!(metric->keeps & KEEPS_SCORES) || answers->scores) &&
           (!(metric->keeps & KEEP_LOSSES) || answers->probabilities) &&
           (!(metric->keeps & KEEP_COSTS) || answers->costs);
}

static tlu_status take_answers(struct measure *measure, const tlu_metric_data *given,
                               unsigned keeps, tlu_error *error)
{
    bool sets = given->label_offsets;
    if (given->classes < 2 || (given->classes == 2 && given->positive > 1 && !sets))
        return error_input(error, "there are two classes or more, and of two one is positive");
    if (given->classes >= TLU_UNKNOWN_LABEL)
        return error_input(error, "there are at most 2^32 - 2 classes, not %zu", given->classes);
    TRY(check_given(!given->rows || sets || (given->labels && given->predictions),
                    "array of labels or predictions", error));
    TRY(check_given(!sets || given->prediction_offsets, "array prediction_offsets", error));
    keeps |= sets ? KEEP_SETS : 0;
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
    TRY(metric_check(&chosen, answers.label_offsets, error));
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
