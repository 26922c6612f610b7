// A model that lives in a file and learns from a stream.
//
// A piece of the stream goes through four steps: its rows are parsed, put down in the journal,
// predicted and learned from one by one, and answered. What the journal has is text as it came, so
// that learning from it again is the same work with the same bits. A record is numbered by the
// rows learned before it: those that are in the model already are passed over. Before the first of
// a stream comes a record of the lines that its format was decided by (a header of CSV is among
// them). These are always the same, however the stream is cut into pieces.
#include "base/journal.h"
#include "base/memory.h"
#include "data/csv.h"
#include "data/hash.h"
#include "data/reader.h"
#include "data/recognise.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "learn/stream.h"
#include "model/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WINDOW 1000
#define OPENING UINT64_MAX // number of the record of lines that the format was decided by
#define OPENING_LINES 200  // at most

struct tlu_live {
    char *path;
    tlu_options *options; // to read with
    tlu_learner *learner;
    bool scores;

    struct reader *reader; // NULL before the first rows
    char *opening;         // [opening_size] the lines that it was opened with
    size_t opening_size;
    bool opening_kept; // they are in the journal
    uint64_t lines;    // of the stream before the next piece
    struct batch *batch;
    uint32_t *names; // [batch->names.count] the learner's numbers of the batch's, or SCHEMA_NONE
    size_t names_capacity;
    uint32_t *classes; // [batch->classes.count] the same for labels
    size_t classes_capacity;
    uint32_t *features; // a row in the learner's numbers
    float *values;
    size_t features_capacity, values_capacity;

    struct journal *journal; // NULL: none
    uint64_t journal_rows;   // learned, by what the journal has
    char *text;              // the answers
    size_t text_size, text_capacity;

    tlu_live_counts counts;
    tlu_live_function report; // NULL: nobody asks
    void *context;
    uint64_t next_report; // labelled rows
    uint8_t *right;       // [window] of the last labelled rows, in a ring
    size_t window;
};

// ---- one row ----

// A row of the batch in the learner's numbers. Rows without a label add no names; what the learner
// does not know is left out of them.
static tlu_status resolve(struct tlu_live *live, size_t i, bool labelled, tlu_row *row,
                          tlu_error *error)
{
    const struct batch *batch = live->batch;
    struct tlu_learner *learner = live->learner;
    struct schema *schema = &learner->schema;
    tlu_row raw = batch_row(batch, i);
    size_t count = 0;
    for (size_t k = 0; k < raw.count; k++) {
        uint32_t number = raw.features[k];
        if (number & BATCH_LOCAL) {
            uint32_t *known = &live->names[number & ~BATCH_LOCAL];
            const char *name = table_text(&batch->names, number & ~BATCH_LOCAL);
            size_t length = table_length(&batch->names, number & ~BATCH_LOCAL);
            if (*known == SCHEMA_NONE)
                *known =
                    labelled ? schema_add(schema, name, length) : schema_find(schema, name, length);
            number = *known;
            if (number == SCHEMA_NONE && labelled)
                return error_memory(error);
        } else if (schema->slots.bits && schema->format == DATA_LIBSVM) {
            number = labelled ? hash_index_add(schema, number) : hash_index_find(schema, number);
        } else if (labelled && schema->format == DATA_LIBSVM) {
            schema->lowest = number < schema->lowest ? number : schema->lowest;
            schema->highest = number > schema->highest ? number : schema->highest;
        }
        if (number == SCHEMA_NONE || (!labelled && number >= learner->weights.features))
            continue;
        live->features[count] = number;
        live->values[count++] = raw.values ? raw.values[k] : 1;
    }
    if (schema->slots.bits && !hash_fold_row(live->batch, live->features, live->values, &count))
        return error_memory(error);
    *row = (tlu_row){count, live->features, live->values};
    if (labelled && !weights_reserve(&learner->weights, schema_features(schema)))
        return error_memory(error);
    if (learner->online.on) {
        if (!online_scale_reserve(learner, count))
            return error_memory(error);
        if (labelled) // it changes no prediction
            online_scale_meet(learner, row);
        online_scale_row(learner, row, learner->online.room);
    }
    return TLU_OK;
}

// --max-features, once a row is learned. The names of the batch are to be looked up again. Where
// memory is out, the next row tries again.
static void prune(struct tlu_live *live)
{
    struct tlu_learner *learner = live->learner;
    uint64_t forgotten = learner->forgotten;
    if (learner->max_features)
        learner_prune(learner, learner->max_features, NULL);
    if (learner->forgotten > forgotten)
        memset(live->names, 0xFF, live->batch->names.count * sizeof *live->names);
}

// A label as a field of a line, as tlu predict prints it; returns its end.
static char *put_label(char *to, const char *label)
{
    static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
    for (; *label; label++) {
        const char *found = strchr(special, *label);
        if (found)
            *to++ = '\\';
        *to++ = found ? letters[found - special] : *label;
    }
    return to;
}

// "spam" or "spam<tab>0.25"; "?" before any label was met.
static bool answer(struct tlu_live *live, uint32_t winner)
{
    const struct tlu_learner *learner = live->learner;
    const char *label = learner->classes ? learner->schema.spelled[winner] : "?";
    if (!memory_reserve(&live->text, &live->text_capacity, live->text_size + 2 * strlen(label) + 64,
                        1))
        return false;
    char *at = put_label(live->text + live->text_size, label);
    if (live->scores) {
        double score = learner->classes > 2      ? learner->scores[winner]
                       : winner == learner->plus ? learner->scores[0]
                                                 : 0 - learner->scores[0];
        *at++ = '\t';
        at += number_print(at, learner->classes ? score : 0);
    }
    *at++ = '\n';
    live->text_size = (size_t)(at - live->text);
    return true;
}

static void count_guess(struct tlu_live *live, bool right)
{
    tlu_live_counts *counts = &live->counts;
    uint8_t *oldest = &live->right[counts->examples % live->window];
    if (counts->window == live->window)
        counts->window_correct -= *oldest;
    else
        counts->window++;
    *oldest = right;
    counts->window_correct += right;
    counts->correct += right;
    counts->examples++;
}

static tlu_status learn(struct tlu_live *live, const tlu_row *row, size_t i, uint32_t winner,
                        bool counted, tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    const struct batch *batch = live->batch;
    uint32_t label = batch->labels[i], *known = &live->classes[label];
    bool wrong, was_known = *known != SCHEMA_NONE;
    if (!was_known) {
        uint32_t classes = schema_classes(&learner->schema);
        *known = schema_class_add(&learner->schema, table_text(&batch->classes, label),
                                  table_length(&batch->classes, label));
        was_known = *known < classes;
    }
    if (*known == SCHEMA_NONE)
        return error_memory(error);
    bool right = was_known && *known == winner;
    tlu_status status = learner_play(learner, *known + 1, error);
    if (status == TLU_OK && !learner_count(learner, *known))
        status = error_memory(error);
    if (status == TLU_OK)
        status = learner_learn(learner, row, learner->examples, *known,
                               (double)batch_weight(batch, i), &wrong, error);
    if (status == TLU_OK && counted)
        count_guess(live, right);
    return status;
}

// ---- a piece ----

static bool prepare_numbers(struct tlu_live *live)
{
    const struct batch *batch = live->batch;
    size_t longest = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        size_t length = batch->offsets[i + 1] - batch->offsets[i];
        longest = length > longest ? length : longest;
    }
    if (!memory_reserve(&live->names, &live->names_capacity, (size_t)batch->names.count + 1,
                        sizeof *live->names) ||
        !memory_reserve(&live->classes, &live->classes_capacity, (size_t)batch->classes.count + 1,
                        sizeof *live->classes) ||
        !memory_reserve(&live->features, &live->features_capacity, longest + 1,
                        sizeof *live->features) ||
        !memory_reserve(&live->values, &live->values_capacity, longest + 1, sizeof *live->values))
        return false;
    memset(live->names, 0xFF, batch->names.count * sizeof *live->names);
    memset(live->classes, 0xFF, batch->classes.count * sizeof *live->classes);
    return true;
}

static void report_when_due(struct tlu_live *live)
{
    if (!live->report || live->counts.examples < live->next_report)
        return;
    live->next_report *= 2;
    tlu_live_counts counts = tlu_live_count(live);
    live->report(live->context, &counts);
}

// Predicts the rows of the batch and learns from them; `counted`: they are new, and are answered.
// *done: how many were.
static tlu_status take_rows(struct tlu_live *live, bool counted, size_t *done, tlu_error *error)
{
    const struct batch *batch = live->batch;
    tlu_status status = prepare_numbers(live) ? TLU_OK : error_memory(error);
    *done = 0;
    for (size_t i = 0; status == TLU_OK && i < batch->rows; i++) {
        bool labelled = batch->labels[i] != TLU_NO_LABEL;
        size_t text_size = live->text_size;
        tlu_row row;
        uint32_t winner = 0;
        status = resolve(live, i, labelled, &row, error);
        if (status == TLU_OK && counted) {
            winner = learner_decide(live->learner, &row);
            winner = live->learner->classes > 1 ? winner : 0;
            if (!answer(live, winner))
                status = error_memory(error);
        }
        if (status == TLU_OK && labelled)
            status = learn(live, &row, i, winner, counted, error);
        if (status == TLU_OK && labelled)
            prune(live);
        if (status != TLU_OK) {
            live->text_size = text_size;
            break;
        }
        *done = i + 1;
        live->counts.rows += counted;
        if (counted && labelled)
            report_when_due(live);
    }
    return status;
}

static uint64_t labelled_rows(const struct batch *batch)
{
    uint64_t count = 0;
    for (size_t i = 0; i < batch->rows; i++)
        count += batch->labels[i] != TLU_NO_LABEL;
    return count;
}

// The first row of the batch with a class that --positive leaves no room for, else their number.
static tlu_status third_class(const struct tlu_live *live, size_t *row, tlu_error *error)
{
    const struct schema *schema = &live->learner->schema;
    const struct batch *batch = live->batch;
    const char *positive = options_text(live->learner->options, OPTION_POSITIVE);
    *row = batch->rows;
    if (!positive[0])
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

// What there is to be done of a piece, and what ends it.
struct piece {
    const char *bytes;
    size_t size; // of the rows that can be learned from
    bool bad;    // there is one behind them that cannot
    struct bad_row why;
};

// What cannot be learned from is refused before it is in the journal.
static tlu_status parse_piece(struct tlu_live *live, struct piece *piece, tlu_error *error)
{
    struct batch *batch = live->batch;
    size_t third;
    enum parse_result result =
        reader_parse(live->reader, piece->bytes, piece->size, batch, &piece->why);
    if (result == PARSE_MEMORY)
        return error_memory(error);
    tlu_status status = third_class(live, &third, error);
    if (status != TLU_OK)
        return status;
    piece->bad = result == PARSE_BAD || third < batch->rows;
    if (third < batch->rows) {
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
    if (piece->bad) { // the line may be one inside of the row
        size_t lines = bytes_before(piece->bytes, piece->size, piece->why.line);
        piece->size = reader_complete(live->reader, piece->bytes, lines);
    }
    return TLU_OK;
}

static tlu_status put_down(struct tlu_live *live, const char *bytes, size_t size, tlu_error *error)
{
    tlu_status status = TLU_OK;
    if (!live->opening_kept)
        status = journal_append(live->journal, OPENING, live->opening, live->opening_size, error);
    live->opening_kept |= status == TLU_OK;
    return status == TLU_OK
               ? journal_append(live->journal, live->learner->examples, bytes, size, error)
               : status;
}

// Memory ran out behind a row of the piece: the journal gets what was done of it, no more.
static void take_back(struct tlu_live *live, struct piece *piece, uint64_t number, size_t done,
                      bool kept)
{
    struct batch *batch = live->batch;
    if (done < batch->rows)
        piece->size = bytes_before(piece->bytes, piece->size, batch->line[done]);
    batch->rows = done;
    if (kept && journal_undo(live->journal, NULL) == TLU_OK && labelled_rows(batch))
        journal_append(live->journal, number, piece->bytes, piece->size, NULL);
}

// Rows of the stream. *used: how many of the bytes are done with.
static tlu_status take_piece(struct tlu_live *live, const char *bytes, size_t size, size_t *used,
                             tlu_error *error)
{
    struct piece piece = {.bytes = bytes, .size = size};
    uint64_t number = live->learner->examples;
    size_t done = 0;
    *used = 0;
    tlu_status status = parse_piece(live, &piece, error);
    bool kept = status == TLU_OK && live->journal && labelled_rows(live->batch);
    if (kept)
        status = put_down(live, piece.bytes, piece.size, error);
    if (status != TLU_OK)
        return status;
    status = take_rows(live, true, &done, error);
    if (status != TLU_OK)
        take_back(live, &piece, number, done, kept);
    *used = piece.size;
    live->counts.skipped += live->batch->skipped;
    if (status == TLU_OK && piece.bad)
        status = error_at(error, "-", live->lines + piece.why.line, piece.why.column, "%s",
                          piece.why.reason);
    for (const char *at = bytes; (at = memchr(at, '\n', piece.size - (size_t)(at - bytes))); at++)
        live->lines++;
    return status;
}

// ---- opening ----

static tlu_status set_opening(struct tlu_live *live, const char *bytes, size_t size,
                              tlu_error *error)
{
    char *opening = memory_copy_text(bytes, size);
    if (!opening)
        return error_memory(error);
    memory_free(live->opening);
    live->opening = opening;
    live->opening_size = size;
    live->opening_kept = false;
    return TLU_OK;
}

// *header: bytes of the opening before its first row.
static tlu_status open_reader(struct tlu_live *live, size_t *header, tlu_error *error)
{
    struct schema *schema = &live->learner->schema;
    const char *rest;
    size_t rest_size;
    bool settled = schema_is_settled(schema);
    tlu_status status =
        reader_open_live(&live->reader, live->opening, live->opening_size, live->options, schema,
                         &rest, &rest_size, &live->lines, error);
    if (status == TLU_OK) {
        *header = live->opening_size - rest_size;
    } else if (!settled) { // half made; nothing was learned yet
        schema_free(schema);
        schema_init(schema);
    }
    return status;
}

// Not blank, and no comment (of formats other than text).
static bool is_row(const struct tlu_live *live, const char *line, const char *end)
{
    const struct schema *schema = &live->learner->schema;
    bool text = options_choice(live->options, OPTION_FORMAT) >= FORMAT_VW ||
                (schema_is_settled(schema) && schema_is_named(schema));
    if (!text && line < end && *line == '#' &&
        (line + 1 == end || line[1] == ' ' || line[1] == '\t' || line[1] == '\r'))
        return false;
    while (line < end && (*line == ' ' || *line == '\r'))
        line++;
    return line < end;
}

// Whether the lines that begin with the first row may be CSV; *known: they show what they are.
static bool is_csv(const struct tlu_live *live, const char *bytes, size_t size, bool *known)
{
    const struct schema *schema = &live->learner->schema;
    enum data_format format = DATA_LIBSVM;
    int choice = options_choice(live->options, OPTION_FORMAT);
    *known = true;
    if (choice != FORMAT_AUTO)
        return choice == FORMAT_CSV || choice == FORMAT_TSV;
    if (schema_is_settled(schema))
        return schema->format == DATA_CSV;
    *known = recognise_format(bytes, size, &format);
    return format == DATA_CSV;
}

// The size of rows that are whole, as CSV.
static size_t csv_rows(const struct tlu_live *live, const char *bytes, size_t size)
{
    const struct schema *schema = &live->learner->schema;
    char delimiter = '\0';
    csv_delimiter_option(live->options, &delimiter, NULL);
    if (!delimiter)
        delimiter = schema_is_settled(schema) ? csv_delimiter_for(schema, bytes, size)
                                              : csv_delimiter(bytes, size);
    return csv_complete(bytes, size, delimiter ? delimiter : ',');
}

// The size of the lines that the format is decided by: up to the first row and, since a header of
// CSV alone tells nothing about its columns, the second. 0: they are not all there yet.
static size_t opening_size(const struct tlu_live *live, const char *bytes, size_t size, bool end)
{
    bool settled = schema_is_settled(&live->learner->schema);
    int header = options_choice(live->options, OPTION_HEADER);
    size_t first = size, rows = 0, lines = 0; // where the first row is
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        first = 3;
    for (size_t at = first == 3 ? 3 : 0, next; at < size; at = next) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        next = newline ? (size_t)(newline - bytes) + 1 : size;
        if (!newline && !end)
            return 0;
        if (!is_row(live, bytes + at, bytes + next - (newline != NULL)))
            continue;
        first = lines++ ? first : at;
        bool known, csv = is_csv(live, bytes + first, next - first, &known);
        if (!csv && known)
            return next;
        rows += csv && csv_rows(live, bytes + first, next - first) == next - first;
        if (lines == OPENING_LINES || rows == (settled || header == HEADER_NO ? 1 : 2))
            return next;
    }
    return end && lines ? size : 0;
}

tlu_status tlu_live_take(tlu_live *live, const char *bytes, size_t size, int end, size_t *used,
                         const char **text, size_t *length, tlu_error *error)
{
    size_t header = 0, done = 0;
    tlu_status status = TLU_OK;
    *used = live->text_size = 0;
    *text = live->text;
    *length = 0;
    if (!live->reader) {
        size_t opening = opening_size(live, bytes, size, end);
        if (!opening && end)
            *used = size; // blank
        if (!opening)
            return TLU_OK;
        status = set_opening(live, bytes, opening, error);
        if (status == TLU_OK)
            status = open_reader(live, &header, error);
        if (status != TLU_OK)
            return status;
    }
    bytes += header;
    size -= header;
    size = end ? size : reader_complete(live->reader, bytes, size);
    if (size)
        status = take_piece(live, bytes, size, &done, error);
    *used = header + done;
    *text = live->text;
    *length = live->text_size;
    return status;
}

// ---- the journal ----

static tlu_status not_its_journal(uint64_t number, uint64_t learned, tlu_error *error)
{
    return error_input(error,
                       "the journal is about row %llu, but the model has learned from %llu rows: "
                       "it is not the journal of this model; move it away to go on without it",
                       (unsigned long long)number, (unsigned long long)learned);
}

static tlu_status replay(void *context, uint64_t number, const char *bytes, size_t size,
                         tlu_error *error)
{
    struct tlu_live *live = context;
    uint64_t learned = live->learner->examples;
    struct bad_row bad;
    size_t done, header;
    if (number == OPENING) { // the records behind it are to be read in the same way
        reader_close(live->reader);
        live->reader = NULL;
        return set_opening(live, bytes, size, error);
    }
    if (!live->opening)
        return error_input(error, "the journal does not say what its rows are");
    if (!live->reader) {
        tlu_status status = open_reader(live, &header, error);
        if (status != TLU_OK)
            return status;
    }
    enum parse_result result = reader_parse(live->reader, bytes, size, live->batch, &bad);
    if (result == PARSE_MEMORY)
        return error_memory(error);
    if (result == PARSE_BAD)
        return error_input(error,
                           "a row of the journal cannot be read: %s; it takes the options that it "
                           "was written with",
                           bad.reason);
    live->journal_rows = number + labelled_rows(live->batch);
    if (number > learned || (number < learned && live->journal_rows > learned))
        return not_its_journal(number, learned, error);
    if (number < learned)
        return TLU_OK; // the model has it
    tlu_status status = take_rows(live, false, &done, error);
    live->counts.replayed += live->learner->examples - learned;
    return status;
}

// The stream that comes now is another one than those in the journal.
static tlu_status open_journal(struct tlu_live *live, const char *path, tlu_error *error)
{
    tlu_status status = journal_open(&live->journal, path, replay, live, error);
    if (status == TLU_OK && live->journal_rows && live->journal_rows != live->learner->examples)
        status = not_its_journal(live->journal_rows, live->learner->examples, error);
    reader_close(live->reader);
    live->reader = NULL;
    live->opening_kept = false;
    live->lines = 0;
    return status;
}

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
        status = journal_clear(live->journal, error);
    live->opening_kept &= status != TLU_OK;
    return status;
}

// ---- beginning and end ----

// What the model was made with stays. Options of learning that say otherwise are an error, not
// something to pass over in silence.
static tlu_status check_options(const tlu_model *model, const tlu_options *options,
                                tlu_error *error)
{
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        const char *own = options_text(model->options, (enum option)i);
        const char *wanted = options_text(options, (enum option)i);
        bool fixed = strcmp(info->group, "learning") == 0 || i == OPTION_HASH || i == OPTION_SCALE;
        if (fixed && options_is_set(options, (enum option)i) && strcmp(own, wanted) != 0)
            return error_input(error,
                               "the model was made with --%s '%.80s', not '%.80s': leave the "
                               "option out to go on with it",
                               info->name, own, wanted);
    }
    return TLU_OK;
}

static tlu_status open_model(struct tlu_live *live, const tlu_options *options, tlu_error *error)
{
    tlu_model *model;
    if (access(live->path, F_OK) != 0 && errno == ENOENT)
        return tlu_learner_new(options, &live->learner, error);
    tlu_status status = tlu_model_load(live->path, &model, error);
    if (status != TLU_OK)
        return status;
    status = check_options(model, options, error);
    if (status == TLU_OK)
        status = tlu_learner_resume(model, &live->learner, error);
    if (status == TLU_OK)
        live->learner->schema.known = true;
    tlu_model_free(model);
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
    live->batch = batch_new();
    live->right = memory_new(live->window, sizeof *live->right);
    tlu_status status = live->path && live->options && live->batch && live->right
                            ? open_model(live, live->options, error)
                            : error_memory(error);
    if (status == TLU_OK && settings->journal)
        status = open_journal(live, settings->journal, error);
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
    return counts;
}

void tlu_live_close(tlu_live *live)
{
    if (!live)
        return;
    reader_close(live->reader);
    journal_close(live->journal);
    tlu_learner_free(live->learner);
    batch_free(live->batch);
    tlu_options_free(live->options);
    memory_free(live->names);
    memory_free(live->classes);
    memory_free(live->features);
    memory_free(live->values);
    memory_free(live->opening);
    memory_free(live->right);
    memory_free(live->text);
    memory_free(live->path);
    memory_free(live);
}
