#include "solvers/class_sums.h"

#include "base/memory.h"

#include <assert.h>

static bool allocate(struct class_sums *sums)
{
    size_t classes = sums->classes;
    if (sums->features > SIZE_MAX / (classes + 1))
        return false;
    sums->rows = memory_new(classes, sizeof *sums->rows);
    sums->sum = memory_new(sums->features * classes, sizeof *sums->sum);
    sums->occurs = memory_new(sums->features, sizeof *sums->occurs);
    return sums->rows && sums->sum && sums->occurs;
}

static tlu_status add_row(struct class_sums *sums, const struct tlu_learner *learner,
                          const struct batch *batch, size_t i, class_sums_value value_of,
                          tlu_error *error)
{
    const uint32_t *set = batch_set(batch, i), all = sums->classes - 1;
    uint32_t class_index = set ? all : batch->labels[i];
    if (batch_is_held_out(batch, i))
        return TLU_OK;
    assert(class_index < sums->classes);
    tlu_row x = batch_row(batch, i);
    double weight = (double)batch_weight(batch, i);
    if (!set)
        weight = learner->state.scheme.class_weight[class_index] * weight;
    sums->rows[class_index] += weight;
    for (uint32_t n = 1; set && n <= set[0]; n++)
        sums->rows[set[n]] += weight;
    for (size_t k = 0; k < x.count; k++) {
        double value = row_value(&x, k);
        if (value_of) {
            tlu_status status =
                value_of(learner, batch_line(batch, i), row_feature(&x, k), &value, error);
            if (status != TLU_OK)
                return status;
        }
        size_t row = weights_row(&learner->state.weights, row_feature(&x, k));
        double *sum = &sums->sum[row * sums->classes + class_index];
        *sum += weight * value;
        for (uint32_t n = 1; set && n <= set[0]; n++)
            sums->sum[row * sums->classes + set[n]] += weight * value;
        sums->occurs[row] |= *sum > 0;
    }
    return TLU_OK;
}

tlu_status class_sums_of(struct class_sums *sums, struct tlu_learner *learner,
                         struct batch *const *batches, size_t batch_count,
                         class_sums_value value_of, tlu_error *error)
{
    const struct scheme *scheme = &learner->state.scheme;
    *sums = (struct class_sums){.classes = scheme->classes + (scheme->kind == SCHEME_MULTILABEL),
                                .columns = learner->state.weights.columns,
                                .scheme = scheme};
    if (!batch_use_slots(learner, batches, batch_count))
        return error_memory(error);
    sums->features = learner->state.weights.rows;
    sums->interrupted =
        learner->solving.stop && learner->solving.stop(learner->solving.stop_context);
    tlu_status status = allocate(sums) ? TLU_OK : error_memory(error);
    for (size_t b = 0; b < batch_count; b++)
        for (size_t i = 0; status == TLU_OK && i < batches[b]->rows; i++)
            status = add_row(sums, learner, batches[b], i, value_of, error);
    if (status != TLU_OK)
        class_sums_free(sums);
    return status;
}

tlu_status class_sums_go_on(const struct class_sums *sums, const struct tlu_learner *learner,
                            tlu_error *error)
{
    if (!sums->interrupted && learner->solving.stop &&
        learner->solving.stop(learner->solving.stop_context))
        return error_interrupted(error, "interrupted before anything was learned");
    return TLU_OK;
}

void class_sums_free(struct class_sums *sums)
{
    memory_free(sums->rows);
    memory_free(sums->sum);
    memory_free(sums->occurs);
    *sums = (struct class_sums){0};
}
