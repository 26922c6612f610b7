// Opens, saves and closes a stream: a model in a file that learns from rows as they arrive.
//
// A chunk of the stream is parsed (poll.c) and written to the journal; then its rows are predicted,
// answered and learned one by one (rows.c). The journal has the original text and how to parse it,
// so that learning it again gives the same bits (journal/replay.c).
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "model/model.h"
#include "stream/internal.h"
#include "stream/journal/replay.h"

#include <string.h>

bool fixed_option(enum option option)
{
    return strcmp(tlu_option_at(option)->group, "learning") == 0 || option == OPTION_HASH ||
           option == OPTION_SCALE || option == OPTION_NGRAMS || option == OPTION_LOWERCASE ||
           option == OPTION_MULTILABEL || option == OPTION_LABEL_SEPARATOR;
}

tlu_status fixed_options_check(const char *what, const tlu_options *own, const tlu_options *given,
                               tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (fixed_option(i) && options_is_set(given, i) && !options_is_auto(given, i) &&
            !options_same(own, given, i))
            return error_input(error,
                               "the %s was made with --%s '%.80s', not '%.80s'; leave the option "
                               "out to go on with it",
                               what, tlu_option_at(i)->name, options_text(own, i),
                               options_text(given, i));
    return TLU_OK;
}

// Keeps the model's --missing, unless the user sets another.
static tlu_status keep_missing(struct tlu_stream *stream, const tlu_model *model, tlu_error *error)
{
    if (options_is_set(stream->options, OPTION_MISSING))
        return TLU_OK;
    return tlu_options_set(stream->options, tlu_option_at(OPTION_MISSING)->name,
                           options_text(model->state.options, OPTION_MISSING), error);
}

static tlu_status load_model(struct tlu_stream *stream, const tlu_model *model, tlu_error *error)
{
    TRY(fixed_options_check("model", model->state.options, stream->options, error));
    TRY(keep_missing(stream, model, error));
    TRY(tlu_learner_resume(model, &stream->learner, error));
    stream->keep.saved = stream->learner->state.examples;
    stream->learner->state.schema.known = true;
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
    const struct scheme *scheme = &learner->state.scheme;
    enum logits logits =
        rule_logits(learner->state.options, scheme->classes < 2 ? scheme->wanted : scheme->kind);
    if (!stream->answers.probabilities || output_has_probabilities(&learner->state.output, logits))
        return TLU_OK;
    return error_input(error, "the model has no probabilities: %s",
                       rule_no_logits(learner->state.options, scheme->classes));
}

static tlu_status open_parts(struct tlu_stream *stream, const char *path,
                             const tlu_options *options, const tlu_stream_settings *settings,
                             tlu_error *error)
{
    stream->options = options_copy(options);
    stream->own.batch = batch_new();
    TRY(enough_memory(
        stream->options && stream->own.batch && counts_init(&stream->counts, settings), error));
    stream->answers.scores = settings->scores != 0;
    stream->answers.probabilities = settings->probabilities != 0;
    stream->poll.threads = parallel_threads((size_t)options_count(stream->options, OPTION_THREADS));
    stream->input.row_max = (size_t)options_count(stream->options, OPTION_MAX_ROW);
    // First, because a process that has the model or its journal open may still save it.
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
    return stream->learner->state.scheme.classes < 2
               ? TLU_OK
               : keep_save(&stream->keep, stream->learner, error);
}

const tlu_stream_stats *tlu_stream_get_stats(tlu_stream *stream)
{
    return counts_now(&stream->counts, stream->learner);
}

const char *tlu_stream_assumption(const tlu_stream *stream)
{
    return stream->input.guessed[0] ? stream->input.guessed : NULL;
}

void tlu_stream_close(tlu_stream *stream)
{
    if (!stream)
        return;
    read_ahead_free(stream->poll.ahead);
    memory_free(stream->poll.waiting);
    reader_close(stream->input.reader);
    keep_close(&stream->keep);
    tlu_learner_free(stream->learner);
    tlu_options_free(stream->options);
    batch_free(stream->own.batch);
    resolver_free(&stream->resolver);
    memory_free(stream->refused.rows);
    answers_free(&stream->answers);
    counts_free(&stream->counts);
    memory_free(stream);
}
