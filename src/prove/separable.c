// tlu_separable, the page of contents: read the rows exactly; look for two that are alike; take
// steps; solve the linear program; settle it in exact arithmetic; find the margin; write it down.
#include "base/call/callback.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"

#include "prove/built.h"
#ifdef TLU_PROVES
#include "data/given_rows.h"
#include "prove/answer.h"
#include "prove/find/clp.h"
#include "train/clock.h"

#include <math.h>
#include <string.h>

#define PASSES 100
#define PASSES_OF_LARGE 3000 // where the linear program is too large to be of help
#define LARGE 20000          // dims
#define SHARE 0.8            // of the time for the decision; the rest is for the margin

// In floating point, and then exactly.
static enum finding find_by_program(const struct task *task, struct conclusion *conclusion)
{
    size_t count;
    if (!program_fits(task))
        return FOUND_NOTHING;
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

static tlu_status read_rows(struct gathered *all, const tlu_prove_settings *settings,
                            const tlu_options *options, tlu_error *error)
{
    struct excerpt excerpt = {.exact = true};
    if (settings->path)
        return gather(all, settings->path, &excerpt, options, error);
    struct given_rows given = {.path = settings->name ? settings->name : "rows",
                               .first = settings->rows};
    excerpt.bring = given_rows_bring;
    excerpt.bring_context = &given;
    tlu_status status = gather(all, given.path, &excerpt, options, error);
    given_rows_free(&given);
    return status;
}

static tlu_status check(const tlu_prove_settings *settings, const tlu_options *options,
                        tlu_error *error)
{
    struct clp clp;
    if (!clp_load(&clp))
        return error_system(error, "Clp, which proofs need, is not installed: on Debian it is in "
                                   "the package coinor-libclp1");
    if (!settings->path == !settings->rows)
        return error_input(error, "tlu_prove_settings needs a path or rows");
    if (options_choice(options, OPTION_SCALE) != SCALE_NONE)
        return error_input(error, "--scale changes the values, and proofs are about them as they "
                                  "are in the data: leave it out");
    if (options_flag(options, OPTION_HASH))
        return error_input(error, "--hash makes one feature of several, and proofs are about the "
                                  "features as they are in the data: leave it out");
    return TLU_OK;
}

static tlu_status prove(const tlu_prove_settings *settings, const tlu_options *options,
                        tlu_separability **answer, tlu_error *error)
{
    struct gathered all;
    struct examples examples;
    struct patience patience = {.begun = clock_seconds(),
                                .progress = settings->progress,
                                .context = settings->progress_context,
                                .end = INFINITY,
                                .stage = "reading"};
    if (settings->seconds > 0)
        patience.end = patience.begun + SHARE * settings->seconds;
    struct grouping grouping = {.positive = options_text(options, OPTION_POSITIVE),
                                .only = settings->only,
                                .single = settings->rows != NULL};
    TRY(check(settings, options, error));
    tlu_status status = read_rows(&all, settings, options, error);
    if (status != TLU_OK) {
        gathered_free(&all);
        return status;
    }
    status =
        examples_make(&examples, &all, &grouping, !options_flag(options, OPTION_NO_BIAS), error);
    gathered_free(&all);
    if (status == TLU_OK)
        status = answer_for(&examples, &patience, settings->approximate,
                            options_choice(options, OPTION_MISSING), answer, error);
    examples_free(&examples);
    return status;
}

tlu_status tlu_separable(const tlu_prove_settings *settings, const tlu_options *options,
                         tlu_separability **answer, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_prove_settings own;
    struct callback progress;
    *answer = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_prove_settings", error));
    CALLBACK(progress, prove, own.progress, own.progress_context, caller);
    tlu_options *copy = options_copy(options);
    TRY(enough_memory(copy, error));
    tlu_status status = prove(&own, copy, answer, error);
    tlu_options_free(copy);
    return status;
}

#else
tlu_status tlu_separable(const tlu_prove_settings *settings, const tlu_options *options,
                         tlu_separability **answer, tlu_error *error)
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
