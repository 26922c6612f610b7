// How many Boolean functions are threshold functions.
//
// A walk over the cells of count_cells.h with ordered weights, one per class. Two cells that share
// a facet differ in one row x and its opposite, which is a minimal true row of one of them and
// false in the other. A facet's row with x_1 = +1 leads to a cell whose first Chow parameter is
// smaller by 2, one with x_1 = -1 to one with a larger one. From any cell but w = (1, 0, ..., 0)
// some facet leads up: on the straight way from it to (1, 0, ..., 0), where all weights are ordered
// too, only rows with x_1 = -1 change sides. So the cells of one level are found from those of the
// level above, and two levels at a time are all that is kept.
//
// Whether a minimal row is a facet's is decided by its neighbour: has it weights? Its Chow
// parameters are known before; if the level below has them already, it is the same function (Chow
// 1961), and need not be looked at again. If not, a linear program in whole numbers tells.
//
// A class has as many functions as its Chow parameters have images under permutations and changes
// of sign: the function is determined by them. (Winder 1965 and Muroga, Tsuboi and Baugh 1970
// counted up to seven and eight inputs by such classes.)
#include "base/call/callback.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "logic/count_classes.h"
#include "tlu_logic.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define INPUTS_MAX (CELL_INPUTS_MAX - 1)
#define LEVELS_MAX (1 << (CELL_INPUTS_MAX - 2))
#define ALONE 200 // classes of a level that are not worth other threads

// What is found out about one number of inputs.
struct found {
    uint64_t functions, classes, dual_classes;
    uint64_t at_level[LEVELS_MAX + 1]; // self-dual classes before each level
    size_t levels;
};

struct walk {
    const tlu_enumeration_settings *settings;
    struct cells cells;
    struct class_set sets[2], *here, *below;
    struct found *found;
    const struct found *smaller; // of one input less, for how much is done; NULL: not known
    pthread_mutex_t lock;        // of found
    atomic_bool stopped, no_memory, broken;
    size_t level, count;
    struct timespec start;
    double told_at;
};

// ---- how far it is

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

// The levels of one input less have much the same shape, at half the length.
static double share_done(const struct walk *walk, size_t in_level)
{
    const struct found *smaller = walk->smaller;
    if (!smaller || smaller->dual_classes == 0)
        return 0;
    double at = ((double)walk->level + (double)in_level / (double)walk->count) / 2;
    size_t level = (size_t)at;
    if (level + 1 > smaller->levels)
        return 1;
    double before = (double)smaller->at_level[level], after = (double)smaller->at_level[level + 1];
    return (before + (at - (double)level) * (after - before)) / (double)smaller->dual_classes;
}

static void tell(struct walk *walk, size_t in_level)
{
    double seconds = seconds_since(&walk->start);
    if (!walk->settings->progress || seconds < walk->told_at + 0.1)
        return;
    walk->told_at = seconds;
    if (walk->settings->progress(walk->settings->progress_context,
                                 walk->found->at_level[walk->level] + in_level,
                                 share_done(walk, in_level), seconds))
        walk->stopped = true;
}

// ---- one class

// Functions of the class: k! 2^(parameters other than 0) / (permutations of equal ones).
static uint64_t orbit_size(const int *chow, unsigned k)
{
    uint64_t size = 1;
    for (unsigned i = 0, equal = 0; i < k; i++) {
        equal = i > 0 && chow[i] == chow[i - 1] ? equal + 1 : 1;
        size = size * (i + 1) / equal * (chow[i] ? 2 : 1);
    }
    return size;
}

// Classes of functions of k - 1 inputs that come of it, under permutations and negations of inputs:
// the input that is fixed may be any, and fixed to +1 or -1; equal ones make equal functions.
static unsigned classes_of(const int *chow, unsigned k)
{
    unsigned classes = 0;
    for (unsigned i = 0; i < k; i++)
        if (i == 0 || chow[i] != chow[i - 1])
            classes += chow[i] ? 2 : 1;
    return classes;
}

static bool is_ordered(const int *chow, unsigned k)
{
    for (unsigned i = 0; i + 1 < k; i++)
        if (chow[i] < chow[i + 1])
            return false;
    return chow[k - 1] >= 0;
}

// The class that lies beyond row x, if there is one.
static void look_beyond(struct walk *walk, const struct row_set *table, const int *chow, uint32_t x)
{
    const struct cells *cells = &walk->cells;
    struct cell_class beyond;
    struct row_set changed = *table, minimal;
    int changed_chow[CELL_INPUTS_MAX];
    for (unsigned i = 0; i < cells->k; i++)
        changed_chow[i] = chow[i] - (x >> (cells->k - 1 - i) & 1 ? 2 : -2);
    if (!is_ordered(changed_chow, cells->k))
        return; // the parameters of ordered weights are ordered
    beyond.key = class_key_of(changed_chow, cells->k);
    if (class_set_has(walk->below, beyond.key))
        return;
    row_set_flip(&changed, x);
    row_set_flip(&changed, cells_opposite(cells, x));
    cells_minimal(cells, &changed, &minimal);
    if (cells_weights(cells, &minimal, beyond.weights) && !class_set_add(walk->below, &beyond))
        walk->no_memory = true;
}

static void expand(struct walk *walk, const struct cell_class *from, struct found *part)
{
    const struct cells *cells = &walk->cells;
    struct row_set table, minimal;
    int chow[CELL_INPUTS_MAX];
    cells_table(cells, from->weights, &table);
    cells_chow(cells, &table, chow);
    struct class_key key = class_key_of(chow, cells->k);
    if (key.low != from->key.low || key.high != from->key.high)
        walk->broken = true; // its weights are not those of the function that was looked for
    part->dual_classes++;
    part->classes += classes_of(chow, cells->k);
    part->functions += orbit_size(chow, cells->k);
    cells_minimal(cells, &table, &minimal);
    uint32_t rows = (uint32_t)1 << cells->k;
    for (uint32_t row = rows / 2; row < rows; row++)
        if (row_set_has(&minimal, row))
            look_beyond(walk, &table, chow, row);
}

// ---- the levels

static void expand_some(void *context, size_t first, size_t last)
{
    struct walk *walk = context;
    struct found part = {0};
    for (size_t i = first; i < last && !walk->stopped && !walk->no_memory; i++) {
        expand(walk, class_set_item(walk->here, i), &part);
        if (first == 0 && i % 16 == 0) // the calling thread's share
            tell(walk, i * (walk->count / last));
    }
    pthread_mutex_lock(&walk->lock);
    walk->found->functions += part.functions;
    walk->found->classes += part.classes;
    walk->found->dual_classes += part.dual_classes;
    pthread_mutex_unlock(&walk->lock);
}

static void walk_levels(struct walk *walk)
{
    struct found *found = walk->found;
    size_t threads = parallel_threads(walk->settings->threads);
    walk->here = &walk->sets[0];
    walk->below = &walk->sets[1];
    struct cell_class root = {.weights = {1}};
    int chow[CELL_INPUTS_MAX] = {1 << (walk->cells.k - 1)};
    root.key = class_key_of(chow, walk->cells.k);
    walk->no_memory = !class_set_add(walk->here, &root);
    while (!walk->stopped && !walk->no_memory && (walk->count = class_set_number(walk->here)) > 0) {
        found->at_level[walk->level] = found->dual_classes;
        parallel_run(walk->count < ALONE ? 1 : threads, walk->count, expand_some, walk);
        struct class_set *done = walk->here;
        walk->here = walk->below;
        walk->below = done;
        class_set_clear(done);
        walk->level++;
    }
    found->levels = walk->level;
    found->at_level[walk->level] = found->dual_classes;
}

static tlu_status count_cells(const tlu_enumeration_settings *settings, unsigned k,
                              const struct found *smaller, struct found *found, tlu_error *error)
{
    struct walk *walk = memory_new(1, sizeof *walk);
    if (!walk)
        return error_memory(error);
    memset(found, 0, sizeof *found);
    walk->settings = settings;
    walk->found = found;
    walk->smaller = smaller;
    clock_gettime(CLOCK_MONOTONIC, &walk->start);
    pthread_mutex_init(&walk->lock, NULL);
    cells_init(&walk->cells, k);
    class_set_init(&walk->sets[0]);
    class_set_init(&walk->sets[1]);
    walk_levels(walk);
    class_set_free(&walk->sets[0]);
    class_set_free(&walk->sets[1]);
    pthread_mutex_destroy(&walk->lock);
    bool stopped = walk->stopped, no_memory = walk->no_memory, broken = walk->broken;
    memory_free(walk);
    if (no_memory)
        return error_memory(error);
    if (stopped)
        return error_interrupted(error, "the count was interrupted");
    return broken ? error_system(error, "weights do not have the function that they were made for: "
                                        "this is a fault of the program, please report it")
                  : TLU_OK;
}

// ---- the answer

// 2^exponent in decimal.
static void write_power(unsigned exponent, char *out, size_t size)
{
    size_t length = 1;
    memset(out, 0, size);
    out[0] = 1; // digits, the lowest first
    for (unsigned i = 0; i < exponent; i++) {
        int carry = 0;
        for (size_t at = 0; at < length || carry; at++) {
            int digit = 2 * out[at] + carry;
            out[at] = (char)(digit % 10);
            carry = digit / 10;
            length = at < length ? length : at + 1;
        }
    }
    for (size_t at = 0; at < length - 1 - at; at++) {
        char digit = out[at];
        out[at] = out[length - 1 - at];
        out[length - 1 - at] = digit;
    }
    for (size_t at = 0; at < length; at++)
        out[at] = (char)('0' + out[at]);
}

// With many classes those of one input less are counted first, so that what is done can be told.
static tlu_status count_all(const tlu_enumeration_settings *settings, struct found *found,
                            struct found *smaller, tlu_error *error)
{
    if (settings->inputs < 7)
        return count_cells(settings, settings->inputs + 1, NULL, found, error);
    TRY(count_cells(settings, settings->inputs, NULL, smaller, error));
    return count_cells(settings, settings->inputs + 1, smaller, found, error);
}

tlu_status tlu_enumeration_run(const tlu_enumeration_settings *settings,
                               tlu_enumeration **enumeration, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_enumeration_settings own;
    struct callback progress;
    *enumeration = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_enumeration_settings", error));
    CALLBACK(progress, enumeration, own.progress, own.progress_context, caller);
    if (own.inputs > INPUTS_MAX)
        return error_input(error,
                           "the threshold functions of %u inputs are too many to go through, even "
                           "by classes; the most is %d",
                           own.inputs, INPUTS_MAX);
    struct found *found = memory_new(2, sizeof *found);
    tlu_enumeration *result = memory_new(1, sizeof *result);
    tlu_status status = enough_memory(found && result, error);
    if (status == TLU_OK)
        status = count_all(&own, found, found + 1, error);
    if (status == TLU_OK) {
        result->threshold_functions = found->functions;
        result->classes = found->classes;
        result->dual_classes = found->dual_classes;
        write_power(1u << own.inputs, result->functions, sizeof result->functions);
        write_power(own.inputs * own.inputs, result->bound, sizeof result->bound);
        *enumeration = result;
    } else {
        memory_free(result);
    }
    memory_free(found);
    return status;
}

void tlu_enumeration_free(tlu_enumeration *enumeration)
{
    memory_free(enumeration);
}
