// The classes and features of a model: classes in the order of their labels, features without the
// gaps of the growing schema.
#include "base/memory.h"
#include "data/impute.h"
#include "input/text/words.h"
#include "learn/online_scale.h"
#include "model/make/internal.h"

#include <string.h>

bool make_classes(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping)
{
    const struct learner_state *from = &learned->learner->state;
    model->state.scheme.classes = from->scheme.classes;
    for (uint32_t i = 0; i < from->scheme.classes; i++) {
        const char *label = from->schema.spelled[mapping->numbering.classes[i]];
        if (schema_class_add(&model->state.schema, label, strlen(label)) != i)
            return false;
    }
    return true;
}

// Marks the features of kept rows and of columns, which are needed even if their weights are 0.
// copy_numbered replaces the mark.
static void mark_features(struct mapping *mapping, const struct learned *learned)
{
    const struct schema *from = &learned->learner->state.schema;
    struct row_finder finder = {0};
    for (size_t k = 0; make_needs_rows(learned) && k < mapping->row_count; k++) {
        tlu_row row = row_find(&finder, learned, mapping->rows[k]);
        for (size_t n = 0; n < row.count; n++)
            mapping->feature_of[row_feature(&row, n)] = 1;
    }
    for (size_t i = 0; from->slots.bits && i < from->column_count; i++)
        if (from->columns[i].kind == COLUMN_NUMERIC)
            mapping->feature_of[from->columns[i].feature] = 1;
}

// LIBSVM indices and slots below `direct`: those with a weight or a mark.
static void copy_numbered(struct schema *to, size_t direct, const struct learned *learned,
                          struct mapping *mapping)
{
    const struct tlu_learner *learner = learned->learner;
    const struct schema *from = &learner->state.schema;
    for (size_t f = schema_next(from, 0); f < direct; f = schema_next(from, f + 1)) {
        bool weight = !learner->state.kernel.kind && learned_uses(learned, f);
        weight |= online_scale_size(&learner->state.online, f) > 0;
        if (weight || mapping->feature_of[f]) {
            mapping->feature_of[f] = to->numbered;
            mapping->features[mapping->feature_count++] = (uint32_t)f;
            to->ids[to->numbered++] = (uint32_t)f;
        }
    }
}

// Marks the names that no row has after preparation: words that are too rare, and markers of
// missing numbers that were replaced. NULL: there are none, or out of memory (*fine is false).
static bool *find_unused(const struct learned *learned, bool *fine)
{
    const struct learner_state *state = &learned->learner->state;
    const struct schema *from = &state->schema;
    int missing = options_choice(state->options, OPTION_MISSING);
    uint64_t min_count = options_count(state->options, OPTION_MIN_COUNT);
    bool rare = state->words.counts && min_count > 1;
    bool markers = impute_fits(missing) && missing != MISSING_AUTO && from->column_count > 0;
    *fine = true;
    if (!learned->scaling || from->slots.bits || from->large.count || state->net ||
        !(rare || markers))
        return NULL; // a net has weights for every feature
    bool *unused = memory_new(from->names.count, sizeof *unused);
    *fine = unused != NULL;
    for (uint32_t i = 0; unused && rare && i < from->names.count; i++) {
        uint32_t count = word_count(&state->words, from->base + i);
        unused[i] = count && count < min_count;
    }
    for (size_t c = 0; unused && markers && c < from->column_count; c++) {
        uint32_t marker = SCHEMA_NONE;
        if (from->columns[c].kind == COLUMN_NUMERIC &&
            !schema_find_value(from, &from->columns[c], MISSING_VALUE, &marker))
            *fine = false;
        if (marker != SCHEMA_NONE)
            unused[marker - from->base] = true;
    }
    return unused;
}

// Copies names, also those without a weight, so that predictions can tell known values from new
// ones.
static bool copy_names(struct schema *to, const struct schema *from, const bool *unused,
                       struct mapping *mapping)
{
    if (!indices_copy(&to->large, &from->large))
        return false;
    if (!from->names.shared && !unused)
        table_lend(&from->names, &to->names);
    for (uint32_t i = to->names.count; i < from->names.count; i++)
        if (!(unused && unused[i]) && table_add(&to->names, table_text(&from->names, i),
                                                table_length(&from->names, i)) == TABLE_NONE)
            return false;
    for (uint32_t i = 0; i < schema_names(from); i++) {
        bool kept = !(unused && unused[i]);
        mapping->feature_of[from->base + i] = kept ? (uint32_t)mapping->feature_count : SCHEMA_NONE;
        if (kept)
            mapping->features[mapping->feature_count++] = from->base + i;
    }
    return true;
}

bool make_features(struct tlu_model *model, const struct learned *learned, struct mapping *mapping)
{
    const struct schema *from = &learned->learner->state.schema;
    struct schema *to = &model->state.schema;
    size_t direct = from->direct.lowest <= from->direct.highest && from->base
                        ? (size_t)from->direct.highest + 1
                        : 0;
    if (from->slots.bits)
        direct = schema_features(from);
    to->slots.bits = from->slots.bits;
    size_t most = direct + schema_names(from);
    mapping->features = memory_new_filled(most, sizeof *mapping->features, 0);
    mapping->feature_of =
        memory_new_filled((size_t)from->base + most, sizeof *mapping->feature_of, direct);
    to->ids = memory_new(direct, sizeof *to->ids);
    if (!mapping->features || !mapping->feature_of || !to->ids)
        return false;
    mark_features(mapping, learned);
    copy_numbered(to, direct, learned, mapping);
    bool fine, *unused = find_unused(learned, &fine);
    fine = fine && copy_names(to, from, unused, mapping) && schema_rank(to);
    memory_free(unused);
    return fine;
}

bool make_columns(struct schema *to, const struct schema *from, const uint32_t *numbers)
{
    to->format = from->format;
    if (!words_copy_rule(to, from))
        return false;
    to->multilabel = from->multilabel;
    memcpy(to->separator, from->separator, sizeof to->separator);
    to->header = from->header;
    to->delimiter = from->delimiter;
    to->decimal_comma = from->decimal_comma;
    to->label_reason = from->label_reason;
    to->columns = memory_new(from->column_count, sizeof *to->columns);
    for (size_t i = 0; to->columns && i < from->column_count; i++) {
        if (!column_copy(&to->columns[i], &from->columns[i]))
            return false;
        if (from->slots.bits && from->columns[i].kind == COLUMN_NUMERIC)
            to->columns[i].feature = numbers[from->columns[i].feature];
        to->column_count++;
    }
    return to->columns != NULL;
}
