// tlu_separability_decide: reads the rows exactly, looks for equal rows of different classes,
// trains a perceptron, solves the linear program, falls back to exact arithmetic, bounds the margin
// and writes the proof.
#include "base/call/callback.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"

#include "proof/built.h"
#ifdef TLU_PROVES
#include "input/given_rows.h"
#include "proof/exact.h"
#include "proof/find/mistakes.h"
#include "proof/proof.h"
#include "tlu_proof.h"
#include "train/clock.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- the result for the caller ----
//
// Numbers as doubles and as text, features and classes by name.
//
// Texts are appended to `strings`, which moves while it grows. Until it is complete, a pointer to a
// text is its offset plus 1.

struct separability_result {
    tlu_separability shown; // first
    tlu_plane_weight *weights;
    tlu_proof_row *rows;
    struct proof_text strings, proof;
    struct data_facts facts;
};

// The offset of the next text, plus 1.
static const char *next_offset(const struct proof_text *strings)
{
    return (const char *)(uintptr_t)(strings->size + 1);
}

static const char *put_text(struct separability_result *answer, const char *text)
{
    const char *start = next_offset(&answer->strings);
    text_put(&answer->strings, "%s", text);
    answer->strings.size++; // the NUL
    return start;
}

static const char *put_whole(struct separability_result *answer, const mpz_t value)
{
    const char *start = next_offset(&answer->strings);
    text_put_whole(&answer->strings, value);
    answer->strings.size++;
    return start;
}

static const char *put_feature(struct separability_result *answer, const struct examples *examples,
                               size_t column)
{
    const char *start = next_offset(&answer->strings);
    feature_name(&answer->strings, examples, column);
    answer->strings.size++;
    return start;
}

static void resolve_text(const struct separability_result *answer, const char **text)
{
    if (*text)
        *text = answer->strings.bytes + (uintptr_t)*text - 1;
}

// ---- weights ----

// 1 / |w| without the biases, for weights times 2^-exponent.
static double one_over_length(const struct separation_task *task, const struct witness *weights,
                              long exponent)
{
    double square = 0;
    for (size_t j = 0; j < weights->count; j++) {
        double w = witness_scaled(weights, j, exponent);
        square += j % task->examples->width < task->examples->features ? w * w : 0;
    }
    return square > 0 ? 1 / sqrt(square) : 1;
}

static void put_weights(struct separability_result *answer, const struct separation_task *task,
                        const struct witness *weights, const char *const *labels)
{
    const struct examples *examples = task->examples;
    long exponent = witness_exponent(weights);
    double length = one_over_length(task, weights, exponent);
    answer->weights = exact_new(weights->count, sizeof *answer->weights);
    for (size_t j = 0; j < weights->count; j++) {
        size_t column = j % examples->width;
        if (mpz_sgn(weights->w[j]) == 0)
            continue;
        tlu_plane_weight *weight = &answer->weights[answer->shown.weight_count++];
        if (column < examples->features)
            weight->feature = put_feature(answer, examples, column);
        weight->label = task->blocks > 1 ? labels[j / examples->width] : NULL;
        weight->exact = put_whole(answer, weights->w[j]);
        weight->weight = witness_scaled(weights, j, exponent) * length;
    }
}

// ---- rows ----

static void put_row(struct separability_result *answer, size_t *capacity, tlu_proof_row row)
{
    exact_reserve(&answer->rows, capacity, answer->shown.row_count + 1, sizeof *answer->rows);
    answer->rows[answer->shown.row_count++] = row;
}

// Disjoint contradictions are numbered from 1; a single one has the number 0.
static void put_contradictions(struct separability_result *answer,
                               const struct separation_task *task, const struct contradiction *sets,
                               size_t count, bool numbered, const char *const *labels)
{
    size_t capacity = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sets[s].count; i++) {
            size_t c = sets[s].cases[i], row = case_row(task, c);
            put_row(answer, &capacity,
                    (tlu_proof_row){.line = task->examples->line[row],
                                    .weight = put_whole(answer, sets[s].lambda[i]),
                                    .label = labels[task->examples->group[row]],
                                    .rival = task->blocks > 1 ? labels[case_rival(task, c)] : NULL,
                                    .set = numbered ? s + 1 : 0});
        }
}

static void put_supports(struct separability_result *answer, const struct examples *examples,
                         const struct margin *margin, const char *const *labels)
{
    size_t capacity = 0;
    for (size_t i = 0; i < examples->count; i++)
        if (mpz_sgn(margin->hull[i]) != 0)
            put_row(answer, &capacity,
                    (tlu_proof_row){.line = examples->line[i],
                                    .weight = put_whole(answer, margin->hull[i]),
                                    .label = labels[examples->group[i]]});
}

// ---- the whole result ----

static void show_margin(tlu_separability *shown, const struct conclusion *conclusion)
{
    const struct margin *margin = &conclusion->margin;
    bool separable = conclusion->verdict == TLU_SEPARABLE;
    if (margin->known)
        shown->margin_high = sqrt(mpq_get_d(margin->high));
    if (!separable || mpq_sgn(margin->low) == 0)
        return;
    shown->margin_low = sqrt(mpq_get_d(margin->low));
    shown->radius = margin->radius;
    shown->bound = margin->radius * margin->radius / mpq_get_d(margin->low);
    shown->bound_with_bias = margin->bound_with_bias;
}

static void settle_texts(struct separability_result *answer)
{
    for (size_t i = 0; i < answer->shown.weight_count; i++) {
        resolve_text(answer, &answer->weights[i].feature);
        resolve_text(answer, &answer->weights[i].label);
        resolve_text(answer, &answer->weights[i].exact);
    }
    for (size_t i = 0; i < answer->shown.row_count; i++) {
        resolve_text(answer, &answer->rows[i].weight);
        resolve_text(answer, &answer->rows[i].label);
        resolve_text(answer, &answer->rows[i].rival);
    }
    resolve_text(answer, &answer->shown.positive);
    resolve_text(answer, &answer->shown.negative);
    resolve_text(answer, &answer->shown.label_column);
    answer->shown.weights = answer->weights;
    answer->shown.rows = answer->rows;
    answer->shown.proof = answer->proof.size ? answer->proof.bytes : NULL;
    answer->shown.proof_size = answer->proof.size;
}

// The labels of the two classes.
static void put_names(struct separability_result *answer, const struct examples *examples,
                      const char *const *labels)
{
    size_t others = 0;
    for (size_t i = 0; i < examples->labels->count; i++)
        others += examples->labels->items[i].group == 0;
    answer->shown.positive = labels[1];
    answer->shown.negative = others == 1 || examples->absent ? labels[0] : NULL;
}

static void fill_result(struct separability_result *answer, const struct separation_task *task,
                        const struct conclusion *conclusion, int missing)
{
    const struct examples *examples = task->examples;
    const char **labels = exact_new(examples->groups, sizeof *labels);
    const char *column = examples_label_column(examples);
    for (uint32_t g = 0; g < examples->groups; g++)
        labels[g] = put_text(answer, examples_label(examples, g));
    answer->shown.label_column = column ? put_text(answer, column) : NULL;
    if (task->blocks == 1 && examples->groups == 2)
        put_names(answer, examples, labels);
    const struct mistakes *mistakes = &conclusion->mistakes;
    if (mistakes->known) {
        put_contradictions(answer, task, mistakes->apart.items, mistakes->apart.count, true,
                           labels);
        put_weights(answer, task, &mistakes->weights, labels);
    } else if (conclusion->verdict == TLU_NOT_SEPARABLE) {
        put_contradictions(answer, task, &conclusion->found.contradiction, 1, false, labels);
    } else {
        put_supports(answer, examples, &conclusion->margin, labels);
    }
    if (conclusion->verdict == TLU_SEPARABLE)
        put_weights(answer, task, &conclusion->found.weights, labels);
    proof_write(&answer->proof, task, conclusion, missing);
}

static tlu_separability *answer_new(const struct separation_task *task,
                                    const struct conclusion *conclusion, int missing,
                                    double seconds)
{
    struct separability_result *answer = exact_new(1, sizeof *answer);
    tlu_separability *shown = &answer->shown;
    *shown = (tlu_separability){.verdict = conclusion->verdict,
                                .examples = task->examples->count,
                                .features = task->examples->features,
                                .classes = task->examples->groups,
                                .found_by = conclusion->found_by,
                                .margin_low = NAN,
                                .margin_high = NAN,
                                .radius = NAN,
                                .bound = NAN,
                                .bound_with_bias = NAN,
                                .seconds = seconds};
    show_margin(shown, conclusion);
    if (conclusion->mistakes.known) {
        shown->mistakes = conclusion->mistakes.at_most;
        shown->mistakes_min = conclusion->mistakes.apart.count;
        shown->fewest = conclusion->mistakes.exact;
    }
    fill_result(answer, task, conclusion, missing);
    settle_texts(answer);
    exact_keep(answer);
    exact_keep(answer->weights);
    exact_keep(answer->rows);
    exact_keep(answer->strings.bytes);
    exact_keep(answer->proof.bytes);
    return shown;
}

void tlu_separability_free(tlu_separability *shown)
{
    struct separability_result *answer = (struct separability_result *)(void *)shown;
    if (!answer)
        return;
    memory_free(answer->weights);
    memory_free(answer->rows);
    memory_free(answer->strings.bytes);
    memory_free(answer->proof.bytes);
    data_facts_free(&answer->facts);
    memory_free(answer);
}

// ---- the decision ----

#define PASSES 100
#define PASSES_OF_LARGE 3000 // if the linear program is too large to help
#define LARGE 20000          // dims
#define ALONE_MAX 50         // dims, up to which exact arithmetic works without Clp

// The linear program in floating point, then in exact arithmetic.
static enum finding find_by_program(const struct separation_task *task,
                                    struct conclusion *conclusion)
{
    size_t count;
    if (!program_fits(task))
        return FOUND_NOTHING;
    if (task->dims < ALONE_MAX && !program_has_space(task)) {
        conclusion->found_by = "exact arithmetic";
        task->deadline->stage = "solving the linear program in exact arithmetic";
        return find_exactly(task, NULL, 0, &conclusion->found);
    }
    struct program *program = program_open(task);
    task->deadline->stage = "solving the linear program";
    conclusion->found_by = "linear program";
    enum finding finding = program_run(program, task, &conclusion->found);
    if (finding == FOUND_NOTHING && !is_late(task->deadline)) {
        task->deadline->stage = "settling it in exact arithmetic";
        conclusion->found_by = "exact arithmetic";
        const size_t *basis = program_basis(program, &count);
        finding = find_exactly(task, basis, count, &conclusion->found);
    }
    program_close(program);
    return finding;
}

static enum finding decide(const struct separation_task *task, struct conclusion *conclusion)
{
    struct deadline *deadline = task->deadline;
    struct certificate *found = &conclusion->found;
    bool large = task->dims > LARGE;
    deadline->stage = "looking for rows that are alike";
    conclusion->found_by = "rows alike";
    enum finding finding = find_repeats(task, found);
    if (finding != FOUND_NOTHING)
        return finding;
    deadline->stage = "taking steps";
    conclusion->found_by = "steps";
    finding = find_by_steps(task, large ? PASSES_OF_LARGE : PASSES, found);
    if (finding != FOUND_NOTHING || is_late(deadline))
        return finding;
    return find_by_program(task, conclusion);
}

static void bound_margin(const struct separation_task *task, bool approximate,
                         struct conclusion *conclusion)
{
    struct deadline *deadline = task->deadline;
    deadline->stage = "finding the margin";
    deadline->end = deadline->begun + (deadline->end - deadline->begun) / DECISION_SHARE;
    deadline->over = deadline->stopped;
    if (conclusion->verdict != TLU_NOT_SEPARABLE && task->blocks == 1)
        margin_find(&conclusion->margin, task,
                    conclusion->verdict == TLU_SEPARABLE ? &conclusion->found.weights : NULL);
    if (conclusion->verdict == TLU_NOT_SEPARABLE && approximate)
        mistakes_find(&conclusion->mistakes, task, &conclusion->found.contradiction);
}

void conclusion_reach(struct conclusion *conclusion, const struct separation_task *task,
                      bool approximate)
{
    *conclusion = (struct conclusion){.verdict = TLU_NOT_DECIDED};
    margin_init(&conclusion->margin, task);
    enum finding finding = decide(task, conclusion);
    if (finding == FOUND_NOTHING)
        conclusion->found_by = "";
    else
        conclusion->verdict = finding == FOUND_WEIGHTS ? TLU_SEPARABLE : TLU_NOT_SEPARABLE;
    if (conclusion->verdict == TLU_SEPARABLE) // all rows may be of one class
        witness_tilt(task, &conclusion->found.weights);
    bound_margin(task, approximate, conclusion);
}

// ---- the data ----

static tlu_status read_rows(struct gathered *all, const tlu_separability_settings *settings,
                            const tlu_options *options, tlu_error *error)
{
    struct row_source row_source = {.exact = true};
    if (settings->path)
        return gather(all, settings->path, &row_source, options, error);
    struct given_rows given = {.path = settings->name ? settings->name : "rows",
                               .first = settings->rows};
    row_source.next_rows = given_rows_next;
    row_source.next_rows_context = &given;
    tlu_status status = gather(all, given.path, &row_source, options, error);
    given_rows_free(&given);
    return status;
}

static tlu_status check(const tlu_separability_settings *settings, const tlu_options *options,
                        tlu_error *error)
{
    TRY(program_check(error));
    if (!settings->path == !settings->rows)
        return error_input(error, "tlu_separability_settings needs a path or rows");
    if (options_choice(options, OPTION_SCALE) != SCALE_NONE)
        return error_input(error, "--scale changes the values, and proofs are about them as they "
                                  "are in the data; leave it out");
    if (options_flag(options, OPTION_HASH))
        return error_input(error, "--hash makes one feature of several, and proofs are about the "
                                  "features as they are in the data; leave it out");
    return TLU_OK;
}

struct proving {
    const tlu_separability_settings *settings;
    const tlu_options *options;
    struct deadline *deadline;
    struct gathered all;
    tlu_separability *answer;
    tlu_status status;
    tlu_error *error;
};

static void prove_rows(void *context)
{
    struct proving *p = context;
    struct grouping grouping = {.positive = options_text(p->options, OPTION_POSITIVE),
                                .only = p->settings->only,
                                .single = p->settings->rows != NULL};
    struct examples examples;
    bool bias = !options_flag(p->options, OPTION_NO_BIAS);
    p->status = examples_make(&examples, &p->all, &grouping, bias, p->error);
    if (p->status != TLU_OK)
        return;
    struct separation_task task = task_of(&examples, p->deadline);
    struct conclusion conclusion;
    conclusion_reach(&conclusion, &task, p->settings->approximate);
    p->answer = answer_new(&task, &conclusion, options_choice(p->options, OPTION_MISSING),
                           clock_seconds() - p->deadline->begun);
}

static tlu_status prove(const tlu_separability_settings *settings, const tlu_options *options,
                        tlu_separability **answer, tlu_error *error)
{
    struct deadline deadline = {.begun = clock_seconds(),
                                .progress = settings->progress,
                                .context = settings->progress_context,
                                .end = INFINITY,
                                .stage = "reading"};
    if (settings->seconds > 0)
        deadline.end = deadline.begun + DECISION_SHARE * settings->seconds;
    struct proving proving = {
        .settings = settings, .options = options, .deadline = &deadline, .error = error};
    TRY(check(settings, options, error));
    tlu_status status = read_rows(&proving.all, settings, options, error);
    if (status == TLU_OK)
        status = exact_run(prove_rows, &proving) ? proving.status : error_memory(error);
    if (status == TLU_OK) {
        struct separability_result *result = (struct separability_result *)(void *)proving.answer;
        *answer = proving.answer;
        result->facts = proving.all.facts;
        result->shown.facts = &result->facts.view;
        proving.all.facts = (struct data_facts){0};
    }
    gathered_free(&proving.all);
    return status;
}

CALLBACK_FUNCTION(proof_progress, (void *context, const char *stage, double seconds), stage,
                  seconds)

tlu_status tlu_separability_decide(const tlu_separability_settings *settings,
                                   const tlu_options *options, tlu_separability **answer,
                                   tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_separability_settings own;
    struct callback progress;
    *answer = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_separability_settings", error));
    CALLBACK(progress, proof_progress, own.progress, own.progress_context, caller);
    tlu_options *copy = options_copy(options);
    TRY(enough_memory(copy, error));
    tlu_status status = prove(&own, copy, answer, error);
    tlu_options_free(copy);
    return status;
}

#else
tlu_status tlu_separability_decide(const tlu_separability_settings *settings,
                                   const tlu_options *options, tlu_separability **answer,
                                   tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    (void)settings, (void)options;
    *answer = NULL;
    return error_system(error, NOT_BUILT);
}

void tlu_separability_free(tlu_separability *answer)
{
    (void)answer;
}
#endif
