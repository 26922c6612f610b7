// Predicts rows in memory (tlu_rows) with several threads.
//
// The features of the caller become those of the model: of an array with columns by a map that is
// made once, else entry by entry. Each thread copies a block of rows, without zeros, and predicts
// it.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "data/hash.h"
#include "data/large.h"
#include "learn/guard.h"
#include "model/score/score.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 64
#define ROW_ENTRIES_MAX ((uint64_t)1 << 31)

struct task {
    const tlu_model *model;
    tlu_predict_settings settings;
    tlu_rows rows;
    // [map_count] the model's feature of a caller's; NULL: there is no map. Columns that follow are
    // not in the model.
    const uint32_t *map;
    uint32_t *own_map; // NULL: the map is part of the schema
    size_t map_count;
    pthread_mutex_t mutex; // for what follows: the error of the first bad row
    size_t bad;            // from 1; 0: none
    tlu_status status;
    tlu_error *error;
};

// The memory of a thread.
struct row_scorer {
    struct task *task;
    uint32_t offsets[BLOCK_ROWS + 1];
    uint32_t *features;
    float *values;
    size_t features_capacity, values_capacity;
    uint64_t *sorted;
    size_t sorted_capacity;
    uint32_t classes[BLOCK_ROWS];
    double *scores; // [BLOCK_ROWS][score_count], if the caller has no array
    struct score_scratch scratch;
};

static tlu_status fail(struct task *task, size_t row, const tlu_error *why)
{
    pthread_mutex_lock(&task->mutex);
    if (!task->bad || row + 1 < task->bad) {
        task->bad = row + 1;
        task->status = why->status;
        if (task->error)
            *task->error = *why;
    }
    pthread_mutex_unlock(&task->mutex);
    return why->status;
}

// ---- features ----

// The feature of a LIBSVM index, or SCHEMA_NONE.
static uint32_t find_index(const struct schema *schema, uint64_t index)
{
    char digits[LARGE_SCRATCH], *end = digits + sizeof digits;
    if (!schema->slots.bits && index < schema->rank_count)
        return schema->rank[index];
    if (!schema->slots.bits && index < SCHEMA_DIRECT && schema->names.count == 0)
        return SCHEMA_NONE;
    const char *text = large_spell(index, end);
    return schema_find(schema, text, (size_t)(end - text));
}

static uint32_t find_feature(const struct task *task, uint32_t feature)
{
    if (task->map && feature < task->map_count)
        return task->map[feature];
    if (task->rows.feature_names)
        return SCHEMA_NONE; // past the names: an error, which the caller of this has checked
    return find_index(&task->model->state.schema, (uint64_t)feature + task->rows.first_feature);
}

// Uses the schema's map of indices for the columns of an array, if it has all that the model knows.
static bool share_map(struct task *task)
{
    const tlu_rows *rows = &task->rows;
    const struct schema *schema = &task->model->state.schema;
    const uint64_t first = rows->first_feature, end = first + rows->columns;
    if (rows->feature_names || schema->slots.bits || first >= schema->rank_count ||
        (end > schema->rank_count && (schema->names.count || end > SCHEMA_DIRECT)))
        return false;
    task->map = schema->rank + first;
    task->map_count = (size_t)((end < schema->rank_count ? end : schema->rank_count) - first);
    return true;
}

// Maps columns, or names. Of sparse rows by number each entry is looked up.
static tlu_status make_map(struct task *task, tlu_error *error)
{
    const tlu_rows *rows = &task->rows;
    const struct schema *schema = &task->model->state.schema;
    size_t count = rows->feature_names ? rows->feature_count : rows->features ? 0 : rows->columns;
    if (!count || share_map(task))
        return TLU_OK;
    uint32_t *map = task->own_map = memory_resize(NULL, count, sizeof *map);
    TRY(enough_memory(map != NULL, error));
    task->map = map;
    task->map_count = count;
    for (size_t i = 0; i < count; i++) {
        const char *name = rows->feature_names ? rows->feature_names[i] : NULL;
        if (rows->feature_names && (!name || !name[0]))
            return error_input(error, "feature %zu has no name", i);
        map[i] = name ? schema_find(schema, name, strlen(name))
                      : find_index(schema, (uint64_t)i + rows->first_feature);
    }
    return TLU_OK;
}

// ---- a row ----

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static float value_at(const tlu_rows *rows, uint64_t at)
{
    return rows->values ? rows->values[at] : rows->doubles ? (float)rows->doubles[at] : 1;
}

static tlu_status refuse_value(const struct task *task, size_t row, uint32_t feature, uint64_t at,
                               tlu_error *error)
{
    const bool rounded = task->rows.doubles && isfinite(task->rows.doubles[at]);
    const char *what = isnan(value_at(&task->rows, at)) ? "NaN"
                       : rounded                        ? "infinite as a 32-bit float"
                                                        : "infinite";
    if (task->rows.feature_names)
        return error_input(error,
                           "row %zu: the value of feature '%.80s' is %s, not a finite number",
                           row + 1, task->rows.feature_names[feature], what);
    return error_input(error, "row %zu: the value of feature %llu is %s, not a finite number",
                       row + 1, (unsigned long long)feature + task->rows.first_feature, what);
}

// The entries of a row in ascending order of the caller's features, each once: features in the
// upper halves, places in the lower ones.
static tlu_status sort_row(struct row_scorer *part, size_t row, uint64_t start, size_t count,
                           tlu_error *error)
{
    const uint32_t *features = part->task->rows.features + start;
    TRY(enough_memory(
        memory_reserve(&part->sorted, &part->sorted_capacity, count, sizeof *part->sorted), error));
    for (size_t i = 0; i < count; i++)
        part->sorted[i] = (uint64_t)features[i] << 32 | i;
    qsort(part->sorted, count, sizeof *part->sorted, by_number);
    for (size_t i = 1; i < count; i++)
        if (part->sorted[i] >> 32 == part->sorted[i - 1] >> 32)
            return error_input(error, "row %zu: feature %llu occurs twice: give it once", row + 1,
                               (unsigned long long)(part->sorted[i] >> 32));
    return TLU_OK;
}

static tlu_status copy_sparse(struct row_scorer *part, size_t row, uint64_t start, size_t count,
                              size_t *stored, tlu_error *error)
{
    const struct task *task = part->task;
    const tlu_rows *rows = &task->rows;
    const uint32_t *features = rows->features + start;
    bool ascending = true;
    for (size_t i = 1; i < count; i++)
        ascending &= features[i - 1] < features[i];
    if (!ascending)
        TRY(sort_row(part, row, start, count, error));
    for (size_t i = 0; i < count; i++) {
        const size_t place = ascending ? i : (uint32_t)part->sorted[i];
        const float value = value_at(rows, start + place);
        if (rows->feature_names && features[place] >= rows->feature_count)
            return error_input(error, "row %zu: feature %u is past the %zu that have names",
                               row + 1, features[place], rows->feature_count);
        if (!isfinite(value))
            return refuse_value(task, row, features[place], start + place, error);
        const uint32_t feature = find_feature(task, features[place]);
        part->features[*stored] = feature;
        part->values[*stored] = value;
        *stored += value != 0 && feature != SCHEMA_NONE;
    }
    return TLU_OK;
}

// Whether the ZEROS values from here on are 0, and none of them -0.
#define ZEROS 8
static inline bool are_zeros(const float *floats)
{
    uint64_t bits[ZEROS / 2], any = 0;
    memcpy(bits, floats, sizeof bits);
    for (size_t i = 0; i < ZEROS / 2; i++)
        any |= bits[i];
    return any == 0;
}

// Of an array: entry j is `stride` after entry j - 1. Always inline: one loop for each kind.
__attribute__((always_inline)) static inline float
copy_columns(struct row_scorer *part, const float *floats, const double *doubles, size_t stride,
             size_t count, size_t *stored)
{
    const uint32_t *map = part->task->map;
    uint32_t *features = part->features + *stored;
    float *values = part->values + *stored, finite = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (floats && stride == 1 && i % ZEROS == 0 && count - i >= ZEROS &&
            are_zeros(floats + i)) {
            i += ZEROS - 1;
            continue;
        }
        const float value = floats ? floats[i * stride] : doubles ? (float)doubles[i * stride] : 1;
        features[kept] = map[i];
        values[kept] = value;
        finite += value * 0;
        kept += (value != 0) & (map[i] != SCHEMA_NONE);
    }
    *stored += kept;
    return finite;
}

static tlu_status copy_dense(struct row_scorer *part, size_t row, size_t *stored, tlu_error *error)
{
    const struct task *task = part->task;
    const tlu_rows *rows = &task->rows;
    const bool strides = rows->row_stride || rows->column_stride;
    const size_t start = row * (strides ? rows->row_stride : rows->columns);
    const size_t stride = strides ? rows->column_stride : 1;
    const float *floats = rows->values ? rows->values + start : NULL;
    const double *doubles = rows->doubles ? rows->doubles + start : NULL;
    const size_t known = task->map_count < rows->columns ? task->map_count : rows->columns;
    float finite;
    if (floats && stride == 1)
        finite = copy_columns(part, floats, NULL, 1, known, stored);
    else if (doubles && stride == 1)
        finite = copy_columns(part, NULL, doubles, 1, known, stored);
    else
        finite = copy_columns(part, floats, doubles, stride, known, stored);
    for (size_t i = known; i < rows->columns; i++)
        finite += value_at(rows, start + i * stride) * 0;
    for (size_t i = 0; isnan(finite) && i < rows->columns; i++) {
        const uint64_t at = start + i * stride;
        if (!isfinite(value_at(rows, at)))
            return refuse_value(task, row, (uint32_t)i, at, error);
    }
    return TLU_OK;
}

static tlu_status copy_row(struct row_scorer *part, size_t row, size_t *stored, tlu_error *error)
{
    const struct task *task = part->task;
    const tlu_rows *rows = &task->rows;
    uint64_t start = rows->offsets ? rows->offsets[row] : 0;
    uint64_t end = rows->offsets ? rows->offsets[row + 1] : rows->columns;
    if (end < start || end - start > ROW_ENTRIES_MAX)
        return error_input(error, "row %zu goes from entry %llu to %llu", row + 1,
                           (unsigned long long)start, (unsigned long long)end);
    const size_t count = (size_t)(end - start), first = *stored;
    TRY(enough_memory(memory_reserve(&part->features, &part->features_capacity, first + count + 1,
                                     sizeof *part->features) &&
                          memory_reserve(&part->values, &part->values_capacity, first + count + 1,
                                         sizeof *part->values),
                      error));
    if (rows->features) {
        if (!rows->offsets)
            start = (uint64_t)row * rows->columns;
        TRY(copy_sparse(part, row, start, count, stored, error));
    } else {
        TRY(copy_dense(part, row, stored, error));
    }
    if (!task->model->state.schema.slots.bits)
        return TLU_OK;
    struct batch *scratch = batch_new(); // --hash: names may share a slot
    size_t kept = *stored - first;
    bool fine =
        scratch && hash_fold_row(scratch, part->features + first, part->values + first, &kept);
    batch_free(scratch);
    *stored = first + kept;
    return enough_memory(fine, error);
}

// ---- blocks ----

static tlu_status predict_block(struct row_scorer *part, size_t first, size_t count,
                                tlu_error *error)
{
    struct task *task = part->task;
    const tlu_predict_settings *to = &task->settings;
    const size_t wide = tlu_model_score_count(task->model);
    const size_t classes = schema_classes(&task->model->state.schema);
    size_t stored = 0;
    part->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        tlu_status status = copy_row(part, first + i, &stored, error);
        if (status != TLU_OK)
            return fail(task, first + i, error);
        part->offsets[i + 1] = (uint32_t)stored;
    }
    const tlu_batch batch = {count, part->offsets, part->features, part->values, NULL, 0};
    const struct predictions predictions = {to->classes ? to->classes + first : part->classes,
                                            to->scores ? to->scores + first * wide : part->scores,
                                            NULL};
    if (!model_predict_rows(task->model, &batch, 0, count, &predictions, &part->scratch)) {
        error_memory(error);
        return fail(task, first, error);
    }
    if (part->scratch.bad) {
        error_input(error, "row %zu: " GUARD_NO_SCORE, first + part->scratch.bad);
        return fail(task, first + part->scratch.bad - 1, error);
    }
    for (size_t i = 0; to->probabilities && i < count; i++)
        model_probabilities(task->model, predictions.scores + i * wide,
                            to->probabilities + (first + i) * classes);
    return TLU_OK;
}

// Rows of the block from `first` on: at least one, fewer if they are so long that 32 bits would not
// count their entries.
static size_t block_rows(const tlu_rows *rows, size_t first, size_t last)
{
    size_t count = last - first < BLOCK_ROWS ? last - first : BLOCK_ROWS;
    while (count > 1) {
        const uint64_t entries = rows->offsets ? rows->offsets[first + count] - rows->offsets[first]
                                               : (uint64_t)count * rows->columns;
        if (entries < ROW_ENTRIES_MAX)
            break;
        count /= 2;
    }
    return count;
}

static void predict_part(void *context, size_t first, size_t last)
{
    struct task *task = context;
    const size_t wide = tlu_model_score_count(task->model);
    struct row_scorer part = {.task = task};
    tlu_error error;
    tlu_status status = TLU_OK;
    if (task->settings.probabilities && !task->settings.scores) {
        part.scores = memory_new(wide * BLOCK_ROWS, sizeof *part.scores);
        if (!part.scores) {
            error_memory(&error);
            fail(task, first, &error);
            status = TLU_ERROR_SYSTEM;
        }
    }
    while (first < last && status == TLU_OK) {
        const size_t count = block_rows(&task->rows, first, last);
        status = predict_block(&part, first, count, &error);
        first += count;
    }
    memory_free(part.features);
    memory_free(part.values);
    memory_free(part.sorted);
    memory_free(part.scores);
    score_scratch_free(&part.scratch);
}

static tlu_status check_rows(const tlu_rows *rows, tlu_error *error)
{
    if (!rows->offsets && rows->columns > ROW_ENTRIES_MAX)
        return error_input(error, "a row has at most 2^31 entries");
    if (rows->values && rows->doubles)
        return error_input(error, "rows have values or doubles, not both");
    if (rows->offsets && (rows->row_stride || rows->column_stride))
        return error_input(error, "rows with offsets have no strides");
    if (rows->features && (rows->row_stride || rows->column_stride))
        return error_input(error, "rows with features have no strides");
    if (rows->offsets && !rows->features && rows->rows &&
        rows->offsets[rows->rows] > rows->offsets[0])
        return error_input(error, "rows with offsets need features");
    if (!rows->offsets && rows->feature_names && !rows->features &&
        rows->columns > rows->feature_count)
        return error_input(error, "feature %zu is past the %zu that have names",
                           rows->feature_count, rows->feature_count);
    return TLU_OK;
}

// A few rows are predicted before threads have started.
static size_t threads_for(const struct task *task)
{
    const tlu_rows *rows = &task->rows;
    const double entries = rows->offsets && rows->rows ? (double)rows->offsets[rows->rows]
                                                       : (double)rows->rows * (double)rows->columns;
    const bool cheap = model_is_linear(task->model) && !task->model->state.net;
    const double work =
        entries * (double)task->model->state.weights.columns + 16 * (double)rows->rows;
    if (rows->rows < 2 || (cheap && work < 100000))
        return 1;
    return parallel_threads(task->settings.threads);
}

tlu_status tlu_model_predict_rows(const tlu_model *model, const tlu_predict_settings *settings,
                                  tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct task task = {.model = model, .error = error};
    TRY(settings_take(&task.settings, sizeof task.settings, settings, "tlu_predict_settings",
                      error));
    TRY(check_given(task.settings.rows != NULL, "rows", error));
    TRY(settings_take(&task.rows, sizeof task.rows, task.settings.rows, "tlu_rows", error));
    TRY(check_rows(&task.rows, error));
    if (task.settings.probabilities)
        TRY(tlu_model_probabilities(model, NULL, NULL, error));
    tlu_status status = make_map(&task, error);
    if (status == TLU_OK && task.rows.rows) {
        const size_t threads = threads_for(&task);
        pthread_mutex_init(&task.mutex, NULL);
        if (threads == 1)
            predict_part(&task, 0, task.rows.rows);
        else if (!model_prepare_scores(model, task.rows.rows))
            status = error_memory(error);
        else
            parallel_run(threads, task.rows.rows, predict_part, &task);
        pthread_mutex_destroy(&task.mutex);
        if (task.bad)
            status = task.status;
    }
    memory_free(task.own_map);
    return status;
}
