#include "input/ids.h"

#include "base/memory.h"
#include "input/csv/fields.h"
#include "input/json/json.h"

#include <string.h>

bool format_has_ids(enum data_format format)
{
    return format == DATA_CSV || format == DATA_VW || format == DATA_JSONL;
}

static bool add(struct ids *ids, const char *text, size_t length)
{
    if (!memory_reserve(&ids->bytes, &ids->capacity, ids->size + length + 1, 1))
        return false;
    if (length)
        memcpy(ids->bytes + ids->size, text, length);
    ids->size += length;
    ids->bytes[ids->size++] = '\0';
    return true;
}

static bool add_field(struct ids *ids, const struct csv_plan *plan, const char *row, size_t size)
{
    struct csv_cursor cursor = csv_start(row, size, plan->delimiter);
    struct csv_field field = {.text = "", .last = false};
    struct bad_row ignored;
    size_t i = 0;
    bool found = csv_next_row(&cursor);
    for (; found && i < plan->id; i++) // from 1
        found = !field.last && csv_next_field(&cursor, &field, &ignored) == PARSE_OK;
    bool fine = found ? add(ids, field.text, field.length) : add(ids, "", 0);
    csv_end(&cursor);
    return fine;
}

// The word that touches the bar, or the last before it, if that begins with an apostrophe.
static bool add_tag(struct ids *ids, const char *row, size_t size)
{
    const char *bar = memchr(row, '|', size), *end = bar ? bar : row, *tag;
    while (end > row && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    for (tag = end; tag > row && tag[-1] != ' ' && tag[-1] != '\t'; tag--)
        continue;
    bool quoted = tag < end && *tag == '\'';
    if (!quoted && end != bar)
        return add(ids, "", 0);
    return add(ids, tag + quoted, (size_t)(end - tag) - quoted);
}

// ---- JSON ----

// The cursor is at the value: a string is decoded, anything else is as it is written; null is "".
static bool add_value(struct ids *ids, struct named_row *row, char *scratch)
{
    size_t length;
    char c = json_peek(row);
    const char *start = row->cursor;
    if (c == '"')
        return json_string(row, scratch, &length) == PARSE_OK ? add(ids, scratch, length)
                                                              : add(ids, "", 0);
    if (c == 'n' || json_skip(row, scratch, 1) != PARSE_OK)
        return add(ids, "", 0);
    const char *end = row->cursor;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return add(ids, start, (size_t)(end - start));
}

static bool add_member(struct ids *ids, struct named_row *row, const char *name, char *scratch)
{
    bool more;
    size_t length, wanted = strlen(name);
    if (json_peek(row) != '{' || json_open(row, '}', 0, &more) != PARSE_OK)
        return add(ids, "", 0);
    while (more && json_key(row, scratch, &length) == PARSE_OK) {
        if (length == wanted && memcmp(scratch, name, length) == 0)
            return add_value(ids, row, scratch);
        if (json_skip(row, scratch, 1) != PARSE_OK || json_next(row, '}', &more) != PARSE_OK)
            break;
    }
    return add(ids, "", 0);
}

static bool add_of_object(struct ids *ids, const char *name, const char *text, size_t size)
{
    struct bad_row ignored;
    struct named_row *row = memory_new(1, sizeof *row); // large for a stack
    char *scratch = memory_new(size + 12, 1);
    bool fine = row && scratch;
    if (fine) {
        row->bad = &ignored;
        row->line = row->cursor = text;
        row->end = row->limit = text + size;
        fine = add_member(ids, row, name, scratch);
    }
    memory_free(scratch);
    memory_free(row);
    return fine;
}

bool ids_add(struct ids *ids, const struct id_source *source, const char *row, size_t size)
{
    switch (source->format) {
    case DATA_CSV:
        return add_field(ids, source->plan, row, size);
    case DATA_VW:
        return add_tag(ids, row, size);
    case DATA_JSONL:
        return add_of_object(ids, source->name, row, size);
    default:
        return add(ids, "", 0);
    }
}
