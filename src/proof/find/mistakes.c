// The fewest mistakes. From below: contradictions that share no row (packing.c). From above: the
// weights of the pocket, of the least sum of losses, and of what is left when the rows of all
// contradictions are taken out. Between them, on small data, a search: the smallest set of rows
// with one in each contradiction found so far makes no more mistakes than any plane; if the rest is
// separable that is the answer, else there is one more contradiction.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/find/mistakes.h"
#include "train/clock.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 50
#define PEEL_MAX 3e7 // numbers in the linear programs of peel
#define SETS_MAX 400 // of the search
#define ROWS_MAX 5000

struct seeking {
    const struct sets *known; // the contradiction that shows that the rows are not separable
    const struct task *task;
    struct mistakes *mistakes;
    struct program *program;
    double *w;       // [dims]
    bool *gone;      // [rows]
    struct sets all; // of the search
};

// ---- from above ----

struct scored {
    double score;
    bool positive;
};

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return x < y ? -1 : x > y;
}

// Two classes: the b with the fewest mistakes for this w. False: out of memory.
static bool set_bias(const struct task *task, double *w)
{
    const struct examples *examples = task->examples;
    struct scored *rows = memory_new(examples->count + 1, sizeof *rows);
    if (!rows)
        return false;
    size_t wrong = 0; // below everything: all are taken as positive
    w[examples->features] = 0;
    for (size_t i = 0; i < examples->count; i++) {
        rows[i].positive = examples->group[i];
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
            rows[i].score += w[examples->columns[k]] * examples->near[k];
        wrong += !rows[i].positive;
    }
    qsort(rows, examples->count, sizeof *rows, by_score);
    double cut = rows[0].score - 1;
    size_t least = wrong;
    for (size_t i = 0; i < examples->count; i++) {
        wrong = rows[i].positive ? wrong + 1 : wrong - 1;
        bool last = i + 1 == examples->count;
        if (wrong < least && (last || rows[i + 1].score > rows[i].score)) {
            least = wrong;
            cut = last ? rows[i].score + 1 : (rows[i].score + rows[i + 1].score) / 2;
        }
    }
    w[examples->features] = -cut;
    memory_free(rows);
    return true;
}

// Takes the weights over if they make fewer mistakes; they are freed in any case.
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
    const struct task *task = s->task;
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

// The row that is furthest on the wrong side, among those that are not gone; `rows`: all are right.
static size_t worst_row(const struct seeking *s)
{
    const struct task *task = s->task;
    const struct examples *examples = task->examples;
    size_t worst = examples->count;
    double most = 0;
    for (size_t c = 0; c < task->cases; c++) {
        size_t i = case_row(task, c);
        struct part parts[2];
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

// The plane with the least losses, again and again without the row that is worst (Chinneck 1996),
// until no row is wrong.
static bool peel(struct seeking *s)
{
    struct task rest = *s->task;
    rest.gone = s->gone;
    double work = (double)s->task->cases * (double)s->task->dims;
    size_t turns = work < PEEL_MAX ? (size_t)fmin(PEEL_MAX / work, 500) : 1;
    bool enough = true;
    for (size_t t = 0; enough && t < turns && !is_late(s->task->patience); t++) {
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

// ---- between ----

// *going is whether there is more to find out.
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
    struct found found = {{0, NULL}, {0, NULL, NULL}};
    size_t before = s->all.count;
    enum finding finding = pack(s->task, s->program, s->gone, &s->all, &found);
    if (finding == FOUND_WEIGHTS)
        consider(s, &found.weights);
    *going = finding == FOUND_WEIGHTS && s->all.count < SETS_MAX;
    if (finding == FOUND_WEIGHTS && s->all.count == before) {
        mistakes->exact = true; // the rows that were taken out are all that is wrong
        *going = false;
    }
    contradiction_free(&found.contradiction);
    return finding != FOUND_NO_MEMORY;
}

static bool copy_sets(struct sets *to, const struct sets *from)
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
    s->task->patience->stage = "searching for the fewest mistakes";
    if (going && !copy_sets(&s->all, &s->mistakes->apart))
        return false;
    while (going && !is_late(s->task->patience))
        if (!search_once(s, &going))
            return false;
    return true;
}

// ---- all of it ----

// Planes have half of the time that is left: what is known about others is as good to know.
static bool seek_half(struct seeking *s)
{
    struct patience *patience = s->task->patience;
    double end = patience->end, now = clock_seconds();
    patience->stage = "looking for planes with few mistakes";
    patience->end = now + (end - now) / 2;
    bool enough = seek_planes(s);
    patience->end = end;
    patience->over = patience->stopped;
    return enough;
}

static bool seek(struct seeking *s)
{
    const struct task *task = s->task;
    struct mistakes *mistakes = s->mistakes;
    struct found found = {{0, NULL}, {0, NULL, NULL}};
    if (!seek_half(s))
        return false;
    task->patience->stage = "looking for contradictions that share no row";
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

bool mistakes_find(struct mistakes *mistakes, const struct task *task, struct contradiction *known)
{
    const struct sets one = {known, 1, 1};
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
