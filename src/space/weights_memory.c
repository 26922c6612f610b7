// Allocates, copies, enlarges and widens the arrays of weights, and moves them to slots.
#include "space/weights.h"

#include "base/memory.h"

#include <string.h>

// A new array in which every element is `value`.
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
        (struct weights){.columns = columns, .routines = vector_best(), .state_start = state_start};
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
    feature_slots_release(weights->slots);
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
#define FEW 16 // cells: for fewer, calling memcmp costs more than it saves

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

// Enlarges an array to [capacity][columns]; new cells are 0. NULL stays NULL.
static bool enlarge(const struct weights *weights, double **array, size_t capacity)
{
    size_t columns = weights->columns, gaps = weights->slots ? 0 : weights->gaps;
    if (!*array)
        return true;
    double *new = capacity <= SIZE_MAX / columns
                      ? memory_new_filled(capacity * columns, sizeof *new, gaps * columns)
                      : NULL;
    if (!new)
        return false;
    weights_copy_cells(new, *array, weights->rows * columns);
    memory_free(*array);
    *array = new;
    return true;
}

// If a step fails, every array is still valid, though some may be larger than others.
static bool enlarge_all(struct weights *weights, size_t capacity)
{
    if (!enlarge(weights, &weights->w, capacity) || !enlarge(weights, &weights->u, capacity) ||
        !enlarge(weights, &weights->state, capacity) ||
        !enlarge(weights, &weights->recent.r, capacity))
        return false;
    weights->capacity = capacity;
    return true;
}

#define NAMES_MANY ((size_t)1 << 14)
#define NAMES_MORE ((size_t)1 << 22)
#define NAMES_MAX ((size_t)1 << 22)

// The capacity to allocate for this many rows, because names come one by one. If there are many
// rows of one column, it is eight times as large, so that weights are rarely moved. That takes
// address space, but no physical memory until it is used. 0: no reserve.
static size_t generous(const struct weights *weights, size_t rows)
{
    size_t gaps = weights->slots ? 0 : weights->gaps, names = rows > gaps ? rows - gaps : 0;
    if (names < NAMES_MANY || names > NAMES_MAX || weights->columns > 1)
        return 0;
    return gaps + (8 * names > NAMES_MORE ? 8 * names : NAMES_MORE);
}

static bool reserve_rows(struct weights *weights, size_t rows)
{
    size_t capacity = weights->capacity, more = generous(weights, rows);
    bool fine = rows <= capacity || (more > rows && enlarge_all(weights, more)) ||
                enlarge_all(weights, capacity * 2 > rows ? capacity * 2 : rows);
    if (fine && rows > weights->rows)
        weights->rows = rows;
    return fine;
}

bool weights_reserve(struct weights *weights, size_t features)
{
    if (!weights->slots && !reserve_rows(weights, features))
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
    bool fine = weights_init(to, from->columns, weights_parts(from), from->state_start);
    to->gaps = from->gaps;
    if (!fine || !reserve_rows(to, from->rows)) {
        weights_free(to);
        return false;
    }
    to->features = from->features;
    to->slots = from->slots;
    if (to->slots)
        to->slots->users++;
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
    to->routines = from->routines;
    return true;
}

struct widening {
    uint32_t old, columns, positive;
    bool opposite;
};

// Copies [rows][old] to a new array [rows][columns]. New columns are filled with `value`. Signed
// numbers are negated with their column. NULL stays NULL.
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
        if (how->old > 1 || (value == 0 && from[f] == 0)) // does not touch memory that is 0
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
    const struct weights *old = weights; // unchanged if this fails
    struct weights new = {.columns = columns,
                          .features = old->features,
                          .rows = old->rows,
                          .capacity = old->rows,
                          .gaps = old->gaps,
                          .state_start = old->state_start,
                          .routines = old->routines};
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
        new.slots = old->slots;
        weights->slots = NULL;
    }
    weights_copy_time(&new, old);
    weights_free(fine ? weights : &new);
    if (fine)
        *weights = new;
    return fine;
}

// ---- slots ----

bool weights_are_used(const struct weights *weights, size_t row)
{
    size_t at = row * weights->columns;
    return !weights_are_zero(weights->w + at, weights->columns) ||
           (weights->u && !weights_are_zero(weights->u + at, weights->columns)) ||
           (weights->state && !weights_are_zero(weights->state + at, weights->columns)) ||
           (weights->recent.r && !weights_are_zero(weights->recent.r + at, weights->columns));
}

// Copies the rows of an array to their slots in a new array. NULL stays NULL.
static bool move_rows(double **out, const double *from, const struct weights *weights,
                      const struct feature_slots *slots)
{
    size_t columns = weights->columns;
    uint32_t slot;
    if (!from)
        return true;
    *out = slots->count <= SIZE_MAX / columns ? filled(slots->count * columns, 0) : NULL;
    for (size_t f = feature_slots_next(slots, 0, &slot); *out && f < weights->rows;
         f = feature_slots_next(slots, f + 1, &slot))
        weights_copy_cells(*out + slot * columns, from + f * columns, columns);
    return *out != NULL;
}

bool weights_use_slots(struct weights *weights, struct feature_slots *slots)
{
    double *w = NULL, *u = NULL, *state = NULL, *r = NULL;
    bool fine = true;
    for (size_t f = 0; fine && f < weights->rows; f++)
        fine = !weights_are_used(weights, f) || feature_slots_add(slots, f);
    if (!fine || !move_rows(&w, weights->w, weights, slots) ||
        !move_rows(&u, weights->u, weights, slots) ||
        !move_rows(&state, weights->state, weights, slots) ||
        !move_rows(&r, weights->recent.r, weights, slots)) {
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
    weights->rows = weights->capacity = slots->count;
    weights->slots = slots;
    slots->users++;
    return true;
}

bool weights_follow(struct weights *weights, const struct weights *other)
{
    if (other->slots && !weights->slots && !weights_use_slots(weights, other->slots))
        return false;
    weights->gaps = other->gaps;
    return weights_reserve(weights, other->features) && reserve_rows(weights, other->rows);
}

bool weights_widen_at(struct weights *weights, struct feature_slots *slots, uint32_t columns,
                      uint32_t positive, bool opposite)
{
    struct weights new;
    if (!slots || weights->slots)
        return weights_widen(weights, columns, positive, opposite);
    if (!weights_copy(&new, weights))
        return false;
    bool fine = weights_use_slots(&new, slots) && weights_widen(&new, columns, positive, opposite);
    weights_free(fine ? weights : &new);
    if (fine)
        *weights = new;
    return fine;
}

size_t weights_add_row(struct weights *weights, size_t feature)
{
    if (!weights_reserve(weights, feature + 1))
        return SIZE_MAX;
    if (!weights->slots)
        return feature;
    uint32_t slot = feature_slots_add(weights->slots, feature);
    return slot && reserve_rows(weights, weights->slots->count) ? slot : SIZE_MAX;
}

size_t weights_next_slot(const struct weights *weights, size_t feature, size_t *row)
{
    uint32_t slot = 0;
    do // skips slots beyond these rows: other weights with these slots may have more rows
        feature = feature_slots_next(weights->slots, feature, &slot);
    while (feature != SIZE_MAX && slot >= weights->rows && ++feature);
    *row = slot;
    return feature;
}

bool weights_map_slowly(struct weights *weights, tlu_row *x)
{
    struct feature_slots *slots = weights->slots;
    if (!memory_reserve(&slots->scratch, &slots->scratch_capacity, x->count,
                        sizeof *slots->scratch))
        return false;
    for (size_t i = 0; i < x->count; i++) {
        size_t feature = x->features ? x->features[i] : i;
        uint32_t slot = feature_slots_find(slots, feature);
        if (!slot)
            slot = feature_slots_add(slots, feature);
        if (!slot)
            return false;
        slots->scratch[i] = slot;
    }
    x->features = slots->scratch;
    return reserve_rows(weights, slots->count);
}
