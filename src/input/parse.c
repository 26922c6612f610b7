#include "input/parse.h"

#include "base/memory.h"
#include "input/ids.h"
#include "numeric/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum parse_result bad_row_set(struct bad_row *bad, uint64_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bad->column = column;
    bad->remedy = NULL;
    vsnprintf(bad->reason, sizeof bad->reason, format, arguments);
    va_end(arguments);
    return PARSE_BAD;
}

void bad_row_if_first(struct bad_row *bad, const char *remedy)
{
    bad->remedy = remedy;
}

const char *byte_order_mark(const char *bytes, size_t size)
{
    const char *at = bytes, *limit = bytes + size;
    while (limit - at >= 3 && (at = memchr(at, '\xEF', (size_t)(limit - at - 2))) != NULL) {
        if (at[1] == '\xBB' && at[2] == '\xBF')
            return at;
        at++;
    }
    return NULL;
}

enum parse_result bad_row_marked(struct bad_row *bad, size_t column)
{
    return bad_row_set(bad, column,
                       "a byte order mark (U+FEFF) inside the data: it belongs at the start of a "
                       "file; remove it, or give the files one by one");
}

const char *value_problem(enum number_result result, double number, float *value)
{
    if (result == NUMBER_SPECIAL)
        return "is not a finite number";
    *value = (float)number;
    if (result == NUMBER_LARGE || isinf(*value))
        return "is too large: values go up to 3.4e38";
    return NULL;
}

// The digits of a long number go to the batch's texts.
static bool keep_digits(struct batch_exact *exact, const char *text, const char *end,
                        struct decimal *decimal)
{
    size_t most = (size_t)(end - text) + 2;
    if (!memory_reserve(&exact->texts, &exact->texts_capacity, exact->size + most, 1))
        return false;
    decimal_digits(text, end, exact->texts + exact->size);
    decimal->two = DECIMAL_LONG;
    decimal->digits = (int64_t)exact->size;
    exact->size += strlen(exact->texts + exact->size) + 1;
    return true;
}

enum parse_result row_exact(const struct parser *parser, struct batch *batch, size_t entry,
                            const char *text, const char *end, float *value)
{
    struct batch_exact *exact = &batch->scratch.exact;
    if (!parser->exact)
        return PARSE_OK;
    if (!memory_reserve(&exact->values, &exact->capacity, entry + 1, sizeof *exact->values))
        return PARSE_MEMORY;
    struct decimal *decimal = &exact->values[entry];
    *decimal = (struct decimal){1, 0, 0};
    enum decimal_result result = text ? decimal_parse(text, end, decimal) : DECIMAL_OK;
    if (result == DECIMAL_TOO_SMALL)
        return PARSE_BAD;
    if (result == DECIMAL_TOO_LONG && !keep_digits(exact, text, end, decimal))
        return PARSE_MEMORY;
    if (text && *value == 0 && (result == DECIMAL_TOO_LONG || decimal->digits != 0))
        *value = FLT_TRUE_MIN;
    return PARSE_OK;
}

// ---- labels ----

// The number of a label: that of the model, or TLU_UNKNOWN_LABEL; else that of the batch. False:
// out of memory.
static bool find_label(const struct parser *parser, struct batch *batch, const char *label,
                       size_t length, uint32_t *number)
{
    if (!parser->schema->frozen) {
        *number = table_add(&batch->classes, label, length);
        return *number != TABLE_NONE;
    }
    *number = schema_class_find(parser->schema, label, length);
    if (*number == SCHEMA_NONE) {
        *number = TLU_UNKNOWN_LABEL;
        if (!batch->counts.unknown_label[0])
            error_quote(batch->counts.unknown_label, sizeof batch->counts.unknown_label, label,
                        length);
    }
    return true;
}

// A set of one. No label of it is there before.
static enum parse_result label_alone(const struct parser *parser, struct batch *batch,
                                     const char *label, size_t length)
{
    TRY_PARSE(row_set_begin(batch));
    TRY_PARSE(row_set_add(parser, batch, label, length));
    row_set_end(parser, batch);
    return PARSE_OK;
}

enum parse_result row_label(const struct parser *parser, struct batch *batch, const char *label,
                            size_t length)
{
    uint32_t *class_of_row = &batch->labels[batch->rows];
    if (!label) {
        *class_of_row = TLU_NO_LABEL;
        return PARSE_OK;
    }
    if (parser->schema->multilabel)
        return label_alone(parser, batch, label, length);
    if (!find_label(parser, batch, label, length, class_of_row))
        return PARSE_MEMORY;
    batch->counts.unknown_labels += *class_of_row == TLU_UNKNOWN_LABEL;
    return PARSE_OK;
}

enum parse_result row_set_begin(struct batch *batch)
{
    if (batch->set_cells >= TLU_UNKNOWN_LABEL ||
        !memory_reserve(&batch->sets, &batch->memory.sets_capacity, batch->set_cells + 1,
                        sizeof *batch->sets))
        return PARSE_MEMORY;
    batch->labels[batch->rows] = (uint32_t)batch->set_cells;
    batch->sets[batch->set_cells++] = 0;
    batch->scratch.set_number++;
    return PARSE_OK;
}

// Whether the last set has the label; it has from now on.
static enum parse_result meet_label(struct batch_scratch *scratch, const char *label, size_t length)
{
    const char *compared = schema_compared_form(label, &length);
    uint32_t number = table_add(&scratch->compared, compared, length);
    size_t before = scratch->set_of_capacity;
    if (number == TABLE_NONE || !memory_reserve(&scratch->set_of, &scratch->set_of_capacity,
                                                (size_t)number + 1, sizeof *scratch->set_of))
        return PARSE_MEMORY;
    memset(scratch->set_of + before, 0,
           (scratch->set_of_capacity - before) * sizeof *scratch->set_of);
    if (scratch->set_of[number] == scratch->set_number)
        return PARSE_BAD;
    scratch->set_of[number] = scratch->set_number;
    return PARSE_OK;
}

bool row_set_put(struct batch *batch, uint32_t number)
{
    if (batch->set_cells >= TLU_UNKNOWN_LABEL ||
        !memory_reserve(&batch->sets, &batch->memory.sets_capacity, batch->set_cells + 1,
                        sizeof *batch->sets))
        return false;
    batch->sets[batch->set_cells++] = number;
    batch->sets[batch->labels[batch->rows]]++;
    return true;
}

enum parse_result row_set_add(const struct parser *parser, struct batch *batch, const char *label,
                              size_t length)
{
    uint32_t number;
    TRY_PARSE(meet_label(&batch->scratch, label, length));
    bool enough = find_label(parser, batch, label, length, &number) && row_set_put(batch, number);
    return enough ? PARSE_OK : PARSE_MEMORY;
}

void row_set_end(const struct parser *parser, struct batch *batch)
{
    uint32_t *set = batch->sets + batch->labels[batch->rows];
    if (!parser->schema->frozen)
        return;
    batch_sort_set(set);
    batch->counts.unknown_labels += set[0] && set[set[0]] == TLU_UNKNOWN_LABEL;
}

static void trim(const char **text, const char **end)
{
    while (*text < *end && (**text == ' ' || **text == '\t'))
        ++*text;
    while (*text < *end && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
        --*end;
}

// Where the next separator begins, or the limit.
static const char *item_end(const char *text, const char *limit, const char *separator)
{
    size_t length = strlen(separator);
    const char *found = memmem(text, (size_t)(limit - text), separator, length);
    return found ? found : limit;
}

static enum parse_result add_list(const struct parser *parser, struct batch *batch,
                                  const char *text, size_t length, const char *separator,
                                  struct bad_row *bad, size_t column)
{
    const char *limit = text + length, *start = text, *end = limit;
    bool blanks = separator[strspn(separator, " \t")] == '\0';
    TRY_PARSE(row_set_begin(batch));
    trim(&start, &end);
    for (const char *at = start, *next; start < end; at = next + strlen(separator)) {
        next = item_end(at, end, separator);
        const char *item = at, *stop = next;
        trim(&item, &stop);
        if (item == stop && !blanks)
            return bad_row_set(bad, column + (size_t)(item - text),
                               "a label is empty; write it, or remove its separator");
        enum parse_result result =
            item == stop ? PARSE_OK : row_set_add(parser, batch, item, (size_t)(stop - item));
        if (result == PARSE_BAD)
            bad_row_repeats(bad, column + (size_t)(item - text), item, (size_t)(stop - item));
        TRY_PARSE(result);
        if (next == end)
            break;
    }
    row_set_end(parser, batch);
    return PARSE_OK;
}

enum parse_result row_label_list(const struct parser *parser, struct batch *batch, const char *text,
                                 size_t length, const char *separator, struct bad_row *bad,
                                 size_t column)
{
    uint32_t classes = batch->classes.count;
    size_t cells = batch->set_cells;
    enum parse_result result = add_list(parser, batch, text, length, separator, bad, column);
    if (result == PARSE_BAD) {
        table_cut(&batch->classes, classes);
        batch->set_cells = cells;
    }
    return result;
}

enum parse_result bad_row_repeats(struct bad_row *bad, size_t column, const char *label,
                                  size_t length)
{
    char quoted[64];
    return bad_row_set(bad, column, "the label '%s' occurs twice in this row; write it once",
                       error_quote(quoted, sizeof quoted, label, length));
}

enum parse_result bad_row_several(const struct parser *parser, struct bad_row *bad, size_t column)
{
    return bad_row_set(bad, column, "the row has several labels%s",
                       parser->schema->frozen
                           ? ", and the model gives one; train it with --multilabel"
                           : "; give --multilabel to learn all of them");
}

bool is_number_list(const char *text, size_t length)
{
    double value;
    const char *limit = text + length, *comma;
    bool several = false;
    for (; (comma = memchr(text, ',', (size_t)(limit - text))) != NULL; text = comma + 1) {
        several = true;
        if (!number_whole(text, (size_t)(comma - text), &value))
            return false;
    }
    return several && number_whole(text, (size_t)(limit - text), &value);
}

// ---- rows ----

void row_close(struct batch *batch, size_t nonzeros, uint64_t line)
{
    assert(nonzeros >= batch_nonzeros(batch) && nonzeros < UINT32_MAX);
    batch->line[batch->rows] = (uint32_t)line;
    batch->rows++;
    batch->offsets[batch->rows] = (uint32_t)nonzeros;
}

bool row_weight(struct batch *batch, float weight)
{
    if (weight == 1 && !batch->weighted)
        return true;
    if (!memory_reserve(&batch->weights, &batch->memory.weights_capacity, batch->rows + 1,
                        sizeof *batch->weights))
        return false;
    for (size_t i = 0; !batch->weighted && i < batch->rows; i++)
        batch->weights[i] = 1;
    batch->weighted = true;
    batch->weights[batch->rows] = weight;
    return true;
}

struct row_mark row_mark(const struct batch *batch)
{
    return (struct row_mark){batch->names.count,
                             batch->large.count,
                             batch->classes.count,
                             batch->set_cells,
                             batch->counts.unknown_values,
                             batch->counts.unknown_labels,
                             batch->counts.qid_fields,
                             batch->direct.lowest,
                             batch->direct.highest,
                             batch->ones,
                             batch->weighted};
}

void row_undo(struct batch *batch, const struct row_mark *mark)
{
    assert(mark->names <= batch->names.count && mark->classes <= batch->classes.count);
    table_cut(&batch->names, mark->names);
    batch->large.count = mark->large;
    table_cut(&batch->classes, mark->classes);
    batch->set_cells = mark->set_cells;
    batch->counts.unknown_values = mark->unseen;
    batch->counts.unknown_labels = mark->unknown_labels;
    if (!mark->unknown_labels)
        batch->counts.unknown_label[0] = '\0';
    batch->counts.qid_fields = mark->queries;
    batch->direct.lowest = mark->lowest;
    batch->direct.highest = mark->highest;
    batch->ones = mark->ones;
    batch->weighted = mark->weighted;
}

// ---- ids ----

bool ids_put(struct ids *ids, const char *text, size_t length)
{
    if (!memory_reserve(&ids->bytes, &ids->capacity, ids->size + length + 1, 1))
        return false;
    if (length)
        memcpy(ids->bytes + ids->size, text, length);
    ids->size += length;
    ids->bytes[ids->size++] = '\0';
    return true;
}

bool no_row_id(struct ids *ids, const struct id_source *source, const char *row, size_t size)
{
    (void)source, (void)row, (void)size;
    return ids_put(ids, "", 0);
}
