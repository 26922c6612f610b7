#include "learn/prune.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    double strength;
    uint32_t name;
};

static int by_strength(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->strength != y->strength)
        return x->strength < y->strength ? -1 : 1;
    return x->name < y->name ? -1 : 1;
}

// Times the number of steps, for the average: it is the same for all.
static double strength_of(const struct weights *weights, size_t feature)
{
    double largest = 0;
    for (uint32_t c = 0; feature < weights->features && c < weights->columns; c++) {
        size_t at = feature * weights->columns + c;
        double w = weights->w[at];
        if (weights->u && weights->steps > 0)
            w = weights_sum_of_scales(weights, c) * w - weights->u[at];
        else if (weights->scale)
            w *= weights->scale[c];
        largest = fmax(largest, fabs(w));
    }
    return largest;
}

// gone[name] for the weakest; how many stay. SIZE_MAX where memory is out.
static size_t choose(const struct tlu_learner *learner, size_t most, bool *gone)
{
    const struct schema *schema = &learner->schema;
    size_t count = schema->names.count, target = prune_target(most), others = 0, kept = 0;
    struct candidate *candidates = memory_new(count, sizeof *candidates);
    if (!candidates)
        return SIZE_MAX;
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_NUMERIC) // a mark for the next loop
            gone[schema->columns[i].feature - schema->base] = true;
    for (uint32_t i = 0; i < count; i++) {
        kept += gone[i];
        if (gone[i])
            gone[i] = false;
        else
            candidates[others++] =
                (struct candidate){strength_of(&learner->weights, (size_t)schema->base + i), i};
    }
    qsort(candidates, others, sizeof *candidates, by_strength);
    size_t excess = count - target;
    for (size_t i = 0; i < others; i++) {
        gone[candidates[i].name] = i < excess;
        kept += i >= excess;
    }
    memory_free(candidates);
    return kept;
}

// What |w|^2 loses.
static void forget_norm(struct tlu_learner *learner, size_t feature)
{
    const struct weights *weights = &learner->weights;
    for (uint32_t c = 0; c < weights->columns; c++) {
        double w = weights->w[feature * weights->columns + c];
        if (w == 0)
            continue;
        w *= weights->scale ? weights->scale[c] : 1;
        double *norm = &learner->group_norm[learner->scheme == SCHEME_WTA ? 0 : c];
        *norm = fmax(0, *norm - w * w);
    }
}

static void move_cells(double *cells, size_t to, size_t from, size_t columns)
{
    if (cells)
        memcpy(cells + to * columns, cells + from * columns, columns * sizeof *cells);
}

static void clear_cells(double *cells, size_t from, size_t to, size_t columns)
{
    if (cells && from < to)
        memset(cells + from * columns, 0, (to - from) * columns * sizeof *cells);
}

// The weights of the names that stay, one behind the other; those behind them are 0.
static void move_weights(struct tlu_learner *learner, const bool *gone, size_t count)
{
    struct weights *weights = &learner->weights;
    struct online_scale *online = &learner->online;
    size_t columns = weights->columns, base = learner->schema.base, to = base;
    for (size_t from = base; from < base + count && from < weights->features; from++) {
        if (gone[from - base]) {
            forget_norm(learner, from);
            continue;
        }
        if (to < from) {
            move_cells(weights->w, to, from, columns);
            move_cells(weights->u, to, from, columns);
            move_cells(weights->state, to, from, columns);
            if (from < online->capacity)
                online->largest[to] = online->largest[from];
        }
        to++;
    }
    clear_cells(weights->w, to, weights->features, columns);
    clear_cells(weights->u, to, weights->features, columns);
    clear_cells(weights->state, to, weights->features, columns);
    for (size_t i = to; i < weights->features && i < online->capacity; i++)
        online->largest[i] = 0;
    weights->features = to < weights->features ? to : weights->features;
}

tlu_status learner_prune(struct tlu_learner *learner, size_t most, tlu_error *error)
{
    struct schema *schema = &learner->schema;
    const struct table *names = &schema->names;
    size_t count = names->count;
    if (count <= most || schema->slots.bits)
        return TLU_OK;
    bool *gone = memory_new(count, sizeof *gone);
    size_t kept = gone ? choose(learner, most, gone) : SIZE_MAX;
    struct table left = {0};
    bool fine = kept != SIZE_MAX;
    for (uint32_t i = 0; fine && i < count; i++)
        if (!gone[i])
            fine = table_add(&left, table_text(names, i), table_length(names, i)) != TABLE_NONE;
    if (fine) {
        move_weights(learner, gone, count);
        table_free(&schema->names);
        schema->names = left;
        learner->forgotten += count - kept;
    } else {
        table_free(&left);
    }
    memory_free(gone);
    return fine ? TLU_OK : error_memory(error);
}
