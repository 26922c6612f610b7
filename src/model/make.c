// From a learner to a model and back: classes get the order of their labels, features lose the gaps
// of the growing schema, and both the deciding weights and the state of training come along.

#include "base/memory.h"
#include "learn/stream.h"
#include "learn/train.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

// What leads from the learner's numbers to the model's.
struct mapping {
    uint32_t *classes;  // [class_count] the learner's number of the model's class
    uint32_t *features; // [feature_count] likewise
    size_t feature_count;
};

static void mapping_free(struct mapping *mapping)
{
    memory_free(mapping->classes);
    memory_free(mapping->features);
}

// ---- classes ----

// The classes in play: the schema has one more where a stream could not take in its first example.
static bool order_classes(struct mapping *mapping, const struct tlu_learner *learner)
{
    const struct schema *schema = &learner->schema;
    uint32_t count = learner->classes;
    mapping->classes = memory_new(count, sizeof *mapping->classes);
    if (!mapping->classes)
        return false;
    for (uint32_t i = 0; i < count; i++) { // insertion sort: the labels are often in order already
        uint32_t j = i;
        for (; j > 0 && schema_label_compare(schema->spelled[mapping->classes[j - 1]],
                                             schema->spelled[i]) > 0;
             j--)
            mapping->classes[j] = mapping->classes[j - 1];
        mapping->classes[j] = i;
    }
    return true;
}

static bool copy_classes(struct tlu_model *model, const struct tlu_learner *learner,
                         const struct mapping *mapping)
{
    uint32_t count = learner->classes;
    model->class_examples = memory_new(count, sizeof *model->class_examples);
    if (!model->class_examples)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t old = mapping->classes[i];
        const char *label = learner->schema.spelled[old];
        if (schema_class_add(&model->schema, label, strlen(label)) != i)
            return false;
        if (old < learner->class_examples_count)
            model->class_examples[i] = learner->class_examples[old];
        if (count == 2 && old == learner->plus)
            model->positive = i;
    }
    return true;
}

// ---- features ----

static bool is_used(const struct weights *weights, size_t feature)
{
    size_t start = feature * weights->columns;
    for (size_t i = start; i < start + weights->columns; i++)
        if (weights->w[i] != 0 || (weights->u && weights->u[i] != 0))
            return true;
    return false;
}

// Of LIBSVM indices those with a weight; of names all, so that a value that training has met can be
// told from one that it has not.
static bool copy_features(struct tlu_model *model, const struct tlu_learner *learner,
                          const struct weights *weights, struct mapping *mapping)
{
    const struct schema *from = &learner->schema;
    struct schema *to = &model->schema;
    size_t direct = from->lowest <= from->highest && from->base ? (size_t)from->highest + 1 : 0;
    size_t most = direct + from->names.count;
    mapping->features = memory_new(most, sizeof *mapping->features);
    to->ids = memory_new(direct, sizeof *to->ids);
    if (!mapping->features || !to->ids)
        return false;
    for (size_t f = 0; f < direct && f < weights->features; f++)
        if (is_used(weights, f)) {
            mapping->features[mapping->feature_count++] = (uint32_t)f;
            to->ids[to->numbered++] = (uint32_t)f;
        }
    for (uint32_t i = 0; i < from->names.count; i++) {
        if (table_add(&to->names, table_text(&from->names, i), table_length(&from->names, i)) ==
            TABLE_NONE)
            return false;
        mapping->features[mapping->feature_count++] = from->base + i;
    }
    return schema_rank(to);
}

// What the rows of the data look like. The features of CSV columns have the same numbers in a
// growing and in a frozen schema: there are no LIBSVM indices before them.
static bool copy_columns(struct schema *to, const struct schema *from)
{
    to->csv = from->csv;
    to->header = from->header;
    to->delimiter = from->delimiter;
    to->columns = memory_new(from->column_count, sizeof *to->columns);
    for (size_t i = 0; to->columns && i < from->column_count; i++) {
        to->columns[i] = from->columns[i];
        to->columns[i].name =
            memory_copy_text(from->columns[i].name, strlen(from->columns[i].name));
        if (!to->columns[i].name)
            return false;
        to->column_count++;
    }
    return to->columns != NULL;
}

// ---- weights and scaling ----

static bool copy_weights(struct tlu_model *model, const struct weights *from,
                         const struct mapping *mapping)
{
    struct weights *to = &model->weights;
    uint32_t columns = from->columns;
    if (!weights_init(to, columns, from->u != NULL) || !weights_reserve(to, mapping->feature_count))
        return false;
    to->steps = from->steps;
    for (uint32_t c = 0; c < columns; c++) {
        uint32_t old = columns > 1 ? mapping->classes[c] : 0;
        to->bias[c] = from->bias[old];
        if (from->u)
            to->u_bias[c] = from->u_bias[old];
        for (size_t f = 0; f < mapping->feature_count; f++) {
            size_t source = mapping->features[f];
            if (source >= from->features)
                continue;
            to->w[f * columns + c] = from->w[source * columns + old];
            if (from->u)
                to->u[f * columns + c] = from->u[source * columns + old];
        }
    }
    return true;
}

static bool copy_scaling(struct tlu_model *model, const struct scaling *from,
                         const struct mapping *mapping)
{
    struct scaling *to = &model->scaling;
    if (!from || from->kind == SCALE_NONE)
        return true;
    to->kind = from->kind;
    to->features = mapping->feature_count;
    to->factor = memory_new(to->features, sizeof(double));
    to->shift = memory_new(to->features, sizeof(double));
    if (!to->factor || !to->shift)
        return false;
    for (size_t f = 0; f < to->features; f++) {
        to->factor[f] = from->factor[mapping->features[f]];
        to->shift[f] = from->shift[mapping->features[f]];
    }
    return scaling_index(to);
}

// ---- the model ----

static tlu_status make(tlu_model **out, const struct tlu_learner *learner,
                       const struct weights *weights, const struct scaling *scaling,
                       tlu_error *error)
{
    *out = NULL;
    struct tlu_model *model = model_new();
    struct mapping mapping = {0};
    bool fine = model != NULL;
    if (fine) {
        model->schema.frozen = true;
        model->random = learner->random;
        model->version = memory_copy_text(TLU_VERSION, strlen(TLU_VERSION));
        model->options = options_copy(learner->options);
        fine = model->version && model->options && order_classes(&mapping, learner) &&
               copy_classes(model, learner, &mapping) &&
               copy_features(model, learner, weights, &mapping) &&
               copy_columns(&model->schema, &learner->schema) &&
               copy_weights(model, weights, &mapping) && copy_scaling(model, scaling, &mapping);
    }
    mapping_free(&mapping);
    tlu_status status = fine ? model_prepare(model, error) : error_memory(error);
    if (status != TLU_OK)
        tlu_model_free(model);
    else
        *out = model;
    return status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

// Moves what the training has counted into the model's report.
static tlu_status fill_report(struct tlu_model *model, struct training *t, tlu_error *error)
{
    tlu_report *report = &model->report;
    const char *name = error_file_name(base_name(t->path));
    model->report_data = memory_copy_text(name, strlen(name));
    if (!model->report_data)
        return error_memory(error);
    model->report_mistakes = t->mistakes;
    model->report_accuracy = t->accuracy;
    model->report_notices = t->notices;
    *report = (tlu_report){.examples = t->rows - t->held_out.count,
                           .held_out = t->held_out.count,
                           .nonzeros = t->nonzeros,
                           .features = schema_columns(&t->learner.schema),
                           .classes = schema_classes(&t->learner.schema),
                           .epochs = t->pass,
                           .mistakes = t->mistakes,
                           .updates = t->learner.updates,
                           .held_out_accuracy = t->accuracy,
                           .best_epoch = t->best_pass,
                           .converged = t->stopped == STOPPED_CONVERGED,
                           .stopped = model_stopped_names[t->stopped],
                           .skipped = t->skipped,
                           .data = model->report_data,
                           .format = t->format,
                           .notices = t->notice_count,
                           .notice = (const char *const *)t->notices,
                           .seconds_read = t->seconds_read,
                           .seconds_total = train_seconds() - t->started};
    report->seconds_learn = report->seconds_total - report->seconds_read;
    t->mistakes = NULL;
    t->accuracy = NULL;
    t->notices = NULL;
    t->notice_count = 0;
    return TLU_OK;
}

tlu_status tlu_train_watched(const char *path, const tlu_options *options,
                             tlu_progress_function progress, void *context, tlu_model **model,
                             tlu_error *error)
{
    *model = NULL;
    struct training training;
    tlu_status status = training_run(&training, path, options, progress, context, error);
    if (status == TLU_OK)
        status = make(model, &training.learner,
                      training.best.w ? &training.best : &training.learner.weights,
                      &training.scaling, error);
    if (status == TLU_OK) {
        status = fill_report(*model, &training, error);
        if (status != TLU_OK) {
            tlu_model_free(*model);
            *model = NULL;
        }
    }
    training_free(&training);
    return status;
}

tlu_status tlu_train(const char *path, const tlu_options *options, tlu_model **model,
                     tlu_error *error)
{
    return tlu_train_watched(path, options, NULL, NULL, model, error);
}

// ---- streams ----

tlu_status tlu_learner_model(const tlu_learner *learner, tlu_model **model, tlu_error *error)
{
    *model = NULL;
    if (learner->classes < 2)
        return error_input(error, "a model needs two classes; the learner has met %u",
                           learner->classes);
    tlu_status status = learner_check_labels(learner, error);
    if (status == TLU_OK)
        status = make(model, learner, &learner->weights, NULL, error);
    if (status != TLU_OK)
        return status;
    tlu_model *made = *model;
    made->report_mistakes = memory_new(1, sizeof *made->report_mistakes);
    if (!made->report_mistakes) {
        tlu_model_free(made);
        *model = NULL;
        return error_memory(error);
    }
    made->report_mistakes[0] = learner->mistakes;
    made->report = (tlu_report){.examples = learner->examples,
                                .features = schema_columns(&learner->schema),
                                .classes = learner->classes,
                                .epochs = 1,
                                .mistakes = made->report_mistakes,
                                .updates = learner->updates,
                                .best_epoch = 1,
                                .stopped = model_stopped_names[STOPPED_EPOCHS],
                                .data = "",
                                .format = "stream"};
    return TLU_OK;
}

// The model's features back to the numbers of a growing schema, with their weights.
static bool restore_features(struct tlu_learner *learner, const tlu_model *model)
{
    const struct schema *from = &model->schema;
    const struct weights *weights = &model->weights;
    uint32_t columns = weights->columns;
    // A stream's features are all names, in the order in which they were met. They keep it, for it
    // is the order in which rows are summed up.
    learner->schema.base = from->numbered ? SCHEMA_DIRECT : 0;
    for (uint32_t f = 0; f < schema_features(from); f++) {
        char number[24];
        const char *name = number;
        size_t length;
        if (f < from->numbered) {
            length = schema_name(from, f, number, sizeof number);
        } else {
            name = table_text(&from->names, f - from->numbered);
            length = table_length(&from->names, f - from->numbered);
        }
        uint32_t slot = schema_add(&learner->schema, name, length);
        if (slot == SCHEMA_NONE || !weights_reserve(&learner->weights, (size_t)slot + 1))
            return false;
        for (uint32_t c = 0; c < columns; c++) {
            learner->weights.w[(size_t)slot * columns + c] = weights->w[f * columns + c];
            if (weights->u)
                learner->weights.u[(size_t)slot * columns + c] = weights->u[f * columns + c];
        }
    }
    return true;
}

static tlu_status restore(struct tlu_learner *learner, const tlu_model *model, tlu_error *error)
{
    uint32_t classes = schema_classes(&model->schema);
    for (uint32_t c = 0; c < classes; c++) {
        const char *label = model->schema.spelled[c];
        if (schema_class_add(&learner->schema, label, strlen(label)) != c)
            return error_memory(error);
    }
    tlu_status status = learner_play(learner, classes, error);
    if (status != TLU_OK)
        return status;
    size_t bytes = model->weights.columns * sizeof(double);
    if (classes == 2)
        learner->plus = model->positive;
    if (!restore_features(learner, model) || !copy_columns(&learner->schema, &model->schema))
        return error_memory(error);
    memcpy(learner->weights.bias, model->weights.bias, bytes);
    if (model->weights.u)
        memcpy(learner->weights.u_bias, model->weights.u_bias, bytes);
    learner->weights.steps = model->weights.steps;
    learner->random = model->random;
    learner->examples = model->report.examples;
    learner->updates = model->report.updates;
    for (uint64_t i = 0; i < model->report.epochs; i++)
        learner->mistakes += model->report.mistakes[i];
    for (uint32_t c = 0; c < classes; c++) {
        if (!learner_count(learner, c))
            return error_memory(error);
        learner->class_examples[c] = model->class_examples[c];
    }
    return TLU_OK;
}

tlu_status tlu_learner_resume(const tlu_model *model, tlu_learner **learner, tlu_error *error)
{
    *learner = NULL;
    if (tlu_model_scaled(model))
        return error_input(error, "a model that scales its data cannot go on with a stream");
    tlu_status status = stream_new(model->options, learner, error);
    if (status == TLU_OK)
        status = restore(*learner, model, error);
    if (status != TLU_OK) {
        tlu_learner_free(*learner);
        *learner = NULL;
    }
    return status;
}
