// Maps rows of a batch to rows of the learner.
#include "base/memory.h"
#include "data/hash.h"
#include "data/impute.h"
#include "data/large.h"
#include "learn/learner.h"
#include "learn/online_scale.h"
#include "stream/internal.h"

#include <assert.h>
#include <string.h>

bool resolver_begin(struct resolver *r, const struct batch *batch)
{
    size_t longest = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        size_t length = batch->offsets[i + 1] - batch->offsets[i];
        longest = length > longest ? length : longest;
    }
    if (!memory_reserve(&r->names, &r->names_capacity, (size_t)batch_names(batch) + 1,
                        sizeof *r->names) ||
        !memory_reserve(&r->marks, &r->marks_capacity, (size_t)batch_names(batch) + 1,
                        sizeof *r->marks) ||
        !memory_reserve(&r->classes, &r->classes_capacity, (size_t)batch->classes.count + 1,
                        sizeof *r->classes) ||
        // A missing number may become two entries.
        !memory_reserve(&r->features, &r->features_capacity, 2 * longest + 1,
                        sizeof *r->features) ||
        !memory_reserve(&r->values, &r->values_capacity, 2 * longest + 1, sizeof *r->values) ||
        !memory_reserve(&r->missing, &r->missing_capacity, longest + 1, sizeof *r->missing))
        return false;
    memset(r->marks, 0xFF, batch_names(batch) * sizeof *r->marks);
    resolver_forget_names(r, batch);
    memset(r->classes, 0xFF, batch->classes.count * sizeof *r->classes);
    return true;
}

void resolver_forget_names(struct resolver *resolver, const struct batch *batch)
{
    memset(resolver->names, 0xFF, batch_names(batch) * sizeof *resolver->names);
}

// The most frequent value of a category in place of a missing one.
static uint32_t number_of_category(const struct column *column, struct schema *schema,
                                   bool labelled)
{
    size_t length = strlen(column->name), value = strlen(column->fill.text);
    char *name = memory_new(length + value + 2, 1);
    if (!name)
        return SCHEMA_NONE;
    memcpy(name, column->name, length);
    name[length] = '=';
    memcpy(name + length + 1, column->fill.text, value);
    uint32_t number = labelled ? schema_add(schema, name, length + 1 + value)
                               : schema_find(schema, name, length + 1 + value);
    memory_free(name);
    return number;
}

// The number of a feature that the batch has by name, or SCHEMA_NONE.
static uint32_t number_of_name(struct resolver *resolver, const struct batch *batch, uint32_t local,
                               struct schema *schema, bool labelled)
{
    uint32_t *known = &resolver->names[local];
    if (*known != SCHEMA_NONE)
        return *known;
    char digits[LARGE_SCRATCH];
    size_t length;
    const char *name = batch_name_at(batch, local, digits, &length);
    if (resolver->marks[local] == UINT32_MAX)
        resolver->marks[local] = schema_marked_column(schema, name, length) + 1; // 0: none
    uint32_t column = resolver->marks[local];
    bool replaced = column && schema->columns[column - 1].fill.text;
    uint32_t number = replaced ? number_of_category(&schema->columns[column - 1], schema, labelled)
                      : labelled ? schema_add(schema, name, length)
                                 : schema_find(schema, name, length);
    if (labelled || !schema->slots.bits) // each name has a slot, also one that is yet to be added
        *known = number;
    return number;
}

static tlu_status renumber(struct resolver *resolver, struct batch *batch,
                           struct tlu_learner *learner, bool labelled, tlu_row *row,
                           tlu_error *error)
{
    struct schema *schema = &learner->state.schema;
    int missing = options_choice(learner->state.options, OPTION_MISSING);
    bool fills = impute_fits(missing) && !schema->slots.bits;
    size_t count = 0;
    for (size_t k = 0; k < row->count; k++) {
        uint32_t number = row->features[k], local = number & ~BATCH_LOCAL;
        const struct column *filled = NULL; // the numeric column whose value is missing
        if (number & BATCH_LOCAL) {
            number = number_of_name(resolver, batch, local, schema, labelled);
            if (number == SCHEMA_NONE && labelled)
                return error_memory(error);
            if (fills && resolver->marks[local])
                filled = &schema->columns[resolver->marks[local] - 1];
        } else if (schema->slots.bits && schema_is_indexed(schema)) {
            number = labelled ? hash_index_add(schema, number) : hash_index_find(schema, number);
        }
        if (filled && filled->kind == COLUMN_NUMERIC) {
            resolver->missing[resolver->missing_count++] = resolver->marks[local] - 1;
            if ((float)filled->fill.value != 0) {
                resolver->features[count] = filled->feature;
                resolver->values[count++] = (float)filled->fill.value;
            }
            if (missing != MISSING_AUTO)
                continue;
        }
        if (number == SCHEMA_NONE || (!labelled && number >= learner->state.weights.features))
            continue;
        resolver->features[count] = number;
        resolver->values[count++] = row->values ? row->values[k] : 1;
    }
    if (schema->slots.bits)
        TRY(enough_memory(hash_fold_row(batch, resolver->features, resolver->values, &count),
                          error));
    *row = (tlu_row){count, resolver->features, resolver->values};
    return TLU_OK;
}

void resolver_count(const struct resolver *resolver, const tlu_row *row,
                    struct tlu_learner *learner)
{
    struct schema *schema = &learner->state.schema;
    int missing = options_choice(learner->state.options, OPTION_MISSING);
    if ((missing != MISSING_AUTO && missing != MISSING_MEAN) || schema->slots.bits)
        return;
    for (size_t c = 0; c < schema->column_count; c++) {
        struct column *column = &schema->columns[c];
        bool is_missing = false;
        for (size_t i = 0; i < resolver->missing_count; i++)
            is_missing |= resolver->missing[i] == c;
        if (column->kind != COLUMN_NUMERIC || is_missing)
            continue;
        column->fill.count++;
        for (size_t k = 0; k < row->count; k++)
            if (row_feature(row, k) == column->feature)
                column->fill.sum += row_value(row, k);
        fill_set_mean(&column->fill);
    }
}

// LIBSVM indices are also the learner's numbers.
tlu_status resolver_row(struct resolver *resolver, struct batch *batch, size_t i,
                        struct tlu_learner *learner, bool labelled, tlu_row *row, tlu_error *error)
{
    struct schema *schema = &learner->state.schema;
    uint32_t lowest = UINT32_MAX, highest = 0;
    assert(i < batch->rows);
    resolver->missing_count = 0;
    *row = batch_row(batch, i);
    for (size_t k = 0; k < row->count; k++) {
        uint32_t number = row->features[k];
        lowest = number < lowest ? number : lowest;
        highest = number > highest && !(number & BATCH_LOCAL) ? number : highest;
    }
    bool indices = schema_is_indexed(schema) && !schema->slots.bits;
    if (labelled && indices && lowest < BATCH_LOCAL) {
        schema->direct.lowest = lowest < schema->direct.lowest ? lowest : schema->direct.lowest;
        schema->direct.highest =
            highest > schema->direct.highest ? highest : schema->direct.highest;
    }
    if (!indices || batch_names(batch) || (!labelled && highest >= learner->state.weights.features))
        TRY(renumber(resolver, batch, learner, labelled, row, error));
    if (!labelled)
        return TLU_OK;
    TRY(enough_memory(learner_reserve(learner), error));
    return learner->state.online.open ? learner_choose_scale(learner, row, error) : TLU_OK;
}

tlu_status resolver_scale(struct resolver *resolver, struct tlu_learner *learner, bool labelled,
                          tlu_row *row, tlu_error *error)
{
    if (!learner->state.online.on)
        return TLU_OK;
    TRY(enough_memory(online_scale_reserve(learner, row->count), error));
    if (labelled && !online_scale_is_late(&learner->state.online)) // it changes no prediction
        online_scale_update(learner, row);
    resolver->unscaled = *row;
    online_scale_row(learner, row, learner->state.online.scratch);
    return TLU_OK;
}

uint32_t resolver_class(struct resolver *resolver, const struct batch *batch, uint32_t label,
                        struct schema *schema, bool *is_new)
{
    assert(label < batch->classes.count);
    uint32_t *known = &resolver->classes[label], classes = schema_classes(schema);
    *is_new = false;
    if (*known == SCHEMA_NONE) {
        *known = schema_class_add(schema, table_text(&batch->classes, label),
                                  table_length(&batch->classes, label));
        *is_new = *known >= classes;
    }
    return *known;
}

const uint32_t *resolver_set(struct resolver *resolver, const struct batch *batch,
                             const uint32_t *set, struct schema *schema, bool *is_new)
{
    *is_new = false;
    if (!memory_reserve(&resolver->set, &resolver->set_capacity, (size_t)set[0] + 1,
                        sizeof *resolver->set))
        return NULL;
    resolver->set[0] = set[0];
    for (uint32_t k = 1; k <= set[0]; k++) {
        bool new_label;
        resolver->set[k] = resolver_class(resolver, batch, set[k], schema, &new_label);
        if (resolver->set[k] == SCHEMA_NONE)
            return NULL;
        *is_new |= new_label;
    }
    batch_sort_set(resolver->set);
    return resolver->set;
}

void resolver_free(struct resolver *resolver)
{
    memory_free(resolver->set);
    memory_free(resolver->names);
    memory_free(resolver->marks);
    memory_free(resolver->missing);
    memory_free(resolver->classes);
    memory_free(resolver->features);
    memory_free(resolver->values);
}
