#include "train/holdout_metric.h"

#include "base/memory.h"
#include "metrics/costs.h"
#include "train/train.h"

#include <stdlib.h>

void holdout_metric_free(struct holdout_metric *holdout_metric)
{
    memory_free(holdout_metric->costs);
    memory_free(holdout_metric->places);
    memory_free(holdout_metric->scores);
    memory_free(holdout_metric->room);
    measure_free(&holdout_metric->measure);
}

// A calibration comes after the passes.
static tlu_status refuse_losses(const struct training *t, tlu_error *error)
{
    return error_input(error,
                       "--metric %s with --holdout needs probabilities after each pass: those of "
                       "--learner logistic, and with several classes --classes wta or ovr (a "
                       "calibration comes after the last pass); or measure by another metric",
                       t->holdout_metric.metric.metric->info.name);
}

tlu_status holdout_metric_choose(struct training *t, tlu_error *error)
{
    struct holdout_metric *holdout_metric = &t->holdout_metric;
    const tlu_options *options = t->learner.options;
    char name[METRIC_NAME_SIZE];
    TRY(metric_choose(options_text(options, OPTION_METRIC), &holdout_metric->metric, error));
    metric_name(&holdout_metric->metric, name);
    holdout_metric->plain = holdout_metric->metric.metric == metric_at(0).metric &&
                            !options_flag(options, OPTION_WEIGHTED);
    if (options_number(options, OPTION_HOLDOUT) == 0 || holdout_metric->plain)
        return TLU_OK;
    if (holdout_metric->metric.metric->keeps & KEEP_COSTS &&
        !options_text(options, OPTION_COSTS)[0])
        return error_input(error, "--metric cost needs --costs FP:FN, or --costs FILE with a cost "
                                  "matrix");
    if (holdout_metric->metric.metric->keeps & KEEP_LOSSES &&
        !(t->learner.rule.kind->traits & LEARNER_LOGITS))
        return refuse_losses(t, error);
    if (t->learner.decision.kind == DECIDE_RANDOM)
        return error_input(error,
                           "--metric %s does not go with --holdout and --decide random: of a pick "
                           "at random only the accuracy to be expected is known",
                           name);
    return TLU_OK;
}

// ---- classes in the order of their labels, as a model has them ----

static int by_label(const void *a, const void *b, void *schema)
{
    char **spelled = ((const struct schema *)schema)->spelled;
    return schema_label_compare(spelled[*(const uint32_t *)a], spelled[*(const uint32_t *)b]);
}

static bool order_classes(struct holdout_metric *holdout_metric, struct schema *schema,
                          uint32_t classes)
{
    uint32_t *order = memory_new(classes, sizeof *order);
    holdout_metric->places = memory_new(classes, sizeof *holdout_metric->places);
    holdout_metric->scores = memory_new(classes, sizeof *holdout_metric->scores);
    holdout_metric->room = memory_new(classes, sizeof *holdout_metric->room);
    bool fine = order && holdout_metric->places && holdout_metric->scores && holdout_metric->room;
    for (uint32_t c = 0; fine && c < classes; c++)
        order[c] = c;
    if (fine)
        qsort_r(order, classes, sizeof *order, by_label, schema);
    for (uint32_t c = 0; fine && c < classes; c++)
        holdout_metric->places[order[c]] = c;
    memory_free(order);
    return fine;
}

tlu_status holdout_metric_begin(struct training *t, tlu_error *error)
{
    struct holdout_metric *holdout_metric = &t->holdout_metric;
    const struct scheme *scheme = &t->learner.scheme;
    const char *costs = options_text(t->learner.options, OPTION_COSTS);
    if (holdout_metric->plain)
        return TLU_OK;
    holdout_metric_free(holdout_metric);
    *holdout_metric = (struct holdout_metric){
        .metric = holdout_metric->metric, .logits = rule_logits(t->learner.options, scheme->kind)};
    if (holdout_metric->metric.metric->keeps & KEEP_LOSSES && holdout_metric->logits == LOGITS_NONE)
        return refuse_losses(t, error);
    TRY(enough_memory(order_classes(holdout_metric, &t->learner.schema, scheme->classes), error));
    size_t positive = scheme->kind == SCHEME_TWO ? holdout_metric->places[scheme->positive] : 0;
    if (holdout_metric->metric.metric->keeps & KEEP_COSTS)
        TRY(costs_read(costs, scheme->classes, positive, &holdout_metric->costs, error));
    return enough_memory(measure_begin(&holdout_metric->measure, scheme->classes, positive,
                                       holdout_metric->metric.metric->keeps, holdout_metric->costs),
                         error);
}

// ---- rows ----

static void order_scores(struct holdout_metric *holdout_metric, const struct scheme *scheme,
                         const double *columns)
{
    const double *scores = columns;
    if (scheme->kind == SCHEME_TWO) {
        holdout_metric->scores[0] = columns[0];
        return;
    }
    if (scheme->kind == SCHEME_OVO) {
        scheme_votes(columns, scheme->classes, holdout_metric->room);
        scores = holdout_metric->room;
    }
    for (uint32_t c = 0; c < scheme->classes; c++)
        holdout_metric->scores[holdout_metric->places[c]] = scores[c];
}

bool holdout_metric_row(struct training *t, const double *columns, size_t k)
{
    struct holdout_metric *holdout_metric = &t->holdout_metric;
    uint32_t label = t->rows.held_out.labels[k], guess = learner_elect(&t->learner, columns);
    if (holdout_metric->plain || holdout_metric->status != TLU_OK)
        return guess == label;
    struct place place = t->rows.held_out.places.items[k];
    uint32_t own_label = holdout_metric->places[label], own_guess = holdout_metric->places[guess];
    double weight = options_flag(t->learner.options, OPTION_WEIGHTED)
                        ? (double)batch_weight(rows_batch(&t->rows, place), place.row)
                        : 1;
    order_scores(holdout_metric, &t->learner.scheme, columns);
    if (holdout_metric->metric.metric->keeps & KEEP_LOSSES)
        output_probabilities(&(struct score_output){0}, holdout_metric->logits,
                             holdout_metric->scores, t->learner.scheme.classes,
                             (uint32_t)holdout_metric->measure.positive, holdout_metric->room);
    tlu_metric_data answers = {.rows = 1,
                               .classes = t->learner.scheme.classes,
                               .positive = holdout_metric->measure.positive,
                               .labels = &own_label,
                               .predictions = &own_guess,
                               .scores = holdout_metric->scores,
                               .probabilities = holdout_metric->room,
                               .weights = &weight};
    holdout_metric->status = measure_add(&holdout_metric->measure, &answers, NULL);
    return guess == label;
}

tlu_status holdout_metric_end(struct training *t, double *value, tlu_error *error)
{
    struct holdout_metric *holdout_metric = &t->holdout_metric;
    char name[METRIC_NAME_SIZE];
    if (holdout_metric->plain)
        return TLU_OK;
    TRY(enough_memory(holdout_metric->status == TLU_OK, error)); // which is all that can fail
    TRY(measure_value(&holdout_metric->measure, &holdout_metric->metric, value, error));
    if (isnan(*value))
        return error_input(error,
                           "--metric %s is not defined on the rows that are held out: not every "
                           "class has one of them; a larger --holdout, or another metric, may do",
                           metric_name(&holdout_metric->metric, name));
    return TLU_OK;
}
