// Finds half-spaces that contain many rows of one value and none of the other, by iterated local
// search (hill climbing with random perturbations) over small integer weights. The objective is the
// number of rows of `own` whose weighted sum exceeds those of all rows of `other`.
#include "logic/synthesis/two_layers.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

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

// Looks up the sums of the high and the low half of a row's bits.
void row_group_sum(struct row_group *side, const int32_t *weights, unsigned inputs)
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
static uint32_t expand(const struct row_group *other, uint32_t row, unsigned inputs,
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

size_t peel_cube(struct row_group *own, struct row_group *other, unsigned inputs, int64_t work,
                 struct random *random, struct half_space *plane)
{
    size_t best = 0;
    do {
        uint32_t row = own->rows[random_below(random, own->count)];
        uint32_t care = expand(other, row, inputs, random);
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

size_t peel(struct row_group *own, struct row_group *other, unsigned inputs, int64_t work,
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

tlu_status half_space_pair(const struct truth_table *truth, struct half_space planes[2],
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
