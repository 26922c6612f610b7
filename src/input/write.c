#include "input/write.h"

#include "base/memory.h"
#include "data/large.h"
#include "input/binary/binary.h"
#include "input/csv/csv.h"
#include "numeric/number.h"

#include <stdlib.h>
#include <string.h>

void out_flush(struct text_out *out)
{
    if (out->used && !out->failed)
        out->failed = out->write(out->context, out->bytes, out->used) != 0;
    out->used = 0;
}

void out_put(struct text_out *out, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size) {
        size_t part = size < OUT_SIZE - out->used ? size : OUT_SIZE - out->used;
        memcpy(out->bytes + out->used, from, part);
        out->used += part;
        from += part;
        size -= part;
        if (out->used == OUT_SIZE)
            out_flush(out);
    }
}

static void put_char(struct text_out *out, char c)
{
    out_put(out, &c, 1);
}

static void put_text(struct text_out *out, const char *text)
{
    out_put(out, text, strlen(text));
}

static void put_number(struct text_out *out, uint64_t n)
{
    char text[24], *at = text + sizeof text;
    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10));
    out_put(out, at, (size_t)(text + sizeof text - at));
}

static void put_float(struct text_out *out, float value)
{
    char text[32];
    out_put(out, text, number_print_float(text, value));
}

void writer_free(struct writer *writer)
{
    table_free(&writer->columns);
    memory_free(writer->places);
    memory_free(writer->cells);
    memory_free(writer->dense);
    memory_free(writer->entries);
    memory_free(writer->list);
}

// ---- LIBSVM ----

// Whether a label can be the first word of a row: it has no blanks and does not look like an entry
// or a comment.
static bool is_word(const char *label)
{
    size_t digits = strspn(label, "0123456789");
    return label[0] && label[0] != '#' && !strpbrk(label, " \t\r\n") &&
           !(digits && label[digits] == ':') && strncmp(label, "qid:", 4) != 0;
}

static tlu_status put_word(struct writer *writer, const struct batch *batch, size_t i,
                           const char *label, bool first, tlu_error *error)
{
    char quoted[64];
    bool listed = batch->set_cells > 0;
    if (!is_word(label) || (listed && strchr(label, ',')))
        return error_at(error, writer->path, batch_line(batch, i), 0,
                        "the label '%s' cannot be written in LIBSVM, where a label is one word "
                        "without blanks%s",
                        error_quote(quoted, sizeof quoted, label, strlen(label)),
                        listed ? " and commas" : "");
    if (!first)
        put_char(writer->out, ',');
    put_text(writer->out, label);
    return TLU_OK;
}

// A blank before the first entry stands for no labels.
static tlu_status put_label(struct writer *writer, const struct batch *batch, size_t i,
                            tlu_error *error)
{
    if (batch->labels[i] == TLU_NO_LABEL)
        return TLU_OK;
    const uint32_t *set = batch_set(batch, i);
    if (!set)
        return put_word(writer, batch, i, writer->schema->spelled[batch->labels[i]], true, error);
    for (uint32_t k = 1; k <= set[0]; k++)
        TRY(put_word(writer, batch, i, writer->schema->spelled[set[k]], k == 1, error));
    return TLU_OK;
}

static void put_name(struct text_out *out, const struct schema *schema, uint32_t name)
{
    char scratch[LARGE_SCRATCH];
    size_t length;
    const char *text = schema_name_at(schema, name, scratch, &length);
    out_put(out, text, length);
}

// Writes the index of a feature. Named and hashed features are numbered from 1.
static void put_index(struct text_out *out, const struct schema *schema, uint32_t feature)
{
    if (!schema_is_indexed(schema) || schema->slots.bits)
        put_number(out, (uint64_t)feature + 1);
    else if (feature < schema->base)
        put_number(out, feature);
    else
        put_name(out, schema, feature - schema->base);
}

static int by_feature(const void *a, const void *b)
{
    uint32_t x = ((const struct feature_value *)a)->feature,
             y = ((const struct feature_value *)b)->feature;
    return (x > y) - (x < y);
}

// Copies the entries into writer->entries and sorts them: other programs require ascending indices,
// and named features come in the order of the text.
static bool sort_row(struct writer *writer, const tlu_row *row)
{
    if (!memory_reserve(&writer->entries, &writer->entry_capacity, row->count,
                        sizeof *writer->entries))
        return false;
    for (size_t k = 0; k < row->count; k++)
        writer->entries[k] =
            (struct feature_value){row_feature(row, k), row->values ? row->values[k] : 1};
    if (row->count)
        qsort(writer->entries, row->count, sizeof *writer->entries, by_feature);
    return true;
}

tlu_status write_libsvm(struct writer *writer, const struct batch *batch, tlu_error *error)
{
    struct text_out *out = writer->out;
    const struct schema *schema = writer->schema;
    bool named = !schema_is_indexed(schema) || schema->slots.bits;
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        bool labelled = batch->labels[i] != TLU_NO_LABEL;
        TRY(put_label(writer, batch, i, error));
        TRY(enough_memory(!named || sort_row(writer, &row), error));
        for (size_t k = 0; k < row.count; k++) {
            float value = row.values ? row.values[k] : 1;
            if (labelled || k)
                put_char(out, ' ');
            put_index(out, schema, named ? writer->entries[k].feature : row_feature(&row, k));
            put_char(out, ':');
            put_float(out, named ? writer->entries[k].value : value);
        }
        bool empty = labelled && batch->set_cells && batch_set(batch, i)[0] == 0;
        if ((!labelled || empty) && row.count == 0) // an empty line would not be a row
            put_text(out, empty ? " 1:0" : "1:0");
        put_char(out, '\n');
    }
    return TLU_OK;
}

void write_names(struct text_out *out, const struct schema *schema)
{
    static const char special[] = "\t\n\r\\", escapes[] = "tnr\\";
    for (uint32_t i = 0; i < schema_names(schema); i++) {
        char scratch[LARGE_SCRATCH];
        size_t length;
        put_index(out, schema, schema->base + i);
        put_char(out, '\t');
        for (const char *c = schema_name_at(schema, i, scratch, &length); *c; c++) {
            const char *found = strchr(special, *c);
            if (found)
                put_char(out, '\\');
            put_char(out, found ? escapes[found - special] : *c);
        }
        put_char(out, '\n');
    }
}

// ---- CSV ----

void write_csv_field(const struct writer *writer, const char *text, size_t length)
{
    struct text_out *out = writer->out;
    bool quote = length && (text[0] == ' ' || text[0] == '\t' || text[0] == '#' ||
                            text[length - 1] == ' ' || text[length - 1] == '\t');
    for (size_t i = 0; !quote && i < length; i++)
        quote = text[i] == writer->delimiter || strchr("\"\r\n", text[i]);
    if (!quote) {
        out_put(out, text, length);
        return;
    }
    put_char(out, '"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            put_char(out, '"');
        put_char(out, text[i]);
    }
    put_char(out, '"');
}

// Appends a label of a set to writer->list.
static tlu_status list_label(struct writer *writer, const struct batch *batch, size_t row,
                             const char *label, tlu_error *error)
{
    const char *separator = writer->schema->separator;
    size_t length = strlen(label), between = writer->list_size ? strlen(separator) : 0;
    bool blank = label[0] == ' ' || label[0] == '\t' || label[length - 1] == ' ' ||
                 label[length - 1] == '\t';
    char quoted[64];
    if (strstr(label, separator) || blank)
        return error_at(error, writer->path, batch_line(batch, row), 0,
                        "the label '%s' cannot be one of a list with '%s' between the labels: "
                        "give another --label-separator",
                        error_quote(quoted, sizeof quoted, label, length), separator);
    TRY(enough_memory(memory_reserve(&writer->list, &writer->list_capacity,
                                     writer->list_size + between + length, 1),
                      error));
    memcpy(writer->list + writer->list_size, separator, between);
    memcpy(writer->list + writer->list_size + between, label, length);
    writer->list_size += between + length;
    return TLU_OK;
}

static tlu_status put_csv_label(struct writer *writer, const struct batch *batch, size_t row,
                                tlu_error *error)
{
    uint32_t label = batch->labels[row];
    if (label == TLU_NO_LABEL || !batch->set_cells) {
        const char *text = label == TLU_NO_LABEL ? "?" : writer->schema->spelled[label];
        write_csv_field(writer, text, strlen(text));
        return TLU_OK;
    }
    const uint32_t *set = batch_set(batch, row);
    writer->list_size = 0;
    for (uint32_t k = 1; k <= set[0]; k++)
        TRY(list_label(writer, batch, row, writer->schema->spelled[set[k]], error));
    write_csv_field(writer, writer->list, writer->list_size);
    return TLU_OK;
}

// Finds the column of each feature that was added to the schema since the last call: new categories
// may appear in any batch.
static tlu_status place_features(struct writer *writer, tlu_error *error)
{
    const struct schema *schema = writer->schema;
    for (; writer->place_count < schema->names.count; writer->place_count++) {
        uint32_t f = (uint32_t)writer->place_count;
        const char *name = table_text(&schema->names, f);
        size_t length = table_length(&schema->names, f), value = 0;
        uint32_t column = table_find(&writer->columns, name, length);
        bool numeric = column != TABLE_NONE && schema->columns[column].kind == COLUMN_NUMERIC &&
                       schema->columns[column].feature == f;
        if (!numeric)
            column = binary_column_of(schema, &writer->columns, name, length, &value);
        TRY(enough_memory(memory_reserve(&writer->places, &writer->place_capacity,
                                         writer->place_count + 1, sizeof *writer->places),
                          error));
        writer->places[f] = (struct cell_place){column, (uint32_t)value};
    }
    return TLU_OK;
}

// From CSV: writes the columns of the input, except ignored ones.
static tlu_status write_columns(struct writer *writer, const struct batch *batch, size_t i,
                                tlu_error *error)
{
    const struct schema *schema = writer->schema;
    tlu_row row = batch_row(batch, i);
    for (size_t c = 0; c < schema->column_count; c++)
        writer->cells[c] =
            (struct csv_cell){schema->columns[c].kind == COLUMN_NUMERIC ? NULL : "", 0, 0};
    for (size_t k = 0; k < row.count; k++) {
        struct cell_place place = writer->places[row_feature(&row, k)];
        if (place.column >= schema->column_count)
            continue;
        struct csv_cell *cell = &writer->cells[place.column];
        if (place.value == 0) {
            cell->value = row.values ? row.values[k] : 1;
            continue;
        }
        cell->text = table_text(&schema->names, row_feature(&row, k)) + place.value;
        cell->length = strlen(cell->text);
        if (strcmp(cell->text, MISSING_VALUE) == 0)
            cell->length = 0;
    }
    bool first = true;
    for (size_t c = 0; c < schema->column_count; c++) {
        const struct csv_cell *cell = &writer->cells[c];
        if (schema->columns[c].kind == COLUMN_IGNORED)
            continue;
        if (!first)
            put_char(writer->out, writer->delimiter);
        first = false;
        if (schema->columns[c].kind == COLUMN_LABEL)
            TRY(put_csv_label(writer, batch, i, error));
        else if (cell->text)
            write_csv_field(writer, cell->text, cell->length);
        else
            put_float(writer->out, cell->value);
    }
    put_char(writer->out, '\n');
    return TLU_OK;
}

// From LIBSVM: writes the label, one column for each index up to the highest below schema->base,
// and one column for each larger index that occurs. From named features: the label, and one column
// per name.
static tlu_status write_dense(struct writer *writer, const struct batch *batch, size_t i,
                              tlu_error *error)
{
    const struct schema *schema = writer->schema;
    size_t columns = (size_t)schema_columns(schema), direct = columns - schema_names(schema);
    tlu_row row = batch_row(batch, i);
    for (size_t k = 0; k < row.count; k++) {
        uint32_t f = row_feature(&row, k);
        size_t at = f < schema->base ? f - writer->first : direct + (f - schema->base);
        writer->dense[at] = row.values ? row.values[k] : 1;
    }
    TRY(put_csv_label(writer, batch, i, error));
    for (size_t c = 0; c < columns; c++) {
        put_char(writer->out, writer->delimiter);
        if (writer->dense[c] == 0) {
            put_char(writer->out, '0');
            continue;
        }
        put_float(writer->out, writer->dense[c]);
        writer->dense[c] = 0;
    }
    put_char(writer->out, '\n');
    return TLU_OK;
}

tlu_status write_csv_begin(struct writer *writer, tlu_error *error)
{
    const struct schema *schema = writer->schema;
    struct text_out *out = writer->out;
    if (!schema_is_csv(schema)) {
        uint64_t columns = schema_columns(schema), direct = columns - schema_names(schema);
        writer->first = schema->direct.lowest == 0 ? 0 : 1;
        writer->dense = memory_new((size_t)columns, sizeof *writer->dense);
        put_text(out, "label");
        for (uint64_t c = 0; c < columns; c++) {
            put_char(out, writer->delimiter);
            if (schema_is_named(schema))
                write_csv_field(writer, table_text(&schema->names, (uint32_t)c),
                                table_length(&schema->names, (uint32_t)c));
            else
                put_index(out, schema,
                          (uint32_t)(c < direct ? c + writer->first : c - direct + schema->base));
        }
        put_char(out, '\n');
        return enough_memory(writer->dense, error);
    }
    writer->cells = memory_new(schema->column_count, sizeof *writer->cells);
    bool first = true, fine = writer->cells != NULL;
    for (size_t c = 0; fine && c < schema->column_count; c++) {
        const char *name = schema->columns[c].name;
        fine = table_add(&writer->columns, name, strlen(name)) != TABLE_NONE;
        if (!schema->header || schema->columns[c].kind == COLUMN_IGNORED)
            continue;
        if (!first)
            put_char(out, writer->delimiter);
        write_csv_field(writer, name, strlen(name));
        first = false;
    }
    if (schema->header)
        put_char(out, '\n');
    return enough_memory(fine, error);
}

tlu_status write_csv(struct writer *writer, const struct batch *batch, tlu_error *error)
{
    bool columns = schema_is_csv(writer->schema);
    if (columns)
        TRY(place_features(writer, error));
    for (size_t i = 0; i < batch->rows; i++)
        TRY((columns ? write_columns : write_dense)(writer, batch, i, error));
    return TLU_OK;
}
