// The second implementation: the perceptron of the notes in plain loops over dense rows, written to
// be obviously right and not to be fast. It shares nothing with the library. The sum of the weights
// is kept step by step, as in the outline of the Cohen notes, instead of lazily.
//
// Classes are numbered by the caller. Values are rounded to float first, as the library stores
// them.
#ifndef TLU_TESTS_PERCEPTRON_REFERENCE_H
#define TLU_TESTS_PERCEPTRON_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_PASSES 256

struct dense {
    size_t rows, features, classes;
    double *x;     // [rows][features]
    size_t *class; // [rows]
};

enum reference_tie { REFERENCE_MISTAKE, REFERENCE_POSITIVE, REFERENCE_NEGATIVE };

struct reference {
    // What to do.
    bool no_bias;
    double rate; // 0: 1
    enum reference_tie tie;
    bool label_only;            // at a tie of several classes only the true class steps
    bool converged;             // stop after a pass without a mistake, instead of making all passes
    const size_t *place;        // [classes] of their labels in order; NULL: as they are numbered
    size_t positive;            // of two classes
    const double *class_weight; // [classes]; NULL: all 1
    // What came of it.
    size_t features, classes;
    size_t vectors; // 1 for two classes, else one per class
    double *w;      // [vectors][features + 1]; the last of a vector is its bias
    double *sum;    // [vectors][features + 1] of the w after every step
    double steps;
    size_t mistakes[REFERENCE_PASSES], passes, updates;
};

static inline void *reference_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

// To the nearest float. The detour through memory is for a fault of gcc 12, which at -O2 leaves out
// the rounding of neighbours in an array, such as x[0] = (double)(float)x[0] and x[1] likewise.
static inline double to_float(double x)
{
    volatile float rounded = (float)x;
    return (double)rounded;
}

static inline void dense_free(struct dense *data)
{
    free(data->x);
    free(data->class);
}

static inline void reference_free(struct reference *r)
{
    free(r->w);
    free(r->sum);
}

static inline void reference_start(struct reference *r, size_t features, size_t classes)
{
    r->features = features;
    r->classes = classes;
    r->vectors = classes <= 2 ? 1 : classes;
    r->w = reference_memory(r->vectors * (features + 1), sizeof *r->w);
    r->sum = reference_memory(r->vectors * (features + 1), sizeof *r->sum);
    if (r->rate == 0)
        r->rate = 1;
}

// A class that turns up later: one weight vector for two classes becomes two opposite ones.
static inline double *reference_widened(const struct reference *r, const double *from,
                                        size_t vectors)
{
    size_t n = r->features + 1;
    double *to = reference_memory(vectors * n, sizeof *to);
    for (size_t c = 0; c < r->classes; c++)
        for (size_t i = 0; i < n; i++) {
            if (r->vectors > 1)
                to[c * n + i] = from[c * n + i];
            else
                to[c * n + i] = c == r->positive ? from[i] : 0 - from[i];
        }
    return to;
}

static inline void reference_grow(struct reference *r, size_t classes)
{
    if (classes > 2) {
        double *w = reference_widened(r, r->w, classes);
        double *sum = reference_widened(r, r->sum, classes);
        reference_free(r);
        r->w = w;
        r->sum = sum;
        r->vectors = classes;
    }
    r->classes = classes;
}

static inline double reference_score(const struct reference *r, size_t vector, const double *x)
{
    const double *w = r->w + vector * (r->features + 1);
    double score = 0;
    for (size_t i = 0; i < r->features; i++)
        score += w[i] * x[i];
    return score + w[r->features];
}

static inline void reference_add(struct reference *r, size_t vector, const double *x, double amount)
{
    double *w = r->w + vector * (r->features + 1);
    for (size_t i = 0; i < r->features; i++)
        w[i] += amount * x[i];
    if (!r->no_bias)
        w[r->features] += amount;
}

// Two classes: y = sign(w . x), where sign(0) is what `tie` says.
static inline bool reference_two(struct reference *r, const double *x, size_t class, double amount)
{
    double y = class == r->positive ? 1 : -1;
    double score = reference_score(r, 0, x), output = 0;
    if (score > 0 || (score == 0 && r->tie == REFERENCE_POSITIVE))
        output = 1;
    else if (score < 0 || (score == 0 && r->tie == REFERENCE_NEGATIVE))
        output = -1;
    if (output == y)
        return false;
    reference_add(r, 0, x, y * amount);
    return true;
}

// SIZE_MAX is none.
static inline bool reference_is_before(const struct reference *r, size_t a, size_t b)
{
    if (a == SIZE_MAX || b == SIZE_MAX)
        return false;
    return r->place ? r->place[a] < r->place[b] : a < b;
}

// Winner takes all, the three cases of the Honavar notes. If several classes share the highest
// score, the answer is none of them, or with `tie` the first or the last of them. The rival is the
// answer, or else the first class other than k with the highest score.
static inline bool reference_winner_takes_all(struct reference *r, const double *x, size_t k,
                                              double amount)
{
    double highest = reference_score(r, 0, x);
    for (size_t i = 1; i < r->classes; i++)
        if (reference_score(r, i, x) > highest)
            highest = reference_score(r, i, x);
    size_t first = SIZE_MAX, last = SIZE_MAX, others = SIZE_MAX, count = 0;
    for (size_t i = 0; i < r->classes; i++)
        if (reference_score(r, i, x) == highest) {
            first = reference_is_before(r, first, i) ? first : i;
            last = reference_is_before(r, i, last) ? last : i;
            if (i != k)
                others = reference_is_before(r, others, i) ? others : i;
            count++;
        }
    size_t answer = count == 1 || r->tie == REFERENCE_NEGATIVE ? first
                    : r->tie == REFERENCE_POSITIVE             ? last
                                                               : SIZE_MAX;
    if (answer == k)
        return false;
    reference_add(r, k, x, amount);
    if (count == 1 || !r->label_only)
        reference_add(r, answer == SIZE_MAX ? others : answer, x, -amount);
    return true;
}

// One example; tells whether it was a mistake.
static inline bool reference_step(struct reference *r, const double *x, size_t class, double weight)
{
    double amount = r->rate * weight * (r->class_weight ? r->class_weight[class] : 1);
    bool wrong = r->classes <= 2 ? reference_two(r, x, class, amount)
                                 : reference_winner_takes_all(r, x, class, amount);
    for (size_t i = 0; i < r->vectors * (r->features + 1); i++)
        r->sum[i] += r->w[i];
    r->steps += 1;
    r->updates += wrong;
    return wrong;
}

// Passes in file order: as many as are wanted, or until one makes no mistake.
static inline void reference_learn(struct reference *r, const struct dense *data, size_t passes)
{
    reference_start(r, data->features, data->classes);
    bool over = false;
    for (size_t pass = 0; pass < passes && !(over && r->converged); pass++) {
        size_t mistakes = 0;
        for (size_t i = 0; i < data->rows; i++)
            mistakes += reference_step(r, data->x + i * data->features, data->class[i], 1);
        if (!over) // the library does not make the passes that change nothing
            r->mistakes[r->passes++] = mistakes;
        over = mistakes == 0;
    }
}

// A weight of a class; feature `features` is the bias. Of two classes the other one's is opposite.
static inline double reference_weight(const struct reference *r, bool average, size_t class,
                                      size_t feature)
{
    size_t at = (r->vectors > 1 ? class * (r->features + 1) : 0) + feature;
    double weight = average ? r->sum[at] / r->steps : r->w[at];
    return r->vectors > 1 || class == r->positive ? weight : 0 - weight;
}

// LIBSVM with indices from 1 to `features` and the two labels -1 and +1 (classes 0 and 1).
static inline bool dense_read(struct dense *data, const char *path, size_t features)
{
    *data = (struct dense){.features = features, .classes = 2};
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t room = 0, line_room = 0;
    char *line = NULL;
    while (getline(&line, &line_room, file) > 0) {
        if (data->rows == room) {
            room = room ? room * 2 : 64;
            data->x = realloc(data->x, room * features * sizeof *data->x);
            data->class = realloc(data->class, room * sizeof *data->class);
            if (!data->x || !data->class)
                abort();
        }
        double *x = data->x + data->rows * features;
        memset(x, 0, features * sizeof *x);
        char *at = line;
        data->class[data->rows++] = strtol(at, &at, 10) > 0;
        long index;
        while ((index = strtol(at, &at, 10)) > 0 && *at == ':')
            x[index - 1] = (double)strtof(at + 1, &at);
    }
    free(line);
    fclose(file);
    return true;
}

#endif
