// A trained model as a network of threshold units with integer weights.
//
// The features of the model are 0 or 1. Its weights, times a scale, are rounded to integers; the
// biases, times the same scale, become thresholds and are rounded up, because an integer sum
// reaches -b if and only if it reaches the next integer. If a score of 0 is negative by --tie, it
// has to exceed -b, and the threshold is the integer after that. Two classes become one unit, which
// fires for the positive class. With more classes, units compare each two classes, and one unit per
// class fires if it has won.
#include "base/call/fp_env.h"
#include "base/error.h"
#include "base/settings.h"
#include "logic/append.h"
#include "logic/integers.h"
#include "logic/network/network.h"
#include "logic/network/propagation.h"
#include "model/model.h"
#include "numeric/number.h"
#include "tlu_logic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS_MIN 2
#define BITS_MAX 40
#define LINKS_MAX 20000000 // in all comparisons of classes
#define STEPS_DOWN 8       // scales below the largest that fits, by factors of 2^(1/8)
#define STEPS_UP 16        // and above, with clipped weights
#define SCALE_STEP 8.0
#define TOTAL_MAX ((double)((int64_t)1 << 60)) // limit of the sum of |weights| and of the threshold

// Integer weights, and how well they agree with the model.
struct rounded {
    double scale;
    int64_t *w;           // [features][columns]
    int64_t *threshold;   // two classes: [1]; one versus one: [columns]; else unused
    uint64_t differences; // rows with another prediction than the model's
    bool exact;           // no weight was rounded
};

struct row_sum {
    int64_t sum;
    bool positive;
};

struct quantizer {
    tlu_error *error;
    // The weight vectors of the model, one per column of its scheme.
    const tlu_model *model;
    const double *w;    // [features][columns]
    const double *bias; // [columns]
    double moved;       // the shifted bias, if the model has a threshold
    size_t features, columns;
    uint32_t classes, positive;
    enum scheme_kind scheme;
    bool above_zero; // a column is for its class, or the later of a pair, above 0 alone
    bool last_wins;  // of classes with the same score the last wins, not the first
    double largest;  // largest weight of a unit before scaling
    // Rows for the check: the features that are 1, and the prediction of the model.
    size_t rows, end_capacity, said_capacity, features_capacity;
    size_t *end;    // [rows] of its features
    uint32_t *ones; // [end of the last]
    uint32_t *said; // [rows] classes
    // The search for the scale.
    struct rounded best, tried;
    int64_t *sums;            // [columns]
    struct row_sum *row_sums; // [rows]
    // The network.
    struct tlu_network *network;
    struct link *links; // scratch, for one unit
    uint32_t *pair;     // [columns] one versus one: units, which fire for the later class
    uint32_t *beats;    // [pairs] comparisons
    char *name;         // scratch, for two labels
    size_t name_size;
    struct propagation propagation;
};

static void quantizer_free(struct quantizer *q)
{
    void *arrays[] = {q->end,  q->ones,     q->said,    q->best.w,          q->best.threshold,
                      q->sums, q->row_sums, q->tried.w, q->tried.threshold, q->links,
                      q->pair, q->beats,    q->name};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        memory_free(arrays[i]);
    propagation_free(&q->propagation);
    tlu_network_free(q->network);
}

// ---- the model ----

// The largest |weight| or, if columns are compared, the largest difference.
static double largest_weight(const struct quantizer *q)
{
    bool compared = q->scheme == SCHEME_WTA || q->scheme == SCHEME_OVR;
    double largest = 0;
    for (size_t f = 0; f < q->features; f++) {
        const double *w = &q->w[f * q->columns];
        double low = w[0], high = w[0], size = 0;
        for (size_t c = 0; c < q->columns; c++) {
            low = fmin(low, w[c]);
            high = fmax(high, w[c]);
            size = fmax(size, fabs(w[c]));
        }
        largest = fmax(largest, compared ? high - low : size);
    }
    return largest;
}

static tlu_status refuse_others(const tlu_model *model, tlu_error *error)
{
    size_t classes = tlu_model_class_count(model), pairs = classes * (classes - 1) / 2;
    if (!tlu_model_has_weights(model))
        return error_input(
            error,
            "the model has no weights of features, as it has a kernel or "
            "layers: it does not become a threshold unit; train another learner without --kernel");
    if (model_replays(model))
        return error_input(error,
                           "the model decides by %s over many weight vectors: it does not become "
                           "a threshold unit; train with --decide average",
                           tlu_model_decision(model));
    if (model->state.scheme.kind == SCHEME_MULTILABEL)
        return error_input(error, "the model gives lists of labels: it does not become one output; "
                                  "train a model on the rows of one label against the others");
    if (scaling_is_on(&model->scaling) && (model->scaling.normalize || !model->decided.folded))
        return error_input(error, "the model scales each row in its own way: it does not become a "
                                  "threshold unit; train with --scale none, without --normalize");
    // Every comparison of two classes has a link per feature.
    if (classes > 2 && tlu_model_feature_count(model) > LINKS_MAX / pairs)
        return error_input(error,
                           "the model has %zu classes and %zu features: to compare classes two by "
                           "two would take more than %d links",
                           classes, tlu_model_feature_count(model), LINKS_MAX);
    return TLU_OK;
}

static tlu_status take_model(struct quantizer *q, const tlu_model *model)
{
    TRY(refuse_others(model, q->error));
    const struct decided *decided = &model->decided;
    q->model = model;
    q->w = decided->folded ? decided->folded : decided->w;
    q->bias = decided->folded ? decided->folded_bias : decided->bias;
    q->features = tlu_model_feature_count(model);
    q->columns = model->state.weights.columns;
    q->classes = (uint32_t)tlu_model_class_count(model);
    q->positive = model->state.scheme.positive;
    q->scheme = model->state.scheme.kind;
    int tie = (int)options_choice(model->state.options, OPTION_TIE);
    q->above_zero = tie == TIE_NEGATIVE;
    q->last_wins = tie == TIE_POSITIVE;
    if (q->scheme == SCHEME_TWO && model->state.output.threshold.on != THRESHOLD_NONE) {
        double limit = output_limit(&model->state.output);
        if (!isfinite(limit))
            return error_input(q->error,
                               "the threshold of the model gives every row the same label; find "
                               "another with tlu threshold, or remove it with --remove");
        q->above_zero = false; // the positive class is predicted from the limit on
        q->moved = q->bias[0] - limit * decided->divisor;
        q->bias = &q->moved;
    }
    q->largest = largest_weight(q);
    if (!isfinite(q->largest))
        return error_input(q->error, "the model has weights that are not finite");
    return TLU_OK;
}

// ---- rows to check the network with ----

static tlu_status refuse_value(const struct quantizer *q, const char *path, uint64_t line,
                               uint32_t feature, float value)
{
    char name[128], shown[100], number[32];
    tlu_model_feature_name(q->model, feature, name, sizeof name);
    number_print_float(number, value);
    return error_at(q->error, path, line, 0,
                    "the feature '%s' is %s, and the inputs of a threshold unit are 0 or 1; train "
                    "on 0, 1 and categories",
                    error_quote(shown, sizeof shown, name, strlen(name)), number);
}

static size_t row_start(const struct quantizer *q, size_t row)
{
    return row ? q->end[row - 1] : 0;
}

static tlu_status add_batch(struct quantizer *q, const char *path, const tlu_reader *reader,
                            const tlu_batch *batch)
{
    const tlu_predictions *predictions = tlu_reader_predictions(reader);
    size_t used = row_start(q, q->rows);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        for (size_t j = 0; j < row.count; j++) {
            float value = row.values ? row.values[j] : 1;
            if (value != 0 && value != 1)
                return refuse_value(q, path, model_reader_line(reader, i), row.features[j], value);
            if (value == 1 && !APPEND(q->ones, used, q->features_capacity, row.features[j]))
                return error_memory(q->error);
        }
        size_t said = q->rows;
        if (!APPEND(q->said, said, q->said_capacity, predictions->classes[i]) ||
            !APPEND(q->end, q->rows, q->end_capacity, used))
            return error_memory(q->error);
    }
    return TLU_OK;
}

static tlu_status read_rows(struct quantizer *q, const char *path, const tlu_options *options)
{
    tlu_reader *reader;
    const tlu_batch *batch;
    TRY(tlu_reader_open(q->model, path, options, &reader, q->error));
    tlu_status status = tlu_reader_predict(reader, 0, NULL, NULL, q->error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, q->error)) == TLU_OK &&
           batch)
        status = add_batch(q, path, reader, batch);
    tlu_reader_close(reader);
    if (status == TLU_OK && q->rows == 0)
        return error_at(q->error, path, 0, 0,
                        "has no rows to check with; give data with rows, or leave DATA out");
    return status;
}

// ---- rounding ----

static bool has_own_thresholds(const struct quantizer *q)
{
    return q->scheme == SCHEME_TWO || q->scheme == SCHEME_OVO;
}

// The threshold for class j to score at least as high as class k or, if `strict`, higher, from
// their biases.
static int64_t bias_threshold(double scale, double bias_j, double bias_k, bool strict)
{
    double least = scale * bias_k - scale * bias_j;
    return (int64_t)(strict ? floor(least) + 1 : ceil(least));
}

// If classes are compared, adding a constant to a feature's weights of all classes changes nothing:
// the least becomes 0, so that no difference exceeds the limit.
static double shift_of(const struct quantizer *q, size_t feature)
{
    const double *w = &q->w[feature * q->columns];
    double least = w[0];
    if (has_own_thresholds(q))
        return 0;
    for (size_t c = 1; c < q->columns; c++)
        least = fmin(least, w[c]);
    return least;
}

// Sets `tried`.
static void round_at(struct quantizer *q, double scale, double limit)
{
    struct rounded *tried = &q->tried;
    tried->scale = scale;
    tried->exact = true;
    for (size_t f = 0; f < q->features; f++) {
        double shift = shift_of(q, f);
        for (size_t i = f * q->columns; i < (f + 1) * q->columns; i++) {
            double wanted = scale * (q->w[i] - shift), near = rint(wanted);
            near = near > limit ? limit : near < -limit ? -limit : near;
            tried->exact = tried->exact && near == wanted;
            tried->w[i] = (int64_t)near;
        }
    }
    for (size_t c = 0; c < q->columns && has_own_thresholds(q); c++)
        tried->threshold[c] = bias_threshold(scale, q->bias[c], 0, q->above_zero);
}

// ---- predictions of the rounded weights ----

static void sum_row(const struct quantizer *q, size_t row, int64_t *sums)
{
    memset(sums, 0, q->columns * sizeof *sums);
    for (size_t j = row_start(q, row); j < q->end[row]; j++) {
        const int64_t *w = &q->tried.w[q->ones[j] * q->columns];
        for (size_t c = 0; c < q->columns; c++)
            sums[c] += w[c];
    }
}

static uint32_t elect_highest(const struct quantizer *q)
{
    uint32_t winner = 0;
    for (uint32_t j = 1; j < q->classes; j++)
        if (q->sums[winner] - q->sums[j] <
            bias_threshold(q->tried.scale, q->bias[winner], q->bias[j], q->last_wins))
            winner = j;
    return winner;
}

// As in the model: by votes, then by the sum of the scores, then by order.
static uint32_t elect_by_pairs(const struct quantizer *q)
{
    uint32_t winner = 0, most = 0;
    double best = 0;
    for (uint32_t c = 0; c < q->classes; c++) {
        uint32_t votes = 0;
        double total = 0;
        for (uint32_t j = 0; j < q->classes; j++) {
            if (j == c)
                continue;
            uint32_t pair = scheme_pair(c, j);
            bool later = q->sums[pair] >= q->tried.threshold[pair];
            double score = (double)q->sums[pair] + q->tried.scale * q->bias[pair];
            votes += c > j ? later : !later;
            total += c > j ? score : -score;
        }
        if (c == 0 || votes > most ||
            (votes == most && (q->last_wins ? total >= best : total > best))) {
            winner = c;
            most = votes;
            best = total;
        }
    }
    return winner;
}

// Counts the rows with another prediction, up to those of the best.
static uint64_t count_wrong(struct quantizer *q)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < q->rows && wrong < q->best.differences; i++) {
        sum_row(q, i, q->sums);
        wrong += (q->scheme == SCHEME_OVO ? elect_by_pairs(q) : elect_highest(q)) != q->said[i];
    }
    return wrong;
}

static int compare_row_sums(const void *a, const void *b)
{
    int64_t x = ((const struct row_sum *)a)->sum, y = ((const struct row_sum *)b)->sum;
    return (x > y) - (x < y);
}

// Two classes: sets the threshold with the fewest wrong rows that is nearest to the rounded one.
static uint64_t best_threshold(struct quantizer *q)
{
    uint64_t wrong = 0, least = UINT64_MAX;
    int64_t wanted = q->tried.threshold[0], best = wanted;
    struct row_sum *sums = q->row_sums;
    for (size_t i = 0; i < q->rows; i++) {
        sum_row(q, i, &sums[i].sum);
        sums[i].positive = q->said[i] == q->positive;
        wrong += !sums[i].positive; // if all fire
    }
    qsort(sums, q->rows, sizeof *sums, compare_row_sums);
    for (size_t i = 0; i <= q->rows; i++) {
        // All thresholds between the sums of two rows are equivalent: take the one nearest to the
        // rounded.
        if (i == 0 || i == q->rows || sums[i].sum != sums[i - 1].sum) {
            int64_t low = i ? sums[i - 1].sum + 1 : INT64_MIN;
            int64_t high = i < q->rows ? sums[i].sum : INT64_MAX;
            int64_t here = wanted < low ? low : wanted > high ? high : wanted;
            bool nearer = llabs(here - wanted) < llabs(best - wanted);
            if (wrong < least || (wrong == least && nearer)) {
                least = wrong;
                best = here;
            }
        }
        if (i < q->rows)
            wrong = sums[i].positive ? wrong + 1 : wrong - 1;
    }
    q->tried.threshold[0] = best;
    return least;
}

// ---- the search for the scale ----
//
// For a number of bits, tries the largest scale that fits, and some around it, on the rows. A
// larger scale clips the largest weights, which may cost less than coarse steps for all others.

// Whether no sum can overflow, whatever the rows.
static bool fits(const struct quantizer *q, double scale, double limit)
{
    double largest = fmin(scale * q->largest, limit), bias = 0;
    for (size_t c = 0; c < q->columns; c++)
        bias = fmax(bias, fabs(scale * q->bias[c]));
    double classes = q->scheme == SCHEME_OVO ? 4.0 * q->classes * q->classes : 2;
    return classes * ((double)q->features * largest + bias + 1) < TOTAL_MAX;
}

static void try_scale(struct quantizer *q, double scale, double limit)
{
    if (!isfinite(scale) || !fits(q, scale, limit))
        return;
    round_at(q, scale, limit);
    q->tried.differences = q->rows == 0              ? 0
                           : q->scheme == SCHEME_TWO ? best_threshold(q)
                                                     : count_wrong(q);
    if (q->tried.differences >= q->best.differences)
        return;
    struct rounded former = q->best;
    q->best = q->tried;
    q->tried = former;
}

// The power of two at which all weights are integers; may be infinite.
static double exact_scale(const struct quantizer *q)
{
    int least = INT32_MAX;
    for (size_t i = 0; i < q->features * q->columns; i++) {
        int exponent;
        double part = frexp(q->w[i], &exponent);
        if (part == 0)
            continue;
        int lowest = exponent - 53 + __builtin_ctzll((uint64_t)(int64_t)ldexp(part, 53));
        least = lowest < least ? lowest : least;
    }
    return least == INT32_MAX ? 1 : ldexp(1, -least);
}

static void try_bits(struct quantizer *q, unsigned bits)
{
    double limit = ldexp(1, (int)bits - 1) - 1, exact = exact_scale(q);
    double largest = q->largest > 0 ? q->largest : 1;
    if (exact * q->largest <= limit)
        try_scale(q, exact, limit);
    if (q->best.exact && q->best.differences == 0)
        return;
    // The largest weight may round to `limit` from above.
    double most = (limit + 0.25) / largest;
    try_scale(q, most, limit);
    if (q->rows == 0)
        return;
    for (int i = 1; i <= STEPS_DOWN; i++)
        try_scale(q, most * exp2(-i / SCALE_STEP), limit);
    for (int i = 1; i <= STEPS_UP && has_own_thresholds(q); i++)
        try_scale(q, most * exp2(i / SCALE_STEP), limit);
}

// Divides weights and thresholds by the common divisor.
static void reduce(const struct quantizer *q, struct rounded *rounded)
{
    int64_t common = 0;
    size_t count = q->features * q->columns;
    for (size_t i = 0; i < count; i++)
        common = greatest_common_divisor(rounded->w[i], common);
    if (common < 2)
        return;
    for (size_t i = 0; i < count; i++)
        rounded->w[i] /= common;
    for (size_t c = 0; c < q->columns; c++) { // rounded up
        int64_t t = rounded->threshold[c];
        rounded->threshold[c] = t / common + (t % common > 0);
    }
    rounded->scale /= (double)common;
}

static bool rounded_new(struct rounded *rounded, const struct quantizer *q)
{
    *rounded = (struct rounded){.differences = UINT64_MAX};
    if (q->columns && q->features >= SIZE_MAX / q->columns)
        return false;
    rounded->w = memory_new(q->features * q->columns + 1, sizeof *rounded->w);
    rounded->threshold = memory_new(q->columns + 1, sizeof *rounded->threshold);
    return rounded->w && rounded->threshold;
}

// Sets `best` to the rounding with the fewest differences. With 0 bits: the fewest bits without
// differences or, without rows, the exact weights.
static tlu_status find_rounding(struct quantizer *q, unsigned bits)
{
    q->sums = memory_new(q->columns + 1, sizeof *q->sums);
    q->row_sums = memory_new(q->rows + 1, sizeof *q->row_sums);
    TRY(enough_memory(
        rounded_new(&q->best, q) && rounded_new(&q->tried, q) && q->sums && q->row_sums, q->error));
    if (bits) {
        try_bits(q, bits);
    } else if (q->rows) {
        for (unsigned b = BITS_MIN; b <= BITS_MAX && q->best.differences; b++)
            try_bits(q, b);
    } else {
        try_scale(q, exact_scale(q), HUGE_VAL);
        if (q->best.differences)
            return error_input(q->error,
                               "the weights of this model have too many digits to be whole numbers "
                               "exactly; give --bits N to round them, or rows of data, which tell "
                               "how many bits are enough");
    }
    if (q->best.differences == UINT64_MAX)
        return error_input(q->error, "the weights of this model do not fit: they or the bias are "
                                     "too far apart; give --bits");
    reduce(q, &q->best);
    return TLU_OK;
}

// ---- construction ----
//
// Two classes become one unit. With more, a unit for each two classes j < k fires if j scores at
// least as high as k (higher, if the last of equals wins), and a unit per class fires if it wins
// all comparisons. One versus one has a unit per pair below these, for the votes.

static const char *label_of(const struct quantizer *q, uint32_t class_index)
{
    return tlu_model_class_label(q->model, class_index);
}

static const char *name_pair(struct quantizer *q, uint32_t j, const char *between, uint32_t k)
{
    snprintf(q->name, q->name_size, "%s%s%s", label_of(q, j), between, label_of(q, k));
    return q->name;
}

static bool name_inputs(struct quantizer *q)
{
    bool named = true;
    for (size_t f = 0; named && f < q->features; f++) {
        size_t length = tlu_model_feature_name(q->model, f, NULL, 0);
        char *name = memory_new(length + 1, 1);
        named = name && tlu_model_feature_name(q->model, f, name, length + 1) == length &&
                network_name_input(q->network, f, name);
        memory_free(name);
    }
    return named;
}

// A unit with the weights of one column.
static uint32_t add_column(struct quantizer *q, const char *name, size_t column)
{
    for (size_t f = 0; f < q->features; f++)
        q->links[f] = (struct link){(uint32_t)f, q->best.w[f * q->columns + column]};
    return network_add_unit(q->network, name, q->links, q->features, q->best.threshold[column]);
}

static bool add_output_unit(struct quantizer *q, uint32_t class_index, uint32_t unit)
{
    return unit != SIGNAL_NONE && network_add_output(q->network, label_of(q, class_index), unit);
}

// Winner takes all, one versus rest.
static uint32_t compare_scores(struct quantizer *q, uint32_t j, uint32_t k)
{
    for (size_t f = 0; f < q->features; f++) {
        const int64_t *w = &q->best.w[f * q->columns];
        q->links[f] = (struct link){(uint32_t)f, w[j] - w[k]};
    }
    return network_add_unit(q->network, name_pair(q, j, q->last_wins ? " > " : " >= ", k), q->links,
                            q->features,
                            bias_threshold(q->best.scale, q->bias[j], q->bias[k], q->last_wins));
}

// Adds the scores of a class's pairs, times `sign`, to the weights of the features and to the bias.
// The score of a pair counts for the later class.
static void add_scores(struct quantizer *q, uint32_t class_index, int sign, double *bias)
{
    for (uint32_t other = 0; other < q->classes; other++) {
        if (other == class_index)
            continue;
        size_t column = scheme_pair(class_index, other);
        int factor = class_index > other ? sign : -sign;
        *bias += factor * q->bias[column];
        for (size_t f = 0; f < q->features; f++)
            q->links[f].weight += factor * q->best.w[f * q->columns + column];
    }
}

// Adds the votes of a class, times a weight, to the links of the pairs, which follow those of the
// features. Returns the votes if no unit fires.
static int64_t add_votes(struct quantizer *q, uint32_t class_index, int64_t weight)
{
    int64_t constant = 0;
    for (uint32_t other = 0; other < q->classes; other++) {
        if (other == class_index)
            continue;
        q->links[q->features + scheme_pair(class_index, other)].weight +=
            class_index > other ? weight : -weight;
        constant += class_index < other ? weight : 0;
    }
    return constant;
}

// One versus one. Votes decide first: the weight of a vote exceeds all scores.
static uint32_t compare_votes(struct quantizer *q, uint32_t j, uint32_t k)
{
    double bias = 0;
    int64_t most = 1;
    size_t count = q->features + q->columns;
    for (size_t i = 0; i < count; i++)
        q->links[i] = (struct link){i < q->features ? (uint32_t)i : q->pair[i - q->features], 0};
    add_scores(q, j, 1, &bias);
    add_scores(q, k, -1, &bias);
    int64_t threshold = bias_threshold(q->best.scale, bias, 0, q->last_wins);
    for (size_t f = 0; f < q->features; f++)
        most += llabs(q->links[f].weight);
    most += llabs(threshold);
    int64_t constant = add_votes(q, j, most) + add_votes(q, k, -most);
    return network_add_unit(q->network, name_pair(q, j, q->last_wins ? " > " : " >= ", k), q->links,
                            count, threshold - constant);
}

static bool add_pairs(struct quantizer *q)
{
    for (uint32_t k = 1; k < q->classes; k++)
        for (uint32_t j = 0; j < k; j++) {
            uint32_t column = scheme_pair(j, k);
            q->pair[column] = add_column(q, name_pair(q, k, " against ", j), column);
            if (q->pair[column] == SIGNAL_NONE)
                return false;
        }
    return true;
}

static bool add_comparisons(struct quantizer *q)
{
    for (uint32_t k = 1; k < q->classes; k++)
        for (uint32_t j = 0; j < k; j++) {
            uint32_t unit =
                q->scheme == SCHEME_OVO ? compare_votes(q, j, k) : compare_scores(q, j, k);
            if (unit == SIGNAL_NONE)
                return false;
            q->beats[scheme_pair(j, k)] = unit;
        }
    return true;
}

// Class j wins if it beats the classes after it and is not beaten by those before it.
static bool add_winners(struct quantizer *q)
{
    for (uint32_t j = 0; j < q->classes; j++) {
        size_t count = 0;
        for (uint32_t k = 0; k < q->classes; k++)
            if (k != j)
                q->links[count++] = (struct link){q->beats[scheme_pair(j, k)], j < k ? 1 : -1};
        uint32_t unit = network_add_unit(q->network, label_of(q, j), q->links, count,
                                         (int64_t)(q->classes - 1 - j));
        if (!add_output_unit(q, j, unit))
            return false;
    }
    return true;
}

static bool make_network(struct quantizer *q)
{
    size_t pairs = (size_t)q->classes * (q->classes - 1) / 2, longest = 0;
    for (uint32_t i = 0; i < q->classes; i++) {
        size_t length = strlen(label_of(q, i));
        longest = length > longest ? length : longest;
    }
    q->network = network_new(q->features, 0);
    q->links = memory_new(q->features + q->columns + pairs + q->classes, sizeof *q->links);
    q->pair = memory_new(q->columns + 1, sizeof *q->pair);
    q->beats = memory_new(pairs + 1, sizeof *q->beats);
    q->name_size = 2 * longest + sizeof " against ";
    q->name = memory_new(q->name_size, 1);
    if (!q->network || !q->links || !q->pair || !q->beats || !q->name || !name_inputs(q))
        return false;
    if (q->scheme == SCHEME_TWO)
        return add_output_unit(q, q->positive, add_column(q, label_of(q, q->positive), 0));
    return (q->scheme != SCHEME_OVO || add_pairs(q)) && add_comparisons(q) && add_winners(q);
}

// ---- comparison with the model ----

// Whether the outputs name the class: a single output is that of the positive class, several are
// one per class.
static bool outputs_agree(const struct quantizer *q, uint32_t class_index)
{
    const struct tlu_network *network = q->network;
    for (size_t i = 0; i < network->outputs; i++) {
        bool wanted = class_index == (network->outputs == 1 ? q->positive : i);
        if (q->propagation.value[network->output[i].from] != wanted)
            return false;
    }
    return true;
}

// The number of rows for which the finished network and the model disagree.
static uint64_t count_differences(struct quantizer *q)
{
    struct propagation *p = &q->propagation;
    uint64_t differences = 0;
    for (size_t i = 0; i < q->rows; i++) {
        propagation_clear(p);
        for (size_t j = row_start(q, i); j < q->end[i]; j++) {
            p->value[q->ones[j]] = SIGNAL_ON;
            propagation_push(p, q->ones[j]);
        }
        propagation_run_units(p);
        differences += !outputs_agree(q, q->said[i]);
        for (size_t j = row_start(q, i); j < q->end[i]; j++)
            p->value[q->ones[j]] = SIGNAL_OFF;
    }
    return differences;
}

// ---- entry point ----

static unsigned bits_of(const struct tlu_network *network)
{
    uint64_t largest = 0;
    unsigned bits = 1; // the sign
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++) {
            const struct link *link = &network->unit[i].links[j];
            uint64_t size = (uint64_t)llabs(link->weight);
            largest = size > largest && link->from < network->inputs ? size : largest;
        }
    while (largest >> (bits - 1))
        bits++;
    return bits;
}

static tlu_status quantize(struct quantizer *q, const tlu_model *model,
                           const tlu_quantize_settings *settings, const tlu_options *options,
                           tlu_quantization **quantization)
{
    TRY(take_model(q, model));
    if (settings->path)
        TRY(read_rows(q, settings->path, options));
    TRY(find_rounding(q, settings->bits));
    TRY(enough_memory(make_network(q) && propagation_new(&q->propagation, q->network), q->error));
    *quantization = memory_new(1, sizeof **quantization);
    TRY(enough_memory(*quantization, q->error));
    **quantization = (tlu_quantization){.network = q->network,
                                        .bits = bits_of(q->network),
                                        .exact = q->best.exact,
                                        .rows = q->rows,
                                        .differences = count_differences(q)};
    q->network = NULL;
    return TLU_OK;
}

tlu_status tlu_quantize(const tlu_model *model, const tlu_quantize_settings *settings,
                        const tlu_options *options, tlu_quantization **quantization,
                        tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_quantize_settings own;
    struct quantizer quantizer = {.error = error};
    *quantization = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_quantize_settings", error));
    if (own.bits && (own.bits < BITS_MIN || own.bits > BITS_MAX))
        return error_input(error, "weights have %d to %d bits, not %u", BITS_MIN, BITS_MAX,
                           own.bits);
    tlu_status status = quantize(&quantizer, model, &own, options, quantization);
    quantizer_free(&quantizer);
    return status;
}

void tlu_quantization_free(tlu_quantization *quantization)
{
    if (quantization)
        tlu_network_free((tlu_network *)quantization->network);
    memory_free(quantization);
}
