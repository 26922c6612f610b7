// Collects the rows that metrics are computed from.
#include "base/memory.h"
#include "metrics/metrics.h"

#include <assert.h>
#include <float.h>
#include <string.h>

bool measure_begin(struct measure *measure, size_t classes, size_t positive, unsigned keeps,
                   const double *costs)
{
    bool sets = keeps & KEEP_SETS;
    assert(classes >= 2 && (classes != 2 || positive < 2 || sets));
    assert(costs || !(keeps & KEEP_COSTS));
    *measure =
        (struct measure){.classes = classes, .positive = positive, .keeps = keeps, .costs = costs};
    measure->kept.wide = classes == 2 && !sets ? 1 : classes;
    measure->of = memory_new(classes + 1, sizeof *measure->of);
    if (keeps & KEEP_PLACES)
        measure->places = memory_new(classes, sizeof *measure->places);
    if (sets)
        measure->marks = memory_new(classes, sizeof *measure->marks);
    for (size_t c = 0; sets && measure->of && c < classes; c++)
        measure->of[c].met = true;
    return measure->of && (measure->places || !(keeps & KEEP_PLACES)) && (measure->marks || !sets);
}

static void drop_scores(struct measure *measure)
{
    struct kept_scores *kept = &measure->kept;
    measure->keeps &= ~(unsigned)KEEP_SCORES;
    memory_free(kept->scores);
    memory_free(kept->labels);
    memory_free(kept->members);
    memory_free(kept->weights);
    *kept = (struct kept_scores){.wide = kept->wide};
}

void measure_free(struct measure *measure)
{
    memory_free(measure->of);
    memory_free(measure->places);
    memory_free(measure->marks);
    drop_scores(measure);
    *measure = (struct measure){0};
}

// The rank of the label, from 0. Among equal scores the last class ranks first, and with two
// classes a score of 0 ranks the negative one first: as in scikit-learn.
static size_t place_of(const struct measure *measure, uint32_t label, const double *scores)
{
    size_t place = 0;
    if (measure->kept.wide == 1)
        return (scores[0] > 0) != (label == measure->positive);
    for (size_t c = 0; c < measure->classes; c++)
        place += scores[c] > scores[label] || (scores[c] == scores[label] && c > label);
    return place;
}

// Keeps the label of a row or, unless it is NULL, members[wide].
static bool keep_scores(struct kept_scores *kept, uint32_t label, const uint8_t *members,
                        const double *scores, double weight)
{
    size_t cells = (kept->rows + 1) * kept->wide;
    bool fine = memory_reserve(&kept->scores, &kept->scores_capacity, cells, sizeof *scores);
    if (members)
        fine = fine && memory_reserve(&kept->members, &kept->members_capacity, cells, 1);
    else
        fine = fine &&
               memory_reserve(&kept->labels, &kept->labels_capacity, kept->rows + 1, sizeof label);
    if (!fine)
        return false;
    if (weight != 1 || kept->weights) {
        bool first = !kept->weights;
        if (!memory_reserve(&kept->weights, &kept->weights_capacity, kept->rows + 1, sizeof weight))
            return false;
        for (size_t i = 0; first && i < kept->rows; i++)
            kept->weights[i] = 1;
        kept->weights[kept->rows] = weight;
    }
    memcpy(kept->scores + cells - kept->wide, scores, kept->wide * sizeof *scores);
    if (members)
        memcpy(kept->members + cells - kept->wide, members, kept->wide);
    else
        kept->labels[kept->rows] = label;
    kept->rows++;
    return true;
}

// With two classes, a bin compares the probability of the positive class with the share of that
// class, as in a reliability diagram; with several, the highest probability with the share of rows
// that have the class predicted by it (Guo et al. 2017).
static void add_to_bin(struct measure *measure, uint32_t label, const double *probabilities,
                       double weight)
{
    size_t looked_at = measure->positive;
    if (measure->classes != 2) {
        looked_at = 0;
        for (size_t c = 1; c < measure->classes; c++)
            if (probabilities[c] > probabilities[looked_at])
                looked_at = c;
    }
    double probability = probabilities[looked_at];
    size_t bin = CALIBRATION_BINS - 1;
    if (!(probability >= 1))
        bin = probability > 0 ? (size_t)(probability * CALIBRATION_BINS) : 0;
    struct calibration_bin *into = &measure->losses.bins[bin];
    sum_add(&into->expected, weight * probability);
    sum_add(&into->hits, label == looked_at ? weight : 0);
}

// With two classes, of the positive class; with several, summed over all classes (Brier 1950).
static double squared_distance(const struct measure *measure, uint32_t label,
                               const double *probabilities)
{
    struct sum squares = {0};
    for (size_t c = 0; c < measure->classes; c++) {
        double distance = probabilities[c] - (c == label);
        if (measure->classes != 2 || c == measure->positive)
            sum_add(&squares, distance * distance);
    }
    return sum_value(&squares);
}

static void losses_add(struct measure *measure, uint32_t label, const double *probabilities,
                       double weight)
{
    struct losses *losses = &measure->losses;
    double own = probabilities[label]; // keeps the logarithm finite, as scikit-learn does
    own = own < DBL_EPSILON ? DBL_EPSILON : own > 1 - DBL_EPSILON ? 1 - DBL_EPSILON : own;
    sum_add(&losses->log, -weight * log(own));
    sum_add(&losses->brier, weight * squared_distance(measure, label, probabilities));
    add_to_bin(measure, label, probabilities, weight);
}

static void count_row(struct measure *measure, size_t label, size_t prediction, double weight)
{
    struct class_totals *truth = &measure->of[label], *predicted = &measure->of[prediction];
    truth->met = predicted->met = true;
    sum_add(&measure->rows, weight);
    sum_add(&truth->labels, weight);
    sum_add(&predicted->predictions, weight);
    if (label == prediction)
        sum_add(&truth->hits, weight);
}

static bool keep_if_wanted(struct measure *measure, uint32_t label, const uint8_t *members,
                           const double *scores, double weight)
{
    if (measure->kept.max && measure->kept.rows > measure->kept.max / measure->kept.wide)
        drop_scores(measure);
    return !(measure->keeps & KEEP_SCORES) ||
           keep_scores(&measure->kept, label, members, scores, weight);
}

// The part that applies only to rows with a known label.
static bool add_known(struct measure *measure, const tlu_metric_data *answers, size_t i,
                      double weight)
{
    uint32_t label = answers->labels[i], prediction = answers->predictions[i];
    const double *scores = answers->scores ? answers->scores + i * measure->kept.wide : NULL;
    assert(scores || !(measure->keeps & KEEPS_SCORES));
    assert(answers->probabilities || !(measure->keeps & KEEP_LOSSES));
    sum_add(&measure->known, weight);
    if (measure->keeps & KEEP_COSTS)
        sum_add(&measure->cost, weight * measure->costs[label * measure->classes + prediction]);
    if (measure->keeps & KEEP_PLACES)
        sum_add(&measure->places[place_of(measure, label, scores)], weight);
    if (measure->keeps & KEEP_LOSSES)
        losses_add(measure, label, answers->probabilities + i * measure->classes, weight);
    return keep_if_wanted(measure, label, NULL, scores, weight);
}

static tlu_status add_row(struct measure *measure, const tlu_metric_data *answers, size_t i,
                          tlu_error *error)
{
    uint32_t label = answers->labels[i], prediction = answers->predictions[i];
    double weight = answers->weights ? answers->weights[i] : 1;
    if (label == TLU_NO_LABEL)
        return TLU_OK;
    if (prediction >= measure->classes || (label >= measure->classes && label != TLU_UNKNOWN_LABEL))
        return error_input(error, "row %zu: there are %zu classes, numbered from 0", i + 1,
                           measure->classes);
    if (!(weight >= 0) || isinf(weight))
        return error_input(error, "row %zu: a weight is 0 or more", i + 1);
    if (label == TLU_UNKNOWN_LABEL) {
        count_row(measure, measure->classes, prediction, weight);
        return TLU_OK;
    }
    count_row(measure, label, prediction, weight);
    return enough_memory(add_known(measure, answers, i, weight), error);
}

// ---- sets of labels ----

enum { MARK_LABEL = 1, MARK_PREDICTION = 2 };

// The labels or predictions of a row.
struct labels_of_row {
    const uint32_t *items; // [count]
    size_t count;
};

static tlu_status take_set(const uint32_t *items, const uint64_t *offsets, size_t i,
                           struct labels_of_row *set, tlu_error *error)
{
    if (offsets[i + 1] < offsets[i])
        return error_input(error, "row %zu: its labels or predictions end before they begin",
                           i + 1);
    *set = (struct labels_of_row){.count = (size_t)(offsets[i + 1] - offsets[i])};
    TRY(check_given(!set->count || items, "array of labels or predictions", error));
    if (set->count)
        set->items = items + offsets[i];
    return TLU_OK;
}

// Marks the items of a set. False: one is there twice, or is not a class.
static bool mark_set(struct measure *measure, const struct labels_of_row *set, uint8_t mark,
                     bool unknown)
{
    for (size_t k = 0; k < set->count; k++) {
        uint32_t c = set->items[k];
        if (c == TLU_UNKNOWN_LABEL && unknown)
            continue;
        if (c >= measure->classes || measure->marks[c] & mark)
            return false;
        measure->marks[c] |= mark;
    }
    return true;
}

static bool count_set(struct measure *measure, const struct labels_of_row *labels,
                      const struct labels_of_row *predictions, const double *scores, double weight)
{
    size_t hits = 0;
    sum_add(&measure->rows, weight);
    for (size_t k = 0; k < labels->count; k++) {
        uint32_t c = labels->items[k];
        bool known = c != TLU_UNKNOWN_LABEL;
        struct class_totals *of = &measure->of[known ? c : measure->classes];
        of->met = true;
        sum_add(&of->labels, weight);
        if (known && measure->marks[c] & MARK_PREDICTION) {
            sum_add(&of->hits, weight);
            hits++;
        }
        if (known && measure->keeps & KEEP_PLACES)
            sum_add(&measure->places[place_of(measure, c, scores)], weight);
    }
    for (size_t k = 0; k < predictions->count; k++)
        sum_add(&measure->of[predictions->items[k]].predictions, weight);
    if (hits == labels->count && hits == predictions->count)
        sum_add(&measure->exact, weight);
    for (size_t c = 0; c < measure->classes; c++)
        measure->marks[c] &= MARK_LABEL;
    return keep_if_wanted(measure, 0, measure->marks, scores, weight);
}

static tlu_status add_set_row(struct measure *measure, const tlu_metric_data *answers, size_t i,
                              tlu_error *error)
{
    struct labels_of_row labels, predictions;
    double weight = answers->weights ? answers->weights[i] : 1;
    const double *scores = answers->scores ? answers->scores + i * measure->kept.wide : NULL;
    TRY(take_set(answers->labels, answers->label_offsets, i, &labels, error));
    TRY(take_set(answers->predictions, answers->prediction_offsets, i, &predictions, error));
    if (labels.count == 1 && labels.items[0] == TLU_NO_LABEL)
        return TLU_OK;
    if (!(weight >= 0) || isinf(weight))
        return error_input(error, "row %zu: a weight is 0 or more", i + 1);
    memset(measure->marks, 0, measure->classes);
    if (!mark_set(measure, &labels, MARK_LABEL, true) ||
        !mark_set(measure, &predictions, MARK_PREDICTION, false))
        return error_input(error,
                           "row %zu: there are %zu labels, numbered from 0, each at most once",
                           i + 1, measure->classes);
    return enough_memory(count_set(measure, &labels, &predictions, scores, weight), error);
}

tlu_status measure_add(struct measure *measure, const tlu_metric_data *answers, tlu_error *error)
{
    bool sets = measure->keeps & KEEP_SETS;
    for (size_t i = 0; i < answers->rows; i++)
        TRY((sets ? add_set_row : add_row)(measure, answers, i, error));
    return TLU_OK;
}
