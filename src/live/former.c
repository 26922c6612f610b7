// A process of the version before wrote its opening, and then its rows. Where it was stopped
// between the two, the next one took the columns from that opening and wrote one of its own, which
// may be a header alone, as it had the columns. But whoever came then decided by that last opening.
//
// So with two openings before the first row, the first has the columns of the rows: the process
// that wrote them had no other. With three it depends on what the second comes to by itself. And
// later on each opening has a checksum of the learner before it, by which a process that went by
// another one is found out.
#include "live/former.h"

#include "base/memory.h"
#include "data/reading.h"

#include <stdio.h>
#include <string.h>

// The checksum, 0, NAME 0 VALUE 0 for each option that was set, 0, and the lines.
struct opening {
    uint64_t learned;
    uint32_t state;
    tlu_options *options;
    const char *lines; // [size]
    size_t size;
};

// The text at *at, which moves past it; NULL where it has no end.
static const char *next_text(const char **at, const char *limit)
{
    const char *text = *at, *end = memchr(text, '\0', (size_t)(limit - text));
    *at = end ? end + 1 : limit;
    return end ? text : NULL;
}

// What was not said meant something else to a stream then.
static tlu_status set_former_defaults(tlu_options *options, tlu_error *error)
{
    tlu_status status = TLU_OK;
    if (!options_is_set(options, OPTION_LEARNER))
        status = tlu_options_set(options, "learner", "perceptron", error);
    if (status == TLU_OK && !options_is_set(options, OPTION_DECIDE))
        status = tlu_options_set(options, "decide", "average", error);
    if (status == TLU_OK && !options_is_set(options, OPTION_SCALE))
        status = tlu_options_set(options, "scale", "none", error);
    return status;
}

static tlu_status unpack(struct opening *opening, const char *bytes, size_t size, tlu_error *error)
{
    const char *at = bytes, *limit = bytes + size, *name = NULL, *value = "";
    const char *about = next_text(&at, limit);
    unsigned long long learned = 0;
    bool marked = about && sscanf(about, "%20llu %8x", &learned, &opening->state) == 2;
    opening->options = tlu_options_new();
    tlu_status status = opening->options ? TLU_OK : error_memory(error);
    opening->learned = learned;
    while (status == TLU_OK && marked && (name = next_text(&at, limit)) && *name &&
           (value = next_text(&at, limit)))
        status = tlu_options_set(opening->options, name, value, error);
    if (status == TLU_OK && (!marked || !name || !value))
        status = error_input(error, "the journal does not say what its rows are");
    opening->lines = at;
    opening->size = (size_t)(limit - at);
    return status == TLU_OK ? set_former_defaults(opening->options, error) : status;
}

static tlu_status in_doubt(tlu_error *error)
{
    return error_input(
        error,
        "the journal was begun several times by an earlier version of tlu, and it cannot be "
        "told whether its rows were read by the first lines or by the last: move it away and "
        "send the rows again; they are in it as text");
}

static tlu_status decide(struct reader **reader, const struct opening *opening,
                         struct schema *schema, tlu_error *error)
{
    const char *rest;
    size_t rest_size;
    uint64_t lines;
    return reader_open_live(reader, "the journal", opening->lines, opening->size, opening->options,
                            schema, &rest, &rest_size, &lines, error);
}

// Whether a process that knew this opening alone would read and learn as the learner does.
static tlu_status check_alone(struct tlu_live *live, const struct opening *opening,
                              tlu_error *error)
{
    struct reader *reader = NULL;
    tlu_learner *learner;
    tlu_status status = tlu_learner_new(opening->options, &learner, error);
    if (status == TLU_OK)
        status = decide(&reader, opening, &learner->schema, error);
    bool same = status == TLU_OK && schema_reads_same(&live->learner->schema, &learner->schema);
    for (enum option i = 0; same && i < OPTION_COUNT; i++)
        same =
            !live_option_is_fixed(i) || options_same(live->learner->options, learner->options, i);
    live->doubtful = !same;
    reader_close(reader);
    tlu_learner_free(learner);
    return status == TLU_ERROR_SYSTEM ? status : TLU_OK;
}

static tlu_status follow(struct tlu_live *live, const struct opening *opening, tlu_error *error)
{
    const struct tlu_learner *learner = live->learner;
    bool first = live->is_new && !learner->examples;
    tlu_status status = TLU_OK;
    if (opening->learned == learner->examples && opening->state != live_state(learner))
        return live->doubtful
                   ? in_doubt(error)
                   : error_input(error, "the journal is that of another model, which had learned "
                                        "from as many rows; move it away to go on without it");
    if (first && !schema_is_settled(&learner->schema)) {
        status = live_begin_again(live, opening->options, error);
        if (status == TLU_OK)
            status = live_check_options("journal", live->learner->options, live->options, error);
    } else if (first) {
        status = live->doubtful ? in_doubt(error) : check_alone(live, opening, error);
    }
    if (status != TLU_OK)
        return status;
    reader_close(live->reader);
    live->reader = NULL;
    return decide(&live->reader, opening, &live->learner->schema, error);
}

tlu_status former_opening(struct tlu_live *live, const char *bytes, size_t size, tlu_error *error)
{
    struct opening opening = {0};
    tlu_status status = unpack(&opening, bytes, size, error);
    if (status == TLU_OK)
        status = follow(live, &opening, error);
    tlu_options_free(opening.options);
    return status;
}
