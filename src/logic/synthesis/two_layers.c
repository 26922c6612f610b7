// Two layers with few hidden units for any function, found by heuristic search.
//
// Sequential learning (Marchand, Golea and Rujan 1990, "A convergence theorem for sequential
// learning in two-layer perceptrons") peels off half-spaces that contain rows of one value only.
// The result is a decision list: the first half-space that contains a row decides its value. A
// decision list is a threshold function of the hidden units, in which the weight of each exceeds
// those after it with the opposite value. If only ones are peeled off, it is an OR. Each step
// removes at least one row, because every row is a corner of the cube, so it terminates.
#include "logic/synthesis/two_layers.h"

#include "base/random.h"
#include "logic/append.h"
#include "logic/integers.h"
#include "logic/synthesis/threshold_unit.h"
#include "train/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- one half-space ----
//
// Finds half-spaces that contain many rows of one value and none of the other, by iterated local
// search (hill climbing with random perturbations) over small integer weights. The objective is the
// number of rows of `own` whose weighted sum exceeds those of all rows of `other`.

// Rows of one value that are not classified yet.
struct row_group {
    uint32_t *rows; // [count]
    int32_t *sums;  // [count] row_group_sum
    size_t count;
};

#define PERTURBATIONS 12 // of local optima, for each starting row
#define WEIGHT_MAX 1000

struct climb {
    struct row_group *own, *other;
    unsigned inputs;
    int64_t work; // rows that may still be visited
    int32_t weights[TRUTH_INPUTS_MAX];
};

struct objective {
    size_t above;  // rows of own with a higher sum than every row of other
    size_t at_top; // ties: rows of other that share the highest sum; fewer is better
};

static bool is_better(struct objective a, struct objective b)
{
    return a.above > b.above || (a.above == b.above && a.at_top < b.at_top);
}

// The sum of row i if the weight of the input at bit `shift` changed by `change`.
static inline int32_t changed_sum(const struct row_group *side, size_t i, unsigned shift,
                                  int32_t change)
{
    return side->sums[i] + (change & -(int32_t)(side->rows[i] >> shift & 1));
}

static int32_t highest(const struct row_group *side, unsigned shift, int32_t change)
{
    int32_t top = INT32_MIN;
    for (size_t i = 0; i < side->count; i++) {
        int32_t sum = changed_sum(side, i, shift, change);
        top = sum > top ? sum : top;
    }
    return top;
}

static struct objective evaluate(struct climb *climb, unsigned input, int32_t change)
{
    unsigned shift = climb->inputs - 1 - input;
    uint32_t above = 0, at_top = 0;
    int32_t top = highest(climb->other, shift, change);
    for (size_t i = 0; i < climb->own->count; i++)
        above += changed_sum(climb->own, i, shift, change) > top;
    for (size_t i = 0; i < climb->other->count; i++)
        at_top += changed_sum(climb->other, i, shift, change) == top;
    climb->work -= (int64_t)(climb->own->count + climb->other->count);
    return (struct objective){above, at_top};
}

static void shift_sums(struct row_group *side, unsigned shift, int32_t change)
{
    for (size_t i = 0; i < side->count; i++)
        side->sums[i] = changed_sum(side, i, shift, change);
}

static void change_weight(struct climb *climb, unsigned input, int32_t change)
{
    unsigned shift = climb->inputs - 1 - input;
    climb->weights[input] += change;
    shift_sums(climb->own, shift, change);
    shift_sums(climb->other, shift, change);
}

// Sets table[bits] to the sum of the weights whose bits are set. The last weight is the lowest bit.
static void sum_bits(int32_t *table, const int32_t *weights, unsigned count)
{
    table[0] = 0;
    for (unsigned i = 0; i < count; i++)
        for (uint32_t bits = 0; bits < (uint32_t)1 << i; bits++)
            table[bits | (uint32_t)1 << i] = table[bits] + weights[count - 1 - i];
}

// side->sums[i] := the sum of the weights in row i, looked up for the high and the low half of its
// bits.
static void row_group_sum(struct row_group *side, const int32_t *weights, unsigned inputs)
{
    int32_t high[1 << TRUTH_INPUTS_MAX / 2], low[1 << TRUTH_INPUTS_MAX / 2];
    unsigned lower = inputs / 2;
    if (inputs - lower > TRUTH_INPUTS_MAX / 2)
        lower++;
    sum_bits(high, weights, inputs - lower);
    sum_bits(low, weights + inputs - lower, lower);
    for (size_t i = 0; i < side->count; i++) {
        uint32_t row = side->rows[i];
        side->sums[i] = high[row >> lower] + low[row & (((uint32_t)1 << lower) - 1)];
    }
}

static void set_weights(struct climb *climb, const int32_t *weights)
{
    row_group_sum(climb->own, weights, climb->inputs);
    row_group_sum(climb->other, weights, climb->inputs);
    memcpy(climb->weights, weights, climb->inputs * sizeof *weights);
}

// Changes one weight at a time by 1, until no such change improves the objective.
static struct objective climb_up(struct climb *climb, struct objective from)
{
    unsigned steps = 2 * climb->inputs;
    for (unsigned i = 0, unimproved = 0; unimproved < steps && climb->work > 0;
         i = (i + 1) % steps) {
        int32_t change = i & 1 ? 1 : -1;
        struct objective objective = evaluate(climb, i / 2, change);
        unimproved++;
        if (!is_better(objective, from) || climb->weights[i / 2] * change >= WEIGHT_MAX)
            continue;
        change_weight(climb, i / 2, change);
        from = objective;
        unimproved = 0;
    }
    return from;
}

// Starts at a row of `own`: weights of +1 for its ones and -1 for its zeros give it the highest
// sum.
static void start_at(struct climb *climb, uint32_t row)
{
    int32_t weights[TRUTH_INPUTS_MAX];
    for (unsigned i = 0; i < climb->inputs; i++)
        weights[i] = row >> (climb->inputs - 1 - i) & 1 ? 1 : -1;
    set_weights(climb, weights);
}

// Changes one to three random weights by 1 and climbs again.
static struct objective perturb(struct climb *climb, struct random *random)
{
    unsigned times = 1 + (unsigned)random_below(random, 3);
    for (unsigned i = 0; i < times; i++) {
        unsigned input = (unsigned)random_below(random, climb->inputs);
        int32_t change = random_below(random, 2) ? 1 : -1;
        if (climb->weights[input] * change < WEIGHT_MAX)
            change_weight(climb, input, change);
    }
    return climb_up(climb, evaluate(climb, 0, 0));
}

// ---- cubes, which are a kind of half-space

// Counts the rows in the cube of rows that equal `row` in the bits of `care`.
static size_t rows_in(const struct row_group *side, uint32_t row, uint32_t care)
{
    size_t count = 0;
    for (size_t i = 0; i < side->count; i++)
        count += ((side->rows[i] ^ row) & care) == 0;
    return count;
}

// Expands the cube that is a single row: drops inputs in random order, except those without which
// the cube would contain a row of `other`. Returns the bits that stay fixed.
static uint32_t expand_cube(const struct row_group *other, uint32_t row, unsigned inputs,
                            struct random *random)
{
    unsigned order[TRUTH_INPUTS_MAX];
    uint32_t care = ((uint32_t)1 << inputs) - 1;
    for (unsigned i = 0; i < inputs; i++) {
        unsigned at = (unsigned)random_below(random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (unsigned i = 0; i < inputs; i++)
        if (rows_in(other, row, care & ~((uint32_t)1 << order[i])) == 0)
            care &= ~((uint32_t)1 << order[i]);
    return care;
}

// As peel, for cubes: some inputs are fixed, the others free.
static size_t peel_cube(struct row_group *own, struct row_group *other, unsigned inputs,
                        int64_t work, struct random *random, struct half_space *plane)
{
    size_t best = 0;
    do {
        uint32_t row = own->rows[random_below(random, own->count)];
        uint32_t care = expand_cube(other, row, inputs, random);
        size_t taken = rows_in(own, row, care);
        work -= (int64_t)(other->count * inputs + own->count);
        if (taken <= best)
            continue;
        best = taken;
        plane->threshold = 0;
        for (unsigned i = 0; i < inputs; i++) {
            uint32_t bit = (uint32_t)1 << (inputs - 1 - i);
            plane->weights[i] = !(care & bit) ? 0 : row & bit ? 1 : -1;
            plane->threshold += plane->weights[i] > 0;
        }
    } while (work > 0);
    return best;
}

// ---- the search

// Finds a half-space that contains no row of `other` and many rows of `own`; returns how many, at
// least 1. `work` limits the rows visited.
static size_t peel(struct row_group *own, struct row_group *other, unsigned inputs, int64_t work,
                   struct random *random, struct half_space *plane)
{
    assert(own->count > 0 && other->count > 0);
    struct climb climb = {.own = own, .other = other, .inputs = inputs, .work = work};
    struct objective best = {0, SIZE_MAX};
    do {
        int32_t kept[TRUTH_INPUTS_MAX];
        start_at(&climb, own->rows[random_below(random, own->count)]);
        struct objective here = climb_up(&climb, evaluate(&climb, 0, 0));
        memcpy(kept, climb.weights, sizeof kept);
        for (int i = 0; i < PERTURBATIONS && climb.work > 0; i++) {
            struct objective next = perturb(&climb, random);
            if (!is_better(here, next)) {
                here = next;
                memcpy(kept, climb.weights, sizeof kept);
            } else {
                set_weights(&climb, kept);
            }
        }
        if (is_better(here, best)) {
            best = here;
            memcpy(plane->weights, kept, sizeof kept);
        }
    } while (climb.work > 0);
    set_weights(&climb, plane->weights);
    plane->threshold = (int64_t)highest(other, 0, 0) + 1;
    return best.above;
}

// ---- pairs of half-spaces ----

#define PAIRS_INPUTS_MAX 4
#define PAIR_WEIGHT_MAX 3  // enough for every threshold function of four inputs
#define FUNCTIONS_MAX 1882 // threshold functions of four inputs
#define PAIR_ROWS_MAX (1U << PAIRS_INPUTS_MAX)

// Distinct intersections of half-spaces with a set of at most 16 rows, and one half-space for each.
struct intersections {
    size_t count;
    uint16_t sets[FUNCTIONS_MAX];   // one bit per row
    uint16_t planes[FUNCTIONS_MAX]; // numbers of weight vectors: see weights_of
    int8_t thresholds[FUNCTIONS_MAX];
    bool seen[1U << PAIR_ROWS_MAX];
};

static unsigned weights_count(unsigned inputs)
{
    unsigned count = 1;
    while (inputs-- > 0)
        count *= 2 * PAIR_WEIGHT_MAX + 1;
    return count;
}

// The weight vector of that number: its digits in base 2 * PAIR_WEIGHT_MAX + 1.
static void weights_of(unsigned number, unsigned inputs, int32_t *weights)
{
    for (unsigned i = 0; i < inputs; i++, number /= 2 * PAIR_WEIGHT_MAX + 1)
        weights[i] = (int32_t)(number % (2 * PAIR_WEIGHT_MAX + 1)) - PAIR_WEIGHT_MAX;
}

static void add_intersection(struct intersections *intersections, uint16_t set, unsigned number,
                             int threshold)
{
    if (intersections->seen[set])
        return;
    intersections->seen[set] = true;
    intersections->sets[intersections->count] = set;
    intersections->planes[intersections->count] = (uint16_t)number;
    intersections->thresholds[intersections->count++] = (int8_t)threshold;
}

// Collects how all half-spaces that contain the rows `inside` intersect the rows `outside`.
static void collect_intersections(struct intersections *intersections, unsigned inputs,
                                  uint16_t inside, uint16_t outside)
{
    memset(intersections, 0, sizeof *intersections);
    for (unsigned number = 0; number < weights_count(inputs); number++) {
        struct half_space plane;
        int64_t sums[PAIR_ROWS_MAX];
        weights_of(number, inputs, plane.weights);
        for (unsigned row = 0; row < 1U << inputs; row++)
            sums[row] = half_space_sum(&plane, inputs, row);
        for (int t = -4 * PAIR_WEIGHT_MAX; t <= 4 * PAIR_WEIGHT_MAX + 1; t++) {
            uint16_t rows = 0;
            for (unsigned row = 0; row < 1U << inputs; row++)
                rows |= (uint16_t)((sums[row] >= t) << row);
            if ((inside & ~rows) == 0)
                add_intersection(intersections, rows & outside, number, t);
        }
    }
}

static void plane_at(const struct intersections *intersections, size_t i, unsigned inputs,
                     bool complement, struct half_space *plane)
{
    memset(plane, 0, sizeof *plane);
    weights_of(intersections->planes[i], inputs, plane->weights);
    plane->threshold = intersections->thresholds[i];
    if (!complement)
        return;
    for (unsigned j = 0; j < inputs; j++)
        plane->weights[j] = -plane->weights[j];
    plane->threshold = 1 - plane->threshold; // not (sum >= t) is -sum >= 1 - t
}

// Finds two half-spaces whose intersections with `outside` are disjoint.
static bool find_disjoint(const struct intersections *intersections, size_t *first, size_t *second)
{
    for (*first = 0; *first < intersections->count; ++*first)
        for (*second = 0; *second < *first; ++*second)
            if ((intersections->sets[*first] & intersections->sets[*second]) == 0)
                return true;
    return false;
}

static bool find_pair(struct intersections *intersections, const struct truth_table *truth,
                      struct half_space planes[2], bool *is_and)
{
    uint16_t sides[2] = {0, 0}; // zeros, ones
    size_t first, second;
    for (unsigned row = 0; row < truth_rows(truth); row++)
        if (!truth_is_open(truth, row))
            sides[truth_value(truth, row)] |= (uint16_t)(1U << row);
    for (int side = 1; side >= 0; side--) { // AND; then OR, as the AND of the complements
        collect_intersections(intersections, truth->inputs, sides[side], sides[!side]);
        if (!find_disjoint(intersections, &first, &second))
            continue;
        *is_and = side;
        plane_at(intersections, first, truth->inputs, !side, &planes[0]);
        plane_at(intersections, second, truth->inputs, !side, &planes[1]);
        return true;
    }
    return false;
}

// Whether two half-spaces suffice, joined by AND or OR (other functions of two units are these with
// a half-space complemented). For up to PAIRS_INPUTS_MAX inputs.
static tlu_status half_space_pair(const struct truth_table *truth, struct half_space planes[2],
                                  bool *found, bool *is_and, tlu_error *error)
{
    assert(truth->inputs <= PAIRS_INPUTS_MAX);
    struct intersections *intersections = memory_new(1, sizeof *intersections);
    if (!intersections)
        return error_memory(error);
    *found = find_pair(intersections, truth, planes, is_and);
    memory_free(intersections);
    return TLU_OK;
}

// ---- decision lists ----

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

// Half-spaces in order: the first that contains a row decides its value.
struct decision_list {
    size_t count, capacity;
    struct half_space *planes;
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

static tlu_status list_add(struct decision_list *list, const struct half_space *plane, bool value,
                           tlu_error *error)
{
    if (!APPEND(list->planes, list->count, list->capacity, *plane))
        return error_memory(error);
    list->planes[list->count - 1].value = value;
    return TLU_OK;
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
    bool before = list->count > 0 && list->planes[list->count - 1].value;
    bool value = taken[1] > taken[0] || (taken[1] == taken[0] && before);
    take_out(&search->sides[value], &planes[value], inputs);
    return list_add(list, &planes[value], value, error);
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
            TRY(list_add(list, &plane, last, error));
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
    memory_free(search->list.planes);
    memory_free(search->best.planes);
}

// ---- the unit on top

// The weight of each half-space exceeds those after it with the opposite value. False: the weights
// become too large.
static bool weigh(const struct decision_list *list, struct two_layers *layers)
{
    int64_t sums[2] = {0, 0}; // of the weights after it, by value
    for (size_t i = list->count; i-- > 0;) {
        bool value = list->planes[i].value;
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
    bool is_and;
    *found = false;
    if (truth->inputs > PAIRS_INPUTS_MAX)
        return TLU_OK;
    TRY(half_space_pair(truth, planes, found, &is_and, error));
    if (!*found)
        return TLU_OK;
    struct decision_list list = {.count = 2, .planes = planes};
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
