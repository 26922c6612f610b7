#include "plot/plane/sample.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define ROWS_MAX 4000
#define ENTRIES_MAX ((size_t)1 << 22)

// A number that looks like chance, so that no order of the rows is favoured (Steele et al. 2014).
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

// ---- the rows that are kept

// Half of them.
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

static bool add_rows(struct sample *sample, const tlu_batch *batch, double *squares)
{
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        for (size_t k = 0; k < row.count; k++) {
            double x = value_of(sample, &row, k);
            sample->mean[row.features[k]] += x;
            squares[row.features[k]] += x * x;
            sample->entries[row.features[k]]++;
        }
        if (!keep_row(sample, &row, sample->seen))
            return false;
        sample->seen++;
    }
    return true;
}

static tlu_status read_rows(struct sample *sample, struct intake *intake, double *squares,
                            tlu_error *error)
{
    const tlu_batch *batch;
    TRY(intake_begin(intake, false, error));
    for (;;) {
        TRY(intake_next(intake, &batch, error));
        if (!batch)
            return TLU_OK;
        TRY(enough_memory(add_rows(sample, batch, squares), error));
    }
}

static void find_factors(struct sample *sample, const struct intake *intake, const double *squares)
{
    const struct scaling *scaling = intake->model ? &intake->model->scaling : NULL;
    double rows = sample->seen ? (double)sample->seen : 1, entries = 0, present = 0;
    for (size_t f = 0; f < sample->features; f++) {
        entries += (double)sample->entries[f];
        present += sample->entries[f] > 0;
        sample->mean[f] /= rows;
    }
    bool dense = entries > rows * present / 2;
    for (size_t f = 0; f < sample->features; f++) {
        double spread = sqrt(fmax(0, squares[f] / rows - sample->mean[f] * sample->mean[f]));
        sample->factor[f] = 1;
        if (scaling && scaling->kind != SCALE_NONE)
            sample->factor[f] = scaling->factor[f];
        else if (!scaling && dense)
            sample->factor[f] = spread > 1e-9 * fabs(sample->mean[f]) ? 1 / spread : 0;
    }
}

tlu_status sample_take(struct sample *sample, struct intake *intake, tlu_error *error)
{
    size_t features = intake_features(intake);
    *sample = (struct sample){.features = features};
    sample->ones =
        options_flag(intake->model ? intake->model->options : intake->options, OPTION_BINARIZE);
    sample->entries = memory_new(features + 1, sizeof *sample->entries);
    sample->mean = memory_new(features + 1, sizeof *sample->mean);
    sample->factor = memory_new(features + 1, sizeof *sample->factor);
    sample->offsets = memory_new(2, sizeof *sample->offsets);
    sample->offsets_capacity = 2;
    double *squares = memory_new(features + 1, sizeof *squares);
    tlu_status status = TLU_OK;
    if (!sample->entries || !sample->mean || !sample->factor || !sample->offsets || !squares)
        status = error_memory(error);
    if (status == TLU_OK)
        status = read_rows(sample, intake, squares, error);
    intake_end(intake);
    if (status == TLU_OK)
        find_factors(sample, intake, squares);
    memory_free(squares);
    return status;
}

void sample_free(struct sample *sample)
{
    memory_free(sample->entries);
    memory_free(sample->mean);
    memory_free(sample->factor);
    memory_free(sample->offsets);
    memory_free(sample->numbers);
    memory_free(sample->indices);
    memory_free(sample->values);
    memory_free(sample->scores);
}
