// The mistake bound of the convergence theorem, and the mistakes of actual runs.
//
// The lecture notes state one theorem in four notations. Rows z are x, with a bias (x, 1); R is the
// largest |z| (L in Honavar's), and delta (rho, gamma) the least y (u . z) of a u of length 1. A
// perceptron makes at most (R / delta)^2 mistakes, in any order and over any number of passes. So
// the bound is best for the u with the largest margin, which tlu_separability_decide finds. All
// values are 32-bit floats, as in training.
#include "base/call/callback.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/settings.h"
#include "proof/built.h"

#ifdef TLU_PROVES
#include "input/reader.h"
#include "proof/exact.h"
#include "proof/task.h"
#include "tlu_proof.h"
#include "train/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EPOCHS 1000
#define SHARE 0.8     // of the time goes to the margin, the rest to runs and dropped examples
#define CANDIDATES 12 // examples to try to drop

struct bounding {
    tlu_mistake_bound bounds; // first: the caller gets its address
    uint64_t *mistakes;
    unsigned char *converged;
    char *names[3]; // the positive label, the negative one, the column
    struct deadline deadline;
};

// The rows z, with labels 0 and 1.
struct bound_rows {
    tlu_rows rows;
    uint64_t *offsets; // [count + 1]
    uint32_t *features;
    float *values;
    uint32_t *labels; // [count]
    uint64_t *lines;  // [count]
    double *squares;  // [count] |z|^2
};

static void points_free(struct bound_rows *points)
{
    memory_free(points->offsets);
    memory_free(points->features);
    memory_free(points->values);
    memory_free(points->labels);
    memory_free(points->lines);
    memory_free(points->squares);
}

static bool points_new(struct bound_rows *points, size_t count, size_t entries)
{
    *points = (struct bound_rows){.rows = {.size = sizeof points->rows, .rows = count}};
    points->offsets = memory_new(count + 1, sizeof *points->offsets);
    points->features = memory_new(entries, sizeof *points->features);
    points->values = memory_new(entries, sizeof *points->values);
    points->labels = memory_new(count, sizeof *points->labels);
    points->lines = memory_new(count, sizeof *points->lines);
    points->squares = memory_new(count, sizeof *points->squares);
    points->rows.offsets = points->offsets;
    points->rows.features = points->features;
    points->rows.values = points->values;
    points->rows.labels = points->labels;
    return points->offsets && points->features && points->values && points->labels &&
           points->lines && points->squares;
}

static bool points_make(struct bound_rows *points, const struct examples *examples, bool bias)
{
    size_t entry = 0, count = examples->count;
    if (!points_new(points, count, examples->offsets[count] + count))
        return false;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++, entry++) {
            points->features[entry] = examples->columns[k];
            points->values[entry] = (float)examples->near[k];
        }
        if (bias) {
            points->features[entry] = (uint32_t)examples->features;
            points->values[entry++] = 1;
        }
        points->offsets[i + 1] = entry;
        for (uint64_t k = points->offsets[i]; k < entry; k++)
            points->squares[i] += (double)points->values[k] * (double)points->values[k];
        points->labels[i] = examples->group[i] == 1;
        points->lines[i] = examples->line[i];
    }
    return true;
}

// A copy without one row.
static bool points_without(struct bound_rows *fewer, const struct bound_rows *points,
                           size_t dropped)
{
    size_t count = points->rows.rows, entry = 0, row = 0;
    if (!points_new(fewer, count - 1, (size_t)points->offsets[count]))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i == dropped)
            continue;
        for (uint64_t k = points->offsets[i]; k < points->offsets[i + 1]; k++, entry++) {
            fewer->features[entry] = points->features[k];
            fewer->values[entry] = points->values[k];
        }
        fewer->labels[row] = points->labels[i];
        fewer->squares[row] = points->squares[i];
        fewer->offsets[++row] = entry;
    }
    return true;
}

static size_t farthest(const struct bound_rows *points)
{
    size_t best = 0;
    for (size_t i = 1; i < points->rows.rows; i++)
        if (points->squares[i] > points->squares[best])
            best = i;
    return best;
}

static int pass_on(void *context, const char *stage, double seconds)
{
    struct deadline *deadline = context;
    (void)seconds; // counted from the start of this call only
    deadline->stage = stage;
    return is_late(deadline);
}

static tlu_status separate(const struct bound_rows *points, struct deadline *deadline,
                           tlu_separability **answer, tlu_error *error)
{
    tlu_separability_settings settings = {.size = sizeof settings,
                                          .rows = &points->rows,
                                          .progress = pass_on,
                                          .progress_context = deadline};
    if (isfinite(deadline->end)) // 0 would mean no limit
        settings.seconds = fmax(deadline->end - clock_seconds(), 1e-6);
    tlu_options *options = options_copy(NULL);
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "no-bias", "yes", error);
    if (status == TLU_OK)
        status = tlu_separability_decide(&settings, options, answer, error);
    tlu_options_free(options);
    return status;
}

// ---- runs

static int end_run(void *context, const tlu_progress *progress)
{
    (void)progress;
    return is_late(context);
}

static tlu_status set_run(tlu_options *options, size_t run, uint64_t passes, tlu_error *error)
{
    char seed[32], epochs[32];
    snprintf(seed, sizeof seed, "%zu", run + 1);
    snprintf(epochs, sizeof epochs, "%llu", (unsigned long long)passes);
    const char *const settings[][2] = {
        {"learner", "perceptron"}, {"no-bias", "yes"}, {"scale", "none"}, {"decide", "last"},
        {"shuffle", "all"},        {"seed", seed},     {"epochs", epochs}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        TRY(tlu_options_set(options, settings[i][0], settings[i][1], error));
    return TLU_OK;
}

// An interrupted run is not counted.
static tlu_status run_once(const struct bound_rows *points, uint64_t passes,
                           struct bounding *bounding, tlu_error *error)
{
    size_t run = bounding->bounds.runs;
    tlu_options *options = options_copy(NULL);
    tlu_model *model = NULL;
    tlu_train_settings training = {.size = sizeof training,
                                   .rows = &points->rows,
                                   .progress = end_run,
                                   .progress_context = &bounding->deadline};
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK)
        status = set_run(options, run, passes, error);
    if (status == TLU_OK)
        status = tlu_train_with(&training, options, &model, error);
    if (status == TLU_OK && !bounding->deadline.over) {
        const tlu_report *report = tlu_model_report(model);
        for (uint64_t pass = 0; pass < report->epochs; pass++)
            bounding->mistakes[run] += report->mistakes[pass];
        bounding->converged[run] = report->converged != 0;
        bounding->bounds.runs++;
    }
    tlu_model_free(model);
    tlu_options_free(options);
    return status == TLU_INTERRUPTED ? TLU_OK : status;
}

static tlu_status run_all(const struct bound_rows *points,
                          const tlu_mistake_bound_settings *settings, struct bounding *bounding,
                          tlu_error *error)
{
    bounding->deadline.stage = "running perceptrons";
    while (bounding->bounds.runs < settings->runs && !is_late(&bounding->deadline))
        TRY(run_once(points, settings->epochs ? settings->epochs : EPOCHS, bounding, error));
    return TLU_OK;
}

// ---- the most expensive example

// Computes the bound without a row and keeps it if it is the best so far.
static tlu_status try_without(const struct bound_rows *points, size_t row,
                              struct bounding *bounding, tlu_error *error)
{
    tlu_mistake_bound *bounds = &bounding->bounds;
    struct bound_rows fewer;
    tlu_separability *answer = NULL;
    tlu_status status = enough_memory(points_without(&fewer, points, row), error);
    if (status == TLU_OK)
        status = separate(&fewer, &bounding->deadline, &answer, error);
    if (status == TLU_OK && answer->verdict == TLU_SEPARABLE && answer->margin_low > 0) {
        double square = fewer.squares[farthest(&fewer)];
        double bound = square / (answer->margin_low * answer->margin_low);
        if (bounds->dropped_line == 0 || bound < bounds->dropped_bound) {
            bounds->dropped_line = points->lines[row];
            bounds->dropped_radius = sqrt(square);
            bounds->dropped_margin = answer->margin_low;
            bounds->dropped_bound = bound;
        }
    }
    tlu_separability_free(answer);
    points_free(&fewer);
    return status;
}

// Candidates are the longest row and the first rows that support the margin. The only row of a
// class is kept. If time ends before all were tried, no example is reported.
static tlu_status find_worst(const struct bound_rows *points, const tlu_separability *answer,
                             struct bounding *bounding, tlu_error *error)
{
    size_t count = points->rows.rows, of[2] = {0, 0}, longest = farthest(points);
    struct deadline *deadline = &bounding->deadline;
    tlu_status status = TLU_OK;
    for (size_t i = 0; i < count; i++)
        of[points->labels[i]]++;
    if (of[points->labels[longest]] > 1 && !is_late(deadline))
        status = try_without(points, longest, bounding, error);
    for (size_t i = 0; i < answer->row_count && i < CANDIDATES && status == TLU_OK; i++) {
        size_t row = (size_t)answer->rows[i].line - 1; // rows in memory: their number
        if (row < count && row != longest && of[points->labels[row]] > 1 && !is_late(deadline))
            status = try_without(points, row, bounding, error);
    }
    if (deadline->over)
        bounding->bounds.dropped_line = 0;
    return status;
}

static tlu_status find_margin(const struct bound_rows *points, double seconds,
                              struct bounding *bounding, tlu_separability **answer,
                              tlu_error *error)
{
    tlu_mistake_bound *bounds = &bounding->bounds;
    struct deadline *deadline = &bounding->deadline;
    if (seconds > 0)
        deadline->end = deadline->begun + SHARE * seconds;
    TRY(separate(points, deadline, answer, error));
    bounds->ended_early = is_late(deadline) || (*answer)->verdict == TLU_NOT_DECIDED;
    if (seconds > 0)
        deadline->end = deadline->begun + seconds;
    deadline->over = deadline->stopped;
    bounds->verdict = (*answer)->verdict;
    bounds->margin_low = (*answer)->margin_low;
    bounds->margin_high = (*answer)->margin_high;
    return TLU_OK;
}

static tlu_status bound_points(const struct bound_rows *points,
                               const tlu_mistake_bound_settings *settings,
                               struct bounding *bounding, tlu_error *error)
{
    tlu_mistake_bound *bounds = &bounding->bounds;
    tlu_separability *answer = NULL;
    size_t longest = farthest(points);
    bounds->examples = points->rows.rows;
    bounds->radius = sqrt(points->squares[longest]);
    bounds->radius_line = points->lines[longest];
    tlu_status status = find_margin(points, settings->seconds, bounding, &answer, error);
    if (status == TLU_OK && bounds->verdict == TLU_SEPARABLE) {
        bounds->bound = points->squares[longest] / (bounds->margin_low * bounds->margin_low);
        status = run_all(points, settings, bounding, error);
        if (status == TLU_OK)
            status = find_worst(points, answer, bounding, error);
        bounds->ended_early |= bounding->deadline.over;
    }
    tlu_separability_free(answer);
    return status;
}

static tlu_status take_names(struct bounding *bounding, const struct examples *examples, bool rest,
                             tlu_error *error)
{
    const char *const names[] = {examples_label(examples, 1),
                                 rest ? NULL : examples_label(examples, 0),
                                 examples_label_column(examples)};
    for (size_t i = 0; i < 3; i++) {
        if (!names[i])
            continue;
        bounding->names[i] = memory_copy_text(names[i], strlen(names[i]));
        TRY(enough_memory(bounding->names[i] != NULL, error));
    }
    bounding->bounds.positive = bounding->names[0];
    bounding->bounds.negative = bounding->names[1];
    bounding->bounds.label_column = bounding->names[2];
    return TLU_OK;
}

struct making {
    struct examples *examples;
    struct gathered *all;
    const struct grouping *grouping;
    tlu_status status;
    tlu_error *error;
};

static void make_exactly(void *context)
{
    struct making *m = context;
    m->status = examples_make(m->examples, m->all, m->grouping, false, m->error);
    examples_free_big(m->examples);
}

// The runs use floats, so the integers are freed.
static tlu_status make_examples(struct examples *examples, struct gathered *all,
                                const struct grouping *grouping, tlu_error *error)
{
    struct making making = {.examples = examples, .all = all, .grouping = grouping, .error = error};
    memset(examples, 0, sizeof *examples);
    if (exact_run(make_exactly, &making))
        return making.status;
    examples_free_taken(examples);
    memset(examples, 0, sizeof *examples);
    return error_memory(error);
}

static tlu_status bound_file(const tlu_mistake_bound_settings *settings, const tlu_options *options,
                             struct bounding *bounding, tlu_error *error)
{
    struct gathered all;
    struct examples examples;
    struct bound_rows points = {.offsets = NULL};
    struct row_source row_source = {.exact = true};
    struct grouping grouping = {.positive = options_text(options, OPTION_POSITIVE),
                                .only = settings->only};
    tlu_status status = gather(&all, settings->path, &row_source, options, error);
    if (status != TLU_OK) {
        gathered_free(&all);
        return status;
    }
    status = make_examples(&examples, &all, &grouping, error);
    gathered_free(&all);
    bounding->bounds.bias = !options_flag(options, OPTION_NO_BIAS);
    if (status == TLU_OK && examples.groups != 2)
        status = error_input(error,
                             "the bound is about two classes, and the data has %zu: --positive "
                             "LABEL takes one against the rest, --only A,B two of them",
                             examples.groups);
    if (status == TLU_OK)
        status = enough_memory(points_make(&points, &examples, bounding->bounds.bias), error);
    if (status == TLU_OK)
        status = take_names(bounding, &examples, grouping.positive && *grouping.positive, error);
    if (status == TLU_OK)
        status = bound_points(&points, settings, bounding, error);
    points_free(&points);
    examples_free(&examples);
    return status;
}

static tlu_status bound(const tlu_mistake_bound_settings *settings, const tlu_options *options,
                        struct bounding *bounding, tlu_error *error)
{
    tlu_options *own = options_copy(options);
    bounding->deadline = (struct deadline){.begun = clock_seconds(),
                                           .end = INFINITY,
                                           .progress = settings->progress,
                                           .context = settings->progress_context,
                                           .stage = "reading"};
    bounding->mistakes = memory_new(settings->runs, sizeof *bounding->mistakes);
    bounding->converged = memory_new(settings->runs, sizeof *bounding->converged);
    bounding->bounds.mistakes = bounding->mistakes;
    bounding->bounds.converged = bounding->converged;
    tlu_status status = enough_memory(
        own && (!settings->runs || (bounding->mistakes && bounding->converged)), error);
    if (status == TLU_OK && !settings->path)
        status = error_input(error, "tlu_mistake_bound_settings needs a path");
    if (status == TLU_OK)
        status = bound_file(settings, own, bounding, error);
    tlu_options_free(own);
    return status;
}

tlu_status tlu_mistake_bound_compute(const tlu_mistake_bound_settings *given,
                                     const tlu_options *options, tlu_mistake_bound **bounds,
                                     tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_mistake_bound_settings settings;
    struct callback progress;
    *bounds = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_mistake_bound_settings", error));
    CALLBACK(progress, proof_progress, settings.progress, settings.progress_context, caller);
    struct bounding *bounding = memory_new(1, sizeof *bounding);
    TRY(enough_memory(bounding != NULL, error));
    tlu_status status = bound(&settings, options, bounding, error);
    if (status == TLU_OK)
        *bounds = &bounding->bounds;
    else
        tlu_mistake_bound_free(&bounding->bounds);
    return status;
}

void tlu_mistake_bound_free(tlu_mistake_bound *bounds)
{
    struct bounding *bounding = (struct bounding *)bounds;
    if (!bounding)
        return;
    for (size_t i = 0; i < 3; i++)
        memory_free(bounding->names[i]);
    memory_free(bounding->mistakes);
    memory_free(bounding->converged);
    memory_free(bounding);
}

#else
tlu_status tlu_mistake_bound_compute(const tlu_mistake_bound_settings *given,
                                     const tlu_options *options, tlu_mistake_bound **bounds,
                                     tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    (void)given;
    (void)options;
    *bounds = NULL;
    return error_system(error, "this tlu was built without GMP (libgmp-dev) or Clp "
                               "(coinor-libclp-dev), which the best margin takes: install them and "
                               "build again");
}

void tlu_mistake_bound_free(tlu_mistake_bound *bounds)
{
    memory_free(bounds);
}
#endif
