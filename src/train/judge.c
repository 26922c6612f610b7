#include "train/judge.h"

#include "base/memory.h"
#include "measure/costs.h"
#include "train/train.h"

#include <stdlib.h>

void judge_free(struct judge *judge)
{
    memory_free(judge->costs);
    memory_free(judge->places);
    memory_free(judge->scores);
    memory_free(judge->room);
    measure_free(&judge->measure);
}

// A calibration comes after the passes.
static tlu_status refuse_losses(const struct training *t, tlu_error *error)
{
    return error_input(error,
                       "--metric %s with --holdout needs probabilities after each pass: those of "
                       "--learner logistic, and with several classes --classes wta or ovr (a "
                       "calibration comes after the last pass); or measure by another metric",
                       t->judge.metric.metric->info.name);
}

tlu_status judge_choose(struct training *t, tlu_error *error)
{
    struct judge *judge = &t->judge;
    const tlu_options *options = t->learner.options;
    char name[METRIC_NAME_SIZE];
    TRY(metric_choose(options_text(options, OPTION_METRIC), &judge->metric, error));
    metric_name(&judge->metric, name);
    judge->plain =
        judge->metric.metric == metric_at(0).metric && !options_flag(options, OPTION_WEIGHTED);
    if (options_number(options, OPTION_HOLDOUT) == 0 || judge->plain)
        return TLU_OK;
    if (judge->metric.metric->keeps & KEEP_COSTS && !options_text(options, OPTION_COSTS)[0])
        return error_input(error, "--metric cost needs --costs FP:FN, or --costs FILE with a cost "
                                  "matrix");
    if (judge->metric.metric->keeps & KEEP_LOSSES &&
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

static bool order_classes(struct judge *judge, struct schema *schema, uint32_t classes)
{
    uint32_t *order = memory_new(classes, sizeof *order);
    judge->places = memory_new(classes, sizeof *judge->places);
    judge->scores = memory_new(classes, sizeof *judge->scores);
    judge->room = memory_new(classes, sizeof *judge->room);
    bool fine = order && judge->places && judge->scores && judge->room;
    for (uint32_t c = 0; fine && c < classes; c++)
        order[c] = c;
    if (fine)
        qsort_r(order, classes, sizeof *order, by_label, schema);
    for (uint32_t c = 0; fine && c < classes; c++)
        judge->places[order[c]] = c;
    memory_free(order);
    return fine;
}

tlu_status judge_begin(struct training *t, tlu_error *error)
{
    struct judge *judge = &t->judge;
    const struct scheme *scheme = &t->learner.scheme;
    const char *costs = options_text(t->learner.options, OPTION_COSTS);
    if (judge->plain)
        return TLU_OK;
    judge_free(judge);
    *judge = (struct judge){.metric = judge->metric,
                            .logits = rule_logits(t->learner.options, scheme->kind)};
    if (judge->metric.metric->keeps & KEEP_LOSSES && judge->logits == LOGITS_NONE)
        return refuse_losses(t, error);
    TRY(enough_memory(order_classes(judge, &t->learner.schema, scheme->classes), error));
    size_t positive = scheme->kind == SCHEME_TWO ? judge->places[scheme->positive] : 0;
    if (judge->metric.metric->keeps & KEEP_COSTS)
        TRY(costs_read(costs, scheme->classes, positive, &judge->costs, error));
    return enough_memory(measure_begin(&judge->measure, scheme->classes, positive,
                                       judge->metric.metric->keeps, judge->costs),
                         error);
}

// ---- rows ----

static void order_scores(struct judge *judge, const struct scheme *scheme, const double *columns)
{
    const double *scores = columns;
    if (scheme->kind == SCHEME_TWO) {
        judge->scores[0] = columns[0];
        return;
    }
    if (scheme->kind == SCHEME_OVO) {
        scheme_votes(columns, scheme->classes, judge->room);
        scores = judge->room;
    }
    for (uint32_t c = 0; c < scheme->classes; c++)
        judge->scores[judge->places[c]] = scores[c];
}

bool judge_row(struct training *t, const double *columns, size_t k)
{
    struct judge *judge = &t->judge;
    uint32_t label = t->rows.held_out.labels[k], guess = learner_elect(&t->learner, columns);
    if (judge->plain || judge->status != TLU_OK)
        return guess == label;
    struct place place = t->rows.held_out.places.items[k];
    uint32_t own_label = judge->places[label], own_guess = judge->places[guess];
    double weight = options_flag(t->learner.options, OPTION_WEIGHTED)
                        ? (double)batch_weight(rows_batch(&t->rows, place), place.row)
                        : 1;
    order_scores(judge, &t->learner.scheme, columns);
    if (judge->metric.metric->keeps & KEEP_LOSSES)
        readout_probabilities(&(struct readout){0}, judge->logits, judge->scores,
                              t->learner.scheme.classes, (uint32_t)judge->measure.positive,
                              judge->room);
    tlu_answers answers = {.rows = 1,
                           .classes = t->learner.scheme.classes,
                           .positive = judge->measure.positive,
                           .labels = &own_label,
                           .guesses = &own_guess,
                           .scores = judge->scores,
                           .probabilities = judge->room,
                           .weights = &weight};
    judge->status = measure_add(&judge->measure, &answers, NULL);
    return guess == label;
}

tlu_status judge_end(struct training *t, double *value, tlu_error *error)
{
    struct judge *judge = &t->judge;
    char name[METRIC_NAME_SIZE];
    if (judge->plain)
        return TLU_OK;
    TRY(enough_memory(judge->status == TLU_OK, error)); // which is all that can fail
    TRY(measure_value(&judge->measure, &judge->metric, value, error));
    if (isnan(*value))
        return error_input(error,
                           "--metric %s is not defined on the rows that are held out: not every "
                           "class has one of them; a larger --holdout, or another metric, may do",
                           metric_name(&judge->metric, name));
    return TLU_OK;
}
