// From a row to a class, and why.

#include "base/memory.h"
#include "data/reader.h"
#include "learn/learner.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

size_t tlu_model_score_count(const tlu_model *model)
{
    return model->weights.columns;
}

static const double *raw_weights(const tlu_model *model)
{
    return model->folded ? model->folded : model->decided;
}

static const double *raw_bias(const tlu_model *model)
{
    return model->folded_bias ? model->folded_bias : model->decided_bias;
}

size_t tlu_model_predict(const tlu_model *model, const tlu_row *row, double *scores)
{
    uint32_t columns = model->weights.columns;
    const struct vector_kernels *kernels = model->weights.kernels;
    if (columns == 1) {
        scores[0] = raw_bias(model)[0] +
                    kernels->dot(raw_weights(model), row->features, row->values, row->count);
    } else {
        memcpy(scores, raw_bias(model), columns * sizeof *scores);
        kernels->scores(raw_weights(model), columns, row->features, row->values, row->count,
                        scores);
    }
    return scheme_winner(scores, columns, model->positive);
}

size_t tlu_model_predict_named(const tlu_model *model, const tlu_feature *features, size_t count,
                               double *scores)
{
    uint32_t columns = model->weights.columns;
    memcpy(scores, raw_bias(model), columns * sizeof *scores);
    for (size_t i = 0; i < count; i++) {
        size_t feature = tlu_model_feature_find(model, features[i].name);
        for (uint32_t c = 0; feature != TLU_NONE && c < columns; c++)
            scores[c] += raw_weights(model)[feature * columns + c] * features[i].value;
    }
    return scheme_winner(scores, columns, model->positive);
}

tlu_status tlu_predict_line(const tlu_model *model, const char *line, const char **label,
                            double *scores, tlu_error *error)
{
    struct reader *reader;
    struct batch *batch = NULL;
    struct schema *schema = (struct schema *)&model->schema; // frozen: only looked at
    tlu_options *options = options_copy(model->options);
    if (!options)
        return error_memory(error);
    tlu_status status = tlu_options_set(options, "skip-bad", "no", error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "format", schema->csv ? "csv" : "libsvm", error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "header", "no", error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "delimiter", "", error);
    if (status == TLU_OK)
        status = reader_open_bytes(&reader, line, strlen(line), options, schema, error);
    tlu_options_free(options);
    if (status != TLU_OK)
        return status;
    status = reader_next(reader, &batch, error);
    if (status == TLU_OK && (!batch || batch->rows != 1))
        status = error_input(error, "expected one row of data, found %s",
                             batch && batch->rows ? "more" : "none");
    double *own_scores = NULL;
    if (status == TLU_OK && !scores) {
        scores = own_scores = memory_new(model->weights.columns, sizeof *scores);
        if (!scores)
            status = error_memory(error);
    }
    if (status == TLU_OK) {
        tlu_row row = batch_row(batch, 0);
        *label = tlu_model_class_label(model, tlu_model_predict(model, &row, scores));
    }
    memory_free(own_scores);
    batch_free(batch);
    reader_close(reader);
    return status;
}

// ---- explaining ----

// The strongest pushes so far, the strongest first.
struct strongest {
    tlu_push *pushes;
    size_t count, capacity;
};

static void offer(struct strongest *strongest, size_t feature, double value, double push)
{
    if (push == 0 || strongest->capacity == 0)
        return;
    size_t i = strongest->count;
    if (i == strongest->capacity) {
        if (fabs(push) <= fabs(strongest->pushes[i - 1].push))
            return;
        i--;
    } else {
        strongest->count++;
    }
    for (; i > 0 && fabs(push) > fabs(strongest->pushes[i - 1].push); i--)
        strongest->pushes[i] = strongest->pushes[i - 1];
    strongest->pushes[i] = (tlu_push){feature, value, push};
}

static double value_of(const tlu_row *row, size_t feature)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->features[i] == feature)
            return row->values ? (double)row->values[i] : 1;
    return 0;
}

size_t tlu_model_explain(const tlu_model *model, const tlu_row *row, size_t class_index,
                         tlu_push *pushes, size_t capacity)
{
    struct strongest strongest = {pushes, 0, capacity};
    const struct scaling *scaling = &model->scaling;
    uint32_t columns = model->weights.columns;
    double bias = model->decided_bias[columns > 1 ? class_index : 0];
    offer(&strongest, TLU_NONE, 1, columns > 1 || class_index == model->positive ? bias : -bias);
    // What is shifted pushes even where it is zero; the push is that of its distance from the mean.
    for (size_t k = 0; k < scaling->shifted_count; k++) {
        uint32_t f = scaling->shifted[k];
        double value = value_of(row, f);
        offer(&strongest, f, value,
              tlu_model_strength(model, class_index, f) * (value - scaling->shift[f]) *
                  scaling->factor[f]);
    }
    for (size_t i = 0; i < row->count; i++) {
        uint32_t f = row->features[i];
        double value = row->values ? (double)row->values[i] : 1;
        if (!scaling->shift || scaling->shift[f] == 0)
            offer(&strongest, f, value, tlu_model_weight(model, class_index, f) * value);
    }
    return strongest.count;
}
