// Classes: the active ones, the weights of their rows, and which of two is the positive class.
#include "base/memory.h"
#include "learn/learner.h"
#include "numeric/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_SIZE 480 // bytes of a list of labels in a message
#define MAX_COLUMNS (1u << 30)
#define MAX_OVO_CLASSES (1u << 15) // whose number of pairs is below MAX_COLUMNS

// ---- --class-weight ----

// Returns the next item LABEL=W of --class-weight; false at the end.
static bool next_class_weight(const char **cursor, const char **label, size_t *length,
                              const char **weight, size_t *weight_length)
{
    size_t item_length;
    *label = options_next_item(cursor, &item_length);
    if (!*label)
        return false;
    const char *equals = memrchr(*label, '=', item_length);
    *length = equals ? (size_t)(equals - *label) : item_length;
    *weight = equals ? equals + 1 : NULL;
    *weight_length = equals ? item_length - *length - 1 : 0;
    return true;
}

tlu_status learner_check_class_weights(struct tlu_learner *learner, tlu_error *error)
{
    const char *cursor = options_text(learner->state.options, OPTION_CLASS_WEIGHT);
    const char *label, *weight;
    size_t length, weight_length;
    learner->state.scheme.heaviest = 1;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length)) {
        double value;
        if (!weight && length == 8 && memcmp(label, "balanced", 8) == 0)
            learner->state.scheme.balanced = true;
        else if (!weight || !number_whole(weight, weight_length, &value) || value <= 0 ||
                 value > 1e30)
            return error_input(error,
                               "--class-weight is LABEL=W with a positive number W, or balanced, "
                               "not '%.80s'",
                               label);
        else if (value > learner->state.scheme.heaviest)
            learner->state.scheme.heaviest = value;
    }
    return TLU_OK;
}

static double class_weight_of(const struct tlu_learner *learner, uint32_t class_index)
{
    const char *cursor = options_text(learner->state.options, OPTION_CLASS_WEIGHT);
    const char *label, *weight;
    size_t length, weight_length;
    double value = 1, found = 1;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length))
        if (weight && schema_class_find(&learner->state.schema, label, length) == class_index &&
            number_whole(weight, weight_length, &value))
            found = value;
    return found;
}

// ---- activating classes ----

uint32_t learner_positive(const struct tlu_learner *learner)
{
    const char *wanted = options_text(learner->state.options, OPTION_POSITIVE);
    if (wanted[0]) {
        uint32_t positive = schema_class_find(&learner->state.schema, wanted, strlen(wanted));
        return positive < 2 ? positive : SCHEMA_NONE;
    }
    if (schema_classes(&learner->state.schema) < 2) { // 1 is positive before -1 has occurred
        double value = 0;
        const char *only =
            schema_classes(&learner->state.schema) ? learner->state.schema.spelled[0] : "";
        return number_whole(only, strlen(only), &value) && value > 0 ? 0 : SCHEMA_NONE;
    }
    return schema_label_compare(learner->state.schema.spelled[0],
                                learner->state.schema.spelled[1]) < 0;
}

// The number of columns to allocate for this many classes. If classes come one by one, it is a
// power of two, so that the weights are rarely copied.
static uint32_t columns_for(const struct tlu_learner *learner, uint32_t classes)
{
    uint32_t needed = scheme_columns(learner->state.scheme.wanted, classes),
             columns = learner->state.weights.columns;
    if (needed <= columns || learner->state.examples == 0)
        return needed > columns ? needed : columns;
    while (columns < needed)
        columns = 1u << (32 - __builtin_clz(columns)); // the next power of two
    return columns;
}

// Initialises the group state of the new subproblems from that of the two-class problem.
static void inherit(struct tlu_learner *learner)
{
    struct learner_state *state = &learner->state;
    if (state->scheme.wanted == SCHEME_OVR) {
        state->group_norm[1] = state->group_norm[0];
        state->group_updates[1] = state->group_updates[0];
    } else if (state->scheme.wanted == SCHEME_WTA) {
        state->group_norm[0] *= 2; // both classes have the same vector, with opposite signs
    }
}

// Activates a third class or a later one, with --multilabel any label.
static tlu_status widen(struct tlu_learner *learner, uint32_t classes, tlu_error *error)
{
    struct scheme *scheme = &learner->state.scheme;
    bool opposite = scheme->wanted == SCHEME_WTA || scheme->wanted == SCHEME_OVR;
    uint32_t most = scheme->wanted == SCHEME_OVO ? MAX_OVO_CLASSES : MAX_COLUMNS;
    if (classes > most)
        return error_input(error, "the data has more than %u classes", most);
    uint32_t old = learner->state.weights.columns, columns = columns_for(learner, classes);
    if (columns > old)
        TRY(enough_memory(adapt_widen(learner, columns) &&
                              space_widen(&learner->space, old, columns) &&
                              state_widen(&learner->state, columns, opposite),
                          error));
    if (scheme->kind == SCHEME_TWO)
        inherit(learner);
    scheme->kind = scheme->wanted;
    return decision_widen(learner, scheme->positive, opposite, error);
}

tlu_status learner_add_classes(struct tlu_learner *learner, uint32_t classes, tlu_error *error)
{
    struct scheme *scheme = &learner->state.scheme;
    if (classes <= scheme->classes)
        return TLU_OK;
    bool labels = scheme->kind == SCHEME_MULTILABEL;
    TRY(enough_memory(
        memory_reserve(&scheme->class_weight, &scheme->class_weight_capacity, classes,
                       sizeof(double)) &&
            (!labels || memory_reserve(&scheme->rest_weight, &scheme->rest_weight_capacity, classes,
                                       sizeof(double))),
        error));
    for (uint32_t c = scheme->classes; c < classes; c++) {
        scheme->class_weight[c] = class_weight_of(learner, c);
        if (labels)
            scheme->rest_weight[c] = 1;
    }
    // Until the second class is known, y = -1 stands for the first class, unless --positive names
    // it. The second class may reverse that, which negates the weights.
    if (scheme->classes < 2 && scheme->kind == SCHEME_TWO) {
        uint32_t positive = learner_positive(learner);
        if (positive != SCHEMA_NONE && positive != scheme->positive) {
            weights_negate(&learner->state.weights);
            scheme->positive = positive;
        }
    }
    if (classes > 2 || labels)
        TRY(widen(learner, classes, error));
    scheme->classes = classes;
    return TLU_OK;
}

struct class_label {
    const char *text;
    uint32_t class_index;
};

static int by_label(const void *a, const void *b)
{
    return schema_label_compare(((const struct class_label *)a)->text,
                                ((const struct class_label *)b)->text);
}

uint32_t *learner_order_classes(const struct tlu_learner *learner)
{
    uint32_t count = learner->state.scheme.classes;
    struct class_label *labels = memory_new(count, sizeof *labels);
    uint32_t *order = labels ? memory_new(count, sizeof *order) : NULL;
    for (uint32_t c = 0; order && c < count; c++)
        labels[c] = (struct class_label){learner->state.schema.spelled[c], c};
    if (order && count)
        qsort(labels, count, sizeof *labels, by_label);
    for (uint32_t c = 0; order && c < count; c++)
        order[c] = labels[c].class_index;
    memory_free(labels);
    return order;
}

bool learner_count_set(struct tlu_learner *learner, const uint32_t *set)
{
    for (uint32_t k = 1; k <= set[0]; k++)
        if (!learner_count(learner, set[k]))
            return false;
    return true;
}

bool learner_count(struct tlu_learner *learner, uint32_t class_index)
{
    size_t counted = learner->state.scheme.class_examples_count;
    if (class_index >= counted) {
        size_t capacity = counted;
        if (!memory_reserve(&learner->state.scheme.class_examples, &capacity,
                            (size_t)class_index + 1, sizeof(uint64_t)))
            return false;
        memset(learner->state.scheme.class_examples + counted, 0,
               (capacity - counted) * sizeof(uint64_t));
        learner->state.scheme.class_examples_count = capacity;
    }
    learner->state.scheme.class_examples[class_index]++;
    return true;
}

// ---- labels that options name ----

static tlu_status refuse_class_weight(const struct schema *schema, const char *label, size_t length,
                                      tlu_error *error)
{
    char wanted[80], labels[LABELS_SIZE];
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, label);
    return error_input(error, "--class-weight: no row has the label '%s'; the labels are %s",
                       wanted, schema_list_labels(schema, wanted, labels, sizeof labels));
}

tlu_status learner_check_labels(const struct tlu_learner *learner, tlu_error *error)
{
    char labels[LABELS_SIZE];
    const char *positive = options_text(learner->state.options, OPTION_POSITIVE);
    if (positive[0] && schema_classes(&learner->state.schema) > 2)
        return error_input(error, "--positive is for two classes, and the data has %u",
                           schema_classes(&learner->state.schema));
    if (positive[0] && learner_positive(learner) == SCHEMA_NONE)
        return error_input(
            error, "--positive: no row has the label '%.80s'; the labels are %s", positive,
            schema_list_labels(&learner->state.schema, positive, labels, sizeof labels));
    const char *cursor = options_text(learner->state.options, OPTION_CLASS_WEIGHT);
    const char *label, *weight;
    size_t length, weight_length;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length))
        if (weight && schema_class_find(&learner->state.schema, label, length) == SCHEMA_NONE)
            return refuse_class_weight(&learner->state.schema, label, length, error);
    return TLU_OK;
}
