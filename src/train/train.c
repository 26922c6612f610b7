// The loop of all learners that go row by row:
//
//     initialize w = 0
//     for each pass
//         for each example (x, y) in the order of the pass
//             update w by the learner's rule (src/learners)
//         stop if there was no mistake
#include "train/train.h"

#include "learn/conflicts.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "learn/prune.h"
#include "train/checkpoint/checkpoint.h"
#include "train/clock.h"

#include <string.h>

void training_free(struct training *t)
{
    rows_free(&t->rows);
    learner_free_parts(&t->learner);
    run_free(&t->run);
    outcome_free(&t->outcome);
    holdout_replay_free(&t->holdout_replay);
    holdout_metric_free(&t->holdout_metric);
}

// ---- before the first example ----

static tlu_status check_options(struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    TRY(conflicts_check(learner, SITUATION_TRAINING, error));
    TRY(holdout_metric_choose(t, error));
    if (t->reporter.on_step)
        TRY(conflicts_check(learner, SITUATION_TRACE, error));
    if (t->reporter.checkpoint && checkpoint_obstacle(learner))
        return error_input(error, "no checkpoints: this training could not go on from one: %s",
                           checkpoint_obstacle(learner));
    return TLU_OK;
}

static tlu_status open_rows(struct training *t, tlu_error *error)
{
    tlu_options *options = t->learner.options;
    struct rows *rows = &t->rows;
    rows->scaling.kind = prepare_scale(&t->learner);
    rows->whole |= learner_needs_all_rows(&t->learner);
    rows->keep |= t->passes > 1 || options_number(options, OPTION_HOLDOUT) > 0;
    rows->row_source.is_over = progress_ends;
    rows->row_source.context = t;
    return rows_open(rows, options, &t->learner.schema, error);
}

tlu_status training_read(struct training *t, bool keep, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    TRY(rows_read(&t->rows, learner->options, keep, error));
    if (!t->rows.ended) {
        const struct batch *batch = rows_newest(&t->rows);
        for (size_t i = 0; i < batch->rows; i++)
            TRY(enough_memory(learner_count(learner, batch->labels[i]), error));
        TRY(enough_memory(learner->space.kernel.kind || learner_reserve(learner), error));
    }
    progress_report(t);
    return TLU_OK;
}

// The first rows, or all of them; they stay in memory.
static tlu_status read_ahead(struct training *t, tlu_error *error)
{
    struct rows *rows = &t->rows;
    while (!rows->ended && !t->reporter.interrupted &&
           (rows->whole || rows->counts.rows < TRAIN_LOOKAHEAD))
        TRY(training_read(t, true, error));
    if (rows->counts.rows == 0)
        return error_at(error, rows->path, 0, 0, "has no examples");
    if (schema_columns(&t->learner.schema) == 0 && rows->row_source.next_rows)
        return error_at(error, rows->path, 0, 0, "no row has a feature");
    if (schema_columns(&t->learner.schema) == 0)
        return error_at(error, rows->path, 0, 0,
                        "no row has a feature: is it really %s? (give --format if it is not)",
                        format_table[t->learner.schema.format].title);
    return TLU_OK;
}

tlu_status training_begin(struct training *t, const tlu_options *options, tlu_error *error)
{
    t->reporter.started = clock_seconds();
    t->reporter.checkpoint_due = t->reporter.started + t->reporter.checkpoint_seconds;
    TRY(learner_init(&t->learner, options, error));
    t->passes = options_count(t->learner.options, OPTION_EPOCHS);
    TRY(hints_about_options(t, error));
    TRY(check_options(t, error));
    TRY(open_rows(t, error));
    TRY(read_ahead(t, error));
    TRY(hints_about_ranges(t, error));
    TRY(prepare_choices(t, error));
    return prepare_rows(t, error);
}

// ---- the passes ----

uint64_t training_shuffles_due(const struct training *t, uint64_t pass)
{
    int shuffle = options_choice(t->learner.options, OPTION_SHUFFLE);
    return shuffle == SHUFFLE_ALL ? pass + 1 : shuffle == SHUFFLE_LATER ? pass : 0;
}

tlu_status training_shuffle(struct training *t, tlu_error *error)
{
    struct random *random = &t->learner.random;
    TRY(run_mark_shuffle(&t->run, random, options_count(t->learner.options, OPTION_SEED), error));
    rows_shuffle(&t->rows, random);
    t->run.shuffles.after = *random;
    return TLU_OK;
}

static tlu_status prune(struct training *t, tlu_error *error)
{
    size_t most = t->learner.pruning.max_features; // the rows so far are not looked at any more
    return most ? learner_prune(&t->learner, most, error) : TLU_OK;
}

// The rows that are there, and in the first pass those that are still to be read.
static tlu_status learn_pass(struct training *t, tlu_error *error)
{
    TRY(pass_learn(t, error));
    TRY(prune(t, error));
    while (!t->rows.ended && !t->reporter.interrupted) {
        TRY(training_read(t, t->rows.keep, error));
        TRY(pass_learn(t, error));
        TRY(prune(t, error));
        progress_report(t);
        TRY(progress_checkpoint(t, error));
    }
    return TLU_OK;
}

static tlu_status check_classes(const struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.schema;
    char label[64];
    if (schema_classes(schema) == 1 && t->reporter.interrupted)
        return error_interrupted(error, "interrupted before a second class was met");
    if (schema_classes(schema) == 1)
        return error_at(
            error, t->rows.path, 0, 0,
            "all %llu rows have the label '%s': learning needs two classes",
            (unsigned long long)t->rows.counts.rows,
            error_quote(label, sizeof label, schema->spelled[0], strlen(schema->spelled[0])));
    // What the rows have that an interrupted run did not read is not known.
    return t->reporter.interrupted ? TLU_OK : learner_check_labels(&t->learner, error);
}

tlu_status training_all_read(struct training *t, tlu_error *error)
{
    TRY(check_classes(t, error));
    // A class may have turned up after the last row learned from.
    TRY(learner_add_classes(&t->learner, schema_classes(&t->learner.schema), error));
    return hints_about_data(t, error);
}

tlu_status training_go_on(struct training *t, tlu_error *error)
{
    for (bool over = false; !over;) {
        while (t->run.shuffles.count < training_shuffles_due(t, t->run.pass))
            TRY(training_shuffle(t, error));
        TRY(learn_pass(t, error));
        progress_report(t);
        if (t->reporter.interrupted)
            break;
        if (t->run.pass == 0)
            TRY(training_all_read(t, error));
        TRY(pass_end(t, &over, error));
    }
    if (t->run.pass == 0 && t->run.now.examples == 0)
        return error_interrupted(error, "interrupted before anything was learned");
    if (t->reporter.interrupted)
        t->outcome.stopped = STOPPED_INTERRUPTED;
    return TLU_OK;
}

tlu_status training_run(struct training *t, const tlu_options *options, tlu_error *error)
{
    t->given = options;
    TRY(training_begin(t, options, error));
    return training_go_on(t, error);
}

// ---- after the last example ----

tlu_status training_conclude(struct training *t, tlu_error *error)
{
    if (t->run.pass == 0) // interrupted
        TRY(training_all_read(t, error));
    TRY(outcome_now(&t->outcome, t, error));
    decision_end(&t->learner, t->outcome.stopped == STOPPED_CONVERGED);
    return hints_about_outcome(t, error);
}
