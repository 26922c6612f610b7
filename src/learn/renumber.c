// Copies a state to one with other numbers of classes and features: from a learner to its model, or
// back. Classes of a model are in the order of their labels and its features have no gaps.
#include "base/memory.h"
#include "base/parallel.h"
#include "learn/online_scale.h"
#include "learn/state.h"

#include <assert.h>
#include <string.h>

bool numbering_order_columns(struct numbering *numbering, const struct scheme *scheme)
{
    uint32_t classes = scheme->classes, columns = scheme_columns(scheme->kind, classes);
    numbering->columns = memory_new(columns, sizeof *numbering->columns);
    numbering->negated = memory_new(columns, sizeof *numbering->negated);
    if (!numbering->columns || !numbering->negated)
        return false;
    for (uint32_t b = 0; scheme->kind != SCHEME_TWO && b < classes; b++) {
        uint32_t from_b = numbering->classes[b];
        if (scheme->kind != SCHEME_OVO)
            numbering->columns[b] = from_b;
        for (uint32_t a = 0; scheme->kind == SCHEME_OVO && a < b; a++) {
            uint32_t from_a = numbering->classes[a], column = scheme_pair(a, b);
            numbering->columns[column] = scheme_pair(from_a, from_b);
            numbering->negated[column] = from_a > from_b;
        }
    }
    return true;
}

void numbering_free(struct numbering *numbering)
{
    memory_free(numbering->classes);
    memory_free(numbering->columns);
    memory_free(numbering->negated);
}

// ---- weights ----

struct renumbering {
    struct weights *to;
    const struct weights *from;
    const struct numbering *numbering;
    uint32_t columns; // in use
};

// Copies a row of an array to a row of zeros. A row of zeros is not copied, so that untouched
// memory stays untouched.
static void copy_row(const struct renumbering *copy, double *to, const double *from, bool is_signed)
{
    const uint32_t *columns = copy->numbering->columns;
    const bool *negated = copy->numbering->negated;
    if (weights_are_zero(from, copy->from->columns))
        return;
#pragma GCC unroll 4
    for (uint32_t c = 0; c < copy->columns; c++) {
        const double value = from[columns[c]];
        to[c] = is_signed && negated[c] ? 0 - value : value;
    }
}

static void copy_columns(const struct renumbering *copy)
{
    struct weights *to = copy->to;
    const struct weights *from = copy->from;
    weights_copy_time(to, from);
    for (uint32_t c = 0; to->recent.sum && c < to->columns; c++)
        to->recent.sum[c] = to->recent.share; // as it is without scales
    for (size_t i = WEIGHTS_ROW_ARRAYS; i < WEIGHTS_ARRAY_COUNT; i++) {
        double *cells = weights_cells(to, i);
        const double *source = weights_cells(from, i);
        for (uint32_t c = 0; cells && source && c < copy->columns; c++) {
            assert(copy->numbering->columns[c] < from->columns);
            double value = source[copy->numbering->columns[c]];
            bool negated = weights_arrays[i].is_signed && copy->numbering->negated[c];
            cells[c] = negated ? 0 - value : value;
        }
    }
}

static void copy_rows(void *context, size_t first, size_t last)
{
    const struct renumbering *copy = context;
    const struct numbering *numbering = copy->numbering;
    struct weights *to = copy->to;
    const struct weights *from = copy->from;
    for (size_t i = first; i < last; i++) {
        size_t source = weights_row(from, numbering->from ? numbering->from[i] : i);
        if (source == SIZE_MAX)
            continue;
        size_t b = source * from->columns;
        size_t a = weights_row(to, numbering->to ? numbering->to[i] : i) * to->columns;
        assert(a < to->rows * to->columns);
        for (size_t k = 0; k < WEIGHTS_ROW_ARRAYS; k++)
            if (weights_cells(to, k) && weights_cells(from, k))
                copy_row(copy, weights_cells(to, k) + a, weights_cells(from, k) + b,
                         weights_arrays[k].is_signed);
    }
}

#define ROWS_MANY 200000 // from which on threads are faster; they wait for memory

static void copy_weights(struct learner_state *to, const struct learner_state *from,
                         const struct numbering *numbering)
{
    struct renumbering copy = {&to->weights, &from->weights, numbering, state_columns(to)};
    assert(copy.columns <= to->weights.columns && copy.columns <= from->weights.columns);
    uint64_t threads = options_count(from->options, OPTION_THREADS);
    copy_columns(&copy);
    parallel_run(numbering->count < ROWS_MANY ? 1 : parallel_threads(threads), numbering->count,
                 copy_rows, &copy);
}

// ---- the rest ----

static bool copy_classes(struct learner_state *to, const struct learner_state *from,
                         const struct numbering *numbering)
{
    struct scheme *scheme = &to->scheme;
    uint32_t classes = scheme->classes;
    scheme->class_examples = memory_new(classes, sizeof *scheme->class_examples);
    if (!scheme->class_examples)
        return false;
    scheme->class_examples_count = classes;
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t old = numbering->classes[c];
        if (old < from->scheme.class_examples_count)
            scheme->class_examples[c] = from->scheme.class_examples[old];
        if (scheme->kind == SCHEME_TWO && classes == 2 && old == from->scheme.positive)
            scheme->positive = c;
    }
    // A calibration is valid for the classes that it was fitted to.
    const struct calibration *calibration = &from->output.calibration;
    if (calibration->kind != CALIBRATE_NONE && calibration->classes != classes)
        return true;
    if (classes == 2 && scheme->kind == SCHEME_TWO)
        to->output.threshold = from->output.threshold;
    if (!label_thresholds_copy(&to->output.labels, &from->output.labels, classes,
                               numbering->classes))
        return false;
    return calibration_copy(&to->output.calibration, calibration, numbering->classes);
}

static void copy_groups(struct learner_state *to, const struct learner_state *from,
                        const struct numbering *numbering)
{
    uint32_t groups = scheme_groups(to->scheme.kind, to->scheme.classes);
    for (uint32_t g = 0; to->group_norm && from->group_norm && g < groups; g++) {
        uint32_t old = groups == 1 ? 0 : numbering->columns[g];
        to->group_norm[g] = from->group_norm[old];
        to->group_updates[g] = from->group_updates[old];
    }
}

bool state_renumber(struct learner_state *to, const struct learner_state *from,
                    const struct numbering *numbering)
{
    if (!copy_classes(to, from, numbering))
        return false;
    if (to->decision.adapt) {
        memcpy(to->decision.adapt->right, from->decision.adapt->right,
               sizeof to->decision.adapt->right);
        to->decision.adapt->decay = from->decision.adapt->decay;
    }
    copy_weights(to, from, numbering);
    copy_groups(to, from, numbering);
    for (size_t i = 0; to->online.units && from->online.units && i < numbering->count; i++) {
        size_t old = numbering->from ? numbering->from[i] : i;
        size_t new = numbering->to ? numbering->to[i] : i;
        assert(new < to->online.capacity);
        if (old < from->online.capacity)
            to->online.units[new] = from->online.units[old];
    }
    to->random = from->random;
    to->examples = from->examples;
    to->mistakes = from->mistakes;
    to->updates = from->updates;
    to->net = from->net ? net_copy_ordered(from->net, numbering->columns) : NULL;
    return to->net || !from->net;
}
