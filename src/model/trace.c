// Training step by step, in the terms of tlu.h.

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/settings.h"
#include "input/given_rows.h"
#include "model/model.h"
#include "train/train.h"

struct tracing {
    tlu_step_function function;
    void *context;
    uint64_t steps;
    const struct training *training;
    // Classes and columns in the order of the labels, as in a model.
    uint32_t *classes; // [class_count] the learner's number
    uint32_t class_count;
    double *scores;     // [columns]
    uint32_t *features; // [features_capacity] of the example, numbered without gaps
    size_t classes_capacity, scores_capacity, features_capacity;
    bool no_memory;
};

// ---- numbers: those of a growing schema have gaps, users' have none ----

static uint64_t direct_features(const struct schema *schema)
{
    return schema_columns(schema) - schema_names(schema);
}

static uint32_t schema_number(const struct schema *schema, size_t feature)
{
    uint64_t direct = direct_features(schema);
    if (feature < direct) // LIBSVM's indices start at 1 if 0 is not used
        return (uint32_t)(feature + (schema->direct.lowest > 0));
    return (uint32_t)(schema->base + (feature - direct));
}

static size_t user_number(const struct schema *schema, uint32_t number)
{
    if (number < schema->base)
        return number - (schema->direct.lowest > 0);
    return (size_t)(direct_features(schema) + (number - schema->base));
}

// ---- columns ----

static bool order_classes(struct tracing *tracing, const struct tlu_learner *learner)
{
    const struct schema *schema = &learner->schema;
    if (tracing->class_count == learner->scheme.classes)
        return true;
    if (!memory_reserve(&tracing->classes, &tracing->classes_capacity, learner->scheme.classes,
                        sizeof *tracing->classes))
        return false;
    for (uint32_t i = 0; i < learner->scheme.classes; i++) { // insertion sort, as in a model
        uint32_t j = i;
        for (; j > 0 && schema_label_compare(schema->spelled[tracing->classes[j - 1]],
                                             schema->spelled[i]) > 0;
             j--)
            tracing->classes[j] = tracing->classes[j - 1];
        tracing->classes[j] = i;
    }
    tracing->class_count = learner->scheme.classes;
    return true;
}

// The learner's column for a column of the caller, and its sign. In one versus one, column j (j -
// 1) / 2 + i is the pair of classes i and j > i in the order of the labels.
static uint32_t column_of(const struct tracing *tracing, size_t column, double *sign)
{
    const struct tlu_learner *learner = &tracing->training->learner;
    *sign = 1;
    if (learner->scheme.kind == SCHEME_TWO)
        return 0;
    if (learner->scheme.kind != SCHEME_OVO)
        return tracing->classes[column];
    uint32_t j = 1;
    while ((size_t)j * (j + 1) / 2 <= column)
        j++;
    uint32_t later = tracing->classes[j];
    uint32_t earlier = tracing->classes[column - (size_t)j * (j - 1) / 2];
    *sign = later > earlier ? 1 : -1;
    return scheme_pair(earlier, later);
}

static const char *label_of(const struct tlu_learner *learner, uint32_t class_index)
{
    const struct schema *schema = &learner->schema;
    return class_index < schema_classes(schema) ? schema->spelled[class_index] : "";
}

const char *tlu_step_column_label(const tlu_step *step, size_t column, const char **against)
{
    const struct tracing *tracing = step->internal;
    const struct tlu_learner *learner = &tracing->training->learner;
    if (against)
        *against = NULL;
    if (column >= step->columns)
        return "";
    if (learner->scheme.kind == SCHEME_TWO)
        return label_of(learner, learner->scheme.positive);
    if (learner->scheme.kind != SCHEME_OVO)
        return label_of(learner, tracing->classes[column]);
    uint32_t j = 1;
    while ((size_t)j * (j + 1) / 2 <= column)
        j++;
    if (against)
        *against = label_of(learner, tracing->classes[column - (size_t)j * (j - 1) / 2]);
    return label_of(learner, tracing->classes[j]);
}

// ---- reading a step ----

size_t tlu_step_feature_name(const tlu_step *step, size_t feature, char *name, size_t size)
{
    const struct tracing *tracing = step->internal;
    const struct schema *schema = &tracing->training->learner.schema;
    size = name ? size : 0;
    if (feature >= step->features) {
        if (size)
            name[0] = '\0';
        return 0;
    }
    return schema_name(schema, schema_number(schema, feature), name, size);
}

// w of a feature, or of a row in the dual form, with its scale multiplied out.
static double cell(const struct tracing *tracing, size_t column, size_t at)
{
    const struct weights *weights = &tracing->training->learner.space.weights;
    double sign;
    uint32_t own = column_of(tracing, column, &sign);
    size_t row = weights_row(weights, at);
    if (row == SIZE_MAX)
        return 0;
    double value = weights->w[row * weights->columns + own];
    return 0 + sign * (weights->scale ? value * weights->scale[own] : value); // never -0
}

double tlu_step_weight(const tlu_step *step, size_t column, size_t feature)
{
    FP_ENV_DEFAULT(caller);
    const struct tracing *tracing = step->internal;
    if (step->dual || column >= step->columns || feature >= step->features)
        return 0;
    return cell(tracing, column, schema_number(&tracing->training->learner.schema, feature));
}

double tlu_step_alpha(const tlu_step *step, size_t column, uint64_t row)
{
    FP_ENV_DEFAULT(caller);
    if (!step->dual || column >= step->columns || row == 0 || row > step->examples)
        return 0;
    return cell(step->internal, column, (size_t)row - 1);
}

double tlu_step_bias(const tlu_step *step, size_t column)
{
    FP_ENV_DEFAULT(caller);
    const struct tracing *tracing = step->internal;
    double sign;
    if (column >= step->columns)
        return 0;
    uint32_t own = column_of(tracing, column, &sign);
    return 0 + sign * tracing->training->learner.space.weights.bias[own];
}

// ---- making a step ----

// The class that the learner predicted, with ties resolved by --tie.
static uint32_t guess(const struct tracing *tracing, const struct tlu_learner *learner)
{
    const double *scores = tracing->scores;
    if (learner->scheme.kind == SCHEME_TWO && scores[0] == 0 && learner->rule.tie == TIE_NEGATIVE)
        return 1 - learner->scheme.positive;
    uint32_t winner = scheme_elect(learner->scheme.kind, scores, learner->scheme.classes,
                                   learner->scheme.positive, NULL);
    return learner->scheme.kind == SCHEME_TWO ? winner : tracing->classes[winner];
}

static bool copy_scores(struct tracing *tracing, const struct tlu_learner *learner)
{
    uint32_t columns = learner_columns(learner);
    if (!memory_reserve(&tracing->scores, &tracing->scores_capacity, columns,
                        sizeof *tracing->scores))
        return false;
    for (uint32_t c = 0; c < columns; c++) {
        double sign;
        uint32_t own = column_of(tracing, c, &sign);
        tracing->scores[c] = 0 + sign * learner->space.scores[own];
    }
    return true;
}

static bool copy_features(struct tracing *tracing, const struct schema *schema, const tlu_row *row)
{
    if (!memory_reserve(&tracing->features, &tracing->features_capacity, row->count,
                        sizeof *tracing->features))
        return false;
    for (size_t i = 0; i < row->count; i++)
        tracing->features[i] = (uint32_t)user_number(schema, row_feature(row, i));
    return true;
}

static bool on_step(struct training *t, const struct batch *batch, size_t i, bool wrong,
                    bool updated)
{
    struct tracing *tracing = t->reporter.step_context;
    const struct tlu_learner *learner = &t->learner;
    tlu_row row = batch_row(batch, i);
    tracing->training = t;
    if (!order_classes(tracing, learner) || !copy_scores(tracing, learner) ||
        !copy_features(tracing, &learner->schema, &row)) {
        tracing->no_memory = true;
        return false;
    }
    tlu_step step = {.step = ++tracing->steps,
                     .pass = t->run.pass + 1,
                     .row = batch->first_row + i + 1,
                     .line = batch_line(batch, i),
                     .label = label_of(learner, batch->labels[i]),
                     .predicted = label_of(learner, guess(tracing, learner)),
                     .example = {row.count, tracing->features, row.values},
                     .features = (size_t)schema_columns(&learner->schema),
                     .columns = learner_columns(learner),
                     .scores = tracing->scores,
                     .mistake = wrong,
                     .updated = updated,
                     .dual = learner->space.dual != NULL,
                     .examples = learner->space.dual ? t->rows.counts.rows : 0,
                     .internal = tracing};
    return tracing->function(tracing->context, &step) == 0;
}

static tlu_status trace(struct training *training, const tlu_options *options,
                        struct tracing *tracing, tlu_model **model, tlu_error *error)
{
    tlu_model *made = NULL;
    training->reporter = (struct progress_reporter){.on_step = on_step, .step_context = tracing};
    if (model)
        *model = NULL;
    TRY(check_given(tracing->function != NULL, "function to tell about steps", error));
    tlu_status status = model_train(training, options, NULL, &made, error);
    if (status == TLU_OK && tracing->no_memory)
        status = error_memory(error);
    memory_free(tracing->classes);
    memory_free(tracing->scores);
    memory_free(tracing->features);
    if (status == TLU_OK && model)
        *model = made;
    else
        tlu_model_free(made);
    if (status != TLU_OK && model)
        *model = NULL;
    return status;
}

tlu_status tlu_trace(const char *path, const tlu_options *options, tlu_step_function function,
                     void *context, tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct callback own;
    CALLBACK(own, step, function, context, caller);
    struct tracing tracing = {.function = function, .context = context};
    struct training training = {.rows.path = path};
    TRY(check_given(path != NULL, "path", error));
    return trace(&training, options, &tracing, model, error);
}

tlu_status tlu_trace_with(const tlu_train_settings *settings, const tlu_options *options,
                          tlu_step_function function, void *context, tlu_model **model,
                          tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_train_settings own;
    struct callback step, rows;
    if (model)
        *model = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_train_settings", error));
    CALLBACK(step, step, function, context, caller);
    CALLBACK(rows, rows, own.next_rows, own.next_context, caller);
    if (own.path)
        return tlu_trace(own.path, options, function, context, model, error);
    struct tracing tracing = {.function = function, .context = context};
    struct given_rows given = {.path = own.name ? own.name : "rows",
                               .skip_bad = options && options_flag(options, OPTION_SKIP_BAD),
                               .first = own.rows,
                               .next = own.next_rows,
                               .next_context = own.next_context};
    struct training training = {
        .rows = {.path = given.path,
                 .row_source = {.next_rows = given_rows_next, .next_rows_context = &given}}};
    tlu_status status = trace(&training, options, &tracing, model, error);
    given_rows_free(&given);
    return status;
}
