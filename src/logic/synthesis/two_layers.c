// Two layers with few hidden units for any function, found by heuristic search.
//
// Sequential learning (Marchand, Golea and Rujan 1990, "A convergence theorem for sequential
// learning in two-layer perceptrons") peels off half-spaces that contain rows of one value only.
// The result is a decision list: the first half-space that contains a row decides its value. A
// decision list is a threshold function of the hidden units, in which the weight of each exceeds
// those after it with the opposite value. If only ones are peeled off, it is an OR. Each step
// removes at least one row, because every row is a corner of the cube, so it terminates.
#include "logic/synthesis/two_layers.h"

#include "base/memory.h"
#include "logic/integers.h"
#include "logic/synthesis/threshold_unit.h"
#include "train/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Work is counted in rows visited, some 10^9 per second.
#define WORK ((int64_t)40000000) // of all trials
#define WORK_OF_ONE 50           // multiples of WORK before the first trial becomes less thorough
#define CARE 10                  // work per half-space and squared number of rows
#define STEPS 8                  // least number of a climb
#define WORK_CUT 16              // divisor of the work per half-space after that
#define CUBES_CHEAPER 8          // divisor of the work for cubes
#define TRIALS_MAX 1000
#define LOOK 64 // half-spaces after which the total is first estimated
#define LOOK_AGAIN 512
#define TIDY_INPUTS_MAX 12
#define SUM_MAX ((int64_t)1 << 60)
#define NOT_IN_TIME "no network of two layers was found in time: give it more"

// The half-spaces in order, and the value that each assigns.
struct decision_list {
    size_t count, capacity;
    struct half_space *planes;
    bool *values;
    bool rest; // the value of rows in none of them
};

// What is peeled off. With rows of one value only, the output unit is an OR or a NOR.
enum peeling { ONES_BY_CUBES, ZEROS_BY_CUBES, BOTH, ONES_ALONE, ZEROS_ALONE };

static bool takes(enum peeling kind, bool value)
{
    return kind == BOTH || (kind == ONES_ALONE || kind == ONES_BY_CUBES) == value;
}

struct layer_search {
    const struct truth_table *truth;
    struct row_group sides[2]; // the rows that are left: zeros, ones
    struct decision_list list, best;
    struct random random;
    int64_t work; // left, in rows looked at
    double until; // clock_seconds; 0: never
    bool stopped;
};

// ---- decision lists

static bool list_add(struct decision_list *list, const struct half_space *plane, bool value)
{
    size_t capacity = list->capacity;
    if (!memory_reserve(&list->planes, &capacity, list->count + 1, sizeof *list->planes))
        return false;
    if (capacity != list->capacity) {
        bool *values = memory_resize(list->values, capacity, sizeof *values);
        if (!values)
            return false;
        list->values = values;
        list->capacity = capacity;
    }
    list->planes[list->count] = *plane;
    list->values[list->count++] = value;
    return true;
}

static void list_free(struct decision_list *list)
{
    memory_free(list->planes);
    memory_free(list->values);
}

// ---- peeling

static void fill_sides(struct layer_search *search)
{
    search->sides[0].count = search->sides[1].count = 0;
    for (size_t row = 0; row < truth_rows(search->truth); row++) {
        if (truth_is_open(search->truth, row))
            continue;
        struct row_group *side = &search->sides[truth_value(search->truth, row)];
        side->rows[side->count++] = (uint32_t)row;
    }
}

// Removes the rows in the half-space.
static void take_out(struct row_group *side, const struct half_space *plane, unsigned inputs)
{
    size_t kept = 0;
    row_group_sum(side, plane->weights, inputs);
    for (size_t i = 0; i < side->count; i++)
        if (side->sums[i] < plane->threshold)
            side->rows[kept++] = side->rows[i];
    side->count = kept;
}

// Peels off one half-space, of the value of which it takes more rows; ties go to the previous
// value.
static tlu_status peel_one(struct layer_search *search, enum peeling kind, int64_t work,
                           tlu_error *error)
{
    unsigned inputs = search->truth->inputs;
    struct half_space planes[2];
    size_t taken[2] = {0, 0};
    struct decision_list *list = &search->list;
    for (int value = 0; value < 2; value++)
        if (takes(kind, value)) {
            taken[value] =
                (kind < BOTH ? peel_cube : peel)(&search->sides[value], &search->sides[!value],
                                                 inputs, work, &search->random, &planes[value]);
            search->work -= work;
        }
    bool before = list->count > 0 && list->values[list->count - 1];
    bool value = taken[1] > taken[0] || (taken[1] == taken[0] && before);
    take_out(&search->sides[value], &planes[value], inputs);
    return enough_memory(list_add(list, &planes[value], value), error);
}

// Whether too many half-spaces would be needed if each took as many rows as the last ones. *rows is
// the number of rows left before those.
static bool is_hopeless(const struct layer_search *search, enum peeling kind, size_t *rows)
{
    size_t count = search->list.count, left = search->sides[0].count + search->sides[1].count;
    if (count == LOOK)
        return (*rows - left) / LOOK * HIDDEN_MAX < left / 4;
    if (count == 0 || count % LOOK_AGAIN != 0)
        return false;
    size_t taken = *rows - left, own = left;
    if (kind != BOTH)
        own = search->sides[takes(kind, true)].count;
    *rows = left;
    return search->best.count > HIDDEN_MAX && taken * (HIDDEN_MAX - count) < own / 4 * LOOK_AGAIN;
}

// Peels until the remaining rows have one value, or `most` half-spaces have been reached.
static tlu_status peel_all(struct layer_search *search, enum peeling kind, size_t most,
                           int64_t work, tlu_error *error)
{
    fill_sides(search);
    search->list.count = 0;
    size_t rows = search->sides[0].count + search->sides[1].count;
    while (search->sides[0].count > 0 && search->sides[1].count > 0) {
        search->stopped |= clock_is_past(search->until);
        if (search->list.count + 1 >= most || search->stopped || is_hopeless(search, kind, &rows)) {
            search->list.count = most;
            return TLU_OK;
        }
        TRY(peel_one(search, kind, search->work > 0 ? work : work / WORK_CUT, error));
    }
    search->list.rest = search->sides[1].count > 0;
    return TLU_OK;
}

// Symmetric functions, such as parity: half-spaces by the number of ones. For other functions the
// list gets the length of the best.
static tlu_status count_ones(struct layer_search *search, tlu_error *error)
{
    const struct truth_table *truth = search->truth;
    int values[TRUTH_INPUTS_MAX + 1], last = -1; // by the number of ones; -1: all are don't care
    struct half_space plane = {.threshold = 0};
    struct decision_list *list = &search->list;
    memset(values, -1, sizeof values);
    for (unsigned i = 0; i < truth->inputs; i++)
        plane.weights[i] = 1;
    list->count = search->best.count;
    for (size_t row = 0; row < truth_rows(truth); row++) {
        int *value = &values[half_space_sum(&plane, truth->inputs, row)];
        if (truth_is_open(truth, row))
            continue;
        if (*value == !truth_value(truth, row))
            return TLU_OK;
        *value = truth_value(truth, row);
    }
    list->count = 0;
    for (int ones = (int)truth->inputs; ones >= 0; ones--) {
        if (values[ones] < 0)
            continue;
        plane.threshold = ones + 1;
        if (last >= 0 && last != values[ones])
            TRY(enough_memory(list_add(list, &plane, last), error));
        last = values[ones];
    }
    list->rest = last == 1;
    return TLU_OK;
}

static void keep_if_better(struct layer_search *search)
{
    struct decision_list list = search->list;
    if (list.count >= search->best.count)
        return;
    search->list = search->best;
    search->best = list;
}

// The work for one half-space: more is worthwhile if few are needed.
static int64_t work_of_plane(const struct truth_table *truth, int64_t all)
{
    int64_t rows = (int64_t)truth_rows(truth);
    int64_t care = CARE * rows * rows, share = all / (rows / 4 + 1);
    int64_t least = STEPS * 2 * rows * truth->inputs;
    care = care < share ? care : share;
    return care > least ? care : least;
}

// Tries each kind once, then BOTH repeatedly with other random numbers until the work is used up. A
// trial ends as soon as it cannot be better.
static tlu_status peel_often(struct layer_search *search, int effort, tlu_error *error)
{
    search->work = WORK * WORK_OF_ONE * effort;
    int64_t work = work_of_plane(search->truth, search->work);
    int64_t end = search->work - WORK * effort;
    search->best.count = HIDDEN_MAX + 1;
    TRY(count_ones(search, error));
    keep_if_better(search);
    for (int trial = 0; trial < TRIALS_MAX; trial++) {
        enum peeling kind = trial <= (int)ZEROS_ALONE ? (enum peeling)trial : BOTH;
        if (search->best.count <= 2 || (trial > (int)BOTH && search->work < end) || search->stopped)
            break;
        int64_t share = kind < BOTH ? work / CUBES_CHEAPER : work;
        TRY(peel_all(search, kind, search->best.count, share, error));
        keep_if_better(search);
    }
    if (search->best.count <= HIDDEN_MAX)
        return TLU_OK;
    if (search->stopped)
        return error_interrupted(error, NOT_IN_TIME);
    return error_input(error,
                       "no network of two layers with at most %d hidden units was found for it",
                       HIDDEN_MAX);
}

static tlu_status search_planes(struct layer_search *search, int effort, tlu_error *error)
{
    size_t rows = truth_rows(search->truth);
    for (int i = 0; i < 2; i++) {
        search->sides[i].rows = memory_new(rows, sizeof(uint32_t));
        search->sides[i].sums = memory_new(rows, sizeof(int32_t));
        if (!search->sides[i].rows || !search->sides[i].sums)
            return error_memory(error);
    }
    random_seed(&search->random, 1);
    return peel_often(search, effort, error);
}

static void search_free(struct layer_search *search)
{
    for (int i = 0; i < 2; i++) {
        memory_free(search->sides[i].rows);
        memory_free(search->sides[i].sums);
    }
    list_free(&search->list);
    list_free(&search->best);
}

// ---- the unit on top

// The weight of each half-space exceeds those after it with the opposite value. False: the weights
// become too large.
static bool weigh(const struct decision_list *list, struct two_layers *layers)
{
    int64_t sums[2] = {0, 0}; // of the weights after it, by value
    for (size_t i = list->count; i-- > 0;) {
        bool value = list->values[i];
        int64_t weight = sums[!value] + 1;
        sums[value] += weight;
        if (sums[value] > SUM_MAX)
            return false;
        layers->top[i] = value ? weight : -weight;
    }
    layers->threshold = list->rest ? 0 : 1;
    return true;
}

static tlu_status make_layers(const struct decision_list *list, struct two_layers *layers,
                              tlu_error *error)
{
    layers->hidden = list->count;
    layers->planes = memory_copy(list->planes, list->count, sizeof *layers->planes);
    layers->top = memory_new(list->count, sizeof *layers->top);
    return enough_memory(layers->planes && layers->top, error);
}

static tlu_status peel_layers(struct layer_search *search, int effort, struct two_layers *layers,
                              tlu_error *error)
{
    TRY(search_planes(search, effort, error));
    TRY(make_layers(&search->best, layers, error));
    if (weigh(&search->best, layers))
        return TLU_OK;
    // The values alternate too often for the weights: an OR does not alternate.
    search->best.count = HIDDEN_MAX + 1;
    two_layers_free(layers);
    TRY(peel_all(search, ONES_ALONE, search->best.count, work_of_plane(search->truth, 0), error));
    if (search->stopped)
        return error_interrupted(error, NOT_IN_TIME);
    if (search->list.count > HIDDEN_MAX)
        return error_input(error, "no network with at most %d hidden units was found for it",
                           HIDDEN_MAX);
    TRY(make_layers(&search->list, layers, error));
    weigh(&search->list, layers);
    return TLU_OK;
}

// ---- smaller weights

static tlu_status tidy_plane(struct half_space *plane, struct truth_table *truth, tlu_error *error)
{
    struct threshold_unit answer = {0};
    int64_t weights[TRUTH_INPUTS_MAX] = {0};
    memset(truth->ones, 0, truth_words(truth) * sizeof *truth->ones);
    for (size_t row = 0; row < truth_rows(truth); row++)
        if (half_space_sum(plane, truth->inputs, row) >= plane->threshold)
            truth_set(truth, row);
    for (unsigned i = 0; i < truth->inputs; i++)
        weights[i] = plane->weights[i];
    tlu_status status = threshold_unit_find(truth, &answer, error);
    if (status == TLU_OK && answer.is_threshold &&
        sum_of_magnitudes(answer.weights, truth->inputs) <
            sum_of_magnitudes(weights, truth->inputs)) {
        for (unsigned i = 0; i < truth->inputs; i++)
            plane->weights[i] = (int32_t)answer.weights[i];
        plane->threshold = answer.threshold;
    }
    threshold_unit_free(&answer);
    return status;
}

// Replaces the weights of the climb by smaller ones.
static tlu_status tidy_planes(double until, struct two_layers *layers, tlu_error *error)
{
    struct truth_table truth;
    tlu_status status = TLU_OK;
    if (layers->inputs > TIDY_INPUTS_MAX)
        return TLU_OK;
    TRY(enough_memory(truth_init(&truth, layers->inputs, false), error));
    for (size_t i = 0; status == TLU_OK && i < layers->hidden && !layers->stopped; i++) {
        status = tidy_plane(&layers->planes[i], &truth, error);
        layers->stopped |= clock_is_past(until);
    }
    truth_free(&truth);
    return status;
}

// ---- the output unit ----
//
// The outputs of the hidden units for a row form a pattern of bits. Hidden units are dropped as
// long as no pattern has both values and a perceptron finds weights for the output unit.

#define TOP_UNITS_MAX 62 // a pattern and a value in a word
#define TOP_ROWS_MAX ((size_t)1 << 14)
#define EPOCHS 300

struct patterns {
    uint64_t *all;  // [rows] the bits of the hidden units, above the value
    uint64_t *some; // [rows] distinct patterns without a unit
    size_t rows, count;
};

struct top_weights {
    int64_t of[TOP_UNITS_MAX];
    int64_t threshold;
};

static void fill_patterns(struct patterns *patterns, const struct truth_table *truth,
                          const struct two_layers *layers)
{
    patterns->rows = 0;
    for (size_t row = 0; row < truth_rows(truth); row++) {
        uint64_t bits = 0;
        if (truth_is_open(truth, row))
            continue;
        for (size_t i = 0; i < layers->hidden; i++) {
            const struct half_space *plane = &layers->planes[i];
            bool fires = half_space_sum(plane, layers->inputs, row) >= plane->threshold;
            bits |= (uint64_t)fires << (i + 1);
        }
        patterns->all[patterns->rows++] = bits | truth_value(truth, row);
    }
}

static int compare_patterns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Collects the distinct patterns without some units; false: one has both values.
static bool distinct(struct patterns *patterns, uint64_t without)
{
    size_t kept = 0;
    for (size_t i = 0; i < patterns->rows; i++)
        patterns->some[i] = patterns->all[i] & ~without;
    qsort(patterns->some, patterns->rows, sizeof(uint64_t), compare_patterns);
    for (size_t i = 0; i < patterns->rows; i++) {
        uint64_t pattern = patterns->some[i];
        if (kept > 0 && patterns->some[kept - 1] == pattern)
            continue;
        if (kept > 0 && patterns->some[kept - 1] >> 1 == pattern >> 1)
            return false;
        patterns->some[kept++] = pattern;
    }
    patterns->count = kept;
    return true;
}

// The perceptron in integers. False: it did not converge.
static bool train_top(const struct patterns *patterns, size_t units, struct top_weights *weights)
{
    memset(weights, 0, sizeof *weights);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        bool wrong = false;
        for (size_t i = 0; i < patterns->count; i++) {
            uint64_t pattern = patterns->some[i];
            int64_t sum = 0, step = pattern & 1 ? 1 : -1;
            for (size_t j = 0; j < units; j++)
                sum += weights->of[j] & -(int64_t)(pattern >> (j + 1) & 1);
            if ((sum >= weights->threshold) == (step > 0))
                continue;
            wrong = true;
            weights->threshold -= step;
            for (size_t j = 0; j < units; j++)
                weights->of[j] += step & -(int64_t)(pattern >> (j + 1) & 1);
        }
        if (!wrong)
            return true;
    }
    return false;
}

static void take_weights(struct two_layers *layers, const struct top_weights *weights)
{
    memcpy(layers->top, weights->of, layers->hidden * sizeof *layers->top);
    layers->threshold = weights->threshold;
}

static void leave_out(struct two_layers *layers, struct top_weights *weights, size_t unit)
{
    size_t after = layers->hidden - unit - 1;
    memmove(&layers->planes[unit], &layers->planes[unit + 1], after * sizeof *layers->planes);
    memmove(&weights->of[unit], &weights->of[unit + 1], after * sizeof *weights->of);
    layers->hidden--;
    take_weights(layers, weights);
}

static void improve_top(struct patterns *patterns, const struct truth_table *truth, double until,
                        struct two_layers *layers)
{
    struct top_weights weights;
    fill_patterns(patterns, truth, layers);
    for (size_t i = layers->hidden; i-- > 0 && layers->hidden > 2 && !layers->stopped;
         layers->stopped |= clock_is_past(until))
        if (distinct(patterns, (uint64_t)1 << (i + 1)) &&
            train_top(patterns, layers->hidden, &weights)) {
            leave_out(layers, &weights, i);
            fill_patterns(patterns, truth, layers);
            i = layers->hidden;
        }
    if (distinct(patterns, 0) && train_top(patterns, layers->hidden, &weights) &&
        sum_of_magnitudes(weights.of, layers->hidden) <
            sum_of_magnitudes(layers->top, layers->hidden))
        take_weights(layers, &weights);
}

static tlu_status top_improve(const struct truth_table *truth, double until,
                              struct two_layers *layers, tlu_error *error)
{
    size_t rows = truth_rows(truth);
    if (layers->hidden > TOP_UNITS_MAX || rows > TOP_ROWS_MAX)
        return TLU_OK;
    struct patterns patterns = {.all = memory_new(rows, sizeof *patterns.all),
                                .some = memory_new(rows, sizeof *patterns.some)};
    bool enough = patterns.all && patterns.some;
    if (enough)
        improve_top(&patterns, truth, until, layers);
    memory_free(patterns.all);
    memory_free(patterns.some);
    return enough_memory(enough, error);
}

// ---- all

static tlu_status try_pairs(const struct truth_table *truth, struct two_layers *layers, bool *found,
                            tlu_error *error)
{
    struct half_space planes[2];
    bool is_and, values[2] = {true, true};
    *found = false;
    if (truth->inputs > PAIRS_INPUTS_MAX)
        return TLU_OK;
    TRY(half_space_pair(truth, planes, found, &is_and, error));
    if (!*found)
        return TLU_OK;
    struct decision_list list = {.count = 2, .planes = planes, .values = values};
    TRY(make_layers(&list, layers, error));
    layers->top[0] = layers->top[1] = 1;
    layers->threshold = is_and ? 2 : 1;
    return TLU_OK;
}

static tlu_status find_layers(const struct truth_table *truth, int effort, double until,
                              struct two_layers *layers, tlu_error *error)
{
    bool found;
    struct layer_search search = {.truth = truth, .until = until};
    layers->inputs = truth->inputs;
    TRY(try_pairs(truth, layers, &found, error));
    if (!found) {
        tlu_status status = peel_layers(&search, effort, layers, error);
        search_free(&search);
        TRY(status);
        layers->stopped = search.stopped;
        TRY(top_improve(truth, until, layers, error));
    }
    // One hidden unit would make it a threshold function; pairs are excluded above.
    layers->fewest =
        layers->hidden == 2 || (layers->hidden == 3 && truth->inputs <= PAIRS_INPUTS_MAX);
    return tidy_planes(until, layers, error);
}

tlu_status synthesise(const struct truth_table *truth, int effort, double until,
                      struct two_layers *layers, tlu_error *error)
{
    assert(truth->inputs <= TRUTH_INPUTS_MAX && effort >= 0);
    memset(layers, 0, sizeof *layers);
    tlu_status status = find_layers(truth, effort, until, layers, error);
    if (status != TLU_OK)
        two_layers_free(layers);
    return status;
}

void two_layers_free(struct two_layers *layers)
{
    memory_free(layers->planes);
    memory_free(layers->top);
    layers->planes = NULL;
    layers->top = NULL;
    layers->hidden = 0;
}
