// Metrics, as eval, cv, compare, --holdout and the public interface use them.
//
// A measure collects rows, in batches of any size, and computes the value of every metric that it
// was begun for. Each metric states what must be kept: sums per class, losses, ranks, or, only for
// metrics that sort rows, all scores.
#ifndef TLU_METRICS_METRICS_H
#define TLU_METRICS_METRICS_H

#include "base/error.h"
#include "metrics/sum.h"

// What a measure keeps of the rows, as bits.
enum {
    KEEP_CLASSES = 0, // always: sums per class
    KEEP_PLACES = 1,  // the rank of the row's class among the scores
    KEEP_SCORES = 2,  // all of them
    KEEP_LOSSES = 4,  // of the probabilities
    KEEP_COSTS = 8
};
#define KEEPS_SCORES (KEEP_PLACES | KEEP_SCORES) // these need scores

#define CALIBRATION_BINS 15

struct class_totals {
    bool met;                         // as a label or as a prediction, whatever its weight
    struct sum labels, guesses, hits; // weights of rows with this label, prediction, or both
};

struct calibration_bin {
    struct sum expected, hits; // sum of probabilities, and weight of the rows that came true
};

struct losses {
    struct sum log, brier;
    struct calibration_bin bins[CALIBRATION_BINS];
};

struct kept_scores {
    size_t max;             // maximum number of scores: beyond it, none are kept; 0: no limit
    size_t rows, wide;      // wide: scores per row
    double *scores;         // [rows][wide]
    uint32_t *labels;       // [rows]
    double *weights;        // [rows]; NULL: 1 each
    size_t scores_capacity; // of the arrays
    size_t labels_capacity;
    size_t weights_capacity;
};

struct measure {
    size_t classes;
    size_t positive;        // with two classes
    unsigned keeps;         // KEEP_...
    const double *costs;    // [classes][classes]: label, prediction; owned by the caller
    struct sum rows, known; // weight of all rows, and of those with a known label
    struct sum cost;
    struct sum *places;      // [classes] weight of rows whose class has that rank, from 0
    struct class_totals *of; // [classes + 1]; the last is for unknown labels
    struct losses losses;
    struct kept_scores kept;
};

struct metric;

struct chosen_metric {
    const struct metric *metric;
    size_t k; // of top-K; else 0
};

// *value is NaN if the metric is not defined for these rows. False: out of memory.
typedef bool metric_value(const struct measure *measure, const struct chosen_metric *chosen,
                          double *value);

struct metric {
    tlu_metric_info info;
    unsigned keeps;
    metric_value *value;
    int part, average; // of precision, recall and f1
};

// An unknown name is TLU_ERROR_INPUT; the message suggests the nearest. "" is accuracy.
tlu_status metric_choose(const char *name, struct chosen_metric *chosen, tlu_error *error);
// The metric in that row of the table, top-K as top-5; {NULL, 0} past the end of the table.
struct chosen_metric metric_at(size_t index);
#define METRIC_NAME_SIZE 32 // bytes of a user's name for a metric, with the NUL
const char *metric_name(const struct chosen_metric *chosen, char *name);
// Whether `value` is better than `than`; NaN is worse than every number.
bool metric_is_better(const struct metric *metric, double value, double than);

// False: out of memory. The caller frees the measure with measure_free in any case.
bool measure_begin(struct measure *measure, size_t classes, size_t positive, unsigned keeps,
                   const double *costs);
// Adds rows as tlu_metric_compute takes them. Rows with TLU_NO_LABEL are skipped.
tlu_status measure_add(struct measure *measure, const tlu_metric_data *answers, tlu_error *error);
// *value is NaN if the metric is not defined for these rows.
tlu_status measure_value(const struct measure *measure, const struct chosen_metric *chosen,
                         double *value, tlu_error *error);
void measure_free(struct measure *measure);

#endif
