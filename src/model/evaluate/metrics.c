#include "model/evaluate/internal.h"

#include "base/memory.h"
#include "metrics/costs.h"

#include <string.h>

#define SCORES_MAX ((size_t)1 << 25) // that --metric all keeps: 256 MB

// ---- choice of metrics ----

static tlu_status add_metric(struct metrics *metrics, const struct chosen_metric *chosen,
                             tlu_error *error)
{
    size_t count = metrics->count + 1;
    struct chosen_metric *all = memory_resize(metrics->chosen, count, sizeof *all);
    TRY(enough_memory(all, error));
    metrics->chosen = all;
    metrics->chosen[metrics->count++] = *chosen;
    return TLU_OK;
}

static tlu_status add_named(struct metrics *metrics, const char *item, size_t length,
                            tlu_error *error)
{
    struct chosen_metric chosen;
    char *name = memory_copy_text(item, length);
    TRY(enough_memory(name, error));
    tlu_status status = metric_choose(name, &chosen, error);
    memory_free(name);
    return status == TLU_OK ? add_metric(metrics, &chosen, error) : status;
}

// All metrics for such rows; those of sets that have a K with 1, 3 and 5.
static tlu_status add_all(struct metrics *metrics, bool sets, tlu_error *error)
{
    struct chosen_metric chosen;
    for (size_t i = 0; (chosen = metric_at(i)).metric; i++) {
        bool several = sets && chosen.k;
        if (!metric_applies(chosen.metric, sets))
            continue;
        for (size_t k = 1; several && k < chosen.k; k += 2)
            TRY(add_metric(metrics, &(struct chosen_metric){chosen.metric, k}, error));
        TRY(add_metric(metrics, &chosen, error));
    }
    return TLU_OK;
}

static tlu_status choose(struct metrics *metrics, const char *list, bool sets, tlu_error *error)
{
    size_t length;
    const char *item;
    if (!list[0] && sets)
        list = METRICS_OF_SETS;
    metrics->all = strcmp(list, "all") == 0;
    if (metrics->all)
        TRY(add_all(metrics, sets, error));
    while (!metrics->all && (item = options_next_item(&list, &length)))
        TRY(add_named(metrics, item, length, error));
    if (metrics->count == 0)
        TRY(add_named(metrics, "", 0, error));
    metrics->names = memory_new(metrics->count, sizeof *metrics->names);
    metrics->measured = memory_new(metrics->count, sizeof *metrics->measured);
    TRY(enough_memory(metrics->names && metrics->measured, error));
    for (size_t i = 0; i < metrics->count; i++)
        metrics->measured[i] =
            (tlu_metric_value){metric_name(&metrics->chosen[i], metrics->names[i]), NAN,
                               metrics->chosen[i].metric->info.higher_is_better};
    return TLU_OK;
}

// Whether metric i is possible for the model.
static tlu_status check_metric(const struct metrics *metrics, const tlu_model *model, size_t i,
                               tlu_error *error)
{
    tlu_error why;
    unsigned keeps = metrics->chosen[i].metric->keeps;
    TRY(metric_check(&metrics->chosen[i], model->state.schema.multilabel, error));
    if (keeps & KEEP_COSTS && !metrics->costs)
        return error_input(error, "--metric cost needs --costs FP:FN, or --costs FILE with a cost "
                                  "matrix");
    if (keeps & KEEP_LOSSES && tlu_model_probabilities(model, NULL, NULL, &why) != TLU_OK)
        return error_input(error, "--metric %s needs probabilities: %.600s", metrics->names[i],
                           why.text);
    return TLU_OK;
}

tlu_status metrics_begin(struct metrics *metrics, const tlu_model *model,
                         const tlu_options *options, unsigned keeps, tlu_error *error)
{
    size_t classes = tlu_model_class_count(model);
    const char *costs = options_text(options, OPTION_COSTS);
    bool sets = model->state.schema.multilabel;
    TRY(choose(metrics, options_text(options, OPTION_METRIC), sets, error));
    metrics->weighted = options_flag(options, OPTION_WEIGHTED);
    if (sets && costs[0])
        return error_input(error, "--costs is for rows of one label; leave it out");
    keeps |= sets ? KEEP_SETS : 0;
    if (costs[0])
        TRY(costs_read(costs, classes, tlu_model_positive_class(model), &metrics->costs, error));
    bool needed = keeps & KEEP_SCORES;
    for (size_t i = 0; i < metrics->count; i++) {
        tlu_status status = check_metric(metrics, model, i, metrics->all ? NULL : error);
        if (status == TLU_OK)
            keeps |= metrics->chosen[i].metric->keeps;
        else if (!metrics->all)
            return status;
    }
    TRY(enough_memory(measure_begin(&metrics->measure, classes, tlu_model_positive_class(model),
                                    keeps, metrics->costs),
                      error));
    if (metrics->all && !needed)
        metrics->measure.kept.max = SCORES_MAX;
    return TLU_OK;
}

// ---- rows ----

static tlu_status find_weights(struct metrics *metrics, const tlu_reader *reader, size_t rows,
                               tlu_error *error)
{
    TRY(enough_memory(memory_reserve(&metrics->weights, &metrics->weights_capacity, rows,
                                     sizeof *metrics->weights),
                      error));
    for (size_t i = 0; i < rows; i++)
        metrics->weights[i] = model_reader_weight(reader, i);
    return TLU_OK;
}

static tlu_status find_probabilities(struct metrics *metrics, const tlu_model *model,
                                     const tlu_predictions *predictions, tlu_error *error)
{
    size_t classes = metrics->measure.classes, wide = tlu_model_score_count(model);
    if (predictions->rows > SIZE_MAX / classes)
        return error_memory(error);
    TRY(enough_memory(memory_reserve(&metrics->probabilities, &metrics->probabilities_capacity,
                                     predictions->rows * classes, sizeof *metrics->probabilities),
                      error));
    for (size_t i = 0; i < predictions->rows; i++)
        model_probabilities(model, predictions->scores + i * wide,
                            metrics->probabilities + i * classes);
    return TLU_OK;
}

// ---- sets of labels ----

// Appends `count` items for row i; NULL: the caller writes them.
static bool append_set(struct row_sets *sets, size_t i, const uint32_t *items, size_t count)
{
    uint64_t start = i ? sets->offsets[i] : 0;
    if (!memory_reserve(&sets->offsets, &sets->offsets_capacity, i + 2, sizeof *sets->offsets) ||
        !memory_reserve(&sets->items, &sets->items_capacity, start + count, sizeof *sets->items))
        return false;
    sets->offsets[i] = start;
    sets->offsets[i + 1] = start + count;
    if (items && count)
        memcpy(sets->items + start, items, count * sizeof *items);
    return true;
}

tlu_status metrics_take(struct metrics *metrics, const tlu_reader *reader, size_t rows,
                        tlu_error *error)
{
    static const uint32_t none = TLU_NO_LABEL;
    bool sets = metrics->measure.keeps & KEEP_SETS;
    if (metrics->weighted)
        TRY(find_weights(metrics, reader, rows, error));
    for (size_t i = 0; sets && i < rows; i++) {
        const uint32_t *set = model_reader_set(reader, i);
        TRY(enough_memory(append_set(&metrics->labels, i, set ? set + 1 : &none, set ? set[0] : 1),
                          error));
    }
    return TLU_OK;
}

static tlu_status find_sets(struct metrics *metrics, const tlu_model *model,
                            const tlu_predictions *predictions, tlu_error *error)
{
    struct row_sets *predicted = &metrics->predictions;
    size_t wide = tlu_model_score_count(model);
    for (size_t i = 0; i < predictions->rows; i++) {
        const double *scores = predictions->scores + i * wide;
        uint32_t count = model_labels(model, scores, NULL, 0);
        TRY(enough_memory(append_set(predicted, i, NULL, count), error));
        model_labels(model, scores, predicted->items + predicted->offsets[i], count);
    }
    return TLU_OK;
}

static void sets_free(struct row_sets *sets)
{
    memory_free(sets->offsets);
    memory_free(sets->items);
}

tlu_status metrics_add(struct metrics *metrics, const tlu_model *model, const uint32_t *labels,
                       const tlu_predictions *predictions, tlu_error *error)
{
    bool sets = metrics->measure.keeps & KEEP_SETS;
    if (sets)
        TRY(find_sets(metrics, model, predictions, error));
    if (metrics->measure.keeps & KEEP_LOSSES)
        TRY(find_probabilities(metrics, model, predictions, error));
    tlu_metric_data answers = {.rows = predictions->rows,
                               .classes = metrics->measure.classes,
                               .positive = metrics->measure.positive,
                               .labels = sets ? metrics->labels.items : labels,
                               .predictions =
                                   sets ? metrics->predictions.items : predictions->classes,
                               .scores = predictions->scores,
                               .probabilities = metrics->probabilities,
                               .weights = metrics->weighted ? metrics->weights : NULL,
                               .label_offsets = sets ? metrics->labels.offsets : NULL,
                               .prediction_offsets = sets ? metrics->predictions.offsets : NULL};
    return measure_add(&metrics->measure, &answers, error);
}

tlu_status metrics_end(struct metrics *metrics, tlu_error *error)
{
    for (size_t i = 0; i < metrics->count; i++) {
        unsigned keeps = metrics->chosen[i].metric->keeps;
        if ((keeps & metrics->measure.keeps) == keeps)
            TRY(measure_value(&metrics->measure, &metrics->chosen[i], &metrics->measured[i].value,
                              error));
    }
    return TLU_OK;
}

void metrics_free(struct metrics *metrics)
{
    memory_free(metrics->chosen);
    memory_free(metrics->names);
    memory_free(metrics->measured);
    memory_free(metrics->costs);
    memory_free(metrics->weights);
    memory_free(metrics->probabilities);
    sets_free(&metrics->labels);
    sets_free(&metrics->predictions);
    measure_free(&metrics->measure);
}
