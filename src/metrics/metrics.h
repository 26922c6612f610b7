// The one table of metrics: eval, cv, compare, --holdout and the interface go by it.
//
// A measure gathers rows, in pieces of any size, and has the value of every metric that it was
// begun for. What a metric is made of decides what is kept: sums per class, losses and ranks as
// they come, and only for what has to be sorted all scores.
#ifndef TLU_METRICS_METRICS_H
#define TLU_METRICS_METRICS_H

#include "base/error.h"
#include "metrics/sum.h"

// What is kept of the rows, as bits.
enum {
    KEEP_CLASSES = 0, // always: sums per class
    KEEP_PLACES = 1,  // at which place the scores have the row's class
    KEEP_SCORES = 2,  // all of them
    KEEP_LOSSES = 4,  // of the probabilities
    KEEP_COSTS = 8
};
#define KEEPS_SCORES (KEEP_PLACES | KEEP_SCORES) // these look at scores

#define CALIBRATION_BINS 15

struct class_sums {
    bool met;                         // as a label or as a guess, whatever its weight
    struct sum labels, guesses, hits; // weights of rows with it as label, as guess, as both
};

struct calibration_bin {
    struct sum expected, hits; // the rows' probabilities, and those of them that came true
};

struct losses {
    struct sum log, brier;
    struct calibration_bin bins[CALIBRATION_BINS];
};

struct kept_scores {
    size_t most;            // numbers that are kept at most: with more none are; 0: no limit
    size_t rows, wide;      // wide: scores of a row
    double *scores;         // [rows][wide]
    uint32_t *labels;       // [rows]
    double *weights;        // [rows]; NULL: 1 each
    size_t scores_capacity; // of the arrays
    size_t labels_capacity;
    size_t weights_capacity;
};

struct measure {
    size_t classes;
    size_t positive;        // of two classes
    unsigned keeps;         // KEEP_...
    const double *costs;    // [classes][classes]: label, guess; the caller's
    struct sum rows, known; // weights of all rows, and of those with a label that is known
    struct sum cost;
    struct sum *places;    // [classes] weights of rows whose class is at that place, from 0
    struct class_sums *of; // [classes + 1]; the last is that of labels that are not known
    struct losses losses;
    struct kept_scores kept;
};

struct metric;

// A metric by its name.
struct chosen_metric {
    const struct metric *metric;
    size_t k; // of top-K; else 0
};

// NaN if it is not defined for these rows; false: out of memory.
typedef bool metric_value(const struct measure *measure, const struct chosen_metric *chosen,
                          double *value);

struct metric {
    tlu_metric_info info;
    unsigned keeps;
    metric_value *value;
    int part, average; // of precision, recall and f1
};

// TLU_ERROR_INPUT with the name that may have been meant. "" is accuracy.
tlu_status metric_choose(const char *name, struct chosen_metric *chosen, tlu_error *error);
// The metric in that row of the table, top-K as top-5; {NULL, 0} past the end.
struct chosen_metric metric_at(size_t index);
// What the user calls it; at most 32 bytes with the NUL.
#define METRIC_NAME_SIZE 32
const char *metric_name(const struct chosen_metric *chosen, char *name);
// Whether `value` is better than `than`; one that is not a number is worse than all others.
bool metric_is_better(const struct metric *metric, double value, double than);

// False: out of memory. `measure` is all zero before, and freed by measure_free either way.
bool measure_begin(struct measure *measure, size_t classes, size_t positive, unsigned keeps,
                   const double *costs);
// Rows as tlu_metric_compute takes them. Labels that are TLU_NO_LABEL do not count.
tlu_status measure_add(struct measure *measure, const tlu_metric_data *answers, tlu_error *error);
// NaN: not defined for these rows.
tlu_status measure_value(const struct measure *measure, const struct chosen_metric *chosen,
                         double *value, tlu_error *error);
void measure_free(struct measure *measure);

// ---- the metrics, by what they are made of ----

enum { PART_PRECISION, PART_RECALL, PART_F1 };
enum { AVERAGE_USUAL, AVERAGE_MACRO, AVERAGE_MICRO, AVERAGE_WEIGHTED };

// class_metrics.c
metric_value accuracy_value, balanced_value, quality_value, matthews_value, cost_value, top_value;
// loss_metrics.c
metric_value log_loss_value, brier_value, calibration_value;
void losses_add(struct measure *measure, uint32_t label, const double *probabilities,
                double weight);
// rank_metrics.c
metric_value roc_auc_value, average_precision_value;

#endif
