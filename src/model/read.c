// Reading data for a model, and predicting it on the way.
//
// A model that needs one dot product per weight vector predicts in the threads that parse, and the
// predictions are stored with the batch. All others (a kernel, a vote, a subset of the rows, very
// many scores) predict when a batch is returned, with its rows divided among threads.

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/impute.h"
#include "input/ids.h"
#include "input/reader.h"
#include "learn/guard.h"
#include "model/score/score.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#define SCORES_AHEAD 16                  // per row, at most, if batches are predicted ahead
#define SCORES_AT_ONCE ((size_t)1 << 17) // returned at once, if they are not

struct tlu_output {
    char *bytes;
    size_t size, capacity;
    size_t reserved; // bytes after `size`
    bool failed;     // out of memory, or the callback wrote more than it reserved
};

// Memory of a thread.
struct worker {
    struct score_scratch scratch;
    tlu_output text;
    bool fine;
};

// The predictions of a batch.
struct predicted_batch {
    tlu_predictions view;
    uint32_t *classes;
    double *scores;
    char *ambiguous;
    size_t classes_capacity, scores_capacity, ambiguous_capacity;
    struct ids ids;        // of all rows
    const char **id_texts; // [rows]
    size_t id_texts_capacity;
    struct worker worker; // the text is that of all rows
};

struct tlu_reader {
    const tlu_model *model;
    struct reader *reader;
    struct batch *held;   // the current batch
    size_t given;         // rows of it that were returned
    struct row_text text; // of the row that was requested last
    size_t bad;           // the row whose scores are not finite, from 1; 0: none
    tlu_batch batch;
    tlu_reader_stats reading;
    struct asked {
        tlu_options *options; // for reading
        struct id_source id;  // name is NULL: no ids
    } asked;
    bool all_rows; // not a subset
    bool started;
    bool predicts, with_scores;
    bool ahead; // in the threads that parse
    struct callback callback;
    atomic_bool stopped;    // by the callback
    struct worker *workers; // [threads], if batches are not predicted ahead
    size_t threads;
    struct predicted_batch predicted; // likewise
};

// The user's options, and those of the model for what must be as in training and the user did not
// set.
static tlu_status merged_options(const tlu_model *model, const tlu_options *options,
                                 tlu_options **merged, tlu_error *error)
{
    static const enum option kept[] = {OPTION_FORMAT, OPTION_MISSING, OPTION_LABEL_SEPARATOR};
    *merged = options_copy(options);
    TRY(enough_memory(*merged, error));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        // A model of named features reads any of their formats.
        if (!options_is_set(*merged, kept[i]) &&
            !(kept[i] == OPTION_FORMAT && schema_is_named(&model->state.schema)))
            TRY(tlu_options_set(*merged, tlu_option_at(kept[i])->name,
                                options_text(model->state.options, kept[i]), error));
    return TLU_OK;
}

// A model has the values that were fitted in training.
static tlu_status check_missing(const tlu_model *model, const tlu_options *options,
                                tlu_error *error)
{
    if (!options_is_set(options, OPTION_MISSING) || !schema_is_table(&model->state.schema))
        return TLU_OK;
    int asked = options_choice(options, OPTION_MISSING);
    int own = options_choice(model->state.options, OPTION_MISSING);
    if (!impute_fits(asked) || asked == own)
        return TLU_OK;
    return error_input(error,
                       "the model was trained with --missing %s, so --missing %s needs another "
                       "training; indicator, zero and refuse can be given here",
                       options_text(model->state.options, OPTION_MISSING),
                       options_text(options, OPTION_MISSING));
}

static tlu_status open_data(tlu_reader *reader, const char *path, struct row_source row_source,
                            tlu_error *error)
{
    const tlu_options *options = reader->asked.options;
    const char *id = options_text(options, OPTION_ID);
    reader->threads = parallel_threads((size_t)options_count(options, OPTION_THREADS));
    TRY(check_missing(reader->model, options, error));
    row_source.texts |= id[0] != '\0';
    // The schema is frozen: the reader does not change it.
    TRY(reader_open_source(&reader->reader, path, &row_source, options,
                           (struct schema *)&reader->model->state.schema, error));
    reader->all_rows = reader_takes_all(reader->reader);
    return id[0] ? reader_id_source(reader->reader, id, &reader->asked.id, error) : TLU_OK;
}

tlu_status model_read(const tlu_model *model, const char *path, const struct row_source *row_source,
                      const tlu_options *options, tlu_reader **out, tlu_error *error)
{
    *out = NULL;
    TRY(check_given(path != NULL, "path", error));
    if (options && options_is_set(options, OPTION_MULTILABEL) &&
        !options_same(options, model->state.options, OPTION_MULTILABEL))
        return error_input(
            error, "--multilabel is fixed in training, and the model gives %s; leave it out",
            model->state.schema.multilabel ? "lists of labels" : "one label per row");
    tlu_reader *reader = memory_new(1, sizeof *reader);
    TRY(enough_memory(reader, error));
    reader->model = model;
    tlu_status status = merged_options(model, options, &reader->asked.options, error);
    if (status == TLU_OK)
        status = open_data(reader, path, *row_source, error);
    if (status != TLU_OK)
        tlu_reader_close(reader);
    else
        *out = reader;
    return status;
}

tlu_status tlu_reader_open(const tlu_model *model, const char *path, const tlu_options *options,
                           tlu_reader **reader, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return model_read(model, path, &(struct row_source){.prompt = true}, options, reader, error);
}

tlu_status tlu_reader_open_bytes(const tlu_model *model, const char *bytes, size_t size,
                                 const tlu_options *options, tlu_reader **reader, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *reader = NULL;
    TRY(check_given(bytes || !size, "text", error));
    const struct row_source source = {.bytes = bytes ? bytes : "", .size = size};
    return model_read(model, "rows", &source, options, reader, error);
}

// ---- predicting ----

tlu_status tlu_output_reserve(tlu_output *output, size_t size, char **bytes, tlu_error *error)
{
    // One byte more than asked for, so that 0 bytes have an address, too.
    if (size >= output->capacity - output->size &&
        (size >= SIZE_MAX - output->size ||
         !memory_reserve(&output->bytes, &output->capacity, output->size + size + 1, 1))) {
        *bytes = NULL;
        output->failed = true;
        return error_memory(error);
    }
    output->reserved = size;
    *bytes = output->bytes + output->size;
    return TLU_OK;
}

tlu_status tlu_output_commit(tlu_output *output, size_t size, tlu_error *error)
{
    if (size > output->reserved) {
        output->failed = true;
        return error_input(error, "%zu bytes were written, more than were reserved", size);
    }
    assert(output->reserved < output->capacity - output->size);
    output->size += size;
    output->reserved = 0;
    return TLU_OK;
}

static void worker_free(struct worker *worker)
{
    score_scratch_free(&worker->scratch);
    memory_free(worker->text.bytes);
}

static void predicted_clear(struct predicted_batch *predicted)
{
    memory_free(predicted->classes);
    memory_free(predicted->scores);
    memory_free(predicted->ambiguous);
    memory_free(predicted->ids.bytes);
    memory_free(predicted->id_texts);
    worker_free(&predicted->worker);
}

static void predicted_free(void *made)
{
    predicted_clear(made);
    memory_free(made);
}

static bool make_room(const tlu_reader *reader, struct predicted_batch *predicted, size_t rows)
{
    size_t scores = reader->with_scores ? tlu_model_score_count(reader->model) : 0;
    if (scores && rows > SIZE_MAX / scores)
        return false;
    if (!memory_reserve(&predicted->classes, &predicted->classes_capacity, rows,
                        sizeof(uint32_t)) ||
        !memory_reserve(&predicted->ambiguous, &predicted->ambiguous_capacity, rows, 1) ||
        (scores && !memory_reserve(&predicted->scores, &predicted->scores_capacity, rows * scores,
                                   sizeof(double))))
        return false;
    predicted->view = (tlu_predictions){.rows = rows,
                                        .classes = predicted->classes,
                                        .scores = scores ? predicted->scores : NULL,
                                        .ambiguous = predicted->ambiguous};
    return true;
}

// The index in the held batch of a row of the current batch.
static size_t held_row(const tlu_reader *reader, size_t row)
{
    assert(reader->held && reader->batch.first_row >= reader->held->first_row);
    return (size_t)(reader->batch.first_row - reader->held->first_row) + row;
}

// The ids of rows first to first + count - 1 of the batch.
static bool find_ids(const tlu_reader *reader, const struct batch *batch, size_t first,
                     size_t count, struct predicted_batch *predicted)
{
    struct row_text last = {0};
    if (!reader->asked.id.name)
        return true;
    predicted->ids.size = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *row = reader_row_text(reader->reader, batch, &last, first + i, &length);
        if (!ids_add(&predicted->ids, &reader->asked.id, row ? row : "", length))
            return false;
    }
    if (!memory_reserve(&predicted->id_texts, &predicted->id_texts_capacity, count,
                        sizeof *predicted->id_texts))
        return false;
    const char *id = predicted->ids.bytes; // it does not move any more
    for (size_t i = 0; i < count; i++, id += strlen(id) + 1)
        predicted->id_texts[i] = id;
    predicted->view.ids = predicted->id_texts;
    return true;
}

// Rows first to last - 1 of the batch, by one thread.
static bool predict_rows(tlu_reader *reader, const tlu_batch *batch,
                         const struct predicted_batch *predicted, size_t first, size_t last,
                         struct worker *worker)
{
    const tlu_predictions *all = &predicted->view;
    struct predictions to = {predicted->classes, all->scores ? predicted->scores : NULL,
                             predicted->ambiguous};
    worker->text.size = worker->text.reserved = 0;
    worker->text.failed = false;
    if (!model_predict_rows(reader->model, batch, first, last, &to, &worker->scratch))
        return false;
    if (worker->scratch.bad)
        last = worker->scratch.bad - 1; // rows after it are never returned
    if (!reader->callback.function || first == last)
        return true;
    size_t wide = tlu_model_score_count(reader->model);
    tlu_predictions some = {.rows = last - first,
                            .classes = all->classes + first,
                            .scores = all->scores ? all->scores + first * wide : NULL,
                            .ambiguous = all->ambiguous + first,
                            .ids = all->ids ? all->ids + first : NULL};
    int stop = callback_prediction(&reader->callback, &some, &worker->text);
    if (!stop && !worker->text.failed)
        return true;
    if (!worker->text.failed)
        reader->stopped = true;
    return false;
}

// The predictions of the current batch.
static struct predicted_batch *current(const tlu_reader *reader)
{
    assert(reader->predicts && reader->held);
    return reader->ahead ? reader->held->memory.made.result
                         : (struct predicted_batch *)&reader->predicted;
}

static void show_text(struct predicted_batch *predicted)
{
    predicted->view.text = predicted->worker.text.bytes;
    predicted->view.text_size = predicted->worker.text.size;
}

static tlu_batch view_of(const struct batch *batch, size_t first, size_t rows)
{
    return (tlu_batch){.rows = rows,
                       .offsets = batch->offsets + first,
                       .features = batch->indices,
                       .values = batch->ones ? NULL : batch->values,
                       .labels = batch->labels + first,
                       .first_row = batch->first_row + first};
}

// Predicts a batch in the thread that parsed it.
static bool predict_ahead(void *context, struct batch *batch)
{
    tlu_reader *reader = context;
    struct predicted_batch *predicted = batch->memory.made.result;
    if (!predicted) {
        batch->memory.made.result = predicted = memory_new(1, sizeof *predicted);
        batch->memory.made.free = predicted_free;
    }
    tlu_batch view = view_of(batch, 0, batch->rows);
    if (!predicted || !make_room(reader, predicted, batch->rows) ||
        !find_ids(reader, batch, 0, batch->rows, predicted) ||
        !predict_rows(reader, &view, predicted, 0, batch->rows, &predicted->worker))
        return false;
    show_text(predicted);
    return true;
}

// The first row of thread t, of `threads`: rows are divided in whole panels.
static size_t share_start(size_t rows, size_t t, size_t threads)
{
    size_t panels = (rows + PANEL_LANES - 1) / PANEL_LANES, start = panels * t / threads;
    return start * PANEL_LANES < rows ? start * PANEL_LANES : rows;
}

struct dealing {
    tlu_reader *reader;
    size_t threads;
};

static void predict_share(void *context, size_t first, size_t last)
{
    const struct dealing *dealing = context;
    tlu_reader *reader = dealing->reader;
    size_t rows = reader->batch.rows;
    for (size_t t = first; t < last; t++)
        reader->workers[t].fine = predict_rows(
            reader, &reader->batch, &reader->predicted, share_start(rows, t, dealing->threads),
            share_start(rows, t + 1, dealing->threads), &reader->workers[t]);
}

// Predicts the rows of reader->batch with all threads.
static bool predict_now(tlu_reader *reader)
{
    struct predicted_batch *predicted = &reader->predicted;
    size_t panels = (reader->batch.rows + PANEL_LANES - 1) / PANEL_LANES;
    struct dealing dealing = {reader, panels < reader->threads ? panels : reader->threads};
    bool bad = false;
    if (!make_room(reader, predicted, reader->batch.rows) ||
        !find_ids(reader, reader->held, held_row(reader, 0), reader->batch.rows, predicted) ||
        !model_prepare_scores(reader->model, reader->batch.rows))
        return false;
    parallel_run(dealing.threads, dealing.threads, predict_share, &dealing);
    tlu_output *text = &predicted->worker.text;
    text->size = 0;
    predicted->worker.scratch.bad = 0;
    for (size_t t = 0; t < dealing.threads && !bad; t++) {
        const struct worker *worker = &reader->workers[t];
        predicted->worker.scratch.bad = worker->scratch.bad;
        bad = worker->scratch.bad != 0;
        char *to;
        if (!worker->fine || tlu_output_reserve(text, worker->text.size, &to, NULL) != TLU_OK)
            return false;
        if (worker->text.size)
            memcpy(to, worker->text.bytes, worker->text.size);
        text->size += worker->text.size;
    }
    show_text(predicted);
    return true;
}

tlu_status tlu_reader_predict(tlu_reader *reader, int with_scores, tlu_prediction_function function,
                              void *context, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    if (reader->started || reader->predicts)
        return error_input(error, "predicting starts before the first batch is read, and once");
    with_scores |= reader->model->state.schema.multilabel;
    reader->with_scores = with_scores != 0;
    reader->callback = (struct callback){caller, context, (void (*)(void))function};
    reader->ahead = reader->all_rows && model_is_linear(reader->model) &&
                    (!with_scores || tlu_model_score_count(reader->model) <= SCORES_AHEAD);
    if (reader->ahead)
        reader_work(reader->reader, predict_ahead, reader);
    else
        reader->workers = memory_new(reader->threads, sizeof *reader->workers);
    if (!reader->ahead && !reader->workers)
        return error_memory(error);
    reader->predicts = true;
    return TLU_OK;
}

const tlu_predictions *tlu_reader_predictions(const tlu_reader *reader)
{
    return reader->predicts && reader->held ? &current(reader)->view : NULL;
}

// ---- batches ----

static tlu_status next_batch(tlu_reader *reader, tlu_error *error)
{
    if (reader->held)
        reader_recycle(reader->reader, reader->held);
    reader->started = true;
    reader->given = 0;
    reader->text = (struct row_text){0};
    tlu_status status = reader_next(reader->reader, &reader->held, error);
    const struct batch *batch = reader->held;
    if (status != TLU_OK || !batch)
        return status;
    tlu_reader_stats *reading = &reader->reading;
    if (reading->unknown_labels == 0 && batch->counts.unknown_labels) {
        const char *label =
            schema_near_label(&reader->model->state.schema, batch->counts.unknown_label);
        memcpy(reading->unknown_label, batch->counts.unknown_label, sizeof reading->unknown_label);
        error_quote(reading->closest_label, sizeof reading->closest_label, label ? label : "",
                    label ? strlen(label) : 0);
    }
    reading->skipped += batch->counts.skipped_rows;
    reading->unseen_values += batch->counts.unknown_values;
    reading->unknown_rows += batch->counts.unknown_rows;
    reading->unknown_labels += batch->counts.unknown_labels;
    return TLU_OK;
}

// The number of rows to return at once.
static size_t piece_size(const tlu_reader *reader)
{
    size_t rows = reader->held->rows - reader->given;
    if (!reader->predicts || reader->ahead || !reader->with_scores)
        return rows;
    size_t most = SCORES_AT_ONCE / tlu_model_score_count(reader->model);
    if (most < PANEL_LANES * reader->threads)
        most = PANEL_LANES * reader->threads;
    return rows < most ? rows : most;
}

// Rows before one whose scores are not finite are returned; the next call reports that row.
static void end_before_bad(tlu_reader *reader)
{
    struct predicted_batch *predicted = current(reader);
    size_t bad = predicted->worker.scratch.bad;
    if (!bad)
        return;
    reader->bad = held_row(reader, bad);
    reader->batch.rows = predicted->view.rows = bad - 1;
}

static tlu_status read_next(tlu_reader *reader, const tlu_batch **out, tlu_error *error)
{
    tlu_status status = TLU_OK;
    if (reader->bad)
        return reader_refuse(reader->reader, reader->held, reader->bad - 1, GUARD_NO_SCORE, error);
    if (!reader->held || reader->given >= reader->held->rows)
        status = next_batch(reader, error);
    if (status != TLU_OK || !reader->held)
        return status;
    reader->batch = view_of(reader->held, reader->given, piece_size(reader));
    reader->given += reader->batch.rows;
    if (reader->predicts && !reader->ahead && !predict_now(reader))
        return error_memory(error);
    if (reader->predicts)
        end_before_bad(reader);
    if (reader->bad && !reader->batch.rows)
        return reader_refuse(reader->reader, reader->held, reader->bad - 1, GUARD_NO_SCORE, error);
    reader->reading.rows += reader->batch.rows;
    *out = &reader->batch;
    return TLU_OK;
}

uint64_t model_reader_line(const tlu_reader *reader, size_t row)
{
    return batch_line(reader->held, held_row(reader, row));
}

tlu_status tlu_reader_next(tlu_reader *reader, const tlu_batch **batch, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *batch = NULL;
    tlu_status status = read_next(reader, batch, error);
    if (status == TLU_ERROR_SYSTEM && reader->stopped)
        status = error_interrupted(error, "stopped by the function of the predictions");
    return status;
}

const tlu_reader_stats *tlu_reader_get_stats(const tlu_reader *reader)
{
    return &reader->reading;
}

double model_reader_weight(const tlu_reader *reader, size_t row)
{
    return (double)batch_weight(reader->held, held_row(reader, row));
}

const uint32_t *model_reader_set(const tlu_reader *reader, size_t row)
{
    const struct batch *batch = reader->held;
    size_t i = held_row(reader, row);
    return batch->labels[i] == TLU_NO_LABEL ? NULL : batch_set(batch, i);
}

size_t tlu_reader_labels(const tlu_reader *reader, size_t row, uint32_t *labels, size_t capacity)
{
    static const uint32_t none[] = {1, TLU_NO_LABEL};
    bool there = reader->held && row < reader->batch.rows && reader->model->state.schema.multilabel;
    const uint32_t *set = there ? model_reader_set(reader, row) : NULL;
    set = set ? set : none;
    for (size_t i = 0; labels && i < capacity && i < set[0]; i++)
        labels[i] = set[i + 1];
    return set[0];
}

const char *model_reader_text(tlu_reader *reader, size_t row, size_t *length)
{
    return reader_row_text(reader->reader, reader->held, &reader->text, held_row(reader, row),
                           length);
}

void tlu_reader_close(tlu_reader *reader)
{
    if (!reader)
        return;
    reader_close(reader->reader); // its threads may still be predicting
    batch_free(reader->held);
    predicted_clear(&reader->predicted);
    for (size_t t = 0; reader->workers && t < reader->threads; t++)
        worker_free(&reader->workers[t]);
    memory_free(reader->workers);
    tlu_options_free(reader->asked.options);
    memory_free(reader);
}
