#include "model/split/row_index.h"

#include "base/memory.h"

#include <string.h>

// ---- numbers ----

static bool put(struct row_index *index, uint64_t number)
{
    if (!memory_reserve(&index->bytes, &index->capacity, index->size + 10, 1))
        return false;
    for (; number >= 128; number >>= 7)
        index->bytes[index->size++] = (unsigned char)(number | 128);
    index->bytes[index->size++] = (unsigned char)number;
    return true;
}

static uint64_t take(struct row_index *index)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = index->bytes[index->at++];
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
}

// ---- classes and groups ----

// Adds a text to a table whose texts are counted.
static uint32_t add_text(struct table *table, uint64_t **counts, size_t *capacity, const char *text,
                         size_t length)
{
    uint32_t before = table->count, number = table_add(table, text, length);
    if (number == TABLE_NONE || !memory_reserve(counts, capacity, table->count, sizeof **counts))
        return TABLE_NONE;
    if (number == before)
        (*counts)[number] = 0;
    return number;
}

// The number of a row's class in index->labels; of several labels, the first in the file counts.
// TABLE_NONE: out of memory.
static uint32_t class_of(struct row_index *index, const struct batch *batch, size_t row)
{
    uint32_t classes = schema_classes(index->schema), label = batch_stratum(batch, row, classes);
    if (label == classes) // its set of labels is empty
        return add_text(&index->labels, &index->class_rows, &index->class_capacity, "", 0);
    if (!memory_reserve(&index->label_of, &index->label_capacity, classes, sizeof *index->label_of))
        return TABLE_NONE;
    for (; index->label_count < classes; index->label_count++)
        index->label_of[index->label_count] = TABLE_NONE;
    const char *text = index->schema->spelled[label];
    if (index->label_of[label] == TABLE_NONE)
        index->label_of[label] = add_text(&index->labels, &index->class_rows,
                                          &index->class_capacity, text, strlen(text));
    return index->label_of[label];
}

// Where the group of a row is.
static tlu_status find_group(struct row_index *index, const char *path, const char *name,
                             tlu_error *error)
{
    const struct schema *schema = index->schema;
    uint64_t number = 0;
    if (!format_has_ids(schema->format))
        return error_at(error, path, 0, 0,
                        "is %s, which has no groups: --group names a CSV column or a JSON member, "
                        "or uses the tags of VW's format",
                        format_table[schema->format].title);
    index->group_source = (struct id_source){schema->format, &index->plan, name};
    index->plan = (struct csv_plan){.delimiter = schema->delimiter, .count = schema->column_count};
    if (!schema_is_csv(schema))
        return TLU_OK;
    for (size_t i = 0; i < schema->column_count && !index->plan.id; i++)
        if (strcmp(schema->columns[i].name, name) == 0)
            index->plan.id = i + 1;
    if (!index->plan.id && number_index(name, strlen(name), &number) && number <= index->plan.count)
        index->plan.id = (size_t)number;
    if (index->plan.id)
        return TLU_OK;
    char quoted[80];
    return error_at(error, path, 0, 0,
                    "has no column '%s' for --group; give its name in the header, or its number, "
                    "from 1 to %zu",
                    error_quote(quoted, sizeof quoted, name, strlen(name)), index->plan.count);
}

tlu_status row_index_open(struct row_index *index, const struct reader *reader,
                          const struct schema *schema, const char *path, const char *group,
                          bool needs_label, bool skip_bad, tlu_error *error)
{
    *index = (struct row_index){.reader = reader,
                                .schema = schema,
                                .head = reader_head(reader),
                                .rows_of_json = reader_json_rows(reader),
                                .needs_label = needs_label,
                                .skip_bad = skip_bad};
    return group ? find_group(index, path, group, error) : TLU_OK;
}

void row_index_free(struct row_index *index)
{
    table_free(&index->labels);
    table_free(&index->groups);
    memory_free(index->class_rows);
    memory_free(index->group_rows);
    memory_free(index->group.bytes);
    memory_free(index->label_of);
    memory_free(index->bytes);
}

// ---- rows ----

// A row that cannot be in any part: an error, or with --skip-bad it is counted.
static tlu_status leave_out(struct row_index *index, const struct batch *batch, size_t row,
                            const char *reason, bool *out, tlu_error *error)
{
    *out = true;
    if (!index->skip_bad)
        return reader_refuse(index->reader, batch, row, reason, error);
    index->skipped++;
    return TLU_OK;
}

// *out: the row lacks what decides about its part.
static tlu_status check_row(struct row_index *index, const struct batch *batch, size_t row,
                            const char *text, size_t length, bool *out, tlu_error *error)
{
    *out = false;
    if (index->needs_label && batch->labels[row] == TLU_NO_LABEL)
        return leave_out(index, batch, row,
                         "the row has no label, which a split by class needs; to split without "
                         "labels, give --no-stratify or --in-order",
                         out, error);
    if (!index->group_source.name)
        return TLU_OK;
    index->group.size = 0;
    TRY(enough_memory(ids_add(&index->group, &index->group_source, text, length), error));
    if (index->group.size > 1) // there is a NUL after it
        return TLU_OK;
    return leave_out(index, batch, row,
                     "the row has no value for --group; check the name, add a value, or leave out "
                     "such rows with --skip-bad",
                     out, error);
}

// Adds a row, whose group is in index->group. A row is stored as these numbers: twice its size,
// plus 1 if there is a gap before it; the gap, if any; the class from 1, or 0; the group, if any.
static bool add_row(struct row_index *index, uint64_t size, uint32_t class_number)
{
    bool has_gap = index->gap > 0, has_group = index->group_source.name != NULL;
    if (!put(index, 2 * size + has_gap) || (has_gap && !put(index, index->gap)) ||
        !put(index, class_number))
        return false;
    if (has_group) {
        uint32_t group = add_text(&index->groups, &index->group_rows, &index->group_capacity,
                                  index->group.bytes, index->group.size - 1);
        if (group == TABLE_NONE || !put(index, group))
            return false;
        index->group_rows[group]++;
    }
    if (class_number)
        index->class_rows[class_number - 1]++;
    index->unlabelled += class_number == 0;
    index->rows++;
    index->gap = 0;
    return true;
}

// The size of the comments of LIBSVM at the start, of which the reader leaves one above the first
// row.
static size_t comments(const struct row_index *index, const char *bytes, size_t size)
{
    size_t end = 0;
    while (schema_is_indexed(index->schema) && end < size && bytes[end] == '#') {
        const char *newline = memchr(bytes + end, '\n', size - end);
        end = newline ? (size_t)(newline - bytes) + 1 : size;
    }
    return end;
}

tlu_status row_index_add(struct row_index *index, const struct batch *batch, tlu_error *error)
{
    const char *at = batch->scratch.source; // NULL: the batch has no bytes
    const char *limit = at ? at + batch->scratch.source_size : NULL;
    struct row_text last = {0};
    for (size_t i = 0; i < batch->rows; i++) {
        size_t length = 0;
        bool out;
        const char *text = reader_row_text(index->reader, batch, &last, i, &length), *end;
        TRY(check_row(index, batch, i, text, length, &out, error));
        if (out)
            continue;
        end = text + length;
        if (index->rows_of_json == JSON_LINES) {
            while (end < limit && *end == '\r')
                end++;
            end += end < limit; // after the newline
        }
        if (index->rows == 0 && index->gap == 0) {
            size_t above = comments(index, at, (size_t)(text - at));
            index->head += above;
            at += above;
        }
        index->gap += (uint64_t)(text - at);
        uint32_t class_number = 0;
        if (batch->labels[i] != TLU_NO_LABEL) {
            uint32_t class_index = class_of(index, batch, i);
            TRY(enough_memory(class_index != TABLE_NONE, error));
            class_number = class_index + 1;
        }
        TRY(enough_memory(add_row(index, (uint64_t)(end - text), class_number), error));
        at = end;
    }
    index->gap += (uint64_t)(limit - at);
    index->skipped += batch->counts.skipped_rows;
    return TLU_OK;
}

bool row_index_has_more(const struct row_index *index)
{
    return index->at < index->size;
}

bool row_index_next(struct row_index *index, struct indexed_row *row)
{
    if (!row_index_has_more(index))
        return false;
    uint64_t size = take(index);
    row->size = size / 2;
    row->gap = size & 1 ? take(index) : 0;
    row->class_index = (uint32_t)take(index) - 1; // SCHEMA_NONE if it is 0
    row->group = index->group_source.name ? (uint32_t)take(index) : 0;
    return true;
}
