// Evaluates a model on labelled data.

#include "base/call/callback.h"
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"
#include "metrics/curve.h"
#include "model/evaluate/internal.h"
#include "train/team.h"

#include <assert.h>
#include <string.h>

struct tally {
    tlu_evaluation result; // first: it is what the caller gets
    uint64_t *confusion;   // [classes][classes]; --multilabel: NULL
    uint64_t *hits;        // [classes] --multilabel: rows that have the label and get it
    uint64_t *predicted;   // [classes] the sums of its columns
    tlu_class_quality *per_class;
    uint64_t *unknown;    // [classes] predictions for rows with an unknown label
    unsigned char *right; // [result.examples]
    size_t right_capacity;
    tlu_reader_stats reading;
    struct metrics metrics;
    struct wrong_rows wrong;
};

void tlu_evaluation_free(tlu_evaluation *evaluation)
{
    struct tally *tally = (struct tally *)evaluation;
    if (!tally)
        return;
    memory_free(tally->confusion);
    memory_free(tally->hits);
    memory_free(tally->predicted);
    memory_free(tally->per_class);
    memory_free(tally->unknown);
    memory_free(tally->right);
    metrics_free(&tally->metrics);
    wrong_free(&tally->wrong);
    memory_free(tally);
}

static struct tally *tally_new(const tlu_model *model)
{
    struct tally *tally = memory_new(1, sizeof *tally);
    if (!tally)
        return NULL;
    size_t classes = tlu_model_class_count(model);
    bool sets = model->state.schema.multilabel;
    tally->result.classes = classes;
    if (sets)
        tally->hits = memory_new(classes, sizeof(uint64_t));
    else
        tally->confusion = memory_new(classes * classes, sizeof(uint64_t));
    tally->per_class = memory_new(classes, sizeof(tlu_class_quality));
    tally->predicted = memory_new(classes, sizeof(uint64_t));
    tally->unknown = memory_new(classes, sizeof(uint64_t));
    if (!(sets ? tally->hits : tally->confusion) || !tally->per_class || !tally->predicted ||
        !tally->unknown) {
        tlu_evaluation_free(&tally->result);
        return NULL;
    }
    return tally;
}

static void tally_row(struct tally *tally, size_t predicted, bool ambiguous, uint32_t label)
{
    assert(predicted < tally->result.classes);
    if (label == TLU_NO_LABEL)
        return;
    tally->right[tally->result.examples++] = predicted == label;
    tally->result.ambiguous += ambiguous;
    if (label == TLU_UNKNOWN_LABEL) {
        tally->unknown[predicted]++;
        return;
    }
    assert(label < tally->result.classes);
    tally->confusion[label * tally->result.classes + predicted]++;
    tally->per_class[label].support++;
    tally->predicted[predicted]++;
    tally->result.correct += predicted == label;
}

// Row i of the batch that the metrics were given last.
static void tally_set(struct tally *tally, size_t i)
{
    const struct row_sets *labels = &tally->metrics.labels, *sets = &tally->metrics.predictions;
    const uint32_t *label = labels->items + labels->offsets[i],
                   *end = labels->items + labels->offsets[i + 1];
    bool right = true;
    if (end - label == 1 && *label == TLU_NO_LABEL)
        return;
    for (uint64_t k = sets->offsets[i]; k < sets->offsets[i + 1]; k++) { // both are ascending
        uint32_t predicted = sets->items[k];
        tally->predicted[predicted]++;
        for (; label < end && *label < predicted; label++)
            right = false;
        bool hit = label < end && *label == predicted;
        tally->hits[predicted] += hit;
        right &= hit;
        label += hit;
    }
    right &= label == end;
    for (label = labels->items + labels->offsets[i]; label < end; label++)
        if (*label < tally->result.classes)
            tally->per_class[*label].support++;
    tally->right[tally->result.examples++] = right;
    tally->result.correct += right;
}

// Rows whose weights and sets of labels the metrics have taken.
static tlu_status tally_rows(struct tally *tally, const tlu_model *model, const uint32_t *labels,
                             const tlu_predictions *predictions, tlu_error *error)
{
    bool sets = tally->hits != NULL;
    if (!memory_reserve(&tally->right, &tally->right_capacity,
                        (size_t)tally->result.examples + predictions->rows, 1))
        return error_memory(error);
    for (size_t i = 0; !sets && i < predictions->rows; i++)
        tally_row(tally, predictions->classes[i], predictions->ambiguous[i] != 0, labels[i]);
    TRY(metrics_add(&tally->metrics, model, labels, predictions, error));
    for (size_t i = 0; sets && i < predictions->rows; i++)
        tally_set(tally, i);
    return TLU_OK;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static tlu_status sum_up(struct tally *tally, tlu_error *error)
{
    tlu_evaluation *result = &tally->result;
    size_t classes = result->classes;
    struct chosen_metric auc;
    for (size_t c = 0; c < classes; c++) {
        tlu_class_quality *quality = &tally->per_class[c];
        uint64_t right = tally->hits ? tally->hits[c] : tally->confusion[c * classes + c];
        quality->precision =
            ratio((double)right, (double)(tally->unknown[c] + tally->predicted[c]));
        quality->recall = ratio((double)right, (double)quality->support);
        quality->f1 =
            ratio(2 * quality->precision * quality->recall, quality->precision + quality->recall);
    }
    result->accuracy = ratio((double)result->correct, (double)result->examples);
    result->confusion = tally->confusion;
    result->per_class = tally->per_class;
    result->predicted_counts = tally->predicted;
    result->is_correct = tally->right;
    result->auc = NAN;
    TRY(metrics_end(&tally->metrics, error));
    result->metrics = tally->metrics.measured;
    result->metric_count = tally->metrics.count;
    wrong_sort(&tally->wrong);
    result->wrong = tally->wrong.rows;
    result->wrong_count = tally->wrong.count;
    if (classes != 2 || tally->hits)
        return TLU_OK;
    TRY(metric_choose("roc-auc", &auc, error));
    return measure_value(&tally->metrics.measure, &auc, &result->auc, error);
}

// If the model knows none of the labels, the data has another spelling of them, or the label is in
// another column.
static tlu_status check_known(const tlu_model *model, const char *path,
                              const tlu_reader_stats *reading, uint64_t examples, tlu_error *error)
{
    char labels[300];
    if (reading->unknown_labels < examples)
        return TLU_OK;
    if (reading->closest_label[0])
        return error_at(error, path, 0, 0,
                        "the model knows none of its labels: the first is '%s', and '%s' in the "
                        "model; write labels as in training",
                        reading->unknown_label, reading->closest_label);
    return error_at(
        error, path, 0, 0,
        "the model knows none of its labels: the first is '%s', and those of the model "
        "are %s; write labels as in training",
        reading->unknown_label,
        schema_list_labels(&model->state.schema, reading->unknown_label, labels, sizeof labels));
}

// An evaluation in progress.
struct evaluating {
    struct tally *tally;
    const tlu_model *model;
    struct team *team;    // NULL: one process
    struct packet packet; // rows for process 0
};

static tlu_status read_all(struct evaluating *evaluating, tlu_reader *reader, tlu_error *error)
{
    const tlu_batch *batch;
    struct tally *tally = evaluating->tally;
    const tlu_model *model = evaluating->model;
    bool sends = evaluating->team && evaluating->team->rank > 0;
    bool scores = tally->hits || tally->wrong.most ||
                  tally->metrics.measure.keeps & (KEEPS_SCORES | KEEP_LOSSES);
    TRY(tlu_reader_predict(reader, scores, NULL, NULL, error));
    for (;;) {
        TRY(tlu_reader_next(reader, &batch, error));
        if (!batch)
            break;
        const tlu_predictions *predictions = tlu_reader_predictions(reader);
        TRY(metrics_take(&tally->metrics, reader, batch->rows, error));
        if (sends) {
            gather_put(&evaluating->packet, &tally->metrics, model, batch->labels, predictions);
            continue;
        }
        TRY(tally_rows(tally, model, batch->labels, predictions, error));
        TRY(wrong_add(&tally->wrong, model, reader, batch, predictions, error));
    }
    tally->reading = *tlu_reader_get_stats(reader);
    return enough_memory(!evaluating->packet.no_memory, error);
}

static tlu_status add_gathered(void *context, const uint32_t *labels,
                               const tlu_predictions *predictions, tlu_error *error)
{
    struct evaluating *evaluating = context;
    return tally_rows(evaluating->tally, evaluating->model, labels, predictions, error);
}

static tlu_status conclude(struct evaluating *evaluating, const char *path, bool all_rows,
                           tlu_error *error)
{
    struct tally *tally = evaluating->tally;
    if (tally->result.examples == 0)
        return error_at(
            error, path, 0, 0,
            "has no labelled rows to measure on; tlu predict takes rows without labels");
    tally->result.reader_stats = &tally->reading;
    if (all_rows)
        TRY(check_known(evaluating->model, path, &tally->reading, tally->result.examples, error));
    return sum_up(tally, error);
}

// `own` is the error of this process, if any.
static tlu_status gather(struct evaluating *evaluating, const tlu_error *own, tlu_error *error)
{
    struct tally *tally = evaluating->tally;
    struct team *team = evaluating->team;
    TRY(team_join(team, own, error));
    TRY(gather_rows(team, &evaluating->packet, &tally->metrics, add_gathered, evaluating, error));
    return gather_stats(team, &tally->reading, error);
}

static tlu_status run(struct evaluating *evaluating, const tlu_evaluate_settings *settings,
                      const struct row_source *row_source, tlu_options *options, tlu_error *error)
{
    tlu_reader *reader = NULL;
    struct tally *tally = evaluating->tally;
    struct team *team = evaluating->team;
    const tlu_model *model = evaluating->model;
    tlu_error own = {0};
    // With two classes, every evaluation has the area under the curve.
    bool two = model->state.scheme.kind == SCHEME_TWO;
    unsigned keeps = settings->curves || two ? KEEP_SCORES : 0;
    tlu_status status = TLU_OK;
    if (settings->wrong && model->state.schema.multilabel)
        status = error_input(&own, "a list of errors is not available for models of --multilabel; "
                                   "tlu predict prints the labels of each row");
    else if (settings->wrong && team)
        status = error_input(&own, "--errors cannot be combined with several processes; run it in "
                                   "one");
    if (status == TLU_OK) // the options are checked before the data is opened
        status = metrics_begin(&tally->metrics, model, options, keeps, &own);
    if (status == TLU_OK && team)
        status = team_part(team, options, &own);
    if (status == TLU_OK)
        status = model_read(model, settings->path, row_source, options, &reader, &own);
    if (status == TLU_OK) {
        tally->wrong.most = settings->wrong;
        status = read_all(evaluating, reader, &own);
    }
    tlu_reader_close(reader);
    own.status = status;
    if (status == TLU_OK && team)
        status = gather(evaluating, &own, &own);
    else if (team)
        team_fail(team, &own);
    if (status == TLU_OK && !(team && team->rank))
        status = conclude(evaluating, settings->path, !row_source->subset.part, &own);
    own.status = status;
    if (team && !team->over)
        status = team_join(team, &own, &own);
    if (status != TLU_OK && error)
        *error = own;
    return status;
}

static tlu_status evaluate(const tlu_model *model, const tlu_evaluate_settings *settings,
                           const struct row_source *row_source, struct team *team,
                           const tlu_options *options, tlu_evaluation **evaluation,
                           tlu_error *error)
{
    *evaluation = NULL;
    struct evaluating evaluating = {.tally = tally_new(model), .model = model, .team = team};
    tlu_options *own = options_copy(options);
    tlu_status status = enough_memory(evaluating.tally && own, error);
    if (status == TLU_OK)
        status = run(&evaluating, settings, row_source, own, error);
    bool made = status == TLU_OK && !(team && team->rank);
    packet_free(&evaluating.packet);
    tlu_options_free(own);
    if (made)
        *evaluation = &evaluating.tally->result;
    else if (evaluating.tally)
        tlu_evaluation_free(&evaluating.tally->result);
    return status;
}

tlu_status model_evaluate(const tlu_model *model, const char *path,
                          const struct row_source *row_source, struct team *team,
                          const tlu_options *options, tlu_evaluation **evaluation, tlu_error *error)
{
    return evaluate(model, &(tlu_evaluate_settings){.path = path}, row_source, team, options,
                    evaluation, error);
}

tlu_status tlu_evaluate(const tlu_model *model, const char *path, const tlu_options *options,
                        tlu_evaluation **evaluation, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return model_evaluate(model, path, &(struct row_source){0}, NULL, options, evaluation, error);
}

tlu_status tlu_evaluate_with(const tlu_model *model, const tlu_evaluate_settings *given,
                             const tlu_options *options, tlu_evaluation **evaluation,
                             tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_evaluate_settings settings;
    tlu_team taken;
    struct team *team = NULL;
    struct callback exchange;
    *evaluation = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_evaluate_settings", error));
    if (!settings.path)
        return error_input(error, "tlu_evaluate_settings has no path");
    if (settings.team) {
        TRY(team_take(&taken, settings.team, error));
        CALLBACK(exchange, exchange, taken.exchange, taken.exchange_context, caller);
    }
    if (settings.team && taken.ranks > 1) {
        team = team_new(&taken, 0);
        TRY(enough_memory(team != NULL, error)); // the others see that this process is gone
    }
    tlu_status status =
        evaluate(model, &settings, &(struct row_source){.texts = settings.wrong > 0}, team, options,
                 evaluation, error);
    team_free(team);
    return status;
}

// ---- curves ----

tlu_status tlu_evaluation_curve(const tlu_evaluation *evaluation, const char *kind,
                                size_t class_index, tlu_curve **curve, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    const struct measure *measure = &((const struct tally *)evaluation)->metrics.measure;
    struct ranking ranking;
    struct curve found = {0};
    *curve = NULL;
    TRY(check_given(kind != NULL, "kind of curve", error));
    bool roc = strcmp(kind, "roc") == 0;
    if (!roc && strcmp(kind, "pr") != 0)
        return error_input(error, "a curve is 'roc' or 'pr', not '%.80s'", kind);
    if (!(measure->keeps & KEEP_SCORES))
        return error_input(error, "the evaluation was made without curves");
    if (class_index >= measure->classes ||
        (measure->kept.wide == 1 && class_index != measure->positive))
        return error_input(error, "there is no curve of class %zu", class_index);
    bool fine = ranking_make(&ranking, measure, class_index) &&
                (roc ? curve_roc : curve_precision)(&found, &ranking);
    ranking_free(&ranking);
    tlu_curve *made = fine ? memory_new(1, sizeof *made) : NULL;
    if (!made) {
        curve_free(&found);
        return error_memory(error);
    }
    *made = (tlu_curve){found.count, found.points};
    *curve = made;
    return TLU_OK;
}

void tlu_curve_free(tlu_curve *curve)
{
    if (curve)
        memory_free((void *)curve->points);
    memory_free(curve);
}
