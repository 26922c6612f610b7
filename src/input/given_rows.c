#include "input/given_rows.h"

#include "base/memory.h"
#include "base/settings.h"
#include "data/large.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_ROWS 4096
#define BATCH_ENTRIES 65536 // about
#define ROW_ENTRIES_MAX ((uint64_t)1 << 31)

static bool is_empty(const char *text)
{
    return !text || !text[0];
}

// ---- what the caller has given ----

static tlu_status check_names(const struct given_rows *given, struct table *names, tlu_error *error)
{
    const tlu_rows *rows = &given->rows;
    for (size_t i = 0; i < rows->feature_count; i++) {
        const char *name = rows->feature_names[i];
        if (is_empty(name))
            return error_at(error, given->path, 0, 0, "feature %zu has no name", i);
        uint32_t number = table_add(names, name, strlen(name));
        TRY(enough_memory(number != TABLE_NONE, error));
        if (number != i)
            return error_at(error, given->path, 0, 0, "features %u and %zu have the same name",
                            number, i);
    }
    return TLU_OK;
}

static tlu_status check_rows(const struct given_rows *given, bool names_too, tlu_error *error)
{
    const tlu_rows *rows = &given->rows;
    if (rows->rows && !rows->labels && !given->unlabelled &&
        !(rows->label_offsets && rows->label_offsets[rows->rows] == 0))
        return error_at(error, given->path, 0, 0, "rows to learn from need labels");
    if (rows->rows && !rows->offsets && rows->columns > ROW_ENTRIES_MAX)
        return error_at(error, given->path, 0, 0, "a row has at most 2^31 entries");
    if (rows->values && rows->doubles)
        return error_at(error, given->path, 0, 0, "rows have values or doubles, not both");
    if (rows->offsets && (rows->row_stride || rows->column_stride))
        return error_at(error, given->path, 0, 0, "rows with offsets have no strides");
    struct table names = {0};
    tlu_status status =
        names_too && rows->feature_names ? check_names(given, &names, error) : TLU_OK;
    table_free(&names);
    return status;
}

// The next rows, or none at the end.
static tlu_status take_next(struct given_rows *given, tlu_error *error)
{
    const tlu_rows *next = given->begun ? NULL : given->first;
    if (given->next) {
        tlu_error why = {.status = TLU_OK};
        if (given->next(given->next_context, &next, &why) != 0)
            return error_stopped(error, &why);
    }
    given->begun = true;
    given->ended = next == NULL;
    given->before += given->rows.rows;
    given->done = 0;
    const char *const *checked = given->rows.feature_names;
    size_t checked_count = given->rows.feature_count;
    TRY(settings_take(&given->rows, sizeof given->rows, next, "tlu_rows", error));
    bool same = given->rows.feature_names == checked && given->rows.feature_count == checked_count;
    return check_rows(given, !same, error);
}

// ---- one row ----

static int number_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The row's entries in the order of their features. A bad row is in *bad.
static enum parse_result sort_entries(struct given_rows *given, uint64_t start, size_t count,
                                      struct bad_row *bad)
{
    const uint32_t *features = given->rows.features;
    uint64_t *sorted = given->sorted;
    bool ascending = true;
    for (size_t i = 0; i < count; i++) {
        uint64_t feature = features ? features[start + i] : i;
        sorted[i] = feature << 32 | i;
        ascending &= i == 0 || sorted[i - 1] >> 32 < feature;
        if (given->rows.feature_names && feature >= given->rows.feature_count)
            return bad_row_set(bad, 0, "feature %llu is past the %zu that have names",
                               (unsigned long long)feature, given->rows.feature_count);
        // Names that come again are not checked as a whole.
        if (given->rows.feature_names && is_empty(given->rows.feature_names[feature]))
            return bad_row_set(bad, 0, "feature %llu has no name", (unsigned long long)feature);
    }
    if (ascending)
        return PARSE_OK;
    qsort(sorted, count, sizeof *sorted, number_order);
    for (size_t i = 1; i < count; i++)
        if (sorted[i] >> 32 == sorted[i - 1] >> 32)
            return bad_row_set(bad, 0, "feature %llu occurs twice in this row",
                               (unsigned long long)(sorted[i] >> 32));
    return PARSE_OK;
}

// The feature's number in the schema; SCHEMA_NONE: it is not there.
static uint32_t known_feature(const struct given_rows *given, uint32_t feature)
{
    char digits[24];
    const char *name = digits;
    if (given->rows.feature_names)
        name = given->rows.feature_names[feature];
    else
        snprintf(digits, sizeof digits, "%llu",
                 (unsigned long long)feature + given->rows.first_feature);
    return schema_find(given->frozen, name, strlen(name));
}

// The feature's number in the batch; SCHEMA_NONE: out of memory.
static uint32_t feature_in(struct batch *batch, const tlu_rows *rows, uint32_t feature)
{
    const uint64_t index = (uint64_t)feature + rows->first_feature;
    if (!rows->feature_names && index >= SCHEMA_DIRECT)
        return large_put(batch, index);
    if (!rows->feature_names) {
        index_range_add(&batch->direct, (uint32_t)index);
        return (uint32_t)index;
    }
    const char *name = rows->feature_names[feature];
    uint32_t number = table_add(&batch->names, name, strlen(name));
    return number == TABLE_NONE ? SCHEMA_NONE : number | BATCH_LOCAL;
}

// The values of a row: those from `start` on, `stride` apart. Neither array: every value is 1.
struct given_values {
    const float *floats;
    const double *doubles;
    size_t stride;
};

static struct given_values values_of(struct given_rows *given, size_t row, uint64_t start)
{
    const tlu_rows *rows = &given->rows;
    struct given_values values = {.stride = 1};
    if (!rows->offsets && (rows->row_stride || rows->column_stride)) {
        start = (uint64_t)row * rows->row_stride;
        values.stride = rows->column_stride;
    }
    values.floats = rows->values ? rows->values + start : NULL;
    values.doubles = rows->doubles ? rows->doubles + start : NULL;
    return values;
}

static inline float value_at(const struct given_values *values, size_t i)
{
    if (values->floats)
        return values->floats[i * values->stride];
    return values->doubles ? (float)values->doubles[i * values->stride] : 1;
}

static enum parse_result refuse_value(const tlu_rows *rows, uint32_t feature,
                                      const struct given_values *values, size_t i,
                                      struct bad_row *bad)
{
    const bool rounded = values->doubles && isfinite(values->doubles[i * values->stride]);
    const char *what = isnan(value_at(values, i)) ? "NaN"
                       : rounded                  ? "infinite as a 32-bit float"
                                                  : "infinite";
    if (rows->feature_names)
        return bad_row_set(bad, 0, "the value of feature '%.80s' is %s, not a finite number",
                           rows->feature_names[feature], what);
    return bad_row_set(bad, 0, "the value of feature %llu is %s, not a finite number",
                       (unsigned long long)feature + rows->first_feature, what);
}

// Whether the entries of a row are ascending numbers below SCHEMA_DIRECT: the usual case.
static bool are_direct(const struct given_rows *given, uint64_t start, size_t count)
{
    const uint32_t *features = given->rows.features ? given->rows.features + start : NULL;
    const uint64_t first = given->rows.first_feature;
    bool ascending = true;
    if (given->frozen || given->rows.feature_names || count == 0)
        return false;
    if (!features)
        return count - 1 + first < SCHEMA_DIRECT;
    for (size_t i = 1; i < count; i++)
        ascending &= features[i - 1] < features[i];
    return ascending && features[count - 1] + first < SCHEMA_DIRECT;
}

// The same as add_entries for such a row, without looking at each entry more than once. Always
// inline: the compiler makes one loop for each kind of values.
__attribute__((always_inline)) static inline size_t
copy_direct(const struct given_values *values, const uint32_t *features, uint32_t first,
            size_t count, struct batch *batch, size_t stored, float *sum)
{
    uint32_t *indices = batch->indices;
    float *to = batch->values;
    bool ones = batch->ones;
    float finite = 0; // NaN as soon as a value is not finite
    for (size_t i = 0; i < count; i++) {
        const float value = value_at(values, i);
        indices[stored] = first + (features ? features[i] : (uint32_t)i);
        to[stored] = value;
        finite += value * 0;
        ones &= value == 1 || value == 0;
        stored += value != 0;
    }
    batch->ones = ones;
    *sum = finite;
    return stored;
}

static enum parse_result add_direct(struct given_rows *given, const struct given_values *values,
                                    uint64_t start, size_t count, struct batch *batch,
                                    struct bad_row *bad)
{
    const tlu_rows *rows = &given->rows;
    const uint32_t *features = rows->features ? rows->features + start : NULL;
    const uint32_t first = rows->first_feature;
    const bool had_ones = batch->ones;
    size_t stored = batch_nonzeros(batch);
    float finite;
    if (features && values->floats)
        stored = copy_direct(&(struct given_values){values->floats, NULL, 1}, features, first,
                             count, batch, stored, &finite);
    else if (!features && values->floats && values->stride == 1)
        stored = copy_direct(&(struct given_values){values->floats, NULL, 1}, NULL, first, count,
                             batch, stored, &finite);
    else if (!features && values->doubles && values->stride == 1)
        stored = copy_direct(&(struct given_values){NULL, values->doubles, 1}, NULL, first, count,
                             batch, stored, &finite);
    else
        stored = copy_direct(values, features, first, count, batch, stored, &finite);
    for (size_t i = 0; isnan(finite) && i < count; i++)
        if (!isfinite(value_at(values, i))) {
            batch->ones = had_ones;
            return refuse_value(rows, features ? features[i] : (uint32_t)i, values, i, bad);
        }
    const size_t before = batch_nonzeros(batch);
    if (features) {
        index_range_add(&batch->direct, first + features[0]);
        index_range_add(&batch->direct, first + features[count - 1]);
    } else if (stored > before) {
        index_range_add(&batch->direct, batch->indices[before]);
        index_range_add(&batch->direct, batch->indices[stored - 1]);
    }
    row_close(batch, stored, batch->place.lines);
    return PARSE_OK;
}

// As in LIBSVM data, a feature whose value is 0 is known by then, and no entry; but zeros of an
// array without features and names are as if they were left out.
static enum parse_result add_entries(struct given_rows *given, const struct given_values *values,
                                     size_t count, struct batch *batch, struct bad_row *bad)
{
    const tlu_rows *rows = &given->rows;
    bool known = given->frozen && !given->frozen->slots.bits; // slots are found by the reader
    size_t stored = batch_nonzeros(batch);
    for (size_t i = 0; i < count; i++) {
        uint32_t feature = (uint32_t)(given->sorted[i] >> 32);
        float value = value_at(values, (uint32_t)given->sorted[i]);
        if (value == 0 && !rows->features && !rows->feature_names)
            continue;
        uint32_t number = known ? known_feature(given, feature) : feature_in(batch, rows, feature);
        if (number == SCHEMA_NONE && !known)
            return PARSE_MEMORY;
        if (!isfinite(value))
            return refuse_value(rows, feature, values, (uint32_t)given->sorted[i], bad);
        if (value == 0 || number == SCHEMA_NONE)
            continue;
        batch->indices[stored] = number;
        batch->values[stored++] = value;
        batch->ones &= value == 1;
    }
    row_close(batch, stored, batch->place.lines);
    return PARSE_OK;
}

// The name of a label; `digits` has 24 bytes.
static enum parse_result name_label(const struct given_rows *given, uint32_t label, char *digits,
                                    const char **name, struct bad_row *bad)
{
    const tlu_rows *rows = &given->rows;
    *name = digits;
    if (!rows->label_names)
        snprintf(digits, 24, "%u", label);
    else if (label >= rows->label_count)
        return bad_row_set(bad, 0, "label %u is past the %zu that have names", label,
                           rows->label_count);
    else
        *name = rows->label_names[label];
    return is_empty(*name) ? bad_row_set(bad, 0, "label %u has no name", label) : PARSE_OK;
}

static enum parse_result add_label(struct given_rows *given, const struct parser *parser,
                                   uint32_t label, struct batch *batch, struct bad_row *bad)
{
    char digits[24];
    const char *name;
    const bool known = label < GIVEN_LABELS && !given->frozen && !given->multilabel;
    if (known && given->class_of[label]) {
        batch->labels[batch->rows] = given->class_of[label] - 1;
        return PARSE_OK;
    }
    TRY_PARSE(name_label(given, label, digits, &name, bad));
    if (!given->multilabel) {
        enum parse_result result = row_label(parser, batch, name, strlen(name));
        if (known && result == PARSE_OK)
            given->class_of[label] = batch->labels[batch->rows] + 1;
        return result;
    }
    enum parse_result result = row_set_add(parser, batch, name, strlen(name));
    return result == PARSE_BAD ? bad_row_repeats(bad, 0, name, strlen(name)) : result;
}

static enum parse_result add_labels(struct given_rows *given, size_t row, struct batch *batch,
                                    struct bad_row *bad)
{
    static const struct schema growing; // its numbers are found later
    const struct parser parser = {.schema = given->frozen ? given->frozen : &growing};
    const uint64_t *offsets = given->rows.label_offsets;
    if (given->unlabelled && !given->rows.labels)
        return row_label(&parser, batch, NULL, 0);
    uint64_t start = offsets ? offsets[row] : row, end = offsets ? offsets[row + 1] : start + 1;
    if (end < start || end - start > ROW_ENTRIES_MAX)
        return bad_row_set(bad, 0, "the labels of the row go from %llu to %llu",
                           (unsigned long long)start, (unsigned long long)end);
    if (end - start != 1 && !given->multilabel)
        return bad_row_set(bad, 0,
                           "the row has %llu labels; set the option multilabel for other numbers "
                           "of labels than one",
                           (unsigned long long)(end - start));
    if (given->multilabel)
        TRY_PARSE(row_set_begin(batch));
    for (uint64_t i = start; i < end; i++)
        TRY_PARSE(add_label(given, &parser, given->rows.labels[i], batch, bad));
    if (given->multilabel)
        row_set_end(&parser, batch);
    return PARSE_OK;
}

static enum parse_result add_row(struct given_rows *given, size_t row, struct batch *batch,
                                 struct bad_row *bad)
{
    const tlu_rows *rows = &given->rows;
    uint64_t start = rows->offsets ? rows->offsets[row] : (uint64_t)row * rows->columns;
    uint64_t end = rows->offsets ? rows->offsets[row + 1] : start + rows->columns;
    float weight = rows->weights ? rows->weights[row] : 1;
    if (end < start || end - start > ROW_ENTRIES_MAX)
        return bad_row_set(bad, 0, "the row goes from entry %llu to %llu",
                           (unsigned long long)start, (unsigned long long)end);
    size_t count = (size_t)(end - start);
    if (!batch_reserve(batch, 1, count))
        return PARSE_MEMORY;
    if (!(weight >= 0) || !isfinite(weight))
        return bad_row_set(bad, 0, "the weight of the row is not a number of 0 or more");
    enum parse_result result = add_labels(given, row, batch, bad);
    if (result == PARSE_OK && !row_weight(batch, weight))
        result = PARSE_MEMORY;
    if (result != PARSE_OK)
        return result;
    const struct given_values values = values_of(given, row, start);
    if (are_direct(given, start, count))
        return add_direct(given, &values, start, count, batch, bad);
    if (!memory_reserve(&given->sorted, &given->sorted_capacity, count + 1, sizeof *given->sorted))
        return PARSE_MEMORY;
    result = sort_entries(given, start, count, bad);
    return result == PARSE_OK ? add_entries(given, &values, count, batch, bad) : result;
}

// ---- a batch ----

tlu_status given_rows_next(void *context, struct batch *batch, tlu_error *error)
{
    struct given_rows *given = context;
    struct bad_row bad;
    memset(given->class_of, 0, sizeof given->class_of); // the batch is another one
    // Rows left out count too: between two batches it can be interrupted.
    while (batch->place.lines < BATCH_ROWS && batch_nonzeros(batch) < BATCH_ENTRIES) {
        if (given->done == given->rows.rows && given->ended)
            return TLU_OK;
        if (given->done == given->rows.rows) {
            TRY(take_next(given, error));
            memset(given->class_of, 0, sizeof given->class_of); // labels have other names
            continue;
        }
        struct row_mark mark = row_mark(batch);
        batch->place.lines++;
        enum parse_result result = add_row(given, given->done++, batch, &bad);
        if (result == PARSE_MEMORY)
            return error_memory(error);
        if (result == PARSE_BAD && !given->skip_bad)
            return error_at(error, given->path, given->before + given->done, 0, "%s", bad.reason);
        if (result == PARSE_BAD) {
            row_undo(batch, &mark);
            memset(given->class_of, 0, sizeof given->class_of); // its label may be gone
            batch->counts.skipped_rows++;
        }
    }
    return TLU_OK;
}

void given_rows_again(void *context, const struct schema *schema)
{
    struct given_rows *given = context;
    given->frozen = schema->frozen ? schema : NULL;
    given->begun = given->ended = false;
    given->rows = (tlu_rows){0};
    given->done = 0;
    given->before = 0;
}

void given_rows_free(struct given_rows *given)
{
    memory_free(given->sorted);
}
