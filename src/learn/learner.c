#include "learn/learner.h"

#include "base/memory.h"
#include "base/number.h"

#include <string.h>

static const struct learner_kind *const kinds[] = {&learner_perceptron};

const struct learner_kind *learner_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof kinds[0] ? kinds[index] : NULL;
}

const tlu_learner_info *tlu_learner_at(size_t index)
{
    const struct learner_kind *kind = learner_kind_at(index);
    return kind ? &kind->info : NULL;
}

// Walks the items LABEL=W of --class-weight; false at the end.
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

static tlu_status check_class_weights(struct tlu_learner *learner, tlu_error *error)
{
    const char *cursor = options_text(learner->options, OPTION_CLASS_WEIGHT);
    const char *label, *weight;
    size_t length, weight_length;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length)) {
        double value;
        if (!weight && length == 8 && memcmp(label, "balanced", 8) == 0)
            learner->balanced = true;
        else if (!weight || !number_whole(weight, weight_length, &value) || value <= 0 ||
                 value > 1e30)
            return error_input(error,
                               "--class-weight is LABEL=W with a positive number W, or balanced, "
                               "not '%.80s'",
                               label);
    }
    return TLU_OK;
}

static double class_weight_of(const struct tlu_learner *learner, uint32_t class_index)
{
    const char *cursor = options_text(learner->options, OPTION_CLASS_WEIGHT);
    const char *label, *weight;
    size_t length, weight_length;
    double value = 1, found = 1;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length))
        if (weight && schema_class_find(&learner->schema, label, length) == class_index &&
            number_whole(weight, weight_length, &value))
            found = value;
    return found;
}

tlu_status learner_init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error)
{
    memset(learner, 0, sizeof *learner);
    schema_init(&learner->schema);
    learner->plus = 1;
    learner->options = options_copy(options);
    if (!learner->options)
        return error_memory(error);
    learner->kind = learner_kind_at((size_t)options_choice(learner->options, OPTION_LEARNER));
    learner->rate = options_number(learner->options, OPTION_RATE);
    learner->bias = !options_flag(learner->options, OPTION_NO_BIAS);
    learner->tie = options_choice(learner->options, OPTION_TIE);
    random_seed(&learner->random, options_count(learner->options, OPTION_SEED));
    bool average = options_choice(learner->options, OPTION_DECIDE) == DECIDE_AVERAGE;
    learner->scores = memory_new(1, sizeof(double));
    learner->scratch = memory_new(1, sizeof(double));
    if (!learner->scores || !learner->scratch || !weights_init(&learner->weights, 1, average))
        return error_memory(error);
    return check_class_weights(learner, error);
}

void learner_free_parts(struct tlu_learner *learner)
{
    tlu_options_free(learner->options);
    schema_free(&learner->schema);
    weights_free(&learner->weights);
    memory_free(learner->class_weight);
    memory_free(learner->class_examples);
    memory_free(learner->scores);
    memory_free(learner->scratch);
}

uint32_t learner_positive(const struct tlu_learner *learner)
{
    const char *wanted = options_text(learner->options, OPTION_POSITIVE);
    if (wanted[0]) {
        uint32_t positive = schema_class_find(&learner->schema, wanted, strlen(wanted));
        return positive < 2 ? positive : SCHEMA_NONE;
    }
    if (schema_classes(&learner->schema) < 2)
        return SCHEMA_NONE;
    return schema_label_compare(learner->schema.spelled[0], learner->schema.spelled[1]) < 0;
}

// A third class: one weight vector for two classes becomes one for each.
static bool widen(struct tlu_learner *learner, uint32_t classes)
{
    double *scores = memory_new(classes, sizeof *scores);
    double *scratch = memory_new(classes, sizeof *scratch);
    if (!scores || !scratch || !weights_widen(&learner->weights, classes, learner->plus)) {
        memory_free(scores);
        memory_free(scratch);
        return false;
    }
    memory_free(learner->scores);
    memory_free(learner->scratch);
    learner->scores = scores;
    learner->scratch = scratch;
    return true;
}

tlu_status learner_play(struct tlu_learner *learner, uint32_t classes, tlu_error *error)
{
    if (classes <= learner->classes)
        return TLU_OK;
    if (!memory_reserve(&learner->class_weight, &learner->class_weight_capacity, classes,
                        sizeof(double)))
        return error_memory(error);
    for (uint32_t c = learner->classes; c < classes; c++)
        learner->class_weight[c] = class_weight_of(learner, c);
    // Until the second class is known, y = -1 stands for the first, unless --positive names it. It
    // may have to be turned round.
    if (learner->classes < 2) {
        uint32_t positive = learner_positive(learner);
        if (positive != SCHEMA_NONE && positive != learner->plus) {
            weights_negate(&learner->weights);
            learner->plus = positive;
        }
    }
    if (classes > 2 && !widen(learner, classes))
        return error_memory(error);
    learner->classes = classes;
    return TLU_OK;
}

bool learner_count(struct tlu_learner *learner, uint32_t class_index)
{
    size_t counted = learner->class_examples_count;
    if (class_index >= counted) {
        size_t capacity = counted;
        if (!memory_reserve(&learner->class_examples, &capacity, (size_t)class_index + 1,
                            sizeof(uint64_t)))
            return false;
        memset(learner->class_examples + counted, 0, (capacity - counted) * sizeof(uint64_t));
        learner->class_examples_count = capacity;
    }
    learner->class_examples[class_index]++;
    return true;
}

tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint32_t class_index,
                         double weight, bool *wrong, tlu_error *error)
{
    if (class_index >= learner->classes) {
        tlu_status status = learner_play(learner, class_index + 1, error);
        if (status != TLU_OK)
            return status;
    }
    struct example example;
    scheme_present(learner, x, class_index, &example);
    example.weight = weight * learner->class_weight[class_index];
    learner->updates += learner->kind->update(learner, &example);
    learner->weights.steps += 1;
    learner->examples++;
    learner->mistakes += example.wrong;
    *wrong = example.wrong;
    return TLU_OK;
}

void learner_add(struct tlu_learner *learner, const struct example *example, double amount)
{
    for (size_t i = 0; i < example->parts; i++)
        weights_add(&learner->weights, example->x, example->part[i].column,
                    amount * example->part[i].sign, learner->bias);
}

uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x)
{
    const double *scores = learner->scores;
    uint32_t columns = learner->weights.columns;
    weights_decided_scores(&learner->weights, x, learner->scores, learner->scratch);
    uint32_t winner = scheme_winner(scores, columns, learner->plus);
    // Of equals a model takes the first by label; here classes are in the order of appearance.
    for (uint32_t c = winner + 1; columns > 1 && c < columns; c++)
        if (scores[c] == scores[winner] &&
            schema_label_compare(learner->schema.spelled[c], learner->schema.spelled[winner]) < 0)
            winner = c;
    return winner;
}

tlu_status learner_check_labels(const struct tlu_learner *learner, tlu_error *error)
{
    const char *positive = options_text(learner->options, OPTION_POSITIVE);
    if (positive[0] && schema_classes(&learner->schema) > 2)
        return error_input(error, "--positive is for two classes, and the data has %u",
                           schema_classes(&learner->schema));
    if (positive[0] && learner_positive(learner) == SCHEMA_NONE)
        return error_input(error, "--positive: no row has the label '%.80s'", positive);
    const char *cursor = options_text(learner->options, OPTION_CLASS_WEIGHT);
    const char *label, *weight;
    size_t length, weight_length;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length))
        if (weight && schema_class_find(&learner->schema, label, length) == SCHEMA_NONE)
            return error_input(error, "--class-weight: no row has the label '%.*s'",
                               (int)(length < 80 ? length : 80), label);
    return TLU_OK;
}
