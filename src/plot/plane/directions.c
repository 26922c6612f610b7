#include "plot/plane/directions.h"
#include "base/memory.h"
#include "plot/plane/sample.h"

#include <math.h>
#include <string.h>

#define STEPS_MAX 100
#define SCORED_MAX 1000 // rows that a model is asked about
#define CLOSE 1e-7      // two steps that differ by less end it

double direction_dot(const double *a, const double *b, size_t count)
{
    double dot = 0;
    for (size_t i = 0; i < count; i++)
        dot += a[i] * b[i];
    return dot;
}

bool direction_unit(double *direction, size_t count)
{
    double largest = 0, sum = 0; // divided by the largest, squares neither overflow nor vanish
    for (size_t i = 0; i < count; i++)
        largest = fabs(direction[i]) > fabs(largest) ? direction[i] : largest;
    if (largest == 0 || !isfinite(largest))
        return false;
    for (size_t i = 0; i < count; i++) {
        direction[i] /= largest;
        sum += direction[i] * direction[i];
    }
    for (size_t i = 0; i < count; i++)
        direction[i] /= sqrt(sum);
    return true;
}

void direction_straighten(double *direction, size_t count, const double *const *others,
                          size_t other_count)
{
    for (int again = 0; again < 2; again++) // the second time takes what rounding has left
        for (size_t k = 0; k < other_count; k++) {
            double along = direction_dot(direction, others[k], count);
            for (size_t i = 0; i < count; i++)
                direction[i] -= along * others[k][i];
        }
}

static double largest_of(const double *vector, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(vector[i]));
    return largest;
}

static double difference(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// No direction is likely to be at right angles to it.
static void start(double *direction, size_t count)
{
    for (size_t i = 0; i < count; i++)
        direction[i] = 1 + 0.5 * sin(1.7 * (double)i + 0.3);
    direction_unit(direction, count);
}

tlu_status direction_find(direction_matrix *matrix, const void *context,
                          const double *const *others, size_t other_count, double *direction,
                          size_t count, tlu_error *error)
{
    double *next = memory_new(count + 1, sizeof *next);
    double first = 0;
    TRY(enough_memory(next, error));
    start(direction, count);
    for (int step = 0; step < STEPS_MAX; step++) {
        matrix(context, direction, next);
        double before = largest_of(next, count);
        direction_straighten(next, count, others, other_count);
        double left = largest_of(next, count);
        first = fmax(first, before);
        // What is left may be nothing but rounding.
        if (!(left > 1e-10 * before) || !(left > 1e-14 * first) || !direction_unit(next, count)) {
            memset(direction, 0, count * sizeof *direction);
            break;
        }
        double moved = difference(direction, next, count);
        memcpy(direction, next, count * sizeof *next);
        if (moved < CLOSE)
            break;
    }
    memory_free(next);
    return TLU_OK;
}

// ---- of rows

static double along_row(const struct sample *sample, const tlu_row *row, const double *direction)
{
    double sum = 0;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t f = row->features[i];
        sum += direction[f] * sample->factor[f] * (double)row->values[i];
    }
    return sum;
}

static double along_mean(const struct sample *sample, const double *direction)
{
    double sum = 0;
    for (size_t f = 0; f < sample->features; f++)
        sum += direction[f] * sample->factor[f] * sample->mean[f];
    return sum;
}

// Their covariance times their number: sum of (z - m) (z - m) . v with z the row times the factors,
// m the mean. The mean is taken off at the end, so that sparse rows stay sparse.
static void spread_of_rows(const void *context, const double *from, double *to)
{
    const struct sample *sample = context;
    double middle = along_mean(sample, from), all = 0;
    memset(to, 0, sample->features * sizeof *to);
    for (size_t i = 0; i < sample->rows; i++) {
        tlu_row row = sample_row(sample, i);
        double along = along_row(sample, &row, from) - middle;
        for (size_t k = 0; k < row.count; k++)
            to[row.features[k]] += along * (double)row.values[k];
        all += along;
    }
    for (size_t f = 0; f < sample->features; f++)
        to[f] = sample->factor[f] * (to[f] - all * sample->mean[f]);
}

tlu_status sample_direction(const struct sample *sample, const double *const *others, size_t count,
                            double *direction, tlu_error *error)
{
    return direction_find(spread_of_rows, sample, others, count, direction, sample->features,
                          error);
}

// ---- of scores

static tlu_status score_rows(struct sample *sample, const tlu_model *model, uint32_t *offsets,
                             uint32_t *classes, tlu_error *error)
{
    for (size_t i = 0; i <= sample->scored; i++)
        offsets[i] = (uint32_t)sample->offsets[i];
    const tlu_batch batch = {.rows = sample->scored,
                             .offsets = offsets,
                             .features = sample->indices,
                             .values = sample->values};
    return tlu_model_predict_batch(model, &batch, classes, sample->scores, NULL, error);
}

static void centre_scores(struct sample *sample)
{
    size_t columns = sample->score_count;
    for (size_t c = 0; c < columns; c++) {
        double mean = 0;
        for (size_t i = 0; i < sample->scored; i++)
            mean += sample->scores[i * columns + c] / (double)sample->scored;
        for (size_t i = 0; i < sample->scored; i++)
            sample->scores[i * columns + c] -= mean;
    }
}

tlu_status sample_score(struct sample *sample, const tlu_model *model, tlu_error *error)
{
    sample->scored = sample->rows < SCORED_MAX ? sample->rows : SCORED_MAX;
    sample->score_count = tlu_model_score_count(model);
    sample->scores = memory_new((sample->scored + 1) * sample->score_count, sizeof(double));
    uint32_t *offsets = memory_new(sample->scored + 1, sizeof *offsets);
    uint32_t *classes = memory_new(sample->scored + 1, sizeof *classes);
    tlu_status status = sample->scores && offsets && classes
                            ? score_rows(sample, model, offsets, classes, error)
                            : error_memory(error);
    memory_free(offsets);
    memory_free(classes);
    if (status == TLU_OK)
        centre_scores(sample);
    return status;
}

// Z' S S' Z v with Z the rows times the factors without their mean, S the scores.
static void go_with_scores(const void *context, const double *from, double *to)
{
    const struct sample *sample = context;
    size_t columns = sample->score_count;
    double *with = sample->scores + sample->scored * columns; // how rows go with each score
    double all = 0;
    memset(to, 0, sample->features * sizeof *to);
    memset(with, 0, columns * sizeof *with);
    for (size_t i = 0; i < sample->scored; i++) {
        tlu_row row = sample_row(sample, i);
        double along = along_row(sample, &row, from);
        for (size_t c = 0; c < columns; c++)
            with[c] += along * sample->scores[i * columns + c];
    }
    for (size_t i = 0; i < sample->scored; i++) {
        tlu_row row = sample_row(sample, i);
        double share = direction_dot(with, sample->scores + i * columns, columns);
        for (size_t k = 0; k < row.count; k++)
            to[row.features[k]] += share * (double)row.values[k];
        all += share;
    }
    for (size_t f = 0; f < sample->features; f++)
        to[f] = sample->factor[f] * (to[f] - all * sample->mean[f]);
}

// The score gets higher that way, on the whole.
static bool is_upwards(const struct sample *sample, const double *direction)
{
    double sum = 0;
    for (size_t i = 0; i < sample->scored; i++) {
        tlu_row row = sample_row(sample, i);
        sum += along_row(sample, &row, direction) * sample->scores[i * sample->score_count];
    }
    return sum >= 0;
}

tlu_status sample_score_direction(const struct sample *sample, const double *const *others,
                                  size_t count, double *direction, tlu_error *error)
{
    TRY(direction_find(go_with_scores, sample, others, count, direction, sample->features, error));
    double sign = sample->score_count > 1 || is_upwards(sample, direction) ? 1 : -1;
    for (size_t f = 0; f < sample->features; f++)
        direction[f] *= sign;
    return TLU_OK;
}

// ---- shares

static double total_spread(const struct sample *sample)
{
    double of_mean = 0, total = 0;
    for (size_t f = 0; f < sample->features; f++) {
        double mean = sample->factor[f] * sample->mean[f];
        of_mean += mean * mean;
    }
    for (size_t i = 0; i < sample->rows; i++) {
        tlu_row row = sample_row(sample, i);
        double here = of_mean;
        for (size_t k = 0; k < row.count; k++) {
            uint32_t f = row.features[k];
            double z = sample->factor[f] * (double)row.values[k];
            here += z * (z - 2 * sample->factor[f] * sample->mean[f]);
        }
        total += here;
    }
    return total;
}

double sample_share(const struct sample *sample, const double *const *directions, size_t count)
{
    double total = total_spread(sample), part = 0;
    for (size_t d = 0; d < count; d++) {
        double middle = along_mean(sample, directions[d]);
        for (size_t i = 0; i < sample->rows; i++) {
            tlu_row row = sample_row(sample, i);
            double along = along_row(sample, &row, directions[d]) - middle;
            part += along * along;
        }
    }
    return total > 0 ? fmin(1, part / total) : 1;
}
