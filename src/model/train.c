// The public functions for training: from settings to a model.
#include "train/train.h"
#include "base/call/callback.h"
#include "base/settings.h"
#include "input/given_rows.h"
#include "learn/mix.h"
#include "model/calibrate/calibrate.h"
#include "model/make.h"
#include "train/team.h"

#include <stdio.h>

#include <string.h>

// Makes the model of a finished or interrupted training. If there is no memory for a checkpoint,
// the model has none.
static tlu_status make_run(struct training *t, tlu_model **model, tlu_error *error)
{
    if (t->outcome.stopped == STOPPED_INTERRUPTED && checkpoint_is_possible(t))
        checkpoint_pack(&t->outcome.checkpoint, t);
    TRY(training_conclude(t, error));
    t->outcome.final = true;
    return make_trained(model, t, &t->outcome, error);
}

tlu_status model_train(struct training *t, const tlu_options *options, struct checkpoint *resume,
                       tlu_model **model, tlu_error *error)
{
    struct calibrator calibrator;
    *model = NULL;
    tlu_status status = calibrator_open(&calibrator, t, options, error);
    if (status == TLU_OK)
        status = training_run(t, options, resume, error);
    if (status == TLU_OK)
        status = make_run(t, model, error);
    training_free(t);
    if (status == TLU_OK)
        status = calibrator_run(&calibrator, *model, error);
    calibrator_close(&calibrator);
    if (status == TLU_OK)
        return TLU_OK;
    tlu_model_free(*model);
    *model = NULL;
    return status;
}

static struct start start_of(const tlu_model *model, const tlu_options *given)
{
    const struct score_output *output = &model->state.output;
    return (struct start){.model = model,
                          .given = given,
                          .held_out = options_number(model->state.options, OPTION_HOLDOUT) > 0,
                          .has_output = model_is_calibrated(model) || output->labels.at ||
                                        output->threshold.on != THRESHOLD_NONE,
                          .pack = start_pack,
                          .load = start_load};
}

// The training that the settings describe: on a file, on rows in memory, or on rows that a function
// provides. The rows must outlive it.
static struct training training_of(const tlu_train_settings *settings, const tlu_options *options,
                                   struct given_rows *rows)
{
    struct training training = {.rows.path = settings->path};
    struct progress_reporter *reporter = &training.reporter;
    reporter->progress = settings->progress;
    reporter->context = settings->progress_context;
    if (settings->start)
        training.start = start_of(settings->start, options);
    if (settings->checkpoint) {
        reporter->checkpoint = model_checkpoint;
        reporter->checkpoint_path = settings->checkpoint;
        reporter->checkpoint_seconds = settings->checkpoint_seconds;
    }
    training.rows.factors = settings->weights;
    training.rows.factor_count = settings->weight_count;
    if (settings->bytes) {
        training.rows.path = rows->path;
        training.rows.row_source.bytes = settings->bytes;
        training.rows.row_source.size = settings->byte_count;
    } else if (!settings->path) {
        training.rows.path = rows->path;
        training.rows.row_source.next_rows = given_rows_next;
        training.rows.row_source.next_rows_context = rows;
        training.rows.row_source.again = settings->rows ? given_rows_again : NULL;
    }
    return training;
}

// The options of a training that starts from a model: those of the model, and those given that may
// differ. It makes one pass unless more are wanted.
static tlu_status start_options(tlu_options **options, const tlu_model *model,
                                const tlu_options *given, tlu_error *error)
{
    struct tlu_learner learner;
    tlu_status status = learner_init(&learner, model->state.options, error);
    const char *obstacle = status == TLU_OK ? mix_obstacle(&learner) : NULL;
    learner_free_parts(&learner);
    TRY(status);
    if (obstacle || !model_can_stream(model))
        return error_input(error, "a training cannot start from this model: %s",
                           obstacle ? obstacle : "it lacks the state of its learner");
    *options = options_copy(model->state.options);
    TRY(enough_memory(*options && options_share_data(*options, given), error));
    TRY(tlu_options_clear(*options, "calibrate", error));
    TRY(tlu_options_clear(*options, "holdout", error));
    TRY(tlu_options_clear(*options, "patience", error)); // which counts passes by held-out rows
    TRY(tlu_options_clear(*options, "part", error));     // of the data of that training
    TRY(tlu_options_set(*options, "epochs", "1", error));
    for (enum option i = 0; given && i < OPTION_COUNT; i++) {
        const tlu_option_info *info = tlu_option_at(i);
        if (!options_is_set(given, i) || options_same(*options, given, i) ||
            (i == OPTION_LEARNER && options_choice(given, i) == LEARNER_AUTO)) // that of the model
            continue;
        if (!mix_option_may_differ(i))
            return error_input(error,
                               "--%s is '%.80s' in the model to start from, and '%.80s' now: leave "
                               "it out",
                               info->name, options_text(*options, i), options_text(given, i));
        TRY(tlu_options_set(*options, info->name, options_text(given, i), error));
    }
    return TLU_OK;
}

tlu_status model_part_options(tlu_options **own, const struct team *team, bool path,
                              const tlu_options *options, tlu_error *error)
{
    *own = options_copy(options);
    TRY(enough_memory(*own != NULL, error));
    if (options_choice(*own, OPTION_CALIBRATE) != CALIBRATE_NONE)
        return error_input(error, "--calibrate cannot be combined with several processes: a "
                                  "calibration is fitted by cross-validation over all rows");
    return path ? team_part(team, *own, error) : TLU_OK;
}

// The processes that learn have to be those that were interrupted; a complete model is refused or
// calibrated elsewhere. Another number of them is found by the fingerprint of their rows.
static tlu_status check_processes(const tlu_model *begun, const struct team *team, tlu_error *error)
{
    bool several = begun->recorded.origin == ORIGIN_TEAM;
    if (!begun->checkpoint.size || several == (team != NULL))
        return TLU_OK;
    return error_input(error, several
                                  ? "several processes trained the model: resume it by the same "
                                    "mpirun command"
                                  : "one process trained the model: resume it without mpirun");
}

// Trains as the settings say, on the rows of `training`.
static tlu_status train_as(const tlu_train_settings *settings, const tlu_options *options,
                           struct training *training, tlu_model **model, tlu_error *error)
{
    struct resumption resumption = {0};
    tlu_options *starting = NULL, *parts = NULL;
    tlu_status status = TLU_OK;
    if (settings->resume)
        status = check_processes(settings->resume, training->team, error);
    if (status == TLU_OK && settings->resume)
        status = resume_begin(&resumption, settings->resume, options, error);
    else if (settings->start)
        status = start_options(&starting, settings->start, options, error);
    if (starting || settings->resume)
        options = starting ? starting : resumption.options;
    if (status == TLU_OK && training->team) {
        status = model_part_options(&parts, training->team, settings->path, options, error);
        options = parts;
    }
    if (status == TLU_OK && resumption.complete)
        status = model_calibrate(training, options, resumption.complete, model, error);
    else if (status == TLU_OK)
        status = model_train(training, options, resumption.checkpoint, model, error);
    tlu_options_free(parts);
    tlu_options_free(starting);
    resume_end(&resumption);
    return status;
}

// ---- several processes ----

tlu_status tlu_team_join(const tlu_team *given, const tlu_error *own, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_team taken;
    struct callback exchange;
    TRY(team_take(&taken, given, error));
    CALLBACK(exchange, exchange, taken.exchange, taken.exchange_context, caller);
    struct team *team = team_new(&taken, 0);
    TRY(enough_memory(team != NULL, error));
    tlu_status status = team_join(team, own, error);
    team_free(team);
    return status;
}

// All processes fail if one does.
static tlu_status train_in_team(const tlu_train_settings *settings, const tlu_team *out,
                                const tlu_options *options, struct training *training,
                                tlu_model **model, tlu_error *error)
{
    tlu_error own = {0};
    struct team *team;
    TRY(team_for_training(&team, out, settings->mix_every, settings->mix_weights, error));
    training->team = team;
    own.status = train_as(settings, options, training, model, &own);
    tlu_status status = own.status;
    if (!team->over)
        status = team_join(team, &own, &own);
    if (status != TLU_OK) {
        tlu_model_free(*model);
        *model = NULL;
        if (error)
            *error = own;
    }
    team_free(team);
    return status;
}

tlu_status tlu_train_with(const tlu_train_settings *settings, const tlu_options *options,
                          tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_train_settings own;
    tlu_team team;
    struct callback rows, progress, exchange;
    *model = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_train_settings", error));
    CALLBACK(rows, rows, own.next_rows, own.next_context, caller);
    CALLBACK(progress, progress, own.progress, own.progress_context, caller);
    if (own.team) {
        TRY(team_take(&team, own.team, error));
        CALLBACK(exchange, exchange, team.exchange, team.exchange_context, caller);
    }
    if ((own.path != NULL) + (own.rows != NULL) + (own.next_rows != NULL) + (own.bytes != NULL) !=
        1)
        return error_input(error, "a training needs data: one of path, rows, next_rows and bytes");
    if (own.weights && (own.rows || own.next_rows))
        return error_input(error, "the weights of rows in memory are in tlu_rows");
    if (own.weights && options && strcmp(tlu_options_get(options, "calibrate"), "none") != 0)
        return error_input(error, "weights of the rows of a file cannot be combined with "
                                  "calibrate, whose parts would not have them");
    if (own.weights && own.team)
        return error_input(error, "weights of the rows of a file cannot be combined with a team, "
                                  "whose processes read parts of it; put them in tlu_rows");
    if (own.start && (own.resume || own.checkpoint))
        return error_input(error,
                           "a training that starts from a model has no checkpoints and cannot "
                           "be resumed: start again");
    const tlu_model *before = own.resume ? own.resume : own.start;
    const tlu_options *in_force = before ? before->state.options : options;
    struct given_rows given = {.path = own.name ? own.name : "rows",
                               .skip_bad = in_force && options_flag(in_force, OPTION_SKIP_BAD),
                               .multilabel = in_force && options_flag(in_force, OPTION_MULTILABEL),
                               .first = own.rows,
                               .next = own.next_rows,
                               .next_context = own.next_context};
    struct training training = training_of(&own, options, &given);
    tlu_status status = own.team && team.ranks > 1
                            ? train_in_team(&own, &team, options, &training, model, error)
                            : train_as(&own, options, &training, model, error);
    given_rows_free(&given);
    return status;
}

tlu_status tlu_train(const char *path, const tlu_options *options, tlu_model **model,
                     tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_train_settings settings = {.size = sizeof settings, .path = path};
    return tlu_train_with(&settings, options, model, error);
}
