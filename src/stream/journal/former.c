// A process of version 2 wrote its opening and then its rows. If it was stopped between the two,
// the next process took the columns from that opening and wrote an opening of its own, which may be
// a header alone. But a process after that used the last opening.
//
// So with two openings before the first row, the first has the columns of the rows, because the
// process that wrote them had no other. With three, it depends on what the second means by itself.
// Each later opening has a checksum of the learner before it, which shows whether a process used
// another one.
#include "stream/journal/replay.h"

#include "base/memory.h"
#include "input/reader.h"

#include <stdio.h>
#include <string.h>

// The checksum, 0, NAME 0 VALUE 0 for each option that was set, 0, and the lines.
struct former_opening {
    uint64_t learned;
    uint32_t state;
    tlu_options *options;
    const char *lines; // [size]
    size_t size;
};

// The text at *at, which moves past it; NULL if it has no end.
static const char *next_text(const char **at, const char *limit)
{
    const char *text = *at, *end = memchr(text, '\0', (size_t)(limit - text));
    *at = end ? end + 1 : limit;
    return end ? text : NULL;
}

// Sets the defaults that streams had in that version.
static tlu_status set_former_defaults(tlu_options *options, tlu_error *error)
{
    if (!options_is_set(options, OPTION_LEARNER))
        TRY(tlu_options_set(options, "learner", "perceptron", error));
    if (!options_is_set(options, OPTION_DECIDE))
        TRY(tlu_options_set(options, "decide", "average", error));
    if (!options_is_set(options, OPTION_SCALE))
        TRY(tlu_options_set(options, "scale", "none", error));
    return TLU_OK;
}

static tlu_status unpack(struct former_opening *opening, const char *bytes, size_t size,
                         tlu_error *error)
{
    const char *at = bytes, *limit = bytes + size, *name = NULL, *value = "";
    const char *about = next_text(&at, limit);
    unsigned long long learned = 0;
    bool marked = about && sscanf(about, "%20llu %8x", &learned, &opening->state) == 2;
    opening->options = options_copy(NULL);
    TRY(enough_memory(opening->options, error));
    opening->learned = learned;
    while (marked && (name = next_text(&at, limit)) && *name && (value = next_text(&at, limit)))
        TRY(tlu_options_set(opening->options, option_name_of_stored(name), value, error));
    if (!marked || !name || !value)
        return error_input(error, "the journal does not say what its rows are");
    opening->lines = at;
    opening->size = (size_t)(limit - at);
    return set_former_defaults(opening->options, error);
}

static tlu_status in_doubt(tlu_error *error)
{
    return error_input(
        error,
        "the journal was begun several times by an earlier version of tlu, and it cannot be "
        "told whether its rows were read by the first lines or by the last: move it away and "
        "send the rows again; they are in it as text");
}

static tlu_status decide(struct reader **reader, const struct former_opening *opening,
                         struct schema *schema, tlu_error *error)
{
    const char *rest;
    size_t rest_size;
    uint64_t lines;
    return reader_open_stream(reader, "the journal", opening->lines, opening->size,
                              opening->options, schema, &rest, &rest_size, &lines, error);
}

// Whether a process that had only this opening would parse and learn as the learner does.
static tlu_status check_alone(struct replayer *replayer, const struct former_opening *opening,
                              tlu_error *error)
{
    const struct tlu_learner *own = replayer->stream->learner;
    struct reader *reader = NULL;
    tlu_learner *learner;
    tlu_status status = tlu_learner_new(opening->options, &learner, error);
    if (status == TLU_OK)
        status = decide(&reader, opening, &learner->state.schema, error);
    bool same = status == TLU_OK && schema_reads_same(&own->state.schema, &learner->state.schema);
    for (enum option i = 0; same && i < OPTION_COUNT; i++)
        same = !fixed_option(i) || options_same(own->state.options, learner->state.options, i);
    replayer->doubtful = !same;
    reader_close(reader);
    tlu_learner_free(learner);
    return status == TLU_ERROR_SYSTEM ? status : TLU_OK;
}

static tlu_status follow(struct replayer *replayer, const struct former_opening *opening,
                         tlu_error *error)
{
    struct tlu_stream *stream = replayer->stream;
    const struct tlu_learner *learner = stream->learner;
    if (opening->learned == learner->state.examples && opening->state != keep_state(learner))
        return replayer->doubtful
                   ? in_doubt(error)
                   : error_input(error, "the journal is that of another model, which had learned "
                                        "from as many rows; move it away to go on without it");
    if (replay_is_first(stream) && !schema_is_settled(&learner->state.schema)) {
        TRY(replay_begin_again(stream, opening->options, error));
        TRY(fixed_options_check("journal", stream->learner->state.options, stream->options, error));
    } else if (replay_is_first(stream)) {
        TRY(replayer->doubtful ? in_doubt(error) : check_alone(replayer, opening, error));
    }
    reader_close(stream->input.reader);
    stream->input.reader = NULL;
    return decide(&stream->input.reader, opening, &stream->learner->state.schema, error);
}

tlu_status former_opening(struct replayer *replayer, const char *bytes, size_t size,
                          tlu_error *error)
{
    struct former_opening opening = {0};
    tlu_status status = unpack(&opening, bytes, size, error);
    if (status == TLU_OK)
        status = follow(replayer, &opening, error);
    tlu_options_free(opening.options);
    return status;
}
