// A model that lives in a file and learns from a stream.
//
// A piece of the stream goes through four steps: its rows are parsed, put down in the journal,
// predicted and learned from one by one, and answered. What the journal has is text as it came and
// how it is read, so that learning from it again is the same work with the same bits (keep.c). How
// it is read is decided by the first lines of the stream, which are always the same, however the
// stream is cut into pieces.
#include "base/memory.h"
#include "base/parallel.h"
#include "live/inside.h"
#include "live/opening.h"
#include "model/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WINDOW 1000

// The first row of the batch with a class that --positive leaves no room for, else their number.
static tlu_status third_class(const struct tlu_live *live, size_t *row, tlu_error *error)
{
    const struct schema *schema = &live->learner->schema;
    const struct batch *batch = live->batch;
    const char *positive = options_text(live->learner->options, OPTION_POSITIVE);
    bool news = schema_classes(schema) < 2;
    for (uint32_t c = 0; !news && c < batch->classes.count; c++)
        news = schema_class_find(schema, table_text(&batch->classes, c),
                                 table_length(&batch->classes, c)) == SCHEMA_NONE;
    *row = batch->rows;
    if (!positive[0] || !news)
        return TLU_OK;
    struct schema met;
    schema_init(&met);
    bool fine = schema_class_add(&met, positive, strlen(positive)) != SCHEMA_NONE;
    for (uint32_t c = 0; fine && c < schema_classes(schema); c++)
        fine =
            schema_class_add(&met, schema->spelled[c], strlen(schema->spelled[c])) != SCHEMA_NONE;
    for (size_t i = 0; fine && i < *row; i++) {
        uint32_t label = batch->labels[i];
        if (label == TLU_NO_LABEL)
            continue;
        fine = schema_class_add(&met, table_text(&batch->classes, label),
                                table_length(&batch->classes, label)) != SCHEMA_NONE;
        if (schema_classes(&met) > 2)
            *row = i;
    }
    schema_free(&met);
    return fine ? TLU_OK : error_memory(error);
}

// The bytes before a line of the piece, from 1.
static size_t bytes_before(const char *bytes, size_t size, uint64_t line)
{
    const char *at = bytes, *limit = bytes + size;
    while (--line && (at = memchr(at, '\n', (size_t)(limit - at))))
        at++;
    return at ? (size_t)(at - bytes) : size;
}

// What cannot be learned from is refused before it is in the journal. *bad: there is such a row,
// and the piece ends before it.
static tlu_status check_piece(struct tlu_live *live, struct piece *piece, bool *bad,
                              tlu_error *error)
{
    struct batch *batch = piece->batch;
    size_t third;
    if (piece->result == PARSE_MEMORY)
        return error_memory(error);
    tlu_status status = third_class(live, &third, error);
    if (status != TLU_OK)
        return status;
    bool is_third = third < batch->rows;
    *bad = piece->result == PARSE_BAD || is_third;
    if (is_third) {
        char name[64];
        uint32_t label = batch->labels[third];
        error_quote(name, sizeof name, table_text(&batch->classes, label),
                    table_length(&batch->classes, label));
        snprintf(piece->why.reason, sizeof piece->why.reason,
                 "--positive is for two classes, and '%s' would be the third", name);
        piece->why.line = batch->line[third];
        piece->why.column = 0;
        batch->rows = third;
    }
    if (*bad)
        piece->size = bytes_before(piece->bytes, piece->size, piece->why.line);
    if (*bad && !is_third) // the line may be one inside of the row
        piece->size = reader_complete(live->reader, piece->bytes, piece->size);
    return TLU_OK;
}

// The bytes of the piece without those of rows that were refused; returns how many.
static size_t leave_out(const struct tlu_live *live, const struct piece *piece, char *to)
{
    const struct batch *batch = live->batch;
    size_t at = 0, size = 0;
    uint64_t line = 1; // at `at`
    for (size_t k = 0; k < live->refused_count; k++) {
        size_t row = live->refused[k];
        for (size_t end = 0; end < 2; end++) { // to the start of the row, and then to its end
            size_t left = piece->size - at, bytes = left;
            if (row + end < batch->rows)
                bytes = bytes_before(piece->bytes + at, left, batch->line[row + end] - line + 1);
            if (!end)
                memcpy(to + size, piece->bytes + at, bytes);
            size += end ? 0 : bytes;
            at += bytes;
            line = row + end < batch->rows ? batch->line[row + end] : line;
        }
    }
    memcpy(to + size, piece->bytes + at, piece->size - at);
    return size + piece->size - at;
}

// Not all of the piece was learned from: a row was refused, or memory ran out behind one. The
// journal gets what was, no more.
static void take_back(struct tlu_live *live, struct piece *piece, uint64_t number, size_t done,
                      bool kept)
{
    struct batch *batch = live->batch;
    if (done < batch->rows)
        piece->size = bytes_before(piece->bytes, piece->size, batch->line[done]);
    batch->rows = done;
    if (!kept)
        return;
    char *rest = memory_new(piece->size + 1, 1);
    size_t size = rest ? leave_out(live, piece, rest) : 0;
    live->journal_behind |= !rest;
    live_put_less(live, number, rest, live->learner->examples > number ? size : 0);
    memory_free(rest);
}

// Rows of the stream. *used: how many of the bytes are done with.
static tlu_status take_piece(struct tlu_live *live, struct piece *piece, size_t *used,
                             tlu_error *error)
{
    uint64_t number = live->learner->examples;
    size_t done = 0, whole = piece->size;
    bool bad = false;
    live->batch = piece->batch;
    tlu_status status = check_piece(live, piece, &bad, error);
    bool kept = status == TLU_OK && live->journal && live_labelled(live->batch);
    if (kept)
        status = live_put_down(live, piece->bytes, piece->size, error);
    if (status != TLU_OK)
        return status;
    status = live_take_rows(live, true, &done, error);
    if (status != TLU_OK || live->refused_count)
        take_back(live, piece, number, done, kept);
    *used += piece->size;
    live->counts.skipped += live->batch->counts.skipped_rows;
    if (status == TLU_OK && bad)
        status = error_at(error, "-", live->lines + piece->why.line, piece->why.column, "%s",
                          piece->why.reason);
    live->lines += piece->size == whole ? piece->lines : piece_lines(piece);
    return status;
}

// ---- opening ----

// *header: bytes of the opening before its first row.
static tlu_status open_reader(struct tlu_live *live, const char *opening, size_t size,
                              size_t *header, tlu_error *error)
{
    struct schema *schema = &live->learner->schema;
    const char *rest;
    size_t rest_size;
    bool settled = schema_is_settled(schema);
    tlu_status status = reader_open_live(&live->reader, "-", opening, size, live->options, schema,
                                         &rest, &rest_size, &live->lines, error);
    if (status == TLU_OK && live->journal)
        status = live_make_plan(live, error);
    if (status == TLU_OK) {
        reader_limit_rows(live->reader, live->row_most);
        *header = size - rest_size;
        return TLU_OK;
    }
    reader_close(live->reader);
    live->reader = NULL;
    live->lines = 0;
    if (!settled) { // half made; nothing was learned yet
        schema_free(schema);
        schema_init(schema);
    }
    return status;
}

// CSV that nobody has called so may be text after all.
static void note_guess(struct tlu_live *live)
{
    const struct schema *schema = &live->learner->schema;
    char name[64];
    if (schema->format != DATA_CSV || options_choice(live->options, OPTION_FORMAT) != FORMAT_AUTO)
        return;
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_LABEL)
            snprintf(live->guessed, sizeof live->guessed, "%s with the label in column '%s'",
                     schema->delimiter == '\t' ? "TSV" : "CSV",
                     error_quote(name, sizeof name, schema->columns[i].name,
                                 strlen(schema->columns[i].name)));
}

// A stream that begins with these lines.
static tlu_status open_stream(struct tlu_live *live, const char *opening, size_t size,
                              size_t *header, tlu_error *error)
{
    bool settled = schema_is_settled(&live->learner->schema);
    if ((size >= 2 && memcmp(opening, "\x1F\x8B", 2) == 0) ||
        (size >= 4 && memcmp(opening, "\x28\xB5\x2F\xFD", 4) == 0))
        return error_at(error, "-", 1, 1,
                        "the stream is compressed: unpack it before, by zcat or zstdcat");
    tlu_status status = open_reader(live, opening, size, header, error);
    if (status == TLU_OK && !settled)
        note_guess(live);
    return status;
}

static tlu_status too_long(const struct tlu_live *live, uint64_t line, tlu_error *error)
{
    bool csv = live->reader && live->learner->schema.format == DATA_CSV;
    return error_at(error, "-", line, 0, TOO_LONG, live->row_most, csv ? TOO_LONG_CSV : "");
}

// Before the format is known, rows are lines.
static tlu_status check_lines(const struct tlu_live *live, const char *bytes, size_t size,
                              tlu_error *error)
{
    uint64_t line = 1;
    if (size <= live->row_most)
        return TLU_OK;
    for (const char *at = bytes, *limit = bytes + size; at < limit; line++) {
        const char *newline = memchr(at, '\n', (size_t)(limit - at));
        const char *end = newline ? newline : limit;
        if ((size_t)(end - at) > live->row_most)
            return too_long(live, line, error);
        at = newline ? newline + 1 : limit;
    }
    return TLU_OK;
}

// What is left behind the last whole row is a part of one. Before the format is known, it is two
// rows at most, as the decision takes.
static tlu_status check_rest(const struct tlu_live *live, const char *bytes, size_t size,
                             tlu_error *error)
{
    if (!live->reader && size / 2 <= live->row_most)
        return check_lines(live, bytes, size, error);
    return size > live->row_most ? too_long(live, live->lines + 1, error) : TLU_OK;
}

// The whole rows among the bytes. *used: how many of these are done with.
static tlu_status take(struct tlu_live *live, const char *bytes, size_t size, bool end,
                       size_t *used, tlu_error *error)
{
    tlu_status status = TLU_OK;
    struct piece *piece = &live->own;
    *used = 0;
    if (!live->reader) {
        size_t opening = opening_size(live->options, &live->learner->schema, bytes, size, end);
        if (!opening && end)
            *used = size; // blank
        if (!opening)
            return check_rest(live, bytes, size - *used, error);
        status = check_lines(live, bytes, opening, error);
        if (status != TLU_OK)
            return status;
        status = open_stream(live, bytes, opening, used, error);
        if (status != TLU_OK)
            return status;
    }
    piece->bytes = bytes + *used;
    piece->size = size - *used;
    if (!end)
        piece->size = reader_complete(live->reader, piece->bytes, piece->size);
    if (!piece->size && end && live->guessed[0] && !live->counts.rows)
        return error_input(error,
                           "the stream has a header and no rows, taken for %s: --header no or "
                           "--format say otherwise",
                           live->guessed);
    if (piece->size) {
        piece_parse(piece, live->reader);
        status = take_piece(live, piece, used, error);
    }
    return status == TLU_OK ? check_rest(live, bytes + *used, size - *used, error) : status;
}

// The answers, whatever became of the rows behind them.
static tlu_status give(const struct tlu_live *live, tlu_status status, const char **text,
                       size_t *length)
{
    *text = live->text;
    *length = live->text_size;
    return status;
}

tlu_status tlu_live_take(tlu_live *live, const char *bytes, size_t size, int end, size_t *used,
                         const char **text, size_t *length, tlu_error *error)
{
    live->text_size = 0;
    return give(live, take(live, bytes, size, end != 0, used, error), text, length);
}

// ---- reading ----

// Rows that this thread reads. Where there was much of it, the rest is left to other threads.
static tlu_status pull_here(struct tlu_live *live, tlu_read_function read, void *context, int *end,
                            bool *much, tlu_error *error)
{
    size_t got = 0, used = 0;
    if (!memory_reserve(&live->waiting, &live->waiting_capacity, live->waiting_size + AHEAD_SIZE,
                        1))
        return error_memory(error);
    tlu_status status =
        read(context, live->waiting + live->waiting_size, AHEAD_SIZE, &got, end, error);
    if (status != TLU_OK)
        return status;
    *much = got >= AHEAD_SIZE / 2;
    live->waiting_line |= got && memchr(live->waiting + live->waiting_size, '\n', got);
    live->waiting_size += got;
    if (!*end && (!live->waiting_line || (*much && live->waiting_size < live->look_at)))
        return check_rest(live, live->waiting, live->waiting_size, error);
    status = take(live, live->waiting, live->waiting_size, *end != 0, &used, error);
    live->waiting_line = false;
    live->waiting_size -= used;
    memmove(live->waiting, live->waiting + used, live->waiting_size);
    // Where there is no end of a row in much text, it is looked for again in twice as much.
    live->look_at = live->waiting_size > 8 * AHEAD_SIZE ? 2 * live->waiting_size : 0;
    return status;
}

// Rows that others have read; where there are none, what they have left.
static tlu_status pull_ahead(struct tlu_live *live, int *end, tlu_error *error)
{
    size_t size, used = 0;
    const char *rest;
    struct piece *piece = ahead_next(live->ahead);
    if (piece)
        return take_piece(live, piece, &used, error);
    live->reads_ahead = false;
    tlu_status status = ahead_rest(live->ahead, &rest, &size, end, error);
    if (!memory_reserve(&live->waiting, &live->waiting_capacity, size + 1, 1))
        return error_memory(error);
    if (size)
        memcpy(live->waiting, rest, size);
    live->waiting_size = size;
    live->waiting_line = size && memchr(rest, '\n', size);
    live->look_at = 0;
    return status == TLU_OK ? check_rest(live, rest, size, error) : status;
}

tlu_status tlu_live_pull(tlu_live *live, tlu_read_function read, void *context, int *state,
                         const char **text, size_t *length, tlu_error *error)
{
    int end = 0;
    bool much = false;
    live->text_size = 0;
    tlu_status status = live->reads_ahead ? pull_ahead(live, &end, error)
                                          : pull_here(live, read, context, &end, &much, error);
    if (status == TLU_OK && much && live->reader && live->threads > 1) {
        live->ahead = live->ahead ? live->ahead : ahead_new(live->threads - 1);
        live->reads_ahead = live->ahead && ahead_start(live->ahead, live->reader, read, context,
                                                       live->waiting, live->waiting_size);
    }
    *state = end ? TLU_LIVE_END : live->reads_ahead || much ? TLU_LIVE_MORE : TLU_LIVE_WAIT;
    return give(live, status, text, length);
}

// ---- beginning and end ----

tlu_status tlu_live_save(tlu_live *live, tlu_error *error)
{
    tlu_model *model;
    if (live->learner->classes < 2)
        return TLU_OK;
    tlu_status status = tlu_learner_model(live->learner, &model, error);
    if (status != TLU_OK)
        return status;
    status = tlu_model_save(model, live->path, error);
    tlu_model_free(model);
    if (status == TLU_OK && live->journal)
        status = live_empty_journal(live, error);
    return status;
}

static tlu_status open_model(struct tlu_live *live, const tlu_options *options, tlu_error *error)
{
    tlu_model *model;
    live->is_new = access(live->path, F_OK) != 0 && errno == ENOENT;
    if (live->is_new)
        return tlu_learner_new(options, &live->learner, error);
    tlu_status status = tlu_model_load(live->path, &model, error);
    if (status != TLU_OK)
        return status;
    status = live_check_options("model", model->options, options, error);
    if (status == TLU_OK)
        status = tlu_learner_resume(model, &live->learner, error);
    if (status == TLU_OK)
        live->learner->schema.known = true;
    tlu_model_free(model);
    return status;
}

// Without a journal, that of the model must have no rows.
static tlu_status check_no_journal(const char *path, tlu_error *error)
{
    size_t length = strlen(path);
    char *journal = memory_new(length + sizeof TLU_JOURNAL_SUFFIX, 1);
    if (!journal)
        return error_memory(error);
    memcpy(journal, path, length);
    memcpy(journal + length, TLU_JOURNAL_SUFFIX, sizeof TLU_JOURNAL_SUFFIX);
    tlu_status status = journal_check_unused(journal, error);
    memory_free(journal);
    return status;
}

tlu_status tlu_live_open(const char *path, const tlu_options *options,
                         const tlu_live_settings *settings, tlu_live **out, tlu_error *error)
{
    static const tlu_live_settings none;
    settings = settings ? settings : &none;
    *out = NULL;
    tlu_live *live = memory_new(1, sizeof *live);
    if (!live)
        return error_memory(error);
    live->window = settings->window ? settings->window : WINDOW;
    live->scores = settings->scores != 0;
    live->report = settings->report;
    live->context = settings->context;
    live->next_report = 1;
    live->path = memory_copy_text(path, strlen(path));
    live->options = options ? options_copy(options) : tlu_options_new();
    live->right = memory_new(live->window, sizeof *live->right);
    live->own.batch = batch_new();
    if (live->options) {
        live->threads = parallel_threads((size_t)options_count(live->options, OPTION_THREADS));
        live->row_most = (size_t)options_count(live->options, OPTION_MAX_ROW);
    }
    tlu_status status = live->path && live->options && live->own.batch && live->right
                            ? TLU_OK
                            : error_memory(error);
    if (status == TLU_OK && settings->journal) // first: who has it may save the model until then
        status = journal_open(&live->journal, settings->journal, error);
    else if (status == TLU_OK)
        status = check_no_journal(path, error);
    if (status == TLU_OK)
        status = open_model(live, live->options, error);
    if (status == TLU_OK && live->journal)
        status = live_replay(live, error);
    if (status != TLU_OK)
        tlu_live_close(live);
    else
        *out = live;
    return status;
}

tlu_live_counts tlu_live_count(const tlu_live *live)
{
    tlu_live_counts counts = live->counts;
    counts.learned = live->learner->examples;
    counts.features = schema_columns(&live->learner->schema);
    counts.classes = schema_classes(&live->learner->schema);
    const struct slots *slots = &live->learner->schema.slots;
    counts.slots = slots->bits ? (uint64_t)1 << slots->bits : 0;
    counts.slots_used = slots->used;
    counts.slots_shared = slots->shared;
    counts.decided_by = weights_by_name(live->learner->weights.by);
    return counts;
}

const char *tlu_live_guessed(const tlu_live *live)
{
    return live->guessed[0] ? live->guessed : NULL;
}

void tlu_live_close(tlu_live *live)
{
    if (!live)
        return;
    ahead_free(live->ahead);
    reader_close(live->reader);
    journal_close(live->journal);
    tlu_learner_free(live->learner);
    tlu_options_free(live->options);
    batch_free(live->own.batch);
    memory_free(live->waiting);
    memory_free(live->names);
    memory_free(live->classes);
    memory_free(live->features);
    memory_free(live->values);
    memory_free(live->plan);
    memory_free(live->right);
    memory_free(live->refused);
    memory_free(live->text);
    memory_free(live->path);
    memory_free(live);
}
