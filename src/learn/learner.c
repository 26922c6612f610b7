#include "learn/learner.h"

#include "base/memory.h"
#include "learn/adapt.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "number/number.h"
#include "solve/whole.h"
#include "space/dual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Cells of numbers that may be of no feature, from which on features have seats. -DSEATS_FROM=0 has
// them take seats whenever that is possible, to see that it makes no difference.
#ifndef SEATS_FROM
#define SEATS_FROM ((size_t)1 << 22)
#endif
#define LABELS_SIZE 480 // of a list of labels in a message
#define MOST_COLUMNS (1u << 30)
#define OVO_CLASSES 32              // --classes auto: more have too many pairs
#define MOST_OVO_CLASSES (1u << 15) // pairs of which are still less

// In the order of the choices of --learner (base/options.c).
extern const struct learner_kind learner_perceptron, learner_pa, learner_pa1, learner_pa2,
    learner_romma, learner_aromma, learner_alma, learner_arow, learner_scw1, learner_scw2,
    learner_hinge, learner_logistic, learner_squared, learner_rocchio, learner_bernoulli_bayes,
    learner_multinomial_bayes, learner_max_margin;

static const struct learner_kind *const kinds[] = {
    &learner_perceptron,
    &learner_pa,
    &learner_pa1,
    &learner_pa2,
    &learner_romma,
    &learner_aromma,
    &learner_alma,
    &learner_arow,
    &learner_scw1,
    &learner_scw2,
    &learner_hinge,
    &learner_logistic,
    &learner_squared,
    &learner_rocchio,
    &learner_bernoulli_bayes,
    &learner_multinomial_bayes,
    &learner_max_margin,
};

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
    learner->scheme.heaviest = 1;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length)) {
        double value;
        if (!weight && length == 8 && memcmp(label, "balanced", 8) == 0)
            learner->scheme.balanced = true;
        else if (!weight || !number_whole(weight, weight_length, &value) || value <= 0 ||
                 value > 1e30)
            return error_input(error,
                               "--class-weight is LABEL=W with a positive number W, or balanced, "
                               "not '%.80s'",
                               label);
        else if (value > learner->scheme.heaviest)
            learner->scheme.heaviest = value;
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

// ---- options ----

// Of "wta ovr ovo", where nothing is said.
static enum scheme_kind first_scheme(const struct learner_kind *kind)
{
    return kind->info.schemes[0] == 'w' ? SCHEME_WTA : SCHEME_OVR;
}

static void read_options(struct tlu_learner *learner)
{
    const tlu_options *options = learner->options;
    learner->decision.kind = options_choice(options, OPTION_DECIDE);
    learner->rule.rate = options_number(options, OPTION_RATE);
    learner->rule.rate_high = options_high(options, OPTION_RATE);
    learner->rule.bias = !options_flag(options, OPTION_NO_BIAS);
    learner->rule.tie = options_choice(options, OPTION_TIE);
    learner->rule.margin = options_number(options, OPTION_MARGIN);
    learner->rule.C = options_number(options, OPTION_C);
    learner->rule.r = options_number(options, OPTION_R);
    learner->rule.alpha = options_number(options, OPTION_ALPHA);
    learner->rule.precision = options_choice(options, OPTION_DIAGONAL) == DIAGONAL_PRECISION;
    learner->rule.l2 = options_number(options, OPTION_L2);
    learner->rule.schedule = options_choice(options, OPTION_SCHEDULE);
    learner->online.recent = options_choice(options, OPTION_SCALE) == SCALE_RECENT;
    learner->online.on =
        learner->online.recent || options_choice(options, OPTION_SCALE) == SCALE_ONLINE;
    learner->pruning.max_features = (size_t)options_count(options, OPTION_MAX_FEATURES);
    int classes = options_choice(options, OPTION_CLASSES);
    learner->scheme.wanted = classes == CLASSES_AUTO ? first_scheme(learner->rule.kind)
                                                     : (enum scheme_kind)(SCHEME_WTA + classes);
    random_seed(&learner->random, options_count(options, OPTION_SEED));
}

tlu_status learner_init(struct tlu_learner *learner, const tlu_options *options, tlu_error *error)
{
    memset(learner, 0, sizeof *learner);
    schema_init(&learner->schema);
    learner->scheme.positive = 1;
    learner->guard = (struct guard){.states = 1, .least = (double)FLT_MAX};
    learner->options = options_copy(options);
    if (!learner->options)
        return error_memory(error);
    learner->rule.kind = learner_kind_at((size_t)options_choice(learner->options, OPTION_LEARNER));
    learner->rule.rate_given = options_is_set(learner->options, OPTION_RATE);
    learner->rule.epochs_given = options_is_set(learner->options, OPTION_EPOCHS);
    tlu_status status = learner_apply_defaults(learner, error);
    read_options(learner);
    if (status == TLU_OK)
        status = learner_check_options(learner, error);
    if (status == TLU_OK)
        status = check_class_weights(learner, error);
    if (status == TLU_OK)
        status = kernel_parse(&learner->space.kernel, options_text(learner->options, OPTION_KERNEL),
                              error);
    if (status == TLU_OK && learner->rule.kind->prepare)
        status = learner->rule.kind->prepare(learner, error);
    if (status != TLU_OK)
        return status;
    bool stateful = learner->rule.kind->traits & LEARNER_STATE;
    if (learner->rule.schedule == SCHEDULE_ADAGRAD)
        stateful = true;
    unsigned parts =
        (learner->decision.kind == DECIDE_AVERAGE ? WEIGHTS_AVERAGE : 0u) |
        (learner->decision.kind == DECIDE_ADAPTIVE ? WEIGHTS_AVERAGE | WEIGHTS_RECENT : 0u) |
        (learner->rule.kind->traits & LEARNER_SCALE || learner->rule.l2 > 0 ? WEIGHTS_SCALE : 0u) |
        (stateful ? WEIGHTS_STATE : 0u);
    learner->space.scores = memory_new(1, sizeof(double));
    learner->space.scratch = memory_new(1, sizeof(double));
    learner->space.current = memory_new(1, sizeof(double));
    learner->space.group_norm = memory_new(1, sizeof(double));
    learner->space.group_updates = memory_new(1, sizeof(uint64_t));
    if (!learner->space.scores || !learner->space.scratch || !learner->space.current ||
        !learner->space.group_norm || !learner->space.group_updates ||
        !weights_init(&learner->space.weights, 1, parts, learner->rule.kind->state_start) ||
        (learner->decision.kind == DECIDE_ADAPTIVE && !adapt_init(learner)))
        return error_memory(error);
    guard_set(learner);
    return decision_init(learner, error);
}

static tlu_status choose_scheme(struct tlu_learner *learner, bool table, tlu_error *error)
{
    static const char *const names[] = {"wta", "ovr", "ovo"};
    uint32_t classes = schema_classes(&learner->schema);
    bool pairs = table && classes > 2 && classes <= OVO_CLASSES;
    learner->scheme.wanted = pairs ? SCHEME_OVO : first_scheme(learner->rule.kind);
    return tlu_options_set(learner->options, "classes", names[learner->scheme.wanted - SCHEME_WTA],
                           error);
}

tlu_status learner_choose(struct tlu_learner *learner, bool table, tlu_error *error)
{
    tlu_status status = TLU_OK;
    if (options_choice(learner->options, OPTION_CLASSES) == CLASSES_AUTO)
        status = choose_scheme(learner, table, error);
    if (status == TLU_OK && table && learner->rule.kind->table_rate > 0 &&
        !learner->rule.rate_given) {
        char text[32];
        snprintf(text, sizeof text, "%.17g", learner->rule.kind->table_rate);
        status = tlu_options_set(learner->options, "rate", text, error);
        learner->rule.rate = learner->rule.rate_high = learner->rule.kind->table_rate;
    }
    return status;
}

void learner_free_parts(struct tlu_learner *learner)
{
    decision_free(learner);
    adapt_free(learner->decision.adapt);
    dual_free(learner->space.dual);
    if (learner->solving.solution)
        memory_free(learner->solving.solution->supports);
    memory_free(learner->solving.solution);
    tlu_options_free(learner->options);
    schema_free(&learner->schema);
    weights_free(&learner->space.weights);
    online_scale_free(&learner->online);
    memory_free(learner->scheme.class_weight);
    memory_free(learner->scheme.class_examples);
    memory_free(learner->space.scores);
    memory_free(learner->space.scratch);
    memory_free(learner->space.current);
    memory_free(learner->space.group_norm);
    memory_free(learner->space.group_updates);
    memory_free(learner->pruning.gone);
    memory_free(learner->pruning.weak);
}

// ---- classes ----

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

// [columns] of doubles with the old ones copied in.
static bool enlarge(void *array_pointer, size_t old, size_t columns, size_t size)
{
    void **array = array_pointer;
    void *new = memory_new(columns, size);
    if (!new)
        return false;
    memcpy(new, *array, old * size);
    memory_free(*array);
    *array = new;
    return true;
}

// Columns of weights for so many classes. Where they come one by one, room for more keeps the
// copying down.
static uint32_t columns_for(const struct tlu_learner *learner, uint32_t classes)
{
    uint32_t needed = scheme_columns(learner->scheme.wanted, classes),
             columns = learner->space.weights.columns;
    if (needed <= columns || learner->examples == 0)
        return needed > columns ? needed : columns;
    while (columns < needed)
        columns = 1u << (32 - __builtin_clz(columns)); // the next power of two
    return columns;
}

// Whether so many columns of weights are too many to have them for numbers that no feature has.
static bool needs_seats(const struct tlu_learner *learner, uint32_t columns)
{
    size_t gaps = learner->space.kernel.kind ? 0 : schema_gaps(&learner->schema);
    return !learner->space.weights.seats && columns > 1 && gaps > SEATS_FROM / columns;
}

bool learner_reserve(struct tlu_learner *learner)
{
    bool fine = true;
    if (needs_seats(learner, learner->space.weights.columns)) {
        struct seats *seats = seats_new();
        fine = seats && weights_take_seats(&learner->space.weights, seats);
        seats_release(seats);
    }
    return fine && weights_reserve(&learner->space.weights, schema_features(&learner->schema));
}

static bool widen_weights(struct tlu_learner *learner, uint32_t columns, bool opposite)
{
    bool needs = needs_seats(learner, columns);
    struct seats *seats = needs ? seats_new() : NULL;
    size_t rows = learner->space.weights.rows;
    if (needs && learner->examples == 0) // all of them are 0, and need not be looked at
        learner->space.weights.rows = 0;
    bool fine = (seats || !needs) && weights_widen_at(&learner->space.weights, seats, columns,
                                                      learner->scheme.positive, opposite);
    seats_release(seats);
    if (!fine)
        learner->space.weights.rows = rows;
    return fine;
}

// A third class, or one more.
static tlu_status widen(struct tlu_learner *learner, uint32_t classes, tlu_error *error)
{
    bool opposite = learner->scheme.wanted != SCHEME_OVO;
    uint32_t most = opposite ? MOST_COLUMNS : MOST_OVO_CLASSES;
    if (classes > most)
        return error_input(error, "the data has more than %u classes", most);
    uint32_t columns = columns_for(learner, classes), old = learner->space.weights.columns;
    if (columns > old && (!enlarge(&learner->space.scores, old, columns, sizeof(double)) ||
                          !enlarge(&learner->space.scratch, old, columns, sizeof(double)) ||
                          !adapt_widen(learner, columns) ||
                          !enlarge(&learner->space.current, old, columns, sizeof(double)) ||
                          !enlarge(&learner->space.group_norm, old, columns, sizeof(double)) ||
                          !enlarge(&learner->space.group_updates, old, columns, sizeof(uint64_t)) ||
                          !widen_weights(learner, columns, opposite)))
        return error_memory(error);
    if (learner->scheme.kind == SCHEME_TWO && learner->scheme.wanted == SCHEME_OVR) {
        learner->space.group_norm[1] = learner->space.group_norm[0];
        learner->space.group_updates[1] = learner->space.group_updates[0];
    } else if (learner->scheme.kind == SCHEME_TWO && learner->scheme.wanted == SCHEME_WTA) {
        learner->space.group_norm[0] *= 2; // the same vector twice
    }
    tlu_status status = decision_widen(learner, learner->scheme.positive, opposite, error);
    learner->scheme.kind = learner->scheme.wanted;
    return status;
}

tlu_status learner_add_classes(struct tlu_learner *learner, uint32_t classes, tlu_error *error)
{
    if (classes <= learner->scheme.classes)
        return TLU_OK;
    if (!memory_reserve(&learner->scheme.class_weight, &learner->scheme.class_weight_capacity,
                        classes, sizeof(double)))
        return error_memory(error);
    for (uint32_t c = learner->scheme.classes; c < classes; c++)
        learner->scheme.class_weight[c] = class_weight_of(learner, c);
    // Until the second class is known, y = -1 stands for the first, unless --positive names it. It
    // may have to be turned round.
    if (learner->scheme.classes < 2) {
        uint32_t positive = learner_positive(learner);
        if (positive != SCHEMA_NONE && positive != learner->scheme.positive) {
            weights_negate(&learner->space.weights);
            learner->scheme.positive = positive;
        }
    }
    tlu_status status = classes > 2 ? widen(learner, classes, error) : TLU_OK;
    if (status == TLU_OK)
        learner->scheme.classes = classes;
    return status;
}

bool learner_count(struct tlu_learner *learner, uint32_t class_index)
{
    size_t counted = learner->scheme.class_examples_count;
    if (class_index >= counted) {
        size_t capacity = counted;
        if (!memory_reserve(&learner->scheme.class_examples, &capacity, (size_t)class_index + 1,
                            sizeof(uint64_t)))
            return false;
        memset(learner->scheme.class_examples + counted, 0,
               (capacity - counted) * sizeof(uint64_t));
        learner->scheme.class_examples_count = capacity;
    }
    learner->scheme.class_examples[class_index]++;
    return true;
}

// ---- one example ----

static double norm_of(const struct tlu_learner *learner, const struct example *e)
{
    double sum = learner->rule.bias;
    for (size_t i = 0; i < e->x->count; i++) {
        double value = e->x->values ? (double)e->x->values[i] : 1;
        sum += value * value;
    }
    return sum * (double)e->parts;
}

static void ask(struct tlu_learner *learner, struct example *e)
{
    if (learner->rule.kind->traits & LEARNER_NORM)
        e->norm =
            learner->space.dual
                ? (dual_norm(learner->space.dual, e->id) + learner->rule.bias) * (double)e->parts
                : norm_of(learner, e);
    bool updated = e->weight > 0 && learner->rule.kind->update(learner, e);
    learner->updates += updated;
    learner->space.group_updates[e->group] += updated;
    decision_after(learner, e);
}

// As weights_scores: S is in the unit of the coefficients, which the scale brings to that of w.
void learner_score_dual(struct tlu_learner *learner, uint64_t id)
{
    const struct weights *weights = &learner->space.weights;
    const double *scores = dual_scores(learner->space.dual, id);
    for (uint32_t c = 0; c < weights->columns; c++)
        learner->space.scores[c] =
            (weights->scale ? scores[c] * weights->scale[c] : scores[c]) + weights->bias[c];
}

// With learner->space.scores as the weights are.
static tlu_status learn_scored(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                               uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    if (learner->decision.adapt)
        adapt_count(learner, class_index);
    *wrong = scheme_ask(learner, x, id, class_index,
                        weight * learner->scheme.class_weight[class_index], ask);
    // Of several problems one or the other may be wrong while the class is right all the same.
    if (learner->scheme.kind == SCHEME_OVR || learner->scheme.kind == SCHEME_OVO)
        *wrong = scheme_elect(learner->scheme.kind, learner->space.scores, learner->scheme.classes,
                              learner->scheme.positive, NULL) != class_index;
    weights_step(&learner->space.weights);
    learner->examples++;
    learner->mistakes += *wrong;
    bool failed = (learner->decision.history && learner->decision.history->no_memory) ||
                  (learner->space.dual && dual_failed(learner->space.dual));
    return failed ? error_memory(error) : TLU_OK;
}

tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                         uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    if (class_index >= learner->scheme.classes) {
        tlu_status status = learner_add_classes(learner, class_index + 1, error);
        if (status != TLU_OK)
            return status;
    }
    uint32_t row_number = (uint32_t)id;
    tlu_row unit = {1, &row_number, NULL}; // the row in the space of the dual form
    if (learner->space.dual) {
        learner_score_dual(learner, id);
        return learn_scored(learner, &unit, id, class_index, weight, wrong, error);
    }
    tlu_row seated = *x;
    if (!weights_seat(&learner->space.weights, &seated))
        return error_memory(error);
    weights_scores(&learner->space.weights, &seated, learner->space.scores);
    return learn_scored(learner, &seated, id, class_index, weight, wrong, error);
}

tlu_status learner_learn_decided(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                                 uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    if (class_index >= learner->scheme.classes ||
        learner->scheme.classes != learner->space.current_classes)
        return learner_learn(learner, x, id, class_index, weight, wrong, error);
    tlu_row seated = *x;
    if (!weights_seat(&learner->space.weights, &seated))
        return error_memory(error);
    memcpy(learner->space.scores, learner->space.current,
           learner->space.weights.columns * sizeof(double));
    return learn_scored(learner, &seated, id, class_index, weight, wrong, error);
}

uint32_t learner_elect(const struct tlu_learner *learner, const double *scores)
{
    if (learner->scheme.classes < 2)
        return 0;
    uint32_t winner = scheme_elect(learner->scheme.kind, scores, learner->scheme.classes,
                                   learner->scheme.positive, NULL);
    // Of equals a model takes the first by label; here classes are in the order of appearance.
    bool by_class = learner->scheme.kind == SCHEME_WTA || learner->scheme.kind == SCHEME_OVR;
    for (uint32_t c = winner + 1; by_class && c < learner->scheme.classes; c++)
        if (scores[c] == scores[winner] &&
            schema_label_compare(learner->schema.spelled[c], learner->schema.spelled[winner]) < 0)
            winner = c;
    return winner;
}

uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x)
{
    const struct weights *weights = &learner->space.weights;
    if (learner->decision.pocket && learner->decision.pocket->best.features == weights->features)
        weights = &learner->decision.pocket->best;
    if (learner->decision.adapt)
        adapt_decide(learner, x);
    else
        weights_decided_scores(weights, x, learner->space.scores, learner->space.current);
    learner->space.current_classes = learner->scheme.classes;
    return learner_elect(learner, learner->space.scores);
}

// ---- steps ----

void learner_add(struct tlu_learner *learner, const struct example *example, double amount)
{
    decision_before(learner, example);
    decision_record(learner, example, amount, 1);
    learner->guard.reach += fabs(amount);
    for (size_t i = 0; i < example->parts; i++) {
        uint32_t column = example->part[i].column;
        double signed_amount = amount * example->part[i].sign;
        weights_add(&learner->space.weights, example->x, column, signed_amount, learner->rule.bias);
        if (learner->space.dual)
            dual_update(learner->space.dual, example->id, column,
                        learner->space.weights.scale
                            ? signed_amount / learner->space.weights.scale[column]
                            : signed_amount);
    }
}

static void shrink_column(struct tlu_learner *learner, uint32_t column, double factor,
                          bool with_bias)
{
    double *scale = &learner->space.weights.scale[column];
    double expected = *scale * factor;
    weights_scale(&learner->space.weights, column, factor, with_bias);
    if (learner->space.dual && *scale != expected) // it was multiplied out
        dual_rescale(learner->space.dual, column, expected);
}

void learner_shrink(struct tlu_learner *learner, const struct example *example, double factor,
                    bool with_bias)
{
    decision_before(learner, example);
    decision_record(learner, example, 0, factor);
    learner->guard.reach *= fmax(1, fabs(factor));
    if (learner->scheme.kind != SCHEME_WTA) {
        shrink_column(learner, example->part[0].column, factor, with_bias);
        return;
    }
    for (uint32_t c = 0; c < learner_columns(learner); c++)
        shrink_column(learner, c, factor, with_bias);
}

void learner_settle(struct tlu_learner *learner)
{
    for (uint32_t c = 0;
         learner->space.dual && learner->space.weights.scale && c < learner->space.weights.columns;
         c++)
        if (learner->space.weights.scale[c] != 1)
            dual_rescale(learner->space.dual, c, learner->space.weights.scale[c]);
    weights_settle(&learner->space.weights);
}

void learner_measure(struct tlu_learner *learner, const struct example *example)
{
    double *square = &learner->space.group_norm[example->group];
    if (learner->space.dual)
        return;
    *square = 0;
    for (uint32_t c = 0; c < learner_columns(learner); c++)
        if (learner->scheme.kind == SCHEME_WTA || c == example->part[0].column)
            *square += weights_norm(&learner->space.weights, c);
}

double learner_rate(struct tlu_learner *learner)
{
    double low = learner->rule.rate, high = learner->rule.rate_high;
    return high > low ? low + (high - low) * random_unit(&learner->random) : low;
}

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
    const char *positive = options_text(learner->options, OPTION_POSITIVE);
    if (positive[0] && schema_classes(&learner->schema) > 2)
        return error_input(error, "--positive is for two classes, and the data has %u",
                           schema_classes(&learner->schema));
    if (positive[0] && learner_positive(learner) == SCHEMA_NONE)
        return error_input(error, "--positive: no row has the label '%.80s'; the labels are %s",
                           positive,
                           schema_list_labels(&learner->schema, positive, labels, sizeof labels));
    const char *cursor = options_text(learner->options, OPTION_CLASS_WEIGHT);
    const char *label, *weight;
    size_t length, weight_length;
    while (next_class_weight(&cursor, &label, &length, &weight, &weight_length))
        if (weight && schema_class_find(&learner->schema, label, length) == SCHEMA_NONE)
            return refuse_class_weight(&learner->schema, label, length, error);
    return TLU_OK;
}
