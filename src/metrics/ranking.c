#include "metrics/ranking.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

// An integer that is lower for a higher score; NaN sorts first.
static uint64_t key_of(double score)
{
    uint64_t bits, sign = (uint64_t)1 << 63;
    score += 0.0; // -0 becomes 0
    memcpy(&bits, &score, sizeof bits);
    return isnan(score) ? 0 : bits & sign ? bits : ~bits & ~sign;
}

// Radix sort by key, a byte at a time, lowest first; false: out of memory.
static bool sort_items(struct ranked **items, size_t count)
{
    enum { BYTES = 8, DIGITS = 256 };
    struct ranked *from = *items, *to = memory_new(count, sizeof *to);
    size_t(*starts)[DIGITS] = memory_new(BYTES, sizeof *starts); // [byte][digit]
    bool fine = to && starts;
    for (size_t i = 0; fine && i < count; i++)
        for (size_t b = 0; b < BYTES; b++)
            starts[b][from[i].key >> 8 * b & 255]++;
    for (size_t b = 0; fine && b < BYTES; b++) {
        if (count && starts[b][from[0].key >> 8 * b & 255] == count)
            continue; // all keys have the same digit
        for (size_t d = 0, start = 0; d < DIGITS; d++) {
            size_t n = starts[b][d];
            starts[b][d] = start;
            start += n;
        }
        for (size_t i = 0; i < count; i++)
            to[starts[b][from[i].key >> 8 * b & 255]++] = from[i];
        struct ranked *swap = from;
        from = to;
        to = swap;
    }
    *items = from;
    memory_free(to);
    memory_free(starts);
    return fine;
}

static double weight_of(const struct kept_scores *kept, size_t row)
{
    return kept->weights ? kept->weights[row] : 1;
}

// Whether the row has the class.
static bool is_of(const struct kept_scores *kept, size_t row, size_t target)
{
    return kept->members ? kept->members[row * kept->wide + target] : kept->labels[row] == target;
}

bool ranking_make(struct ranking *ranking, const struct measure *measure, size_t target)
{
    const struct kept_scores *kept = &measure->kept;
    assert(measure->keeps & KEEP_SCORES && target < measure->classes);
    size_t column = kept->wide == 1 ? 0 : target;
    struct sum sums[2] = {0}; // of the rest, of the class
    *ranking = (struct ranking){.kept = kept, .target = (uint32_t)target};
    ranking->items = memory_new(kept->rows, sizeof *ranking->items);
    if (!ranking->items)
        return false;
    for (size_t i = 0; i < kept->rows; i++) {
        if (weight_of(kept, i) == 0)
            continue;
        sum_add(&sums[is_of(kept, i, target)], weight_of(kept, i));
        ranking->items[ranking->count++] =
            (struct ranked){key_of(kept->scores[i * kept->wide + column]), i};
    }
    ranking->target_weight = sum_value(&sums[1]);
    ranking->rest_weight = sum_value(&sums[0]);
    return sort_items(&ranking->items, ranking->count);
}

void ranking_free(struct ranking *ranking)
{
    memory_free(ranking->items);
    ranking->items = NULL;
}

bool ranking_next(const struct ranking *ranking, struct ranking_step *step)
{
    const struct kept_scores *kept = ranking->kept;
    const struct ranked *items = ranking->items;
    size_t first = step->next, column = kept->wide == 1 ? 0 : ranking->target;
    struct sum sums[2] = {0}; // of the rest, of the class
    if (first == ranking->count)
        return false;
    step->threshold = kept->scores[items[first].row * kept->wide + column] + 0.0;
    for (; step->next < ranking->count && items[step->next].key == items[first].key; step->next++) {
        size_t row = items[step->next].row;
        sum_add(&sums[is_of(kept, row, ranking->target)], weight_of(kept, row));
    }
    step->new_target = sum_value(&sums[1]);
    step->new_rest = sum_value(&sums[0]);
    sum_add(&step->target, step->new_target);
    sum_add(&step->rest, step->new_rest);
    return true;
}
