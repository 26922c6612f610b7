// From a learner to a model: classes get the order of their labels, features lose the gaps of the
// growing schema, and both the deciding weights and the state of training come along. The way back
// is in resume.c.

#include "model/make.h"
#include "base/memory.h"
#include "learn/adapt.h"
#include "learn/decision.h"
#include "learn/online_scale.h"
#include "solve/whole.h"
#include "space/panel.h"
#include "train/train.h" // enum stopped

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mapping_free(struct mapping *mapping)
{
    memory_free(mapping->classes);
    memory_free(mapping->features);
    memory_free(mapping->feature_of);
    memory_free(mapping->columns);
    memory_free(mapping->signs);
    memory_free(mapping->column_of);
    memory_free(mapping->ids);
}

// ---- classes ----

struct label {
    const char *text;
    uint32_t number;
};

static int by_label(const void *a, const void *b)
{
    return schema_label_compare(((const struct label *)a)->text, ((const struct label *)b)->text);
}

// The classes in play: the schema has one more where a stream could not take in its first example.
static bool order_classes(struct mapping *mapping, const struct tlu_learner *learner)
{
    uint32_t count = learner->scheme.classes;
    struct label *labels = memory_new(count, sizeof *labels);
    mapping->classes = memory_new(count, sizeof *mapping->classes);
    bool fine = labels && mapping->classes;
    for (uint32_t i = 0; fine && i < count; i++)
        labels[i] = (struct label){learner->schema.spelled[i], i};
    if (fine && count)
        qsort(labels, count, sizeof *labels, by_label);
    for (uint32_t i = 0; fine && i < count; i++)
        mapping->classes[i] = labels[i].number;
    memory_free(labels);
    return fine;
}

static bool copy_classes(struct tlu_model *model, const struct tlu_learner *learner,
                         const struct mapping *mapping)
{
    uint32_t count = learner->scheme.classes;
    model->class_examples = memory_new(count, sizeof *model->class_examples);
    if (!model->class_examples)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t old = mapping->classes[i];
        const char *label = learner->schema.spelled[old];
        if (schema_class_add(&model->schema, label, strlen(label)) != i)
            return false;
        if (old < learner->scheme.class_examples_count)
            model->class_examples[i] = learner->scheme.class_examples[old];
        if (count == 2 && old == learner->scheme.positive)
            model->positive = i;
    }
    return true;
}

bool mapping_order_columns(struct mapping *mapping, const struct tlu_learner *learner)
{
    uint32_t classes = learner->scheme.classes, columns = learner_columns(learner);
    mapping->columns = memory_new(columns, sizeof *mapping->columns);
    mapping->column_of = memory_new(columns, sizeof *mapping->column_of);
    mapping->signs = memory_new(columns, sizeof *mapping->signs);
    if (!mapping->columns || !mapping->column_of || !mapping->signs)
        return false;
    mapping->signs[0] = 1;
    for (uint32_t b = 0; learner->scheme.kind != SCHEME_TWO && b < classes; b++) {
        uint32_t old_b = mapping->classes[b];
        if (learner->scheme.kind != SCHEME_OVO) {
            mapping->columns[b] = old_b;
            mapping->signs[b] = 1;
        }
        for (uint32_t a = 0; learner->scheme.kind == SCHEME_OVO && a < b; a++) {
            uint32_t old_a = mapping->classes[a], column = scheme_pair(a, b);
            mapping->columns[column] = scheme_pair(old_a, old_b);
            mapping->signs[column] = old_b > old_a ? 1 : -1;
        }
    }
    for (uint32_t c = 0; c < columns; c++)
        mapping->column_of[mapping->columns[c]] = c;
    return true;
}

// ---- rows that are kept ----

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool is_used(const struct weights *weights, size_t feature)
{
    size_t row = weights_row(weights, feature);
    if (row == SIZE_MAX)
        return false;
    size_t start = row * weights->columns;
    for (size_t i = start; i < start + weights->columns; i++)
        if (weights->w[i] != 0 || (weights->u && weights->u[i] != 0) ||
            (weights->state && weights->state[i] != 0) ||
            (weights->recent.r && weights->recent.r[i] != 0))
            return true;
    return false;
}

static bool add_id(struct mapping *mapping, uint64_t id)
{
    if (!memory_reserve(&mapping->ids, &mapping->id_capacity, mapping->id_count + 1,
                        sizeof *mapping->ids))
        return false;
    mapping->ids[mapping->id_count++] = id;
    return true;
}

// Rows with a coefficient, in the run's history or among the supports of the largest margin.
static bool collect_ids(struct mapping *mapping, const struct learned *learned)
{
    const struct tlu_learner *learner = learned->learner;
    const struct history *history = learner->decision.history;
    const struct solution *solution = learner->solving.solution;
    bool fine = true;
    for (size_t i = 0; fine && learner->space.kernel.kind && i < learned->weights->features; i++)
        if (is_used(learned->weights, i))
            fine = add_id(mapping, i);
    for (size_t i = 0; fine && history && i < history->count; i++)
        fine = add_id(mapping, history->steps[i].id);
    for (size_t i = 0; fine && solution && i < solution->count; i++)
        fine = add_id(mapping, solution->supports[i].id);
    if (!fine || mapping->id_count == 0)
        return fine;
    qsort(mapping->ids, mapping->id_count, sizeof *mapping->ids, by_id);
    size_t distinct = 1;
    for (size_t i = 1; i < mapping->id_count; i++)
        if (mapping->ids[i] != mapping->ids[distinct - 1])
            mapping->ids[distinct++] = mapping->ids[i];
    mapping->id_count = distinct;
    return true;
}

static uint32_t support_of(const struct mapping *mapping, uint64_t id)
{
    const uint64_t *found = bsearch(&id, mapping->ids, mapping->id_count, sizeof id, by_id);
    return (uint32_t)(found - mapping->ids);
}

// The place of a row, for ids that come in ascending order.
struct finder {
    const struct batch *batch;
    size_t number, i;
};

static tlu_row find_row(struct finder *finder, const struct learned *learned, uint64_t id)
{
    while (id >=
           learned->batches[finder->number]->first_row + learned->batches[finder->number]->rows)
        finder->number++;
    finder->batch = learned->batches[finder->number];
    finder->i = (size_t)(id - finder->batch->first_row);
    return batch_row(finder->batch, finder->i);
}

// Whether predictions need the rows themselves: not for max-margin, which has weights.
static bool needs_rows(const struct learned *learned)
{
    return learned->learner->space.kernel.kind || learned->learner->decision.history;
}

// ---- features ----

// Of LIBSVM indices and slots those with a weight, or in a row that is kept; of names all, so that
// a value that training has met can be told from one that it has not.
static bool copy_features(struct tlu_model *model, const struct learned *learned,
                          struct mapping *mapping)
{
    const struct schema *from = &learned->learner->schema;
    struct schema *to = &model->schema;
    size_t direct = from->direct.lowest <= from->direct.highest && from->base
                        ? (size_t)from->direct.highest + 1
                        : 0;
    if (from->slots.bits)
        direct = schema_features(from);
    to->slots.bits = from->slots.bits;
    size_t most = direct + from->names.count;
    mapping->features = memory_new(most, sizeof *mapping->features);
    mapping->feature_of = memory_new((size_t)from->base + most, sizeof *mapping->feature_of);
    to->ids = memory_new(direct, sizeof *to->ids);
    if (!mapping->features || !mapping->feature_of || !to->ids)
        return false;
    struct finder finder = {0};
    for (size_t k = 0; needs_rows(learned) && k < mapping->id_count; k++) {
        tlu_row row = find_row(&finder, learned, mapping->ids[k]);
        for (size_t n = 0; n < row.count; n++)
            mapping->feature_of[row_feature(&row, n)] = 1; // a mark, replaced by the number below
    }
    for (size_t i = 0; from->slots.bits && i < from->column_count; i++)
        if (from->columns[i].kind == COLUMN_NUMERIC) // a row refers to it, whatever its weight
            mapping->feature_of[from->columns[i].feature] = 1;
    for (size_t f = schema_next(from, 0); f < direct; f = schema_next(from, f + 1)) {
        bool weight = !learned->learner->space.kernel.kind && is_used(learned->weights, f);
        weight |= online_scale_size(&learned->learner->online, f) > 0;
        if (weight || mapping->feature_of[f]) {
            mapping->feature_of[f] = to->numbered;
            mapping->features[mapping->feature_count++] = (uint32_t)f;
            to->ids[to->numbered++] = (uint32_t)f;
        }
    }
    for (uint32_t i = 0; i < from->names.count; i++) {
        if (table_add(&to->names, table_text(&from->names, i), table_length(&from->names, i)) ==
            TABLE_NONE)
            return false;
        mapping->feature_of[from->base + i] = (uint32_t)mapping->feature_count;
        mapping->features[mapping->feature_count++] = from->base + i;
    }
    return schema_rank(to);
}

bool make_columns(struct schema *to, const struct schema *from, const uint32_t *numbers)
{
    to->format = from->format;
    to->words = from->words;
    to->header = from->header;
    to->delimiter = from->delimiter;
    to->columns = memory_new(from->column_count, sizeof *to->columns);
    for (size_t i = 0; to->columns && i < from->column_count; i++) {
        to->columns[i] = from->columns[i];
        to->columns[i].name =
            memory_copy_text(from->columns[i].name, strlen(from->columns[i].name));
        if (!to->columns[i].name)
            return false;
        if (from->slots.bits && from->columns[i].kind == COLUMN_NUMERIC)
            to->columns[i].feature = numbers[from->columns[i].feature];
        to->column_count++;
    }
    return to->columns != NULL;
}

// ---- weights and scaling ----

// One row [columns], column by column from the learner's numbers.
static void copy_cells(double *to, const double *from, const struct mapping *mapping,
                       uint32_t columns, bool is_signed)
{
    for (uint32_t c = 0; c < columns; c++) {
        double value = from[mapping->columns[c]];
        to[c] = is_signed && mapping->signs[c] < 0 ? 0 - value : value;
    }
}

// The same of weights, into a row of zeros. Memory that is 0 stays untouched.
static void copy_row(double *to, const double *from, const struct mapping *mapping,
                     uint32_t columns)
{
    if (weights_are_zero(from, columns))
        return;
    for (uint32_t c = 0; c < columns; c++) {
        double value = from[mapping->columns[c]];
        if (value != 0 || signbit(value))
            to[c] = mapping->signs[c] < 0 ? 0 - value : value;
    }
}

static bool copy_weights(struct tlu_model *model, const struct learned *learned,
                         const struct mapping *mapping)
{
    const struct weights *from = learned->weights;
    struct weights *to = &model->weights;
    uint32_t columns = learner_columns(learned->learner), stride = from->columns;
    bool kernel = learned->learner->space.kernel.kind;
    size_t count = kernel ? mapping->id_count : mapping->feature_count;
    if (!weights_init(to, columns, weights_parts(from), from->state_start) ||
        !weights_reserve(to, count))
        return false;
    weights_copy_time(to, from);
    copy_cells(to->bias, from->bias, mapping, columns, true);
    if (from->u)
        copy_cells(to->u_bias, from->u_bias, mapping, columns, true);
    if (from->state)
        copy_cells(to->state_bias, from->state_bias, mapping, columns, false);
    if (from->scale) {
        copy_cells(to->scale, from->scale, mapping, columns, false);
        copy_cells(to->sum, from->sum, mapping, columns, false);
        copy_cells(to->sum_at, from->sum_at, mapping, columns, false);
    }
    if (from->recent.r)
        copy_cells(to->recent.r_bias, from->recent.r_bias, mapping, columns, true);
    if (from->recent.sum)
        copy_cells(to->recent.sum, from->recent.sum, mapping, columns, false);
    for (size_t f = 0; f < count; f++) {
        size_t source = weights_row(from, kernel ? (size_t)mapping->ids[f] : mapping->features[f]);
        bool met = source != SIZE_MAX;
        for (uint32_t c = 0; from->state && c < columns; c++)
            to->state[f * columns + c] =
                met ? weights_state(from, source * stride + mapping->columns[c])
                    : from->state_start;
        if (!met)
            continue;
        copy_row(to->w + f * columns, from->w + source * stride, mapping, columns);
        if (from->u)
            copy_row(to->u + f * columns, from->u + source * stride, mapping, columns);
        if (from->recent.r)
            copy_row(to->recent.r + f * columns, from->recent.r + source * stride, mapping,
                     columns);
    }
    return true;
}

// ---- supports and replay ----

static bool copy_supports(struct tlu_model *model, const struct learned *learned,
                          const struct mapping *mapping)
{
    struct supports *supports = &model->supports;
    struct finder finder = {0};
    size_t nonzeros = 0;
    for (size_t k = 0; needs_rows(learned) && k < mapping->id_count; k++)
        nonzeros += find_row(&finder, learned, mapping->ids[k]).count;
    if (!supports_new(supports, mapping->id_count, nonzeros))
        return false;
    finder = (struct finder){0};
    nonzeros = 0;
    for (size_t k = 0; k < mapping->id_count; k++) {
        tlu_row row = find_row(&finder, learned, mapping->ids[k]);
        supports->line[k] = batch_line(finder.batch, finder.i);
        for (uint32_t c = 0; c < learned->learner->scheme.classes; c++)
            if (mapping->classes[c] == finder.batch->labels[finder.i])
                supports->classes[k] = c;
        if (!needs_rows(learned))
            continue;
        supports->row[k] =
            (tlu_row){row.count, supports->features + nonzeros, supports->values + nonzeros};
        supports->norm[k] = panel_norm(&row);
        for (size_t n = 0; n < row.count; n++, nonzeros++) {
            supports->features[nonzeros] = mapping->feature_of[row_feature(&row, n)];
            supports->values[nonzeros] = row.values ? row.values[n] : 1;
        }
    }
    return true;
}

// How hard each row had to be learned.
static void sum_alphas(struct tlu_model *model, const struct learned *learned,
                       const struct mapping *mapping)
{
    double *alpha = model->supports.alpha;
    const struct history *history = learned->learner->decision.history;
    const struct solution *solution = learned->learner->solving.solution;
    const struct weights *weights = &model->weights;
    for (size_t i = 0; history && i < history->count; i++)
        alpha[support_of(mapping, history->steps[i].id)] += fabs(history->steps[i].amount);
    for (size_t i = 0; solution && i < solution->count; i++)
        alpha[support_of(mapping, solution->supports[i].id)] += fabs(solution->supports[i].alpha);
    for (size_t i = 0; !history && model->kernel.kind && i < model->supports.count; i++)
        for (uint32_t c = 0; c < weights->columns; c++)
            alpha[i] += fabs(weights->w[i * weights->columns + c]);
}

static bool copy_replay(struct tlu_model *model, const struct learned *learned,
                        const struct mapping *mapping)
{
    const struct tlu_learner *learner = learned->learner;
    const struct history *history = learner->decision.history;
    if (!history)
        return true;
    model->replay.steps = memory_new(history->count, sizeof *model->replay.steps);
    if (!model->replay.steps)
        return false;
    model->replay.count = history->count;
    for (size_t n = 0; n < history->count; n++) {
        const struct history_step *from = &history->steps[n];
        struct replay_step *to = &model->replay.steps[n];
        *to = (struct replay_step){.support = support_of(mapping, from->id),
                                   .time = from->time,
                                   .amount = from->amount,
                                   .factor = from->factor};
        if (learner->scheme.kind != SCHEME_WTA)
            to->group = mapping->column_of[from->group];
        for (int p = 0; p < 2; p++) {
            to->column[p] = from->sign[p] ? mapping->column_of[from->column[p]] : 0;
            to->sign[p] =
                (int8_t)(mapping->signs[to->column[p]] < 0 ? -from->sign[p] : from->sign[p]);
        }
    }
    return true;
}

static bool copy_units(struct tlu_model *model, const struct online_scale *online,
                       const struct mapping *mapping)
{
    if (!online->recent)
        return true;
    model->stream.units = memory_new(mapping->feature_count, sizeof *model->stream.units);
    for (size_t f = 0; model->stream.units && f < mapping->feature_count; f++)
        if (mapping->features[f] < online->capacity)
            model->stream.units[f] = online->units[mapping->features[f]];
    return model->stream.units != NULL;
}

static bool copy_scaling(struct tlu_model *model, const struct learned *learned,
                         const struct mapping *mapping)
{
    struct scaling *to = &model->scaling;
    const struct scaling *from = learned->scaling;
    const struct online_scale *online = &learned->learner->online;
    if (!online->on && (!from || from->kind == SCALE_NONE))
        return true;
    to->kind = online->on ? SCALE_MAXABS : from->kind;
    to->features = mapping->feature_count;
    to->factor = memory_new(to->features, sizeof(double));
    to->shift = memory_new(to->features, sizeof(double));
    if (!to->factor || !to->shift)
        return false;
    for (size_t f = 0; online->on && f < to->features; f++) {
        to->factor[f] = online_scale_factor(online_scale_size(online, mapping->features[f]));
    }
    for (size_t f = 0; !online->on && f < to->features; f++) {
        to->factor[f] = from->factor[mapping->features[f]];
        to->shift[f] = from->shift[mapping->features[f]];
    }
    return scaling_index(to) && copy_units(model, online, mapping);
}

// ---- the model ----

tlu_status make_model(tlu_model **out, const struct learned *learned, tlu_error *error)
{
    *out = NULL;
    const struct tlu_learner *learner = learned->learner;
    struct tlu_model *model = model_new();
    struct mapping mapping = {0};
    bool fine = model != NULL;
    if (fine) {
        model->schema.frozen = true;
        model->random = learner->random;
        model->scheme = learner->scheme.kind;
        model->decide = learner->decision.kind;
        model->kernel = learner->space.kernel;
        if (learner->decision.adapt) {
            memcpy(model->stream.standing.right, learner->decision.adapt->right,
                   sizeof model->stream.standing.right);
            model->stream.standing.decay = learner->decision.adapt->decay;
        }
        model->version = memory_copy_text(TLU_VERSION, strlen(TLU_VERSION));
        model->options = options_copy(learner->options);
        fine = model->version && model->options && order_classes(&mapping, learner) &&
               mapping_order_columns(&mapping, learner) && copy_classes(model, learner, &mapping) &&
               collect_ids(&mapping, learned) && copy_features(model, learned, &mapping) &&
               make_columns(&model->schema, &learner->schema, mapping.feature_of) &&
               copy_weights(model, learned, &mapping) &&
               stream_state_make(model, learner, learned->weights, &mapping, learned->last) &&
               copy_supports(model, learned, &mapping) && copy_replay(model, learned, &mapping) &&
               copy_scaling(model, learned, &mapping);
    }
    if (fine)
        sum_alphas(model, learned, &mapping);
    mapping_free(&mapping);
    tlu_status status = fine ? model_prepare(model, error) : error_memory(error);
    if (status != TLU_OK)
        tlu_model_free(model);
    else
        *out = model;
    return status;
}

uint64_t make_feature_count(const struct tlu_model *model, const struct schema *grown)
{
    return schema_columns(grown->slots.bits ? &model->schema : grown);
}

// ---- streams ----

tlu_status tlu_learner_model(const tlu_learner *learner, tlu_model **model, tlu_error *error)
{
    *model = NULL;
    if (learner->scheme.classes < 2)
        return error_input(error, "a model needs two classes; the learner has met %u",
                           learner->scheme.classes);
    // The learner stays as it is: what is put off is multiplied out in the model.
    tlu_status status = make_model(
        model,
        &(struct learned){.learner = learner, .weights = &learner->space.weights, .last = true},
        error);
    if (status != TLU_OK)
        return status;
    tlu_model *made = *model;
    made->recorded.mistakes = memory_new(1, sizeof *made->recorded.mistakes);
    if (!made->recorded.mistakes) {
        tlu_model_free(made);
        *model = NULL;
        return error_memory(error);
    }
    made->recorded.mistakes[0] = learner->mistakes;
    made->report = (tlu_report){.examples = learner->examples,
                                .features = make_feature_count(made, &learner->schema),
                                .classes = learner->scheme.classes,
                                .epochs = 1,
                                .mistakes = made->recorded.mistakes,
                                .updates = learner->updates,
                                .slots_used = learner->schema.slots.used,
                                .slots_shared = learner->schema.slots.shared,
                                .best_epoch = 1,
                                .stopped = model_stopped_names[STOPPED_EPOCHS],
                                .data = "",
                                .format = "stream"};
    model_set_errors(made);
    return TLU_OK;
}
