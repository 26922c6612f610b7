#include "learn/weights.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// A zeroed array, or one full of `value`.
static double *filled(size_t count, double value)
{
    double *array = memory_new(count, sizeof *array);
    for (size_t i = 0; array && value != 0 && i < count; i++)
        array[i] = value;
    return array;
}

bool weights_init(struct weights *weights, uint32_t columns, unsigned parts, double state_start)
{
    *weights =
        (struct weights){.columns = columns, .kernels = vector_best(), .state_start = state_start};
    bool fine = (weights->bias = filled(columns, 0)) && (weights->w = filled(0, 0));
    if (parts & WEIGHTS_AVERAGE)
        fine = fine && (weights->u_bias = filled(columns, 0)) && (weights->u = filled(0, 0));
    if (parts & WEIGHTS_STATE)
        fine = fine && (weights->state_bias = filled(columns, state_start)) &&
               (weights->state = filled(0, 0));
    if (parts & WEIGHTS_SCALE)
        fine = fine && (weights->scale = filled(columns, 1)) &&
               (weights->sum = filled(columns, 0)) && (weights->sum_at = filled(columns, 0));
    if (!fine)
        weights_free(weights);
    return fine;
}

void weights_free(struct weights *weights)
{
    double *parts[] = {weights->w,      weights->bias,  weights->u,
                       weights->u_bias, weights->state, weights->state_bias,
                       weights->scale,  weights->sum,   weights->sum_at};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    seats_release(weights->seats);
    *weights = (struct weights){0};
}

unsigned weights_parts(const struct weights *weights)
{
    return (weights->u ? WEIGHTS_AVERAGE : 0u) | (weights->scale ? WEIGHTS_SCALE : 0u) |
           (weights->state ? WEIGHTS_STATE : 0u);
}

// ---- size ----

static const double zeros[512]; // a page
#define BLOCK (sizeof zeros / sizeof zeros[0])
#define FEW 16 // cells, for which calling memcmp costs more than it saves

bool weights_are_zero(const double *cells, size_t count)
{
    if (count < FEW) {
        uint64_t bits, all = 0;
        for (size_t i = 0; i < count; i++) {
            memcpy(&bits, &cells[i], sizeof bits);
            all |= bits;
        }
        return all == 0;
    }
    for (size_t i = 0; i < count; i += BLOCK)
        if (memcmp(cells + i, zeros, (count - i < BLOCK ? count - i : BLOCK) * sizeof *cells) != 0)
            return false;
    return true;
}

void weights_copy_cells(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t cells = count - i < BLOCK ? count - i : BLOCK;
        if (!weights_are_zero(from + i, cells))
            memcpy(to + i, from + i, cells * sizeof *to);
    }
}

// An array of [capacity][columns] with old [rows][columns] copied in and the rest 0.
static bool enlarge(double **array, size_t rows, size_t capacity, size_t columns)
{
    double *new = capacity <= SIZE_MAX / columns ? filled(capacity * columns, 0) : NULL;
    if (!new)
        return false;
    weights_copy_cells(new, *array, rows * columns);
    memory_free(*array);
    *array = new;
    return true;
}

static bool reserve_rows(struct weights *weights, size_t rows)
{
    size_t columns = weights->columns, old = weights->rows;
    if (rows > weights->capacity) {
        // Each array is whole at any time, whichever of the steps fails.
        size_t capacity = weights->capacity * 2 > rows ? weights->capacity * 2 : rows;
        if (!enlarge(&weights->w, old, capacity, columns) ||
            (weights->u && !enlarge(&weights->u, old, capacity, columns)) ||
            (weights->state && !enlarge(&weights->state, old, capacity, columns)))
            return false;
        weights->capacity = capacity;
    }
    if (rows > old)
        weights->rows = rows;
    return true;
}

bool weights_reserve(struct weights *weights, size_t features)
{
    if (!weights->seats && !reserve_rows(weights, features))
        return false;
    if (features > weights->features)
        weights->features = features;
    return true;
}

static void copy(double *to, const double *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
}

bool weights_copy(struct weights *to, const struct weights *from)
{
    if (!weights_init(to, from->columns, weights_parts(from), from->state_start) ||
        !reserve_rows(to, from->rows)) {
        weights_free(to);
        return false;
    }
    to->features = from->features;
    to->seats = from->seats;
    if (to->seats)
        to->seats->users++;
    size_t all = from->rows * from->columns, columns = from->columns;
    weights_copy_cells(to->w, from->w, all);
    if (from->u)
        weights_copy_cells(to->u, from->u, all);
    if (from->state)
        weights_copy_cells(to->state, from->state, all);
    copy(to->bias, from->bias, columns);
    copy(to->u_bias, from->u_bias, columns);
    copy(to->state_bias, from->state_bias, columns);
    copy(to->scale, from->scale, columns);
    copy(to->sum, from->sum, columns);
    copy(to->sum_at, from->sum_at, columns);
    to->steps = from->steps;
    to->kernels = from->kernels;
    return true;
}

struct widening {
    uint32_t old, columns, plus;
    bool opposite;
};

// [rows][old] to a new [rows][columns]. What is signed is turned round with its column; `value` is
// that of new columns. NULL stays NULL.
static bool widen(double **out, const double *from, size_t rows, const struct widening *how,
                  bool is_signed, double value)
{
    if (!from)
        return true;
    double *to = rows <= SIZE_MAX / how->columns ? filled(rows * how->columns, value) : NULL;
    for (size_t f = 0; to && f < rows; f++) {
        double *row = to + f * how->columns;
        if (how->old > 1 && value == 0)
            weights_copy_cells(row, from + f * how->old, how->old);
        else if (how->old > 1)
            memcpy(row, from + f * how->old, how->old * sizeof *row);
        if (how->old > 1 || (value == 0 && from[f] == 0)) // memory that is 0 stays untouched
            continue;
        double other = is_signed ? 0 - from[f] : from[f];
        if (how->opposite) {
            row[how->plus] = from[f];
            row[1 - how->plus] = other;
        } else {
            row[0] = how->plus == 1 ? from[f] : other;
        }
    }
    *out = to;
    return to != NULL;
}

bool weights_widen(struct weights *weights, uint32_t columns, uint32_t plus, bool opposite)
{
    const struct weights *old = weights; // a failure leaves everything as it was
    struct weights new = {.columns = columns,
                          .features = old->features,
                          .rows = old->rows,
                          .capacity = old->rows,
                          .steps = old->steps,
                          .state_start = old->state_start,
                          .kernels = old->kernels};
    struct widening how = {old->columns, columns, plus, opposite};
    size_t rows = old->rows;
    bool fine = widen(&new.w, old->w, rows, &how, true, 0) &&
                widen(&new.bias, old->bias, 1, &how, true, 0) &&
                widen(&new.u, old->u, rows, &how, true, 0) &&
                widen(&new.u_bias, old->u_bias, 1, &how, true, 0) &&
                widen(&new.state, old->state, rows, &how, false, 0) &&
                widen(&new.state_bias, old->state_bias, 1, &how, false, old->state_start) &&
                widen(&new.scale, old->scale, 1, &how, false, 1) &&
                widen(&new.sum, old->sum, 1, &how, false, old->steps) &&
                widen(&new.sum_at, old->sum_at, 1, &how, false, old->steps);
    if (fine) {
        new.seats = old->seats;
        weights->seats = NULL;
    }
    weights_free(fine ? weights : &new);
    if (fine)
        *weights = new;
    return fine;
}

// ---- seats ----

bool weights_are_used(const struct weights *weights, size_t row)
{
    size_t at = row * weights->columns;
    return !weights_are_zero(weights->w + at, weights->columns) ||
           (weights->u && !weights_are_zero(weights->u + at, weights->columns)) ||
           (weights->state && !weights_are_zero(weights->state + at, weights->columns));
}

// The array with its rows at the seats; NULL stays NULL.
static bool move_rows(double **out, const double *from, const struct weights *weights,
                      const struct seats *seats)
{
    size_t columns = weights->columns;
    uint32_t seat;
    if (!from)
        return true;
    *out = seats->count <= SIZE_MAX / columns ? filled(seats->count * columns, 0) : NULL;
    for (size_t f = seats_next(seats, 0, &seat); *out && f < weights->rows;
         f = seats_next(seats, f + 1, &seat))
        weights_copy_cells(*out + seat * columns, from + f * columns, columns);
    return *out != NULL;
}

bool weights_take_seats(struct weights *weights, struct seats *seats)
{
    double *w = NULL, *u = NULL, *state = NULL;
    bool fine = true;
    for (size_t f = 0; fine && f < weights->rows; f++)
        fine = !weights_are_used(weights, f) || seats_add(seats, f);
    if (!fine || !move_rows(&w, weights->w, weights, seats) ||
        !move_rows(&u, weights->u, weights, seats) ||
        !move_rows(&state, weights->state, weights, seats)) {
        memory_free(w);
        memory_free(u);
        memory_free(state);
        return false;
    }
    memory_free(weights->w);
    memory_free(weights->u);
    memory_free(weights->state);
    weights->w = w;
    weights->u = u;
    weights->state = state;
    weights->rows = weights->capacity = seats->count;
    weights->seats = seats;
    seats->users++;
    return true;
}

bool weights_follow(struct weights *weights, const struct weights *other)
{
    if (other->seats && !weights->seats && !weights_take_seats(weights, other->seats))
        return false;
    return weights_reserve(weights, other->features) && reserve_rows(weights, other->rows);
}

bool weights_widen_at(struct weights *weights, struct seats *seats, uint32_t columns, uint32_t plus,
                      bool opposite)
{
    struct weights new;
    if (!seats || weights->seats)
        return weights_widen(weights, columns, plus, opposite);
    if (!weights_copy(&new, weights))
        return false;
    bool fine = weights_take_seats(&new, seats) && weights_widen(&new, columns, plus, opposite);
    weights_free(fine ? weights : &new);
    if (fine)
        *weights = new;
    return fine;
}

size_t weights_add_row(struct weights *weights, size_t feature)
{
    if (!weights_reserve(weights, feature + 1))
        return SIZE_MAX;
    if (!weights->seats)
        return feature;
    uint32_t seat = seats_add(weights->seats, feature);
    return seat && reserve_rows(weights, weights->seats->count) ? seat : SIZE_MAX;
}

size_t weights_next_seated(const struct weights *weights, size_t feature, size_t *row)
{
    uint32_t seat = 0;
    do // others that have these seats may have more rows
        feature = seats_next(weights->seats, feature, &seat);
    while (feature != SIZE_MAX && seat >= weights->rows && ++feature);
    *row = seat;
    return feature;
}

bool weights_seat_slowly(struct weights *weights, tlu_row *x)
{
    struct seats *seats = weights->seats;
    if (!memory_reserve(&seats->room, &seats->room_capacity, x->count, sizeof *seats->room))
        return false;
    for (size_t i = 0; i < x->count; i++) {
        size_t feature = x->features ? x->features[i] : i;
        uint32_t seat = seats_find(seats, feature);
        if (!seat)
            seat = seats_add(seats, feature);
        if (!seat)
            return false;
        seats->room[i] = seat;
    }
    x->features = seats->room;
    return reserve_rows(weights, seats->count);
}

// ---- all of it ----

static void negate(double *x, size_t count)
{
    for (size_t i = 0; x && i < count; i++)
        if (x[i] != 0)
            x[i] = 0 - x[i];
}

void weights_negate(struct weights *weights)
{
    negate(weights->w, weights->rows * weights->columns);
    negate(weights->u, weights->rows * weights->columns);
    negate(weights->bias, weights->columns);
    negate(weights->u_bias, weights->columns);
}

// ---- scores ----

static void scores_of(const struct weights *weights, const double *w, const tlu_row *x,
                      double *scores)
{
    if (weights->columns == 1) {
        scores[0] = weights->kernels->dot(w, x->features, x->values, x->count);
        return;
    }
    memset(scores, 0, weights->columns * sizeof *scores);
    weights->kernels->scores(w, weights->columns, x->features, x->values, x->count, scores);
}

#define FIND_AT_ONCE 256

// The same for a row of features. With seats there are several columns, and their scores are summed
// up entry by entry: in several calls as well as in one.
static void find_scores(const struct weights *weights, const double *w, const tlu_row *x,
                        double *scores)
{
    uint32_t rows[FIND_AT_ONCE];
    if (!weights->seats) {
        scores_of(weights, w, x, scores);
        return;
    }
    memset(scores, 0, weights->columns * sizeof *scores);
    for (size_t at = 0; at < x->count; at += FIND_AT_ONCE) {
        size_t count = x->count - at < FIND_AT_ONCE ? x->count - at : FIND_AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            uint32_t seat = seats_find(weights->seats, x->features ? x->features[at + i] : at + i);
            rows[i] = seat < weights->rows ? seat : 0;
        }
        weights->kernels->scores(w, weights->columns, rows, x->values ? x->values + at : NULL,
                                 count, scores);
    }
}

// From v . x to w . x + bias.
static void finish_scores(const struct weights *weights, double *scores)
{
    for (uint32_t c = 0; c < weights->columns; c++) {
        if (weights->scale)
            scores[c] *= weights->scale[c];
        scores[c] += weights->bias[c];
    }
}

void weights_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    scores_of(weights, weights->w, x, scores);
    finish_scores(weights, scores);
}

void weights_find_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    find_scores(weights, weights->w, x, scores);
    finish_scores(weights, scores);
}

double weights_sum_of_scales(const struct weights *weights, uint32_t column)
{
    if (!weights->scale)
        return weights->steps;
    return weights->sum[column] +
           (weights->steps - weights->sum_at[column]) * weights->scale[column];
}

void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *current, double *scratch)
{
    double steps = weights->steps;
    find_scores(weights, weights->w, x, current);
    bool average = weights->u && steps > 0;
    if (average) {
        find_scores(weights, weights->u, x, scratch);
        for (uint32_t c = 0; c < weights->columns; c++)
            scores[c] = current[c] * (weights_sum_of_scales(weights, c) / steps) -
                        scratch[c] / steps + weights->bias[c] - weights->u_bias[c] / steps;
    }
    finish_scores(weights, current);
    if (!average)
        memcpy(scores, current, weights->columns * sizeof *scores);
}

// ---- updates ----

void weights_add_bias(struct weights *weights, uint32_t column, double amount)
{
    weights->bias[column] += amount;
    if (weights->u)
        weights->u_bias[column] += weights->steps * amount; // steps is t - 1 here
}

void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias)
{
    double inner = weights->scale ? amount / weights->scale[column] : amount;
    const struct vector_kernels *kernels = weights->kernels;
    if (weights->u && weights->steps > 0)
        kernels->add_pair(weights->w, weights->u, weights->columns, column, x->features, x->values,
                          x->count, inner, weights_sum_of_scales(weights, column) * inner);
    else if (weights->columns == 1)
        kernels->add(weights->w, x->features, x->values, x->count, inner);
    else
        kernels->add_column(weights->w, weights->columns, column, x->features, x->values, x->count,
                            inner);
    if (with_bias)
        weights_add_bias(weights, column, amount);
}

// ---- scale ----

static void settle_column(struct weights *weights, uint32_t column)
{
    double scale = weights->scale[column], steps = weights->steps;
    // In units of v = w the sum of scales is A / scale; taking it as T instead moves
    // (T - A / scale) w into u.
    double moved = steps - weights_sum_of_scales(weights, column) / scale;
    for (size_t row = 0; row < weights->rows; row++) {
        size_t at = row * weights->columns + column;
        if (weights->w[at] == 0) // memory that was never written to stays so
            continue;
        weights->w[at] = weights->w[at] * scale + 0.0; // not -0, which a model does not keep
        if (weights->u)
            weights->u[at] += moved * weights->w[at];
    }
    weights->scale[column] = 1;
    weights->sum[column] = weights->sum_at[column] = steps;
}

void weights_scale(struct weights *weights, uint32_t column, double factor, bool with_bias)
{
    weights->sum[column] = weights_sum_of_scales(weights, column);
    weights->sum_at[column] = weights->steps;
    if (with_bias)
        weights_add_bias(weights, column, (factor - 1) * weights->bias[column]);
    weights->scale[column] *= factor;
    double size = fabs(weights->scale[column]);
    if (!(size > WEIGHTS_SCALE_LEAST && size < 1 / WEIGHTS_SCALE_LEAST)) {
        if (weights->scale[column] == 0) // nothing of w is left
            for (size_t row = 0; row < weights->rows; row++) {
                size_t at = row * weights->columns + column;
                if (weights->w[at] == 0)
                    continue;
                if (weights->u)
                    weights->u[at] -= weights->sum[column] * weights->w[at];
                weights->w[at] = 0;
            }
        if (weights->scale[column] == 0) {
            weights->scale[column] = 1;
            weights->sum[column] = weights->sum_at[column];
        } else {
            settle_column(weights, column);
        }
    }
}

void weights_settle(struct weights *weights)
{
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        if (weights->scale[c] != 1 || weights_sum_of_scales(weights, c) != weights->steps)
            settle_column(weights, c);
}

void weights_unscale(struct weights *weights)
{
    weights_settle(weights);
    memory_free(weights->scale);
    memory_free(weights->sum);
    memory_free(weights->sum_at);
    weights->scale = weights->sum = weights->sum_at = NULL;
}

double weights_norm(const struct weights *weights, uint32_t column)
{
    double scale = weights->scale ? weights->scale[column] : 1;
    double sum = weights->bias[column] * weights->bias[column];
    size_t row;
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row)) {
        double w = scale * weights->w[row * weights->columns + column];
        sum += w * w;
    }
    return sum;
}

// ---- the decision ----

double weights_divisor(const struct weights *weights)
{
    return weights->u && weights->steps > 0 ? weights->steps : 1;
}

static double total(const struct weights *weights, double w, const double *u)
{
    return u && weights->steps > 0 ? weights->steps * w - *u : w;
}

double weights_total(const struct weights *weights, size_t feature, uint32_t column)
{
    size_t i = feature * weights->columns + column;
    return total(weights, weights->w[i], weights->u ? &weights->u[i] : NULL);
}

double weights_total_bias(const struct weights *weights, uint32_t column)
{
    return total(weights, weights->bias[column], weights->u_bias ? &weights->u_bias[column] : NULL);
}
