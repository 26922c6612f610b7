// A sample of the rows, and the directions in which they and their scores differ most.
#include "base/memory.h"
#include "plot/plane/view.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ROWS_MAX 4000
#define ENTRIES_MAX ((size_t)1 << 22)

// SplitMix64 (Steele et al. 2014), so that the sample does not depend on the order of the rows.
static uint64_t mixed(uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

static double value_of(const struct sample *sample, const tlu_row *row, size_t i)
{
    return sample->ones || !row->values ? 1 : (double)row->values[i];
}

// ---- the sampled rows

// Drops about half of them.
static void halve(struct sample *sample)
{
    size_t rows = 0, entries = 0;
    sample->mask = 2 * sample->mask + 1;
    for (size_t i = 0; i < sample->rows; i++) {
        size_t start = sample->offsets[i], count = sample->offsets[i + 1] - start;
        if (mixed(sample->numbers[i]) & sample->mask)
            continue;
        memmove(sample->indices + entries, sample->indices + start, count * sizeof(uint32_t));
        memmove(sample->values + entries, sample->values + start, count * sizeof(float));
        sample->numbers[rows] = sample->numbers[i];
        entries += count;
        sample->offsets[++rows] = entries;
    }
    sample->rows = rows;
}

static bool keep_row(struct sample *sample, const tlu_row *row, uint64_t number)
{
    if (mixed(number) & sample->mask)
        return true;
    size_t start = sample->offsets[sample->rows], end = start + row->count;
    if (!memory_reserve(&sample->indices, &sample->indices_capacity, end + 1, sizeof(uint32_t)) ||
        !memory_reserve(&sample->values, &sample->values_capacity, end + 1, sizeof(float)) ||
        !memory_reserve(&sample->numbers, &sample->numbers_capacity, sample->rows + 1,
                        sizeof(uint64_t)) ||
        !memory_reserve(&sample->offsets, &sample->offsets_capacity, sample->rows + 2,
                        sizeof(size_t)))
        return false;
    for (size_t i = 0; i < row->count; i++) {
        sample->indices[start + i] = row->features[i];
        sample->values[start + i] = (float)value_of(sample, row, i);
    }
    sample->numbers[sample->rows] = number;
    sample->offsets[++sample->rows] = end;
    while (sample->rows > 1 && (sample->rows > ROWS_MAX || end > ENTRIES_MAX)) {
        halve(sample);
        end = sample->offsets[sample->rows];
    }
    return true;
}

// ---- all rows

static bool add_rows(void *context, const tlu_batch *batch)
{
    struct sample *sample = context;
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        for (size_t k = 0; k < row.count; k++) {
            double x = value_of(sample, &row, k);
            assert(row.features[k] < sample->features);
            sample->mean[row.features[k]] += x;
            sample->squares[row.features[k]] += x * x;
            sample->entries[row.features[k]]++;
        }
        if (!keep_row(sample, &row, sample->seen))
            return false;
        sample->seen++;
    }
    return true;
}

static void find_factors(struct sample *sample, const struct row_reader *reader)
{
    const struct scaling *scaling = reader->model ? &reader->model->scaling : NULL;
    double rows = sample->seen ? (double)sample->seen : 1, entries = 0, present = 0;
    for (size_t f = 0; f < sample->features; f++) {
        entries += (double)sample->entries[f];
        present += sample->entries[f] > 0;
        sample->mean[f] /= rows;
    }
    bool dense = entries > rows * present / 2;
    for (size_t f = 0; f < sample->features; f++) {
        double spread =
            sqrt(fmax(0, sample->squares[f] / rows - sample->mean[f] * sample->mean[f]));
        sample->factor[f] = 1;
        if (scaling && scaling->kind != SCALE_NONE)
            sample->factor[f] = scaling->factor[f];
        else if (!scaling && dense)
            sample->factor[f] = spread > 1e-9 * fabs(sample->mean[f]) ? 1 / spread : 0;
    }
}

tlu_status sample_take(struct sample *sample, struct row_reader *reader, tlu_error *error)
{
    size_t features = row_reader_features(reader);
    *sample = (struct sample){.features = features};
    sample->ones = options_flag(reader->model ? reader->model->state.options : reader->options,
                                OPTION_BINARIZE);
    sample->entries = arena_new(reader->memory, features + 1, sizeof *sample->entries);
    sample->mean = arena_new(reader->memory, features + 1, sizeof *sample->mean);
    sample->factor = arena_new(reader->memory, features + 1, sizeof *sample->factor);
    sample->squares = arena_new(reader->memory, features + 1, sizeof *sample->squares);
    TRY(enough_memory(
        sample->entries && sample->mean && sample->factor && sample->squares &&
            memory_reserve(&sample->offsets, &sample->offsets_capacity, 2, sizeof *sample->offsets),
        error));
    sample->offsets[0] = 0;
    TRY(row_reader_each(reader, false, add_rows, sample, error));
    find_factors(sample, reader);
    return TLU_OK;
}

void sample_free(struct sample *sample)
{
    memory_free(sample->offsets);
    memory_free(sample->numbers);
    memory_free(sample->indices);
    memory_free(sample->values);
}

// ---- directions

#define STEPS_MAX 100
#define SCORED_MAX 1000 // rows
#define CLOSE 1e-7      // convergence: difference of two steps

double direction_dot(const double *a, const double *b, size_t count)
{
    double dot = 0;
    for (size_t i = 0; i < count; i++)
        dot += a[i] * b[i];
    return dot;
}

// To length 1, the largest entry positive; false: it is 0.
static bool direction_unit(double *direction, size_t count)
{
    double largest = 0, sum = 0; // scaling by the largest avoids overflow and underflow
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

// Without its part along others[other_count], each of length 1.
static void direction_straighten(double *direction, size_t count, const double *const *others,
                                 size_t other_count)
{
    for (int again = 0; again < 2; again++) // the second time removes rounding errors
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

// A start vector that is unlikely to be orthogonal to any direction.
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
        // The rest may be only rounding errors.
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

// Covariance times the number of rows: the sum of (z - m) (z - m) . v, with z the row times the
// factors and m the mean. The mean is subtracted at the end, so that sparse rows stay sparse.
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

tlu_status sample_score(struct sample *sample, const tlu_model *model, struct arena *memory,
                        tlu_error *error)
{
    sample->scored = sample->rows < SCORED_MAX ? sample->rows : SCORED_MAX;
    sample->score_count = tlu_model_score_count(model);
    sample->scores =
        arena_new(memory, (sample->scored + 1) * sample->score_count, sizeof *sample->scores);
    uint32_t *offsets = arena_new(memory, sample->scored + 1, sizeof *offsets);
    uint32_t *classes = arena_new(memory, sample->scored + 1, sizeof *classes);
    TRY(enough_memory(sample->scores && offsets && classes, error));
    for (size_t i = 0; i <= sample->scored; i++)
        offsets[i] = (uint32_t)sample->offsets[i];
    const tlu_batch batch = {.rows = sample->scored,
                             .offsets = offsets,
                             .features = sample->indices,
                             .values = sample->values};
    TRY(tlu_model_predict_batch(model, &batch, classes, sample->scores, NULL, error));
    centre_scores(sample);
    return TLU_OK;
}

// Z' S S' Z v, with Z the centred rows times the factors, S the scores.
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

// Whether the score increases along the direction, on average.
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
