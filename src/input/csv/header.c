#include "input/csv/header.h"

#include "base/memory.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SAMPLE_ROWS 1000 // in which a field of the header does not occur

// ---- rows as texts ----

static void row_free(struct csv_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        memory_free(row->fields[i]);
    memory_free(row->fields);
    *row = (struct csv_row){NULL, 0};
}

static enum parse_result row_read(struct csv_cursor *cursor, struct csv_row *row,
                                  struct bad_row *bad)
{
    size_t capacity = 0;
    struct csv_field field = {.last = false};
    while (!field.last) {
        enum parse_result result = csv_next_field(cursor, &field, bad);
        if (result != PARSE_OK)
            return result;
        bad->line = field.line;
        if (memchr(field.text, '\0', field.length))
            return bad_row_set(bad, field.column, "expected text, found a NUL byte");
        if (!memory_reserve(&row->fields, &capacity, row->count + 1, sizeof *row->fields))
            return PARSE_MEMORY;
        row->fields[row->count] = memory_copy_text(field.text, field.length);
        if (!row->fields[row->count])
            return PARSE_MEMORY;
        row->count++;
    }
    return PARSE_OK;
}

// ---- the header ----

static bool is_number_like(const char *text)
{
    double value;
    const char *end, *limit = text + strlen(text);
    enum number_result result = number_parse(text, limit, &value, &end);
    return result != NUMBER_NONE && end == limit;
}

const char *const csv_usual_labels[CSV_USUAL_LABELS] = {"label", "class", "target", "y"};

static bool is_usual_label(const char *name)
{
    for (size_t i = 0; i < CSV_USUAL_LABELS; i++)
        if (strcasecmp(name, csv_usual_labels[i]) == 0)
            return true;
    return false;
}

// A first row is a header if none of its fields is a number, unless the label's is a usual name
// (columns may well be called 0, 1, 2...), and none of the others occurs again below in its column.
static bool looks_like_header(const struct csv_row *first, const char *rest, size_t size,
                              char delimiter)
{
    bool numbers = false, label = false;
    for (size_t i = 0; i < first->count; i++) {
        numbers |= is_number_like(first->fields[i]);
        label |= is_usual_label(first->fields[i]);
    }
    if (numbers && !label)
        return false;
    struct csv_cursor cursor = csv_start(rest, size, delimiter);
    cursor.bare = true;
    bool again = false;
    for (size_t rows = 0; !again && rows < SAMPLE_ROWS && csv_next_row(&cursor); rows++) {
        struct csv_field field = {.last = false};
        struct bad_row bad;
        for (size_t i = 0; !field.last && i < first->count; i++) {
            if (csv_next_field(&cursor, &field, &bad) != PARSE_OK)
                break;
            again |= field.length && first->fields[i][0] == field.text[0] &&
                     strlen(first->fields[i]) == field.length &&
                     memcmp(first->fields[i], field.text, field.length) == 0 &&
                     !is_number_like(first->fields[i]);
        }
        csv_skip_row(&cursor);
    }
    csv_end(&cursor);
    return !again;
}

void first_row_free(struct first_row *first)
{
    row_free(&first->row);
    row_free(&first->comment);
}

// Reads the comment as a row; if it cannot be one, it stays empty.
static enum parse_result read_comment(struct first_row *first, char delimiter, const char *bytes,
                                      size_t size)
{
    struct csv_cursor cursor = csv_start(bytes, size, delimiter);
    struct bad_row bad = {0};
    enum parse_result result = PARSE_OK;
    cursor.at++; // after the #
    while (cursor.at < cursor.limit && (*cursor.at == ' ' || *cursor.at == '\t'))
        cursor.at++;
    if (cursor.at < cursor.limit)
        result = row_read(&cursor, &first->comment, &bad);
    if (result == PARSE_BAD)
        row_free(&first->comment);
    csv_end(&cursor);
    return result;
}

tlu_status first_row_read(struct first_row *first, char delimiter, const char *file,
                          const char *bytes, size_t size, uint64_t lines_before, tlu_error *error)
{
    struct bad_row bad = {0};
    *first = (struct first_row){.before = csv_comment(bytes, size)};
    first->lines_before = first->before > 0;
    if (first->before && read_comment(first, delimiter, bytes, first->before) == PARSE_MEMORY)
        return error_memory(error);
    bytes += first->before;
    struct csv_cursor cursor = csv_start(bytes, size - first->before, delimiter);
    enum parse_result result = row_read(&cursor, &first->row, &bad);
    first->length = first->before + (size_t)(cursor.at - bytes);
    first->lines = first->lines_before + cursor.line - (cursor.at == cursor.line_start);
    csv_end(&cursor);
    if (result == PARSE_MEMORY)
        return error_memory(error);
    if (result == PARSE_BAD)
        return error_at(error, file, lines_before + first->lines_before + bad.line, bad.column,
                        "%s", bad.reason);
    return TLU_OK;
}

const struct csv_row *csv_header(const struct first_row *first, int choice, const char *bytes,
                                 size_t size, char delimiter)
{
    if (choice == HEADER_NO)
        return NULL;
    if (looks_like_header(&first->row, bytes + first->length, size - first->length, delimiter))
        return &first->row;
    if (first->comment.count == first->row.count &&
        looks_like_header(&first->comment, bytes + first->before, size - first->before, delimiter))
        return &first->comment;
    return choice == HEADER_YES ? &first->row : NULL;
}

// ---- names of columns ----

// Adds a name to the table under which no other column goes: with a number after it if one
// does. twins[] counts the columns of a name.
static bool add_name(struct table *names, size_t *twins, const char *text)
{
    size_t length = strlen(text);
    uint32_t place = names->count;
    uint32_t first = table_find(names, text, length);
    if (first == TABLE_NONE)
        return table_add(names, text, length) == place;
    char *name = memory_new(length + 32, 1);
    while (name && names->count == place) {
        int n = snprintf(name, length + 32, "%s.%zu", text, ++twins[first] + 1);
        if (table_add(names, name, (size_t)n) == TABLE_NONE)
            break;
    }
    memory_free(name);
    return names->count > place;
}

bool csv_name_columns(struct table *names, const struct csv_row *header, size_t count)
{
    size_t *twins = memory_new(count, sizeof *twins); // [count]
    bool fine = twins != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", i + 1);
        fine = add_name(names, twins, header && header->fields[i][0] ? header->fields[i] : number);
    }
    memory_free(twins);
    return fine;
}
