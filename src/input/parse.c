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
    vsnprintf(bad->reason, sizeof bad->reason, format, arguments);
    va_end(arguments);
    return PARSE_BAD;
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
                       "a byte order mark (U+FEFF) inside the data: it is for the start of a file; "
                       "were files put together?");
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

enum parse_result row_label(const struct parser *parser, struct batch *batch, const char *label,
                            size_t length)
{
    uint32_t *class_of_row = &batch->labels[batch->rows];
    if (!label) {
        *class_of_row = TLU_NO_LABEL;
    } else if (parser->schema->frozen) {
        *class_of_row = schema_class_find(parser->schema, label, length);
        if (*class_of_row == SCHEMA_NONE) {
            *class_of_row = TLU_UNKNOWN_LABEL;
            if (batch->counts.unknown_labels++ == 0)
                error_quote(batch->counts.unknown_label, sizeof batch->counts.unknown_label, label,
                            length);
        }
    } else {
        *class_of_row = table_add(&batch->classes, label, length);
        if (*class_of_row == TABLE_NONE)
            return PARSE_MEMORY;
    }
    return PARSE_OK;
}

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
                             batch->counts.unknown_values,
                             batch->counts.unknown_labels,
                             batch->counts.qid_fields,
                             batch->counts.multi_label_rows,
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
    batch->counts.unknown_values = mark->unseen;
    batch->counts.unknown_labels = mark->unknown_labels;
    batch->counts.qid_fields = mark->queries;
    batch->direct.lowest = mark->lowest;
    batch->direct.highest = mark->highest;
    batch->counts.multi_label_rows = mark->more_labels;
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
