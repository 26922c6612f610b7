#include "space/weights.h"

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

const char *weights_by_name(enum weights_by by)
{
    static const char *const names[WEIGHTS_BY_COUNT] = {"last", "average", "recent"};
    return names[by];
}

bool weights_init(struct weights *weights, uint32_t columns, unsigned parts, double state_start)
{
    *weights =
        (struct weights){.columns = columns, .kernels = vector_best(), .state_start = state_start};
    weights->by = parts & WEIGHTS_AVERAGE ? WEIGHTS_BY_AVERAGE : WEIGHTS_BY_LAST;
    weights->recent.decay = WEIGHTS_DECAY;
    weights->recent.growth = 1;
    bool fine = (weights->bias = filled(columns, 0)) && (weights->w = filled(0, 0));
    if (parts & WEIGHTS_AVERAGE)
        fine = fine && (weights->u_bias = filled(columns, 0)) && (weights->u = filled(0, 0));
    if (parts & WEIGHTS_STATE)
        fine = fine && (weights->state_bias = filled(columns, state_start)) &&
               (weights->state = filled(0, 0));
    if (parts & WEIGHTS_SCALE)
        fine = fine && (weights->scale = filled(columns, 1)) &&
               (weights->sum = filled(columns, 0)) && (weights->sum_at = filled(columns, 0));
    if (parts & WEIGHTS_RECENT)
        fine = fine && (weights->recent.r_bias = filled(columns, 0)) &&
               (weights->recent.r = filled(0, 0)) &&
               (!(parts & WEIGHTS_SCALE) || (weights->recent.sum = filled(columns, 0)));
    if (!fine)
        weights_free(weights);
    return fine;
}

void weights_free(struct weights *weights)
{
    double *parts[] = {weights->w,        weights->bias,          weights->u,
                       weights->u_bias,   weights->state,         weights->state_bias,
                       weights->scale,    weights->sum,           weights->sum_at,
                       weights->recent.r, weights->recent.r_bias, weights->recent.sum};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    seats_release(weights->seats);
    *weights = (struct weights){0};
}

unsigned weights_parts(const struct weights *weights)
{
    return (weights->u ? WEIGHTS_AVERAGE : 0u) | (weights->scale ? WEIGHTS_SCALE : 0u) |
           (weights->state ? WEIGHTS_STATE : 0u) | (weights->recent.r ? WEIGHTS_RECENT : 0u);
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
            (weights->state && !enlarge(&weights->state, old, capacity, columns)) ||
            (weights->recent.r && !enlarge(&weights->recent.r, old, capacity, columns)))
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

void weights_copy_time(struct weights *to, const struct weights *from)
{
    to->steps = from->steps;
    to->by = from->by;
    to->recent.decay = from->recent.decay;
    to->recent.growth = from->recent.growth;
    to->recent.share = from->recent.share;
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
    if (from->recent.r)
        weights_copy_cells(to->recent.r, from->recent.r, all);
    copy(to->bias, from->bias, columns);
    copy(to->u_bias, from->u_bias, columns);
    copy(to->state_bias, from->state_bias, columns);
    copy(to->scale, from->scale, columns);
    copy(to->sum, from->sum, columns);
    copy(to->sum_at, from->sum_at, columns);
    copy(to->recent.r_bias, from->recent.r_bias, columns);
    copy(to->recent.sum, from->recent.sum, columns);
    weights_copy_time(to, from);
    to->kernels = from->kernels;
    return true;
}

struct widening {
    uint32_t old, columns, positive;
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
            row[how->positive] = from[f];
            row[1 - how->positive] = other;
        } else {
            row[0] = how->positive == 1 ? from[f] : other;
        }
    }
    *out = to;
    return to != NULL;
}

bool weights_widen(struct weights *weights, uint32_t columns, uint32_t positive, bool opposite)
{
    const struct weights *old = weights; // a failure leaves everything as it was
    struct weights new = {.columns = columns,
                          .features = old->features,
                          .rows = old->rows,
                          .capacity = old->rows,
                          .state_start = old->state_start,
                          .kernels = old->kernels};
    struct widening how = {old->columns, columns, positive, opposite};
    size_t rows = old->rows;
    bool fine = widen(&new.w, old->w, rows, &how, true, 0) &&
                widen(&new.bias, old->bias, 1, &how, true, 0) &&
                widen(&new.u, old->u, rows, &how, true, 0) &&
                widen(&new.u_bias, old->u_bias, 1, &how, true, 0) &&
                widen(&new.state, old->state, rows, &how, false, 0) &&
                widen(&new.state_bias, old->state_bias, 1, &how, false, old->state_start) &&
                widen(&new.scale, old->scale, 1, &how, false, 1) &&
                widen(&new.sum, old->sum, 1, &how, false, old->steps) &&
                widen(&new.sum_at, old->sum_at, 1, &how, false, old->steps) &&
                widen(&new.recent.r, old->recent.r, rows, &how, true, 0) &&
                widen(&new.recent.r_bias, old->recent.r_bias, 1, &how, true, 0) &&
                widen(&new.recent.sum, old->recent.sum, 1, &how, false, old->recent.share);
    if (fine) {
        new.seats = old->seats;
        weights->seats = NULL;
    }
    weights_copy_time(&new, old);
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
           (weights->state && !weights_are_zero(weights->state + at, weights->columns)) ||
           (weights->recent.r && !weights_are_zero(weights->recent.r + at, weights->columns));
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
    double *w = NULL, *u = NULL, *state = NULL, *r = NULL;
    bool fine = true;
    for (size_t f = 0; fine && f < weights->rows; f++)
        fine = !weights_are_used(weights, f) || seats_add(seats, f);
    if (!fine || !move_rows(&w, weights->w, weights, seats) ||
        !move_rows(&u, weights->u, weights, seats) ||
        !move_rows(&state, weights->state, weights, seats) ||
        !move_rows(&r, weights->recent.r, weights, seats)) {
        memory_free(w);
        memory_free(u);
        memory_free(state);
        memory_free(r);
        return false;
    }
    memory_free(weights->w);
    memory_free(weights->u);
    memory_free(weights->state);
    memory_free(weights->recent.r);
    weights->w = w;
    weights->u = u;
    weights->state = state;
    weights->recent.r = r;
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

bool weights_widen_at(struct weights *weights, struct seats *seats, uint32_t columns,
                      uint32_t positive, bool opposite)
{
    struct weights new;
    if (!seats || weights->seats)
        return weights_widen(weights, columns, positive, opposite);
    if (!weights_copy(&new, weights))
        return false;
    bool fine = weights_take_seats(&new, seats) && weights_widen(&new, columns, positive, opposite);
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
    negate(weights->recent.r, weights->rows * weights->columns);
    negate(weights->recent.r_bias, weights->columns);
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

void weights_products(const struct weights *weights, const tlu_row *x, double *current)
{
    find_scores(weights, weights->w, x, current);
}

void weights_finish_scores(const struct weights *weights, double *scores)
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
    weights_finish_scores(weights, scores);
}

void weights_find_scores(const struct weights *weights, const tlu_row *x, double *scores)
{
    find_scores(weights, weights->w, x, scores);
    weights_finish_scores(weights, scores);
}

double weights_sum_of_scales(const struct weights *weights, uint32_t column)
{
    if (!weights->scale)
        return weights->steps;
    return weights->sum[column] +
           (weights->steps - weights->sum_at[column]) * weights->scale[column];
}

double weights_recent_sum(const struct weights *weights, uint32_t column)
{
    return weights->recent.sum ? weights->recent.sum[column] : weights->recent.share;
}

void weights_average_scores(const struct weights *weights, const tlu_row *x, enum weights_by by,
                            const double *current, double *scores)
{
    const struct weights_recent *recent = &weights->recent;
    if (by == WEIGHTS_BY_AVERAGE) {
        double steps = weights->steps;
        find_scores(weights, weights->u, x, scores);
        for (uint32_t c = 0; c < weights->columns; c++)
            scores[c] = current[c] * (weights_sum_of_scales(weights, c) / steps) -
                        scores[c] / steps + weights->bias[c] - weights->u_bias[c] / steps;
        return;
    }
    double past = recent->share * recent->growth;
    find_scores(weights, recent->r, x, scores);
    for (uint32_t c = 0; c < weights->columns; c++)
        scores[c] = current[c] * (weights_recent_sum(weights, c) / recent->share) -
                    scores[c] / past + weights->bias[c] - recent->r_bias[c] / past;
}

enum weights_by weights_decide_by(const struct weights *weights)
{
    return weights->steps > 0 ? weights->by : WEIGHTS_BY_LAST;
}

void weights_decided_scores(const struct weights *weights, const tlu_row *x, double *scores,
                            double *current)
{
    enum weights_by by = weights_decide_by(weights);
    weights_products(weights, x, current);
    if (by != WEIGHTS_BY_LAST)
        weights_average_scores(weights, x, by, current, scores);
    weights_finish_scores(weights, current);
    if (by == WEIGHTS_BY_LAST)
        memcpy(scores, current, weights->columns * sizeof *scores);
}

// ---- updates ----

void weights_add_bias(struct weights *weights, uint32_t column, double amount)
{
    weights->bias[column] += amount;
    if (weights->u)
        weights->u_bias[column] += weights->steps * amount; // steps is t - 1 here
    if (weights->recent.r)
        weights->recent.r_bias[column] += weights->recent.growth * weights->recent.share * amount;
}

void weights_add(struct weights *weights, const tlu_row *x, uint32_t column, double amount,
                 bool with_bias)
{
    double inner = weights->scale ? amount / weights->scale[column] : amount;
    const struct vector_kernels *kernels = weights->kernels;
    if (weights->recent.r && weights->steps > 0)
        kernels->add_column(weights->recent.r, weights->columns, column, x->features, x->values,
                            x->count,
                            weights->recent.growth * weights_recent_sum(weights, column) * inner);
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
    double *r = weights->recent.r; // the same with the decayed sum and the share
    double r_moved = (weights->recent.share - weights_recent_sum(weights, column) / scale) *
                     weights->recent.growth;
    for (size_t row = 0; row < weights->rows; row++) {
        size_t at = row * weights->columns + column;
        if (weights->w[at] == 0) // memory that was never written to stays so
            continue;
        weights->w[at] = weights->w[at] * scale + 0.0; // not -0, which a model does not keep
        if (weights->u)
            weights->u[at] += moved * weights->w[at];
        if (r)
            r[at] += r_moved * weights->w[at];
    }
    if (r)
        weights->recent.sum[column] = weights->recent.share;
    weights->scale[column] = 1;
    weights->sum[column] = weights->sum_at[column] = steps;
}

// A scale of 0: nothing of w is left.
static void clear_column(struct weights *weights, uint32_t column)
{
    double *r = weights->recent.r;
    double r_moved = weights->recent.growth * weights_recent_sum(weights, column);
    for (size_t row = 0; row < weights->rows; row++) {
        size_t at = row * weights->columns + column;
        if (weights->w[at] == 0)
            continue;
        if (weights->u)
            weights->u[at] -= weights->sum[column] * weights->w[at];
        if (r)
            r[at] -= r_moved * weights->w[at];
        weights->w[at] = 0;
    }
    weights->scale[column] = 1;
    weights->sum[column] = weights->sum_at[column];
    if (r)
        weights->recent.sum[column] = weights->recent.share;
}

void weights_scale(struct weights *weights, uint32_t column, double factor, bool with_bias)
{
    weights->sum[column] = weights_sum_of_scales(weights, column);
    weights->sum_at[column] = weights->steps;
    if (with_bias)
        weights_add_bias(weights, column, (factor - 1) * weights->bias[column]);
    weights->scale[column] *= factor;
    double size = fabs(weights->scale[column]);
    if (size == 0)
        clear_column(weights, column);
    else if (!(size > WEIGHTS_SCALE_LEAST && size < 1 / WEIGHTS_SCALE_LEAST))
        settle_column(weights, column);
}

void weights_settle(struct weights *weights)
{
    for (uint32_t c = 0; weights->scale && c < weights->columns; c++)
        if (weights->scale[c] != 1 || weights_sum_of_scales(weights, c) != weights->steps ||
            weights_recent_sum(weights, c) != weights->recent.share)
            settle_column(weights, c);
}

void weights_unscale(struct weights *weights)
{
    weights_settle(weights);
    memory_free(weights->scale);
    memory_free(weights->sum);
    memory_free(weights->sum_at);
    memory_free(weights->recent.sum);
    weights->scale = weights->sum = weights->sum_at = weights->recent.sum = NULL;
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

// ---- time ----

// r and the growth in a smaller unit: a power of two, so that no bit of a result changes.
static void shrink_recent(struct weights *weights)
{
    struct weights_recent *recent = &weights->recent;
    for (size_t i = 0; i < weights->rows * weights->columns; i++)
        if (recent->r[i] != 0) // memory that was never written to stays so
            recent->r[i] /= WEIGHTS_GROWTH_MOST;
    for (uint32_t c = 0; c < weights->columns; c++)
        recent->r_bias[c] /= WEIGHTS_GROWTH_MOST;
    recent->growth /= WEIGHTS_GROWTH_MOST;
}

void weights_step(struct weights *weights)
{
    struct weights_recent *recent = &weights->recent;
    weights->steps += 1;
    if (!recent->r)
        return;
    for (uint32_t c = 0; recent->sum && c < weights->columns; c++)
        recent->sum[c] = recent->decay * recent->sum[c] + (1 - recent->decay) * weights->scale[c];
    recent->share = recent->decay * recent->share + (1 - recent->decay);
    recent->growth /= recent->decay;
    if (recent->growth >= WEIGHTS_GROWTH_MOST)
        shrink_recent(weights);
}

// ---- the decision ----

double weights_divisor(const struct weights *weights)
{
    switch (weights_decide_by(weights)) {
    case WEIGHTS_BY_AVERAGE:
        return weights->steps;
    case WEIGHTS_BY_RECENT:
        return weights->recent.share;
    default:
        return 1;
    }
}

double weights_total(const struct weights *weights, size_t feature, uint32_t column)
{
    size_t i = feature * weights->columns + column;
    switch (weights_decide_by(weights)) {
    case WEIGHTS_BY_AVERAGE:
        return weights->steps * weights->w[i] - weights->u[i];
    case WEIGHTS_BY_RECENT:
        return weights->recent.share * weights->w[i] -
               weights->recent.r[i] / weights->recent.growth;
    default:
        return weights->w[i];
    }
}

double weights_total_bias(const struct weights *weights, uint32_t column)
{
    double bias = weights->bias[column];
    switch (weights_decide_by(weights)) {
    case WEIGHTS_BY_AVERAGE:
        return weights->steps * bias - weights->u_bias[column];
    case WEIGHTS_BY_RECENT:
        return weights->recent.share * bias -
               weights->recent.r_bias[column] / weights->recent.growth;
    default:
        return bias;
    }
}
