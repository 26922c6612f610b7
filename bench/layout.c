// Times the routines of src/vector on rows that stream from memory, as in a training pass:
//
//     scripts/build release bench_layout && build/release/bench/layout
//
// First every set that the CPU has, on sparse rows; then the two layouts of a row, pairs of index
// and value against values alone, at several densities. Each figure is the least of several rounds,
// in which all that is compared takes turns, in ns of CPU time.
#include "base/random.h"
#include "vector/vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7, CLASSES = 10 };

struct rows {
    size_t count, features;
    size_t *start; // [count + 1]
    uint32_t *indices;
    float *values;
};

struct work {
    const struct vector_routines *routines;
    const struct rows *rows;
    bool plain; // without indices
    bool ones;  // without values
    double *w, *u;
};

typedef double task(const struct work *work, const uint32_t *indices, const float *values,
                    size_t count, size_t row);

static double dot(const struct work *work, const uint32_t *indices, const float *values,
                  size_t count, size_t row)
{
    (void)row;
    return work->routines->dot(work->w, indices, values, count);
}

static double scores(const struct work *work, const uint32_t *indices, const float *values,
                     size_t count, size_t row)
{
    (void)row;
    double sums[CLASSES] = {0};
    work->routines->scores(work->w, CLASSES, indices, values, count, sums);
    return sums[0];
}

static double add(const struct work *work, const uint32_t *indices, const float *values,
                  size_t count, size_t row)
{
    (void)row;
    work->routines->add(work->w, indices, values, count, 1e-9);
    return 0;
}

static double add_pair(const struct work *work, const uint32_t *indices, const float *values,
                       size_t count, size_t row)
{
    (void)row;
    work->routines->add_pair(work->w, work->u, 1, 0, indices, values, count, 1e-9, 1e-9);
    return 0;
}

static bool is_mistake(size_t row) // one row in ten, seemingly at random
{
    return (uint32_t)row * 2654435761u < 429496729u;
}

static double learn(const struct work *work, const uint32_t *indices, const float *values,
                    size_t count, size_t row)
{
    double score = work->routines->dot(work->w, indices, values, count);
    if (is_mistake(row))
        work->routines->add_pair(work->w, work->u, 1, 0, indices, values, count, 1e-9, 1e-9);
    return score;
}

static double learn_apart(const struct work *work, const uint32_t *indices, const float *values,
                          size_t count, size_t row)
{
    double score = work->routines->dot(work->w, indices, values, count);
    if (is_mistake(row)) {
        work->routines->add(work->w, indices, values, count, 1e-9);
        work->routines->add(work->u, indices, values, count, 1e-9);
    }
    return score;
}

static double learn_classes(const struct work *work, const uint32_t *indices, const float *values,
                            size_t count, size_t row)
{
    double score = scores(work, indices, values, count, row);
    if (is_mistake(row))
        for (size_t column = 0; column < 2; column++)
            work->routines->add_pair(work->w, work->u, CLASSES, 5 * column, indices, values, count,
                                     1e-9, 1e-9);
    return score;
}

static void *memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static volatile double sink;

// ns of one pass over the rows
static double pass(task *run, const struct work *work)
{
    const struct rows *rows = work->rows;
    double sum = 0, start = now();
    for (size_t i = 0; i < rows->count; i++) {
        size_t at = rows->start[i];
        sum += run(work, work->plain ? NULL : rows->indices + at,
                   work->ones ? NULL : rows->values + at, rows->start[i + 1] - at, i);
    }
    double time = now() - start;
    sink = sum;
    return time;
}

static struct rows rows_new(size_t count, size_t features, size_t entries)
{
    return (struct rows){.count = count,
                         .features = features,
                         .start = memory(count + 1, sizeof(size_t)),
                         .indices = memory(entries, sizeof(uint32_t)),
                         .values = memory(entries, sizeof(float))};
}

static void rows_free(struct rows *rows)
{
    free(rows->start);
    free(rows->indices);
    free(rows->values);
}

static struct work work_new(const struct rows *rows, struct random *random)
{
    struct work work = {.routines = vector_best(), .rows = rows};
    work.w = memory(rows->features * CLASSES, sizeof *work.w);
    work.u = memory(rows->features * CLASSES, sizeof *work.u);
    for (size_t i = 0; i < rows->features * CLASSES; i++)
        work.w[i] = random_normal(random);
    return work;
}

// ---- the sets, on sparse rows ----

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Like words in texts: about 72 per row, half of them from a few frequent ones (Zipf), half from
// all.
static struct rows sparse_rows(size_t count, struct random *random)
{
    enum { FEATURES = 47236 };
    struct rows rows = rows_new(count, FEATURES, count * 92);
    uint32_t *last = memory(FEATURES, sizeof *last); // the row, from 1, that a feature was last in
    for (size_t i = 0, used = 0; i < count; i++) {
        size_t wanted = 52 + (size_t)random_below(random, 41), start = used;
        while (used - start < wanted) {
            double zipf = exp(random_unit(random) * log(FEATURES)) - 1;
            uint32_t f =
                random_below(random, 2) ? (uint32_t)zipf : (uint32_t)random_below(random, FEATURES);
            if (f >= FEATURES || last[f] == i + 1)
                continue;
            last[f] = (uint32_t)i + 1;
            rows.indices[used] = f;
            rows.values[used++] = (float)random_unit(random);
        }
        qsort(rows.indices + start, wanted, sizeof *rows.indices, by_number);
        rows.start[i + 1] = used;
    }
    free(last);
    return rows;
}

static void compare_sets(struct random *random)
{
    struct rows rows = sparse_rows(160000, random);
    struct work work = work_new(&rows, random);
    static const struct {
        const char *name;
        task *run;
        bool ones;
    } tasks[] = {{"dot", dot, false},
                 {"dot, all ones", dot, true},
                 {"add", add, false},
                 {"add_pair", add_pair, false},
                 {"dot, add_pair on 10%", learn, false},
                 {"dot, add twice on 10%", learn_apart, false},
                 {"scores, 10 classes", scores, false}};
    enum { TASKS = sizeof tasks / sizeof *tasks, SETS = 8 };
    double best[TASKS][SETS];
    size_t sets = 0;
    printf("%zu sparse rows, %zu entries, %zu features; ns per entry\n\n%-24s", rows.count,
           rows.start[rows.count], rows.features, "");
    while (sets < SETS && vector_routines_at(sets))
        printf("%11s", vector_routines_at(sets++)->name);
    puts("");
    for (int round = 0; round < ROUNDS; round++)
        for (size_t t = 0; t < TASKS; t++)
            for (size_t k = 0; k < sets; k++) {
                work.routines = vector_routines_at(k);
                work.ones = tasks[t].ones;
                double time = pass(tasks[t].run, &work) / (double)rows.start[rows.count];
                best[t][k] = round == 0 ? time : fmin(best[t][k], time);
            }
    for (size_t t = 0; t < TASKS; t++) {
        printf("%-24s", tasks[t].name);
        for (size_t k = 0; k < sets; k++)
            printf("%11.2f", best[t][k]);
        puts("");
    }
    free(work.w);
    free(work.u);
    rows_free(&rows);
}

// ---- the layouts ----

static void compare_layouts(size_t features, struct random *random)
{
    static const int percents[] = {5, 10, 19, 30, 40, 50, 60, 70, 80, 90, 95, 100};
    static const struct {
        const char *name;
        task *run;
    } tasks[] = {{"dot", dot},
                 {"add", add},
                 {"learn", learn},
                 {"scores", scores},
                 {"learn 10", learn_classes}};
    enum { TASKS = sizeof tasks / sizeof *tasks };
    printf("\n%zu features; ns per row, pairs / plain (how many times slower pairs are)\n\n%-6s",
           features, "");
    for (size_t t = 0; t < TASKS; t++)
        printf("%24s", tasks[t].name);
    puts("");
    size_t count = (size_t)25000000 / features;
    struct rows pairs = rows_new(count, features, count * features);
    struct rows plain = rows_new(count, features, count * features);
    free(plain.indices);
    plain.indices = NULL;
    struct work work = work_new(&pairs, random);
    for (size_t p = 0; p < sizeof percents / sizeof *percents; p++) {
        for (size_t i = 0, used = 0; i < count; i++) {
            for (uint32_t f = 0; f < features; f++) {
                bool there = random_below(random, 100) < (uint64_t)percents[p];
                float value = there ? 0.5f + (float)random_unit(random) : 0;
                plain.values[i * features + f] = value;
                pairs.indices[used] = f;
                pairs.values[used] = value;
                used += there;
            }
            pairs.start[i + 1] = used;
            plain.start[i + 1] = (i + 1) * features;
        }
        double best[TASKS][2];
        for (int round = 0; round < ROUNDS; round++)
            for (size_t t = 0; t < TASKS; t++)
                for (int k = 0; k < 2; k++) {
                    work.plain = k == 1;
                    work.rows = k == 1 ? &plain : &pairs;
                    double time = pass(tasks[t].run, &work) / (double)count;
                    best[t][k] = round == 0 ? time : fmin(best[t][k], time);
                }
        printf("%4d %%", percents[p]);
        for (size_t t = 0; t < TASKS; t++)
            printf("%9.0f /%5.0f (%5.2f)", best[t][0], best[t][1], best[t][0] / best[t][1]);
        puts("");
    }
    free(work.w);
    free(work.u);
    rows_free(&pairs);
    rows_free(&plain);
}

int main(void)
{
    struct random random;
    random_seed(&random, 1);
    compare_sets(&random);
    compare_layouts(784, &random);
    compare_layouts(30, &random);
    return 0;
}
