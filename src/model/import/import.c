// tlu_import: makes a model from weights that a user gives. They become the weights of a perceptron
// that has seen no example. So everything that works on a trained model works on this one, and a
// stream can continue from it.
#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings.h"
#include "input/csv/csv.h"
#include "input/sample.h"
#include "model/import/given.h"
#include "model/make.h"
#include "numeric/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX ((uint64_t)1 << 32) // bytes

bool given_add(struct given *given, const struct given_weight *weight)
{
    if (!memory_reserve(&given->weights, &given->capacity, given->count + 1,
                        sizeof *given->weights))
        return false;
    given->weights[given->count++] = *weight;
    return true;
}

void given_free(struct given *given)
{
    schema_free(&given->labels);
    table_free(&given->features);
    memory_free(given->weights);
}

// ---- reading planes and tables ----

static tlu_status add_label(struct given *given, const char *label, tlu_error *error)
{
    char quoted[64];
    uint32_t classes = schema_classes(&given->labels);
    TRY(check_given(label != NULL, "label", error));
    if (!label[0])
        return error_input(error, "a label is empty; write labels as NEG,POS");
    uint32_t found = schema_class_add(&given->labels, label, strlen(label));
    TRY(enough_memory(found != SCHEMA_NONE, error));
    if (found < classes)
        return error_input(error, "the label '%s' is given twice; give different labels",
                           error_quote(quoted, sizeof quoted, label, strlen(label)));
    return TLU_OK;
}

// One plane without a class: class 1 is its positive side.
static tlu_status label_plane(struct given *given, const tlu_import_settings *settings,
                              tlu_error *error)
{
    static const char *const usual[] = {"-1", "1"};
    const char *const *labels = settings->label_count ? settings->labels : usual;
    if (settings->label_count && settings->label_count != 2)
        return error_input(error, "a plane needs two labels, not %zu; give them as NEG,POS",
                           settings->label_count);
    for (size_t i = 0; i < 2; i++)
        TRY(add_label(given, labels[i], error));
    for (size_t i = 0; i < given->count; i++)
        given->weights[i].class_index = 1;
    return TLU_OK;
}

static tlu_status read_planes(struct given *given, const tlu_import_settings *settings,
                              tlu_error *error)
{
    size_t count = settings->plane_count;
    for (size_t i = 0; i < count; i++) {
        char name[32] = "plane", quoted[64];
        uint32_t classes = schema_classes(&given->labels), class_index = SCHEMA_NONE;
        if (count > 1)
            snprintf(name, sizeof name, "plane %zu", i + 1);
        TRY(check_given(settings->planes[i] != NULL, "plane", error));
        TRY(plane_parse(given, settings->planes[i], name, &class_index, error));
        if (class_index == SCHEMA_NONE && count > 1)
            return error_at(error, name, 1, 1,
                            "with several planes, each needs a class; write 'A: x + y - 1'");
        if (class_index == SCHEMA_NONE)
            return label_plane(given, settings, error);
        const char *label = given->labels.spelled[class_index];
        if (class_index < classes)
            return error_at(error, name, 1, 1, "the class '%s' already has a plane; remove one",
                            error_quote(quoted, sizeof quoted, label, strlen(label)));
    }
    if (count == 1)
        return error_at(error, "plane", 1, 1,
                        "a single class always wins; give a plane for each class, or one plane "
                        "without a class, such as '2 x + y - 1 > 0'");
    if (settings->label_count)
        return error_input(error, "the planes name their classes; remove the labels");
    return TLU_OK;
}

// The table of a two-class model has only the weights of its positive class.
static tlu_status label_one_class(struct given *given, const tlu_import_settings *settings,
                                  const char *name, tlu_error *error)
{
    char quoted[64];
    double value = 0;
    const char *label = given->labels.spelled[0], *other = "-1";
    error_quote(quoted, sizeof quoted, label, strlen(label));
    if (settings->label_count == 0 && (!number_whole(label, strlen(label), &value) || value != 1))
        return error_at(error, name, 0, 0,
                        "the table has the weights of one class, '%s'; name the other class as "
                        "well, with --labels NEG,%s",
                        quoted, quoted);
    if (settings->label_count > 2)
        return error_at(error, name, 0, 0,
                        "the table has the weights of one class, '%s', but there are %zu labels; "
                        "give two, as --labels NEG,%s",
                        quoted, settings->label_count, quoted);
    if (settings->label_count == 2) {
        other = settings->labels[0];
        TRY(check_given(other && settings->labels[1], "label", error));
        if (schema_class_find(&given->labels, settings->labels[1], strlen(settings->labels[1])) !=
            0)
            return error_at(error, name, 0, 0,
                            "the table has the weights of the positive class, '%s', which is not "
                            "the second label; write --labels NEG,%s",
                            quoted, quoted);
    }
    return add_label(given, other, error);
}

// With a table of several classes, the labels may name further classes, whose weights are 0.
static tlu_status label_classes(struct given *given, const tlu_import_settings *settings,
                                const char *name, tlu_error *error)
{
    uint32_t classes = schema_classes(&given->labels);
    struct given named = {0};
    tlu_status status = TLU_OK;
    schema_init(&named.labels);
    for (size_t i = 0; status == TLU_OK && i < settings->label_count; i++)
        status = add_label(&named, settings->labels[i], error);
    for (uint32_t c = 0; status == TLU_OK && c < classes; c++) {
        char quoted[64];
        const char *label = given->labels.spelled[c];
        if (schema_class_find(&named.labels, label, strlen(label)) == SCHEMA_NONE)
            status = error_at(error, name, 0, 0,
                              "the class '%s' of the table is not among the labels; add it",
                              error_quote(quoted, sizeof quoted, label, strlen(label)));
    }
    for (size_t i = 0; status == TLU_OK && i < settings->label_count; i++)
        status = enough_memory(schema_class_add(&given->labels, settings->labels[i],
                                                strlen(settings->labels[i])) != SCHEMA_NONE,
                               error);
    given_free(&named);
    return status;
}

static tlu_status read_table(struct given *given, const tlu_import_settings *settings,
                             tlu_error *error)
{
    unsigned char *bytes = NULL;
    size_t size = settings->table_size;
    const char *name = settings->path ? settings->path : "table", *table = settings->table;
    if (settings->path) {
        TRY(file_read(settings->path, TABLE_MAX, file_check_text, &bytes, &size, error));
        table = (const char *)bytes;
    }
    tlu_status status = weights_table_parse(given, table, size, name, error);
    memory_free(bytes);
    TRY(status);
    if (schema_classes(&given->labels) == 1 && settings->label_count < 3)
        return label_one_class(given, settings, name, error);
    return settings->label_count ? label_classes(given, settings, name, error) : TLU_OK;
}

// ---- the order of the features ----

// A table lists the features of each class in the order of the model, but leaves out weights of 0.
// A topological sort finds an order that agrees with all classes. Features that no class orders
// keep the order in which they occur in the table. If there is no such order, as in some tables
// written by hand, all features keep that order.
struct ordering {
    uint32_t count;
    size_t *first;    // [count + 1] start of each feature's range in `next`
    uint32_t *next;   // the features that directly follow each feature in some class
    uint32_t *before; // [count] number of features that must come before it
    uint32_t *heap;   // [count] features that may be next, the earliest on top
    size_t heap_count;
};

static void heap_put(struct ordering *ordering, uint32_t feature)
{
    size_t i = ordering->heap_count++;
    for (; i > 0 && ordering->heap[(i - 1) / 2] > feature; i = (i - 1) / 2)
        ordering->heap[i] = ordering->heap[(i - 1) / 2];
    ordering->heap[i] = feature;
}

static uint32_t heap_take(struct ordering *ordering)
{
    uint32_t *heap = ordering->heap, top = heap[0], last = heap[--ordering->heap_count];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < ordering->heap_count) {
        child += child + 1 < ordering->heap_count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

// Visits each pair of features that follow each other in a class. Fills `next` if `store` is set,
// otherwise counts.
static void each_pair(struct ordering *ordering, const struct given *given, bool store)
{
    uint32_t class_index = 0, last = GIVEN_BIAS;
    for (size_t i = 0; i < given->count; i++) {
        const struct given_weight *weight = &given->weights[i];
        if (weight->class_index != class_index)
            last = GIVEN_BIAS;
        class_index = weight->class_index;
        if (weight->feature == GIVEN_BIAS)
            continue;
        if (last != GIVEN_BIAS && store) {
            ordering->next[ordering->first[last]++] = weight->feature;
            ordering->before[weight->feature]++;
        } else if (last != GIVEN_BIAS) {
            ordering->first[last]++;
        }
        last = weight->feature;
    }
}

// Fills order[features]; false: out of memory.
static bool sort_features(struct ordering *ordering, const struct given *given, uint32_t *order)
{
    uint32_t count = ordering->count;
    each_pair(ordering, given, false);
    size_t pairs = 0, done = 0;
    for (uint32_t f = 0; f <= count; f++) { // counts become starts
        size_t own = f < count ? ordering->first[f] : 0;
        ordering->first[f] = pairs;
        pairs += own;
    }
    ordering->next = memory_new(pairs, sizeof *ordering->next);
    if (!ordering->next)
        return false;
    each_pair(ordering, given, true); // starts become ends
    for (uint32_t f = 0; f < count; f++)
        if (!ordering->before[f])
            heap_put(ordering, f);
    while (ordering->heap_count) {
        uint32_t f = heap_take(ordering);
        order[done++] = f;
        for (size_t i = f ? ordering->first[f - 1] : 0; i < ordering->first[f]; i++)
            if (--ordering->before[ordering->next[i]] == 0)
                heap_put(ordering, ordering->next[i]);
    }
    for (uint32_t f = 0; done < count && f < count; f++)
        order[f] = f;
    return true;
}

static uint32_t *order_features(const struct given *given)
{
    struct ordering ordering = {.count = given->features.count};
    uint32_t *order = memory_new(ordering.count, sizeof *order);
    ordering.first = memory_new((size_t)ordering.count + 1, sizeof *ordering.first);
    ordering.before = memory_new(ordering.count, sizeof *ordering.before);
    ordering.heap = memory_new(ordering.count, sizeof *ordering.heap);
    bool fine = order && ordering.first && ordering.before && ordering.heap &&
                sort_features(&ordering, given, order);
    memory_free(ordering.first);
    memory_free(ordering.next);
    memory_free(ordering.before);
    memory_free(ordering.heap);
    if (!fine) {
        memory_free(order);
        order = NULL;
    }
    return order;
}

// ---- the schema ----

static bool is_in_list(const char *list, const char *name)
{
    const char *item;
    size_t length;
    while ((item = options_next_item(&list, &length)))
        if (strlen(name) == length && memcmp(item, name, length) == 0)
            return true;
    return false;
}

// Where the value starts in "COLUMN=VALUE", the name of a category; 0: the name is that of a
// column.
static size_t category_value(const struct given *given, const char *name,
                             const tlu_options *options)
{
    const char *equals = strchr(name, '=');
    if (!equals || equals == name || is_in_list(options_text(options, OPTION_NUMERIC), name))
        return 0;
    // A number that may be missing is not a category.
    size_t length = (size_t)(equals - name);
    return table_find(&given->features, name, length) == TABLE_NONE ? length + 1 : 0;
}

static bool add_column(struct schema *schema, size_t *capacity, const char *name, size_t length,
                       enum column_kind kind, uint32_t feature)
{
    if (!memory_reserve(&schema->columns, capacity, schema->column_count + 1,
                        sizeof *schema->columns))
        return false;
    char *copy = memory_copy_text(name, length);
    if (!copy)
        return false;
    schema->columns[schema->column_count++] =
        (struct column){.name = copy, .kind = kind, .feature = feature};
    return true;
}

// The column of the label: that of --label, or the first usual name that is not a feature.
static const char *label_column(const struct table *columns, const tlu_options *options)
{
    const char *wanted = options_text(options, OPTION_LABEL), *name;
    for (size_t i = 0; !wanted[0] && (name = sample_usual_label(i)); i++)
        if (table_find(columns, name, strlen(name)) == TABLE_NONE)
            return name;
    return wanted[0] ? wanted : "(label)";
}

static tlu_status check_numeric(const struct given *given, const tlu_options *options,
                                tlu_error *error)
{
    const char *list = options_text(options, OPTION_NUMERIC), *item;
    char quoted[64];
    size_t length;
    while ((item = options_next_item(&list, &length)))
        if (table_find(&given->features, item, length) == TABLE_NONE)
            return error_input(error,
                               "--numeric: there is no feature '%s'; name one of the features",
                               error_quote(quoted, sizeof quoted, item, length));
    return TLU_OK;
}

// The columns of a table whose header names the features.
static tlu_status make_csv_columns(struct tlu_learner *learner, const struct given *given,
                                   const uint32_t *order, tlu_error *error)
{
    struct schema *schema = &learner->state.schema;
    struct table columns = {0}; // their names
    size_t capacity = 0;
    bool fine = true;
    for (uint32_t i = 0; fine && i < given->features.count; i++) {
        const char *name = table_text(&given->features, order[i]);
        size_t length = table_length(&given->features, order[i]);
        size_t value = category_value(given, name, learner->state.options);
        size_t missing = strlen(name) - strcspn(name, "=");
        bool indicator =
            !value && missing && strcmp(name + strlen(name) - missing + 1, MISSING_VALUE) == 0;
        uint32_t feature = schema_find(schema, name, length), place = columns.count;
        if (indicator)
            continue;
        length = value ? value - 1 : length;
        uint32_t found = table_add(&columns, name, length);
        fine = found != TABLE_NONE;
        if (fine && found == place)
            fine = add_column(schema, &capacity, name, length,
                              value ? COLUMN_CATEGORICAL : COLUMN_NUMERIC,
                              value ? SCHEMA_NONE : feature);
    }
    const char *label = label_column(&columns, learner->state.options);
    char quoted[64];
    bool taken = table_find(&columns, label, strlen(label)) != TABLE_NONE;
    error_quote(quoted, sizeof quoted, label, strlen(label));
    fine = fine && add_column(schema, &capacity, label, strlen(label), COLUMN_LABEL, SCHEMA_NONE);
    table_free(&columns);
    schema->header = true;
    if (!schema->delimiter)
        schema->delimiter = ',';
    TRY(enough_memory(fine, error));
    return taken ? error_input(error, "--label: '%s' is a feature; name another column", quoted)
                 : TLU_OK;
}

// LIBSVM if all names are indices, else CSV, unless --format says something else.
static tlu_status choose_format(struct schema *schema, const struct given *given,
                                const tlu_options *options, tlu_error *error)
{
    uint64_t index;
    char quoted[64];
    const char *name = NULL; // a name that is not an index
    for (uint32_t i = 0; !name && i < given->features.count; i++) {
        const char *text = table_text(&given->features, i);
        name = number_index(text, table_length(&given->features, i), &index) ? NULL : text;
    }
    bool chosen = format_chosen(options, &schema->format);
    if (!chosen)
        schema->format = name ? DATA_CSV : DATA_LIBSVM;
    if (schema_is_indexed(schema) && name)
        return error_input(error,
                           "LIBSVM names features by indices such as 17, and '%s' is not an index; "
                           "remove --format, or choose csv",
                           error_quote(quoted, sizeof quoted, name, strlen(name)));
    schema->base = schema_is_indexed(schema) ? SCHEMA_DIRECT : 0;
    schema->known = true;
    return TLU_OK;
}

// ---- the learner and its model ----

// Adds the features and, for each, a row of weights.
static tlu_status add_features(struct tlu_learner *learner, const struct given *given,
                               const uint32_t *order, uint32_t *numbers, tlu_error *error)
{
    struct schema *schema = &learner->state.schema;
    for (uint32_t i = 0; i < given->features.count; i++) {
        uint32_t f = order[i];
        numbers[f] =
            schema_add(schema, table_text(&given->features, f), table_length(&given->features, f));
        TRY(enough_memory(numbers[f] != SCHEMA_NONE && learner_reserve(learner) &&
                              weights_add_row(&learner->state.weights, numbers[f]) != SIZE_MAX,
                          error));
    }
    return enough_memory(learner_reserve(learner), error);
}

// Two classes have one vector: the weights of the positive class minus those of the other.
static tlu_status set_weights(struct tlu_learner *learner, const struct given *given,
                              const uint32_t *numbers, tlu_error *error)
{
    struct weights *weights = &learner->state.weights;
    const struct scheme *scheme = &learner->state.scheme;
    for (size_t i = 0; i < given->count; i++) {
        const struct given_weight *weight = &given->weights[i];
        bool two = scheme->kind == SCHEME_TWO;
        size_t column = two ? 0 : weight->class_index;
        double value =
            two && weight->class_index != scheme->positive ? 0 - weight->value : weight->value;
        double *cell = &weights->bias[column];
        if (weight->feature != GIVEN_BIAS)
            cell = &weights->w[weights_row(weights, numbers[weight->feature]) * weights->columns +
                               column];
        *cell += value;
        if (!(fabs(*cell) <= GIVEN_WEIGHT_MAX))
            return error_input(error, "the weights of a feature sum to more than 1e100; give "
                                      "smaller numbers");
    }
    return TLU_OK;
}

static tlu_status fill_learner(struct tlu_learner *learner, const struct given *given,
                               uint32_t *order, uint32_t *numbers, tlu_error *error)
{
    struct schema *schema = &learner->state.schema;
    uint32_t classes = schema_classes(&given->labels);
    TRY(enough_memory(order && numbers, error));
    for (uint32_t c = 0; c < classes; c++) {
        const char *label = given->labels.spelled[c];
        TRY(enough_memory(schema_class_add(schema, label, strlen(label)) == c, error));
    }
    TRY(learner_add_classes(learner, classes, error));
    TRY(choose_format(schema, given, learner->state.options, error));
    TRY(add_features(learner, given, order, numbers, error));
    if (schema_is_csv(schema)) {
        TRY(csv_delimiter_option(learner->state.options, &schema->delimiter, error));
        TRY(check_numeric(given, learner->state.options, error));
        TRY(make_csv_columns(learner, given, order, error));
    }
    return set_weights(learner, given, numbers, error);
}

static tlu_status fill_report(struct tlu_model *model, const struct tlu_learner *learner,
                              const char *data, tlu_error *error)
{
    const char *slash = strrchr(data, '/');
    const char *name = error_file_name(slash && slash[1] ? slash + 1 : data);
    model->recorded.data = memory_copy_text(name, strlen(name));
    model->recorded.mistakes = memory_new(1, sizeof *model->recorded.mistakes);
    TRY(enough_memory(model->recorded.data && model->recorded.mistakes, error));
    const struct schema *schema = &learner->state.schema;
    model->report = (tlu_report){.features = make_feature_count(model, schema),
                                 .classes = schema_classes(schema),
                                 .mistakes = model->recorded.mistakes,
                                 .stopped = "",
                                 .data = model->recorded.data,
                                 .format = format_table[schema->format].name};
    model_set_errors(model);
    return TLU_OK;
}

static tlu_status make(struct tlu_learner *learner, const struct given *given, const char *data,
                       tlu_model **model, tlu_error *error)
{
    uint32_t *order = order_features(given);
    uint32_t *numbers = memory_new(given->features.count, sizeof *numbers);
    tlu_status status = fill_learner(learner, given, order, numbers, error);
    memory_free(order);
    memory_free(numbers);
    TRY(status);
    struct learned learned = {.learner = learner, .weights = &learner->state.weights, .last = true};
    TRY(make_model(model, &learned, error));
    status = fill_report(*model, learner, data, error);
    if (status != TLU_OK) {
        tlu_model_free(*model);
        *model = NULL;
    }
    return status;
}

// ---- options ----

// The tie of the model: that of the relation, or --tie.
static tlu_status set_tie(tlu_options *options, int tie, tlu_error *error)
{
    if (tie == GIVEN_TIE_OPEN)
        return TLU_OK;
    const char *name = tie == TIE_POSITIVE ? "positive" : "negative";
    if (options_is_set(options, OPTION_TIE) && options_choice(options, OPTION_TIE) != tie)
        return error_input(error,
                           "--tie %s contradicts the relation of the plane, which makes a score "
                           "of 0 %s; remove --tie, or write '= 0'",
                           options_text(options, OPTION_TIE), name);
    return tlu_options_set(options, "tie", name, error);
}

static tlu_status check_options(const tlu_options *options, tlu_error *error)
{
    static const enum option used[] = {OPTION_FORMAT, OPTION_DELIMITER, OPTION_MISSING,
                                       OPTION_LABEL,  OPTION_NUMERIC,   OPTION_MULTICLASS,
                                       OPTION_TIE};
    for (size_t i = 0; options && i < tlu_option_count(); i++) {
        bool is_used = false;
        for (size_t k = 0; k < sizeof used / sizeof used[0]; k++)
            is_used |= used[k] == (enum option)i;
        if (!is_used && options_is_set(options, (enum option)i))
            return error_input(error, "--%s has no effect on imported weights; remove it",
                               tlu_option_at(i)->name);
    }
    if (options && strcmp(options_text(options, OPTION_MULTICLASS), "ovo") == 0)
        return error_input(error,
                           "one versus one needs weights for each pair of classes, but a table "
                           "has weights for each class; choose --multiclass wta or ovr");
    return TLU_OK;
}

static tlu_status set_options(tlu_options *options, const struct given *given, tlu_error *error)
{
    const struct schema *labels = &given->labels;
    bool two = schema_classes(labels) == 2;
    if (two && options_is_set(options, OPTION_MULTICLASS))
        return error_input(error, "--multiclass needs three classes or more; remove it");
    TRY(tlu_options_set(options, "learner", "perceptron", error));
    TRY(tlu_options_set(options, "decide", "last", error));
    TRY(set_tie(options, given->tie, error));
    if (!two && options_choice(options, OPTION_MULTICLASS) == MULTICLASS_AUTO)
        TRY(tlu_options_set(options, "multiclass", "wta", error));
    return TLU_OK;
}

// The class of the weights is positive, whatever the order of the labels is.
static tlu_status set_positive(tlu_options *options, const struct given *given, bool one,
                               tlu_error *error)
{
    if (!one)
        return TLU_OK;
    uint32_t positive = given->weights[0].class_index;
    const char *label = given->labels.spelled[positive], *other = given->labels.spelled[!positive];
    return schema_label_compare(label, other) > 0
               ? TLU_OK
               : tlu_options_set(options, "positive", label, error);
}

// Whether all weights are of one class.
static bool is_one_class(const struct given *given)
{
    for (size_t i = 1; i < given->count; i++)
        if (given->weights[i].class_index != given->weights[0].class_index)
            return false;
    return schema_classes(&given->labels) == 2;
}

static tlu_status import(struct given *given, const tlu_import_settings *settings,
                         tlu_options *options, tlu_model **model, tlu_error *error)
{
    tlu_learner *learner = NULL;
    TRY(enough_memory(options, error));
    TRY(settings->plane_count ? read_planes(given, settings, error)
                              : read_table(given, settings, error));
    TRY(set_options(options, given, error));
    TRY(set_positive(options, given, is_one_class(given), error));
    TRY(learner_new(options, &learner, error));
    tlu_status status =
        make(learner, given, settings->path ? settings->path : "weights", model, error);
    tlu_learner_free(learner);
    return status;
}

tlu_status tlu_import(const tlu_import_settings *settings, const tlu_options *options,
                      tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_import_settings own;
    *model = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_import_settings", error));
    if ((own.plane_count > 0) + (own.path != NULL) + (own.table != NULL) != 1)
        return error_input(error, "an import needs weights; give planes, a path or a table");
    TRY(check_given(own.planes || !own.plane_count, "array of planes", error));
    TRY(check_given(own.labels || !own.label_count, "array of labels", error));
    TRY(check_options(options, error));
    struct given given = {.tie = GIVEN_TIE_OPEN};
    schema_init(&given.labels);
    tlu_options *set = options_copy(options);
    tlu_status status = import(&given, &own, set, model, error);
    tlu_options_free(set);
    given_free(&given);
    return status;
}
