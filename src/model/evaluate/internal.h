// The parts of an evaluation.
#ifndef TLU_MODEL_EVALUATE_INTERNAL_H
#define TLU_MODEL_EVALUATE_INTERNAL_H

#include "base/packet.h"
#include "input/reader.h"
#include "metrics/metrics.h"
#include "model/model.h"

// ---- metrics.c: metrics besides counts ----

// Sets of classes of the rows of a batch.
struct row_sets {
    uint64_t *offsets; // [rows + 1]
    uint32_t *items;   // [offsets[rows]]
    size_t offsets_capacity, items_capacity;
};

struct metrics {
    bool all; // --metric all: metrics that are not possible are left out
    size_t count;
    struct chosen_metric *chosen; // [count]
    char (*names)[METRIC_NAME_SIZE];
    tlu_metric_value *measured; // [count]
    double *costs;              // [classes][classes], or NULL
    bool weighted;
    struct measure measure;
    // Scratch of a batch.
    double *weights, *probabilities;
    size_t weights_capacity, probabilities_capacity;
    struct row_sets labels, predictions; // --multilabel
};

// Chooses the metrics of the options; fails if one is not possible for the model. `keeps` is kept
// in any case.
tlu_status metrics_begin(struct metrics *metrics, const tlu_model *model,
                         const tlu_options *options, unsigned keeps, tlu_error *error);
// Takes the weights and the sets of labels of the last batch; metrics_add uses them.
tlu_status metrics_take(struct metrics *metrics, const tlu_reader *reader, size_t rows,
                        tlu_error *error);
tlu_status metrics_add(struct metrics *metrics, const tlu_model *model, const uint32_t *labels,
                       const tlu_predictions *predictions, tlu_error *error);
// Fills `measured`.
tlu_status metrics_end(struct metrics *metrics, tlu_error *error);
void metrics_free(struct metrics *metrics);

// ---- gather.c: rows that other processes have predicted ----

struct team;
// Appends the rows of a batch, with what metrics_take has taken.
void gather_put(struct packet *packet, const struct metrics *metrics, const tlu_model *model,
                const uint32_t *labels, const tlu_predictions *predictions);
typedef tlu_status gather_function(void *context, const uint32_t *labels,
                                   const tlu_predictions *predictions, tlu_error *error);
// Process 0 calls the function for the rows of all others, in the order of the processes; metrics
// have what metrics_take would have taken. The others send the packet.
tlu_status gather_rows(struct team *team, const struct packet *packet, struct metrics *metrics,
                       gather_function *add, void *context, tlu_error *error);
// Sums the counts of all processes.
tlu_status gather_stats(struct team *team, tlu_reader_stats *stats, tlu_error *error);

// ---- wrong.c: the wrong rows of largest margin ----

struct wrong_rows {
    size_t most, count;
    tlu_wrong_row *rows; // [count] a heap: the least margin first
    size_t capacity;
};

tlu_status wrong_add(struct wrong_rows *wrong, const tlu_model *model, tlu_reader *reader,
                     const tlu_batch *batch, const tlu_predictions *predictions, tlu_error *error);
void wrong_sort(struct wrong_rows *wrong); // the largest margin first
void wrong_free(struct wrong_rows *wrong);

#endif
