// A model that lives in a file and learns from a stream.
//
// A piece of the stream goes through four steps: its rows are parsed, put down in the journal,
// predicted and learned from one by one, and answered. What the journal has is text as it came, so
// that learning from it again is the same work with the same bits. A record is numbered by the
// rows learned before it: those that are in the model already are passed over.
#include "base/journal.h"
#include "base/memory.h"
#include "data/reader.h"
#include "data/recognise.h"
#include "learn/stream.h"
#include "model/model.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define WINDOW 1000
#define HEADER UINT64_MAX // number of the record that has the header of a CSV stream

struct tlu_live {
    char *path;
    tlu_options *options; // to read with
    tlu_learner *learner;
    bool scores;

    struct reader *reader; // NULL before the first rows
    char *header;          // lines before the first row of CSV; NULL: another format
    size_t header_size;
    uint64_t lines; // of the stream before the next piece
    struct batch *batch;
    uint32_t *names; // [batch->names.count] the learner's numbers of the batch's, or SCHEMA_NONE
    size_t names_capacity;
    uint32_t *classes; // [batch->classes.count] the same for labels
    size_t classes_capacity;
    uint32_t *features; // a row in the learner's numbers
    float *values;
    size_t features_capacity, values_capacity;

    struct journal *journal; // NULL: none
    char *text;              // the answers
    size_t text_size, text_capacity;

    tlu_live_counts counts;
    uint8_t *right; // [window] of the last labelled rows, in a ring
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
        } else if (labelled && schema->format == DATA_LIBSVM) {
            schema->lowest = number < schema->lowest ? number : schema->lowest;
            schema->highest = number > schema->highest ? number : schema->highest;
        }
        if (number == SCHEMA_NONE || (!labelled && number >= learner->weights.features))
            continue;
        live->features[count] = number;
        live->values[count++] = raw.values ? raw.values[k] : 1;
    }
    *row = (tlu_row){count, live->features, live->values};
    if (labelled && !weights_reserve(&learner->weights, schema_features(schema)))
        return error_memory(error);
    return TLU_OK;
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
    if (counted)
        count_guess(live, was_known && *known == winner);
    tlu_status status = learner_play(learner, *known + 1, error);
    if (status == TLU_OK && !learner_count(learner, *known))
        status = error_memory(error);
    if (status == TLU_OK)
        status = learner_learn(learner, row, learner->examples, *known,
                               (double)batch_weight(batch, i), &wrong, error);
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

// Predicts the rows of the batch and learns from them; `counted`: they are new, and are answered.
static tlu_status take_rows(struct tlu_live *live, bool counted, tlu_error *error)
{
    const struct batch *batch = live->batch;
    tlu_status status = prepare_numbers(live) ? TLU_OK : error_memory(error);
    for (size_t i = 0; status == TLU_OK && i < batch->rows; i++) {
        bool labelled = batch->labels[i] != TLU_NO_LABEL;
        tlu_row row;
        uint32_t winner = 0;
        status = resolve(live, i, labelled, &row, error);
        if (status == TLU_OK && counted) {
            winner = learner_decide(live->learner, &row);
            winner = live->learner->classes > 1 ? winner : 0;
            live->counts.rows++;
            if (!answer(live, winner))
                status = error_memory(error);
        }
        if (status == TLU_OK && labelled)
            status = learn(live, &row, i, winner, counted, error);
    }
    return status;
}

// What cannot be learned from is refused before it is in the journal.
static tlu_status check_labels(struct tlu_live *live, bool *any, tlu_error *error)
{
    const struct batch *batch = live->batch;
    *any = false;
    for (size_t i = 0; !*any && i < batch->rows; i++)
        *any = batch->labels[i] != TLU_NO_LABEL;
    tlu_status status = TLU_OK;
    for (uint32_t c = 0; status == TLU_OK && c < batch->classes.count; c++)
        status = stream_check_label(live->learner, table_text(&batch->classes, c), error);
    return status;
}

// The bytes before a line of the piece, from 1.
static size_t bytes_before(const char *bytes, size_t size, uint64_t line)
{
    const char *at = bytes, *limit = bytes + size;
    while (--line && (at = memchr(at, '\n', (size_t)(limit - at))))
        at++;
    return at ? (size_t)(at - bytes) : size;
}

// Rows of the stream. The first go to the journal even if there is nothing to learn from them: they
// show what is in the columns. *done: how many of the bytes are done with.
static tlu_status take_piece(struct tlu_live *live, const char *bytes, size_t size, bool first,
                             size_t *done, tlu_error *error)
{
    struct bad_row bad;
    bool any;
    *done = 0;
    enum parse_result result = reader_parse(live->reader, bytes, size, live->batch, &bad);
    if (result == PARSE_MEMORY)
        return error_memory(error);
    size_t good = result == PARSE_BAD ? bytes_before(bytes, size, bad.line) : size;
    tlu_status status = check_labels(live, &any, error);
    if (status == TLU_OK && live->journal && good && (any || first))
        status = journal_append(live->journal, live->learner->examples, bytes, good, error);
    if (status == TLU_OK)
        status = take_rows(live, true, error);
    if (status != TLU_OK)
        return status;
    *done = good;
    live->counts.skipped += live->batch->skipped;
    if (result == PARSE_BAD)
        return error_at(error, "-", live->lines + bad.line, bad.column, "%s", bad.reason);
    live->lines += live->batch->lines;
    return TLU_OK;
}

// ---- opening ----

// The first rows show the format. *rest: behind a header.
static tlu_status open_reader(struct tlu_live *live, const char *bytes, size_t size,
                              const char **rest, size_t *rest_size, tlu_error *error)
{
    tlu_status status =
        reader_open_live(&live->reader, bytes, size, live->options, &live->learner->schema, rest,
                         rest_size, &live->lines, error);
    if (status != TLU_OK || live->learner->schema.format != DATA_CSV)
        return status;
    char *header = memory_copy_text(bytes, size - *rest_size);
    if (!header)
        return error_memory(error);
    memory_free(live->header);
    live->header = header;
    live->header_size = size - *rest_size;
    return TLU_OK;
}

// The rows of CSV behind this in the journal are those of one stream, with this header or none.
static tlu_status put_header(struct tlu_live *live, tlu_error *error)
{
    return live->journal && live->header
               ? journal_append(live->journal, HEADER, live->header, live->header_size, error)
               : TLU_OK;
}

// A header of CSV alone tells nothing about what is in the columns.
static bool is_header_alone(const struct tlu_live *live, const char *bytes, size_t size)
{
    const char *newline = memchr(bytes, '\n', size);
    enum data_format format = DATA_LIBSVM;
    int choice = options_choice(live->options, OPTION_FORMAT);
    if (!newline || newline + 1 < bytes + size || live->learner->schema.known)
        return false;
    return choice == FORMAT_CSV || choice == FORMAT_TSV ||
           (choice == FORMAT_AUTO && recognise_format(bytes, size, &format) && format == DATA_CSV);
}

tlu_status tlu_live_take(tlu_live *live, const char *bytes, size_t size, int end, size_t *used,
                         const char **text, size_t *length, tlu_error *error)
{
    size_t complete = end ? size : reader_complete(live->reader, bytes, size), done = 0;
    size_t before = 0; // bytes of a header
    const char *rest = bytes;
    tlu_status status = TLU_OK;
    *used = live->text_size = 0;
    bool first = !live->reader && complete && (end || !is_header_alone(live, bytes, complete));
    if (first) {
        size_t rest_size;
        status = open_reader(live, bytes, complete, &rest, &rest_size, error);
        before = complete - rest_size;
        complete = end ? rest_size : reader_complete(live->reader, rest, rest_size);
        if (status == TLU_OK)
            status = put_header(live, error);
    }
    if (status == TLU_OK && complete && live->reader)
        status = take_piece(live, rest, complete, first, &done, error);
    if (status == TLU_OK || done)
        *used = before + done;
    *text = live->text;
    *length = live->text_size;
    return status;
}

// ---- the journal ----

// What comes next is another stream.
static void close_reader(struct tlu_live *live)
{
    reader_close(live->reader);
    memory_free(live->header);
    live->reader = NULL;
    live->header = NULL;
    live->header_size = 0;
    live->lines = 0;
}

static tlu_status replay(void *context, uint64_t number, const char *bytes, size_t size,
                         tlu_error *error)
{
    struct tlu_live *live = context;
    uint64_t learned = live->learner->examples;
    if (number == HEADER) { // of another stream
        close_reader(live);
        live->header_size = size;
        live->header = memory_copy_text(bytes, size);
        return live->header ? TLU_OK : error_memory(error);
    }
    if (number < learned)
        return TLU_OK; // the model has it
    if (number > learned)
        return error_input(error,
                           "the journal goes on at row %llu, but the model has learned from %llu "
                           "rows: one of them is not the other's",
                           (unsigned long long)number, (unsigned long long)learned);
    tlu_status status = TLU_OK;
    char *joined = NULL;
    if (!live->reader) {
        size_t header = live->header_size;
        joined = memory_resize(NULL, header + size + 1, 1);
        if (!joined)
            return error_memory(error);
        if (header)
            memcpy(joined, live->header, header);
        memcpy(joined + header, bytes, size);
        status = open_reader(live, joined, header + size, &bytes, &size, error);
    }
    struct bad_row bad;
    if (status == TLU_OK) {
        enum parse_result result = reader_parse(live->reader, bytes, size, live->batch, &bad);
        if (result == PARSE_MEMORY)
            status = error_memory(error);
        else if (result == PARSE_BAD)
            status = error_input(error, "a row of the journal cannot be read: %s", bad.reason);
    }
    if (status == TLU_OK)
        status = take_rows(live, false, error);
    live->counts.replayed += live->learner->examples - learned;
    memory_free(joined);
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
    if (status == TLU_OK)
        status = put_header(live, error);
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
        if (strcmp(info->group, "learning") == 0 && options_is_set(options, (enum option)i) &&
            strcmp(own, wanted) != 0)
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
    live->path = memory_copy_text(path, strlen(path));
    live->options = options ? options_copy(options) : tlu_options_new();
    live->batch = batch_new();
    live->right = memory_new(live->window, sizeof *live->right);
    tlu_status status = live->path && live->options && live->batch && live->right
                            ? open_model(live, live->options, error)
                            : error_memory(error);
    if (status == TLU_OK && settings->journal)
        status = journal_open(&live->journal, settings->journal, replay, live, error);
    close_reader(live);
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
    close_reader(live);
    journal_close(live->journal);
    tlu_learner_free(live->learner);
    batch_free(live->batch);
    tlu_options_free(live->options);
    memory_free(live->names);
    memory_free(live->classes);
    memory_free(live->features);
    memory_free(live->values);
    memory_free(live->right);
    memory_free(live->text);
    memory_free(live->path);
    memory_free(live);
}
