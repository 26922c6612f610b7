// Training, one function per level of the loop:
//
//     training_run            for each pass until one is the last       here
//     pass_run                    for each example (x, y) of the pass   pass.c
//     learner_learn_example           find the scores w . x             learn/example.c
//     learn_binary                    two classes: the example, or      learn/example.c
//     learn_subproblems               for each binary subproblem        learn/example.c
//     update                              the learner's rule            src/learners
//
// An example of a passive learner whose margin is large enough ends at its scores (learn/rule.h).
#include "train/train.h"

#include "base/memory.h"
#include "learn/decision.h"
#include "mlp/layers.h"
#include "numeric/number.h"
#include "space/dual.h"
#include "train/checkpoint/checkpoint.h"
#include "train/clock.h"
#include "train/team.h"

#include <math.h>
#include <string.h>

// ---- shuffling ----

uint64_t training_shuffles_due(const struct training *t, uint64_t pass)
{
    int shuffle = options_choice(t->learner.state.options, OPTION_SHUFFLE);
    return shuffle == SHUFFLE_ALL ? pass + 1 : shuffle == SHUFFLE_LATER ? pass : 0;
}

tlu_status training_shuffle(struct training *t, tlu_error *error)
{
    struct random *random = &t->learner.state.random;
    if (t->team) { // each process has an order of its own, which a resumed run can make again
        team_seed(t, t->run.shuffles.count);
        rows_shuffle(&t->rows, random);
        t->run.shuffles.count++;
        return TLU_OK;
    }
    TRY(run_mark_shuffle(&t->run, random, options_count(t->learner.state.options, OPTION_SEED),
                         error));
    rows_shuffle(&t->rows, random);
    t->run.shuffles.after = *random;
    return TLU_OK;
}

static tlu_status shuffle_when_due(struct training *t, tlu_error *error)
{
    while (t->run.shuffles.count < training_shuffles_due(t, t->run.pass))
        TRY(training_shuffle(t, error));
    return TLU_OK;
}

// ---- the end of a pass ----

// All rows have one label. If it is 1 or -1, the other class is its opposite, which no row has: all
// rows are on one side of the hyperplane, as Z_k and E' of the Honavar notes are.
static tlu_status add_opposite_class(struct training *t, tlu_error *error)
{
    struct schema *schema = &t->learner.state.schema;
    const char *only = schema->spelled[0];
    double value;
    char label[64];
    if (t->reporter.interrupted && !t->reporter.on_step) // the end of a trace is not
        return error_interrupted(error, "interrupted before a second class was met");
    if (!number_whole(only, strlen(only), &value) || fabs(value) != 1)
        return error_at(
            error, t->rows.path, 0, 0,
            "all %llu rows have the label '%s'; add rows of another class; a hyperplane "
            "with all rows on one side is found if their label is 1 or -1",
            (unsigned long long)team_rows(t), error_quote(label, sizeof label, only, strlen(only)));
    const char *opposite = value > 0 ? "-1" : "1";
    return enough_memory(schema_class_add(schema, opposite, strlen(opposite)) != SCHEMA_NONE,
                         error);
}

static tlu_status check_labels(struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    char label[64] = "";
    if (schema_classes(schema) >= 2)
        return TLU_OK;
    if (t->reporter.interrupted)
        return error_interrupted(error, "interrupted before a second label was met");
    if (schema_classes(schema))
        error_quote(label, sizeof label, schema->spelled[0], strlen(schema->spelled[0]));
    return error_at(error, t->rows.path, 0, 0, "%s%s%s: --multilabel needs two labels or more",
                    label[0] ? "all labels are '" : "no row has a label", label,
                    label[0] ? "'" : "");
}

static tlu_status check_classes(struct training *t, tlu_error *error)
{
    if (t->learner.state.schema.multilabel)
        TRY(check_labels(t, error));
    if (schema_classes(&t->learner.state.schema) == 1)
        TRY(add_opposite_class(t, error));
    // An interrupted run does not know the labels of the rows that it did not read.
    return t->reporter.interrupted ? TLU_OK : learner_check_labels(&t->learner, error);
}

// A column that is said to be a text has words. (JSON objects with "features" need no "text".)
static tlu_status check_texts(const struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    bool named = schema_is_table(schema) && !schema->slots.bits;
    for (size_t i = 0; named && i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        size_t length = strlen(column->name);
        bool found = column->kind != COLUMN_TEXT || column->recognised;
        for (uint32_t f = 0; !found && f < schema->names.count; f++) {
            const char *name = table_text(&schema->names, f);
            found = strncmp(name, column->name, length) == 0 && name[length] == ':';
        }
        if (!found && !t->reporter.interrupted)
            return error_at(error, t->rows.path, 0, 0,
                            "column '%.80s' has no text in any row; leave it out with --ignore "
                            "%.80s",
                            column->name, column->name);
    }
    return TLU_OK;
}

tlu_status training_all_read(struct training *t, tlu_error *error)
{
    TRY(check_classes(t, error));
    TRY(check_texts(t, error));
    // The last rows may have a new class although they are not learned from (--holdout,
    // --skip-bad).
    TRY(learner_add_classes(&t->learner, schema_classes(&t->learner.state.schema), error));
    return hints_about_data(t, error);
}

// Adds the counts of the pass to the run. *converged: the pass had neither mistakes nor updates, or
// (mlp) the class of every row had a probability near 1.
static tlu_status record_pass(struct training *t, bool *converged, tlu_error *error)
{
    const struct layers *layers = t->learner.space.layers;
    struct run *run = &t->run;
    TRY(enough_memory(memory_reserve(&run->mistakes, &run->mistakes_capacity, run->pass + 1,
                                     sizeof *run->mistakes),
                      error));
    *converged = (run->now.mistakes == 0 && run->now.updates_before == t->learner.state.updates) ||
                 (layers && layers->net->unsure == 0);
    run->mistakes[run->pass++] = run->now.mistakes;
    run->now = (struct pass_counts){.updates_before = t->learner.state.updates};
    return TLU_OK;
}

// With those that are counted only; a resumed run may have counted more than it is to make now.
static uint64_t passes_left(const struct training *t)
{
    uint64_t done = t->run.pass + t->run.skipped;
    return done < t->passes ? t->passes - done : 0;
}

// Whether that was the last pass. Sets the reason, outcome.stopped.
static bool is_last_pass(struct training *t, bool converged)
{
    const struct run *run = &t->run;
    enum stopped *stopped = &t->outcome.stopped;
    if (t->learner.rule.kind->traits & LEARNER_BATCH)
        *stopped = STOPPED_SOLVED;
    else if (converged)
        *stopped = STOPPED_CONVERGED;
    else if (t->outcome.cycle && !options_count_all_passes(t->learner.state.options))
        *stopped = STOPPED_CYCLE;
    else if (run->pass - run->best_pass >= options_count(t->learner.state.options, OPTION_PATIENCE))
        *stopped = STOPPED_PATIENCE;
    else if (passes_left(t) == 0)
        *stopped = run->skipped ? STOPPED_CYCLE : STOPPED_EPOCHS;
    else
        return false;
    if (*stopped != STOPPED_CYCLE) // it was made in full, so a resumed run does not know of it
        t->outcome.cycle = 0;
    return true;
}

static tlu_status note_interruption(struct training *t, tlu_error *error)
{
    if (t->run.pass == 0 && t->run.now.examples == 0 && !t->team)
        return error_interrupted(error, "interrupted before anything was learned");
    t->outcome.stopped = STOPPED_INTERRUPTED;
    return TLU_OK;
}

// --holdout: computes the metric on the held-out rows, and keeps the weights if it is the best so
// far.
static tlu_status measure_held_out(struct training *t, tlu_error *error)
{
    struct run *run = &t->run;
    const struct history *history = t->learner.state.decision.history;
    double quality;
    if (options_number(t->learner.state.options, OPTION_HOLDOUT) == 0) {
        run->best_pass = run->pass;
        return TLU_OK;
    }
    TRY(holdout_quality(t, &quality, error));
    TRY(enough_memory(
        memory_reserve(&run->accuracy, &run->accuracy_capacity, run->pass, sizeof quality), error));
    run->accuracy[run->pass - 1] = quality;
    if (run->best_pass &&
        !metric_is_better(t->holdout.metric.metric, quality, run->accuracy[run->best_pass - 1]))
        return TLU_OK;
    run->best_pass = run->pass;
    run->best_updates = history ? history->count : 0;
    weights_free(&run->best);
    net_free(run->best_net);
    run->best_net = NULL;
    if (t->learner.space.layers) {
        run->best_net = net_copy(t->learner.state.net);
        TRY(enough_memory(run->best_net != NULL, error));
    }
    return enough_memory(weights_copy(&run->best, learner_deciding(&t->learner)), error);
}

bool training_may_cycle(const struct tlu_learner *learner)
{
    return options_choice(learner->state.options, OPTION_SHUFFLE) == SHUFFLE_NONE &&
           learner->rule.rate == learner->rule.rate_high && !learner->state.weights.scale &&
           !learner->state.weights.state && learner->rule.schedule == SCHEDULE_CONSTANT &&
           !(learner->rule.kind->traits & (LEARNER_BATCH | LEARNER_LAYERS));
}

bool training_can_skip_cycles(const struct tlu_learner *learner)
{
    return options_count_all_passes(learner->state.options) && !learner->space.dual &&
           !learner->state.decision.pocket;
}

// The state that later passes depend on, besides the biases: the weights, or in the dual form the
// scores of all rows.
static size_t state_of(const struct training *t, const double **cells)
{
    const struct weights *weights = &t->learner.state.weights;
    *cells = t->learner.space.dual ? dual_all_scores(t->learner.space.dual) : weights->w;
    return (t->learner.space.dual ? (size_t)t->rows.counts.rows : weights->rows) * weights->columns;
}

// Whether the state equals the saved one.
static bool equals_saved_state(const struct seen_state *seen, const double *cells, size_t count,
                               const struct weights *now)
{
    if (!seen->cells)
        return false;
    // Rows of weights added since then belong to features without updates.
    size_t old = seen->count - now->columns;
    return old <= count && (old == 0 || memcmp(seen->cells, cells, old * sizeof *cells) == 0) &&
           (old == count || weights_are_zero(cells + old, count - old)) &&
           memcmp(seen->cells + old, now->bias, now->columns * sizeof *cells) == 0;
}

// Passes in file order that start from the same state repeat forever. The state is compared with a
// saved one, which is replaced after passes 1, 2, 4, 8... (Brent 1980).
static tlu_status look_for_cycle(struct training *t, tlu_error *error)
{
    struct seen_state *seen = &t->run.seen;
    const struct weights *now = &t->learner.state.weights;
    uint64_t pass = t->run.pass;
    const double *cells;
    if (!training_may_cycle(&t->learner) || t->run.mistakes[pass - 1] == 0 || t->run.skipped)
        return TLU_OK;
    size_t count = state_of(t, &cells);
    if (equals_saved_state(seen, cells, count, now)) {
        t->outcome.cycle = pass - seen->pass;
    } else if ((pass & (pass - 1)) == 0) {
        memory_free(seen->cells);
        memory_free(seen->u);
        seen->u = NULL;
        seen->cells = memory_new(count + now->columns, sizeof *seen->cells);
        TRY(enough_memory(seen->cells != NULL, error));
        seen->pass = pass;
        seen->count = count + now->columns;
        if (count)
            weights_copy_cells(seen->cells, cells, count);
        memcpy(seen->cells + count, now->bias, now->columns * sizeof *cells);
        if (now->u && training_can_skip_cycles(&t->learner)) {
            seen->u = memory_new(seen->count, sizeof *seen->u);
            TRY(enough_memory(seen->u != NULL, error));
            if (count)
                weights_copy_cells(seen->u, now->u, count);
            memcpy(seen->u + count, now->u_bias, now->columns * sizeof *seen->u);
        }
    }
    return TLU_OK;
}

// ---- passes that are counted without being made: --stop epochs ----

#define STEPS_MAX 9007199254740992.0 // 2^53: up to here doubles count exactly

static tlu_status skip_passes(struct training *t, uint64_t passes, tlu_error *error)
{
    double rows = (double)team_examples(t) / (double)(t->team ? t->team->ranks : 1);
    double steps = (double)passes * rows;
    if (t->learner.state.weights.steps + steps > STEPS_MAX)
        return error_input(error,
                           "--epochs %llu: %llu passes over %llu rows are more than 2^53 examples; "
                           "use --stop converged or fewer passes",
                           (unsigned long long)t->passes, (unsigned long long)t->passes,
                           (unsigned long long)rows);
    t->learner.state.weights.steps += steps;
    t->learner.state.examples += (uint64_t)steps;
    t->run.skipped += passes;
    return TLU_OK;
}

// Counts the passes of a cycle again, `periods` times. With S the sum of the weights after each
// example, average = S / T and u = T w - S (weights.h). A period adds the same P to S each time,
// and has the same weights w at its end as at its start. So with n examples in a period,
//
//     u := u + n w - P = u + (u now - u a period ago)      for each period
//
// Votes count the examples between two updates, so those of the period become (1 + periods) times
// as many.
static tlu_status repeat_cycle(struct training *t, uint64_t periods, tlu_error *error)
{
    struct weights *weights = &t->learner.state.weights;
    const struct seen_state *seen = &t->run.seen;
    struct history *history = t->learner.state.decision.history;
    uint64_t examples = t->outcome.cycle * t->rows.order.count;
    uint64_t start = (uint64_t)weights->steps - examples;
    TRY(skip_passes(t, periods * t->outcome.cycle, error));
    size_t before = seen->count - weights->columns, cells = weights->rows * weights->columns;
    for (size_t i = 0; weights->u && i < cells; i++) { // cells that are new since had 0
        double change = weights->u[i] - (i < before ? seen->u[i] : 0);
        if (change != 0)
            weights->u[i] += (double)periods * change;
    }
    for (uint32_t c = 0; weights->u && c < weights->columns; c++)
        weights->u_bias[c] += (double)periods * (weights->u_bias[c] - seen->u[before + c]);
    for (size_t n = history ? history->count : 0; n-- > 0 && history->steps[n].time > start;)
        history->steps[n].time = start + (history->steps[n].time - start) * (periods + 1);
    t->run.seen.pass =
        t->outcome.cycle; // which a checkpoint keeps; no cycle is looked for any more
    return TLU_OK;
}

// Counts the passes that would change nothing, or whole periods of a cycle.
static tlu_status skip_rest(struct training *t, bool converged, tlu_error *error)
{
    struct run *run = &t->run;
    uint64_t left = passes_left(t);
    if (!options_count_all_passes(t->learner.state.options) || t->rows.counts.refused)
        return TLU_OK;
    if (converged)
        return skip_passes(t, left, error);
    if (t->outcome.cycle && !run->skipped && !t->team && left >= t->outcome.cycle &&
        training_can_skip_cycles(&t->learner))
        return repeat_cycle(t, left / t->outcome.cycle, error);
    return TLU_OK;
}

// ---- the main loop ----

// A training in several processes saves its state between passes, when all have the same. Process 0
// does it.
static tlu_status save_pass(struct training *t, tlu_error *error)
{
    struct progress_reporter *reporter = &t->reporter;
    if (t->team->rank != 0 || !reporter->checkpoint)
        return TLU_OK;
    TRY(reporter->checkpoint(t, error));
    reporter->checkpoint_due = clock_seconds() + reporter->checkpoint_seconds;
    return TLU_OK;
}

tlu_status training_run(struct training *t, const tlu_options *options, struct checkpoint *resume,
                        tlu_error *error)
{
    bool converged, over = false;
    t->given = resume ? NULL : options; // a resumed run has the options of the checkpoint
    TRY(resume ? training_resume(t, resume, options, error) : training_begin(t, options, error));
    TRY(team_ready(t, error));
    while (!over) {
        TRY(shuffle_when_due(t, error));
        if (t->team)
            team_seed(t, ~t->run.pass);
        TRY(pass_run(t, error));
        if (t->reporter.interrupted)
            return note_interruption(t, error);
        if (t->run.pass == 0)
            TRY(training_all_read(t, error));
        TRY(record_pass(t, &converged, error));
        TRY(look_for_cycle(t, error));
        TRY(measure_held_out(t, error));
        TRY(skip_rest(t, converged, error));
        over = is_last_pass(t, converged);
        if (!over && t->team && t->team->checkpoint_due)
            TRY(save_pass(t, error));
    }
    if (t->team) // the models of all processes are the same
        random_seed(&t->learner.state.random, options_count(t->learner.state.options, OPTION_SEED));
    return TLU_OK;
}

tlu_status training_conclude(struct training *t, tlu_error *error)
{
    if (t->run.pass == 0) // interrupted
        TRY(training_all_read(t, error));
    TRY(outcome_now(&t->outcome, t, error));
    decision_end(&t->learner, t->outcome.stopped == STOPPED_CONVERGED);
    return hints_about_outcome(t, error);
}

void training_free(struct training *t)
{
    rows_free(&t->rows);
    learner_free_parts(&t->learner);
    run_free(&t->run);
    outcome_free(&t->outcome);
    holdout_free(&t->holdout);
}
