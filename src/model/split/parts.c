#include "model/split/parts.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- by class ----

// Chooses `wanted` rows. If classes that keep one row cannot give their share, the others give
// more, in proportion to the rows that they have left.
static tlu_status choose(struct class_share *shares, uint32_t classes, uint64_t wanted,
                         tlu_error *error)
{
    uint64_t missing, spare = 0;
    TRY(shares_round(shares, classes, wanted, &missing, error));
    if (!missing)
        return TLU_OK;
    for (uint32_t c = 0; c < classes; c++)
        spare += shares[c].rows - 1 - shares[c].chosen;
    assert(missing <= spare);
    for (uint32_t c = 0; c < classes; c++) {
        uint64_t left = shares[c].rows - 1 - shares[c].chosen;
        shares[c].exact = (double)shares[c].chosen + (double)missing * (double)left / (double)spare;
        shares[c].carry = 0;
    }
    return shares_round(shares, classes, wanted, &missing, error);
}

tlu_status division_by_class(struct division *division, const uint64_t *counts, uint32_t classes,
                             const char *path, tlu_error *error)
{
    const uint64_t *sizes = division->sizes;
    uint64_t rows = sizes[PART_TRAIN] + sizes[PART_VALIDATION] + sizes[PART_TEST];
    if (sizes[PART_TRAIN] < classes)
        return error_at(error, path, 0, 0,
                        "has %u classes, and the training part keeps a row of each, so that at "
                        "most %llu of the %llu rows can be in another part; give smaller parts, "
                        "or --no-stratify",
                        classes, (unsigned long long)(rows - classes), (unsigned long long)rows);
    struct class_share *test = memory_new(classes, sizeof *test);
    struct class_share *validation = memory_new(classes, sizeof *validation);
    division->test = test;
    division->validation = validation;
    TRY(enough_memory(test && validation, error));
    double share = (double)rows;
    for (uint32_t c = 0; c < classes; c++)
        test[c] = (struct class_share){
            .rows = counts[c], .exact = (double)counts[c] * (double)sizes[PART_TEST] / share};
    TRY(choose(test, classes, sizes[PART_TEST], error));
    for (uint32_t c = 0; c < classes; c++)
        validation[c] = (struct class_share){
            .rows = counts[c] - test[c].chosen,
            .exact = (double)counts[c] * (double)sizes[PART_VALIDATION] / share,
            .carry = (double)counts[c] * (double)sizes[PART_TEST] / share - (double)test[c].chosen};
    return choose(validation, classes, sizes[PART_VALIDATION], error);
}

// ---- by group ----
//
// The groups are in random order. Which of them add up to the wanted number of rows, or come
// closest to it, is a subset sum problem, solved by dynamic programming:
//
//     reachable(0) = {0};  reachable(k) = reachable(k-1) + those sums with group k added
//
// From the closest sum, the way back leaves a group out where that is possible, so that the groups
// that are taken are the first in the random order. The sets are bits. If they were too many, most
// groups are decided first, one after the other, and the last ones make up for what is missing. If
// the sums of few groups are still too large, they are counted in units of several rows.

#define SET_BITS ((uint64_t)1 << 27)
#define SEARCHED_MIN 64
#define SEARCHED_MAX ((size_t)1 << 20)

struct group {
    uint32_t number;
    uint64_t rows;
};

struct subset_sum {
    const struct group *groups; // [count]
    size_t count;
    uint64_t unit;    // rows
    uint64_t highest; // sum in units
    size_t words;     // of a set of sums
    uint64_t *sets;   // [count + 1][words]
};

static uint64_t in_units(const struct subset_sum *sum, uint64_t rows)
{
    return (rows + sum->unit / 2) / sum->unit;
}

static bool has_sum(const struct subset_sum *sum, size_t groups, uint64_t units)
{
    return sum->sets[groups * sum->words + units / 64] >> units % 64 & 1;
}

// Adds to the set `to` the sums of the set `from` plus `units`; both have `words` words.
static void add_shifted(uint64_t *to, const uint64_t *from, size_t words, uint64_t units)
{
    size_t skip = (size_t)(units / 64);
    unsigned shift = units % 64;
    for (size_t w = words; w-- > skip;) {
        to[w] |= from[w - skip] << shift;
        if (shift && w > skip)
            to[w] |= from[w - skip - 1] >> (64 - shift);
    }
}

static void find_sums(struct subset_sum *sum)
{
    sum->sets[0] = 1;
    for (size_t k = 0; k < sum->count; k++) {
        uint64_t *before = sum->sets + k * sum->words, *after = before + sum->words;
        memcpy(after, before, sum->words * sizeof *after);
        uint64_t units = in_units(sum, sum->groups[k].rows);
        if (units <= sum->highest)
            add_shifted(after, before, sum->words, units);
    }
}

// The sum closest to the target, the lower of two: not that of no groups unless `none`, and not
// that of all groups unless `all`.
static uint64_t closest_sum(const struct subset_sum *sum, uint64_t target, bool none, bool all)
{
    uint64_t total = 0;
    for (size_t k = 0; k < sum->count; k++)
        total += in_units(sum, sum->groups[k].rows);
    for (uint64_t distance = 0; distance <= sum->highest; distance++) {
        const uint64_t sums[] = {target - distance, target + distance};
        for (size_t i = 0; i < 2; i++) // below 0 it wraps around
            if (sums[i] <= sum->highest && has_sum(sum, sum->count, sums[i]) &&
                (none || sums[i] > 0) && (all || sums[i] < total))
                return sums[i];
    }
    return 0;
}

// How many of the groups the search is for: their share of the target is about target / count each,
// and sets have bits for sums up to twice that.
static size_t searched_groups(size_t count, uint64_t target)
{
    double most = sqrt((double)SET_BITS / 4 * (double)count / (double)target);
    size_t groups = most < (double)SEARCHED_MAX ? (size_t)most : SEARCHED_MAX;
    groups = groups > SEARCHED_MIN ? groups : SEARCHED_MIN;
    return groups < count ? groups : count;
}

// The rows of some groups, and of the smallest.
static uint64_t rows_of(const struct group *groups, size_t count, uint64_t *smallest)
{
    uint64_t rows = 0;
    *smallest = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        rows += groups[i].rows;
        *smallest = groups[i].rows < *smallest ? groups[i].rows : *smallest;
    }
    return rows;
}

// Takes some of the groups for a part, whose rows come close to the target: at least one, and all
// of them only if `all`. The others are moved to the front, and *count becomes their number.
static tlu_status take_groups(struct division *division, enum part part, uint64_t target, bool all,
                              struct group *groups, size_t *count, tlu_error *error)
{
    uint64_t taken = 0, smallest, rows = rows_of(groups, *count, &smallest);
    size_t decided = *count - searched_groups(*count, target), kept = 0;
    uint64_t searched = rows_of(groups + decided, *count - decided, &smallest);
    uint64_t share = (uint64_t)((double)searched * ((double)target / (double)rows));
    for (size_t i = 0; i < decided; i++) {
        struct group group = groups[i];
        bool fits = taken + group.rows + share <= target;
        taken += fits ? group.rows : 0;
        if (fits)
            division->part_of_group[group.number] = (uint8_t)part;
        else
            groups[kept++] = group;
    }
    struct subset_sum sum = {.groups = groups + decided, .count = *count - decided, .unit = 1};
    uint64_t highest = 2 * (target - taken);
    highest = highest > smallest ? highest : smallest; // the part must not be empty
    highest = highest < searched ? highest : searched;
    sum.unit += highest * (sum.count + 1) / SET_BITS;
    sum.highest = in_units(&sum, highest);
    sum.words = (size_t)(sum.highest / 64) + 1;
    sum.sets = memory_new((uint64_t)(sum.count + 1) * sum.words, sizeof *sum.sets);
    TRY(enough_memory(sum.sets, error));
    find_sums(&sum);
    uint64_t left = closest_sum(&sum, in_units(&sum, target - taken), taken > 0, all || kept > 0);
    for (size_t k = sum.count; k-- > 0;) {
        if (has_sum(&sum, k, left))
            continue;
        left -= in_units(&sum, sum.groups[k].rows);
        division->part_of_group[sum.groups[k].number] = (uint8_t)part;
    }
    memory_free(sum.sets);
    for (size_t i = decided; i < *count; i++)
        if (division->part_of_group[groups[i].number] != (uint8_t)part)
            groups[kept++] = groups[i];
    if (kept == *count && (all || kept > 1)) // all sums are 0 in large units
        division->part_of_group[groups[--kept].number] = (uint8_t)part;
    *count = kept;
    return TLU_OK;
}

// The test part, then the validation part of what is left. *fine: each has a group, and so does the
// training part.
static tlu_status divide_in_turn(struct division *division, struct group *groups, size_t count,
                                 bool *fine, tlu_error *error)
{
    static const enum part parts[] = {PART_TEST, PART_VALIDATION};
    *fine = true;
    for (size_t i = 0; i < 2; i++) {
        uint64_t target = division->sizes[parts[i]];
        size_t before = count;
        if (target && count)
            TRY(take_groups(division, parts[i], target, false, groups, &count, error));
        *fine &= !target || count < before;
    }
    return TLU_OK;
}

static void swap_groups(struct group *a, struct group *b)
{
    struct group swap = *a;
    *a = *b;
    *b = swap;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

// Three parts of few or very uneven groups: the largest is for training. If the others have too few
// rows, both parts get less, in proportion. The group that is closest to the size of the validation
// part is not for testing.
static tlu_status divide_without_largest(struct division *division, struct group *groups,
                                         size_t count, tlu_error *error)
{
    uint64_t test = division->sizes[PART_TEST], validation = division->sizes[PART_VALIDATION];
    uint64_t smallest;
    for (size_t i = 1; i < count; i++)
        if (groups[i].rows > groups[0].rows)
            swap_groups(&groups[0], &groups[i]);
    groups++;
    count--;
    uint64_t rows = rows_of(groups, count, &smallest);
    if (test + validation > rows) {
        double share = (double)rows / (double)(test + validation);
        test = (uint64_t)((double)test * share);
        validation = rows - test;
    }
    for (size_t i = 0; i + 1 < count; i++)
        if (distance(groups[i].rows, validation) < distance(groups[count - 1].rows, validation))
            swap_groups(&groups[i], &groups[count - 1]);
    struct group kept = groups[--count];
    TRY(take_groups(division, PART_TEST, test ? test : 1, true, groups, &count, error));
    groups[count++] = kept;
    return take_groups(division, PART_VALIDATION, validation ? validation : 1, true, groups, &count,
                       error);
}

static tlu_status divide_groups(struct division *division, struct group *groups, size_t count,
                                const char *path, tlu_error *error)
{
    bool both = division->sizes[PART_TEST] && division->sizes[PART_VALIDATION];
    size_t parts = both ? 3 : 2;
    if (count < parts)
        return error_at(error, path, 0, 0, "has %zu %s, too few for %zu parts", count,
                        count == 1 ? "group" : "groups", parts);
    struct group *order = memory_copy(groups, count, sizeof *groups);
    bool fine = false;
    TRY(enough_memory(order, error));
    tlu_status status = divide_in_turn(division, order, count, &fine, error);
    memory_free(order);
    if (status != TLU_OK || fine)
        return status;
    memset(division->part_of_group, PART_TRAIN, count);
    return divide_without_largest(division, groups, count, error);
}

tlu_status division_by_group(struct division *division, const uint64_t *counts, uint32_t groups,
                             const char *path, tlu_error *error)
{
    struct group *order = memory_new(groups, sizeof *order);
    division->part_of_group = memory_new(groups, sizeof *division->part_of_group);
    tlu_status status = enough_memory(order && division->part_of_group, error);
    for (uint32_t g = 0; status == TLU_OK && g < groups; g++) { // a random order
        uint64_t place = random_below(&division->random, (uint64_t)g + 1);
        order[g] = order[place];
        order[place] = (struct group){g, counts[g]};
    }
    if (status == TLU_OK)
        status = divide_groups(division, order, groups, path, error);
    memory_free(order);
    return status;
}

// ---- the next row ----

enum part division_next(struct division *division, uint32_t class_or_group)
{
    if (division->part_of_group)
        return (enum part)division->part_of_group[class_or_group];
    if (division->test) {
        if (share_draw(&division->test[class_or_group], &division->random))
            return PART_TEST;
        return share_draw(&division->validation[class_or_group], &division->random)
                   ? PART_VALIDATION
                   : PART_TRAIN;
    }
    uint64_t row = division->next++, train = division->sizes[PART_TRAIN];
    return row < train                                      ? PART_TRAIN
           : row < train + division->sizes[PART_VALIDATION] ? PART_VALIDATION
                                                            : PART_TEST;
}

void division_free(struct division *division)
{
    memory_free(division->test);
    memory_free(division->validation);
    memory_free(division->part_of_group);
}
