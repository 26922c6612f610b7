// tlu_separability_decide, the page of contents: read the rows exactly; look for two that are
// alike; take steps; solve the linear program; settle it in exact arithmetic; find the margin;
// write it down.
#include "base/call/callback.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"

#include "proof/built.h"
#ifdef TLU_PROVES
#include "input/given_rows.h"
#include "proof/answer.h"
#include "proof/exact.h"
#include "proof/find/clp.h"
#include "tlu_proof.h"
#include "train/clock.h"

#include <math.h>
#include <string.h>

#define PASSES 100
#define PASSES_OF_LARGE 3000 // where the linear program is too large to be of help
#define LARGE 20000          // dims
#define ALONE_MAX 50         // dims, for exact arithmetic without the help of Clp
#define SHARE 0.8            // of the time for the decision; the rest is for the margin

// In floating point, and then exactly.
static enum finding find_by_program(const struct task *task, struct conclusion *conclusion)
{
    size_t count;
    if (!program_fits(task))
        return FOUND_NOTHING;
    if (!program_has_space(task)) {
        conclusion->found_by = "exact arithmetic";
        task->patience->stage = "solving the linear program in exact arithmetic";
        return task->dims < ALONE_MAX ? find_exactly(task, NULL, 0, &conclusion->found)
                                      : FOUND_NO_MEMORY;
    }
    struct program *program = program_open(task);
    if (!program)
        return FOUND_NO_MEMORY;
    task->patience->stage = "solving the linear program";
    conclusion->found_by = "linear program";
    enum finding finding = program_run(program, task, &conclusion->found);
    if (finding == FOUND_NOTHING && !is_late(task->patience)) {
        task->patience->stage = "settling it in exact arithmetic";
        conclusion->found_by = "exact arithmetic";
        const size_t *basis = program_basis(program, &count);
        finding = find_exactly(task, basis, count, &conclusion->found);
    }
    program_close(program);
    return finding;
}

static enum finding look(const struct task *task, struct conclusion *conclusion)
{
    struct patience *patience = task->patience;
    struct found *found = &conclusion->found;
    bool large = task->dims > LARGE;
    patience->stage = "looking for rows that are alike";
    conclusion->found_by = "rows alike";
    enum finding finding = find_repeats(task, found);
    if (finding != FOUND_NOTHING)
        return finding;
    patience->stage = "taking steps";
    conclusion->found_by = "steps";
    finding = find_by_steps(task, large ? PASSES_OF_LARGE : PASSES, found);
    if (finding != FOUND_NOTHING || is_late(patience))
        return finding;
    return find_by_program(task, conclusion);
}

static bool measure(const struct task *task, bool approximate, struct conclusion *conclusion)
{
    struct patience *patience = task->patience;
    patience->stage = "finding the margin";
    patience->end = patience->begun + (patience->end - patience->begun) / SHARE;
    patience->over = patience->stopped;
    if (conclusion->verdict == TLU_NOT_SEPARABLE)
        return !approximate ||
               mistakes_find(&conclusion->mistakes, task, &conclusion->found.contradiction);
    if (task->blocks > 1)
        return true;
    if (conclusion->verdict == TLU_NOT_DECIDED)
        return margin_above(&conclusion->margin, task);
    return margin_find(&conclusion->margin, task, &conclusion->found.weights);
}

static tlu_status conclude(const struct task *task, bool approximate, struct conclusion *conclusion,
                           tlu_error *error)
{
    TRY(enough_memory(margin_init(&conclusion->margin, task), error));
    enum finding finding = look(task, conclusion);
    TRY(enough_memory(finding != FOUND_NO_MEMORY, error));
    conclusion->verdict = finding == FOUND_WEIGHTS         ? TLU_SEPARABLE
                          : finding == FOUND_CONTRADICTION ? TLU_NOT_SEPARABLE
                                                           : TLU_NOT_DECIDED;
    if (finding == FOUND_NOTHING)
        conclusion->found_by = "";
    return enough_memory(measure(task, approximate, conclusion), error);
}

static tlu_status answer_for(const struct examples *examples, struct patience *patience,
                             bool approximate, int missing, tlu_separability **answer,
                             tlu_error *error)
{
    struct task task = task_of(examples, patience);
    struct conclusion conclusion;
    memset(&conclusion, 0, sizeof conclusion);
    tlu_status status = conclude(&task, approximate, &conclusion, error);
    if (status == TLU_OK) {
        *answer = answer_new(&task, &conclusion, missing, clock_seconds() - patience->begun);
        status = enough_memory(*answer, error);
    }
    witness_free(&conclusion.found.weights);
    contradiction_free(&conclusion.found.contradiction);
    margin_free(&conclusion.margin, &task);
    mistakes_free(&conclusion.mistakes);
    return status;
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
    struct clp clp;
    char why[LIBRARY_WHY];
    if (clp_load(&clp, why) ==
        LIBRARY_MISSING) // without the space for it, some proofs can be found
        return error_system(error,
                            "Clp, which proofs need, cannot be loaded (on Debian it is in the "
                            "package coinor-libclp1): %s",
                            why);
    if (!settings->path == !settings->rows)
        return error_input(error, "tlu_separability_settings needs a path or rows");
    if (options_choice(options, OPTION_SCALE) != SCALE_NONE)
        return error_input(error, "--scale changes the values, and proofs are about them as they "
                                  "are in the data: leave it out");
    if (options_flag(options, OPTION_HASH))
        return error_input(error, "--hash makes one feature of several, and proofs are about the "
                                  "features as they are in the data: leave it out");
    return TLU_OK;
}

struct proving {
    const tlu_separability_settings *settings;
    const tlu_options *options;
    struct patience *patience;
    struct gathered all;
    struct examples examples;
    tlu_separability **answer;
    tlu_status status;
    tlu_error *error;
};

static void prove_rows(void *context)
{
    struct proving *p = context;
    struct grouping grouping = {.positive = options_text(p->options, OPTION_POSITIVE),
                                .only = p->settings->only,
                                .single = p->settings->rows != NULL};
    bool bias = !options_flag(p->options, OPTION_NO_BIAS);
    p->status = examples_make(&p->examples, &p->all, &grouping, bias, p->error);
    gathered_free(&p->all);
    if (p->status == TLU_OK)
        p->status = answer_for(&p->examples, p->patience, p->settings->approximate,
                               options_choice(p->options, OPTION_MISSING), p->answer, p->error);
    examples_free(&p->examples);
}

static tlu_status prove(const tlu_separability_settings *settings, const tlu_options *options,
                        tlu_separability **answer, tlu_error *error)
{
    struct patience patience = {.begun = clock_seconds(),
                                .progress = settings->progress,
                                .context = settings->progress_context,
                                .end = INFINITY,
                                .stage = "reading"};
    if (settings->seconds > 0)
        patience.end = patience.begun + SHARE * settings->seconds;
    struct proving proving = {.settings = settings,
                              .options = options,
                              .patience = &patience,
                              .answer = answer,
                              .error = error};
    TRY(check(settings, options, error));
    tlu_status status = read_rows(&proving.all, settings, options, error);
    if (status == TLU_OK && exact_run(prove_rows, &proving))
        return proving.status;
    if (status == TLU_OK) {
        examples_free_taken(&proving.examples);
        *answer = NULL;
        status = error_memory(error);
    }
    gathered_free(&proving.all);
    return status;
}

int callback_proof_progress(void *context, const char *stage, double seconds)
{
    CALLBACK_CALL(tlu_proof_progress_function, stage, seconds);
}

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
    (void)settings;
    (void)options;
    *answer = NULL;
    return error_system(error, "this tlu was built without "
#ifndef TLU_HAVE_GMP
                               "GMP (libgmp-dev)"
#ifndef TLU_HAVE_CLP
                               " and "
#endif
#endif
#ifndef TLU_HAVE_CLP
                               "Clp (coinor-libclp-dev)"
#endif
                               ", which proofs need: install it and build again");
}

void tlu_separability_free(tlu_separability *answer)
{
    (void)answer;
}
#endif
