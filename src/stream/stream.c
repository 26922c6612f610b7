// A model that lives in a file and learns from a stream: opening, saving, closing.
//
// A piece of the stream goes through four steps: its rows are parsed (pull.c), put into the journal
// (accept.c), predicted and learned from one by one, and answered (rows.c). What the journal has is
// text as it came and how it is read, so that learning from it again is the same work with the same
// bits (journal/replay.c).
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "model/model.h"
#include "stream/fixed.h"
#include "stream/internal.h"
#include "stream/journal/replay.h"

#include <string.h>

// What a missing value means stays as it was, unless the user says otherwise.
static tlu_status keep_missing(struct tlu_stream *stream, const tlu_model *model, tlu_error *error)
{
    if (options_is_set(stream->options, OPTION_MISSING))
        return TLU_OK;
    return tlu_options_set(stream->options, tlu_option_at(OPTION_MISSING)->name,
                           options_text(model->options, OPTION_MISSING), error);
}

static tlu_status load_model(struct tlu_stream *stream, const tlu_model *model, tlu_error *error)
{
    TRY(fixed_options_check("model", model->options, stream->options, error));
    TRY(keep_missing(stream, model, error));
    TRY(tlu_learner_resume(model, &stream->learner, error));
    stream->learner->schema.known = true;
    return TLU_OK;
}

static tlu_status open_model(struct tlu_stream *stream, tlu_error *error)
{
    tlu_model *model;
    if (stream->keep.file.is_new)
        return tlu_learner_new(stream->options, &stream->learner, error);
    TRY(tlu_model_load(stream->keep.file.path, &model, error));
    tlu_status status = model_file_check(&stream->keep.file, false, error);
    if (status == TLU_OK)
        status = load_model(stream, model, error);
    tlu_model_free(model);
    return status;
}

static tlu_status check_probabilities(const struct tlu_stream *stream, tlu_error *error)
{
    const struct tlu_learner *learner = stream->learner;
    const struct scheme *scheme = &learner->scheme;
    enum logits logits =
        rule_logits(learner->options, scheme->classes < 2 ? scheme->wanted : scheme->kind);
    if (!stream->answers.probabilities || output_has_probabilities(&learner->output, logits))
        return TLU_OK;
    return error_input(error, "the model has no probabilities: %s",
                       rule_no_logits(learner->options, scheme->classes));
}

static tlu_status open_parts(struct tlu_stream *stream, const char *path,
                             const tlu_options *options, const tlu_stream_settings *settings,
                             tlu_error *error)
{
    stream->options = options_copy(options);
    stream->own.batch = batch_new();
    TRY(enough_memory(stream->options && stream->own.batch && tally_init(&stream->tally, settings),
                      error));
    stream->answers.scores = settings->scores != 0;
    stream->answers.probabilities = settings->probabilities != 0;
    stream->pull.threads = parallel_threads((size_t)options_count(stream->options, OPTION_THREADS));
    stream->input.row_most = (size_t)options_count(stream->options, OPTION_MAX_ROW);
    // First, since a process that has the model or its journal may save it until it lets go of
    // both.
    TRY(keep_open(&stream->keep, path, settings->journal, error));
    TRY(open_model(stream, error));
    TRY(check_probabilities(stream, error));
    return stream->keep.journal ? replay_journal(stream, error) : TLU_OK;
}

tlu_status tlu_stream_open(const char *path, const tlu_options *options,
                           const tlu_stream_settings *settings, tlu_stream **out, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_stream_settings own;
    *out = NULL;
    TRY(check_given(path != NULL, "path", error));
    TRY(settings_take(&own, sizeof own, settings, "tlu_stream_settings", error));
    tlu_stream *stream = memory_new(1, sizeof *stream);
    if (!stream)
        return error_memory(error);
    CALLBACK(stream->report, stream, own.report, own.report_context, caller);
    tlu_status status = open_parts(stream, path, options, &own, error);
    if (status != TLU_OK)
        tlu_stream_close(stream);
    else
        *out = stream;
    return status;
}

tlu_status tlu_stream_save(tlu_stream *stream, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return stream->learner->scheme.classes < 2 ? TLU_OK
                                               : keep_save(&stream->keep, stream->learner, error);
}

const tlu_stream_stats *tlu_stream_get_stats(tlu_stream *stream)
{
    return tally_counts(&stream->tally, stream->learner);
}

const char *tlu_stream_assumption(const tlu_stream *stream)
{
    return stream->input.guessed[0] ? stream->input.guessed : NULL;
}

void tlu_stream_close(tlu_stream *stream)
{
    if (!stream)
        return;
    ahead_free(stream->pull.ahead);
    memory_free(stream->pull.waiting);
    reader_close(stream->input.reader);
    keep_close(&stream->keep);
    tlu_learner_free(stream->learner);
    tlu_options_free(stream->options);
    batch_free(stream->own.batch);
    resolver_free(&stream->resolver);
    memory_free(stream->refused.rows);
    answers_free(&stream->answers);
    tally_free(&stream->tally);
    memory_free(stream);
}
