// Metrics, used by eval, cv, compare, --holdout and the public interface.
//
// A measure is an accumulator: rows are added to it in batches of any size, and then metrics are
// computed from it. Each metric states what the measure must keep: sums per class, losses, ranks,
// or, for metrics that sort the rows, all scores.
#ifndef TLU_METRICS_METRICS_H
#define TLU_METRICS_METRICS_H

#include "base/error.h"
#include "base/options.h"
#include "metrics/sum.h"

// What a measure keeps about the rows, as bits.
enum {
    KEEP_PLACES = 1, // ranks of the true class among the scores
    KEEP_SCORES = 2, // all scores
    KEEP_LOSSES = 4, // losses of the probabilities
    KEEP_COSTS = 8,  // the sum of misclassification costs
    KEEP_SETS = 16   // rows have sets of labels (--multilabel)
};
#define KEEPS_SCORES (KEEP_PLACES | KEEP_SCORES) // rows must come with scores

#define CALIBRATION_BINS 15

struct class_totals {
    bool met; // the class occurred as a label or as a prediction, even with weight 0
    struct sum labels, predictions, hits; // weight of rows with this label, this prediction, both
};

struct calibration_bin {
    struct sum expected; // sum of predicted probabilities
    struct sum hits;     // weight of the rows of the class whose probability that is
};

struct losses {
    struct sum log, brier;
    struct calibration_bin bins[CALIBRATION_BINS];
};

struct kept_scores {
    size_t max;             // maximum number of scores; with more, none are kept; 0: no limit
    size_t rows, wide;      // wide: number of scores per row
    double *scores;         // [rows][wide]
    uint32_t *labels;       // [rows]; not with sets
    uint8_t *members;       // [rows][wide] with sets: 1: the row has the label
    double *weights;        // [rows]; NULL: 1 each
    size_t scores_capacity; // allocated length of each array
    size_t labels_capacity;
    size_t members_capacity;
    size_t weights_capacity;
};

struct measure {
    size_t classes;
    size_t positive;        // the positive class, if there are two
    unsigned keeps;         // KEEP_...
    const double *costs;    // [classes][classes]: label, prediction; owned by the caller
    struct sum rows, known; // weight of all rows, and of those with a known label
    struct sum exact;       // sets: weight of rows whose set is predicted exactly
    struct sum cost;
    struct sum *places; // [classes] weight of rows whose true class has this rank, from 0; with
                        // sets, of all true labels
    uint8_t *marks;     // [classes] sets: scratch of a row, MARK_...
    struct class_totals *of; // [classes + 1]; the last entry is for unknown labels
    struct losses losses;
    struct kept_scores kept;
};

struct metric;

struct chosen_metric {
    const struct metric *metric;
    size_t k; // the K of top-K or precision-at-K; 0 for other metrics
};

struct ranking;
// Both return NaN if the metric is not defined for these rows.
typedef double metric_value(const struct measure *measure, const struct chosen_metric *chosen);
typedef double ranking_value(const struct ranking *ranking);

struct metric {
    tlu_metric_info info; // a name that ends with K stands for any number there
    unsigned keeps;
    metric_value *value;
    ranking_value *of_ranking; // instead of `value`: the mean over the classes
    int part, average;         // for precision, recall and f1
};

// Finds a metric by name; "" is accuracy. For an unknown name, it returns TLU_ERROR_INPUT with a
// message that suggests the most similar name.
tlu_status metric_choose(const char *name, struct chosen_metric *chosen, tlu_error *error);
// The metric at an index of the table, with K = 5; {NULL, 0} past the end.
struct chosen_metric metric_at(size_t index);
// Whether it is defined for rows of one label, or for rows with sets of labels.
bool metric_applies(const struct metric *metric, bool sets);
// Fails with the reason if it is not.
tlu_status metric_check(const struct chosen_metric *chosen, bool sets, tlu_error *error);
// The value of --metric; without it, with --multilabel, METRIC_OF_SETS. An evaluation has all
// METRICS_OF_SETS then, that one first.
#define METRIC_OF_SETS "f1-micro"
#define METRICS_OF_SETS                                                                            \
    METRIC_OF_SETS ",f1-macro,exact-match,hamming-loss,precision-at-1,precision-at-3,"             \
                   "precision-at-5"
const char *metric_asked(const tlu_options *options);
#define METRIC_NAME_SIZE 32 // bytes of metric_name's result, with the NUL
// Writes the name that a user gives a metric, such as top-5, into `name`, and returns it.
const char *metric_name(const struct chosen_metric *chosen, char *name);
// Whether `value` is better than `than`; NaN is worse than every number.
bool metric_is_better(const struct metric *metric, double value, double than);

// False: out of memory. The caller must call measure_free in either case.
bool measure_begin(struct measure *measure, size_t classes, size_t positive, unsigned keeps,
                   const double *costs);
// Adds rows in the form that tlu_metric_compute accepts. Rows with TLU_NO_LABEL are skipped.
tlu_status measure_add(struct measure *measure, const tlu_metric_data *answers, tlu_error *error);
// *value is NaN if the metric is not defined for these rows.
tlu_status measure_value(const struct measure *measure, const struct chosen_metric *chosen,
                         double *value, tlu_error *error);
void measure_free(struct measure *measure);

#endif
