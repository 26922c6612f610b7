// Training step by step, in the terms of tlu.h.

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/settings.h"
#include "input/given_rows.h"
#include "model/model.h"
#include "numeric/number.h"
#include "train/train.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What an update may change: the weights of the example's features (in the dual form, of its row),
// the biases and the scales. A learner that multiplies scales out changes all weights, so all of
// them are copied.
struct weights_before {
    double *w;          // [rows][columns], or of the example's features: [count][columns]
    double *bias;       // [columns]
    double *scale;      // [columns]
    uint32_t *features; // [count]
    size_t count, rows, columns;
    bool whole; // w has all rows
    size_t w_capacity, bias_capacity, scale_capacity, features_capacity;
};

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
    size_t scores_capacity, features_capacity;
    struct weights_before before;
    const char *rival; // of tlu_step_rival
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
    if (tracing->class_count == learner->state.scheme.classes)
        return true;
    memory_free(tracing->classes);
    tracing->classes = learner_order_classes(learner);
    tracing->class_count = learner->state.scheme.classes;
    return tracing->classes != NULL;
}

// In one versus one, column j (j - 1) / 2 + i is the pair of classes i and j > i in the order of
// the labels.
static void find_pair(const struct tracing *tracing, size_t column, uint32_t *earlier,
                      uint32_t *later)
{
    uint32_t j = 1;
    while ((size_t)j * (j + 1) / 2 <= column)
        j++;
    assert(j < tracing->class_count);
    *later = tracing->classes[j];
    *earlier = tracing->classes[column - (size_t)j * (j - 1) / 2];
}

// The learner's column for a column of the caller, and its sign.
static uint32_t column_of(const struct tracing *tracing, size_t column, double *sign)
{
    const struct tlu_learner *learner = &tracing->training->learner;
    *sign = 1;
    if (learner->state.scheme.kind == SCHEME_TWO)
        return 0;
    if (learner->state.scheme.kind != SCHEME_OVO)
        return tracing->classes[column];
    uint32_t earlier, later;
    find_pair(tracing, column, &earlier, &later);
    *sign = later > earlier ? 1 : -1;
    return scheme_pair(earlier, later);
}

static const char *label_of(const struct tlu_learner *learner, uint32_t class_index)
{
    const struct schema *schema = &learner->state.schema;
    if (class_index < schema_classes(schema))
        return schema->spelled[class_index];
    double only = 0; // 1 and -1 are each other's opposites (training_all_read)
    if (schema_classes(schema) == 1)
        number_whole(schema->spelled[0], strlen(schema->spelled[0]), &only);
    return only == 1 ? "-1" : only == -1 ? "1" : "";
}

const char *tlu_step_column_label(const tlu_step *step, size_t column, const char **against)
{
    const struct tracing *tracing = step->internal;
    const struct tlu_learner *learner = &tracing->training->learner;
    if (against)
        *against = NULL;
    if (column >= step->columns)
        return "";
    if (learner->state.scheme.kind == SCHEME_TWO)
        return label_of(learner, learner->state.scheme.positive);
    if (learner->state.scheme.kind != SCHEME_OVO)
        return label_of(learner, tracing->classes[column]);
    uint32_t earlier, later;
    find_pair(tracing, column, &earlier, &later);
    if (against)
        *against = label_of(learner, earlier);
    return label_of(learner, later);
}

// ---- reading a step ----

size_t tlu_step_feature_name(const tlu_step *step, size_t feature, char *name, size_t size)
{
    const struct tracing *tracing = step->internal;
    const struct schema *schema = &tracing->training->learner.state.schema;
    size = name ? size : 0;
    if (feature >= step->features) {
        if (size)
            name[0] = '\0';
        return 0;
    }
    return schema_name(schema, schema_number(schema, feature), name, size);
}

// The place of a feature in the weights before the step; SIZE_MAX: not there.
static size_t place_before(const struct weights_before *before, const struct weights *weights,
                           size_t at)
{
    if (before->whole) {
        size_t row = weights_row(weights, at);
        return row < before->rows ? row : SIZE_MAX;
    }
    for (size_t i = 0; i < before->count; i++)
        if (before->features[i] == at)
            return i;
    return SIZE_MAX;
}

// w of a feature, or of a row in the dual form, with its scale multiplied out.
static double cell(const struct tracing *tracing, size_t column, size_t at)
{
    const struct weights *weights = &tracing->training->learner.state.weights;
    double sign;
    uint32_t own = column_of(tracing, column, &sign);
    size_t row = weights_row(weights, at);
    if (row == SIZE_MAX)
        return 0;
    double value = weights->w[row * weights->columns + own];
    return 0 + sign * (weights->scale ? value * weights->scale[own] : value); // never -0
}

// The same before the step.
static double cell_before(const struct tracing *tracing, size_t column, size_t at)
{
    const struct weights_before *before = &tracing->before;
    size_t place = place_before(before, &tracing->training->learner.state.weights, at);
    if (place == SIZE_MAX)
        return before->whole ? 0 : cell(tracing, column, at);
    double sign;
    uint32_t own = column_of(tracing, column, &sign);
    return 0 + sign * (before->w[place * before->columns + own] * before->scale[own]);
}

typedef double cell_function(const struct tracing *tracing, size_t column, size_t at);

static double weight_of(const tlu_step *step, cell_function *of, size_t column, size_t feature)
{
    const struct tracing *tracing = step->internal;
    if (step->dual || column >= step->columns || feature >= step->features)
        return 0;
    return of(tracing, column, schema_number(&tracing->training->learner.state.schema, feature));
}

double tlu_step_weight(const tlu_step *step, size_t column, size_t feature)
{
    FP_ENV_DEFAULT(caller);
    return weight_of(step, cell, column, feature);
}

double tlu_step_weight_before(const tlu_step *step, size_t column, size_t feature)
{
    FP_ENV_DEFAULT(caller);
    return weight_of(step, cell_before, column, feature);
}

static double coefficient_of(const tlu_step *step, cell_function *of, size_t column, uint64_t row)
{
    if (!step->dual || column >= step->columns || row == 0 || row > step->examples)
        return 0;
    return of(step->internal, column, (size_t)row - 1);
}

double tlu_step_alpha(const tlu_step *step, size_t column, uint64_t row)
{
    FP_ENV_DEFAULT(caller);
    return fabs(coefficient_of(step, cell, column, row));
}

double tlu_step_alpha_before(const tlu_step *step, size_t column, uint64_t row)
{
    FP_ENV_DEFAULT(caller);
    return fabs(coefficient_of(step, cell_before, column, row));
}

int tlu_step_alpha_sign(const tlu_step *step, size_t column, uint64_t row)
{
    FP_ENV_DEFAULT(caller);
    double coefficient = coefficient_of(step, cell, column, row);
    return (coefficient > 0) - (coefficient < 0);
}

double tlu_step_bias(const tlu_step *step, size_t column)
{
    FP_ENV_DEFAULT(caller);
    const struct tracing *tracing = step->internal;
    double sign;
    if (column >= step->columns)
        return 0;
    uint32_t own = column_of(tracing, column, &sign);
    return 0 + sign * tracing->training->learner.state.weights.bias[own];
}

double tlu_step_bias_before(const tlu_step *step, size_t column)
{
    FP_ENV_DEFAULT(caller);
    const struct tracing *tracing = step->internal;
    double sign;
    if (column >= step->columns)
        return 0;
    uint32_t own = column_of(tracing, column, &sign);
    return 0 + sign * tracing->before.bias[own];
}

const char *tlu_step_rival(const tlu_step *step)
{
    FP_ENV_DEFAULT(caller);
    return ((const struct tracing *)step->internal)->rival;
}

// ---- making a step ----

// The scores of the step are still in the learner.
static const char *find_rival(const struct tlu_learner *learner, uint32_t class_index, bool updated)
{
    struct binary_example problem;
    if (learner->state.scheme.kind != SCHEME_WTA || !(learner->rule.kind->traits & LEARNER_TIES))
        return NULL;
    scheme_subproblem(learner, class_index, 0, &problem);
    return updated && problem.parts == 2 ? label_of(learner, problem.part[1].column) : "";
}

static size_t count_equal(const double *scores, size_t count, size_t winner)
{
    size_t equal = 0;
    for (size_t c = 0; c < count; c++)
        equal += scores[c] == scores[winner];
    return equal;
}

// The class that the learner predicted, with ties resolved by --tie.
static uint32_t guess(const struct tracing *tracing, const struct tlu_learner *learner, bool *tie)
{
    struct election election = learner_election(learner);
    election.labels = NULL; // the scores are in the order of the labels
    uint32_t winner = scheme_elect(&election, tracing->scores, tie);
    if (election.kind == SCHEME_TWO)
        *tie = tracing->scores[0] == 0;
    else if (election.kind == SCHEME_OVR) // it is ambiguous in other cases, too
        *tie = count_equal(tracing->scores, learner_columns(learner), winner) > 1;
    return election.kind == SCHEME_TWO ? winner : tracing->classes[winner];
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

static void copy_rows(struct weights_before *before, const struct weights *weights)
{
    size_t columns = before->columns, bytes = columns * sizeof(double);
    if (before->whole) {
        memcpy(before->w, weights->w, before->rows * bytes);
        return;
    }
    for (size_t i = 0; i < before->count; i++) {
        size_t row = weights_row(weights, before->features[i]);
        if (row == SIZE_MAX)
            memset(before->w + i * columns, 0, bytes);
        else
            memcpy(before->w + i * columns, weights->w + row * columns, bytes);
    }
}

static bool before_step(struct training *t, const struct batch *batch, size_t i)
{
    struct tracing *tracing = t->reporter.step_context;
    struct weights_before *before = &tracing->before;
    const struct weights *weights = &t->learner.state.weights;
    tlu_row row = batch_row(batch, i);
    bool dual = t->learner.space.dual != NULL;
    before->columns = weights->columns;
    before->whole = weights->scale != NULL;
    before->rows = weights->rows;
    before->count = before->whole ? 0 : dual ? 1 : row.count;
    size_t rows = before->whole ? before->rows : before->count;
    if (!memory_reserve(&before->w, &before->w_capacity, (uint64_t)rows * before->columns,
                        sizeof *before->w) ||
        !memory_reserve(&before->bias, &before->bias_capacity, before->columns,
                        sizeof *before->bias) ||
        !memory_reserve(&before->scale, &before->scale_capacity, before->columns,
                        sizeof *before->scale) ||
        !memory_reserve(&before->features, &before->features_capacity, before->count,
                        sizeof *before->features))
        return false;
    for (size_t k = 0; k < before->count; k++)
        before->features[k] = dual ? (uint32_t)(batch->first_row + i) : row_feature(&row, k);
    for (size_t c = 0; c < before->columns; c++) {
        before->bias[c] = weights->bias[c];
        before->scale[c] = weights->scale ? weights->scale[c] : 1;
    }
    copy_rows(before, weights);
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
        !copy_features(tracing, &learner->state.schema, &row)) {
        tracing->no_memory = true;
        return false;
    }
    bool tie;
    uint32_t predicted = guess(tracing, learner, &tie);
    tracing->rival = find_rival(learner, batch->labels[i], updated);
    tlu_step step = {.step = ++tracing->steps,
                     .pass = t->run.pass + 1,
                     .row = batch->first_row + i + 1,
                     .line = batch_line(batch, i),
                     .label = label_of(learner, batch->labels[i]),
                     .predicted = label_of(learner, predicted),
                     .example = {row.count, tracing->features, row.values},
                     .features = (size_t)schema_columns(&learner->state.schema),
                     .columns = learner_columns(learner),
                     .scores = tracing->scores,
                     .mistake = wrong,
                     .updated = updated,
                     .tie = tie,
                     .dual = learner->space.dual != NULL,
                     .examples = learner->space.dual ? t->rows.counts.rows : 0,
                     .internal = tracing};
    return tracing->function(tracing->context, &step) == 0;
}

static tlu_status trace(struct training *training, const tlu_options *options,
                        struct tracing *tracing, tlu_model **model, tlu_error *error)
{
    tlu_model *made = NULL;
    training->reporter = (struct progress_reporter){
        .before_step = before_step, .on_step = on_step, .step_context = tracing};
    if (model)
        *model = NULL;
    TRY(check_given(tracing->function != NULL, "function to tell about steps", error));
    tlu_status status = model_train(training, options, NULL, &made, error);
    if (status == TLU_OK && tracing->no_memory)
        status = error_memory(error);
    memory_free(tracing->classes);
    memory_free(tracing->scores);
    memory_free(tracing->features);
    memory_free(tracing->before.w);
    memory_free(tracing->before.bias);
    memory_free(tracing->before.scale);
    memory_free(tracing->before.features);
    if (status == TLU_OK && model)
        *model = made;
    else
        tlu_model_free(made);
    return status;
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
    struct tracing tracing = {.function = function, .context = context};
    struct given_rows given = {.path = own.name ? own.name : "rows",
                               .skip_bad = options && options_flag(options, OPTION_SKIP_BAD),
                               .first = own.rows,
                               .next = own.next_rows,
                               .next_context = own.next_context};
    struct training training = {.rows.path = own.path ? own.path : given.path};
    if (!own.path)
        training.rows.row_source =
            (struct row_source){.next_rows = given_rows_next, .next_rows_context = &given};
    tlu_status status = trace(&training, options, &tracing, model, error);
    given_rows_free(&given);
    return status;
}

tlu_status tlu_trace(const char *path, const tlu_options *options, tlu_step_function function,
                     void *context, tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct callback own;
    tlu_train_settings settings = {.size = sizeof settings, .path = path};
    if (model)
        *model = NULL;
    CALLBACK(own, step, function, context, caller);
    TRY(check_given(path != NULL, "path", error));
    return tlu_trace_with(&settings, options, function, context, model, error);
}
