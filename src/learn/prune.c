#include "learn/prune.h"

#include "base/memory.h"
#include "learn/online_scale.h"

#include <math.h>
#include <string.h>

struct weak {
    double strength;
    uint32_t name;
};

static bool is_weaker(const struct weak *a, const struct weak *b)
{
    return a->strength != b->strength ? a->strength < b->strength : a->name < b->name;
}

// Offers an item to a heap of the `most` weakest items so far. It is a max-heap: the strongest is
// on top, and no item is stronger than its parent, heap[(i - 1) / 2].
static void keep_weakest(struct weak *heap, size_t *count, size_t most, struct weak item)
{
    size_t at = 0, child;
    if (*count < most) {
        for (at = (*count)++; at > 0 && is_weaker(&heap[(at - 1) / 2], &item); at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
    } else if (is_weaker(&item, &heap[0])) {
        for (; (child = 2 * at + 1) < most; at = child) {
            child += child + 1 < most && is_weaker(&heap[child], &heap[child + 1]);
            if (!is_weaker(&item, &heap[child]))
                break;
            heap[at] = heap[child];
        }
    } else {
        return;
    }
    heap[at] = item;
}

// The strength of a feature, times a factor that is the same for all features: the number of steps
// for the average, the share for the recent average.
static double strength_of(const struct weights *weights, size_t feature)
{
    enum weights_by by = weights_decide_by(weights);
    double largest = 0;
    size_t row = weights_row(weights, feature);
    for (uint32_t c = 0; row != SIZE_MAX && c < weights->columns; c++) {
        size_t at = row * weights->columns + c;
        double w = weights->w[at];
        if (by == WEIGHTS_BY_AVERAGE)
            w = weights_sum_of_scales(weights, c) * w - weights->u[at];
        else if (by == WEIGHTS_BY_RECENT)
            w = weights_recent_sum(weights, c) * w - weights->recent.r[at] / weights->recent.growth;
        else if (weights->scale)
            w *= weights->scale[c];
        largest = fmax(largest, fabs(w));
    }
    return largest;
}

// Sets gone[name] for the `excess` weakest names other than numeric columns; returns their number.
static size_t choose(const struct tlu_learner *learner, size_t excess)
{
    const struct schema *schema = &learner->state.schema;
    bool *gone = learner->pruning.gone;
    struct weak *weak = learner->pruning.weak;
    size_t count = schema_names(schema), found = 0;
    memset(gone, 0, count * sizeof *gone);
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_NUMERIC) // excluded in the next loop
            gone[schema->columns[i].feature - schema->base] = true;
    for (uint32_t i = 0; i < count; i++) {
        struct weak item = {strength_of(&learner->state.weights, (size_t)schema->base + i), i};
        if (!gone[i])
            keep_weakest(weak, &found, excess, item);
        gone[i] = false;
    }
    for (size_t i = 0; i < found; i++)
        gone[weak[i].name] = true;
    return found;
}

// Subtracts the weights of a row from |w|^2.
static void forget_norm(struct tlu_learner *learner, size_t row)
{
    const struct weights *weights = &learner->state.weights;
    for (uint32_t c = 0; c < weights->columns; c++) {
        double w = weights->w[row * weights->columns + c];
        if (w == 0)
            continue;
        w *= weights->scale ? weights->scale[c] : 1;
        double *norm = &learner->state.group_norm[learner->state.scheme.kind == SCHEME_WTA ? 0 : c];
        *norm = fmax(0, *norm - w * w);
    }
}

// Moves the numbers of a row of the weights to another row.
static void move_row(const struct weights *weights, size_t to, size_t from)
{
    size_t columns = weights->columns;
    for (size_t i = 0; i < WEIGHTS_ROW_ARRAYS; i++) {
        double *cells = weights_cells(weights, i);
        if (cells)
            memcpy(cells + to * columns, cells + from * columns, columns * sizeof *cells);
    }
}

static void clear_rows(const struct weights *weights, size_t from, size_t to)
{
    size_t columns = weights->columns;
    for (size_t i = 0; from < to && i < WEIGHTS_ROW_ARRAYS; i++) {
        double *cells = weights_cells(weights, i);
        if (cells)
            memset(cells + from * columns, 0, (to - from) * columns * sizeof *cells);
    }
}

// Gives the remaining names the numbers from the first on, and clears the weights of the others. If
// features have slots, their rows do not move.
static void renumber(struct tlu_learner *learner, const bool *gone, size_t count)
{
    struct weights *weights = &learner->state.weights;
    struct online_scale *online = &learner->state.online;
    struct word_counts *words = &learner->state.words;
    struct feature_slots *slots = weights->slots;
    size_t base = learner->state.schema.base, to = base;
    for (size_t from = base; from < base + count && from < weights->features; from++) {
        size_t row = weights_row(weights, from);
        if (gone[from - base]) {
            if (row != SIZE_MAX)
                forget_norm(learner, row);
            if (slots && row != SIZE_MAX)
                clear_rows(weights, row, row + 1);
            if (slots)
                feature_slots_leave(slots, from);
            continue;
        }
        if (to < from && slots)
            feature_slots_rename(slots, from, to);
        else if (to < from)
            move_row(weights, to, from);
        if (to < from && from < online->capacity)
            online->units[to] = online->units[from];
        if (to < from && from < words->capacity)
            words->counts[to] = words->counts[from];
        to++;
    }
    for (size_t i = to; i < weights->features && i < online->capacity; i++)
        online->units[i] = (struct scale_unit){0};
    for (size_t i = to; i < weights->features && i < words->capacity; i++)
        words->counts[i] = 0;
    if (!slots)
        clear_rows(weights, to, weights->features);
    weights->features = to < weights->features ? to : weights->features;
    if (!slots)
        weights->rows = weights->features;
}

tlu_status learner_prune(struct tlu_learner *learner, size_t most, tlu_error *error)
{
    struct schema *schema = &learner->state.schema;
    struct pruning *pruning = &learner->pruning;
    size_t count = schema_names(schema);
    if (count <= most || schema->slots.bits)
        return TLU_OK;
    size_t excess = count - prune_target(most);
    if (!memory_reserve(&pruning->gone, &pruning->gone_capacity, count, sizeof *pruning->gone) ||
        !memory_reserve(&pruning->weak, &pruning->weak_capacity, excess, sizeof *pruning->weak))
        return error_memory(error);
    if (!indices_own(&schema->large) || !table_own(&schema->names))
        return error_memory(error);
    struct feature_slots *slots = learner->state.weights.slots;
    if (slots && !feature_slots_reserve_changes(slots, schema->base, count))
        return error_memory(error);
    pruning->forgotten += choose(learner, excess);
    renumber(learner, pruning->gone, count);
    if (schema->large.count)
        indices_thin(&schema->large, pruning->gone);
    else
        table_thin(&schema->names, pruning->gone);
    return TLU_OK;
}
