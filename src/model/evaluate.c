// Reading data for a model, and measuring the model on it.

#include "base/memory.h"
#include "data/reader.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tlu_reader {
    struct reader *reader;
    struct batch *held; // the batch that was handed out last
    tlu_batch batch;
    tlu_reading reading;
};

// The options to read with: the user's, and the model's where the user left open what must be as
// in training.
static tlu_status merged_options(const tlu_model *model, const tlu_options *options,
                                 tlu_options **merged, tlu_error *error)
{
    static const enum option kept[] = {OPTION_FORMAT, OPTION_MISSING};
    *merged = options_copy(options);
    tlu_status status = *merged ? TLU_OK : error_memory(error);
    for (size_t i = 0; status == TLU_OK && i < sizeof kept / sizeof kept[0]; i++)
        if (!options_is_set(*merged, kept[i]))
            status = tlu_options_set(*merged, tlu_option_at(kept[i])->name,
                                     options_text(model->options, kept[i]), error);
    return status;
}

static tlu_status open_excerpt(const tlu_model *model, const char *path,
                               const struct excerpt *excerpt, const tlu_options *options,
                               tlu_reader **out, tlu_error *error)
{
    *out = NULL;
    tlu_options *merged;
    tlu_reader *reader = memory_new(1, sizeof *reader);
    if (!reader)
        return error_memory(error);
    tlu_status status = merged_options(model, options, &merged, error);
    if (status == TLU_OK) // the schema is frozen: the reader only looks at it
        status = reader_open_excerpt(&reader->reader, path, excerpt, merged,
                                     (struct schema *)&model->schema, error);
    tlu_options_free(merged);
    if (status != TLU_OK)
        tlu_reader_close(reader);
    else
        *out = reader;
    return status;
}

tlu_status tlu_reader_open(const tlu_model *model, const char *path, const tlu_options *options,
                           tlu_reader **reader, tlu_error *error)
{
    return open_excerpt(model, path, &(struct excerpt){0}, options, reader, error);
}

tlu_status tlu_reader_next(tlu_reader *reader, const tlu_batch **out, tlu_error *error)
{
    *out = NULL;
    if (reader->held)
        reader_recycle(reader->reader, reader->held);
    tlu_status status = reader_next(reader->reader, &reader->held, error);
    struct batch *batch = reader->held;
    if (status != TLU_OK || !batch)
        return status;
    tlu_reading *reading = &reader->reading;
    if (reading->unknown_labels == 0)
        memcpy(reading->unknown_label, batch->unknown_label, sizeof reading->unknown_label);
    reading->rows += batch->rows;
    reading->skipped += batch->skipped;
    reading->unseen_values += batch->unseen;
    reading->strange_rows += batch->strange;
    reading->unknown_labels += batch->unknown_labels;
    reader->batch = (tlu_batch){.rows = batch->rows,
                                .offsets = batch->offsets,
                                .features = batch->indices,
                                .values = batch->ones ? NULL : batch->values,
                                .labels = batch->labels,
                                .first_row = batch->first_row};
    *out = &reader->batch;
    return TLU_OK;
}

const tlu_reading *tlu_reader_reading(const tlu_reader *reader)
{
    return &reader->reading;
}

void tlu_reader_close(tlu_reader *reader)
{
    if (!reader)
        return;
    batch_free(reader->held);
    reader_close(reader->reader);
    memory_free(reader);
}

// ---- evaluation ----

struct scored { // one row of a two-class evaluation
    double score;
    bool positive;
};

struct tally {
    tlu_evaluation result; // first: it is what the caller gets
    uint64_t *confusion;   // [classes][classes]
    tlu_class_quality *per_class;
    uint64_t *unknown_guesses; // [classes] predictions for rows with an unknown label
    uint32_t *guesses;         // [rows] of a batch
    double *scores;            // [rows][score_count]
    char *ambiguous;           // [rows]
    size_t guesses_capacity, scores_capacity, ambiguous_capacity;
    struct scored *scored;
    size_t scored_count, scored_capacity;
};

void tlu_evaluation_free(tlu_evaluation *evaluation)
{
    struct tally *tally = (struct tally *)evaluation;
    if (!tally)
        return;
    memory_free(tally->confusion);
    memory_free(tally->per_class);
    memory_free(tally->unknown_guesses);
    memory_free(tally->guesses);
    memory_free(tally->scores);
    memory_free(tally->ambiguous);
    memory_free(tally->scored);
    memory_free(tally);
}

static struct tally *tally_new(const tlu_model *model)
{
    struct tally *tally = memory_new(1, sizeof *tally);
    if (!tally)
        return NULL;
    size_t classes = tlu_model_class_count(model);
    tally->result.classes = classes;
    tally->confusion = memory_new(classes * classes, sizeof(uint64_t));
    tally->per_class = memory_new(classes, sizeof(tlu_class_quality));
    tally->unknown_guesses = memory_new(classes, sizeof(uint64_t));
    if (!tally->confusion || !tally->per_class || !tally->unknown_guesses) {
        tlu_evaluation_free(&tally->result);
        return NULL;
    }
    return tally;
}

static bool tally_row(struct tally *tally, const tlu_model *model, size_t i, uint32_t label)
{
    size_t guess = tally->guesses[i];
    if (label == TLU_NO_LABEL)
        return true;
    tally->result.examples++;
    tally->result.ambiguous += tally->ambiguous[i] != 0;
    if (label == TLU_UNKNOWN_LABEL) {
        tally->unknown_guesses[guess]++;
        return true;
    }
    tally->confusion[label * tally->result.classes + guess]++;
    tally->result.correct += guess == label;
    if (tally->result.classes != 2)
        return true;
    if (!memory_reserve(&tally->scored, &tally->scored_capacity, tally->scored_count + 1,
                        sizeof *tally->scored))
        return false;
    tally->scored[tally->scored_count++] =
        (struct scored){tally->scores[i], label == tlu_model_positive(model)};
    return true;
}

static tlu_status tally_batch(struct tally *tally, const tlu_model *model, const tlu_batch *batch,
                              tlu_error *error)
{
    if (!memory_reserve(&tally->guesses, &tally->guesses_capacity, batch->rows, sizeof(uint32_t)) ||
        !memory_reserve(&tally->ambiguous, &tally->ambiguous_capacity, batch->rows, 1) ||
        !memory_reserve(&tally->scores, &tally->scores_capacity,
                        batch->rows * tlu_model_score_count(model), sizeof(double)))
        return error_memory(error);
    tlu_status status = tlu_model_predict_batch(model, batch, tally->guesses, tally->scores,
                                                tally->ambiguous, error);
    for (size_t i = 0; status == TLU_OK && i < batch->rows; i++)
        if (!tally_row(tally, model, i, batch->labels[i]))
            status = error_memory(error);
    return status;
}

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x > y) - (x < y);
}

// The share of pairs (positive, negative) in which the positive has the higher score; a tie is half
// a pair. NaN where a class is absent.
static double area_under_curve(struct scored *scored, size_t count)
{
    if (count)
        qsort(scored, count, sizeof *scored, by_score);
    double pairs = 0, below = 0, positives = 0;
    for (size_t i = 0; i < count;) {
        double tied_positive = 0, tied_negative = 0;
        size_t j = i;
        for (; j < count && scored[j].score == scored[i].score; j++) {
            tied_positive += scored[j].positive;
            tied_negative += !scored[j].positive;
        }
        pairs += tied_positive * (below + tied_negative / 2);
        below += tied_negative;
        positives += tied_positive;
        i = j;
    }
    return positives > 0 && below > 0 ? pairs / (positives * below) : NAN;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void sum_up(struct tally *tally)
{
    tlu_evaluation *result = &tally->result;
    size_t classes = result->classes;
    for (size_t c = 0; c < classes; c++) {
        tlu_class_quality *quality = &tally->per_class[c];
        uint64_t guessed = tally->unknown_guesses[c], right = tally->confusion[c * classes + c];
        for (size_t k = 0; k < classes; k++) {
            quality->support += tally->confusion[c * classes + k];
            guessed += tally->confusion[k * classes + c];
        }
        quality->precision = ratio((double)right, (double)guessed);
        quality->recall = ratio((double)right, (double)quality->support);
        quality->f1 =
            ratio(2 * quality->precision * quality->recall, quality->precision + quality->recall);
    }
    result->accuracy = ratio((double)result->correct, (double)result->examples);
    result->auc = classes == 2 ? area_under_curve(tally->scored, tally->scored_count) : NAN;
    result->confusion = tally->confusion;
    result->per_class = tally->per_class;
}

tlu_status model_evaluate(const tlu_model *model, const char *path, const struct excerpt *excerpt,
                          const tlu_options *options, tlu_evaluation **evaluation, tlu_error *error)
{
    *evaluation = NULL;
    tlu_reader *reader = NULL;
    struct tally *tally = tally_new(model);
    tlu_status status =
        tally ? open_excerpt(model, path, excerpt, options, &reader, error) : error_memory(error);
    const tlu_batch *batch = NULL;
    while (status == TLU_OK) {
        status = tlu_reader_next(reader, &batch, error);
        if (!batch)
            break;
        status = tally_batch(tally, model, batch, error);
    }
    if (status == TLU_OK && tally->result.examples == 0)
        status = error_at(error, path, 0, 0, "has no labelled rows to measure on");
    if (status == TLU_OK) {
        tally->result.reading = *tlu_reader_reading(reader);
        sum_up(tally);
        *evaluation = &tally->result;
    } else if (tally) {
        tlu_evaluation_free(&tally->result);
    }
    tlu_reader_close(reader);
    return status;
}

tlu_status tlu_evaluate(const tlu_model *model, const char *path, const tlu_options *options,
                        tlu_evaluation **evaluation, tlu_error *error)
{
    return model_evaluate(model, path, &(struct excerpt){0}, options, evaluation, error);
}
