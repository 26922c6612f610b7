// Why a row gets its score: the features that contribute most.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "model/caller_row.h"
#include "model/explained.h"

#include <math.h>
#include <stdlib.h>

void explain_offer(struct strongest *strongest, size_t feature, double value, double push)
{
    if (push == 0 || strongest->capacity == 0)
        return;
    size_t i = strongest->count;
    if (i == strongest->capacity) {
        if (fabs(push) <= fabs(strongest->pushes[i - 1].amount))
            return;
        i--;
    } else {
        strongest->count++;
    }
    for (; i > 0 && fabs(push) > fabs(strongest->pushes[i - 1].amount); i--)
        strongest->pushes[i] = strongest->pushes[i - 1];
    strongest->pushes[i] = (tlu_contribution){feature, value, push};
}

struct row_entry {
    uint32_t feature;
    float value;
};

static int by_feature(const void *a, const void *b)
{
    uint32_t x = ((const struct row_entry *)a)->feature, y = ((const struct row_entry *)b)->feature;
    return (x > y) - (x < y);
}

// A shifted feature contributes even if its value is zero: the contribution is that of the distance
// from the mean. The row's entries, sorted by feature, are merged with the shifted features.
// Without memory for that, each feature is searched for.
static void offer_shifted(struct strongest *strongest, const tlu_model *model, const tlu_row *row,
                          size_t class_index, double length)
{
    const struct scaling *scaling = &model->scaling;
    struct row_entry *entries = memory_new(row->count, sizeof *entries); // [row->count]
    for (size_t i = 0; entries && i < row->count; i++)
        entries[i] = (struct row_entry){row_feature(row, i), row->values ? row->values[i] : 1};
    if (entries && row->count)
        qsort(entries, row->count, sizeof *entries, by_feature);
    for (size_t k = 0, i = 0; k < scaling->shifted_count; k++) {
        uint32_t f = scaling->shifted[k];
        double value = 0;
        if (!entries)
            i = 0;
        while (i < row->count && (entries ? entries[i].feature < f : row_feature(row, i) != f))
            i++;
        if (entries && i < row->count && entries[i].feature == f)
            value = (double)entries[i].value;
        else if (!entries && i < row->count)
            value = row->values ? (double)row->values[i] : 1;
        explain_offer(strongest, f, value,
                      tlu_model_scaled_weight(model, class_index, f) * (value - scaling->shift[f]) *
                          scaling->factor[f] / length);
    }
    memory_free(entries);
}

// `row` is valid. Returns false if out of memory.
static bool explain_row(const tlu_model *model, const tlu_row *row, size_t class_index,
                        struct strongest *strongest)
{
    const struct scaling *scaling = &model->scaling;
    if (model->state.net)
        return explain_layers(model, row, class_index, strongest);
    tlu_row ones = {row->count, row->features, NULL};
    if (options_flag(model->state.options, OPTION_BINARIZE))
        row = &ones;
    double length = scaling->normalize ? scaling_row_length(scaling, row) : 1;
    explain_offer(strongest, TLU_NONE, 1, model_decided_bias(model, class_index));
    if (scaling->shifted_count)
        offer_shifted(strongest, model, row, class_index, length);
    for (size_t i = 0; i < row->count; i++) {
        uint32_t f = row_feature(row, i);
        double value = row->values ? (double)row->values[i] : 1;
        if (!scaling->shift || scaling->shift[f] == 0)
            explain_offer(strongest, f, value,
                          tlu_model_weight(model, class_index, f) * value / length);
    }
    return true;
}

tlu_status tlu_model_explain(const tlu_model *model, const tlu_row *given, size_t class_index,
                             tlu_contribution *contributions, size_t capacity, size_t *count,
                             tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct strongest strongest = {contributions, 0, capacity};
    struct caller_row row;
    *count = 0;
    TRY(check_given(contributions || !capacity, "array of contributions", error));
    if (!model->state.net && !tlu_model_has_weights(model))
        return error_input(error, "a model with a kernel has no weights of features, so its scores "
                                  "cannot be explained by them; train without --kernel");
    if (class_index >= schema_classes(&model->state.schema))
        return error_input(error, "there is no class %zu: the model has %u", class_index,
                           schema_classes(&model->state.schema));
    tlu_status status = caller_row_take(&row, given, schema_features(&model->state.schema), error);
    if (status == TLU_OK)
        status = enough_memory(explain_row(model, &row.row, class_index, &strongest), error);
    caller_row_free(&row);
    if (status == TLU_OK)
        *count = strongest.count;
    return status;
}
