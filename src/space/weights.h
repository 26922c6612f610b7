// The weight vectors of a run: the current one, w, and what the averages need.
//
// Let w_t be the weights after example t, of T examples so far. The average (1/T) sum_t w_t is
// computed from the updates: an update d at example t is part of w_t, w_t+1, ..., w_T, which are T
// - (t - 1) vectors. With u the sum of (t - 1) d over all updates,
//
//     average = w - u / T
//
// so that averaging costs something only at updates.
//
// Some learners also shrink w as a whole. Then w = scale v, with one scale per column and a v of
// which an update changes only the entries of x. Let A_t be the sum of the scales after each
// example up to t. An update d of v at example t counts A_T - A_(t-1) times. With u the sum of
// A_(t-1) d, the average is (A_T v - u) / T. If the scale is always 1, A_t is t.
//
// The recent average decays exponentially: with b below 1 it is sum_t b^(T-t) w_t / sum_t b^(T-t).
// It is computed in the same way. Let S_t = (1 - b) sum_(i<=t) b^(t-i) = 1 - b^t ("share"). An
// update d at example t counts S_T - b^(T-t+1) S_(t-1). With r the sum of b^(-(t-1)) S_(t-1) d over
// all updates,
//
//     recent average = (S_T w - b^T r) / S_T
//
// With scales, v replaces w, and the decayed sum of the scales replaces S. b^(-t) grows without
// bound, so it and r are multiplied by 2^-64 now and then, which is exact.
#ifndef TLU_SPACE_WEIGHTS_H
#define TLU_SPACE_WEIGHTS_H

#include "space/feature_slots.h"
#include "tlu.h"
#include "vector/vector.h"

#include <float.h>
#include <stdbool.h>

enum { WEIGHTS_AVERAGE = 1, WEIGHTS_SCALE = 2, WEIGHTS_STATE = 4, WEIGHTS_RECENT = 8 };

// Which weights predict.
#define WEIGHTS_BY(X)                                                                              \
    X(LAST, "last")                                                                                \
    X(AVERAGE, "average")                                                                          \
    X(RECENT, "recent")
#define WEIGHTS_BY_ENUM(name, text) WEIGHTS_BY_##name,
enum weights_by { WEIGHTS_BY(WEIGHTS_BY_ENUM) WEIGHTS_BY_COUNT };

// A scale below this, or above its inverse, is multiplied out (settled), because the average is a
// difference of numbers that are larger than it by a factor of 1 / scale.
#define WEIGHTS_SCALE_MIN 1e-5

// b: the recent average is about the last 1 / (1 - b) examples.
#define WEIGHTS_DECAY (1 - 1.0 / 256)
#define WEIGHTS_GROWTH_MAX 18446744073709551616.0 // 2^64

struct weights_recent {
    double *r;      // [features][columns]; NULL unless the recent average is wanted
    double *r_bias; // [columns]; NULL likewise
    double *sum;    // [columns] decayed sums of the scales; NULL without scales: they are the share
    double decay;   // b
    double growth;  // b^(-T), up to a power of 2^64; at least 1 and below 2^64
    double share;   // S_T
};

struct weights {
    // 1 for two classes; else one per class, or one per pair of classes. There may be more columns
    // than are in use (learner_columns), because classes may come one by one; their weights are 0.
    uint32_t columns;
    size_t features; // numbers of features are below this
    // NULL: feature f has row f of the arrays. Else its row is its slot, and a feature without a
    // slot has no row. All weights of a learner share the same slots.
    struct feature_slots *slots;
    size_t rows;    // rows of the arrays that may be written to; without slots: `features`
    double *w;      // [rows][columns]: feature by feature, classes side by side
    double *bias;   // [columns]; never scaled
    double *u;      // [rows][columns]; NULL unless the average is wanted
    double *u_bias; // [columns]; NULL likewise
    double steps;   // T
    // [rows][columns] the states of a second-order learner; NULL for others. 0 stands for
    // state_start (weights_state), so that features that never occurred need no physical memory.
    double *state;
    double *state_bias;   // [columns]; 0 has no special meaning
    double state_start;   // initial state
    double *scale;        // [columns]; NULL: all 1
    double *sum, *sum_at; // [columns] A after step sum_at
    struct weights_recent recent;
    enum weights_by by;
    size_t capacity; // allocated rows
    size_t gaps;     // many of the first `gaps` rows may never be written to, few of the others
    const struct vector_routines *routines;
};

// The arrays: field, the parts that need it, whether signs change with the class, and the value of
// a new column. The first WEIGHTS_ROW_ARRAYS are [rows][columns], the others [columns].
#define WEIGHTS_ARRAYS(ARRAY)                                                                      \
    ARRAY(w, 0, true, 0)                                                                           \
    ARRAY(u, WEIGHTS_AVERAGE, true, 0)                                                             \
    ARRAY(state, WEIGHTS_STATE, false, 0)                                                          \
    ARRAY(recent.r, WEIGHTS_RECENT, true, 0)                                                       \
    ARRAY(bias, 0, true, 0)                                                                        \
    ARRAY(u_bias, WEIGHTS_AVERAGE, true, 0)                                                        \
    ARRAY(state_bias, WEIGHTS_STATE, false, weights->state_start)                                  \
    ARRAY(recent.r_bias, WEIGHTS_RECENT, true, 0)                                                  \
    ARRAY(scale, WEIGHTS_SCALE, false, 1)                                                          \
    ARRAY(sum, WEIGHTS_SCALE, false, weights->steps)                                               \
    ARRAY(sum_at, WEIGHTS_SCALE, false, weights->steps)                                            \
    ARRAY(recent.sum, WEIGHTS_SCALE | WEIGHTS_RECENT, false, weights->recent.share)

#define WEIGHTS_ARRAY_ONE(field, parts, is_signed, start) +1
enum { WEIGHTS_ROW_ARRAYS = 4, WEIGHTS_ARRAY_COUNT = 0 WEIGHTS_ARRAYS(WEIGHTS_ARRAY_ONE) };

extern const struct weights_array {
    size_t offset; // in struct weights
    unsigned parts;
    bool is_signed;
} weights_arrays[WEIGHTS_ARRAY_COUNT];

// The cells of array i; NULL: the weights do not have it.
static inline double *weights_cells(const struct weights *weights, size_t i)
{
    return *(double *const *)((const char *)weights + weights_arrays[i].offset);
}

const char *weights_by_name(enum weights_by by); // "last", "average", "recent"
bool weights_init(struct weights *weights, uint32_t columns, unsigned parts, double state_start);
void weights_free(struct weights *weights);
unsigned weights_parts(const struct weights *weights); // WEIGHTS_...
bool weights_copy(struct weights *to, const struct weights *from);
// Copies the features that have weights, and their numbers, in ascending order, to
// *numbers[to->features]. The copy has no slots. False: out of memory; then both are empty.
bool weights_compact(struct weights *to, uint32_t **numbers, const struct weights *from);
// The reverse: feature i of `from` becomes feature numbers[i], in ascending order. `to` has at
// least `features` features, and uses `slots` unless they are NULL. False: out of memory; then *to
// is unchanged. `to` may be `from`.
bool weights_expand(struct weights *to, const struct weights *from, const uint32_t *numbers,
                    size_t features, struct feature_slots *slots);
// Copies T and everything else that belongs neither to a feature nor to a column.
void weights_copy_time(struct weights *to, const struct weights *from);
bool weights_reserve(struct weights *weights, size_t features); // new ones are 0
// Copies into an array of zeros. Skips blocks of zeros, so that untouched memory stays untouched
// and costs nothing.
void weights_copy_cells(double *to, const double *from, size_t count);
// Whether all cells are 0; -0 does not count as 0.
bool weights_are_zero(const double *cells, size_t count);

// ---- slots ----

// Gives every feature that has weights a slot, and moves its weights to that row. False: out of
// memory; then the weights are unchanged.
bool weights_use_slots(struct weights *weights, struct feature_slots *slots);
// Reserves the features and rows that `other` has. False: out of memory.
bool weights_follow(struct weights *weights, const struct weights *other);
// As weights_widen; the weights also start to use these slots, unless `slots` is NULL or they
// already do.
bool weights_widen_at(struct weights *weights, struct feature_slots *slots, uint32_t columns,
                      uint32_t positive, bool opposite);
// The row of the feature, which gets one if it has none. SIZE_MAX: out of memory.
size_t weights_add_row(struct weights *weights, size_t feature);
// The row of a feature's weights; SIZE_MAX: it has none, so its weights are 0.
static inline size_t weights_row(const struct weights *weights, size_t feature)
{
    if (!weights->slots)
        return feature < weights->features ? feature : SIZE_MAX;
    uint32_t slot = feature_slots_find(weights->slots, feature);
    return slot && slot < weights->rows ? slot : SIZE_MAX;
}
// Iterates over the features that may have weights, in ascending order: returns the first from this
// one on, and its row. SIZE_MAX: none.
size_t weights_next_slot(const struct weights *weights, size_t feature, size_t *row);
static inline size_t weights_next(const struct weights *weights, size_t feature, size_t *row)
{
    if (weights->slots)
        return weights_next_slot(weights, feature, row);
    *row = feature;
    return feature < weights->features ? feature : SIZE_MAX;
}
// Whether any number in a row of the arrays is not 0.
bool weights_are_used(const struct weights *weights, size_t row);
// Replaces the features of row x by rows of the arrays; features without a slot get one. x is valid
// until the next call. False: out of memory.
bool weights_map_slowly(struct weights *weights, tlu_row *x);
static inline bool weights_map(struct weights *weights, tlu_row *x)
{
    return !weights->slots || weights_map_slowly(weights, x);
}

// Whether the features of a row are below weights->features.
static inline bool weights_cover(const struct weights *weights, const tlu_row *x)
{
    bool covered = x->features || x->count <= weights->features;
    for (size_t i = 0; covered && x->features && i < x->count; i++)
        covered = x->features[i] < weights->features;
    return covered;
}

// ---- columns, scores and updates ----

// Adds columns with weights 0. A single column, that of two classes, stays the first one, negated
// if `positive` is 0. With `opposite` it becomes two: the score of class `positive` is w . x, that
// of the other class -w . x.
bool weights_widen(struct weights *weights, uint32_t columns, uint32_t positive, bool opposite);
void weights_negate(struct weights *weights);

// The state of cell [feature * columns + column].
static inline double weights_state(const struct weights *weights, size_t at)
{
    return weights->state[at] == 0 ? weights->state_start : weights->state[at];
}

static inline void weights_set_state(struct weights *weights, size_t at, double state)
{
    // A variance that has shrunk to 0 must not be read as state_start.
    weights->state[at] = state == 0 && weights->state_start != 0 ? DBL_TRUE_MIN : state;
}

// scores[columns] = w . x + bias, for a row after weights_map.
void weights_scores_scaled(const struct weights *weights, const tlu_row *x, double *scores);
static inline void weights_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    if (weights->columns > 1 && !weights->scale)
        weights->routines->totals(weights->w, weights->columns, x->features, x->values, x->count,
                                  weights->bias, scores);
    else
        weights_scores_scaled(weights, x, scores);
}
// The same for a single column.
static inline double weights_score(const struct weights *weights, const tlu_row *x)
{
    double score = weights->routines->dot(weights->w, x->features, x->values, x->count);
    return (weights->scale ? score * weights->scale[0] : score) + weights->bias[0];
}
// The same for a row before weights_map. Features without a slot get none.
void weights_find_scores(const struct weights *weights, const tlu_row *x, double *scores);
// w[column] += amount x, for a row after weights_map. Updates u and r, too.
void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias);
void weights_add_bias(struct weights *weights, uint32_t column, double amount);
// w[column] and bias *= factor. WEIGHTS_SCALE only.
void weights_scale(struct weights *weights, uint32_t column, double factor, bool with_bias);
// The same for columns 0 to `columns` - 1.
void weights_scale_first(struct weights *weights, uint32_t columns, double factor, bool with_bias);
// A: the sum of the scales after each example so far; without scales, the number of examples.
double weights_sum_of_scales(const struct weights *weights, uint32_t column);
// The decayed sum of the scales after each example so far; without scales, the share.
double weights_recent_sum(const struct weights *weights, uint32_t column);
// Ends an example: increments T.
void weights_step_recent(struct weights *weights);
static inline void weights_step(struct weights *weights)
{
    weights->steps += 1;
    if (weights->recent.r)
        weights_step_recent(weights);
}
// Whether the scale of a column is multiplied out (settled).
static inline bool weights_column_is_settled(const struct weights *weights, uint32_t column)
{
    return weights->scale[column] == 1 && weights->sum[column] == weights->sum_at[column];
}
// Writes to[count]: what weights_settle would make of cells `first` and following of one of the
// arrays w, u and r. WEIGHTS_SCALE only.
void weights_settled_cells(const struct weights *weights, const double *cells, size_t first,
                           size_t count, double *to);
// Clears the sums of settled columns, which follow from the steps, and frees the scales if no
// other column is left.
void weights_forget_scales(struct weights *weights);
// Multiplies the scales out, after which they are 1.
void weights_settle(struct weights *weights);
// The same; after it, the weights cannot be scaled any more.
void weights_unscale(struct weights *weights);
// |w|^2 of a column, the bias included.
double weights_norm(const struct weights *weights, uint32_t column);

// The scores of the weights that predict, and in `current` those of w, as weights_find_scores.
void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *current);
// The scores of one of the averages. `current` is v . x (weights_products).
void weights_average_scores(const struct weights *weights, const tlu_row *x, enum weights_by by,
                            const double *current, double *scores);
void weights_products(const struct weights *weights, const tlu_row *x, double *current);
void weights_finish_scores(const struct weights *weights, double *current); // to w . x + bias
// Which weights predict; before the first example, the last.
enum weights_by weights_decide_by(const struct weights *weights);
// totals[columns] := the weights of a feature that predict, times weights_divisor: for the average
// T w - u with the divisor T, for the last weights w with the divisor 1. If the data consists of
// whole numbers, sums of them are exact, so divide last. Only for settled weights without slots.
void weights_totals(const struct weights *weights, size_t feature, double *totals);
double weights_total_bias(const struct weights *weights, uint32_t column);
double weights_divisor(const struct weights *weights);

#endif
