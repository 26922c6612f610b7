// Sets of classes, which several threads add to.
#include "base/call/callback.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "logic/count/cells.h"
#include "tlu_logic.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

// A class is identified by the Chow parameters of its cell with ordered weights: they are different
// for all threshold functions, and no other function shares them (Chow 1961).
struct class_key {
    uint64_t low, high; // 12 bits each, the first input's at the bottom of low
};

struct cell_class {
    struct class_key key;
    uint32_t weights[CELL_INPUTS_MAX];
};

#define CLASS_SHARDS 64

struct class_shard {
    pthread_mutex_t lock;
    struct cell_class *items; // [count]
    size_t count, capacity;
    uint32_t *slots; // [slot_count], a power of two: 1 + item, 0 if free
    size_t slot_count;
};

struct class_set {
    struct class_shard shard[CLASS_SHARDS];
    size_t before[CLASS_SHARDS + 1]; // items of the shards before, after class_set_number
};

#define LANE 12 // bits of a parameter
#define LANES 5 // in 64 bits

static void class_set_init(struct class_set *set)
{
    memset(set, 0, sizeof *set);
    for (size_t i = 0; i < CLASS_SHARDS; i++)
        pthread_mutex_init(&set->shard[i].lock, NULL);
}

static void class_set_free(struct class_set *set)
{
    for (size_t i = 0; i < CLASS_SHARDS; i++) {
        pthread_mutex_destroy(&set->shard[i].lock);
        memory_free(set->shard[i].items);
        memory_free(set->shard[i].slots);
    }
}

static void class_set_clear(struct class_set *set)
{
    for (size_t i = 0; i < CLASS_SHARDS; i++) {
        struct class_shard *shard = &set->shard[i];
        if (shard->count)
            memset(shard->slots, 0, shard->slot_count * sizeof *shard->slots);
        shard->count = 0;
    }
}

static uint64_t hash(struct class_key key)
{
    uint64_t mixed = key.low * 0x9e3779b97f4a7c15;
    mixed = ((mixed ^ mixed >> 32) + key.high) * 0xd6e8feb86659fd93;
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15;
    return mixed ^ mixed >> 32;
}

static bool same(struct class_key a, struct class_key b)
{
    return a.low == b.low && a.high == b.high;
}

// The slot of a key, or the free one where it would be.
static uint32_t *slot_of(const struct class_shard *shard, struct class_key key)
{
    size_t mask = shard->slot_count - 1, at = (size_t)(hash(key) / CLASS_SHARDS) & mask;
    while (shard->slots[at] && !same(shard->items[shard->slots[at] - 1].key, key))
        at = (at + 1) & mask;
    return &shard->slots[at];
}

static struct class_shard *shard_of(struct class_set *set, struct class_key key)
{
    return &set->shard[hash(key) % CLASS_SHARDS];
}

static bool class_set_has(struct class_set *set, struct class_key key)
{
    struct class_shard *shard = shard_of(set, key);
    pthread_mutex_lock(&shard->lock);
    bool has = shard->count && *slot_of(shard, key);
    pthread_mutex_unlock(&shard->lock);
    return has;
}

static bool make_room(struct class_shard *shard)
{
    if (!memory_reserve(&shard->items, &shard->capacity, shard->count + 1, sizeof *shard->items))
        return false;
    if (2 * (shard->count + 1) <= shard->slot_count)
        return true;
    size_t slot_count = shard->slot_count ? 2 * shard->slot_count : 16;
    uint32_t *slots = memory_new(slot_count, sizeof *slots);
    if (!slots)
        return false;
    memory_free(shard->slots);
    shard->slots = slots;
    shard->slot_count = slot_count;
    for (size_t i = 0; i < shard->count; i++)
        *slot_of(shard, shard->items[i].key) = (uint32_t)i + 1;
    return true;
}

static bool class_set_add(struct class_set *set, const struct cell_class *added)
{
    struct class_shard *shard = shard_of(set, added->key);
    pthread_mutex_lock(&shard->lock);
    bool has_room = make_room(shard);
    uint32_t *slot = has_room ? slot_of(shard, added->key) : NULL;
    if (slot && *slot == 0) {
        shard->items[shard->count++] = *added;
        *slot = (uint32_t)shard->count;
    }
    pthread_mutex_unlock(&shard->lock);
    return has_room;
}

static size_t class_set_number(struct class_set *set)
{
    for (size_t i = 0; i < CLASS_SHARDS; i++)
        set->before[i + 1] = set->before[i] + set->shard[i].count;
    return set->before[CLASS_SHARDS];
}

static const struct cell_class *class_set_item(const struct class_set *set, size_t number)
{
    size_t shard = 0;
    for (size_t half = CLASS_SHARDS / 2; half; half /= 2)
        shard += set->before[shard + half] <= number ? half : 0;
    return &set->shard[shard].items[number - set->before[shard]];
}

static struct class_key class_key_of(const int *chow, unsigned k)
{
    struct class_key key = {0};
    for (unsigned i = 0; i < k; i++) {
        uint64_t *half = i < LANES ? &key.low : &key.high;
        *half |= (uint64_t)chow[i] << i % LANES * LANE;
    }
    return key;
}

// ---- the search ----
//
// How many Boolean functions are threshold functions.
//
// A search over the cells of cells.h with ordered weights, one per class. Two cells that
// share a facet differ in one row x and its opposite, which is a minimal true row of one of them
// and false in the other. A facet's row with x_1 = +1 leads to a cell whose first Chow parameter is
// smaller by 2, one with x_1 = -1 to one with a larger one. From any cell but w = (1, 0, ..., 0)
// some facet leads up: on the straight way from it to (1, 0, ..., 0), where all weights are ordered
// too, only rows with x_1 = -1 change sides. So the cells of one level are found from those of the
// level above, and two levels at a time are all that is kept.
//
// A minimal row belongs to a facet if the neighbouring function has weights. Its Chow parameters
// are known in advance: if the level below contains them already, it is the same function (Chow
// 1961). Otherwise a linear program decides.
//
// A class has as many functions as its Chow parameters have images under permutations and changes
// of sign: the function is determined by them. (Winder 1965 and Muroga, Tsuboi and Baugh 1970
// counted up to seven and eight inputs by such classes.)

#define INPUTS_MAX (CELL_INPUTS_MAX - 1)
#define LEVELS_MAX (1 << (CELL_INPUTS_MAX - 2))
#define ALONE 200 // smaller levels use one thread

// The counts for one number of inputs.
struct class_counts {
    uint64_t functions, classes, dual_classes;
    uint64_t at_level[LEVELS_MAX + 1]; // self-dual classes before each level
    size_t levels;
};

struct class_search {
    const tlu_enumeration_settings *settings;
    struct cell_space cells;
    struct class_set sets[2], *here, *below;
    struct class_counts *found;
    const struct class_counts *smaller; // of one input less, for progress; NULL: unknown
    pthread_mutex_t lock;               // of found
    atomic_bool stopped, no_memory, broken;
    size_t level, count;
    struct timespec start;
    double told_at;
};

// ---- progress

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

// The levels for one input less have a similar shape, at half the length.
static double share_done(const struct class_search *search, size_t in_level)
{
    const struct class_counts *smaller = search->smaller;
    if (!smaller || smaller->dual_classes == 0)
        return 0;
    double at = ((double)search->level + (double)in_level / (double)search->count) / 2;
    size_t level = (size_t)at;
    if (level + 1 > smaller->levels)
        return 1;
    double before = (double)smaller->at_level[level], after = (double)smaller->at_level[level + 1];
    return (before + (at - (double)level) * (after - before)) / (double)smaller->dual_classes;
}

static void report_progress(struct class_search *search, size_t in_level)
{
    double seconds = seconds_since(&search->start);
    if (!search->settings->progress || seconds < search->told_at + 0.1)
        return;
    search->told_at = seconds;
    if (search->settings->progress(search->settings->progress_context,
                                   search->found->at_level[search->level] + in_level,
                                   share_done(search, in_level), seconds))
        search->stopped = true;
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

// Classes of functions of k - 1 inputs, under permutation and negation of inputs, that result from
// fixing an input to +1 or -1; inputs with equal parameters give equal functions.
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

// Adds the class on the other side of the facet of row x, if there is one.
static void try_neighbour(struct class_search *search, const struct row_set *table, const int *chow,
                          uint32_t x)
{
    const struct cell_space *cells = &search->cells;
    struct cell_class beyond;
    struct row_set changed = *table, minimal;
    int changed_chow[CELL_INPUTS_MAX];
    for (unsigned i = 0; i < cells->k; i++)
        changed_chow[i] = chow[i] - (x >> (cells->k - 1 - i) & 1 ? 2 : -2);
    if (!is_ordered(changed_chow, cells->k))
        return; // the parameters of ordered weights are ordered
    beyond.key = class_key_of(changed_chow, cells->k);
    if (class_set_has(search->below, beyond.key))
        return;
    row_set_flip(&changed, x);
    row_set_flip(&changed, cells_opposite(cells, x));
    cells_minimal(cells, &changed, &minimal);
    if (cells_weights(cells, &minimal, beyond.weights) && !class_set_add(search->below, &beyond))
        search->no_memory = true;
}

static void expand(struct class_search *search, const struct cell_class *from,
                   struct class_counts *part)
{
    const struct cell_space *cells = &search->cells;
    struct row_set table, minimal;
    int chow[CELL_INPUTS_MAX];
    cells_table(cells, from->weights, &table);
    cells_chow(cells, &table, chow);
    struct class_key key = class_key_of(chow, cells->k);
    if (key.low != from->key.low || key.high != from->key.high)
        search->broken = true; // the weights belong to another function
    part->dual_classes++;
    part->classes += classes_of(chow, cells->k);
    part->functions += orbit_size(chow, cells->k);
    cells_minimal(cells, &table, &minimal);
    uint32_t rows = (uint32_t)1 << cells->k;
    for (uint32_t row = rows / 2; row < rows; row++)
        if (row_set_has(&minimal, row))
            try_neighbour(search, &table, chow, row);
}

// ---- the levels

static void expand_some(void *context, size_t first, size_t last)
{
    struct class_search *search = context;
    struct class_counts part = {0};
    for (size_t i = first; i < last && !search->stopped && !search->no_memory; i++) {
        expand(search, class_set_item(search->here, i), &part);
        if (first == 0 && i % 16 == 0) // the calling thread's share
            report_progress(search, i * (search->count / last));
    }
    pthread_mutex_lock(&search->lock);
    search->found->functions += part.functions;
    search->found->classes += part.classes;
    search->found->dual_classes += part.dual_classes;
    pthread_mutex_unlock(&search->lock);
}

static void search_levels(struct class_search *search)
{
    struct class_counts *found = search->found;
    size_t threads = parallel_threads(search->settings->threads);
    search->here = &search->sets[0];
    search->below = &search->sets[1];
    struct cell_class root = {.weights = {1}};
    int chow[CELL_INPUTS_MAX] = {1 << (search->cells.k - 1)};
    root.key = class_key_of(chow, search->cells.k);
    search->no_memory = !class_set_add(search->here, &root);
    while (!search->stopped && !search->no_memory &&
           (search->count = class_set_number(search->here)) > 0) {
        found->at_level[search->level] = found->dual_classes;
        parallel_run(search->count < ALONE ? 1 : threads, search->count, expand_some, search);
        struct class_set *done = search->here;
        search->here = search->below;
        search->below = done;
        class_set_clear(done);
        search->level++;
    }
    found->levels = search->level;
    found->at_level[search->level] = found->dual_classes;
}

static tlu_status count_cells(const tlu_enumeration_settings *settings, unsigned k,
                              const struct class_counts *smaller, struct class_counts *found,
                              tlu_error *error)
{
    struct class_search *search = memory_new(1, sizeof *search);
    if (!search)
        return error_memory(error);
    memset(found, 0, sizeof *found);
    search->settings = settings;
    search->found = found;
    search->smaller = smaller;
    clock_gettime(CLOCK_MONOTONIC, &search->start);
    pthread_mutex_init(&search->lock, NULL);
    cells_init(&search->cells, k);
    class_set_init(&search->sets[0]);
    class_set_init(&search->sets[1]);
    search_levels(search);
    class_set_free(&search->sets[0]);
    class_set_free(&search->sets[1]);
    pthread_mutex_destroy(&search->lock);
    bool stopped = search->stopped, no_memory = search->no_memory, broken = search->broken;
    memory_free(search);
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

// With many classes, those of one input less are counted first, to estimate progress.
static tlu_status count_all(const tlu_enumeration_settings *settings, struct class_counts *found,
                            struct class_counts *smaller, tlu_error *error)
{
    if (settings->inputs < 7)
        return count_cells(settings, settings->inputs + 1, NULL, found, error);
    TRY(count_cells(settings, settings->inputs, NULL, smaller, error));
    return count_cells(settings, settings->inputs + 1, smaller, found, error);
}

static int callback_enumeration(void *context, uint64_t classes, double done, double seconds)
{
    CALLBACK_CALL(tlu_enumeration_function, classes, done, seconds);
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
    struct class_counts *found = memory_new(2, sizeof *found);
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
