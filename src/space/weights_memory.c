// Allocates, copies, enlarges and widens the arrays of weights, and moves them to slots.
#include "space/weights.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

// A new array in which every element is `value`. It is in large pages: with several columns, unused
// rows are few, or there would be slots.
static double *filled(size_t count, double value)
{
    double *array = memory_new_filled(count, sizeof *array, 0);
    for (size_t i = 0; array && value != 0 && i < count; i++)
        array[i] = value;
    return array;
}

#define BY_TEXT(name, text) text,
const char *weights_by_name(enum weights_by by)
{
    static const char *const names[] = {WEIGHTS_BY(BY_TEXT)};
    assert(by < WEIGHTS_BY_COUNT);
    return names[by];
}

// ---- the arrays ----

#define ARRAY_ROW(field, parts, is_signed, start)                                                  \
    {offsetof(struct weights, field), parts, is_signed},
const struct weights_array weights_arrays[] = {WEIGHTS_ARRAYS(ARRAY_ROW)};

static double **array_of(struct weights *weights, size_t i)
{
    return (double **)((char *)weights + weights_arrays[i].offset);
}

// The value of a new column in array i.
#define ARRAY_START(field, parts, is_signed, start) start,
static double start_of(const struct weights *weights, size_t i)
{
    const double starts[] = {WEIGHTS_ARRAYS(ARRAY_START)};
    return starts[i];
}

bool weights_init(struct weights *weights, uint32_t columns, unsigned parts, double state_start)
{
    *weights =
        (struct weights){.columns = columns, .routines = vector_best(), .state_start = state_start};
    weights->by = parts & WEIGHTS_AVERAGE ? WEIGHTS_BY_AVERAGE : WEIGHTS_BY_LAST;
    weights->recent.decay = WEIGHTS_DECAY;
    weights->recent.growth = 1;
    bool fine = true;
    for (size_t i = 0; fine && i < WEIGHTS_ARRAY_COUNT; i++)
        if ((parts & weights_arrays[i].parts) == weights_arrays[i].parts)
            fine = (*array_of(weights, i) =
                        filled(i < WEIGHTS_ROW_ARRAYS ? 0 : columns, start_of(weights, i))) != NULL;
    if (!fine)
        weights_free(weights);
    return fine;
}

void weights_free(struct weights *weights)
{
    for (size_t i = 0; i < WEIGHTS_ARRAY_COUNT; i++)
        memory_free(weights_cells(weights, i));
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
    size_t columns = weights->columns, gaps = columns > 1 ? 0 : weights->gaps; // as in `filled`
    if (!*array)
        return true;
    double *new = capacity <= SIZE_MAX / columns
                      ? memory_new_filled(capacity * columns, sizeof *new, gaps)
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
    for (size_t i = 0; i < WEIGHTS_ROW_ARRAYS; i++)
        if (!enlarge(weights, array_of(weights, i), capacity))
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

void weights_copy_time(struct weights *to, const struct weights *from)
{
    to->steps = from->steps;
    to->by = from->by;
    to->recent.decay = from->recent.decay;
    to->recent.growth = from->recent.growth;
    to->recent.share = from->recent.share;
}

// Copies what belongs to columns, not to features, T included. Both have the same parts.
static void copy_columns(struct weights *to, const struct weights *from)
{
    for (size_t i = WEIGHTS_ROW_ARRAYS; i < WEIGHTS_ARRAY_COUNT; i++)
        if (weights_cells(from, i))
            memcpy(weights_cells(to, i), weights_cells(from, i), from->columns * sizeof(double));
    weights_copy_time(to, from);
}

// Copies `count` rows to rows of zeros.
static void copy_rows(struct weights *to, size_t to_row, const struct weights *from,
                      size_t from_row, size_t count)
{
    size_t columns = from->columns;
    assert(to->columns == columns && to_row + count <= to->rows && from_row + count <= from->rows);
    for (size_t i = 0; i < WEIGHTS_ROW_ARRAYS; i++)
        if (weights_cells(from, i))
            weights_copy_cells(weights_cells(to, i) + to_row * columns,
                               weights_cells(from, i) + from_row * columns, count * columns);
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
    copy_rows(to, 0, from, 0, from->rows);
    copy_columns(to, from);
    to->routines = from->routines;
    return true;
}

bool weights_compact(struct weights *to, uint32_t **numbers, const struct weights *from)
{
    size_t used = 0, row;
    *to = (struct weights){0};
    for (size_t f = weights_next(from, 0, &row); f != SIZE_MAX; f = weights_next(from, f + 1, &row))
        used += weights_are_used(from, row);
    *numbers = memory_new(used, sizeof **numbers);
    if (!*numbers || !weights_init(to, from->columns, weights_parts(from), from->state_start) ||
        !enlarge_all(to, used)) {
        memory_free(*numbers);
        *numbers = NULL;
        weights_free(to);
        return false;
    }
    copy_columns(to, from);
    to->rows = used;
    for (size_t f = weights_next(from, 0, &row); f != SIZE_MAX; f = weights_next(from, f + 1, &row))
        if (weights_are_used(from, row)) {
            copy_rows(to, to->features, from, row, 1);
            (*numbers)[to->features++] = (uint32_t)f;
        }
    return true;
}

bool weights_expand(struct weights *to, const struct weights *from, const uint32_t *numbers,
                    size_t features, struct feature_slots *slots)
{
    struct weights new;
    size_t least = from->features ? (size_t)numbers[from->features - 1] + 1 : 0;
    bool fine = weights_init(&new, from->columns, weights_parts(from), from->state_start) &&
                (!slots || weights_use_slots(&new, slots)) &&
                weights_reserve(&new, features > least ? features : least);
    if (fine)
        copy_columns(&new, from);
    for (size_t i = 0; fine && i < from->features; i++) {
        assert(i == 0 || numbers[i - 1] < numbers[i]);
        size_t row = weights_add_row(&new, numbers[i]);
        fine = row != SIZE_MAX;
        if (fine)
            copy_rows(&new, row, from, i, 1);
    }
    weights_free(fine ? to : &new);
    if (fine)
        *to = new;
    return fine;
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
    bool fine = true;
    assert(columns >= old->columns && (old->columns > 1 || positive < 2));
    for (size_t i = 0; fine && i < WEIGHTS_ARRAY_COUNT; i++)
        fine =
            widen(array_of(&new, i), weights_cells(old, i), i < WEIGHTS_ROW_ARRAYS ? old->rows : 1,
                  &how, weights_arrays[i].is_signed, start_of(old, i));
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
#pragma GCC unroll 4
    for (size_t i = 0; i < WEIGHTS_ROW_ARRAYS; i++) {
        const double *cells = weights_cells(weights, i);
        if (cells && !weights_are_zero(cells + row * weights->columns, weights->columns))
            return true;
    }
    return false;
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
    double *moved[WEIGHTS_ROW_ARRAYS] = {0};
    bool fine = true;
    for (size_t f = 0; fine && f < weights->rows; f++)
        fine = !weights_are_used(weights, f) || feature_slots_add(slots, f);
    for (size_t i = 0; fine && i < WEIGHTS_ROW_ARRAYS; i++)
        fine = move_rows(&moved[i], weights_cells(weights, i), weights, slots);
    for (size_t i = 0; i < WEIGHTS_ROW_ARRAYS; i++) {
        memory_free(fine ? weights_cells(weights, i) : moved[i]);
        if (fine)
            *array_of(weights, i) = moved[i];
    }
    if (!fine)
        return false;
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
