// The mistake bound of the convergence theorem, and the mistakes of actual runs.
//
// The lecture notes state one theorem in four notations. Rows z are x, with a bias (x, 1); R is the
// largest |z| (L in Honavar's), and delta (rho, gamma) the least y (u . z) of a u of length 1. A
// perceptron makes at most (R / delta)^2 mistakes, in any order and over any number of passes. So
// the bound is best for the u with the largest margin. Values are the decimals of the data, as in
// tlu_separability_decide; with --scale they are the scaled 32-bit floats.
//
// Rates (Honavar's exercise). Let step t have a rate eta_t with A <= eta_t <= B. It is made if
// y (W . z) <= 0, and adds eta_t y z to W, which starts at 0. After t steps
//
//     u . W   >= A delta t         since each step adds eta_t y (u . z) >= A delta,
//     |W|^2   <= B^2 R^2 t         since it adds 2 eta_t y (W . z) + eta_t^2 |z|^2 <= B^2 R^2,
//
// and u . W <= |W|: A delta t <= B R sqrt(t), so t <= (B / A)^2 (R / delta)^2.
//
// Several classes (Kesler's construction, Honavar notes). Each row and each rival of its class make
// an example of E': a block of z per class, z in the block of the row's class, -z in that of the
// rival, and the label 1. A step of winner takes all that raises the row's class and lowers a rival
// with at least the same score is a step of the perceptron on E', so the theorem for E' bounds its
// steps. E' is a question of one class without a bias.
#include "base/call/callback.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/settings.h"
#include "proof/built.h"

#ifdef TLU_PROVES
#include "input/reader.h"
#include "proof/exact.h"
#include "proof/proof.h"
#include "tlu_proof.h"
#include "train/clock.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EPOCHS 1000
#define SHARE 0.8       // of the time goes to the margin, the rest to runs and dropped examples
#define CANDIDATES 12   // examples to try to drop
#define ENTRIES_MAX 2e9 // of E'

struct bounding {
    tlu_mistake_bound bounds; // first: the caller gets its address
    uint64_t *mistakes, *first_mistakes;
    unsigned char *converged;
    char *names[3]; // the positive label, the negative one, the column
    struct data_facts facts;
    struct deadline deadline;
};

// ---- the question ----

// Whether something separates the rows without one of them, and how well.
struct bound_question {
    const struct examples *rows;
    size_t without; // a row; NO_ROW: none
    struct deadline *deadline;
    // The answer.
    tlu_verdict verdict;
    double margin_low, margin_high; // NAN: unknown
    size_t farthest;                // the longest row
    double radius, bound;           // R, and (R / margin_low)^2
    size_t supports[CANDIDATES];    // rows that determine the margin, some of them
    size_t support_count;
};
#define NO_ROW SIZE_MAX

// Adds a row to the last example, at a block of the columns.
static void add_block(struct examples *to, const struct examples *from, size_t row, size_t base,
                      int sign)
{
    size_t *end = &to->offsets[to->count + 1];
    for (size_t k = from->offsets[row]; k < from->offsets[row + 1]; k++, ++*end) {
        to->columns[*end] = (uint32_t)(base + from->columns[k]);
        to->near[*end] = sign * from->near[k];
        to->whole[*end] = sign * from->whole[k];
        if (!from->large[row])
            continue;
        size_t at = to->big_count++;
        exact_reserve(&to->big, &to->big_capacity, at + 1, sizeof *to->big);
        mpz_init_set(to->big[at], from->big[from->whole[k]]);
        if (sign < 0)
            mpz_neg(to->big[at], to->big[at]);
        to->whole[*end] = (int64_t)at;
    }
}

static void add_example(struct examples *to, const struct examples *from, size_t row,
                        uint32_t rival)
{
    uint32_t own = from->group[row];
    size_t n = to->count;
    to->offsets[n + 1] = to->offsets[n];
    if (from->groups == 2) {
        add_block(to, from, row, 0, 1);
    } else { // columns are ascending
        add_block(to, from, row, (own < rival ? own : rival) * from->width, own < rival ? 1 : -1);
        add_block(to, from, row, (own < rival ? rival : own) * from->width, own < rival ? -1 : 1);
    }
    to->large[n] = from->large[row];
    to->scale[n] = from->scale[row];
    to->group[n] = from->groups == 2 ? own : 1;
    to->line[n] = row;
    to->count++;
}

// The rows z as a question without a bias; E' if there are several classes. The `line` of an
// example is its row.
static void pose(struct examples *to, const struct examples *from, size_t without)
{
    bool several = from->groups > 2;
    size_t rows = from->count * (several ? from->groups - 1 : 1);
    size_t entries = from->offsets[from->count] * (several ? 2 * (from->groups - 1) : 1);
    *to = (struct examples){.groups = 2, .labels = from->labels, .schema = from->schema};
    to->features = to->width = from->width * (several ? from->groups : 1);
    to->offsets = exact_new(rows + 1, sizeof *to->offsets);
    to->columns = exact_new(entries, sizeof *to->columns);
    to->near = exact_new(entries, sizeof *to->near);
    to->whole = exact_new(entries, sizeof *to->whole);
    to->large = exact_new(rows, sizeof *to->large);
    to->scale = exact_new(rows, sizeof *to->scale);
    to->group = exact_new(rows, sizeof *to->group);
    to->line = exact_new(rows, sizeof *to->line);
    for (size_t i = 0; i < from->count; i++)
        for (uint32_t rival = 0; i != without && rival < (several ? from->groups : 1); rival++)
            if (!several || rival != from->group[i])
                add_example(to, from, i, rival);
}

static size_t farthest(const struct examples *examples)
{
    size_t best = 0;
    for (size_t i = 1; i < examples->count; i++)
        if (examples_length(examples, i) > examples_length(examples, best))
            best = i;
    return best;
}

// out := |z|^2 of an example
static void squared_length(const struct examples *examples, size_t i, mpq_t out)
{
    mpz_t value;
    mpz_init(value);
    mpz_set_ui(mpq_numref(out), 0);
    for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++) {
        examples_value(examples, i, k, value);
        mpz_addmul(mpq_numref(out), value, value);
    }
    scale_factor(examples->scale[i], value);
    mpz_mul(mpq_denref(out), value, value);
    mpq_canonicalize(out);
    mpz_clear(value);
}

static void note_supports(struct bound_question *q, const struct examples *examples,
                          const struct margin *margin)
{
    for (size_t i = 0; i < examples->count && q->support_count < CANDIDATES; i++) {
        size_t row = (size_t)examples->line[i];
        bool again = q->support_count && q->supports[q->support_count - 1] == row;
        if (mpz_sgn(margin->hull[i]) != 0 && !again)
            q->supports[q->support_count++] = row;
    }
}

static int pass_on(void *context, const char *stage, double seconds)
{
    struct deadline *deadline = context;
    (void)seconds; // counted from the start of this call only
    deadline->stage = stage;
    return is_late(deadline);
}

static void answer(void *context)
{
    struct bound_question *q = context;
    struct examples examples;
    struct conclusion conclusion;
    double now = clock_seconds();
    struct deadline deadline = {
        .begun = now, .end = INFINITY, .progress = pass_on, .context = q->deadline};
    if (isfinite(q->deadline->end))
        deadline.end = now + DECISION_SHARE * fmax(q->deadline->end - now, 1e-6);
    pose(&examples, q->rows, q->without);
    struct separation_task task = task_of(&examples, &deadline);
    conclusion_reach(&conclusion, &task, false);
    const struct margin *margin = &conclusion.margin;
    mpq_t square;
    mpq_init(square);
    size_t longest = farthest(&examples);
    squared_length(&examples, longest, square);
    q->verdict = conclusion.verdict;
    q->farthest = (size_t)examples.line[longest];
    q->radius = sqrt(mpq_get_d(square));
    q->margin_high = margin->known ? sqrt(mpq_get_d(margin->high)) : NAN;
    q->margin_low = q->bound = NAN;
    if (q->verdict != TLU_SEPARABLE)
        return;
    assert(mpq_sgn(margin->low) > 0);
    q->margin_low = sqrt(mpq_get_d(margin->low));
    mpq_div(square, square, margin->low);
    q->bound = mpq_get_d(square);
    note_supports(q, &examples, margin);
}

// Answers the question in a computation of its own, which frees its memory.
static void ask(struct bound_question *q)
{
    struct exact *paused = exact_pause();
    bool enough = exact_run(answer, q);
    exact_resume(paused);
    if (!enough)
        exact_out_of_memory();
}

// ---- runs ----

// The caller frees *options, also after an error.
static tlu_status make_options(tlu_options **options, const char *const settings[][2], size_t count,
                               tlu_error *error)
{
    *options = options_copy(NULL);
    TRY(enough_memory(*options != NULL, error));
    for (size_t i = 0; i < count; i++)
        TRY(tlu_options_set(*options, settings[i][0], settings[i][1], error));
    return TLU_OK;
}

// The rows z as floats, which the runs learn from.
static tlu_rows run_rows(const struct examples *examples)
{
    static const char *const names[] = {"-1", "1"};
    size_t count = examples->count, entries = examples->offsets[count];
    uint64_t *offsets = exact_new(count + 1, sizeof *offsets);
    float *values = exact_new(entries, sizeof *values);
    for (size_t i = 0; i <= count; i++)
        offsets[i] = examples->offsets[i];
    for (size_t k = 0; k < entries; k++)
        values[k] = (float)examples->near[k];
    tlu_rows rows = {.size = sizeof rows,
                     .rows = count,
                     .offsets = offsets,
                     .features = examples->columns,
                     .values = values,
                     .labels = examples->group};
    if (examples->groups == 2) { // one of them may have no rows
        rows.label_names = names;
        rows.label_count = 2;
    }
    return rows;
}

static int end_run(void *context, const tlu_progress *progress)
{
    (void)progress;
    return is_late(context);
}

// An interrupted run is not counted.
static tlu_status run_once(const tlu_rows *rows, const char *rate, uint64_t passes,
                           struct bounding *bounding, tlu_error *error)
{
    size_t run = bounding->bounds.runs;
    char seed[32], epochs[32];
    snprintf(seed, sizeof seed, "%zu", run + 1);
    snprintf(epochs, sizeof epochs, "%llu", (unsigned long long)passes);
    // A tie raises the row's class and lowers a rival: a step on E'.
    const char *const chosen[][2] = {
        {"learner", "perceptron"}, {"no-bias", "yes"}, {"scale", "none"},     {"decide", "last"},
        {"shuffle", "all"},        {"seed", seed},     {"epochs", epochs},    {"rate", rate},
        {"multiclass", "wta"},     {"tie", "mistake"}, {"tie-update", "both"}};
    // The last two lines are for several classes.
    size_t count = sizeof chosen / sizeof chosen[0] - (bounding->bounds.classes > 2 ? 0 : 3);
    tlu_options *options;
    tlu_model *model = NULL;
    tlu_train_settings training = {.size = sizeof training,
                                   .rows = rows,
                                   .progress = end_run,
                                   .progress_context = &bounding->deadline};
    tlu_status status = make_options(&options, chosen, count, error);
    if (status == TLU_OK)
        status = tlu_train_with(&training, options, &model, error);
    if (status == TLU_OK && !bounding->deadline.over) {
        const tlu_report *report = tlu_model_report(model);
        for (uint64_t pass = 0; pass < report->epochs; pass++)
            bounding->mistakes[run] += report->mistakes[pass];
        bounding->first_mistakes[run] = report->mistakes[0];
        bounding->converged[run] = report->converged != 0;
        bounding->bounds.runs++;
    }
    tlu_model_free(model);
    tlu_options_free(options);
    return status == TLU_INTERRUPTED ? TLU_OK : status;
}

static tlu_status run_all(const struct examples *examples,
                          const tlu_mistake_bound_settings *settings, const char *rate,
                          struct bounding *bounding, tlu_error *error)
{
    tlu_rows rows = run_rows(examples);
    uint64_t passes = settings->epochs ? settings->epochs : EPOCHS;
    tlu_status status = TLU_OK;
    bounding->deadline.stage = "running perceptrons";
    struct exact *paused = exact_pause();
    while (bounding->bounds.runs < settings->runs && status == TLU_OK &&
           !is_late(&bounding->deadline))
        status = run_once(&rows, rate, passes, bounding, error);
    exact_resume(paused);
    return status;
}

// ---- the most expensive example ----

// Computes the bound without a row and keeps it if it is the best so far.
static void try_without(const struct examples *rows, size_t row, struct bounding *bounding)
{
    tlu_mistake_bound *bounds = &bounding->bounds;
    struct bound_question q = {.rows = rows, .without = row, .deadline = &bounding->deadline};
    ask(&q);
    double bound = q.bound * bounds->rate_factor;
    if (q.verdict == TLU_SEPARABLE &&
        (bounds->dropped_line == 0 || bound < bounds->dropped_bound)) {
        bounds->dropped_line = rows->line[row];
        bounds->dropped_radius = q.radius;
        bounds->dropped_margin = q.margin_low;
        bounds->dropped_bound = bound;
    }
}

// Candidates are the longest row and the first rows that support the margin. The only row of a
// class is kept. If time ends before all were tried, no example is reported.
static void find_worst(const struct examples *rows, const struct bound_question *whole,
                       struct bounding *bounding)
{
    size_t *of = exact_new(rows->groups, sizeof *of);
    struct deadline *deadline = &bounding->deadline;
    for (size_t i = 0; i < rows->count; i++)
        of[rows->group[i]]++;
    if (of[rows->group[whole->farthest]] > 1 && !is_late(deadline))
        try_without(rows, whole->farthest, bounding);
    for (size_t i = 0; i < whole->support_count; i++) {
        size_t row = whole->supports[i];
        if (row != whole->farthest && of[rows->group[row]] > 1 && !is_late(deadline))
            try_without(rows, row, bounding);
    }
    if (deadline->over)
        bounding->bounds.dropped_line = 0;
}

// ---- all of it ----

static void find_margin(struct bound_question *q, double seconds, struct bounding *bounding)
{
    tlu_mistake_bound *bounds = &bounding->bounds;
    struct deadline *deadline = &bounding->deadline;
    if (seconds > 0)
        deadline->end = deadline->begun + SHARE * seconds;
    ask(q);
    bounds->ended_early = is_late(deadline) || q->verdict == TLU_NOT_DECIDED;
    if (seconds > 0)
        deadline->end = deadline->begun + seconds;
    deadline->over = deadline->stopped;
    bounds->verdict = q->verdict;
    bounds->radius = q->radius;
    bounds->radius_line = q->rows->line[q->farthest];
    bounds->margin_low = q->margin_low;
    bounds->margin_high = q->margin_high;
    bounds->bound = q->bound * bounds->rate_factor;
}

// The theorem about the vote on an independent row: 2 E / (m + 1), if E mistakes are expected in a
// pass over m + 1 rows. With several classes, too: if the vote is wrong, at least half of the votes
// are.
static void bound_error(tlu_mistake_bound *bounds)
{
    double m = (double)bounds->examples, sum = 0;
    bounds->error_bound = 2 * bounds->bound / (m + 1);
    for (size_t i = 0; i < bounds->runs; i++)
        sum += (double)bounds->first_mistakes[i];
    bounds->error_estimate = bounds->runs ? 2 * sum / (double)bounds->runs / (m + 1) : NAN;
}

static tlu_status bound_rows(const struct examples *rows,
                             const tlu_mistake_bound_settings *settings, const char *rate,
                             struct bounding *bounding, tlu_error *error)
{
    tlu_mistake_bound *bounds = &bounding->bounds;
    struct bound_question q = {.rows = rows, .without = NO_ROW, .deadline = &bounding->deadline};
    bounds->examples = rows->count;
    bounds->classes = rows->groups;
    find_margin(&q, settings->seconds, bounding);
    if (bounds->verdict != TLU_SEPARABLE)
        return TLU_OK;
    TRY(run_all(rows, settings, rate, bounding, error));
    find_worst(rows, &q, bounding);
    bound_error(bounds);
    bounds->ended_early |= bounding->deadline.over;
    return TLU_OK;
}

static bool take_names(struct bounding *bounding, const struct examples *examples, bool rest)
{
    bool two = examples->groups == 2;
    const char *const names[] = {two ? examples_label(examples, 1) : NULL,
                                 two && (!rest || examples->absent) ? examples_label(examples, 0)
                                                                    : NULL,
                                 examples_label_column(examples)};
    bool enough = true;
    for (size_t i = 0; i < 3 && enough; i++)
        enough = !names[i] ||
                 (bounding->names[i] = memory_copy_text(names[i], strlen(names[i]))) != NULL;
    bounding->bounds.positive = bounding->names[0];
    bounding->bounds.negative = bounding->names[1];
    bounding->bounds.label_column = bounding->names[2];
    return enough;
}

struct computing {
    const tlu_mistake_bound_settings *settings;
    const tlu_options *options;
    struct gathered all;
    struct bounding *bounding;
    tlu_status status;
    tlu_error *error;
};

static void compute(void *context)
{
    struct computing *c = context;
    struct examples examples;
    struct grouping grouping = {.positive = options_text(c->options, OPTION_POSITIVE),
                                .only = c->settings->only};
    c->status = examples_make(&examples, &c->all, &grouping, c->bounding->bounds.bias, c->error);
    if (c->status != TLU_OK)
        return;
    double entries = 2.0 * (double)examples.groups * (double)examples.offsets[examples.count];
    double columns = (double)examples.groups * (double)examples.width;
    if (examples.groups > 2 && (entries > ENTRIES_MAX || columns > UINT32_MAX)) {
        c->status = error_input(c->error,
                                "Kesler's construction of %zu rows of %zu classes is too large; "
                                "--positive LABEL takes one class against the rest, --only A,B "
                                "some of them",
                                examples.count, examples.groups);
        return;
    }
    struct exact *paused = exact_pause(); // the names outlive the computation
    bool enough = take_names(c->bounding, &examples, *grouping.positive);
    exact_resume(paused);
    if (!enough)
        exact_out_of_memory();
    c->status = bound_rows(&examples, c->settings, options_text(c->options, OPTION_RATE),
                           c->bounding, c->error);
}

static tlu_status check_options(const tlu_options *options, tlu_error *error)
{
    int scale = options_choice(options, OPTION_SCALE);
    if (scale == SCALE_ONLINE || scale == SCALE_RECENT)
        return error_input(error,
                           "--scale %s scales every row differently, and the theorem needs rows "
                           "that stay as they are; use none, maxabs, standard or auto",
                           options_text(options, OPTION_SCALE));
    if (options_flag(options, OPTION_HASH))
        return error_input(error, "--hash makes one feature of several, and the bound is about the "
                                  "features as they are in the data; leave it out");
    return TLU_OK;
}

static tlu_status bound_file(const tlu_mistake_bound_settings *settings, const tlu_options *options,
                             struct bounding *bounding, tlu_error *error)
{
    struct row_source row_source = {.exact = true};
    struct computing computing = {
        .settings = settings, .options = options, .bounding = bounding, .error = error};
    tlu_mistake_bound *bounds = &bounding->bounds;
    int scale = options_choice(options, OPTION_SCALE);
    TRY(check_options(options, error));
    bounds->bias = !options_flag(options, OPTION_NO_BIAS);
    bounds->scaled = scale != SCALE_NONE;
    bounds->rate_min = options_number(options, OPTION_RATE);
    bounds->rate_max = options_high(options, OPTION_RATE);
    bounds->rate_factor = pow(bounds->rate_max / bounds->rate_min, 2);
    tlu_status status = gather(&computing.all, settings->path, &row_source, options, error);
    if (status == TLU_OK && bounds->scaled)
        status = gathered_scale(&computing.all, settings->only, scale, error);
    if (status == TLU_OK)
        status = exact_run(compute, &computing) ? computing.status : error_memory(error);
    bounding->facts = computing.all.facts;
    bounds->facts = &bounding->facts.view;
    computing.all.facts = (struct data_facts){0};
    gathered_free(&computing.all);
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
    bounding->first_mistakes = memory_new(settings->runs, sizeof *bounding->first_mistakes);
    bounding->bounds.mistakes = bounding->mistakes;
    bounding->bounds.first_mistakes = bounding->first_mistakes;
    bounding->bounds.converged = bounding->converged;
    tlu_status status =
        enough_memory(own && (!settings->runs || (bounding->mistakes && bounding->first_mistakes &&
                                                  bounding->converged)),
                      error);
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
    data_facts_free(&bounding->facts);
    memory_free(bounding->mistakes);
    memory_free(bounding->first_mistakes);
    memory_free(bounding->converged);
    memory_free(bounding);
}

#else
tlu_status tlu_mistake_bound_compute(const tlu_mistake_bound_settings *given,
                                     const tlu_options *options, tlu_mistake_bound **bounds,
                                     tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    (void)given, (void)options;
    *bounds = NULL;
    return error_system(error, NOT_BUILT);
}

void tlu_mistake_bound_free(tlu_mistake_bound *bounds)
{
    memory_free(bounds);
}
#endif
