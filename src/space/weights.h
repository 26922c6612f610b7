// The weight vectors of a run: the current one, w, and what is needed for the average of all.
//
// Let w_t be the weights after example t (of T so far). The average (1/T) sum_t w_t is not summed
// up step by step but by update: an update d at example t is part of w_t, w_t+1, ..., w_T, that is
// of T - (t - 1) of them. With u the sum of (t - 1) d over all updates,
//
//     average = w - u / T
//
// so that averaging costs something only at mistakes.
//
// Some learners also shrink w as a whole. Then w = scale v, a column's own scale and a v that
// changes only where x is; and an update d of v at example t counts A_T - A_(t-1) times, A_t being
// the sum of the scales after each example up to t. With u the sum of A_(t-1) d, the average is (A
// v - u) / T. A is t if the scale is always 1.
//
// The recent average forgets: with a decay b below 1 it is sum_t b^(T-t) w_t / sum_t b^(T-t). It is
// kept in the same way. S_t = (1 - b) sum_(i<=t) b^(t-i), the share of what has been seen, is 1 -
// b^t, and an update d at example t counts S_T - b^(T-t+1) S_(t-1). With r the sum of b^(-(t-1))
// S_(t-1) d over all updates,
//
//     recent average = (S_T w - b^T r) / S_T
//
// If weights are scaled, the same decayed sum of the scales takes the place of S as that of v
// takes the place of w. b^(-t) grows without end, so it and r are multiplied by 2^-64 now and then,
// which changes no other bit.
#ifndef TLU_SPACE_WEIGHTS_H
#define TLU_SPACE_WEIGHTS_H

#include "space/feature_slots.h"
#include "tlu.h"
#include "vector/vector.h"

#include <float.h>
#include <stdbool.h>

enum { WEIGHTS_AVERAGE = 1, WEIGHTS_SCALE = 2, WEIGHTS_STATE = 4, WEIGHTS_RECENT = 8 };

// Which of the weights decide.
enum weights_by { WEIGHTS_BY_LAST, WEIGHTS_BY_AVERAGE, WEIGHTS_BY_RECENT, WEIGHTS_BY_COUNT };

// A scale below this, or above its inverse, is multiplied out: the average is a difference of
// numbers that are larger than it by the inverse of the scale.
#define WEIGHTS_SCALE_MIN 1e-5

// b: the recent average is about the last 1 / (1 - b) examples.
#define WEIGHTS_DECAY (1 - 1.0 / 256)
#define WEIGHTS_GROWTH_MAX 18446744073709551616.0 // 2^64

struct weights_recent {
    double *r;      // [features][columns]; NULL unless the recent average is wanted
    double *r_bias; // [columns]; NULL likewise
    double *sum;    // [columns] the decayed sum of the scales; NULL without scales: it is the share
    double decay;   // b
    double growth;  // b^(-T), up to a power of 2^64; at least 1 and below 2^64
    double share;   // S_T
};

struct weights {
    // 1 for two classes; else one per class, or one per pair of classes. There may be more of them
    // than are in use (learner_columns), so that classes can come one by one; those have weights 0.
    uint32_t columns;
    size_t features; // numbers of features are below this
    // NULL: feature f has row f of the arrays. Else the row of its slot, and those without a slot
    // have none. Weights of one learner have the same slots.
    struct feature_slots *slots;
    size_t rows;    // of the arrays, all that is written to; `features` of them without slots
    double *w;      // [rows][columns]: feature by feature, classes side by side
    double *bias;   // [columns]; never scaled
    double *u;      // [rows][columns]; NULL unless the average is wanted
    double *u_bias; // [columns]; NULL likewise
    double steps;   // T
    // [rows][columns] what a second-order learner knows; NULL for others. 0 stands for
    // state_start (weights_state), so that features that were never met cost no memory.
    double *state;
    double *state_bias;   // [columns] as it is
    double state_start;   // of a feature never met
    double *scale;        // [columns]; NULL: all 1
    double *sum, *sum_at; // [columns] A, as it was after step sum_at
    struct weights_recent recent;
    enum weights_by by;
    size_t capacity; // rows that there is room for
    size_t gaps;     // of the first rows many may never be written to; of the others few
    const struct vector_routines *routines;
};

const char *weights_by_name(enum weights_by by); // "last", "average", "recent"
bool weights_init(struct weights *weights, uint32_t columns, unsigned parts, double state_start);
void weights_free(struct weights *weights);
unsigned weights_parts(const struct weights *weights); // WEIGHTS_...
bool weights_copy(struct weights *to, const struct weights *from);
// T and all else that belongs neither to a feature nor to a column.
void weights_copy_time(struct weights *to, const struct weights *from);
bool weights_reserve(struct weights *weights, size_t features); // new ones are 0
// Copies into an array of zeros and leaves out blocks of nothing but zeros: memory that was never
// written to stays so, and costs nothing.
void weights_copy_cells(double *to, const double *from, size_t count);
// Whether all cells are 0; -0 does not count as 0.
bool weights_are_zero(const double *cells, size_t count);

// ---- slots ----

// Features that have weights get slots there, and the weights move to these rows. False: out of
// memory; then the weights are unchanged.
bool weights_use_slots(struct weights *weights, struct feature_slots *slots);
// Room for the features of others, at the same rows; false: out of memory.
bool weights_follow(struct weights *weights, const struct weights *other);
// As weights_widen, and the weights take these slots, unless they have them already or there are
// none.
bool weights_widen_at(struct weights *weights, struct feature_slots *slots, uint32_t columns,
                      uint32_t positive, bool opposite);
// A row of the arrays for the feature; SIZE_MAX: out of memory.
size_t weights_add_row(struct weights *weights, size_t feature);
// The row of a feature's weights; SIZE_MAX is possible if they are all 0.
static inline size_t weights_row(const struct weights *weights, size_t feature)
{
    if (!weights->slots)
        return feature < weights->features ? feature : SIZE_MAX;
    uint32_t slot = feature_slots_find(weights->slots, feature);
    return slot && slot < weights->rows ? slot : SIZE_MAX;
}
// All features that may have weights, ascending: the first from this one on, and its row. SIZE_MAX
// after the last.
size_t weights_next_slot(const struct weights *weights, size_t feature, size_t *row);
static inline size_t weights_next(const struct weights *weights, size_t feature, size_t *row)
{
    if (weights->slots)
        return weights_next_slot(weights, feature, row);
    *row = feature;
    return feature < weights->features ? feature : SIZE_MAX;
}
// Whether a row of the arrays has anything in it.
bool weights_are_used(const struct weights *weights, size_t row);
// Replaces the features of row x by rows of the arrays; features without a slot get one. What x
// points to is valid until the next call. False: out of memory.
bool weights_map_slowly(struct weights *weights, tlu_row *x);
static inline bool weights_map(struct weights *weights, tlu_row *x)
{
    return !weights->slots || weights_map_slowly(weights, x);
}

// ---- all of it ----

// More columns, with weights 0. One column stays as it is, turned round if `positive` is 0; or,
// with `opposite`, it becomes two: the score of the class `positive` is w . x, that of the other is
// -w . x.
bool weights_widen(struct weights *weights, uint32_t columns, uint32_t positive, bool opposite);
void weights_negate(struct weights *weights);

// The state of cell [feature * columns + column].
static inline double weights_state(const struct weights *weights, size_t at)
{
    return weights->state[at] == 0 ? weights->state_start : weights->state[at];
}

static inline void weights_set_state(struct weights *weights, size_t at, double state)
{
    // A variance that has shrunk to 0 is not one that was never met.
    weights->state[at] = state == 0 && weights->state_start != 0 ? DBL_TRUE_MIN : state;
}

// scores[columns] = w . x + bias, of a row as weights_map has it
void weights_scores_scaled(const struct weights *weights, const tlu_row *x, double *scores);
static inline void weights_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    if (weights->columns > 1 && !weights->scale)
        weights->routines->totals(weights->w, weights->columns, x->features, x->values, x->count,
                                  weights->bias, scores);
    else
        weights_scores_scaled(weights, x, scores);
}
// The same if there is one column.
static inline double weights_score(const struct weights *weights, const tlu_row *x)
{
    double score = weights->routines->dot(weights->w, x->features, x->values, x->count);
    return (weights->scale ? score * weights->scale[0] : score) + weights->bias[0];
}
// The same of a row of features, which get no slots.
void weights_find_scores(const struct weights *weights, const tlu_row *x, double *scores);
// w[column] += amount x, and u with it, of a row as weights_map has it
void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias);
void weights_add_bias(struct weights *weights, uint32_t column, double amount);
// w[column] and bias *= factor. WEIGHTS_SCALE only.
void weights_scale(struct weights *weights, uint32_t column, double factor, bool with_bias);
// The same for the first columns, as many as that.
void weights_scale_first(struct weights *weights, uint32_t columns, double factor, bool with_bias);
// A: the sum of the scales after each example so far; without scales the number of examples.
double weights_sum_of_scales(const struct weights *weights, uint32_t column);
// The decayed sum of the scales after each example so far; without scales the share.
double weights_recent_sum(const struct weights *weights, uint32_t column);
// An example is over: T grows.
void weights_step_recent(struct weights *weights);
static inline void weights_step(struct weights *weights)
{
    weights->steps += 1;
    if (weights->recent.r)
        weights_step_recent(weights);
}
// Multiplies the scales out, so that they are 1.
void weights_settle(struct weights *weights);
// Likewise, and from then on the weights cannot be scaled.
void weights_unscale(struct weights *weights);
// |w|^2 of a column, the bias included.
double weights_norm(const struct weights *weights, uint32_t column);

// The scores with the weights that decide; and those of w, as weights_find_scores.
void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *current);
// From v . x, which is `current` (weights_products), to the scores of one of the averages.
void weights_average_scores(const struct weights *weights, const tlu_row *x, enum weights_by by,
                            const double *current, double *scores);
void weights_products(const struct weights *weights, const tlu_row *x, double *current);
void weights_finish_scores(const struct weights *weights, double *current); // to w . x + bias
// Before the first example the last weights decide.
enum weights_by weights_decide_by(const struct weights *weights);
// The weights that decide, times weights_divisor: T w - u, and T, of the average; w, and 1, of the
// last. Sums over these are exact if the data is whole numbers; the division comes last. Settled
// weights without slots only.
double weights_total(const struct weights *weights, size_t feature, uint32_t column);
double weights_total_bias(const struct weights *weights, uint32_t column);
double weights_divisor(const struct weights *weights);

#endif
