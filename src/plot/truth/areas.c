// The wrong share of the area of the rows, measured along lines. On each line the changes of the
// true class and of the predicted class are found separately, so that thin slivers count too.
#include "base/memory.h"
#include "plot/plane/plane.h"
#include "plot/truth/truth.h"

#include <assert.h>
#include <math.h>

#define LINES 400
#define STEPS 160 // of a line; two changes within a step are missed
#define NODES (LINES * (STEPS + 1))
#define ROUNDS 24 // of bisection

enum { TRUTH, LEARNED, KINDS };

// A step along which a class changes.
struct change {
    size_t node; // before it
    int kind;
    double low, high; // the class changes between these shares of the step
};

struct survey {
    struct plot *plot;
    const struct trial *trial;
    struct truth_range range;
    struct point *nodes;      // [NODES] line after line
    uint32_t *classes[KINDS]; // [NODES]
    float *until[KINDS];      // [NODES] the share of the step up to the change
    struct change *changes;
    size_t count, capacity;
    struct point *at; // [count] half way, and the classes there
    uint32_t *found;
};

static tlu_status ask(const struct survey *survey, int kind, const struct point *at, size_t count,
                      uint32_t *classes, tlu_error *error)
{
    if (kind == LEARNED)
        return trial_predict(survey->trial, at, count, classes, error);
    for (size_t i = 0; i < count; i++)
        classes[i] = trial_true_class(survey->trial, &at[i]);
    return TLU_OK;
}

static double step_length(const struct survey *survey)
{
    return (survey->range.x_high - survey->range.x_low) / STEPS;
}

static tlu_status label_nodes(struct survey *survey, tlu_error *error)
{
    const struct truth_range *range = &survey->range;
    bool fine = (survey->nodes = plot_new(survey->plot, NODES, sizeof *survey->nodes)) != NULL;
    for (int kind = 0; kind < KINDS; kind++) {
        survey->classes[kind] = plot_new(survey->plot, NODES, sizeof *survey->classes[kind]);
        survey->until[kind] = plot_new(survey->plot, NODES, sizeof *survey->until[kind]);
        fine = fine && survey->classes[kind] && survey->until[kind];
    }
    TRY(enough_memory(fine, error));
    for (size_t i = 0; i < NODES; i++) {
        double up = ((double)(i / (STEPS + 1)) + 0.5) / LINES;
        survey->nodes[i].x = range->x_low + (double)(i % (STEPS + 1)) * step_length(survey);
        survey->nodes[i].y = range->y_low + up * (range->y_high - range->y_low);
    }
    for (int kind = 0; kind < KINDS; kind++)
        TRY(ask(survey, kind, survey->nodes, NODES, survey->classes[kind], error));
    return TLU_OK;
}

static bool is_last(size_t node)
{
    return node % (STEPS + 1) == STEPS;
}

static tlu_status list_changes(struct survey *survey, int kind, tlu_error *error)
{
    const uint32_t *classes = survey->classes[kind];
    for (size_t i = 0; i < NODES; i++) {
        survey->until[kind][i] = 1;
        if (is_last(i) || classes[i] == classes[i + 1])
            continue;
        TRY(enough_memory(memory_reserve(&survey->changes, &survey->capacity, survey->count + 1,
                                         sizeof *survey->changes),
                          error));
        survey->changes[survey->count++] = (struct change){i, kind, 0, 1};
    }
    return TLU_OK;
}

// Halves the intervals of all changes from `first` on.
static tlu_status narrow(struct survey *survey, int kind, size_t first, tlu_error *error)
{
    struct change *changes = survey->changes + first;
    size_t count = survey->count - first;
    for (size_t i = 0; i < count; i++) {
        survey->at[i] = survey->nodes[changes[i].node];
        survey->at[i].x += (changes[i].low + changes[i].high) / 2 * step_length(survey);
    }
    TRY(ask(survey, kind, survey->at, count, survey->found, error));
    for (size_t i = 0; i < count; i++) {
        double middle = (changes[i].low + changes[i].high) / 2;
        bool before = survey->found[i] == survey->classes[kind][changes[i].node];
        *(before ? &changes[i].low : &changes[i].high) = middle;
        survey->until[kind][changes[i].node] = (float)middle;
    }
    return TLU_OK;
}

static tlu_status find_changes(struct survey *survey, int kind, tlu_error *error)
{
    size_t first = survey->count;
    TRY(list_changes(survey, kind, error));
    size_t count = survey->count - first;
    survey->at = plot_new(survey->plot, count + 1, sizeof *survey->at);
    survey->found = plot_new(survey->plot, count + 1, sizeof *survey->found);
    TRY(enough_memory(survey->at && survey->found, error));
    for (size_t round = 0; count && round < bisection_rounds(count, ROUNDS); round++)
        TRY(narrow(survey, kind, first, error));
    return TLU_OK;
}

// Adds a part of a step, as a share of the area.
static void add_part(struct truth_comparison *comparison, uint32_t truth, uint32_t learned,
                     double share)
{
    bool two = comparison->trial->sample.class_count == 2;
    if (truth == learned)
        return;
    comparison->wrong += share;
    comparison->missed += two && truth ? share : 0;
    comparison->claimed += two && learned ? share : 0;
}

static void add_up(const struct survey *survey, struct truth_comparison *comparison)
{
    const uint32_t *truth = survey->classes[TRUTH], *learned = survey->classes[LEARNED];
    const double whole = 1.0 / (LINES * STEPS);
    for (size_t i = 0; i < NODES; i++) {
        if (is_last(i))
            continue;
        double a = (double)survey->until[TRUTH][i], b = (double)survey->until[LEARNED][i];
        bool truth_first = a < b;
        add_part(comparison, truth[i], learned[i], fmin(a, b) * whole);
        add_part(comparison, truth[truth_first ? i + 1 : i], learned[truth_first ? i : i + 1],
                 fabs(a - b) * whole);
        add_part(comparison, truth[i + 1], learned[i + 1], (1 - fmax(a, b)) * whole);
    }
}

// The name of the class that is predicted everywhere, or NULL.
static const char *only_class(const struct survey *survey)
{
    const uint32_t *learned = survey->classes[LEARNED];
    for (size_t i = 1; i < NODES; i++)
        if (learned[i] != learned[0])
            return NULL;
    assert(learned[0] < survey->trial->sample.class_count);
    return survey->trial->sample.names[learned[0]];
}

tlu_status measure_areas(struct truth_comparison *comparison, struct plot *plot, tlu_error *error)
{
    struct survey survey = {
        .plot = plot, .trial = comparison->trial, .range = truth_range(&comparison->trial->truth)};
    tlu_status status = label_nodes(&survey, error);
    for (int kind = 0; status == TLU_OK && kind < KINDS; kind++)
        status = find_changes(&survey, kind, error);
    memory_free(survey.changes);
    TRY(status);
    add_up(&survey, comparison);
    comparison->only = only_class(&survey);
    return TLU_OK;
}
