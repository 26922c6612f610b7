// Measuring a model on data.

#include "base/memory.h"
#include "data/reader.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

struct scored {   // one row of a two-class evaluation
    uint64_t key; // in the order of the scores
    bool positive;
};

// Whole numbers in the order of the doubles; what is not a number comes last.
static uint64_t score_key(double score)
{
    uint64_t bits, sign = (uint64_t)1 << 63;
    score += 0.0; // -0 becomes 0
    memcpy(&bits, &score, sizeof bits);
    return isnan(score) ? UINT64_MAX : bits & sign ? ~bits : bits | sign;
}

struct tally {
    tlu_evaluation result; // first: it is what the caller gets
    uint64_t *confusion;   // [classes][classes]
    tlu_class_quality *per_class;
    uint64_t *unknown_guesses; // [classes] predictions for rows with an unknown label
    struct scored *scored;
    size_t scored_count, scored_capacity;
    unsigned char *right; // [result.examples]
    size_t right_capacity;
    tlu_reading reading;
};

void tlu_evaluation_free(tlu_evaluation *evaluation)
{
    struct tally *tally = (struct tally *)evaluation;
    if (!tally)
        return;
    memory_free(tally->confusion);
    memory_free(tally->per_class);
    memory_free(tally->unknown_guesses);
    memory_free(tally->scored);
    memory_free(tally->right);
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

static void tally_row(struct tally *tally, const tlu_model *model, const tlu_guesses *guesses,
                      size_t i, uint32_t label)
{
    size_t guess = guesses->classes[i];
    if (label == TLU_NO_LABEL)
        return;
    tally->right[tally->result.examples++] = guess == label;
    tally->result.ambiguous += guesses->ambiguous[i] != 0;
    if (label == TLU_UNKNOWN_LABEL) {
        tally->unknown_guesses[guess]++;
        return;
    }
    tally->confusion[label * tally->result.classes + guess]++;
    tally->result.correct += guess == label;
    if (guesses->scores)
        tally->scored[tally->scored_count++] =
            (struct scored){score_key(guesses->scores[i]), label == tlu_model_positive(model)};
}

static tlu_status tally_batch(struct tally *tally, const tlu_model *model, const tlu_batch *batch,
                              const tlu_guesses *guesses, tlu_error *error)
{
    if (guesses->scores &&
        !memory_reserve(&tally->scored, &tally->scored_capacity, tally->scored_count + batch->rows,
                        sizeof *tally->scored))
        return error_memory(error);
    if (!memory_reserve(&tally->right, &tally->right_capacity,
                        (size_t)tally->result.examples + batch->rows, 1))
        return error_memory(error);
    for (size_t i = 0; i < batch->rows; i++)
        tally_row(tally, model, guesses, i, batch->labels[i]);
    return TLU_OK;
}

// Sorts by the keys, a byte at a time from the lowest on; false: out of memory.
static bool sort_scored(struct scored **scored, size_t count)
{
    enum { BYTES = 8, DIGITS = 256 };
    struct scored *from = *scored, *to = memory_new(count, sizeof *to);
    size_t(*starts)[DIGITS] = memory_new(BYTES, sizeof *starts); // [byte][digit]
    bool fine = to && starts;
    for (size_t i = 0; fine && i < count; i++)
        for (size_t b = 0; b < BYTES; b++)
            starts[b][from[i].key >> 8 * b & 255]++;
    for (size_t b = 0; fine && b < BYTES; b++) {
        if (count && starts[b][from[0].key >> 8 * b & 255] == count)
            continue; // all alike
        for (size_t d = 0, start = 0; d < DIGITS; d++) {
            size_t n = starts[b][d];
            starts[b][d] = start;
            start += n;
        }
        for (size_t i = 0; i < count; i++)
            to[starts[b][from[i].key >> 8 * b & 255]++] = from[i];
        struct scored *swap = from;
        from = to;
        to = swap;
    }
    *scored = from;
    memory_free(to);
    memory_free(starts);
    return fine;
}

// The share of pairs (positive, negative) in which the positive has the higher score; a tie is half
// a pair. NaN if a class is absent.
static double area_under_curve(const struct scored *scored, size_t count)
{
    double pairs = 0, below = 0, positives = 0;
    for (size_t i = 0; i < count;) {
        double tied_positive = 0, tied_negative = 0;
        size_t j = i;
        for (; j < count && scored[j].key == scored[i].key; j++) {
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

static bool sum_up(struct tally *tally)
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
    result->confusion = tally->confusion;
    result->per_class = tally->per_class;
    result->right = tally->right;
    result->auc = NAN;
    if (classes != 2)
        return true;
    if (!sort_scored(&tally->scored, tally->scored_count))
        return false;
    result->auc = area_under_curve(tally->scored, tally->scored_count);
    return true;
}

// If the model knows none of the labels there is nothing to measure, and what is wrong is the way
// that they are written, or the column that they are taken from.
static tlu_status check_known(const tlu_model *model, const char *path, const tlu_reading *reading,
                              uint64_t examples, tlu_error *error)
{
    char labels[300];
    if (reading->unknown_labels < examples)
        return TLU_OK;
    if (reading->near_label[0])
        return error_at(error, path, 0, 0,
                        "the model knows none of its labels: the first is '%s', and '%s' in the "
                        "model",
                        reading->unknown_label, reading->near_label);
    return error_at(
        error, path, 0, 0,
        "the model knows none of its labels: the first is '%s', and those of the model "
        "are %s",
        reading->unknown_label,
        schema_list_labels(&model->schema, reading->unknown_label, labels, sizeof labels));
}

static tlu_status tally_rows(struct tally *tally, const tlu_model *model, tlu_reader *reader,
                             tlu_error *error)
{
    // Scores are for the area under the curve alone.
    TRY(tlu_reader_predict(reader, tally->result.classes == 2, NULL, NULL, error));
    for (;;) {
        const tlu_batch *batch;
        TRY(tlu_reader_next(reader, &batch, error));
        if (!batch)
            return TLU_OK;
        TRY(tally_batch(tally, model, batch, tlu_reader_guesses(reader), error));
    }
}

static tlu_status evaluate_with(struct tally *tally, const tlu_model *model, const char *path,
                                bool all_rows, tlu_reader *reader, tlu_error *error)
{
    TRY(tally_rows(tally, model, reader, error));
    if (tally->result.examples == 0)
        return error_at(error, path, 0, 0, "has no labelled rows to measure on");
    tally->reading = *tlu_reader_reading(reader);
    tally->result.reading = &tally->reading;
    if (all_rows)
        TRY(check_known(model, path, &tally->reading, tally->result.examples, error));
    return enough_memory(sum_up(tally), error);
}

tlu_status model_evaluate(const tlu_model *model, const char *path, const struct excerpt *excerpt,
                          const tlu_options *options, tlu_evaluation **evaluation, tlu_error *error)
{
    *evaluation = NULL;
    tlu_reader *reader = NULL;
    struct tally *tally = tally_new(model);
    if (!tally)
        return error_memory(error);
    tlu_status status = model_read(model, path, excerpt, options, &reader, error);
    if (status == TLU_OK)
        status = evaluate_with(tally, model, path, !excerpt->subset.part, reader, error);
    tlu_reader_close(reader);
    if (status == TLU_OK)
        *evaluation = &tally->result;
    else
        tlu_evaluation_free(&tally->result);
    return status;
}

tlu_status tlu_evaluate(const tlu_model *model, const char *path, const tlu_options *options,
                        tlu_evaluation **evaluation, tlu_error *error)
{
    return model_evaluate(model, path, &(struct excerpt){0}, options, evaluation, error);
}
