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
#include "train/clock.h"

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

static bool allocate_hitting(struct hitting *h)
{
    h->words = h->rows / 64 + 1;
    h->sets = memory_new(h->count * h->words, sizeof *h->sets);
    h->allowed = memory_new(h->words, sizeof *h->allowed);
    h->seen = memory_new(h->words, sizeof *h->seen);
    h->saved = memory_new((h->count + 1) * h->words, sizeof *h->saved);
    h->hits = memory_new(h->count, sizeof *h->hits);
    h->chosen = memory_new(h->count + 1, sizeof *h->chosen);
    h->best = memory_new(h->count + 1, sizeof *h->best);
    return h->sets && h->allowed && h->seen && h->saved && h->hits && h->chosen && h->best;
}

static void release_hitting(struct hitting *h)
{
    memory_free(h->sets);
    memory_free(h->allowed);
    memory_free(h->seen);
    memory_free(h->saved);
    memory_free(h->hits);
    memory_free(h->chosen);
    memory_free(h->best);
}

static void fill_hitting(struct hitting *h, const struct separation_task *task,
                         const struct contradictions *sets, const uint32_t *number)
{
    memset(h->allowed, 0xFF, h->words * sizeof *h->allowed);
    for (size_t s = 0; s < sets->count; s++)
        for (size_t i = 0; i < sets->items[s].count; i++) {
            uint32_t n = number[case_row(task, sets->items[s].cases[i])] - 1;
            set_of(h, s)[n / 64] |= (uint64_t)1 << n % 64;
        }
}

#define HITTING_TOO_LONG SIZE_MAX
#define HITTING_NO_MEMORY (SIZE_MAX - 1)

// The smallest number of rows, below `limit`, with one in every set: marks them in hit[rows].
// Returns their number, `limit` if there are no fewer, HITTING_TOO_LONG or HITTING_NO_MEMORY.
static size_t smallest_hitting(const struct separation_task *task,
                               const struct contradictions *sets, size_t limit, bool *hit)
{
    size_t rows = task->examples->count;
    struct hitting h = {.count = sets->count, .best_count = limit, .deadline = task->deadline};
    uint32_t *number = memory_new(rows + 1, sizeof *number);
    h.rows = number ? number_rows(task, sets, number) : 0;
    bool enough = number && allocate_hitting(&h);
    if (enough) {
        fill_hitting(&h, task, sets, number);
        search_hitting(&h);
        memset(hit, 0, rows * sizeof *hit);
        for (size_t row = 0; row < rows && h.best_count < limit; row++)
            for (size_t i = 0; number[row] && i < h.best_count; i++)
                hit[row] |= h.best[i] == number[row] - 1;
    }
    memory_free(number);
    release_hitting(&h);
    return !enough ? HITTING_NO_MEMORY : h.late ? HITTING_TOO_LONG : h.best_count;
}

// ---- contradictions that share no row ----
//
// Every plane has a row of each on the wrong side.

struct contradiction *sets_add(struct contradictions *sets)
{
    if (!memory_reserve(&sets->items, &sets->capacity, sets->count + 1, sizeof *sets->items))
        return NULL;
    struct contradiction *set = &sets->items[sets->count++];
    *set = (struct contradiction){0, NULL, NULL};
    return set;
}

static void sets_free(struct contradictions *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        contradiction_free(&sets->items[i]);
    memory_free(sets->items);
    *sets = (struct contradictions){NULL, 0, 0};
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
        if (all_gone(&rest)) // any weights separate nothing
            return witness_init(&found->weights, task->dims) ? FOUND_WEIGHTS : FOUND_NO_MEMORY;
        enum finding finding = program_run(program, &rest, found);
        if (finding == FOUND_NOTHING && !is_late(task->deadline)) {
            const size_t *basis = program_basis(program, &count);
            finding = find_exactly(&rest, basis, count, found);
        }
        if (finding != FOUND_CONTRADICTION)
            return finding;
        struct contradiction *set = sets_add(sets);
        if (!set)
            return FOUND_NO_MEMORY;
        *set = found->contradiction;
        found->contradiction = (struct contradiction){0, NULL, NULL};
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
    const struct contradictions
        *known; // the contradiction that shows that the rows are not separable
    const struct separation_task *task;
    struct mistakes *mistakes;
    struct program *program;
    double *w;                 // [dims]
    bool *gone;                // [rows]
    struct contradictions all; // of the search
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

// Two classes: sets the bias with the fewest mistakes for w. False: out of memory.
static bool set_bias(const struct separation_task *task, double *w)
{
    const struct examples *examples = task->examples;
    struct scored *rows = memory_new(examples->count + 1, sizeof *rows);
    if (!rows)
        return false;
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
    return true;
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

static bool consider_near(struct seeking *s)
{
    static const int bits[] = {16, 32, 50, 0};
    const struct separation_task *task = s->task;
    for (size_t j = 0; j < task->dims; j++)
        if (!isfinite(s->w[j]))
            return true;
    if (task->blocks == 1 && task->examples->bias && !set_bias(task, s->w))
        return false;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        struct witness weights;
        if (!witness_init(&weights, task->dims)) {
            witness_free(&weights);
            return false;
        }
        witness_round(&weights, s->w, bits[i]);
        consider(s, &weights);
    }
    return true;
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
static bool peel(struct seeking *s)
{
    struct separation_task rest = *s->task;
    rest.gone = s->gone;
    double work = (double)s->task->cases * (double)s->task->dims;
    size_t turns = work < PEEL_MAX ? (size_t)fmin(PEEL_MAX / work, 500) : 1;
    bool enough = true;
    for (size_t t = 0; enough && t < turns && !is_late(s->task->deadline); t++) {
        if (!program_hinge(s->program, &rest, s->w))
            break;
        size_t row = worst_row(s);
        enough = consider_near(s);
        if (row == s->task->examples->count)
            break;
        s->gone[row] = true;
    }
    memset(s->gone, 0, s->task->examples->count * sizeof *s->gone);
    return enough;
}

static bool seek_planes(struct seeking *s)
{
    memset(s->w, 0, s->task->dims * sizeof *s->w);
    if (!consider_near(s) || !pocket(s->task, PASSES, s->w) || !consider_near(s))
        return false;
    return peel(s);
}

// ---- the search ----

// *going: the search has not ended.
static bool search_once(struct seeking *s, bool *going)
{
    struct mistakes *mistakes = s->mistakes;
    size_t least = smallest_hitting(s->task, &s->all, mistakes->at_most, s->gone);
    *going = false;
    if (least == HITTING_NO_MEMORY)
        return false;
    if (least == HITTING_TOO_LONG)
        return true;
    if (least >= mistakes->at_most) {
        mistakes->exact = true;
        return true;
    }
    struct certificate found = {{0, NULL}, {0, NULL, NULL}};
    size_t before = s->all.count;
    enum finding finding = pack(s->task, s->program, s->gone, &s->all, &found);
    if (finding == FOUND_WEIGHTS)
        consider(s, &found.weights);
    *going = finding == FOUND_WEIGHTS && s->all.count < SETS_MAX;
    if (finding == FOUND_WEIGHTS && s->all.count == before) {
        mistakes->exact = true; // only the hitting set is wrong
        *going = false;
    }
    contradiction_free(&found.contradiction);
    return finding != FOUND_NO_MEMORY;
}

static bool copy_sets(struct contradictions *to, const struct contradictions *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct contradiction *set = &from->items[i];
        struct contradiction *copy = sets_add(to);
        if (!copy || !contradiction_init(copy, set->count))
            return false;
        for (size_t k = 0; k < set->count; k++) {
            copy->cases[k] = set->cases[k];
            mpz_set(copy->lambda[k], set->lambda[k]);
        }
    }
    return true;
}

static bool search(struct seeking *s)
{
    bool going = s->mistakes->apart.count < SETS_MAX && s->task->examples->count <= ROWS_MAX;
    s->task->deadline->stage = "searching for the fewest mistakes";
    if (going && !copy_sets(&s->all, &s->mistakes->apart))
        return false;
    while (going && !is_late(s->task->deadline))
        if (!search_once(s, &going))
            return false;
    return true;
}

// ---- all of it ----

// Half of the time that is left goes to upper bounds, half to lower bounds.
static bool seek_half(struct seeking *s)
{
    struct deadline *deadline = s->task->deadline;
    double end = deadline->end, now = clock_seconds();
    deadline->stage = "looking for planes with few mistakes";
    deadline->end = now + (end - now) / 2;
    bool enough = seek_planes(s);
    deadline->end = end;
    deadline->over = deadline->stopped;
    return enough;
}

static bool seek(struct seeking *s)
{
    const struct separation_task *task = s->task;
    struct mistakes *mistakes = s->mistakes;
    struct certificate found = {{0, NULL}, {0, NULL, NULL}};
    if (!seek_half(s))
        return false;
    task->deadline->stage = "looking for contradictions that share no row";
    enum finding finding = pack_repeats(task, s->gone, &mistakes->apart);
    if (finding != FOUND_NO_MEMORY)
        finding = pack(task, s->program, s->gone, &mistakes->apart, &found);
    if (finding == FOUND_WEIGHTS)
        consider(s, &found.weights);
    contradiction_free(&found.contradiction);
    if (finding == FOUND_NO_MEMORY)
        return false;
    if (mistakes->apart.count == 0 && !copy_sets(&mistakes->apart, s->known))
        return false;
    mistakes->exact = mistakes->at_most == mistakes->apart.count;
    mistakes->known = true;
    return mistakes->exact || finding != FOUND_WEIGHTS || search(s);
}

bool mistakes_find(struct mistakes *mistakes, const struct separation_task *task,
                   struct contradiction *known)
{
    const struct contradictions one = {known, 1, 1};
    struct seeking s = {.task = task, .mistakes = mistakes, .known = &one};
    if (!program_fits(task))
        return true;
    mistakes->at_most = SIZE_MAX;
    s.w = memory_new(task->dims + 1, sizeof *s.w);
    s.gone = memory_new(task->examples->count + 1, sizeof *s.gone);
    s.program = program_open(task);
    bool enough = s.w && s.gone && s.program && seek(&s);
    program_close(s.program);
    sets_free(&s.all);
    memory_free(s.w);
    memory_free(s.gone);
    return enough;
}

void mistakes_free(struct mistakes *mistakes)
{
    witness_free(&mistakes->weights);
    sets_free(&mistakes->apart);
}
#endif
