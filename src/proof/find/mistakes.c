// The fewest mistakes. The lower bound is a packing of disjoint contradictions. Upper bounds are
// the weights of the pocket algorithm, of the least hinge loss, and of the rows outside all
// contradictions. On small data a search closes the gap: the smallest hitting set of the
// contradictions found so far is a lower bound; if the remaining rows are separable it is the
// answer, otherwise they contain one more contradiction.
//
// The smallest hitting set is found depth first. We branch on the set that is not hit yet and has
// the fewest rows to choose from, and exclude each row that was tried from the branches after it. A
// branch ends if too many disjoint sets are left.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/find/mistakes.h"

#include "base/memory.h"
#include "proof/exact.h"
#include "train/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 300000

struct hitting {
    size_t rows, count;    // rows that are in some set, and sets
    size_t words;          // of 64 rows
    uint64_t *sets;        // [count][words]
    uint64_t *allowed;     // [words] rows that may still be chosen
    uint64_t *seen;        // [words] scratch
    uint64_t *saved;       // [count + 1][words] what was allowed before the choices of each depth
    unsigned *hits;        // [count] chosen rows in the set
    size_t *chosen, *best; // [count]
    size_t chosen_count, best_count;
    size_t nodes;
    struct deadline *deadline;
    bool late;
};

static bool has(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static uint64_t *set_of(struct hitting *h, size_t s)
{
    return h->sets + s * h->words;
}

static size_t size_of(struct hitting *h, size_t s)
{
    size_t size = 0;
    for (size_t w = 0; w < h->words; w++)
        size += (size_t)__builtin_popcountll(set_of(h, s)[w] & h->allowed[w]);
    return size;
}

// The number of disjoint sets among those not hit, chosen greedily. *smallest is the set with the
// fewest rows, or `count` if all are hit.
static size_t lower_bound(struct hitting *h, size_t *smallest)
{
    size_t apart = 0, least = SIZE_MAX;
    *smallest = h->count;
    memset(h->seen, 0, h->words * sizeof *h->seen);
    for (size_t s = 0; s < h->count; s++) {
        if (h->hits[s])
            continue;
        size_t size = size_of(h, s);
        if (size < least) {
            least = size;
            *smallest = s;
        }
        bool fresh = true;
        for (size_t w = 0; fresh && w < h->words; w++)
            fresh = !(h->seen[w] & set_of(h, s)[w] & h->allowed[w]);
        for (size_t w = 0; fresh && w < h->words; w++)
            h->seen[w] |= set_of(h, s)[w] & h->allowed[w];
        apart += fresh;
    }
    return apart;
}

static void choose(struct hitting *h, size_t row, unsigned amount)
{
    for (size_t s = 0; s < h->count; s++)
        if (has(set_of(h, s), row))
            h->hits[s] += amount;
}

static void search_hitting(struct hitting *h)
{
    size_t s;
    if (h->late || ++h->nodes > NODES_MAX || (h->nodes % 1024 == 0 && is_late(h->deadline))) {
        h->late = true;
        return;
    }
    size_t apart = lower_bound(h, &s);
    if (h->chosen_count + apart >= h->best_count)
        return;
    if (s == h->count) {
        h->best_count = h->chosen_count;
        memcpy(h->best, h->chosen, h->chosen_count * sizeof *h->chosen);
        return;
    }
    uint64_t *before = h->saved + h->chosen_count * h->words;
    memcpy(before, h->allowed, h->words * sizeof *before);
    for (size_t row = 0; row < h->rows; row++) {
        if (!has(set_of(h, s), row) || !has(before, row))
            continue;
        h->allowed[row / 64] &= ~((uint64_t)1 << row % 64);
        h->chosen[h->chosen_count++] = row;
        choose(h, row, 1);
        search_hitting(h);
        choose(h, row, (unsigned)-1);
        h->chosen_count--;
    }
    memcpy(h->allowed, before, h->words * sizeof *before);
}

// Numbers the rows that are in some set from 1, in number[row]; returns how many there are.
static size_t number_rows(const struct separation_task *task, const struct contradictions *sets,
                          uint32_t *number)
{
    uint32_t count = 0;
    for (size_t s = 0; s < sets->count; s++)
        for (size_t i = 0; i < sets->items[s].count; i++) {
            size_t row = case_row(task, sets->items[s].cases[i]);
            if (!number[row])
                number[row] = ++count;
        }
    return count;
}

static void fill_hitting(struct hitting *h, const struct separation_task *task,
                         const struct contradictions *sets, const uint32_t *number)
{
    h->words = h->rows / 64 + 1;
    h->sets = exact_new((2 * h->count + 3) * h->words, sizeof *h->sets);
    h->saved = h->sets + h->count * h->words;
    h->allowed = h->saved + (h->count + 1) * h->words;
    h->seen = h->allowed + h->words;
    h->hits = exact_new(h->count, sizeof *h->hits);
    h->chosen = exact_new(2 * (h->count + 1), sizeof *h->chosen);
    h->best = h->chosen + h->count + 1;
    memset(h->allowed, 0xFF, h->words * sizeof *h->allowed);
    for (size_t s = 0; s < sets->count; s++)
        for (size_t i = 0; i < sets->items[s].count; i++) {
            uint32_t n = number[case_row(task, sets->items[s].cases[i])] - 1;
            set_of(h, s)[n / 64] |= (uint64_t)1 << n % 64;
        }
}

#define HITTING_TOO_LONG SIZE_MAX

// The smallest number of rows, below `limit`, with one in every set: marks them in hit[rows].
// Returns their number, `limit` if there are no fewer, or HITTING_TOO_LONG.
static size_t smallest_hitting(const struct separation_task *task,
                               const struct contradictions *sets, size_t limit, bool *hit)
{
    size_t rows = task->examples->count;
    struct hitting h = {.count = sets->count, .best_count = limit, .deadline = task->deadline};
    uint32_t *number = exact_new(rows, sizeof *number);
    h.rows = number_rows(task, sets, number);
    fill_hitting(&h, task, sets, number);
    search_hitting(&h);
    memset(hit, 0, rows * sizeof *hit);
    for (size_t row = 0; row < rows && h.best_count < limit; row++)
        for (size_t i = 0; number[row] && i < h.best_count; i++)
            hit[row] |= h.best[i] == number[row] - 1;
    memory_free(number);
    memory_free(h.sets);
    memory_free(h.hits);
    memory_free(h.chosen);
    return h.late ? HITTING_TOO_LONG : h.best_count;
}

// ---- contradictions that share no row ----
//
// Every plane has a row of each on the wrong side.

struct contradiction *sets_add(struct contradictions *sets)
{
    exact_reserve(&sets->items, &sets->capacity, sets->count + 1, sizeof *sets->items);
    return &sets->items[sets->count++];
}

static bool all_gone(const struct separation_task *task)
{
    for (size_t i = 0; i < task->examples->count; i++)
        if (!task->gone[i])
            return false;
    return true;
}

// Finds contradictions among the rows that are not gone, one after the other, and adds them to the
// sets; their rows become gone. When the rest is separable, *found has its weights.
static enum finding pack(const struct separation_task *task, struct program *program, bool *gone,
                         struct contradictions *sets, struct certificate *found)
{
    struct separation_task rest = *task;
    rest.gone = gone;
    for (;;) {
        size_t count;
        if (all_gone(&rest)) { // any weights separate nothing
            witness_init(&found->weights, task->dims);
            return FOUND_WEIGHTS;
        }
        enum finding finding = program_run(program, &rest, found);
        if (finding == FOUND_NOTHING && !is_late(task->deadline)) {
            const size_t *basis = program_basis(program, &count);
            finding = find_exactly(&rest, basis, count, found);
        }
        if (finding != FOUND_CONTRADICTION)
            return finding;
        struct contradiction *set = sets_add(sets);
        *set = found->contradiction;
        for (size_t i = 0; i < set->count; i++)
            gone[case_row(task, set->cases[i])] = true;
    }
}

// ---- the fewest mistakes ----

#define PASSES 50
#define PEEL_MAX 3e7 // entries of all linear programs of peel
#define SETS_MAX 400 // of the search
#define ROWS_MAX 5000

struct seeking {
    const struct separation_task *task;
    struct mistakes *mistakes;
    struct program *program;
    double *w;  // [dims]
    bool *gone; // [rows]
};

// ---- upper bounds ----

struct scored {
    double score;
    bool positive;
};

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return x < y ? -1 : x > y;
}

// Two classes: sets the bias with the fewest mistakes for w.
static void set_bias(const struct separation_task *task, double *w)
{
    const struct examples *examples = task->examples;
    struct scored *rows = exact_new(examples->count, sizeof *rows);
    size_t wrong = 0; // with a threshold below all scores, every row is positive
    w[examples->features] = 0;
    for (size_t i = 0; i < examples->count; i++) {
        rows[i].positive = examples->group[i];
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
            rows[i].score += w[examples->columns[k]] * examples->near[k];
        wrong += !rows[i].positive;
    }
    qsort(rows, examples->count, sizeof *rows, by_score);
    double threshold = rows[0].score - 1;
    size_t least = wrong;
    for (size_t i = 0; i < examples->count; i++) {
        wrong = rows[i].positive ? wrong + 1 : wrong - 1;
        bool last = i + 1 == examples->count;
        if (wrong < least && (last || rows[i + 1].score > rows[i].score)) {
            least = wrong;
            threshold = last ? rows[i].score + 1 : (rows[i].score + rows[i + 1].score) / 2;
        }
    }
    w[examples->features] = -threshold;
    memory_free(rows);
}

// Keeps the weights if they make fewer mistakes than the best so far, and frees them otherwise.
static void consider(struct seeking *s, struct witness *weights)
{
    size_t wrong;
    witness_separate(s->task, weights, &wrong);
    if (wrong < s->mistakes->at_most) {
        struct witness better = *weights;
        *weights = s->mistakes->weights;
        s->mistakes->weights = better;
        s->mistakes->at_most = wrong;
        witness_reduce(&s->mistakes->weights);
    }
    witness_free(weights);
}

static void consider_near(struct seeking *s)
{
    static const int bits[] = {16, 32, 50, 0};
    const struct separation_task *task = s->task;
    for (size_t j = 0; j < task->dims; j++)
        if (!isfinite(s->w[j]))
            return;
    if (task->blocks == 1 && task->examples->bias)
        set_bias(task, s->w);
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        struct witness weights;
        witness_init(&weights, task->dims);
        witness_round(&weights, s->w, bits[i]);
        consider(s, &weights);
    }
}

// The row farthest on the wrong side among those that are not gone; the number of rows if none is
// wrong.
static size_t worst_row(const struct seeking *s)
{
    const struct separation_task *task = s->task;
    const struct examples *examples = task->examples;
    size_t worst = examples->count;
    double most = 0;
    for (size_t c = 0; c < task->cases; c++) {
        size_t i = case_row(task, c);
        struct case_block parts[2];
        int count = s->gone[i] ? 0 : case_parts(task, c, parts);
        double score = 0, square = 0;
        for (int p = 0; p < count; p++)
            for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++) {
                score +=
                    parts[p].sign * s->w[parts[p].base + examples->columns[k]] * examples->near[k];
                square += examples->near[k] * examples->near[k];
            }
        if (square > 0 && (worst == examples->count || -score / sqrt(square) > most)) {
            most = -score / sqrt(square);
            worst = i;
        }
    }
    return most >= 0 ? worst : examples->count;
}

// Minimises the hinge loss repeatedly, removing the worst row each time (Chinneck 1996), until no
// row is wrong.
static void peel(struct seeking *s)
{
    struct separation_task rest = *s->task;
    rest.gone = s->gone;
    double work = (double)s->task->cases * (double)s->task->dims;
    size_t turns = work < PEEL_MAX ? (size_t)fmin(PEEL_MAX / work, 500) : 1;
    for (size_t t = 0; t < turns && !is_late(s->task->deadline); t++) {
        if (!program_hinge(s->program, &rest, s->w))
            break;
        size_t row = worst_row(s);
        consider_near(s);
        if (row == s->task->examples->count)
            break;
        s->gone[row] = true;
    }
    memset(s->gone, 0, s->task->examples->count * sizeof *s->gone);
}

// Half of the time that is left goes to upper bounds, half to lower bounds.
static void seek_planes(struct seeking *s)
{
    struct deadline *deadline = s->task->deadline;
    double end = deadline->end, now = clock_seconds();
    deadline->stage = "looking for planes with few mistakes";
    deadline->end = now + (end - now) / 2;
    consider_near(s); // w is 0
    pocket(s->task, PASSES, s->w);
    consider_near(s);
    peel(s);
    deadline->end = end;
    deadline->over = deadline->stopped;
}

// ---- the search ----

// Packs the rows that are not gone. True: the others are separable, and their weights considered.
static bool pack_rest(struct seeking *s, struct contradictions *sets)
{
    struct certificate found = {0};
    bool separable = pack(s->task, s->program, s->gone, sets, &found) == FOUND_WEIGHTS;
    if (separable)
        consider(s, &found.weights);
    return separable;
}

// False: the search has ended.
static bool search_once(struct seeking *s, struct contradictions *all)
{
    struct mistakes *mistakes = s->mistakes;
    size_t least = smallest_hitting(s->task, all, mistakes->at_most, s->gone);
    if (least == HITTING_TOO_LONG)
        return false;
    if (least >= mistakes->at_most) {
        mistakes->exact = true;
        return false;
    }
    size_t before = all->count;
    if (!pack_rest(s, all))
        return false;
    mistakes->exact = all->count == before; // only the hitting set is wrong
    return !mistakes->exact && all->count < SETS_MAX;
}

static void search(struct seeking *s)
{
    struct contradictions all = {0};
    s->task->deadline->stage = "searching for the fewest mistakes";
    if (s->mistakes->apart.count >= SETS_MAX || s->task->examples->count > ROWS_MAX)
        return;
    for (size_t i = 0; i < s->mistakes->apart.count; i++)
        *sets_add(&all) = s->mistakes->apart.items[i];
    while (!is_late(s->task->deadline) && search_once(s, &all))
        continue;
}

// ---- a plane that depends on x ----

static bool is_constant(const struct separation_task *task, const struct witness *weights)
{
    size_t width = task->examples->width;
    for (size_t j = 0; j < weights->count; j++)
        if (j % width < task->examples->features && mpz_sgn(weights->w[j]) != 0)
            return false;
    return true;
}

// The threshold between two scores with the fewest mistakes, so that rows are on both sides; w has
// one weight. False: all scores are equal.
static bool set_inner_bias(const struct separation_task *task, double *w)
{
    const struct examples *examples = task->examples;
    struct scored *rows = exact_new(examples->count, sizeof *rows);
    size_t wrong = 0, least = SIZE_MAX;
    w[examples->features] = 0;
    for (size_t i = 0; i < examples->count; i++) {
        rows[i].positive = examples->group[i];
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
            rows[i].score += w[examples->columns[k]] * examples->near[k];
        wrong += !rows[i].positive;
    }
    qsort(rows, examples->count, sizeof *rows, by_score);
    for (size_t i = 0; i + 1 < examples->count; i++) {
        wrong = rows[i].positive ? wrong + 1 : wrong - 1;
        if (wrong < least && rows[i + 1].score > rows[i].score) {
            least = wrong;
            w[examples->features] = -(rows[i].score / 2 + rows[i + 1].score / 2);
        }
    }
    memory_free(rows);
    return least < SIZE_MAX;
}

// Takes the weights if they are not worse.
static bool take_equal(struct seeking *s, struct witness *weights)
{
    size_t wrong;
    witness_separate(s->task, weights, &wrong);
    if (wrong > s->mistakes->at_most || is_constant(s->task, weights))
        return false;
    s->mistakes->at_most = wrong;
    s->mistakes->weights = *weights;
    witness_reduce(&s->mistakes->weights);
    return true;
}

#define DIRECTIONS_MAX 1000

// Two classes with a bias: looks for a plane across one feature that is as good as w = 0 and has
// rows on both sides.
static bool divide(struct seeking *s)
{
    static const int bits[] = {8, 24, 50, 0};
    const struct separation_task *task = s->task;
    for (size_t j = 0; j < task->examples->features && j < DIRECTIONS_MAX; j++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            memset(s->w, 0, task->dims * sizeof *s->w);
            s->w[j] = sign;
            for (size_t b = 0; set_inner_bias(task, s->w) && b < sizeof bits / sizeof bits[0];
                 b++) {
                struct witness weights;
                witness_init(&weights, task->dims);
                witness_round(&weights, s->w, bits[b]);
                if (take_equal(s, &weights))
                    return true;
                witness_free(&weights);
            }
        }
    return false;
}

void witness_tilt(const struct separation_task *task, struct witness *weights)
{
    const struct examples *examples = task->examples;
    double most = 1;
    mpz_t factor;
    if (examples->features == 0 || !is_constant(task, weights))
        return;
    for (size_t i = 0; i < examples->count; i++)
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
            if (examples->columns[k] == 0)
                most = fmax(most, ceil(fabs(examples->near[k])));
    mpz_init_set_d(factor, 2 * most);
    for (size_t j = 0; j < weights->count; j++)
        mpz_mul(weights->w[j], weights->w[j], factor);
    mpz_set_ui(weights->w[0], 1);
    mpz_clear(factor);
}

// Weights of 0 describe no plane. Replaces them by a plane with the same mistakes: one that has
// rows on both sides, or one that is beyond all rows.
static void make_plane(struct seeking *s)
{
    struct mistakes *mistakes = s->mistakes;
    if (!is_constant(s->task, &mistakes->weights))
        return;
    if (s->task->blocks == 1 && s->task->examples->bias && divide(s))
        return;
    witness_tilt(s->task, &mistakes->weights);
    witness_separate(s->task, &mistakes->weights, &mistakes->at_most);
}

void mistakes_find(struct mistakes *mistakes, const struct separation_task *task,
                   const struct contradiction *known)
{
    assert(known->count > 0);
    struct seeking s = {.task = task, .mistakes = mistakes};
    if (!program_fits(task))
        return;
    mistakes->at_most = SIZE_MAX;
    s.w = exact_new(task->dims, sizeof *s.w);
    s.gone = exact_new(task->examples->count, sizeof *s.gone);
    s.program = program_open(task);
    seek_planes(&s);
    task->deadline->stage = "looking for contradictions that share no row";
    pack_repeats(task, s.gone, &mistakes->apart);
    bool packed = pack_rest(&s, &mistakes->apart);
    if (mistakes->apart.count == 0)
        *sets_add(&mistakes->apart) = *known;
    mistakes->exact = mistakes->at_most == mistakes->apart.count;
    mistakes->known = true;
    if (!mistakes->exact && packed)
        search(&s);
    make_plane(&s);
    program_close(s.program);
}
#endif
