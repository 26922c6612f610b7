// A model that lives in a file and learns from a stream: opening, saving, closing.
//
// A piece of the stream goes through four steps: its rows are parsed (pull.c), put into the journal
// (accept.c), predicted and learned from one by one, and answered (rows.c). What the journal has is
// text as it came and how it is read, so that learning from it again is the same work with the same
// bits (journal/replay.c).
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "live/fixed.h"
#include "live/inside.h"
#include "live/journal/replay.h"
#include "model/model.h"

#include <string.h>

// What a missing value means stays as it was, unless the user says otherwise.
static tlu_status keep_missing(struct tlu_live *live, const tlu_model *model, tlu_error *error)
{
    if (options_is_set(live->options, OPTION_MISSING))
        return TLU_OK;
    return tlu_options_set(live->options, tlu_option_at(OPTION_MISSING)->name,
                           options_text(model->options, OPTION_MISSING), error);
}

static tlu_status load_model(struct tlu_live *live, const tlu_model *model, tlu_error *error)
{
    TRY(fixed_options_check("model", model->options, live->options, error));
    TRY(keep_missing(live, model, error));
    TRY(tlu_learner_resume(model, &live->learner, error));
    live->learner->schema.known = true;
    return TLU_OK;
}

static tlu_status open_model(struct tlu_live *live, tlu_error *error)
{
    tlu_model *model;
    if (live->keep.file.is_new)
        return tlu_learner_new(live->options, &live->learner, error);
    TRY(tlu_model_load(live->keep.file.path, &model, error));
    tlu_status status = model_file_check(&live->keep.file, false, error);
    if (status == TLU_OK)
        status = load_model(live, model, error);
    tlu_model_free(model);
    return status;
}

static tlu_status check_probabilities(const struct tlu_live *live, tlu_error *error)
{
    const struct tlu_learner *learner = live->learner;
    const struct scheme *scheme = &learner->scheme;
    enum logits logits =
        rule_logits(learner->options, scheme->classes < 2 ? scheme->wanted : scheme->kind);
    if (!live->answers.probabilities || readout_has_probabilities(&learner->readout, logits))
        return TLU_OK;
    return error_input(error, "the model has no probabilities: %s",
                       rule_no_logits(learner->options, scheme->classes));
}

static tlu_status open_parts(struct tlu_live *live, const char *path, const tlu_options *options,
                             const tlu_live_settings *settings, tlu_error *error)
{
    live->options = options ? options_copy(options) : tlu_options_new();
    live->own.batch = batch_new();
    TRY(enough_memory(live->options && live->own.batch && tally_init(&live->tally, settings),
                      error));
    live->answers.scores = settings->scores != 0;
    live->answers.probabilities = settings->probabilities != 0;
    live->pull.threads = parallel_threads((size_t)options_count(live->options, OPTION_THREADS));
    live->input.row_most = (size_t)options_count(live->options, OPTION_MAX_ROW);
    // First, since a process that has the model or its journal may save it until it lets go of
    // both.
    TRY(keep_open(&live->keep, path, settings->journal, error));
    TRY(open_model(live, error));
    TRY(check_probabilities(live, error));
    return live->keep.journal ? replay_journal(live, error) : TLU_OK;
}

tlu_status tlu_live_open(const char *path, const tlu_options *options,
                         const tlu_live_settings *settings, tlu_live **out, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_live_settings own;
    *out = NULL;
    TRY(check_given(path != NULL, "path", error));
    TRY(settings_take(&own, sizeof own, settings, "tlu_live_settings", error));
    tlu_live *live = memory_new(1, sizeof *live);
    if (!live)
        return error_memory(error);
    CALLBACK(live->report, live, own.report, own.report_context, caller);
    tlu_status status = open_parts(live, path, options, &own, error);
    if (status != TLU_OK)
        tlu_live_close(live);
    else
        *out = live;
    return status;
}

tlu_status tlu_live_save(tlu_live *live, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return live->learner->scheme.classes < 2 ? TLU_OK
                                             : keep_save(&live->keep, live->learner, error);
}

const tlu_live_counts *tlu_live_count(tlu_live *live)
{
    return tally_counts(&live->tally, live->learner);
}

const char *tlu_live_guessed(const tlu_live *live)
{
    return live->input.guessed[0] ? live->input.guessed : NULL;
}

void tlu_live_close(tlu_live *live)
{
    if (!live)
        return;
    ahead_free(live->pull.ahead);
    memory_free(live->pull.waiting);
    reader_close(live->input.reader);
    keep_close(&live->keep);
    tlu_learner_free(live->learner);
    tlu_options_free(live->options);
    batch_free(live->own.batch);
    resolver_free(&live->resolver);
    memory_free(live->refused.rows);
    answers_free(&live->answers);
    tally_free(&live->tally);
    memory_free(live);
}
