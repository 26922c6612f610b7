// Learns the rows of the journal that the model lacks.
#include "stream/journal/replay.h"

#include "stream/journal/plan.h"

static tlu_status not_its_journal(uint64_t number, uint64_t learned, tlu_error *error)
{
    return error_input(error,
                       "the journal is about row %llu, but the model has learned from %llu rows: "
                       "it is not the journal of this model; move it away to go on without it",
                       (unsigned long long)number, (unsigned long long)learned);
}

static tlu_status other_model(const struct tlu_stream *stream, tlu_error *error)
{
    return error_input(error,
                       "the journal continues another model than %s, which was replaced, changed "
                       "or removed since; put that model back, or move the journal away to go on "
                       "without its rows",
                       error_file_name(stream->keep.file.path));
}

tlu_status replay_begin_again(struct tlu_stream *stream, const tlu_options *options,
                              tlu_error *error)
{
    tlu_learner *learner;
    TRY(tlu_learner_new(options, &learner, error));
    reader_close(stream->input.reader); // it has the schema of the one before
    stream->input.reader = NULL;
    tlu_learner_free(stream->learner);
    stream->learner = learner;
    return TLU_OK;
}

bool replay_is_first(const struct tlu_stream *stream)
{
    return stream->keep.file.is_new && !stream->learner->state.examples;
}

// The columns must be those of the model or of an earlier plan.
static tlu_status check_plan(const struct tlu_stream *stream, const struct stream_plan *plan,
                             uint64_t number, tlu_error *error)
{
    const struct tlu_learner *learner = stream->learner;
    if (number == learner->state.examples && plan->state != keep_state(learner))
        return error_input(error, "the journal is that of another model, which had learned from "
                                  "as many rows; move it away to go on without it");
    if (!schema_reads_same(&learner->state.schema, &plan->decided))
        return error_input(error, "the journal has rows of another format, or with other columns, "
                                  "than the model: it is not the journal of this model; move it "
                                  "away to go on without it");
    return TLU_OK;
}

// Parses the rows by the plan. If there is neither a model nor a row before, the plan also defines
// the model.
static tlu_status follow_plan(struct replayer *replayer, const struct stream_plan *plan,
                              uint64_t number, tlu_error *error)
{
    struct tlu_stream *stream = replayer->stream;
    if (replay_is_first(stream)) {
        TRY(replay_begin_again(stream, plan->options, error));
        TRY(fixed_options_check("journal", stream->learner->state.options, stream->options, error));
        TRY(schema_settle_as(&stream->learner->state.schema, &plan->decided, "the journal", error));
    }
    TRY(check_plan(stream, plan, number, error));
    replayer->skip_bad = plan->reading.skip_bad;
    reader_close(stream->input.reader);
    return reader_open_read(&stream->input.reader, "the journal", &plan->reading,
                            &stream->learner->state.schema, error);
}

static tlu_status replay_plan(struct replayer *replayer, const struct journal_record *record,
                              tlu_error *error)
{
    struct stream_plan plan;
    tlu_status status = plan_unpack(&plan, record->plan, record->plan_size, error);
    if (status == TLU_OK)
        status = follow_plan(replayer, &plan, record->number, error);
    plan_free(&plan);
    return status;
}

// The rows of a record, parsed, in stream->batch.
static tlu_status read_rows(struct tlu_stream *stream, const struct journal_record *record,
                            tlu_error *error)
{
    struct stream_chunk *chunk = &stream->own;
    if (!stream->input.reader)
        return error_input(error, "the journal does not say what its rows are");
    chunk->bytes = record->bytes;
    chunk->size = record->size;
    chunk_parse(chunk, stream->input.reader);
    TRY(enough_memory(chunk->result != PARSE_MEMORY, error));
    if (chunk->result == PARSE_BAD)
        return error_input(error, "a row of the journal cannot be read: %s", chunk->why.reason);
    stream->batch = chunk->batch;
    return TLU_OK;
}

static tlu_status replay_record(void *context, const struct journal_record *record,
                                tlu_error *error)
{
    struct replayer *replayer = context;
    struct tlu_stream *stream = replayer->stream;
    uint64_t number = record->number, learned = stream->learner->state.examples;
    if (record->model) {
        replayer->states_model = true;
        replayer->has_model |= journal_same_model(record->model, &stream->keep.file.content);
    }
    if (record->model && !record->plan)
        return TLU_OK;
    if (!record->plan && number == FORMER_OPENING)
        return former_opening(replayer, record->bytes, record->size, error);
    if (number > learned)
        return replayer->states_model && !replayer->has_model
                   ? other_model(stream, error)
                   : not_its_journal(number, learned, error);
    if (record->plan)
        TRY(replay_plan(replayer, record, error));
    TRY(read_rows(stream, record, error));
    replayer->learned = number + chunk_labelled(&stream->own);
    replayer->refused = false;
    if (number < learned)
        return TLU_OK; // the model has it; the last record shows whether it is this model
    TRY(stream_replay_rows(stream, replayer->skip_bad, error));
    stream->counts.stats.replayed += stream->learner->state.examples - learned;
    replayer->learned = stream->learner->state.examples;
    replayer->refused = stream->refused.count > 0;
    return TLU_OK;
}

// The last record has rows that were refused, as the process was killed before it could take them
// back: more rows than were learned from. A record without rows says how many these were, in case
// the model is saved and the process killed again before the journal is empty.
static tlu_status note_refused(const struct replayer *replayer, tlu_error *error)
{
    const struct tlu_stream *stream = replayer->stream;
    struct journal_record record = {
        .number = stream->learner->state.examples, .bytes = "", .size = 0};
    return replayer->refused ? journal_append(stream->keep.journal, &record, error) : TLU_OK;
}

static tlu_status replay_records(struct replayer *replayer, tlu_error *error)
{
    struct tlu_stream *stream = replayer->stream;
    TRY(journal_replay(stream->keep.journal, replay_record, replayer, error));
    if (replayer->states_model && !replayer->has_model)
        return other_model(stream, error);
    if (replayer->learned && replayer->learned != stream->learner->state.examples)
        return not_its_journal(replayer->learned, stream->learner->state.examples, error);
    TRY(note_refused(replayer, error));
    // Without rows, the rest of the journal is ignored.
    if (replay_is_first(stream) && schema_is_settled(&stream->learner->state.schema))
        TRY(replay_begin_again(stream, stream->options, error));
    return TLU_OK;
}

tlu_status replay_journal(struct tlu_stream *stream, tlu_error *error)
{
    struct replayer replayer = {.stream = stream, .skip_bad = true};
    tlu_status status = replay_records(&replayer, error);
    reader_close(stream->input.reader); // the stream that comes now is another one
    stream->input.reader = NULL;
    return status;
}
